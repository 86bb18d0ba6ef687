"""Ctrl-C ends a run after its update, and nothing is lost; a second one ends it at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from mtcourse.training.loop import train
from tests.helpers.training_example import CONFIG, LanguageModel, batches, loss


@pytest.fixture(autouse=True)
def control_c_interrupts() -> Iterator[None]:
    """A shell starts what runs in its background with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.trains
@pytest.mark.skipif(sys.platform == "win32", reason="no os.kill with SIGINT")
def test_control_c_keeps_the_last_state(tmp_path):
    straight = train(LanguageModel(), batches, loss, CONFIG)
    before = signal.getsignal(signal.SIGINT)

    def loss_with_signal(model, batch):
        if torch.initial_seed() == seventh_seed[0]:
            os.kill(os.getpid(), signal.SIGINT)  # in the midst of step 7
        return loss(model, batch)

    seventh_seed = []
    seeds = []
    train(
        LanguageModel(),
        batches,
        loss,
        CONFIG,
        callbacks=[lambda _: seeds.append(torch.initial_seed())],
    )
    seventh_seed.append(seeds[6])
    config = replace(CONFIG, accumulate=2)
    state = train(
        LanguageModel(), batches, loss_with_signal_once(loss_with_signal), config,
        checkpoint_folder=tmp_path / "last",
    )  # fmt: skip
    assert state.interrupted
    assert state.step == 7
    assert signal.getsignal(signal.SIGINT) is before
    resumed = train(
        LanguageModel(), batches, loss, config, checkpoint_folder=tmp_path / "last", resume=True
    )
    assert resumed == straight


def loss_with_signal_once(loss_with_signal):
    """The first batch of an update raises the signal, the second does not."""
    calls = []

    def once(model, batch):
        calls.append(batch)
        return (loss_with_signal if len(calls) % 2 else loss)(model, batch)

    return once


@pytest.mark.skipif(sys.platform == "win32", reason="no os.kill with SIGINT")
def test_a_second_control_c_stops_at_once(tmp_path):
    def impatient(model, batch):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        return loss(model, batch)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(LanguageModel(), batches, impatient, CONFIG)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.trains
def test_training_runs_outside_the_main_thread():
    losses = []
    thread = threading.Thread(
        target=lambda: losses.extend(train(LanguageModel(), batches, loss, CONFIG).losses)
    )
    thread.start()
    thread.join()
    assert tuple(losses) == train(LanguageModel(), batches, loss, CONFIG).losses
