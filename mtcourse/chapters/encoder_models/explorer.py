"""The explorer of chapter 15: masks by three sliders, and a blank filled from one side or both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from matplotlib.axes import Axes

from mtcourse.errors import MtcourseError
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer, rounded, shown_pieces
from mtcourse.figures.still import Still
from mtcourse.figures.style import book_style, new_panels
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.text.masking import MASK_PIECE
from mtcourse.text.pairs import words
from mtcourse.text.tokenizer import BOS, Tokenizer

SCRIPT = Path(__file__).with_suffix(".js")

SENTENCES = (
    "Anna bewondert het museum.",
    "De eend die de oude tijgers niet volgt, was jong.",
    "De kok heeft de ernstige vraag beantwoord.",
    "De wijn die Anna drinkt, is wit.",
    "Zijn slimme oma ligt op het tapijt.",
    "Wij geloven dat zij het brood niet koopt.",
)
BEST = 5
"""Proposals that are shown for a blank."""
DRAWS = 6
"""How often the reader can draw anew before the first draw comes again."""
_SEED = 15


def encoder_models_explorer(
    encoder: MaskedLanguageModel | None = None,
    decoder: LanguageModel | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """Which tokens are chosen and what becomes of them; and one blank under both kinds of model.

    Args:
        encoder: fills a blank from both sides; None takes the one that comes with the package.
        decoder: predicts the same word from its left side; None likewise.
        settings: what is chosen at first: sentence, rate, masked and random (the two shares in
            percent, together at most 100), draw, and word (the blank; counted from 0).

    Raises:
        MtcourseError: the shares in the settings exceed 100 together.

    Source: C26 to C29. Chapter 15.
    """
    encoder = encoder or MaskedLanguageModel.load(device="cpu")
    decoder = decoder or LanguageModel.load(device="cpu")
    chosen = settings or {}
    if chosen.get("masked", 80) + chosen.get("random", 10) > 100:
        raise MtcourseError(
            "masked and random are shares of the chosen tokens: together at most 100"
        )
    generator = torch.Generator().manual_seed(_SEED)
    data = {
        "sentences": [
            {
                "text": sentence,
                "pieces": shown_pieces(
                    encoder.tokenizer.pieces(encoder.tokenizer.encode(sentence))
                ),
                "draws": _draws(encoder.tokenizer, sentence, generator),
                "words": words(sentence),
                "blanks": [
                    _blank(encoder, decoder, sentence, place)
                    for place in range(len(words(sentence)))
                ],
            }
            for sentence in SENTENCES
        ]
    }
    return Explorer(
        SCRIPT,
        data,
        {"sentence": 0, "rate": 15, "masked": 80, "random": 10, "draw": DRAWS - 1, "word": 2},
        chosen,
        "This explorer needs JavaScript. It shows which tokens of a Dutch sentence masked language "
        "modelling chooses, and what replaces them, for any rate and shares; and what the shipped "
        "encoder and the shipped decoder propose for any word of the sentence that is hidden.",
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """What both models propose for the hidden word."""
    sentence, place = data["sentences"][chosen["sentence"]], chosen["word"]
    shown = [*sentence["words"]]
    shown[place] = "___"
    blank = sentence["blanks"][place]
    sides = (blank[side][part] for side in ("left", "both") for part in ("pieces", "p"))
    return Still(
        f"“{' '.join(shown)}”: what the decoder proposes, which reads what stands before the "
        "blank, and what the encoder does, which reads both sides.",
        ("decoder", "probability", "encoder", "probability"),
        list(zip(*sides, strict=True)),
        lambda: _both_sides(blank),
        3,
    )


def _both_sides(blank: Mapping[str, Any]) -> Axes:
    """Draws the probabilities of both models beside each other."""
    with book_style():
        panels = new_panels(4.6, 2.6, 2)
        for ax, side, name in zip(panels, ("left", "both"), ("decoder", "encoder"), strict=True):
            found = blank[side]
            bars(found["pieces"], {name: found["p"]}, f"probability, {name}", ax, "%.2f")
    return panels[-1]


def _draws(tokenizer: Tokenizer, sentence: str, generator: torch.Generator) -> dict[str, Any]:
    """For each draw and token: two numbers from 0 to 1, and a piece drawn from the vocabulary."""
    ids = tokenizer.encode(sentence)
    numbers = torch.rand(2, DRAWS, len(ids), generator=generator)
    first = next(i for i in range(300, 4000) if tokenizer.pieces([i])[0].startswith("▁"))
    drawn = torch.randint(
        first, tokenizer.vocabulary_size, (DRAWS, len(ids)), generator=generator
    ).tolist()
    return {
        "choice": rounded(numbers[0]),
        "fate": rounded(numbers[1]),
        "random": [shown_pieces(tokenizer.pieces(row)) for row in drawn],
    }


def _blank(
    encoder: MaskedLanguageModel, decoder: LanguageModel, sentence: str, place: int
) -> dict[str, Any] | None:
    """What both models propose for a word; None where the word is not one piece for both."""
    before, after, word = _around(sentence, place)
    ids = encoder.encode(f"{before}{MASK_PIECE}{after}")
    whole = [encoder.vocabulary.class_, *encoder.tokenizer.encode(sentence)]
    blank = ids.index(encoder.vocabulary.mask)
    prefix = decoder.tokenizer.encode(before)
    written = decoder.tokenizer.encode(before + word)
    if (
        len(whole) != len(ids)
        or whole[:blank] + whole[blank + 1 :] != ids[:blank] + ids[blank + 1 :]
    ):
        return None
    if len(written) != len(prefix) + 1 or written[:-1] != prefix:
        return None
    _, p = encoder.probabilities(f"{before}{MASK_PIECE}{after}")
    with torch.inference_mode():
        logits = decoder.model(torch.tensor([[BOS, *prefix]], device=decoder.device))[0, -1]
    return {
        "both": _proposals(encoder.tokenizer, p[blank], whole[blank]),
        "left": _proposals(decoder.tokenizer, logits.softmax(-1), written[-1]),
    }


def _around(sentence: str, place: int) -> tuple[str, str, str]:
    """The sentence before a word, behind it, and the word."""
    start = 0
    for word in words(sentence)[:place]:
        start = sentence.index(word, start) + len(word)
    word = words(sentence)[place]
    start = sentence.index(word, start)
    return sentence[:start], sentence[start + len(word) :], word


def _proposals(tokenizer: Tokenizer, p: torch.Tensor, right: int) -> dict[str, Any]:
    """The best pieces with their probabilities, and the probability and rank of the right one."""
    best = p.topk(BEST)
    return {
        "pieces": shown_pieces(tokenizer.pieces(best.indices.tolist())),
        "p": rounded(best.values),
        "right": float(f"{float(p[right]):.3g}"),
        "rank": int((p > p[right]).sum()) + 1,
    }
