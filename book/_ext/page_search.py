"""The search of a book that a server shows: pagefind's, which loads only what a question needs.

From a disk, a browser reads no data, and Sphinx's own search answers there (``search.js``). For
pagefind's index, each page is noted while it is mended, without code, outputs and explorers:
whoever searches for a word wants the text that explains it. A heading, a term of the glossary and a
name of the package are places of their own.
"""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx.util import logging

INDEX = "pagefind"
"""The folder of the index, in the book."""
NOTES = "search"
"""The folder of the noted pages, among Sphinx's own notes."""
NOT_SEARCHED = (
    "script, style, noscript, svg, nav, form, button, .headerlink, .cell_input, .cell_output, "
    ".mtcourse-explorer, .whole-model, .whole-folded, .figure-code, .mt-unseen, pre, .field-list, "
    ".exercise-facts, .exercise-links, details table"
)
"""What the index leaves out; the tables in boxes are the mistakes that checks know."""
PLACES = "section[id] > h2, section[id] > h3, section[id] > h4, dt[id]"
SPHINX_SEARCH = ", ".join(
    f'script[src*="{name}.js"]' for name in ("searchtools", "language_data", "searchindex")
)
OF_THE_PACKAGE = re.compile(r"(.*/)?api_\w+\.html")
LAST = re.compile(rf"{OF_THE_PACKAGE.pattern}|(.*/)?cite\.html")
"""Pages with many words that explain none: the package's, and the list of changes."""
LESS = "0.2"
TERM = "6"
"""Weights of such a page's words, and of a term of the glossary; a heading's is 6, a word's 1."""
BETWEEN = {"msub": "_", "msup": "^", "mfrac": "/", "munder": "_", "mover": "^"}
"""What stands between the parts of a formula in a line of text."""
NEEDED = re.compile(r"pagefind\.js|pagefind-entry\.json|.*\.(pf_\w+|pagefind)")
"""The files that a search reads; the others are an interface of pagefind's own."""
WEIGHT = "data-pagefind-weight"
SECONDS = 120


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("html-page-context", load_search)
    # When the files that no page names have gone: a browser builds the names of the index's files.
    app.connect("build-finished", write_index, priority=980)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def load_search(app, pagename: str, template: str, context: dict, doctree) -> None:
    """The page that shows what was found has a program of its own."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method="defer")


# --- a page ------------------------------------------------------------------------------------


def note_text(folder: Path, name: str, soup: BeautifulSoup) -> None:
    """Keeps what can be found on a page until all pages are mended.

    Args:
        folder: of Sphinx's notes.
        name: the page's path in the book.
        soup: the page, mended.
    """
    path = folder / NOTES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(soup, name), encoding="utf-8")


def text_of(soup: BeautifulSoup, name: str) -> str:
    """A page that holds what can be found on a page of the book, and nothing else.

    Args:
        soup: the page of the book.
        name: its path in the book.
    """
    language = escape(str(soup.html.get("lang", "en")) if soup.html else "en")
    article = soup.select_one("article.bd-article")
    if article is None or article.h1 is None or article.select_one(".genindextable"):
        return f'<html lang="{language}"><body data-pagefind-ignore="all"></body></html>'
    text = copy.copy(article)
    for element in text.select(NOT_SEARCHED):
        element.decompose()
    for formula in text.select("math"):
        formula.replace_with(in_a_line(formula))
    for heading in text.select(PLACES):
        place_at(heading)
    for element in text.find_all(True):
        kept = {"id", WEIGHT} if re.fullmatch(r"h\d", element.name) else set()
        element.attrs = {name: element.attrs[name] for name in kept & element.attrs.keys()}
    whole = f' {WEIGHT}="{LESS}"' if LAST.fullmatch(name) else ""
    if OF_THE_PACKAGE.fullmatch(name) and text.h1 is not None:
        text.h1.append(" (the package)")
    return f'<html lang="{language}"><body data-pagefind-body{whole}>{text}</body></html>'


def in_a_line(formula: Tag) -> str:
    """A formula as a reader would type it: √d_k, a/b, x^2."""
    parts = [
        in_a_line(part) if isinstance(part, Tag) else str(part).strip() for part in formula.children
    ]
    parts = [part for part in parts if part]
    if formula.name in BETWEEN and len(parts) == 2:
        left, right = (part if len(part) == 1 or part.isalnum() else f"({part})" for part in parts)
        return f"{left}{BETWEEN[formula.name]}{right}"
    if formula.name == "msubsup" and len(parts) == 3:
        return f"{parts[0]}_{parts[1]}^{parts[2]}"
    if formula.name == "msqrt":
        return "√" + "".join(parts)
    if formula.name in ("mtr", "mtd"):
        return "".join(parts) + " "
    return "".join(f" {part} " if part == "=" else part for part in parts)


def place_at(heading: Tag) -> None:
    """Has a heading carry the address of what it heads; a term or a name becomes one."""
    if heading.name == "dt":
        name = heading.select_one(".descname")
        if name is not None:  # its parameters are no name
            heading.string = name.get_text()
        else:
            heading[WEIGHT] = TERM
        heading.name = "h5"
    elif heading.parent is not None:
        heading["id"] = heading.parent["id"]


def icon_searches(soup: BeautifulSoup) -> None:
    """The icon before a search field is a button: who presses it wants to search.

    It follows the field in the page, because a dialog that opens gives the focus to what is first.
    """
    for icon in soup.select("form.bd-search > .fa-magnifying-glass"):
        field = icon.find_next_sibling("input")
        if isinstance(field, Tag):
            button = soup.new_tag("button", type="submit", attrs={"aria-label": "Search"})
            button.append(icon.extract())
            field.insert_after(button)


def ask_one_search(soup: BeautifulSoup) -> None:
    """Sphinx's search has a large index, and ``search.js`` loads it where it is the one to ask."""
    if soup.select_one('script[src*="search.js"]') is not None:
        for script in soup.select(SPHINX_SEARCH):
            script.decompose()


# --- the book ----------------------------------------------------------------------------------


def write_index(app, exception) -> None:
    """Writes pagefind's index of all pages."""
    if exception is not None or app.builder.format != "html":
        return
    root, noted = Path(app.outdir), Path(app.doctreedir) / NOTES
    for path in noted.rglob("*.html"):
        if not (root / path.relative_to(noted)).exists():
            path.unlink()
    target = root / INDEX
    shutil.rmtree(target, ignore_errors=True)
    # Its interface for Python hangs when an index is large.
    command = [sys.executable, "-m", "pagefind", "--quiet"]
    command += ["--site", str(noted), "--output-path", str(target)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS
        )
        said = "" if done.returncode == 0 else done.stderr.strip() or f"status {done.returncode}"
    except (OSError, subprocess.TimeoutExpired) as error:
        said = repr(error)
    if said:
        logging.getLogger(__name__).warning("pagefind has written no index of the book: %s", said)
        shutil.rmtree(target, ignore_errors=True)
        return
    programs = list(target.glob("wasm.*.pagefind"))
    for path in sorted(target.rglob("*")):
        spare = path.name == "wasm.unknown.pagefind" and len(programs) > 1
        if path.is_file() and (spare or not NEEDED.fullmatch(path.name)):
            path.unlink()
