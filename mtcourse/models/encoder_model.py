"""The encoder-only model, BERT: the same stack, where every position sees all (chapter 15)."""

from __future__ import annotations

from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.models.transformer import Transformer


class EncoderModel(Transformer):
    """Predicts hidden tokens from both sides: p(x_t | the rest) = softmax(h_t W_E^T).

    There is no shift and no causal mask: row t predicts token t, whose place in the input is taken
    by <mask>.

    Args:
        config: the sizes.
        attention: the attention function of every layer.
        seed: of the initial weights.

    Source: C26 to C29; Devlin et al. (2019), without their second embedding for pairs of texts and
    without the extra layer before the output. Chapter 15.
    """

    def hidden(
        self,
        ids: Int[Tensor, "batch n"],
        mask: Bool[Tensor, "#batch 1 #n n"] | None = None,
    ) -> Float[Tensor, "batch n d_model"]:
        """H: row t has read all tokens of its sequence.

        Args:
            ids: <class> and the tokens, padded with 0.
            mask: True where a token is real, as ``source_mask`` makes it; None where none is
                padding.
        """
        return self.run(self.embed(ids), mask, causal=False)[0][-1]

    def hidden_by_layer(
        self,
        ids: Int[Tensor, "batch n"],
        mask: Bool[Tensor, "#batch 1 #n n"] | None = None,
    ) -> list[Float[Tensor, "batch n d_model"]]:
        """The rows after the embedding and after each block, the last one normalised (chapter 16).

        The arguments are those of ``hidden``.
        """
        return self.run(self.embed(ids), mask, causal=False)[0]

    def forward(
        self,
        ids: Int[Tensor, "batch n"],
        mask: Bool[Tensor, "#batch 1 #n n"] | None = None,
    ) -> Float[Tensor, "batch n V"]:
        """Logits of each position's own token; the arguments are those of ``hidden``."""
        return self.logits(self.hidden(ids, mask))
