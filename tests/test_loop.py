"""The training loop: exact resuming, honest denominators, interruption, divergence, callbacks."""

from __future__ import annotations

import csv
import io
import math
import os
import signal
import sys
import threading
from dataclasses import replace

import pytest
import torch
from rich.console import Console

from mtcourse.errors import MtcourseError
from mtcourse.training.callbacks import CsvLog, TensorBoardLog, keep_best, progress
from mtcourse.training.checkpoints import load_checkpoint, restore_weights
from mtcourse.training.loop import TrainingConfig, train
from mtcourse.training.update import batch_groups
from tests.training_example import LanguageModel, TokenBatch, batches, dev_loss, loss

CONFIG = TrainingConfig(steps=20, learning_rate=0.05, warmup=5, accumulate=2, seed=3)


def weights_of(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def assert_same_weights(ours, theirs):
    assert all(
        torch.equal(ours.state_dict()[name], theirs.state_dict()[name]) for name in weights_of(ours)
    )


def interrupt_after(step):
    def callback(report):
        if report.step == step:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_one_batch_is_learnt_by_heart(device, precision):
    only = TokenBatch(torch.tensor([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 0, 0]]))
    model = LanguageModel(dropout=0.0).to(device)

    def plain_loss(model, batch):
        logits = model.output(model(batch.tokens[:, :-1])).float()
        labels = batch.tokens[:, 1:]
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=0, reduction="sum"
        )

    config = TrainingConfig(
        steps=150, learning_rate=0.1, schedule="constant", warmup=10, precision=precision
    )
    state = train(model, lambda epoch: [only], plain_loss, config)
    assert state.losses[-1] < 0.01 < 2 < state.losses[0]
    assert (state.step, state.epoch, state.batch) == (150, 150, 1)


@pytest.mark.parametrize("stop", [1, 10, 19])
@pytest.mark.parametrize("schedule", ["inverse_square_root", "cosine"])
def test_a_resumed_run_has_the_same_losses_step_for_step(tmp_path, device, stop, schedule):
    """With dropout, accumulation over epochs' ends, and a random number drawn in between."""
    config = replace(CONFIG, schedule=schedule, evaluate_every=4, precision="bfloat16")
    straight_model = LanguageModel().to(device)
    straight = train(straight_model, batches, loss, config, evaluate=dev_loss)
    model = LanguageModel().to(device)
    first = train(
        model,
        batches,
        loss,
        config,
        evaluate=dev_loss,
        callbacks=[lambda report: torch.rand(1), interrupt_after(stop)],
        checkpoint_folder=tmp_path / "last",
    )
    assert first.interrupted
    assert first.step == stop
    torch.manual_seed(99)
    model = LanguageModel(seed=5).to(device)
    second = train(
        model,
        batches,
        loss,
        config,
        evaluate=dev_loss,
        checkpoint_folder=tmp_path / "last",
        resume=True,
    )
    assert second == straight
    assert len(second.losses) == 20
    assert_same_weights(model, straight_model)


def test_reading_losses_back_late_changes_nothing(tmp_path):
    often, rarely = [], []
    train(LanguageModel(), batches, loss, CONFIG, callbacks=[often.append])
    config = replace(CONFIG, report_every=8)
    train(LanguageModel(), batches, loss, config, callbacks=[rarely.append])
    assert [(r.step, r.loss, r.gradient_norm) for r in often] == [
        (r.step, r.loss, r.gradient_norm) for r in rarely
    ]
    assert [r.step for r in often] == list(range(1, 21))


def test_accumulated_gradients_are_those_of_one_large_batch():
    """Every token weighs the same; a mean of the batches' means would differ."""
    together = TokenBatch(
        torch.nn.utils.rnn.pad_sequence(
            [row for batch in batches(1)[:2] for row in batch.tokens], batch_first=True
        )
    )
    assert batches(1)[0].target_tokens != batches(1)[1].target_tokens
    config = replace(CONFIG, steps=3, accumulate=1)
    one = LanguageModel(dropout=0.0)
    one_losses = train(one, lambda epoch: [together], loss, config).losses
    two = LanguageModel(dropout=0.0)
    two_losses = train(
        two, lambda epoch: batches(1)[:2], loss, replace(config, accumulate=2)
    ).losses
    assert one_losses == pytest.approx(two_losses, rel=1e-6)
    for ours, theirs in zip(one.parameters(), two.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_one_update_is_that_of_torch_by_hand():
    model, reference = LanguageModel(dropout=0.0), LanguageModel(dropout=0.0)
    config = TrainingConfig(
        steps=4, learning_rate=0.3, warmup=2, clip_norm=0.05, weight_decay=0.1, betas=(0.8, 0.9)
    )
    reports = []
    train(model, batches, loss, config, callbacks=[reports.append])
    groups = [
        {"params": [reference.embedding.weight, reference.output.weight], "weight_decay": 0.1},
        {"params": [reference.output.bias], "weight_decay": 0.0},
    ]
    adam = torch.optim.AdamW(groups, betas=(0.8, 0.9), eps=1e-9)
    for batch, report in zip(batches(1)[:4], reports, strict=True):
        mean = loss(reference, batch) / batch.target_tokens
        adam.zero_grad()
        mean.backward()
        norm = torch.nn.utils.clip_grad_norm_(reference.parameters(), 0.05)
        for group in adam.param_groups:
            group["lr"] = report.learning_rate
        adam.step()
        assert report.loss == pytest.approx(mean.item())
        assert report.gradient_norm == pytest.approx(norm.item())
        assert report.tokens == batch.target_tokens
    for ours, theirs in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_no_batch_is_lost_or_repeated_at_the_end_of_an_epoch():
    groups = batch_groups(lambda epoch: [(epoch, i) for i in range(5)], 1, 0, 3)
    first = [next(groups) for _ in range(5)]
    assert [batch for _, _, group in first for batch in group] == [
        (epoch, i) for epoch in (1, 2, 3) for i in range(5)
    ]
    epoch, used, _ = first[2]
    assert (epoch, used) == (2, 4)
    resumed = batch_groups(lambda epoch: [(epoch, i) for i in range(5)], epoch, used, 3)
    assert next(resumed) == first[3]


def test_training_leaves_the_generator_and_the_mode_as_they_were():
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    model = LanguageModel().eval()
    modes = []

    def evaluate(model):
        modes.append((model.training, torch.is_grad_enabled()))
        return 1.0

    train(model, batches, loss, replace(CONFIG, evaluate_every=7), evaluate=evaluate)
    assert torch.equal(torch.rand(3), wanted)
    assert not model.training
    assert modes == [(False, False)] * 3


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


def test_training_runs_outside_the_main_thread():
    losses = []
    thread = threading.Thread(
        target=lambda: losses.extend(train(LanguageModel(), batches, loss, CONFIG).losses)
    )
    thread.start()
    thread.join()
    assert tuple(losses) == train(LanguageModel(), batches, loss, CONFIG).losses


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


def test_batches_and_losses_that_cannot_be_trained_on_are_named():
    with pytest.raises(MtcourseError, match="epoch 1 has no batches"):
        train(LanguageModel(), lambda epoch: [], loss, CONFIG)
    empty = TokenBatch(torch.zeros(2, 3, dtype=torch.long))
    with pytest.raises(MtcourseError, match="step 1 hold no target token"):
        train(LanguageModel(), lambda epoch: [empty], loss, CONFIG)
    with pytest.raises(MtcourseError, match=r"the loss has shape \(4, 2, 8\)"):
        train(LanguageModel(), batches, lambda model, batch: model(batch.tokens[:, 1:]), CONFIG)


def test_a_checkpoint_in_the_way_is_not_overwritten(tmp_path):
    config = replace(CONFIG, steps=6)
    state = train(LanguageModel(), batches, loss, config, checkpoint_folder=tmp_path / "last")
    with pytest.raises(MtcourseError, match="already holds a checkpoint: resume it"):
        train(LanguageModel(), batches, loss, config, checkpoint_folder=tmp_path / "last")

    def resume(config, batches=batches, folder=tmp_path / "last", model_config=None):
        return train(
            LanguageModel(), batches, loss, config,
            checkpoint_folder=folder, model_config=model_config, resume=True,
        )  # fmt: skip

    assert resume(config) == state
    assert resume(replace(config, steps=9)).losses[:6] == state.losses
    with pytest.raises(MtcourseError, match=r"learning_rate is 0\.1, there 0\.05"):
        resume(replace(config, learning_rate=0.1))
    with pytest.raises(MtcourseError, match=r"is of another model: \{\}, not \{'d_model': 9\}"):
        resume(config, model_config={"d_model": 9})
    with pytest.raises(MtcourseError, match="epoch 3 has 1 batches, the checkpoint used 4"):
        resume(replace(config, steps=12), lambda epoch: batches(epoch)[:1])
    with pytest.raises(MtcourseError, match="there is no checkpoint in"):
        resume(config, folder=tmp_path / "nowhere")
    with pytest.raises(MtcourseError, match="resume needs checkpoint_folder"):
        resume(config, folder=None)
    (tmp_path / "last" / "training.json").write_text('{"config": {}}')
    with pytest.raises(MtcourseError, match="does not say where training stands"):
        resume(config)


def test_the_best_checkpoint_by_dev_loss_is_kept(tmp_path):
    figures = iter([3.0, 1.0, 2.0, 1.5])
    models = {}
    model = LanguageModel()

    def evaluate(evaluated):
        assert evaluated is model
        figure = next(figures)
        models[figure] = weights_of(evaluated)
        return figure

    state = train(
        model,
        batches,
        loss,
        replace(CONFIG, evaluate_every=5),
        evaluate=evaluate,
        callbacks=[keep_best(tmp_path / "best")],
    )
    assert state.best_dev_loss == 1.0
    assert state.dev_losses == ((5, 3.0), (10, 1.0), (15, 2.0), (20, 1.5))
    best = LanguageModel(seed=8)
    restore_weights(best, load_checkpoint(tmp_path / "best"))
    assert all(torch.equal(best.state_dict()[name], models[1.0][name]) for name in models[1.0])


def rows_of(path):
    with path.open(newline="") as file:
        return [
            {name: value for name, value in row.items() if name != "seconds"}
            for row in csv.DictReader(file)
        ]


def test_the_csv_log_of_a_resumed_run_holds_each_step_once(tmp_path):
    config = replace(CONFIG, evaluate_every=6, checkpoint_every=8)

    def run(name, callbacks=(), resume=False):
        return train(
            LanguageModel(), batches, loss, config, evaluate=dev_loss, resume=resume,
            callbacks=[CsvLog(tmp_path / f"{name}.csv"), *callbacks],
            checkpoint_folder=tmp_path / name,
        )  # fmt: skip

    state = run("straight")
    rows = rows_of(tmp_path / "straight.csv")
    assert [float(row["loss"]) for row in rows] == list(state.losses)
    assert [(int(row["step"]), float(row["dev_loss"])) for row in rows if row["dev_loss"]] == list(
        state.dev_losses
    )

    def crash(report):
        if report.step == 11:
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        run("resumed", [crash])
    with (tmp_path / "resumed.csv").open("a") as file:
        file.write("1")
    run("resumed", resume=True)
    assert rows_of(tmp_path / "resumed.csv") == rows


def test_a_csv_log_overwrites_no_other_file(tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("name,mark\nAda,10\n")
    with pytest.raises(MtcourseError, match="is not a training log: its first line is 'name,mark'"):
        train(LanguageModel(), batches, loss, CONFIG, callbacks=[CsvLog(other)])
    assert other.read_text() == "name,mark\nAda,10\n"
    with pytest.raises(MtcourseError, match="cannot be written"):
        train(LanguageModel(), batches, loss, CONFIG, callbacks=[CsvLog(other / "log.csv")])


def test_the_tensorboard_log_holds_the_losses(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = TensorBoardLog(tmp_path)
    state = train(LanguageModel(), batches, loss, CONFIG, evaluate=dev_loss, callbacks=[log])
    events = EventAccumulator(str(tmp_path)).Reload()
    assert [event.value for event in events.Scalars("loss/training")] == pytest.approx(state.losses)
    assert events.Scalars("loss/dev")[0].step == 20


def test_tensorboard_missing_is_said_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard.writer", None)
    with pytest.raises(MtcourseError, match=r"pip install 'mtcourse\[tensorboard\]'"):
        TensorBoardLog(tmp_path)


def test_progress_shows_steps_and_losses():
    text = io.StringIO()
    with progress(Console(file=text, width=120)) as show:
        state = train(LanguageModel(), batches, loss, CONFIG, evaluate=dev_loss, callbacks=[show])
    assert "20/20" in text.getvalue()
    assert f"loss {state.losses[-1]:.3f} · dev {state.dev_losses[0][1]:.3f}" in text.getvalue()
