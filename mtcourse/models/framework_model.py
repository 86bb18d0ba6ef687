"""Document A's translator exactly as it is printed, nothing added (chapters 7 and 8).

One layer each, one head, no bias, no residual, no normalisation. What is missing on the printed
page is missing here, and the chapter shows what it costs: the decoder has no positions unless
``target_positions`` asks for them, and it reads whatever target ids it is given. Whether those are
Y itself, as printed, or Y shifted right is the caller's choice.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import queries_keys_values, scaled_dot_product_attention
from mtcourse.layers.embeddings import embed
from mtcourse.layers.masks import causal_mask
from mtcourse.layers.positions import sinusoidal_positions


def feed_forward(
    A: Float[Tensor, "*batch d"], W_1: Float[Tensor, "d d_ff"], W_2: Float[Tensor, "d_ff d"]
) -> Float[Tensor, "*batch d"]:
    """ReLU(A W_1) W_2, the same for every row: no bias, no residual (A08, A17; chapter 7).

    Args:
        A: one row for each token, out of an attention.
        W_1: the first layer; document A gives it d columns, B12 four times as many.
        W_2: the second layer, back to d columns.
    """
    return torch.relu(A @ W_1) @ W_2


def vocabulary_logits(
    H_D: Float[Tensor, "*batch m d"], W_O: Float[Tensor, "d V_t"]
) -> Float[Tensor, "*batch m V_t"]:
    """H_D W_O: a score for each word of the target vocabulary (inside A18; chapter 7)."""
    return H_D @ W_O


def word_probabilities(
    H_D: Float[Tensor, "*batch m d"], W_O: Float[Tensor, "d V_t"]
) -> Float[Tensor, "*batch m V_t"]:
    """softmax(H_D W_O), one distribution over the vocabulary for each row (A18; chapter 7)."""
    return torch.softmax(vocabulary_logits(H_D, W_O), dim=-1)


@dataclass(frozen=True)
class FrameworkConfig:
    """The sizes of document A's model; checks itself.

    Args:
        V_s: source vocabulary size.
        V_t: target vocabulary size.
        d: width of a token's row, everywhere; the documents' d_model.
        target_positions: adds P to the target's embeddings too, which A10 does not.
    """

    V_s: int
    V_t: int
    d: int
    target_positions: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "int" and getattr(self, field.name) < 1:
                raise MtcourseError(
                    f"{field.name} must be at least 1, not {getattr(self, field.name)}"
                )

    def to_dict(self) -> dict[str, int | bool]:
        """The sizes as JSON can hold them."""
        return asdict(self)


class FrameworkModel(nn.Module):
    """Two embeddings, two self-attentions, one cross-attention, two networks, one softmax.

    - H̃ = X^T W_E^X + P
    - A = Attention(H̃ W_Q^E, H̃ W_K^E, H̃ W_V^E)
    - H_E = ReLU(A W_1^E) W_2^E
    - G = Y^T W_E^Y
    - A_D = Attention(G W_Q^D, G W_K^D, G W_V^D) under the causal mask
    - A_C = Attention(A_D W_Q^C, H_E W_K^C, H_E W_V^C)
    - Ŷ^T = softmax(ReLU(A_C W_1^D) W_2^D W_O)

    The weights have the document's names, its superscript last: ``W_Q_E`` is W_Q^E, and rows are
    multiplied from the right. No weight is shared.

    Args:
        config: the sizes.
        seed: of the initial weights.

    Source: A03 to A18, D06; the padding mask is C10's. Chapter 7.
    """

    def __init__(self, config: FrameworkConfig, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        d = config.d
        self.W_E_X = nn.Parameter(torch.empty(config.V_s, d))
        self.W_Q_E = nn.Parameter(torch.empty(d, d))
        self.W_K_E = nn.Parameter(torch.empty(d, d))
        self.W_V_E = nn.Parameter(torch.empty(d, d))
        self.W_1_E = nn.Parameter(torch.empty(d, d))
        self.W_2_E = nn.Parameter(torch.empty(d, d))
        self.W_E_Y = nn.Parameter(torch.empty(config.V_t, d))
        self.W_Q_D = nn.Parameter(torch.empty(d, d))
        self.W_K_D = nn.Parameter(torch.empty(d, d))
        self.W_V_D = nn.Parameter(torch.empty(d, d))
        self.W_Q_C = nn.Parameter(torch.empty(d, d))
        self.W_K_C = nn.Parameter(torch.empty(d, d))
        self.W_V_C = nn.Parameter(torch.empty(d, d))
        self.W_1_D = nn.Parameter(torch.empty(d, d))
        self.W_2_D = nn.Parameter(torch.empty(d, d))
        self.W_O = nn.Parameter(torch.empty(d, config.V_t))
        self.reset_parameters(torch.Generator().manual_seed(seed))

    def reset_parameters(self, generator: torch.Generator) -> None:
        """Weights with which every layer lets rows pass, since no residual carries them around it.

        W_Q, W_K and W_V are the identity: a row first looks at rows that are like it, and takes
        them as they are. W_1 is a rotation times √2 and W_2 its transpose: a ReLU loses half of a
        row, and on the mean ReLU(a W_1) W_2 = a. The tables are drawn at random, somewhat smaller
        than the position encodings they are added to. The document says nothing of all this.
        """
        for name, weight in self.named_parameters():
            if name.startswith("W_1"):
                nn.init.orthogonal_(weight, gain=math.sqrt(2), generator=generator)
            elif name.startswith("W_2"):
                with torch.no_grad():
                    weight.copy_(self.get_parameter(name.replace("W_2", "W_1")).T)
            elif name.startswith("W_E"):
                nn.init.normal_(weight, std=0.5, generator=generator)
            elif name == "W_O":
                nn.init.xavier_uniform_(weight, generator=generator)
            else:
                nn.init.eye_(weight)

    def encode(
        self, source: Int[Tensor, "batch n"], source_mask: Bool[Tensor, "batch 1 1 n"] | None = None
    ) -> Float[Tensor, "batch n d"]:
        """H_E: one row for each source token (A03 to A08).

        Args:
            source: source ids, padded with 0.
            source_mask: True where a source token is real (``source_mask``).
        """
        H = _with_positions(embed(source, self.W_E_X))
        Q, K, V = queries_keys_values(H, H, self.W_Q_E, self.W_K_E, self.W_V_E)
        A, _ = scaled_dot_product_attention(Q, K, V, _for_one_head(source_mask))
        return feed_forward(A, self.W_1_E, self.W_2_E)

    def hidden(
        self,
        target: Int[Tensor, "batch m"],
        H_E: Float[Tensor, "batch n d"],
        source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    ) -> Float[Tensor, "batch m d"]:
        """H_D: row j has read the target up to j, itself included, and the source (A09 to A17)."""
        G = embed(target, self.W_E_Y)
        if self.config.target_positions:
            G = _with_positions(G)
        Q_D, K_D, V_D = queries_keys_values(G, G, self.W_Q_D, self.W_K_D, self.W_V_D)
        causal = causal_mask(target.shape[-1], device=target.device)
        A_D, _ = scaled_dot_product_attention(Q_D, K_D, V_D, causal)
        Q_C, K_C, V_C = queries_keys_values(A_D, H_E, self.W_Q_C, self.W_K_C, self.W_V_C)
        A_C, _ = scaled_dot_product_attention(Q_C, K_C, V_C, _for_one_head(source_mask))
        return feed_forward(A_C, self.W_1_D, self.W_2_D)

    def decode(
        self,
        target: Int[Tensor, "batch m"],
        H_E: Float[Tensor, "batch n d"],
        source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    ) -> Float[Tensor, "batch m V_t"]:
        """H_D W_O: the logits at each position of the target that it is given (A18)."""
        return vocabulary_logits(self.hidden(target, H_E, source_mask), self.W_O)

    def forward(
        self,
        source: Int[Tensor, "batch n"],
        target: Int[Tensor, "batch m"],
        source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    ) -> Float[Tensor, "batch m V_t"]:
        """Logits of Ŷ^T for a batch of pairs.

        Args:
            source: source ids, padded with 0.
            target: the target ids that the decoder reads: Y itself in document A, Y shifted right
                once its first fault is repaired.
            source_mask: True where a source token is real; None when none is padding.
        """
        return self.decode(target, self.encode(source, source_mask), source_mask)


def _with_positions(H: Float[Tensor, "*batch n d"]) -> Float[Tensor, "*batch n d"]:
    """H + P (A05), with B02's P."""
    return H + sinusoidal_positions(H.shape[-2], H.shape[-1], device=H.device).to(H.dtype)


def _for_one_head(mask: Bool[Tensor, "batch 1 1 n"] | None) -> Bool[Tensor, "batch 1 n"] | None:
    """The batch's mask without the dimension of heads: there is one head."""
    return None if mask is None else mask[:, 0]
