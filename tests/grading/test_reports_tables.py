"""Tables, Gradescope's and JUnit's results: other programs read them, whatever is in a result."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
from _pytest.junitxml import families
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.grading.reports import TABLES
from mtcourse.grading.reports.gradescope import gradescope_json
from mtcourse.grading.reports.junit import junit_xml
from mtcourse.grading.reports.sanitize import clean_line, clean_lines
from mtcourse.grading.reports.tables import (
    canvas_table,
    grades_table,
    moodle_table,
    nbgrader_table,
)
from mtcourse.grading.results import FAILED
from tests.helpers.made_results import CLASS, failed, hostile_class, result


def rows(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


def column(text: str, name: str, learner: str = "") -> dict[str, str]:
    """What stands in a column, by the name in the first column that has ``learner`` in its name."""
    heading, *others = rows(text)
    whose = heading.index(learner or heading[0])
    return {row[whose]: row[heading.index(name)] for row in others}


def test_one_row_a_learner_and_exercise():
    read = list(csv.DictReader(io.StringIO(grades_table(CLASS))))
    told = {(r["learner"], r["notebook"], r["exercise"]): r["outcome"] for r in read}
    assert len(read) == 2 * 6 + 1
    assert told["Bo", "05_masks", "scaled_scores"] == "wrong"
    assert told["Ed", "04_attention", ""] == "failed"
    assert sum(int(r["points"] or 0) for r in read) == sum(one.points for one in CLASS) == 5 + 2 + 3


def test_canvas_finds_its_columns_learners_and_points():
    table = rows(canvas_table(CLASS))
    # What its importer looks for, row by row.
    assert "Student" in table[0][0]
    assert "ID" in table[0][1]
    assert re.search(r"SIS\s+User\s+ID", table[0][2])
    assert re.search(r"SIS\s+Login\s+ID", table[0][3])
    assert "Section" in table[0][4]
    assert [row for row in table if "Points Possible" in row[0]] == [table[1]]
    assert table[1][5:] == ["5.00", "5.00"]
    masks = column(canvas_table(CLASS), "05_masks")
    grades = column(canvas_table(CLASS), "04_attention")
    assert grades["Bo"] == "2.00"
    assert masks["Ana"] == "", "not handed in"
    assert grades["Di"] == "0.00", "unreadable"
    assert grades["Ed"] == "", "the grader's own failure"


def test_canvas_gets_back_the_number_that_it_put_into_a_files_name():
    own = result("smithjohn_12345", file="smithjohn_12345_678_04_attention-1.ipynb")
    late = result("smithjohn_12345", file="smithjohn_LATE_12345_678_04_attention.ipynb")
    claimed = result("smithjohn_12345", file="smithjohn_12345/9_9_04_attention.ipynb")
    for handed_in, number in ((own, "12345"), (late, "12345"), (claimed, "")):
        assert rows(canvas_table([handed_in]))[2][1] == number
    assert rows(canvas_table([own]))[2][0] == "smithjohn"


def test_a_learner_is_never_the_row_of_points():
    table = rows(canvas_table([result("Points Possible")]))
    assert sum("Points Possible" in row[0] for row in table) == 1


def test_moodle_and_nbgrader():
    grades = column(moodle_table(CLASS), "Assignment: 04_attention (Real)", "ID number")
    assert grades == {"Ana": "5.00", "Bo": "2.00", "Cy": "0.00", "Di": "0.00", "Ed": ""} | {
        "Flo": "3.00"
    }
    assert column(moodle_table([result("a@b.nl")]), "Email address", "ID number")["a@b.nl"]
    read = list(csv.DictReader(io.StringIO(nbgrader_table(CLASS))))
    scores = {(row["assignment"], row["student_id"]): row["score"] for row in read}
    assert len(scores) == len(read) == 2 * 6
    assert scores["04_attention", "Ana"] == "5.0"
    assert scores["05_masks", "Ana"] == "0.0"
    assert scores["04_attention", "Ed"] == ""
    assert {row["max_score"] for row in read} == {"5.0"}


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(), max_size=30) | st.sampled_from([r.learner for r in hostile_class()])
)
def test_no_cell_of_a_table_is_a_formula_however_a_spreadsheet_parts_them(name):
    one = result(name, file=name, reason=name)
    tables = [table for name, table in TABLES.items() if name.endswith(".csv")]
    assert len(tables) >= 4
    for table in tables:
        for delimiter in ",;\t":
            cells = (cell for row in rows(table([one]), delimiter) for cell in row)
            assert not {cell[:1] for cell in cells} & set("=+-@\t\r")


DOCUMENTED = {"output", "output_format", "visibility", "stdout_visibility", "tests"}
DOCUMENTED_OF_TESTS = {"score", "max_score", "status", "name", "name_format", "number", "output"}
DOCUMENTED_OF_TESTS |= {"output_format", "tags", "visibility"}


def test_gradescope():
    own = [one for one in CLASS if one.learner == "Bo"]
    read = json.loads(gradescope_json(own))
    assert set(read) <= DOCUMENTED
    assert all(set(test) <= DOCUMENTED_OF_TESTS for test in read["tests"])
    assert sum(test["score"] for test in read["tests"]) == 2
    assert sum(test["max_score"] for test in read["tests"]) == 10
    assert [test["status"] for test in read["tests"]] == ["passed", "failed", "failed", "failed"]
    assert "not divided by √d_k" in read["tests"][1]["output"]
    assert "byte order mark" in json.loads(gradescope_json([CLASS[3]]))["output"]


def test_gradescope_gives_no_score_where_the_grader_failed():
    read = json.loads(gradescope_json([failed("Ed")]))
    assert read["tests"] == []
    of_one = result("Ed", state=FAILED, reason="the worker ended")
    assert json.loads(gradescope_json([of_one]))["tests"] == []
    assert "not your fault" in read["output"]


@pytest.mark.parametrize("results", [CLASS, hostile_class()], ids=["a class", "hostile"])
def test_junit_is_what_pytest_writes(results):
    root = ElementTree.fromstring(junit_xml(results).encode())
    assert root.tag == "testsuites"
    for suite, one in zip(root, results, strict=True):
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases)) == str(len(one.exercises) or 1)
        failures = [case for case in cases if case.find("failure") is not None]
        assert suite.get("failures") == str(len(failures))
        assert len(cases) - len(failures) == (
            sum(e.outcome == "passed" for e in one.exercises) or suite.get("skipped") == "1"
        )
        for case in cases:
            assert set(case.attrib) <= set(families["xunit2"]["testcase"])


def test_colours_of_a_terminal_are_taken_out_and_long_texts_cut():
    assert clean_line("\x1b[1;31mNameError\x1b[0m: \x1b]0;title\x07x") == "NameError: x"
    assert clean_lines("a\n" * 500, max_lines=3) == "a\na\na\n… and 995 more characters"


@given(st.text(st.characters(), max_size=300), st.integers(1, 50))
def test_harmless_text_is_short_and_can_be_kept(text, longest):
    line = clean_line(text, longest)
    assert len(line) <= longest + 1
    assert "\n" not in line
    for kept in (line, clean_lines(text, longest)):
        kept.encode("utf-8")
        ElementTree.fromstring(f"<a>{kept.replace('&', '').replace('<', '')}</a>")
    if text.isascii() and text.isprintable() and len(text) <= longest:
        assert clean_lines(text, longest) == text
