"""The questions of all chapters, found in the files ``questions.py`` of their folders."""

from __future__ import annotations

import importlib
from pathlib import Path

from mtcourse.checks.banks import CHAPTERS
from mtcourse.questions.question import Question


def chapters_with_questions() -> list[str]:
    """The words of the chapters that have questions, in the order of the alphabet."""
    folder = Path(__file__).resolve().parents[1] / "chapters"
    return sorted(path.parent.name for path in folder.glob("*/questions.py"))


def questions_of(word: str) -> tuple[Question, ...]:
    """The questions of a chapter, given by its word."""
    return importlib.import_module(f"{CHAPTERS}.{word}.questions").QUESTIONS
