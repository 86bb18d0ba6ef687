"""Differences of BLEU on the same sentences, against sacrebleu's own paired test."""

from __future__ import annotations

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.paired import Change, PairedBleu
from mtcourse.evaluation.scores import score

RIGHT = [f"the {a} {b} sees the {c} ." for a in ("old", "red") for b in ["dog", "cat"]
         for c in ("house of the man", "tree in a garden", "lake near the town")]  # fmt: skip
REFERENCES = [(sentence,) for sentence in RIGHT]
WORSE = [s.replace("old dog", "old cow") for s in RIGHT]
FAR_WORSE = [s.replace("the", "a") for s in RIGHT]


def test_the_change_is_the_difference_of_the_two_scores():
    paired = PairedBleu(WORSE, REFERENCES)
    for other in (RIGHT, FAR_WORSE):
        expected = score(other, REFERENCES).bleu - score(WORSE, REFERENCES).bleu
        assert paired.change_to(other).value == pytest.approx(expected)


def test_a_system_does_not_differ_from_itself():
    change = PairedBleu(WORSE, REFERENCES).change_to(WORSE)
    assert change == Change(0.0, (0.0, 0.0))
    assert not change.beyond_noise


def test_what_is_worse_everywhere_is_beyond_noise_and_a_single_sentence_is_not():
    paired = PairedBleu(RIGHT, REFERENCES)
    everywhere = paired.change_to(FAR_WORSE)
    assert everywhere.interval[1] < 0
    assert everywhere.beyond_noise
    one = paired.change_to([*RIGHT[:-1], "nothing at all of it ."])
    assert one.value < 0 == one.interval[1]  # many resamples leave that sentence out
    assert not one.beyond_noise


def test_a_higher_level_makes_a_wider_interval():
    narrow, wide = (
        PairedBleu(RIGHT, REFERENCES, level=level).change_to(WORSE).interval
        for level in (0.5, 0.99)
    )
    assert wide[0] < narrow[0] <= narrow[1] <= wide[1]


def test_nothing_to_compare_is_refused():
    with pytest.raises(MtcourseError, match="no translations to compare"):
        PairedBleu([], [])
    with pytest.raises(MtcourseError, match="2 translations cannot be compared on 12 sentences"):
        PairedBleu(RIGHT, REFERENCES).change_to(RIGHT[:2])
