"""A question before a result: on a page, what follows waits for the reader's guess."""

from __future__ import annotations

import re
from collections.abc import Sequence

from IPython.display import HTML

from mtcourse.errors import MtcourseError
from mtcourse.figures.question_form import SCRIPT, Option, question_form


def guess(asks: str, options: Sequence[str], key: int) -> HTML:
    """Asks for a guess, and lets results wait: cells and containers marked ``after-guess``.

    What waits follows in the same section. It waits only on a page with scripts. In a notebook
    nothing waits, because a reader runs the next cell when it is time.

    Args:
        asks: the question, in a line of Markdown.
        options: what can be answered, in plain text.
        key: which option is right, from 0. Compute it from the result, as with ``closest``.

    Raises:
        MtcourseError: there are fewer than two options, two are alike, or the key is none of them.
    """
    if not 0 <= key < len(options):
        raise MtcourseError(f"the key must be from 0 to {len(options) - 1}, but is {key}")
    wrong = f"Not quite. The answer is: {options[key]}."
    offered = [
        Option(text, "You guessed right." if place == key else wrong, place == key)
        for place, text in enumerate(options)
    ]
    return HTML(question_form(asks, asks, offered, guess=True) + SCRIPT)


def closest(value: float, options: Sequence[str]) -> int:
    """Which option is nearest to a result; each has its number in its text.

    Args:
        value: the result.
        options: such as "about 40%", where the number is 40.

    >>> closest(38.2, ["about 4%", "about 40%", "about 90%"])
    1

    Raises:
        MtcourseError: an option has no number, or the result lies halfway between two options.
    """
    numbers = [re.search(r"\d[\d,]*\.?\d*", option) for option in options]
    if None in numbers:
        raise MtcourseError(f"one of {options} has no number")
    away = [abs(float(found[0].replace(",", "")) - value) for found in numbers if found]
    nearest, second = sorted(away)[:2]
    if second < 1.5 * nearest:
        raise MtcourseError(f"{value} is about as far from one option as from another of {options}")
    return away.index(nearest)
