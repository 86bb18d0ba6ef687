"""The instructor's guide names exercises that exist, and its plan fits its meeting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mtcourse.checks.banks import bank_folders, bank_of

PAGE = (Path(__file__).resolve().parents[2] / "book" / "instructors.md").read_text("utf-8")
OUTCOMES = PAGE.partition("## What learners can do afterwards")[2].partition("\n## ")[0]
CLASS = PAGE.partition("## The notebooks in class")[2].partition("\n## ")[0]
BANKS = {word: bank_of(f"00_{word}") for word in bank_folders()}
EXERCISES = {exercise.id for bank in BANKS.values() for exercise in bank}


def named_in(text: str) -> set[str]:
    """Names in code, other than commands."""
    return {name for name in re.findall(r"`([a-z_]+)`", text) if "_" in name or name in EXERCISES}


def test_every_exercise_serves_an_outcome_and_every_outcome_names_exercises_that_exist():
    assert named_in(OUTCOMES) == EXERCISES


def test_the_exercises_for_the_classroom_exist():
    assert named_in(CLASS) <= EXERCISES


def test_the_steps_fill_the_meeting():
    (meeting,) = re.findall(r"one meeting of (\d+) minutes", CLASS)
    assert sum(map(int, re.findall(r"^\d\. \*\*.*?(\d+) minutes\.\*\*", CLASS, re.M))) == int(
        meeting
    )


@pytest.mark.parametrize("title", re.findall(r"\*([A-Z][^*]+)\*(?!\*)", CLASS))
def test_the_parts_and_exercises_that_it_names_by_title_are_in_a_chapter(title):
    chapters = Path(__file__).resolve().parents[2].joinpath("book").glob("[0-9][0-9]_*.md")
    text = "".join(chapter.read_text("utf-8") for chapter in chapters)
    assert f"```{{exercise}} {title}\n" in text or f"## {title}\n" in text
