"""The loss against torch's own, the chunked one against the plain one, and the known traps."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from mtcourse.errors import MtcourseError
from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.training.loss import cross_entropy, label_smoothed_loss, perplexity

PADDING = 0


def problem(seed=0, tokens=13, d=5, V=11, dtype=torch.float64, device="cpu", padding=0.3):
    """Hidden states, output weights, bias and labels, some of them padding."""
    generator = torch.Generator().manual_seed(seed)
    H = torch.randn(tokens, d, generator=generator, dtype=dtype)
    W = torch.randn(V, d, generator=generator, dtype=dtype)
    bias = torch.randn(V, generator=generator, dtype=dtype)
    labels = torch.randint(1, V, (tokens,), generator=generator)
    labels[torch.rand(tokens, generator=generator) < padding] = PADDING
    H, W, bias = (x.to(device).requires_grad_() for x in (H, W, bias))
    return H, W, bias, labels.to(device)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 1000),
    tokens=st.integers(1, 30),
    smoothing=st.sampled_from([0.0, 0.1, 0.7]),
    ignore=st.sampled_from([0, 3, -100]),
)
def test_label_smoothed_loss_is_the_cross_entropy_of_torch(seed, tokens, smoothing, ignore):
    H, W, bias, labels = problem(seed, tokens)
    labels[labels == PADDING] = ignore
    logits = H @ W.T + bias
    ours = label_smoothed_loss(logits, labels, smoothing, ignore)
    torchs = F.cross_entropy(
        logits, labels, label_smoothing=smoothing, ignore_index=ignore, reduction="sum"
    )
    torch.testing.assert_close(ours, torchs)
    if (labels != ignore).any():
        mean = F.cross_entropy(logits, labels, label_smoothing=smoothing, ignore_index=ignore)
        torch.testing.assert_close(cross_entropy(logits, labels, smoothing, ignore), mean)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 1000),
    tokens=st.integers(1, 30),
    smoothing=st.sampled_from([0.0, 0.1]),
    chunk_tokens=st.integers(1, 40),
    with_bias=st.booleans(),
)
def test_chunked_loss_is_the_plain_loss_with_its_gradients(
    seed, tokens, smoothing, chunk_tokens, with_bias
):
    H, W, bias, labels = problem(seed, tokens)
    bias = bias if with_bias else None
    parameters = [H, W, bias] if with_bias else [H, W]
    plain = label_smoothed_loss(H @ W.T + (0 if bias is None else bias), labels, smoothing)
    chunked = chunked_loss(H, W, bias, labels, smoothing, PADDING, chunk_tokens)
    torch.testing.assert_close(chunked, plain)
    # An upstream factor other than 1, as the division by the tokens is.
    wanted = torch.autograd.grad(plain / 7, parameters)
    for ours, theirs in zip(torch.autograd.grad(chunked / 7, parameters), wanted, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_chunked_loss_on_each_device_with_batches_of_sequences(device):
    H, W, bias, labels = problem(tokens=24, dtype=torch.float32, device=device)
    H3, labels3 = H.reshape(4, 6, -1), labels.reshape(4, 6)
    plain = label_smoothed_loss(H3 @ W.T + bias, labels3, 0.1)
    chunked = chunked_loss(H3, W, bias, labels3, 0.1, chunk_tokens=7)
    torch.testing.assert_close(chunked, plain)
    wanted = torch.autograd.grad(plain, (H, W, bias))
    for ours, theirs in zip(torch.autograd.grad(chunked, (H, W, bias)), wanted, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def test_chunked_loss_passes_gradcheck():
    H, W, bias, labels = problem(tokens=5, d=3, V=4)
    assert torch.autograd.gradcheck(
        lambda H, W, bias: chunked_loss(H, W, bias, labels, 0.1, chunk_tokens=2), (H, W, bias)
    )


def test_chunked_loss_under_bfloat16_autocast_is_the_plain_one_under_it(device):
    H, W, bias, labels = problem(tokens=64, d=16, V=50, dtype=torch.float32, device=device)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        plain = label_smoothed_loss(F.linear(H, W, bias), labels, 0.1)
        chunked = chunked_loss(H, W, bias, labels, 0.1, chunk_tokens=10)
    assert chunked.dtype == torch.float32
    torch.testing.assert_close(chunked, plain, rtol=1e-2, atol=0)
    wanted = torch.autograd.grad(plain, (H, W, bias))
    for ours, theirs in zip(torch.autograd.grad(chunked, (H, W, bias)), wanted, strict=True):
        assert ours.dtype == torch.float32
        assert (ours - theirs).norm() < 1e-2 * theirs.norm()


def test_chunked_loss_without_gradients_and_with_frozen_weights():
    H, W, bias, labels = problem()
    whole = chunked_loss(H, W, bias, labels)
    with torch.no_grad():
        counter = FlopCounterMode(display=False)
        with counter:
            assert chunked_loss(H, W, bias, labels) == whole
        assert counter.get_total_flops() == 2 * int((labels != PADDING).sum()) * W.numel()
    assert not chunked_loss(H.detach(), W.detach(), None, labels).requires_grad
    only_h = chunked_loss(H, W.detach(), bias.detach(), labels)
    (ours,), (wanted,) = torch.autograd.grad(only_h, H), torch.autograd.grad(whole, H)
    torch.testing.assert_close(ours, wanted)


def test_padding_changes_neither_loss_nor_gradient():
    H, W, bias, labels = problem()
    (gradient,) = torch.autograd.grad(chunked_loss(H, W, bias, labels, 0.1), H)
    assert torch.equal(gradient[labels == PADDING], torch.zeros_like(gradient[labels == PADDING]))
    real = labels != PADDING
    assert 0 < real.sum() < len(labels)
    torch.testing.assert_close(
        chunked_loss(H[real], W, bias, labels[real], 0.1), chunked_loss(H, W, bias, labels, 0.1)
    )


def test_no_label_is_a_sum_of_zero_but_no_mean():
    H, W, bias, labels = problem()
    labels[:] = PADDING
    loss = chunked_loss(H, W, bias, labels, 0.1) + label_smoothed_loss(H @ W.T, labels, 0.1)
    assert loss == 0
    assert all(not gradient.any() for gradient in torch.autograd.grad(loss, (H, W)))
    with pytest.raises(MtcourseError, match="all 13 labels are padding"):
        cross_entropy(H @ W.T, labels)


def test_a_class_at_minus_infinity_gets_no_smoothing_mass():
    H, W, bias, labels = problem(padding=0.0)
    labels[labels == 4] = 5
    with torch.no_grad():
        bias[4] = -math.inf
    assert F.cross_entropy(H @ W.T + bias, labels, label_smoothing=0.1).isinf()  # the trap
    others = [k for k in range(11) if k != 4]
    renumbered = torch.tensor([others.index(y) for y in labels.tolist()])
    without = label_smoothed_loss((H @ W.T + bias)[:, others], renumbered, 0.1, ignore=-1)
    for loss in (
        label_smoothed_loss(H @ W.T + bias, labels, 0.1),
        chunked_loss(H, W, bias, labels, 0.1, chunk_tokens=3),
    ):
        torch.testing.assert_close(loss, without)
        wanted = torch.autograd.grad(without, (H, W), retain_graph=True)
        for ours, theirs in zip(torch.autograd.grad(loss, (H, W)), wanted, strict=True):
            torch.testing.assert_close(ours, theirs)


def test_a_label_at_minus_infinity_costs_infinitely_much():
    H, W, bias, labels = problem(padding=0.0)
    with torch.no_grad():
        bias[labels[0]] = -math.inf
    for smoothing in (0.0, 0.1):
        assert label_smoothed_loss(H @ W.T + bias, labels, smoothing) == math.inf
        assert chunked_loss(H, W, bias, labels, smoothing) == math.inf


@pytest.mark.parametrize("label", [11, -100])
def test_a_label_that_is_no_class_is_named(label):
    H, W, bias, labels = problem()
    labels[3] = label
    for loss in (
        lambda: label_smoothed_loss(H @ W.T, labels),
        lambda: chunked_loss(H, W, bias, labels),
    ):
        with pytest.raises(MtcourseError, match=f"label {label} is no class: there are 11, from 0"):
            loss()


def test_arguments_out_of_range_are_named():
    H, W, bias, labels = problem()
    with pytest.raises(MtcourseError, match=r"smoothing is 1\.0"):
        label_smoothed_loss(H @ W.T, labels, 1.0)
    with pytest.raises(MtcourseError, match="chunk_tokens is 0"):
        chunked_loss(H, W, bias, labels, chunk_tokens=0)


def largest_allocation(loss):
    with torch.profiler.profile(profile_memory=True) as profile:
        loss().backward()
    return max(event.self_cpu_memory_usage for event in profile.events())


def test_chunked_loss_never_holds_all_logits():
    H, W, _, labels = problem(tokens=400, d=4, V=300, dtype=torch.float32)
    logits = 4 * 300 * int((labels != PADDING).sum())
    assert largest_allocation(lambda: label_smoothed_loss(H @ W.T, labels, 0.1)) >= logits
    chunked = largest_allocation(lambda: chunked_loss(H, W, None, labels, 0.1, chunk_tokens=8))
    assert 0 < chunked < logits / 10


def test_perplexity_of_a_uniform_guess_is_the_vocabulary():
    logits = torch.zeros(6, 50)
    loss = cross_entropy(logits, torch.arange(1, 7)).item()
    assert perplexity(loss) == pytest.approx(50)
    assert perplexity(0.0) == 1
    assert perplexity(1e6) == math.inf
