"""No split gives away another: checked by brute force."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.text.cleaning import Dropped
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.pairs import SentencePair
from mtcourse.text.splitting import NEAR, NearDuplicates, grams, split_pairs

PAIRS = [
    SentencePair(pair.source, pair.target, origin=f"page{i // 7}#{i}")
    for i, pair in enumerate(sample_pairs(700, seed=5))
]
PAIRS += [
    SentencePair(f"{pair.source} Yes.", f"{pair.target} Ja.", origin=f"again{i}#1")
    for i, pair in enumerate(PAIRS[::5])
]


def jaccard(one: str, other: str) -> float:
    a, b = grams(one), grams(other)
    return len(a & b) / len(a | b)


def page(pair: SentencePair) -> str:
    return pair.origin.split("#")[0]


def test_no_held_out_sentence_is_near_one_of_another_split():
    dropped = Dropped()
    splits = split_pairs(PAIRS, page, 90, 3, dropped)
    assert 0 < len(splits["test"]) <= 97
    assert 0 < len(splits["dev"]) <= 97
    earlier = list(splits["train"])
    for name in ("dev", "test"):
        for side in ("source", "target"):
            nearest = max(
                jaccard(getattr(pair, side), getattr(known, side))
                for pair in splits[name]
                for known in earlier
            )
            assert nearest < NEAR
        earlier += splits[name]
    assert sum(map(len, splits.values())) + sum(dropped.counts.values()) == len(PAIRS)
    assert sum(dropped.counts.values()) > 0, "these sentences are formulaic: some must go"


def test_pages_stay_whole():
    splits = split_pairs(PAIRS, page, 90, 3, Dropped())
    pages = [{page(pair) for pair in pairs} for pairs in splits.values()]
    assert not pages[0] & pages[1]
    assert not pages[0] & pages[2]
    assert not pages[1] & pages[2]


def test_the_seed_decides():
    splits = [split_pairs(PAIRS, page, 50, seed, Dropped()) for seed in (1, 1, 2)]
    assert splits[0] == splits[1]
    assert splits[0]["test"] != splits[2]["test"]


def test_sentences_that_differ_in_digits_or_case_only_are_the_same():
    known = NearDuplicates(["Type 3 in cell A1 of the sheet."])
    assert "type 7 in cell B9 of the sheet." in known
    assert "Close the window and go home." not in known


@settings(max_examples=60, deadline=None)
@given(
    sentences=st.lists(st.text("ab ", max_size=12), min_size=1, max_size=6),
    wanted=st.text("ab ", max_size=12),
)
def test_looking_up_is_comparing_with_every_sentence(sentences, wanted):
    expected = any(jaccard(wanted, sentence) >= NEAR for sentence in sentences)
    assert (wanted in NearDuplicates(sentences)) == expected
