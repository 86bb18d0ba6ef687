"""A rubric makes forms, and filled-in forms make grades: never half of a class, no lost point."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mtcourse.cli import app
from mtcourse.errors import MtcourseError
from mtcourse.grading.records import Records
from mtcourse.grading.reports import write_reports
from mtcourse.grading.reports.tables import canvas_table, moodle_table, nbgrader_table
from mtcourse.grading.rubric import (
    COLUMNS,
    read_all_forms,
    read_forms,
    read_rubric,
    start_grading,
    write_forms,
)
from tests.helpers.full_disks import full_disk
from tests.helpers.made_results import result

ROOT = Path(__file__).resolve().parents[2]
RUBRICS = sorted((ROOT / "projects").glob("*/rubric.toml"))
TEXT = """
name = "project_x"
[[criteria]]
name = "it runs"
points = 4
earns = "it trains; and scores"
levels = [[0, "no"], [2, "with a warning"], [4, "yes"]]
[[criteria]]
name = "honesty"
points = 2
earns = "failures are told"
"""


@pytest.fixture
def rubric(tmp_path):
    (tmp_path / "rubric.toml").write_text(TEXT)
    return read_rubric(tmp_path / "rubric.toml")


def fill(path: Path, *points: str, comment: str = "well done", delimiter: str = ",") -> None:
    """Fills in a form as a spreadsheet does."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter)
    writer.writeheader()
    for row, given in zip(rows, points, strict=True):
        writer.writerow(row | {"points": given, "comment": comment})
    path.write_text(text.getvalue(), encoding="utf-8-sig")


@pytest.mark.parametrize("path", RUBRICS, ids=lambda path: path.parent.name)
def test_each_projects_rubric_is_the_table_that_learners_read(path):
    table = (path.parent / "rubric.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (.+?) \|$", table, re.M)
    found = read_rubric(path)
    assert [(one.name, str(one.points), one.earns) for one in found.criteria] == rows
    assert f"{found.points} points." in table
    assert len(RUBRICS) == len(list((ROOT / "projects").glob("*/rubric.md")))


def test_filled_in_forms_become_grades_of_every_gradebook(rubric, tmp_path):
    one, two = write_forms(rubric, ["ada", "=ben"], tmp_path)
    fill(two, "2", "1.5")
    results, remark = read_forms(rubric, tmp_path)
    assert results == []
    assert remark == (
        "project_x: 1 of 2 forms are not complete (=ben), so the gradebooks do not have it yet"
    )
    fill(one, "4", "0,5", delimiter=";")
    results, remark = read_forms(rubric, tmp_path)
    points = {one.learner: (one.points, one.max_points) for one in results}
    assert points == {"ada": (3.5, 6), "=ben": (4.5, 6)}
    assert "well done" in results[0].exercises[0].feedback
    results.sort(key=lambda one: one.learner)
    results.append(result("ada"))
    assert "4.50" in canvas_table(results)
    assert "4.50" in moodle_table(results)
    assert ",3.5,0.0,3.5,6.0" in nbgrader_table(results)


def test_a_form_that_is_there_is_left_alone(rubric, tmp_path):
    (path,) = write_forms(rubric, ["ada"], tmp_path)
    fill(path, "4", "2")
    before = path.read_bytes()
    (new,) = write_forms(rubric, ["ada", "ADA"], tmp_path)
    assert path.read_bytes() == before
    assert new.name.lower() != path.name


@pytest.mark.parametrize(
    ("points", "fault"),
    [
        (("3", "1"), "line 2: it runs has the levels 0, 2, 4, and not 3"),
        (("4", "2.5"), "line 3: points are a number from 0 to 2, not '2.5'"),
        (("4", "-1"), "from 0 to 2"),
        (("4", "nan"), "from 0 to 2"),
        (("4", "all"), "not 'all'"),
    ],
)
def test_points_that_the_rubric_does_not_have_are_refused(rubric, tmp_path, points, fault):
    (path,) = write_forms(rubric, ["ada"], tmp_path)
    fill(path, *points)
    with pytest.raises(MtcourseError, match=re.escape(fault)):
        read_forms(rubric, tmp_path)


def test_changed_forms_are_refused(rubric, tmp_path):
    (path,) = write_forms(rubric, ["ada"], tmp_path)
    lines = path.read_text().splitlines()
    for text, fault in (
        (lines[:2], "the criterion 'honesty' is missing"),
        ([*lines, lines[1]], "each criterion once"),
        ([*lines, lines[1].replace("it runs", "style")], "has no criterion 'style'"),
        ([lines[0], lines[1], lines[2].replace("ada", "ben")], "of one learner"),
    ):
        path.write_text("\n".join(text))
        with pytest.raises(MtcourseError, match=fault):
            read_forms(rubric, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('name = "project_x"', 'name = "../x"', "a plain name"),
        ("points = 2", 'points = "2"', "a number above 0"),
        ("points = 2", "points = 2\nweight = 3", "nothing else"),
        ('[2, "with', '[5, "with', "more points than the criterion"),
        ('"honesty"', '"it runs"', "stands there twice"),
        ("[[criteria]]", "[criteria", "is not TOML"),
    ],
)
def test_a_faulty_rubric_is_refused(tmp_path, old, new, fault):
    (tmp_path / "r.toml").write_text(TEXT.replace(old, new))
    with pytest.raises(MtcourseError, match=fault):
        read_rubric(tmp_path / "r.toml")


def test_the_command_writes_forms_for_those_who_have_results(tmp_path, rubric):
    out = tmp_path / "grades"
    Records(out / "records", {"ada": "ada~1"}).write(result("ada"))
    (out / "records" / "damaged").mkdir()
    (out / "records" / "damaged" / "05_masks.json").write_text("{}")
    words = ["rubric", str(tmp_path / "rubric.toml"), "--out", str(out)]
    assert "6 points: 1 new forms" in CliRunner().invoke(app, words).output
    more = CliRunner().invoke(app, [*words, "--learner", "ben"])
    assert "ben.csv" in more.output
    for name in ("ada", "ben"):
        fill(out / "rubrics" / "project_x" / f"{name}.csv", "2", "2")
    results, remarks = read_all_forms(out)
    assert [(one.learner, one.points) for one in results] == [("ada", 4), ("ben", 4)]
    assert remarks == ["project_x: 2 forms"]
    (tmp_path / "rubric.toml").write_text(TEXT.replace("points = 2", "points = 3"))
    with pytest.raises(MtcourseError, match="another rubric of this name"):
        start_grading(tmp_path / "rubric.toml", out, ["ada"])


def test_the_report_and_the_feedback_show_a_project(tmp_path, rubric):
    write_forms(rubric, ["Ana", "Bo"], tmp_path / "forms")
    for path, points in zip(sorted((tmp_path / "forms").iterdir()), ("4", "2"), strict=True):
        fill(path, points, "2", comment="<b>clear</b>")
    results, _ = read_forms(rubric, tmp_path / "forms")
    write_reports([*results, result("Ana")], tmp_path / "out", {})
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Mean 3.0 of 4 points</strong>; all of them: 1 of 2" in report
    page = (tmp_path / "out" / "feedback" / "Bo" / "project_x.html").read_text(encoding="utf-8")
    assert "• it runs: graded by a person, 2 of 4 points" in page
    assert "&lt;b&gt;clear" in page
    junit = (tmp_path / "out" / "junit.xml").read_text(encoding="utf-8")
    assert 'name="Bo.project_x" tests="2" failures="0"' in junit


def test_names_that_are_one_in_a_file_system_get_a_form_each(rubric, tmp_path):
    names = ["a/b", "a:b", "a?b", "Ada", "ada", "ADA", "Zo\u00eb", "ZOE\u0308"]
    for name in names:  # one after the other: each finds those before it
        write_forms(rubric, [name, "Zoe\u0308"], tmp_path / "forms")
    forms = sorted((tmp_path / "forms").glob("*.csv"))
    assert len({path.name.casefold() for path in forms}) == len(forms) == len(names)
    told = {next(csv.DictReader(io.StringIO(path.read_text())))["learner"] for path in forms}
    assert told == {unicodedata.normalize("NFC", name) for name in names}


def test_a_full_disk_is_told_and_the_same_command_goes_on(tmp_path, monkeypatch):
    (tmp_path / "rubric.toml").write_text(TEXT)
    out, learners = tmp_path / "grades", ["ada", "ben", "cleo"]
    with full_disk(monkeypatch, after=2), pytest.raises(MtcourseError, match="No space left"):
        start_grading(tmp_path / "rubric.toml", out, learners)
    files = [path.name for path in (out / "rubrics" / "project_x").iterdir()]
    assert sorted(files) == ["ada.csv", "rubric.toml"]
    _, written = start_grading(tmp_path / "rubric.toml", out, learners)
    assert [path.name for path in written] == ["ben.csv", "cleo.csv"]
