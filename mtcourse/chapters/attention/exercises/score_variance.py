"""The exercise ``score_variance``: how large scores are for d_k = 64 (D01, A07; chapter 4)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.cohort import Numbers, vary

NUMBERS = Numbers(
    {"d_k": (64, 16, 36, 100, 144, 196, 256, 324, 400)},
    texts=("{d_k}", "{d_k}.0", "{root}", "{root}.0", "{fewer}", "{double}", "{half} products",
           "= 32", "key of 32"),
    derived=lambda n: {"root": math.isqrt(n.d_k), "fewer": n.d_k - 1, "double": 2 * n.d_k,
                       "half": n.d_k // 2},
)  # fmt: skip


def correct(n):
    """Variances of independent terms add; a factor comes out squared."""
    return _answer(n.d_k, math.sqrt(n.d_k), n.d_k / math.sqrt(n.d_k) ** 2)


def _answer(product, deviation, score):
    return {"product": product, "deviation": deviation, "score": score}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(n):
        """Your three numbers are right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return [n.d_k, math.sqrt(n.d_k), 1]

    def as_for_one_term(n):
        """Your sum of 64 products varies only as much as a single product.

        What happens to variances when independent numbers are added?
        """
        return _answer(1, 1, 1 / n.d_k)

    def as_for_one_term_never_scaled(n):
        """Your sum of 64 products varies only as much as a single product, before the division and
        after it.

        What happens to variances when independent numbers are added?
        """
        return _answer(1, 1, 1)

    def deviations_added(n):
        """You calculate as if all 64 products rose and fell together. Independent products partly
        cancel.

        Variances add, standard deviations do not. What is the variance of one product?
        """
        return _answer(n.d_k**2, n.d_k, n.d_k)

    def variances_of_q_and_k_added(n):
        """For the variance of a product of two entries you took 1 + 1, which is the variance of
        their sum.

        For independent numbers of mean 0, the mean of (qk)² is the mean of q² times the mean of k².
        """
        return _answer(2 * n.d_k, math.sqrt(2 * n.d_k), 2)

    def means(n):
        """You gave the means, which are indeed 0. The question asks how much the numbers vary.

        The variance of a number with mean 0 is the mean of its square.
        """
        return _answer(0, 0, 0)

    def deviation_for_the_variance(n):
        """You gave the standard deviation of q·k for its variance, too.

        Which of the two is the square of the other?
        """
        return _answer(math.sqrt(n.d_k), math.sqrt(n.d_k), 1)

    def variance_and_deviation_exchanged(n):
        """You have swapped the variance and the standard deviation of q·k.

        Which of the two is the square of the other?
        """
        return _answer(math.sqrt(n.d_k), n.d_k, 1)

    def deviation_is_the_variance(n):
        """You gave the same number for the standard deviation as for the variance.

        One is the square root of the other.
        """
        return _answer(n.d_k, n.d_k, 1)

    def deviation_squared(n):
        """Your standard deviation is the square of your variance.

        It is the other way round: the variance is the square of the standard deviation.
        """
        return _answer(n.d_k, n.d_k**2, 1)

    def score_divided_once(n):
        """For the score, you have the variance of q·k divided by √d_k, that is by 8, only once.

        If a random number is halved, its variance falls to a quarter. What does the factor 1/8 do
        to the variance?
        """
        return _answer(n.d_k, math.sqrt(n.d_k), math.sqrt(n.d_k))

    def score_not_scaled(n):
        """You gave the score the same variance as q·k.

        The score is q·k divided by √64. If a random number is halved, its variance falls to a
        quarter.
        """
        return _answer(n.d_k, math.sqrt(n.d_k), n.d_k)

    def score_divided_by_d_k(n):
        """Your number for the score is the variance of q·k / d_k. The score is q·k / √d_k.

        A constant factor comes out of a variance squared. What is the square of the factor here?
        """
        return _answer(n.d_k, math.sqrt(n.d_k), 1 / n.d_k)

    def score_divided_thrice(n):
        """Your variance of the score is too small, as if it had been divided by √d_k three times.

        A constant factor comes out of a variance squared. Write down the factor first, then its
        square.
        """
        return _answer(n.d_k, math.sqrt(n.d_k), 1 / math.sqrt(n.d_k))

    def score_multiplied(n):
        """Your score varies more than q·k. It should vary less.

        The score is q·k divided by √d_k.
        """
        return _answer(n.d_k, math.sqrt(n.d_k), n.d_k**2)

    def deviations_added_for_the_product(n):
        """You add up 64 standard deviations, and take the square of their sum for the variance of
        q·k.

        Variances add, standard deviations do not.
        """
        return _answer(n.d_k**2, n.d_k, 1)

    def halved_for_the_root(n):
        """You halve the variance to get the standard deviation.

        The standard deviation is the *root* of the variance.
        """
        return _answer(n.d_k, n.d_k / 2, 1)

    def width_of_a_head(n):
        """You take d_k = 32, the width of the translator's heads.

        Here d_k = 64.
        """
        return _answer(32, math.sqrt(32), 1)

    def half_as_many_terms(n):
        """Your variance of q·k is that of a sum of 32 products.

        How many products does the dot product add up?
        """
        return _answer(n.d_k / 2, math.sqrt(n.d_k), 1)

    def one_term_fewer(n):
        """Your numbers are those of a sum of 63 products, one fewer than there are.

        With 64 entries, how many products does the dot product add up?
        """
        return _answer(n.d_k - 1, math.sqrt(n.d_k - 1), (n.d_k - 1) / n.d_k)

    def score_does_not_vary(n):
        """You say that a scaled score does not vary at all.

        The division makes scores smaller. Does it make them all equal?
        """
        return _answer(n.d_k, math.sqrt(n.d_k), 0)

    def products_averaged(n):
        """You take the mean of the 64 products, where a dot product is their sum.

        What happens to variances when independent numbers are added?
        """
        return _answer(1 / n.d_k, 1 / math.sqrt(n.d_k), 1 / n.d_k**2)

    def root_taken_early(n):
        """You give √64 for the variance of q·k, and what follows from it is too small, too.

        What happens to variances when independent numbers are added? How many variances do you
        add?
        """
        return _answer(math.sqrt(n.d_k), math.sqrt(math.sqrt(n.d_k)), 1 / math.sqrt(n.d_k))

    def root_taken_early_and_scaled(n):
        """You give √64 for the variance of q·k, though your variance of the score is right.

        If the variance of q·k were 8, how large would that of q·k/8 be?
        """
        return _answer(math.sqrt(n.d_k), math.sqrt(math.sqrt(n.d_k)), 1)

    def root_in_the_score(n):
        """Your number for the score contains a root that does not belong there.

        A variance is asked for. A constant factor comes out of a variance squared.
        """
        return _answer(n.d_k, math.sqrt(n.d_k), math.sqrt(math.sqrt(n.d_k)))

    def variances_of_all_entries_added(n):
        """You add up the variances of all 128 entries of q and k.

        The dot product adds 64 *products* of two entries. How large is the variance of one?
        """
        return _answer(2 * n.d_k, math.sqrt(2 * n.d_k), 1)

    def as_for_one_term_divided_once(n):
        """Your sum of 64 products varies only as much as a single one, and you divide its variance
        by √d_k once.

        What happens to variances when independent numbers are added? And if a number is multiplied
        by a factor?
        """
        return _answer(1, 1, 1 / math.sqrt(n.d_k))

    def score_deviation_is_that_of_the_sum(n):
        """Your standard deviation is that of a single product, or of the score, and not of q·k.

        The question asks for it after the sum and before the division.
        """
        return _answer(n.d_k, 1, 1)


class Right:
    """Right answers, written differently."""

    def in_whole_numbers(n):
        """The numbers as you would write them down."""
        return {"product": n.d_k, "deviation": math.sqrt(n.d_k), "score": 1}

    def in_another_order(n):
        """With the names in another order, as floats."""
        return {"score": 1.0, "product": float(n.d_k), "deviation": math.sqrt(n.d_k)}

    def computed(n):
        """By adding up variances."""
        variance = sum(1.0 * 1.0 for _ in range(n.d_k))
        return {
            "product": variance,
            "deviation": variance**0.5,
            "score": variance / math.sqrt(n.d_k) ** 2,
        }

    def as_tensors(n):
        """As tensors without dimensions."""
        variance = torch.ones(n.d_k).sum()
        return {"product": variance, "deviation": variance.sqrt(), "score": variance / n.d_k}


EXERCISE = vary(
    NUMBERS,
    id="score_variance",
    oracle=correct,
    hint="Start from one product of two entries: its mean and its variance. Then add 64 of them. "
    "Then divide by √64. You need not measure anything: all three are whole numbers.",
    wrong=Wrong,
    right=Right,
)
