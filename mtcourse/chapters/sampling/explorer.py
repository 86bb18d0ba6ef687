"""Explorer: what temperature, top-k, top-p and min-p make of the next token, and draws from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mtcourse.errors import MtcourseError
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer, shown_pieces
from mtcourse.figures.still import Still
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import language_model_files, model_files
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.tokenizer import BOS, EOS

SCRIPT = Path(__file__).with_suffix(".js")

BEGINNINGS = ("De kok", "Zij zegt dat de", "Zij zegt", "De man is heel", "Wij hebben")
TRANSLATED = (
    ("The lazy cooks believe that they have listened to us.", "De luie koks"),
    ("She is not ordering sweet potatoes today.", "Zij bestelt vandaag"),
    ("The lazy cooks believe that they have listened to us.", ""),
    ("She is not ordering sweet potatoes today.", ""),
    ("The teacher will close the window because it is raining.", ""),
)
"""English sentences, and how far their translations have come."""
SHOWN = 12
"""Tokens that a page lists where no script runs."""


def sampling_explorer(
    language_model: LanguageModel | None = None,
    translator: Translator | None = None,
    beginnings: Sequence[str] = BEGINNINGS,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """Shows the distribution of the next token behind filters in either order, and draws.

    The logits of the given texts are stored. The reader's own texts are read by the translator or
    the language model in the page, once it has been loaded, and so are whole texts written.

    Args:
        language_model: whose next tokens; None takes the Dutch one that comes with the package.
        translator: whose next tokens and translations; None takes the one of the package.
        beginnings: texts that the language model goes on with.
        settings: what is chosen at first: text (counted from 0; -1 is the reader's own sentence,
            -2 the reader's own beginning), own and beginning, these texts themselves (``""`` for
            none), T (in tenths, 31 for infinity), k, p and m (places in the lists of the sliders),
            order ("first" or "last": where the temperature comes) and seed, the number of the first
            draw.

    Raises:
        MtcourseError: there is no beginning.

    Source: C20 to C24. Chapter 19.
    """
    if not beginnings:
        raise MtcourseError("an explorer of samplers needs at least one beginning of a text")
    language_model = language_model or LanguageModel.load(device="cpu")
    translator = translator or Translator.load(device="cpu")
    texts = [_continued(language_model, text) for text in beginnings]
    texts += [_translated(translator, source, begun) for source, begun in TRANSLATED]
    data = {
        "texts": texts,
        "pieces": {
            "dutch": _names(language_model.tokenizer),
            "translator": _names(translator.tokenizers.target),
        },
    }
    return Explorer(
        SCRIPT,
        data,
        {"text": 0, "own": "", "beginning": "", "T": 10, "k": 8, "p": 11, "m": 0}
        | {"order": "first", "seed": 1},
        settings or {},
        "This explorer needs JavaScript. It shows the probabilities of the next token of some "
        "Dutch texts, and how a temperature, top-k, top-p and min-p change them in either order. "
        "It draws tokens and whole texts from the result, for these texts and for your own.",
        partial(model_files, translator),
        partial(language_model_files, language_model),
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """The most probable next tokens, before anything is cut off."""
    text = data["texts"][max(0, chosen["text"])]
    pieces = data["pieces"][text["model"]]
    best = (torch.tensor(text["logits"], dtype=torch.float64) / 100).softmax(-1).topk(SHOWN)
    names, probabilities = [pieces[token] for token in best.indices.tolist()], best.values.tolist()
    return Still(
        f"“{text['text']}”: the most probable next tokens, at temperature 1 and without a filter.",
        ("next token", "probability"),
        list(zip(names, probabilities, strict=True)),
        lambda: bars(names, {"probability": probabilities}, "probability", text="%.3f"),
        3,
    )


def _names(tokenizer: Any) -> list[str]:
    return shown_pieces(tokenizer.pieces(list(range(tokenizer.vocabulary_size))))


def _stored(logits: torch.Tensor) -> list[int]:
    """Hundredths below the largest, as whole numbers: short in JSON, and close enough."""
    return torch.round(100 * (logits.double() - logits.max())).long().tolist()


@torch.no_grad()
def _continued(language_model: LanguageModel, text: str) -> dict[str, Any]:
    ids = torch.tensor([[BOS, *language_model.tokenizer.encode(text)]])
    logits = language_model.model(ids)[0, -1]
    return {"text": f"{text} …", "model": "dutch", "begun": text, "logits": _stored(logits)}


@torch.no_grad()
def _translated(translator: Translator, source: str, begun: str) -> dict[str, Any]:
    ids = [*translator.tokenizers.source.encode(source), EOS]
    target = [*translator.tokenizers.target.encode(begun), EOS]
    logits = translator.model(pad([ids]), shift_right(pad([target])))[0, -1]
    return {
        "text": f"{source} → {begun} …".replace("  ", " "),
        "model": "translator",
        "source": source,
        "begun": begun,
        "logits": _stored(logits),
    }
