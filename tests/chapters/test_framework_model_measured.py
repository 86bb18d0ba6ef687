"""The results of the language of animals that chapter 7 shows are whole, and their script runs."""

from __future__ import annotations

import pytest

from mtcourse.evaluation.starts import load_measured, reversals
from scripts import measure_target_positions as script


def test_the_results_are_whole():
    results = load_measured(script.NAME)
    test = results["test sentences"]
    assert 0 < results["without het"] < test
    for kind in script.KINDS:
        runs, by_articles = results[kind]["right"], results[kind]["missed by articles"]
        assert len(runs) == len(by_articles) == 10
        assert {len(run) for run in runs} == {len(results["steps"])}
        for run, only_articles in zip(runs, by_articles, strict=True):
            assert 0 <= only_articles <= test - run[-1]


def test_positions_on_both_sides_are_learnt_sooner_by_most_starts():
    results = load_measured(script.NAME)
    middle = results["steps"].index(210)
    both, without = (
        [run[middle] for run in results[kind]["right"]] for kind in ("both", "shift only")
    )
    assert reversals(both, without) <= 2


@pytest.mark.by_turns(3)
@pytest.mark.trains
def test_the_script_runs(tmp_path):
    script.main(starts=1, steps=9, out=tmp_path)
    results = load_measured(script.NAME, tmp_path)
    assert results["steps"] == list(range(1, 10))
    assert results["shift only"]["right"] == [[0] * 9]


def test_only_articles_are_forgiven():
    assert script.by_articles(("de kat ziet het paard.", "het kat ziet de paard."))
    assert not script.by_articles(("de kat ziet het paard.", "de kat ziet de koe."))
