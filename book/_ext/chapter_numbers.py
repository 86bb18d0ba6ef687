"""A chapter's number is the one in its file's name: ``04_attention`` is chapter 4.

Sphinx counts the chapters of a ``numbered`` table of contents by their position, so that a chapter
that is added renumbers every one after it. Here the chapter's own number goes where Sphinx keeps
its count, and Sphinx does the rest: the heading, the contents, and figures, equations and exercises
that count from 1 in each chapter (Figure 4.2), with every reference to them.

Pages without a number share one plain count (Figure 1), which no chapter's figure can be taken for.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx_external_toc.collectors import disable_builtin_toctree_collector


def setup(app) -> dict:
    """Sphinx calls this."""
    # It puts a collector of its own in the place of Sphinx's; this one takes the place of both.
    app.setup_extension("sphinx_external_toc")
    disable_builtin_toctree_collector(app)
    app.add_env_collector(ChapterCollector)
    # After the theme, which names the page there, and after Sphinx has written the index.
    app.connect("html-page-context", number_printed_title, priority=900)
    app.connect("build-finished", number_found_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def chapter_number(docname: str) -> int | None:
    """The number in a page's file name; None where there is none."""
    match = re.match(r"(\d\d)_", PurePosixPath(docname).name)
    return int(match[1]) if match else None


class ChapterCollector(TocTreeCollector):
    """Sphinx's collector of contents and numbers, which numbers chapters by their names."""

    def assign_section_numbers(self, env) -> list[str]:
        """Numbers the chapters; returns the pages whose number is another than before."""
        before, env.toc_secnumbers = env.toc_secnumbers, {}
        for docname, contents in env.tocs.items():
            number = chapter_number(docname)
            if number is not None:
                for titles in (env.titles, env.longtitles):
                    titles[docname]["secnumber"] = (number,)
                env.toc_secnumbers[docname] = number_headings(contents, number)
        return [page for page, numbers in env.toc_secnumbers.items() if numbers != before.get(page)]


def number_headings(contents: nodes.Element, number: int) -> dict[str, tuple[int, ...]]:
    """Numbers the first heading of a page's contents; the sections below it have no numbers."""
    numbers = {}
    for heading in contents.findall(nodes.reference):
        is_title = heading["anchorname"] == ""
        heading["secnumber"] = (number,) if is_title else ()
        numbers[heading["anchorname"]] = heading["secnumber"]
    return numbers


def number_printed_title(app, docname: str, template: str, context: dict, doctree) -> None:
    """Paper has a title of its own, which the theme makes of the heading's bare text."""
    number = chapter_number(docname)
    if number is not None and "pagetitle" in context:
        context["pagetitle"] = f"{number}. {context['pagetitle']}"


def number_found_pages(app, exception) -> None:
    """Numbers the chapters in the index of the search page."""
    index = Path(app.outdir) / "searchindex.js"
    if exception is not None or app.builder.format != "html" or not index.exists():
        return
    call = re.fullmatch(
        r"(Search\.setIndex\()(.*)(\))", index.read_text(encoding="utf-8"), re.DOTALL
    )
    numbered = json.dumps(
        number_titles(json.loads(call[2])),
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    index.write_text(f"{call[1]}{numbered}{call[3]}", encoding="utf-8")


def number_titles(index: dict) -> dict:
    """An index in which a page's title reads alike in both places where the search looks for it.

    Sphinx writes it as HTML with the number, and as bare text without. A page that is found by its
    title would then be shown as a section of itself.
    """
    titles = [
        re.sub(r'<span class="section-number">(.*?)</span>', r"\1", t) for t in index["titles"]
    ]
    found: dict[str, list] = {}
    for title, places in index["alltitles"].items():
        for page, anchor in places:
            is_page = anchor is None and titles[page].endswith(title)
            found.setdefault(titles[page] if is_page else title, []).append([page, anchor])
    return {**index, "titles": titles, "alltitles": found}
