"""Numbers in place of names: one for each learner, always the same, and no name beside it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.grading.learner_numbers import assign_numbers, replace_names
from mtcourse.grading.reports import write_reports
from mtcourse.grading.results import FinalGrade
from mtcourse.grading.submission_paths import safe_name
from tests.helpers.made_results import result


def test_who_has_a_number_keeps_it(tmp_path):
    path = tmp_path / "numbers.csv"
    first = assign_numbers(path, ["ada", "ben, jr", "ada"])
    assert set(first) == {"ada", "ben, jr"}
    second = assign_numbers(path, ["cy", "ada"])
    assert second.items() > first.items()
    assert len(set(second.values())) == 3
    assert all(number.isdigit() and len(number) == 4 for number in second.values())
    assert next(csv.reader(path.read_text().splitlines())) == ["learner", "number"]
    assert path.stat().st_mode & 0o077 == 0


def test_numbers_do_not_follow_the_names(tmp_path):
    names = [f"learner {place:04}" for place in range(3000)]
    numbers = assign_numbers(tmp_path / "numbers.csv", names)
    assert len(set(numbers.values())) == 3000
    drawn = [int(numbers[name]) for name in names]
    assert drawn != sorted(drawn)


@pytest.mark.parametrize(
    "text", ["", "name,number\nada,1\n", "learner,number\nada\n", "learner,number\na,1\nb,1\n"]
)
def test_a_damaged_table_stops_the_grader(tmp_path, text):
    path = tmp_path / "numbers.csv"
    path.write_text(text)
    with pytest.raises(MtcourseError, match="is damaged, and with it the numbers"):
        assign_numbers(path, ["ada"])
    assert path.read_text() == text


@settings(deadline=None, max_examples=100)
@given(
    st.text(st.characters(categories=["Lu", "Ll"]), min_size=3, max_size=12).map(
        lambda name: safe_name(f"{name}Qx")
    ),
    st.sampled_from(["{}_1815", "{}"]),
    st.sampled_from(["{}/04_attention.ipynb", "{}_1815_90210_04_attention.ipynb"]),
)
def test_no_name_is_left(name, learner, file):
    told = f"of 2 files the latest is graded; left out: {file.format(name)}, {name} (1).ipynb"
    one = result(
        learner.format(name),
        file=file.format(name),
        reason=told,
        repairs=(told,),
        grade=FinalGrade(1, notes=(told,)),
    )
    hidden = replace_names(one, {one.learner: "4711"})
    shown = json.dumps([hidden.to_json(), hidden.grade.notes], ensure_ascii=False)
    assert name.casefold() not in shown.casefold()
    assert (hidden.learner, hidden.points) == ("4711", 1)
    assert [e.outcome for e in hidden.exercises] == [e.outcome for e in one.exercises]


def test_words_that_only_contain_a_name_stay():
    one = replace_names(result("at", repairs=("at first that was it",)), {"at": "4711"})
    assert one.repairs == ("4711 first that was it",)


def test_reports_by_number_have_no_name(tmp_path):
    numbers = {"Anneliese": "4711", "Bodo": "1234"}
    results = [replace_names(result(name), numbers) for name in numbers]
    write_reports(results, tmp_path / "by_number", {})
    for path in (tmp_path / "by_number").rglob("*"):
        assert not any(name in path.name for name in numbers)
        if path.is_file():
            assert not any(name in path.read_text(encoding="utf-8") for name in numbers), path
    assert (tmp_path / "by_number/feedback/4711/04_attention.html").exists()


def test_numbers_begin_with_1000_and_end_with_9999(tmp_path, monkeypatch):
    """As many digits for everybody, and the first is never a zero that a spreadsheet drops."""
    for end, number in ((lambda n: 0, "1000"), (lambda n: n - 1, "9999")):
        monkeypatch.setattr("mtcourse.grading.learner_numbers.secrets.randbelow", end)
        assert assign_numbers(tmp_path / f"{number}.csv", ["ada"]) == {"ada": number}


def test_the_longest_form_of_a_name_is_replaced_first_and_in_notes_too():
    one = result("Ada Byron_1815")
    one = replace(
        one,
        file="Ada Byron_1815_assignsubmission_file/x.ipynb",
        reason="ada byron_1815 and ADA BYRON",
        exercises=tuple(replace(e, note="as Ada Byron says") for e in one.exercises),
    )
    hidden = replace_names(one, {"Ada Byron_1815": "4321"})
    assert hidden.reason == "4321 and 4321"
    assert {e.note for e in hidden.exercises} == {"as 4321 says"}
