"""The exercise ``printed_divisors``: what each one divides by (A16, B17, C37, D04; chapter 06)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.exercise import functions_of, Exercise

D_MODEL, D_K = 128, 32
ROOT = math.sqrt(D_K)
HALF = ROOT / math.sqrt(D_MODEL)


def correct():
    """Scores as printed over scores as trained."""
    return _answer()


def _answer(A16=HALF, B17=1.0, C37=ROOT, D04=1.0, one_head=1.0, fold=1 / ROOT):
    return {"A16": A16, "B17": B17, "C37": C37, "D04": D04, "A16, one head": one_head, "fold": fold}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The numbers may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct().values())

    def upside_down():
        """All your ratios are upside down: scores as trained over scores as printed.

        By what must the trained scores be multiplied to give the printed ones?
        """
        return _answer(A16=2, C37=1 / ROOT, fold=ROOT)

    def d_is_d_k():
        """You took A's d for the width of a head. It is the width of a row, 128.

        In document A heads are as wide as rows, so one letter is enough. Here they are not.
        """
        return _answer(A16=1)

    def a16_upside_down():
        """The other numbers are right, but the one for A16 is upside down.

        Document A divides by the larger number. Are its scores larger or smaller than the trained
        ones?
        """
        return _answer(A16=2)

    def without_the_root():
        """You compared the widths without their roots.

        Each of the four documents divides by a *root*, or does not divide.
        """
        return _answer(A16=D_K / D_MODEL, C37=D_K, fold=1 / D_K)

    def a16_without_the_root():
        """A16 divides by the root of 128, not by 128. Trained scores were divided by the root of
        32.

        What is the ratio of the two roots?
        """
        return _answer(A16=D_K / D_MODEL)

    def c37_divides_by_one():
        """Your 1 for C37 means that it gives the trained scores. But it does not divide at all.

        A trained score is q·k over a root. How many times as large is q·k itself?
        """
        return _answer(C37=1, fold=1)

    def c37_times_d_k():
        """Document C leaves out a *root*. You took the width itself.

        What was the trained score divided by?
        """
        return _answer(C37=D_K)

    def c37_by_the_rows_width():
        """For C37 you took the root of 128. The translator divides by the root of the keys' width.

        Four heads share the width of 128. How wide is one of them?
        """
        return _answer(C37=math.sqrt(D_MODEL), fold=1 / math.sqrt(D_MODEL))

    def one_head_as_four():
        """Your number for A16 with one head of full width is not 1.

        How wide is a key when there is one head? How do d and d_k differ then?
        """
        return _answer(one_head=HALF)

    def fold_upside_down():
        """The numbers for the four documents are right. But your factor for W_Q makes C's scores
        even larger.

        C's scores are too large. What must the queries be multiplied by?
        """
        return _answer(fold=ROOT)

    def fold_by_the_width():
        """The numbers for the four documents are right. But your factor makes C's scores too small.

        They are too large by a root. W_Q enters each score once.
        """
        return _answer(fold=1 / D_K)

    def fold_by_half():
        """The numbers for the four documents are right. Your factor would be right if W_K were
        multiplied by it, too.

        Only W_Q changes, and it enters each score once.
        """
        return _answer(fold=D_K**-0.25)


class Right:
    """Right answers, written differently."""

    def rounded():
        """As one would write them down."""
        return {
            "A16": 0.5, "B17": 1.0, "C37": 5.65685, "D04": 1.0, "A16, one head": 1.0, "fold": 0.176777,
        }  # fmt: skip

    def by_powers():
        """With powers of 2."""
        return _answer(A16=2**-1, C37=2**2.5, fold=2**-2.5)

    def as_tensors():
        """Measured on random queries and keys."""
        generator = torch.Generator().manual_seed(3)
        q, k = torch.randn(2, D_K, generator=generator, dtype=torch.float64)
        trained = q @ k / math.sqrt(D_K)
        printed = {"A16": q @ k / math.sqrt(D_MODEL), "C37": q @ k}
        ratios = {name: score / trained for name, score in printed.items()}
        return correct() | ratios | {"fold": trained / (q @ k)}

    def in_another_order():
        """With the names in another order."""
        return dict(reversed(correct().items()))


EXERCISE = Exercise(
    id="printed_divisors",
    oracle=correct,
    hint="Let q·k be 1. What is the score as it was trained, and what is it in each document? "
    "Divide the second by the first.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
