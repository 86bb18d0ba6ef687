"""What chapter 18's measurements must be, whatever they have found."""

from __future__ import annotations

import math

import pytest

from mtcourse.evaluation.starts import load_measured

SETS = (
    "grammar, trained lengths",
    "grammar, longer",
    "help, trained lengths",
    "help, longer",
)
WIDTHS = (1, 2, 4, 8, 16, 32, 64)


@pytest.fixture(scope="module")
def stored():
    return load_measured("search")


@pytest.mark.parametrize("name", SETS)
def test_wider_beams_make_no_more_search_errors_than_there_are_proofs(stored, name):
    of = stored[name]
    assert len(of["expanded"]) == of["sentences"] >= of["proven"]
    errors = [of["widths"][f"{width}, 0"]["search errors"] for width in WIDTHS]
    assert errors[0] == max(errors) <= of["proven"]
    assert errors[-1] == min(errors)
    assert of["exact"]["search errors"] == 0
    for exponent in (0, 1):
        for width in WIDTHS:
            value, low, high = of["widths"][f"{width}, {exponent}"]["change"]
            assert low <= value <= high


@pytest.mark.parametrize("corpus", ["grammar", "help"])
def test_both_log_probabilities_of_each_sentence_are_negative(stored, corpus):
    bins = stored[f"empty, {corpus}"]["bins"]
    assert [low for of in bins for low in of["words"]] == sorted(
        low for of in bins for low in of["words"]
    )
    for of in bins:
        assert len(of["empty and best"]) == 80
        assert all(empty < 0 > best for empty, best in of["empty and best"])


def test_wider_beams_take_longer(stored):
    seconds = [stored["cost"]["seconds"][str(width)] for width in WIDTHS]
    assert seconds == sorted(seconds)


@pytest.mark.parametrize(
    ("name", "starts"), [("search_smoothing", 10), ("search_smoothing_real", 5)]
)
def test_every_start_has_both_amounts_of_smoothing(name, starts):
    measured = load_measured(name)
    assert list(measured["starts"]) == [str(i) for i in range(starts)]
    for of_start in measured["starts"].values():
        assert list(of_start) == ["0.0", "0.1"]
        for of_sets in of_start.values():
            assert set(of_sets) == set(measured["sentences"])
            for found in of_sets.values():
                for search in ("1, 0", "4, 0", "16, 0", "64, 0", "64, 1"):
                    assert 0 < found[search]["bleu"] < 100
                assert math.isfinite(found["log p of the empty sentence"])
