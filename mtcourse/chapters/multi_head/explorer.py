"""A translator whose heads a reader can switch off, on any sentence (chapter 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.attention_map import attention_map
from mtcourse.figures.explorer import Explorer, rounded, shown_pieces
from mtcourse.figures.still import Still
from mtcourse.layers.multi_head import head_contributions
from mtcourse.models.pruned_heads import attention_layers
from mtcourse.models.recorded_attention import recorded_attention
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import model_files
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.tokenizer import EOS

SCRIPT = Path(__file__).with_suffix(".js")

# From the built-in corpus's test split; all of them are translated without an error.
SENTENCES = (
    "He explained the idea carefully.",
    "Is the child very old?",
    "We admired the baker.",
    "Their sister is solving a problem.",
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
    """A translation that changes with the heads that are on; what each head looks at and adds.

    What is stored holds for all heads; everything else is computed in the reader's page.

    Args:
        translator: whose heads; None takes the one that comes with the package.
        sentences: source sentences that can be shown before the translator is loaded.
        settings: what is chosen at first: sentence, layer and token (counted from 0), own, a
            sentence of the reader's (``""`` for none), off, the names of heads that are switched
            off, such as "encoder 2.3", and open, whether the view inside is open.

    Source: A24 to A27, B06. Chapter 9.

    Raises:
        MtcourseError: there is no sentence.
    """
    if not sentences:
        raise MtcourseError("an explorer of heads needs at least one sentence")
    translator = translator or Translator.load(device="cpu")
    data = {
        "layers": [
            {
                "kind": kind,
                "number": number,
                "name": f"{kind} {number + 1}",
                "title": f"{NAMES[kind]}, layer {number + 1}",
            }
            for kind, number in attention_layers(translator.model)
        ],
        "sentences": [_sentence(translator, text) for text in sentences],
    }
    return Explorer(
        SCRIPT,
        data,
        {"sentence": 0, "own": "", "off": [], "layer": 1, "token": 2, "open": False},
        settings or {},
        "This explorer needs JavaScript. It translates a sentence while you switch off heads of "
        "the translator, and shows what each head of a layer looks at and how much it adds.",
        partial(model_files, translator),
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """What the heads of a layer look at from one token."""
    sentence = data["sentences"][chosen["sentence"]]
    layer, token = data["layers"][chosen["layer"]], chosen["token"]
    asked = sentence["read" if layer["kind"] == "decoder" else "source"]
    asks = sentence["source" if layer["kind"] == "encoder" else "read"][token]
    heads = [head[token] for head in sentence["layers"][chosen["layer"]]["weights"]]
    names = [f"head {number + 1}" for number in range(len(heads))]
    return Still(
        f"“{sentence['text']}”, translated as “{sentence['translation']}”: where each head of "
        f"{layer['title']} looks from “{asks}”, all heads on.",
        ("token", *names),
        list(zip(asked, *heads, strict=True)),
        lambda: attention_map(asked, names, torch.tensor(heads)),
    )


def _sentence(translator: Translator, text: str) -> dict[str, Any]:
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
    return {
        "text": text,
        "translation": translation,
        **tokens,
        "layers": [
            {
                "weights": rounded(weights),
                "common": rounded(torch.einsum("jmd,kmd->mjk", parts, parts), 2),
            }
            for place in attention_layers(translator.model)  # and not in the order of the calls
            for weights, parts in [found[place]]
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
