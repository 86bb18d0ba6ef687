"""Other numbers for each cohort, so that last year's answers are not this year's.

A bank says which numbers of a value exercise vary, what else they can be, and where they stand in
its texts. A cohort's name draws among them: by a hash, so that every machine draws the same. A draw
counts only if the check still tells every known mistake from the right answer, and each from the
others; else the next one is taken.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from mtcourse.checks.exercise import Exercise, draw_number, functions_of
from mtcourse.checks.judge import expected_of
from mtcourse.checks.outcomes import apart, outcome_of
from mtcourse.checks.report import verdicts_on
from mtcourse.errors import MtcourseError

VISIBLE = 10
"""The tolerances that a mistake is away from the right answer at least."""
MAX_DRAWS = 100
"""The draws after which the numbers of an exercise count as unfit."""
_STYLES: tuple[Callable[[int], str], ...] = (
    str,
    lambda number: f"{number:,}",
    lambda number: f"{number:_}",
    lambda number: f"{number:,}".replace(",", "{,}"),
)
"""How a whole number is written in texts, in code and in formulas."""
_BEGIN, _END = r"(?<![A-Za-z0-9_.])", r"(?![A-Za-z0-9_]|[.,]\d|\{,\}\d)"
"""A number begins and ends here, and is no part of a longer one or of a name."""
_NUMBER = re.compile(rf"{_BEGIN}\d+(?:[.,_]\d+|\{{,\}}\d+)*")


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of an exercise that vary, and where they stand.

    Args:
        choices: what each number can be, the published one first.
        texts: how the numbers stand in the exercise's texts, such as "{d_k}" or "{rows} rows"; one
            without a number in braces, such as "chapter 8", stays as it is.
        derived: further names for the texts, computed from the numbers.
        fit: whether some numbers go together.
    """

    choices: Mapping[str, Sequence[Any]]
    texts: Sequence[str] = ()
    derived: Callable[[Any], Mapping[str, Any]] = lambda numbers: {}
    fit: Callable[[Any], bool] = lambda numbers: True

    @property
    def published(self) -> SimpleNamespace:
        """The numbers of the published exercise."""
        return SimpleNamespace(**{name: options[0] for name, options in self.choices.items()})

    def draw(self, source: str, cohort: str) -> SimpleNamespace:
        """The numbers of a cohort: none is the published one, or that of the year before.

        Args:
            source: what they are drawn from, beside the cohort's name.
            cohort: its name.
        """
        year, name = (int(cohort), "") if cohort.isdecimal() else (0, cohort)
        return SimpleNamespace(
            **{
                of: other[(draw_number(f"{source} {name} {of}", 2**32) + year) % len(other)]
                for of, (_, *other) in self.choices.items()
            }
        )

    def count(self) -> int:
        """How many versions can be drawn."""
        every = itertools.product(*(other for _, *other in self.choices.values()))
        versions = (SimpleNamespace(**dict(zip(self.choices, one, strict=True))) for one in every)
        return sum(map(self.fit, versions))

    def rewriter(self, numbers: SimpleNamespace) -> Callable[[str], str]:
        """Writes texts with these numbers in place of the published ones.

        Raises:
            MtcourseError: two of ``texts`` are the same with the published numbers.
        """
        pairs = self._pairs(numbers)
        pattern = _pattern_of(pairs)
        return lambda text: pattern.sub(lambda found: pairs[" ".join(found[0].split())], text)

    def unknown(self, text: str) -> list[str]:
        """The numbers above 2 in a text of which nothing says whether they vary."""
        rest = _pattern_of(self._pairs(self.published)).sub("", text)
        return [number for number in _NUMBER.findall(rest) if number not in ("0", "1", "2")]

    def _pairs(self, numbers: SimpleNamespace) -> dict[str, str]:
        """What stands in a text, with what is to stand there."""
        before, after = (vars(one) | dict(self.derived(one)) for one in (self.published, numbers))
        found: dict[str, tuple[str, str]] = {}
        for text in self.texts:
            for style in _STYLES:
                key, value = (text.format_map(_styled(one, style)) for one in (before, after))
                if found.setdefault(key, (text, value))[0] != text:
                    raise MtcourseError(
                        f"{found[key][0]!r} and {text!r} are both {key!r} in the published text: "
                        "write the words around them, too"
                    )
        return {key: value for key, (_, value) in found.items()}


def _styled(values: Mapping[str, Any], style: Callable[[int], str]) -> dict[str, str]:
    return {
        name: style(value) if isinstance(value, int) else str(value)
        for name, value in values.items()
    }


def _pattern_of(texts: Mapping[str, str]) -> re.Pattern[str]:
    """Finds any of some texts, the longest first, wherever lines are broken."""
    longest_first = sorted(texts, key=len, reverse=True)
    parts = (r"\s+".join(map(re.escape, text.split())) for text in longest_first)
    return re.compile(rf"{_BEGIN}(?:{'|'.join(parts)}){_END}")


class Versions:
    """The versions of an exercise, one for each cohort.

    Args:
        id: the exercise's name.
        numbers: what varies.
        make: makes the exercise with some numbers.
    """

    def __init__(
        self, id: str, numbers: Numbers, make: Callable[[SimpleNamespace], Exercise]
    ) -> None:
        self._id, self.numbers, self._make = id, numbers, make
        self._drawn: dict[str, tuple[SimpleNamespace, Exercise]] = {}

    def for_cohort(self, cohort: str) -> Exercise:
        """The exercise with a cohort's numbers, the same for the same name."""
        return self._version(cohort)[1]

    def numbers_of(self, cohort: str) -> dict[str, Any]:
        """The numbers of a cohort by their names."""
        return vars(self._version(cohort)[0])

    def rewrite(self, text: str, cohort: str) -> str:
        """A text of the exercise with a cohort's numbers in place of the published ones."""
        return self.numbers.rewriter(self._version(cohort)[0])(text)

    def unknown(self, text: str) -> list[str]:
        """The numbers above 2 in a text of which nothing says whether they vary."""
        return self.numbers.unknown(text)

    def _version(self, cohort: str) -> tuple[SimpleNamespace, Exercise]:
        if cohort not in self._drawn:
            self._drawn[cohort] = self._draw(cohort)
        return self._drawn[cohort]

    def _draw(self, cohort: str) -> tuple[SimpleNamespace, Exercise]:
        """The first numbers that the cohort's name draws and that the check can tell apart."""
        for attempt in range(MAX_DRAWS):
            numbers = self.numbers.draw(f"{self._id} {attempt}", cohort)
            if self.numbers.fit(numbers):
                version = self._make(numbers)
                if not find_confusion(version):
                    return numbers, version
        raise MtcourseError(
            f"{self._id}: no numbers for the cohort {cohort!r} tell all of its known mistakes "
            "apart: give it more to choose from"
        )


def spelled(number: int) -> str:
    """A small number in words, for texts.

    >>> spelled(4)
    'four'
    """
    return _WORDS[number]


_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def vary(
    numbers: Numbers,
    *,
    id: str,
    oracle: Callable,
    hint: str,
    wrong: type,
    right: type,
    tolerance: float = Exercise.tolerance,
) -> Exercise:
    """An exercise that asks for a value, and whose numbers are others for each cohort.

    Args:
        numbers: what varies.
        id: the exercise's name.
        oracle: from the numbers to the right value.
        hint: said where no mistake fits.
        wrong: a class that is only a name for the known mistakes, each a function of the numbers.
        right: a class that is only a name for right answers, likewise.
        tolerance: as in ``Exercise``.
    """

    def make(of_cohort: SimpleNamespace) -> Exercise:
        rewrite = numbers.rewriter(of_cohort)

        def filled_in(function: Callable) -> Callable:
            @functools.wraps(function)
            def value() -> Any:
                return function(of_cohort)

            value.__doc__ = rewrite(function.__doc__ or "")
            return value

        return Exercise(
            id=id,
            oracle=filled_in(oracle),
            hint=rewrite(hint),
            misconceptions=tuple(map(filled_in, functions_of(wrong))),
            right=tuple(map(filled_in, functions_of(right))),
            tolerance=tolerance,
        )

    return replace(make(numbers.published), versions=Versions(id, numbers, make))


def find_confusion(exercise: Exercise) -> str:
    """What a check with these numbers and its public seed would get wrong; empty if nothing.

    Every known mistake has to be visible, and has to get its own message; every right answer has
    to pass.
    """
    cases = exercise.inputs()
    expected = expected_of(exercise, cases)
    for wrong in exercise.misconceptions:
        outcomes = [outcome_of(wrong, case, exercise.gradients) for case in cases]
        pairs = zip(outcomes, expected, strict=True)
        if all(apart(one, other, exercise.tolerance) < VISIBLE for one, other in pairs):
            return f"the mistake {wrong.__name__} gives the right answer, or nearly"
    verdicts = verdicts_on(exercise, exercise.misconceptions, exercise.public_seed)
    for wrong, verdict in zip(exercise.misconceptions, verdicts, strict=True):
        if verdict.passed or verdict.misconception != wrong.__name__:
            taken = "right" if verdict.passed else verdict.misconception or "unknown"
            return f"the mistake {wrong.__name__} is taken for {taken}"
    verdicts = verdicts_on(exercise, exercise.right, exercise.public_seed)
    for right, verdict in zip(exercise.right, verdicts, strict=True):
        if not verdict.passed:
            return f"the right answer {right.__name__} does not pass"
    return ""
