"""The exercise ``hidden_weight``: what leaks through a finite mask (A14, D03; chapter 5)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Mask values from 0 to -inf, each inside the division and outside."""
    gap = round(4 + abs(float(draw.normal(1))), 2)
    both = [
        ("no gap, -4 and d_k = 4", (0.0, -4.0, 4), True),
        ("a gap of 6, -8 and d_k = 16", (6.0, -8.0, 16), False),
        ("a gap of -3, -2 and d_k = 9", (-3.0, -2.0, 9), False),
        (f"a gap of {gap}, -10 and d_k = 64", (gap, -10.0, 64), False),
        ("d_k = 1", (1.5, -2.0, 1), False),
        ("a gap of 5, -3 and d_k = 32", (5.0, -3.0, 32), False),
        ("a gap of 12, -1 and d_k = 2", (12.0, -1.0, 2), False),
        ("a gap of -80000 and d_k = 64", (-80000.0, -4.0, 64), False),
        ("a mask value of 0", (6.0, 0.0, 4), False),
        ("a gap of 800, -100 and d_k = 64", (800.0, -100.0, 64), False),
        ("a gap of 80000, -10000 and d_k = 64", (80000.0, -10000.0, 64), False),
        ("a mask value of -1e9", (3.0, -1e9, 16), False),
        ("a mask value of -inf", (3.0, -math.inf, 16), False),
    ]
    return [
        Case(f"{name}, {'inside' if inside else 'outside'}", (*numbers, inside), by_hand)
        for name, numbers, by_hand in both
        for inside in (True, False)
    ]


def correct(gap, v, d_k, inside):
    """The logistic function of the hidden key's score, from the side that cannot overflow."""
    score = _score(gap, v, d_k, inside)
    if score > 0:
        return 1 / (1 + math.exp(-score))
    return math.exp(score) / (1 + math.exp(score))


def _score(gap: float, v: float, d_k: int, inside: bool) -> float:
    """The hidden key's score; the visible key's is 0."""
    return (gap + v) / math.sqrt(d_k) if inside else gap / math.sqrt(d_k) + v


def _weight(score: float) -> float:
    """The logistic function, of any size of score."""
    return float(torch.sigmoid(torch.tensor(score, dtype=torch.float64)))


def _rooted(gap, v, root, inside):
    """The weight, with something else in the place of the root of d_k."""
    return _weight((gap + v) / root if inside else gap / root + v)


class Wrong:
    """What learners write, the more particular before the more general."""

    def inside_and_outside_swapped(gap, v, d_k, inside):
        """Inside and outside are swapped.

        Inside means that v is added before the division, so that √d_k divides v as well.
        """
        return _weight(_score(gap, v, d_k, not inside))

    def always_inside(gap, v, d_k, inside):
        """You always divide v by √d_k, even where it stands outside.

        Write both formulas one below the other. Where `inside` is False, nothing divides v.
        """
        return _weight(_score(gap, v, d_k, True))

    def always_outside(gap, v, d_k, inside):
        """You never divide v by √d_k, even where it stands inside.

        Write both formulas one below the other. Where `inside` is True, the root divides the sum.
        """
        return _weight(_score(gap, v, d_k, False))

    def no_scale(gap, v, d_k, inside):
        """Nothing is divided by √d_k.

        `gap` is a raw product q·k. It becomes a score only by the division.
        """
        return _weight(gap + v)

    def only_v_is_scaled(gap, v, d_k, inside):
        """With the mask outside, you did not divide the product by √d_k. It is always divided.

        In both formulas the root divides the raw product. They differ only in what happens to v.
        """
        return _weight((gap + v) / math.sqrt(d_k) if inside else gap + v)

    def divided_by_d_k(gap, v, d_k, inside):
        """You divided by d_k instead of its square root.

        Both formulas have √d_k in the denominator.
        """
        return _weight((gap + v) / d_k if inside else gap / d_k + v)

    def visible_weight(gap, v, d_k, inside):
        """This is the weight of the visible key. Return that of the hidden key.

        The two sum to 1. Whose exponential stands in the numerator?
        """
        return _weight(-_score(gap, v, d_k, inside))

    def v_subtracted(gap, v, d_k, inside):
        """You subtracted v. It is negative already, so you raised the hidden key's score.

        In both formulas the mask is added.
        """
        return _weight(_score(gap, -v, d_k, inside))

    def gap_subtracted(gap, v, d_k, inside):
        """The gap has the wrong sign. It belongs to the hidden key, and you gave it to the visible
        one.

        The visible key has the score 0. What is the hidden key's, before the mask?
        """
        return _weight(_score(-gap, v, d_k, inside))

    def no_mask(gap, v, d_k, inside):
        """This is the weight without any mask; v is not used.

        Add v to the hidden key's score, before the division or after it, as `inside` says.
        """
        return _weight(gap / math.sqrt(d_k))

    def never_any(gap, v, d_k, inside):
        """You return 0, as if a hidden key never got any weight. That is true only for -inf.

        A finite v gives the hidden key a finite score. What is its exponential?
        """
        return 0.0

    def not_shared(gap, v, d_k, inside):
        """This is e to the hidden score, not yet divided by the sum over both keys.

        A softmax divides by the sum. What is the visible key's exponential, when its score is 0?
        """
        return float(torch.tensor(_score(gap, v, d_k, inside), dtype=torch.float64).exp())

    def both_weights(gap, v, d_k, inside):
        """These are the weights of both keys. Return one number, that of the hidden key.

        Take the entry that belongs to the hidden key.
        """
        scores = torch.tensor([0.0, _score(gap, v, d_k, inside)], dtype=torch.float64)
        return torch.softmax(scores, dim=0)

    def overflows_for_low_scores(gap, v, d_k, inside):
        """The formula is right, but e to the power of minus the score is too large for a Python
        float.

        For a very low score use e^score, which is nearly 0, in place of e^-score: divide numerator
        and denominator by e^-score. Or use `torch.sigmoid`.
        """
        return 1 / (1 + math.exp(-_score(gap, v, d_k, inside)))

    def overflows_for_high_scores(gap, v, d_k, inside):
        """The formula is right, but e to the power of the score is too large for a Python float.

        For a very high score use e^-score, which is nearly 0: divide numerator and denominator by
        e^score. Or use `torch.sigmoid`.
        """
        score = _score(gap, v, d_k, inside)
        return math.exp(score) / (1 + math.exp(score))

    def infinity_over_infinity(gap, v, d_k, inside):
        """The formula is right, but for a very high score it divides infinity by infinity: NaN.

        Subtract the larger of the two scores first, as a softmax does, or use `torch.sigmoid`.
        """
        shares = torch.tensor([0.0, _score(gap, v, d_k, inside)], dtype=torch.float64).exp()
        return float(shares[1] / shares.sum())

    def root_rounded_down(gap, v, d_k, inside):
        """You round √d_k down to a whole number.

        `math.isqrt`, `int` and `//` drop the decimals. The root of 32 is 5.66.
        """
        return _rooted(gap, v, math.isqrt(d_k), inside)

    def root_of_64(gap, v, d_k, inside):
        """You divide by 8, whatever d_k is.

        That is right for d_k = 64 alone.
        """
        return _rooted(gap, v, 8.0, inside)

    def multiplied(gap, v, d_k, inside):
        """You multiply by √d_k. Divide by it.

        Both formulas have √d_k in the denominator.
        """
        return _rooted(gap, v, 1 / math.sqrt(d_k), inside)

    def half_of_d_k(gap, v, d_k, inside):
        """You divide by half of d_k instead of its root.

        What is `d_k ** 1 / 2` in Python? The power comes first.
        """
        return _rooted(gap, v, d_k / 2, inside)

    def square_of_d_k(gap, v, d_k, inside):
        """You divide by the square of d_k instead of its root.

        Both formulas have √d_k in the denominator.
        """
        return _rooted(gap, v, d_k**2, inside)

    def v_divided_outside(gap, v, d_k, inside):
        """With the mask outside, you divide v and not the product.

        Outside means that v is added after the division: nothing divides it.
        """
        root = math.sqrt(d_k)
        return _weight((gap + v) / root if inside else gap + v / root)

    def v_multiplied_outside(gap, v, d_k, inside):
        """With the mask outside, you multiply v by √d_k.

        Outside means that v is added as it is.
        """
        root = math.sqrt(d_k)
        return _weight((gap + v) / root if inside else gap / root + v * root)

    def product_not_divided_inside(gap, v, d_k, inside):
        """With the mask inside, you divide only v, and not the product.

        Inside means that the root divides the sum of both.
        """
        root = math.sqrt(d_k)
        return _weight(gap + v / root if inside else gap / root + v)

    def nothing_divided_inside(gap, v, d_k, inside):
        """With the mask inside, you divide nothing.

        Inside means that the root divides the sum of product and v.
        """
        return _weight(gap + v if inside else gap / math.sqrt(d_k) + v)

    def weight_divided_inside(gap, v, d_k, inside):
        """With the mask inside, you divide the weight by √d_k, and not the score.

        The division belongs inside the softmax, wherever the mask stands.
        """
        root = math.sqrt(d_k)
        return _weight(gap + v) / root if inside else _weight(gap / root + v)

    def weight_always_divided(gap, v, d_k, inside):
        """You divide the weight once more by √d_k.

        The root belongs inside the softmax.
        """
        return correct(gap, v, d_k, inside) / math.sqrt(d_k)

    def ratio_of_both(gap, v, d_k, inside):
        """You return e to the hidden score, but at most 1: it is not yet divided by the sum over
        both keys.

        A softmax divides by the sum over *both* keys. What is the visible key's exponential?
        """
        return math.exp(min(_score(gap, v, d_k, inside), 0.0))

    def visible_key_twice(gap, v, d_k, inside):
        """You count the visible key twice, or the hidden key only half.

        There are two keys, a visible one and a hidden one.
        """
        return _weight(_score(gap, v, d_k, inside) - math.log(2))

    def hidden_key_twice(gap, v, d_k, inside):
        """You count the hidden key twice, or the visible key only half.

        There are two keys, a visible one and a hidden one.
        """
        return _weight(_score(gap, v, d_k, inside) + math.log(2))

    def powers_of_two(gap, v, d_k, inside):
        """You used powers of 2. The softmax uses powers of e.

        Which exponential does `math.exp` compute?
        """
        return _weight(_score(gap, v, d_k, inside) * math.log(2))

    def hyperbolic_tangent(gap, v, d_k, inside):
        """You took a hyperbolic tangent, which runs from -1 to 1, and cut it off at 0.

        The two weights sum to 1, and both are ½ where the scores are equal.
        """
        return max(0.0, math.tanh(_score(gap, v, d_k, inside)))

    def hyperbolic_tangent_as_it_stands(gap, v, d_k, inside):
        """You took a hyperbolic tangent, which runs from -1 to 1.

        The two weights sum to 1, and both are ½ where the scores are equal.
        """
        return math.tanh(_score(gap, v, d_k, inside))

    def twice_the_exponent(gap, v, d_k, inside):
        """Your exponent is twice the score.

        Write the softmax over both scores, and divide by one exponential. Which exponent is left?
        """
        return _weight(2 * _score(gap, v, d_k, inside))

    def half_the_exponent(gap, v, d_k, inside):
        """Your exponent is half of the score.

        Write the softmax over both scores, and divide by one exponential. Which exponent is left?
        """
        return _weight(_score(gap, v, d_k, inside) / 2)

    def all_or_nothing(gap, v, d_k, inside):
        """Your weight is 1 where the score is positive, and 0 elsewhere.

        Both keys get some weight. How much does an exponential give to the lower one?
        """
        return float(_score(gap, v, d_k, inside) > 0)

    def cut_off_at_5(gap, v, d_k, inside):
        """You cut the score off below -5 and above 5.

        A key whose score is -100 gets far less weight than one at -5. `torch.sigmoid` overflows at
        neither end.
        """
        return _weight(min(max(_score(gap, v, d_k, inside), -5.0), 5.0))

    def no_product(gap, v, d_k, inside):
        """The product `gap` is not used: v stands in its place.

        The mask is *added* to the product.
        """
        return _weight(_score(0.0, v, d_k, inside))

    def product_replaced(gap, v, d_k, inside):
        """You put v in the place of the product, except where v is 0.

        The mask is *added* to the product.
        """
        return _weight(_score(gap if v == 0 else 0.0, v, d_k, inside))

    def half_without_a_mask(gap, v, d_k, inside):
        """For a mask value of 0 you return ½, whatever the product is.

        Without a mask the two scores are those of the products. Are they equal?
        """
        return 0.5 if v == 0 else correct(gap, v, d_k, inside)

    def nothing_for_low_values(gap, v, d_k, inside):
        """For a large negative v you return 0, as if no finite product could outweigh it.

        The product may be 80000. Which of the two is larger?
        """
        return 0.0 if v <= -100 else correct(gap, v, d_k, inside)

    def nan_for_minus_infinity(gap, v, d_k, inside):
        """The formula is right, but for v = -inf the result is not a number.

        ∞ - ∞ and ∞/∞ are NaN. `torch.sigmoid` knows what to do.
        """
        return float("nan") if math.isinf(v) else correct(gap, v, d_k, inside)

    def score_for_weight(gap, v, d_k, inside):
        """You return the score of the hidden key, and not yet its weight.

        A softmax over both scores makes weights of them.
        """
        return _score(gap, v, d_k, inside)

    def logarithm_of_the_weight(gap, v, d_k, inside):
        """You return the logarithm of the weight.

        A weight lies between 0 and 1.
        """
        score = torch.tensor(_score(gap, v, d_k, inside), dtype=torch.float64)
        return float(torch.nn.functional.logsigmoid(score))

    def product_of_both_weights(gap, v, d_k, inside):
        """You return the product of the two weights.

        The weight of the hidden key alone is asked for.
        """
        weight = correct(gap, v, d_k, inside)
        return weight * (1 - weight)

    def rounded_away(gap, v, d_k, inside):
        """Your weight is not exact: it is rounded to a few decimals.

        Return it as it is computed.
        """
        return round(correct(gap, v, d_k, inside), 3)


class Right:
    """Right answers, written differently."""

    def by_sigmoid(gap, v, d_k, inside):
        """Torch's logistic function, which does not overflow."""
        root = d_k**0.5
        score = (gap + v) / root if inside else gap / root + v
        return torch.sigmoid(torch.tensor(score)).item()

    def by_softmax(gap, v, d_k, inside):
        """The softmax over both keys, as the documents write it."""
        products, mask = torch.tensor([0.0, gap]), torch.tensor([0.0, v])
        scores = (products + mask) / d_k**0.5 if inside else products / d_k**0.5 + mask
        return scores.softmax(-1)[1]

    def by_tanh(gap, v, d_k, inside):
        """The logistic function is half of a hyperbolic tangent."""
        score = gap / math.sqrt(d_k) + v / (math.sqrt(d_k) if inside else 1)
        return 0.5 * (1 + math.tanh(score / 2))

    def by_torch_exp(gap, v, d_k, inside):
        """Torch's exponential overflows to infinity, and 1 over that is 0."""
        score = torch.tensor(_score(gap, v, d_k, inside))
        return 1 / (1 + torch.exp(-score))

    def after_subtracting_the_maximum(gap, v, d_k, inside):
        """What a softmax does inside."""
        score = (gap + v * (1 if inside else math.sqrt(d_k))) / math.sqrt(d_k)
        top = max(score, 0)
        return math.exp(score - top) / (math.exp(-top) + math.exp(score - top))


EXERCISE = Exercise(
    id="hidden_weight",
    oracle=correct,
    hint="Write down both scores, that of the visible key and that of the hidden one. Then write "
    "the softmax over these two, and divide numerator and denominator by e^score.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
