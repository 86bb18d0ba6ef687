"""HTML that runs nothing and loads nothing: the templates, and Markdown of anybody's as text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from mtcourse.grading.reports.sanitize import lines, one_line

LONGEST_MARKDOWN = 6_000
"""Characters; what is longer is shown as it is written: some Markdown takes long to understand."""
DEEPEST = 20
"""Lists and quotations within each other."""


def page(template: str, **values: Any) -> str:
    """A page from one of the templates, which escape every value."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
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
    environment.filters["one_line"] = one_line
    environment.filters["lines"] = lines
    environment.filters["harmless_markdown"] = harmless_markdown
    return environment


def harmless_markdown(text: str) -> Markup:
    """Markdown as HTML without anything of its author's but text.

    HTML in it is shown as it is written; links and pictures are their words alone; headings do not
    stand among those of the page.
    """
    if len(text) > LONGEST_MARKDOWN:
        return Markup(f"<pre>{escape(text)}</pre>")
    return Markup(_markdown().render(text))


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("js-default", {"html": False, "linkify": False, "maxNesting": DEEPEST})
    markdown.disable("reference")  # there are no links to refer to, and many take long
    for tag in ("link_open", "link_close"):
        markdown.add_render_rule(tag, _nothing)
    markdown.add_render_rule("image", _words_of_picture)
    markdown.add_render_rule("heading_open", _heading)
    markdown.add_render_rule("heading_close", _end_of_heading)
    return markdown


def _nothing(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return ""


def _words_of_picture(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return f"[picture: {escape(tokens[place].content)}]"


def _heading(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return '<p class="heading">'


def _end_of_heading(renderer: Any, tokens: list[Token], place: int, *_: Any) -> str:
    return "</p>\n"
