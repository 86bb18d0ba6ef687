"""The built-in English-Dutch corpus: one abstract syntax, two linearisers (chapter 1).

The languages differ where real Dutch differs from English: verb second, verb-final clauses,
separable verbs, two genders, inflected adjectives, ``niet`` and ``geen``. Sentences are drawn at
random from tables of words, so that the corpus is as large as wanted and needs no network.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from random import Random

from mtcourse.errors import MtcourseError
from mtcourse.text.language import dutch, english
from mtcourse.text.language.derivation import HELD_CONSTRUCTIONS, describe, features, shape
from mtcourse.text.language.lexicon import Lexicon
from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.language.sentences import SentenceSampler
from mtcourse.text.language.syntax import Sentence, Token
from mtcourse.text.pairs import SentencePair, words

MAX_WORDS = 15
"""No sentence of training, on either side, has more words and punctuation marks."""

DEV = 500
"""Pairs for choosing a checkpoint."""

TEST = 1_000
"""Pairs in each of the four test sets."""

_MAX_LONG_WORDS = 26
_HELD_OUT_SHARE = 0.06
_PATIENCE = 200

Feature = tuple[str, str]


def make_pair(sentence: Sentence) -> SentencePair:
    """Both linearisations of a sentence, aligned, with every other correct Dutch word order.

    Args:
        sentence: the abstract syntax.
    """
    source = english.linearise(sentence)
    target, choices = dutch.linearise(sentence)
    first = _text(target)
    references = list[str]()
    for size in range(1, len(choices) + 1):
        for chosen in itertools.combinations(sorted(choices), size):
            other = _text(dutch.linearise(sentence, frozenset(chosen))[0])
            if other != first and other not in references:
                references.append(other)
    return SentencePair(
        source=_text(source),
        target=first,
        references=tuple(references),
        alignment=_alignment(source, target),
        derivation=describe(sentence),
        origin="mtcourse.text.grammar",
    )


def _text(tokens: list[Token]) -> str:
    """The sentence as it is written: a capital, and no space before punctuation."""
    text = " ".join([word for word, _ in tokens])
    for mark in (" .", " ,", " ?", " !"):
        text = text.replace(mark, mark[1])
    return text[0].upper() + text[1:]


def _alignment(source: list[Token], target: list[Token]) -> tuple[tuple[int, int], ...]:
    """Pairs of positions that express the same piece of meaning."""
    places: dict[str, list[int]] = {}
    for position, (_, names) in enumerate(target):
        for name in names:
            places.setdefault(name, []).append(position)
    return tuple(
        sorted(
            {
                (i, j)
                for i, (_, names) in enumerate(source)
                for name in names
                for j in places.get(name, ())
            }
        )
    )


def sample_pairs(count: int, seed: int = 1) -> list[SentencePair]:
    """Distinct English-Dutch sentence pairs, the same for the same seed.

    Args:
        count: how many.
        seed: of the random numbers.

    Raises:
        MtcourseError: if the count is negative.
    """
    if count < 0:
        raise MtcourseError(f"count = {count}: ask for 0 pairs or more")
    stream = _Stream(load_lexicon(), Random(f"pairs {seed}"))
    return [pair for _, pair in itertools.islice(stream.pairs(lambda _: True), count)]


class _Stream:
    """Pairs that share no string with an earlier set or an earlier pair of this set."""

    def __init__(self, lexicon: Lexicon, random: Random, is_long: bool = False):
        self.sampler = SentenceSampler(lexicon, random, is_long)
        self.shortest = MAX_WORDS + 1 if is_long else 0
        self.longest = _MAX_LONG_WORDS if is_long else MAX_WORDS
        self.sources = set[str]()

    def pairs(
        self,
        accept: Callable[[Sentence], bool],
        taken: frozenset[str] | set[str] = frozenset(),
    ) -> Iterator[tuple[Sentence, SentencePair]]:
        """Draws pairs without end; no pair shares a string with the taken ones."""
        while True:
            sentence = self.sampler.draw()
            if not accept(sentence):
                continue
            pair = make_pair(sentence)
            sizes = (len(words(pair.source)), len(words(pair.target)))
            if min(sizes) < self.shortest or max(sizes) > self.longest:
                continue
            if pair.source in self.sources or not taken.isdisjoint(_strings(pair)):
                continue
            self.sources.add(pair.source)
            yield sentence, pair


def _strings(pair: SentencePair) -> tuple[str, ...]:
    return (pair.source, pair.target, *pair.references)


class GrammarSplits(Mapping[str, tuple[SentencePair, ...]]):
    """Training pairs and held-out pairs, each set drawn when it is first asked for.

    Args:
        names: of the sets, in the order in which they are drawn.
        drawn: the sets in that order.
    """

    def __init__(self, names: tuple[str, ...], drawn: Iterator[tuple[SentencePair, ...]]) -> None:
        self._names = names
        self._drawn = drawn
        self._splits: list[tuple[SentencePair, ...]] = []
        self._fault: MtcourseError | None = None
        self._one_at_a_time = threading.Lock()

    def __getitem__(self, name: str) -> tuple[SentencePair, ...]:
        """The pairs of a set; all sets before it are drawn too."""
        if name not in self._names:
            raise KeyError(name)
        place = self._names.index(name)
        with self._one_at_a_time:
            while len(self._splits) <= place:
                if self._fault:
                    raise self._fault
                try:
                    self._splits.append(next(self._drawn))
                except MtcourseError as fault:
                    self._fault = fault
        return self._splits[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def grammar_splits(
    train: int = 30_000, dev: int = DEV, test: int = TEST, seed: int = 1
) -> GrammarSplits:
    """Training pairs and four kinds of held-out pairs that share no sentence with each other.

    ``dev`` and ``test`` are drawn as ``train`` is. ``compositional`` holds only sentences with a
    verb in a construction, or a noun with an adjective, that training never has together. For
    each of these, ``control`` holds a sentence of the same shape and lengths in which every such
    pair does occur in training. ``length`` is longer, on both sides, than anything in training.

    Args:
        train: pairs for training.
        dev: pairs for choosing a checkpoint.
        test: pairs in each of the four test sets.
        seed: of the random numbers.

    Raises:
        MtcourseError: if a count is negative; or, when ``compositional`` is asked for, training is
            too small to have shown what the control set needs.
    """
    counts = {"train": train, "dev": dev, "test": test}
    for name, count in counts.items():
        if count < 0:
            raise MtcourseError(f"{name} = {count}: ask for 0 pairs or more")
    return GrammarSplits((*counts, "compositional", "control", "length"), _drawn(counts, seed))


def _drawn(counts: Mapping[str, int], seed: int) -> Iterator[tuple[SentencePair, ...]]:
    """The sets, one after the other; each shares no string with those before it."""
    lexicon = load_lexicon()
    held_out = held_out_features(lexicon, seed)
    taken, seen = set[str](), set[Feature]()

    def is_ordinary(sentence: Sentence) -> bool:
        return held_out.isdisjoint(features(sentence))

    for name, count in counts.items():
        stream = _Stream(lexicon, Random(f"{name} {seed}"))
        drawn = list(itertools.islice(stream.pairs(is_ordinary, frozenset(taken)), count))
        if name == "train":
            seen.update(itertools.chain.from_iterable(features(sentence) for sentence, _ in drawn))
        taken.update(itertools.chain.from_iterable(_strings(pair) for _, pair in drawn))
        yield tuple(pair for _, pair in drawn)
    stream = _Stream(lexicon, Random(f"compositional {seed}"))
    compositional, control = _matched(stream, counts["test"], held_out, seen, taken)
    taken.update(itertools.chain.from_iterable(map(_strings, (*compositional, *control))))
    yield compositional
    yield control
    long = _Stream(lexicon, Random(f"length {seed}"), is_long=True)
    longer = itertools.islice(long.pairs(is_ordinary, taken), counts["test"])
    yield tuple(pair for _, pair in longer)


def held_out_features(lexicon: Lexicon, seed: int) -> frozenset[Feature]:
    """The verb-construction and noun-adjective pairs that training never shows.

    Args:
        lexicon: the words.
        seed: of the random choice.
    """
    verbs = sorted({verb.name for verb in lexicon.verbs if "weather" not in verb.subjects})
    shown = [(verb, construction) for verb in verbs for construction in HELD_CONSTRUCTIONS]
    described = [
        (noun.english, adjective.english)
        for noun in lexicon.nouns
        for adjective in lexicon.adjectives
        if adjective.inflected and adjective.goes_with(noun)
    ]
    random = Random(f"held out {seed}")
    parts = [
        random.sample(pairs, int(len(pairs) * _HELD_OUT_SHARE)) for pairs in (shown, described)
    ]
    return frozenset(itertools.chain.from_iterable(parts))


def _matched(
    stream: _Stream, count: int, held_out: frozenset[Feature], seen: set[Feature], taken: set[str]
) -> tuple[tuple[SentencePair, ...], tuple[SentencePair, ...]]:
    """Compositional pairs, and for each a control pair of equal shape and lengths."""
    waiting: dict[tuple[object, ...], tuple[list[SentencePair], list[SentencePair]]] = {}
    matched = list[tuple[SentencePair, SentencePair]]()

    def is_wanted(sentence: Sentence) -> bool:
        found = features(sentence)
        return bool(found) and (not held_out.isdisjoint(found) or found <= seen)

    strings = set[str]()
    drawn = stream.pairs(is_wanted, taken)
    for _ in range(_PATIENCE * (count + 20)):
        if len(matched) == count:
            novel, control = zip(*matched, strict=True) if matched else ((), ())
            return novel, control
        sentence, pair = next(drawn)
        if not strings.isdisjoint(_strings(pair)):
            continue
        strings.update(_strings(pair))
        key = (shape(sentence), len(words(pair.source)), len(words(pair.target)))
        novel, control = waiting.setdefault(key, ([], []))
        (control if held_out.isdisjoint(features(sentence)) else novel).append(pair)
        if novel and control:
            matched.append((novel.pop(), control.pop()))
    raise MtcourseError(
        f"found {len(matched)} of {count} control pairs whose word pairs training has: "
        "ask for more training pairs or fewer test pairs"
    )
