"""The exercise ``read_heads``: printed shapes tell which heads these are (A24, B06; chapter 09)."""

from __future__ import annotations

import math

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
        """Your rank is d_model, the size of W_Q W_Kᵀ. But this product goes through d_k columns.

        A product has no higher rank than the narrowest matrix in it.
        """
        return _with(shape, h, rank=shape[0])

    def square_is_full_width(shape, h):
        """You took a square W_Q for a head of full width (A24). But all h heads share its columns.

        Full width means d_k = d_model for *each* head.
        """
        return _with(shape, h, A24=shape[0] == shape[1])

    def either_or(shape, h):
        """You took A24 and B06 for opposites. A single head is both, and some heads are neither.

        Check each by itself: compare d_k with d_model, and d_k with d_model / h.
        """
        return _with(shape, h, B06=shape[1] != shape[0] * h)

    def divides_evenly(shape, h):
        """You answered True for B06 wherever the columns can be divided evenly among the heads.

        B06 asks for more: d_k = d_model / h.
        """
        return _with(shape, h, B06=True)


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
        return {name: of[name] if of[name] in (True, False) else float(of[name]) for name in sorted(of)}


EXERCISE = Exercise(
    id="read_heads",
    oracle=correct,
    hint="X W_Q is (n × d_model)(d_model × h d_k). Read d_model and h d_k off the shape, and "
    "compute d_k. The rest follows from these three numbers.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
