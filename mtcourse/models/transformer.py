"""What decoder-only and encoder-only models share: every part of them (chapters 13 and 15)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mtcourse.fast.linear import linear
from mtcourse.layers.attention import Attention, fused_attention
from mtcourse.layers.blocks import EncoderBlock
from mtcourse.layers.embeddings import Embedding
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.models.initial_weights import draw_weights
from mtcourse.models.sizes import check_keys, check_sizes


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of a model with one stack of blocks; checks itself.

    Args:
        V: vocabulary size.
        d_model: width of a token's row.
        h: attention heads in each layer.
        d_ff: width inside the position-wise network.
        layers: blocks.
        dropout: share zeroed in training.
        norm: "pre" or "post": where layer normalisation stands.
        max_length: longest sequence in tokens, special ones included.
    """

    V: int
    d_model: int = 128
    h: int = 4
    d_ff: int = 512
    layers: int = 4
    dropout: float = 0.1
    norm: str = "pre"
    max_length: int = 128

    def __post_init__(self) -> None:
        check_sizes(self)

    def to_dict(self) -> dict[str, Any]:
        """The sizes as JSON can hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TransformerConfig:
        """The inverse of ``to_dict``; a key that is unknown or missing is named."""
        check_keys(cls, values, {"V"})
        return cls(**values)


class Transformer(nn.Module):
    """One stack of blocks between an embedding table and the same table transposed.

    H = Norm(Block_L(... Block_1(sqrt(d_model) X^T W_E + P))), logits = H W_E^T.

    Pre-norm models normalise after the last block, post-norm models before the first one: either
    way every block adds to rows of which a normalised form exists (Devlin et al., 2019, normalise
    the embeddings). Which positions a position may see is not decided here: a subclass passes the
    mask.

    Args:
        config: the sizes.
        attention: the attention function of every layer: fused, readable, or a learner's own.
        seed: of the initial weights.

    Chapters 13 and 15.
    """

    def __init__(
        self,
        config: TransformerConfig,
        attention: Attention = fused_attention,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.config = config
        d_model = config.d_model
        table = nn.Parameter(torch.empty(config.V, d_model))
        self.embedding = Embedding(table, config.max_length, config.dropout)
        self.output_weight = table
        sizes = (d_model, config.h, config.d_ff, config.dropout, config.norm, attention)
        with torch.random.fork_rng(devices=[]):  # nn.Linear draws weights; they are drawn below
            blocks = nn.ModuleList(EncoderBlock(*sizes) for _ in range(config.layers))
        # A ModuleList forgets what kind of modules it holds.
        self.blocks = cast("list[EncoderBlock]", blocks)
        pre = config.norm == "pre"
        self.embedding_norm = nn.Identity() if pre else nn.LayerNorm(d_model)
        self.final_norm = nn.LayerNorm(d_model) if pre else nn.Identity()
        self.reset_parameters(torch.Generator().manual_seed(seed))

    def reset_parameters(self, generator: torch.Generator) -> None:
        """Draws every weight anew, as ``draw_weights`` says."""
        draw_weights(self, generator)

    def embed(
        self, ids: Int[Tensor, "*batch n"], position: int = 0
    ) -> Float[Tensor, "*batch n d_model"]:
        """The rows that the first block reads; the first token stands at ``position``."""
        return self.embedding_norm(self.embedding(ids, position))

    def run(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "#batch 1 #n t"] | None,
        causal: bool,
        caches: tuple[KeyValueCache, ...] | None = None,
    ) -> tuple[list[Float[Tensor, "batch n d_model"]], tuple[KeyValueCache, ...]]:
        """The embedded rows, then the rows after each block, and the caches if there are any.

        The last of them are what the output layer multiplies: they have passed the final norm.

        Args:
            x: the embedded tokens.
            mask: True where a position may attend to another; None allows all.
            causal: additionally hides later positions.
            caches: one for each block, with the positions before; None keeps none.
        """
        rows, grown = [x], []
        for index, block in enumerate(self.blocks):
            x, cache = block.attend(x, mask, causal, caches[index] if caches else None)
            rows.append(x)
            grown.append(cache)
        rows[-1] = self.final_norm(x)
        return rows, tuple(grown) if caches else ()

    def logits(self, H: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch V"]:
        """H W_E^T, the scores before the softmax (C03; the table is tied as in chapter 2)."""
        return linear(H, self.output_weight)
