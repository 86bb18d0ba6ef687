"""Callbacks of a training run: plain callables that receive a ``StepReport`` (chapter 12)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mtcourse.errors import MtcourseError
from mtcourse.whole_files import write_whole


@dataclass(frozen=True)
class StepReport:
    """The figures of one update.

    Args:
        step: the update, from 1.
        steps: how many updates the whole run has.
        epoch: the pass over the data, from 1.
        loss: mean over the target tokens of the update, in nats, smoothing included.
        learning_rate: the rate of this update.
        gradient_norm: the norm of the gradient before clipping.
        tokens: target tokens of the update, over all processes.
        seconds: wall-clock time of the update.
        dev_loss: the development loss after this step, or None where ``evaluate`` was not called.
        improved: whether that loss is the lowest so far.
        save: writes the state of the run as a checkpoint into a folder.
    """

    step: int
    steps: int
    epoch: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int
    seconds: float
    dev_loss: float | None
    improved: bool
    save: Callable[[Path | str], None]


Callback = Callable[[StepReport], None]


def keep_best(folder: Path | str) -> Callback:
    """A callback that keeps the checkpoint with the lowest dev loss in ``folder``."""

    def save_if_improved(report: StepReport) -> None:
        if report.improved:
            report.save(folder)

    return save_if_improved


@contextmanager
def progress(console: Console | None = None) -> Iterator[Callback]:
    """A progress bar while the ``with`` block trains.

    Args:
        console: where to draw; standard error by default.

    >>> with progress(Console(quiet=True)) as show:
    ...     pass  # train(..., callbacks=[show])
    """
    bar = Progress(
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
        console=console or Console(stderr=True),
    )
    task = bar.add_task("training", total=None, figures="")
    dev = ""

    def show(report: StepReport) -> None:
        nonlocal dev
        if report.dev_loss is not None:
            dev = f" · dev {report.dev_loss:.3f}"
        speed = f"{report.tokens / report.seconds:,.0f} tokens/s" if report.seconds > 0 else ""
        figures = f"loss {report.loss:.3f}{dev} · {speed}"
        bar.update(task, total=report.steps, completed=report.step, figures=figures)

    with bar:
        yield show


class CsvLog:
    """A callback that writes one row for each step to a CSV file.

    A resumed run continues in the same file. Rows of its first step and of later ones are dropped
    first, so that the file has each step once.

    Args:
        path: the file; its folder is made.

    Raises:
        MtcourseError: the file exists and is not a training log, or it cannot be written.
    """

    columns = (
        "step",
        "epoch",
        "loss",
        "learning_rate",
        "gradient_norm",
        "tokens",
        "seconds",
        "dev_loss",
    )

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._begun = False

    def __call__(self, report: StepReport) -> None:
        try:
            if not self._begun:
                self._begin(report.step)
                self._begun = True
            with self._path.open("a", newline="", encoding="utf-8") as file:
                values = (getattr(report, column) for column in self.columns)
                csv.writer(file).writerow("" if value is None else value for value in values)
        except OSError as error:
            raise MtcourseError(f"the log {self._path} cannot be written: {error}") from error

    def _begin(self, first_step: int) -> None:
        """Rewrites the file with the rows before ``first_step`` only."""
        kept = self._rows_before(first_step) if self._path.exists() else []
        written = io.StringIO(newline="")
        csv.writer(written).writerows([self.columns, *kept])
        write_whole(self._path, written.getvalue())

    def _rows_before(self, first_step: int) -> list[list[str]]:
        with self._path.open(newline="", encoding="utf-8", errors="replace") as file:
            header, *rows = list(csv.reader(file)) or [[]]
        if tuple(header) != self.columns:
            raise MtcourseError(
                f"{self._path} is not a training log: its first line is {','.join(header)!r}, not "
                f"{','.join(self.columns)!r}; name another file"
            )
        whole = (row for row in rows if len(row) == len(self.columns) and row[0].isdigit())
        return [row for row in whole if int(row[0]) < first_step]


class TensorBoardLog:
    """A callback that writes losses and rates for TensorBoard, which reads ``folder``.

    Args:
        folder: where the event files go; a resumed run hides what it repeats.

    Raises:
        MtcourseError: where TensorBoard is not installed.
    """

    def __init__(self, folder: Path | str) -> None:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError as error:
            raise MtcourseError(
                "TensorBoard is not installed: pip install 'mtcourse[tensorboard]'"
            ) from error
        self._open: Callable[[int], Any] = lambda step: SummaryWriter(str(folder), purge_step=step)
        self._writer: Any = None

    def __call__(self, report: StepReport) -> None:
        if self._writer is None:
            self._writer = self._open(report.step)
        figures = {
            "loss/training": report.loss,
            "loss/dev": report.dev_loss,
            "learning rate": report.learning_rate,
            "gradient norm": report.gradient_norm,
        }
        for name, value in figures.items():
            if value is not None and math.isfinite(value):
                self._writer.add_scalar(name, value, report.step)
        if report.step == report.steps or report.dev_loss is not None:
            self._writer.flush()
