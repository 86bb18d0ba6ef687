"""The explorer of chapter 08: the loss of one token, and steps of gradient descent on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtcourse.figures.explorer import Explorer

SCRIPT = Path(__file__).with_suffix(".js")


def loss_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """The loss of one token against the lead of the right word, its slope, and gradient descent.

    The wrong words all have the same logit, and that of the right word is larger by z. The loss is
    log(1 + (V - 1) exp(-z)) + ε z (V - 1) / V.

    Args:
        settings: the values at first: z, V (2, 20 or 2000), epsilon (0 to 0.3), and power (the
            learning rate is 10 to this power).

    Source: A19, A21; label smoothing. Chapter 08.
    """
    return Explorer(
        SCRIPT,
        {},
        {"z": -2.0, "V": 20, "epsilon": 0.0, "power": 0.0},
        settings or {},
        "This explorer needs JavaScript. It draws the loss of one token against the lead of the "
        "right word's logit, with and without label smoothing, and steps down by its gradient.",
    )
