"""The results that chapter 03 loads are whole, and the script that made them still runs."""

from __future__ import annotations

import json

from mtcourse.framework_recipe import SHIPPED
from scripts import train_target_positions as script


def test_the_results_are_whole():
    results = json.loads((SHIPPED / "target_positions.json").read_text(encoding="utf-8"))
    for kind in script.KINDS:
        runs = results[kind]["right"]
        assert len(runs) == 10
        assert {len(run) for run in runs} == {len(results["steps"])}
        missed = sum(round((1 - run[-1]) * script.TEST) for run in runs)
        assert results[kind]["missed"] == missed >= results[kind]["missed by articles"]


def test_positions_on_both_sides_are_learnt_sooner_by_most_starts():
    results = json.loads((SHIPPED / "target_positions.json").read_text(encoding="utf-8"))
    middle = results["steps"].index(210)
    both, printed = (results[kind]["right"] for kind in script.KINDS)
    sooner = [one[middle] > other[middle] for one, other in zip(both, printed, strict=True)]
    assert sum(sooner) >= 8


def test_the_script_runs(tmp_path):
    script.main(tmp_path / "results.json", starts=1, steps=9)
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["steps"] == list(range(1, 10))
    assert results["as printed"]["missed"] == script.TEST


def test_only_articles_are_forgiven():
    assert script.by_articles(("de kat ziet het paard.", "het kat ziet de paard."))
    assert not script.by_articles(("de kat ziet het paard.", "de kat ziet de koe."))
