"""What generation costs: multiplications and bytes, by formula and counted (chapter 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from jaxtyping import Bool
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.layers.masks import causal_mask
from mtcourse.models.encoder_decoder import use_attention
from mtcourse.models.transformer import TransformerConfig


def step_products(sizes: TransformerConfig, t: int, cached: bool) -> int:
    """Multiplications of the step that computes position t of a decoder-only model.

    With a cache L (4 d^2 + 2 d d_ff + 2 t d) + d V, and without one
    L (t (4 d^2 + 2 d d_ff) + 2 t^2 d) + d V: all t rows of each block are computed, and the last of
    them alone goes through the output layer. A mask saves no product. Source: C11. Chapter 14.

    Args:
        sizes: L, d_model, d_ff and V of the model.
        t: how many positions there are after the step.
        cached: whether keys and values of the t - 1 before are at hand.
    """
    d, rows = sizes.d_model, 1 if cached else t
    block = rows * (4 * d**2 + 2 * d * sizes.d_ff) + 2 * rows * t * d
    return sizes.layers * block + d * sizes.V


def generation_products(sizes: TransformerConfig, T: int, cached: bool) -> int:
    """Multiplications of T steps from the first position on: the sum of ``step_products``.

    With a cache the blocks grow with T and attention with T^2; without one with T^2 and T^3.
    Chapter 14.
    """
    return sum(step_products(sizes, t, cached) for t in range(1, T + 1))


def cache_bytes(L: int, h: int, d_k: int, T: int, B: int, size: int) -> int:
    """2 L h d_k T B size: keys and values of every layer, position and sequence (C11; chapter 14).

    Args:
        L: layers with a cache.
        h: heads with keys and values of their own; the number of groups if heads share them.
        d_k: width of a head.
        T: positions.
        B: sequences, which is sentences times beams.
        size: bytes of one number: 4 for float32, 2 for bfloat16.
    """
    return 2 * L * h * d_k * T * B * size


def measured_bytes(tensors: Iterable[Tensor]) -> int:
    """element_size * numel, summed: what tensors of their own occupy (chapter 14).

    Python's ``tracemalloc`` does not see them: PyTorch allocates outside Python's memory.
    """
    return sum(tensor.element_size() * tensor.numel() for tensor in tensors)


def buffers(caches: Iterable[KeyValueCache]) -> list[Tensor]:
    """The whole buffers of some caches, spare room included."""
    return [part for cache in caches for part in (cache._K, cache._V)]


def counted_products(run: Callable[[], object], *models: nn.Module) -> int:
    """The multiplications of matrix products in ``run``, as PyTorch's own counter sees them.

    The counter does not know the fused attention of every processor, so the models use the readable
    one meanwhile. Chapter 14.

    Args:
        run: what is counted.
        models: those that it calls, in float64, which goes through no other library.
    """
    before = [[(part, part.attention) for part in attentions(model)] for model in models]
    for model in models:
        use_attention(model, scaled_dot_product_attention)
    try:
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            run()
    finally:
        for part, attention in (pair for of_model in before for pair in of_model):
            part.attention = attention
    return counter.get_total_flops() // 2  # a multiplication and an addition are two operations


def attentions(model: nn.Module) -> list[nn.Module]:
    """The parts of a model with an attention function."""
    return [part for part in model.modules() if hasattr(part, "attention")]


def dependence(m: int, d_k: int = 4) -> dict[str, Bool[Tensor, "m m"]]:
    """Which rows of Q, K and V the output of causal attention depends on, exactly (C11).

    Entry (i, j) is True where the gradient of output i with respect to row j is not 0. A query is
    used by its own row alone, keys and values by all later rows. Chapter 14.

    Args:
        m: positions.
        d_k: width of a head.
    """
    generator = torch.Generator().manual_seed(14)
    parts = dict(zip("QKV", torch.randn(3, m, d_k, generator=generator).double(), strict=True))
    mask = causal_mask(m)

    def attend(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        return scaled_dot_product_attention(Q, K, V, mask)[0]

    jacobians = torch.autograd.functional.jacobian(attend, tuple(parts.values()))
    return {
        name: J.abs().amax((1, 3)) > 0  # (i, column of the output, j, column of the input)
        for name, J in zip(parts, jacobians, strict=True)
    }


def columns_moved(T: int, capacity: int) -> int:
    """How many columns T appends to a ``KeyValueCache`` copy because its room is spent.

    Counted by watching the buffer's place in memory; capacity T moves none. Chapter 14.

    Args:
        T: columns that are appended, one by one.
        capacity: the room that is made at first.
    """
    cache = KeyValueCache.empty(1, 1, 1, capacity, like=torch.zeros(()))
    column, moved = torch.zeros(1, 1, 1, 1), 0
    for length in range(T):
        grown = cache.append(column, column)
        moved += length * (grown._K.data_ptr() != cache._K.data_ptr())
        cache = grown
    return moved
