"""The learning rate over the steps of a run (chapter 12)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from mtcourse.figures.curves import curves
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.training.schedules import cosine, inverse_square_root

SCRIPT = Path(__file__).with_suffix(".js")
STEPS = 2000
"""How long the run is, here and in the script."""


def training_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """The learning rate over the steps, for any peak and warm-up.

    Args:
        settings: what is chosen at first: shape ("cosine" or "inverse square root"), peak, warmup
            and step.

    Chapter 12.
    """
    return Explorer(
        SCRIPT,
        {},
        {"shape": "cosine", "peak": 0.003, "warmup": 200, "step": 600},
        settings or {},
        "This explorer needs JavaScript. It draws the learning rate over 2000 steps as a cosine or "
        "an inverse square root with warm-up.",
        still=_still,
    )


def _still(chosen: Mapping[str, Any]) -> Still:
    """The learning rate at some steps."""
    warmup, peak = chosen["warmup"], chosen["peak"]
    steps = sorted({1, warmup // 2, warmup, chosen["step"], *range(400, STEPS + 1, 400)} - {0})
    schedule = {"cosine": cosine, "inverse square root": inverse_square_root}[chosen["shape"]]

    def drawn() -> Axes:
        every = sorted({*steps, *range(10, STEPS + 1, 10)})
        points = [(step, peak * schedule(step, warmup, STEPS)) for step in every]
        return curves({chosen["shape"]: points}, "step", "learning rate")

    return Still(
        f"The learning rate over {STEPS:,} steps: {chosen['shape']}, peak {peak:g}, warm-up over "
        f"{warmup} steps.",
        ("step", "learning rate"),
        [(f"{step:,}", peak * schedule(step, warmup, STEPS)) for step in steps],
        drawn,
        5,
    )
