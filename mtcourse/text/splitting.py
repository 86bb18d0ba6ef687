"""Training, development and test sets without leaks between them (chapter 1)."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from mtcourse.text.cleaning import Dropped
from mtcourse.text.pairs import SentencePair

NEAR = 0.6
"""Jaccard similarity of 4-grams from which two sentences count as near duplicates."""

BLOCK = 20_000
"""Sentences that are indexed at a time: an index takes about 8 KiB for each."""

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


def draw_groups(
    pairs: Sequence[SentencePair],
    group_of: Callable[[SentencePair], str],
    held_out: int,
    seed: int,
) -> dict[str, str]:
    """Assigns each group of pairs, such as the page they stand on, to "test", "dev" or "train".

    Whole groups are drawn until test, and then dev, has ``held_out`` pairs.

    Args:
        pairs: clean pairs.
        group_of: names the group of a pair.
        held_out: pairs to draw for dev, and as many for test.
        seed: decides which groups.
    """
    sizes = Counter(group_of(pair) for pair in pairs)
    names = sorted(sizes)
    random.Random(seed).shuffle(names)
    drawn = {"test": 0, "dev": 0}
    split_of: dict[str, str] = {}
    for name in names:
        split_of[name] = next((s for s, size in drawn.items() if size < held_out), "train")
        if split_of[name] in drawn:
            drawn[split_of[name]] += sizes[name]
    return split_of


def split_pairs(
    pairs: Sequence[SentencePair],
    group_of: Callable[[SentencePair], str],
    split_of: Mapping[str, str],
    dropped: Dropped,
) -> dict[str, tuple[SentencePair, ...]]:
    """Splits pairs into "train", "dev" and "test" by groups, without leaks between them.

    A pair of test that has a near duplicate in train or dev, on either side, is left out; so is one
    of dev that has one in train.

    Args:
        pairs: clean pairs.
        group_of: names the group of a pair; a group never lies in two splits.
        split_of: the split of each group that was drawn; groups that were not are for training.
        dropped: where the near duplicates are counted.
    """
    groups: dict[str, list[SentencePair]] = {name: [] for name in split_of}
    for pair in pairs:
        groups.setdefault(group_of(pair), []).append(pair)
    splits: dict[str, list[SentencePair]] = {"train": [], "dev": [], "test": []}
    for name, members in groups.items():
        splits[split_of.get(name, "train")] += members
    held_out = {name: splits[name] for name in ("dev", "test")}
    leaks: dict[str, list[SentencePair]] = {name: [] for name in held_out}

    def leave_out(name: str, known: _Known) -> None:
        asked = held_out[name]
        near = [known.gives_away(pair) for pair in asked]
        held_out[name] = [pair for pair, is_near in zip(asked, near, strict=True) if not is_near]
        leaks[name] += [pair for pair, is_near in zip(asked, near, strict=True) if is_near]

    for known in _indexed(splits["train"]):  # an index costs most, and serves both
        leave_out("dev", known)
        leave_out("test", known)
    for known in _indexed(held_out["dev"]):
        leave_out("test", known)
    for pair in (*leaks["dev"], *leaks["test"]):
        dropped.add("held out, but nearly the same as one to learn from", pair)
    return {name: tuple(of_one) for name, of_one in {**splits, **held_out}.items()}


class _Known:
    """Both sides of known pairs."""

    def __init__(self, pairs: Sequence[SentencePair]) -> None:
        self._sources = NearDuplicates([pair.source for pair in pairs])
        self._targets = NearDuplicates([pair.target for pair in pairs])

    def gives_away(self, pair: SentencePair) -> bool:
        """Whether one of the known pairs is nearly the same on either side."""
        return pair.source in self._sources or pair.target in self._targets


def _indexed(pairs: Sequence[SentencePair]) -> Iterator[_Known]:
    """Some known pairs at a time."""
    for start in range(0, len(pairs), BLOCK):
        yield _Known(pairs[start : start + BLOCK])
