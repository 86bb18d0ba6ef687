"""The results that chapter 10 loads are whole, and the scripts that made them still run."""

from __future__ import annotations

import math

import pytest

from mtcourse.evaluation.starts import load_measured
from scripts import measure_depth, measure_warmup

STARTS = 10


def test_every_start_of_every_depth_is_there() -> None:
    found = load_measured("depth")
    assert found["depths"] == list(measure_depth.DEPTHS)
    assert list(found["gradients"]) == ["encoder", "decoder"]
    for placements in found["gradients"].values():
        assert list(placements) == list(measure_depth.PLACEMENTS)
        for placement, of_depth in placements.items():
            assert list(of_depth) == [str(depth) for depth in measure_depth.DEPTHS]
            for depth, starts in of_depth.items():
                assert [len(norms) for norms in starts] == [int(depth)] * STARTS
                known = [norm for norms in starts for norm in norms if norm is not None]
                assert all(math.isfinite(norm) and norm > 0 for norm in known)
                assert placement == "no norm" or len(known) == STARTS * int(depth)
    layers = measure_depth.COLLAPSE_LAYERS + 1
    for runs in found["cosines"].values():
        assert [len(run) for run in runs] == [layers] * STARTS
    assert {"attention alone", "attention and residual", "post-norm", "pre-norm"} <= set(
        found["cosines"]
    )


def test_every_start_of_every_kind_of_training_is_there() -> None:
    found = load_measured("warmup")
    assert list(found["losses"]) == list(measure_warmup.RUNS)
    assert 2 < found["frequencies only"] < math.log(measure_warmup.V)
    for runs in found["losses"].values():
        assert [len(run) for run in runs] == [len(found["steps"])] * STARTS


@pytest.mark.slow
def test_the_gradients_can_be_measured_again() -> None:
    norms = measure_depth.gradient_norms(0, 2, "post-norm")
    stored = load_measured("depth")["gradients"]
    for side, of_blocks in norms.items():
        assert of_blocks == pytest.approx(stored[side]["post-norm"]["2"][0], rel=0.02)


@pytest.mark.slow
def test_the_training_runs() -> None:
    losses = measure_warmup.measure(0, steps=2)
    assert {len(of_kind) for of_kind in losses.values()} == {1}
    uniform = math.log(measure_warmup.V)
    assert all(uniform - 1 < of_kind[0] < uniform + 3 for of_kind in losses.values())
