"""Makes a PDF of the built book: mtcourse.pdf.

python scripts/build_pdf.py [--html FOLDER] [--to FILE]

Chromium prints it, so no TeX is needed. The articles of the built pages become one document, in the
order of the book's contents: links between them are links within the document, an explorer is a
picture of it with its address, and nothing is folded. It is printed twice, because the contents
can name their pages only when these are known.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, Tag

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book" / "_ext"))
import page_fonts
from publishing import site_of
from short_addresses import short_address

from mtcourse import __version__
from mtcourse.repository import repository_address

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = re.compile(r"api|cite|instructors|known_mistakes|grading")
"""Pages that are looked things up in: they are for the screen."""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
EXPLORER = ", ".join(
    f".mtcourse-explorer{which}"
    for which in ("[data-explorer]", ".whole-model", ".live-translator")
)
NOT_ON_PAPER = (
    "script, noscript, style, .headerlink, .whole-folded, button.copybtn, details.figure-code, "
    "link, .cover-ways, .question-skip, .mt-unseen, [role=status], .exercise-links a"
)
SHEETS = ("type.css", "code.css", "cards.css", "figures.css", "formulas.css", "mtcourse.css")
LETTERS = "abcdefgh"
SAYS_AT_ONCE = re.compile(r"Each option tells you at once what is right or wrong about it\.")
"""Of a question that is answered in the page."""
OF_THE_SCREEN = re.compile(
    r"\s*(?:Each chapter has this picture in its margin[^.]*\."
    r"|The translator runs in this page[^.]*\.|\(on a phone below it\))"
)
OF_THE_EXPLORER = re.compile(r"\s*\(Show it\.\)")
"""Of what paper does not have."""
LONGEST_HEAD = 56
"""Characters of a title above a page."""
MILLIMETRE = 96 / 25.4
"""In pixels."""
PAGE = 166, 251
"""Millimetres: A4 without the margins of print.css."""
COLUMN = int(PAGE[0] * MILLIMETRE)
"""Pixels of a line on paper."""
FIT = """(column) => {
  const tables = [...document.querySelectorAll("main table")];
  const isWide = (table) => table.getBoundingClientRect().right > column + 1;
  for (const step of ["tight", "divided"]) {
    for (const table of tables.filter(isWide)) table.classList.add(step);
  }
  for (const table of tables) {
    for (let zoom = 0.95; isWide(table) && zoom > 0.4; zoom -= 0.05) table.style.zoom = zoom;
  }
}"""
"""Chromium prints all pages smaller if one thing is too wide: a table is made to fit alone."""
FILL = """([width, height]) => {
  const blocks = "p, li, dt, dd, pre, svg, img, tr, h2, h3, h4, figcaption, .equation";
  for (const sheet of document.querySelectorAll(".sheet")) {
    const pageOf = (box) =>
      Math.floor((box.left - sheet.getBoundingClientRect().left) / (width + 100) + 0.1);
    const feetOf = () => {
      const feet = [0];
      for (const block of sheet.querySelectorAll(blocks)) {
        for (const box of block.getClientRects()) {
          const foot = box.bottom - sheet.getBoundingClientRect().top;
          feet[pageOf(box)] = Math.max(feet[pageOf(box)] || 0, foot);
        }
      }
      return feet;
    };
    sheet.style.cssText = `columns: ${width}px; column-gap: 100px; column-fill: auto;
      width: ${width}px; height: ${height}px`;
    const drawn = [...sheet.querySelectorAll("figure img, .figure-box svg.mtcourse-figure")];
    for (let page = 0, feet = feetOf(); page < feet.length - 1; page += 1, feet = feetOf()) {
      const first = drawn.find((one) => pageOf(one.getBoundingClientRect()) === page + 1);
      if (feet[page] > 0.7 * height || !first) continue;
      const all = drawn.filter((one) => one.closest("figure") === first.closest("figure"));
      const widths = all.map((one) => parseFloat(getComputedStyle(one).width));
      const fits = () => pageOf(first.getBoundingClientRect()) === page;
      for (let by = 0.95; by > 0.7 && !fits(); by -= 0.05) {
        for (const [i, one] of all.entries()) {
          one.style.width = one.style.maxWidth = `${widths[i] * by}px`;
        }
      }
      if (!fits()) for (const one of all) one.style.width = one.style.maxWidth = "";
    }
    sheet.style.cssText = "";
  }
}"""
"""Makes a picture smaller if it then fits the foot of a page that it would leave empty.

Chromium breaks columns as it breaks pages, and of columns a script sees what stands in them.
"""
UNSCROLL = """() => {
  for (const it of document.querySelectorAll("span.math.wide")) it.classList.remove("wide");
}"""
IN_FRONT = "#pst-skip-link, #pst-back-to-top, .bd-header, .bd-header-article"
"""What may lie on an explorer while its picture is taken."""
WIDTH = 760
"""Pixels: how wide an explorer is when its picture is taken."""
TALLEST = 520
"""Pixels of a picture that is whole; a taller one has parts, between which a page may end."""
CUTS = """(box, parts) => {
  const { top, height } = box.getBoundingClientRect();
  const isDrawn = "svg, canvas, img, table, p, button, label, input, select, summary";
  const taken = [...box.querySelectorAll("*")]
    .filter((one) => !one.parentElement.closest("svg"))
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, at]) => at.height && (one.matches(isDrawn) || at.height < height / parts / 2))
    .map(([, at]) => [at.top - top, at.bottom - top])
    .sort(([one], [other]) => one - other);
  const gaps = [];
  let below = 0;
  for (const [from, to] of taken) {
    if (from > below + 2) gaps.push({ at: (below + from) / 2, room: Math.min(from - below, 16) });
    below = Math.max(below, to);
  }
  const cuts = [];
  for (let part = 1; part < parts; part += 1) {
    const wanted = (height * part) / parts;
    const far = (gap) => Math.abs(gap.at - wanted);
    const near = gaps.filter((gap) => far(gap) < height / parts / 2);
    near.sort((one, other) => far(one) - 8 * one.room - (far(other) - 8 * other.room));
    if (near.length) cuts.push(near[0].at);
  }
  return [0, ...cuts, height];
}"""
"""Where a picture can be divided into so many parts: between what is drawn, where there is room."""


@dataclass
class Page:
    """One page of the book.

    Args:
        name: as chapters are called in links: "04_attention".
        title: its heading, with the chapter's number.
        part: the part of the book that it begins; empty for all but the first of a part.
        article: what it says.
    """

    name: str
    title: str
    part: str
    article: Tag = field(repr=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the PDF, and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--to", type=Path, default=ROOT / "_build" / "mtcourse.pdf")
    options = parser.parse_args(arguments)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not (options.html / "index.html").exists():
        sys.exit("the book is not built: run make book")
    if chromium is None:
        sys.exit("Chromium is not installed, and prints the PDF: on Debian, apt install chromium")
    from playwright.sync_api import sync_playwright

    html = options.html.resolve()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        pages = list(pages_of(html))
        for page in pages:
            take_pictures(browser, html, page, Path(folder))
            for_paper(html, page, [one.name for one in pages])
        numbers: dict[str, int] = {}
        write_fonts(Path(folder))
        for _ in range(2):
            document = Path(folder, "book.html")
            document.write_text(document_of(html, pages, numbers), encoding="utf-8")
            formulas = html / "_static" / "formulas.js"
            print_document(browser, document, formulas, options.to, pages)
            numbers = page_numbers(options.to, [page.title for page in pages])
        browser.close()
    print(f"The book on paper: {options.to.as_uri()}")
    return 0


# --- the pages ---------------------------------------------------------------------------------


def pages_of(html: Path) -> Iterator[Page]:
    """The pages of the book in their order, without those that are left out."""
    contents = BeautifulSoup((html / "book" / "intro.html").read_text("utf-8"), "html.parser")
    links = contents.select("nav.bd-links p.caption, nav.bd-links li.toctree-l1 > a")
    yield read_page(html, "intro", "")
    part = ""
    for link in links:
        if link.name == "p":
            part = link.get_text(" ", strip=True)
            continue
        name = Path(str(link["href"]).split("#")[0]).stem
        if name and name != "intro" and not LEFT_OUT.match(name):
            yield read_page(html, name, part)
            part = ""


def read_page(html: Path, name: str, part: str) -> Page:
    """A page with its title."""
    soup = BeautifulSoup((html / "book" / f"{name}.html").read_text("utf-8"), "html.parser")
    article = soup.select_one("article.bd-article")
    assert article is not None
    for link in article.select(".headerlink"):
        link.decompose()
    heading = article.find("h1")
    assert heading is not None
    return Page(name, " ".join(heading.get_text().split()), part, article)


def take_pictures(browser, html: Path, page: Page, folder: Path) -> None:
    """Replaces a page's explorers by pictures of what they show at first."""
    if page.article.select_one(EXPLORER) is None:
        return
    text = str(page.article)
    context = browser.new_context(viewport={"width": 1400, "height": 1200}, device_scale_factor=2)
    opened = context.new_page()
    opened.goto((html / "book" / f"{page.name}.html").as_uri())
    opened.add_style_tag(
        content=f":is({EXPLORER}) {{ width: {WIDTH}px !important }} {IN_FRONT} {{ display: none }}"
    )
    opened.evaluate("document.fonts.ready.then(() => true)")
    opened.wait_for_timeout(1500)
    # To take a picture of what is taller than its window, Chromium lays the page out anew.
    heights = opened.locator(EXPLORER).evaluate_all("all => all.map((one) => one.offsetHeight)")
    opened.set_viewport_size({"width": 1400, "height": max(heights) + 200})
    for number, box in enumerate(page.article.select(EXPLORER)):
        says = box.select_one("noscript > p") or box.find("noscript")
        words = says.get_text(" ", strip=True) if says else ""
        words = words.removeprefix("This explorer needs JavaScript. ") or box.get("aria-label", "")
        pictures = parts_of(opened, number, folder / f"{page.name}-{number}")
        *before, still = [Tag(name="figure", attrs={"class": "still"}) for _ in pictures]
        for figure, picture in zip([*before, still], pictures, strict=True):
            figure.append(Tag(name="img", attrs={"src": picture.as_uri(), "alt": words}))
            words = "What stands below it in the same box."
        caption = Tag(name="figcaption")
        caption.append("On the screen you can change this")
        if address := short_address_of(page.name, str(box.get("data-explorer", "")), text):
            link = Tag(name="a", attrs={"href": address})
            link.append(address.removeprefix("https://").rstrip("/"))
            caption.extend([": ", link])
        else:
            caption.append(".")
        still.append(caption)
        box.replace_with(*before, still)
    context.close()


def parts_of(opened, number: int, name: Path) -> list[Path]:
    """Takes the picture of an explorer: in parts, each of which fits a page, if it is tall.

    Args:
        opened: the page, in a window that is taller than the explorer.
        number: which of the page's explorers.
        name: the files' path, without the number of the part and the ending.
    """
    box = opened.locator(EXPLORER).nth(number)
    box.scroll_into_view_if_needed()
    place = box.bounding_box()
    ends = box.evaluate(CUTS, math.ceil(place["height"] / TALLEST))
    files = []
    for part, (begin, end) in enumerate(itertools.pairwise(ends)):
        top, foot = math.floor(place["y"] + begin), math.ceil(place["y"] + end)
        clip = {**place, "y": top, "height": foot - top}
        files.append(name.with_name(f"{name.name}-{part}.png"))
        opened.screenshot(path=files[-1], clip=clip)
    return files


def site_address() -> str | None:
    """Where the book is on the web, with a slash at the end; None if it has no address."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    base = (config.get("html") or {}).get("baseurl")
    base = base or config["sphinx"]["config"].get("html_baseurl")
    base = base or site_of(repository_address(ROOT))
    return f"{base.rstrip('/')}/" if base else None


def address_of(name: str) -> str | None:
    """Where a page is on the web; None if the book has no address."""
    site = site_address()
    return f"{site}book/{name}.html" if site else None


def short_address_of(name: str, explorer: str, page: str) -> str | None:
    """What is typed to reach an explorer; None if the book has no address.

    Args:
        name: of its page, which the book's own address leads to if it is the first.
        explorer: its name; empty for one that only its page tells from others.
        page: the page, as HTML.
    """
    site = site_address()
    if site is None or name == "intro":
        return site
    short = short_address(name, explorer, page)
    long = f"book/{name}.html#explorer={explorer}" if explorer else f"book/{name}.html"
    return f"{site}{short or long}"


def for_paper(html: Path, page: Page, included: Sequence[str]) -> None:
    """Makes of a page what can be read on paper."""
    article = page.article
    print_questions(article)
    for element in article.select(NOT_ON_PAPER):
        element.decompose()
    for text in article.find_all(string=OF_THE_SCREEN):
        text.replace_with(OF_THE_SCREEN.sub("", text))
    mark_lead_ins(article)
    join_stills(article)
    for link in article.select("a.github, a.gitlab"):
        link.string = str(link["href"])  # the theme shortens it, and nobody can press it on paper
    for fold in article.select("details"):
        fold["open"] = ""
        fold["class"] = [*fold.get("class", []), "unfolded"]
    for image in article.select("img[src]"):
        if ":" not in str(image["src"]):
            image["src"] = (html / "book" / str(image["src"])).resolve().as_uri()
    for link in article.select("a[href]"):
        if place := place_on_paper(str(link["href"]), page.name, included):
            link["href"] = place
        else:
            link.unwrap()
    article.smooth()
    for text in article.find_all(string=OF_THE_EXPLORER):
        text.replace_with(OF_THE_EXPLORER.sub("", text))
    name_apart(article, page.name)
    if heading := article.find("h1"):
        heading["id"] = page.name


def join_stills(article: Tag) -> None:
    """The parts of an explorer's picture stand in one frame: only the last one has a caption."""
    for still in article.select(".still"):
        before = still.find_previous_sibling()
        if before and "still" in before.get("class", []) and before.figcaption is None:
            for image in reversed(before.select("img")):
                still.insert(0, image)
            before.decompose()


def mark_lead_ins(article: Tag) -> None:
    """Names the notes below headings that stand in italics, and may name an exercise."""
    for paragraph in article.select("h2 + p, h3 + p"):
        rest = [one for one in paragraph.contents if one.name not in {"em", "code"}]
        if paragraph.em and not "".join(one.get_text() for one in rest).strip():
            paragraph["class"] = "lead-in"


def name_apart(article: Tag, prefix: str) -> None:
    """What is named on one page must not be found on another."""
    for element in article.find_all(True):
        for name, value in list(element.attrs.items()):
            words = value if isinstance(value, list) else str(value).split()
            if name == "id":
                element[name] = f"{prefix}--{value}"
            elif name in {"aria-labelledby", "aria-describedby", "for", "headers"}:
                element[name] = " ".join(f"{prefix}--{word}" for word in words)
            elif "url(#" in str(value):
                element[name] = str(value).replace("url(#", f"url(#{prefix}--")
            elif name in {"href", "xlink:href"} and element.name == "use":
                element[name] = str(value).replace("#", f"#{prefix}--", 1)


def print_questions(article: Tag) -> None:
    """A question to be answered in the page gets letters; the key stands below the last one."""
    key = []
    forms = [form for form in article.select("form") if form.select_one("button[data-says]")]
    for form in forms:
        options = form.select(".question-options button:not(.question-skip)")
        right = [LETTERS[i] for i, one in enumerate(options) if one.has_attr("data-right")]
        if form.select_one(".question-skip") is None:  # no guess, which the page answers below it
            key.append(f"{len(key) + 1} {', '.join(right)}")
        box, words = Tag(name="div", attrs={"class": "asked"}), Tag(name="p")
        if legend := form.find("legend"):
            words.extend(list(legend.contents))
        answers = Tag(name="ol", attrs={"type": "a"})
        for option in options:
            answer = Tag(name="li")
            answer.extend(list(option.contents))
            answers.append(answer)
        box.extend([words, answers])
        form.replace_with(box)
        if key and form is forms[-1]:
            answered = Tag(name="p", attrs={"class": "key"})
            answered.append(f"Right: {'; '.join(key)}.")
            box.insert_after(answered)
    for paragraph in article.find_all("p", string=SAYS_AT_ONCE):
        paragraph.string = SAYS_AT_ONCE.sub("The key stands below the last one.", paragraph.string)
    for form in article.select("form"):
        form.decompose()


def place_on_paper(href: str, name: str, included: Sequence[str]) -> str | None:
    """Where a link leads: within the document if it can, or to the web if the book is there."""
    if "://" in href or href.startswith("mailto:"):
        return href
    path, _, anchor = href.partition("#")
    target = Path(path).stem if path else name
    address, chosen = address_of(target), anchor.startswith(("explorer=", "translate="))
    if target in included and not chosen and (not path or path.endswith(".html")):
        return f"#{target}--{anchor}" if anchor else f"#{target}"
    if address is None:
        return None
    return f"{address}#{anchor}" if chosen else f"{address.rsplit('/', 1)[0]}/{href}"


# --- the document ------------------------------------------------------------------------------


def document_of(html: Path, pages: Sequence[Page], numbers: Mapping[str, int]) -> str:
    """All of it as one page of HTML."""
    static = html / "_static"
    styles = [static / name for name in ("pygments.css", *SHEETS)]
    styles.append(ROOT / "scripts" / "print.css")
    linked = "".join(
        f'<link rel="stylesheet" href="{style.as_uri()}">' for style in styles if style.exists()
    )
    fonts = "fonts.css" if page_fonts.font_folder() else (static / "fonts" / "fonts.css").as_uri()
    linked += f"<link rel='stylesheet' href='{fonts}'>"
    heads = "".join(
        f'@page {css_name(page.name)} {{ @top-left {{ content: "{short(page.title)}"; }} }}\n'
        f"#page-{page.name} {{ page: {css_name(page.name)}; }}\n"
        for page in pages
    )
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    title, _, subtitle = config["title"].partition(":")
    articles = "".join(
        f'<section class="sheet" id="page-{page.name}">'
        f'<article class="bd-article">{page.article.decode_contents()}</article></section>'
        for page in pages
    )
    return (
        f"<!doctype html><html lang='en' data-theme='light' data-mode='light'><head>"
        f"<meta charset='utf-8'><title>{config['title']}</title>{linked}"
        f"<style>{heads}</style></head><body><header class='cover'>"
        f"<h1>{title}</h1><p class='subtitle'>{subtitle}</p>"
        f"<p class='edition'>Version {__version__}. © {config['copyright']}</p></header>"
        f"{contents_of(pages, numbers)}<main>{articles}</main></body></html>"
    )


def write_fonts(folder: Path) -> None:
    """The faces of the book beside the document, one file for each weight.

    Chromium embeds a variable face as drawings of its letters.
    """
    if package := page_fonts.font_folder():
        faces = [one for face in page_fonts.FACES for one in face.in_each_weight()]
        page_fonts.make_fonts(package, folder, faces)


def short(title: str) -> str:
    """A title that stands on one line beside that of the book."""
    if len(title) <= LONGEST_HEAD:
        return title
    return textwrap.shorten(title.partition(":")[0], LONGEST_HEAD, placeholder=" …")


def css_name(name: str) -> str:
    """A page's name as style sheets can have it."""
    return f"page-{name.replace('_', '-')}"


def contents_of(pages: Sequence[Page], numbers: Mapping[str, int]) -> str:
    """The contents, with the number of the page on which each one begins."""
    lines = []
    for page in pages:
        if page.part:
            lines.append(f"<p>{page.part}</p>")
        number = numbers.get(page.title, "")
        lines.append(
            f'<div><a href="#{page.name}">{page.title}</a><span class="dots"></span>'
            f"<span>{number}</span></div>"
        )
    return f"<nav class='contents'><h1>Contents</h1>{''.join(lines)}</nav>"


def print_document(
    browser, document: Path, formulas: Path, target: Path, pages: Sequence[Page] = ()
) -> None:
    """Prints it: A4, with tags for screen readers, and the headings as an outline.

    Args:
        browser: Playwright's.
        document: the whole book in one page.
        formulas: what sets roots without room behind them; that a formula scrolls is for a screen.
        target: the PDF.
        pages: the book's, whose parts hold them in the outline.
    """
    context = browser.new_context(viewport={"width": COLUMN, "height": 900})
    opened = context.new_page()
    opened.emulate_media(media="print")
    opened.goto(document.as_uri(), timeout=300_000)
    opened.add_script_tag(path=formulas)
    opened.evaluate("document.fonts.ready.then(() => true)")
    opened.evaluate(UNSCROLL)
    opened.evaluate(FIT, COLUMN)
    opened.evaluate(FILL, [side * MILLIMETRE for side in PAGE])
    target.parent.mkdir(parents=True, exist_ok=True)
    opened.pdf(
        path=target,
        prefer_css_page_size=True,
        print_background=True,
        tagged=True,
        outline=True,
    )
    headings = opened.locator("h1, h2, h3, h4, h5, h6").all_text_contents()
    mend_outline(target, headings, {page.title: page.part for page in pages})
    context.close()


def mend_outline(pdf: Path, headings: Sequence[str], parts: Mapping[str, str]) -> None:
    """Gives the outline the headings as they are, and the parts of the book above their pages.

    Where a line ends, Chromium loses a space; where a page begins, it may say a heading twice.

    Args:
        pdf: is changed.
        headings: all of the document, in their order.
        parts: for each page's title the part that it begins, or nothing.
    """
    from pypdf import PdfWriter
    from pypdf.generic import NameObject, TextStringObject

    written = PdfWriter(pdf, incremental=True)  # what else there is stays to the letter
    left = [" ".join(heading.split()) for heading in headings]
    for entry in entries_below(written.root_object["/Outlines"]):
        at = next((i for i, one in enumerate(left) if is_heard_in(entry["/Title"], one)), None)
        if at is None:
            continue
        if left[at] != entry["/Title"]:
            entry[NameObject("/Title")] = TextStringObject(left[at])
        left = left[at + 1 :]  # those before it are not seen on paper
    outline_parts(written, parts)
    written.write(pdf)


def is_heard_in(title: str, heading: str) -> bool:
    """Whether a title of the outline is a heading, without spaces or with parts of it twice."""
    said, letters = ("".join(text.split()) for text in (title, heading))
    rest = iter(said)
    return 0 < len(letters) <= len(said) <= 2 * len(letters) and all(one in rest for one in letters)


def entries_below(entry) -> Iterator:
    """The entries of an outline that stand below one, in their order."""
    below = entry.get("/First")
    while below is not None:
        below = below.get_object()
        yield below
        yield from entries_below(below)
        below = below.get("/Next")


def outline_parts(written, parts: Mapping[str, str]) -> None:
    """Puts the pages of each part of the book below the part in the outline.

    Args:
        written: pypdf's writer of a PDF whose outline has the pages on top.
        parts: for each page's title the part that it begins, or nothing.
    """
    from pypdf.generic import NameObject

    root = written.root_object["/Outlines"].indirect_reference
    top, part, below = [], None, []
    for entry in list(entries_beside(root.get_object().get("/First"))):
        page = entry.get_object()
        if begun := parts.get(page["/Title"]):
            part, below = written.add_outline_item(title=begun, page_number=None), []
            leads = "/Dest" if "/Dest" in page else "/A"
            part.get_object()[NameObject(leads)] = page[leads]
            top.append(part)
        if part and page["/Title"] in parts:
            below.append(entry)
            chain(part, below)
        else:
            top.append(entry)
    if part:
        chain(root, top)


def entries_beside(entry) -> Iterator:
    """An entry of an outline and those that follow it, none of which stands below another."""
    while entry is not None:
        yield entry.get_object().indirect_reference
        entry = entry.get_object().get("/Next")


def chain(parent, entries: Sequence) -> None:
    """Makes entries of an outline those that stand below one, in their order, and are seen there.

    Args:
        parent: refers to an entry, or to the outline itself.
        entries: refer to entries.
    """
    from pypdf.generic import NameObject, NumberObject

    above = parent.get_object()
    above[NameObject("/First")], above[NameObject("/Last")] = entries[0], entries[-1]
    shown = [max(0, int(entry.get_object().get("/Count", 0))) for entry in entries]
    above[NameObject("/Count")] = NumberObject(len(entries) + sum(shown))
    around = [None, *entries, None]
    for at, entry in enumerate(entries):
        kept = entry.get_object()
        kept[NameObject("/Parent")] = parent
        for name, other in (("/Prev", around[at]), ("/Next", around[at + 2])):
            kept.pop(name, None)
            if other is not None:
                kept[NameObject(name)] = other


def page_numbers(pdf: Path, titles: Sequence[str]) -> dict[str, int]:
    """The page on which each title is printed, from the outline."""
    from pypdf import PdfReader

    reader = PdfReader(pdf)
    numbers: dict[str, int] = {}
    for heading in page_entries(reader.outline, titles):
        number = reader.get_destination_page_number(heading)
        if heading.title in titles and number is not None:
            numbers[str(heading.title)] = number + 1
    return numbers


def page_entries(outline: Sequence, titles: Sequence[str]) -> Iterator:
    """The entries of an outline that may be pages: those on top, and those below a part."""
    above = ""
    for entry in outline:
        if not isinstance(entry, list):
            above = entry.title
            yield entry
        elif above not in titles:
            yield from page_entries(entry, titles)


if __name__ == "__main__":
    sys.exit(main())
