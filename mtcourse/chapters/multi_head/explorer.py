"""An explorer of the translator's heads: take out those of a layer, and translate (chapter 09)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import Explorer, rounded, shown_pieces
from mtcourse.layers.multi_head import head_contributions
from mtcourse.models.pruned_heads import Head, attention_layers, without_heads
from mtcourse.models.recorded_attention import recorded_attention
from mtcourse.models.translator import Translator
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.tokenizer import EOS

SCRIPT = Path(__file__).with_suffix(".js")

# From the built-in corpus's test split; all of them are translated without an error.
SENTENCES = (
    "He explained the idea carefully.",
    "Is the child very old?",
    "We admired the baker.",
    "Their sister is solving a problem.",
    "We are playing because we are sick.",
    "The sick butcher is listening to the king.",
)
NAMES = {
    "encoder": "encoder self-attention (English)",
    "decoder": "decoder self-attention (Dutch)",
    "cross": "cross-attention (Dutch to English)",
}


def multi_head_explorer(
    translator: Translator | None = None,
    sentences: Sequence[str] = SENTENCES,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """What each head of a layer looks at and adds, and the translation with some of them removed.

    Args:
        translator: whose heads; None takes the one that comes with the package.
        sentences: source sentences.
        settings: what is chosen at first: sentence, layer and token (counted from 0), and kept, a
            list of True and False for the heads of the layer.

    Source: A24 to A27, B06. Chapter 09.

    Raises:
        MtcourseError: there is no sentence.
    """
    if not sentences:
        raise MtcourseError("an explorer of heads needs at least one sentence")
    translator = translator or Translator.load(device="cpu")
    layers = attention_layers(translator.model)
    h = next(iter(layers.values())).h
    written = {place: _written(translator, place, h, sentences) for place in layers}
    data = {
        "layers": [f"{NAMES[kind]}, layer {number + 1}" for kind, number in layers],
        "sentences": [
            _sentence(translator, text, {place: of[k] for place, of in written.items()})
            for k, text in enumerate(sentences)
        ],
    }
    return Explorer(
        SCRIPT,
        data,
        {"sentence": 0, "layer": 1, "token": 2, "kept": [True] * h},
        settings or {},
        "This explorer needs JavaScript. It shows what each head of a layer of the translator "
        "looks at, how much it adds, and how a sentence is translated when some heads are removed.",
    )


def _written(
    translator: Translator, place: tuple[str, int], h: int, sentences: Sequence[str]
) -> list[dict[str, str]]:
    """For each sentence its translation for each choice of heads: "1011" is without head 2."""
    found: list[dict[str, str]] = [{} for _ in sentences]
    for kept in product((True, False), repeat=h):
        gone = [Head(*place, number) for number, there in enumerate(kept) if not there]
        with without_heads(translator.model, gone):
            translations = translator.translate(sentences)
        for of_sentence, translation in zip(found, translations, strict=True):
            of_sentence["".join(str(int(there)) for there in kept)] = translation
    return found


def _sentence(
    translator: Translator, text: str, written: Mapping[tuple[str, int], Mapping[str, str]]
) -> dict[str, Any]:
    """Tokens, and for each layer the weights and what the heads' contributions have in common."""
    source_of, target_of = translator.tokenizers.source, translator.tokenizers.target
    (translation,) = translator.translate([text])
    source = [*source_of.encode(text), EOS]
    target = [*target_of.encode(translation), EOS]
    read = shift_right(pad([target]))[0].tolist()
    found = _recorded(translator, source, read)
    tokens = {
        "source": shown_pieces(source_of.pieces(source)),
        "read": shown_pieces(target_of.pieces(read)),
    }
    asks = {"encoder": "source", "decoder": "read", "cross": "read"}
    answers = {"encoder": "source", "decoder": "read", "cross": "source"}
    return {
        "text": text,
        "translation": translation,
        **tokens,
        "layers": [
            {
                "asks": asks[kind],
                "answers": answers[kind],
                "weights": rounded(weights),
                "common": rounded(torch.einsum("jmd,kmd->mjk", parts, parts)),
                "written": written[kind, number],
            }
            for kind, number in written  # in the order of the choices, and not in that of calls
            for weights, parts in [found[kind, number]]
        ],
    }


def _recorded(
    translator: Translator, source: Sequence[int], read: Sequence[int]
) -> dict[tuple[str, int], tuple[Tensor, Tensor]]:
    """For each layer its weights, (h, m, n), and the heads' contributions, (h, m, d_model)."""
    layers = attention_layers(translator.model)
    with ExitStack() as stack, torch.no_grad():
        records = {
            place: stack.enter_context(recorded_attention([layer]))
            for place, layer in layers.items()
        }
        translator.model(pad([source]), pad([read]))
    return {
        place: (record.weights[0], head_contributions(record.A, layers[place].W_O.weight.T)[0])
        for place, (record,) in records.items()
    }
