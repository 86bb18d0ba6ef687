"""Puts the models that run in pages of the book among its static files."""

from __future__ import annotations

from pathlib import Path

from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import write_language_model, write_live_translator
from mtcourse.text.corpora import builtin_corpus

EXAMPLES = 200
NEEDS = "data-live-translator", "data-translator="
"""What a page has that loads the translator's files: that of the welcome page, or an explorer."""
NEEDS_LANGUAGE_MODEL = "data-language-model="


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("build-finished", write_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def write_files(app, exception) -> None:
    """Writes the files, if a page loads them."""
    if exception is not None or app.builder.format != "html":
        return
    pages = [page.read_text(encoding="utf-8") for page in Path(app.outdir).glob("book/*.html")]
    splits = builtin_corpus().splits
    if any(NEEDS_LANGUAGE_MODEL in page for page in pages):
        folder = Path(app.outdir, "_static", "language_model")
        dutch = [pair.target for pair in splits["train"]]
        write_language_model(LanguageModel.load(device="cpu"), folder, dutch)
    if not any(need in page for page in pages for need in NEEDS):
        return
    write_live_translator(
        Translator.load(device="cpu"),
        [pair.source for pair in splits["train"]],
        [pair.source for pair in splits["test"][:EXAMPLES]],
        Path(app.outdir, "_static", "translator"),
    )
