"""Where a token stands: sinusoidal position encodings (chapter 03)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def sinusoidal_positions(
    length: int, d_model: int, device: torch.device | str | None = None
) -> Float[Tensor, "length d_model"]:
    """One row for each position, sines in the even columns and cosines in the odd ones.

    PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i+1) = cos(pos / 10000^(2i / d_model)).

    Args:
        length: number of positions, from 0.
        d_model: width of a row; an odd width ends with a sine.
        device: where the table is made.

    Source: B02; Vaswani et al. (2017), section 3.5. Chapter 03.
    """
    # Double precision until the end: float32 loses digits of sin at large arguments.
    position = torch.arange(length, dtype=torch.float64)[:, None]
    even = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = position / 10_000 ** (even / d_model)
    table = torch.empty(length, d_model, dtype=torch.float64)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()[:, : d_model // 2]
    return table.to(torch.get_default_dtype()).to(device)
