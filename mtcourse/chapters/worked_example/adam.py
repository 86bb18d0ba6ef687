"""One step of Adam, line by line (chapters 11 and 12)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

LEARNING_RATE, BETA_1, BETA_2, EPSILON_ADAM = 0.001, 0.9, 0.98, 1e-9
"""The paper's betas and epsilon; the rate is the example's own (Vaswani et al., 2017, 5.3)."""


@dataclass(frozen=True)
class AdamStep:
    """What one step of Adam computes for one parameter.

    Args:
        m: the running mean of gradients, before its correction.
        v: the running mean of their squares, likewise.
        m_hat: m / (1 - beta_1^t).
        v_hat: v / (1 - beta_2^t).
        change: what is added to the parameter.
        parameter: the parameter afterwards.
    """

    m: Tensor
    v: Tensor
    m_hat: Tensor
    v_hat: Tensor
    change: Tensor
    parameter: Tensor


def adam_step(parameter: Tensor, gradient: Tensor, m: Tensor, v: Tensor, t: int = 1) -> AdamStep:
    """theta - eta m_hat / (sqrt(v_hat) + epsilon), with both means corrected for their start at 0.

    Args:
        parameter: theta.
        gradient: of the loss, in the same shape.
        m: the mean of gradients so far; zeros before the first step.
        v: the mean of squares so far; zeros before the first step.
        t: the number of the step, from 1.

    Source: Kingma and Ba (2015), algorithm 1. Chapters 11 and 12.
    """
    m = BETA_1 * m + (1 - BETA_1) * gradient
    v = BETA_2 * v + (1 - BETA_2) * gradient.square()
    m_hat = m / (1 - BETA_1**t)
    v_hat = v / (1 - BETA_2**t)
    change = -LEARNING_RATE * m_hat / (v_hat.sqrt() + EPSILON_ADAM)
    return AdamStep(m, v, m_hat, v_hat, change, parameter + change)


def first_steps(
    weights: Mapping[str, Tensor], gradients: Mapping[str, Tensor]
) -> dict[str, AdamStep]:
    """Adam's first step for every parameter: m and v are zero before it.

    Args:
        weights: the parameters by name.
        gradients: of the loss, by the same names; further names do no harm.
    """
    return {name: adam_step(w, gradients[name], w * 0, w * 0) for name, w in weights.items()}


def first_change(gradient: float) -> float:
    """-eta g / (abs(g) + epsilon): what the first step adds, whatever the betas are (chapter 11).

    m_hat = g and v_hat = g^2, since the corrections divide by what they were multiplied by. So
    the change is about the learning rate, with the sign of -g, unless abs(g) is as small as
    epsilon.

    Args:
        gradient: g, one number.
    """
    return -LEARNING_RATE * gradient / (math.sqrt(gradient**2) + EPSILON_ADAM)
