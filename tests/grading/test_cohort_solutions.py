"""Solutions of a cohort: made, proved, handed out and graded, and never mixed up with another's."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mtcourse.checks.banks import bank_folders, bank_of
from mtcourse.checks.exercise import seed_of
from mtcourse.errors import MtcourseError
from mtcourse.grading import cohort_solutions
from mtcourse.grading.cohort_solutions import (
    AS_PUBLISHED,
    INPUTS,
    NOTHING,
    NUMBERS,
    check_numbers,
    describe_variations,
    list_variations,
    make_cohort_notebook,
    write_cohort_solutions,
)
from mtcourse.grading.exercise_notebook import make_exercise_notebook
from mtcourse.grading.grade_job import grade_job, merge_with_solution
from mtcourse.grading.grading_config import find_known_answers, read_solutions
from mtcourse.grading.isolation.silent_checks import SilentCheck
from mtcourse.grading.jobs import Job
from mtcourse.grading.judge_exercises import judge_exercises
from mtcourse.grading.release import write_release
from mtcourse.grading.solution_notebook import read_cells, read_cohort, read_notebook
from mtcourse.grading.submitted_notebook import Unreadable

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
NAMES = sorted(path.stem for path in SOLUTIONS.glob("*.ipynb"))
VARIED = [name for name in NAMES if any(one.versions for one in bank_of(name))]
FIRST = "04_attention"


def of_cohort(cohort: str, name: str = FIRST) -> dict:
    """The solution of a cohort; without one, the published solution."""
    path = SOLUTIONS / f"{name}.ipynb"
    notebook = read_notebook(path)
    return make_cohort_notebook(path, notebook, cohort) if cohort else notebook


def handed_in(cohort: str, name: str = FIRST) -> dict:
    """What a learner of a cohort hands in: untouched."""
    return make_exercise_notebook(Path(f"{name}.ipynb"), of_cohort(cohort, name))


def graded(submission: dict, solution: dict, name: str = FIRST):
    """Merges a submission as the grader does."""
    return merge_with_solution(json.dumps(submission).encode(), name, solution)


@pytest.mark.parametrize("name", NAMES)
def test_each_notebook_can_be_made_for_a_cohort(name):
    before, made = read_notebook(SOLUTIONS / f"{name}.ipynb"), of_cohort("2027", name)
    pairs = list(zip(read_cells(before), read_cells(made), strict=True))
    changed = {cell.exercise for cell, other in pairs if cell.text != other.text}
    assert changed == {"", *(one.id for one in bank_of(name) if one.versions)}
    texts = [other.text for _, other in pairs]
    assert sum('\ncheck = check.for_cohort("2027")' in text for text in texts) == 1
    assert all(cell.metadata == other.metadata for cell, other in pairs)
    assert read_cohort(made) == "2027"
    assert set(made["metadata"]["mtcourse"]["numbers"]) == changed - {""}


@pytest.mark.parametrize("name", VARIED)
@pytest.mark.parametrize("cohort", ["2026", "2031"])
def test_the_solution_of_a_cohort_is_right_with_its_numbers(name, cohort):
    """The code of the answer alone, run here and held against the bank's key."""
    bank = {one.id: one for one in bank_of(name, cohort) if one.versions}
    for cell in read_cells(of_cohort(cohort, name)):
        if cell.role == "answer" and cell.exercise in bank:
            namespace: dict = {}
            exec(cell.text, namespace)
            assert namespace[cell.exercise] == pytest.approx(bank[cell.exercise].oracle())


@pytest.mark.parametrize("name", VARIED)
def test_learners_read_the_new_numbers_and_nowhere_the_key(name):
    made, published = of_cohort("2027", name), of_cohort("", name)
    bank = {one.id: one.versions for one in bank_of(name) if one.versions}
    questions = [
        {c.exercise: c.text for c in read_cells(one) if c.id.endswith("-question")}
        for one in (published, made)
    ]
    for exercise, versions in bank.items():
        before, now = (one[exercise] for one in questions)
        drawn, known = versions.numbers_of("2027"), vars(versions.numbers.published)
        for number, value in drawn.items():
            plain = [re.sub(r"(?<=\d)(?:,|\{,\})(?=\d)", "", text) for text in (before, now)]
            assert plain[1].count(str(value)) >= 1, number
            assert str(known[number]) in plain[0]
    learners = handed_in("2027", name)
    assert learners["metadata"]["mtcourse"]["cohort"] == "2027"
    assert "numbers" not in learners["metadata"]["mtcourse"]


def test_a_reasoning_whose_numbers_are_not_all_known_says_that_it_is_as_published():
    hidden = {c.exercise: c.text for c in read_cells(of_cohort("2027")) if c.role == "hidden"}
    assert not hidden["score_variance"].startswith(AS_PUBLISHED)
    texts = read_cells(of_cohort("2027", "14_kv_cache"))
    (of_cache,) = [c.text for c in texts if c.role == "hidden" and c.exercise == "cache_memory"]
    assert of_cache.startswith(AS_PUBLISHED)
    assert "61,440 bytes" in of_cache


def test_a_number_of_which_nobody_says_whether_it_varies_is_an_error():
    notebook = of_cohort("")
    (cell,) = [c for c in notebook["cells"] if c["id"] == "score-variance-question"]
    cell["source"] = [*cell["source"], "\nFor 77 heads."]
    with pytest.raises(MtcourseError, match=r"cell 32: 77 stands there.*score_variance"):
        make_cohort_notebook(SOLUTIONS / f"{FIRST}.ipynb", notebook, "2027")


@pytest.mark.parametrize(("own", "solution"), [("2026", "2027"), ("", "2027"), ("2027", "")])
@pytest.mark.parametrize("hides", [False, True])
def test_the_notebook_of_another_cohort_is_refused_with_the_reason(own, solution, hides):
    submission = handed_in(own)
    if hides:  # as some programs do that save notebooks
        submission["metadata"] = {}
    with pytest.raises(Unreadable) as refused:
        graded(submission, of_cohort(solution))
    names = [f"the cohort {one}" if one else "without a cohort" for one in (own, solution)]
    assert all(name in str(refused.value) for name in names)
    assert "hand in the notebook that your own class was given" in str(refused.value)


@pytest.mark.parametrize("cohort", ["", "2027"])
def test_ones_own_notebook_is_merged(cohort):
    merged = graded(handed_in(cohort), of_cohort(cohort))
    asks = [cell.source for cell in merged.cells if "for_cohort" in cell.source]
    assert len(asks) == bool(cohort)
    assert merged.repairs == ()


def test_what_does_not_say_whose_it_is_is_graded_with_the_graders_own_numbers():
    submission = handed_in("2026")
    submission["metadata"] = {}
    submission["cells"] = [c for c in submission["cells"] if "for_cohort" not in str(c["source"])]
    merged = graded(submission, of_cohort("2027"))
    assert any('for_cohort("2027")' in cell.source for cell in merged.cells)


def test_metadata_change_nothing_of_what_is_graded():
    """A learner who says that last year's notebook is this year's gets this year's checks."""
    submission = handed_in("2026")
    submission["metadata"]["mtcourse"]["cohort"] = "2027"
    merged = graded(submission, of_cohort("2027"))
    assert any('for_cohort("2027")' in cell.source for cell in merged.cells)
    assert not any('for_cohort("2026")' in cell.source for cell in merged.cells)


@pytest.mark.parametrize("cohort", [7, None, ["2027"], {"2027": 1}])
def test_whatever_stands_in_the_metadata_is_no_error(cohort):
    submission = handed_in("2027")
    submission["metadata"]["mtcourse"]["cohort"] = cohort
    assert graded(submission, of_cohort("2027")).missing == ()


def test_where_no_number_varies_any_cohorts_notebook_may_be_handed_in():
    name = next(name for name in NAMES if name not in VARIED)
    assert graded(handed_in("2026", name), of_cohort("2027", name), name).missing == ()


def test_the_result_of_a_refused_notebook_tells_the_reason():
    content = json.dumps(handed_in("2026")).encode()
    solution = json.dumps(of_cohort("2027")).encode()
    result = grade_job(Job("ada", FIRST, "ada.ipynb", content, solution, 5, "none"))
    assert result.state == "unreadable"
    assert "the notebook of the cohort 2026" in result.reason
    assert {one.outcome for one in result.exercises} == {"unreadable"}


def test_a_class_is_graded_with_the_numbers_of_its_own_cohort():
    contents = {cohort: json.dumps(of_cohort(cohort)).encode() for cohort in ("2027", "")}
    own = contents["2027"]
    result = grade_job(Job("ada", FIRST, "ada.ipynb", own, own, 5, "none"))
    assert {one.exercise: one.outcome for one in result.exercises if one.outcome != "passed"} == {}
    last_years = own.decode()
    for exercise in bank_of(FIRST):
        if exercise.versions:
            last_years = with_answer(last_years, exercise.id, contents[""])
    result = grade_job(Job("ada", FIRST, "ada.ipynb", last_years.encode(), own, 5, "none"))
    wrong = {one.exercise for one in result.exercises if one.outcome == "wrong"}
    assert wrong == {exercise.id for exercise in bank_of(FIRST) if exercise.versions}


def with_answer(notebook: str, exercise: str, other: bytes) -> str:
    """A notebook with another's answer to an exercise."""
    made, theirs = json.loads(notebook), json.loads(other)
    told = {"role": "answer", "id": exercise}
    (own,), (cell,) = (
        [one for one in of["cells"] if told.items() <= one["metadata"].get("mtcourse", {}).items()]
        for of in (made, theirs)
    )
    own["source"] = cell["source"]
    return json.dumps(made)


def test_the_seed_of_a_cohort_is_none_to_grade_with():
    bank = bank_of(FIRST, "2027")
    merged = graded(handed_in("2027"), of_cohort("2027"))

    class Session:
        def end(self):
            pass

    for seed in (seed_of("2027"), 1):
        with pytest.raises(MtcourseError, match="public one"):
            list(judge_exercises(merged, bank, seed, Session()))
    assert "row_softmax" in find_known_answers(bank, seed_of("2027"))
    assert find_known_answers(bank, 1) == []


def test_in_the_kernel_of_a_grader_a_check_knows_no_cohort():
    check = SilentCheck()
    assert check.for_cohort("2027") is check


def test_a_bank_that_has_changed_since_is_noticed():
    made = of_cohort("2027")
    check_numbers(SOLUTIONS / f"{FIRST}.ipynb", json.loads(json.dumps(made)))
    check_numbers(SOLUTIONS / f"{FIRST}.ipynb", of_cohort(""))
    made["metadata"]["mtcourse"]["numbers"]["score_variance"] = {"d_k": 81}
    with pytest.raises(MtcourseError, match="other numbers of the cohort 2027"):
        check_numbers(SOLUTIONS / f"{FIRST}.ipynb", made)


def test_what_varies_is_listed_for_every_exercise():
    listed = {one.exercise: one.varies for one in list_variations(SOLUTIONS)}
    banks = [one for word in bank_folders() for one in bank_of(f"00_{word}")]
    assert set(listed) == {one.id for one in banks}
    assert listed["score_variance"] == NUMBERS
    assert listed["row_softmax"] == INPUTS
    assert listed["decoder_mask_lines"] == NOTHING
    text = describe_variations(list_variations(SOLUTIONS))
    assert f"{list(listed.values()).count(NOTHING)} exercises vary in nothing" in text
    assert "05_masks: decoder_mask_lines" in text


@pytest.fixture
def one_notebook(tmp_path, monkeypatch) -> Path:
    """A folder with a single solution, whose banks are trusted: they are proved elsewhere."""
    folder = tmp_path / "solutions"
    folder.mkdir()
    shutil.copy(SOLUTIONS / f"{FIRST}.ipynb", folder)
    monkeypatch.setattr(cohort_solutions, "find_confusion", lambda exercise: "")
    return folder


def test_a_cohort_that_cannot_be_told_apart_is_refused(one_notebook, monkeypatch):
    monkeypatch.setattr(
        cohort_solutions,
        "find_confusion",
        lambda exercise: "the mistake x is taken for right" * (exercise.id == "attention"),
    )
    out = one_notebook.with_name("of-2027")
    with pytest.raises(MtcourseError, match=r"'2027' cannot have attention of 04_attention: the m"):
        write_cohort_solutions(one_notebook, "2027", out)
    assert sorted(path.name for path in one_notebook.parent.iterdir()) == ["solutions"]


def test_a_solution_that_its_own_check_rejects_is_no_solution(one_notebook, monkeypatch):
    monkeypatch.setattr(cohort_solutions, "store_outputs", lambda path: None)
    path = one_notebook / f"{FIRST}.ipynb"
    notebook = read_notebook(path)
    (check,) = [c for c in notebook["cells"] if c["id"] == "score-variance-check"]
    check["outputs"] = []
    path.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(MtcourseError, match="the solution of score_variance is wrong"):
        write_cohort_solutions(one_notebook, "2027", one_notebook.with_name("of-2027"))


def test_a_folder_that_is_there_is_left_alone(one_notebook):
    with pytest.raises(MtcourseError, match="is there already"):
        write_cohort_solutions(one_notebook, "2027", one_notebook)
    with pytest.raises(MtcourseError, match="no name of a cohort"):
        write_cohort_solutions(one_notebook, "../x", one_notebook.with_name("new"))
    assert not one_notebook.with_name("new").exists()


@pytest.mark.slow
def test_a_cohort_from_its_solutions_to_what_learners_get(one_notebook):
    """Written and run; nbval agrees with what is stored; released without a solution."""
    out = one_notebook.with_name("solutions-2027")
    told: list[str] = []
    (written,) = write_cohort_solutions(one_notebook, "2027", out, told.append)
    assert told == [f"{FIRST} is proved (1 of 1)"]
    assert str(256) in json.dumps(read_notebook(written))
    assert read_solutions(out)[FIRST].cohort == "2027"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", str(written)],
        capture_output=True,
        text=True,
        check=False,
        cwd=SOLUTIONS.parent,
    )
    assert done.returncode == 0, done.stdout
    (learners,) = write_release(out, one_notebook.with_name("release"))
    assert read_cohort(read_notebook(learners)) == "2027"
