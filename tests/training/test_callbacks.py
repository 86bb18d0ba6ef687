"""What watches a run: the best checkpoint, logs and progress."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace

import pytest
import torch
from rich.console import Console

from mtcourse.errors import MtcourseError
from mtcourse.training.callbacks import CsvLog, TensorBoardLog, keep_best, progress
from mtcourse.training.checkpoints import load_checkpoint, restore_weights
from mtcourse.training.loop import train
from tests.helpers.training_example import (
    CONFIG,
    LanguageModel,
    batches,
    dev_loss,
    loss,
    weights_of,
)


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


@pytest.mark.trains
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
