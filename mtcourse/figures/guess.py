"""A question before a result: on a page, what follows waits for the reader's guess."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape

from IPython.display import HTML

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import CSS, JAVASCRIPT

_STYLES = CSS + (JAVASCRIPT / "guess.css").read_text(encoding="utf-8")
_SCRIPT = (
    f"{{const GUESS_CSS = {json.dumps(_STYLES)};\n"
    + (JAVASCRIPT / "guess.js").read_text(encoding="utf-8")
    + "}"
)


def guess(question: str, options: Sequence[str], key: int) -> HTML:
    """Asks for a guess, and lets results wait: cells and containers marked ``after-guess``.

    What waits follows in the same section. It waits only on a page with scripts. In a
    notebook nothing waits, because a reader runs the next cell when it is time.

    Args:
        question: what is asked; it may hold HTML, such as ``<i>het</i>``.
        options: what can be answered, in plain text.
        key: which option is right, from 0. Compute it from the result, as with ``closest``.

    Raises:
        MtcourseError: there are fewer than two options, two are alike, or the key is none of them.
    """
    if len(set(options)) != len(options) or len(options) < 2:
        raise MtcourseError(f"a guess needs at least two options, all different, not {options}")
    if not 0 <= key < len(options):
        raise MtcourseError(f"the key must be from 0 to {len(options) - 1}, but is {key}")
    buttons = "".join(
        f'<button type="button" data-option="{escape(option)}">{escape(option)}</button>'
        for option in options
    )
    return HTML(
        f'<form class="mtcourse-explorer mtcourse-guess" data-key="{key}"><fieldset>'
        f"<legend><b>Your guess first.</b> {question}</legend>"
        f'<div class="guess-options">{buttons}</div></fieldset>'
        '<button type="button" class="guess-skip">Show the result without a guess</button>'
        f'<p role="status"></p></form>\n<script>\n{_SCRIPT}</script>'
    )


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
