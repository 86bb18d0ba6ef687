"""What a reference leads to, for the card that opens when a reader points at it.

While pages are mended, each one's cards and references are noted. When all are known, every page
that references lead to gets a file of the cards that are asked for, ``_static/previews/<page>.js``.
A reader's page loads it when a reference to it is first pointed at (``previews.js``). It is a
script because a page that is opened from a disk may load scripts, but no data.
"""

from __future__ import annotations

import copy
import json
import posixpath
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from urllib.parse import unquote

from bs4 import BeautifulSoup, Tag

NOT_TEXT = {"figure", "table", "details", "dl"}
NOT_TEXT_CLASSES = {"cover", "cell", "admonition-title", "margin", "page-failed"}
"""Where a paragraph does not say what its section is about."""
SHORTEST = 40
"""Letters of a paragraph that says something."""
LONGEST_SIGNATURE = 240
LARGEST = 20_000
"""Letters of HTML, of what has no form of its own here."""
BLOCKS = 2
"""How much of a definition is shown."""
NOTES = "previews"
"""The folder of what was noted, among those of Sphinx's own notes, and of the files."""


@dataclass
class PageNotes:
    """What is known of a page.

    Args:
        links: where its references lead: pages, and what stands behind ``#`` there.
        cards: for what stands behind ``#``, a card as HTML; for "" that of the page.
        figures: which of the cards are figures.
    """

    links: list[tuple[str, str]] = field(default_factory=list)
    cards: dict[str, str] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_css_file("previews.css")
    app.add_js_file("previews.js", loading_method="defer")
    # After the pages are mended.
    app.connect("build-finished", write_previews, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# --- a page --------------------------------------------------------------------------------------


def note_page(folder: Path, name: str, soup: BeautifulSoup) -> None:
    """Keeps what is known of a page until all pages are.

    Args:
        folder: of Sphinx's notes.
        name: the page's path in the book.
        soup: the page, mended.
    """
    path = notes_file(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(notes_of(name, soup)), ensure_ascii=False), encoding="utf-8")


def notes_file(folder: Path, name: str) -> Path:
    """Where what is known of a page is kept."""
    return folder / NOTES / f"{name}.json"


def notes_of(name: str, soup: BeautifulSoup) -> PageNotes:
    """The references and the cards of a page."""
    notes = PageNotes(links=sorted(set(links_of(name, soup))))
    article = soup.find("article")
    if article is None:
        return notes
    for target in article.find_all(id=True):
        if target.find_parent("svg") is None and (card := card_of(target)):
            notes.cards[str(target["id"])] = card
            if target.name == "figure":
                notes.figures.append(str(target["id"]))
    if section := article.find("section"):
        notes.cards[""] = card_of(section)
    return notes


def links_of(name: str, soup: BeautifulSoup) -> Iterator[tuple[str, str]]:
    """Where the references of a page lead within the book."""
    article = soup.find("article")
    for link in article.find_all("a", "internal", href=True) if article else ():
        path, _, place = str(link["href"]).partition("#")
        if ":" not in path and "download" not in link["class"]:
            page = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path)))
            yield (page if path else name), unquote(place)


# --- a card --------------------------------------------------------------------------------------


def card_of(target: Tag) -> str:
    """What a reader sees of the thing that a reference leads to; "" where that is nothing."""
    classes = target.get_attribute_list("class")
    if target.name == "dt":
        meaning = target.find_next_sibling("dd")
        shown = signature(target) if "sig" in classes else title(target)
        return shown + (blocks(meaning, 1 if "sig" in classes else BLOCKS) if meaning else "")
    if target.name == "dl":
        term, meaning = target.find("dt"), target.find("dd")
        return title(term) + blocks(meaning, BLOCKS) if term and meaning else ""
    if "citation" in classes:
        return "".join(map(plain, target.find_all("p")))
    if target.name == "section":
        return section_card(target)
    if target.name == "span" and not target.get_text():
        above = target.find_parent("section")
        return section_card(above) if above else ""
    if target.name in ("figure", "table") or {"math", "exercise", "admonition"} & set(classes):
        whole = plain(target)
        return whole if len(whole) <= LARGEST or target.name == "figure" else ""
    return ""


def section_card(section: Tag) -> str:
    """A heading, and the first paragraph that says what follows."""
    heading = section.find(re.compile("h[1-6]"))
    if heading is None:
        return ""
    return title(heading) + "".join(map(plain, first_paragraph(section)))


def first_paragraph(section: Tag) -> list[Tag]:
    """The first paragraph that says something, in a list of one; an empty list without it."""
    for paragraph in section.find_all("p"):
        if len(paragraph.get_text()) >= SHORTEST and not is_aside(paragraph, section):
            return [paragraph]
    return []


def is_aside(element: Tag, section: Tag) -> bool:
    """Whether an element belongs to something within its section that is not its text."""
    while element is not section:
        classes = element.get_attribute_list("class")
        if element.name in NOT_TEXT or not NOT_TEXT_CLASSES.isdisjoint(classes):
            return True
        element = element.parent
    return False


def blocks(meaning: Tag, most: int) -> str:
    """The first blocks of a definition."""
    children = [child for child in meaning.children if isinstance(child, Tag)]
    return "".join(plain(child) for child in children[:most] if child.name in ("p", "ul", "ol"))


def title(element: Tag) -> str:
    """The first line of a card."""
    line = copy.copy(element)
    for link in line.find_all("a", "headerlink"):
        link.decompose()
    return f'<p class="preview-title">{line.decode_contents().strip()}</p>'


def signature(element: Tag) -> str:
    """The name of a function with its arguments, as it would be written in one line."""
    text = " ".join(element.get_text().split()).removesuffix("#")
    text = re.sub(r",?\s*\)", ")", text.replace("( ", "("))
    if len(text) > LONGEST_SIGNATURE:
        text = text.partition("(")[0] + "(…)"
    return f'<p class="preview-title"><code>{escape(text)}</code></p>'


def plain(element: Tag) -> str:
    """An element without ids of its own and without links to itself.

    A drawing needs its ids; the page makes others of them.
    """
    shown = copy.copy(element)
    for part in [*shown.find_all("a", "headerlink"), *shown.find_all(["script", "button"])]:
        part.decompose()
    for part in [shown, *shown.find_all(id=True)]:
        if part.find_parent("svg") is None:
            part.attrs.pop("id", None)
    return str(shown)


# --- the book ------------------------------------------------------------------------------------


def write_previews(app, exception) -> None:
    """Writes the cards of all pages that references lead to."""
    if exception is not None or app.builder.format != "html":
        return
    outdir = Path(app.outdir)
    known = read_notes(Path(app.doctreedir), outdir)
    target = outdir / "_static" / NOTES
    shutil.rmtree(target, ignore_errors=True)
    for page, cards in asked_for(known).items():
        path = (target / page).with_suffix(".js")
        path.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps(cards, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        path.write_text(f"mtcoursePreviews({json.dumps(page)},{data});\n", encoding="utf-8")


def read_notes(folder: Path, outdir: Path) -> dict[str, PageNotes]:
    """What is known of each page that is still there."""
    known = {}
    for path in sorted((folder / NOTES).rglob("*.json")):
        name = path.relative_to(folder / NOTES).with_suffix("").as_posix()
        if (outdir / name).exists():
            notes = json.loads(path.read_text(encoding="utf-8"))
            notes["links"] = [(page, place) for page, place in notes["links"]]
            known[name] = PageNotes(**notes)
    return known


def asked_for(known: dict[str, PageNotes]) -> dict[str, dict[str, str | None]]:
    """The cards that references lead to, by page and place.

    Every page that is linked gets an entry, so that none asks for a file that does not exist. None
    in place of a card stands for a figure that only its own page refers to: it is there already.
    """
    cards: dict[str, dict[str, str | None]] = {}
    for page, notes in known.items():
        for target, place in notes.links:
            on_target = cards.setdefault(target, {})
            there = known.get(target)
            if there is None or not there.cards.get(place):
                continue
            is_here = page == target and place in there.figures
            if not is_here or place not in on_target:
                on_target[place] = None if is_here else there.cards[place]
    return cards
