"""The settings of a training run: one frozen value that checks itself (chapter 12)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mtcourse.errors import MtcourseError
from mtcourse.training.schedules import SCHEDULES

_MAY_CHANGE = {"steps", "evaluate_every", "checkpoint_every", "report_every"}


@dataclass(frozen=True)
class TrainingConfig:
    """How to train.

    Args:
        steps: updates of the whole run, also of one that is resumed.
        learning_rate: the peak, which the schedule's factor multiplies.
        warmup: steps over which the rate rises to its peak.
        schedule: one of ``SCHEDULES``, by its name.
        betas: Adam's decay rates of the two moments.
        eps: Adam's ε.
        weight_decay: AdamW's decoupled decay, on matrices only; 0 is plain Adam.
        clip_norm: the largest norm of a gradient, over all parameters; None clips nothing.
        accumulate: batches whose gradients make one update, in every process.
        precision: "bfloat16" runs the loss under autocast; weights and optimizer stay float32.
        evaluate_every: steps between dev losses; 0 measures one after the last step only.
        checkpoint_every: steps between checkpoints; 0 writes one after the last step only.
        report_every: steps between reading losses back; more than 1 lets a GPU run ahead.
        seed: of everything random in the model while it trains.

    Raises:
        MtcourseError: for values that cannot be, quoting them.

    Source: Vaswani et al. 2017, section 5.3, for the schedule, betas and ε. Chapter 12.
    """

    steps: int
    learning_rate: float = 1e-3
    warmup: int = 400
    schedule: str = "inverse_square_root"
    betas: tuple[float, float] = (0.9, 0.98)
    eps: float = 1e-9
    weight_decay: float = 0.0
    clip_norm: float | None = 1.0
    accumulate: int = 1
    precision: Literal["float32", "bfloat16"] = "float32"
    evaluate_every: int = 0
    checkpoint_every: int = 0
    report_every: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("steps", "accumulate", "report_every"):
            self._demand(getattr(self, name) >= 1, name, "at least 1")
        for name in ("warmup", "evaluate_every", "checkpoint_every", "weight_decay"):
            self._demand(0 <= getattr(self, name) < math.inf, name, "at least 0")
        for name in ("learning_rate", "eps"):
            self._demand(0 < getattr(self, name) < math.inf, name, "above 0 and finite")
        self._demand(all(0 <= beta < 1 for beta in self.betas), "betas", "each at least 0, below 1")
        self._demand(
            self.clip_norm is None or 0 < self.clip_norm < math.inf, "clip_norm", "above 0, or None"
        )
        self._demand(self.schedule in SCHEDULES, "schedule", f"one of {', '.join(SCHEDULES)}")
        precisions = ("float32", "bfloat16")
        self._demand(self.precision in precisions, "precision", f"one of {', '.join(precisions)}")
        if self.schedule == "inverse_square_root" and self.warmup == 0:
            raise MtcourseError("schedule 'inverse_square_root' needs warmup of at least 1, not 0")
        if self.schedule == "cosine" and self.warmup >= self.steps:
            raise MtcourseError(
                f"warmup {self.warmup} leaves nothing of steps {self.steps} to schedule 'cosine'"
            )

    def _demand(self, holds: bool, name: str, rule: str) -> None:
        if not holds:
            raise MtcourseError(f"{name} is {getattr(self, name)!r}: it must be {rule}")

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of one step, counted from 1."""
        factor = SCHEDULES[self.schedule](step, self.warmup, self.steps)
        return self.learning_rate * factor

    def as_json(self) -> dict[str, Any]:
        """The values as JSON can hold them."""
        return asdict(self) | {"betas": list(self.betas)}

    def check_resumes(self, stored: dict[str, Any]) -> None:
        """Raises unless a run that began with the ``stored`` values can continue with these."""
        mine = self.as_json()
        differing = [
            f"{name} is {mine[name]!r}, there {stored.get(name)!r}"
            for name in mine
            if name not in _MAY_CHANGE and mine[name] != stored.get(name)
        ]
        if differing:
            raise MtcourseError(
                "this run cannot continue from the checkpoint with other settings: "
                + "; ".join(differing)
            )
