"""Puts the cover on the welcome page: the title, and a sentence with real attention weights.

Below it stand the ways into the book: its first chapter, the exercises, and the book as one file.
Where the book has an address, the same picture stands beside links to its pages.
"""

from __future__ import annotations

import functools
import re
from html import escape
from pathlib import Path

from exercise_cards import FOLDER, SECTION, read_exercises, told_of_all
from page_fonts import font_folder
from publishing import SET_UP, is_on_github, repository_of

from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import word_weights
from mtcourse.page.cover import CARD_SIZE, cover_svg, write_card

SENTENCE = "Yesterday the old baker did not open the shop."
CARD = "_static/card.png"
CHAPTER = re.compile(r"(.*/)?\d\d_\w+")
WAYS = {
    "en": ("Ways into the book", "Read", "Exercises", "PDF, e-book", "Make a PDF"),
    "nl": ("Wegen het boek in", "Lezen", "Opgaven", "Pdf, e-boek", "Maak een pdf"),
}
"""What the links below the cover are called, by the language of the book: the last one takes the
place of that before it where the book has no release to download it from."""
FACES = (
    "sourceserif4/SourceSerif4[opsz,wght].ttf",
    "sourceserif4/SourceSerif4-Italic[opsz,wght].ttf",
)


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("html-page-context", place_cover)
    # After publishing.py, which describes the page.
    app.connect("html-page-context", name_card, priority=920)
    app.connect("build-finished", place_card)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


@functools.cache
def drawn() -> tuple:
    """The sentence, its translation, and where the shipped translator looked: its last layer."""
    translator = Translator.load(device="cpu")
    (translation,) = translator.translate([SENTENCE])
    looked = word_weights(translator.attention_map(SENTENCE, translation), SENTENCE, translation)
    weights = looked.weights[-1].mean(0)[:-1, :-1]  # without <eos>
    return looked.source_words[:-1], looked.target_words[:-1], weights


def title_of(app) -> tuple[str, str]:
    """The title of the book, and what follows it in smaller type."""
    title, _, rest = app.config.html_title.partition(": ")
    return title, rest


def place_cover(app, docname: str, template: str, context: dict, doctree) -> None:
    """Puts it above the first page's heading."""
    if docname != app.config.root_doc or "body" not in context:
        return
    title, rest = title_of(app)
    context["body"] = (
        f'<div class="cover"><p class="cover-title">{escape(title)}</p>'
        f'<p class="cover-rest">{escape(rest)}</p>{cover_svg(*drawn())}{ways_in(app)}</div>\n'
        f"{context['body']}"
    )


def ways_in(app) -> str:
    """Links that a newcomer looks for, as HTML: none for what this book does not have."""
    pages = sorted(page for page in app.env.found_docs if CHAPTER.fullmatch(page))
    name, read, exercises, whole, make = WAYS.get(app.config.language, WAYS["en"])
    links = [link_to(app, page, read) for page in pages[:1]]
    listed = "".join(
        f"<li>{one}</li>" for page in pages if (one := exercises_of(app, page, exercises.lower()))
    )
    if SET_UP in app.env.found_docs:
        is_released = is_on_github(repository_of(app))
        links.append(link_to(app, SET_UP, whole if is_released else make, "#whole-book"))
    if listed:
        links.append(f"<details><summary>{exercises}</summary><ul>{listed}</ul></details>")
    return f'<nav class="cover-ways" aria-label="{name}">{"".join(links)}</nav>' if links else ""


def link_to(app, page: str, text: str, place: str = "") -> str:
    """A link from the welcome page to another one."""
    address = app.builder.get_relative_uri(app.config.root_doc, page)
    return f'<a href="{address}{place}">{escape(text)}</a>'


def exercises_of(app, page: str, noun: str) -> str:
    """A link to the exercises of a chapter, as HTML; empty if it has none."""
    stem = page.rpartition("/")[2]
    notebook = Path(app.srcdir, FOLDER, f"{stem}.ipynb")
    summary = read_exercises(notebook)[0] if notebook.is_file() else ""
    if not summary:
        return ""
    title = re.sub(r"^\d+\. ", "", app.env.titles[page].astext())
    many = told_of_all(summary, app.config.language, noun)
    return link_to(app, page, f"{int(stem[:2])}. {title}: {many}", f"#{SECTION}")


# --- beside a link -------------------------------------------------------------------------------


def address_of(app) -> str | None:
    """The address of the picture; None where the book has none, since it has to be absolute."""
    site = (app.config.html_baseurl or "").rstrip("/")
    return f"{site}/{CARD}" if site else None


def name_card(app, docname: str, template: str, context: dict, doctree) -> None:
    """Has each page name the picture."""
    address = address_of(app)
    if address is None or doctree is None:
        return
    width, height = CARD_SIZE
    said = {
        "og:image": address,
        "og:image:width": str(width),
        "og:image:height": str(height),
        "og:image:alt": f"{app.config.html_title}. Lines of attention join a sentence "
        "and its translation.",
    }
    tags = [f'<meta property="{name}" content="{escape(text)}" />' for name, text in said.items()]
    tags.append('<meta name="twitter:card" content="summary_large_image" />')
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags, ""])


def place_card(app, exception) -> None:
    """Draws the picture, where pages name it."""
    if exception is not None or app.builder.format != "html":
        return
    file = Path(app.outdir, CARD)
    if address_of(app) is None:
        file.unlink(missing_ok=True)
        return
    folder = font_folder()
    upright, italic = (folder / face if folder else None for face in FACES)
    write_card(file, title_of(app), *drawn(), faces=(upright, italic))
