"""What attention computed while a model ran, from queries to weights (chapters 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.layers.multi_head import CrossAttention, SelfAttention


@dataclass(frozen=True)
class RecordedAttention:
    """One call of an attention function.

    Args:
        Q: the queries.
        K: the keys.
        V: the values.
        weights: what each query gave to each key; a row sums to 1, or is all zeros.
    """

    Q: Float[Tensor, "batch h m d_k"]
    K: Float[Tensor, "batch h n d_k"]
    V: Float[Tensor, "batch h n d_k"]
    weights: Float[Tensor, "batch h m n"]

    @property
    def products(self) -> Float[Tensor, "batch h m n"]:
        """Q K^T, neither divided nor masked (A07, D01)."""
        return self.Q @ self.K.transpose(-2, -1)

    @property
    def A(self) -> Float[Tensor, "batch h m d_k"]:
        """What each head gives: the weighted means of the values."""
        return self.weights @ self.V


@dataclass(frozen=True)
class AttentionProducts:
    """Q K^T of every layer and head for one sentence and its translation (A07, A14, A16).

    Args:
        source_pieces: the source's subwords, <eos> last.
        decoder_pieces: what the decoder reads: <bos>, then the translation's subwords.
        target_pieces: what it writes there: the translation's subwords, <eos> last.
        d_k: width of a query.
        encoder: the source's pieces ask each other.
        decoder: the decoder's pieces ask each other; the model masks the later ones.
        cross: the decoder's pieces ask the source's.
    """

    source_pieces: tuple[str, ...]
    decoder_pieces: tuple[str, ...]
    target_pieces: tuple[str, ...]
    d_k: int
    encoder: Float[Tensor, "layers h n n"]
    decoder: Float[Tensor, "layers h m m"]
    cross: Float[Tensor, "layers h m n"]


@contextmanager
def recorded_attention(
    layers: Iterable[SelfAttention | CrossAttention],
) -> Iterator[list[RecordedAttention]]:
    """Within a ``with`` block, attention layers record what they compute, in the order of calls.

    They compute with the readable attention meanwhile, and afterwards with their own again.
    """
    records: list[RecordedAttention] = []

    def recording(
        Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None, causal: bool = False
    ) -> tuple[Tensor, Tensor]:
        output, weights = scaled_dot_product_attention(Q, K, V, mask, causal)
        records.append(RecordedAttention(Q, K, V, weights))
        return output, weights

    before = [(layer, layer.attention) for layer in layers]
    try:
        for layer, _ in before:
            layer.attention = recording
        yield records
    finally:
        for layer, attention in before:
            layer.attention = attention
