"""A Transformer translator of functions that a learner has written (chapter 20).

What is written here only puts them together: every row, weight, mask, loss, update, cached key and
beam is computed by one of the pieces.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.project.own_pieces import OwnPieces
from mtcourse.text.tokenizer import BOS, EOS, PAD

EPSILON, WARMUP, PEAK = 0.1, 40, 4e-3
"""Label smoothing, and the learning rate's warm-up and peak."""
BETA_1, BETA_2, EPS, DECAY = 0.9, 0.98, 1e-9, 0.0
LENGTH_PENALTY = 1.0

Weights = dict[str, Tensor]
Pair = tuple[list[int], list[int]]
"""Ids of a source and of its translation, without ``<bos>`` and ``<eos>``."""


@dataclass(frozen=True)
class OwnTranslator:
    """Pieces, and the weights that they compute with.

    Args:
        pieces: what computes.
        W: the weights by the names that ``EncoderDecoder`` gives them.
        config: the sizes; normalisation is "pre".
    """

    pieces: OwnPieces
    W: Weights
    config: EncoderDecoderConfig

    @classmethod
    def of(cls, pieces: OwnPieces, model: EncoderDecoder) -> OwnTranslator:
        """With the weights of a model, trained or not."""
        named = dict(model.named_parameters(remove_duplicate=False))
        copies = {W: W.detach().clone() for W in named.values()}  # a shared table stays one
        return cls(pieces, {name: copies[W] for name, W in named.items()}, model.config)

    def project(self, X: Tensor, name: str) -> Tensor:
        """X W + b, with the matrix and the bias of this name."""
        return X @ self.W[f"{name}.weight"].T + self.W[f"{name}.bias"]

    def norm(self, X: Tensor, name: str) -> Tensor:
        """The layer normalisation of this name."""
        return self.pieces.layer_norm(X, self.W[f"{name}.weight"], self.W[f"{name}.bias"])


# --- the model ----------------------------------------------------------------------------------


def rows_of(own: OwnTranslator, ids: Int[Tensor, "batch n"], side: str, start: int = 0) -> Tensor:
    """H = sqrt(d_model) X^T W_E + P, the first row at position ``start`` (A04, A05, A10)."""
    W_E = own.W[f"{side}_embedding.W_E"]
    P = own.pieces.sinusoidal_positions(start + ids.shape[1], W_E.shape[1])
    return math.sqrt(W_E.shape[1]) * own.pieces.embed(ids, W_E) + P[start:]


def attended(own: OwnTranslator, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> Tensor:
    """softmax(Q K^T / sqrt(d_k), masked) V of all heads, side by side again (A24 to A26)."""
    weights = own.pieces.masked_weights(own.pieces.scaled_scores(Q, K), mask)
    return (weights @ V).transpose(-3, -2).flatten(-2)


def heads(own: OwnTranslator, X: Tensor) -> Tensor:
    """The slice of each head."""
    return own.pieces.split_heads(X, own.config.h)


def network(own: OwnTranslator, x: Tensor, block: str) -> Tensor:
    """x + the position-wise network of a block, which reads normalised rows (B12, B13)."""
    entered = own.norm(x, f"{block}.around_feed_forward.layer_norm")
    W_1, W_2 = f"{block}.feed_forward.W_1", f"{block}.feed_forward.W_2"
    of_first = own.W[f"{W_1}.weight"].T, own.W[f"{W_1}.bias"]
    of_second = own.W[f"{W_2}.weight"].T, own.W[f"{W_2}.bias"]
    return x + own.pieces.position_wise_network(entered, *of_first, *of_second)


def self_attention(own: OwnTranslator, x: Tensor, block: str, mask: Tensor) -> Tensor:
    """x + self-attention of all rows at once."""
    entered = own.norm(x, f"{block}.around_self_attention.layer_norm")
    QKV = own.project(entered, f"{block}.self_attention.W_QKV").chunk(3, dim=-1)
    Q, K, V = (heads(own, part) for part in QKV)
    A = attended(own, Q, K, V, mask)
    return x + own.project(A, f"{block}.self_attention.W_O")


def keys_values(own: OwnTranslator, H_E: Tensor, block: str) -> tuple[Tensor, Tensor]:
    """K_C and V_C of a decoder block, of each head."""
    K, V = own.project(H_E, f"{block}.cross_attention.W_KV").chunk(2, dim=-1)
    return heads(own, K), heads(own, V)


def cross_attention(
    own: OwnTranslator, x: Tensor, block: str, K_C: Tensor, V_C: Tensor, mask: Tensor
) -> Tensor:
    """x + cross-attention to the source (A15, A16)."""
    entered = own.norm(x, f"{block}.around_cross_attention.layer_norm")
    Q = heads(own, own.project(entered, f"{block}.cross_attention.W_Q"))
    return x + own.project(attended(own, Q, K_C, V_C, mask), f"{block}.cross_attention.W_O")


def encode(own: OwnTranslator, source: Int[Tensor, "batch n"]) -> tuple[Tensor, Tensor]:
    """H_E, and the mask of the source's padding."""
    real: Bool[Tensor, "batch 1 1 n"] = own.pieces.padding_mask(source, PAD)
    x = rows_of(own, source, "source")
    for i in range(own.config.encoder_layers):
        x = network(own, self_attention(own, x, f"encoder.{i}", real), f"encoder.{i}")
    return own.norm(x, "encoder_norm"), real


def logits(
    own: OwnTranslator, source: Int[Tensor, "batch n"], read: Int[Tensor, "batch m"]
) -> Float[Tensor, "batch m V_t"]:
    """What the decoder predicts at each position, all positions at once (B, steps 1 to 7)."""
    H_E, real = encode(own, source)
    causal = own.pieces.causal_mask(read.shape[1])
    x = rows_of(own, read, "target")
    for i in range(own.config.decoder_layers):
        block = f"decoder.{i}"
        x = self_attention(own, x, block, causal)
        x = cross_attention(own, x, block, *keys_values(own, H_E, block), real)
        x = network(own, x, block)
    return own.norm(x, "decoder_norm") @ own.W["output_weight"].T


# --- training -----------------------------------------------------------------------------------


def batch_of(own: OwnTranslator, pairs: Sequence[Pair]) -> tuple[Tensor, Tensor, Tensor]:
    """Source, what the decoder reads, and the labels."""
    read, labels = own.pieces.label_shift([target for _, target in pairs], BOS, EOS, PAD)
    _, source = own.pieces.label_shift([source for source, _ in pairs], BOS, EOS, PAD)
    return source, read, labels


def train(
    own: OwnTranslator, pairs: Sequence[Pair], steps: int, batch_size: int = 32, seed: int = 0
) -> tuple[OwnTranslator, list[float]]:
    """Trains on batches drawn at random; returns the trained translator and the losses (C40).

    Args:
        own: with its first weights, which stay as they are.
        pairs: to learn from.
        steps: updates of all weights.
        batch_size: pairs in each update.
        seed: of the draws.
    """
    draws = torch.Generator().manual_seed(seed)
    first_name = {id(W): name for name, W in reversed(own.W.items())}  # a shared table moves once
    name_of = {name: first_name[id(W)] for name, W in own.W.items()}
    W = {name: own.W[name] for name in first_name.values()}
    zeros = {name: torch.zeros_like(one) for name, one in W.items()}
    m, v, losses = dict(zeros), dict(zeros), []
    for step in range(1, steps + 1):
        drawn = torch.randint(len(pairs), (batch_size,), generator=draws).tolist()
        leaves = {name: one.detach().requires_grad_() for name, one in W.items()}
        now = replace(own, W={name: leaves[first] for name, first in name_of.items()})
        source, read, labels = batch_of(own, [pairs[i] for i in drawn])
        loss = own.pieces.smoothed_loss(logits(now, source, read), labels, EPSILON)
        gradients = torch.autograd.grad(loss, list(leaves.values()))
        rate = own.pieces.schedule(step, WARMUP, PEAK)
        for name, gradient in zip(leaves, gradients, strict=True):
            W[name], m[name], v[name] = own.pieces.adam(
                W[name], gradient, m[name], v[name], step, rate, BETA_1, BETA_2, EPS, DECAY
            )
        losses.append(loss.item())
    return replace(own, W={name: W[first] for name, first in name_of.items()}), losses


# --- decoding -----------------------------------------------------------------------------------


def _with_ones(X: Tensor) -> Tensor:
    """X with a column of ones, which meets the bias."""
    return torch.cat([X, torch.ones_like(X[..., :1])], dim=-1)


@torch.no_grad()
def translate_ids(own: OwnTranslator, source: Sequence[int], beams: int = 4) -> list[int]:
    """Beam search with the cache, ranked by log-probability per token (C11, C15 to C18).

    Args:
        own: the translator.
        source: ids of the sentence, without ``<eos>``.
        beams: their number B.

    Returns:
        the ids of the translation, ``<eos>`` left out.
    """
    H_E, real = encode(own, torch.tensor([[*source, EOS]]))
    blocks = [f"decoder.{i}" for i in range(own.config.decoder_layers)]
    of_source = {block: keys_values(own, H_E, block) for block in blocks}
    nothing = H_E.new_zeros(1, own.config.h, 0, H_E.shape[-1] // own.config.h)
    cache = dict.fromkeys(blocks, (nothing, nothing))
    longest = min(2 * (len(source) + 1) + 10, own.config.max_length)
    prefixes: list[tuple[int, ...]] = [()]
    totals, best = torch.zeros(1), (-math.inf, ())
    for t in range(longest):
        ids = torch.tensor([[prefix[-1] if prefix else BOS] for prefix in prefixes])
        x = rows_of(own, ids, "target", start=t)
        for block in blocks:
            x, cache[block] = _cached_self_attention(own, x, block, cache[block])
            x = cross_attention(own, x, block, *of_source[block], real)
            x = network(own, x, block)
        U = own.norm(x[:, 0], "decoder_norm") @ own.W["output_weight"].T
        parents, tokens, totals, ended = own.pieces.beam_step(
            totals, U.log_softmax(dim=-1), beams, EOS
        )
        scores, _, _ = own.pieces.length_scores(ended, torch.tensor(t + 1), LENGTH_PENALTY)
        for prefix, score in zip(prefixes, scores.tolist(), strict=True):
            best = max(best, (score, (*prefix, EOS)))
        grown = zip(parents.tolist(), tokens.tolist(), strict=True)
        prefixes = [(*prefixes[parent], token) for parent, token in grown]
        cache = {b: own.pieces.beams_move(*kept, parents[None]) for b, kept in cache.items()}
        reachable = own.pieces.reachable_score(totals, t + 1, longest, LENGTH_PENALTY)
        if float(reachable) <= best[0]:
            break
    found = best[1] or prefixes[0]
    return [token for token in found if token != EOS]


def _cached_self_attention(
    own: OwnTranslator, x: Tensor, block: str, kept: tuple[Tensor, Tensor]
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """x + self-attention of one new row to those before it, and what is kept now."""
    entered = own.norm(x, f"{block}.around_self_attention.layer_norm")
    W, b = (own.W[f"{block}.self_attention.W_QKV.{name}"] for name in ("weight", "bias"))
    projections = torch.cat([W.T, b[None]]).chunk(3, dim=-1)
    W_O = own.W[f"{block}.self_attention.W_O.weight"].T
    everything = torch.ones(len(x), 1, kept[0].shape[2] + 1, dtype=torch.bool)
    A, K, V = own.pieces.translator_step(
        _with_ones(entered), *projections, W_O, own.config.h, *kept, everything
    )
    return x + A + own.W[f"{block}.self_attention.W_O.bias"], (K, V)
