"""How sentences fall into pieces (chapter 01)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import Explorer
from mtcourse.text.tokenizer import Tokenizer

SCRIPT = Path(__file__).with_suffix(".js")


def problem_setup_explorer(
    tokenizers: Sequence[Tokenizer],
    sentences: Sequence[str],
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """How sentences fall into pieces as the vocabulary grows.

    Args:
        tokenizers: from the smallest vocabulary to the largest.
        sentences: what they cut.
        settings: what is chosen at first: at (the index of the tokenizer, from 0).

    Chapter 01.
    """
    if not tokenizers or not sentences:
        raise MtcourseError(
            f"an explorer of subwords needs tokenizers and sentences, not {len(tokenizers)} and "
            f"{len(sentences)}"
        )
    cut = [[of.pieces(of.encode(text)) for of in tokenizers] for text in sentences]
    sizes = [of.vocabulary_size for of in tokenizers]
    pieces = zip(sizes, cut[0], strict=True)
    return Explorer(
        SCRIPT,
        {
            "sizes": sizes,
            "sentences": [
                {"text": text, "pieces": of} for text, of in zip(sentences, cut, strict=True)
            ],
        },
        {"at": min(2, len(sizes) - 1)},
        settings or {},
        "This explorer needs JavaScript. It shows the pieces of sentences; those of the first are: "
        + "; ".join(f"with {size} pieces, {' '.join(of)}" for size, of in pieces),
    )
