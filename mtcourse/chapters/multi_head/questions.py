"""The questions of chapter 9."""

from __future__ import annotations

import math
from itertools import product

import torch
from torch import Tensor

from mtcourse.chapters.multi_head.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _second_head(heads: Tensor) -> str:
    """What the second head holds, a token after the other."""
    return " and ".join(f"({', '.join(f'{x:g}' for x in row)})" for row in heads[1].tolist())


def _ends(interval: Tensor) -> str:
    low, high = interval.flatten().tolist()
    return f"from {low:g} to {high:g}".replace("-", "−")


_ROWS = (torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), 2)
_SPLIT = _KNOWN["split_heads"]

_OUTPUTS = (3, 5)
_BLOCKS = (2, 10)
_PARTS = [output * block for output, block in zip(_OUTPUTS, _BLOCKS, strict=True)]

_D, _H = 64, 16

_WHOLE = torch.tensor([1.0, 2.0, 6.0])
_WITHOUT = _WHOLE + 0.5
_LOSSES = (_WHOLE, _WITHOUT[None], torch.tensor(list(product(range(3), repeat=3))))
_INTERVALS = _KNOWN["pruning_intervals"]

QUESTIONS = (
    Question(
        "two heads share a row",
        "Two tokens have the queries (1, 2, 3, 4) and (5, 6, 7, 8), computed for two heads that "
        "share the width. What are the queries of head 2?",
        _second_head(_SPLIT.oracle(*_ROWS)),
        "Each head is 2 wide. Head 2 has the last two columns, and a query for each token.",
        (
            mistake_of(
                _SPLIT,
                "view_without_transpose",
                _ROWS,
                _second_head,
                "Both of these come from the second token. That is what a reshape alone does: it "
                "deals out tokens. A head needs a slice of every token's query.",
            ),
            mistake_of(
                _SPLIT,
                "columns_interleaved",
                _ROWS,
                _second_head,
                "You took every second column. The columns of one head stand next to each other: "
                "which ones belong to head 1?",
            ),
            Mistake(
                "(1, 2, 3, 4) and (5, 6, 7, 8)",
                "Every head reads whole rows of X, but its queries are narrow. These are the "
                "queries of all heads, side by side.",
                "multi_head_attention.one_head_of_all",
            ),
        ),
    ),
    Question(
        "what W_O makes of two heads",
        f"For one token, head 1 returns the single number {_OUTPUTS[0]} and head 2 the number "
        f"{_OUTPUTS[1]}. Below each other, the rows of W_O are {_BLOCKS[0]} and {_BLOCKS[1]}. "
        "What is the token's row of MHA(X)?",
        f"{sum(_PARTS)}",
        f"The contributions of the heads are added: {_OUTPUTS[0]} · {_BLOCKS[0]} + "
        f"{_OUTPUTS[1]} · {_BLOCKS[1]}.",
        (
            Mistake(
                f"{sum(_PARTS) // 2}",
                "You took the mean of the two contributions. A product with W_O divides by "
                "nothing: what does it do with the contributions?",
                "full_width_heads.contributions_averaged",
            ),
            Mistake(
                f"{_PARTS[0]}, {_PARTS[1]}",
                "You computed each head's contribution, but left them side by side. W_O maps the "
                "two numbers to one.",
                "full_width_heads.one_output_for_each_head",
            ),
            Mistake(
                f"{sum(_OUTPUTS)}",
                "You added the heads, without W_O. Each head's output first meets its own row "
                "of W_O.",
                "full_width_heads.heads_added_up",
            ),
        ),
    ),
    Question(
        "twice as many heads",
        "A self-attention has 4 heads that share the width, as in document B. You give it 8 "
        "heads and keep the width of the model. What does it have then?",
        "as many parameters as before, twice as many attention weights",
        "Heads that share the width become narrower, so the matrices keep their size. But each "
        "head has its own n × n weights.",
        (
            Mistake(
                "twice as many parameters, twice as many attention weights",
                "That holds for document A, whose heads have the full width. What happens to the "
                "width of one head here?",
                "cost.b_has_full_width_parameters",
            ),
            Mistake(
                "as many parameters as before, as many attention weights as before",
                "The width is divided among the heads, but the weights are not: one head has a "
                "weight for each pair of tokens, however narrow it is.",
                "cost.weights_shared_among_heads",
            ),
            Mistake(
                "half as many parameters, twice as many attention weights",
                "The matrices of one head have half as many numbers as before. How many heads "
                "are there?",
                "cost.b_parameters_of_one_head",
            ),
        ),
    ),
    Question(
        "document A's divisor",
        f"A layer has the width {_D} and {_H} heads that share it. Somebody divides the scores "
        f"by √{_D}, as document A prints it. By which factor are they too small?",
        f"{math.sqrt(_D) / math.sqrt(_D // _H):g}",
        f"A head is {_D // _H} wide, so the divisor should be {math.isqrt(_D // _H)} and not "
        f"{math.isqrt(_D)}. The factor is √h.",
        (
            Mistake(
                f"{_H}",
                "The widths differ by this factor, but the scores are divided by the root of a "
                "width.",
                "equal_layouts.factor_h",
            ),
            Mistake(
                f"{math.isqrt(_D // _H)}",
                "That is what these scores should be divided by. Compare it with what they were "
                "divided by.",
                "equal_layouts.factor_root_of_d_k",
            ),
            Mistake(
                f"{math.isqrt(_D)}",
                "That would be right if scores were not divided at all. By what should a narrow "
                "head divide them?",
                "equal_layouts.factor_root_of_d",
            ),
        ),
    ),
    Question(
        "a mask against the heads",
        "Four sentences run through four heads. Their padding mask has the shape (4, 1, n), "
        "where n is the number of tokens. "
        "Whose padding does head 2 of sentence 3 hide?",
        "that of sentence 2",
        "The scores have the shape (batch, h, n, n). Aligned from the right, the mask's "
        "sentences meet the heads, so head 2 of every sentence uses sentence 2's mask.",
        (
            Mistake(
                "that of sentence 3",
                "That is what should happen. It needs the mask's sentences to meet the sentences "
                "of the scores, (batch, h, n, n). Broadcasting aligns shapes from the right.",
                "padded_heads_lines.others_is_right",
            ),
            Mistake(
                "that of sentence 1",
                "The mask has four sentences, and none is dropped. Which dimension of the "
                "scores, (batch, h, n, n), do they meet?",
                "padded_heads.padding_of_the_first_sentence",
            ),
            Mistake(
                "that of all four sentences",
                "Broadcasting never merges the rows of a mask. Which dimension of the scores, "
                "(batch, h, n, n), do its four sentences meet?",
                "padded_heads.padding_of_any_sentence",
            ),
        ),
    ),
    Question(
        "an interval for a head",
        "Three sentences have the losses 1, 2 and 6. Without a certain head they have 1.5, 2.5 "
        "and 6.5. Which 95 % interval does the paired bootstrap give to the mean change "
        "(without the head, minus with it)?",
        _ends(_INTERVALS.oracle(*_LOSSES)),
        "Each sentence changes by the same amount, so every resample has the same mean change. "
        "How much the sentences differ does not matter: they are compared in pairs.",
        (
            Mistake(
                _ends(_WITHOUT[[0, -1]]),
                "Those are losses without the head. The question is how much each sentence's "
                "loss changes, and how much the mean of these changes varies.",
                "pruning_intervals.losses_without_the_head",
            ),
            mistake_of(
                _INTERVALS,
                "wrong_sign",
                _LOSSES,
                _ends,
                "You subtracted the other way round. A loss that grows without the head is a "
                "positive change.",
            ),
            Mistake(
                _ends(torch.tensor([0.5 - 5, 0.5 + 5])),
                "You let the two sets of losses vary separately, and 6.5 may then meet 1. A "
                "paired bootstrap draws the same sentences for both models.",
                "pruning_intervals.not_paired",
            ),
        ),
    ),
)
