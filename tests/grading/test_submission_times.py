"""When a submission was handed in: as nbgrader and Canvas have written it, and nobody else."""

from __future__ import annotations

import doctest
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mtcourse.grading import submission_times
from mtcourse.grading.submission_times import parse_time_stamp
from mtcourse.grading.submissions import Submission, find_submissions
from tests.grading.test_submissions import KNOWN, NOTEBOOK

STAMP = "2026-10-02 18:03:11.250000 UTC"
TIME = datetime(2026, 10, 2, 18, 3, 11, 250_000, tzinfo=UTC).timestamp()
DATE = 1_700_000_000.0


def put(folder: Path, files: dict[str, str]) -> Path:
    """Files of one date; those that are not notebooks with these texts."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if text else NOTEBOOK)
        os.utime(path, (DATE, DATE))
    return folder


def found(folder: Path, **options: bool) -> list[Submission]:
    return [one for one in find_submissions(folder, KNOWN, **options) if one.notebook]


def test_the_example():
    assert doctest.testmod(submission_times).failed == 0


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (STAMP, TIME),
        (f"{STAMP}\n", TIME),
        ("2026-10-02 18:03:11 UTC", TIME - 0.25),
        ("2026-10-02 20:03:11+02:00", TIME - 0.25),
        ("2026-10-02 18:03:11", TIME - 0.25),
        ("2026-10-02 20:03:11 CEST", 0),
        ("yesterday", 0),
        ("0001-01-01 00:00:00+23:59", 0),
        ("9999-12-31 23:59:59 UTC", 0),
        ("9" * 10_000, 0),
        ("", 0),
    ],
)
def test_times_as_nbgrader_writes_them(text, time):
    assert parse_time_stamp(text) == time


@pytest.mark.parametrize(
    ("names", "source"),
    [
        (("ada/05_masks/05_masks.ipynb", "ada/05_masks/timestamp.txt"), "timestamp.txt"),
        (("ada/week 5/mine/05_masks.ipynb", "ada/week 5/timestamp.txt"), "timestamp.txt"),
        (
            (f"ada+week 5+{STAMP}+k3_Zx-9=/05_masks.ipynb", "ada/week 5/timestamp.txt"),
            "its folder in the exchange",
        ),
    ],
)
def test_nbgraders_time_is_found(tmp_path, names, source):
    (one,) = found(put(tmp_path / "in", dict(zip(names, ("", STAMP), strict=True))))
    assert (one.learner, one.times.nbgrader) == ("ada", TIME)
    assert (one.times.nbgrader_source, one.times.file) == (source, DATE)


def test_also_in_the_archive_of_a_class(tmp_path):
    path = tmp_path / "submitted.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("submitted/ada/05_masks/05_masks.ipynb", NOTEBOOK)
        archive.writestr("submitted/ada/05_masks/timestamp.txt", STAMP)
    (one,) = found(path)
    assert (one.learner, one.times.nbgrader) == ("ada", TIME)


def test_a_learner_who_uploads_a_time_has_none(tmp_path):
    put(
        tmp_path / "in",
        {
            "Ada_1815_assignsubmission_file_/week/05_masks.ipynb": "",
            "Ada_1815_assignsubmission_file_/week/timestamp.txt": STAMP,
            "bob/05_masks.ipynb": "",
            "bob/timestamp.txt": STAMP,
        },
    )
    with zipfile.ZipFile(tmp_path / "in" / "cy_05_masks.zip", "w") as archive:
        archive.writestr("cy/05_masks/05_masks.ipynb", NOTEBOOK)
        archive.writestr("cy/05_masks/timestamp.txt", STAMP)
    with zipfile.ZipFile(tmp_path / "in" / "dan_05_masks.zip", "w") as archive:
        archive.writestr(f"dan+week 5+{STAMP}/05_masks.ipynb", NOTEBOOK)
    submissions = found(tmp_path / "in")
    assert [one.learner for one in submissions] == ["Ada_1815", "bob", "cy", "dan"]
    assert not any(one.times.nbgrader for one in submissions)


def test_canvas_says_who_is_late_and_nobody_else(tmp_path):
    put(
        tmp_path / "in",
        {
            "adalove_LATE_1815_90210_05_masks.ipynb": "",
            "benjones_1816_90211_05_masks.ipynb": "",
            "cy_05_masks.ipynb": "",
            "dan/x_LATE_1817_90212_05_masks.ipynb": "",
        },
    )
    marks = {one.learner: one.times.marked_late for one in found(tmp_path / "in")}
    assert marks == {"adalove_1815": True, "benjones_1816": False, "cy": None, "dan": None}


def test_the_latest_attempt_is_that_with_the_latest_time_in_the_exchange(tmp_path):
    times = ("2026-10-02 18:03:11 UTC+b", "2026-10-01 18:03:11 UTC+c", "2026-10-02 07:03:11 UTC+a")
    put(tmp_path / "in", {f"ada+week 5+{time}/05_masks.ipynb": "" for time in times})
    copied_last = tmp_path / "in" / f"ada+week 5+{times[1]}" / "05_masks.ipynb"
    os.utime(copied_last, (DATE + 60, DATE + 60))
    (one,) = found(tmp_path / "in")
    assert "10-02 18" in one.file
    assert one.is_last
    assert "of 3 files the latest is graded" in one.notes[0]
    all_of_them = found(tmp_path / "in", every_attempt=True)
    when = [one.file.split("2026-")[1][:7] for one in all_of_them]
    assert when == ["10-01 1", "10-02 0", "10-02 1"]
    assert [one.is_last for one in all_of_them] == [False, False, True]
    assert not any(one.notes for one in all_of_them)
