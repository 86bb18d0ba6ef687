"""Where a token stands: sinusoidal positional encodings and their geometry (chapter 3)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

BASE = 10_000.0


def angular_speeds(d_model: int, base: float = BASE) -> Float[Tensor, " pairs"]:
    """How far each pair of columns turns from one position to the next, in radians.

    omega_i = base^(-2i / d_model), the angular frequencies: they fall from 1, each smaller than the
    one before by the same factor.

    Args:
        d_model: width of a row; an odd width ends with half a pair, which has a speed too.
        base: the last pair is almost this many times slower than the first.

    Source: the arguments of B02 are pos omega_i. Chapter 3.
    """
    even = torch.arange(0, d_model, 2, dtype=torch.float64)
    return base ** (-even / d_model)


def sinusoidal_positions(
    length: int, d_model: int, device: torch.device | str | None = None
) -> Float[Tensor, "length d_model"]:
    """One row for each position, sines in the even columns and cosines in the odd ones.

    PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i+1) = cos(pos / 10000^(2i / d_model)).

    Args:
        length: number of positions, from 0.
        d_model: width of a row; an odd width ends with a sine.
        device: where the table is made.

    Source: B02, B03; Vaswani et al. (2017), section 3.5. Chapter 3.
    """
    # Double precision until the end: float32 loses digits of sin at large arguments.
    position = torch.arange(length, dtype=torch.float64)[:, None]
    angle = position * angular_speeds(d_model)
    table = torch.empty(length, d_model, dtype=torch.float64)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()[:, : d_model // 2]
    return table.to(torch.get_default_dtype()).to(device)


def add_positions(
    H: Float[Tensor, "*batch n d_model"], P: Float[Tensor, "n d_model"], scale: float = 1.0
) -> Float[Tensor, "*batch n d_model"]:
    """scale H + P: the embedding of each token plus the positional encoding of its position.

    Args:
        H: embeddings, a row for each token.
        P: a row for each position, the same for every sentence of a batch.
        scale: 1 in the documents; the paper of 2017 takes sqrt(d_model).

    Source: A05, B04, B05; Vaswani et al. (2017), section 3.4. Chapter 3.
    """
    return scale * H + P


def shift_rotation(
    k: int | float, d_model: int, base: float = BASE
) -> Float[Tensor, "d_model d_model"]:
    """R_k with PE(pos + k) = PE(pos) R_k for every pos: each pair of columns turns by k omega_i.

    The blocks on its diagonal are [[cos, -sin], [sin, cos]] of k omega_i. R_k is orthogonal,
    R_k R_l = R_(k+l), and R_(-k) = R_k^T.

    Args:
        k: by how many positions to move; a negative k moves back.
        d_model: width of a row, an even one.
        base: as for ``angular_speeds``.

    Source: follows from B02; stated in Vaswani et al. (2017), section 3.5. Chapter 3.
    """
    angle = k * angular_speeds(d_model, base)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)
    return torch.block_diag(*blocks).to(torch.get_default_dtype())


def position_similarity(
    distance: Float[Tensor, "*shape"], d_model: int, base: float = BASE
) -> Float[Tensor, "*shape"]:
    """PE(pos) · PE(pos + distance) = Σ_i cos(distance omega_i), whatever pos is.

    Args:
        distance: how far two positions are apart; the sign makes no difference.
        d_model: width of a row, an even one.
        base: as for ``angular_speeds``.

    Source: follows from B02. Chapter 3.
    """
    angle = distance.double()[..., None] * angular_speeds(d_model, base)
    return angle.cos().sum(-1).to(torch.get_default_dtype())
