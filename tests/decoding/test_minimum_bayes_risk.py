"""Minimum Bayes risk, held to exact expectations over small distributions."""

from __future__ import annotations

import pytest

from mtcourse.decoding.minimum_bayes_risk import expected_utilities, minimum_bayes_risk
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.sentence_scores import sentence_bleu, sentence_chrf


def overlap(one, other):
    return len(set(one) & set(other)) / len(set(one) | set(other))


def test_the_mean_utility_is_that_of_a_double_loop():
    samples = ["abc", "abd", "abc", "xyz", "bcd"]
    expected = [sum(overlap(c, y) for y in samples) / 5 for c in ("abc", "ab", "xyz")]
    found = expected_utilities(["abc", "ab", "xyz"], samples, overlap).tolist()
    assert found == pytest.approx(expected)


def test_exact_matches_choose_the_most_frequent_and_others_need_not():
    samples = ["xyz"] * 3 + ["abcd", "abce", "abcf", "abcg", "abch", "abci"]
    assert minimum_bayes_risk(samples, samples, lambda a, b: float(a == b)) == "xyz"
    assert minimum_bayes_risk(samples, samples, overlap) == "abcd"


def test_a_utility_that_is_not_symmetric_takes_the_candidate_first():
    utility = {("a", "b"): 1.0, ("b", "a"): 0.0, ("a", "a"): 0.0, ("b", "b"): 0.0}
    assert minimum_bayes_risk(["b", "a"], ["b", "a"], lambda c, y: utility[c, y]) == "a"


def test_of_equal_ones_the_first_is_taken():
    assert minimum_bayes_risk(["q", "r"], ["s"], overlap) == "q"


def test_sentence_scores_are_sacrebleus():
    from sacrebleu import sentence_bleu as bleu
    from sacrebleu import sentence_chrf as chrf

    one, other = "De hond slaapt niet in de tuin.", "De hond slaapt in de grote tuin."
    assert sentence_chrf(one, other) == pytest.approx(chrf(one, [other]).score)
    assert sentence_bleu(one, other) == pytest.approx(bleu(one, [other]).score)
    assert sentence_bleu("De hond", "De hond") == pytest.approx(100)


def test_nothing_to_choose_from_is_refused():
    with pytest.raises(MtcourseError, match="no candidate"):
        minimum_bayes_risk([], ["a"], overlap)
    with pytest.raises(MtcourseError, match="no sample"):
        minimum_bayes_risk(["a"], [], overlap)
