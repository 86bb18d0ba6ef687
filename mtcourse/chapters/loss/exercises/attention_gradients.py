"""The exercise ``attention_gradients``: the gradients of Q, K, V (A23 continued; chapter 8)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.models import framework_gradients


def cases(draw: Draw) -> list[Case]:
    """Two keys with a pencil, one key, sizes that differ, that agree, and batches."""
    Q, K = draw.tensor([[2.0, 0.0, 0.0, 0.0]]), draw.tensor([[0.0, 1.0, 0.0, 0.0], [0.0, 0, 3, 0]])
    V, A_bar = draw.tensor([[4.0, 0.0], [0.0, 2.0]]), draw.tensor([[1.0, 0.0]])
    return [
        Case("one query, two keys with equal weights, d_k = 4", (Q, K, V, A_bar), by_hand=True),
        Case("a single query and a single key", _drawn(draw, (), 1, 1, 3, 2)),
        Case("3 queries and 5 keys, d_k = 4, d_v = 2", _drawn(draw, (), 3, 5, 4, 2)),
        Case("5 queries and 3 keys, d_k = 2, d_v = 6", _drawn(draw, (), 5, 3, 2, 6)),
        Case("everything 4", _drawn(draw, (), 4, 4, 4, 4)),
        Case("2 sentences with 3 heads", _drawn(draw, (2, 3), 4, 5, 6, 3)),
    ]


def _drawn(draw: Draw, leading, m, n, d_k, d_v):
    """Q, K, V and the gradient that arrives at the output."""
    return (
        draw.normal(*leading, m, d_k),
        draw.normal(*leading, n, d_k),
        draw.normal(*leading, n, d_v),
        draw.normal(*leading, m, d_v),
    )


def correct(Q, K, V, A_bar):
    """The package's, with the weights computed first."""
    alpha = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(-1)
    return framework_gradients.attention_gradients(Q, K, V, alpha, A_bar)


def _through(Q, K, V, A_bar, scores_bar=None, scale_Q=1.0, scale_K=1.0):
    """The way back with another derivative of the softmax, or with other scales."""
    root = math.sqrt(Q.shape[-1])
    alpha = (Q @ K.mT / root).softmax(-1)
    alpha_bar = A_bar @ V.mT
    default = alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))
    S_bar = scores_bar(alpha, alpha_bar) if scores_bar else default
    return S_bar @ K / root * scale_Q, S_bar.mT @ Q / root * scale_K, alpha.mT @ A_bar


def _rooted(Q, K, V, A_bar, root):
    """Forward and back, with another number in the place of √d_k."""
    factor = math.sqrt(Q.shape[-1]) / root
    Q_bar, K_bar, V_bar = correct(factor * Q, K, V, A_bar)
    return factor * Q_bar, K_bar, V_bar


def _parts(Q, K, V, A_bar):
    """The weights, their gradient, and that of the scores."""
    alpha = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(-1)
    alpha_bar = A_bar @ V.mT
    return alpha, alpha_bar, alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))


class Wrong:
    """What learners write, the more particular before the more general."""

    def scale_forgotten(Q, K, V, A_bar):
        """The division by √d_k is missing on the way back. It stands between Q Kᵀ and S.

        A factor on the way forward is also a factor on the way back.
        """
        root = math.sqrt(Q.shape[-1])
        return _through(Q, K, V, A_bar, scale_Q=root, scale_K=root)

    def scale_forgotten_for_keys(Q, K, V, A_bar):
        """The gradient of the queries is divided by √d_k, but that of the keys is not.

        Queries and keys both enter through S = Q Kᵀ / √d_k, so both gradients have the factor.
        """
        return _through(Q, K, V, A_bar, scale_K=math.sqrt(Q.shape[-1]))

    def scaled_twice(Q, K, V, A_bar):
        """You divided the gradients of queries and keys by √d_k twice.

        On the way forward there is one division by √d_k, so there is one on the way back.
        """
        root = math.sqrt(Q.shape[-1])
        return _through(Q, K, V, A_bar, scale_Q=1 / root, scale_K=1 / root)

    def softmax_skipped(Q, K, V, A_bar):
        """The softmax is missing on the way back: you used the gradient of the weights α for that
        of the scores S.

        Multiply each row of ᾱ by the softmax's derivative, diag(α) - α αᵀ.
        """
        return _through(Q, K, V, A_bar, lambda alpha, alpha_bar: alpha_bar)

    def softmax_diagonal_part(Q, K, V, A_bar):
        """You used only the part diag(α) of the softmax's derivative: α times ᾱ.

        If one score grows, all other weights of the row shrink. The part - α αᵀ stands for that.
        """
        return _through(Q, K, V, A_bar, lambda alpha, alpha_bar: alpha * alpha_bar)

    def half_a_softmax_and_no_scale(Q, K, V, A_bar):
        """Two mistakes: you used only diag(α) of the softmax's derivative, and √d_k is missing.

        Correct one at a time. If one score grows, what do the other weights of its row do?
        """
        root = math.sqrt(Q.shape[-1])
        return _through(Q, K, V, A_bar, lambda alpha, alpha_bar: alpha * alpha_bar, root, root)

    def softmax_diagonal_alone(Q, K, V, A_bar):
        """You took α(1 - α) times ᾱ, as if each score changed only its own weight.

        If one score grows, all other weights of the row shrink. The part - α αᵀ stands for that.
        """
        return _through(Q, K, V, A_bar, lambda alpha, alpha_bar: alpha * (1 - alpha) * alpha_bar)

    def plain_mean_for_weighted(Q, K, V, A_bar):
        """You subtracted the plain mean of ᾱ in each row; it must be the mean weighted by α.

        In rule 3 of the chapter the sum over l has the weights α in it.
        """
        return _through(
            Q, K, V, A_bar, lambda alpha, alpha_bar: alpha * (alpha_bar - alpha_bar.mean(-1, True))
        )

    def along_the_queries(Q, K, V, A_bar):
        """In the softmax's derivative you summed over the queries. Sum over the keys of each query.

        Each row of α belongs to one query and sums to 1, so the sum stays within the row.
        """
        return _through(
            Q,
            K,
            V,
            A_bar,
            lambda alpha, alpha_bar: (
                alpha * (alpha_bar - (alpha * alpha_bar).sum(-2, keepdim=True))
            ),
        )

    def signs_of_scores(Q, K, V, A_bar):
        """The gradients of queries and keys have the wrong sign.

        Which of the two terms of the softmax's derivative is subtracted from the other?
        """
        return _through(Q, K, V, A_bar, scale_Q=-1, scale_K=-1)

    def queries_and_keys_exchanged(Q, K, V, A_bar):
        """You returned the gradient of K first and that of Q second.

        The gradient of Q has the shape of Q. Return it first.
        """
        Q_bar, K_bar, V_bar = correct(Q, K, V, A_bar)
        return K_bar, Q_bar, V_bar

    def values_first(Q, K, V, A_bar):
        """You return the gradient of V first. It belongs last.

        Return them in the order Q, K, V.
        """
        Q_bar, K_bar, V_bar = correct(Q, K, V, A_bar)
        return V_bar, Q_bar, K_bar

    def values_not_transposed(Q, K, V, A_bar):
        """For the gradient of the values you did not transpose the weights.

        A = αV is a product. By rule 1 of the chapter, what is the gradient of its right factor?
        """
        Q_bar, K_bar, _ = correct(Q, K, V, A_bar)
        return Q_bar, K_bar, (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(-1) @ A_bar

    def keys_not_transposed(Q, K, V, A_bar):
        """For the gradient of the keys you did not transpose the gradient of the scores.

        Key j changes the loss through column j of the scores.
        """
        root = math.sqrt(Q.shape[-1])
        alpha = (Q @ K.mT / root).softmax(-1)
        alpha_bar = A_bar @ V.mT
        S_bar = alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))
        return S_bar @ K / root, S_bar @ Q / root, alpha.mT @ A_bar

    def all_dimensions_reversed(Q, K, V, A_bar):
        """A single sentence is right. A batch stops with an error: do you transpose more than the
        last two dimensions?

        `.T` reverses the order of all dimensions; `.mT` swaps the last two.
        """
        root = math.sqrt(Q.shape[-1])
        alpha = (Q @ K.permute(*reversed(range(K.dim()))) / root).softmax(-1)
        alpha_bar = A_bar @ V.permute(*reversed(range(V.dim())))
        S_bar = alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))
        turned = list(reversed(range(S_bar.dim())))
        return S_bar @ K / root, S_bar.permute(*turned) @ Q / root, alpha.permute(*turned) @ A_bar

    def weights_not_scaled(Q, K, V, A_bar):
        """You computed the weights α from scores that were not divided by √d_k.

        The forward pass is ordinary attention: α = softmax(Q Kᵀ / √d_k).
        """
        root = math.sqrt(Q.shape[-1])
        alpha = (Q @ K.mT).softmax(-1)
        alpha_bar = A_bar @ V.mT
        S_bar = alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))
        return S_bar @ K / root, S_bar.mT @ Q / root, alpha.mT @ A_bar

    def scale_forgotten_for_queries(Q, K, V, A_bar):
        """The gradient of the keys is divided by √d_k, but that of the queries is not.

        Queries and keys both enter through S = Q Kᵀ / √d_k, so both gradients have the factor.
        """
        return _through(Q, K, V, A_bar, scale_Q=math.sqrt(Q.shape[-1]))

    def scale_multiplied(Q, K, V, A_bar):
        """You multiplied by √d_k on the way back, as if to undo the division.

        The way back undoes nothing: a factor on the way forward is the *same* factor on the way
        back.
        """
        return _through(Q, K, V, A_bar, scale_Q=Q.shape[-1], scale_K=Q.shape[-1])

    def scale_for_values_too(Q, K, V, A_bar):
        """You divided the gradient of the values by √d_k, too. There is no such factor in A = αV.

        Where does the division by √d_k stand?
        """
        Q_bar, K_bar, V_bar = correct(Q, K, V, A_bar)
        return Q_bar, K_bar, V_bar / math.sqrt(Q.shape[-1])

    def root_of_d_v(Q, K, V, A_bar):
        """You divided by √d_v, the root of the width of the *values*.

        A score is a sum over the width of queries and keys.
        """
        return _rooted(Q, K, V, A_bar, math.sqrt(V.shape[-1]))

    def root_of_the_keys(Q, K, V, A_bar):
        """You divided by the root of the *number* of keys.

        A score is a sum over the width of queries and keys.
        """
        return _rooted(Q, K, V, A_bar, math.sqrt(K.shape[-2]))

    def root_of_the_queries(Q, K, V, A_bar):
        """You divided by the root of the *number* of queries.

        A score is a sum over the width of queries and keys.
        """
        return _rooted(Q, K, V, A_bar, math.sqrt(Q.shape[-2]))

    def never_scaled(Q, K, V, A_bar):
        """There is no √d_k in what you differentiate, neither forward nor back.

        S is Q Kᵀ / √d_k.
        """
        return _rooted(Q, K, V, A_bar, 1.0)

    def root_missing(Q, K, V, A_bar):
        """You divided by d_k, forward and back. The root is missing.

        S is Q Kᵀ / √d_k.
        """
        return _rooted(Q, K, V, A_bar, Q.shape[-1])

    def plain_sum_for_weighted(Q, K, V, A_bar):
        """You subtracted the plain sum of ᾱ in each row; it must be weighted by α.

        In rule 3 of the chapter the sum over l has the weights α in it.
        """
        return _through(Q, K, V, A_bar, lambda a, b: a * (b - b.sum(-1, keepdim=True)))

    def mean_for_sum(Q, K, V, A_bar):
        """You took the mean of α ᾱ in each row; it must be the sum. The weights sum to 1 already.

        In rule 3 of the chapter, is anything divided by the number of keys?
        """
        return _through(Q, K, V, A_bar, lambda a, b: a * (b - (a * b).mean(-1, keepdim=True)))

    def added_for_subtracted(Q, K, V, A_bar):
        """You added the weighted mean of the row. The derivative is diag(α) *minus* α αᵀ.

        If one score grows, what do the other weights of its row do?
        """
        return _through(Q, K, V, A_bar, lambda a, b: a * (b + (a * b).sum(-1, keepdim=True)))

    def outer_weight_forgotten(Q, K, V, A_bar):
        """You subtracted the weighted mean of the row, but did not multiply by α afterwards.

        In row j, both parts of diag(α) - α αᵀ have a factor α_j.
        """
        return _through(Q, K, V, A_bar, lambda a, b: b - (a * b).sum(-1, keepdim=True))

    def outer_weight_only_in_front(Q, K, V, A_bar):
        """The first part, α ᾱ, is right. The second needs a factor α, too, before it is subtracted.

        Write out entry j of (diag(α) - α αᵀ) ᾱ.
        """
        return _through(Q, K, V, A_bar, lambda a, b: a * b - (a * b).sum(-1, keepdim=True))

    def outer_weight_only_behind(Q, K, V, A_bar):
        """The second part, α times the weighted mean, is right. In the first, α is missing.

        Write out entry j of (diag(α) - α αᵀ) ᾱ.
        """
        return _through(Q, K, V, A_bar, lambda a, b: b - a * (a * b).sum(-1, keepdim=True))

    def only_the_second_part(Q, K, V, A_bar):
        """You used only the part -α αᵀ of the softmax's derivative; diag(α) is missing.

        If a score grows, its own weight grows.
        """
        return _through(Q, K, V, A_bar, lambda a, b: -a * (a * b).sum(-1, keepdim=True))

    def weight_squared(Q, K, V, A_bar):
        """You multiplied by α twice after subtracting the weighted mean.

        Write out entry j of (diag(α) - α αᵀ) ᾱ, and count the factors α_j.
        """
        return _through(Q, K, V, A_bar, lambda a, b: a * a * (b - (a * b).sum(-1, keepdim=True)))

    def over_everything(Q, K, V, A_bar):
        """You summed α ᾱ over all queries and keys. Each row has its own sum.

        Each row of α belongs to one query and sums to 1, so the sum stays within the row.
        """
        return _through(Q, K, V, A_bar, lambda a, b: a * (b - (a * b).sum((-2, -1), keepdim=True)))

    def sum_turned_round(Q, K, V, A_bar):
        """The sum of each row lost its dimension, so it was subtracted from a column, or did not
        fit.

        Keep it: `keepdim=True`.
        """
        return _through(Q, K, V, A_bar, lambda a, b: a * (b - (a * b).sum(-1)))

    def softmax_over_queries(Q, K, V, A_bar):
        """Your weights come from a softmax over the queries: each column sums to 1. Each row
        should.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        root = math.sqrt(Q.shape[-1])
        alpha = (Q @ K.mT / root).softmax(-2)
        alpha_bar = A_bar @ V.mT
        S_bar = alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))
        return S_bar @ K / root, S_bar.mT @ Q / root, alpha.mT @ A_bar

    def softmax_and_its_derivative_over_queries(Q, K, V, A_bar):
        """Your softmax and its derivative run over the queries: each column of α sums to 1.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        root = math.sqrt(Q.shape[-1])
        alpha = (Q @ K.mT / root).softmax(-2)
        alpha_bar = A_bar @ V.mT
        S_bar = alpha * (alpha_bar - (alpha * alpha_bar).sum(-2, keepdim=True))
        return S_bar @ K / root, S_bar.mT @ Q / root, alpha.mT @ A_bar

    def softmax_in_dimension_1(Q, K, V, A_bar):
        """A single sentence is right. In a batch, your softmax runs over dimension 1.

        Keys are the *last* dimension of the scores, however many stand in front.
        """
        root = math.sqrt(Q.shape[-1])
        alpha = (Q @ K.mT / root).softmax(1)
        alpha_bar = A_bar @ V.mT
        S_bar = alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))
        return S_bar @ K / root, S_bar.mT @ Q / root, alpha.mT @ A_bar

    def queries_for_keys(Q, K, V, A_bar):
        """You multiplied the gradient of the scores by Q for the queries, and by K for the keys.

        In S = Q Kᵀ / √d_k, the gradient of each factor contains the *other* one.
        """
        _, _, S_bar = _parts(Q, K, V, A_bar)
        root = math.sqrt(Q.shape[-1])
        return S_bar @ Q / root, S_bar.mT @ K / root, correct(Q, K, V, A_bar)[2]

    def values_from_the_scores(Q, K, V, A_bar):
        """For the gradient of the values you used the scores before the softmax.

        A = αV: V is multiplied by the weights.
        """
        S = Q @ K.mT / math.sqrt(Q.shape[-1])
        return *correct(Q, K, V, A_bar)[:2], S.mT @ A_bar

    def values_from_the_gradient_of_scores(Q, K, V, A_bar):
        """For the gradient of the values you used the gradient of the scores. It must be the
        weights.

        A = αV is a product. By rule 1 of the chapter, what is the gradient of its right factor?
        """
        _, _, S_bar = _parts(Q, K, V, A_bar)
        return *correct(Q, K, V, A_bar)[:2], S_bar.mT @ A_bar

    def values_from_the_gradient_of_weights(Q, K, V, A_bar):
        """For the gradient of the values you used the gradient of the weights, not the weights.

        A = αV is a product. By rule 1 of the chapter, what is the gradient of its right factor?
        """
        _, alpha_bar, _ = _parts(Q, K, V, A_bar)
        return *correct(Q, K, V, A_bar)[:2], alpha_bar.mT @ A_bar

    def all_signs(Q, K, V, A_bar):
        """All three gradients have the wrong sign.

        The gradient points to where the loss grows. The step of learning goes the other way.
        """
        return tuple(-x for x in correct(Q, K, V, A_bar))

    def sign_of_queries(Q, K, V, A_bar):
        """The gradient of the queries has the wrong sign.

        Queries and keys enter a score in the same way.
        """
        return _through(Q, K, V, A_bar, scale_Q=-1)

    def sign_of_keys(Q, K, V, A_bar):
        """The gradient of the keys has the wrong sign.

        Queries and keys enter a score in the same way.
        """
        return _through(Q, K, V, A_bar, scale_K=-1)

    def keys_and_values_exchanged(Q, K, V, A_bar):
        """You return the gradient of V second and that of K third.

        Return them in the order Q, K, V.
        """
        Q_bar, K_bar, V_bar = correct(Q, K, V, A_bar)
        return Q_bar, V_bar, K_bar

    def keys_and_values_added_up(Q, K, V, A_bar):
        """You added the gradients of keys and values over the leading dimensions.

        Each sentence and head has its own keys and values. Only weight matrices are shared.
        """
        Q_bar, K_bar, V_bar = correct(Q, K, V, A_bar)
        return Q_bar, *(x.reshape(-1, *x.shape[-2:]).sum(0) for x in (K_bar, V_bar))

    def everything_added_up(Q, K, V, A_bar):
        """You added all three gradients over the leading dimensions.

        Each sentence and head has its own Q, K and V. Only weight matrices are shared.
        """
        return tuple(x.reshape(-1, *x.shape[-2:]).sum(0) for x in correct(Q, K, V, A_bar))

    def values_alone(Q, K, V, A_bar):
        """Your gradients of queries and keys are 0.

        A depends on them through the weights: go back through the softmax.
        """
        V_bar = correct(Q, K, V, A_bar)[2]
        return torch.zeros_like(Q), torch.zeros_like(K), V_bar


class Right:
    """Right answers, written differently."""

    def with_jacobians(Q, K, V, A_bar):
        """The matrix diag(α) - α αᵀ of each row, written out."""
        alpha = torch.softmax(Q @ K.transpose(-1, -2) * Q.size(-1) ** -0.5, dim=-1)
        J = torch.diag_embed(alpha) - alpha[..., :, None] * alpha[..., None, :]
        S_bar = (J @ (A_bar @ V.mT)[..., None]).squeeze(-1) / Q.size(-1) ** 0.5
        return S_bar @ K, S_bar.transpose(-1, -2) @ Q, alpha.transpose(-1, -2) @ A_bar

    def with_einsum(Q, K, V, A_bar):
        """Names the dimensions."""
        scale = 1 / math.sqrt(K.shape[-1])
        alpha = torch.einsum("...ic,...jc->...ij", Q, K).mul(scale).softmax(-1)
        alpha_bar = torch.einsum("...iv,...jv->...ij", A_bar, V)
        mean = torch.einsum("...ij,...ij->...i", alpha, alpha_bar)
        S_bar = alpha * (alpha_bar - mean[..., None])
        return (
            torch.einsum("...ij,...jc->...ic", S_bar, K) * scale,
            torch.einsum("...ij,...ic->...jc", S_bar, Q) * scale,
            torch.einsum("...ij,...iv->...jv", alpha, A_bar),
        )

    def by_the_output(Q, K, V, A_bar):
        """The weighted mean of what arrives at the weights is the output times what arrives
        there.
        """
        root = math.sqrt(Q.shape[-1])
        alpha = (Q @ K.mT / root).softmax(-1)
        mean = (alpha @ V * A_bar).sum(-1, keepdim=True)
        S_bar = alpha * (A_bar @ V.mT - mean) / root
        return [S_bar @ K, S_bar.mT @ Q, alpha.mT @ A_bar]

    def one_query_at_a_time(Q, K, V, A_bar):
        """Loops over sentences and queries."""
        if Q.dim() > 2:
            each = [Right.one_query_at_a_time(*of) for of in zip(Q, K, V, A_bar, strict=True)]
            return tuple(torch.stack(parts) for parts in zip(*each, strict=True))
        Q_bar, K_bar, V_bar = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
        for i in range(len(Q)):
            p = (K @ Q[i] / math.sqrt(Q.shape[1])).softmax(0)
            p_bar = V @ A_bar[i]
            s_bar = p * (p_bar - p @ p_bar) / math.sqrt(Q.shape[1])
            Q_bar[i] = K.T @ s_bar
            K_bar += torch.outer(s_bar, Q[i])
            V_bar += torch.outer(p, A_bar[i])
        return Q_bar, K_bar, V_bar


EXERCISE = Exercise(
    id="attention_gradients",
    oracle=correct,
    hint="A = αV is a product: it gives V_bar and ᾱ. Then a softmax of rows, then S = QKᵀ/√d_k, a "
    "product again. Write the shape of each of them; only one order of the factors fits.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=3e-5,
    forbids=("gradients",),
)
