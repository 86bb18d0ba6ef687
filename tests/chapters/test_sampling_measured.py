"""What is stored for chapter 19 is what its scripts measure."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest
import torch

from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import load_measured

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def script(name: str):
    found = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sampling():
    return script("measure_sampling")


def test_all_parts_are_stored_with_the_settings_of_the_script(sampling):
    stored = load_measured("sampling")
    assert set(sampling.PARTS) == set(stored) - {"made"}
    assert stored["translations"]["samples"] == sampling.SAMPLES
    assert stored["translations"]["sentences"] == sampling.SENTENCES
    points = stored["frontier"]["points"]
    assert {family: len(of) for family, of in points.items()} == {
        family: len(settings) for family, (_, settings) in sampling.SETTINGS.items()
    }
    unfiltered = [points["temperature"]["1"], points["top-k"]["3000"], points["top-p"]["1"]]
    assert all(one == points["min-p"]["0"] for one in unfiltered)


def test_every_value_lies_in_its_interval():
    stored = load_measured("sampling")
    for of_way in stored["translations"]["ways"].values():
        for value, low, high in of_way.values():
            assert low <= value <= high


def test_resampled_scores_are_sacrebleus(sampling):
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    texts = ["De hond slaapt niet.", "Zij drinkt koud water.", "Het regent in de stad nu."] * 3
    right = ["De hond slaapt.", "Zij drinkt koud water.", "Het regent nu in de grote stad."] * 3
    expected = score(texts, [[one] for one in right])
    for metric, value in ((BLEU(), expected.bleu), (CHRF(), expected.chrf)):
        found = sampling.Resampled(metric, [[text] for text in texts], right)
        assert found.value == pytest.approx(value)
        assert np.quantile(found.values, 0.02) <= value <= np.quantile(found.values, 0.98)


def test_what_two_texts_have_in_common_in_order_is_what_subsequences_say(sampling):
    def subsequences(ids):
        return {of for n in range(len(ids) + 1) for of in itertools.combinations(ids, n)}

    draws = np.random.default_rng(1)
    for _ in range(40):
        a, b = (draws.integers(0, 4, draws.integers(0, 7)).tolist() for _ in range(2))
        longest = max(map(len, subsequences(a) & subsequences(b)))
        assert sampling.common_in_order(a, b) == longest


def test_the_shares_of_shipped_models_are_those_of_a_model_written_by_hand(sampling):
    # Three tokens with 0.9995, 0.0004 and 0.0001: the last two are the tail.
    logits = torch.tensor([[0.9995, 0.0004, 0.0001]] * 4).log()
    sampling.resampled_counts.cache_clear()
    found = sampling._believed([(logits[:2], [0, 0]), (logits[2:], [0, 2])], 1.0)
    assert found["tokens"] == 4
    assert found["tail"][0] == pytest.approx(0.05)
    assert found["right tokens in the tail"][0] == 25.0
    assert (found["right"][0], found["confidence"][0]) == (75.0, 99.95)
    assert found["error"] == pytest.approx(24.95)


def test_calibration_has_both_kinds_of_every_start():
    measure = script("measure_sampling_calibration")
    stored = load_measured(measure.NAME)
    assert (stored["steps"], stored["pairs"]) == (measure.STEPS, measure.PAIRS)
    for of_start in stored["starts"].values():
        assert set(of_start) == set(map(str, measure.SMOOTHINGS))
        for of_kind in of_start.values():
            trained, after = of_kind["as trained"], of_kind["with temperature"]
            assert trained["right"] == after["right"]  # a temperature keeps the order
            assert after["nats"] <= trained["nats"] + 0.02
            n = sum(count for count, *_ in trained["bins"])
            error = sum(count * abs(sure - right) for count, sure, right in trained["bins"]) / n
            assert 100 * error == pytest.approx(trained["error"], abs=0.05)
