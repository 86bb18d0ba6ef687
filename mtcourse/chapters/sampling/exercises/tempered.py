"""The exercise ``tempered``: a softmax with a temperature and its limits (C23, C24; chapter 19)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Powers of two to check by hand, both limits with equal and excluded tokens, large logits."""
    powers = draw.tensor([0.0, math.log(2), math.log(4)])
    equal = draw.tensor([[1.0, 3.0, 3.0, 0.5], [2.0, 1.0, 0.0, 1.9]])
    excluded = draw.tensor([[0.5, -math.inf, 1.5, 0.9], [-math.inf, 0.2, 0.1, -math.inf]])
    return [
        Case("probabilities 1 : 2 : 4, T = 1", (powers, 1.0), by_hand=True),
        Case("probabilities 1 : 2 : 4, T = 2", (powers, 2.0), by_hand=True),
        Case("probabilities 1 : 2 : 4, T = 1/2", (powers, 0.5), by_hand=True),
        Case("T = 0, no equal ones", (draw.tensor([1.0, 1.2, 0.3]), 0.0), by_hand=True),
        Case("T = 0, two equal largest logits", (equal, 0.0), by_hand=True),
        Case("T = infinity", (powers, math.inf), by_hand=True),
        Case("excluded tokens, T = 0.7", (excluded, 0.7)),
        Case("excluded tokens, T = 0", (excluded, 0.0)),
        Case("excluded tokens, T = infinity", (excluded, math.inf)),
        Case("logits near 900, T = 1/2", (draw.normal(3, 5) + 900, 0.5)),
        Case("3 rows, T = 1.5", (draw.normal(3, 6, scale=2), 1.5)),
        Case("4 x 4 rows of 4, T = 0.3", (draw.normal(4, 4, 4), 0.3)),
        Case("T = 0.05", (draw.normal(2, 5, scale=0.2), 0.05)),
    ]


def correct(logits, T):
    """Divides, with both limits."""
    if T == 0:
        largest = (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
        return largest / largest.sum(-1, keepdim=True)
    if math.isinf(T):
        allowed = (logits > -math.inf).to(logits.dtype)
        return allowed / allowed.sum(-1, keepdim=True)
    return (logits / T).softmax(-1)


def _between(logits, T, otherwise):
    """Another way for the temperatures that are no limits."""
    return correct(logits, T) if T == 0 or math.isinf(T) else otherwise(logits, T)


class Wrong:
    """What learners write, the more particular before the more general."""

    def multiplied(logits, T):
        """You multiply the logits by T. A high temperature should make the distribution flatter.

        Does dividing by 2 move logits closer together, or multiplying by 2?
        """
        return _between(logits, T, lambda a, T: (a * T).softmax(-1))

    def temperature_ignored(logits, T):
        """Between the limits you return the plain softmax: T makes no difference.

        If you divide *probabilities* by T and make them sum to 1 again, T cancels. Divide the
        logits.
        """
        return _between(logits, T, lambda a, T: a.softmax(-1))

    def divided_after_the_softmax(logits, T):
        """You divide the probabilities by T, so they do not sum to 1.

        In C23 the division stands inside the exponential.
        """
        return _between(logits, T, lambda a, T: a.softmax(-1) / T)

    def softmax_twice(logits, T):
        """You take the softmax of probabilities: of p / T.

        In C23 the *logits* a are divided by T.
        """
        return _between(logits, T, lambda a, T: (a.softmax(-1) / T).softmax(-1))

    def powers_not_normalised(logits, T):
        """Your numbers are the right ones up to a factor: each row should sum to 1.

        p to the power 1/T is right. What is missing after it?
        """
        return _between(logits, T, lambda a, T: a.softmax(-1) ** (1 / T))

    def root_of_the_temperature(logits, T):
        """You divide by the square root of T. That is the scale of attention, by the root of d_k.

        A temperature divides as it is.
        """
        return _between(logits, T, lambda a, T: (a / math.sqrt(T)).softmax(-1))

    def powers_of_two(logits, T):
        """Your powers have the base 2. The softmax has the base e.

        Use `softmax`, or `exp`.
        """
        return _between(logits, T, lambda a, T: (a * math.log(2) / T).softmax(-1))

    def limits_missing(logits, T):
        """Your function divides by T whatever it is. At T = 0 this gives NaN, and at infinity an
        excluded logit of minus infinity gives NaN as well.

        Both are limits: write down what the distribution approaches, and treat them first.
        """
        return (logits / torch.tensor(T, dtype=logits.dtype)).softmax(-1)

    def infinity_divided(logits, T):
        """At T = infinity you divide, and a logit of minus infinity becomes NaN.

        In the limit, all tokens that are *not* excluded have the same probability.
        """
        return correct(logits, T) if not math.isinf(T) else (logits / T).softmax(-1)

    def infinity_over_all(logits, T):
        """At T = infinity you give probability to tokens that were excluded by a logit of minus
        infinity.

        Their probability is 0 at every temperature. Divide 1 among the others.
        """
        return (
            correct(logits, T) if not math.isinf(T) else torch.ones_like(logits) / logits.shape[-1]
        )

    def infinity_unchanged(logits, T):
        """At T = infinity you return the plain softmax. No temperature means T = 1.

        What happens to a / T if T grows without bound?
        """
        return correct(logits, T) if not math.isinf(T) else logits.softmax(-1)

    def limits_exchanged(logits, T):
        """You have the two limits the wrong way round: T = 0 is greedy, and T = infinity is
        uniform.

        What happens to the difference of two logits if you divide by a very small number?
        """
        return correct(logits, {0: math.inf, math.inf: 0}.get(T, T))

    def zero_is_uniform(logits, T):
        """At T = 0 you return equal probabilities. They are the limit for T = infinity.

        What happens to the difference of two logits if you divide by a very small number?
        """
        return correct(logits, math.inf if T == 0 else T)

    def zero_unchanged(logits, T):
        """At T = 0 you return the plain softmax, as if T were 1.

        At T = 0 only the most probable token is left.
        """
        return correct(logits, T) if T > 0 else logits.softmax(-1)

    def zero_as_one_tenth(logits, T):
        """You replace T = 0 by a small number that is not small enough: less probable tokens keep
        some probability.

        In the limit their probability is exactly 0.
        """
        return correct(logits, max(T, 0.1) if T == 0 else T)

    def first_of_the_equal_ones(logits, T):
        """At T = 0 you give everything to the first of several equal largest logits.

        Equal logits have equal probabilities at every T, so in the limit, too.
        """
        if T > 0:
            return correct(logits, T)
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype)

    def equal_ones_not_shared(logits, T):
        """At T = 0 each of several equal largest logits gets probability 1.

        A row sums to 1. What does each of two get?
        """
        if T > 0:
            return correct(logits, T)
        return (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)

    def exponentials_overflow(logits, T):
        """You compute the exponentials as they are, and large logits overflow to infinity.

        Subtract the largest logit of the row first, or use `softmax`, which does.
        """
        return _between(logits, T, lambda a, T: (a / T).exp() / (a / T).exp().sum(-1, keepdim=True))

    def greedy_below_one(logits, T):
        """Below T = 1 you return the greedy choice. A T between 0 and 1 only sharpens.

        C24 names three cases: 0, between 0 and 1, and 1.
        """
        return correct(logits, 0 if T < 1 else T)

    def over_the_first_dimension(logits, T):
        """Your probabilities sum to 1 along the first dimension. The tokens lie along the last.

        Which dimension has the size of the vocabulary?
        """
        return _between(logits, T, lambda a, T: (a / T).softmax(0))

    def logits_alone(logits, T):
        """You return the divided logits. Probabilities are asked for.

        The softmax is missing.
        """
        return _between(logits, T, lambda a, T: a / T)

    def log_probabilities(logits, T):
        """You return log-probabilities. Probabilities are asked for.

        `softmax` in place of `log_softmax`.
        """
        return _between(logits, T, lambda a, T: (a / T).log_softmax(-1))

    def over_everything(logits, T):
        """Your probabilities sum to 1 over *all* rows together. Each row is a distribution of its
        own.

        Take largest value and sum along the last dimension, with `keepdim=True`.
        """

        def whole(a, T):
            return (a / T).flatten().softmax(0).reshape(a.shape)

        return _between(logits, T, whole)

    def largest_of_all_rows(logits, T):
        """At T = 0 you look for the largest logit of the whole tensor. Each row has its own.

        `amax(-1, keepdim=True)` takes the largest of each row.
        """
        if T > 0:
            return correct(logits, T)
        largest = (logits == logits.max()).to(logits.dtype)
        return largest / largest.sum(-1, keepdim=True)

    def largest_by_python(logits, T):
        """At T = 0 your function stops where there are several rows: Python's `max` compares rows,
        and not numbers.

        `logits.amax(-1, keepdim=True)` takes the largest of each row.
        """
        if T > 0:
            return correct(logits, T)
        largest = (logits == max(logits)).to(logits.dtype)
        return largest / largest.sum(-1, keepdim=True)

    def tokens_returned(logits, T):
        """You return the most probable token. Probabilities are asked for, one for each token.

        Leave `argmax` out.
        """
        return correct(logits, T).argmax(-1)

    def nan_becomes_zero(logits, T):
        """You replace NaN by 0. Then nothing is left of a row at T = infinity, and nothing sums
        to 1.

        Treat both limits before you divide.
        """
        return (logits / T if T else logits * 1e6).softmax(-1).nan_to_num(nan=0.0)


class Right:
    """Right answers, written differently."""

    def shifted_first(logits, T):
        """Moves the largest logit to 0, so that all divisions are safe."""
        below = logits - logits.amax(-1, keepdim=True)
        if T == 0:
            below = below.masked_fill(below < 0, -math.inf)
        elif math.isinf(T):
            below = below.masked_fill(below > -math.inf, 0.0)
        else:
            below = below / T
        return below.softmax(-1)

    def as_powers(logits, T):
        """Powers of probabilities, made to sum to 1."""
        p = logits.double().softmax(-1)
        p = p / p.amax(-1, keepdim=True)
        power = math.inf if T == 0 else 1 / T
        raised = torch.where(p == 1, 1.0, torch.where(p == 0, 0.0, p**power))
        return (raised / raised.sum(-1, keepdim=True)).to(logits.dtype)

    def by_masks(logits, T):
        """Logits of 0 and minus infinity at the limits."""
        if T == 0:
            keep = logits == logits.max(-1, keepdim=True).values
        elif math.isinf(T):
            keep = ~torch.isneginf(logits)
        else:
            return torch.softmax(logits / T, dim=-1)
        return torch.zeros_like(logits).masked_fill(~keep, -math.inf).softmax(-1)

    def logarithms(logits, T):
        """Through log_softmax."""
        return correct(logits, T) if T in (0, math.inf) else (logits / T).log_softmax(-1).exp()

    def written_out(logits, T):
        """Exponentials of differences."""
        if T in (0, math.inf):
            return correct(logits, T)
        e = ((logits - logits.amax(-1, keepdim=True)) / T).exp()
        return e / e.sum(-1, keepdim=True)


EXERCISE = Exercise(
    id="tempered",
    oracle=correct,
    hint="Treat T = 0 and T = infinity first. For every other T, divide the logits and take the "
    "softmax over the last dimension.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
