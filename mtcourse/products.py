"""Matrix products on the CPU by the faster of torch's two libraries (chapter 12).

torch multiplies float32 matrices with MKL, which on an AMD processor uses half the width of its
vectors. oneDNN, which torch brings as well, uses all of it: there it is more than twice as fast.
``torch.backends.mkldnn.flags(enabled=False)`` turns it off, and the plain twin is left.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

# Below so many multiplications a call of oneDNN costs more than it saves.
_WORTH_IT = 2**19
# What torch.compile calls, too; without it everything goes the plain way.
_AVAILABLE = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def linear(
    x: Float[Tensor, "*rows k"], W: Float[Tensor, "n k"], b: Float[Tensor, " n"] | None = None
) -> Float[Tensor, "*rows n"]:
    """x W^T + b, as ``torch.nn.functional.linear`` computes it, up to rounding.

    Args:
        x: rows.
        W: a matrix as ``nn.Linear`` stores it; any strides, so ``W.T`` costs nothing.
        b: what is added to each row.
    """
    if not _suits_onednn(x, W):
        return F.linear(x, W, b)
    if not torch.is_grad_enabled():
        return _onednn(x, W, b)
    return _OneDnnLinear.apply(x.flatten(0, -2), W, b).unflatten(0, x.shape[:-1])


class Linear(nn.Linear):
    """``nn.Linear`` through ``linear``."""

    def forward(self, input: Float[Tensor, "*rows k"]) -> Float[Tensor, "*rows n"]:
        return linear(input, self.weight, self.bias)


def store_by_columns(module: nn.Module) -> None:
    """Lays out every ``Linear`` weight W so that x W^T of a single row x reads memory in order.

    Values and shapes stay; only strides change. Decoding one sentence is mostly such reading: by
    columns it takes half the time (chapter 14).
    """
    for part in module.modules():
        if isinstance(part, Linear):
            part.weight.data = part.weight.data.T.contiguous().T


def _suits_onednn(x: Tensor, W: Tensor) -> bool:
    """Whether this is a large product of float32 matrices on the CPU, and nobody wants other."""
    return (
        x.numel() * W.shape[0] >= _WORTH_IT
        and _AVAILABLE
        and x.dtype == W.dtype == torch.float32
        and x.device.type == "cpu"
        and torch.backends.mkldnn.enabled
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
    )


def _onednn(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """x W^T + b, unconditionally."""
    return torch.ops.mkldnn._linear_pointwise(x, W, b, "none", [], "")


class _OneDnnLinear(torch.autograd.Function):
    """The same product with its gradients; it has no second derivatives."""

    @staticmethod
    def forward(ctx, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, W)
        return _onednn(x, W, b)

    @staticmethod
    @once_differentiable
    def backward(ctx, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, W = ctx.saved_tensors
        (dy,) = gradients
        need_dx, need_dW, need_db = ctx.needs_input_grad
        return (
            _onednn(dy, W.T) if need_dx else None,
            transposed_product(dy, x) if need_dW else None,
            dy.sum(0) if need_db else None,
        )


def transposed_product(
    A: Float[Tensor, "rows n"], B: Float[Tensor, "rows k"]
) -> Float[Tensor, "n k"]:
    """A^T B: the gradient of a weight from those of its outputs and from its inputs."""
    # The first operand is copied to be contiguous: let it be the narrower.
    if A.shape[1] < B.shape[1]:
        return linear(A.T, B.T)
    return linear(B.T, A.T).T
