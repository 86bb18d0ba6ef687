"""What chapter 17 measures: forced decoding, hiding words, rankings, models of equal size."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.chapters.seq2seq.faithfulness import Forced, explained, kendall_tau, kept_words
from mtcourse.chapters.seq2seq.families import GRAMMAR, KINDS, REAL, Task, joined_loss, trained
from mtcourse.errors import MtcourseError
from mtcourse.models.changed_attention import uniform_weights
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import bucketed_batches, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.joined_pairs import JoinedBatch
from mtcourse.text.pairs import words
from mtcourse.text.tokenizer import TokenizerPair


@pytest.fixture(scope="module")
def forced() -> list[Forced]:
    """A few held-out sentences and the shipped translator."""
    translator = Translator.load(device="cpu")
    return [Forced(translator, pair) for pair in builtin_corpus(train=100).splits["test"][:12]]


def test_log_probabilities_of_words_add_up_to_what_the_translator_says(forced):
    """The oracle is search: greedy translations come with their log-probability."""
    sources = [one.pair.source for one in forced]
    candidates = forced[0].translator.candidates(sources)
    checked = 0
    for one, (best, *_) in zip(forced, candidates, strict=True):
        if best.text == one.pair.target:
            found = float(one.word_log_probabilities(one.H_E).sum().detach())
            assert found == pytest.approx(best.log_probability, abs=1e-3)
            assert all(one.right())
            checked += 1
    assert checked >= 6


def test_maps_of_weights_are_those_of_the_attention_map(forced):
    for one in forced[:3]:
        looked = one.translator.attention_map(one.pair.source, one.pair.target)
        rows = (one.target_words / one.target_words.sum(0)).T
        expected = rows @ looked.weights @ one.source_words
        torch.testing.assert_close(one.maps["weights"], expected, atol=1e-5, rtol=0)
        assert one.maps["norms"].shape == expected.shape


def test_harm_is_what_a_translator_without_the_word_loses(forced):
    """The oracle: the encoder's rows of one word are cut out, rather than masked."""
    one = forced[0]
    for word in range(one.source_words.shape[1]):
        left = one.H_E[:, one.source_words[:, word] == 0]
        with torch.no_grad():
            lost = one.word_log_probabilities(one.H_E) - one.word_log_probabilities(left)
        torch.testing.assert_close(one.harm[:, word], lost[0], atol=1e-3, rtol=1e-3)


def test_the_gradient_is_that_of_finite_differences():
    one = Forced(Translator.load(device="cpu"), builtin_corpus(train=100).splits["test"][0])
    one.translator.model.double()
    assert one.H_E.dtype == torch.float64
    eps = 1e-5
    slope = one.word_log_probabilities(one.H_E * (1 + eps)) - one.word_log_probabilities(
        one.H_E * (1 - eps)
    )
    by_scale = (slope[0] / (2 * eps)).detach()
    H_E = one.H_E.clone().requires_grad_()
    for j, expected in enumerate(by_scale.tolist()):
        (of_word,) = torch.autograd.grad(one.word_log_probabilities(H_E)[0, j], H_E)
        assert float((of_word * one.H_E).sum()) == pytest.approx(expected, abs=1e-5)
        by_word = (of_word * one.H_E)[0].sum(-1) @ one.source_words.double()
        torch.testing.assert_close(one.gradient[j], by_word.abs())


def test_nothing_is_lost_without_a_change_and_much_with_uniform_attention(forced):
    same = kept_words(forced, lambda weights, mask: weights)
    assert same == {"function": 1.0, "content": 1.0}
    assert kept_words(forced, uniform_weights)["content"] < 0.8


def test_a_ranking_by_the_harm_itself_foretells_it(forced):
    best = explained(forced[:4], lambda one: one.harm)
    worst = explained(forced[:4], lambda one: -one.harm)
    assert best["tau"] == pytest.approx(1)
    assert best["top"] == 1
    assert worst["tau"] == pytest.approx(-1)
    assert worst["top"] == 0
    assert best["harm"] > worst["harm"]


def test_function_words_are_told_from_content_words(forced):
    known = {"de": True, "het": True, ".": True, "niet": True, "?": True, "omdat": True}
    for one in forced:
        assert len(one.is_function_word) == len(words(one.pair.target))
        for word, found in zip(words(one.pair.target), one.is_function_word, strict=True):
            assert found == known.get(word.lower(), found)
    told = [kind for one in forced for kind in one.is_function_word]
    assert any(told)
    assert not all(told)


RANK = st.integers(0, 4).map(float)


@settings(deadline=None)
@given(st.data())
def test_tau_counts_pairs(data):
    first = data.draw(st.lists(RANK, min_size=2, max_size=7))
    second = data.draw(st.lists(RANK, min_size=len(first), max_size=len(first)))
    pairs = list(itertools.combinations(range(len(first)), 2))
    orders = [
        (
            (first[i] > first[j]) - (first[i] < first[j]),
            (second[i] > second[j]) - (second[i] < second[j]),
        )
        for i, j in pairs
    ]
    sizes = [sum(order[k] != 0 for order in orders) for k in (0, 1)]
    if not all(sizes):
        with pytest.raises(MtcourseError, match="no order"):
            kendall_tau(first, second)
        return
    expected = sum(a * b for a, b in orders) / (sizes[0] * sizes[1]) ** 0.5
    assert kendall_tau(first, second) == pytest.approx(expected)


def test_rankings_of_different_lengths_are_an_error():
    with pytest.raises(MtcourseError, match="cannot rank 2 things against 3"):
        kendall_tau([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("sizes", [GRAMMAR, REAL])
def test_both_architectures_weigh_the_same_within_one_in_a_hundred(sizes):
    both, alone = (
        sum(parameter.numel() for parameter in model.parameters())
        for model in (sizes.encoder_decoder(0), sizes.decoder(0))
    )
    assert abs(both - alone) / both < 0.01


@pytest.fixture(scope="module")
def small_task() -> Task:
    """A task that trains in seconds."""
    splits = builtin_corpus(train=600).splits
    tokenizers = TokenizerPair.train(splits["train"], GRAMMAR.V)
    examples, _ = encode_pairs(splits["train"], tokenizers, max_length=60)
    return Task(GRAMMAR, tokenizers, examples, list(splits["test"][:20]))


@pytest.mark.trains
@pytest.mark.parametrize("kind", KINDS)
def test_updates_make_the_known_translations_more_probable(kind, small_task):
    """The oracle is the loss that each kind is trained with, on the pairs of its training set."""

    def loss(translator) -> float:
        model = translator.model
        if KINDS[kind] is None:
            batches = bucketed_batches(small_task.train[:100], 512, 0, 1)
            of = [smoothed_loss(0.0, model, batch) for batch in batches]
        else:
            both_sides, source_counts = KINDS[kind]
            batches = [JoinedBatch.of(small_task.train[:100], source_counts)]
            of = [joined_loss(both_sides, model, batch) for batch in batches]
        return float(sum(one.detach() for one in of)) / sum(b.target_tokens for b in batches)

    early, later = (trained(kind, small_task, 0, steps) for steps in (2, 40))
    assert loss(later) < loss(early) - 0.5
    assert len(later.translate([pair.source for pair in small_task.test])) == 20
