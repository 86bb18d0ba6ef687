"""An explorer of a trained table: a word, and the words whose rows are most like its own."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from matplotlib.axes import Axes
from torch import Tensor

from mtcourse.chapters.embeddings.geometry import nearest
from mtcourse.chapters.embeddings.word_pieces import word_pieces
from mtcourse.errors import MtcourseError
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.figures.style import book_style, new_panels
from mtcourse.models.translator import Translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair

SCRIPT = Path(__file__).with_suffix(".js")

LEVELS = 16
"""Values that an entry of the table has on a page: two fit into a byte."""
SHOWN = 8
"""Neighbours of each language on a page where no script runs."""
SUGGESTED = ("dog", "window", "Monday", "seven", "yellow", "opened", "hond", "Anna", "beer")
_SIDES = {"source": "e", "target": "d", "both": "b"}


def embeddings_explorer(
    translator: Translator | None = None,
    pairs: Sequence[SentencePair] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """The words that are most like a word, in each language, by the rows of a shared table.

    Args:
        translator: the translator whose table is shown; None takes the one in the package.
        pairs: sentence pairs in which words are counted, to find their language; None takes the
            grammar's.
        settings: what is chosen at first: word, measure ("cosine", "product" or "distance"),
            centred (whether the mean of all words is subtracted).

    Raises:
        MtcourseError: its source and target have tables of their own, the pairs have none of its
            words, or the word is not one of them.

    Chapter 2.
    """
    translator = translator or Translator.load(device="cpu")
    if not translator.model.config.shared_embeddings:
        raise MtcourseError("this translator has two tables: neighbours need a shared one")
    pairs = builtin_corpus(train=3000).splits["train"] if pairs is None else pairs
    found = word_pieces(translator.tokenizers.source, pairs)
    if not found:
        raise MtcourseError("these sentence pairs have none of its words: give it pairs to count")
    table = translator.model.output_weight.detach()[[piece.id for piece in found]]
    known = [piece.word for piece in found]
    data = {
        "words": known,
        "languages": "".join(_SIDES[piece.side()] for piece in found),
        "lengths": torch.round(table.norm(dim=-1).double(), decimals=3).tolist(),
        "rows": packed(table),
        "d": table.shape[1],
        "suggested": [word for word in SUGGESTED if word in known],
    }
    chosen = {"word": known[0], "measure": "cosine", "centred": False, **(settings or {})}
    if "word" not in (settings or {}) and data["suggested"]:
        chosen["word"] = data["suggested"][0]
    if chosen["word"] not in known:
        raise MtcourseError(f"{chosen['word']!r} is not one piece of this vocabulary")
    return Explorer(
        SCRIPT,
        data,
        {"word": "", "measure": "", "centred": False},
        chosen,
        "This explorer needs JavaScript. It shows, for each of "
        f"{len(known)} English and Dutch words, the words whose rows are most like its own.",
        still=lambda chosen: _still(table, data, chosen["word"]),
    )


def _still(table: Float[Tensor, "V d"], data: Mapping[str, Any], word: str) -> Still:
    """The nearest words of both languages."""
    row = data["words"].index(word)
    sides = []
    for language in "ed":
        among = [i for i, of in enumerate(data["languages"]) if of in {language, "b"}]
        sides.append(nearest(table, row, SHOWN, torch.tensor(among)))
    rows = [
        (data["words"][english], cosine, data["words"][dutch], other)
        for (english, cosine), (dutch, other) in zip(*sides, strict=False)
    ]
    heads = ("English", "cosine", "Dutch", "cosine")
    return Still(
        f"The words whose rows are most like that of “{word}”.",
        heads,
        rows,
        lambda: _neighbours(rows),
    )


def _neighbours(rows: Sequence[tuple[str, float, str, float]]) -> Axes:
    """Draws the cosines of both languages beside each other."""
    english, cosines, dutch, others = zip(*rows, strict=True)
    with book_style():
        left, right = new_panels(4.6, 2.9, 2)
        bars(english, {"cosine": cosines}, "cosine, English", left, "%.2f")
        return bars(dutch, {"cosine": others}, "cosine, Dutch", right, "%.2f")


def packed(table: Float[Tensor, "V d"]) -> str:
    """Directions of rows as 16 levels from -1 to 1 of the row's largest entry, two in a byte.

    Args:
        table: an even number of columns.
    """
    largest = table.abs().amax(-1, keepdim=True).clamp(min=1e-12)
    levels = torch.round((table / largest + 1) / 2 * (LEVELS - 1)).to(torch.uint8).cpu().numpy()
    pairs = levels.reshape(len(levels), -1, 2)
    both = (pairs[..., 0] * LEVELS + pairs[..., 1]).astype(np.uint8)
    return base64.b64encode(both.tobytes()).decode("ascii")
