"""Every gradient of document A's model by hand, against autograd and against finite differences."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.layers.embeddings import embedding_gradient
from mtcourse.layers.masks import causal_mask
from mtcourse.models.framework_gradients import (
    attention_gradients,
    feed_forward_gradients,
    forward_record,
    framework_gradients,
    log_probabilities,
    probabilities_from_attention,
    product_gradients,
    relu_gradient,
    softmax_gradient,
    weights_of,
)
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel, feed_forward
from mtcourse.training.likelihood import corpus_loss, descend, logit_gradient, token_losses
from mtcourse.training.loss import label_smoothed_loss

EXACT = {"rtol": 0.0, "atol": 1e-10}
SIXTEEN = {
    "W_E_X", "W_Q_E", "W_K_E", "W_V_E", "W_1_E", "W_2_E", "W_E_Y", "W_Q_D", "W_K_D", "W_V_D",
    "W_Q_C", "W_K_C", "W_V_C", "W_1_D", "W_2_D", "W_O",
}  # fmt: skip


def problem(seed: int, batch: int, n: int, m: int, V_s: int = 9, V_t: int = 11):
    """Ids of a padded batch: source, what the decoder reads, labels, and the source's mask."""
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(1, V_s, (batch, n), generator=generator)
    read = torch.randint(1, V_t, (batch, m), generator=generator)
    labels = torch.randint(1, V_t, (batch, m), generator=generator)
    lengths = torch.randint(1, n + 1, (batch,), generator=generator)
    source[torch.arange(n) >= lengths[:, None]] = 0
    labels[torch.arange(m) >= torch.randint(1, m + 1, (batch,), generator=generator)[:, None]] = 0
    return source, read, labels, (source != 0)[:, None, None]


def drawn(seed: int, *shapes: tuple[int, ...]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def by_autograd(function, inputs, upstream):
    """What autograd says of each input, given the gradient of the output."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    return torch.autograd.grad((function(*leaves) * upstream).sum(), leaves)


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 1000),
    batch=st.integers(1, 3),
    n=st.integers(1, 5),
    m=st.integers(1, 5),
    d=st.integers(1, 7),
    smoothing=st.sampled_from([0.0, 0.1]),
    positions=st.booleans(),
)
def test_all_sixteen_gradients_are_those_of_autograd(seed, batch, n, m, d, smoothing, positions):
    source, read, labels, mask = problem(seed, batch, n, m)
    model = FrameworkModel(FrameworkConfig(9, 11, d, positions), seed=seed).double()
    label_smoothed_loss(model(source, read, mask), labels, smoothing).backward()
    weights = weights_of(model)
    record = forward_record(weights, source, read, mask, positions)
    found = framework_gradients(weights, record, logit_gradient(record.U, labels, smoothing))
    assert set(found) == SIXTEEN
    for name, weight in model.named_parameters():
        assert weight.grad is not None
        torch.testing.assert_close(found[name], weight.grad, msg=name, **EXACT)


def test_the_record_ends_in_the_models_logits():
    source, read, _, mask = problem(3, 2, 4, 5)
    for positions in (False, True):
        model = FrameworkModel(FrameworkConfig(9, 11, 6, positions), seed=2).double()
        record = forward_record(weights_of(model), source, read, mask, positions)
        torch.testing.assert_close(record.U, model(source, read, mask).detach(), **EXACT)
        torch.testing.assert_close(record.H_E, model.encode(source, mask).detach(), **EXACT)
        assert forward_record(weights_of(model), source, read).encoder.alpha.min() > 0


def test_the_recursion_of_document_a_gives_the_models_probabilities():
    source, read, _, mask = problem(4, 2, 3, 4)
    model = FrameworkModel(FrameworkConfig(9, 11, 5), seed=3).double()
    weights = weights_of(model)
    record = forward_record(weights, source, read, mask)
    wanted = model(source, read, mask).softmax(-1).detach()
    names = ("W_1_D", "W_2_D", "W_O")
    found = probabilities_from_attention(record.cross.A, *(weights[name] for name in names))
    torch.testing.assert_close(found, wanted, **EXACT)
    torch.testing.assert_close(log_probabilities(record.H_D, weights["W_O"]), wanted.log(), **EXACT)


def test_one_entry_of_each_weight_against_a_finite_difference():
    source, read, labels, mask = problem(5, 2, 3, 4)
    weights = weights_of(FrameworkModel(FrameworkConfig(9, 11, 4), seed=4).double())
    weights["W_E_Y"] = 3 * weights["W_E_Y"]  # so that the decoder's softmax is not flat
    record = forward_record(weights, source, read, mask)
    found = framework_gradients(weights, record, logit_gradient(record.U, labels))

    def loss(changed):
        return token_losses(forward_record(changed, source, read, mask).U, labels).sum().item()

    for name, W in weights.items():
        place = int(found[name].abs().argmax())
        nudge = torch.zeros(W.numel(), dtype=W.dtype)
        nudge[place] = 1e-6
        nudge = nudge.reshape(W.shape)
        rise = loss(weights | {name: W + nudge}) - loss(weights | {name: W - nudge})
        slope = found[name].flatten()[place].item()
        assert rise / 2e-6 == pytest.approx(slope, rel=1e-4, abs=1e-8), name


def test_the_gradient_of_a_product():
    X, W, Y_bar = drawn(1, (2, 3, 4), (4, 5), (2, 3, 5))
    for found, wanted in zip(
        product_gradients(X, W, Y_bar), by_autograd(torch.matmul, (X, W), Y_bar), strict=True
    ):
        torch.testing.assert_close(found, wanted, **EXACT)
    one = product_gradients(X[0], W, Y_bar[0])[1] + product_gradients(X[1], W, Y_bar[1])[1]
    torch.testing.assert_close(one, product_gradients(X, W, Y_bar)[1], **EXACT)


def test_the_gradient_of_a_relu_passes_where_it_was_positive():
    F = torch.tensor([-1.0, 0.0, 2.0])
    assert relu_gradient(F, torch.tensor([5.0, 6.0, 7.0])).tolist() == [0.0, 0.0, 7.0]


def test_the_gradient_of_a_network():
    inputs = drawn(2, (2, 3, 4), (4, 6), (6, 4))
    (H_bar,) = drawn(3, (2, 3, 4))
    wanted = by_autograd(feed_forward, inputs, H_bar)
    for ours, theirs in zip(feed_forward_gradients(*inputs, H_bar), wanted, strict=True):
        torch.testing.assert_close(ours, theirs, **EXACT)


def test_the_gradient_of_a_softmax_is_its_jacobian_times_what_arrives():
    s, alpha_bar = drawn(4, (5,), (5,))
    J = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), s)
    torch.testing.assert_close(softmax_gradient(s.softmax(-1), alpha_bar), J.mT @ alpha_bar)


@pytest.mark.parametrize("causal", [False, True])
def test_the_gradient_of_attention_with_and_without_a_mask(causal):
    m, n = (4, 4) if causal else (3, 5)
    Q, K, V = drawn(5, (2, m, 6), (2, n, 6), (2, n, 3))
    (A_bar,) = drawn(6, (2, m, 3))
    mask = causal_mask(4) if causal else None

    def attention(Q, K, V):
        return scaled_dot_product_attention(Q, K, V, mask)[0]

    alpha = scaled_dot_product_attention(Q, K, V, mask)[1]
    wanted = by_autograd(attention, (Q, K, V), A_bar)
    for ours, theirs in zip(attention_gradients(Q, K, V, alpha, A_bar), wanted, strict=True):
        torch.testing.assert_close(ours, theirs, **EXACT)


def test_rows_of_a_table_get_the_gradients_of_all_places_where_their_word_stood():
    H_bar = torch.tensor([[[1.0, 2.0], [10.0, 20.0]], [[100.0, 200.0], [0.5, 0.5]]])
    found = embedding_gradient(torch.tensor([[3, 1], [3, 0]]), H_bar, V=5)
    assert found.tolist() == [[0.5, 0.5], [10.0, 20.0], [0.0, 0.0], [101.0, 202.0], [0.0, 0.0]]


def test_gradient_descent_by_hand_lowers_the_loss():
    source, read, labels, mask = problem(7, 3, 4, 5)
    weights = weights_of(FrameworkModel(FrameworkConfig(9, 11, 8, True), seed=5).double())
    counts, losses = (labels != 0).sum(-1), []
    for _ in range(60):
        record = forward_record(weights, source, read, mask, True)
        losses.append(corpus_loss(token_losses(record.U, labels), counts).item())
        U_bar = logit_gradient(record.U, labels) / counts.sum()
        weights = descend(weights, framework_gradients(weights, record, U_bar), 0.02)
    assert losses[-1] < 0.6 * losses[0]
