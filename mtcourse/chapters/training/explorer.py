"""The learning rate over the steps of a run (chapter 12)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtcourse.figures.explorer import Explorer

SCRIPT = Path(__file__).with_suffix(".js")


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
    )
