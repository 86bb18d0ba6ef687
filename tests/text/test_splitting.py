"""No split gives away another: checked by brute force."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.text import splitting
from mtcourse.text.cleaning import Dropped
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.pairs import SentencePair
from mtcourse.text.splitting import NEAR, NearDuplicates, draw_groups, grams, split_pairs

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


def split(held_out: int, seed: int, dropped: Dropped | None = None):
    split_of = draw_groups(PAIRS, page, held_out, seed)
    return split_pairs(PAIRS, page, split_of, dropped or Dropped())


def test_no_held_out_sentence_is_near_one_of_another_split():
    dropped = Dropped()
    splits = split(90, 3, dropped)
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
    splits = split(90, 3)
    pages = [{page(pair) for pair in pairs} for pairs in splits.values()]
    assert not pages[0] & pages[1]
    assert not pages[0] & pages[2]
    assert not pages[1] & pages[2]


def test_the_seed_decides():
    splits = [split(50, seed) for seed in (1, 1, 2)]
    assert splits[0] == splits[1]
    assert splits[0]["test"] != splits[2]["test"]


def test_groups_are_drawn_until_there_are_enough_pairs():
    drawn = draw_groups(PAIRS, page, 90, 3)
    assert set(drawn) == {page(pair) for pair in PAIRS}
    for name in ("dev", "test"):
        sizes = [sum(page(pair) == of_one for pair in PAIRS) for of_one in drawn]
        held_out = sum(n for n, of_one in zip(sizes, drawn, strict=True) if drawn[of_one] == name)
        assert 90 <= held_out < 90 + max(sizes)


def test_no_group_is_drawn_beyond_enough():
    drawn = draw_groups(PAIRS[:70], page, 14, 3)
    assert Counter(drawn.values()) == {"test": 2, "dev": 2, "train": 6}


def test_groups_that_were_not_drawn_are_for_training():
    splits = split_pairs(PAIRS[:20], page, {"page0": "test", "page1": "dev"}, Dropped())
    assert {page(pair) for pair in splits["train"]} == {"page2"}


def test_one_side_is_enough_to_give_a_pair_away():
    known = SentencePair("The dog sleeps.", "De hond slaapt.", origin="known#1")
    same_source = SentencePair(known.source, "Hij ligt al in zijn mand.", origin="dev#1")
    same_target = SentencePair("It has gone to bed by now.", known.target, origin="test#1")
    fresh = SentencePair("We ate an apple.", "Wij aten een appel.", origin="test#2")
    dropped = Dropped()
    split_of = {"known": "train", "dev": "dev", "test": "test"}
    splits = split_pairs([known, same_source, same_target, fresh], page, split_of, dropped)
    assert splits == {"train": (known,), "dev": (), "test": (fresh,)}
    assert dropped.counts.total() == 2


def test_comparing_by_blocks_is_comparing_at_once(monkeypatch):
    dropped = [Dropped(), Dropped()]
    at_once = split(90, 3, dropped[0])
    monkeypatch.setattr(splitting, "BLOCK", 37)
    assert split(90, 3, dropped[1]) == at_once
    assert dropped[0].counts == dropped[1].counts


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
