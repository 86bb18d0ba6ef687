"""The figure to play with of chapter 7: document A's whole model, computed on the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from mtcourse.chapters.framework_model.tiny_language import tiny_pairs
from mtcourse.chapters.framework_model.tiny_models import REPAIRS, load_tiny
from mtcourse.errors import MtcourseError
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.models.framework_model import FrameworkModel
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, EOS
from mtcourse.text.word_vocabulary import WordVocabulary

SCRIPT = Path(__file__).with_suffix(".js")

_MOST = 16
"""Words after which a model is stopped."""
_SENTENCES = 12
_DECIMALS = 3
SHOWN = 8
"""Words that a page lists where no script runs."""


def framework_model_explorer(
    models: Mapping[str, FrameworkModel] | None = None,
    source: WordVocabulary | None = None,
    target: WordVocabulary | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """Four models of document A that write word by word, with what they would write and look at.

    Args:
        models: one for each name of ``REPAIRS``; None takes those that are shipped.
        source: the words that they read.
        target: the words that they write.
        settings: what is chosen at first: sentence (its place, from 0), shift, positions, read
            (ids, <bos> first) and at (the place that is chosen).

    Raises:
        MtcourseError: a model is missing, or models come without their words.

    Source: A03 to A18, C07, C08. Chapter 7.
    """
    if models is None:
        models, source, target = load_tiny()
    if set(models) != set(REPAIRS) or source is None or target is None:
        raise MtcourseError(f"the explorer needs words, and the models {', '.join(REPAIRS)}")
    _, held_out = tiny_pairs()
    chosen = sorted(held_out, key=lambda pair: pair.source != "the dog helps the man.")
    data = {
        "source_words": list(source.entries),
        "target_words": list(target.entries),
        "sentences": [_sentence(pair, source, target) for pair in chosen[:_SENTENCES]],
        "models": [_model(models[name], shift) for name, (shift, _) in REPAIRS.items()],
        "most": _MOST,
    }
    return Explorer(
        SCRIPT,
        data,
        {"sentence": 0, "shift": False, "positions": False, "read": [BOS], "at": 0},
        settings or {},
        "This explorer needs JavaScript. It runs document A's model, as printed and with its two "
        "faults mended, and shows for each word what it would write next and where it looks.",
        still=lambda chosen: _still(models, data, chosen),
    )


def _still(
    models: Mapping[str, FrameworkModel], data: Mapping[str, Any], chosen: Mapping[str, Any]
) -> Still:
    """What the chosen model would write next."""
    wanted = chosen["shift"], chosen["positions"]
    name = next(name for name, repairs in REPAIRS.items() if repairs == wanted)
    sentence = data["sentences"][chosen["sentence"]]
    with torch.no_grad():
        logits = models[name](torch.tensor([sentence["source"]]), torch.tensor([chosen["read"]]))
    best = logits[0, chosen["at"]].softmax(-1).topk(SHOWN)
    read = " ".join(data["target_words"][token] for token in chosen["read"])
    words = [data["target_words"][token] for token in best.indices.tolist()]
    return Still(
        f"“{sentence['text']}”: what the model ({name}) writes after {read}.",
        ("word", "probability"),
        list(zip(words, best.values.tolist(), strict=True)),
        lambda: bars(words, {name: best.values.tolist()}, "probability", text="%.3f"),
        3,
    )


def _sentence(pair: SentencePair, source: WordVocabulary, target: WordVocabulary) -> dict[str, Any]:
    return {
        "text": pair.source,
        "source": [*source.encode(pair.source), EOS],
        "target": [*target.encode(pair.target), EOS],
    }


def _model(model: FrameworkModel, shift: bool) -> dict[str, Any]:
    """A model as the script takes it; its numbers are rounded, so that the page stays small."""
    return {
        "shift": shift,
        "target_positions": model.config.target_positions,
        "weights": {
            name: torch.round(weight.detach().double(), decimals=_DECIMALS).tolist()
            for name, weight in model.named_parameters()
        },
    }
