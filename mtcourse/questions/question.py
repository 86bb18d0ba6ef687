"""Multiple-choice questions: the key is computed, and each wrong option is a known mistake."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mtcourse.checks.exercise import Exercise, message_of
from mtcourse.errors import MtcourseError
from mtcourse.figures.question_form import Option


@dataclass(frozen=True)
class Mistake:
    """A wrong option.

    Args:
        text: the option, in plain text, as who makes the mistake would write it.
        says: what a reader who chooses it is told: what went wrong, and what to think of.
        known_as: the mistake in a bank, such as ``score_variance.deviations_added``.
    """

    text: str
    says: str
    known_as: str


@dataclass(frozen=True)
class Question:
    """A question with one right option.

    Args:
        name: of the question, unlike all others of its chapter.
        asks: the question, in a line of Markdown.
        right: the right option, in plain text; compute it.
        because: why it is right, in plain text.
        mistakes: at least two wrong options.

    Raises:
        MtcourseError: there are fewer than two mistakes, or two options read alike.
    """

    name: str
    asks: str
    right: str
    because: str
    mistakes: tuple[Mistake, ...]

    def __post_init__(self) -> None:
        texts = [self.right, *(mistake.text for mistake in self.mistakes)]
        if len(self.mistakes) < 2 or len(set(texts)) != len(texts):
            raise MtcourseError(
                f"question {self.name} needs at least three options, all different, not {texts}"
            )

    def options(self) -> list[Option]:
        """All options, in an order that depends on their texts and gives nothing away."""
        offered = [Option(self.right, f"Right. {self.because}", right=True)]
        offered += [Option(of.text, of.says) for of in self.mistakes]
        return sorted(offered, key=lambda of: _digest(self.name, of.text))


def mistake_of(
    exercise: Exercise,
    name: str,
    case: Sequence[Any] = (),
    show: Callable[[Any], str] = str,
    says: str = "",
) -> Mistake:
    """The option of somebody who makes a mistake that an exercise knows: it is run on the case.

    Args:
        exercise: whose bank knows the mistake.
        name: the mistake's function.
        case: its arguments, the same as for the right option.
        show: from what it returns to the option's text.
        says: what a reader is told; the bank's own message where it is empty.

    Raises:
        MtcourseError: the exercise knows no such mistake.
    """
    known = {found.__name__: found for found in exercise.misconceptions}
    if name not in known:
        raise MtcourseError(f"{exercise.id} knows no mistake {name}; it knows {', '.join(known)}")
    text = show(known[name](*case))
    return Mistake(text, says or " ".join(message_of(known[name])), f"{exercise.id}.{name}")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
