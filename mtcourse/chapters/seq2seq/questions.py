"""The questions of chapter 17."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from mtcourse.chapters.seq2seq.exercises import EXERCISES
from mtcourse.evaluation.starts import median_interval
from mtcourse.layers.masks import prefix_mask
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _first(batch: Any) -> str:
    """The number of the first input with a label."""
    return f"{int(batch[1][0].nonzero()[0]) + 1}"


def _without_largest(changed: Any) -> str:
    return ", ".join(f"{weight:.2f}" for weight in changed[2].flatten().tolist())


def _length(vectors: Tensor) -> str:
    return f"{vectors.norm():g}"


_PAIR = ([[10, 11, 12]], [[20, 21]])
_JOIN = _KNOWN["join_pairs"]

_GIVEN, _LAST = 5, 7
_SEEN = prefix_mask(torch.tensor([_GIVEN]), _LAST)[0, 0]

_D, _LAYERS, _CROSS = 64, 4, 2
_SAVED = _CROSS * 4 * _D * _D  # weights of cross-attention
_UNIT = 2 * _D  # weights of a unit of d_ff in one block

_OF_HEADS = torch.tensor([[3.0, 0.0], [0.0, 4.0]])

_CHANGE_CASE = (
    torch.tensor([[[[0.5, 0.3, 0.2, 0.0]]]]),
    torch.tensor([[True, True, True, False]]),
    torch.tensor([[[[0.1, 0.2, 0.3, 0.4]]]]),
)
_CHANGE = _KNOWN["changed_weights"]

_STARTS = 4
_OUTSIDE = 1 / 2**_STARTS  # that all differences lie on one side

QUESTIONS = (
    Question(
        "the first label",
        "A decoder-only translator reads `<bos>` A B C `<eos>` d e, numbered from 1, and only the "
        "target has labels. Which is the first input whose row has a label?",
        _first(_JOIN.oracle(*_PAIR)),
        "Input 5 is the <eos> behind the source. Its row has read the whole source and predicts d.",
        (
            mistake_of(
                _JOIN,
                "first_word_never_asked",
                _PAIR,
                _first,
                "That is where d is read. In which row is it predicted?",
            ),
            mistake_of(
                _JOIN,
                "separator_asked",
                _PAIR,
                _first,
                "This row has the <eos> between the sentences as its next token. But this <eos> "
                "is given, so nothing needs to predict it.",
            ),
            mistake_of(
                _JOIN,
                "source_counts",
                _PAIR,
                _first,
                "Then the source would count as well. That is a second task, and this model has "
                "labels on the target only.",
            ),
        ),
    ),
    Question(
        "a prefix mask",
        "A prefix decoder reads `<bos>` A B C `<eos>` d e, numbered from 1, and the first five "
        "positions are the prefix. To how many positions may position 2 attend, and to how many "
        "position 7?",
        " and ".join(str(int(_SEEN[position].sum())) for position in (1, 6)),
        "The prefix sees itself in both directions, its <eos> included. Behind it the mask is "
        "causal.",
        (
            Mistake(
                f"2 and {_LAST}",
                "That is the causal mask. What may position 2 see besides, under a prefix mask?",
                "who_reads.prefix_state_is_causal",
            ),
            Mistake(
                f"{_LAST} and {_LAST}",
                "Then the source would read the target, which the model has to predict. Where does "
                "the prefix end?",
                "who_reads.prefix_reads_the_target",
            ),
            Mistake(
                f"{_GIVEN} and {_GIVEN}",
                "Position 7 may attend to more than the prefix: what does j ≤ i allow?",
                "who_reads.prefix_without_d",
            ),
        ),
    ),
    Question(
        "equally many parameters",
        f"An encoder-decoder has 2 + 2 layers and the width {_D}. A decoder alone has {_LAYERS} "
        "layers, without cross-attention. All else is equal. By how much must its d_ff be "
        "larger, so that both have equally many weights, without biases and norms?",
        f"{_SAVED // (_LAYERS * _UNIT)}",
        f"Two cross-attentions of 4 d² weights are missing, 8 d² in all. One more unit of d_ff "
        f"costs 2 d weights in each of {_LAYERS} layers, 8 d in all.",
        (
            Mistake(
                f"{_SAVED // _UNIT}",
                "You divided by the cost of a unit in one layer. How many layers get wider?",
                "equal_d_ff.only_one_layer_widened",
            ),
            Mistake(
                f"{2 * _SAVED // (_LAYERS * _UNIT)}",
                "You counted one matrix of the network. A unit has a column of W_1 and a row of "
                "W_2.",
                "equal_d_ff.unit_of_one_matrix",
            ),
            Mistake(
                f"{3 * _SAVED // 4 // (_LAYERS * _UNIT)}",
                "You counted three matrices in a cross-attention. It also has W_O.",
                "equal_d_ff.no_output_matrix",
            ),
        ),
    ),
    Question(
        "what two heads add",
        "For one source token, head 1 adds the vector (3, 0) to a row of the decoder, and head 2 "
        "adds (0, 4). How long is the vector that the token adds with both heads together?",
        _length(_OF_HEADS.sum(0)),
        "The vectors are added first: (3, 4). The root of 9 + 16 is its length.",
        (
            Mistake(
                f"{_OF_HEADS.norm(dim=-1).sum():g}",
                "You added the lengths. That would be right only if both vectors pointed in the "
                "same direction.",
                "summed_contributions.sum_of_norms",
            ),
            Mistake(
                f"{_OF_HEADS.norm(dim=-1).mean():g}",
                "You took the mean of the lengths. Heads are added, and so are their vectors.",
                "summed_contributions.mean_of_norms",
            ),
            Mistake(
                f"{_OF_HEADS.norm(dim=-1).max():g}",
                "That is the longer of the two vectors alone. What becomes of the other head?",
                "summed_contributions.largest_norm",
            ),
        ),
    ),
    Question(
        "without the largest weight",
        "A row of cross-attention has the weights 0.5, 0.3 and 0.2 on three tokens, and 0 on "
        "padding. Which weights does the change *without the largest* make of them?",
        _without_largest(_CHANGE.oracle(*_CHANGE_CASE)),
        "The largest becomes 0, and the rest is divided by its sum, 0.5. The proportions of the "
        "others stay as they were.",
        (
            mistake_of(
                _CHANGE,
                "not_divided_again",
                _CHANGE_CASE,
                _without_largest,
                "Your weights sum to 0.5. What makes them sum to 1 again?",
            ),
            mistake_of(
                _CHANGE,
                "rest_shared_equally",
                _CHANGE_CASE,
                _without_largest,
                "You made the remaining weights equal. This change leaves their proportions as "
                "they are.",
            ),
            mistake_of(
                _CHANGE,
                "largest_shared_where_there_is_weight",
                _CHANGE_CASE,
                _without_largest,
                "You gave each of the others the same share of the largest weight. This changes "
                "their proportions.",
            ),
        ),
    ),
    Question(
        "an interval from four starts",
        f"Two kinds of model are trained from the same {_STARTS} starts, which gives {_STARTS} "
        "differences. How probable is it that the interval from the smallest to the largest of "
        "them contains the true median?",
        f"{100 * median_interval(range(_STARTS)).confidence:g}%",
        "Each difference lies below the median with probability ½. The interval misses it if all "
        "four lie below or all four above: 2/16.",
        (
            Mistake(
                f"{100 * (1 - _OUTSIDE):g}%",
                "You counted the case that all differences lie below the median. On which other "
                "side may they lie?",
                "sign_flips.one_sided",
            ),
            Mistake(
                f"{100 * (1 - 4 * _OUTSIDE):g}%",
                "You counted the two sides twice. How many of the 16 patterns have all differences "
                "on one side?",
                "sign_flips.twice",
            ),
            Mistake(
                f"{100:g}%",
                "The median of these four differences lies inside for certain, but the true one "
                "may not: all four starts may have been lucky.",
                "sign_flips.verdict_by_all_starts",
            ),
        ),
    ),
)
