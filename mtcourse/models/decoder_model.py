"""The decoder-only model, GPT: a stack of blocks under a causal mask (chapters 13 and 14)."""

from __future__ import annotations

from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.models.transformer import Transformer


class DecoderModel(Transformer):
    """Predicts each token from those before it: p(x_t | x_<t) = softmax(h_t W_E^T).

    The inputs are shifted right: the row at which <bos>, x_1, ..., x_{t-1} end predicts x_t. The
    blocks are those of the translator's encoder; the causal mask is the only difference.

    Args:
        config: the sizes.
        attention: the attention function of every layer.
        seed: of the initial weights.

    Source: C02, C03, C33; Radford et al. (2018). Chapter 13.
    """

    def hidden(
        self,
        ids: Int[Tensor, "batch n"],
        mask: Bool[Tensor, "#batch 1 n n"] | None = None,
    ) -> Float[Tensor, "batch n d_model"]:
        """H: row t has read the tokens up to t.

        Args:
            ids: <bos> and the tokens; padding only at the ends, where no real token sees it.
            mask: True where a position may attend to another, as ``document_mask`` and
                ``prefix_mask`` make them; None is the causal mask.
        """
        return self.run(self.embed(ids), mask, causal=mask is None)[0][-1]

    def forward(
        self,
        ids: Int[Tensor, "batch n"],
        mask: Bool[Tensor, "#batch 1 n n"] | None = None,
    ) -> Float[Tensor, "batch n V"]:
        """Logits of the token after each position; the arguments are those of ``hidden``."""
        return self.logits(self.hidden(ids, mask))

    def extend(
        self,
        ids: Int[Tensor, "batch m"],
        caches: tuple[KeyValueCache, ...],
        position: int,
        mask: Bool[Tensor, "#batch 1 m t"] | None = None,
    ) -> tuple[Float[Tensor, "batch m d_model"], tuple[KeyValueCache, ...]]:
        """H of the next m positions, with the caches that then hold them too (C11; chapter 14).

        Args:
            ids: the next tokens of each sequence.
            caches: one for each block, with all positions before.
            position: how many there are.
            mask: True where a new position may attend to one of all t; None is the causal mask.
        """
        rows, grown = self.run(self.embed(ids, position), mask, mask is None, caches)
        return rows[-1], grown
