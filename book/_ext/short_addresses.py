"""A chapter's explorer has an address that can be typed: explore/4 leads to that of chapter 4.

It is for those who read on paper. The address names the chapter's number, and not the name of its
page, so that it stays as it is when a page is renamed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from chapter_numbers import chapter_number
from publishing import redirect

FOLDER = "explore"
EXPLORER = re.compile(r'<[^>]*\bdata-explorer="([\w-]+)"')


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("build-finished", write_addresses, priority=966)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def short_address(docname: str, explorer: str, page: str) -> str | None:
    """The address of an explorer from the book's folder; None if it is not its chapter's first.

    Args:
        docname: the name of its page.
        explorer: its name.
        page: the page, as HTML.
    """
    number, first = chapter_number(docname), EXPLORER.search(page)
    is_first = number is not None and first is not None and first[1] == explorer
    return f"{FOLDER}/{number}/" if is_first else None


def write_addresses(app, exception) -> None:
    """Writes a page at each short address, which leads on; removes those of earlier builds."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.outdir)
    shutil.rmtree(root / FOLDER, ignore_errors=True)
    for docname in sorted(app.env.found_docs):
        if chapter_number(docname) is None:
            continue
        target = app.builder.get_target_uri(docname)
        text = (root / target).read_text(encoding="utf-8")
        if first := EXPLORER.search(text):
            path = root / str(short_address(docname, first[1], text)) / "index.html"
            path.parent.mkdir(parents=True)
            title, leads = app.env.titles[docname].astext(), f"{target}#explorer={first[1]}"
            path.write_text(redirect(title, leads, up="../../"), encoding="utf-8")
