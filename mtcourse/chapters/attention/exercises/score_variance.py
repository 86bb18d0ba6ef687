"""The exercise ``score_variance``: how large scores are for d_k = 64 (D01, A07; chapter 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.exercise import functions_of, Exercise

D_K = 64


def correct():
    """Variances of independent terms add; a factor comes out squared."""
    return _answer(D_K, math.sqrt(D_K), D_K / math.sqrt(D_K) ** 2)


def _answer(product, deviation, score):
    return {"product": product, "deviation": deviation, "score": score}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your three numbers are right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return [64, 8, 1]

    def as_for_one_term():
        """Your sum of 64 products varies only as much as a single product.

        What happens to variances when independent numbers are added?
        """
        return _answer(1, 1, 1 / 64)

    def as_for_one_term_never_scaled():
        """Your sum of 64 products varies only as much as a single product, before the division and
        after it.

        What happens to variances when independent numbers are added?
        """
        return _answer(1, 1, 1)

    def deviations_added():
        """You added up 64 standard deviations. But the deviations of independent numbers partly
        cancel.

        Variances add, standard deviations do not. Which of your numbers is the variance?
        """
        return _answer(64**2, 64, 64)

    def variances_of_q_and_k_added():
        """You took 1 + 1 for the variance of a product of two entries. It is the variance of their
        sum.

        For independent numbers of mean 0, the mean of (qk)² is the mean of q² times the mean of k².
        """
        return _answer(128, math.sqrt(128), 2)

    def means():
        """You gave the means, which are indeed 0. The question asks how much the numbers vary.

        The variance of a number with mean 0 is the mean of its square.
        """
        return _answer(0, 0, 0)

    def variance_and_deviation_exchanged():
        """You have swapped the variance and the standard deviation of q·k.

        Which of the two is the square of the other?
        """
        return _answer(8, 64, 1)

    def deviation_is_the_variance():
        """You gave the same number for the standard deviation as for the variance.

        One is the square root of the other.
        """
        return _answer(64, 64, 1)

    def deviation_squared():
        """Your standard deviation is the square of your variance.

        It is the other way round: the variance is the square of the standard deviation.
        """
        return _answer(64, 64**2, 1)

    def score_divided_once():
        """q·k is right. For the score, you divided the variance by √d_k, that is by 8, only once.

        Half a number has a quarter of its variance. What does the factor 1/8 do to the variance?
        """
        return _answer(64, 8, 8)

    def score_not_scaled():
        """q·k is right, but you gave the score the same variance as q·k.

        The score is q·k divided by √64. Half a number has a quarter of its variance.
        """
        return _answer(64, 8, 64)

    def score_divided_by_d_k():
        """q·k is right. Your last number is the variance of q·k divided by d_k, not by √d_k.

        A constant factor comes out of a variance squared. What is the square of the factor here?
        """
        return _answer(64, 8, 1 / 64)

    def score_divided_thrice():
        """q·k is right, but your variance of the score is too small by a factor of 8.

        A constant factor comes out of a variance squared. Write down the factor first, then its
        square.
        """
        return _answer(64, 8, 1 / 8)

    def score_multiplied():
        """q·k is right, but your score varies more than q·k. It should vary less.

        The score is q·k divided by √d_k.
        """
        return _answer(64, 8, 64**2)


class Right:
    """Right answers, written differently."""

    def in_whole_numbers():
        """The numbers as you would write them down."""
        return {"product": 64, "deviation": 8, "score": 1}

    def in_another_order():
        """With the names in another order, as floats."""
        return {"score": 1.0, "product": 64.0, "deviation": 8.0}

    def computed():
        """By adding up variances."""
        variance = sum(1.0 * 1.0 for _ in range(64))
        return {
            "product": variance,
            "deviation": variance**0.5,
            "score": variance / math.sqrt(64) ** 2,
        }

    def as_tensors():
        """As tensors without dimensions."""
        variance = torch.ones(64).sum()
        return {"product": variance, "deviation": variance.sqrt(), "score": variance / 64}


EXERCISE = Exercise(
    id="score_variance",
    oracle=correct,
    hint="Start from one product of two entries: its mean and its variance. Then add 64 of them. "
    "Then divide by √64. You need not measure anything: all three are whole numbers.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
