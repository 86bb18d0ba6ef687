"""Questions as a package that learning platforms import: QTI 1.2, written by text2qti."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import ascii_lowercase

from mtcourse.errors import MtcourseError
from mtcourse.questions.question import Question
from mtcourse.whole_files import write_whole

_MARKED = re.compile(r"(`[^`]+`|(?<!\w)\*\w[^*]*(?<=\w)\*(?!\w))")
"""Code, or emphasis: no star of a product."""


def write_qti(questions: Sequence[Question], title: str, file: Path) -> None:
    """Writes questions as one quiz, with what each option tells.

    Args:
        questions: at least one.
        title: of the quiz.
        file: a zip archive, as Canvas, Moodle, Blackboard and others import it.

    Raises:
        MtcourseError: text2qti is not installed, or there is no question.
    """
    try:
        from text2qti.config import Config
        from text2qti.qti import QTI
        from text2qti.quiz import Quiz
    except ImportError as error:
        raise MtcourseError(
            "questions are exported by text2qti, which is not installed: "
            "pip install 'mtcourse[questions]'"
        ) from error
    if not questions:
        raise MtcourseError("there is no question to export")
    text = quiz_text(questions, title)
    write_whole(file, QTI(Quiz(text, config=Config(), source_name=title)).zip_bytes())


def quiz_text(questions: Sequence[Question], title: str) -> str:
    """The quiz in text2qti's own form, a Markdown text that can also be read and edited.

    Args:
        questions: in their order.
        title: of the quiz.
    """
    lines = [f"Quiz title: {title}", "shuffle answers: true", ""]
    for number, question in enumerate(questions, 1):
        lines += [f"Title: {question.name}", f"{number}. {question.asks}"]
        for letter, option in zip(ascii_lowercase, question.options(), strict=False):
            mark = "*" if option.right else ""
            lines += [f"{mark}{letter}) {literal(option.text)}", f"... {told(option.says)}"]
        lines.append("")
    return "\n".join(lines)


def told(text: str) -> str:
    """A message with its `code` and *emphasis*, the rest as it stands.

    >>> told("Use `d_k`, *not* 2 * d_k.")
    'Use `d_k`, *not* 2 \\\\* d\\\\_k\\\\.'
    """
    return "".join(
        part if number % 2 else literal(part) for number, part in enumerate(_MARKED.split(text))
    )


def literal(text: str) -> str:
    """Plain text as Markdown shows it unchanged.

    >>> literal("2 * h * d_k")
    '2 \\\\* h \\\\* d\\\\_k'
    """
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]()#+-.!$" else escape(sign) for sign in text)
