"""Old addresses of pages lead to the new ones: book/moved.toml says which."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from posixpath import dirname, relpath

from sphinx.errors import SphinxError

TABLE = "book/moved.toml"
MARK = "<!-- moved -->"
"""By this a page is known that an earlier build wrote, when its entry has gone."""


class MovedPagesError(SphinxError):
    """The table has an entry that leads nowhere."""

    category = TABLE


def setup(app) -> dict:
    """Sphinx calls this."""
    # Before anything is read, which may take minutes.
    app.connect("env-before-read-docs", lambda app, env, docnames: moved_pages(app))
    app.connect("build-finished", write_pages, priority=965)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def moved_pages(app) -> dict[str, str]:
    """The table: old page to new page, both without an ending.

    Raises:
        MovedPagesError: it cannot be read, or an entry leads nowhere.
    """
    path = Path(app.srcdir, TABLE)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise MovedPagesError(f"it is not TOML: {error}") from None
    pages = table.pop("pages", {})
    if table or not isinstance(pages, dict):
        raise MovedPagesError('it has one table, [pages], with lines such as "old" = "new"')
    faults = list(faults_of(pages, app.env.found_docs))
    if faults:
        raise MovedPagesError("\n".join(["", *faults]))
    return pages


def faults_of(pages: Mapping[str, object], known: set[str]) -> Iterator[str]:
    """What is wrong with the entries, a line each.

    Args:
        pages: old page to new page.
        known: the pages of the book.
    """
    for old, new in pages.items():
        entry = f"{json.dumps(old)} = {json.dumps(new)}:"
        target = str(new).partition("#")[0]
        if not isinstance(new, str):
            yield f"{entry} the new page is a name in quotes"
        elif old.endswith(".html") or target.endswith(".html"):
            yield f"{entry} leave out the .html"
        elif old.startswith("/") or ".." in old.split("/") or {"#", "?"} & set(old):
            yield f"{entry} an old page is named from the book's folder, without # and ?"
        elif old in known:
            yield f"{entry} there is a page {old}, which would be overwritten"
        elif target in pages:
            yield f"{entry} {target} has moved, too: name where it is now"
        elif target not in known:
            yield f"{entry} there is no page {target}"


def write_pages(app, exception) -> None:
    """Writes a page at each old address, and removes those whose entry has gone."""
    if exception is not None or app.builder.format != "html":
        return
    root, pages = Path(app.outdir), moved_pages(app)
    for path in root.rglob("*.html"):
        name = path.relative_to(root).with_suffix("").as_posix()
        if name not in pages and MARK in path.read_text(encoding="utf-8")[:400]:
            path.unlink()
    for old, new in pages.items():
        path = root / f"{old}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        page, _, section = new.partition("#")
        address = relpath(app.builder.get_target_uri(page), dirname(old) or ".")
        site = (app.config.html_baseurl or "").rstrip("/")
        path.write_text(
            moved_page(address, section, f"{site}/{page}.html" if site else ""), encoding="utf-8"
        )


def moved_page(address: str, section: str, canonical: str) -> str:
    """The page at an old address.

    Args:
        address: of the new page, from the old one's folder.
        section: where the reader is led in it, if the old link names no place.
        canonical: the new page's own address; empty where the book has none.
    """
    plain = f"{address}#{section}" if section else address
    # The place in a page is known to the browser alone, so a script is needed to keep it.
    leads = json.dumps(address).replace("<", r"\u003c")
    place = json.dumps(f"#{section}" if section else "").replace("<", r"\u003c")
    link = f'<link rel="canonical" href="{escape(canonical)}">\n' if canonical else ""
    return f"""<!doctype html>
{MARK}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>This page has moved</title>
{link}<script>location.replace({leads} + location.search + (location.hash || {place}));</script>
<noscript><meta http-equiv="refresh" content="0; url={escape(plain)}"></noscript>
</head>
<body><p>This page has moved: <a href="{escape(plain)}">here it is now</a>.</p></body>
</html>
"""
