"""A loss that is no number stops the run, with the step and the likely cause."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.training.checkpoints import load_checkpoint
from mtcourse.training.loop import TrainingConfig, train
from tests.helpers.training_example import CONFIG, LanguageModel, batches, loss


def poisoned(step, value):
    """A loss whose ``step``-th batch is multiplied by ``value``."""
    calls = []

    def loss_of(model, batch):
        calls.append(batch)
        return loss(model, batch) * (value if len(calls) == step else 1.0)

    return loss_of


@pytest.mark.parametrize("report_every", [1, 50])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_no_number_stops_with_the_step_and_keeps_the_checkpoint(
    tmp_path, report_every, value
):
    config = replace(CONFIG, accumulate=1, checkpoint_every=4, report_every=report_every)
    with pytest.raises(MtcourseError, match=rf"step 7: the loss is {value}.*learning rate"):
        train(
            LanguageModel(),
            batches,
            poisoned(7, value),
            config,
            checkpoint_folder=tmp_path / "last",
        )
    checkpoint = load_checkpoint(tmp_path / "last")
    assert checkpoint.training is not None
    assert checkpoint.training["state"]["step"] == 4
    assert all(tensor.isfinite().all() for tensor in checkpoint.weights.values())


def test_likely_causes_follow_the_symptom():
    with pytest.raises(MtcourseError, match=r"step 1: .*Likely: an attention row that may attend"):
        train(LanguageModel(), batches, poisoned(1, math.nan), replace(CONFIG, accumulate=1))
    with pytest.raises(MtcourseError, match="overflow in bfloat16"):
        train(
            LanguageModel(),
            batches,
            poisoned(1, math.nan),
            replace(CONFIG, accumulate=1, precision="bfloat16"),
        )

    def bad_gradient(model, batch):
        return loss(model, batch) + 0 * (model.output.bias * 0).abs().sqrt().sum()

    with pytest.raises(MtcourseError, match=r"step 1: the gradient is nan .*the loss is"):
        train(LanguageModel(), batches, bad_gradient, CONFIG)


def test_a_learning_rate_far_too_high_is_said_to_be():
    def steep(model, batch):
        return loss(model, batch) + model.output.weight.pow(4).sum() * 1e3

    config = TrainingConfig(steps=200, learning_rate=1e9, warmup=1, clip_norm=None)
    with pytest.raises(MtcourseError, match=r"Likely: a learning rate that is too high \(\d"):
        train(LanguageModel(), batches, steep, config)


def test_a_dev_loss_that_is_no_number_is_named():
    with pytest.raises(MtcourseError, match="the dev loss after step 20 is nan"):
        train(LanguageModel(), batches, loss, CONFIG, evaluate=lambda model: math.nan)
