"""The exercise ``length_scores``: three normalisations of log p (C17; chapter 18)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Two hypotheses by hand, neutral amounts, negative ones, and several shapes."""
    log_p, length = draw.tensor([-6.0, -8.0]), torch.tensor([1, 7])
    return [
        Case("2 hypotheses, amount 1", (log_p, length, 1.0), by_hand=True),
        Case("amount 0", (log_p, length, 0.0)),
        Case("amount 0.6", (log_p, length, 0.6)),
        Case("a negative amount", (log_p, length, -0.5)),
        Case("amount 2", (*_drawn(draw, 5), 2.0)),
        Case("3 sentences with 4 hypotheses", (*_drawn(draw, 3, 4), 0.7)),
        Case("one hypothesis", (*_drawn(draw, 1), 1.3)),
    ]


def _drawn(draw, *shape):
    return (-draw.normal(*shape, scale=4.0).abs() - 1, draw.ids(*shape, lowest=2, highest=20))


def correct(log_p, length, amount):
    """A power of the length, Wu et al.'s divisor, and a reward for each token."""
    return _with(log_p, length, amount)


def _with(log_p, length, amount, power=None, gnmt=None, reward=None):
    """The three scores, with some of them replaced."""
    return (
        log_p / length**amount if power is None else power,
        log_p / ((5 + length) / 6) ** amount if gnmt is None else gnmt,
        log_p + amount * length if reward is None else reward,
    )


class Wrong:
    """What learners write, the more particular before the more general."""

    def multiplied(log_p, length, amount):
        """You multiply by the powers. Longer sentences then score even lower.

        The more tokens, the more the sum has to be *divided* by.
        """
        return _with(
            log_p, length, amount, log_p * length**amount, log_p * ((5 + length) / 6) ** amount
        )

    def all_reversed(log_p, length, amount):
        """All three of your scores favour *shorter* sentences when the amount grows.

        log p is negative. Does dividing it by a larger number make it larger or smaller?
        """
        return _with(
            log_p,
            length,
            amount,
            log_p * length**amount,
            log_p * ((5 + length) / 6) ** amount,
            log_p - amount * length,
        )

    def power_multiplied(log_p, length, amount):
        """Your first score multiplies by the power of the length.

        With amount 1 it should be the mean per token.
        """
        return _with(log_p, length, amount, power=log_p * length**amount)

    def power_without_exponent(log_p, length, amount):
        """Your first score divides by the length, whatever the amount.

        With amount 0 it should be log p itself.
        """
        return _with(log_p, length, amount, power=log_p / length)

    def power_times_amount(log_p, length, amount):
        """Your first score divides by the amount *times* the length.

        The amount is the exponent of the length.
        """
        return _with(log_p, length, amount, power=log_p / (amount * length))

    def power_turned(log_p, length, amount):
        """Your first score raises the amount to the length.

        Which of the two is the base, and which the exponent?
        """
        return _with(log_p, length, amount, power=log_p / torch.tensor(amount) ** length)

    def power_of_log_p(log_p, length, amount):
        """Your first score takes the power of log p over the length. A power of a negative number
        is NaN here.

        Only the length gets the exponent.
        """
        return _with(log_p, length, amount, power=(log_p / length) ** amount)

    def end_not_counted(log_p, length, amount):
        """Your scores take one token less than there are. The length given includes `<eos>`, and so
        does log p.

        Use `length` as it is.
        """
        return _with(log_p, length - 1, amount)

    def one_token_too_many(log_p, length, amount):
        """Your scores take one token more than there are. The length given includes `<eos>`.

        Use `length` as it is.
        """
        return _with(log_p, length + 1, amount)

    def gnmt_without_exponent(log_p, length, amount):
        """Your second score divides by (5 + |y|) / 6, whatever the amount.

        With amount 0 it should be log p itself.
        """
        return _with(log_p, length, amount, gnmt=log_p / ((5 + length) / 6))

    def gnmt_multiplied(log_p, length, amount):
        """Your second score multiplies by the power.

        The paper writes s = log p / lp, and lp is the power.
        """
        return _with(log_p, length, amount, gnmt=log_p * ((5 + length) / 6) ** amount)

    def gnmt_without_six(log_p, length, amount):
        """Your second score divides by a power of 5 + |y|; the 6 is missing.

        With a single token the divisor should be 1.
        """
        return _with(log_p, length, amount, gnmt=log_p / (5 + length) ** amount)

    def gnmt_six_outside(log_p, length, amount):
        """In your second score the 6 does not get the exponent.

        The whole fraction (5 + |y|) / 6 is raised to the power.
        """
        return _with(log_p, length, amount, gnmt=log_p / ((5 + length) ** amount / 6))

    def gnmt_precedence(log_p, length, amount):
        """Your second score divides by 5 + |y| / 6. A division comes before an addition.

        Put 5 + |y| into parentheses.
        """
        return _with(log_p, length, amount, gnmt=log_p / (5 + length / 6) ** amount)

    def gnmt_numbers_exchanged(log_p, length, amount):
        """Your second score has the 5 and the 6 exchanged.

        With a single token the divisor should be 1.
        """
        return _with(log_p, length, amount, gnmt=log_p / ((6 + length) / 5) ** amount)

    def punished(log_p, length, amount):
        """Your third score *takes away* the amount for each token.

        A reward makes longer sentences better.
        """
        return _with(log_p, length, amount, reward=log_p - amount * length)

    def one_reward(log_p, length, amount):
        """Your third score adds the amount once, whatever the length. This changes no ranking.

        Each token earns the reward.
        """
        return _with(log_p, length, amount, reward=log_p + amount)

    def reward_of_a_mean(log_p, length, amount):
        """Your third score divides by the length as well.

        A reward takes the place of a division.
        """
        return _with(log_p, length, amount, reward=log_p / length + amount)

    def reward_multiplied(log_p, length, amount):
        """Your third score multiplies log p by the reward.

        The reward for all tokens is added.
        """
        return _with(log_p, length, amount, reward=log_p * amount * length)

    def logarithm_of_the_length(log_p, length, amount):
        """Your third score rewards the logarithm of the length.

        Each token earns the same.
        """
        return _with(log_p, length, amount, reward=log_p + amount * length.to(log_p.dtype).log())

    def neutral_at_one(log_p, length, amount):
        """Your first score is neutral at 1. It should be neutral at 0: the amount itself is the
        exponent.

        What is |y| to the power of 0?
        """
        return _with(log_p, length, amount, power=log_p / length ** (amount - 1))

    def probabilities(log_p, length, amount):
        """You normalise probabilities. The three scores are made from their logarithms.

        Leave `exp` out.
        """
        return _with(log_p.exp(), length, amount)

    def another_order(log_p, length, amount):
        """Your first two scores have changed places.

        The power of the length comes first.
        """
        power, gnmt, reward = correct(log_p, length, amount)
        return gnmt, power, reward

    def stacked(log_p, length, amount):
        """You return the three scores in one tensor. Return three things.

        Leave `torch.stack` out.
        """
        return torch.stack(correct(log_p, length, amount))

    def sign_of_the_amount_lost(log_p, length, amount):
        """You use the size of the amount, without its sign. A negative amount favours shorter
        sentences.

        Leave `abs` out.
        """
        return correct(log_p, length, abs(amount))

    def gnmt_cut_to_whole_numbers(log_p, length, amount):
        """In your second score the division cuts off what stands behind the point: (5 + 8) // 6
        is 2.

        Divide with one stroke.
        """
        return _with(log_p, length, amount, gnmt=log_p / ((5 + length) // 6) ** amount)

    def reward_raised(log_p, length, amount):
        """Your third score adds the length to the power of the amount.

        The amount is what *each* token earns: multiply it by the length.
        """
        return _with(log_p, length, amount, reward=log_p + length**amount)

    def reward_only(log_p, length, amount):
        """Your third score is the reward alone.

        Add it to log p.
        """
        return _with(log_p, length, amount, reward=amount * length.to(log_p.dtype))


class Right:
    """Right answers, written differently."""

    def with_negative_exponents(log_p, length, amount):
        """Multiplies by powers with a negative exponent."""
        n = length.to(log_p.dtype)
        return log_p * n**-amount, log_p * ((5 + n) / 6) ** -amount, log_p + n * amount

    def with_pow(log_p, length, amount):
        """With torch's function."""
        n = length.to(log_p.dtype)
        power = log_p / torch.pow(n, amount)
        return power, log_p / torch.pow((n + 5) / 6, amount), torch.add(log_p, n, alpha=amount)

    def by_logarithms(log_p, length, amount):
        """Powers by exp and log."""
        n = length.to(log_p.dtype)
        return (
            log_p / (amount * n.log()).exp(),
            log_p / (amount * ((5 + n) / 6).log()).exp(),
            log_p + n * amount,
        )

    def fraction_taken_apart(log_p, length, amount):
        """The numerator and the denominator each get the exponent."""
        return (
            log_p / length**amount,
            log_p * 6**amount / (5 + length) ** amount,
            log_p + length * amount,
        )

    def one_by_one(log_p, length, amount):
        """A loop over all hypotheses."""
        found = [torch.empty_like(log_p).contiguous() for _ in range(3)]
        flat = [one.view(-1) for one in found]
        pairs = zip(log_p.flatten().tolist(), length.flatten().tolist(), strict=True)
        for place, (value, n) in enumerate(pairs):
            flat[0][place] = value / n**amount
            flat[1][place] = value / ((5 + n) / 6) ** amount
            flat[2][place] = value + amount * n
        return tuple(found)


EXERCISE = Exercise(
    id="length_scores",
    oracle=correct,
    hint="Set the amount to 0: all three should be log p. Then set it to 1, and compute the three "
    "scores of one hypothesis by hand.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
