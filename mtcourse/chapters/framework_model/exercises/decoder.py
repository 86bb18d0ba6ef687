"""The exercise ``decoder``: from the target's rows to H_D (A13, A14 to A17, D06; chapter 07)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers.positions import sinusoidal_positions

_NAMES = (
    "W_Q_E", "W_K_E", "W_V_E", "W_1_E", "W_2_E", "W_Q_D", "W_K_D", "W_V_D",
    "W_Q_C", "W_K_C", "W_V_C", "W_1_D", "W_2_D",
)  # fmt: skip


def cases(draw: Draw) -> list[Case]:
    """One sentence and a batch; as many target words as source words, more and fewer; padding."""

    def case(name, m, n, d, batch=(), padding=0):
        real = torch.arange(n) < n - padding
        G, H_E = draw.normal(*batch, m, d), draw.normal(*batch, n, d)
        W = {of: draw.normal(d, d, scale=1.5 / math.sqrt(d)) for of in _NAMES}
        return Case(name, (G, H_E, W, real.expand(*batch, n).clone()))

    return [
        case("3 target words, 4 source words", 3, 4, 4),
        case("a single target word", 1, 3, 4),
        case("as many target words as source words", 4, 4, 6),
        case("2 sentences, the source padded", 4, 5, 6, batch=(2,), padding=2),
        case("a long target", 6, 3, 4, padding=1),
    ]


def _attend(Q, K, V, allowed=None, scale=True):
    """Attention with a boolean mask, True where allowed."""
    scores = Q @ K.mT / (math.sqrt(Q.shape[-1]) if scale else 1)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -math.inf)
    return scores.softmax(-1) @ V


def _causal(m, diagonal=0):
    return torch.ones(m, m, dtype=torch.bool).tril(diagonal)


def _decoder(G, H_E, W, real, *, causal=True, hide=True, asks="D", cross="C", net="D", scale=True):
    """The decoder, with switches for what goes wrong in it."""
    of = {name: W[f"W_{name}_{asks}"] for name in "QKV"}
    allowed = _causal(G.shape[-2]) if causal else None
    A_D = _attend(G @ of["Q"], G @ of["K"], G @ of["V"], allowed, scale)
    to = {name: W[f"W_{name}_{cross}"] for name in "QKV"}
    seen = real[..., None, :] if hide else None
    A_C = _attend(A_D @ to["Q"], H_E @ to["K"], H_E @ to["V"], seen, scale)
    return torch.relu(A_C @ W[f"W_1_{net}"]) @ W[f"W_2_{net}"]


def correct(G, H_E, W, real):
    """Masked self-attention, cross-attention, network."""
    return _decoder(G, H_E, W, real)


class Wrong:
    """What learners write, the more particular before the more general."""

    def no_causal_mask(G, H_E, W, real):
        """The target's words see the words after them: the self-attention has no causal mask.

        At inference later words do not exist yet. Which entries of the scores must be hidden?
        """
        return _decoder(G, H_E, W, real, causal=False)

    def no_padding_mask(G, H_E, W, real):
        """Cross-attention attends to the padding of the source as if it were words.

        `real` says which source positions are words. The others are columns of scores to hide.
        """
        return _decoder(G, H_E, W, real, hide=False)

    def no_masks(G, H_E, W, real):
        """There is no mask at all: target words see later ones, and the padding of the source.

        Self-attention needs the causal mask, cross-attention the one that `real` gives.
        """
        return _decoder(G, H_E, W, real, causal=False, hide=False)

    def not_scaled(G, H_E, W, real):
        """The scores are not divided by √d in either attention.

        Both A14 and A16 divide.
        """
        return _decoder(G, H_E, W, real, scale=False)

    def upside_down(G, H_E, W, real):
        """The causal mask is upside down: each word sees itself and the words after it.

        Row j may see column k where k ≤ j.
        """
        A_D = _attend(
            G @ W["W_Q_D"], G @ W["W_K_D"], G @ W["W_V_D"], _causal(G.shape[-2]).mT.contiguous()
        )
        A_C = _attend(A_D @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :])
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def encoders_weights(G, H_E, W, real):
        """The self-attention of the target uses the encoder's matrices, those with an E.

        The decoder has matrices of its own, with a D.
        """
        return _decoder(G, H_E, W, real, asks="E")

    def self_weights_in_cross(G, H_E, W, real):
        """Cross-attention uses the matrices of the self-attention, those with a D.

        It has its own, with a C.
        """
        return _decoder(G, H_E, W, real, cross="D")

    def encoders_network(G, H_E, W, real):
        """The network at the end uses the encoder's matrices W₁ and W₂.

        The decoder has its own, with a D.
        """
        return _decoder(G, H_E, W, real, net="E")

    def one_attention(G, H_E, W, real):
        """The rows of G ask the source directly: the masked self-attention is missing.

        How many attentions does a decoder have? A_D comes first, and its rows ask.
        """
        A_C = _attend(G @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :])
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def never_reads_the_source(G, H_E, W, real):
        """The second attention asks the target again: keys and values come from A_D.

        In cross-attention the decoder asks and the encoder answers. Which of Q, K, V come from H_E?
        """
        m = _causal(G.shape[-2])
        A_D = _attend(G @ W["W_Q_D"], G @ W["W_K_D"], G @ W["W_V_D"], m)
        A_C = _attend(A_D @ W["W_Q_C"], A_D @ W["W_K_C"], A_D @ W["W_V_C"], m)
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def source_asks(G, H_E, W, real):
        """In cross-attention the source asks and the target answers: Q comes from H_E.

        The result must have one row for each target word. So which rows ask?
        """
        m = _causal(G.shape[-2])
        A_D = _attend(G @ W["W_Q_D"], G @ W["W_K_D"], G @ W["W_V_D"], m)
        A_C = _attend(H_E @ W["W_Q_C"], A_D @ W["W_K_C"], A_D @ W["W_V_C"])
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def network_missing(G, H_E, W, real):
        """This is A_C. The network at the end is missing.

        A17 makes H_D from A_C, with W_1_D and W_2_D.
        """
        A_D = _attend(G @ W["W_Q_D"], G @ W["W_K_D"], G @ W["W_V_D"], _causal(G.shape[-2]))
        return _attend(A_D @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :])

    def relu_missing(G, H_E, W, real):
        """The network has no ReLU between its two matrices.

        A17 says ReLU(A_C W₁) W₂.
        """
        return Wrong.network_missing(G, H_E, W, real) @ W["W_1_D"] @ W["W_2_D"]

    def two_networks(G, H_E, W, real):
        """There is a network after the self-attention, too. Document A has a single one, at the
        end.

        Follow the names: A_D goes into Q_C unchanged.
        """
        A_D = _attend(G @ W["W_Q_D"], G @ W["W_K_D"], G @ W["W_V_D"], _causal(G.shape[-2]))
        A_D = torch.relu(A_D @ W["W_1_D"]) @ W["W_2_D"]
        A_C = _attend(A_D @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :])
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def with_detours(G, H_E, W, real):
        """G is added to A_D, and A_D to A_C. Those are residual connections. This model has none.

        They come in chapter 10. Here each matrix is made from the one before, and nothing is added.
        """
        A_D = G + _attend(G @ W["W_Q_D"], G @ W["W_K_D"], G @ W["W_V_D"], _causal(G.shape[-2]))
        A_C = A_D + _attend(A_D @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :])
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def adds_positions(G, H_E, W, real):
        """You add positions to G inside the decoder. Take the rows of G as they come in.

        Document A adds none here. A repaired model adds them before it calls the decoder.
        """
        return _decoder(G + sinusoidal_positions(*G.shape[-2:]).to(G), H_E, W, real)


class Right:
    """Right answers, written differently."""

    def with_additive_masks(G, H_E, W, real):
        """Zero and minus infinity, as the document writes them."""
        m, d = G.shape[-2:]
        M = torch.full((m, m), -math.inf, dtype=G.dtype).triu(1)
        S = (G @ W["W_Q_D"] @ (G @ W["W_K_D"]).transpose(-1, -2) + M) / d**0.5
        A_D = torch.softmax(S, -1) @ (G @ W["W_V_D"])
        hidden = torch.zeros(real.shape, dtype=G.dtype).masked_fill(~real, -math.inf)[..., None, :]
        S = (A_D @ W["W_Q_C"] @ (H_E @ W["W_K_C"]).transpose(-1, -2) + hidden) / d**0.5
        A_C = torch.softmax(S, -1) @ (H_E @ W["W_V_C"])
        return (A_C @ W["W_1_D"]).clamp(min=0) @ W["W_2_D"]

    def with_einsum(G, H_E, W, real):
        """Names the dimensions."""

        def attend(X, Z, side, allowed):
            Q, K, V = X @ W[f"W_Q_{side}"], Z @ W[f"W_K_{side}"], Z @ W[f"W_V_{side}"]
            e = torch.einsum("...md,...nd->...mn", Q, K) / math.sqrt(X.shape[-1])
            e = torch.where(allowed, e, torch.tensor(-math.inf, dtype=e.dtype))
            return torch.einsum("...mn,...nd->...md", e.softmax(-1), V)

        A_D = attend(G, G, "D", _causal(G.shape[-2]))
        A_C = attend(A_D, H_E, "C", real.unsqueeze(-2))
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def word_by_word(G, H_E, W, real):
        """Row j is computed from the words up to j alone, as at inference."""
        rows = []
        for j in range(G.shape[-2]):
            seen = G[..., : j + 1, :]
            Q = G[..., j : j + 1, :] @ W["W_Q_D"]
            a_D = _attend(Q, seen @ W["W_K_D"], seen @ W["W_V_D"])
            a_C = _attend(a_D @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :])
            rows.append(torch.relu(a_C @ W["W_1_D"]) @ W["W_2_D"])
        return torch.cat(rows, dim=-2)

    def multiplies_exponentials(G, H_E, W, real):
        """Masks of zeros and ones, on the exponentials."""

        def weights(S, allowed):
            e = (S - S.amax(-1, keepdim=True).detach()).exp() * allowed
            return e / e.sum(-1, keepdim=True)

        root = math.sqrt(G.shape[-1])
        S = (G @ W["W_Q_D"]) @ (G @ W["W_K_D"]).mT / root
        A_D = weights(S, _causal(G.shape[-2])) @ (G @ W["W_V_D"])
        S = (A_D @ W["W_Q_C"]) @ (H_E @ W["W_K_C"]).mT / root
        A_C = weights(S, real[..., None, :]) @ (H_E @ W["W_V_C"])
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]


EXERCISE = Exercise(
    id="decoder",
    oracle=correct,
    hint="Compute one matrix after the other and print its shape: A_D, A_C, H_D, each m × d. Which "
    "matrix asks, which one answers, and what must be hidden? Scores have an axis of queries, "
    "`real` does not.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
