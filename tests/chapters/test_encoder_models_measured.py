"""The results that chapter 15 loads are whole, and the script that made them still runs."""

from __future__ import annotations

import pytest

from mtcourse.chapters.encoder_models.tiny import LONGER, MISTAKES, RATES, STRATEGIES
from mtcourse.evaluation.starts import load_measured
from scripts import measure_masking

STARTS = 10
SHARES = {"blanks", "row before", "own word"}
JUDGED = {f"{how} {kind}" for how in ("frozen", "fine-tuned") for kind in ("parts", "roles")}


@pytest.mark.parametrize(
    ("study", "kinds", "shares"),
    [
        ("strategies", [*STRATEGIES, "not trained"], SHARES | JUDGED),
        ("rates", [*RATES], SHARES | JUDGED),
        ("longer", [*LONGER], SHARES | JUDGED),
        ("mistakes", [*MISTAKES], SHARES),
    ],
)
def test_every_start_of_every_kind_is_there(study: str, kinds: list[str], shares: set[str]) -> None:
    found = load_measured(f"masking_{study}")["kinds"]
    assert list(found) == kinds
    for kind, figures in found.items():
        losses = {"loss"} if kind != "not trained" else set()
        assert set(figures) == shares | {"distance"} | losses
        for figure, starts in figures.items():
            assert len(starts) == STARTS
            assert figure not in shares or all(0 <= share <= 1 for share in starts)
        assert len(set(figures["distance"])) > 5


def test_every_study_has_a_file() -> None:
    assert set(measure_masking.STUDIES) == {"strategies", "longer", "rates", "mistakes"}


@pytest.mark.by_turns(3)
@pytest.mark.slow
@pytest.mark.trains
def test_one_start_can_be_measured_again() -> None:
    """Training is not equal to the digit on every processor: within a few points."""
    found = measure_masking.judged(STRATEGIES["80/10/10"], 0)
    stored = load_measured("masking_strategies")["kinds"]["80/10/10"]
    assert found["blanks"] == pytest.approx(stored["blanks"][0], abs=0.04)
    assert found["frozen roles"] == pytest.approx(stored["frozen roles"][0], abs=0.06)
