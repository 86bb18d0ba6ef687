"""Whatever a class hands in, in whatever form, is found once, by its author, or has a reason."""

from __future__ import annotations

import doctest
import json
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.grading import submission_paths
from mtcourse.grading.submission_paths import MAX_NAME_LENGTH, safe_name
from mtcourse.grading.submissions import Submission, find_submissions

KNOWN = {
    "04_attention": frozenset({"scaled_scores", "row_softmax"}),
    "05_masks": frozenset({"causal_mask", "padding_mask"}),
}
NOTEBOOK = b'{"nbformat": 4, "cells": []}'


def put(folder: Path, *names: str, content: bytes = NOTEBOOK) -> Path:
    """Files in a folder, the later the newer."""
    for minutes, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (1_700_000_000 + 60 * minutes,) * 2)
    return folder


def packed(path: Path, *names: str, content: bytes = NOTEBOOK) -> Path:
    """The same in an archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return path


def whose(found: list[Submission]) -> set[tuple[str, str]]:
    return {(one.learner, one.notebook) for one in found}


def notebook_with(*exercises: str) -> bytes:
    """A notebook that has answers to these, and nothing else to know it by."""
    texts = (f"import math\ndef {name}(Q):\n    pass" for name in exercises)
    cells = [{"cell_type": "code", "source": text} for text in texts]
    return json.dumps({"nbformat": 4, "cells": cells}).encode()


LAYOUTS = {
    "a folder for each": {
        "alice/04_attention.ipynb": ("alice", "04_attention"),
        "alice/05_masks.ipynb": ("alice", "05_masks"),
        "bob/week 4/04_Attention (1).ipynb": ("bob", "04_attention"),
    },
    "nbgrader": {"alice/ps4/04_attention.ipynb": ("alice", "04_attention")},
    "an exchange of nbgrader": {
        "alice+ps4+2026-10-01 18:03:11.250000 UTC+k3_Zx-9=/04_attention.ipynb": (
            "alice",
            "04_attention",
        ),
        "bob+jr+05_masks+2026-10-01 18:03:11 UTC/mine.ipynb": ("bob+jr", "05_masks"),
    },
    "homes on a JupyterHub": {
        "alice/course/exercises/04_attention.ipynb": ("alice", "04_attention"),
        "bob/course/exercises/05_masks.ipynb": ("bob", "05_masks"),
    },
    "around them a folder for each notebook": {
        "04_attention/alice/mine.ipynb": ("alice", "04_attention"),
        "05_masks/alice/mine.ipynb": ("alice", "05_masks"),
        "05_masks/bob.ipynb": ("bob", "05_masks"),
    },
    "loose files": {
        "alice_04_attention.ipynb": ("alice", "04_attention"),
        "van-den-berg-05-masks.ipynb": ("van-den-berg", "05_masks"),
        "04_attention_carol.ipynb": ("carol", "04_attention"),
        "group_7_04_attention.ipynb": ("group_7", "04_attention"),
        "Zoë 05 masks v2.ipynb": ("Zoë", "05_masks"),
        "dave_04_attention.ipynb.txt": ("dave", "04_attention"),
    },
    "Canvas": {
        "smithjohn_12345_67890_04_attention-1.ipynb": ("smithjohn_12345", "04_attention"),
        "doejane_LATE_23456_67891_05_masks.ipynb": ("doejane_23456", "05_masks"),
        "roejim_34567_67892_report.pdf": ("roejim_34567", ""),
    },
    "Moodle": {
        "John Smith_12345_assignsubmission_file_/04_attention.ipynb": (
            "John Smith_12345",
            "04_attention",
        ),
        "Jane Doe_23456_assignsubmission_file/05_masks.ipynb": ("Jane Doe_23456", "05_masks"),
        "Jim Roe_34567_assignsubmission_file_04_attention.ipynb": (
            "Jim Roe_34567",
            "04_attention",
        ),
        "Jo Poe_45678_assignsubmission_onlinetext_/onlinetext.html": ("Jo Poe_45678", ""),
    },
}


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("form", ["folder", "archive", "archive in a folder"])
def test_each_layout_names_learner_and_notebook(tmp_path, files, form):
    if form == "folder":
        place = put(tmp_path / "in", *files)
    else:
        (tmp_path / "in").mkdir()
        place = packed(tmp_path / "in" / "submissions.zip", *files)
        place = place if form == "archive" else place.parent
    assert whose(find_submissions(place, KNOWN)) == set(files.values())


def test_an_archive_of_a_folder_is_that_folder(tmp_path):
    path = packed(
        tmp_path / "class.zip", "class/alice/04_attention.ipynb", "class/b_05_masks.ipynb"
    )
    assert whose(find_submissions(path, KNOWN)) == {("alice", "04_attention"), ("b", "05_masks")}


def test_a_renamed_notebook_is_known_by_its_cells_or_by_what_lies_around_it(tmp_path):
    put(tmp_path / "in", "alice/homework.ipynb", content=notebook_with("causal_mask"))
    put(tmp_path / "in", "bob/homework.ipynb", content=notebook_with("causal_mask", "row_softmax"))
    put(tmp_path / "in", "carol/04_attention/final.ipynb")
    packed(tmp_path / "in" / "05-Masks (1).zip", "dave/final.ipynb")
    found = find_submissions(tmp_path / "in", KNOWN)
    assert whose(found) == {
        ("alice", "05_masks"),
        ("bob", ""),
        ("carol", "04_attention"),
        ("dave", "05_masks"),
    }
    (of_bob,) = (one for one in found if one.learner == "bob")
    assert "name it after one" in of_bob.reason


def test_one_notebook_is_whose_name_or_folder_says(tmp_path):
    put(tmp_path / "alice", "04_attention.ipynb", "bob_05_masks.ipynb")
    assert whose(find_submissions(tmp_path / "alice/04_attention.ipynb", KNOWN)) == {
        ("alice", "04_attention")
    }
    assert whose(find_submissions(tmp_path / "alice/bob_05_masks.ipynb", KNOWN)) == {
        ("bob", "05_masks")
    }
    with pytest.raises(MtcourseError, match="there is nothing at"):
        find_submissions(tmp_path / "nowhere", KNOWN)


def test_of_several_attempts_the_latest_counts_and_says_so(tmp_path):
    names = [
        "alice/04_attention.ipynb",
        "alice/04_attention (1).ipynb",
        "alice/b/04_attention.ipynb",
    ]
    (of_alice,) = find_submissions(put(tmp_path / "in", *names), KNOWN)
    assert of_alice.file == "alice/b/04_attention.ipynb"
    assert "of 3 files the latest is graded" in of_alice.notes[0]
    assert "alice/04_attention (1).ipynb" in of_alice.notes[0]


def test_canvas_counts_attempts_whenever_their_files_were_written(tmp_path):
    names = [
        f"smithjohn_12345_6789{n}_04_attention{end}.ipynb" for n, end in enumerate(["-2", "-1", ""])
    ]
    (found,) = find_submissions(put(tmp_path / "in", *names), KNOWN)
    assert found.file == names[0]


def test_the_second_of_two_members_with_one_name_counts(tmp_path):
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.writestr("alice/04_attention.ipynb", b"first")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("alice/04_attention.ipynb", b"second")
    (found,) = find_submissions(tmp_path / "in.zip", KNOWN)
    assert found.read() == b"second"
    assert "of 2 files" in found.notes[0]


def test_who_hands_in_something_else_is_told(tmp_path):
    put(tmp_path / "in", "alice/work.rar", "bob/04_attention.pdf", "bob/notes.txt", "roster.csv")
    put(tmp_path / "in", "carol/04_attention.ipynb", "carol/plot.png")
    found = {one.learner: one for one in find_submissions(tmp_path / "in", KNOWN)}
    assert set(found) == {"alice", "bob", "carol"}
    assert "only alice/work.rar: hand in the .ipynb itself" in found["alice"].reason
    assert not found["carol"].reason


def test_what_systems_leave_behind_is_nobodys(tmp_path):
    put(
        tmp_path / "in",
        "alice/.ipynb_checkpoints/04_attention-checkpoint.ipynb",
        "__MACOSX/alice/._04_attention.ipynb",
        ".DS_Store",
        "alice/04_attention.ipynb",
    )
    (found,) = find_submissions(tmp_path / "in", KNOWN)
    assert (found.file, found.notes) == ("alice/04_attention.ipynb", ())


def test_names_on_one_line_that_any_file_can_have(tmp_path):
    put(tmp_path / "in", "a::b\nc/04_attention.ipynb", "=cmd|' !A0/04_attention.ipynb")
    for one in find_submissions(tmp_path / "in", KNOWN):
        assert one.file.isprintable()
        assert "::" not in one.file + one.learner
        assert one.learner.isprintable()
        assert not one.learner.startswith("=")


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_safe_names_are_files_of_one_folder_and_stay_different(one, other):
    names = safe_name(one), safe_name(other)
    for name in names:
        assert Path(name).name == name
        assert name not in ("", ".", "..")
        assert len(name.encode()) < 240
        assert safe_name(name) == name or len(name) > MAX_NAME_LENGTH
        assert not set(name) & set('/\\:*?"<>|\n\r\0')
    if one.strip() != other.strip() and one.isascii() and other.isascii():
        assert names[0] != names[1]


def test_names_in_every_script_stay_as_they_are():
    for name in ("Zoë van den Berg", "नमस्ते", "李雷", "O'Brien-Smith_12", "a.b@c.edu"):
        assert safe_name(name) == name
    for name in ("CON", "nul.txt", "..", "a\udc80", "‮evil"):
        assert safe_name(name) != name


def test_examples():
    assert doctest.testmod(submission_paths).attempted > 0
    assert doctest.testmod(submission_paths).failed == 0
