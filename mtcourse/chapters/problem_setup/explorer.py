"""How sentences fall into pieces, one that the reader types among them (chapter 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtcourse.chapters.problem_setup.plots import rows_of_pieces
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.page.live_translator import known_words, vocabulary
from mtcourse.text.tokenizer import BYTE_PIECES, SPECIAL_PIECES, Tokenizer

SCRIPT = Path(__file__).with_suffix(".js")
SHARED = len(SPECIAL_PIECES) + BYTE_PIECES
"""Pieces that every tokenizer begins with."""


def problem_setup_explorer(
    tokenizers: Sequence[Tokenizer],
    sentences: Sequence[str],
    learnt: Iterable[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """How sentences fall into pieces as the vocabulary grows.

    Args:
        tokenizers: from the smallest vocabulary to the largest.
        sentences: what they cut; the reader may type another one.
        learnt: the training text: words that are in none of these sentences are marked. Without it
            no word is.
        settings: what is chosen at first: at (the index of the tokenizer, from 0) and own, a
            sentence of the reader's (``""`` for none).

    Chapter 1.

    Raises:
        MtcourseError: there is no tokenizer, or no sentence.
    """
    if not tokenizers or not sentences:
        raise MtcourseError(
            f"an explorer of subwords needs tokenizers and sentences, not {len(tokenizers)} and "
            f"{len(sentences)}"
        )
    sizes = [of.vocabulary_size for of in tokenizers]
    return Explorer(
        SCRIPT,
        {
            "sizes": sizes,
            "tokenizers": [
                {name: of[SHARED:] for name, of in vocabulary(tokenizer).items()}
                for tokenizer in tokenizers
            ],
            "sentences": list(sentences),
            "known": known_words(learnt),
        },
        {"at": min(2, len(sizes) - 1), "own": ""},
        settings or {},
        "This explorer needs JavaScript. It shows how sentences, also one that you type, fall into "
        "pieces, for each size of the vocabulary.",
        still=lambda chosen: _still(tokenizers, chosen["own"] or sentences[0]),
    )


def _still(tokenizers: Sequence[Tokenizer], sentence: str) -> Still:
    """A sentence in the pieces of each vocabulary."""
    cut = [(of.vocabulary_size, of.pieces(of.encode(sentence))) for of in tokenizers]
    return Still(
        f"The pieces of “{sentence}” for each size of the vocabulary.",
        ("pieces in the vocabulary", "pieces in the sentence", "the sentence"),
        [(f"{size:,}", len(pieces), " ".join(pieces)) for size, pieces in cut],
        lambda: rows_of_pieces({f"{size:,}": pieces for size, pieces in cut}),
    )
