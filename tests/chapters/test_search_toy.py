"""Chapter 18's toy model, its enumeration and its beams; and what a search costs."""

from __future__ import annotations

import math

import pytest
import torch

from mtcourse.chapters.search.exercises.who_finds_what import AFTER
from mtcourse.chapters.search.toy import END, all_sentences, beam_steps, next_words
from mtcourse.decoding.search import beam_search, greedy_search
from tests.helpers.oracles import markov_state, markov_step


def test_every_row_of_the_toy_model_is_a_distribution():
    waiting = [()]
    while waiting:
        words = waiting.pop()
        p = next_words(words)
        assert sum(p.values()) == pytest.approx(1)
        waiting += [(*words, word) for word in p if word != END]


def test_all_sentences_are_enumerated_and_greedy_finds_the_third():
    sentences = all_sentences()
    assert sum(sentences.values()) == pytest.approx(1)
    best = sorted(sentences, key=sentences.__getitem__, reverse=True)
    assert best[:3] == [("You", "are", "right"), ("I", "am", "here"), ("I", "like", "tea")]
    words: tuple[str, ...] = ()
    while words[-1:] != (END,):
        p = next_words(words)
        words = (*words, max(p, key=p.__getitem__))
    assert words[:-1] == best[2]


def test_two_beams_have_the_four_candidates_of_document_C():
    """C16: the beams I and You, and what they become; their ends are candidates as well."""
    first, second, *_ = beam_steps(2)
    assert [one.words for one in first if one.fate == "kept"] == [("I",), ("You",)]
    printed = {("I", "am"), ("I", "like"), ("You", "are"), ("You", "like")}
    assert {one.words for one in second if one.words[-1] != END} == printed
    assert [one.words for one in second if one.fate == "kept"] == [("You", "are"), ("I", "like")]


@pytest.mark.parametrize("beams", [1, 2, 3, 8])
def test_the_steps_of_the_toys_beam_lead_to_what_a_beam_finds(beams):
    """Against products along each path; a beam that is wide enough finds the best of all."""
    sentences = all_sentences()
    ended = {}
    for step in beam_steps(beams):
        assert sum(one.fate == "kept" for one in step) <= beams
        assert [one.p for one in step] == sorted((one.p for one in step), reverse=True)
        for one in step:
            factors = [next_words(one.words[:i])[word] for i, word in enumerate(one.words)]
            assert one.p == pytest.approx(math.prod(factors))
            if one.fate == "ended":
                ended[one.words[:-1]] = one.p
    for words, p in ended.items():
        assert p == pytest.approx(sentences[words])
    assert max(ended, key=ended.__getitem__) == (
        ("I", "like", "tea") if beams == 1 else ("You", "are", "right")
    )


def test_the_tree_of_the_exercise_is_a_distribution():
    for p in AFTER.values():
        assert sum(p.values()) == pytest.approx(1)


@pytest.mark.parametrize("beams", [1, 2, 4])
def test_beam_search_scores_as_many_rows_as_beams_and_steps_say(beams):
    """C18: B rows of K scores a step, but one at the first step; greedy search has one in each."""
    generator = torch.Generator().manual_seed(beams)
    table = torch.randn(1, 9, 7, 7, generator=generator).log_softmax(-1)
    table[..., 3] = -50.0  # the end comes only at the last step
    step, rows = markov_step(table), []

    def counting(ids, state):
        rows.append(ids.numel())
        return step(ids, state)

    beam_search(counting, markov_state(1), torch.tensor([8]), beams, length_penalty=0.0)
    assert rows == [1] + [beams] * 7
    rows.clear()
    greedy_search(counting, markov_state(1), torch.tensor([8]))
    assert rows == [1] * 8
