"""The equations of chapter 8: losses against torch's, gradients against autograd."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.training.likelihood import (
    corpus_loss,
    descend,
    entropy_of_targets,
    logit_gradient,
    sequence_loss,
    smoothed_targets,
    token_losses,
)
from mtcourse.training.loss import label_smoothed_loss


def problem(seed: int = 0, sentences: int = 4, longest: int = 6, V: int = 9):
    """Logits, labels padded with 0, and the length of each sentence."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(sentences, longest, V, generator=generator, dtype=torch.float64)
    labels = torch.randint(1, V, (sentences, longest), generator=generator)
    counts = torch.randint(1, longest + 1, (sentences,), generator=generator)
    labels[torch.arange(longest) >= counts[:, None]] = 0
    return logits, labels, counts


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000), longest=st.integers(1, 8), V=st.integers(2, 12))
def test_token_losses_are_the_cross_entropy_of_torch(seed, longest, V):
    logits, labels, _ = problem(seed, 3, longest, V)
    theirs = F.cross_entropy(logits.mT, labels, ignore_index=0, reduction="none")
    torch.testing.assert_close(token_losses(logits, labels), theirs)


def test_a_token_loss_survives_what_a_softmax_rounds_to_0():
    logits = torch.tensor([[0.0, 1000.0], [1000.0, 0.0]])
    assert token_losses(logits, torch.tensor([0, 0]), ignore=-1).tolist() == [1000.0, 0.0]


def test_a_sequence_loss_is_minus_the_logarithm_of_the_product():
    probabilities = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    loss = sequence_loss(probabilities, torch.tensor([0, 1, 2]))
    assert loss.item() == pytest.approx(-math.log(0.5 * 0.8 * 0.6))
    batch = sequence_loss(probabilities.expand(2, 3, 3), torch.tensor([[0, 1, 2], [1, 0, 0]]))
    assert batch.tolist() == pytest.approx([loss.item(), -math.log(0.25 * 0.1 * 0.2)])


def test_document_a_divides_by_sentences_and_document_c_by_nothing():
    losses = torch.tensor([[1.0, 2.0, 3.0], [4.0, 0.0, 0.0]])
    counts = torch.tensor([3, 1])
    assert corpus_loss(losses, counts, "sum").item() == 10
    assert corpus_loss(losses, counts, "sentences").item() == 5
    assert corpus_loss(losses, counts).item() == 2.5
    assert corpus_loss(losses, counts, "tokens of each sentence").item() == 3


def test_weightings_are_those_of_one_hot_sums():
    logits, labels, counts = problem(3)
    log_p, onehot = logits.log_softmax(-1), F.one_hot(labels, 9) * (labels != 0)[..., None]
    by_the_letter = -(onehot * log_p).sum((1, 2))
    losses = token_losses(logits, labels)
    torch.testing.assert_close(corpus_loss(losses, counts, "sentences"), by_the_letter.mean())
    torch.testing.assert_close(corpus_loss(losses, counts, "sum"), by_the_letter.sum())
    mean = label_smoothed_loss(logits, labels) / (labels != 0).sum()
    torch.testing.assert_close(corpus_loss(losses, counts, "tokens"), mean)


def test_every_sentence_needs_a_token_and_a_known_weighting():
    with pytest.raises(MtcourseError, match=r"\[2, 0\]"):
        corpus_loss(torch.zeros(2, 2), torch.tensor([2, 0]))
    with pytest.raises(MtcourseError, match="no weighting 'words'"):
        corpus_loss(torch.zeros(1, 2), torch.tensor([2]), "words")


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_the_gradient_at_the_logits_is_softmax_less_target(smoothing):
    logits, labels, _ = problem(5)
    logits.requires_grad_()
    label_smoothed_loss(logits, labels, smoothing).backward()
    found = logit_gradient(logits.detach(), labels, smoothing)
    assert logits.grad is not None
    torch.testing.assert_close(found, logits.grad, rtol=0, atol=1e-12)
    torch.testing.assert_close(found.sum(-1), torch.zeros(4, 6, dtype=torch.float64))
    assert (found[labels == 0] == 0).all()


def test_smoothed_targets_sum_to_1_and_are_one_hot_without_smoothing():
    labels = torch.tensor([[2, 0], [1, 3]])
    assert torch.equal(smoothed_targets(labels, 4, 0.0), F.one_hot(labels, 4).float())
    targets = smoothed_targets(labels, 4, 0.2)
    assert targets[0, 0].tolist() == pytest.approx([0.05, 0.05, 0.85, 0.05])


@pytest.mark.parametrize(("V", "smoothing"), [(2, 0.1), (2000, 0.1), (5, 0.0)])
def test_no_smoothed_loss_is_below_the_entropy_of_its_target(V, smoothing):
    target = smoothed_targets(torch.tensor([1]), V, smoothing, torch.float64)
    best = label_smoothed_loss(target.log().clamp(min=-700), torch.tensor([1]), smoothing)
    assert entropy_of_targets(V, smoothing) == pytest.approx(best.item(), abs=1e-9)


def test_a_step_goes_against_the_gradient_of_every_weight():
    weights = {"a": torch.tensor([1.0, 2.0]), "b": torch.tensor([[3.0]])}
    gradients = {"a": torch.tensor([10.0, -10.0]), "b": torch.tensor([[1.0]])}
    moved = descend(weights, gradients, 0.1)
    assert {name: W.tolist() for name, W in moved.items()} == {
        "a": [0.0, 3.0],
        "b": [[pytest.approx(2.9)]],
    }
    assert weights["a"].tolist() == [1.0, 2.0]
    theirs = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    theirs.grad = gradients["a"]
    torch.optim.SGD([theirs], lr=0.1).step()
    torch.testing.assert_close(moved["a"], theirs.detach())


def test_weights_and_gradients_must_belong_together():
    one = torch.ones(1)
    with pytest.raises(MtcourseError, match="together: b, c"):
        descend({"a": one, "b": one}, {"a": one, "c": one}, 0.1)
