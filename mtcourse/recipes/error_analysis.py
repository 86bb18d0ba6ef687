"""What a translator gets wrong, counted on its test set in any language (chapter 20).

Nothing here needs a grammar or a trained metric: what is asked of a translation can be read off the
source and the reference. What only a person can judge is left to a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import Scores, score
from mtcourse.text.pairs import SentencePair, words

LENGTHS = (5, 10, 20, 40)
"""Where the groups by length end, in words of the source sentence."""
FEWEST = 10
"""A group with fewer sentences is not scored: its score would say nothing."""
FREQUENCIES = (0, 5, 50)
"""Where the groups by frequency end, in how often a word stands in the training text."""


@dataclass(frozen=True)
class Translated:
    """A sentence of the test set and what the translator made of it.

    Args:
        pair: source and references.
        translation: of the source.
        chrf: chrF2 of this one sentence, 0 to 100: good for an order, not as a score.
    """

    pair: SentencePair
    translation: str
    chrf: float


@dataclass(frozen=True)
class Group:
    """Sentences that have something in common.

    Args:
        name: what they have in common.
        scores: of their translations.
        kept: the share that kept what had to be kept, among those that had something to keep; None
            where none had.
    """

    name: str
    scores: Scores
    kept: float | None = None


@dataclass(frozen=True)
class Recall:
    """How many of the references' words of one frequency stand in the translations.

    Args:
        name: how often the words stand in the training text.
        count: words in the references.
        found: the share of them that are in the translation, too; a word that a reference has twice
            counts as two, and is found twice only if the translation has it twice.
    """

    name: str
    count: int
    found: float


def translated(pairs: Sequence[SentencePair], translations: Sequence[str]) -> list[Translated]:
    """Pairs with their translations, each with its chrF.

    Args:
        pairs: of the test set.
        translations: one for each.

    Raises:
        MtcourseError: there are none, or not as many as pairs.
    """
    from sacrebleu.metrics.chrf import CHRF  # here, so that importing mtcourse stays quick

    if not pairs or len(pairs) != len(translations):
        raise MtcourseError(
            f"{len(translations)} translations of {len(pairs)} sentences cannot be analysed: give "
            "one for each sentence, and at least one"
        )
    metric = CHRF()
    return [
        Translated(pair, text, metric.sentence_score(text, [pair.target, *pair.references]).score)
        for pair, text in zip(pairs, translations, strict=True)
    ]


def scores_of(items: Sequence[Translated]) -> Scores:
    """BLEU and chrF of some sentences, with their intervals."""
    references = [(item.pair.target, *item.pair.references) for item in items]
    return score([item.translation for item in items], references)


# --- groups of sentences ------------------------------------------------------------------------


def by_length(items: Sequence[Translated]) -> list[Group]:
    """The sentences by how many words their source has; groups of fewer than ten are left out."""
    ends = (*LENGTHS, None)
    lengths = [len(words(item.pair.source)) for item in items]
    groups = []
    for after, end in zip((0, *LENGTHS), ends, strict=True):
        chosen = [
            item
            for item, length in zip(items, lengths, strict=True)
            if after < length <= (end or float("inf"))
        ]
        if len(chosen) >= FEWEST:
            groups.append(Group(_length_name(after, end, max(lengths)), scores_of(chosen)))
    return groups


def _length_name(after: int, end: int | None, longest: int) -> str:
    """What a group of lengths is called: it goes no further than the longest sentence.

    >>> _length_name(10, 20, 12), _length_name(5, 10, 12), _length_name(10, 20, 11)
    ('11 to 12 words', '6 to 10 words', '11 words')
    """
    if end is None:
        return f"more than {after} words"
    last = min(end, longest)
    if last == after + 1:
        return f"{last} word{'s' if last > 1 else ''}"
    return f"{after + 1} to {last} words"


_PLACEHOLDER = re.compile(
    r"%(?:\(\w+\))?[-+#0]*\d*(?:\.\d+)?[a-zA-Z%]|\{\w*\}|\$\{?\w+\}?|</?\w+[^>]*>"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[A-Z]\w+(?:[ -][A-Z]\w+)*")
_LATIN = r"[A-Za-z\u00c0-\u024f0-9_]"
_SAME_SIGN = str.maketrans("。？！：；．؟۔।", ".?!:;.?..")
_END = re.compile(r"[.?!…:;]$")

KEPT: Mapping[str, Callable[[str], list[str]]] = {
    "numbers": lambda text: [re.sub(r"\D", "", found) for found in _NUMBER.findall(text)],
    "placeholders and tags": _PLACEHOLDER.findall,
    "names, inside the sentence": _CAPITAL.findall,
}
"""What a translation mostly takes over as it is, and how it is found in a text."""


def by_phenomenon(items: Sequence[Translated], known: frozenset[str]) -> list[Group]:
    """The sentences by what makes them hard, with how often the translation did what it must.

    What must be kept of a source is what its reference keeps: a name that the reference translates
    is not asked for. Groups of fewer than ten sentences are left out.

    Args:
        items: the test set.
        known: the words of the training text's source side, in small letters.
    """
    groups = []
    for name, found_in in KEPT.items():
        asked = [
            (item, Counter(found_in(item.pair.source)) & Counter(found_in(item.pair.target)))
            for item in items
        ]
        asked = [(item, must) for item, must in asked if must]
        if len(asked) >= FEWEST:
            kept = [
                must <= Counter(found_in(item.translation)) or _stand_in(must, item.translation)
                for item, must in asked
            ]
            chosen = [item for item, _ in asked]
            groups.append(Group(name, scores_of(chosen), sum(kept) / len(kept)))
    questions = [item for item in items if _end(item.pair.source) == "?"]
    if len(questions) >= FEWEST:
        kept = [_end(item.translation) == "?" for item in questions]
        groups.append(Group("questions", scores_of(questions), sum(kept) / len(kept)))
    for name, chosen in (
        (
            "with a word that training never showed",
            [i for i in items if unknown(i.pair.source, known)],
        ),
        ("with known words alone", [i for i in items if not unknown(i.pair.source, known)]),
    ):
        if len(chosen) >= FEWEST:
            groups.append(Group(name, scores_of(chosen)))
    return groups


def _stand_in(wanted: Mapping[str, int], text: str) -> bool:
    """Whether all these stand somewhere in a text, as often, and not as part of a longer word.

    A name may come first in a translation, or be joined to another word: Impress-Dokument.
    """
    return all(
        len(re.findall(rf"(?<!{_LATIN}){re.escape(one)}(?!{_LATIN})", text)) >= times
        for one, times in wanted.items()
    )


def _end(sentence: str) -> str:
    """The sign at the end of a sentence, whatever its script writes for it; nothing if none."""
    found = _END.search(sentence.rstrip().translate(_SAME_SIGN))
    return found[0] if found else ""


def unknown(sentence: str, known: frozenset[str]) -> list[str]:
    """The words of a sentence that training never showed; numbers and signs are no words.

    >>> unknown("The zebra has 2 ears.", frozenset({"the", "has", "ears"}))
    ['zebra']
    """
    return [word for word in words(sentence) if word[0].isalpha() and word.lower() not in known]


def known_to(sentences: Sequence[str]) -> frozenset[str]:
    """The words of some sentences, in small letters."""
    return frozenset(word.lower() for sentence in sentences for word in words(sentence))


# --- words --------------------------------------------------------------------------------------


def by_frequency(items: Sequence[Translated], training: Sequence[str]) -> list[Recall]:
    """How many of the references' words the translations have, by how often training showed them.

    Args:
        items: the test set.
        training: the target side of the training text.
    """
    seen = Counter(word for sentence in training for word in words(sentence))
    counts: Counter[int] = Counter()
    found: Counter[int] = Counter()
    for item in items:
        written = Counter(words(item.translation))
        for word, times in Counter(words(item.pair.target)).items():
            if word[0].isalnum():
                group = sum(seen[word] > end for end in FREQUENCIES)
                counts[group] += times
                found[group] += min(times, written[word])
    names = [
        "never",
        *(f"{a + 1} to {b} times" for a, b in pairwise(FREQUENCIES)),
        f"more than {FREQUENCIES[-1]} times",
    ]
    return [
        Recall(name, counts[group], found[group] / counts[group])
        for group, name in enumerate(names)
        if counts[group]
    ]


# --- translations that failed -------------------------------------------------------------------


def _loops(item: Translated) -> bool:
    """Whether three words in a row stand there three times, and not in the reference."""
    written = words(item.translation)
    threes = Counter(zip(written, written[1:], written[2:], strict=False))
    wanted = words(item.pair.target)
    expected = Counter(zip(wanted, wanted[1:], wanted[2:], strict=False))
    return any(times >= 3 > expected[three] for three, times in threes.items())


FAILURES: Mapping[str, Callable[[Translated], bool]] = {
    "empty": lambda item: not item.translation.strip(),
    "the source, unchanged": lambda item: item.translation == item.pair.source != item.pair.target,
    "repeats itself": _loops,
    "less than half as long as the reference": lambda item: (
        2 * len(item.translation) < len(item.pair.target)
    ),
    "more than twice as long": lambda item: len(item.translation) > 2 * len(item.pair.target),
    "another sign at the end": lambda item: _end(item.translation) != _end(item.pair.target),
}
"""Faults that a program sees without knowing the language."""


def failures(items: Sequence[Translated]) -> dict[str, list[Translated]]:
    """For each fault the sentences that have it; faults that none has are left out."""
    found = {name: [item for item in items if has(item)] for name, has in FAILURES.items()}
    return {name: those for name, those in found.items() if those}


def spread_out(items: Sequence[Translated], count: int) -> list[Translated]:
    """Examples from the whole range: by their chrF, at equal distances, the worst first.

    Args:
        items: the test set.
        count: of examples; fewer where there are not so many sentences.
    """
    ordered = sorted(items, key=lambda item: (item.chrf, item.pair.source))
    count = min(count, len(ordered))
    if count < 2:
        return ordered[:count]
    return [ordered[round(place * (len(ordered) - 1) / (count - 1))] for place in range(count)]
