"""Calibration: is a model right as often as its probabilities say? (chapter 19)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError


def reliability(
    confidence: Float[Tensor, " n"], right: Bool[Tensor, " n"], bins: int = 10
) -> list[tuple[int, float, float]]:
    """For each bin of confidence: how many predictions, their mean confidence, the share right.

    Bin b holds confidences above (b - 1) / bins and up to b / bins. An empty bin has three zeros.

    Args:
        confidence: the probability of the most probable token, above 0 and at most 1.
        right: whether this token is the right one.
        bins: how many, of equal width.

    Source: Guo et al. (2017), section 2. Chapter 19.
    """
    number = (confidence.double() * bins).ceil().long().clamp(1, bins) - 1
    found = []
    for b in range(bins):
        inside = number == b
        n = int(inside.sum())
        mean = float(confidence[inside].double().mean()) if n else 0.0
        found.append((n, mean, float(right[inside].double().mean()) if n else 0.0))
    return found


def expected_calibration_error(
    confidence: Float[Tensor, " n"], right: Bool[Tensor, " n"], bins: int = 10
) -> float:
    """The sum over bins of ``n_b / n |mean confidence - share right|``, from 0 to 1.

    Args:
        confidence: the probability of the most probable token.
        right: whether this token is the right one.
        bins: how many, of equal width.

    Raises:
        MtcourseError: there is no prediction.

    Source: Guo et al. (2017), section 2. Chapter 19.
    """
    if not len(confidence):
        raise MtcourseError("there is no prediction whose calibration could be measured")
    of_bins = reliability(confidence, right, bins)
    return sum(n * abs(mean - share) for n, mean, share in of_bins) / len(confidence)


def best_temperature(logits: Float[Tensor, "n V"], labels: Int[Tensor, " n"]) -> float:
    """The T for which softmax(logits / T) gives the labels the lowest cross-entropy.

    Tries 0.30, 0.31, ... 3.00.

    Args:
        logits: a, one row for each prediction, (n, V).
        labels: the right tokens.

    Source: temperature scaling, Guo et al. (2017), section 4.2. Chapter 19.
    """
    candidates = torch.arange(0.3, 3.005, 0.01).tolist()
    losses = [float(torch.nn.functional.cross_entropy(logits / T, labels)) for T in candidates]
    return candidates[losses.index(min(losses))]
