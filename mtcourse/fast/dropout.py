"""Dropout that is cheap on a CPU (Srivastava et al., 2014; chapters 10 and 12)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from mtcourse.errors import MtcourseError


def random_keep_mask(shape: torch.Size, dropped: int) -> Bool[Tensor, "..."]:
    """True with probability 1 - dropped/256, from random bytes: one 64-bit draw for 8 elements.

    Drawing a float for each element costs a quarter of a training step on a CPU.
    """
    count = shape.numel()
    draws = torch.empty((count + 7) // 8, dtype=torch.int64).random_(-(2**63), None)
    return (draws.view(torch.uint8)[:count] >= dropped).view(shape)


class _DropMasked(torch.autograd.Function):
    """x * keep * scale, which keeps one byte an element for the way back, not four."""

    @staticmethod
    def forward(ctx, x: Tensor, keep: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(keep)
        ctx.scale = scale
        return torch.ops.aten.native_dropout_backward(x, keep, scale)

    @staticmethod
    def backward(ctx, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (keep,) = ctx.saved_tensors
        return torch.ops.aten.native_dropout_backward(gradients[0], keep, ctx.scale), None, None


class Dropout(nn.Module):
    """Zeroes a share p of the elements in training and scales the rest by 1 / (1 - p).

    On the CPU p is rounded to a multiple of 1/256 and the mask comes from random bytes; elsewhere
    torch's own dropout is used. Both draw from torch's default generator of the device.

    Args:
        p: the share of elements that is zeroed, in [0, 1).
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        if not 0 <= p < 1:
            raise MtcourseError(f"dropout must be in [0, 1), not {p}")
        self.p = p
        self.dropped = min(round(p * 256), 255)

    def forward(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        if not self.training or self.p == 0:
            return x
        if x.device.type != "cpu":
            return F.dropout(x, self.p)
        keep = random_keep_mask(x.shape, self.dropped)
        return _DropMasked.apply(x, keep, 256 / (256 - self.dropped))

    def extra_repr(self) -> str:
        return f"p={self.p}"
