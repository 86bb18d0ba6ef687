"""Mistakes that learners make in any exercise: of the result, of an argument, of behaviour.

Each is a function with a message and a hint in its docstring, as the known mistakes of an exercise
are, but it wraps the right answer instead of replacing it. They are tried after an exercise's own,
in their order. In a message, {name} stands for an argument of the exercise.
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

Number = int | float


class OfTheResult:
    """From what is right to what is returned in its place."""

    def as_a_list(x: Tensor) -> list:
        """The numbers are right, but they stand in a list, and a tensor is asked for.

        `torch.tensor` makes one; better still, stay with tensors from the start.
        """
        return x.tolist()

    def as_an_array(x: Tensor) -> np.ndarray:
        """The numbers are right, but they stand in a NumPy array, and a tensor is asked for.

        Stay with torch throughout: a gradient cannot flow through NumPy.
        """
        return x.numpy()

    def as_zeros_and_ones(x: Tensor) -> Tensor:
        """You return 0 and 1 where True and False are asked for.

        A comparison gives truth values; `.bool()` turns numbers into them.
        """
        return _asserted(x, torch.bool).float()

    def as_truth_values(x: Tensor) -> Tensor:
        """You return True and False where numbers are asked for.

        What type does the result of a comparison have?
        """
        return x.bool()

    def as_an_additive_mask(x: Tensor) -> Tensor:
        """You return the additive form of a mask, 0 and −∞, where True and False are asked for.

        Stop one step earlier.
        """
        return torch.zeros(x.shape).masked_fill(~_asserted(x, torch.bool), -math.inf)

    def inverted(x: Tensor | bool) -> Tensor | bool:
        """You have True and False the wrong way round.

        Read the question again: what does True stand for?
        """
        return ~_asserted(x, torch.bool) if isinstance(x, Tensor) else not _only(x, bool)

    def transposed(x: Tensor) -> Tensor:
        """Yours is the right result with its last two dimensions exchanged.

        What stands in a row, and what in a column?
        """
        return _matrix(x).mT

    def negated(x: Tensor | Number) -> Tensor | Number:
        """Yours has the wrong sign everywhere.

        Which of the two is subtracted from the other?
        """
        return -x

    def complement(x: Tensor | Number) -> Tensor | Number:
        """You return one minus what is asked for.

        Is something subtracted from 1 that should not be? Or is such a subtraction missing?
        """
        return 1 - x

    def inverse(x: Tensor | Number) -> Tensor | Number:
        """Yours is upside down: one over what is asked for.

        What is divided by what?
        """
        return 1 / x

    def root(x: Tensor | Number) -> Tensor | Number:
        """You return the square root of what is asked for.

        Is a root asked for here?
        """
        return x**0.5

    def square(x: Tensor | Number) -> Tensor | Number:
        """You return the square of what is asked for.

        Is a root missing?
        """
        return x**2

    def exponential(x: Tensor | Number) -> Tensor | Number:
        """You return the exponential of what is asked for.

        Does the question ask for logarithms, or for the numbers themselves?
        """
        return x.exp() if isinstance(x, Tensor) else math.exp(x)

    def logarithm(x: Tensor | Number) -> Tensor | Number:
        """You return the logarithm of what is asked for.

        Does the question ask for logarithms, or for the numbers themselves?
        """
        return x.log() if isinstance(x, Tensor) else math.log(x)

    def magnitude(x: Tensor | Number) -> Tensor | Number:
        """You return absolute values: the signs are lost.

        What does a negative number mean here?
        """
        return abs(x)

    def without_negative_numbers(x: Tensor) -> Tensor:
        """Yours is right where it is positive, and 0 where the right result is negative.

        Is there a ReLU or a `clamp` too many, or in the wrong place?
        """
        return x.clamp(min=0)

    def softmax_too_many(x: Tensor) -> Tensor:
        """You return the softmax of what is asked for.

        Does the question ask for a softmax here, or is it a later step?
        """
        return x.softmax(-1)

    def rows_that_sum_to_one(x: Tensor) -> Tensor:
        """Each of your rows is the right one divided by its sum.

        Does the question ask for rows that sum to 1?
        """
        return x / x.sum(-1, keepdim=True)

    def shifted_forward(x: Tensor) -> Tensor:
        """Yours is the right result, one position too late along its last dimension.

        Is the first position number 0 or number 1?
        """
        return x.roll(1, -1)

    def shifted_back(x: Tensor) -> Tensor:
        """Yours is the right result, one position too early along its last dimension.

        Is the first position number 0 or number 1?
        """
        return x.roll(-1, -1)

    def row_too_late(x: Tensor) -> Tensor:
        """Yours has the right rows, each one position too late.

        Is the first row number 0 or number 1?
        """
        return _matrix(x).roll(1, -2)

    def row_too_early(x: Tensor) -> Tensor:
        """Yours has the right rows, each one position too early.

        Is the first row number 0 or number 1?
        """
        return _matrix(x).roll(-1, -2)

    def backwards(x: Tensor | list) -> Tensor | list:
        """Yours is the right result in reverse order.

        Which end comes first?
        """
        return x.flip(-1) if isinstance(x, Tensor) else _only(x, list)[::-1]

    def rows_backwards(x: Tensor) -> Tensor:
        """Yours has the right rows, in reverse order.

        Which row comes first?
        """
        return _matrix(x).flip(-2)

    def sorted_out(x: list) -> list:
        """You return the right things sorted; they should stay in their order.

        Leave out the sorting.
        """
        return sorted(_only(x, list))

    def each_once(x: list) -> list:
        """You return each thing once, where some should be there more than once.

        Does a set forget something that is asked for?
        """
        return list(dict.fromkeys(_only(x, list)))

    def counted_from_one(x: list) -> list:
        """Yours is the right list, with every number one too high.

        Positions are counted from 0.
        """
        return [one + 1 for one in _only(x, list)]

    def pairs_turned_round(x: list) -> list:
        """Yours has the right pairs, with the two parts of each exchanged.

        Which of the two does the question name first?
        """
        return [(second, first) for first, second in _only(x, list)]

    def parts_exchanged(x: tuple) -> tuple:
        """You return the right things in the wrong order.

        In which order does the question name them?
        """
        return _only(x, tuple)[::-1]

    def first_part_only(x: tuple) -> Any:
        """You return the first thing that is asked for, and not the others.

        The question asks for several things, in a fixed order.
        """
        return _only(x, tuple)[0]

    def last_part_only(x: tuple) -> Any:
        """You return the last thing that is asked for, and not the others.

        The question asks for several things, in a fixed order.
        """
        return _only(x, tuple)[-1]

    def in_a_list(x: Any) -> list:
        """What you return is right, but it is wrapped in a list.

        Return the thing itself.
        """
        return [x]

    def how_many(x: list) -> int:
        """You return how many there are, where the things themselves are asked for.

        Return the list.
        """
        return len(_only(x, list))

    def as_a_set(x: list) -> set:
        """You return a set, which has no order and holds everything once; a list is asked for.

        In which order should they come?
        """
        return set(_only(x, list))

    def summed(x: Tensor) -> Tensor:
        """You return one number: the sum of what is asked for.

        Which shape should the result have? Look for a step that sums over everything.
        """
        return x.sum()

    def averaged(x: Tensor) -> Tensor:
        """You return one number: the mean of what is asked for.

        Which shape should the result have? Look for a step that takes the mean over everything.
        """
        return x.mean()

    def summed_over_rows(x: Tensor) -> Tensor:
        """You return the sum of the rows of what is asked for.

        Each row should be there by itself.
        """
        return _matrix(x).sum(-2)

    def averaged_over_rows(x: Tensor) -> Tensor:
        """You return the mean of the rows of what is asked for.

        Each row should be there by itself.
        """
        return _matrix(x).mean(-2)

    def summed_over_sentences(x: Tensor) -> Tensor:
        """You sum what is asked for over its first dimension, such as that of a batch.

        Each part of a batch has a result of its own.
        """
        return x.sum(0)

    def first_sentence(x: Tensor) -> Tensor:
        """You return only the first part of what is asked for, along its first dimension.

        Index from the end (−1, −2), so that every dimension in front is kept.
        """
        return x[0]

    def last_row(x: Tensor) -> Tensor:
        """You return the last row of what is asked for.

        All rows are asked for.
        """
        return _matrix(x)[..., -1, :]

    def one_more_dimension(x: Tensor) -> Tensor:
        """The numbers are right, but there is one dimension too many in front.

        Where does a dimension of size 1 come from? `unsqueeze` and `None` add one.
        """
        return x[None]

    def dimension_kept(x: Tensor) -> Tensor:
        """The numbers are right, but there is one dimension of size 1 too many at the end.

        `keepdim=True` keeps the dimension of a sum.
        """
        return x[..., None]

    def dimension_within(x: Tensor) -> Tensor:
        """The numbers are right, but there is a dimension of size 1 too many before the last one.

        Where does it come from? Write the shape beside each line.
        """
        return x[..., None, :]

    def flattened(x: Tensor) -> Tensor:
        """The numbers are right, but they all stand in one dimension.

        Leave out the flattening, or bring the result back into its shape.
        """
        return _matrix(x).flatten()

    def squeezed(x: Tensor) -> Tensor:
        """The numbers are right, but dimensions of size 1 are missing.

        `squeeze()` removes all of them; which one did you mean?
        """
        return x.squeeze()

    def in_rounded_numbers(x: Tensor | Number) -> Tensor | Number:
        """You return rounded numbers.

        Leave out the rounding.
        """
        return torch.round(x) if isinstance(x, Tensor) else round(x)

    def cut_to_whole_numbers(x: Tensor | Number) -> Tensor | Number:
        """You return whole numbers: what stands after the decimal point is lost.

        `//` and `int` cut it off.
        """
        return torch.floor(x) if isinstance(x, Tensor) else math.floor(x)


class OfAnArgument:
    """From an argument to what an answer takes it for."""

    def all_true(x: Tensor) -> Tensor:
        """Your result does not depend on `{name}`: it is as if all of it were True.

        Where does your function use `{name}`?
        """
        return torch.ones_like(_asserted(x, torch.bool))

    def all_false(x: Tensor) -> Tensor:
        """Your result does not depend on `{name}`: it is as if all of it were False.

        Where does your function use `{name}`?
        """
        return torch.zeros_like(_asserted(x, torch.bool))

    def taken_for_its_opposite(x: Tensor | bool) -> Tensor | bool:
        """You use `{name}` the wrong way round: True for False.

        What does True mean in `{name}`?
        """
        return ~_asserted(x, torch.bool) if isinstance(x, Tensor) else not _only(x, bool)

    def counted_from_the_front(x: Tensor) -> Tensor:
        """You count how often `{name}` is True, and then take that many from the front.

        The entries that are True need not stand in front.
        """
        counts = _asserted(x, torch.bool).sum(-1, keepdim=True)
        return torch.arange(x.shape[-1]) < counts

    def taken_for_transposed(x: Tensor) -> Tensor:
        """You use `{name}` transposed.

        Which dimension of `{name}` is which? Write its shape beside the line.
        """
        return _matrix(x).mT

    def taken_for_zeros(x: Tensor) -> Tensor:
        """Your result does not depend on `{name}`: it is as if all of it were 0.

        Where does your function use `{name}`?
        """
        return torch.zeros_like(x)

    def taken_for_its_negative(x: Tensor | float) -> Tensor | float:
        """You use `{name}` with the wrong sign.

        Is something added that should be subtracted?
        """
        return -x

    def of_the_first_sentence(x: Tensor) -> Tensor:
        """You use the first part of `{name}`, along its first dimension, in place of all others.

        Index from the end (−1, −2), so that every dimension in front is kept.
        """
        return x[:1].expand_as(x) if x.dim() > 1 else _none()

    def of_all_sentences(x: Tensor) -> Tensor:
        """You use the mean of `{name}` over its first dimension, such as that of a batch.

        Each part of a batch stands for itself.
        """
        return x.mean(0, keepdim=True).expand_as(x) if x.dim() > 2 else _none()

    def with_its_rows_backwards(x: Tensor) -> Tensor:
        """You use the rows of `{name}` in reverse order.

        Which row comes first?
        """
        return _matrix(x).flip(-2)

    def in_single_precision(x: Tensor) -> Tensor:
        """You compute in single precision, although `{name}` may be more precise.

        Keep the type of what you are given, as in `torch.zeros(3, dtype={name}.dtype)`.
        """
        return _asserted(x, torch.float64).float().double()

    def one_more(x: int | Tensor) -> int | Tensor:
        """Your result is that of `{name}` + 1.

        Is something counted from 0 that begins at 1, or the other way round?
        """
        return x + 1 if _is_whole(x) else _none()

    def one_less(x: int | Tensor) -> int | Tensor:
        """Your result is that of `{name}` − 1.

        Is something counted from 0 that begins at 1, or the other way round?
        """
        return x - 1 if _is_whole(x) else _none()

    def taken_for_zero(x: Number) -> Number:
        """Your result does not depend on `{name}`: it is as if `{name}` were 0.

        Where does your function use `{name}`?
        """
        return type(_only(x, Number))(0)

    def taken_for_one(x: Number) -> Number:
        """Your result does not depend on `{name}`: it is as if `{name}` were 1.

        Where does your function use `{name}`?
        """
        return type(_only(x, Number))(1)

    def taken_for_one_minus(x: float) -> float:
        """You use 1 − `{name}` where `{name}` belongs.

        Which of the two shares is `{name}`?
        """
        return 1 - _only(x, float)

    def without_the_first(x: list | str) -> list | str:
        """You leave out the first part of `{name}`.

        At which index does your loop begin?
        """
        return _only(x, list | str)[1:]

    def without_the_last(x: list | str) -> list | str:
        """You leave out the last part of `{name}`.

        At which index does your loop end?
        """
        return _only(x, list | str)[:-1]

    def the_first_alone(x: list) -> list:
        """You use the first part of `{name}` only.

        Is there a `return` inside a loop?
        """
        return _only(x, list)[:1]

    def read_backwards(x: list | str) -> list | str:
        """You go through `{name}` from its end.

        In which order should it be gone through?
        """
        return _only(x, list | str)[::-1]

    def taken_in_order(x: list) -> list:
        """You sort `{name}` first.

        Its order has a meaning here.
        """
        return sorted(_only(x, list))

    def taken_as_a_set(x: list) -> list:
        """You count each thing in `{name}` once, however often it is there.

        A set and a dictionary's keys forget repetitions.
        """
        return list(dict.fromkeys(_only(x, list)))

    def in_small_letters(x: Any) -> Any:
        """You take capitals in `{name}` for small letters.

        Does the question say that case does not matter?
        """
        return _with_strings(x, str.lower)

    def without_blanks_around(x: Any) -> Any:
        """You strip spaces from the ends of `{name}`, or of the texts in it.

        Does the question say that they do not matter?
        """
        return _with_strings(x, str.strip)


def _none() -> Any:
    raise TypeError("this mistake cannot be made here")


def _only(x: Any, kind: Any) -> Any:
    """The value, if it is of a kind that the mistake can be made with."""
    return _none() if not isinstance(x, kind) or (isinstance(x, bool) and kind is not bool) else x


def _asserted(x: Any, dtype: torch.dtype) -> Tensor:
    return x if isinstance(x, Tensor) and x.dtype == dtype else _none()


def _matrix(x: Tensor) -> Tensor:
    return x if x.dim() >= 2 else _none()


def _is_whole(x: Any) -> bool:
    if isinstance(x, Tensor):
        return not x.is_floating_point() and x.dtype != torch.bool
    return isinstance(x, int) and not isinstance(x, bool)


def _with_strings(x: Any, change: Any) -> Any:
    """A text, or a list or dictionary of texts, each changed."""
    if isinstance(x, str):
        return change(x)
    if isinstance(x, Sequence):
        return type(x)(_with_strings(one, change) for one in x)  # type: ignore[call-arg]
    if isinstance(x, dict):
        return {_with_strings(key, change): value for key, value in x.items()}
    return x
