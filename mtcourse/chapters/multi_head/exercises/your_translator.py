"""The exercise ``your_translator``: Part I put together (A03 to A18, C07, C10; chapter 9)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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


def _varied(
    W, source, read, *, places=sinusoidal_positions, divisor=None, act_E=torch.relu,
    act_D=torch.relu, add=False, after=lambda x: x, hide=None, hide_cross=None, seen=None,
    weigh=None, cross=None, out=lambda U: U,
):  # fmt: skip
    """The model with other parts.

    ``hide`` and ``hide_cross`` go from where words stand in the source, (batch, 1, n), to what may
    be attended to in encoder and cross-attention; ``seen`` changes the causal mask. ``weigh`` goes
    from scores and what may be seen to weights. ``cross`` says where queries, keys and values of
    cross-attention come from, given A_D, H_E, and the embedded source and target. ``after`` is done
    to the output of each attention and network; with ``add``, each adds its input.
    """
    n, m, d = source.shape[-1], read.shape[-1], W["W_O"].shape[0]

    def attend(X, Z, Y, side, allowed):
        Q, K, V = X @ W[f"W_Q_{side}"], Z @ W[f"W_K_{side}"], Y @ W[f"W_V_{side}"]
        scores = Q @ K.mT / (math.sqrt(d) if divisor is None else divisor(d, K))
        if weigh is None:
            weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
        else:
            weights = weigh(scores, allowed)
        return after(weights @ V + X if add else weights @ V)

    def network(A, side, act):
        H = act(A @ W[f"W_1_{side}"]) @ W[f"W_2_{side}"]
        return after(H + A if add else H)

    words = (source != 0)[:, None, :]
    H = W["W_E_X"][source] + places(n, d).to(W["W_O"])
    G = W["W_E_Y"][read] + places(m, d).to(W["W_O"])
    H_E = network(attend(H, H, H, "E", hide(words) if hide else words), "E", act_E)
    triangle = torch.ones(m, m, dtype=torch.bool).tril()
    A_D = attend(G, G, G, "D", seen(triangle) if seen else triangle)
    X, Z, Y = cross(A_D, H_E, H, G) if cross else (A_D, H_E, H_E)
    A_C = attend(X, Z, Y, "C", hide_cross(words) if hide_cross else words)
    return out(network(A_C, "D", act_D) @ W["W_O"])


def _with_others(W, **others):
    """The weights, some of them replaced by others."""
    return W | {name: W[other] for name, other in others.items()}


def _normed(x):
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


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
        return _model(
            {**W, "W_O": torch.eye(W["W_O"].shape[0], dtype=W["W_O"].dtype)}, source, read
        )

    def no_source_positions(W, source, read):
        """You gave the source rows no positions: P is missing there.

        P is added to the embeddings (A05).
        """
        return _model(W, source, read, source_places=False)

    def no_target_positions(W, source, read):
        """You gave the target rows no positions, as in document A.

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

    def log_probabilities(*given):
        """You returned log-probabilities. Return logits, the rows before the softmax.

        The loss takes logits, and applies the softmax itself.
        """
        return _varied(*given, out=lambda U: U.log_softmax(-1))

    def most_likely_words(*given):
        """You returned the ids of the most likely words. Return logits, (batch, m, V_t).

        What is chosen from the logits is not part of the model.
        """
        return _varied(*given, out=lambda U: U.argmax(-1))

    def last_row_alone(*given):
        """You returned the logits of the last position only.

        In training, every position predicts a word: return (batch, m, V_t).
        """
        return _varied(*given, out=lambda U: U[:, -1])

    def sines_before_cosines(*given):
        """In your positions, all sines come first and then all cosines.

        In P, sines and cosines take turns: columns 0 and 1 belong together.
        """

        def halves(n, d):
            P = sinusoidal_positions(n, d)
            return torch.cat([P[:, ::2], P[:, 1::2]], -1)

        return _varied(*given, places=halves)

    def cosines_first(*given):
        """In your positions, each cosine stands before its sine.

        In P, even columns have sines.
        """

        def turned(n, d):
            return sinusoidal_positions(n, d).unflatten(-1, (-1, 2)).flip(-1).flatten(-2)

        return _varied(*given, places=turned)

    def positions_from_1(*given):
        """You counted positions from 1.

        The first row of P belongs to position 0.
        """
        return _varied(*given, places=lambda n, d: sinusoidal_positions(n + 1, d)[1:])

    def positions_of_the_last(*given):
        """You added the same row of P to every word.

        P has a row for each position.
        """
        return _varied(*given, places=lambda n, d: sinusoidal_positions(n, d)[-1:])

    def positions_twice(*given):
        """You added P twice.

        It is added once, to the embeddings.
        """
        return _varied(*given, places=lambda n, d: 2 * sinusoidal_positions(n, d))

    def not_scaled(*given):
        """You did not divide the scores.

        All three attentions divide by √d.
        """
        return _varied(*given, divisor=lambda d, K: 1.0)

    def divided_by_d(*given):
        """You divided the scores by d. Divide them by its square root.

        If the variance is d, what is the standard deviation?
        """
        return _varied(*given, divisor=lambda d, K: d)

    def divided_by_root_of_keys(*given):
        """You divided the scores by the root of the *number* of keys.

        A score adds up d products.
        """
        return _varied(*given, divisor=lambda d, K: math.sqrt(K.shape[-2]))

    def causal_encoder(*given):
        """In the encoder, you hid the later words, too. The source is known as a whole.

        Which of the three attentions is causal?
        """

        def hide(words):
            n = words.shape[-1]
            return words & torch.ones(n, n, dtype=torch.bool).tril()

        return _varied(*given, hide=hide)

    def causal_cross_attention(*given):
        """In cross-attention, you used a causal mask: target word i attends only to source words 0
        to i.

        A target word may attend to all source words.
        """
        m = given[2].shape[-1]

        def hide(words):
            return words & torch.ones(m, words.shape[-1], dtype=torch.bool).tril()

        return _varied(*given, hide_cross=hide)

    def causal_mask_transposed(*given):
        """Each target word attends to itself and the *later* ones.

        Row i of the causal mask says what word i may attend to.
        """
        return _varied(*given, seen=lambda triangle: triangle.T)

    def causal_mask_too_strict(*given):
        """Your target words may not attend to themselves, and the first has nothing at all: NaN.

        Word i may attend to words 0 to i.
        """
        return _varied(*given, seen=lambda triangle: triangle.tril(-1))

    def causal_mask_too_strict_without_nan(*given):
        """Your target words may not attend to themselves, and the first to nothing at all.

        Word i may attend to words 0 to i.
        """

        def weigh(scores, allowed):
            return torch.nan_to_num(scores.masked_fill(~allowed, -math.inf).softmax(-1))

        return _varied(*given, seen=lambda triangle: triangle.tril(-1), weigh=weigh)

    def causal_mask_too_loose(*given):
        """Your target words may attend to the word after them.

        Word i may attend to words 0 to i.
        """
        return _varied(*given, seen=lambda triangle: torch.ones_like(triangle).tril(1))

    def padding_of_the_first_sentence(*given):
        """You used the first sentence's padding for the whole batch.

        Each sentence has its own padding: keep the batch as the mask's first dimension.
        """
        return _varied(*given, hide=lambda words: words[:1], hide_cross=lambda words: words[:1])

    def padding_of_the_first_sentence_in_the_encoder(*given):
        """In the encoder, you used the first sentence's padding for the whole batch.

        Each sentence has its own padding: keep the batch as the mask's first dimension.
        """
        return _varied(*given, hide=lambda words: words[:1])

    def padding_of_the_first_sentence_in_cross_attention(*given):
        """In cross-attention, you used the first sentence's padding for the whole batch.

        Each sentence has its own padding: keep the batch as the mask's first dimension.
        """
        return _varied(*given, hide_cross=lambda words: words[:1])

    def padding_hidden_on_both_sides(*given):
        """In the encoder, you hid padding as a query, too: its rows are NaN, and so is all that is
        computed from them.

        No word may attend *to* padding. Padding itself may attend to words.
        """
        return _varied(*given, hide=lambda words: words & words.mT)

    def masks_turned_round(*given):
        """You hid what may be seen, and showed what is hidden.

        The masks are True where a word may attend. `masked_fill` fills where *its* mask is True.
        """
        return _varied(
            *given, weigh=lambda scores, allowed: scores.masked_fill(allowed, -1e9).softmax(-1)
        )

    def hidden_scores_0(*given):
        """You gave hidden pairs the score 0. They still get a weight, since e⁰ is 1.

        Which score has the exponential 0?
        """
        return _varied(*given, weigh=lambda scores, allowed: (scores * allowed).softmax(-1))

    def hidden_weights_0(*given):
        """You set hidden weights to 0 after the softmax, so the weights of a row sum to less than
        1.

        Hide the scores, before the softmax.
        """
        return _varied(*given, weigh=lambda scores, allowed: scores.softmax(-1) * allowed)

    def masks_added(*given):
        """Your masks raise allowed scores by only 1 compared with hidden ones, so hidden pairs
        still get a weight.

        Which score has the exponential 0?
        """
        return _varied(*given, weigh=lambda scores, allowed: (scores + allowed).softmax(-1))

    def no_masks(*given):
        """You used no mask at all: neither for padding nor for later words.

        Which of the three attentions needs which mask?
        """
        return _varied(*given, weigh=lambda scores, allowed: scores.softmax(-1))

    def softmax_over_queries(*given):
        """Your softmax runs over the queries: each column of weights sums to 1. Each row should.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        return _varied(
            *given, weigh=lambda s, ok: torch.nan_to_num(s.masked_fill(~ok, -math.inf).softmax(-2))
        )

    def shifted_once_more(W, source, read):
        """You shifted `read` once more: it begins with <bos> twice.

        `read` has been shifted already.
        """
        return _varied(W, source, torch.cat([read[:, :1], read[:, :-1]], 1))

    def shifted_back(W, source, read):
        """You left out the first word of `read`, so that a row is missing.

        `read` has been shifted already: <bos> is its first word.
        """
        return (
            _varied(W, source, read[:, 1:])
            if read.shape[1] > 1
            else _varied(W, source, read)[:, :0]
        )

    def no_relu(*given):
        """There is no ReLU in your networks, so that each is one product.

        What stands between W_1 and W_2 (A08, A17)?
        """
        return _varied(*given, act_E=lambda x: x, act_D=lambda x: x)

    def no_relu_in_the_encoder(*given):
        """There is no ReLU in your encoder's network, so that it is one product.

        What stands between W_1 and W_2 (A08)?
        """
        return _varied(*given, act_E=lambda x: x)

    def no_relu_in_the_decoder(*given):
        """There is no ReLU in your decoder's network, so that it is one product.

        What stands between W_1 and W_2 (A17)?
        """
        return _varied(*given, act_D=lambda x: x)

    def gelu_for_relu(*given):
        """Your networks have GELU in place of ReLU.

        Document A prints ReLU (A08, A17).
        """
        gelu = torch.nn.functional.gelu
        return _varied(*given, act_E=gelu, act_D=gelu)

    def relu_at_the_end(W, source, read):
        """Your encoder's network has a second ReLU, after W_2.

        Where does the ReLU stand (A08)?
        """
        return _varied(W, source, read, cross=lambda A_D, H_E, H, G: (A_D, *[H_E.relu()] * 2))

    def residual_connections(*given):
        """You added residual connections. The model of chapter 7 has none.

        In A07 to A18, is the input of an attention or a network ever added to its output?
        """
        return _varied(*given, add=True)

    def residual_and_norm(*given):
        """You added residual connections and layer normalisation. The model of chapter 7 has
        neither.

        Part II adds them.
        """
        return _varied(*given, add=True, after=_normed)

    def layer_norm(*given):
        """You normalised rows. The model of chapter 7 does not.

        Part II adds layer normalisation.
        """
        return _varied(*given, after=_normed)

    def values_from_the_embedded_source(*given):
        """In cross-attention, your keys come from H_E, but your values from the embedded source.

        Keys and values both come from the encoder's output (A15).
        """
        return _varied(*given, cross=lambda A_D, H_E, H, G: (A_D, H_E, H))

    def keys_from_the_embedded_source(*given):
        """In cross-attention, your values come from H_E, but your keys from the embedded source.

        Keys and values both come from the encoder's output (A15).
        """
        return _varied(*given, cross=lambda A_D, H_E, H, G: (A_D, H, H_E))

    def network_before_cross_attention(W, source, read):
        """You put the decoder's network before cross-attention as well as after it.

        After self-attention (A13) comes cross-attention (A16), then the network (A17).
        """

        def cross(A_D, H_E, H, G):
            return _network(A_D, W, "D"), H_E, H_E

        return _varied(W, source, read, cross=cross)

    def cross_matrices_in_the_decoder(W, source, read):
        """Your decoder's self-attention uses the matrices of cross-attention, whose names end in C.

        Its own matrices have names that end in D.
        """
        return _model(_with_others(W, W_Q_D="W_Q_C", W_K_D="W_K_C", W_V_D="W_V_C"), source, read)

    def encoders_matrices_in_cross_attention(W, source, read):
        """Your cross-attention uses the encoder's matrices, whose names end in E.

        Its own matrices have names that end in C.
        """
        return _model(_with_others(W, W_Q_C="W_Q_E", W_K_C="W_K_E", W_V_C="W_V_E"), source, read)

    def decoders_matrices_in_the_encoder(W, source, read):
        """Your encoder's attention uses the decoder's matrices, whose names end in D.

        Its own matrices have names that end in E.
        """
        return _model(_with_others(W, W_Q_E="W_Q_D", W_K_E="W_K_D", W_V_E="W_V_D"), source, read)

    def decoders_network_in_the_encoder(W, source, read):
        """Your encoder's network uses the decoder's two matrices.

        Its own matrices have names that end in E.
        """
        return _model(_with_others(W, W_1_E="W_1_D", W_2_E="W_2_D"), source, read)

    def networks_exchanged(W, source, read):
        """Encoder and decoder use each other's network.

        Names that end in E belong to the encoder, in D to the decoder.
        """
        others = {"W_1_E": "W_1_D", "W_2_E": "W_2_D", "W_1_D": "W_1_E", "W_2_D": "W_2_E"}
        return _model(_with_others(W, **others), source, read)

    def network_matrices_exchanged(W, source, read):
        """In both networks, W_2 comes first and W_1 second.

        Rows meet W_1 first (A08, A17).
        """
        others = {"W_1_E": "W_2_E", "W_2_E": "W_1_E", "W_1_D": "W_2_D", "W_2_D": "W_1_D"}
        return _model(_with_others(W, **others), source, read)

    def network_matrices_exchanged_in_the_encoder(W, source, read):
        """In the encoder's network, W_2 comes first and W_1 second.

        Rows meet W_1 first (A08).
        """
        return _model(_with_others(W, W_1_E="W_2_E", W_2_E="W_1_E"), source, read)

    def network_matrices_exchanged_in_the_decoder(W, source, read):
        """In the decoder's network, W_2 comes first and W_1 second.

        Rows meet W_1 first (A17).
        """
        return _model(_with_others(W, W_1_D="W_2_D", W_2_D="W_1_D"), source, read)

    def queries_and_keys_exchanged_in_cross_attention(W, source, read):
        """In cross-attention you exchanged W_Q and W_K.

        Queries come from the target, keys from the source.
        """
        return _model(_with_others(W, W_Q_C="W_K_C", W_K_C="W_Q_C"), source, read)

    def queries_and_keys_exchanged_in_the_encoder(W, source, read):
        """In the encoder you exchanged W_Q and W_K.

        Rows of the scores are queries.
        """
        return _model(_with_others(W, W_Q_E="W_K_E", W_K_E="W_Q_E"), source, read)

    def queries_and_keys_exchanged_in_the_decoder(W, source, read):
        """In the decoder's self-attention you exchanged W_Q and W_K.

        Rows of the scores are queries.
        """
        return _model(_with_others(W, W_Q_D="W_K_D", W_K_D="W_Q_D"), source, read)

    def keys_and_values_exchanged_in_cross_attention(W, source, read):
        """In cross-attention you exchanged W_K and W_V.

        Scores compare queries with keys, and the weights multiply the values.
        """
        return _model(_with_others(W, W_K_C="W_V_C", W_V_C="W_K_C"), source, read)

    def mask_with_a_dimension_for_heads(W, source, read):
        """In the encoder, your padding mask is (batch, 1, 1, n) and the scores (batch, n, n), so
        the result has the batch twice.

        The mask has a dimension for heads, which this model does not have. Which index removes it?
        """
        return _varied(W, source, read, hide=lambda words: words[:, None])

    def encoder_in_a_circle(W, source, read):
        """Your source goes through the encoder's attention and network twice.

        The model of chapter 7 has one layer.
        """
        real = (source != 0)[:, None, :]

        def cross(A_D, H_E, H, G):
            Q, K, V = (H_E @ W[f"W_{name}_E"] for name in "QKV")
            again = _network(_attend(Q, K, V, real), W, "E")
            return A_D, again, again

        return _varied(W, source, read, cross=cross)


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
