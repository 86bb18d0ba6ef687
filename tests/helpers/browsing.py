"""The built book in a real browser: what the tests of pages and of explorers share."""

from __future__ import annotations

import contextlib
import functools
import http.server
import importlib.util
import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
COURSE_STYLES = sorted((ROOT / "book" / "_static").glob("*.css"))
NOT_BUILT = "the book is not built: run make book"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ALONE = "<!doctype html><html lang='en'><meta charset='utf-8'><title>x</title>"
SCREEN = {"width": 1400, "height": 900}
QUIET_WITHIN = 10_000  # ms
ALL_LAID_OUT = "pre { content-visibility: visible !important }"
"""Code that is far from the window waits to be laid out: with this rule it does not."""
LOOKED_AT = r"""() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("ALL_LAID_OUT");
  document.adoptedStyleSheets = [sheet];
  const shown = (node) => node.offsetParent !== null;
  const words = [];
  for (const cell of document.querySelectorAll(".bd-article :is(td, th)")) {
    if (!shown(cell)) continue;
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
      if (text.parentElement.closest("mjx-container, .explorer-unseen")) continue;
      for (const word of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const lines = [...range.getClientRects()].filter((box) => box.width > 0);
        if (new Set(lines.map((box) => Math.round(box.top))).size > 1) words.push(word[0]);
      }
    }
  }
  const boxes = [...document.querySelectorAll(".bd-article pre")].filter(shown);
  return {
    cut: boxes.filter((box) => box.scrollWidth > box.clientWidth + 1)
      .filter((box) => !(box.matches(".drawn") && getComputedStyle(box).overflowX === "auto"))
      .map((box) => box.textContent.slice(0, 60)),
    boxes: boxes.length,
    words,
  };
}""".replace("ALL_LAID_OUT", ALL_LAID_OUT)
"""What is cut off on a page: boxes of code, and words in tables that are broken over two lines.

A box with printed columns scrolls, and cuts nothing off: axe sees that the keyboard reaches it.
"""
LINES = r"""() => [...document.querySelectorAll(".bd-article section > p")]
  .filter((p) => p.offsetParent && p.textContent.length > 300)
  .filter((p) => !p.querySelector("mjx-container, svg"))
  .map((p) => {
    const range = document.createRange();
    range.selectNodeContents(p);
    const height = range.getBoundingClientRect().height;
    return p.textContent.length / Math.round(height / parseFloat(getComputedStyle(p).lineHeight));
  })"""
"""Of each long paragraph, how many characters stand on a line."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word on standard error."""

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # a browser goes on to another page
            super().handle()

    def log_message(self, *_: object) -> None:
        return


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder on a loopback address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The built book on a loopback address."""
    if not (HTML / "index.html").exists():
        pytest.skip(NOT_BUILT)
    with served(HTML) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """Chromium as the system has it; the one without a window, which takes less, where it is."""
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.skip("Chromium is not installed: on Debian, apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@dataclass
class Visit:
    """One page opened in one way, and what went wrong meanwhile."""

    page: Any
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


def wait_until_quiet(page) -> None:
    """Waits, once a page is loaded, until it asks for nothing more, for half a second.

    On a slow machine this was once not reported within 30 seconds, and why is not known. So it is
    not waited for without end: what a test needs to be there, the test asks for.
    """
    from playwright.sync_api import TimeoutError as TooLate

    with contextlib.suppress(TooLate):
        page.wait_for_load_state("networkidle", timeout=QUIET_WITHIN)


def visit(browser, site: str, path: str, scheme: str) -> Visit:
    """Opens a page in one colour scheme, and waits until it is read and its faces are there.

    On a slow machine the line can be idle while the page is still being read.
    """
    context = browser.new_context(viewport=SCREEN, color_scheme=scheme)
    # The theme keeps the reader's choice of scheme there.
    context.add_init_script(f"localStorage.setItem('mode', '{scheme}')")
    opened = Visit(context.new_page())
    opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.page.on(
        "console",
        lambda message: opened.errors.append(message.text) if message.type == "error" else None,
    )
    opened.page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((site, "data:", "blob:"))
            else opened.foreign.append(request.url)
        ),
    )
    opened.page.goto(site + path)
    wait_until_quiet(opened.page)
    opened.page.evaluate("document.fonts.ready.then(() => true)")
    return opened


def themed(content: str) -> str:
    """A page of the book that holds only this: the theme, and the course's styles."""
    theme = packaged("pydata_sphinx_theme", "theme/pydata_sphinx_theme/static/styles")
    book_theme = packaged("sphinx_book_theme", "theme/sphinx_book_theme/static/styles")
    sheets = [theme / "theme.css", theme / "pydata-sphinx-theme.css"]
    sheets += [book_theme / "sphinx-book-theme.css", *COURSE_STYLES]
    links = "".join(f'<link rel="stylesheet" href="{sheet.as_uri()}">' for sheet in sheets)
    formulas = ROOT / "book" / "_static" / "formulas.js"
    choose = (
        "<script>document.documentElement.dataset.theme = localStorage.getItem('mode')</script>"
    )
    return (
        f'{ALONE}<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'{links}{choose}<script defer src="{formulas.as_uri()}"></script><main class="bd-main">'
        '<div class="bd-content"><div class="bd-article-container"><article class="bd-article">'
        f"<h1>x</h1>{content}</article></div></div></main></html>"
    )


def packaged(package: str, path: str) -> Path:
    """What a package brings beside its code."""
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / path


@contextlib.contextmanager
def visited_explorers(
    browser, request: pytest.FixtureRequest, place: str, html: str, scheme: str = "light"
) -> Iterator[Visit]:
    """Opens a file that holds nothing but explorers, or the page of the book that has them.

    At the end nothing must have gone wrong, and nobody been asked for anything else.

    Args:
        browser: the fixture.
        request: of the fixture that this stands in.
        place: "file", or the page.
        html: the explorers.
        scheme: "light" or "dark".
    """
    if place == "file":
        file = request.getfixturevalue("tmp_path") / "page.html"
        file.write_text(f"{ALONE}<main><h1>x</h1>{html}</main></html>", encoding="utf-8")
        visited = visit(browser, "", file.as_uri(), scheme)
        visited.foreign[:] = [url for url in visited.foreign if url != file.as_uri()]
    else:
        if not (HTML / place).exists():
            pytest.skip(f"{place} is not built: run make book")
        visited = visit(browser, request.getfixturevalue("site"), place, scheme)
    yield visited
    assert visited.errors == []
    assert visited.foreign == []
    visited.page.context.close()


def violations(page, within: str = "html", without: Sequence[str] = ()) -> list[str]:
    """What axe-core finds wrong, a line each.

    It is the one of the Python package, or the newer one whose file AXE_CORE names.

    Args:
        page: the opened page.
        within: a selector of what is looked at.
        without: rules that are not tried.
    """
    import axe_playwright_python

    package = Path(axe_playwright_python.__file__).parent / "axe.min.js"
    axe = Path(os.environ.get("AXE_CORE", package))
    page.evaluate(axe.read_text(encoding="utf-8"))
    # All rules are tried on all elements; only the thousands that are well are not described. Two
    # belong to WCAG 2.2, level AA, and are still not among those that axe tries by itself. It does
    # not fetch style sheets, which no rule here needs: a page that is opened from a disk may not.
    rules = {rule: {"enabled": True} for rule in ("target-size", "label-content-name-mismatch")}
    rules |= {rule: {"enabled": False} for rule in without}
    found = page.evaluate(
        "([within, rules]) => axe.run(within, {preload: false, resultTypes: ['violations'], rules})"
        ".then(results => results.violations)",
        [within, rules],
    )
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    ]
