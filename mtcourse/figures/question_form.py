"""A question with options to press, on a page without a kernel and in a notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from markdown_it import MarkdownIt

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import CSS, JAVASCRIPT, module

_MARKDOWN = MarkdownIt("commonmark", {"html": False})
_SYMBOL = re.compile(r"(<code>.*?</code>)|(?<!\w)(\w)_(−?\w+)")
"""Code, which stays as it is, or a symbol with an index."""
_STYLES = CSS + (JAVASCRIPT / "questions.css").read_text(encoding="utf-8")
SCRIPT = (
    f"<script>\n{{const QUESTIONS_CSS = {json.dumps(_STYLES)};\n"
    + module(JAVASCRIPT / "questions.js")
    + "}</script>"
)
"""What lets the questions of a page be answered; several copies do no harm."""


@dataclass(frozen=True)
class Option:
    """What can be answered.

    Args:
        text: in plain text; the index of a symbol such as d_k is set as one.
        says: what the reader is told, in a line of Markdown: `code` and *emphasis*, and symbols.
        right: whether it is the answer.
    """

    text: str
    says: str
    right: bool = False


def question_form(name: str, asks: str, options: Sequence[Option], guess: bool = False) -> str:
    """The HTML of a question; ``SCRIPT`` must follow it.

    Args:
        name: unlike all others of its page; a page keeps by it what its reader has answered.
        asks: the question, in a line of Markdown.
        options: one of them right.
        guess: whether any option ends the question, and results behind it wait for that.

    Raises:
        MtcourseError: there are fewer than two options, two are alike, or not one is right.
    """
    texts = [option.text for option in options]
    if len(set(texts)) != len(texts) or len(texts) < 2:
        raise MtcourseError(f"a question needs at least two options, all different, not {texts}")
    right = [option.text for option in options if option.right]
    if len(right) != 1:
        raise MtcourseError(f"one option must be right, but {len(right)} of {texts} are")
    buttons = "".join(
        f'<button type="button" data-says="{escape(_line(option.says))}"'
        f"{' data-right' if option.right else ''}>{_with_indices(escape(option.text))}</button>"
        for option in options
    )
    before = "<b>Your guess first.</b> " if guess else ""
    answer = _with_indices(escape(right[0]))
    skip = (
        '<button type="button" class="question-skip" '
        f'data-says="The answer is: {escape(answer)}.">Show the result without a guess</button>'
    )
    return (
        f'<form class="mtcourse-explorer mtcourse-question" data-name="{escape(name)}"'
        f"{' data-guess' if guess else ''}><fieldset><legend>{before}{_line(asks)}</legend>"
        f'<div class="question-options">{buttons}</div></fieldset>'
        f'{skip if guess else ""}<p role="status"></p></form>'
    )


def _line(markdown: str) -> str:
    """A line of Markdown as HTML."""
    return _with_indices(_MARKDOWN.renderInline(markdown))


def _with_indices(html: str) -> str:
    """HTML in which the index of a symbol stands lower: W_O, d_model, h_class."""
    return _SYMBOL.sub(lambda found: found[1] or f"{found[2]}<sub>{found[3]}</sub>", html)
