"""How the book is cited, and which version a page belongs to.

``CITATION.cff`` is the only place of the reference: the directive ``cite-course`` writes it as text
and as BibTeX. Each page's end names the version and leads to the page with both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from publishing import repository_of
from sphinx.util.docutils import SphinxDirective

import mtcourse

PAGE = "book/cite"
"""The page that says how to cite, and what has changed."""
CHANGES = "changelog"
"""The section of this page that shows ``CHANGELOG.md``."""
REFERENCE = "CITATION.cff"
KEY = "mtcourse"
LONGEST_LEAD = 110
"""Letters of the beginning of an entry that is set in bold."""
END_OF_LEAD = re.compile(r"[.:;](?=\s|$)")
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
"""What TeX would read as a command."""


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_css_file("page_ends.css")
    app.add_directive("cite-course", CiteCourse)
    app.connect("doctree-read", begin_entries_boldly)
    app.connect("html-page-context", name_version)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# --- the reference -------------------------------------------------------------------------------


class CiteCourse(SphinxDirective):
    """Writes the reference of the course as text and as BibTeX."""

    def run(self) -> list[nodes.Node]:
        """Docutils calls this."""
        file = Path(self.env.srcdir, REFERENCE)
        self.env.note_dependency(str(file))
        reference = yaml.safe_load(file.read_text(encoding="utf-8"))
        address = reference.get("url") or repository_of(self.env.app) or ""
        year = year_of(reference, str(self.config.copyright))
        text = nodes.paragraph()
        text += reference_nodes(reference, year, address)
        entry = bibtex(reference, year, address)
        return [text, nodes.literal_block(entry, entry, language="bibtex")]


def reference_nodes(reference: Mapping, year: str, address: str) -> Iterator[nodes.Node]:
    """The reference as it stands in a list of references."""
    names = [spoken_name(author) for author in reference["authors"]]
    authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    yield nodes.Text(f"{authors} ({year}). ")
    yield nodes.emphasis("", reference["title"])
    yield nodes.Text(f" (version {reference['version']}) [software and book].")
    if address:
        yield nodes.Text(" ")
        yield nodes.reference("", address, refuri=address)


def bibtex(reference: Mapping, year: str, address: str) -> str:
    """The reference as an entry of BibTeX."""
    fields = {
        "author": " and ".join(map(written_name, reference["authors"])),
        "title": "{" + in_tex(reference["title"]) + "}",
        "year": year,
        "version": in_tex(str(reference["version"])),
    }
    if address:
        fields["url"] = address
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@software{{{KEY},", *lines, "}"])


def year_of(reference: Mapping, copyright: str) -> str:
    """The year in which this version came out, or that of the copyright until it has."""
    return str(reference.get("date-released", copyright))[:4]


def spoken_name(author: Mapping) -> str:
    """A person's name, or that of a group, as one says it."""
    parts = ("given-names", "name-particle", "family-names", "name-suffix", "name")
    return " ".join(author[part] for part in parts if author.get(part))


def written_name(author: Mapping) -> str:
    """A name as BibTeX takes it: a person's in parts, and a group's in one."""
    if "name" in author:
        return "{" + in_tex(author["name"]) + "}"
    family = " ".join(author[p] for p in ("name-particle", "family-names") if author.get(p))
    parts = [family, author.get("name-suffix"), author.get("given-names")]
    return ", ".join(in_tex(part) for part in parts if part)


def in_tex(text: str) -> str:
    """A text in which TeX reads no command."""
    return "".join(SPECIAL.get(sign, sign) for sign in text)


# --- the changelog -------------------------------------------------------------------------------


def begin_entries_boldly(app, doctree: nodes.document) -> None:
    """Sets the first words of each change in bold: what has changed can be found at a glance."""
    if app.env.docname != PAGE:
        return
    for section in doctree.findall(nodes.section):
        if CHANGES in section["ids"]:
            for entry in section.findall(nodes.list_item):
                if isinstance(entry[0], nodes.paragraph):
                    embolden(entry[0])


def embolden(paragraph: nodes.paragraph) -> None:
    """Sets the beginning of a paragraph in bold, up to its first full stop, colon or semicolon."""
    lead, rest = nodes.strong(), []
    children = list(paragraph.children)
    for i, child in enumerate(children):
        end = END_OF_LEAD.search(child.astext()) if isinstance(child, nodes.Text) else None
        if end is None:
            lead += child.deepcopy()
            continue
        lead += nodes.Text(child.astext()[: end.end()])
        rest = [nodes.Text(child.astext()[end.end() :]), *children[i + 1 :]]
        break
    if len(lead.astext()) <= LONGEST_LEAD:
        paragraph.children = []
        paragraph += [lead, *rest]


# --- the end of a page ---------------------------------------------------------------------------


def name_version(app, docname: str, template: str, context: dict, doctree) -> None:
    """Writes the version below a page, with the way to the page on citing."""
    version = f"mtcourse {escape(mtcourse.__version__)}"
    if PAGE in app.env.found_docs:
        title = app.env.titles[PAGE].astext()
        address = escape(context["pathto"](PAGE))
        version += f' · <a href="{address}">{escape(title)}</a>'
    context["theme_extra_footer"] = f'<p class="book-version">{version}</p>'
