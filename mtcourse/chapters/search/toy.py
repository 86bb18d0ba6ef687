"""A language model of ten sentences, small enough to search by hand (chapter 18).

It begins with document C's own example: with two beams, *I* and *You*, the four candidates are
*I am*, *I like*, *You are* and *You like* (C16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

END = "<eos>"
_AFTER: dict[tuple[str, ...], dict[str, float]] = {
    (): {"I": 0.55, "You": 0.40, END: 0.05},
    ("I",): {"like": 0.50, "am": 0.45, END: 0.05},
    ("You",): {"are": 0.70, "like": 0.25, END: 0.05},
    ("I", "like"): {"tea": 0.50, "you": 0.30, END: 0.20},
    ("I", "am"): {"here": 0.60, "late": 0.20, END: 0.20},
    ("You", "are"): {"right": 0.80, END: 0.20},
    ("You", "like"): {"tea": 0.60, END: 0.40},
}


def next_words(words: Sequence[str]) -> dict[str, float]:
    """The probability of each next word; after three words every sentence ends.

    Args:
        words: the prefix, without a start token.
    """
    return dict(_AFTER.get(tuple(words), {END: 1.0}))


@dataclass(frozen=True)
class Candidate:
    """A prefix that a search considers.

    Args:
        words: the prefix, with ``<eos>`` if it ended.
        p: its probability.
        fate: what becomes of it: "kept", "ended" or "dropped".
    """

    words: tuple[str, ...]
    p: float
    fate: str


def all_sentences() -> dict[tuple[str, ...], float]:
    """Every sentence of the model, without ``<eos>``, with its probability."""
    found: dict[tuple[str, ...], float] = {}
    waiting: list[tuple[tuple[str, ...], float]] = [((), 1.0)]
    while waiting:
        words, p = waiting.pop()
        for word, share in next_words(words).items():
            if word == END:
                found[words] = p * share
            else:
                waiting.append(((*words, word), p * share))
    return found


def beam_steps(beams: int) -> list[list[Candidate]]:
    """The candidates of each step of beam search, best first: all continuations of its beams.

    Args:
        beams: the width.

    Source: C15, C16. Chapter 18.
    """
    live: list[tuple[tuple[str, ...], float]] = [((), 1.0)]
    steps: list[list[Candidate]] = []
    while live:
        grown = [
            ((*words, word), p * share)
            for words, p in live
            for word, share in next_words(words).items()
        ]
        grown.sort(key=lambda each: -each[1])
        live = [one for one in grown if one[0][-1] != END][:beams]
        kept = {words for words, _ in live}
        best = {words for words, _ in grown[:beams]}
        steps.append(
            [Candidate(words, p, _fate(words, words in kept, words in best)) for words, p in grown]
        )
    return steps


def _fate(words: tuple[str, ...], kept: bool, among_the_best: bool) -> str:
    if words[-1] != END:
        return "kept" if kept else "dropped"
    return "ended" if among_the_best else "dropped"
