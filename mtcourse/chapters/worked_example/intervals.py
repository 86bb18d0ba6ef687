"""What an error of the input can do to every later number (chapter 11).

Three answers: intervals that hold for certain, a first-order estimate from derivatives, and the
largest deviation among tried perturbations. The first is never too small, the last never too large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from mtcourse.chapters.worked_example.example import (
    DECODER_INPUT,
    example_steps,
    example_weights,
    source_ids,
    source_mask,
    target_ids,
)
from mtcourse.chapters.worked_example.forward import EPSILON, HEADS, Steps, Weights, forward_pass
from mtcourse.chapters.worked_example.printed import weight_bounds


@dataclass(frozen=True)
class Interval:
    """Matrices between two ends, entry by entry.

    Args:
        low: the lower ends.
        high: the upper ends.
    """

    low: Float[Tensor, "*shape"]
    high: Float[Tensor, "*shape"]

    @property
    def middle(self) -> Float[Tensor, "*shape"]:
        """The centres."""
        return (self.low + self.high) / 2

    @property
    def radius(self) -> Float[Tensor, "*shape"]:
        """Half the widths."""
        return (self.high - self.low) / 2

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __getitem__(self, index: object) -> Interval:
        return Interval(self.low[index], self.high[index])  # type: ignore[index]


def around(middle: Float[Tensor, "*shape"], radius: Float[Tensor, "*shape"]) -> Interval:
    """The interval from middle - radius to middle + radius."""
    return Interval(middle - radius, middle + radius)


def product(A: Interval, B: Interval) -> Interval:
    """A B: the centres' product, and abs(A) r_B + r_A abs(B) + r_A r_B around it.

    Args:
        A: the left factor.
        B: the right factor.
    """
    a, b = A.middle, B.middle
    radius = a.abs() @ B.radius + A.radius @ b.abs() + A.radius @ B.radius
    return around(a @ b, radius)


def interval_norm(X: Interval, gamma: Tensor, beta: Tensor) -> Interval:
    """LayerNorm of rows that are known up to intervals (B11, B13).

    Args:
        X: the rows.
        gamma: the gain.
        beta: the bias.
    """
    d = X.low.shape[-1]
    centring = torch.eye(d, dtype=torch.float64) - 1 / d
    centred = product(X, Interval(centring, centring))
    largest = torch.maximum(centred.low.abs(), centred.high.abs())
    smallest = torch.where(centred.low * centred.high < 0, 0.0, 1.0) * torch.minimum(
        centred.low.abs(), centred.high.abs()
    )
    sigma_low, sigma_high = (
        (end.square().mean(-1, keepdim=True) + EPSILON).sqrt() for end in (smallest, largest)
    )
    ends = torch.stack(
        [c / s for c in (centred.low, centred.high) for s in (sigma_low, sigma_high)]
    )
    bound = math.sqrt(d - 1)  # no entry of a normalised row is larger
    unit = Interval(ends.amin(0).clamp(-bound, bound), ends.amax(0).clamp(-bound, bound))
    return around(unit.middle * gamma + beta, unit.radius * gamma.abs())


def interval_attention(
    place: str, w: Weights, X: Interval, Z: Interval, allowed: Bool[Tensor, "m n"]
) -> tuple[Interval, list[Interval]]:
    """The output of an attention, and the weights of its heads (B07 to B10).

    Args:
        place: E, D or C.
        w: the parameters, which are exact.
        X: the rows that queries come from.
        Z: the rows that keys and values come from.
        allowed: True where query i may attend to key j.
    """
    Q, K, V = (
        product(rows, _exact(w[f"W_{kind}_{place}"]))
        for kind, rows in zip("QKV", (X, Z, Z), strict=True)
    )
    d_k = Q.low.shape[-1] // HEADS
    heads, of_heads = [], []
    for head in range(HEADS):
        own = (slice(None), slice(head * d_k, (head + 1) * d_k))
        scores = product(Q[own], Interval(K[own].low.T, K[own].high.T))
        ends = (end.masked_fill(~allowed, -math.inf) for end in (scores.low, scores.high))
        low, high = (end / math.sqrt(d_k) for end in ends)
        weights = Interval(*(end.nan_to_num(0.0) * allowed for end in weight_bounds(low, high)))
        heads.append(product(weights, V[own]))
        of_heads.append(weights)
    both = Interval(torch.cat([h.low for h in heads], -1), torch.cat([h.high for h in heads], -1))
    return product(both, _exact(w[f"W_O_{place}"])), of_heads


def interval_pass(w: Weights, X_input: Interval) -> dict[str, Interval]:
    """The steps of ``forward_pass`` that matter, for an encoder's input that is not exact.

    Args:
        w: the parameters, which are exact.
        X_input: the encoder's input.

    Source: B, steps 3 to 7, on intervals. Chapter 11.
    """
    s = {"X_input": X_input}
    real, m = source_mask(), len(DECODER_INPUT)
    output, (s["weights_1_E"], _) = interval_attention(
        "E", w, X_input, X_input, real.expand(len(real), len(real))
    )
    s["X_1"] = interval_norm(X_input + output, w["gamma_1_E"], w["beta_1_E"])
    s["X_encoder"] = _network("E", w, s["X_1"], "2_E")
    exact = forward_pass(w, source_ids(), target_ids(), real)
    Y_1 = _exact(exact["Y_1"])  # the encoder has no part in it
    output, (s["weights_1_C"], _) = interval_attention(
        "C", w, Y_1, s["X_encoder"], real.expand(m, len(real))
    )
    s["Y_2"] = interval_norm(Y_1 + output, w["gamma_2_D"], w["beta_2_D"])
    s["Y_decoder"] = _network("D", w, s["Y_2"], "3_D")
    s["logits"] = product(s["Y_decoder"], _exact(w["W_output"]))
    s["probabilities"] = Interval(*weight_bounds(s["logits"].low, s["logits"].high))
    return s


def first_order(w: Weights, names: list[str], radius: float) -> dict[str, Tensor]:
    """radius sum_k abs(∂y / ∂x_k) for each number y: what errors of at most ``radius`` add up to.

    Args:
        w: the parameters.
        names: the steps.
        radius: the largest error of an entry of X_input.
    """
    table = w["W_E_X"]

    def steps(table: Tensor) -> tuple[Tensor, ...]:
        s = forward_pass({**w, "W_E_X": table}, source_ids(), target_ids(), source_mask())
        return tuple(s[name] for name in names)

    jacobians = torch.autograd.functional.jacobian(steps, table)
    found = zip(names, jacobians, strict=True)
    return {name: radius * jacobian.abs().sum((-1, -2)) for name, jacobian in found}


def largest_tried(
    w: Weights, names: list[str], radius: float, tries: int = 200, seed: int = 0
) -> dict[str, Tensor]:
    """The largest deviation of each number when every entry of X_input is off by ±radius.

    Args:
        w: the parameters.
        names: the steps.
        radius: the size of each error.
        tries: how many draws of signs.
        seed: of the draws.
    """
    generator = torch.Generator().manual_seed(seed)
    exact = example_steps(dict(w))
    largest = {name: torch.zeros_like(exact[name]) for name in names}
    for _ in range(tries):
        signs = torch.randint(0, 2, w["W_E_X"].shape, generator=generator).double() * 2 - 1
        s: Steps = example_steps({**w, "W_E_X": w["W_E_X"] + radius * signs})
        for name in names:
            largest[name] = torch.maximum(largest[name], (s[name] - exact[name]).abs())
    return largest


def error_rows(radius: float, names: list[str]) -> list[tuple[str, float, float, float]]:
    """For each step the largest error: tried, to first order, and guaranteed.

    Args:
        radius: the largest error of an entry of X_input.
        names: of steps that ``interval_pass`` knows.
    """
    w, exact = example_weights(), example_steps()
    X = around(exact["X_input"], torch.full_like(exact["X_input"], radius))
    certain = interval_pass(w, X)
    estimated, tried = first_order(w, names, radius), largest_tried(w, names, radius)
    rows = []
    for name in names:
        off = torch.maximum(certain[name].high - exact[name], exact[name] - certain[name].low)
        rows.append(
            (name, tried[name].max().item(), estimated[name].max().item(), off.max().item())
        )
    return rows


def _network(place: str, w: Weights, X: Interval, norm: str) -> Interval:
    """The position-wise network with its residual and norm (B12, B13)."""
    before = product(X, _exact(w[f"W_1_{place}"])) + _exact(w[f"b_1_{place}"])
    hidden = Interval(before.low.clamp(min=0), before.high.clamp(min=0))
    out = product(hidden, _exact(w[f"W_2_{place}"])) + _exact(w[f"b_2_{place}"])
    return interval_norm(X + out, w[f"gamma_{norm}"], w[f"beta_{norm}"])


def _exact(X: Tensor) -> Interval:
    """An interval without width."""
    return Interval(X, X)
