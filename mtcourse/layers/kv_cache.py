"""Keys and values that decoding computed before, kept as a value (chapter 14)."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxtyping import Float, Int
from torch import Tensor


class _Filled:
    """How many columns of a shared buffer are written, whichever cache wrote them."""

    def __init__(self, columns: int) -> None:
        self.columns = columns


@dataclass(frozen=True)
class KeyValueCache:
    """The keys and values of one self-attention layer for every position so far.

    ``append`` writes into spare room behind the last column, so a cache of length t costs one copy
    of its new column, not of all t. An older cache stays as it was: appending to it a second time
    copies the buffer first.

    Source: C11. Chapter 14.
    """

    _K: Float[Tensor, "sentences h capacity d_k"]
    _V: Float[Tensor, "sentences h capacity d_k"]
    length: int
    _filled: _Filled = field(compare=False, repr=False)

    @classmethod
    def empty(cls, sentences: int, h: int, d_k: int, capacity: int, like: Tensor) -> KeyValueCache:
        """A cache without any position, with room for ``capacity`` of them."""
        K, V = (like.new_empty(sentences, h, capacity, d_k) for _ in range(2))
        return cls(K, V, 0, _Filled(0))

    @property
    def K(self) -> Float[Tensor, "sentences h length d_k"]:
        """The keys so far."""
        return self._K[:, :, : self.length]

    @property
    def V(self) -> Float[Tensor, "sentences h length d_k"]:
        """The values so far."""
        return self._V[:, :, : self.length]

    def append(
        self,
        K: Float[Tensor, "sentences h added d_k"],
        V: Float[Tensor, "sentences h added d_k"],
    ) -> KeyValueCache:
        """The cache with further positions at its end."""
        end = self.length + K.shape[2]
        cache = self
        if end > self._K.shape[2] or self.length != self._filled.columns:
            cache = self._copied(max(end, 2 * self.length))
        cache._K[:, :, self.length : end] = K
        cache._V[:, :, self.length : end] = V
        cache._filled.columns = end
        return KeyValueCache(cache._K, cache._V, end, cache._filled)

    def reorder(self, rows: Int[Tensor, " rows"]) -> KeyValueCache:
        """The cache whose row i is row ``rows[i]`` of this one, as beams change places or end."""
        capacity = self._K.shape[2]
        K, V = (
            buffer.new_empty(len(rows), buffer.shape[1], capacity, buffer.shape[3])
            for buffer in (self._K, self._V)
        )
        K[:, :, : self.length] = self.K.index_select(0, rows)
        V[:, :, : self.length] = self.V.index_select(0, rows)
        return KeyValueCache(K, V, self.length, _Filled(self.length))

    def _copied(self, capacity: int) -> KeyValueCache:
        """The same positions in a buffer of their own."""
        sentences, h, _, d_k = self._K.shape
        copy = KeyValueCache.empty(sentences, h, d_k, capacity, like=self._K)
        copy._K[:, :, : self.length] = self.K
        copy._V[:, :, : self.length] = self.V
        return copy
