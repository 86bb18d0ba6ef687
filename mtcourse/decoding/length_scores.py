"""Length normalisation in its three usual forms (C17; chapter 18).

All three turn log p(y | x), which falls with every token, into a score that may be compared between
sentences of different lengths. Each has a neutral value, which leaves log p as it is, and a
direction in which longer sentences gain.
"""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.decoding.search import normalised_score


def power_score(
    log_probability: Float[Tensor, "*shape"], length: Int[Tensor, "*shape"], exponent: float
) -> Float[Tensor, "*shape"]:
    """log p / length^exponent: neutral at 0, the mean per token at 1; larger favours longer ones.

    Args:
        log_probability: log p of each hypothesis, of any shape.
        length: its tokens, <eos> included, of any shape.
        exponent: Hugging Face and fairseq call it the length penalty.

    Source: C17; ``transformers`` and ``fairseq``. Chapter 18.
    """
    return normalised_score(log_probability, length, exponent)


def gnmt_score(
    log_probability: Float[Tensor, "*shape"], length: Int[Tensor, "*shape"], alpha: float
) -> Float[Tensor, "*shape"]:
    """log p / ((5 + length) / 6)^alpha: neutral at 0; larger favours longer ones, gently.

    Args:
        log_probability: log p of each hypothesis, of any shape.
        length: its tokens, <eos> included, of any shape.
        alpha: 0.6 to 0.7 in the paper.

    Source: C17; Wu et al. (2016), equation 14, without their coverage penalty. Chapter 18.
    """
    return log_probability / ((5 + length) / 6) ** alpha


def rewarded_score(
    log_probability: Float[Tensor, "*shape"], length: Int[Tensor, "*shape"], reward: float
) -> Float[Tensor, "*shape"]:
    """``log p + reward |y|``: neutral at 0; larger favours longer ones.

    Args:
        log_probability: log p of each hypothesis, of any shape.
        length: its tokens, <eos> included, of any shape.
        reward: in nats for each token.

    Source: C17; Murray and Chiang (2018). Chapter 18.
    """
    return log_probability + reward * length
