"""Which sentence pairs are fit to train on, and a count of those that are not (chapter 1)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from mtcourse.text.pairs import SentencePair, words

LONGEST = 60
"""A sentence with more words than this is more likely a list."""

EXAMPLES = 3

_MARKUP = re.compile(r"</?\w+[^>]*>|&\w+;|\[/?\w+\]|%\d|\$\[|\{\{|\}\}")
_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class CleaningReport:
    """What was left out of a corpus, and why.

    Args:
        kept: pairs that stayed.
        dropped: for each reason how many did not.
        examples: for each reason a few of them, with their origin.
    """

    kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"kept {self.kept:,} pairs, left out {sum(self.dropped.values()):,}"]
        for reason, count in sorted(self.dropped.items(), key=lambda item: -item[1]):
            lines.append(f"  {count:>7,}  {reason}")
            lines += [f"           e.g. {example}" for example in self.examples.get(reason, ())]
        return "\n".join(lines)


class Dropped:
    """Counts what is left out while a corpus is read and cleaned."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, tuple[str, ...]] = {}

    def add(self, reason: str, pair: SentencePair) -> None:
        """Notes one pair, and remembers the first few of each reason."""
        self.counts[reason] += 1
        known = self.examples.get(reason, ())
        if len(known) < EXAMPLES:
            shown = f"{pair.source[:60]!r} / {pair.target[:60]!r}"
            self.examples[reason] = (*known, f"{pair.origin}: {shown}" if pair.origin else shown)

    def report(self, kept: int) -> CleaningReport:
        """The count so far."""
        return CleaningReport(kept, dict(self.counts), dict(self.examples))


def clean(
    pairs: Iterable[SentencePair], dropped: Dropped, longest: int = LONGEST
) -> list[SentencePair]:
    """The pairs that are fit to train on, each once, in their order.

    Args:
        pairs: as they were read.
        dropped: where the others are counted, with the first reason that applies.
        longest: most words on either side.
    """
    kept: list[SentencePair] = []
    seen: set[tuple[str, str]] = set()
    rules = {**_RULES, f"longer than {longest} words": lambda pair: _longer(pair, longest)}
    for pair in pairs:
        reason = next((reason for reason, applies in rules.items() if applies(pair)), None)
        if reason is None and (pair.source, pair.target) in seen:
            reason = "duplicate"
        if reason is None:
            seen.add((pair.source, pair.target))
            kept.append(pair)
        else:
            dropped.add(reason, pair)
    return kept


def _is_untranslated(pair: SentencePair) -> bool:
    """Both sides the same, or nearly all words of a long sentence the same."""
    source, target = (words(side.casefold()) for side in (pair.source, pair.target))
    if source == target:
        return True
    shared = sum((Counter(source) & Counter(target)).values())
    return min(len(source), len(target)) >= 5 and shared > 0.8 * max(len(source), len(target))


def _is_unequal(pair: SentencePair) -> bool:
    """One side much longer than the other, in characters, with some slack for short ones.

    A wide character, such as a Chinese one, counts as two.
    """
    shorter, longer = sorted((_width(pair.source), _width(pair.target)))
    return longer > 2 * shorter + 15


def _width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return len(text) + sum(unicodedata.east_asian_width(one) in "WF" for one in text)


def _has_few_letters(pair: SentencePair) -> bool:
    """Formulas, key names and numbers rather than sentences."""
    return any(
        len(_LETTERS.findall(side)) < 0.5 * len(side.replace(" ", ""))
        for side in (pair.source, pair.target)
    )


def _longer(pair: SentencePair, longest: int) -> bool:
    return max(len(words(pair.source)), len(words(pair.target))) > longest


_RULES: dict[str, Callable[[SentencePair], bool]] = {
    "empty on both sides": lambda pair: not pair.source + pair.target,
    "empty on one side": lambda pair: not pair.source or not pair.target,
    "markup left over": lambda pair: bool(_MARKUP.search(f"{pair.source} {pair.target}")),
    "untranslated": _is_untranslated,
    "few letters": _has_few_letters,
    "very unequal lengths": _is_unequal,
}
