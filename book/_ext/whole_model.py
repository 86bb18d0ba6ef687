"""Puts the picture of the whole model into every chapter, with that chapter's parts lit.

It stands in the margin, above the page's contents. Where a page is too narrow for a margin, it is
folded below the heading.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from mtcourse.page.whole_model import STYLES, chapter_pages, small_picture_html

STYLE_SHEET = "whole_model.css"
SUMMARY = "Where this chapter is in the model"


def setup(app) -> dict:
    """Sphinx calls this."""
    app.config.templates_path.append(str(Path(__file__).parent / "templates"))
    app.connect("html-page-context", place_picture)
    app.connect("build-finished", write_styles)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def place_picture(app, docname: str, template: str, context: dict, doctree) -> None:
    """Gives a chapter's page its picture; other pages have none."""
    pages = chapter_pages(Path(app.srcdir, "book"))
    stem = PurePosixPath(docname).name
    if "body" not in context or stem not in pages.values():
        return
    app.add_css_file(STYLE_SHEET)
    picture = small_picture_html(stem.split("_", 1)[1], pages)
    context["whole_model"] = picture
    if "page-failed" in context["body"]:
        return  # that a page is incomplete stands first
    folded = f'<details class="whole-folded"><summary>{SUMMARY}</summary>{picture}</details>'
    context["body"] = re.sub("</h1>", lambda end: f"{end[0]}\n{folded}", context["body"], count=1)


def write_styles(app, exception) -> None:
    """Writes the style sheet that these pages load."""
    if exception is None and app.builder.format == "html":
        target = Path(app.outdir, "_static", STYLE_SHEET)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(STYLES, encoding="utf-8")
