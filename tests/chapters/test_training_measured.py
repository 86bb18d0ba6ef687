"""The results that chapter 12 loads are whole, and the script that made them still runs."""

from __future__ import annotations

import pytest
import torch

from mtcourse.evaluation.starts import load_measured
from scripts import measure_training as script

STARTS = 10


@pytest.fixture(scope="module")
def task() -> script.Task:
    return script.Task.of_chapter_12()


def test_every_start_of_every_kind_is_there() -> None:
    found = load_measured("training")
    points = found["steps"] // found["mean of"]
    run = found["run"]
    assert [len(losses) for losses in run["losses"]] == [points] * STARTS
    assert [len(losses) for losses in run["dev losses"]] == [len(found["dev steps"])] * STARTS
    assert [len(texts) for texts in run["translations"]] == [len(found["looks"])] * STARTS
    for key in ("dev loss", "bleu", "exact"):
        assert list(found[key]) == list(script.FROZEN)
        assert {len(values) for values in found[key].values()} == {STARTS}
    assert list(found["rates"]) == list(script.RATES)
    of_all = [*found["rates"].values(), found["no shift"]["losses"]]
    assert {(len(runs), len(one)) for runs in of_all for one in runs} == {(STARTS, 15)}
    assert found["dev loss"]["all weights learn"] == [losses[-1] for losses in run["dev losses"]]


@pytest.mark.slow
def test_the_script_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "TEST", 3)  # such models write on and on
    found = script.measure(0, steps=2, shorter=2)
    assert list(found["dev loss"]) == list(script.FROZEN)
    assert list(found["rates"]) == list(script.RATES)
    assert [len(found["run"][key]) for key in ("losses", "dev losses", "translations")] == [1, 3, 2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", script.FROZEN)
def test_what_is_frozen_keeps_its_weights_and_all_else_learns(task: script.Task, kind: str) -> None:
    before = {name: weight.clone() for name, weight in task.model(0).state_dict().items()}
    model, _ = script.whole_run(task, kind, seed=0, steps=2)
    moved = {name for name, weight in model.named_parameters() if not weight.equal(before[name])}
    frozen = {
        name for name in dict(model.named_parameters()) if name.startswith(script.FROZEN[kind])
    }
    assert bool(frozen) == (kind != "all weights learn")
    assert not moved & frozen
    assert moved | frozen == set(dict(model.named_parameters()))


def test_losses_are_means_of_ten_steps() -> None:
    assert script.means(tuple(torch.arange(25.0).tolist())) == [4.5, 14.5, 22.0]
