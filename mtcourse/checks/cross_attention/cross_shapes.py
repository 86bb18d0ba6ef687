"""The exercise ``cross_shapes``: shapes and counts of a decoder layer (A15, A16; chapter 06)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import Exercise

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


# --- wrong ---------------------------------------------------------------------------------------


def without_names():
    """The values may be right, but their names are missing.

    A dictionary is asked for, with the names of the question.
    """
    return list(correct().values())


def rows_and_columns_exchanged():
    """Your scores have a row for each English token, in training and in use.

    Rows ask and columns answer. Which sentence asks?
    """
    return _answer(scores=(BATCH, HEADS, N, M), step=(1, HEADS, N, 1))


def rows_and_columns_exchanged_in_training():
    """In training your scores have a row for each English token and a column for each Dutch one.

    Rows ask and columns answer. Which sentence asks?
    """
    return _answer(scores=(BATCH, HEADS, N, M))


def as_in_self_attention():
    """Your scores are square, as if the Dutch tokens asked each other.

    In cross-attention the columns belong to the other sentence.
    """
    return _answer(scores=(BATCH, HEADS, M, M))


def without_heads():
    """Your scores have no axis for the heads.

    Each of the four heads has a matrix of scores of its own.
    """
    return _answer(scores=(BATCH, M, N), step=(1, 1, N))


def as_many_rows_as_answer():
    """Your output has a row for each English token.

    The output goes on up the decoder, to predict Dutch tokens. As many rows come out as have asked.
    """
    return _answer(output=(BATCH, N, D_MODEL))


def one_heads_width():
    """Your output is as wide as a single head.

    The heads' outputs are put side by side, and mixed by a square matrix.
    """
    return _answer(output=(BATCH, M, D_MODEL // HEADS))


def columns_sum_to_one():
    """Your total would be right if each English token gave away a weight of 1.

    It is the one who asks that shares out a weight of 1. How many rows are there in all?
    """
    return _answer(total=BATCH * HEADS * N)


def total_of_one_head():
    """Your total counts each Dutch token once. But it asks in every head.

    How many rows of weights does a layer have, over all heads?
    """
    return _answer(total=BATCH * M)


def total_of_one_sentence():
    """Your total is that of a single sentence, and the batch has eight.

    Count the rows of weights: sentences, heads, queries.
    """
    return _answer(total=HEADS * M)


def each_weight_counted():
    """Your total is the number of weights. Asked for is their sum.

    There are as many weights as scores. What do the weights of one row sum to?
    """
    return _answer(total=BATCH * HEADS * M * N)


def step_asks_for_all_so_far():
    """In use, you let all three Dutch tokens ask in the third step.

    The first two have asked in their own steps, and their answers are known. Who is new?
    """
    return _answer(step=(1, HEADS, 3, N))


def step_sees_only_three_keys():
    """In the third step you let the query see three English tokens only.

    How much of the English sentence is there when the third Dutch token is written?
    """
    return _answer(step=(1, HEADS, 1, 3))


def keys_in_every_step():
    """You make all keys anew in each of the seven steps.

    Keys are made from the encoder's output. Does that change while Dutch is written?
    """
    return _answer(keys=M * N)


def keys_of_dutch():
    """You make a key for each Dutch token.

    Who answers here, and so needs keys?
    """
    return _answer(keys=M)


# --- right ---------------------------------------------------------------------------------------


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
    hint="Dutch rows ask, English rows answer. For each number, ask which axes there are: "
    "sentence, head, who asks, who answers.",
    misconceptions=(
        without_names,
        rows_and_columns_exchanged,
        rows_and_columns_exchanged_in_training,
        as_in_self_attention,
        without_heads,
        as_many_rows_as_answer,
        one_heads_width,
        columns_sum_to_one,
        total_of_one_head,
        total_of_one_sentence,
        each_weight_counted,
        step_asks_for_all_so_far,
        step_sees_only_three_keys,
        keys_in_every_step,
        keys_of_dutch,
    ),
    right=(in_numbers, in_another_order, measured, as_sizes),
)
