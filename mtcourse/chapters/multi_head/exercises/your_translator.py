"""The exercise ``your_translator``: Part I put together (A03 to A18, C07, C10; chapter 09)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers.positions import sinusoidal_positions

_SQUARE = (
    "W_Q_E", "W_K_E", "W_V_E", "W_1_E", "W_2_E", "W_Q_D", "W_K_D", "W_V_D",
    "W_Q_C", "W_K_C", "W_V_C", "W_1_D", "W_2_D",
)  # fmt: skip


def cases(draw: Draw) -> list[Case]:
    """Sources and targets of different lengths, padding in the source, one word."""

    def case(name, source, read, d, V_s=9, V_t=7):
        W = {of: draw.normal(d, d, scale=1.2 / math.sqrt(d)) for of in _SQUARE}
        W["W_E_X"], W["W_E_Y"] = draw.normal(V_s, d), draw.normal(V_t, d)
        W["W_O"] = draw.normal(d, V_t, scale=1 / math.sqrt(d))
        return Case(name, (W, torch.tensor(source), torch.tensor(read)))

    return [
        case("4 source words, 3 target words", [[5, 7, 4, 3]], [[2, 5, 4]], 4),
        case("only <bos> read", [[6, 8, 3]], [[2]], 6),
        case("2 sentences, one padded", [[5, 7, 8, 3, 0], [4, 6, 5, 7, 3]], [[2, 5], [2, 4]], 4),
        case("padding at 3 of 4", [[5, 3, 0, 0], [8, 6, 7, 3], [4, 5, 3, 0]],
             [[2, 6, 4, 5], [2, 5, 5, 6], [2, 4, 6, 6]], 6),
    ]  # fmt: skip


def _attend(Q, K, V, allowed):
    scores = (Q @ K.mT / math.sqrt(K.shape[-1])).masked_fill(~allowed, -math.inf)
    return scores.softmax(-1) @ V


def _network(A, W, side):
    return torch.relu(A @ W[f"W_1_{side}"]) @ W[f"W_2_{side}"]


def _model(
    W, source, read, *, source_places=True, target_places=True, hide=True, hide_cross=True,
    causal=True, encoder=True, network_E=True, network_D=True, table="W_E_Y", self_=True,
):  # fmt: skip
    """The framework model with both corrections, and with switches for what can go wrong in it."""
    n, m, d = source.shape[-1], read.shape[-1], W["W_O"].shape[0]
    real = (source != 0)[:, None, :]
    all_real = torch.ones_like(real)
    H = W["W_E_X"][source]
    H = H + sinusoidal_positions(n, d).to(H) if source_places else H
    if encoder:
        Q, K, V = (H @ W[f"W_{name}_E"] for name in "QKV")
        H = _attend(Q, K, V, real if hide else all_real)
        H = _network(H, W, "E") if network_E else H
    G = W[table][read]
    G = G + sinusoidal_positions(m, d).to(G) if target_places else G
    if self_:
        triangle = torch.ones(m, m, dtype=torch.bool)
        Q, K, V = (G @ W[f"W_{name}_D"] for name in "QKV")
        G = _attend(Q, K, V, triangle.tril() if causal else triangle)
    Q, K, V = G @ W["W_Q_C"], H @ W["W_K_C"], H @ W["W_V_C"]
    A_C = _attend(Q, K, V, real if hide_cross else all_real)
    return (_network(A_C, W, "D") if network_D else A_C) @ W["W_O"]


def correct(W, source, read):
    """Every part in its position."""
    return _model(W, source, read)


class Wrong:
    """What learners write, the more particular before the more general."""

    def probabilities(W, source, read):
        """You returned probabilities. Return logits, the rows before the softmax.

        The loss takes logits, and applies the softmax itself.
        """
        return _model(W, source, read).softmax(-1)

    def hidden_rows(W, source, read):
        """You returned H_D. The last product is missing: W_O turns its rows into word scores.

        Look at the last equation of the decoder (A18).
        """
        return _model({**W, "W_O": torch.eye(W["W_O"].shape[0], dtype=W["W_O"].dtype)}, source, read)

    def no_source_positions(W, source, read):
        """You gave the source rows no positions: P is missing there.

        P is added to the embeddings (A05).
        """
        return _model(W, source, read, source_places=False)

    def no_target_positions(W, source, read):
        """You gave the target rows no positions, as document A prints it.

        Chapter 7 adds P on both sides.
        """
        return _model(W, source, read, target_places=False)

    def no_positions(W, source, read):
        """You gave neither side positions: P is missing on both.

        Look words up, and add P.
        """
        return _model(W, source, read, source_places=False, target_places=False)

    def scaled_tables(W, source, read):
        """You multiplied the embeddings by √d, as in chapter 3. Document A does not.

        The model of chapter 7 has no factor: H̃ = H + P (A05).
        """
        root = math.sqrt(W["W_O"].shape[0])
        return _model({**W, "W_E_X": root * W["W_E_X"], "W_E_Y": root * W["W_E_Y"]}, source, read)

    def no_padding_mask(W, source, read):
        """You let tokens attend to padding, in the encoder and in cross-attention.

        `pieces.padding_mask(source, 0)` tells you where words stand. Two attentions need it.
        """
        return _model(W, source, read, hide=False, hide_cross=False)

    def padding_asked_in_the_encoder(W, source, read):
        """You hid padding in cross-attention. But in the encoder, words still attend to it.

        Both attentions have keys from the source.
        """
        return _model(W, source, read, hide=False)

    def padding_asked_in_cross_attention(W, source, read):
        """You hid padding in the encoder. But in cross-attention, target words still attend to it.

        Both attentions have keys from the source.
        """
        return _model(W, source, read, hide_cross=False)

    def no_causal_mask(W, source, read):
        """You let target words attend to those after them: the causal mask is missing.

        At inference, the later words do not exist yet.
        """
        return _model(W, source, read, causal=False)

    def no_encoder_attention(W, source, read):
        """Your decoder attends to the embedded source itself: you left out the encoder.

        H_E is what the encoder's attention and its network make of the embedded source.
        """
        return _model(W, source, read, encoder=False)

    def no_encoder_network(W, source, read):
        """You left out the encoder's network: your H_E is the output of its attention.

        After attention (A07) comes the network (A08).
        """
        return _model(W, source, read, network_E=False)

    def no_decoder_network(W, source, read):
        """You left out the decoder's network: W_O gets the output of cross-attention.

        The network (A17) comes between cross-attention (A16) and W_O (A18).
        """
        return _model(W, source, read, network_D=False)

    def no_decoder_attention(W, source, read):
        """Your target rows attend to the source without having attended to each other.

        The decoder's self-attention makes A_D (A13), and the rows of A_D attend to the source.
        """
        return _model(W, source, read, self_=False)

    def encoders_matrices_in_the_decoder(W, source, read):
        """Your decoder's self-attention uses the encoder's matrices, whose names end in E.

        Its own matrices have names that end in D.
        """
        return _model({**W, **{f"W_{name}_D": W[f"W_{name}_E"] for name in "QKV"}}, source, read)

    def encoders_network_in_the_decoder(W, source, read):
        """Your decoder's network uses the encoder's two matrices.

        Its own matrices have names that end in D.
        """
        return _model({**W, "W_1_D": W["W_1_E"], "W_2_D": W["W_2_E"]}, source, read)

    def self_matrices_in_cross_attention(W, source, read):
        """Your cross-attention uses the matrices of the decoder's self-attention.

        Its own matrices have names that end in C.
        """
        return _model({**W, **{f"W_{name}_C": W[f"W_{name}_D"] for name in "QKV"}}, source, read)


class Right:
    """Right answers, written differently."""

    def with_einsum(W, source, read):
        """Names the dimensions in einsums; multiplies exponentials by 0 and 1."""

        def attend(X, Z, side, seen):
            Q, K, V = X @ W[f"W_Q_{side}"], Z @ W[f"W_K_{side}"], Z @ W[f"W_V_{side}"]
            e = torch.einsum("bmd,bnd->bmn", Q, K) / math.sqrt(Q.shape[-1])
            e = (e - e.amax(-1, keepdim=True)).exp() * seen
            return torch.einsum("bmn,bnd->bmd", e / e.sum(-1, keepdim=True), V)

        def rows(ids, table):
            return table[ids] + sinusoidal_positions(ids.shape[1], table.shape[1]).to(table)

        words = (source != 0).unsqueeze(1).to(W["W_O"])
        H, G = rows(source, W["W_E_X"]), rows(read, W["W_E_Y"])
        H_E = torch.relu(attend(H, H, "E", words) @ W["W_1_E"]) @ W["W_2_E"]
        A_D = attend(G, G, "D", torch.ones(read.shape[1], read.shape[1]).tril().to(W["W_O"]))
        return torch.relu(attend(A_D, H_E, "C", words) @ W["W_1_D"]) @ W["W_2_D"] @ W["W_O"]

    def word_by_word(W, source, read):
        """Computes row j from the words up to j alone, as at inference."""
        seen = range(1, read.shape[1] + 1)
        return torch.cat([_model(W, source, read[:, :j])[:, -1:] for j in seen], dim=1)

    def with_additive_masks(W, source, read):
        """Adds zeros and minus infinity; multiplies by one-hot rows to look words up."""
        d, dtype = W["W_O"].shape[0], W["W_O"].dtype

        def looked_up(ids, table):
            hot = torch.nn.functional.one_hot(ids, table.shape[0]).to(dtype)
            return hot @ table + sinusoidal_positions(ids.shape[-1], d).to(dtype)

        def attend(X, Z, side, M):
            S = (X @ W[f"W_Q_{side}"]) @ (Z @ W[f"W_K_{side}"]).transpose(1, 2) + M
            return torch.softmax(S / d**0.5, -1) @ (Z @ W[f"W_V_{side}"])

        hidden = torch.zeros(source.shape, dtype=dtype).masked_fill(source == 0, -math.inf)[:, None]
        X, Y = looked_up(source, W["W_E_X"]), looked_up(read, W["W_E_Y"])
        H_E = attend(X, X, "E", hidden)
        H_E = (H_E @ W["W_1_E"]).clamp(min=0) @ W["W_2_E"]
        later = torch.full((read.shape[1],) * 2, -math.inf, dtype=dtype).triu(1)
        A_C = attend(attend(Y, Y, "D", later), H_E, "C", hidden)
        return (A_C @ W["W_1_D"]).clamp(min=0) @ W["W_2_D"] @ W["W_O"]

    def one_sentence_at_a_time(W, source, read):
        """Without padding: each source is cut to its words."""
        rows = [_model(W, x[x != 0][None], y[None]) for x, y in zip(source, read, strict=True)]
        return torch.cat(rows)


EXERCISE = Exercise(
    id="your_translator",
    oracle=correct,
    hint="Write the names in order: H, A, H_E; G, A_D; A_C; H_D; logits. For each, say what it is "
    "made of, and which mask its softmax needs. `padding_mask` has a dimension for heads; "
    "the scores of this model have none.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
