"""The Transformer encoder-decoder of the course (chapters 10 and 12)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.fast.linear import linear
from mtcourse.layers.attention import Attention, fused_attention
from mtcourse.layers.blocks import DecoderBlock, EncoderBlock
from mtcourse.layers.embeddings import Embedding
from mtcourse.layers.multi_head import CrossAttention, SelfAttention
from mtcourse.models.initial_weights import draw_weights
from mtcourse.models.sizes import check_keys, check_sizes


@dataclass(frozen=True)
class EncoderDecoderConfig:
    """The sizes of a model; checks itself.

    Args:
        V_s: source vocabulary size.
        V_t: target vocabulary size.
        d_model: width of a token's row.
        h: attention heads in each layer.
        d_ff: width inside the position-wise network.
        encoder_layers: encoder blocks.
        decoder_layers: decoder blocks.
        dropout: share zeroed in training.
        norm: "pre" or "post": where layer normalisation stands.
        max_length: longest sequence in tokens, special ones included.
        shared_embeddings: one table for source, target and output; wants one joint vocabulary.
    """

    V_s: int
    V_t: int
    d_model: int = 128
    h: int = 4
    d_ff: int = 512
    encoder_layers: int = 2
    decoder_layers: int = 2
    dropout: float = 0.1
    norm: str = "pre"
    max_length: int = 128
    shared_embeddings: bool = True

    def __post_init__(self) -> None:
        check_sizes(self)
        if self.shared_embeddings and self.V_s != self.V_t:
            raise MtcourseError(
                f"shared_embeddings wants one joint vocabulary, but V_s is {self.V_s} and V_t is "
                f"{self.V_t}: train a joint tokenizer or set shared_embeddings=False"
            )

    def to_dict(self) -> dict[str, Any]:
        """The sizes as JSON can hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> EncoderDecoderConfig:
        """The inverse of ``to_dict``; a key that is unknown or missing is named."""
        check_keys(cls, values, {"V_s", "V_t"})
        return cls(**values)


class EncoderDecoder(nn.Module):
    """Reads a source sentence, then predicts each target token from those before it.

    p(y_j | y_<j, x) = softmax(H_D W_O)_j with H_E = Encoder(x), H_D = Decoder(shifted y, H_E).

    Args:
        config: the sizes.
        attention: the attention function of every layer: fused, readable, or a learner's own.
        seed: of the initial weights.

    Source: B, steps 1 to 7; C34 to C40; Vaswani et al. (2017). W_O is the target's embedding table
    transposed where the tables are shared (Press and Wolf, 2017). Chapters 10 and 12.
    """

    def __init__(
        self,
        config: EncoderDecoderConfig,
        attention: Attention = fused_attention,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.config = config
        d_model = config.d_model
        table = nn.Parameter(torch.empty(config.V_t, d_model))
        shared = config.shared_embeddings
        source_table = table if shared else nn.Parameter(torch.empty(config.V_s, d_model))
        self.source_embedding = Embedding(source_table, config.max_length, config.dropout)
        self.target_embedding = Embedding(table, config.max_length, config.dropout)
        self.output_weight = table if shared else nn.Parameter(torch.empty(config.V_t, d_model))
        sizes = (d_model, config.h, config.d_ff, config.dropout, config.norm, attention)
        with torch.random.fork_rng(
            devices=[]
        ):  # nn.Linear draws weights that are drawn again below
            encoder = nn.ModuleList(EncoderBlock(*sizes) for _ in range(config.encoder_layers))
            decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in range(config.decoder_layers))
        # A ModuleList forgets what kind of modules it holds.
        self.encoder = cast("list[EncoderBlock]", encoder)
        self.decoder = cast("list[DecoderBlock]", decoder)
        pre = config.norm == "pre"
        self.encoder_norm = nn.LayerNorm(d_model) if pre else nn.Identity()
        self.decoder_norm = nn.LayerNorm(d_model) if pre else nn.Identity()
        self.reset_parameters(torch.Generator().manual_seed(seed))

    def reset_parameters(self, generator: torch.Generator) -> None:
        """Draws every weight anew, as ``draw_weights`` says."""
        draw_weights(self, generator)
        if not self.config.shared_embeddings:
            nn.init.normal_(self.output_weight, std=self.config.d_model**-0.5, generator=generator)

    def encode(
        self, source: Int[Tensor, "batch n"], source_mask: Bool[Tensor, "batch 1 1 n"] | None = None
    ) -> Float[Tensor, "batch n d_model"]:
        """H_E: one row for each source token, each informed by the whole sentence."""
        x = self.source_embedding(source)
        for block in self.encoder:
            x = block(x, source_mask)
        return self.encoder_norm(x)

    def decode(
        self,
        decoder_input: Int[Tensor, "batch m"],
        H_E: Float[Tensor, "batch n d_model"],
        source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    ) -> Float[Tensor, "batch m d_model"]:
        """H_D: row j has read decoder_input up to j and the whole source."""
        x = self.target_embedding(decoder_input)
        for block in self.decoder:
            x, _ = block(x, block.cross_attention.keys_values(H_E), source_mask)
        return self.decoder_norm(x)

    def hidden(
        self,
        source: Int[Tensor, "batch n"],
        decoder_input: Int[Tensor, "batch m"],
        source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    ) -> Float[Tensor, "batch m d_model"]:
        """H_D of a batch of pairs: what the loss multiplies with the output weight."""
        return self.decode(decoder_input, self.encode(source, source_mask), source_mask)

    def logits(self, H_D: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch V_t"]:
        """H_D W_O, the scores before the softmax (A18, B18)."""
        return linear(H_D, self.output_weight)

    def forward(
        self,
        source: Int[Tensor, "batch n"],
        decoder_input: Int[Tensor, "batch m"],
        source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    ) -> Float[Tensor, "batch m V_t"]:
        """Logits of the next target token at each position of the decoder's input.

        Args:
            source: source ids, padded with 0.
            decoder_input: target ids shifted right: the first is <bos>.
            source_mask: True where a source token is real; None when none is padding.
        """
        return self.logits(self.hidden(source, decoder_input, source_mask))


def use_attention(model: nn.Module, attention: Attention) -> None:
    """Puts another attention function into every attention layer of a model."""
    for module in model.modules():
        if isinstance(module, SelfAttention | CrossAttention):
            module.attention = attention
