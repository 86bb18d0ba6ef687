"""Matrix products on the CPU by the faster of torch's two libraries (chapter 12).

torch multiplies float32 matrices with MKL, which on an AMD processor uses half the width of its
vectors. oneDNN, which torch brings as well, uses all of it and is more than twice as fast there. On
an Intel processor MKL is the faster one, by 5% to 27%. So the processor's vendor decides, and not a
timing: the same program then gives the same numbers each time it runs on a machine.

The environment variable ``MTCOURSE_PRODUCTS`` decides otherwise: ``onednn``, or ``torch`` for
torch's own. ``torch.backends.mkldnn.flags(enabled=False)`` turns oneDNN off within a program.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from mtcourse.errors import MtcourseError

VARIABLE = "MTCOURSE_PRODUCTS"
LIBRARIES = ("onednn", "torch")
# Vendors on whose processors MKL leaves half of each vector unused.
_SLOWED_BY_MKL = ("AuthenticAMD", "HygonGenuine")
# Below so many multiplications a call of oneDNN costs more than it saves.
_WORTH_IT = 2**19
# What torch.compile calls, too; without it everything goes the plain way.
_AVAILABLE = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def vendor() -> str:
    """The processor's vendor as it names itself, such as ``AuthenticAMD``; else what is known."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()  # on Windows this ends in the vendor's name
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("vendor_id")]
    return named[0] if named else platform.processor()


def faster_library(environment: Mapping[str, str], processor: str) -> str:
    """Which library multiplies large matrices: one of ``LIBRARIES``.

    Args:
        environment: where ``MTCOURSE_PRODUCTS`` may name one.
        processor: a text with the vendor in it, as ``vendor`` gives it.

    Raises:
        MtcourseError: the variable names something else.
    """
    chosen = environment.get(VARIABLE, "")
    if chosen and chosen not in LIBRARIES:
        raise MtcourseError(
            f"{VARIABLE} is {chosen!r}; set it to {' or '.join(LIBRARIES)}, or unset it to let the "
            "processor decide"
        )
    slowed = any(name in processor for name in _SLOWED_BY_MKL)
    return chosen or ("onednn" if slowed else "torch")


LIBRARY = faster_library(os.environ, vendor())
"""Which one multiplies in this program.

:meta hide-value:
"""


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
    """``torch.nn.Linear``, but its product is computed by this module's ``linear``."""

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
        LIBRARY == "onednn"
        and x.numel() * W.shape[0] >= _WORTH_IT
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
