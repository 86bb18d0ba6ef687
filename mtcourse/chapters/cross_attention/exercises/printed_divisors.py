"""The exercise ``printed_divisors``: what each one divides by (A16, B17, C37, D04; chapter 6)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.exercise import Exercise, functions_of

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
        """You divide the wrong way round. For a document, the score as printed is divided by the
        score as trained.

        By what must the trained scores be multiplied to give the printed ones?
        """
        return _answer(A16=2, C37=1 / ROOT, fold=ROOT)

    def d_is_d_k():
        """You took A's d for the width of a head. It is the width of a row, 128.

        In document A, heads are as wide as rows, so one letter is enough. Here they are not.
        """
        return _answer(A16=1)

    def a16_upside_down():
        """Your number for A16 is upside down.

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
        """Your 1 means that the scores of C37 are the trained ones. But document C does not divide
        at all.

        A trained score is q·k over a root. How many times as large is q·k itself?
        """
        return _answer(C37=1, fold=1)

    def c37_times_d_k():
        """Document C leaves out a *root*. You took the width itself.

        What was the trained score divided by?
        """
        return _answer(C37=D_K)

    def c37_by_the_rows_width():
        """For the scores of C37, you took the root of 128. The translator divides by the root of
        the keys' width.

        Four heads share the width of 128. How wide is one of them?
        """
        return _answer(C37=math.sqrt(D_MODEL), fold=1 / math.sqrt(D_MODEL))

    def one_head_as_four():
        """Your number for A16 with one head of full width is the one for four heads.

        How wide is a key when there is one head? How do d and d_k differ then?
        """
        return _answer(one_head=HALF)

    def fold_upside_down():
        """Your factor for W_Q makes C's scores even larger.

        C's scores are too large. What must the queries be multiplied by?
        """
        return _answer(fold=ROOT)

    def fold_by_the_width():
        """Your factor makes C's scores too small.

        They are too large by a root. W_Q enters each score once.
        """
        return _answer(fold=1 / D_K)

    def fold_by_half():
        """Your factor would be right if W_K were multiplied by it, too.

        Only W_Q changes, and it enters each score once.
        """
        return _answer(fold=D_K**-0.25)

    def divisors():
        """You give numbers that the documents divide by.

        The question asks for a ratio of two scores: as printed over as trained.
        """
        return _answer(
            A16=math.sqrt(D_MODEL), B17=ROOT, C37=1, D04=ROOT, one_head=math.sqrt(D_MODEL)
        )

    def factors():
        """You give one over the divisor of a document: what q·k is multiplied by there.

        Divide that by what q·k was multiplied by in training.
        """
        return _answer(
            A16=1 / math.sqrt(D_MODEL),
            B17=1 / ROOT,
            C37=1,
            D04=1 / ROOT,
            one_head=1 / math.sqrt(D_MODEL),
        )

    def trained_with_the_rows_width():
        """You compare with scores that are divided by the root of 128.

        By the root of which width were this translator's scores divided in training?
        """
        return _answer(A16=1, B17=2, C37=math.sqrt(D_MODEL), D04=2, fold=1 / math.sqrt(D_MODEL))

    def number_of_heads():
        """Your 4 for A16 is the ratio of the two widths.

        The documents divide by *roots*. And which of the two divisors is larger?
        """
        return _answer(A16=D_MODEL / D_K)

    def b_as_in_its_example():
        """Your B17 divides by 2, as in an example of width 4.

        B divides by √d_k. How wide is a key of this translator?
        """
        return _answer(B17=ROOT / 2)

    def d_as_in_an_example():
        """Your D04 divides by 2, as in an example of width 4.

        D divides by √d_k. How wide is a key of this translator?
        """
        return _answer(D04=ROOT / 2)

    def b_by_the_rows_width():
        """Your B17 divides by the root of 128.

        B divides by √d_k. How wide is a key of this translator?
        """
        return _answer(B17=HALF)

    def d_by_the_rows_width():
        """Your D04 divides by the root of 128.

        D divides by √d_k. How wide is a key of this translator?
        """
        return _answer(D04=HALF)

    def both_by_the_rows_width():
        """You let B and D divide by the root of 128.

        They divide by √d_k. How wide is a key of this translator?
        """
        return _answer(B17=HALF, D04=HALF)

    def b_does_not_divide():
        """Your B17 would be right if B did not divide its scores.

        B divides by √d_k, and so did training.
        """
        return _answer(B17=ROOT)

    def d_does_not_divide():
        """Your D04 would be right if D did not divide its scores.

        D divides by √d_k, and so did training.
        """
        return _answer(D04=ROOT)

    def a_does_not_divide():
        """Your A16 is √32. Scores that are not divided at all differ by that much.

        A divides by √d, and training divided by another root. What is the ratio?
        """
        return _answer(A16=ROOT)

    def a_times_both():
        """Your A16 is the product of two roots.

        Two scores are compared: the one is divided by the other.
        """
        return _answer(A16=ROOT * math.sqrt(D_MODEL))

    def a_by_d():
        """Your A16 divides by d and not by its root.

        Document A divides by √d.
        """
        return _answer(A16=ROOT / D_MODEL)

    def c_by_the_rows_width():
        """Your C37 is the width of a row, 128.

        C leaves out one division. By what did training divide?
        """
        return _answer(C37=D_MODEL)

    def c_as_a():
        """Your C37 is the ratio of the two roots.

        C does not divide. How many times as large is q·k as the trained score?
        """
        return _answer(C37=HALF)

    def c_as_two():
        """Your C37 is 2, the ratio of √128 to √32. But C divides by neither of them.

        C does not divide. How many times as large is q·k as the trained score?
        """
        return _answer(C37=2)

    def c_as_trained():
        """Your C37 is 1, as if document C divided as training did.

        C does not divide. How many times as large is q·k as the trained score?
        """
        return _answer(C37=1)

    def c_by_the_root_of_the_rows_width():
        """Your C37 is √128, the root of the width of a row.

        By the root of which width were the trained scores divided?
        """
        return _answer(C37=math.sqrt(D_MODEL))

    def c_is_nothing():
        """You give 0 for C37.

        A score that is not divided is q·k itself, and not 0: it is as if C divided by 1.
        """
        return _answer(C37=0)

    def c_upside_down():
        """Your C37 is upside down: the scores of C are larger than the trained ones.

        Score as printed over score as trained: which of the two is divided?
        """
        return _answer(C37=1 / ROOT)

    def one_head_two():
        """With one head, you say that A16's scores are twice as large.

        How wide is a key when there is one head? How do d and d_k differ then?
        """
        return _answer(one_head=2)

    def one_head_undivided():
        """With one head, you give what q·k is multiplied by in A16.

        Training multiplied it, too. What is the ratio?
        """
        return _answer(one_head=1 / math.sqrt(D_MODEL))

    def one_head_divisor():
        """With one head, your √128 would be right if only the trained score were divided.

        Both are divided. By which roots?
        """
        return _answer(one_head=math.sqrt(D_MODEL))

    def one_head_quarter():
        """With one head, you took a ratio of widths, 32 to 128.

        How wide is a key when there is one head? How do d and d_k differ then?
        """
        return _answer(one_head=D_K / D_MODEL)

    def one_head_four():
        """With one head, you give 4.

        How wide is a key when there is one head? How do d and d_k differ then?
        """
        return _answer(one_head=4)

    def one_head_as_c():
        """With one head, you give the root of 32.

        How wide is a key when there is one head?
        """
        return _answer(one_head=ROOT)

    def fold_by_the_rows_width():
        """Your factor is one over the root of 128.

        Which scores should come out: those of A16, or those of training?
        """
        return _answer(fold=1 / math.sqrt(D_MODEL))

    def fold_nothing():
        """You say that W_Q need not change.

        C's scores are larger than the trained ones. How many times?
        """
        return _answer(fold=1)

    def fold_half():
        """Your factor is the one between A16 and the trained scores.

        The scores of C37 are to be mended. How many times too large are they?
        """
        return _answer(fold=HALF)

    def fold_two():
        """Your factor makes the scores larger: it is the one that would mend A16.

        The scores of C37 are to be mended. How many times too large are they?
        """
        return _answer(fold=2)

    def fold_width_upside_down():
        """Your factor makes C's scores d_k times as large.

        They are too large already. By which root?
        """
        return _answer(fold=D_K)

    def fold_by_d_model():
        """Your factor is one over 128.

        C's scores are too large by a *root*, that of the keys' width.
        """
        return _answer(fold=1 / D_MODEL)

    def fold_by_the_width_of_the_root():
        """Your factor is the fourth root of 32, so that two of them make √32.

        Only W_Q changes. And do the scores have to become larger?
        """
        return _answer(fold=D_K**0.25)


class Right:
    """Right answers, written differently."""

    def rounded():
        """As one would write them down."""
        return {
            "A16": 0.5, "B17": 1.0, "C37": 5.65685, "D04": 1.0, "A16, one head": 1.0,
            "fold": 0.176777,
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
