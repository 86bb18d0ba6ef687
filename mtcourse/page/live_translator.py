"""A translator that runs in the reader's page: its files, and the HTML that holds them."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import torch

from mtcourse.figures.explorer import CSS, JAVASCRIPT, module
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import BEST, Translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.known_words import known_words
from mtcourse.text.languages import direction, language_tag, sentence_in
from mtcourse.text.tokenizer import Tokenizer
from mtcourse.whole_files import write_whole

PART_BYTES = 300_000
"""Bytes of the weights in each file, so that a page can say how much of them has come."""
STYLES = (JAVASCRIPT / "live_translator.css").read_text(encoding="utf-8")


def write_live_translator(
    translator: Translator, sentences: Sequence[str], examples: Sequence[str], folder: Path
) -> None:
    """Writes what ``live_translator_html`` loads: scripts alone, which also run from a disk.

    Args:
        translator: its weights are written in half precision.
        sentences: source sentences that it has learnt from: a word that is in none is new to it.
        examples: sentences that a reader may ask for, one at random.
        folder: where the files go; made if needed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model, weights = model_files(translator, sentences)
    _write_model(model | {"examples": list(examples)}, weights, "mtcourseTranslator", folder)
    host = (JAVASCRIPT / "live_host.js").read_text(encoding="utf-8")
    program = module(JAVASCRIPT / "live_translator.js").replace("\nexport ", "\n") + host
    # In a scope of its own: the page has other scripts with the same names.
    write_whole(folder / "live_translator.js", f"(() => {{\n{program}}})();\n".encode())
    write_whole(folder / "live_translator.css", (CSS + STYLES).encode())


def write_language_model(
    language_model: LanguageModel, folder: Path, sentences: Iterable[str] | None = None
) -> None:
    """Writes the scripts that an explorer loads a language model from.

    Args:
        language_model: its weights are written in half precision.
        folder: where the files go; made if needed.
        sentences: as in ``language_model_files``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model, weights = language_model_files(language_model, sentences)
    _write_model(model, weights, "mtcourseLanguageModel", folder)


def _write_model(model: dict[str, Any], weights: bytes, name: str, folder: Path) -> None:
    """Scripts that put a model's description, then its weights part by part, into a global name."""
    parts = [weights[at : at + PART_BYTES] for at in range(0, len(weights), PART_BYTES)]
    model |= {"parts": len(parts), "weights": []}
    write_whole(folder / "model.js", f"globalThis.{name} = {_json(model)};\n".encode())
    for number, part in enumerate(parts):
        text = base64.b64encode(part).decode("ascii")
        script = f'globalThis.{name}.weights[{number}] = "{text}";\n'
        write_whole(folder / f"weights-{number}.js", script.encode())


def live_translator_html(
    folder: str, sentence: str, translation: str, language: str = "nl", reads: str = "en"
) -> str:
    """The translator's place in a page; without scripts it shows one translation.

    Args:
        folder: the address of the files, as seen from the page.
        sentence: what stands in the text box at first.
        translation: of this sentence.
        language: of the translation, a code such as nl.
        reads: of the sentence, likewise.
    """
    place = escape(folder, quote=True)
    from_tag, to_tag = escape(language_tag(reads)), escape(language_tag(language))
    from_way, to_way = direction(reads), direction(language)
    return (
        f'<link rel="stylesheet" href="{place}/live_translator.css">\n'
        f'<div class="mtcourse-explorer live-translator" role="group" aria-label="The translator" '
        f'data-live-translator data-folder="{place}" data-language="{to_tag}" '
        f'data-direction="{to_way}" data-reads="{from_tag}" data-reads-direction="{from_way}" '
        f'data-asks="{escape(sentence_in(reads))}" data-sentence="{escape(sentence)}" '
        f'data-translation="{escape(translation)}">\n'
        f'<p lang="{from_tag}" dir="{from_way}">{escape(sentence)}</p>\n'
        f'<p lang="{to_tag}" dir="{to_way}">{escape(translation)}</p>\n'
        f"<noscript>With JavaScript you can type your own sentence here.</noscript></div>\n"
        f'<script defer src="{place}/live_translator.js"></script>'
    )


def model_files(
    translator: Translator, sentences: Iterable[str] | None = None
) -> tuple[dict[str, Any], bytes]:
    """What ``loaded_translator.js`` makes a translator of: its description, and its weights.

    Args:
        translator: its weights are given in half precision.
        sentences: source sentences that it has learnt from; None takes the built-in corpus's.
    """
    if sentences is None:
        sentences = [pair.source for pair in builtin_corpus().splits["train"]]
    source, target = translator.tokenizers.source, translator.tokenizers.target
    model = {
        "config": translator.model.config.to_dict(),
        "source": vocabulary(source),
        "target": None if translator.tokenizers.joint else vocabulary(target),
        "known": known_words(sentences),
    }
    return model, half_precision(translator)


def language_model_files(
    language_model: LanguageModel, sentences: Iterable[str] | None = None
) -> tuple[dict[str, Any], bytes]:
    """What ``loaded_translator.js`` makes a language model of: its description, and its weights.

    Args:
        language_model: its weights are given in half precision.
        sentences: that it has learnt from; None takes the Dutch side of the built-in corpus.
    """
    if sentences is None:
        sentences = [pair.target for pair in builtin_corpus().splits["train"]]
    model = {
        "config": language_model.config,
        "source": vocabulary(language_model.tokenizer),
        "known": known_words(sentences),
    }
    return model, half_precision(language_model)


def half_precision(model: Translator | LanguageModel) -> bytes:
    """The weights as a file of safetensors, in half precision."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder, torch.float16)
        return Path(folder, BEST, "weights.safetensors").read_bytes()


def vocabulary(tokenizer: Tokenizer) -> dict[str, Any]:
    """What ``pieces.js`` needs of a tokenizer."""
    pieces = tokenizer.pieces(range(tokenizer.vocabulary_size))
    return {"pieces": pieces, "scores": tokenizer.scores}


def _json(value: Any) -> str:
    """JSON that may stand in a script."""
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")
