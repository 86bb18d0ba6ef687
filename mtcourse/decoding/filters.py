"""Filters: functions that change the logits before a token is drawn (chapter 19).

Each takes the logits of the next token and returns logits of the same shape. A token that may not
be drawn gets a logit of minus infinity, and the softmax that follows makes the probabilities of the
others sum to 1. ``in_order`` makes one filter of several.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from mtcourse.errors import MtcourseError

Filter = Callable[[Tensor], Tensor]
"""From the logits of the next token to changed logits, such as ``partial(top_p, p=0.9)``."""


def temperature(logits: Float[Tensor, "*batch V"], T: float | int) -> Float[Tensor, "*batch V"]:
    """Divides the logits by T, so that the softmax becomes exp(a_i / T) / sum_j exp(a_j / T) (C23).

    The largest logit is first subtracted from all, which changes no probability and allows any
    small T. Both limits are included (C24). At T = 0 only the largest logit is left, and if several
    are equally large, they share the probability. At T = infinity all tokens that may be drawn are
    equally probable.

    Args:
        logits: those of the next token, a in the equation, (..., V).
        T: the temperature, from 0 to infinity.

    Raises:
        MtcourseError: T is negative or not a number.

    Source: C23, C24. Chapter 19.
    """
    if not T >= 0:
        raise MtcourseError(f"the temperature must be 0 or more, but is {T}: take 1 for no change")
    below = logits - logits.amax(-1, keepdim=True)
    if T == 0:
        return below.masked_fill(below < 0, -math.inf)
    if math.isinf(T):
        return below.masked_fill(below > -math.inf, 0.0)
    return below / T


def top_k(logits: Float[Tensor, "*batch V"], k: int) -> Float[Tensor, "*batch V"]:
    """Keeps the k largest logits, so that only the k most probable tokens can be drawn (C21).

    Args:
        logits: those of the next token, a in the equation, (..., V).
        k: how many tokens stay, at least 1; among equal logits, those with the lower ids stay.

    Raises:
        MtcourseError: k is less than 1.

    Source: C21; Fan et al. (2018). Chapter 19.
    """
    if k < 1:
        raise MtcourseError(f"top-k keeps at least one token, but k is {k}")
    order = logits.sort(dim=-1, descending=True, stable=True).indices
    rank = torch.arange(logits.shape[-1], device=logits.device).expand_as(order)
    return _kept(logits, order, rank < k)


def top_p(logits: Float[Tensor, "*batch V"], p: float | int) -> Float[Tensor, "*batch V"]:
    """Keeps the nucleus: the fewest most probable tokens with at least p in total (C22).

    The token that takes the sum to p or beyond belongs to the nucleus, so at least one token always
    stays.

    Args:
        logits: those of the next token, a in the equation, (..., V).
        p: the probability that the nucleus must reach, above 0 and at most 1; 1 keeps all tokens.

    Raises:
        MtcourseError: p is not in this range.

    Source: C22; Holtzman et al. (2020). Chapter 19.
    """
    if not 0 < p <= 1:
        raise MtcourseError(f"p must be above 0 and at most 1, but is {p}: 1 keeps all tokens")
    if p == 1:  # a sum of many small probabilities may be rounded to 1 before the last of them
        return logits
    order = logits.sort(dim=-1, descending=True, stable=True).indices
    shares = logits.double().softmax(-1).gather(-1, order)
    before = shares.cumsum(-1) - shares
    before[..., 0] = 0
    return _kept(logits, order, before < p)


def min_p(logits: Float[Tensor, "*batch V"], p: float | int) -> Float[Tensor, "*batch V"]:
    """Keeps the tokens with at least p times the probability of the most probable one.

    y_i >= p max_j y_j is the same as a_i >= max_j a_j + log p, so no softmax is needed.

    Args:
        logits: those of the next token, a in the equation, (..., V).
        p: the share of the largest probability that a token must reach, from 0 to 1.

    Raises:
        MtcourseError: p is not in this range.

    Source: Nguyen et al. (2025). Chapter 19.
    """
    if not 0 <= p <= 1:
        raise MtcourseError(f"min-p must be from 0 to 1, but is {p}: 0 keeps all tokens")
    if p == 0:
        return logits
    lowest = logits.amax(-1, keepdim=True) + math.log(p)
    return logits.masked_fill(logits < lowest, -math.inf)


def in_order(*filters: Filter) -> Filter:
    """One filter that applies several, from the first to the last.

    The order matters. A temperature changes probabilities but not their ranks. So ``top_k`` keeps
    the same tokens before and after it, but ``top_p`` and ``min_p`` need not (chapter 19).

    Args:
        filters: such as ``partial(temperature, T=0.7)``; without any, the logits stay as they are.
    """
    return lambda logits: reduce(lambda changed, one: one(changed), filters, logits)


def _kept(
    logits: Float[Tensor, "*batch V"],
    order: Tensor,
    stays: Bool[Tensor, "*batch V"],
) -> Float[Tensor, "*batch V"]:
    """The logits, minus infinity where a token goes; ``stays`` lists the tokens in ``order``."""
    of_token = torch.zeros_like(stays).scatter(-1, order, stays)
    return logits.masked_fill(~of_token, -math.inf)
