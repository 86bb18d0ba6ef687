"""Questions that a reader answers in the page, without a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import HTML

from mtcourse.figures.question_form import SCRIPT, question_form
from mtcourse.questions.question import Question


def ask(questions: Sequence[Question]) -> HTML:
    """Shows questions one below the other; each says what is wrong with a wrong option.

    Args:
        questions: of a chapter, its ``QUESTIONS``.
    """
    forms = [
        question_form(of.name, f"{number}. {of.asks}", of.options())
        for number, of in enumerate(questions, start=1)
    ]
    return HTML("".join(forms) + SCRIPT)
