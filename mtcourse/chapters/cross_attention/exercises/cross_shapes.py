"""The exercise ``cross_shapes``: shapes and counts of a decoder layer (A15, A16; chapter 06)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import functions_of, Exercise

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
        """Your scores have a row for each English token, in training and at inference.

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
        """Your total counts each Dutch token once. But it has a query in every head.

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
