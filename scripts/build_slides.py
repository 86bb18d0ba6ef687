"""Makes slides of each chapter for instructors: _build/slides/NN_word.html, and a page of contents.

python scripts/build_slides.py [--html FOLDER] [--to FOLDER]

What is on them comes from the built pages (equations, figures, the explorer, questions, what to
remember, exercises) and from each chapter's instructors.md (what learners can do afterwards, and
the speaker's notes). Nothing is kept by hand.
"""

from __future__ import annotations

import argparse
import html as markup
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import yaml
from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

sys.path.insert(0, str(Path(__file__).resolve().parent))
from build_pdf import LETTERS, NOT_ON_PAPER, ROOT, SHEETS, Page, address_of, read_page

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from formulas import to_mathml

EXPLORER = ".mtcourse-explorer[data-explorer]"
OPENING = ":scope > section > div.cell > .cell_output"
SHOWN = f"div.math:has(> .eqno), figure, form[data-guess], {EXPLORER}, {OPENING}"
"""What of a page's text gets a slide of its own, in the page's order."""
FOLDERS = ("fonts", "translator", "language_model")
"""What the slides of all chapters share, beside style sheets: faces, and the explorers' models."""
STEPS = {
    "opening": "The question",
    "explorer": "An explorer",
    "exercises": "Exercises in pairs",
    "mistake": "A deliberate mistake",
    "remember": "Summary",
}
"""The steps of a class that the instructor's guide describes, by the slides that they belong to."""
PARAGRAPHS = ":scope > section > p, :scope > section > .after-guess > p"
"""What stands above a chapter's first section."""
Sentence: TypeAlias = Sequence[PageElement]
Paragraph: TypeAlias = Sequence[Sentence]
Place: TypeAlias = tuple[int, int]
"""A paragraph, and a sentence of it."""
END = re.compile(r"[.?!][”’\")]*$")


@dataclass
class Slide:
    """One slide; all texts are HTML.

    Args:
        kind: what it shows, for the style sheet.
        heading: its heading.
        body: what it shows.
        above: a few words above the heading, such as the number of a figure.
        notes: for the speaker.
    """

    kind: str
    heading: str
    body: str
    above: str = ""
    notes: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the slides of all chapters, and says where they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--to", type=Path, default=ROOT / "_build" / "slides")
    options = parser.parse_args(arguments)
    names = sorted(path.stem for path in options.html.glob("book/[0-9][0-9]_*.html"))
    if not names:
        sys.exit("the book is not built: run make book")
    write_slides(options.html.resolve(), names, options.to)
    print(f"The slides: {(options.to / 'index.html').resolve().as_uri()}")
    return 0


def write_slides(html: Path, names: Sequence[str], folder: Path) -> None:
    """Writes the slides of these chapters, and what they share.

    Args:
        html: the built book.
        names: of the chapters: "04_attention".
        folder: what is in it is replaced.
    """
    shutil.rmtree(folder, ignore_errors=True)
    copy_shared(html / "_static", folder / "_static")
    steps = steps_of((ROOT / "book" / "instructors.md").read_text(encoding="utf-8"))
    listed = []
    for name in names:
        page = read_page(html, name, "")
        notes_file = ROOT / "mtcourse" / "chapters" / name.partition("_")[2] / "instructors.md"
        slides = slides_of(page, notes_of(notes_file.read_text(encoding="utf-8")), steps)
        (folder / f"{name}.html").write_text(document_of(page.title, slides), encoding="utf-8")
        listed.append((page, len(slides)))
    (folder / "index.html").write_text(index_of(listed), encoding="utf-8")


def copy_shared(static: Path, target: Path) -> None:
    """Copies what all slides load, once."""
    target.mkdir(parents=True)
    sheets = [static / name for name in ("pygments.css", *SHEETS)]
    own = [ROOT / "scripts" / "slides.css", ROOT / "scripts" / "slides.js"]
    for file in [*sheets, *own]:
        if file.exists():
            shutil.copy(file, target)
    for name in FOLDERS:
        if (static / name).exists():
            shutil.copytree(static / name, target / name)


# --- what instructors are told -----------------------------------------------------------------


@cache
def _markdown() -> MarkdownIt:
    def formula(content: str, options: Mapping[str, bool]) -> str:
        return to_mathml(content, options["display_mode"])

    reader = MarkdownIt("commonmark", {"html": False})
    return reader.use(dollarmath_plugin, renderer=formula)


def notes_of(text: str) -> dict[str, str]:
    """What a chapter's instructors.md says under each of its headings, as HTML.

    What stands above the first of them is the question to open with.
    """
    parts = ["Question", *re.split(r"^## (.+)\n", text, flags=re.MULTILINE)]
    return {
        name: _markdown().render(said.strip())
        for name, said in zip(parts[::2], parts[1::2], strict=True)
        if said.strip()
    }


def steps_of(guide: str) -> dict[str, str]:
    """What the instructor's guide says of each step of a class, as HTML.

    Args:
        guide: the Markdown of its page.
    """
    found = {}
    for kind, name in STEPS.items():
        step = re.search(rf"^\d+\. (\*\*{name}, .+)$", guide, re.MULTILINE)
        if step is None:
            sys.exit(
                f"book/instructors.md has no step '{name}': name the steps in STEPS of "
                "scripts/build_slides.py as the guide does"
            )
        found[kind] = _markdown().render(step[1])
    return found


# --- from a page to slides ---------------------------------------------------------------------


def slides_of(page: Page, notes: Mapping[str, str], steps: Mapping[str, str]) -> list[Slide]:
    """The slides of a chapter, in the order in which a class goes through it."""
    article = page.article
    for link in article.select("a"):
        link.unwrap()  # nobody follows a link in the middle of a class
    slides = [title_slide(page, notes, steps)]
    slides.append(Slide("list", "You will be able to", notes.get("Afterwards", "")))
    shown = [one for one in article.select(SHOWN) if not is_output(one) or not has_a_slide(one)]
    slides += [slide_of(element, page, notes, steps) for element in shown]
    slides += questions(article, steps)
    if remember := section_of(article, "Remember"):
        slides.append(Slide("list", "Remember", rest_of(remember), notes=steps["remember"]))
    if exercises := section_of(article, "Exercises"):
        pairs = f"<p>In pairs:</p>{notes.get('In pairs', '')}"
        told = steps["exercises"] + pairs
        slides.append(Slide("list", "Exercises", exercise_table(exercises), notes=told))
    return slides


def slide_of(element: Tag, page: Page, notes: Mapping[str, str], steps: Mapping[str, str]) -> Slide:
    """The slide of what stands in the page's text."""
    if element.name == "figure":
        return figure_slide(element, page)
    if element.name == "form":
        return question_slide(element, "Your guess first", steps["mistake"])
    if element.has_attr("data-explorer"):
        above = link_to("Explorer", page, f"explorer={element['data-explorer']}")
        told = steps["explorer"] + notes.get("Explorer", "")
        return Slide("explorer", heading_of(element), explorer_html(element), above, told)
    if is_output(element):
        return output_slide(element)
    return equation_slide(element, page)


def is_output(element: Tag) -> bool:
    """Whether an element is all that a cell put out."""
    return "cell_output" in element.get_attribute_list("class")


def has_a_slide(output: Tag) -> bool:
    """Whether what a cell put out gets a slide by itself."""
    return output.select_one(f"figure, form, {EXPLORER}") is not None


def link_to(words: str, page: Page, place: str) -> str:
    """A link to a place on a chapter's page, if the book has an address."""
    address = address_of(page.name)
    return f'<a href="{address}#{place}">{words}</a>' if address else words


def title_slide(page: Page, notes: Mapping[str, str], steps: Mapping[str, str]) -> Slide:
    """The title of a chapter, and the question that it opens with."""
    context, question = opening_question(page.article, plain(notes.get("Question", "")))
    title = markup.escape(page.title)
    before = notes.get("Before class", "")
    told = steps["opening"] + (f"<p>Before class, learners do:</p>{before}" if before else "")
    shown = f'<div class="context"><p>{context}</p></div>' if context else ""
    return Slide("title", question, f'<p class="chapter">{title}</p>{shown}', notes=told)


def output_slide(element: Tag) -> Slide:
    """What a cell of a chapter's opening put out, below the sentences that lead to it."""
    cell = element.parent
    said = lead_of(cell) if cell is not None else None
    lead = f"<p>{last_sentences(said, 2)}</p>" if said is not None else ""
    return Slide("output", "To begin with", lead + clean(element))


def lead_of(cell: Tag) -> Tag | None:
    """The paragraph that leads to a cell, unless it leads to one that has a slide before it."""
    for above in cell.find_previous_siblings(True):
        if above.name == "p":
            return above
        if above.select_one(".cell_output") is not None:
            return None
    return None


def opening_question(article: Tag, asked: str = "") -> tuple[str, str]:
    """What leads to the question that a chapter opens with, and the question itself, as HTML.

    It is what stands out in bold above the first section; or else what the instructors ask, where
    the chapter only says what it asks; or else the last questions there; or else the first guess.
    What follows a guess leads to nothing: it would give the guess away.

    Args:
        article: the chapter.
        asked: the instructors' question, if they have one.
    """
    paragraphs = article.select(PARAGRAPHS)
    said = [sentences(paragraph) for paragraph in paragraphs]
    if bold := places_of(said, is_bold_question):
        told = paragraphs[bold[0][0]].find_parent(class_="after-guess") is not None
        return "" if told else context_of(said, bold[0]), question_at(said, bold)
    stated = places_of(said, is_said_to_be_asked)
    if asked and stated:
        return context_of(said, stated[-1]), asked
    if found := places_of(said, is_question_at_all):
        last = [place for place in found if place[0] == found[-1][0]]
        return context_of(said, last[0]), question_at(said, last)
    guess = article.select_one("form[data-guess]")
    return "", asked or (asks_of(guess) if guess is not None else "")


def places_of(said: Sequence[Paragraph], is_one: Callable[[Sentence], bool]) -> list[Place]:
    """Where among paragraphs sentences of a kind stand."""
    return [
        (p, i) for p, one in enumerate(said) for i, sentence in enumerate(one) if is_one(sentence)
    ]


def question_at(said: Sequence[Paragraph], places: Sequence[Place]) -> str:
    """The sentences at some places, for a heading."""
    return " ".join(html_of(said[p][i], plain=True).strip() for p, i in places)


def context_of(said: Sequence[Paragraph], place: Place) -> str:
    """What leads to a place: all of its paragraph above it, or the end of that where it is long.

    Where nothing does, it is the end of the chapter's first paragraph, if that is the one above.
    """
    paragraph, i = place
    before = said[paragraph][:i]
    if (paragraph, i) == (1, 0):
        before = [one for one in said[0] if not words_of(one).endswith(":")]
    return "".join(map(html_of, before if len(before) <= 4 else before[-3:])).strip()


def is_bold_question(sentence: Sentence) -> bool:
    """Whether a sentence is a question, in bold."""
    bold = [part for part in sentence if isinstance(part, Tag) and part.name == "strong"]
    return any(part.get_text().rstrip().endswith("?") for part in bold)


def is_said_to_be_asked(sentence: Sentence) -> bool:
    """Whether a sentence says what the chapter asks."""
    return bool(re.match(r"(This chapter|It) asks\b", words_of(sentence)))


def is_question_at_all(sentence: Sentence) -> bool:
    """Whether a sentence is a question."""
    return words_of(sentence).endswith("?")


def equation_slide(element: Tag, page: Page) -> Slide:
    """A numbered equation with the sentence before it and what the page says of its symbols."""
    number = element.select_one(".eqno")
    formula = element.select_one(".equation")
    assert number is not None
    assert formula is not None
    before, after = previous(element), following(element)
    lead = last_sentences(before) if before is not None else ""
    told = "".join(str(part) for part in (before, after) if part is not None and part.name == "p")
    parts = [f'<p class="lead">{lead}</p>' if lead else "", f'<div class="math">{formula}</div>']
    if after is not None and after.name == "p":
        said = "".join(html_of(sentence) for sentence in with_symbols(after))
        parts.append(f'<p class="symbols">{said}</p>' if said else "")
    elif after is not None and after.select_one("td:first-child math") is not None:
        parts.append(clean(after))
    above = link_to(f"Equation {number.get_text(strip=True)}", page, str(element.get("id", "")))
    return Slide("equation", heading_of(element), "".join(parts), above, told)


def figure_slide(element: Tag, page: Page) -> Slide:
    """A figure with its caption; what it shows in words is for the speaker."""
    number = element.select_one(".caption-number")
    caption = element.select_one(".caption-text")
    drawn = element.select_one("[role=img][aria-label], svg[aria-label], img[alt]")
    alt = str(drawn.get("aria-label") or drawn.get("alt")) if drawn is not None else ""
    said = caption.decode_contents() if caption is not None else ""
    box = element.select_one(".figure-box") or drawn
    body = f"<figure>{clean(box) if box else ''}<figcaption>{said}</figcaption></figure>"
    words = number.get_text(strip=True) if number is not None else "Figure"
    above = link_to(words, page, str(element.get("id", "")))
    told = f"<p>What it shows: {markup.escape(alt)}</p>" if alt else ""
    return Slide("figure", heading_of(element), body, above, told)


def explorer_html(element: Tag) -> str:
    """An explorer with its script, which finds its model's files beside the slides."""
    for name in ("data-translator", "data-language-model"):
        if element.has_attr(name):
            element[name] = str(element[name]).removeprefix("../")
    script = element.find_next_sibling("script")
    return f"{element}{script or ''}"


def questions(article: Tag, steps: Mapping[str, str]) -> Iterator[Slide]:
    """The questions at the end of a chapter, to be asked in class."""
    forms = [form for form in article.select("form") if form.select_one("button[data-says]")]
    forms = [form for form in forms if not form.has_attr("data-guess")]
    for number, form in enumerate(forms, start=1):
        yield question_slide(form, f"Question {number} of {len(forms)}", steps["mistake"])


def asks_of(form: Tag) -> str:
    """What a question asks, without its number and what introduces a guess."""
    legend = copy(form.find("legend"))
    assert isinstance(legend, Tag)
    for mark in legend.find_all("b", recursive=False):
        mark.decompose()
    return re.sub(r"^\s*\d+\.\s", "", legend.decode_contents()).strip()


def question_slide(form: Tag, above: str, notes: str) -> Slide:
    """A question; beside each option stands what the next press reveals."""
    lines = []
    guess = form.has_attr("data-guess")
    for letter, option in zip(LETTERS, form.select(".question-options button"), strict=False):
        right = " data-right" if option.has_attr("data-right") else ""
        says = option["data-says"] if not guess else "This is the result." if right else ""
        lines.append(
            f'<div class="option"{right}><dt><span class="letter">{letter}</span> '
            f'{option.decode_contents()}</dt><dd class="says">{says}</dd></div>'
        )
    return Slide("question", asks_of(form), f"<dl>{''.join(lines)}</dl>", above, notes)


def exercise_table(section: Tag) -> str:
    """The exercises with their kinds and times; the text of the section where it has no cards."""
    cards = section.select(".exercise-card")
    if not cards:
        return rest_of(section)
    rows = []
    for card in cards:
        title, says, facts = (card.select_one(f":scope > {p}") for p in CARD)
        kind = re.match(r"[^,:]*, ([^:]+):", says.get_text()) if says is not None else None
        cells = [text_of(title), kind[1] if kind else ""]
        cells += [text_of(fact) for fact in facts.select("span")] if facts is not None else []
        rows.append("".join(f"<td>{cell}</td>" for cell in cells))
    summary = section.select_one(".exercise-summary")
    lead = f"<p>{text_of(summary)}</p>" if summary is not None else ""
    heads = "".join(f"<th>{head}</th>" for head in ("exercise", "kind", "level", "time", "points"))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"{lead}<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


CARD = (".exercise-title", "p:nth-of-type(2)", ".exercise-facts")
"""What is on the card of an exercise: its title, what it asks for, level, time and points."""


# --- pieces of pages ---------------------------------------------------------------------------


def section_of(article: Tag, title: str) -> Tag | None:
    """The section with a heading."""
    headings = [h for h in article.find_all("h2") if text_of(h) == title]
    return headings[0].parent if headings else None


def rest_of(section: Tag) -> str:
    """A section without its heading."""
    parts = [part for part in section.find_all(True, recursive=False) if part.name != "h2"]
    return "".join(map(clean, parts))


def clean(element: Tag) -> str:
    """An element without what is only for the page."""
    kept = copy(element)
    for part in kept.select(NOT_ON_PAPER):
        part.decompose()
    return str(kept)


def heading_of(element: Tag) -> str:
    """The heading of the section that holds an element, without its number."""
    for section in element.find_parents("section"):
        heading = section.find(["h1", "h2", "h3"], recursive=False)
        if isinstance(heading, Tag):
            return re.sub(
                r'<span class="section-number">[^<]*</span>', "", heading.decode_contents()
            ).strip()
    return ""


def text_of(element: PageElement | None) -> str:
    """The text of an element on one line, escaped."""
    return markup.escape(" ".join(element.get_text().split())) if element is not None else ""


def plain(text: str) -> str:
    """One paragraph without its tags around it."""
    return text.strip().removeprefix("<p>").removesuffix("</p>")


def previous(element: Tag) -> Tag | None:
    """The paragraph right above an element."""
    found = element.find_previous_sibling()
    return found if isinstance(found, Tag) and found.name == "p" else None


def following(element: Tag) -> Tag | None:
    """What stands right below an element."""
    found = element.find_next_sibling()
    return found if isinstance(found, Tag) else None


def sentences(paragraph: Tag) -> list[list[PageElement]]:
    """A paragraph's sentences, each a list of words and elements."""
    parts: list[PageElement] = []
    for child in paragraph.children:
        if isinstance(child, Tag):
            parts.append(child)
        else:
            parts += [NavigableString(word) for word in re.findall(r"\s+|\S+\s*", str(child))]
    found: list[list[PageElement]] = [[]]
    for part in parts:
        so_far = "".join(one.get_text() for one in found[-1])
        text = part.get_text()
        apart = so_far != so_far.rstrip() and not text.isspace()
        apart = apart and so_far.count("(") <= so_far.count(")")
        begins = isinstance(part, Tag) or not text[:1].islower()
        if apart and begins and END.search(so_far.rstrip()):
            found.append([])
        found[-1].append(part)
    return [sentence for sentence in found if words_of(sentence)]


def words_of(sentence: Sequence[PageElement]) -> str:
    """A sentence as plain text."""
    return " ".join("".join(part.get_text() for part in sentence).split())


def html_of(sentence: Sequence[PageElement], plain: bool = False) -> str:
    """A sentence as HTML; a plain one has no bold words, as headings have none."""
    parts = []
    for part in sentence:
        if not isinstance(part, Tag):
            parts.append(markup.escape(str(part)))
        elif plain and part.name == "strong":
            parts.append(part.decode_contents())
        else:
            parts.append(str(part))
    return "".join(parts)


def last_sentences(paragraph: Tag, count: int = 1) -> str:
    """The end of a paragraph, without asides; a few words are no sentence to begin with."""
    every = sentences(paragraph)
    said = [one for one in every if not words_of(one).startswith("(")] or every
    if len(words_of(said[-1]).split()) < 9:
        count += 1
    return "".join(map(html_of, said[-count:]))


def with_symbols(paragraph: Tag) -> Iterator[list[PageElement]]:
    """The first two sentences of a paragraph, as far as they speak of symbols.

    One that ends in a colon leads to what comes next.
    """
    for sentence in sentences(paragraph)[:2]:
        inside = (part for part in sentence if isinstance(part, Tag))
        has_symbols = any(part.name == "math" or part.find("math") for part in inside)
        if not has_symbols or words_of(sentence).endswith(":"):
            return
        yield sentence


# --- the pages ---------------------------------------------------------------------------------


def head_of(title: str) -> str:
    """The beginning of a page."""
    names = ["fonts/fonts.css", "pygments.css", *SHEETS, "slides.css"]
    linked = "".join(f'<link rel="stylesheet" href="_static/{name}">' for name in names)
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title>{linked}<script src="_static/slides.js"></script></head>'
    )


def document_of(title: str, slides: Sequence[Slide]) -> str:
    """The slides of a chapter as a page."""
    shown = "".join(section(slide, number) for number, slide in enumerate(slides, start=1))
    options = "".join(
        f"<option value='{number}'>{number} of {len(slides)}: {option_of(slide)}</option>"
        for number, slide in enumerate(slides, start=1)
    )
    title = markup.escape(title)
    return (
        f"{head_of(f'Slides: {title}')}<body class='deck'>"
        f'<header><h1>{title}</h1></header><main>{shown}</main><nav aria-label="Slides">'
        '<a href="index.html">All chapters</a>'
        f'<select aria-label="Slide">{options}</select>'
        '<button type="button" data-do="notes" aria-pressed="false">Notes</button>'
        '<button type="button" data-do="back">Back</button>'
        '<button type="button" data-do="on">Next</button></nav>'
        '<p class="said" role="status"></p></body></html>'
    )


def section(slide: Slide, number: int) -> str:
    """A slide as a part of the page."""
    above = f'<p class="above">{slide.above}</p>' if slide.above else ""
    return (
        f'<section class="slide {slide.kind}" aria-labelledby="heading-{number}">'
        f'<div class="stage"><div class="bd-article">{above}'
        f'<h2 id="heading-{number}">{slide.heading}</h2>{slide.body}</div></div>'
        f'<div class="notes" role="note" aria-label="Notes" tabindex="0">{slide.notes}</div>'
        "</section>"
    )


def option_of(slide: Slide) -> str:
    """A slide's name in the list of slides."""
    text = " ".join(BeautifulSoup(slide.heading, "html.parser").get_text().split())
    short = text if len(text) < 60 else f"{text[:57].rsplit(' ', 1)[0]} …"
    above = BeautifulSoup(slide.above, "html.parser").get_text()
    return markup.escape(f"{above}, {short}" if above else short)


def index_of(listed: Sequence[tuple[Page, int]]) -> str:
    """The page of contents."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    lines = "".join(
        f'<li><a href="{page.name}.html">{markup.escape(page.title)}</a> {count} slides</li>'
        for page, count in listed
    )
    return (
        f"{head_of('Slides')}<body class='contents'><main class='bd-article'><h1>Slides</h1>"
        f"<p>{markup.escape(config['title'])}</p><ul>{lines}</ul>"
        "<p><kbd>→</kbd>, <kbd>Space</kbd> or <kbd>Page down</kbd> goes on, answers a question, "
        "and turns to an explorer’s next part. <kbd>←</kbd> goes back. <kbd>n</kbd> shows the "
        "speaker’s notes. <kbd>Esc</kbd> leaves an explorer, so that the keys move slides again. "
        "Print a chapter from the browser: it has one slide a page, with the answers.</p>"
        "</main></body></html>"
    )


if __name__ == "__main__":
    sys.exit(main())
