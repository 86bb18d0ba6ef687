"""Learning rate schedules: functions from a step to a factor on the peak rate (chapter 12).

Steps count from 1, as in the papers, so that the first update already changes the weights. During
the warm-up every schedule rises on the straight line step / warmup, up to 1 at ``step == warmup``.
"""

from __future__ import annotations

import math
from collections.abc import Callable


def constant(step: int, warmup: int, total: int = 0) -> float:
    """Rises to 1 in the warm-up and stays there.

    >>> [constant(step, warmup=2) for step in (1, 2, 3, 100)]
    [0.5, 1.0, 1.0, 1.0]
    """
    return min(step / warmup, 1.0) if warmup > 0 else 1.0


def inverse_square_root(step: int, warmup: int, total: int = 0) -> float:
    """min(step / warmup, √(warmup / step)): the first Transformer's schedule with its peak at 1.

    The paper writes d_model^(−1/2) · min(step^(−1/2), step · warmup^(−3/2)), whose peak is
    (d_model · warmup)^(−1/2); here that peak is the learning rate of the configuration.

    Args:
        step: the update, from 1.
        warmup: steps of warm-up, at least 1.
        total: makes no difference.

    Source: Vaswani et al. 2017, section 5.3. Chapter 12.

    >>> [inverse_square_root(step, warmup=4) for step in (1, 4, 16)]
    [0.25, 1.0, 0.5]
    """
    return min(step / warmup, math.sqrt(warmup / step))


def cosine(step: int, warmup: int, total: int) -> float:
    """Rises to 1, then falls on half a cosine that would reach 0 one step after the last.

    (1 + cos(π · (step − warmup) / (total + 1 − warmup))) / 2 after the warm-up.

    Args:
        step: the update, from 1 to total.
        warmup: steps of warm-up, less than total.
        total: steps of the whole training.

    Source: Loshchilov and Hutter 2017, without restarts. Chapter 12.

    >>> [round(cosine(step, warmup=2, total=5), 2) for step in (1, 2, 3, 4, 5)]
    [0.5, 1.0, 0.85, 0.5, 0.15]
    """
    if step < warmup:
        return step / warmup
    return (1 + math.cos(math.pi * (step - warmup) / (total + 1 - warmup))) / 2


SCHEDULES: dict[str, Callable[[int, int, int], float]] = {
    schedule.__name__: schedule for schedule in (inverse_square_root, cosine, constant)
}
"""Each takes the step, the steps of warm-up and those of the whole training."""
