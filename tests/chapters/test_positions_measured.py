"""The results on scaling that chapter 3 loads are whole, and their script still runs."""

from __future__ import annotations

import math
from statistics import median

import pytest
import torch

from mtcourse.chapters.positions.animals import animal_pairs, same_bag
from mtcourse.evaluation.starts import load_measured
from scripts import measure_scaling as script


@pytest.fixture(scope="module")
def right() -> dict[str, list[list[int]]]:
    """For each kind of run, the right translations of each start at each look."""
    measured = load_measured("scaling")
    assert measured["steps"] == [25 * look for look in range(1, 10)]
    assert measured["test sentences"] == script.TEST
    return measured["right"]


def test_the_results_are_whole(right):
    assert tuple(right) == script.KINDS
    for runs in right.values():
        assert [len(run) for run in runs] == [9] * 10
        assert all(0 <= count <= script.TEST for run in runs for count in run)


def test_unscaled_embeddings_are_behind_in_every_start_unless_drawn_larger(right):
    scaled, as_they_are, larger, _ = right.values()
    for fast, slow in zip(scaled, as_they_are, strict=True):
        assert all(one > other for one, other in zip(fast[1:], slow[1:], strict=True))
    at_125 = [median(run[4] for run in runs) for runs in (scaled, as_they_are, larger)]
    assert at_125[1] < 0.1 * at_125[0]
    assert at_125[2] > 0.9 * at_125[0]


def test_no_start_without_source_positions_passes_the_ceiling_beyond_luck(right):
    chances = [1 / len(same_bag(pair.source)) for pair in animal_pairs(2200)[2000:]]
    expected = sum(chances)
    deviation = math.sqrt(sum(p * (1 - p) for p in chances))
    assert max(max(run) for run in right["no source positions"]) < expected + 2 * deviation
    assert all(run[-1] > expected - 3 * deviation for run in right["no source positions"])


def test_all_kinds_begin_with_the_weights_of_their_start():
    models = {kind: script.model_of(kind, seed=3) for kind in script.KINDS}
    scaled, larger = models["scaled"], models["drawn larger"]
    for model in models.values():
        torch.testing.assert_close(model.output_weight, scaled.output_weight)
    ids = torch.tensor([[4, 5, 6]])
    rows = {kind: model.source_embedding(ids) for kind, model in models.items()}
    torch.testing.assert_close(rows["scaled"], rows["drawn larger"])
    assert larger.source_embedding.scale == 1
    P = scaled.source_embedding.P[:3]
    words = rows["scaled"] - P
    torch.testing.assert_close(rows["no source positions"], words)
    torch.testing.assert_close(rows["as they are"], words / math.sqrt(script.D_MODEL) + P)
    other = script.model_of("scaled", seed=4).output_weight
    assert not torch.equal(other, scaled.output_weight)


@pytest.mark.by_turns(3)
@pytest.mark.slow
def test_the_script_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(script, "TEST", 20)
    script.main(starts=1, steps=9, out=tmp_path)
    found = load_measured("scaling", tmp_path)
    assert found["steps"] == list(range(1, 10))
    assert {len(run) for runs in found["right"].values() for run in runs} == {9}
