"""Makes an ePub of the built book: mtcourse.epub.

python scripts/build_epub.py [--html FOLDER] [--to FILE]

It has the pages that are printed (build_pdf.py): formulas are MathML, explorers are pictures.
"""

from __future__ import annotations

import argparse
import html as markup
import re
import shutil
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))
from build_pdf import FLAGS, ROOT, SHEETS, Page, for_paper, pages_of, take_pictures

XHTML = "http://www.w3.org/1999/xhtml"
EPUB = "http://www.idpf.org/2007/ops"
SPACES = {"": XHTML, "epub": EPUB, "svg": "http://www.w3.org/2000/svg"}
MATH = "{http://www.w3.org/1998/Math/MathML}"
XMLNS = "{http://www.w3.org/2000/xmlns/}"
CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book/content.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""
TYPES = {
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
HOLDS_WORDS = {f"{{{XHTML}}}{name}" for name in ("span", "summary", "label", "code", "a")}
OLD = ("align", "valign", "border", "frameborder", "bgcolor", "nowrap", "focusable")
"""Attributes that HTML no longer has."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the ePub, and says where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--to", type=Path, default=ROOT / "_build" / "mtcourse.epub")
    options = parser.parse_args(arguments)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not (options.html / "index.html").exists():
        sys.exit("the book is not built: run make book")
    if chromium is None:
        sys.exit("Chromium is not installed, and draws explorers: on Debian, apt install chromium")
    from playwright.sync_api import sync_playwright

    html = options.html.resolve()
    pages = list(pages_of(html))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for page in pages:
            take_pictures(browser, html, page, Path(folder))
            for_paper(html, page, [one.name for one in pages])
        browser.close()
        write_book(html, pages, options.to)
    print(f"The ePub: {options.to.as_uri()}")
    return 0


def write_book(html: Path, pages: Sequence[Page], target: Path) -> None:
    """Writes the pages, what they show, and the contents into one file."""
    places = {str(one["id"]) for page in pages for one in page.article.select("[id]")}
    files: dict[str, bytes] = {}
    marked: dict[str, list[str]] = {}
    for page in pages:
        text, properties = page_of(page, files, places)
        files[f"{page.name}.xhtml"] = text
        marked[f"{page.name}.xhtml"] = properties
    files["nav.xhtml"] = contents_of(pages).encode()
    marked["nav.xhtml"] = ["nav"]
    static = html / "_static"
    sheets = [static / "pygments.css", *(static / name for name in SHEETS)]
    files["book.css"] = style_of([sheet for sheet in sheets if sheet.exists()]).encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", CONTAINER, zipfile.ZIP_DEFLATED)
        package = package_of(pages, files, marked)
        book.writestr("book/content.opf", package, zipfile.ZIP_DEFLATED)
        for name, content in files.items():
            book.writestr(f"book/{name}", content, zipfile.ZIP_DEFLATED)


def page_of(page: Page, files: dict[str, bytes], places: set[str]) -> tuple[bytes, list[str]]:
    """A page as XHTML, and what a reading system has to know of it; its pictures join the files.

    Args:
        page: as it is printed.
        files: of the book so far.
        places: all that a link can lead to.
    """
    import html5lib

    article = page.article
    for link in article.select("a[href^='#']"):
        place = str(link["href"])[1:]
        file = f"{place.split('--')[0]}.xhtml"
        link["href"] = f"{file}#{place}" if place in places else file
    for image in article.select("img[src]"):
        source = str(image["src"])
        if source.startswith("file:"):
            path = Path(unquote(urlsplit(source).path))
            name = re.sub(r"[^\w.-]", "", path.stem)[:24] + path.suffix
            files[name] = path.read_bytes()
            image["src"] = name
    tree = html5lib.parse(
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>{markup.escape(page.title)}</title>"
        f"<link rel='stylesheet' type='text/css' href='book.css'></head><body>"
        f"<article class='bd-article'>{article.decode_contents()}</article></body></html>",
        treebuilder="etree",
        namespaceHTMLElements=True,
    )
    for element in list(tree.iter()):
        tidy(element)
    ElementTree.register_namespace("", XHTML)
    ElementTree.register_namespace("svg", SPACES["svg"])
    ElementTree.register_namespace("m", MATH[1:-1])
    written = ElementTree.tostring(tree, encoding="unicode")
    tags = {element.tag for element in tree.iter()}
    properties = ["mathml"] if f"{MATH}math" in tags else []
    properties += ["svg"] if f"{{{SPACES['svg']}}}svg" in tags else []
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n{written}'
    return text.encode(), properties


def tidy(element: ElementTree.Element) -> None:
    """Writes an element as an ePub may have it, whose MathML is of version 3."""
    for name in list(element.attrib):
        if name in OLD or name.startswith(("data-", "on", "xmlns", XMLNS)):
            del element.attrib[name]
    if element.tag == f"{MATH}mtable":
        element.attrib.pop("scriptlevel", None)
    elif element.tag not in {f"{MATH}math", f"{MATH}mstyle"} and "displaystyle" in element.attrib:
        inner = ElementTree.Element(element.tag)
        inner.extend(list(element))
        for child in list(element):
            element.remove(child)
        element.append(inner)
        element.tag = f"{MATH}mstyle"
    elif element.tag in HOLDS_WORDS:
        for paragraph in element.findall(f"{{{XHTML}}}p"):
            paragraph.tag = f"{{{XHTML}}}span"


def style_of(sheets: Sequence[Path]) -> str:
    """One style sheet, which loads nothing."""
    text = "\n".join(sheet.read_text("utf-8") for sheet in sheets)
    text = re.sub(r"@font-face\s*\{[^}]*\}", "", text)
    own = (ROOT / "scripts" / "print.css").read_text("utf-8")
    return text + own[own.index(".bd-article img") if ".bd-article img" in own else len(own) :]


def contents_of(pages: Sequence[Page]) -> str:
    """The contents, which a reading system shows beside the text."""
    lines = "".join(
        f'<li><a href="{page.name}.xhtml">{markup.escape(page.title)}</a></li>' for page in pages
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html xmlns="{XHTML}" '
        f'xmlns:epub="{EPUB}" lang="en" xml:lang="en"><head><title>Contents</title></head>'
        f'<body><nav epub:type="toc"><h1>Contents</h1><ol>{lines}</ol></nav></body></html>'
    )


def package_of(pages: Sequence[Page], files: dict[str, bytes], marked: dict[str, list[str]]) -> str:
    """What is in the book, and in which order it is read."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    number = {name: f"f{index}" for index, name in enumerate(files)}
    items = "".join(
        f'<item id="{number[name]}" href="{name}" media-type="{TYPES[Path(name).suffix]}"'
        + (f' properties="{" ".join(marked[name])}"' if marked.get(name) else "")
        + "/>"
        for name in files
    )
    spine = "".join(f'<itemref idref="{number[f"{page.name}.xhtml"]}"/>' for page in pages)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, config["repository"]["url"])
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" '
        'version="3.0" unique-identifier="id" xml:lang="en">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier>'
        f"<dc:title>{markup.escape(config['title'])}</dc:title><dc:language>en</dc:language>"
        f"<dc:creator>{markup.escape(config['author'])}</dc:creator>"
        f'<meta property="dcterms:modified">{now}</meta></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )


if __name__ == "__main__":
    sys.exit(main())
