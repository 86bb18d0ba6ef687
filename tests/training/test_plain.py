"""The plain loop makes the updates of the full one."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from mtcourse.training.loop import train
from mtcourse.training.plain import plain_train
from tests.helpers.training_example import CONFIG, LanguageModel, batches, loss, weights_of


@pytest.mark.trains
@pytest.mark.parametrize("accumulate", [1, 2, 3])
@pytest.mark.parametrize("clip_norm", [None, 0.5])
def test_it_is_the_full_loop_without_what_long_runs_need(accumulate, clip_norm):
    config = replace(CONFIG, accumulate=accumulate, clip_norm=clip_norm)
    plain, full = LanguageModel(dropout=0.0), LanguageModel(dropout=0.0)
    losses = plain_train(plain, batches, loss, config)
    state = train(full, batches, loss, config)
    assert losses == pytest.approx(state.losses, rel=1e-4)
    torch.testing.assert_close(weights_of(plain), weights_of(full), rtol=1e-3, atol=1e-4)
