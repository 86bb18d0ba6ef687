"""What a learner has packed is that learner's alone; an archive costs nobody but its owner."""

from __future__ import annotations

import os
import zipfile

import pytest

from mtcourse.grading.submissions import CLASS_ARCHIVE, MAX_NOTEBOOKS, find_submissions
from tests.grading.test_submissions import KNOWN, packed, put, whose

RIGHT, STUB = b'{"nbformat": 4, "cells": [], "right": 1}', b'{"nbformat": 4, "cells": []}'
NOBODY_ELSE = {
    "the name of a Canvas file": (
        "lovelaceada_1815_90210_05_masks.ipynb",
        "malloryeve_666_90212_notes.zip",
        "lovelaceada_1815_99999_05_masks-9.ipynb",
    ),
    "her folder in Moodle": (
        "Ada Lovelace_1815_assignsubmission_file_/05_masks.ipynb",
        "Mallory_666_assignsubmission_file_/work.zip",
        "Ada Lovelace_1815_assignsubmission_file_/05_masks.ipynb",
    ),
    "her file in Moodle": (
        "Ada Lovelace_1815_assignsubmission_file_05_masks.ipynb",
        "Mallory_666_assignsubmission_file_work.zip",
        "Ada Lovelace_1815_assignsubmission_file_05_masks.ipynb",
    ),
    "the name of a loose file": (
        "ada_05_masks.ipynb",
        "mallory_05_masks.zip",
        "ada_05_masks.ipynb",
    ),
    "a name after the notebook's": ("05_masks_ada.ipynb", "05_masks_eve.zip", "05_masks_ada.ipynb"),
    "her folder": ("ada/05_masks.ipynb", "mallory_05_masks.zip", "ada/05_masks.ipynb"),
    "an archive in a folder": ("ada/05_masks.ipynb", "mallory/work.zip", "ada/05_masks.ipynb"),
    "a folder named after the notebook": (
        "05_masks/ada/mine.ipynb",
        "05_masks/mallory.zip",
        "05_masks/ada/mine.ipynb",
    ),
    "an ending in capitals": ("ada_05_masks.ipynb", "mallory_05_MASKS.ZIP", "ada_05_masks.ipynb"),
    "the notebook's name and a number": (
        "ada_05_masks.ipynb",
        "05_masks_666.zip",
        "ada_05_masks.ipynb",
    ),
    "no word of the notebook": ("ada_05_masks.ipynb", "mallory.zip", "ada_05_masks.ipynb"),
    "the name that Canvas gives": ("ada_05_masks.ipynb", "submissions.zip", "ada_05_masks.ipynb"),
    "Canvas, in her own name for her file": (
        "lovelaceada_1815_90210_05_masks.ipynb",
        "malloryeve_666_90212_lovelaceada_1815_90210_05_masks.zip",
        "lovelaceada_1815_90210_05_masks.ipynb",
    ),
    "an archive within an archive": ("ada/05_masks.ipynb", "mallory.zip", "ada.zip"),
}


@pytest.mark.parametrize(
    "dated", [(1990, 1, 1, 0, 0, 0), (2107, 1, 1, 0, 0, 0)], ids=["old", "new"]
)
@pytest.mark.parametrize("form", ["folder", "archive"])
@pytest.mark.parametrize(("ada", "mallory", "inside"), NOBODY_ELSE.values(), ids=NOBODY_ELSE)
def test_what_a_learners_archive_holds_is_nobody_elses(tmp_path, ada, mallory, inside, form, dated):
    """Neither displaces it a right notebook, nor does it bring a right one in place of a stub."""
    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(inside, dated), STUB)
    put(tmp_path / "in", ada, content=RIGHT)
    put(tmp_path / "in", mallory, content=(tmp_path / "made.zip").read_bytes())
    place = tmp_path / "in"
    if form == "archive":
        place = tmp_path / "class.zip"
        with zipfile.ZipFile(place, "w") as archive:
            for name in (ada, mallory):
                archive.write(tmp_path / "in" / name, name)
    (alone,) = find_submissions(put(tmp_path / "alone", ada, content=RIGHT), KNOWN)
    found = find_submissions(place, KNOWN)
    of_ada = [one for one in found if one.learner == alone.learner]
    assert [(one.file, one.read(), one.reason, one.notes) for one in of_ada] == [
        (alone.file, RIGHT, "", ())
    ]
    assert len(found) == 2


def test_no_learner_is_invented_by_an_archive(tmp_path):
    names = [f"{who}_05_masks.ipynb" for who in (f"student{n}" for n in range(50))]
    put(tmp_path / "in", "ada_05_masks.ipynb")
    packed(tmp_path / "in" / "mallory_05_masks.zip", *names)
    packed(tmp_path / "in" / "malloryeve_666_90212_notes.zip", *(f"s{n}/a.ipynb" for n in names))
    assert {one.learner for one in find_submissions(tmp_path / "in", KNOWN)} == {
        "ada",
        "mallory",
        "malloryeve_666",
    }


PACKED = {
    "Canvas": (
        "malloryeve_666_90212_homework.zip",
        ["05_masks.ipynb"],
        ("malloryeve_666", "05_masks"),
    ),
    "Canvas, late": (
        "malloryeve_LATE_666_90212_05_masks-2.zip",
        ["final.ipynb"],
        ("malloryeve_666", "05_masks"),
    ),
    "a folder for each": ("eve/week 5.zip", ["a/b/05 masks.ipynb"], ("eve", "05_masks")),
    "loose": ("eve_05_masks.zip", ["eve/final.ipynb"], ("eve", "05_masks")),
    "loose, known by its folder": ("eve.zip", ["05_masks/final.ipynb"], ("eve", "05_masks")),
    "within a notebook's folder": ("05_masks/eve.zip", ["final.ipynb"], ("eve", "05_masks")),
    "in capitals": ("EVE_05_MASKS.ZIP", ["FINAL.IPYNB"], ("EVE", "05_masks")),
}


@pytest.mark.parametrize(("name", "inside", "who"), PACKED.values(), ids=PACKED)
def test_a_learner_may_pack_the_notebook(tmp_path, name, inside, who):
    put(tmp_path / "in", "ada_04_attention.ipynb", name)
    packed(tmp_path / "in" / name, *inside, content=RIGHT)
    found = find_submissions(tmp_path / "in", KNOWN)
    assert whose(found) == {who, ("ada", "04_attention")}
    (of_eve,) = (one for one in found if one.learner == who[0])
    assert (of_eve.read(), of_eve.reason) == (RIGHT, "")
    assert of_eve.file == f"{name}/{inside[0]}"


def test_an_only_file_of_canvas_is_a_learners(tmp_path):
    put(tmp_path / "in", name := "malloryeve_666_90212_work.zip")
    packed(tmp_path / "in" / name, "ada_05_masks.ipynb", "bob_05_masks.ipynb")
    assert {one.learner for one in find_submissions(tmp_path / "in", KNOWN)} == {"malloryeve_666"}


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("Course-05_masks-177.zip", "Ada Lovelace_1815_assignsubmission_file_/05_masks.ipynb"),
        ("week 5.zip", "lovelaceada_1815_90210_05_masks.ipynb"),
        ("submissions.zip", "ada/05_masks.ipynb"),
        ("Submissions (2).zip", "ada/05_masks.ipynb"),
    ],
)
def test_an_archive_of_a_class_beside_others_is_nobodys_and_says_what_to_do(tmp_path, name, inside):
    put(tmp_path / "in", "bob_05_masks.ipynb", name)
    archive = packed(tmp_path / "in" / name, inside)
    (told,) = (one for one in find_submissions(tmp_path / "in", KNOWN) if one.learner != "bob")
    assert told.reason == CLASS_ARCHIVE
    (found,) = find_submissions(archive, KNOWN)
    assert found.reason == ""
    assert "ada" in found.learner.lower()


def test_of_a_learners_files_and_archives_the_latest_counts(tmp_path):
    names = ["eve/05_masks.ipynb", "eve/05_masks.zip", "eve/notes.zip"]
    put(tmp_path / "in", *names)
    for name in names[1:]:
        stamp = (tmp_path / "in" / name).stat().st_mtime
        packed(tmp_path / "in" / name, "old/05_masks.ipynb", "05_masks.ipynb")
        os.utime(tmp_path / "in" / name, (stamp, stamp))
    with zipfile.ZipFile(tmp_path / "in" / names[1], "w") as archive:
        archive.writestr(zipfile.ZipInfo("05_masks.ipynb", (2024, 5, 1, 0, 0, 0)), RIGHT)
        archive.writestr(zipfile.ZipInfo("a/05_masks.ipynb", (2024, 4, 1, 0, 0, 0)), STUB)
    os.utime(tmp_path / "in" / names[1], (1_800_000_000, 1_800_000_000))
    (found,) = find_submissions(tmp_path / "in", KNOWN)
    assert (found.file, found.read()) == ("eve/05_masks.zip/05_masks.ipynb", RIGHT)
    assert "of 5 files the latest is graded" in found.notes[0]


def test_canvas_counts_attempts_that_are_packed(tmp_path):
    names = ["eve_666_90212_05_masks-1.zip", "eve_666_90211_05_masks.ipynb"]
    put(tmp_path / "in", *names, "ada_1815_90210_05_masks.ipynb")
    packed(tmp_path / "in" / names[0], "05_masks-7.ipynb", content=RIGHT)
    os.utime(tmp_path / "in" / names[0], (1, 1))
    of_eve, _ = sorted(find_submissions(tmp_path / "in", KNOWN), key=lambda one: one.learner)[::-1]
    assert (of_eve.learner, of_eve.read()) == ("eve_666", RIGHT)


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("lovelaceada_1815_90210_ada_05_masks.ipynb", "lovelaceada_1815"),
        ("lovelaceada_1815_90210_bob_1816_90211_05_masks.ipynb", "lovelaceada_1815"),
        (
            "Ada_1815_assignsubmission_file_Bob_1816_assignsubmission_file_05_masks.ipynb",
            "Ada_1815",
        ),
    ],
)
def test_the_name_that_a_system_has_written_comes_first(tmp_path, name, who):
    """What follows is the file's own name, in which its author may write any other."""
    (found,) = find_submissions(put(tmp_path / "in", name), KNOWN)
    assert (found.learner, found.notebook) == (who, "05_masks")


def test_what_a_mac_adds_to_an_archive_is_no_folder_of_the_class(tmp_path):
    path = packed(tmp_path / "class.zip", "class/ada/05_masks.ipynb", "__MACOSX/class/._ada")
    assert whose(find_submissions(path, KNOWN)) == {("ada", "05_masks")}


NONE = "it is not a zip archive that can be read"
BROKEN = {
    "not an archive": (b"no archive", NONE),
    "cut off": (b"PK\x03\x04 cut off", NONE),
    "nothing": (b"", NONE),
    "an empty archive": (b"PK\x05\x06" + bytes(18), "the archive is empty"),
    "a list without end": (b"PK\x01\x02" * 20_000, "larger than it need be"),
}


@pytest.mark.parametrize("name", ["bob_05_masks.zip", "bob/work.zip", "bob.zip"])
@pytest.mark.parametrize(("content", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_archive_costs_its_owner_alone(tmp_path, name, content, says):
    put(tmp_path / "in", "ada_05_masks.ipynb", "carol/05_masks.ipynb")
    put(tmp_path / "in", name, content=content)
    ada, bob, carol = find_submissions(tmp_path / "in", KNOWN)
    assert bob.learner == "bob"
    assert says in bob.reason
    assert (ada.reason, carol.reason) == ("", "")


def test_a_broken_archive_of_a_class_costs_nobody_beside_it(tmp_path):
    put(tmp_path / "in", "ada_05_masks.ipynb")
    put(tmp_path / "in", "05_masks.zip", content=b"cut off")
    broken, ada = find_submissions(tmp_path / "in", KNOWN)
    assert NONE in broken.reason
    assert (ada.learner, ada.reason) == ("ada", "")


def test_a_file_without_a_name_in_an_archive_costs_nobody(tmp_path):
    """A library that asks for the last letter of a name has stopped at it."""
    put(tmp_path / "in", "ada_05_masks.ipynb", "bob_05_masks.zip", "05_masks.zip")
    for name in ("bob_05_masks.zip", "05_masks.zip"):
        path = packed(tmp_path / "in" / name, "x", "eve/05_masks.ipynb")
        content = bytearray(path.read_bytes())
        lengths = content.index(b"PK\x01\x02") + 28  # of the name, and of what comes after it
        content[lengths : lengths + 4] = b"\0\0\1\0"
        path.write_bytes(content)
    found = {one.learner: one.reason for one in find_submissions(tmp_path / "in", KNOWN)}
    assert (found["ada"], found["bob"], found["eve"]) == ("", "", "")


def test_beside_a_notebook_a_broken_archive_is_told(tmp_path):
    put(tmp_path / "in", "bob/05_masks.ipynb", content=RIGHT)
    put(tmp_path / "in", "bob/again.zip", content=b"cut off")
    (found,) = find_submissions(tmp_path / "in", KNOWN)
    assert (found.read(), found.reason) == (RIGHT, "")
    assert found.notes[0].startswith("bob/again.zip is left out: it is not a zip archive")


def test_an_archive_of_many_notebooks_is_not_one_learners(tmp_path):
    put(tmp_path / "in", "ada_05_masks.ipynb", "bob/work.zip")
    names = [f"{n}/05_masks.ipynb" for n in range(MAX_NOTEBOOKS + 1)]
    packed(tmp_path / "in/bob/work.zip", *names)
    (bob,) = (one for one in find_submissions(tmp_path / "in", KNOWN) if one.learner == "bob")
    assert f"more than {MAX_NOTEBOOKS} notebooks" in bob.reason
