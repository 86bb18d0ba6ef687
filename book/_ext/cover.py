"""Puts the cover on the welcome page: the title, and a sentence with real attention weights."""

from __future__ import annotations

import functools
from html import escape

from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import word_weights
from mtcourse.page.cover import cover_svg

SENTENCE = "Yesterday the old baker did not open the shop."


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("html-page-context", place_cover)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


@functools.cache
def picture() -> str:
    """The sentence, its translation, and where the shipped translator looked: its last layer."""
    translator = Translator.load(device="cpu")
    (translation,) = translator.translate([SENTENCE])
    looked = word_weights(translator.attention_map(SENTENCE, translation), SENTENCE, translation)
    weights = looked.weights[-1].mean(0)[:-1, :-1]  # without <eos>
    return cover_svg(looked.source_words[:-1], looked.target_words[:-1], weights)


def place_cover(app, docname: str, template: str, context: dict, doctree) -> None:
    """Puts it above the first page's heading."""
    if docname != app.config.root_doc or "body" not in context:
        return
    title, _, rest = app.config.html_title.partition(": ")
    context["body"] = (
        f'<div class="cover"><p class="cover-title">{escape(title)}</p>'
        f'<p class="cover-rest">{escape(rest)}</p>{picture()}</div>\n{context["body"]}'
    )
