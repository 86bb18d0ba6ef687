"""Figures to play with: in a notebook a widget, on a page the same script in plain HTML.

(Chapters 01, 04, 05 and 12.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import torch
import traitlets

from mtcourse.errors import MtcourseError
from mtcourse.models.translator import Translator
from mtcourse.text.pairs import words
from mtcourse.text.tokenizer import Tokenizer

JAVASCRIPT = Path(__file__).parent / "javascript"
CSS = (JAVASCRIPT / "explorers.css").read_text(encoding="utf-8")

# None is in the grammar's training set; the last is the README's.
SENTENCES = (
    "The baker will close the curtain slowly.",
    "Eva is solving her difficult problem.",
    "In May the hedgehog fell at the market.",
    "Lisa fed the cat that is sleeping.",
    "David is cooking the meat in the bathroom.",
    "Is Anna waiting for a butcher?",
    "The artist is borrowing her old pen.",
    "Yesterday the old baker did not open the shop.",
)


def module(name: str) -> str:
    """One ES module without imports: the parts that explorers share, then the explorer.

    Args:
        name: of the file, such as "mask_builder".
    """
    parts, explorer = (
        (JAVASCRIPT / f"{file}.js").read_text(encoding="utf-8") for file in ("parts", name)
    )
    without_import = re.sub(r"^import [^;]*;\n", "", explorer, flags=re.MULTILINE)
    return re.sub("^export ", "", parts, flags=re.MULTILINE) + without_import


class Explorer(anywidget.AnyWidget):
    """A figure with inputs, which needs a kernel neither in a notebook nor on a page.

    Args:
        name: of its module, such as "mask_builder".
        data: what it shows.
        defaults: what its inputs say at first.
        settings: what they say instead.
        otherwise: what a page says where scripts do not run.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode(CSS).tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        name: str,
        data: dict[str, Any],
        defaults: Mapping[str, Any],
        settings: Mapping[str, Any],
        otherwise: str,
    ) -> None:
        if unknown := sorted(set(settings) - set(defaults)):
            raise MtcourseError(
                f"{name} has no settings {', '.join(unknown)}; it has {', '.join(defaults)}"
            )
        super().__init__(_esm=module(name), data=data, settings={**defaults, **settings})
        self.name = name
        self.otherwise = otherwise

    def __repr__(self) -> str:
        return f"<explorer {self.name}>"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        return {**data, "text/html": self.html()}, metadata

    def html(self) -> str:
        """The explorer for a page without a kernel; it loads nothing, so a file may hold it."""
        state = json.dumps({"data": self.data, "settings": self.settings}, separators=(",", ":"))
        state = state.replace("<", r"\u003c")
        host = (JAVASCRIPT / "page_host.js").read_text(encoding="utf-8")
        script = module(self.name).replace("export default", "const explorer =")
        script += f"{host}hostAll({json.dumps(self.name)}, {json.dumps(CSS)}, explorer);"
        return (
            f'<div class="mtcourse-explorer" data-explorer="{self.name}">'
            f'<script type="application/json">{state}</script>'
            f"<noscript>{escape(self.otherwise)}</noscript></div>\n"
            f'<script type="module">\n{script}\n</script>'
        )


def attention_explorer(
    translator: Translator | None = None,
    sentences: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """What each head of a translator looks at, and what the division by sqrt(d_k) is for.

    Args:
        translator: whose heads; None takes the one that comes with the package.
        sentences: source sentences; None takes eight of them.
        settings: what is chosen at first: sentence, layer, head and query (places from 0), kind
            ("encoder", "decoder" or "cross"), exponent of d_k, temperature.

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
        "attention_explorer",
        data,
        {
            "sentence": 0,
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
    )


def _sentence(translator: Translator, sentence: str) -> dict[str, Any]:
    """Words and products of a sentence, as the script takes them."""
    translation = translator.translate([sentence])[0]
    products = translator.attention_products(sentence, translation)
    return {
        "text": f"{sentence} – {translation}",
        "source": _shown(products.source_pieces),
        "read": _shown(products.decoder_pieces),
        "write": _shown(products.target_pieces),
        **{kind: _rounded(getattr(products, kind)) for kind in ("encoder", "decoder", "cross")},
    }


def _shown(pieces: Sequence[str]) -> list[str]:
    """Pieces as words; a piece that goes on with the word before it begins with a dot."""
    return [
        f"·{piece}" if piece[0].isalnum() else piece.removeprefix("▁") or piece for piece in pieces
    ]


def _rounded(values: torch.Tensor, decimals: int = 3) -> Any:
    """Nested lists that are short in JSON."""
    return torch.round(values.double(), decimals=decimals).tolist()


def mask_builder(
    sentence: str = "Lisa opens the door",
    d_k: int = 16,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """A causal and a padding mask, written in each of the documents' ways, and what leaks.

    Args:
        sentence: its words, with <eos>, are the positions.
        d_k: width of the queries and keys, which are drawn at random.
        seed: of the draw.
        settings: what is chosen at first: causal, padding, length, side ("right" or "left"), how
            ("add", "replace" or "multiply"), infinite, power (of ten: the finite value is minus
            that), inside (the division), zeros (for rows with nothing to attend to).

    Source: A11, A14, B16, C09, C10, D03. Chapter 05.
    """
    names = [*words(sentence), "<eos>"]
    generator = torch.Generator().manual_seed(seed)
    Q, K = torch.randn(2, len(names), d_k, generator=generator)
    data = {"words": names, "products": _rounded(Q @ K.T), "d_k": d_k}
    return Explorer(
        "mask_builder",
        data,
        {
            "causal": True,
            "padding": True,
            "length": len(names) - 2,
            "side": "right",
            "how": "add",
            "infinite": True,
            "power": 2,
            "inside": False,
            "zeros": False,
            "flipped": [],
        },
        settings or {},
        "This explorer needs JavaScript. It puts a causal and a padding mask on the scores of a "
        f"sentence with {len(names)} tokens, and shows the weights that come out, "
        "and what leaks to hidden keys.",
    )


def schedule_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """The learning rate over the steps, for any peak and warm-up.

    Args:
        settings: what is chosen at first: shape ("cosine" or "inverse square root"), peak, warmup
            and step.

    Chapter 12.
    """
    return Explorer(
        "schedule_explorer",
        {},
        {"shape": "cosine", "peak": 0.003, "warmup": 200, "step": 600},
        settings or {},
        "This explorer needs JavaScript. It draws the learning rate over 2000 steps as a cosine or "
        "an inverse square root with warm-up.",
    )


def subword_explorer(
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
        "subword_explorer",
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
