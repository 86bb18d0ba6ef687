"""The instructor's guide names exercises that exist, and its plan fits its meeting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mtcourse.checks.banks import bank_folders, bank_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "instructors.md").read_text("utf-8")
CLASS = PAGE.partition("## The notebooks in class")[2].partition("\n## ")[0]
BANKS = {word: bank_of(f"00_{word}") for word in bank_folders()}
EXERCISES = {exercise.id for bank in BANKS.values() for exercise in bank}
WORDS = [page.stem.partition("_")[2] for page in ROOT.glob("book/[0-9][0-9]_*.md")]
FOLDERS = {word: ROOT / "mtcourse" / "chapters" / word for word in WORDS}


def notes_of(word: str) -> dict[str, str]:
    """What a chapter tells its instructors, by heading."""
    text = (FOLDERS[word] / "instructors.md").read_text("utf-8")
    parts = re.split(r"^## (.+)\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


NOTES = {word: notes_of(word) for word in WORDS}


def named_in(text: str) -> set[str]:
    """Names in code, other than commands."""
    return {name for name in re.findall(r"`([a-z_\d]+)`", text) if "_" in name or name in EXERCISES}


def test_every_exercise_serves_an_outcome_and_every_outcome_names_exercises_that_exist():
    assert set().union(*(named_in(notes["Afterwards"]) for notes in NOTES.values())) == EXERCISES


@pytest.mark.parametrize("word", WORDS)
def test_a_chapter_tells_its_instructors_what_it_has(word):
    expected = {"Afterwards", "In pairs"}
    expected |= {"Before class"} if word in BANKS else set()
    expected |= {"Explorer"} if (FOLDERS[word] / "explorer.py").exists() else set()
    assert set(NOTES[word]) == expected


@pytest.mark.parametrize("word", sorted(BANKS))
def test_the_exercises_for_the_classroom_are_the_chapters(word):
    own = {exercise.id for exercise in BANKS[word]}
    assert named_in(NOTES[word]["Afterwards"]) <= own
    for heading in ("Before class", "In pairs"):
        assert named_in(NOTES[word][heading])
        assert named_in(NOTES[word][heading]) <= own


def test_the_steps_fill_the_meeting():
    (meeting,) = re.findall(r"one meeting of (\d+) minutes", CLASS)
    assert sum(map(int, re.findall(r"^\d\. \*\*.*?(\d+) minutes\.\*\*", CLASS, re.M))) == int(
        meeting
    )


IN_CLASS = CLASS + "".join(notes["In pairs"] for notes in NOTES.values())


@pytest.mark.parametrize("title", re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", IN_CLASS))
def test_the_parts_and_exercises_that_it_names_by_title_are_in_a_chapter(title):
    text = "".join(chapter.read_text("utf-8") for chapter in ROOT.glob("book/[0-9][0-9]_*.md"))
    assert f"```{{exercise}} {title}\n" in text or f"## {title}\n" in text
