"""Seeds are secret, stay the same and hide something; a verdict's key tells why it would change."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mtcourse.chapters.attention.exercises import EXERCISES as ATTENTION
from mtcourse.chapters.masks.exercises import EXERCISES as MASKS
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.errors import MtcourseError
from mtcourse.grading import backlog, cache_key
from mtcourse.grading import grading_config as module
from mtcourse.grading.backlog import Regrade, find_backlog
from mtcourse.grading.cache_key import KEY_PARTS, compute_cache_key, find_changed_parts
from mtcourse.grading.grading_config import (
    SEEDS_PER_NOTEBOOK,
    GradingConfig,
    Solution,
    check_reference_results,
    find_known_answers,
    prepare_grading_config,
    read_solutions,
)
from mtcourse.grading.jobs import Job
from mtcourse.grading.kernel import Limits
from mtcourse.grading.records import Records
from mtcourse.grading.results import FAILED, GRADED, ExerciseResult, SubmissionResult
from mtcourse.grading.submissions import Submission
from mtcourse.grading.submitted_notebook import Unreadable
from tests.helpers.small_solution import small_solution, write

SOLUTION = {"04_attention": Solution(b"solution", {"scaled_scores": 2, "row_softmax": 3})}
JOB = Job("alice", "04_attention", "a.ipynb", b"answers", b"solution", 7, "warm", Limits(), "")


def opened(kept: Path | None = None, **options) -> GradingConfig:
    return prepare_grading_config(SOLUTION, kept, **{"isolation": "none", **options})


@pytest.mark.parametrize(
    ("notebook", "file", "counts"),
    [
        ("05_masks", "layers/attention.py", True),
        ("05_masks", "checks/guard.py", True),
        ("05_masks", "chapters/masks/exercises/causal_mask.py", True),
        ("05_masks", "decoding/sampling.py", False),
        ("05_masks", "page/__init__.py", False),
        ("05_masks", "text/language/tables/nouns.tsv", False),
        ("02_embeddings", "text/language/tables/nouns.tsv", True),
    ],
)
def test_the_graders_version_knows_what_a_verdict_depends_on(notebook, file, counts, monkeypatch):
    solution = (Path(__file__).parents[2] / "solutions" / f"{notebook}.ipynb").read_bytes()
    before = cache_key.grader_version(solution)
    whole = cache_key._hash_file
    monkeypatch.setattr(
        cache_key, "_hash_file", lambda path: b"" if path.as_posix().endswith(file) else whole(path)
    )
    cache_key.grader_version.cache_clear()
    assert (cache_key.grader_version(solution) != before) is counts
    cache_key.grader_version.cache_clear()


def test_seeds_are_drawn_once_for_a_class_and_anew_for_another(tmp_path):
    first = opened(tmp_path / "batch.json")
    assert len(set(first.seeds["04_attention"])) == SEEDS_PER_NOTEBOOK
    assert PUBLIC_SEED not in first.seeds["04_attention"]
    assert opened(tmp_path / "batch.json") == first
    assert opened(tmp_path / "other.json").seeds != first.seeds


def test_what_was_drawn_for_other_notebooks_stays(tmp_path):
    first = opened(tmp_path / "batch.json")
    masks = prepare_grading_config(
        {"05_masks": Solution(b"", {})}, tmp_path / "batch.json", isolation="none"
    )
    assert set(masks.seeds) == {"05_masks"}
    assert opened(tmp_path / "batch.json") == first


def test_only_the_owner_reads_the_seeds(tmp_path):
    opened(tmp_path / "batch.json")
    assert (tmp_path / "batch.json").stat().st_mode & 0o077 == 0


def test_learners_share_the_seeds_in_a_way_that_stays(tmp_path):
    batch = opened(tmp_path / "batch.json")
    seeds = [batch.make_job(f"learner {n}", "04_attention", "", b"").seed for n in range(60)]
    assert set(seeds) == set(batch.seeds["04_attention"])
    again = opened(tmp_path / "batch.json")
    assert seeds == [
        again.make_job(f"learner {n}", "04_attention", "", b"x").seed for n in range(60)
    ]


def test_a_given_seed_is_everybodys(tmp_path):
    batch = opened(tmp_path / "batch.json", seed=12345)
    assert {batch.make_job(f"{n}", "04_attention", "", b"").seed for n in range(9)} == {12345}
    assert opened(tmp_path / "batch.json") == batch


@pytest.mark.parametrize("damage", ["", "[]", '{"seeds": {"04_attention": []}}', '{"seeds": 3}'])
def test_damaged_seeds_are_never_replaced(tmp_path, damage):
    kept = tmp_path / "batch.json"
    kept.write_text(damage)
    with pytest.raises(MtcourseError, match="batch.json is damaged"):
        opened(kept)
    assert kept.read_text() == damage


def test_isolation_stays_until_another_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "find_best", lambda: "bubblewrap")
    kept = tmp_path / "batch.json"
    assert opened(kept, isolation="auto").isolation == "bubblewrap"
    assert opened(kept, isolation="none").isolation == "none"
    assert opened(kept, isolation="auto").isolation == "none"


def test_the_public_seed_and_its_like_are_refused(monkeypatch, tmp_path):
    known = find_known_answers(ATTENTION, PUBLIC_SEED)
    assert {"scaled_scores", "row_softmax", "attention", "softmax_jacobian"} <= set(known)
    assert "score_variance" not in known  # a value
    assert find_known_answers(ATTENTION, 12345) == []
    with pytest.raises(MtcourseError, match="everybody knows"):
        opened(seed=PUBLIC_SEED)
    draws = iter([PUBLIC_SEED, 5, 5, PUBLIC_SEED, 6, 7])
    monkeypatch.setattr(secrets, "randbelow", lambda _: next(draws))
    assert opened(tmp_path / "batch.json").seeds["04_attention"] == [5, 6, 7]


def drawn_from(numbers: int) -> Exercise:
    """An exercise that draws one of so many numbers; each of them is its own right answer."""
    return Exercise(
        "echo",
        lambda x: x,
        "",
        (),
        (),
        cases=lambda draw: [Case("a number", (draw.small_integers(1, lowest=1, highest=numbers),))],
    )


def test_an_exercise_with_few_answers_is_refused_as_often_as_it_repeats_them():
    exercise = drawn_from(2)
    public = [case.arguments[0] for case in exercise.inputs()]
    for seed in range(20, 40):
        same = all(map(torch.equal, public, [c.arguments[0] for c in exercise.inputs(seed)]))
        assert find_known_answers([exercise], seed) == ["echo"] * same


def test_an_exercise_that_never_varies_has_nothing_to_refuse():
    assert find_known_answers([drawn_from(1)], 5) == []
    assert find_known_answers([drawn_from(1)], PUBLIC_SEED) == []
    assert find_known_answers(MASKS, 12345) == []


def test_a_key_changes_with_each_thing_that_a_verdict_depends_on(monkeypatch):
    key = compute_cache_key(JOB)
    assert key == compute_cache_key(replace(JOB, learner="bob", file="b.ipynb"))
    changes = {
        "submission": {"content": b"other answers"},
        "solution": {"solution": b"another"},
        "seed": {"seed": 8},
        "isolation": {"isolation": "none"},
        "limits": {"limits": Limits(seconds=5)},
    }
    for part, change in changes.items():
        assert find_changed_parts(key, compute_cache_key(replace(JOB, **change))) == [part]
    monkeypatch.setattr(cache_key, "installed_versions", lambda: {"torch": "99"})
    assert find_changed_parts(key, compute_cache_key(JOB)) == ["environment"]
    monkeypatch.undo()
    monkeypatch.setattr(cache_key, "grader_version", lambda *_: "another")
    assert find_changed_parts(key, compute_cache_key(JOB)) == ["grader"]
    assert find_changed_parts(key, "") == list(KEY_PARTS)


def found(learner: str, content: bytes = b"answers", **others) -> Submission:
    return Submission(learner, "04_attention", f"{learner}.ipynb", lambda: content, **others)


def record(batch: GradingConfig, one: Submission, state: str = GRADED) -> SubmissionResult:
    job = backlog.make_submission_job(one, batch)
    return SubmissionResult(one.learner, one.notebook, one.file, state, key=job.key)


def test_what_is_graded_stays_and_what_changed_is_due_or_told(tmp_path):
    batch = opened()
    everybody = [found(name) for name in ("kept", "changed", "failed", "older", "damaged", "new")]
    for one in everybody[:3]:
        Records(tmp_path).write(record(batch, one, FAILED if one.learner == "failed" else GRADED))
    other_limits = replace(batch, limits=Limits(seconds=5))
    Records(tmp_path).write(record(other_limits, everybody[3]))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/04_attention.json").write_text("{")
    everybody[1] = found("changed", b"better answers")

    now = find_backlog(everybody, batch, Records(tmp_path))
    assert [one.learner for one in now.due] == ["changed", "failed", "damaged", "new"]
    assert [one.learner for one in now.kept] == ["kept", "older"]
    assert [(one.learner, why) for one, why in now.stale] == [("older", KEY_PARTS["limits"])]
    again = find_backlog(everybody, batch, Records(tmp_path), Regrade())
    assert [one.learner for one in again.due] == ["changed", "failed", "older", "damaged", "new"]


def test_other_versions_are_named(tmp_path, monkeypatch):
    batch = opened()
    one = found("alice")
    Records(tmp_path).write(replace(record(batch, one), versions={"torch": "2.6", "numpy": "2"}))
    for place in (cache_key, backlog):
        monkeypatch.setattr(place, "installed_versions", lambda: {"torch": "2.7", "numpy": "2"})
    ((_, why),) = find_backlog([one], batch, Records(tmp_path)).stale
    assert why == "the installed versions are others (torch 2.6, now 2.7)"


def test_what_cannot_be_read_has_a_result_all_the_same(tmp_path):
    def unreadable() -> bytes:
        raise Unreadable("it is no file")

    files = [
        found("link", reason="it is a link"),
        Submission("pipe", "04_attention", "", unreadable),
        Submission("what", "", "", unreadable, reason="it cannot be told"),
    ]
    results = find_backlog(files, opened(), Records(tmp_path)).unreadable
    assert [one.reason for one in results] == ["it is a link", "it is no file", "it cannot be told"]
    assert [one.max_points for one in results] == [5, 5, 0]
    assert {e.outcome for one in results for e in one.exercises} == {"unreadable"}


def test_a_record_of_somebody_else_is_none(tmp_path):
    Records(tmp_path).write(record(opened(), found("alice")))
    (tmp_path / "alice").rename(tmp_path / "Alice")
    assert Records(tmp_path).read("Alice", "04_attention") is None


def test_nobody_is_judged_by_a_solution_that_does_not_pass():
    passed = ExerciseResult("scaled_scores", "passed", 2, 2)
    wrong = ExerciseResult("row_softmax", "wrong", 0, 3, "each row sums to 1")
    good = SubmissionResult("solution", "04_attention", "", GRADED, exercises=(passed,), seed=7)
    check_reference_results([good])
    with pytest.raises(MtcourseError, match="on seed 7, does not pass row_softmax") as raised:
        check_reference_results([good, replace(good, exercises=(passed, wrong))])
    assert "each row sums to 1" in str(raised.value)
    with pytest.raises(MtcourseError, match="could not be graded: no kernel"):
        check_reference_results([replace(good, state=FAILED, reason="no kernel")])


def test_solutions_are_references_on_every_seed():
    batch = opened()
    jobs = batch.make_reference_jobs(["04_attention"])
    assert [job.seed for job in jobs] == list(batch.seeds["04_attention"])
    assert {job.content for job in jobs} == {job.solution for job in jobs} == {b"solution"}


def test_solutions_of_a_folder_or_one_and_faulty_ones_are_named(tmp_path):
    path = write(small_solution(), tmp_path / "solutions" / "04_attention.ipynb")
    for place in (path, path.parent):
        assert read_solutions(place)["04_attention"].points == {"scaled_scores": 2}
    with pytest.raises(MtcourseError, match="no solutions at .*nowhere"):
        read_solutions(tmp_path / "nowhere")
    notebook = small_solution()
    del notebook["cells"][5]["metadata"]["mtcourse"]["points"]
    path.write_text(json.dumps(notebook))
    with pytest.raises(MtcourseError, match="has no points"):
        read_solutions(path.parent)
