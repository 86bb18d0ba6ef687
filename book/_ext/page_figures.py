"""Figures that take part in the page: drawn with its colours and type, with their code below them.

A figure that a cell drew as SVG stands in the page itself instead of in a file, so that the style
sheet reaches it: one drawing serves light and dark pages, paper, and colours that a reader forces.

The code of a hidden input follows its output, folded, behind a small "code" that says to a screen
reader which figure it belongs to.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

MARK = 'class="mtcourse-figure"'


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_css_file("figures.css")
    app.add_js_file("figures.js")
    app.add_node(FoldedCode, html=(begin_code, end_code))
    app.add_post_transform(PlaceFigures)
    app.add_post_transform(PutCodeLast)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class PlaceFigures(SphinxPostTransform):
    """Puts the book's own SVG into the page, and leaves other pictures alone."""

    default_priority = 190
    formats = ("html",)

    def run(self, **_) -> None:
        """Sphinx calls this for each page that is written."""
        for number, image in enumerate(list(self.document.findall(nodes.image))):
            drawn = Path(self.app.srcdir, image["uri"])
            if drawn.suffix != ".svg" or not drawn.is_file():
                continue
            svg = drawn.read_text(encoding="utf-8")
            if MARK in svg:
                page = inline(svg, image.get("alt", ""), f"f{number}")
                image.replace_self(nodes.raw("", page, format="html"))


def inline(svg: str, alt: str, prefix: str) -> str:
    """An SVG as a part of a page: with a name, and with ids that no other figure has.

    The panels of a picture that has several become pictures of their own, which the page sets
    beside each other where there is room.

    Args:
        svg: the file's text.
        alt: what the figure shows, for whoever does not see it.
        prefix: what its ids begin with.
    """
    svg = re.sub(r'(\sid="|href="#|url\(#)(?:f\w+-)?', rf"\g<1>{prefix}-", svg.strip())
    name = f'role="img" aria-label="{html.escape(" ".join(alt.split()))}"'
    parts = re.findall(r'<svg [^>]*class="mtcourse-figure (?:panel|across)".*?</svg>', svg, re.S)
    if parts:
        rows = [
            f'<div class="figure-panels">{"".join(row)}</div>' if is_row else "".join(row)
            for is_row, row in groupby(parts, lambda part: 'figure panel"' in part)
        ]
        drawn = f'<div class="figure-parts" {name}>{"".join(rows)}</div>'
    else:
        drawn = svg.replace("<svg ", f"<svg {name} ", 1)
    return f'<div class="figure-box">{drawn}</div>'


class FoldedCode(nodes.Element):
    """The code of a cell, folded below what it put out."""


class PutCodeLast(SphinxPostTransform):
    """Puts the input that a cell hides below its output."""

    default_priority = 198  # before myst-nb puts a bar above it
    formats = ("html",)

    def run(self, **_) -> None:
        """Sphinx calls this for each page that is written."""
        taken: dict[str, int] = {}
        for cell in list(self.document.findall(nodes.container)):
            parts = [part.get("nb_element") for part in cell if isinstance(part, nodes.Element)]
            if cell.get("hide_mode") != "input" or parts[:1] != ["cell_code_source"]:
                continue
            del cell["hide_mode"]
            code = cell.children[0]
            cell.remove(code)
            word = "code" if cell.children else "code for what follows"
            name = self.named(cell).replace("code", word, 1)
            taken[name] = taken.get(name, 0) + 1
            folded = FoldedCode(
                word=word, name=name if taken[name] == 1 else f"{name} ({taken[name]})"
            )
            folded += code
            cell += folded

    def named(self, cell: nodes.Element) -> str:
        """What a cell's code is for, in words that are read aloud."""
        for figure in cell.findall(nodes.figure):
            number = self.figure_number(figure)
            if number:
                return f"code for Figure {number}"
        titles = [str(title) for title in headings_above(cell)]
        return (
            f"code below {titles[-1]!r}".replace("'", "“", 1).replace("'", "”")
            if titles
            else "code"
        )

    def figure_number(self, figure: nodes.Element) -> str:
        """The number that Sphinx has given to a figure."""
        of_page = self.env.toc_fignumbers.get(self.env.docname, {}).get("figure", {})
        numbers = next((of_page[name] for name in figure["ids"] if name in of_page), ())
        return ".".join(map(str, numbers))


def headings_above(node: nodes.Node) -> Iterator[str]:
    """The titles of the sections that hold a node, from the outermost."""
    above = []
    while node is not None:
        if isinstance(node, nodes.section):
            above += [child.astext() for child in node if isinstance(child, nodes.title)]
        node = node.parent
    return reversed(above)


def begin_code(translator, node: FoldedCode) -> None:
    """Writes the link that opens the code."""
    name = html.escape(node["name"])
    translator.body.append(f'<details class="figure-code"><summary aria-label="{name}">')
    translator.body.append(f"{node['word']}</summary>\n")


def end_code(translator, node: FoldedCode) -> None:
    """Writes the end of what the link opens."""
    translator.body.append("</details>\n")
