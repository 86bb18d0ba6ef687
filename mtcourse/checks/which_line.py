"""Exercises that ask of a broken program in which of its lines each thing goes wrong."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

from mtcourse.checks.exercise import Exercise, functions_of

Lines = dict[str, str]


def which_line(id: str, lines: Mapping[str, str], wrong: type, hint: str) -> Exercise:
    """An exercise whose answer is a line's letter, or "none", for each of several symptoms.

    Args:
        id: the exercise's name.
        lines: the right letter for each symptom.
        wrong: a class that is only a name for the known mistakes. Each returns the symptoms that it
            has wrong, with its letters; the others are right.
        hint: said where no mistake fits.
    """

    def without_names() -> list[str]:
        """The answer is a dictionary whose keys are the symptoms.

        Put a letter or "none" after each of them.
        """
        return list(lines.values())

    def small_letters() -> Lines:
        """You wrote small letters. The letters of the question are capitals.

        Write each letter as it stands in the question.
        """
        return {symptom: letter.lower() for symptom, letter in lines.items()}

    def sorted_by_symptom() -> Lines:
        return dict(sorted(lines.items()))

    def last_first() -> Lines:
        return dict(reversed(list(lines.items())))

    def none_last() -> Lines:
        return dict(sorted(lines.items(), key=lambda each: each[1] == "none"))

    def by_letter() -> Lines:
        return {name: letter for letter in sorted(set(lines.values())) for name in _of(letter)}

    def _of(letter: str) -> list[str]:
        return [name for name, one in lines.items() if one == letter]

    def one_by_one() -> Lines:
        answer: Lines = dict.fromkeys(lines, "none")
        for name, letter in lines.items():
            answer[name] = letter
        return answer

    own = (_among_right_ones(function, lines) for function in functions_of(wrong))
    return Exercise(
        id=id,
        oracle=lambda: dict(lines),
        hint=hint,
        misconceptions=(without_names, small_letters, *own),
        right=(sorted_by_symptom, last_first, none_last, by_letter, one_by_one),
    )


def with_every_line(
    wrong: type,
    lines: Mapping[str, str],
    does: Mapping[str, str],
    asks: Mapping[str, tuple[str, str]],
) -> type:
    """The known mistakes, and one for every other line that could be blamed for a symptom.

    Args:
        wrong: a class that is only a name for the mistakes with messages of their own.
        lines: the right letter for each symptom.
        does: for each letter what its line does, as it follows "This line".
        asks: for each symptom what it is about, as it follows "For", and a question.
    """
    known = functions_of(wrong)
    named = {pair for mistake in known for pair in mistake().items()}
    others = (
        _blamed(symptom, letter, *asks[symptom], does[letter])
        for symptom, right in lines.items()
        for letter in does
        if letter != right and (symptom, letter) not in named
    )
    return type(wrong.__name__, (), {mistake.__name__: mistake for mistake in (*known, *others)})


def _blamed(symptom: str, letter: str, about: str, question: str, does: str) -> Callable:
    """A line that is blamed for a symptom, with its message."""

    def blamed() -> Lines:
        return {symptom: letter}

    blamed.__name__ = f"{letter}_for_{re.sub('[^a-z0-9]+', '_', about.lower()).strip('_')}"
    blamed.__doc__ = f"For {about} you name line {letter}. This line {does}.\n\n{question}"
    return blamed


def _among_right_ones(function: Callable, lines: Mapping[str, str]) -> Callable:
    """A mistake in some lines, with the right letters for the others."""

    @functools.wraps(function)
    def mistaken() -> Lines:
        return {**lines, **function()}

    return mistaken
