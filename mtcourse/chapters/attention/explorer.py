"""What each head of the translator looks at (chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mtcourse.errors import MtcourseError
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer, rounded, shown_pieces
from mtcourse.figures.still import Still
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import model_files

SCRIPT = Path(__file__).with_suffix(".js")

# None is in the grammar's training set; the last is the README's.
SENTENCES = (
    "The baker will close the curtain slowly.",
    "Eva is solving her difficult problem.",
    "Is Anna waiting for a butcher?",
    "Yesterday the old baker did not open the shop.",
)


def attention_explorer(
    translator: Translator | None = None,
    sentences: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """What each head of a translator looks at, and what the division by sqrt(d_k) is for.

    Args:
        translator: whose heads; None takes the one that comes with the package.
        sentences: source sentences that are stored; None takes four of them. Any other sentence is
            computed in the reader's page.
        settings: what is chosen at first: sentence, layer, head and query (places from 0), own, a
            sentence of the reader's (``""`` for none), kind ("encoder", "decoder" or "cross"),
            exponent of d_k, temperature.

    Source: A07, A14, A16, D01. Chapter 4.
    """
    translator = translator or Translator.load(device="cpu")
    chosen = SENTENCES if sentences is None else sentences
    if not chosen:
        raise MtcourseError("an explorer of attention needs at least one sentence")
    config = translator.model.config
    data = {
        "d_k": config.d_model // config.h,
        "sentences": [_sentence(translator, sentence) for sentence in chosen],
    }
    return Explorer(
        SCRIPT,
        data,
        {
            "sentence": 0,
            "own": "",
            "kind": "cross",
            "layer": 0,
            "head": 1,
            "query": 6,
            "exponent": 0.5,
            "temperature": 1.0,
        },
        settings or {},
        "This explorer needs JavaScript. It shows, for each word of a sentence, which words a head "
        "of the translator looks at, and how the division by the square root of d_k changes it.",
        partial(model_files, translator),
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """What one word looks at in one head."""
    sentence, kind = data["sentences"][chosen["sentence"]], chosen["kind"]
    layer, head, query = (chosen[name] for name in ("layer", "head", "query"))
    products = torch.tensor(sentence[kind][layer][head][query], dtype=torch.float64)
    scores = products / data["d_k"] ** chosen["exponent"]
    weights = (scores / chosen["temperature"]).softmax(-1)
    keys = sentence["read" if kind == "decoder" else "source"][: len(products)]
    # In cross-attention the word that asks is the one that is about to be written.
    asks = sentence[{"encoder": "source", "decoder": "read", "cross": "write"}[kind]][query]
    return Still(
        f"“{sentence['text']}”: what “{asks}” looks at in layer {layer + 1}, head {head + 1} "
        f"({kind}), with q·k divided by {data['d_k'] ** chosen['exponent']:.2f}.",
        ("key", "q·k", "score", "weight"),
        [
            (key, f"{product:.1f}".replace("-", "−"), f"{score:.2f}".replace("-", "−"), weight)
            for key, product, score, weight in zip(
                keys, products.tolist(), scores.tolist(), weights.tolist(), strict=True
            )
        ],
        lambda: bars(keys, {"weight": weights.tolist()}, f"weight of “{asks}”", text="%.3f"),
        3,
    )


def _sentence(translator: Translator, sentence: str) -> dict[str, Any]:
    """Words and products of a sentence, as the script takes them."""
    translation = translator.translate([sentence])[0]
    products = translator.attention_products(sentence, translation)
    return {
        "text": sentence,
        "translation": translation,
        "source": shown_pieces(products.source_pieces),
        "read": shown_pieces(products.decoder_pieces),
        "write": shown_pieces(products.target_pieces),
        **{kind: rounded(getattr(products, kind)) for kind in ("encoder", "decoder", "cross")},
    }
