"""Which mistake a wrong answer makes: one of the exercise's own, or one that is made anywhere."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from mtcourse.checks.deadline import TookTooLong
from mtcourse.checks.exercise import Exercise, functions_of, message_of
from mtcourse.checks.guard import NotAllowedHere
from mtcourse.checks.outcomes import (
    Case,
    Outcome,
    apart,
    distance,
    is_number,
    outcome_of,
    type_name,
)
from mtcourse.checks.properties import Trial, kind_fault
from mtcourse.checks.shared_mistakes import OfAnArgument, OfTheResult


@dataclass(frozen=True)
class Mistake:
    """What is wrong with an answer.

    Args:
        name: of the function that makes the same mistake.
        message: what the answer does.
        hint: how to go on.
    """

    name: str
    message: str
    hint: str


def mistake_in(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    """The mistake that explains what a wrong answer did, if there is one that does.

    First come the exercise's own mistakes that do on every case what the answer does; then those
    that wrap the right answer; then the exercise's own that do what the answer does wherever it is
    wrong, for it may be right elsewhere.
    """
    finds = (
        _same,
        _of_the_result,
        _of_an_argument,
        _by_a_factor,
        _where_wrong,
        _in_parts,
        _by_behaviour,
    )
    for find in finds if exercise.cases else (_same, _in_a_value):
        with contextlib.suppress(Exception):  # what an answer returned can be anything
            if mistake := find(exercise, trials):
                return mistake
    return None


def _named(function: Callable, **words: str) -> Mistake:
    """A mistake from the function that makes it."""
    message, hint = message_of(function)
    if words:
        message, hint = message.format(**words), hint.format(**words)
    return Mistake(function.__name__, message, hint)


# --- the exercise's own --------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _known(function: Callable, case: Case, gradients: bool = False) -> Outcome:
    """What a known mistake does on a case, once for all answers that are tried on it."""
    return outcome_of(function, case, gradients)


def _same(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    """The misconception that gives on every case what the answer gives.

    The same wrong values can come about in several ways, with different gradients: so if no
    mistake fits together with its gradients, one whose values fit will do. An answer whose values
    are right can be wrong only in its gradients, so there these must fit.
    """
    known = exercise.misconceptions
    fits = (wrong for wrong in known if _does_the_same(exercise, wrong, trials))
    values_fit = (
        wrong for wrong in known if _does_the_same(exercise, wrong, trials, gradients=False)
    )
    by_values = exercise.gradients and any(_is_wrong(trial, exercise) for trial in trials)
    found = next(fits, None) or (next(values_fit, None) if by_values else None)
    return _named(found) if found else None


def _does_the_same(
    exercise: Exercise, function: Callable, trials: Sequence[Trial], gradients: bool = True
) -> bool:
    """Whether a function gives on every case what the answer gives."""
    gradients = gradients and exercise.gradients
    for trial in trials:
        got = trial.got if gradients else replace(trial.got, gradients=())
        if apart(_known(function, trial.case, gradients), got, exercise.tolerance) > 1:
            return False
    return True


def _where_wrong(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    """The misconception that gives what the answer gives on each case where that is wrong."""
    wrong = [t for t in trials if _is_wrong(t, exercise)]
    returned = [t for t in wrong if not t.got.stop]
    if len(returned) < 2 or not any(_tells_much(trial) for trial in returned):
        return None
    stopped = [t for t in wrong if t.got.stop]
    for known in exercise.misconceptions:
        does = _does_the_same(exercise, known, returned, gradients=False)
        if does and all(_stops_too(_known(known, t.case), t.got) for t in stopped):
            return _named(known)
    return None


def _stops_too(known: Outcome, got: Outcome) -> bool:
    """Whether a mistake stops where an answer stopped; a tensor has NaN where a number stops."""
    divided = got.stop is not None and got.stop.kind == ZeroDivisionError.__name__
    return known.stop is not None or (divided and _has_nan(known))


def _in_parts(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    """A known mistake in one of several things that an answer returns, on every case."""
    if not all(_parts(t.expected.value) and _fits(t) for t in trials):
        return None
    for key in _parts(trials[0].expected.value):
        wrong = [t for t in trials if not _has_right_part(t.got.value, t, key, exercise.tolerance)]
        if not wrong:
            continue
        for known in exercise.misconceptions:
            mistaken = [replace(t, got=_known(known, t.case)) for t in trials]
            if all(_fits(t) for t in mistaken) and _is_in_part(exercise, key, trials, mistaken):
                return _named(known)
    return None


def _is_in_part(
    exercise: Exercise, key: Any, trials: Sequence[Trial], mistaken: Sequence[Trial]
) -> bool:
    """Whether a mistake gives an answer's part wherever that is wrong, and each part that it spoils
    is spoilt in the same way in the answer."""
    for trial, other in zip(trials, mistaken, strict=True):
        for part in _parts(trial.expected.value):
            spoilt = not _has_right_part(other.got.value, trial, part, exercise.tolerance)
            wrong = not _has_right_part(trial.got.value, trial, part, exercise.tolerance)
            same = distance(other.got.value[part], trial.got.value[part], exercise.tolerance) <= 1
            if not same and (spoilt or (wrong and part == key)):
                return False
    return True


def _parts(value: Any) -> list[Any]:
    """The names or the numbers of the things that a value holds; none where it is one thing."""
    if isinstance(value, Mapping):
        return list(value)
    return list(range(len(value))) if isinstance(value, tuple) else []


def _fits(trial: Trial) -> bool:
    """Whether an answer returned as many things as were asked for, under the same names."""
    got, expected = trial.got.value, trial.expected.value
    if isinstance(expected, Mapping):
        return isinstance(got, Mapping) and set(got) == set(expected)
    return isinstance(got, tuple | list) and len(got) == len(expected)


def _has_right_part(value: Any, trial: Trial, key: Any, tolerance: float) -> bool:
    return distance(value[key], trial.expected.value[key], tolerance) <= 1


def _is_wrong(trial: Trial, exercise: Exercise) -> bool:
    """Whether the value is wrong, whatever its gradients and whatever becomes of the inputs."""
    got, expected = (replace(o, gradients=(), changed=()) for o in (trial.got, trial.expected))
    return apart(got, expected, exercise.tolerance) > 1


def _tells_much(trial: Trial) -> bool:
    """Whether a value is more than a yes, a no, a small number or nothing at all."""
    value = trial.got.value
    if isinstance(value, Tensor) and value.numel() > 2:
        return True
    if isinstance(value, Tensor) and value.numel() == 1:
        value = value.item()
    if isinstance(value, float):
        return math.isfinite(value) and not value.is_integer()
    return isinstance(value, tuple | list | Mapping) and len(value) > 2


# --- of the result, of an argument ---------------------------------------------------------------


def _of_the_result(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    if any(trial.got.stop for trial in trials):
        return None
    for function in functions_of(OfTheResult):
        if _explains(exercise, trials, lambda trial, f=function: f(trial.expected.value)):
            return _named(function)
    return None


def _of_an_argument(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    names = list(inspect.signature(exercise.oracle).parameters)
    for place, name in enumerate(names):
        for function in functions_of(OfAnArgument):
            change = _changing(exercise, {place: function})
            if _explains(exercise, trials, change):
                return _named(function, name=name)
    for (i, one), (j, other) in itertools.permutations(enumerate(names), 2):
        if _explains(exercise, trials, _moving(exercise, {i: j})):
            return Mistake(
                "argument_used_twice",
                f"You use `{other}` in place of `{one}`.",
                f"Where does `{one}` belong, and does it stand there?",
            )
    for (i, one), (j, other) in itertools.combinations(enumerate(names), 2):
        if _explains(exercise, trials, _moving(exercise, {i: j, j: i})):
            return Mistake(
                "arguments_exchanged",
                f"It is as if `{one}` and `{other}` were exchanged.",
                f"Where does `{one}` stand in your function, and where `{other}`?",
            )
    return None


def _explains(
    exercise: Exercise, trials: Sequence[Trial], mistaken: Callable[[Trial], Any]
) -> bool:
    """Whether an answer returns on every case what the right answer, so mistaken, returns."""
    tells = False
    for trial in trials:
        try:
            value = mistaken(trial)
        except Exception:  # the mistake cannot be made here
            value = _IMPOSSIBLE
        is_wrong = not _is_the_same(trial.got.value, trial.expected.value, exercise.tolerance)
        if value is _IMPOSSIBLE or trial.got.stop:
            if is_wrong:
                return False
            continue
        if not _is_the_same(trial.got.value, value, exercise.tolerance):
            return False
        tells = tells or is_wrong
    return tells


_IMPOSSIBLE = object()


def _is_the_same(value: Any, other: Any, tolerance: float) -> bool:
    """Whether two values are equal and of one type; tensors, lists and numbers are told apart."""
    kinds = [
        Tensor if isinstance(one, Tensor) else float if is_number(one) else type(one)
        for one in (value, other)
    ]
    return kinds[0] == kinds[1] and distance(value, other, tolerance) <= 1


def _changing(exercise: Exercise, changes: Mapping[int, Callable]) -> Callable[[Trial], Any]:
    """What the right answer returns when arguments are taken for something else."""

    def mistaken(trial: Trial) -> Any:
        arguments = [
            changes[place](argument) if place in changes else argument
            for place, argument in enumerate(trial.case.arguments)
        ]
        return _returned(exercise, tuple(arguments))

    return mistaken


def _moving(exercise: Exercise, places: Mapping[int, int]) -> Callable[[Trial], Any]:
    """What the right answer returns when arguments stand in the places of others.

    Args:
        exercise: whose right answer it is.
        places: from a place to the place of what is used there.
    """

    def mistaken(trial: Trial) -> Any:
        given = trial.case.arguments
        moved = [given[places.get(place, place)] for place in range(len(given))]
        return _returned(exercise, tuple(moved))

    return mistaken


def _returned(exercise: Exercise, arguments: tuple[Any, ...]) -> Any:
    outcome = outcome_of(exercise.oracle, Case("changed", arguments))
    return _IMPOSSIBLE if outcome.stop else outcome.value


def _by_a_factor(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    """A number by which the whole result is off on each case, the same or another one."""
    factors = {}
    for trial in trials:
        factor = _factor_of(trial, exercise.tolerance)
        if factor is None:
            return None
        if math.isfinite(factor):
            factors[trial.case.name] = factor
    if len(factors) < 2 or all(abs(factor - 1) < 1e-2 for factor in factors.values()):
        return None
    first, *others = factors.values()
    if all(math.isclose(first, other, rel_tol=1e-3) for other in others):
        return Mistake(
            "off_by_a_factor",
            f"Yours is {first:.4g} times the right result, on every input.",
            "Which number is left out, or is there once too often?",
        )
    if all(trial.expected.value.numel() == 1 for trial in trials):
        return None
    (name, one), *_, (other_name, other) = sorted(factors.items(), key=lambda each: each[1])
    return Mistake(
        "off_by_a_factor_that_varies",
        f"On each input yours is the right result times a number: {one:.4g} on {name}, "
        f"{other:.4g} on {other_name}.",
        "Which size of the input gives these numbers? Do you multiply or divide by the right size?",
    )


def _factor_of(trial: Trial, tolerance: float) -> float | None:
    """The number that the right value was multiplied by; infinite where any would do."""
    got, expected = trial.got.value, trial.expected.value
    if not all(isinstance(one, Tensor) and one.is_floating_point() for one in (got, expected)):
        return None
    if got.shape != expected.shape or not expected.isfinite().all():
        return None
    at = expected.abs().flatten().argmax() if expected.numel() else None
    if at is None or not expected.flatten()[at]:
        return math.inf
    factor = float(got.flatten()[at] / expected.flatten()[at])
    same = distance(got, expected * factor, max(tolerance, 1e-4)) <= 1
    return factor if same and factor else None


# --- by behaviour --------------------------------------------------------------------------------


def _by_behaviour(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    """What can be said of an answer that is no known mistake."""
    wrong = [trial for trial in trials if _is_wrong(trial, exercise)]
    right = [trial for trial in trials if not _is_wrong(trial, exercise)]
    if not wrong:
        return _beside_the_values(exercise, right)
    for behaves in (
        _does_what_is_forbidden,
        _takes_too_long,
        _returns_nothing,
        _has_other_arguments,
        _returns_another_kind,
        _needs_one_layout,
        _knows_one_sentence,
        _knows_one_precision,
        _knows_one_layout,
        _gives_nan,
        _is_the_same_everywhere,
        _shapes_do_not_fit,
    ):
        if mistake := behaves(wrong, right):
            return mistake
    return None


Behaviour = Sequence[Trial]


def _does_what_is_forbidden(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    stop = next((t.got.stop for t in wrong if t.got.stop), None)
    if stop is None or stop.kind != NotAllowedHere.__name__:
        return None
    return Mistake(
        "not_allowed",
        "Your function calls what the exercise asks you to write, or to do without.",
        "Write it from operations that the question allows.",
    )


def _takes_too_long(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    if not any(t.got.stop and t.got.stop.kind == TookTooLong.__name__ for t in wrong):
        return None
    return Mistake(
        "takes_too_long",
        "Your function does not come to an end, or is far too slow.",
        "Which condition ends each of your loops, and can it be met?",
    )


def _returns_nothing(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    if right or any(t.got.stop or t.got.value is not None for t in wrong):
        return None
    return Mistake(
        "returns_nothing",
        "Your function returns nothing.",
        "What is printed is not returned: end the function with `return`.",
    )


_OTHER_ARGUMENTS = ("positional argument", "unexpected keyword argument", "takes no arguments")


def _has_other_arguments(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    if right or not all(t.got.stop and t.got.stop.kind == TypeError.__name__ for t in wrong):
        return None
    stop = wrong[0].got.stop
    if stop is None or stop.line or not any(said in stop.message for said in _OTHER_ARGUMENTS):
        return None
    return Mistake(
        "other_arguments",
        "Your function cannot be called with the arguments that the question names.",
        "Leave the first line of the answer cell as it is: all arguments, in their order.",
    )


_NOT_RUN_THROUGH = ("generator", "map", "filter", "zip", "reversed", "list_reverseiterator")


_OTHER_NAMES = Mistake(
    "other_names",
    "Your dictionary has other names than the question asks for.",
    "Copy the names from the question, letter by letter.",
)


def _returns_another_kind(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    if right or any(t.got.stop for t in wrong) or not all(map(kind_fault, wrong)):
        return None
    if type_name(wrong[0].got.value) in _NOT_RUN_THROUGH:
        return Mistake(
            "not_run_through",
            "Your function returns something to loop over, which has not computed anything yet.",
            "Put `list(…)`, `tuple(…)` or `dict(…)` around it, whichever the question asks for.",
        )
    expected, got = wrong[0].expected.value, wrong[0].got.value
    if isinstance(expected, Mapping) and isinstance(got, Mapping) and set(got) != set(expected):
        return _OTHER_NAMES
    return Mistake(
        "another_kind",
        "What you return is not of the kind that is asked for.",
        "Which type does the question ask for? In the first line of the answer cell, it stands "
        "behind `->`.",
    )


def _beside_the_values(exercise: Exercise, trials: Behaviour) -> Mistake | None:
    """What is wrong with an answer whose values are all right."""
    if any(t.got.changed for t in trials):
        return Mistake(
            "changes_its_inputs",
            "The values are right, but your function changes what it was given.",
            "Lines such as `x += 1` and `x[0] = 1` change the caller's tensor, and `x.append(1)` "
            "changes the caller's list: make a new one.",
        )
    if fault := next((fault for t in trials if (fault := kind_fault(t))), ""):
        return Mistake(
            "another_kind",
            f"The values are right, but {fault}.",
            "Which type does the question ask for?",
        )
    for rule in exercise.rules:
        if not all(rule.holds(t.case, t.got.value) for t in trials):
            says = f"The values are right, but this does not hold: {rule.says}."
            return Mistake("breaks_a_rule", says, exercise.hint)
    if not exercise.gradients:
        return None
    if all(t.got.gradients is None for t in trials):
        return Mistake(
            "loses_gradients",
            "The values are right, but no gradient flows back through your function.",
            "`detach`, `no_grad`, `.data`, `.item()`, `torch.tensor` and NumPy cut it off.",
        )
    return Mistake(
        "other_gradients",
        "The values are right, but their gradient is not: part of it may be cut off or not finite.",
        "Look for a part that is detached, rounded or taken from a constant, and for NaN.",
    )


def _needs_one_layout(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    if not any(t.got.stop and "view size is not" in t.got.stop.message for t in wrong):
        return None
    return Mistake(
        "needs_one_layout",
        "`view` only works where the numbers lie in memory in the order of the dimensions, and a "
        "transposed tensor's do not.",
        "`reshape` does the same for every tensor.",
    )


def _knows_one_sentence(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    if not wrong or len(right) < 2:
        return None
    if min(map(_dimensions, wrong)) <= max(map(_dimensions, right)):
        return None
    return Mistake(
        "knows_one_sentence",
        "Your function is right without leading dimensions, such as that of a batch, but not with "
        "them.",
        "Count dimensions from the end (−1, −2), and transpose with `.mT`.",
    )


def _dimensions(trial: Trial) -> int:
    """How many dimensions a case's tensors have, all together."""
    return sum(a.dim() for a in trial.case.arguments if isinstance(a, Tensor))


def _knows_one_precision(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    if not wrong or not right:
        return None
    if not all(_is_double(t) for t in wrong) or any(_is_double(t) for t in right):
        return None
    return Mistake(
        "knows_one_precision",
        "Your function is right in single precision, but not in double precision.",
        "Give what you make yourself the type of the input, as in `torch.ones(3, dtype=x.dtype)`.",
    )


def _knows_one_layout(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    """Wrong for transposed tensors alone, and not because of their precision."""
    if not wrong or not all(_is_double(t) and _is_transposed(t) for t in wrong):
        return None
    if not any(_is_double(t) for t in right):
        return None
    return Mistake(
        "knows_one_layout",
        "Your function is wrong only for tensors that lie in memory as a transposed one does.",
        "`reshape` and `flatten` make a copy of such a tensor: what you write into it is lost. "
        "Return what you have written into, or index the tensor itself.",
    )


def _is_transposed(trial: Trial) -> bool:
    tensors = [a for a in trial.case.arguments if isinstance(a, Tensor)]
    return not all(a.is_contiguous() for a in tensors)


def _is_double(trial: Trial) -> bool:
    tensors = [a for a in trial.case.arguments if isinstance(a, Tensor)]
    return any(a.dtype == torch.float64 for a in tensors)


def _gives_nan(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    nan = next((t for t in wrong if _has_nan(t.got) and not _has_nan(t.expected)), None)
    if nan is None:
        return None
    return Mistake(
        "gives_nan",
        f"On {nan.case.name} your result has NaN in it.",
        "NaN comes from 0/0, ∞ − ∞ or 0 · ∞: where can one of these arise?",
    )


def _has_nan(outcome: Outcome) -> bool:
    return _is_nan_in(outcome.value)


def _is_nan_in(value: Any) -> bool:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return any(map(_is_nan_in, value))
    if isinstance(value, Tensor):
        return value.is_floating_point() and bool(value.isnan().any())
    return isinstance(value, float) and math.isnan(value)


def _is_the_same_everywhere(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    trials = [*wrong, *right]
    first = trials[0].got
    if len(wrong) < 3 or any(t.got.stop for t in trials):
        return None
    same = all(distance(t.got.value, first.value, 1e-9) <= 1 for t in trials)
    if not same or all(
        distance(t.expected.value, trials[0].expected.value, 1e-9) <= 1 for t in trials
    ):
        return None
    return Mistake(
        "same_everywhere",
        "Your function returns the same on every input.",
        "Does it use its arguments, or numbers from an example?",
    )


_UNFIT = (
    "must match the size",
    "shapes cannot be multiplied",
    "must match the existing size",
    "Sizes of tensors must match",  # torch.cat
    "Expected size for first two dimensions",
    "size mismatch",
    "is invalid for input of size",
    "inconsistent tensor size",
    "not broadcastable",
    "could not be broadcast",
    "doesn't match the broadcast shape",
    "The shape of the mask",
    "expand(",
)


def _shapes_do_not_fit(wrong: Behaviour, right: Behaviour) -> Mistake | None:
    stopped = [t for t in wrong if t.got.stop]
    if not stopped or not any(word in stopped[0].got.stop.message for word in _UNFIT):  # type: ignore[union-attr]
        return None
    where = " on some inputs" if right else ", and no result is right"
    return Mistake(
        "shapes_do_not_fit",
        f"Two of your shapes do not fit together{where}.",
        "Write the shape of each tensor beside your lines, with the letters of the question. "
        "Which dimension should be the same in both?",
    )


# --- of a value ----------------------------------------------------------------------------------


def _in_a_value(exercise: Exercise, trials: Sequence[Trial]) -> Mistake | None:
    """The mistake in a value, or in those of its parts that are wrong.

    Nothing is said that would give the right value away, nor which of several truths is wrong.
    """
    value, expected = trials[0].got.value, trials[0].expected.value
    if not isinstance(expected, Mapping):
        return _in_a_part(value, expected, exercise.tolerance)
    if not isinstance(value, Mapping):
        return Mistake(
            "no_dictionary",
            "A dictionary is asked for.",
            "Copy its names from the question, and give each of them an answer.",
        )
    if set(value) != set(expected):
        return _OTHER_NAMES
    wrong = [k for k in expected if distance(value[k], expected[k], exercise.tolerance) > 1]
    if all(isinstance(one, bool) for one in expected.values()):
        return None
    if all(isinstance(one, str) for one in expected.values()):
        return _in_a_choice(exercise, value, wrong)
    for known in exercise.misconceptions:
        if all(_gives(known, value, key, exercise.tolerance) for key in wrong) and _spoils_only(
            known, value, exercise
        ):
            return _named(known)
    parts = [_in_a_part(value[key], expected[key], exercise.tolerance) for key in wrong]
    if None in parts or len({part.name for part in parts if part}) != 1:
        return _of_one_part(exercise, value, wrong)
    return parts[0]


def _in_a_choice(exercise: Exercise, value: Mapping, wrong: Sequence[Any]) -> Mistake | None:
    """The first known mistake all of whose wrong choices were made."""
    for known in exercise.misconceptions:
        if _spoils_only(known, value, exercise):
            return _named(known)
    expected = exercise.oracle().values()
    if "none" in expected and all(
        value[key] != "none" and str(value[key]).lower() == "none" for key in wrong
    ):
        return Mistake(
            "none_in_other_letters",
            'For "none" you wrote something else.',
            'Write it in small letters and in quotes: "none".',
        )
    if not all(isinstance(one, str) for one in value.values()):
        return Mistake(
            "not_in_quotes",
            "Not all of your answers are texts.",
            "Put each answer in quotes, as the question shows it.",
        )
    if all(one == _in_usual_letters(one) for one in expected) and any(
        one != _in_usual_letters(one) for one in value.values()
    ):
        return Mistake(
            "in_other_letters",
            "Some of your answers are spelled otherwise than in the question.",
            "Words are in small letters, single letters are capitals, and there are no spaces "
            "around them or too many between them.",
        )
    return None


def _in_usual_letters(choice: str) -> str:
    """A choice as questions write it: a single letter is a capital, words are in small letters."""
    choice = " ".join(choice.split())
    return choice.upper() if len(choice) == 1 else choice.lower()


def _of_one_part(exercise: Exercise, value: Mapping, wrong: Sequence[Any]) -> Mistake | None:
    """A known mistake in the first wrong part that has one."""
    expected = exercise.oracle()
    for key in wrong:
        for known in exercise.misconceptions:
            if _gives(known, value, key, exercise.tolerance) and _spoils_only(
                known, value, exercise
            ):
                return _about(key, _named(known))
        if part := _in_a_part(value[key], expected[key], exercise.tolerance):
            return _about(key, part)
    return None


def _about(key: Any, mistake: Mistake) -> Mistake:
    """A mistake whose message says which part of the value it is in."""
    if f"`{key}`" in mistake.message:
        return mistake
    return replace(mistake, message=f"`{key}`: {mistake.message}")


def _gives(known: Callable, value: Mapping, key: Any, tolerance: float) -> bool:
    """Whether a known mistake gives a part of a value."""
    other = known()
    is_there = isinstance(other, Mapping) and key in other
    return is_there and distance(value[key], other[key], tolerance) <= 1


def _spoils_only(known: Callable, value: Mapping, exercise: Exercise) -> bool:
    """Whether each part that a known mistake has wrong is just as wrong in a value."""
    other, tolerance = known(), exercise.tolerance
    return isinstance(other, Mapping) and all(
        _gives(known, value, key, tolerance)
        or (key in other and distance(other[key], one, tolerance) <= 1)
        for key, one in exercise.oracle().items()
    )


def _in_a_part(value: Any, expected: Any, tolerance: float) -> Mistake | None:
    if isinstance(expected, tuple | list) and isinstance(value, tuple | list | torch.Size):
        return _in_a_shape(list(value), list(expected), tolerance)
    if not is_number(expected) or not is_number(value):
        return None
    for said, of in _OF_NUMBERS.items():
        if any(distance(value, one, tolerance) <= 1 for one in _safely(of, expected)):
            message, _, hint = said.partition(" — ")
            return Mistake("_".join(message.lower().split()[:4]).strip(".,:"), message, hint)
    return None


def _in_a_shape(value: list, expected: list, tolerance: float) -> Mistake | None:
    if sorted(map(str, value)) == sorted(map(str, expected)):
        return Mistake(
            "another_order",
            "You give the right sizes in another order.",
            "In which order does the question ask for them?",
        )
    if len(value) != len(expected):
        return Mistake(
            "other_number_of_sizes",
            f"You give {len(value)} sizes, but {len(expected)} are asked for.",
            "Name each dimension before you count it.",
        )
    return None


def _safely(of: Callable[[float], Iterator[float]], x: Any) -> Sequence[float]:
    try:
        return list(of(float(x)))
    except (ValueError, ZeroDivisionError, OverflowError):
        return ()


_OF_NUMBERS: Mapping[str, Callable[[float], Any]] = {
    "You give it in percent. — Give it as a share of 1: 0.5 and not 50.": lambda x: (100 * x,),
    "It has the wrong sign. — What is subtracted from what?": lambda x: (-x,),
    "You rounded it. — Leave it as it is computed.": lambda x: (
        one for d in range(5) for one in (round(x, d), math.floor(x * 10**d) / 10**d)
    ),
    "It is upside down. — What is divided by what?": lambda x: (1 / x,),
    "You give one minus what is asked for. — Which of the two shares is it?": lambda x: (1 - x,),
    "It is off by one. — Do you count the first and the last one?": lambda x: (x + 1, x - 1),
    "A root or a square is missing, or is there once too often. — Is it a variance or a standard "
    "deviation, an area or a length?": lambda x: (x**2, x**0.5),
    "A factor of 2 or 4 is missing, or is there once too often. — What is counted twice, or "
    "not often enough?": lambda x: (2 * x, x / 2, 4 * x, x / 4),
    "You give a logarithm of what is asked for, or its exponential. — Which of the two does the "
    "question ask for?": lambda x: (math.log(x), math.log2(x), math.exp(x), 2**x),
}
