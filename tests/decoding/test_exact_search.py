"""Exact search, against the enumeration of all sequences."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.decoding.exact_search import Proof, exact_search, prove_best
from mtcourse.decoding.search import EOS, Hypothesis, beam_search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoding_state import cached_state, cached_step, prefix_state, prefix_step
from mtcourse.models.translator import Translator
from tests.helpers.oracles import (
    all_sequences,
    log_probability_of,
    markov_state,
    markov_step,
    model_of_seed,
)

V = 6


def table_of(seed: int, positions: int = 6, scale: float = 1.5) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    scores = scale * torch.randn(1, positions, V, V, generator=generator)
    return scores.log_softmax(-1)


def best_of_all(table: torch.Tensor, longest: int) -> tuple[float, tuple[int, ...]]:
    """The most probable ended sequence, by enumeration."""
    ended = [ids for ids in all_sequences(V, longest) if ids[-1] == EOS]
    return max((log_probability_of(table[0], ids), ids) for ids in ended)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), longest=st.integers(1, 5))
def test_the_best_of_all_sequences_is_found_and_proved(seed, longest):
    table = table_of(seed)
    log_p, ids = best_of_all(table, longest)
    proof = prove_best(markov_step(table), markov_state(1), longest)
    assert proof.proven
    assert proof.hypothesis.ids == ids
    assert proof.hypothesis.log_probability == pytest.approx(log_p, abs=1e-5)
    assert proof.hypothesis.score == proof.hypothesis.log_probability


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), longest=st.integers(2, 5), beams=st.integers(1, 3))
def test_a_known_hypothesis_saves_work_and_changes_nothing(seed, longest, beams):
    table = table_of(seed)
    known = beam_search(
        markov_step(table), markov_state(1), torch.tensor([longest]), beams, length_penalty=0.0
    )[0][0]
    without = prove_best(markov_step(table), markov_state(1), longest)
    if not known.finished:
        return
    with_known = prove_best(markov_step(table), markov_state(1), longest, known)
    assert with_known.hypothesis.ids == without.hypothesis.ids
    assert with_known.expanded <= without.expanded
    assert with_known.proven


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_every_expanded_prefix_is_at_least_as_probable_as_the_best_sentence(seed):
    """No proof is possible with fewer prefixes: each of them might have ended better."""
    table = table_of(seed)
    longest = 4
    log_p, _ = best_of_all(table, longest)
    proof = prove_best(markov_step(table), markov_state(1), longest)
    prefixes = {ids[:n] for ids in all_sequences(V, longest) for n in range(longest)}
    open_ones = [ids for ids in prefixes if EOS not in ids]
    needed = sum(log_probability_of(table[0], ids) > log_p + 1e-5 for ids in open_ones)
    assert needed <= proof.expanded <= needed + 1


def test_greedy_is_not_the_best_and_exact_search_says_so():
    p = torch.full((6, 6), 1e-9)
    p[2, 4], p[2, 5] = 0.6, 0.4
    p[4, EOS], p[4, 4], p[4, 5] = 0.4, 0.3, 0.3
    p[5, EOS] = 1.0
    step = markov_step((p / p.sum(-1, keepdim=True)).log().expand(1, 5, 6, 6))
    ((taken,),) = greedy_search(step, markov_state(1), torch.tensor([5]))
    proof = prove_best(step, markov_state(1), 5, taken)
    assert taken.ids == (4, EOS)
    assert proof.hypothesis.ids == (5, EOS)
    assert proof.proven


def test_a_known_best_is_returned_as_it_is():
    table = table_of(3)
    _, ids = best_of_all(table, 4)
    best = prove_best(markov_step(table), markov_state(1), 4).hypothesis
    proof = prove_best(markov_step(table), markov_state(1), 4, best)
    assert proof.hypothesis is best
    assert best.ids == ids


def test_it_gives_up_where_it_is_told_to_and_says_so():
    table = torch.full((1, 6, V, V), -math.log(V))
    known = Hypothesis((4, EOS), -2 * math.log(V), -2 * math.log(V))
    proof = prove_best(markov_step(table), markov_state(1), 6, most_expanded=0)
    assert proof == Proof(Hypothesis((), 0.0, -math.inf), False, 0)
    proof = prove_best(markov_step(table), markov_state(1), 6, known, most_expanded=0)
    assert proof == Proof(known, False, 0)
    with pytest.raises(MtcourseError, match="sentence 0 is not proved after 0 prefixes"):
        exact_search(markov_step(table), markov_state(1), torch.tensor([6]), most_expanded=0)


def test_an_unfinished_hypothesis_bounds_nothing():
    table = table_of(0)
    with pytest.raises(MtcourseError, match="has not ended"):
        prove_best(markov_step(table), markov_state(1), 4, known=Hypothesis((4, 5), -1.0, -1.0))


def test_a_model_that_never_ends_is_an_error():
    table = table_of(0)
    table[..., EOS] = -math.inf
    with pytest.raises(MtcourseError, match="at most 3 tokens"):
        prove_best(markov_step(table), markov_state(1), 3)


def test_a_state_of_several_sentences_is_an_error():
    tables = torch.cat([table_of(0), table_of(1)])
    with pytest.raises(MtcourseError, match="takes one sentence"):
        prove_best(markov_step(tables), markov_state(2), 3)


@pytest.mark.parametrize("way", ["cached", "prefix"])
def test_a_batch_is_searched_sentence_by_sentence_with_and_without_a_cache(way, device):
    model = model_of_seed(4).to(device)
    with torch.no_grad():  # surer than random weights: else the proof takes very long
        model.output_weight.mul_(6.0)
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(4, 40, (3, 5), generator=generator).to(device)
    mask = source_mask(source)
    if way == "cached":
        step, state = cached_step(model), cached_state(model, source, mask)
    else:
        step = prefix_step(lambda ids, H_E, mask: model.logits(model.decode(ids, H_E, mask)))
        state = prefix_state(model.encode(source, mask), mask)
    longest = torch.tensor([4, 3, 4], device=device)
    found = exact_search(step, state, longest)
    for i, (hypothesis,) in enumerate(found):
        wide = beam_search(step, state.keep(torch.tensor([i], device=device)),
                           longest[i : i + 1], 1000, length_penalty=0.0)[0][0]  # fmt: skip
        assert hypothesis.log_probability >= wide.log_probability - 1e-4
        assert hypothesis.finished
        assert len(hypothesis.ids) <= longest[i]


def test_the_translator_takes_it_as_a_search():
    translator = Translator.load(device="cpu")
    sentences = ["The dog sleeps.", "Which cupboard are they carrying?"]
    assert translator.translate(sentences, exact_search) == [
        "De hond slaapt.", "Welke kast dragen zij?"
    ]  # fmt: skip
