"""What document B prints, and which of it any weights could produce (chapter 11).

Every printed number is rounded, so it stands for an interval: 2.3 for 2.25 to 2.35. A table is
possible if some numbers within these intervals come from some weights.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

PE = (
    (0.00, 1.00, 0.00, 1.00),
    (0.84, 0.54, 0.01, 1.00),
    (0.91, -0.42, 0.02, 1.00),
    (0.14, -0.99, 0.03, 1.00),
    (-0.76, -0.65, 0.04, 1.00),
    (-0.96, 0.28, 0.05, 1.00),
    (-0.28, 0.96, 0.06, 1.00),
    (0.66, 0.75, 0.07, 0.99),
)
"""The positional encodings as printed, to two decimals (B03)."""

X_INPUT = (
    (0.20, 1.50, -0.30, 1.80),
    (0.94, 0.14, 0.61, 1.30),
    (0.41, -0.22, 0.42, 0.90),
    (0.44, -0.29, -0.17, 1.50),
    (-0.36, -0.95, 0.14, 1.60),
    (-1.16, 0.78, 0.35, 0.60),
    (0.32, 1.06, -0.44, 1.20),
    (0.66, 0.75, 0.07, 0.99),
)
"""The encoder's input as printed (B04)."""

SCORES = ((2.3, 0.8, 1.2, 1.5), (0.8, 2.1, 0.9, 1.3), (1.2, 0.9, 2.5, 1.1), (1.5, 1.3, 1.1, 2.2))
"""The first 4 by 4 block of the scores as printed, to one decimal (B08, B09)."""

WEIGHTS = ((0.35, 0.08, 0.12, 0.15), (0.10, 0.31, 0.11, 0.16), (0.13, 0.09, 0.41, 0.12))
"""The first four columns of three rows of the attention as printed, to two decimals (B09)."""

PROBABILITIES = (0.92, 0.87, 0.91, 0.84, 0.89, 0.95)
"""The probability of each token that is written (B19)."""

HALF_SCORE, HALF_WEIGHT = 0.05, 0.005
"""Half a unit of the last printed decimal."""


def distance_to_rank(S: Float[Tensor, "n k"], rank: int) -> float:
    """The spectral norm of the least change that gives a matrix this rank: sigma_(rank+1).

    Args:
        S: a matrix.
        rank: the rank that it should have; a head of width d_k has scores of rank at most d_k.

    Source: Eckart and Young (1936), and Mirsky (1960) for this norm. Chapters 9 and 11.
    """
    return torch.linalg.svdvals(S)[rank].item()


def rounding_norm(rows: int, columns: int, half: float) -> float:
    """The largest spectral norm that a matrix of rounding errors can have: half sqrt(n k).

    Args:
        rows: n.
        columns: k.
        half: half a unit of the last printed decimal.
    """
    return half * math.sqrt(rows * columns)


def weights_that_give(
    X: Float[Tensor, "n d"], corner: Float[Tensor, "d d"]
) -> Float[Tensor, "d d"]:
    """The only M with X_d M X_d^T = corner, where X_d are the first d rows of X.

    For one head of the full width, M = W_Q W_K^T / sqrt(d_k).

    Args:
        X: the rows that queries and keys are made from; the first d are independent.
        corner: the scores of the first d queries and keys.

    Source: B08 solved for the weights. Chapter 11.
    """
    inverse = torch.linalg.inv(X[: len(corner)])
    return inverse @ corner @ inverse.T


def implied_scores(
    X: Float[Tensor, "n d"], corner: Float[Tensor, "d d"], half: float = 0.0
) -> tuple[Float[Tensor, "d n"], Float[Tensor, "d n"]]:
    """The first d rows of scores that have this corner: from, to.

    Row j of X is a combination C_j of the first d rows, so column j of the scores is the same
    combination of the corner's columns, whatever W_Q and W_K are: S = corner C^T. An error of at
    most ``half`` in the corner becomes one of at most half sum_k abs(C_jk).

    Args:
        X: the rows that queries and keys are made from.
        corner: the scores of the first d queries and keys.
        half: half a unit of the corner's last decimal.

    Source: B08 with B04. Chapter 11.
    """
    C = X @ torch.linalg.inv(X[: len(corner)])
    centre, radius = corner @ C.T, half * C.abs().sum(-1)
    return centre - radius, centre + radius


def weight_bounds(
    low: Float[Tensor, "m n"], high: Float[Tensor, "m n"]
) -> tuple[Float[Tensor, "m n"], Float[Tensor, "m n"]]:
    """What the softmax of scores between low and high can be, entry by entry.

    A weight is largest where its own score is as large and all others are as small as they can be.

    Args:
        low: the lower ends.
        high: the upper ends.

    Source: B09 on intervals. Chapter 11.
    """

    def at_ends(own: Tensor, other: Tensor) -> Tensor:
        others = other[..., None, :] - own[..., :, None]
        others = others.masked_fill(torch.eye(own.shape[-1], dtype=torch.bool), 0.0)
        return 1 / others.exp().sum(-1)

    return at_ends(low, high), at_ends(high, low)
