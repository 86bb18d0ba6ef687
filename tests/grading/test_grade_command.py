"""``mtcourse grade`` as a teacher uses it, with a grader that only reads who passes."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import os
import shutil
import signal
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from filelock import FileLock
from rich.console import Console
from typer.testing import CliRunner

from mtcourse.cli import app
from mtcourse.errors import MtcourseError
from mtcourse.grading import command
from mtcourse.grading.backlog import MAX_LISTED, Regrade
from mtcourse.grading.command import Options
from mtcourse.grading.grade_job import installed_versions
from mtcourse.grading.jobs import Job, OnResult, RunJobs, failed_result
from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import FAILED, GRADED, ExerciseResult, SubmissionResult
from mtcourse.grading.solution_notebook import read_exercise_specs
from tests.helpers.full_disks import full_disk, mounted, resize

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "solutions"
NOTEBOOK = SOLUTIONS / "04_attention.ipynb"


def grade_by_name(job: Job) -> SubmissionResult:
    """Everything passes that does not say that it is wrong."""
    outcome = "wrong" if b"wrong" in job.content[:5] else "passed"
    exercises = [
        ExerciseResult(one.id, outcome, one.points * (outcome == "passed"), one.points)
        for one in read_exercise_specs(json.loads(job.solution))
    ]
    return SubmissionResult(
        job.learner, job.notebook, job.file, GRADED, exercises=tuple(exercises), seed=job.seed,
        isolation=job.isolation, versions=installed_versions(), key=job.key,
    )  # fmt: skip


class Teacher:
    """Somebody with a class, a folder for it, and a terminal."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.submissions, self.out = folder / "submissions", folder / "grades"
        self.graded: list[str] = []
        self.stop_after = 10**6
        monkeypatch.setattr(command, "open_worker_pool", self.pool)

    def pool(self, *_) -> contextlib.nullcontext[RunJobs]:
        """In the place of processes."""
        return contextlib.nullcontext(self._run)

    def _run(self, jobs: Iterable[Job], done: OnResult) -> None:
        for job in jobs:
            if len(self.graded) == self.stop_after:
                raise KeyboardInterrupt
            if job.learner == "broken":
                done(job, failed_result(job, "no space left"))
            else:
                done(job, grade_by_name(job))
            self.graded.append(job.learner)

    def hands_in(self, learner: str, content: bytes | None = None) -> None:
        path = self.submissions / learner / NOTEBOOK.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(NOTEBOOK.read_bytes() if content is None else content)

    def grades(self, **options) -> tuple[int, str, list[str]]:
        """Status, what is said, and who was graded."""
        self.graded.clear()
        said = io.StringIO()
        how = Options(**{"isolation": "none", **options})
        status = command.grade_submissions(
            self.submissions, SOLUTIONS, self.out, how, Console(file=said, width=120)
        )
        return status, said.getvalue(), [one for one in self.graded if one != "solution"]

    def record(self, learner: str) -> SubmissionResult:
        path = self.out / "records" / learner / "04_attention.json"
        return SubmissionResult.from_json(path.read_text(encoding="utf-8"))


@pytest.fixture
def teacher(tmp_path, monkeypatch) -> Teacher:
    return Teacher(tmp_path, monkeypatch)


def test_a_class_is_graded_once(teacher):
    teacher.hands_in("alice")
    teacher.hands_in("bob", b"wrong")
    status, said, graded = teacher.grades()
    assert (status, graded) == (0, ["alice", "bob"])
    assert "2 to grade, 0 done" in said
    assert (teacher.record("alice").points, teacher.record("bob").points) == (21, 0)
    assert "report.html" in said
    assert (teacher.out / "report.html").exists()
    rows = (teacher.out / "grades.csv").read_text().splitlines()
    assert len(rows) == 1 + 2 * 8
    status, said, graded = teacher.grades()
    assert (status, graded, teacher.graded) == (0, [], [])
    assert "0 to grade, 2 done" in said


def test_who_hands_in_later_or_again_is_graded_and_nobody_else(teacher):
    teacher.hands_in("alice", b"wrong")
    teacher.hands_in("bob")
    teacher.grades()
    teacher.hands_in("alice")
    teacher.hands_in("carol")
    _, _, graded = teacher.grades()
    assert graded == ["alice", "carol"]
    assert teacher.record("alice").points == 21


def test_what_was_graded_otherwise_is_left_until_it_is_asked_for(teacher):
    teacher.hands_in("alice")
    teacher.grades()
    _, said, graded = teacher.grades(seconds=5.0)
    assert graded == []
    assert "1 would come about otherwise now: the limits are others; --regrade" in said
    _, said, graded = teacher.grades(seconds=5.0, regrade=Regrade())
    assert graded == ["alice"]
    assert "again alice, 04_attention: the limits are others" in said


def test_stopped_and_started_again_it_goes_on_where_it_was(teacher):
    for name in ("alice", "bob", "carol", "dave"):
        teacher.hands_in(name)
    teacher.stop_after = 3 + 2  # the solution on three seeds, and two learners
    status, said, graded = teacher.grades()
    assert (status, graded) == (130, ["alice", "bob"])
    assert "the same command goes on" in said
    teacher.stop_after = 10**6
    status, _, graded = teacher.grades()
    assert (status, graded, teacher.graded) == (0, ["carol", "dave"], ["carol", "dave"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("options", [[], ["--explain"]])
def test_stopped_before_it_has_begun_it_says_by_what(monkeypatch, number, options):
    class Stopping:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "mtcourse.grading.command":
                signal.raise_signal(number)

    monkeypatch.delitem(sys.modules, "mtcourse.grading.command")
    monkeypatch.setattr(sys, "meta_path", [Stopping(), *sys.meta_path])
    done = CliRunner().invoke(app, ["grade", "submissions", *options])
    assert (done.exit_code, done.output) == (128 + number, "")


def test_a_failure_of_the_grader_is_told_and_tried_again(teacher):
    teacher.hands_in("alice")
    teacher.hands_in("broken")
    for _ in range(2):
        status, said, graded = teacher.grades()
        assert status == 1
        assert "the grader failed on 1: the same command tries them again" in said
        assert "no space left" in said
        assert "broken" in graded
    assert teacher.record("broken").state == FAILED


def test_a_solution_that_does_not_pass_stops_everything(teacher, tmp_path, monkeypatch):
    teacher.hands_in("alice")
    monkeypatch.setattr(command, "check_reference_results", check_wrong)
    with pytest.raises(MtcourseError, match="does not pass"):
        teacher.grades()
    assert teacher.graded == ["solution"] * 3
    assert not (teacher.out / "records").exists()


def check_wrong(results: Iterable[SubmissionResult]) -> None:
    raise MtcourseError(f"the solution {next(iter(results)).notebook} does not pass")


def test_a_solution_on_which_the_grader_failed_is_tried_again(teacher, monkeypatch):
    teacher.hands_in("alice")
    monkeypatch.setattr(command, "open_worker_pool", lambda *_: contextlib.nullcontext(fail_all))
    with pytest.raises(MtcourseError, match="could not be graded: no space left"):
        teacher.grades()
    monkeypatch.setattr(command, "open_worker_pool", teacher.pool)
    assert teacher.grades()[0] == 0


def fail_all(jobs: Iterable[Job], done: OnResult) -> None:
    for job in jobs:
        done(job, failed_result(job, "no space left"))


def test_attempts_left_out_are_told_to_the_learner(teacher):
    teacher.hands_in("alice")
    shutil.copy(NOTEBOOK, teacher.submissions / "alice" / "04_attention (1).ipynb")
    teacher.grades()
    assert "of 2 files the latest is graded" in teacher.record("alice").repairs[0]


def test_what_cannot_be_read_is_reported_beside_the_others(teacher):
    teacher.hands_in("alice")
    (teacher.submissions / "bob").mkdir()
    (teacher.submissions / "bob" / "essay.pdf").write_bytes(b"")
    status, said, graded = teacher.grades()
    assert (status, graded) == (0, ["alice"])
    assert "1 to grade, 0 done, 1 that cannot be read" in said
    assert "bob" in (teacher.out / "grades.csv").read_text()


FOREIGN = {
    "displaced, by a Canvas name": (
        "lovelaceada_1815_90210_04_attention.ipynb",
        NOTEBOOK.read_bytes(),
        "malloryeve_666_90212_notes.zip",
        {"lovelaceada_1815_99999_04_attention-9.ipynb": b"wrong"},
        {"lovelaceada_1815": 21, "malloryeve_666": 0},
    ),
    "displaced, by a later date": (
        "ada_04_attention.ipynb",
        NOTEBOOK.read_bytes(),
        "mallory_04_attention.zip",
        {"ada_04_attention.ipynb": b"wrong"},
        {"ada": 21, "mallory": 0},
    ),
    "forged": (
        "ada_04_attention.ipynb",
        b"wrong",
        "mallory_04_attention.zip",
        {"ada_04_attention.ipynb": NOTEBOOK.read_bytes()},
        {"ada": 0, "mallory": 21},
    ),
    "invented": (
        "ada_04_attention.ipynb",
        NOTEBOOK.read_bytes(),
        "mallory_04_attention.zip",
        {f"student{number}_04_attention.ipynb": NOTEBOOK.read_bytes() for number in range(50)},
        {"ada": 21, "mallory": 21},
    ),
}


@pytest.mark.parametrize(
    ("hers", "work", "archive", "packed", "points"), FOREIGN.values(), ids=FOREIGN
)
def test_an_archive_brings_points_to_its_owner_alone(teacher, hers, work, archive, packed, points):
    teacher.submissions.mkdir()
    (teacher.submissions / hers).write_bytes(work)
    with zipfile.ZipFile(teacher.submissions / archive, "w") as made:
        for name, content in packed.items():
            made.writestr(zipfile.ZipInfo(name, (2107, 1, 1, 0, 0, 0)), content)
    assert teacher.grades()[0] == 0
    learners = [folder.name for folder in (teacher.out / "records").iterdir()]
    assert {name: teacher.record(name).points for name in learners} == points


def test_a_broken_archive_and_a_pipe_are_named_and_the_class_is_graded(teacher):
    teacher.hands_in("alice")
    (teacher.submissions / "bob_04_attention.zip").write_bytes(b"no archive")
    os.mkfifo(teacher.submissions / "carol.zip")
    status, said, graded = teacher.grades()
    assert (status, graded) == (0, ["alice"])
    assert "1 to grade, 0 done, 2 that cannot be read" in said
    assert "  bob_04_attention.zip: it is not a zip archive that can be read" in said
    assert "  carol.zip: it is not a file but a folder, a pipe" in said
    record = (teacher.out / "records" / "bob" / "unknown.json").read_text(encoding="utf-8")
    assert "it is not a zip archive" in SubmissionResult.from_json(record).reason
    assert "bob" in (teacher.out / "report.html").read_text(encoding="utf-8")


def test_of_many_files_that_cannot_be_read_a_few_are_named(teacher):
    teacher.hands_in("alice")
    for number in range(MAX_LISTED + 2):
        (teacher.submissions / f"learner{number:02}.zip").write_bytes(b"")
    _, said, _ = teacher.grades()
    assert said.count("it is not a zip archive") == MAX_LISTED
    assert "and 2 more, which the report names" in said


def test_two_runs_do_not_grade_into_one_folder(teacher):
    teacher.hands_in("alice")
    teacher.out.mkdir()
    with (
        FileLock(teacher.out / command.LOCK),
        pytest.raises(MtcourseError, match="another run"),
    ):
        teacher.grades()


def test_errors_name_what_to_do(teacher, tmp_path):
    with pytest.raises(MtcourseError, match="there is nothing at"):
        teacher.grades()
    teacher.submissions.mkdir()
    with pytest.raises(MtcourseError, match="no notebook in"):
        teacher.grades()
    teacher.hands_in("alice")
    teacher.out = teacher.submissions / "grades"
    with pytest.raises(MtcourseError, match="name another --out"):
        teacher.grades()


def explained(path: Path, seed: int | None = None) -> str:
    said = io.StringIO()
    options = Options(seed=seed, isolation="none")
    console = Console(file=said, width=120)
    command.explain_submission(path, SOLUTIONS, options, console, grade_by_name)
    return said.getvalue()


def test_one_notebook_is_explained_and_nothing_kept(teacher, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    teacher.hands_in("alice")
    path = teacher.submissions / "alice" / NOTEBOOK.name
    said = explained(path, seed=4711)
    assert "alice, 04_attention: 21 of 21 points" in said
    assert f"again: mtcourse grade {path} --seed 4711 --isolation none --explain" in said
    assert [one.name for one in tmp_path.iterdir()] == ["submissions"]
    with pytest.raises(MtcourseError, match="one at a time"):
        explained(teacher.submissions)
    path.unlink()
    path.symlink_to(NOTEBOOK)
    assert "unreadable" in explained(path)


def test_the_solution_is_tried_on_the_very_seed_of_the_one_that_is_explained(teacher):
    tried = []

    def grade(job: Job) -> SubmissionResult:
        tried.append((job.learner, job.seed))
        return grade_by_name(job)

    teacher.hands_in("alice")
    path = teacher.submissions / "alice" / NOTEBOOK.name
    options = Options(isolation="none")
    command.explain_submission(path, SOLUTIONS, options, Console(file=io.StringIO()), grade)
    (reference, seed), (learner, same) = tried
    assert (reference, learner, seed) == ("solution", "alice", same)


def test_the_default_limit_is_the_graders():
    assert Options().seconds == Limits().seconds == 30


RULES = """\
[deadlines]
04_attention = 2026-10-02T23:59:00Z
[late]
percent_per_day = 10
"""
BY_HAND = "learner,notebook,exercise,points,comment,by\n"


def decide(teacher: Teacher, **files: str) -> Path:
    """The files of a policy, by their names without an ending."""
    folder = teacher.out.parent
    for name, text in files.items():
        ending = "toml" if name == "policy" else "csv"
        (folder / f"{name}.{ending}").write_text(text, encoding="utf-8")
    return folder


def finals(teacher: Teacher, name: str = "final_grades.csv") -> dict[str, dict[str, str]]:
    with (teacher.out / name).open(encoding="utf-8", newline="") as file:
        return {row["learner"]: row for row in csv.DictReader(file)}


def stored(teacher: Teacher) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (teacher.out / "records").rglob("*.json")}


def test_another_policy_changes_grades_and_neither_grades_again_nor_changes_a_record(teacher):
    for name in ("alice", "bob"):
        teacher.hands_in(name)
    times = "learner,notebook,time\nbob,04_attention,2026-10-04 08:00Z\n"
    folder = decide(teacher, policy=RULES, times=times)
    _, said, _ = teacher.grades(policy=folder)
    assert "policy: policy.toml, times.csv" in said
    assert "1 late; of 1 no time is known" in said
    before = stored(teacher)
    assert (finals(teacher)["alice"]["points"], finals(teacher)["bob"]["points"]) == ("21", "16.8")
    by_hand = (
        f"{BY_HAND}bob,04_attention,,20,was ill,MK\nalice,04_attention,scaled_scores,0,no,MK\n"
    )
    decide(teacher, adjustments=by_hand)
    _, _, graded = teacher.grades(policy=folder)
    assert (graded, stored(teacher)) == ([], before)
    assert finals(teacher)["bob"]["note"].endswith("by hand (MK), 20 in place of 16.8: was ill")
    page = (teacher.out / "feedback/bob/04_attention.html").read_text(encoding="utf-8")
    assert "20 of 21 points" in page
    assert "2 days late" in page
    assert "was ill" in page
    hers = json.loads((teacher.out / "feedback/alice/04_attention.ipynb").read_text("utf-8"))
    assert "by hand (MK), 0 in place of" in str(hers["cells"][0])
    scores = json.loads((teacher.out / "gradescope/bob/results.json").read_text("utf-8"))
    assert scores["score"] == 20
    # And regrading leaves what was given by hand.
    teacher.grades(policy=folder, regrade=Regrade("bob"))
    assert finals(teacher)["bob"]["points"] == "20"
    teacher.grades()
    assert finals(teacher)["bob"]["points"] == "21"
    assert finals(teacher)["bob"]["note"] == ""


def test_a_slip_in_a_policy_is_told_before_anybody_is_graded(teacher):
    teacher.hands_in("alice")
    folder = decide(teacher, adjustments=f"{BY_HAND}alcie,04_attention,,1,,\n")
    with pytest.raises(MtcourseError, match=r"line 2: nobody of the name 'alcie'.*'alice'"):
        teacher.grades(policy=folder)
    assert teacher.graded == []


def test_the_best_of_several_attempts(teacher):
    folder = decide(teacher, policy='resubmissions = "best"')
    teacher.hands_in("alice")
    teacher.grades(policy=folder)
    other = teacher.submissions / "alice" / "04_attention (1).ipynb"
    other.write_bytes(b"wrong")
    _, _, graded = teacher.grades(policy=folder)
    assert graded == ["alice"], "only what is new"
    assert finals(teacher)["alice"]["points"] == "21"
    assert "the best of 2 attempts counts" in finals(teacher)["alice"]["note"]
    assert teacher.record("alice").points == 0, "the last one"
    assert len(stored(teacher)) == 2
    before = stored(teacher)
    for text, points in (('resubmissions = "last"', "0"), ('resubmissions = "best"', "21")):
        decide(teacher, policy=text)
        assert teacher.grades(policy=folder)[2] == []
        assert finals(teacher)["alice"]["points"] == points
    assert stored(teacher) == before
    other.unlink()
    decide(teacher, policy='resubmissions = "last"')
    assert teacher.grades(policy=folder)[2] == []
    assert teacher.record("alice").points == 21


def test_one_learner_or_one_exercise_is_graded_again_even_if_nothing_has_changed(
    teacher, monkeypatch
):
    for name in ("alice", "bob"):
        teacher.hands_in(name)
    teacher.grades()
    _, said, graded = teacher.grades(regrade=Regrade("bob"))
    assert graded == ["bob"]
    assert "again bob, 04_attention: asked for" in said
    assert teacher.grades(regrade=Regrade())[2] == [], "nothing has changed"
    monkeypatch.setattr("tests.grading.test_grade_command.grade_by_name", grade_as_wrong)
    before = teacher.record("bob")
    _, said, graded = teacher.grades(regrade=Regrade(exercise="scaled_scores", learner="bob"))
    assert graded == ["bob"]
    assert "again bob, 04_attention, scaled_scores: asked for" in said
    after = teacher.record("bob")
    changed = [
        one.exercise
        for one, other in zip(after.exercises, before.exercises, strict=True)
        if one != other
    ]
    assert changed == ["scaled_scores"]
    assert after.exercises[0].key == after.key
    for regrade in (Regrade("bbo"), Regrade(exercise="scaled_score")):
        with pytest.raises(MtcourseError, match="did you mean '(bob|scaled_scores)'"):
            teacher.grades(regrade=regrade)


_grade_by_name = grade_by_name


def grade_as_wrong(job: Job) -> SubmissionResult:
    """The grader after its mind has changed; solutions still pass."""
    if job.learner == "solution":
        return _grade_by_name(job)
    return _grade_by_name(dataclasses.replace(job, content=b"wrong"))


def test_numbers_in_place_of_names(teacher):
    folder = decide(teacher, policy="numbers = true")
    for name in ("alice", "bob"):
        teacher.hands_in(name)
    teacher.grades(policy=folder)
    numbers = {name: row["number"] for name, row in finals(teacher, "numbers.csv").items()}
    assert set(finals(teacher, "by_number/grades.csv")) == set(numbers.values())
    for path in (teacher.out / "by_number").rglob("*.*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert "alice" not in text, path
    by_number = f"{BY_HAND}{numbers['bob']},04_attention,,7,,\n"
    teacher.grades(policy=decide(teacher, adjustments=by_number))
    assert finals(teacher)["bob"]["points"] == "7"
    assert finals(teacher, "numbers.csv")["bob"]["number"] == numbers["bob"]
    graded = teacher.grades(policy=folder, regrade=Regrade(numbers["bob"]))[2]
    assert "alice" not in str(graded)
    assert "bob" in str(graded)
    folder = decide(teacher, policy="numbers = false", adjustments=by_number)
    teacher.grades(policy=folder)
    assert finals(teacher)["bob"]["points"] == "7", "numbers that were given are known"


def test_a_class_that_does_not_fit_what_was_decided_gets_no_numbers(teacher):
    teacher.hands_in("alice")
    folder = decide(
        teacher, policy="numbers = true", adjustments=f"{BY_HAND}nobody,04_attention,,7,,\n"
    )
    with pytest.raises(MtcourseError, match="nobody of the name 'nobody'"):
        teacher.grades(policy=folder)
    assert not (teacher.out / "numbers.csv").exists()


def test_a_disk_that_is_full_at_any_moment_is_told_and_the_same_command_goes_on(
    teacher, monkeypatch
):
    for learner in ("ada", "ben"):
        teacher.hands_in(learner)
    for room in (
        3,
        2,
        9,
    ):  # files: seeds and two proofs, another and a record, the other and tables
        full = "No space left on device; what is graded is kept in"
        with full_disk(monkeypatch, after=room), pytest.raises(MtcourseError, match=full):
            teacher.grades()
        assert [path for path in teacher.out.rglob(".*") if path.name != ".lock"] == []
        for path in teacher.out.rglob("*.json"):
            json.loads(path.read_text(encoding="utf-8"))
        assert (teacher.out / "grades.csv").exists() == (room == 9)
    status, said, again = teacher.grades()
    assert (status, again) == (0, [])
    assert "0 to grade, 2 done" in said
    assert {learner: teacher.record(learner).points for learner in ("ada", "ben")} == {
        "ada": 21,
        "ben": 21,
    }
    assert (teacher.out / "report.html").exists()


def test_a_real_disk_that_is_full(teacher):
    """A small one in memory, which the results do not fit on."""
    teacher.hands_in("ada")
    teacher.out.mkdir()
    with mounted(teacher.out, "96k"):
        with pytest.raises(MtcourseError, match="No space left on device"):
            teacher.grades()
        assert teacher.record("ada").points == 21
        assert [path for path in teacher.out.rglob(".*") if path.name != ".lock"] == []
        resize(teacher.out, "8m")
        status, said, again = teacher.grades()
        assert (status, again) == (0, [])
        assert "0 to grade, 1 done" in said
