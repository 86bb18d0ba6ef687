"""The exercise ``decoder``: from the target's rows to H_D (A13, A14 to A17, D06; chapter 7)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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

    def with_real(name, rows):
        real = torch.tensor(rows)
        G, H_E = draw.normal(2, 3, 4), draw.normal(*real.shape, 4)
        return Case(name, (G, H_E, {of: draw.normal(4, 4, scale=0.75) for of in _NAMES}, real))

    return [
        case("3 target words, 4 source words", 3, 4, 4),
        case("a single target word", 1, 3, 4),
        case("as many target words as source words", 4, 4, 6),
        case("2 sentences, the source padded", 4, 5, 6, batch=(2,), padding=2),
        case("a long target", 6, 3, 4, padding=1),
        case("as many target words as source words, one padded", 4, 4, 4, padding=1),
        with_real("2 sentences of different lengths", [[True, True, False, False, False],
                                                       [True, True, True, True, False]]),
        with_real("padding in front and in between", [[False, True, True, False],
                                                      [True, True, False, True]]),
    ]  # fmt: skip


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


def _parts(G, H_E, W, real, seen=None, hidden=None, fill=-math.inf, values="C", keys="C"):
    """A_D and A_C, with other masks, filling or matrices."""
    d = math.sqrt(G.shape[-1])
    seen = _causal(G.shape[-2]) if seen is None else seen
    S = (G @ W["W_Q_D"]) @ (G @ W["W_K_D"]).mT / d
    A_D = S.masked_fill(~seen, fill).softmax(-1) @ (G @ W["W_V_D"])
    hidden = ~real[..., None, :] if hidden is None else hidden
    S = (A_D @ W["W_Q_C"]) @ (H_E @ W[f"W_K_{keys}"]).mT / d
    return A_D, S.masked_fill(hidden, fill).softmax(-1) @ (H_E @ W[f"W_V_{values}"])


def _net(A, W, net="D"):
    return torch.relu(A @ W[f"W_1_{net}"]) @ W[f"W_2_{net}"]


def _of_self(G, W):
    return _attend(G @ W["W_Q_D"], G @ W["W_K_D"], G @ W["W_V_D"], _causal(G.shape[-2]))


def _of_cross(A, H_E, W, real):
    return _attend(A @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :])


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
        """There is a network after the self-attention, too. Document A's decoder has a single one,
        at the end.

        Follow the names: A_D itself is multiplied by W_Q_C.
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
        A_C = A_D + _attend(
            A_D @ W["W_Q_C"], H_E @ W["W_K_C"], H_E @ W["W_V_C"], real[..., None, :]
        )
        return torch.relu(A_C @ W["W_1_D"]) @ W["W_2_D"]

    def adds_positions(G, H_E, W, real):
        """You add positions to G inside the decoder. Take the rows of G as they come in.

        Document A adds none here. A repaired model adds them before it calls the decoder.
        """
        return _decoder(G + sinusoidal_positions(*G.shape[-2:]).to(G), H_E, W, real)

    def does_not_see_itself(G, H_E, W, real):
        """Rows do not see themselves: the first row of the scores is hidden as a whole, and becomes
        NaN.

        Row j may see column k where k ≤ j.
        """
        return _net(_parts(G, H_E, W, real, seen=_causal(G.shape[-2], -1))[1], W)

    def does_not_see_itself_low(G, H_E, W, real):
        """Rows do not see themselves: the first row gives all words the same weight.

        Row j may see column k where k ≤ j.
        """
        return _net(_parts(G, H_E, W, real, seen=_causal(G.shape[-2], -1), fill=-1e9)[1], W)

    def sees_the_next(G, H_E, W, real):
        """Each row also sees the word after it: the triangle is one too large.

        Row j may see column k where k ≤ j.
        """
        return _net(_parts(G, H_E, W, real, seen=_causal(G.shape[-2], 1))[1], W)

    def sees_only_later(G, H_E, W, real):
        """The causal mask is inverted: each row sees only the words after it, and the last row
        becomes NaN.

        `attend` wants True for what is allowed.
        """
        return _net(_parts(G, H_E, W, real, seen=~_causal(G.shape[-2]))[1], W)

    def sees_only_later_low(G, H_E, W, real):
        """The causal mask is inverted: each row sees only the words after it, and the last row
        gives all words the same weight.

        Row j may see column k where k ≤ j.
        """
        return _net(_parts(G, H_E, W, real, seen=~_causal(G.shape[-2]), fill=-1e9)[1], W)

    def sees_itself_only(G, H_E, W, real):
        """Each row of the self-attention sees itself alone.

        Row j may see column k where k ≤ j.
        """
        return _net(_parts(G, H_E, W, real, seen=torch.eye(G.shape[-2], dtype=torch.bool))[1], W)

    def padding_inverted(G, H_E, W, real):
        """The padding mask is inverted: only padding is visible, and a sentence without any becomes
        NaN.

        `attend` wants True for what is allowed.
        """
        return _net(_parts(G, H_E, W, real, hidden=real[..., None, :])[1], W)

    def padding_inverted_low(G, H_E, W, real):
        """The padding mask is inverted: the scores of words, not of padding, become hugely
        negative.

        `real` is True for words. Which columns of scores should be hidden?
        """
        return _net(_parts(G, H_E, W, real, hidden=real[..., None, :], fill=-1e9)[1], W)

    def both_masks_inverted(G, H_E, W, real):
        """Both masks are inverted.

        `attend` wants True for what is allowed, `masked_fill` True for what is hidden.
        """
        return _net(
            _parts(G, H_E, W, real, seen=~_causal(G.shape[-2]), hidden=real[..., None, :])[1], W
        )

    def causal_in_cross_too(G, H_E, W, real):
        """There is a causal mask in the cross-attention, too.

        The source is known as a whole before the first target word.
        """
        return _net(
            _parts(
                G,
                H_E,
                W,
                real,
                hidden=~(
                    real[..., None, :]
                    & torch.ones(G.shape[-2], H_E.shape[-2], dtype=torch.bool).tril()
                ),
            )[1],
            W,
        )

    def causal_in_cross_too_low(G, H_E, W, real):
        """There is a causal mask in the cross-attention, too; a row that may see no word gives all
        positions the same weight.

        The source is known as a whole before the first target word.
        """
        return _net(
            _parts(
                G,
                H_E,
                W,
                real,
                hidden=~(
                    real[..., None, :]
                    & torch.ones(G.shape[-2], H_E.shape[-2], dtype=torch.bool).tril()
                ),
                fill=-1e9,
            )[1],
            W,
        )

    def causal_in_cross_alone(G, H_E, W, real):
        """The cross-attention has a causal mask in the place of the one for padding.

        The source is known as a whole before the first target word. What does `real` say?
        """
        return _net(
            _parts(
                G,
                H_E,
                W,
                real,
                hidden=~torch.ones(G.shape[-2], H_E.shape[-2], dtype=torch.bool).tril(),
            )[1],
            W,
        )

    def padding_without_an_axis(G, H_E, W, real):
        """Your decoder is right for a single sentence, but in a batch two shapes do not fit
        together.

        Scores are (batch, m, n), and `real` is (batch, n): which axis is missing in it? And do you
        count the axes of `G` and `H_E` from the end, as in `G.shape[-2]`?
        """
        return _net(_parts(G, H_E, W, real, hidden=~real)[1], W)

    def padding_on_queries(G, H_E, W, real):
        """The padding mask lies along the rows of the scores, which are target words.

        `real` belongs to source positions, the columns.
        """
        return _net(_parts(G, H_E, W, real, hidden=~real[..., None])[1], W)

    def first_sentences_padding(G, H_E, W, real):
        """The padding of the first sentence is used for all.

        `real` has a row for each sentence.
        """
        return _net(_parts(G, H_E, W, real, hidden=~real.reshape(-1, real.shape[-1])[0])[1], W)

    def padding_of_all(G, H_E, W, real):
        """A column is hidden only where it is padding in every sentence.

        `real` has a row for each sentence.
        """
        return _net(_parts(G, H_E, W, real, hidden=~real.reshape(-1, real.shape[-1]).any(0))[1], W)

    def padding_of_any(G, H_E, W, real):
        """A column is hidden in all sentences if it is padding in one.

        `real` has a row for each sentence.
        """
        return _net(_parts(G, H_E, W, real, hidden=~real.reshape(-1, real.shape[-1]).all(0))[1], W)

    def padding_at_the_end(G, H_E, W, real):
        """You count the words of a source and hide the columns after that number.

        `real` says of each position whether it is a word; padding may stand in front.
        """
        return _net(
            _parts(
                G,
                H_E,
                W,
                real,
                hidden=~(torch.arange(real.shape[-1]) < real.sum(-1, keepdim=True))[..., None, :],
            )[1],
            W,
        )

    def padding_scores_zero(G, H_E, W, real):
        """In the cross-attention, padding has the score 0. That is an average score, so padding
        gets weight.

        Which score has an exponential of 0?
        """
        A_D = _of_self(G, W)
        S = (A_D @ W["W_Q_C"]) @ (H_E @ W["W_K_C"]).mT / math.sqrt(G.shape[-1])
        S = S.masked_fill(~real[..., None, :], 0.0)
        return _net(S.softmax(-1) @ (H_E @ W["W_V_C"]), W)

    def padding_rows_zero(G, H_E, W, real):
        """The rows of padding in H_E are set to 0. They still take weight from the words.

        A key of zeros has the score 0. Hide padding in the scores.
        """
        H_E = H_E * real[..., None]
        return _decoder(G, H_E, W, real, hide=False)

    def padding_in_self(G, H_E, W, real):
        """The padding of the source is hidden in the self-attention of the target, too.

        Which rows do the columns of the self-attention's scores belong to?
        """
        return _net(_parts(G, H_E, W, real, seen=_causal(G.shape[-2]) & real[..., None, :])[1], W)

    def padding_in_self_alone(G, H_E, W, real):
        """The padding of the source is hidden in the self-attention of the target, and not in the
        cross-attention.

        Which rows do the columns of each attention's scores belong to?
        """
        return _net(
            _parts(
                G,
                H_E,
                W,
                real,
                seen=_causal(G.shape[-2]) & real[..., None, :],
                hidden=torch.zeros_like(real)[..., None, :],
            )[1],
            W,
        )

    def masks_exchanged(G, H_E, W, real):
        """The two masks are exchanged: the padding mask is in the self-attention, the triangle in
        the cross-attention.

        Which rows do the columns of each attention's scores belong to?
        """
        return _net(
            _parts(
                G,
                H_E,
                W,
                real,
                seen=real[..., None, :],
                hidden=~torch.ones(G.shape[-2], H_E.shape[-2], dtype=torch.bool).tril(),
            )[1],
            W,
        )

    def asks_itself_again(G, H_E, W, real):
        """The second attention asks the target again, without a mask: keys and values come from
        A_D.

        In cross-attention the decoder asks and the encoder answers. Which of Q, K, V come from H_E?
        """
        A_D = _of_self(G, W)
        return _net(_attend(A_D @ W["W_Q_C"], A_D @ W["W_K_C"], A_D @ W["W_V_C"]), W)

    def target_rows_answer(G, H_E, W, real):
        """The second attention takes keys and values from G, which the self-attention has read
        already.

        Which of Q, K, V come from H_E?
        """
        A_D = _of_self(G, W)
        return _net(_attend(A_D @ W["W_Q_C"], G @ W["W_K_C"], G @ W["W_V_C"]), W)

    def encoder_asks_itself(G, H_E, W, real):
        """Queries, keys and values of the second attention all come from H_E.

        The result must have one row for each target word. So which rows ask?
        """
        return _net(_of_cross(H_E, H_E, W, real), W)

    def residuals_around_all(G, H_E, W, real):
        """There is a residual connection around each of the three parts. This model has none.

        They come in chapter 10. Here nothing is added.
        """
        A_D = G + _of_self(G, W)
        A_C = A_D + _of_cross(A_D, H_E, W, real)
        return A_C + _net(A_C, W)

    def residual_around_cross(G, H_E, W, real):
        """A_D is added to the output of the cross-attention. This model has no residual
        connections.

        They come in chapter 10. Here nothing is added.
        """
        A_D = _of_self(G, W)
        return _net(A_D + _of_cross(A_D, H_E, W, real), W)

    def residual_around_self(G, H_E, W, real):
        """G is added to the output of the self-attention. This model has no residual connections.

        They come in chapter 10. Here nothing is added.
        """
        return _net(_of_cross(G + _of_self(G, W), H_E, W, real), W)

    def residual_around_network(G, H_E, W, real):
        """A_C is added to the output of the network. This model has no residual connections.

        They come in chapter 10. Here nothing is added.
        """
        A_C = _of_cross(_of_self(G, W), H_E, W, real)
        return A_C + _net(A_C, W)

    def g_added_at_the_end(G, H_E, W, real):
        """G is added to the result. This model has no residual connections.

        They come in chapter 10. Here nothing is added.
        """
        return G + correct(G, H_E, W, real)

    def side_by_side(G, H_E, W, real):
        """G asks in both attentions, and their outputs are added.

        Follow the names: which rows ask in the cross-attention?
        """
        return _net(_of_self(G, W) + _of_cross(G, H_E, W, real), W)

    def encoders_keys_and_values(G, H_E, W, real):
        """The keys and values of the cross-attention are made with the encoder's matrices, those
        with an E.

        Cross-attention has matrices of its own, with a C, for all three.
        """
        return _net(_parts(G, H_E, W, real, values="E", keys="E")[1], W)

    def decoders_keys_and_values(G, H_E, W, real):
        """The keys and values of the cross-attention are made with the self-attention's matrices,
        those with a D.

        Cross-attention has matrices of its own, with a C, for all three.
        """
        return _net(_parts(G, H_E, W, real, values="D", keys="D")[1], W)

    def encoders_values(G, H_E, W, real):
        """The values of the cross-attention are made with the encoder's matrix.

        Cross-attention has matrices of its own, with a C.
        """
        return _net(_parts(G, H_E, W, real, values="E")[1], W)

    def encoders_keys(G, H_E, W, real):
        """The keys of the cross-attention are made with the encoder's matrix.

        Cross-attention has matrices of its own, with a C.
        """
        return _net(_parts(G, H_E, W, real, keys="E")[1], W)

    def queries_with_d(G, H_E, W, real):
        """The queries of the cross-attention are made with the matrix of the self-attention.

        Cross-attention has matrices of its own, with a C, for all three.
        """
        return _decoder(G, H_E, W | {"W_Q_C": W["W_Q_D"]}, real)

    def cross_weights_in_self(G, H_E, W, real):
        """The self-attention uses the matrices of the cross-attention, those with a C.

        It has its own, with a D.
        """
        return _decoder(G, H_E, W, real, asks="C")

    def weights_of_the_two_exchanged(G, H_E, W, real):
        """The two attentions have each other's matrices.

        Those with a D belong to the self-attention, those with a C to the other one.
        """
        return _decoder(G, H_E, W, real, asks="C", cross="D")

    def all_of_the_encoder(G, H_E, W, real):
        """Everything but the cross-attention is made with the encoder's matrices.

        The decoder has matrices of its own, with a D.
        """
        return _decoder(G, H_E, W, real, asks="E", net="E")

    def queries_and_keys_exchanged(G, H_E, W, real):
        """In the cross-attention, W_Q and W_K have changed places.

        Which rows does each of them multiply?
        """
        return _decoder(G, H_E, W | {"W_Q_C": W["W_K_C"], "W_K_C": W["W_Q_C"]}, real)

    def queries_and_keys_exchanged_in_self(G, H_E, W, real):
        """In the self-attention, queries and keys have changed places.

        Which matrix makes the rows that ask? The rows of the scores belong to these.
        """
        return _decoder(G, H_E, W | {"W_Q_D": W["W_K_D"], "W_K_D": W["W_Q_D"]}, real)

    def keys_for_values(G, H_E, W, real):
        """The cross-attention averages its keys: W_V_C has no effect.

        Keys say where to look, values say what is found there.
        """
        return _net(_parts(G, H_E, W | {"W_V_C": W["W_K_C"]}, real)[1], W)

    def keys_for_values_in_self(G, H_E, W, real):
        """The self-attention averages its keys: W_V_D has no effect.

        Keys say where to look, values say what is found there.
        """
        return _decoder(G, H_E, W | {"W_V_D": W["W_K_D"]}, real)

    def rows_for_values(G, H_E, W, real):
        """The cross-attention averages the rows of H_E themselves: W_V_C has no effect.

        Values are computed from these rows, just as keys are.
        """
        return _decoder(G, H_E, W | {"W_V_C": torch.eye(G.shape[-1], dtype=G.dtype)}, real)

    def rows_for_values_in_self(G, H_E, W, real):
        """The self-attention averages the rows of G themselves: W_V_D has no effect.

        Values are computed from these rows, just as keys are.
        """
        return _decoder(G, H_E, W | {"W_V_D": torch.eye(G.shape[-1], dtype=G.dtype)}, real)

    def self_without_matrices(G, H_E, W, real):
        """Queries, keys and values of the self-attention are G itself.

        Three matrices with a D make them.
        """
        one = torch.eye(G.shape[-1], dtype=G.dtype)
        return _decoder(G, H_E, W | {"W_Q_D": one, "W_K_D": one, "W_V_D": one}, real)

    def cross_without_matrices(G, H_E, W, real):
        """Queries, keys and values of the cross-attention are A_D and H_E themselves.

        Three matrices with a C make them.
        """
        one = torch.eye(G.shape[-1], dtype=G.dtype)
        return _decoder(G, H_E, W | {"W_Q_C": one, "W_K_C": one, "W_V_C": one}, real)

    def no_query_matrix_in_cross(G, H_E, W, real):
        """A_D itself asks in the cross-attention: W_Q_C has no effect.

        Queries are computed from the rows that ask.
        """
        return _decoder(G, H_E, W | {"W_Q_C": torch.eye(G.shape[-1], dtype=G.dtype)}, real)

    def relu_at_the_end(G, H_E, W, real):
        """The ReLU is applied to the result, and not between the two matrices.

        Look at the brackets in the last equation.
        """
        return torch.relu(_parts(G, H_E, W, real)[1] @ W["W_1_D"] @ W["W_2_D"])

    def relu_twice(G, H_E, W, real):
        """The ReLU between the matrices is right, but a second one follows at the end.

        How often does the last equation say ReLU?
        """
        return torch.relu(correct(G, H_E, W, real))

    def relu_of_the_input(G, H_E, W, real):
        """The ReLU is applied to A_C, before the first matrix.

        Look at the brackets in the last equation.
        """
        return torch.relu(_parts(G, H_E, W, real)[1]) @ W["W_1_D"] @ W["W_2_D"]

    def half_a_network(G, H_E, W, real):
        """The second matrix of the network, W_2_D, is missing.

        What comes after the brackets in the last equation?
        """
        return torch.relu(_parts(G, H_E, W, real)[1] @ W["W_1_D"])

    def networks_matrices_exchanged(G, H_E, W, real):
        """The network's two matrices have changed places.

        A_C is multiplied by W_1_D first.
        """
        return _decoder(G, H_E, W | {"W_1_D": W["W_2_D"], "W_2_D": W["W_1_D"]}, real)

    def source_first(G, H_E, W, real):
        """The rows of G ask the source first, and the self-attention follows.

        Follow the names: which matrix asks in the cross-attention?
        """
        return _net(_of_self(_of_cross(G, H_E, W, real), W), W)

    def network_before_cross(G, H_E, W, real):
        """The network works on A_D, and the cross-attention comes last.

        Follow the names: what goes into the network?
        """
        return _of_cross(_net(_of_self(G, W), W), H_E, W, real)

    def no_cross_attention(G, H_E, W, real):
        """The cross-attention is missing: the network works on A_D, and the source is never read.

        Change H_E. Does your result change?
        """
        return _net(_of_self(G, W), W)

    def self_attention_only(G, H_E, W, real):
        """This is A_D. The cross-attention and the network are missing.

        Three equations follow each other.
        """
        return _of_self(G, W)

    def encoders_network_in_between(G, H_E, W, real):
        """There is a network with the encoder's matrices after the self-attention. Document A's
        decoder has a single one, at the end.

        Follow the names: A_D itself is multiplied by W_Q_C.
        """
        return _net(_of_cross(_net(_of_self(G, W), W, "E"), H_E, W, real), W)

    def source_through_a_network(G, H_E, W, real):
        """H_E goes through a network before it answers. It comes ready from the encoder.

        Follow the names: what is multiplied by W_K_C?
        """
        return _decoder(G, _net(H_E, W, "E"), W, real)

    def scaled_twice(G, H_E, W, real):
        """The scores of both attentions are divided by d, and not by √d.

        `attend` divides by √d already. Do you divide once more?
        """
        root = math.sqrt(G.shape[-1])
        return _decoder(G, H_E, W | {"W_Q_D": W["W_Q_D"] / root, "W_Q_C": W["W_Q_C"] / root}, real)

    def scaled_twice_in_cross(G, H_E, W, real):
        """The scores of the cross-attention are divided by d, and not by √d.

        `attend` divides by √d already. Do you divide once more?
        """
        return _decoder(G, H_E, W | {"W_Q_C": W["W_Q_C"] / math.sqrt(G.shape[-1])}, real)

    def scaled_twice_in_self(G, H_E, W, real):
        """The scores of the self-attention are divided by d, and not by √d.

        `attend` divides by √d already. Do you divide once more?
        """
        return _decoder(G, H_E, W | {"W_Q_D": W["W_Q_D"] / math.sqrt(G.shape[-1])}, real)

    def cross_not_scaled(G, H_E, W, real):
        """The scores of the cross-attention are not divided by √d.

        Both A14 and A16 divide.
        """
        return _decoder(G, H_E, W | {"W_Q_C": W["W_Q_C"] * math.sqrt(G.shape[-1])}, real)

    def self_not_scaled(G, H_E, W, real):
        """The scores of the self-attention are not divided by √d.

        Both A14 and A16 divide.
        """
        return _decoder(G, H_E, W | {"W_Q_D": W["W_Q_D"] * math.sqrt(G.shape[-1])}, real)

    def last_row_only(G, H_E, W, real):
        """You return the row of the last target word only.

        In training, every row predicts a word. How many rows has H_D?
        """
        return correct(G, H_E, W, real)[..., -1:, :]

    def normalised(G, H_E, W, real):
        """Rows are normalised to mean 0 and variance 1 at the end. This model does not do so.

        Layer normalisation comes in chapter 10.
        """
        return torch.nn.functional.layer_norm(correct(G, H_E, W, real), G.shape[-1:])


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
