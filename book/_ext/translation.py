"""A book in another language: messages of scripts and outputs, and what the translator makes of it.

Sphinx translates the text of the pages from ``book/locale``. This does what Sphinx does not.
Scripts get their messages, and outputs of cells are translated as they stand in the page, with
``{1}`` for the first number in a message, so that another number needs no other translation. What
nobody has translated yet says that it is English, for those who listen to the page. And each
translated paragraph can show what the course's own translator makes of the English one.

In the book's own language nothing is done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from babel.messages.pofile import read_po
from bs4 import BeautifulSoup, NavigableString, Tag
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import extract_messages

from mtcourse.figures.explorer import JAVASCRIPT, module

OUTPUTS, SCRIPTS, AROUND = "outputs", "scripts", "frame"
"""The catalogues of what cells put out, and of what scripts say."""
ATTEMPTS = "attempts.js"
ENGLISH = "english"
"""The attribute of a paragraph that holds its text before it is translated."""
SHOWN = "div.cell_output, details.whole-folded"
"""What a page holds beside its text."""
FORMATS = {"figure": "Figure %s", "table": "Table %s"}
"""What Sphinx calls figures and tables, in the text and below them."""
FRAME = (
    ".skip-link, #pst-search-dialog, .bd-sidebar-primary, .bd-header-article, "
    ".bd-sidebar-secondary, .prev-next-area, .bd-footer-content"
)
"""What stands around a page's text."""
NAMES_OF_PAGES = ".bd-links, .whole-model, #pst-page-toc-nav, .neighbour-title, .prev-next-title"
"""What in it names pages and sections, which are translated with their pages."""
SPOKEN = ("alt", "aria-label", "title", "data-bs-title", "placeholder", "data-asks", "data-says")
UNTOUCHED = ("script", "style", "pre", "code", "math", "annotation", "noscript")
TRANSLATED_BY_SPHINX = "caption-text"
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LETTERS = re.compile(r"[A-Za-z]{2}")


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_transform(KeepEnglish)
    app.add_transform(TranslateParts)
    app.connect("config-inited", mark_untranslated)
    app.connect("doctree-resolved", place_english)
    app.connect("html-page-context", translate_page, priority=600)  # all parts are there
    app.connect("build-finished", write_attempts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def is_translated(app) -> bool:
    """Whether a book in another language is being built."""
    return app.config.language != "en" and app.builder.format == "html"


def mark_untranslated(app, config) -> None:
    """Has Sphinx name what nobody has translated, and translates what figures are called."""
    if config.language == "en":
        return
    config.translation_progress_classes = "untranslated"
    messages = messages_of(catalogue_folder(app) / f"{OUTPUTS}.po")
    for name, message in FORMATS.items():
        config.numfig_format = config.numfig_format | {name: messages.get(message) or message}


# --- the translator's attempt ---------------------------------------------------------------------


class KeepEnglish(SphinxTransform):
    """Keeps the English text of each paragraph, before Sphinx translates it."""

    default_priority = 15  # Sphinx translates at 20

    def apply(self, **_: object) -> None:
        """Docutils calls this."""
        if not is_translated(self.app):
            return
        for node, _message in extract_messages(self.document):
            if isinstance(node, nodes.paragraph) and not node.next_node(nodes.math):
                node[ENGLISH] = " ".join(node.astext().split())


def place_english(app, doctree, docname: str) -> None:
    """Puts the English text where the script of the attempts finds it."""
    if not is_translated(app):
        return
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if paragraph.get("translated") and paragraph.get(ENGLISH):
            text = escape(paragraph[ENGLISH], quote=True)
            kept = f'<span class="english" data-english="{text}" hidden></span>'
            paragraph += nodes.raw("", kept, format="html")


def write_attempts(app, exception) -> None:
    """Writes the script that shows them."""
    if exception is None and is_translated(app):
        program = module(JAVASCRIPT / ATTEMPTS).replace("\nexport ", "\n")
        target = Path(app.outdir, "_static", ATTEMPTS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"(() => {{\n{program}}})();\n", encoding="utf-8")


class TranslateParts(SphinxTransform):
    """Translates what the parts of the book are called, which stands above their pages' titles.

    The names are among the messages of the page that the contents belong to. Sphinx translates
    before the contents are there.
    """

    default_priority = 101  # the contents come at 100

    def apply(self, **_: object) -> None:
        """Docutils calls this."""
        if not is_translated(self.app):
            return
        messages = messages_of(catalogue_folder(self.app) / f"{self.env.docname}.po")
        for contents in self.document.findall(addnodes.toctree):
            if said := messages.get(contents.get("caption") or ""):
                contents["caption"] = said


# --- messages -------------------------------------------------------------------------------------


def translate_page(app, docname: str, template: str, context: dict, doctree) -> None:
    """Translates a page's outputs, gives its scripts their messages, and marks what is English."""
    if not is_translated(app) or "body" not in context:
        return
    folder = catalogue_folder(app)
    table = {key: of for key, of in messages_of(folder / f"{SCRIPTS}.po").items() if of}
    soup = BeautifulSoup(context["body"], "html.parser")
    messages = messages_of(folder / f"{OUTPUTS}.po")
    for output in soup.select(SHOWN):
        if translate_output(output, messages):
            output["data-translated"] = ""
    if picture := context.get("whole_model"):
        small = BeautifulSoup(picture, "html.parser")
        translate_output(small, messages)
        context["whole_model"] = str(small)
    mark_english(soup, messages_of(folder / f"{docname}.po"))
    if table:
        script = soup.new_tag("script")
        script.string = f"globalThis.mtcourseMessages = {in_script(table)};"
        soup.insert(0, script)
    if soup.select_one("[data-english]"):
        place = soup.new_tag("script", defer="", src=f"../_static/{ATTEMPTS}")
        place["data-folder"] = "../_static/translator"
        soup.append(place)
    context["body"] = str(soup)


def frame_messages(app) -> dict[str, str]:
    """What is said around the pages of a book, in its language; nothing where that is English."""
    return messages_of(catalogue_folder(app) / f"{AROUND}.po") if is_translated(app) else {}


def translate_frame(page: Tag, messages: Mapping[str, str]) -> None:
    """Translates what stands around a page's text: the theme says it in English."""
    for part in page.select(FRAME) if messages else []:
        translate_output(part, messages)


def mark_english(soup: BeautifulSoup, messages: dict[str, str]) -> None:
    """Says of what nobody has translated that it is English: a screen reader then speaks it so.

    Args:
        soup: a page, in which Sphinx has named what its catalogue has no other text for.
        messages: of the page's catalogue; a page without one is English throughout.
    """
    same = {words_of(said) for message, said in messages.items() if said == message}
    for element in soup.select(".untranslated"):
        # Formulas speak no language, and a figure's words are an output's. Sphinx tints the rest.
        element["class"].remove("untranslated")
        silent = "math" in element["class"] or element.select_one(".figure-box")
        if not silent and heading_of(element) not in same:
            element["lang"] = "en"
    pages = [] if messages else soup.find_all("section", recursive=False)
    outputs = soup.select(".cell_input, .cell_output:not([data-translated]), noscript")
    for element in (*pages, *outputs):
        element["lang"] = "en"


def words_of(text: str) -> str:
    """A text without what marks it up, in the same form as ``heading_of`` gives it."""
    return " ".join(re.sub(r"[*_`$]", "", text).split())


def heading_of(element) -> str:
    """What an element says, without its number and without the link to it."""
    parts = (
        one
        for one in element.find_all(string=True)
        if not one.find_parent(class_=["section-number", "headerlink"])
    )
    return words_of("".join(parts))


def in_script(value: object) -> str:
    """JSON that may stand in a script."""
    return json.dumps(value, ensure_ascii=False).replace("<", r"\u003c")


def catalogue_folder(app) -> Path:
    """Where the catalogues of the book's language are."""
    return Path(app.srcdir, app.config.locale_dirs[0], app.config.language, "LC_MESSAGES")


def messages_of(catalogue: Path) -> dict[str, str]:
    """The translations of a catalogue by their messages; none where it is missing."""
    if not catalogue.exists():
        return {}
    with catalogue.open("rb") as file:
        return {str(one.id): str(one.string) for one in read_po(file) if one.id and not one.fuzzy}


def translate_output(output: Tag, messages: Mapping[str, str]) -> bool:
    """Translates what an output says, where there are messages; says whether that was all of it."""
    left = 0
    for place in spoken_places(output):
        message, numbers = without_numbers(place.text)
        if said := messages.get(message):
            place.write(with_numbers(said, numbers))
        else:
            left += 1
    return not left


class SpokenPlace:
    """A text of a page: what a node holds, or one of an element's attributes."""

    def __init__(self, node: NavigableString | Tag, attribute: str = "") -> None:
        self.node, self.attribute = node, attribute
        self.text = str(node[attribute]) if isinstance(node, Tag) else str(node)

    def write(self, text: str) -> None:
        """Puts another text in its place; blanks around it stay."""
        if isinstance(self.node, Tag):
            self.node[self.attribute] = text
            return
        before, after = re.match(r"\s*", self.text), re.search(r"\s*$", self.text)
        self.node.replace_with((before[0] if before else "") + text + (after[0] if after else ""))


def spoken_places(output: Tag) -> Iterator[SpokenPlace]:
    """All texts of an output that are English, in the order of the page."""
    for element in [output, *output.find_all(True)]:
        if is_left_alone(element):
            continue
        for attribute in SPOKEN:
            if LETTERS.search(str(element.get(attribute, ""))):
                yield SpokenPlace(element, attribute)
        for child in list(element.children):
            if type(child) is NavigableString and LETTERS.search(child):
                yield SpokenPlace(child)


def is_left_alone(element: Tag) -> bool:
    """Whether an element holds code, a formula, or words of a language that it names."""
    return any(
        one.name in UNTOUCHED
        or one.has_attr("lang")
        or {"math", TRANSLATED_BY_SPHINX} & set(one.get("class", []))
        for one in [element, *element.parents]
        if isinstance(one, Tag) and one.name not in ("[document]", "html")
    )


def without_numbers(text: str) -> tuple[str, list[str]]:
    """A message with ``{1}``, ``{2}``, ... in place of its numbers, and these numbers."""
    numbers: list[str] = []

    def named(number: re.Match[str]) -> str:
        numbers.append(number[0])
        return f"{{{len(numbers)}}}"

    return NUMBER.sub(named, " ".join(text.split())), numbers


def with_numbers(message: str, numbers: list[str]) -> str:
    """A message with its numbers again."""
    return re.sub(r"\{(\d+)\}", lambda place: numbers[int(place[1]) - 1], message)
