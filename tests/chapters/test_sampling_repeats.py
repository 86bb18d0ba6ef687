"""Repeated phrases and loops of chapter 19."""

from __future__ import annotations

import itertools

import pytest
import torch

from mtcourse.chapters.sampling.repeats import greedy_with_second, loop_in, repeated_phrase
from mtcourse.errors import MtcourseError
from mtcourse.models.language_model import LanguageModel


@pytest.fixture(scope="module")
def language_model():
    return LanguageModel.load(device="cpu")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("abcabcabc", (0, 3, 3)),
        ("xdunnnnne", (3, 1, 5)),
        ("harderderderdt", (2, 3, 3)),
        ("abab", None),
        ("", None),
        ("aabbcc", None),
    ],
)
def test_loops_are_found_where_they_are(text, found):
    assert loop_in(text) == found
    assert loop_in([ord(letter) for letter in text]) == found


@pytest.mark.parametrize("context", [1, 2])
def test_a_model_of_few_tokens_loops_under_greedy_search_within_its_windows(context):
    """The page's argument: at most K^n windows, and each has one continuation."""
    K = 4
    for seed in range(20):
        scores = torch.randn((K,) * (context + 1), generator=torch.Generator().manual_seed(seed))
        windows = itertools.product(range(K), repeat=context)
        following = {window: int(scores[window].argmax()) for window in windows}
        text = [0] * context
        for _ in range(4 * K**context + 12):
            text.append(following[tuple(text[-context:])])
        tail = text[K**context :]
        period = next(n for n in range(1, K**context + 1) if tail[n:] == tail[:-n])
        assert period <= K**context
        assert loop_in(tail, longest=K**context) is not None


def test_the_first_time_is_the_models_own_probability(language_model):
    values = repeated_phrase(language_model, "De man", "is heel", 3)
    _, log_p = language_model.token_log_probabilities("De man is heel")
    begun = len(language_model.tokenizer.encode("De man"))
    assert values[0] == pytest.approx(sum(log_p[begun:-1]) / len(log_p[begun:-1]), abs=1e-5)
    assert len(values) == 3


def test_what_greedy_search_writes_is_most_probable_and_ends(language_model):
    steps = greedy_with_second(language_model, "De man is")
    (text,) = language_model.continuations(["De man is"])
    pieces = [piece for piece, *_ in steps]
    assert pieces[-1] == "<eos>"
    assert "De man is" + "".join(pieces[:-1]).replace("▁", " ") == text
    assert all(first >= second for _, first, _, second in steps)


def test_a_phrase_that_does_not_fit_is_refused(language_model):
    with pytest.raises(MtcourseError, match="at most 128 in all"):
        repeated_phrase(language_model, "De man", "is heel", 100)
    with pytest.raises(MtcourseError, match="at least one token"):
        repeated_phrase(language_model, "De man", " ", 2)
