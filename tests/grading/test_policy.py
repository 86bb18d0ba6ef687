"""What a teacher decides is read as it stands, and each slip is named with its line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.grading.policy import BEST, LAST, Policy, read_policy

KNOWN = {
    "04_attention": {"scaled_scores": 2, "row_softmax": 3},
    "05_masks": {"causal_mask": 3, "padding_mask": 2},
}
RULES = """\
timezone = "Europe/Amsterdam"
resubmissions = "best"
numbers = true

[deadlines]
05_masks = 2026-10-02T23:59:00
04_attention = 2026-09-25T23:59:00Z

[extensions.ben]
05_masks = 2026-10-09T23:59:00

[late]
percent_per_day = 12.5
days = 5
file_dates = true

[left_out]
05_masks = ["padding_mask"]
"""
HEADING = "learner,notebook,exercise,points,comment,by\n"


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        ending = "toml" if name == "policy" else "csv"
        (folder / f"{name}.{ending}").write_text(text, encoding="utf-8")
    return folder


def test_without_files_nothing_is_decided(tmp_path):
    assert read_policy(tmp_path, KNOWN) == Policy()
    assert read_policy(written(tmp_path, policy=""), KNOWN).resubmissions == LAST
    with pytest.raises(MtcourseError, match="there is no folder"):
        read_policy(tmp_path / "nowhere", KNOWN)


def test_every_rule(tmp_path):
    policy = read_policy(written(tmp_path, policy=RULES), KNOWN)
    summer = timedelta(hours=2)
    assert policy.deadlines["05_masks"] == datetime(2026, 10, 2, 23, 59, tzinfo=UTC) - summer
    assert policy.deadlines["04_attention"] == datetime(2026, 9, 25, 23, 59, tzinfo=UTC)
    extended = policy.extensions["ben", "05_masks"]
    assert extended - policy.deadlines["05_masks"] == timedelta(days=7)
    assert (policy.late.percent_per_day, policy.late.days) == (12.5, 5)
    assert policy.late.file_dates
    assert policy.numbers
    assert policy.resubmissions == BEST
    assert policy.left_out == {"05_masks": {"padding_mask"}}


SLIPS = {
    "no TOML": ("numbers = yes", r"policy\.toml is not TOML: .*line 1"),
    "a rule that there is none of": ("\nresubmission = 'best'", "line 2.*did you mean 'resub"),
    "a table as a rule": ("late = 10", r"line 1: late: is a table: write \[late\]"),
    "a rule as a list": ("deadlines = []", "line 1: deadlines: is a table"),
    "no notebook": ("[deadlines]\n05_maks = 2026-10-02T23:59:00Z", "line 2.*mean '05_masks'"),
    "no zone": ("[deadlines]\n05_masks = 2026-10-02T23:59:00", "line 2: 05_masks: a time needs a"),
    "a text": ("[deadlines]\n05_masks = '2026-10-02'", "line 2: 05_masks: the time is written"),
    "a day": ("[deadlines]\n05_masks = 2026-10-02", "line 2: 05_masks: the time is written"),
    "no such zone": ("timezone = 'Mars/Olympus'", "line 1: timezone: 'Mars/Olympus' is no time"),
    "a path as a zone": ("timezone = '/etc/passwd'", "line 1: timezone: .* is no time zone"),
    "percent": ("[late]\npercent_per_day = 101", "line 2: percent_per_day: is a number from 0"),
    "no percent": ("[late]\npercent_per_day = nan", "line 2: percent_per_day: is a number from 0"),
    "half a day": ("[late]\ndays = 2.5", "line 2: days: is a whole number of days, not 2.5"),
    "a day less": ("[late]\ndays = -1", "line 2: days: is a whole number of days, not -1"),
    "a yes": ("[late]\nfile_dates = 'yes'", "line 2: file_dates: is true or false, not 'yes'"),
    "a number": ("numbers = 1", "line 1: numbers: is true or false, not 1"),
    "neither": ("resubmissions = 'mean'", 'is "last" or "best", not \'mean\''),
    "no exercise": ("[left_out]\n05_masks = ['causal_msk']", "line 2.*mean 'causal_mask'"),
    "in the second table": (
        "[deadlines]\n05_masks = 2026-10-09T23:59:00Z\n[left_out]\n05_masks = ['b']",
        "line 4: 05_masks: 05_masks has no exercise 'b'",
    ),
    "another's exercise": ("[left_out]\n05_masks = ['row_softmax']", "line 2.*no exercise 'row_s"),
    "one exercise": ("[left_out]\n05_masks = 'causal_mask'", "line 2: 05_masks: is a list"),
    "more time for nothing": (
        "[extensions.ben]\n05_masks = 2026-10-09T23:59:00Z",
        "line 1: ben: 05_masks has no deadline",
    ),
    "more time for all": ("[extensions]\nben = 3", "line 2: ben: has to be a table"),
}


@pytest.mark.parametrize(("text", "message"), SLIPS.values(), ids=SLIPS)
def test_a_slip_in_the_rules_is_named_with_its_line(tmp_path, text, message):
    with pytest.raises(MtcourseError, match=message):
        read_policy(written(tmp_path, policy=text), KNOWN)


def test_points_by_hand(tmp_path):
    text = HEADING + (
        'ben,05_masks,causal_mask,2.5,"right idea, off by one",MK\n\n'
        "Zoë,05_masks,,,well explained,\n"
    )
    first, second = read_policy(written(tmp_path, adjustments=text), KNOWN).adjustments
    assert (first.learner, first.exercise, first.points) == ("ben", "causal_mask", 2.5)
    assert (first.comment, first.by) == ("right idea, off by one", "MK")
    assert (second.learner, second.exercise, second.points) == ("Zoë", "", None)


def test_a_spreadsheet_may_part_by_semicolons_and_write_commas(tmp_path):
    text = "﻿by;comment;points;exercise;notebook;learner\nMK;a, b;2,5;causal_mask;05_masks;ben\n"
    (one,) = read_policy(written(tmp_path, adjustments=text), KNOWN).adjustments
    assert (one.points, one.comment, one.learner) == (2.5, "a, b", "ben")


TABLE_SLIPS = {
    "no columns": ("", "line 1: the columns are learner,notebook.*not nothing"),
    "other columns": ("name,points\n", "line 1: the columns are learner,.*not name,points"),
    "no notebook": (HEADING + "ben,05_maks,,1,,\n", "line 2: .*did you mean '05_masks'"),
    "no exercise": (HEADING + "ben,05_masks,causalmask,1,,\n", "line 2: .*mean 'causal_mask'"),
    "too many": (HEADING + "ben,05_masks,causal_mask,4,,\n", "line 2: 4 points, where causal_mask"),
    "too many in all": (HEADING + "ben,05_masks,,6,,\n", "line 2: 6 points, where 05_masks has 5"),
    "less than none": (HEADING + "ben,05_masks,,-1,,\n", "line 2: points are those that count"),
    "a change": (HEADING + "ben,05_masks,,+1,,\n", "line 2: points are those that count"),
    "no number": (HEADING + "ben,05_masks,,nan,,\n", "line 2: points are those that count"),
    "a word": (HEADING + "ben,05_masks,,full,,\n", "line 2: points are those that count"),
    "nothing": (HEADING + "ben,05_masks,,,,MK\n", "line 2: there are neither points nor"),
    "a comma": (HEADING + "ben,05_masks,,1,so, so,\n", "line 2: 7 values, where there are 6"),
    "lines in a comment": (
        HEADING + 'ben,05_masks,,1,"one\ntwo",\nada,05_masks,,9,,\n',
        "line 4: 9 points",
    ),
    "twice": (HEADING + "ben,05_masks,,1,,\n" * 2, "line 3 is on the same as .*line 2: keep one"),
    "an open quote": (HEADING + 'ben,05_masks,,1,"so,\n', "adjustments.csv, line 2: unexpected"),
}


@pytest.mark.parametrize(("text", "message"), TABLE_SLIPS.values(), ids=TABLE_SLIPS)
def test_a_slip_in_points_by_hand_is_named_with_its_line(tmp_path, text, message):
    with pytest.raises(MtcourseError, match=message):
        read_policy(written(tmp_path, adjustments=text), KNOWN)


def test_another_encoding_is_named(tmp_path):
    (tmp_path / "adjustments.csv").write_bytes(HEADING.encode() + "Zoë".encode("latin-1"))
    with pytest.raises(MtcourseError, match="adjustments.csv is not UTF-8"):
        read_policy(tmp_path, KNOWN)


def test_times(tmp_path):
    lines = "learner,notebook,time\nben,05_masks,2026-10-03 09:12\nada,05_masks,2026-10-03T09:12Z\n"
    folder = written(tmp_path, times=lines, policy='timezone = "Europe/Amsterdam"')
    times = read_policy(folder, KNOWN).times
    assert times["ada", "05_masks"] - times["ben", "05_masks"] == timedelta(hours=2)
    (tmp_path / "policy.toml").unlink()
    with pytest.raises(MtcourseError, match="times.csv, line 2: a time needs a zone"):
        read_policy(tmp_path, KNOWN)
    written(tmp_path, times="learner,notebook,time\nben,05_masks,yesterday\n")
    with pytest.raises(MtcourseError, match="line 2: the time is written as in 2026-10-02"):
        read_policy(tmp_path, KNOWN)
    written(tmp_path, times=lines.replace("09:12\n", "09:12Z\n").replace("ada", "ben"))
    with pytest.raises(MtcourseError, match="line 3: a second time of ben"):
        read_policy(tmp_path, KNOWN)


@pytest.mark.parametrize("points", ["0", "0.5"])
def test_points_by_hand_may_be_fewer_than_one(tmp_path, points):
    text = HEADING + f"ben,05_masks,,{points},,\n"
    (one,) = read_policy(written(tmp_path, adjustments=text), KNOWN).adjustments
    assert one.points == float(points)
