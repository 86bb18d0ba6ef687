"""Training, development and test sets without leaks between them (chapter 01)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

import numpy as np

from mtcourse.text.cleaning import Dropped
from mtcourse.text.pairs import SentencePair

NEAR = 0.6
"""Jaccard similarity of 4-grams from which two sentences count as near duplicates."""

_DIGIT = re.compile(r"\d")


def grams(sentence: str) -> set[str]:
    """The character 4-grams of a sentence, without regard to case, spacing or which digit.

    >>> sorted(grams("Page 12"))
    ['age#', 'ge##', 'page']
    """
    plain = _DIGIT.sub("#", "".join(sentence.casefold().split()))
    return {plain[i : i + 4] for i in range(max(1, len(plain) - 3))}


class NearDuplicates:
    """Answers whether a sentence has a near duplicate in a set of sentences, exactly.

    Two sentences are near duplicates if ``|A ∩ B| / |A ∪ B| >= 0.6`` for their sets of 4-grams.

    Args:
        sentences: the set to look in.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        sets = [grams(sentence) for sentence in sentences]
        self.sizes = np.array([len(of_one) for of_one in sets], dtype=np.int64)
        postings: dict[str, list[int]] = {}
        for number, of_one in enumerate(sets):
            for gram in of_one:
                postings.setdefault(gram, []).append(number)
        self.postings = {gram: np.array(numbers) for gram, numbers in postings.items()}

    def __contains__(self, sentence: str) -> bool:
        wanted = grams(sentence)
        found = [self.postings[gram] for gram in wanted if gram in self.postings]
        # All those with Jaccard >= NEAR share at least this many of the sentence's 4-grams.
        if len(found) < NEAR * len(wanted):
            return False
        shared = np.bincount(np.concatenate(found), minlength=len(self.sizes))
        similarity = shared / (self.sizes + len(wanted) - shared)
        return bool((similarity >= NEAR).any())


def split_pairs(
    pairs: Sequence[SentencePair],
    group_of: Callable[[SentencePair], str],
    held_out: int,
    seed: int,
    dropped: Dropped,
) -> dict[str, tuple[SentencePair, ...]]:
    """Splits pairs into "train", "dev" and "test" by groups, such as the pages they stand on.

    Whole groups are drawn until dev and test have ``held_out`` pairs each. A pair of test that has
    a near duplicate in train or dev, on either side, is left out; so is one of dev that has one in
    train.

    Args:
        pairs: clean pairs.
        group_of: names the group of a pair; a group never lies in two splits.
        held_out: pairs to draw for dev, and as many for test.
        seed: decides which groups.
        dropped: where the near duplicates are counted.
    """
    groups: dict[str, list[SentencePair]] = {}
    for pair in pairs:
        groups.setdefault(group_of(pair), []).append(pair)
    names = sorted(groups)
    random.Random(seed).shuffle(names)
    splits: dict[str, list[SentencePair]] = {"test": [], "dev": [], "train": []}
    for name in names:
        split = next((s for s in ("test", "dev") if len(splits[s]) < held_out), "train")
        splits[split] += groups[name]
    dev = _without_leaks(splits["dev"], splits["train"], dropped)
    test = _without_leaks(splits["test"], splits["train"] + dev, dropped)
    return {"train": tuple(splits["train"]), "dev": tuple(dev), "test": tuple(test)}


def _without_leaks(
    held_out: Sequence[SentencePair], known: Sequence[SentencePair], dropped: Dropped
) -> list[SentencePair]:
    """The held-out pairs that the known ones do not give away."""
    sources = NearDuplicates([pair.source for pair in known])
    targets = NearDuplicates([pair.target for pair in known])
    kept = []
    for pair in held_out:
        if pair.source in sources or pair.target in targets:
            dropped.add("held out, but nearly the same as one to learn from", pair)
        else:
            kept.append(pair)
    return kept
