"""What each head of the translator looks at (chapter 04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import Explorer, rounded, shown_pieces
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
            sentence of the reader's ("" for none), kind ("encoder", "decoder" or "cross"), exponent
            of d_k, temperature.

    Source: A07, A14, A16, D01. Chapter 04.
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
