"""Search, against enumeration, against ``transformers``, and against the bugs that others had."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import GenerationConfig

from mtcourse.decoding.search import (
    EOS,
    Hypothesis,
    beam_search,
    greedy_search,
    normalised_score,
)
from mtcourse.errors import MtcourseError
from mtcourse.fast.candidates import (
    largest,
    plain_top_continuations,
    top_candidates,
    top_continuations,
)
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoding_state import cached_state, cached_step, prefix_state, prefix_step
from tests.helpers.oracles import (
    all_sequences,
    log_probability_of,
    marian_of,
    markov_state,
    markov_step,
    model_of_seed,
)


def plain_step(model):
    return prefix_step(lambda ids, H_E, mask: model.logits(model.decode(ids, H_E, mask)))


def plain_state(model, source, mask):
    return prefix_state(model.encode(source, mask), mask)


WAYS = {"cached": (cached_step, cached_state), "prefix": (plain_step, plain_state)}


def tables_of(sentences: int, V: int, seed: int, positions: int = 6) -> torch.Tensor:
    """Random tables of log-probabilities, newest token to next, for each sentence and position."""
    generator = torch.Generator().manual_seed(seed)
    scores = 2.0 * torch.randn(sentences, positions, V, V, generator=generator)
    return scores.log_softmax(-1)


def lengths_of(*lengths: int) -> torch.Tensor:
    return torch.tensor(lengths)


def padded_sources(*lengths: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    source = torch.zeros(len(lengths), max(lengths), dtype=torch.int64)
    for row, length in zip(source, lengths, strict=True):
        row[:length] = torch.randint(4, 40, (length,), generator=generator)
    return source


def search(way: str, model, source, max_lengths, beams=4, **options):
    step, state = WAYS[way]
    start = state(model, source, source_mask(source))
    return beam_search(step(model), start, max_lengths, beams, **options)


def greedy(way: str, model, source, max_lengths):
    step, state = WAYS[way]
    found = greedy_search(step(model), state(model, source, source_mask(source)), max_lengths)
    return [hypothesis for (hypothesis,) in found]


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0, -0.5])
@pytest.mark.parametrize("seed", range(4))
def test_a_beam_wide_enough_finds_the_best_of_all_sequences(seed, length_penalty):
    V, longest = 5, 4
    table = tables_of(1, V, seed)
    sequences = [s for s in all_sequences(V, longest) if s[-1] == EOS]
    scored = sorted(
        ((log_probability_of(table[0], s) / len(s) ** length_penalty, s) for s in sequences),
        reverse=True,
    )
    found = beam_search(
        markov_step(table), markov_state(1), lengths_of(longest), 256, length_penalty, n_best=10
    )[0]
    assert [h.ids for h in found] == [s for _, s in scored[:10]]
    for hypothesis, (score, _) in zip(found, scored, strict=False):
        assert hypothesis.score == pytest.approx(score, abs=1e-5)
        assert hypothesis.log_probability == pytest.approx(
            log_probability_of(table[0], hypothesis.ids), abs=1e-5
        )


def test_greedy_is_not_the_most_probable_sentence_and_beam_search_mends_it():
    # After <bos> token 4 is a little likelier than 5, but only 5 leads to a sure end.
    p = torch.full((6, 6), 1e-9)
    p[2, 4], p[2, 5] = 0.6, 0.4
    p[4, EOS], p[4, 4], p[4, 5] = 0.4, 0.3, 0.3
    p[5, EOS] = 1.0
    step = markov_step((p / p.sum(-1, keepdim=True)).log().expand(1, 5, 6, 6))
    ((taken,),) = greedy_search(step, markov_state(1), lengths_of(5))
    best = beam_search(step, markov_state(1), lengths_of(5), 2, length_penalty=0.0)[0][0]
    assert taken.ids == (4, EOS)
    assert best.ids == (5, EOS)
    assert math.exp(best.log_probability) == pytest.approx(0.4, abs=1e-4)
    assert math.exp(taken.log_probability) == pytest.approx(0.24, abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    longest=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    beams=st.integers(1, 4),
    length_penalty=st.sampled_from([0.0, 0.7, 1.0, 2.0, -1.0]),
)
def test_stopping_early_loses_nothing_and_scores_are_forced_scores(
    seed, longest, beams, length_penalty
):
    """The n best equal those of a plain search over lists that runs to the maximum length."""
    V = 7
    tables = tables_of(len(longest), V, seed)
    found = beam_search(
        markov_step(tables),
        markov_state(len(longest)),
        lengths_of(*longest),
        beams,
        length_penalty,
        n_best=beams,
    )
    for hypotheses, table, maximum in zip(found, tables, longest, strict=True):
        expected = plain_beam_search(table, maximum, beams, length_penalty)
        assert [h.ids for h in hypotheses] == [ids for _, ids in expected]
        for hypothesis in hypotheses:
            forced = log_probability_of(table, hypothesis.ids)
            assert hypothesis.log_probability == pytest.approx(forced, abs=1e-4)
            assert hypothesis.score == pytest.approx(
                forced / len(hypothesis.ids) ** length_penalty, abs=1e-4
            )
            assert EOS not in hypothesis.ids[:-1], "a beam went on past <eos>"
            assert len(hypothesis.ids) <= maximum


def plain_beam_search(table, maximum: int, beams: int, length_penalty: float):
    """Beam search over Python lists, never stopping before the maximum length."""
    live, ended = [(0.0, ())], []
    for _ in range(maximum):
        candidates = sorted(
            (
                (log_p + float(table[len(ids), ids[-1] if ids else 2, token]), (*ids, token))
                for log_p, ids in live
                for token in range(table.shape[-1])
            ),
            reverse=True,
        )
        ended += [c for c in candidates[:beams] if c[1][-1] == EOS]
        live = [c for c in candidates if c[1][-1] != EOS][:beams]

    def ranked(hypotheses):
        return sorted(
            ((p / len(ids) ** length_penalty, ids) for p, ids in hypotheses), reverse=True
        )

    return (ranked(ended) + ranked(live))[:beams]


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_beam_of_one_is_greedy(norm, device):
    model = model_of_seed(3, norm).to(device)
    source = padded_sources(5, 9, 3).to(device)
    longest = lengths_of(12, 20, 9).to(device)
    one_beam = search("cached", model, source, longest, beams=1)
    taken = greedy("cached", model, source, longest)
    assert [h[0].ids for h in one_beam] == [h.ids for h in taken]
    for beam, hypothesis in zip(one_beam, taken, strict=True):
        assert beam[0].log_probability == pytest.approx(hypothesis.log_probability, abs=1e-4)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("seed", range(3))
def test_cache_and_no_cache_find_the_same(norm, seed, device):
    model = model_of_seed(seed, norm).to(device)
    source = padded_sources(5, 9, 3, 9).to(device)
    longest = lengths_of(12, 20, 9, 20).to(device)
    cached, plain = (
        search(way, model, source, longest, beams=4, n_best=4) for way in ("cached", "prefix")
    )
    for ours, theirs in zip(cached, plain, strict=True):
        assert [h.ids for h in ours] == [h.ids for h in theirs]
        for a, b in zip(ours, theirs, strict=True):
            assert a.score == pytest.approx(b.score, abs=1e-4)


def test_cached_logits_equal_uncached_ones_at_every_step_also_after_reorders(device):
    model = model_of_seed(1).to(device)
    source = padded_sources(6, 4).to(device)
    mask = source_mask(source)
    states = [cached_state(model, source, mask, capacity=2), plain_state(model, source, mask)]
    steps = [cached_step(model), plain_step(model)]
    generator = torch.Generator().manual_seed(0)
    ids = torch.full((2, 1), 2, device=device)
    for t in range(7):
        results = [step(ids, state) for step, state in zip(steps, states, strict=True)]
        (cached, _), (plain, _) = results
        torch.testing.assert_close(cached, plain, atol=2e-5, rtol=1e-4)
        parents = torch.randint(0, ids.shape[1], (len(ids), 3), generator=generator).to(device)
        states = [state.reorder(parents) for _, state in results]
        ids = torch.randint(4, 40, (len(ids), 3), generator=generator).to(device)
        if t == 4:
            rows = torch.tensor([1], device=device)
            states, ids = [state.keep(rows) for state in states], ids[rows]


@pytest.mark.parametrize("beams", [1, 4])
def test_results_do_not_depend_on_the_other_sentences_or_on_padding(beams, device):
    model = model_of_seed(5).to(device)
    lengths = (5, 9, 3, 8, 2, 9)
    source = padded_sources(*lengths).to(device)
    longest = lengths_of(12, 20, 9, 18, 7, 20).to(device)
    together = search("cached", model, source, longest, beams=beams)
    for i, length in enumerate(lengths):
        alone = search("cached", model, source[i : i + 1, :length], longest[i : i + 1], beams=beams)
        assert alone[0][0].ids == together[i][0].ids
        assert alone[0][0].score == pytest.approx(together[i][0].score, abs=1e-4)


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 0.6])
@pytest.mark.parametrize("seed", range(3))
def test_beam_search_finds_what_transformers_finds(seed, length_penalty):
    model = model_of_seed(seed, "post")
    marian = marian_of(model)
    source = padded_sources(7, 4, 6, seed=seed)
    longest = 12
    theirs = marian.generate(
        input_ids=source,
        attention_mask=(source != 0).long(),
        generation_config=GenerationConfig(
            num_beams=4,
            num_return_sequences=4,
            max_new_tokens=longest,
            length_penalty=length_penalty,
            early_stopping="never",
            do_sample=False,
            pad_token_id=0,
            eos_token_id=3,
            decoder_start_token_id=2,
            output_scores=True,
            return_dict_in_generate=True,
        ),
    )
    ours = search(
        "cached",
        model,
        source,
        torch.full((3,), longest),
        beams=4,
        length_penalty=length_penalty,
        n_best=4,
    )
    flat = [h for hypotheses in ours for h in hypotheses]
    for hypothesis, sequence, score in zip(
        flat, theirs.sequences.tolist(), theirs.sequences_scores.tolist(), strict=True
    ):
        expected = sequence[1:]
        if EOS in expected:
            expected = expected[: expected.index(EOS) + 1]
        assert hypothesis.ids == tuple(expected)
        assert hypothesis.score == pytest.approx(score, abs=1e-4)


def test_an_unfinished_hypothesis_is_scored_like_any_other():
    table = tables_of(1, 6, 0)
    table[..., EOS] = -100.0
    table = table.log_softmax(-1)
    (found,) = beam_search(markov_step(table), markov_state(1), lengths_of(3), 2, n_best=2)
    for hypothesis in found:
        assert not hypothesis.finished
        assert len(hypothesis.ids) == 3
        forced = log_probability_of(table[0], hypothesis.ids)
        assert hypothesis.score == pytest.approx(forced / 3, abs=1e-5)


def test_no_sentences_give_no_hypotheses():
    none = torch.zeros(0, dtype=torch.int64)
    assert beam_search(markov_step(tables_of(1, 5, 0)), markov_state(0), none, 2) == []
    assert greedy_search(markov_step(tables_of(1, 5, 0)), markov_state(0), none) == []


def test_more_results_than_beams_is_an_error_that_says_both():
    with pytest.raises(MtcourseError, match="3 of 2 beams"):
        beam_search(markov_step(tables_of(1, 5, 0)), markov_state(1), lengths_of(3), 2, n_best=3)


def test_finished_says_whether_a_hypothesis_ended_by_itself():
    assert Hypothesis((5, EOS), -1.0, -0.5).finished
    assert not Hypothesis((5,), -1.0, -1.0).finished
    assert not Hypothesis((), 0.0, 0.0).finished


def test_length_normalisation_divides_by_the_length_to_the_penalty():
    score = normalised_score(torch.tensor([-8.0, -8.0]), torch.tensor([4, 2]), 1.0)
    assert score.tolist() == [-2.0, -4.0]
    assert normalised_score(torch.tensor([-8.0]), 4, 0.0).tolist() == [-8.0]


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 3),
    V=st.sampled_from([1, 3, 7, 64, 100, 320, 1000, 8000]),
    k=st.integers(1, 12),
    seed=st.integers(0, 1000),
)
def test_top_candidates_are_the_largest_in_order(rows, V, k, seed):
    scores = torch.randn(rows, V, generator=torch.Generator().manual_seed(seed))
    values, indices = top_candidates(scores, k)
    expected = scores.sort(-1, descending=True).values[:, :k]
    found = min(k, V)
    assert torch.equal(values[:, :found], expected)
    assert torch.equal(scores.gather(-1, indices[:, :found]), expected)
    assert (values[:, found:] == -math.inf).all()
    assert torch.equal(largest(scores), scores.argmax(-1))


@settings(max_examples=60, deadline=None)
@given(
    beams=st.integers(1, 5),
    V=st.sampled_from([1, 3, 7, 64, 320, 1000, 8000]),
    k=st.integers(1, 12),
    seed=st.integers(0, 1000),
)
def test_continuations_by_blocks_are_those_of_the_plain_twin(beams, V, k, seed):
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(3, beams, V, generator=generator).log_softmax(-1)
    totals = torch.randn(3, beams, generator=generator)
    totals[1, 1:] = -math.inf  # beams that do not exist yet
    values, parents, tokens = top_continuations(log_probs, totals, k)
    expected, *_ = plain_top_continuations(log_probs, totals, k)
    assert torch.equal(values, expected)
    real = values > -math.inf
    sentences = torch.arange(3)[:, None].expand_as(parents)
    found = totals[sentences, parents] + log_probs[sentences, parents, tokens]
    assert torch.equal(found[real], values[real])
    places = [
        set(zip(*row, strict=True)) for row in zip(parents.tolist(), tokens.tolist(), strict=True)
    ]
    for row, different in zip(places, real.sum(1).tolist(), strict=True):
        assert len(row) >= different, "a continuation was taken twice"
