"""A language of a few words, for models so small that their every number can be looked at.

Enough of Dutch to go wrong in: articles that depend on the noun, questions that begin with the
verb, and a verb that comes before its subject after "vandaag" (chapter 7).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

from mtcourse.text.pairs import SentencePair

_NOUNS = {
    "dog": "de hond",
    "cat": "de kat",
    "man": "de man",
    "woman": "de vrouw",
    "horse": "het paard",
    "child": "het kind",
}
_VERBS = {"see": "ziet", "hear": "hoort", "help": "helpt"}


def tiny_pairs(held_out: int = 60, seed: int = 1) -> tuple[list[SentencePair], list[SentencePair]]:
    """All 270 sentence pairs of the language: those to learn from, and those held out.

    Args:
        held_out: how many are kept for testing, drawn at random.
        seed: of the draw.
    """
    pairs = list(_all_pairs())
    Random(seed).shuffle(pairs)
    return pairs[held_out:], pairs[:held_out]


def _all_pairs() -> Iterator[SentencePair]:
    for (subject, onderwerp), (other, voorwerp) in itertools.permutations(_NOUNS.items(), 2):
        for verb, werkwoord in _VERBS.items():
            yield SentencePair(
                f"the {subject} {verb}s the {other}.", f"{onderwerp} {werkwoord} {voorwerp}."
            )
            yield SentencePair(
                f"does the {subject} {verb} the {other}?", f"{werkwoord} {onderwerp} {voorwerp}?"
            )
            yield SentencePair(
                f"today the {subject} {verb}s the {other}.",
                f"vandaag {werkwoord} {onderwerp} {voorwerp}.",
            )
