"""The explorer of chapter 8: the loss of one token, and steps of gradient descent on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from matplotlib.axes import Axes

from mtcourse.figures.curves import curves
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still

SCRIPT = Path(__file__).with_suffix(".js")


def loss_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """The loss of one token against the lead of the right word, its slope, and gradient descent.

    The wrong words all have the same logit, and that of the right word is larger by z. The loss is
    log(1 + (V - 1) exp(-z)) + ε z (V - 1) / V.

    Args:
        settings: the values at first: z, V (2, 20 or 2000), epsilon (0 to 0.3), and power (the
            learning rate is 10 to this power).

    Source: A19, A21; label smoothing. Chapter 8.
    """
    return Explorer(
        SCRIPT,
        {},
        {"z": -2.0, "V": 20, "epsilon": 0.0, "power": 0.0},
        settings or {},
        "This explorer needs JavaScript. It draws the loss of one token against the lead of the "
        "right word's logit, with and without label smoothing, and steps down by its gradient.",
        still=_still,
    )


def _still(chosen: Mapping[str, Any]) -> Still:
    """The loss and its slope for some leads of the right word."""
    V, epsilon = chosen["V"], chosen["epsilon"]
    rows = zip(*_loss_by_lead(V, epsilon, 2.0), strict=True)
    return Still(
        f"The loss of one token among {V} words, label smoothing {epsilon:g}, by the "
        "lead z of the right word’s logit.",
        ("z", "loss in nats", "slope"),
        [(f"{lead:g}".replace("-", "−"), *numbers) for lead, *numbers in rows],
        lambda: _curves(V, epsilon),
        3,
    )


def _loss_by_lead(V: int, epsilon: float, step: float) -> tuple[list[float], ...]:
    """Leads of the right word from -6 to 12, the loss at each, and its slope."""
    z = torch.arange(-6.0, 12.0 + step, step, dtype=torch.float64, requires_grad=True)
    loss = (1 + (V - 1) * (-z).exp()).log() + epsilon * z * (V - 1) / V
    (slope,) = torch.autograd.grad(loss.sum(), z)
    return z.tolist(), loss.tolist(), slope.tolist()


def _curves(V: int, epsilon: float) -> Axes:
    """Draws both by the lead."""
    leads, *found = _loss_by_lead(V, epsilon, 0.25)
    series = {
        name: list(zip(leads, numbers, strict=True))
        for name, numbers in zip(("loss in nats", "slope"), found, strict=True)
    }
    return curves(series, "lead z of the right word’s logit", "loss and slope")
