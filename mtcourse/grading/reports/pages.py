"""HTML pages from templates, with untrusted Markdown as text; they run and load nothing."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from mtcourse.grading.reports.sanitize import clean_line, clean_lines

MAX_MARKDOWN_LENGTH = 6_000
"""The length of Markdown that is rendered, since some takes long to parse."""
MAX_NESTING = 20
"""The depth of nested lists and quotations."""


def render_page(template: str, **values: Any) -> str:
    """Renders one of the templates, which escape every value."""
    return _make_environment().get_template(template).render(**values)


@cache
def _make_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("mtcourse.grading.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = (files("mtcourse.grading.reports") / "templates" / "reports.css").read_text("utf-8")
    environment.globals["style"] = Markup(style)
    environment.filters["clean_line"] = clean_line
    environment.filters["clean_lines"] = clean_lines
    environment.filters["render_markdown"] = render_markdown
    return environment


def render_markdown(text: str) -> Markup:
    """Renders Markdown as HTML that contains nothing active.

    HTML in it is shown as text; links and pictures are reduced to their words; its headings are not
    part of the page's outline.
    """
    if len(text) > MAX_MARKDOWN_LENGTH:
        return Markup(f"<pre>{escape(text)}</pre>")
    return Markup(_make_markdown().render(text))


@cache
def _make_markdown() -> MarkdownIt:
    markdown = MarkdownIt(
        "js-default", {"html": False, "linkify": False, "maxNesting": MAX_NESTING}
    )
    markdown.disable("reference")  # links are dropped, and many references are slow
    for tag in ("link_open", "link_close"):
        markdown.add_render_rule(tag, _render_nothing)
    markdown.add_render_rule("image", _render_picture_as_text)
    markdown.add_render_rule("heading_open", _open_heading)
    markdown.add_render_rule("heading_close", _close_heading)
    return markdown


def _render_nothing(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return ""


def _render_picture_as_text(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return f"[picture: {escape(tokens[place].content)}]"


def _open_heading(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return '<p class="heading">'


def _close_heading(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return "</p>\n"
