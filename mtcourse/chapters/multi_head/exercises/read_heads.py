"""The exercise ``read_heads``: printed shapes tell which heads these are (A24, B06; chapter 9)."""

from __future__ import annotations

import math

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """B's heads, A's heads, heads that are neither, and one head that is both."""
    h, d_k, width = draw.size(3, 5), draw.size(6, 11), draw.size(70, 99)
    return [
        Case("W_Q 4 × 4, 2 heads, as in document B", ((4, 4), 2), by_hand=True),
        Case("W_Q 4 × 8, 2 heads", ((4, 8), 2), by_hand=True),
        Case("W_Q 512 × 384, 6 heads", ((512, 384), 6)),
        Case("W_Q 128 × 128, one head", ((128, 128), 1)),
        Case("W_Q 48 × 384, 4 heads", ((48, 384), 4)),
        Case("W_Q 10 × 9, 3 heads", ((10, 9), 3)),
        Case("W_Q 7 × 14, 2 heads", ((7, 14), 2)),
        Case("W_Q 6 × 8, one head", ((6, 8), 1)),
        Case(f"W_Q {width} × {h * d_k}, {h} heads", ((width, h * d_k), h)),
    ]


def correct(shape, h):
    """The width of a head is a share of the columns."""
    return _with(shape, h)


def _with(shape, h, **other):
    d_model, columns = shape
    d_k = columns // h
    right = {
        "d_model": d_model,
        "d_k": d_k,
        "divisor": math.sqrt(d_k),
        "A24": d_k == d_model,
        "B06": d_k * h == d_model,
        "rank": min(d_k, d_model),
    }
    return {**right, **other}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(shape, h):
        """Your values may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct(shape, h).values())

    def b06_believed(shape, h):
        """You computed d_k = d_model / h (B06). Whether this holds is one of the questions.

        The printed shape tells you how many columns all heads have together.
        """
        d_k = shape[0] / h
        return _with(shape, h, d_k=d_k, divisor=math.sqrt(d_k), rank=d_k, A24=h == 1, B06=True)

    def all_columns_one_head(shape, h):
        """You took all columns of W_Q for the width of one head.

        The heads stand side by side in these columns.
        """
        d_k = shape[1]
        return _with(
            shape, h, d_k=d_k, divisor=math.sqrt(d_k), rank=min(shape), A24=d_k == shape[0],
            B06=d_k * h == shape[0],
        )  # fmt: skip

    def rows_and_columns_exchanged(shape, h):
        """You took the columns of W_Q for d_model, and its rows for the heads.

        X stands on the left: X W_Q is (n × d_model)(d_model × h d_k).
        """
        return correct((shape[1], shape[0]), h)

    def divisor_without_the_root(shape, h):
        """Your divisor is d_k. Scores are divided by its square root.

        If the variance is d_k, what is the standard deviation?
        """
        return _with(shape, h, divisor=shape[1] / h)

    def divisor_of_d_model(shape, h):
        """Your divisor is √d_model, as document A prints it (A25). Document D prints √d_k (D01).

        The two are equal only where heads have the full width.
        """
        return _with(shape, h, divisor=math.sqrt(shape[0]))

    def divisor_of_all_heads(shape, h):
        """Your divisor is the root of the width of all heads together.

        A score adds up as many products as one head is wide.
        """
        return _with(shape, h, divisor=math.sqrt(shape[1]))

    def rank_of_all_heads(shape, h):
        """Your rank is that of all heads together.

        The question asks for one head: its W_Q has d_k columns.
        """
        return _with(shape, h, rank=min(shape))

    def rank_is_always_d_k(shape, h):
        """Your rank is always d_k. But no d_model × d_model matrix has a rank above d_model.

        Take the smaller of the two.
        """
        return _with(shape, h, rank=shape[1] / h)

    def rank_is_d_model(shape, h):
        """Your rank is d_model, the size of W_Q W_Kᵀ. But both factors have d_k columns.

        A product has no higher rank than the narrowest matrix in it.
        """
        return _with(shape, h, rank=shape[0])

    def square_is_full_width(shape, h):
        """You took a square W_Q for a head of full width (A24). But all h heads share its columns.

        Full width means d_k = d_model for *each* head.
        """
        return _with(shape, h, A24=shape[0] == shape[1])

    def either_or(shape, h):
        """You took A24 and B06 for opposites. A single head can be both, and some heads are
        neither.

        Check each by itself: compare d_k with d_model, and d_k with d_model / h.
        """
        return _with(shape, h, B06=shape[1] != shape[0] * h)

    def divides_evenly(shape, h):
        """You answered True for B06, whatever the shape.

        It is not enough that the columns can be divided evenly among the heads. B06 says: d_k =
        d_model / h.
        """
        return _with(shape, h, B06=True)

    def b06_believed_in_whole_numbers(shape, h):
        """You computed d_k = d_model // h (B06), and all the rest from it.

        The printed shape tells you how many columns all heads have together.
        """
        return correct((shape[0], shape[0] // h * h), h)

    def d_k_by_b06(shape, h):
        """Your d_k is d_model / h (B06), and your divisor is its root.

        The printed shape tells you how many columns all heads have together.
        """
        d_k = shape[0] / h
        return _with(shape, h, d_k=d_k, divisor=math.sqrt(d_k))

    def a24_believed(shape, h):
        """You took d_k to be d_model (A24). Whether this holds is one of the questions.

        The printed shape tells you how many columns all heads have together.
        """
        return correct((shape[0], shape[0] * h), h)

    def columns_times_h(shape, h):
        """You multiplied the columns of W_Q by h. They belong to all heads together already.

        How many columns has one head?
        """
        return correct((shape[0], shape[1] * h * h), h)

    def divisor_upside_down(shape, h):
        """Your divisor is 1/√d_k: that is what scores are multiplied by.

        What stands below the fraction bar in D01?
        """
        return _with(shape, h, divisor=1 / math.sqrt(shape[1] // h))

    def divisor_of_a_share(shape, h):
        """Your divisor is the root of d_model / h, which is d_k only if B06 holds.

        A score adds up as many products as one head is wide.
        """
        return _with(shape, h, divisor=math.sqrt(shape[0] / h))

    def divisor_of_h(shape, h):
        """Your divisor is √h, the root of the number of heads.

        A score adds up as many products as one head is wide.
        """
        return _with(shape, h, divisor=math.sqrt(h))

    def divisor_in_whole_numbers(shape, h):
        """You cut the divisor to a whole number.

        A root need not be one.
        """
        return _with(shape, h, divisor=math.isqrt(shape[1] // h))

    def a24_and_b06_exchanged(shape, h):
        """You exchanged A24 and B06.

        Which document's heads are as wide as a row, and which document's share the width?
        """
        right = correct(shape, h)
        return right | {"A24": right["B06"], "B06": right["A24"]}

    def neither_for_one_head_b06(shape, h):
        """You answered False for B06 where A24 is True. With a single head, both can hold.

        Check each by itself: compare d_k with d_model, and d_k with d_model / h.
        """
        right = correct(shape, h)
        return right | {"B06": right["B06"] and not right["A24"]}

    def neither_for_one_head_a24(shape, h):
        """You answered False for A24 where B06 is True. With a single head, both can hold.

        Check each by itself: compare d_k with d_model, and d_k with d_model / h.
        """
        right = correct(shape, h)
        return right | {"A24": right["A24"] and not right["B06"]}

    def a24_where_not_b06(shape, h):
        """You answered True for A24 wherever B06 is False. Some heads are neither.

        Check each by itself: compare d_k with d_model, and d_k with d_model / h.
        """
        return _with(shape, h, A24=shape[0] != shape[1])

    def narrower_is_b06(shape, h):
        """You answered True for B06 wherever a head is narrower than a row.

        B06 says how wide it is: d_k = d_model / h.
        """
        return _with(shape, h, B06=shape[1] // h < shape[0])

    def at_least_as_wide_is_a24(shape, h):
        """You answered True for A24 wherever a head is at least as wide as a row.

        Full width means d_k = d_model.
        """
        return _with(shape, h, A24=shape[1] // h >= shape[0])

    def wider_matrix_is_a24(shape, h):
        """You answered True for A24 wherever W_Q has more columns than rows.

        Full width means d_k = d_model for *each* head.
        """
        return _with(shape, h, A24=shape[1] > shape[0])

    def b06_in_whole_numbers(shape, h):
        """You compared d_k with d_model // h, which drops the remainder of the division.

        Is h · d_k then d_model?
        """
        return _with(shape, h, B06=shape[1] // h == shape[0] // h)

    def b06_where_h_divides(shape, h):
        """You answered True for B06 wherever h divides d_model.

        B06 asks for more: d_k = d_model / h.
        """
        return _with(shape, h, B06=shape[0] % h == 0)

    def one_head_is_a24(shape, h):
        """You answered True for A24 exactly where there is one head.

        Full width means d_k = d_model, whatever h is.
        """
        return _with(shape, h, A24=h == 1)

    def several_heads_are_b06(shape, h):
        """You answered True for B06 exactly where there are several heads.

        B06 says how wide they are: d_k = d_model / h.
        """
        return _with(shape, h, B06=h > 1)

    def never_a24(shape, h):
        """You always answered False for A24.

        Is there no shape for which d_k is d_model?
        """
        return _with(shape, h, A24=False)

    def always_a24(shape, h):
        """You always answered True for A24.

        Full width means d_k = d_model. Compare them.
        """
        return _with(shape, h, A24=True)

    def never_b06(shape, h):
        """You always answered False for B06.

        Is there no shape for which d_k is d_model / h?
        """
        return _with(shape, h, B06=False)

    def rank_multiplied(shape, h):
        """Your rank is the square of the right one, as if the ranks of both factors were
        multiplied.

        A product has no higher rank than the narrowest matrix in it.
        """
        return _with(shape, h, rank=correct(shape, h)["rank"] ** 2)

    def rank_added(shape, h):
        """Your rank is up to 2 d_k, as if the ranks of both factors were added.

        A product has no higher rank than the narrowest matrix in it.
        """
        return _with(shape, h, rank=min(shape[0], 2 * (shape[1] // h)))

    def rank_of_a_share(shape, h):
        """Your rank is d_model / h, in whole numbers, for every shape.

        The matrices of one head have d_model rows and d_k columns.
        """
        return _with(shape, h, rank=shape[0] // h)

    def rank_of_a_fraction(shape, h):
        """Your rank is d_model / h, for every shape. A rank is a whole number.

        The matrices of one head have d_model rows and d_k columns.
        """
        return _with(shape, h, rank=shape[0] / h)

    def larger_for_rank(shape, h):
        """Your rank is the *larger* of d_k and d_model.

        A product has no higher rank than the narrowest matrix in it.
        """
        return _with(shape, h, rank=max(shape[0], shape[1] // h))

    def rank_by_h(shape, h):
        """Your rank is at most h, the number of heads.

        The question asks for one head: its W_Q has d_k columns.
        """
        return _with(shape, h, rank=min(h, shape[0]))

    def columns_for_d_model(shape, h):
        """Your d_model is the number of columns of W_Q.

        X stands on the left: X W_Q is (n × d_model)(d_model × h d_k).
        """
        return _with(shape, h, d_model=shape[1])


class Right:
    """Right answers, written differently."""

    def in_whole_numbers(shape, h):
        """With whole numbers."""
        d_model, d_k = shape[0], shape[1] // h
        return {
            "d_model": d_model, "d_k": d_k, "divisor": d_k**0.5, "A24": d_k == d_model,
            "B06": d_model % h == 0 and d_k == d_model // h, "rank": min(d_k, d_model),
        }  # fmt: skip

    def by_shapes_alone(shape, h):
        """A square W_Q is B06; h times as wide is A24."""
        rows, columns = shape
        answer = {"B06": rows == columns, "A24": columns == h * rows, "d_model": rows}
        answer["d_k"] = columns / h
        answer["divisor"] = math.sqrt(answer["d_k"])
        answer["rank"] = answer["d_k"] if answer["d_k"] < rows else rows
        return answer

    def by_counting_up(shape, h):
        """Finds the width by trying."""
        d_k = next(k for k in range(1, shape[1] + 1) if k * h == shape[1])
        return {
            "d_model": shape[0], "d_k": d_k, "divisor": math.pow(d_k, 0.5), "A24": shape[0] == d_k,
            "B06": shape[0] == d_k * h, "rank": sorted([d_k, shape[0]])[0],
        }  # fmt: skip

    def in_floats(shape, h):
        """All numbers as floats, in another order."""
        of = _with(shape, h)
        return {
            name: of[name] if of[name] in (True, False) else float(of[name]) for name in sorted(of)
        }


EXERCISE = Exercise(
    id="read_heads",
    oracle=correct,
    hint="X W_Q is (n × d_model)(d_model × h d_k). Read d_model and h d_k off the shape, and "
    "compute d_k. The rest follows from these three numbers.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
