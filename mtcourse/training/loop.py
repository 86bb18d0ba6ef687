"""The training loop: it knows batches, a loss and callbacks, nothing about the model (chapter 12).

One update, Σ over the batches of all processes and accumulation steps:

    g = (Σ_batches ∂ loss(model, batch) / ∂θ) / (Σ_batches target tokens)

``loss`` returns a sum over tokens, so g is the gradient of the mean over all target tokens, however
the tokens are divided into batches. Epochs follow one another without a gap: an update may take the
last batches of one epoch and the first of the next, so that no batch is left out.

Dropout draws from torch's default generators. The loop seeds them at every step from (seed, step,
process), so that a step is the same whether or not the run was resumed before it, and whatever the
callbacks draw. At the end it gives the generators back as it found them.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic

import torch
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.training.callbacks import Callback, StepReport
from mtcourse.training.checkpoints import (
    checkpoint_exists,
    load_checkpoint,
    restore_optimizer,
    restore_weights,
    save_checkpoint,
)
from mtcourse.training.config import TrainingConfig
from mtcourse.training.divergence import check_finite
from mtcourse.training.interruption import interruption
from mtcourse.training.processes import processes_around
from mtcourse.training.update import B, Figures, M, TrainingBatch, Updater, batch_groups

__all__ = ["StepReport", "TrainingBatch", "TrainingConfig", "TrainingState", "train"]


@dataclass(frozen=True)
class TrainingState:
    """How far a run has come.

    Args:
        step: updates made.
        epoch: the pass over the data, from 1.
        batch: batches of this epoch already used.
        best_dev_loss: the lowest dev loss so far, or None.
        losses: the training loss of each step, per token, in nats, smoothing included.
        dev_losses: pairs (step, dev loss).
        interrupted: whether Ctrl-C stopped the run before its last step.
    """

    step: int = 0
    epoch: int = 1
    batch: int = 0
    best_dev_loss: float | None = None
    losses: tuple[float, ...] = ()
    dev_losses: tuple[tuple[int, float], ...] = ()
    interrupted: bool = False


def train(
    model: M,
    batches: Callable[[int], Sequence[B]],
    loss: Callable[[M, B], Tensor],
    config: TrainingConfig,
    *,
    evaluate: Callable[[M], float] | None = None,
    callbacks: Sequence[Callback] = (),
    checkpoint_folder: Path | str | None = None,
    model_config: Mapping[str, Any] | None = None,
    resume: bool = False,
) -> TrainingState:
    """Trains a model in place, on the device where it is.

    At Ctrl-C the loop finishes the running step, writes a checkpoint and returns a state whose
    ``interrupted`` is true; a second Ctrl-C raises KeyboardInterrupt at once. Under ``torchrun``
    every process calls this with the same arguments and takes its share of each update; only
    process 0 evaluates, calls the callbacks and writes.

    Args:
        model: the loop never calls it; ``loss`` and ``evaluate`` do.
        batches: from an epoch, counted from 1, to its batches; always the same for one epoch.
        loss: the summed loss over a batch's target tokens, a scalar.
        config: how to train.
        evaluate: returns the dev loss; it is given the model in evaluation mode, without gradients.
        callbacks: called with every step's report, in order.
        checkpoint_folder: where the last state is written; None writes nothing.
        model_config: what the checkpoint says about the model, as JSON can hold it.
        resume: continues from the checkpoint in ``checkpoint_folder``.

    Returns:
        How far the run has come at its end.

    Raises:
        MtcourseError: loss or gradient is not finite, the folder already holds a checkpoint or
            holds none to resume from, or there is no batch or no target token.

    Chapter 12.
    """
    folder = None if checkpoint_folder is None else Path(checkpoint_folder)
    run = _Run(model, batches, loss, config, evaluate, callbacks, folder, dict(model_config or {}))
    if resume:
        run.resume()
    elif folder is not None and checkpoint_exists(folder):
        raise MtcourseError(
            f"{folder} already holds a checkpoint: resume it, or name another folder for a new run"
        )
    device = run.processes.device
    mode = model.training
    with (
        torch.random.fork_rng([device] if device.type == "cuda" else []),
        interruption() as requested,
    ):
        try:
            run.all_steps(requested)
        finally:
            model.train(mode)
    return run.state


class _Run(Generic[M, B]):
    """One call of ``train``: its parts, and the state that it advances."""

    def __init__(
        self,
        model: M,
        batches: Callable[[int], Sequence[B]],
        loss: Callable[[M, B], Tensor],
        config: TrainingConfig,
        evaluate: Callable[[M], float] | None,
        callbacks: Sequence[Callback],
        folder: Path | None,
        model_config: dict[str, Any],
    ) -> None:
        self.model, self.batches, self.config = model, batches, config
        self.evaluate, self.callbacks = evaluate, callbacks
        self.folder, self.model_config = folder, model_config
        self.processes = processes_around(next(model.parameters()).device)
        self.updater = Updater(model, loss, config, self.processes)
        self.state = TrainingState()
        self.pending: list[tuple[int, int, Figures]] = []
        self.started_at = 0.0

    def resume(self) -> None:
        """Takes weights, optimizer and state from the checkpoint."""
        if self.folder is None:
            raise MtcourseError("resume needs checkpoint_folder, the folder to resume from")
        checkpoint = load_checkpoint(self.folder)
        if checkpoint.training is None:
            raise MtcourseError(f"{checkpoint.folder} holds weights only: it cannot be resumed")
        if checkpoint.config != json.loads(json.dumps(self.model_config)):
            raise MtcourseError(
                f"{checkpoint.folder} is of another model: {checkpoint.config}, not "
                f"{self.model_config}"
            )
        try:
            stored, state = checkpoint.training["config"], dict(checkpoint.training["state"])
            state["losses"] = tuple(state["losses"])
            state["dev_losses"] = tuple((step, loss) for step, loss in state["dev_losses"])
            self.state = TrainingState(**state)
        except (KeyError, TypeError, ValueError) as error:
            raise MtcourseError(
                f"{checkpoint.folder / 'training.json'} does not say where training stands: {error}"
            ) from error
        self.config.check_resumes(stored)
        restore_weights(self.model, checkpoint)
        restore_optimizer(self.updater.optimizer, checkpoint)

    def save(self, folder: Path | str) -> None:
        """Writes the current state as a checkpoint, in process 0."""
        if self.processes.rank == 0:
            state = asdict(replace(self.state, interrupted=False))
            training = {"state": state, "config": self.config.as_json()}
            save_checkpoint(folder, self.model, self.model_config, self.updater.optimizer, training)

    def all_steps(self, requested: threading.Event) -> None:
        """Updates until the last step or an agreed interruption; reports and saves when due."""
        config = self.config
        self.model.train()
        size = config.accumulate * self.processes.count
        groups = batch_groups(self.batches, self.state.epoch, self.state.batch, size)
        while self.state.step < config.steps:
            self._update(*next(groups))
            step = self.state.step
            evaluates = self.evaluate is not None and self._due(config.evaluate_every)
            saves = self._due(config.checkpoint_every)
            if not (evaluates or saves or self._due(config.report_every)):
                continue
            try:
                self._report(evaluates)
            except KeyboardInterrupt:
                requested.set()
            stop = self._agreed(requested.is_set())
            if self.folder is not None and (saves or stop):
                self.save(self.folder)
            if stop:
                self.state = replace(self.state, interrupted=step < config.steps)
                return

    def _due(self, every: int) -> bool:
        step = self.state.step
        return step == self.config.steps or (every > 0 and step % every == 0)

    def _update(self, epoch: int, batch: int, group: Sequence[B]) -> None:
        if not self.pending:
            self.started_at = time.perf_counter()
        step = self.state.step + 1
        figures = self.updater.update(step, group)
        self.state = replace(self.state, step=step, epoch=epoch, batch=batch)
        self.pending.append((step, epoch, figures))

    def _report(self, evaluates: bool) -> None:
        """Reads the pending figures back, checks them, and calls the callbacks."""
        reports = self._read_back()
        if evaluates:
            reports[-1] = self._evaluated(reports[-1])
        if self.processes.rank == 0:
            for report in reports:
                for callback in self.callbacks:
                    callback(report)

    def _read_back(self) -> list[StepReport]:
        """The reports of the pending steps, read from the device together and checked."""
        steps, epochs, figures = zip(*self.pending, strict=True)
        self.pending = []
        total = self.processes.total
        loss_sums = total(torch.stack([f.loss_sum for f in figures])).tolist()
        norms = torch.stack([f.gradient_norm for f in figures]).tolist()
        seconds = (time.perf_counter() - self.started_at) / len(figures)
        tokens = [f.tokens for f in figures]
        if total(torch.tensor([f.own_tokens for f in figures])).tolist() != tokens:
            raise MtcourseError(
                "the processes saw different batches: order them by seed and epoch only"
            )
        reports = []
        for i, step in enumerate(steps):
            loss = loss_sums[i] / tokens[i]
            check_finite(step, loss, norms[i], self.state.losses, self.config)
            self.state = replace(self.state, losses=(*self.state.losses, loss))
            reports.append(
                StepReport(
                    step=step,
                    steps=self.config.steps,
                    epoch=epochs[i],
                    loss=loss,
                    learning_rate=self.config.learning_rate_at(step),
                    gradient_norm=norms[i],
                    tokens=tokens[i],
                    seconds=seconds,
                    dev_loss=None,
                    improved=False,
                    save=self.save,
                )
            )
        return reports

    def _evaluated(self, report: StepReport) -> StepReport:
        """The report with the dev loss, which process 0 measures for all."""
        value = 0.0
        if self.evaluate is not None and self.processes.rank == 0:
            self.model.eval()
            with torch.no_grad():
                value = float(self.evaluate(self.model))
            self.model.train()
        dev_loss = self.processes.total(torch.tensor([value], dtype=torch.float64)).item()
        if not math.isfinite(dev_loss):
            raise MtcourseError(
                f"the dev loss after step {report.step} is {dev_loss}: look at what evaluate "
                "computes and at the dev set; the training loss is a number"
            )
        best = self.state.best_dev_loss
        improved = best is None or dev_loss < best
        self.state = replace(
            self.state,
            best_dev_loss=dev_loss if improved else best,
            dev_losses=(*self.state.dev_losses, (report.step, dev_loss)),
        )
        return replace(report, dev_loss=dev_loss, improved=improved)

    def _agreed(self, requested: bool) -> bool:
        """Whether any process was asked to stop; then all of them stop after the same step."""
        return bool(self.processes.total(torch.tensor([int(requested)])).item())
