"""The exercise ``cross_shapes``: shapes and counts of a decoder layer (A15, A16; chapter 6)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import Exercise, functions_of

BATCH, HEADS, D_MODEL, M, N = 8, 4, 128, 7, 5


def correct():
    """m queries on n keys, in each head of each sentence."""
    return _answer()


def _answer(
    scores=(BATCH, HEADS, M, N),
    output=(BATCH, M, D_MODEL),
    total=BATCH * HEADS * M,
    step=(1, HEADS, 1, N),
    keys=N,
):
    return {"scores": scores, "output": output, "total": total, "step": step, "keys": keys}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The values may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct().values())

    def rows_and_columns_exchanged():
        """Your scores have a row for each English token.

        Queries are rows, keys are columns. Which sentence do the queries come from?
        """
        return _answer(scores=(BATCH, HEADS, N, M), step=(1, HEADS, N, 1))

    def rows_and_columns_exchanged_in_training():
        """In training, your scores have a row for each English token and a column for each Dutch
        one.

        Queries are rows, keys are columns. Which sentence do the queries come from?
        """
        return _answer(scores=(BATCH, HEADS, N, M))

    def as_in_self_attention():
        """Your scores are square, as if the Dutch tokens looked at each other.

        In cross-attention, the columns belong to the other sentence.
        """
        return _answer(scores=(BATCH, HEADS, M, M))

    def without_heads():
        """Your scores have no axis for the heads.

        Each of the four heads has its own matrix of scores.
        """
        return _answer(scores=(BATCH, M, N), step=(1, 1, N))

    def as_many_rows_as_answer():
        """Your output has a row for each English token.

        The decoder uses the output to predict Dutch tokens. It has one row for each query.
        """
        return _answer(output=(BATCH, N, D_MODEL))

    def one_heads_width():
        """Your output is only as wide as a single head.

        The heads' outputs are concatenated and multiplied by a square matrix.
        """
        return _answer(output=(BATCH, M, D_MODEL // HEADS))

    def columns_sum_to_one():
        """Your total would be right if the columns of weights summed to 1, one for each English
        token.

        It is the rows that sum to 1, one for each query. How many are there in all heads and
        sentences?
        """
        return _answer(total=BATCH * HEADS * N)

    def total_of_one_head():
        """Your total counts each Dutch token once. But each has a query in every head.

        How many rows of weights does a layer have, over all heads?
        """
        return _answer(total=BATCH * M)

    def total_of_one_sentence():
        """Your total is that of a single sentence, and the batch has eight.

        Count the rows of weights: sentences times heads times queries.
        """
        return _answer(total=HEADS * M)

    def each_weight_counted():
        """Your total is the number of weights. The question asks for their sum.

        There are as many weights as scores. What do the weights of one row sum to?
        """
        return _answer(total=BATCH * HEADS * M * N)

    def step_asks_for_all_so_far():
        """Your third step has a query for each of the three Dutch tokens so far.

        The first two had their queries in their own steps. Which token is new?
        """
        return _answer(step=(1, HEADS, 3, N))

    def step_sees_only_three_keys():
        """In your third step, the query sees only three English tokens.

        How much of the English sentence is known when the third Dutch token is written?
        """
        return _answer(step=(1, HEADS, 1, 3))

    def keys_in_every_step():
        """You compute all keys again in each of the seven steps.

        Keys are computed from the encoder's output. Does it change while Dutch is written?
        """
        return _answer(keys=M * N)

    def keys_of_dutch():
        """You compute a key for each Dutch token.

        Which sentence do the keys come from?
        """
        return _answer(keys=M)

    def scores_of_the_encoder():
        """Your scores are those of the encoder: English tokens with English tokens.

        Queries are rows, keys are columns. Which sentence do the queries come from?
        """
        return _answer(scores=(BATCH, HEADS, N, N))

    def shape_of_the_queries():
        """You give the shape of the queries: each row is as wide as a head.

        A score is one number for a query and a key. How many keys does each query have?
        """
        return _answer(scores=(BATCH, HEADS, M, D_MODEL // HEADS))

    def shape_of_the_keys():
        """You give the shape of the keys: each row is as wide as a head.

        A score is one number for a query and a key. Which of the two are the rows?
        """
        return _answer(scores=(BATCH, HEADS, N, D_MODEL // HEADS))

    def scores_as_wide_as_the_model():
        """The rows of your scores are as wide as those of the model.

        A score is one number for a query and a key. How many keys does each query have?
        """
        return _answer(scores=(BATCH, HEADS, M, D_MODEL))

    def scores_of_one_sentence():
        """Your scores are those of a single sentence, and the batch has eight.

        Which is the first of the four axes?
        """
        return _answer(scores=(1, HEADS, M, N))

    def scores_without_a_batch():
        """Your scores have no axis for the batch.

        The question names four axes. Which is the first?
        """
        return _answer(scores=(HEADS, M, N))

    def scores_of_one_head():
        """Your scores have an axis for the heads with the size 1.

        Does each head compute scores of its own?
        """
        return _answer(scores=(BATCH, 1, M, N))

    def scores_of_both_sentences():
        """Your scores have a column for each token of both sentences.

        The decoder's self-attention deals with the Dutch tokens. Which tokens have keys here?
        """
        return _answer(scores=(BATCH, HEADS, M, M + N))

    def heads_and_rows_exchanged():
        """In your scores, the axis of the heads and that of the rows have changed places.

        The question gives the order of the axes.
        """
        return _answer(scores=(BATCH, M, HEADS, N))

    def output_of_the_heads():
        """Your output still has an axis for the heads.

        What happens to the heads before the product with W_O?
        """
        return _answer(output=(BATCH, HEADS, M, D_MODEL // HEADS))

    def output_of_wide_heads():
        """Your output still has an axis for the heads, and each is as wide as the model.

        What happens to the heads before the product with W_O?
        """
        return _answer(output=(BATCH, HEADS, M, D_MODEL))

    def output_of_one_sentence():
        """Your output has no axis for the batch.

        In training, the layer gets eight sentence pairs at once.
        """
        return _answer(output=(M, D_MODEL))

    def heads_of_full_width():
        """Your output is four times as wide as the model, as if each head were 128 wide.

        How wide is one head, and how many are concatenated?
        """
        return _answer(output=(BATCH, M, HEADS * D_MODEL))

    def weights_for_output():
        """Your output is as wide as the English sentence is long. Those are weights.

        The weights are multiplied by the values. How wide is the result?
        """
        return _answer(output=(BATCH, M, N))

    def output_of_the_scores_shape():
        """You give the shape of the scores for the output.

        The weights are multiplied by the values, and then the heads are concatenated.
        """
        return _answer(output=(BATCH, HEADS, M, N))

    def total_of_one_heads_rows():
        """Your total counts the rows of one head in one sentence.

        How many heads are there, and how many sentences?
        """
        return _answer(total=M)

    def each_matrix_sums_to_one():
        """Your total would be right if all the weights of a head summed to 1 in each sentence.

        What does each *row* of weights sum to?
        """
        return _answer(total=BATCH * HEADS)

    def each_sentence_sums_to_one():
        """Your total would be right if all the weights of a sentence summed to 1, over all heads.

        What does each *row* of weights sum to?
        """
        return _answer(total=BATCH)

    def everything_sums_to_one():
        """Your total would be right if all weights together summed to 1.

        What does each *row* of weights sum to?
        """
        return _answer(total=1)

    def columns_of_one_head():
        """Your total counts the English tokens of all sentences.

        It is the rows that sum to 1, one for each query, in every head.
        """
        return _answer(total=BATCH * N)

    def weights_of_one_head():
        """Your total is the number of weights of one head. The question asks for their sum, over
        all heads.

        What do the weights of one row sum to?
        """
        return _answer(total=BATCH * M * N)

    def weights_of_one_sentence():
        """Your total is the number of weights of one sentence. The question asks for their sum,
        over all sentences.

        What do the weights of one row sum to?
        """
        return _answer(total=HEADS * M * N)

    def weights_of_one_matrix():
        """Your total is the number of weights in one matrix.

        What do the weights of one row sum to? How many rows are there in all?
        """
        return _answer(total=M * N)

    def rows_and_columns_counted():
        """Your total counts rows and columns together.

        Only rows sum to 1. How many are there in all heads and sentences?
        """
        return _answer(total=BATCH * HEADS * (M + N))

    def total_times_width():
        """Your total contains the width of the model.

        Weights belong to pairs of tokens. What do those of one row sum to?
        """
        return _answer(total=BATCH * M * D_MODEL)

    def step_of_self_attention():
        """In your third step, three Dutch tokens look at three tokens, as in self-attention that
        computes everything again.

        Only one token is new. And how much of the *English* sentence is known?
        """
        return _answer(step=(1, HEADS, 3, 3))

    def step_as_in_training():
        """Your third step has a row for each of the seven Dutch tokens.

        How many of them are written in one step?
        """
        return _answer(step=(1, HEADS, M, N))

    def step_of_two():
        """Your third step has a row for each of the two tokens that were written before.

        Nothing is computed twice. Which token asks in this step?
        """
        return _answer(step=(1, HEADS, 2, N))

    def step_of_four():
        """Your third step has four rows.

        Nothing is computed twice. How many tokens ask in one step?
        """
        return _answer(step=(1, HEADS, 4, N))

    def step_of_a_batch():
        """Your third step has a batch of eight sentences.

        How many sentences are translated at inference?
        """
        return _answer(step=(BATCH, HEADS, 1, N))

    def step_of_dutch_keys():
        """In your third step, the query has a column for each of the seven Dutch tokens.

        Which sentence do the keys come from?
        """
        return _answer(step=(1, HEADS, 1, M))

    def step_with_one_column():
        """Your third step has a single score in each head.

        The query is compared with every key. How many are there?
        """
        return _answer(step=(1, HEADS, 1, 1))

    def step_with_two_columns():
        """In your third step, the query sees two tokens.

        How much of the English sentence is known when the third Dutch token is written?
        """
        return _answer(step=(1, HEADS, 1, 2))

    def step_turned():
        """Your third step has a row for each English token and one column.

        Which token asks in this step?
        """
        return _answer(step=(1, HEADS, N, 1))

    def step_turned_of_three():
        """Your third step has a row for each English token and a column for each Dutch one so far.

        Queries are rows. Which token asks in this step?
        """
        return _answer(step=(1, HEADS, N, 3))

    def step_of_one_head():
        """Your third step has a single head.

        Does each head compute its own scores at inference, too?
        """
        return _answer(step=(1, 1, 1, N))

    def step_without_axes():
        """Your third step has fewer than the four axes of the question.

        An axis of size 1 is an axis, too.
        """
        return _answer(step=(1, N))

    def step_of_all_three():
        """Your third step has rows for three tokens in each of eight sentences.

        How many sentences are there at inference, and which tokens are new?
        """
        return _answer(step=(BATCH, HEADS, 3, N))

    def keys_of_all_heads():
        """You count the keys of all four heads together.

        The question asks for each head.
        """
        return _answer(keys=HEADS * N)

    def keys_of_the_batch():
        """You count the keys of eight sentences.

        How many sentences are translated at inference?
        """
        return _answer(keys=BATCH * N)

    def keys_of_everything():
        """You count the keys of all heads of eight sentences.

        The question asks for each head, at inference.
        """
        return _answer(keys=BATCH * HEADS * N)

    def width_of_a_key():
        """You give the width of a key.

        How many *rows* of keys are there?
        """
        return _answer(keys=D_MODEL // HEADS)

    def width_of_the_model():
        """You give the width of the model.

        How many *rows* of keys are there?
        """
        return _answer(keys=D_MODEL)

    def keys_that_grow():
        """Your 28 counts keys of Dutch tokens: seven in each of four heads, or 1 + 2 + … + 7 in
        seven steps.

        Which sentence do the keys come from, and does it grow?
        """
        return _answer(keys=M * (M + 1) // 2)

    def one_key():
        """You count one row of keys.

        Each English token is looked at. How many keys does that take?
        """
        return _answer(keys=1)

    def keys_of_one_step():
        """You count the seven Dutch tokens and the five English ones.

        Which of the two sentences do the keys come from?
        """
        return _answer(keys=M + N)

    def keys_in_every_step_and_head():
        """You count all keys again in each step, and in all heads.

        The question asks for each head, and nothing is computed twice.
        """
        return _answer(keys=HEADS * M * N)

    def keys_of_three_steps():
        """You count all keys again in each of the first three steps.

        Keys are computed from the encoder's output. Does it change while Dutch is written?
        """
        return _answer(keys=3 * N)

    def keys_of_earlier_steps():
        """You compute all keys in each of six steps.

        Keys are computed from the encoder's output. Does it change while Dutch is written?
        """
        return _answer(keys=(M - 1) * N)

    def keys_of_self_attention():
        """You count three keys, as many as there are Dutch tokens in the third step.

        Which sentence do the keys come from?
        """
        return _answer(keys=3)

    def no_keys():
        """You count no keys at inference.

        They are computed from the encoder's output, once.
        """
        return _answer(keys=0)


class Right:
    """Right answers, written differently."""

    def in_numbers():
        """As one writes them down."""
        return {
            "scores": (8, 4, 7, 5), "output": (8, 7, 128), "total": 224, "step": (1, 4, 1, 5),
            "keys": 5,
        }  # fmt: skip

    def in_another_order():
        """With the names in another order, and lists."""
        return {
            "keys": 5, "total": 224.0, "step": [1, 4, 1, 5], "output": [8, 7, 128],
            "scores": [8, 4, 7, 5],
        }  # fmt: skip

    def measured():
        """On tensors of zeros."""
        Q, K = torch.zeros(8, 4, 7, 32), torch.zeros(8, 4, 5, 32)
        weights = torch.softmax(Q @ K.mT, -1)
        output = (weights @ K).transpose(1, 2).flatten(-2)
        step = torch.zeros(1, 4, 1, 32) @ K[:1].mT
        return _answer(
            tuple(weights.shape), tuple(output.shape), round(weights.sum().item()), step.shape, 5
        )

    def as_sizes():
        """Shapes as torch gives them."""
        return _answer(torch.Size((8, 4, 7, 5)), torch.Size((8, 7, 128)), 8 * 4 * 7)


EXERCISE = Exercise(
    id="cross_shapes",
    oracle=correct,
    hint="Queries come from the Dutch rows, keys and values from the English ones. For each "
    "number, list the axes: sentence, head, query, key.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
