"""Says what a reader's browser shows of the built book, over all of its pages.

python scripts/inspect_pages.py [FOLDER]

Every page is opened in Chromium, in the widths of a phone, a laptop and a desk. The table has the
least, the median and the most. What pages weigh, weigh_pages.py says.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book" / "_ext"))
from site_links import Site

from tests.helpers.browsing import FLAGS, HTML, LINES, LOOKED_AT, served, violations, visit

PHONE, LAPTOP, DESK = 390, 1280, 1440
WIDTHS = (320, 360, PHONE, 768, LAPTOP, DESK)
SETTLED = 500  # ms after the width has changed

IN_ANY_WIDTH = r"""() => {
  const shown = (node) => node.checkVisibility();
  const article = document.querySelector(".bd-article") ?? document.body;
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  const stops = [...document.querySelectorAll("*")]
    .filter((one) => one.tabIndex >= 0 && shown(one));
  return {
    "tab stops": stops.length,
    "tab stops that are formulas": stops.filter((one) => one.closest("math, .math")).length,
    "outputs that are print-outs":
      [...article.querySelectorAll(".cell_output pre")].filter(shown).length,
    "ids that occur twice": ids.length - new Set(ids).size,
    "images without an alternative": document.querySelectorAll("img:not([alt])").length,
    "formulas": article.querySelectorAll("math").length,
    "formulas left as TeX": [...article.querySelectorAll(".math")]
      .filter((one) => /\\[a-zA-Z(\[]/.test(one.innerText)).length,
  };
}"""


def measured(browser: Browser, address: str, name: str) -> dict[str, float]:
    """What there is to count on one page.

    Args:
        browser: Chromium.
        address: of the book.
        name: the page's path in the book.
    """
    opened = visit(browser, address, name, "light")
    page = opened.page
    found: dict[str, float] = {
        "errors": len(opened.errors),
        "requests outside": len(opened.foreign),
    }
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    found |= page.evaluate(IN_ANY_WIDTH)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(SETTLED)
        over = page.evaluate("document.documentElement.scrollWidth") - width
        found[f"pixels that the page scrolls sideways at {width}"] = max(0, over)
        if width in (PHONE, LAPTOP, DESK):
            seen, lines = page.evaluate(LOOKED_AT), page.evaluate(LINES)
            found[f"code boxes at {width}"] = seen["boxes"]
            found[f"code boxes cut off at {width}"] = len(seen["cut"])
            found[f"words broken in tables at {width}"] = len(seen["words"])
            if lines:
                found[f"characters a line at {width}"] = statistics.median(lines)
    page.context.close()
    return found


def axe(browser: Browser, address: str, name: str) -> Counter[str]:
    """How many elements of a page break each rule, in both schemes, on a phone and a desk."""
    broken: Counter[str] = Counter()
    for scheme in ("light", "dark"):
        page = visit(browser, address, name, scheme).page
        for width in (PHONE, DESK):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(SETTLED)
            found = violations(page)
            broken.update(line.partition(":")[0] for line in found)
            for line in found:
                print(f"{name}, {scheme}, {width}: {line}", file=sys.stderr)
        page.context.close()
    return broken


def table(rows: Iterable[tuple[str, list[float]]]) -> str:
    """The least, the median and the most of each row."""
    lines = ["| of a page | least | median | most | all pages |", "|---|---:|---:|---:|---:|"]
    for name, of in rows:
        numbers = (min(of), statistics.median(of), max(of), sum(of))
        lines.append(f"| {name} | " + " | ".join(f"{number:,.0f}" for number in numbers) + " |")
    return "\n".join(lines)


def main(folder: Path) -> None:
    """Prints the tables."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None or not (folder / "index.html").exists():
        sys.exit("this needs Chromium and the built book: make book")
    site = Site(folder)
    names = [
        name for name in site.pages if "_static" not in name and not name.startswith("_modules")
    ]
    # These lead on to other pages.
    names = [name for name in names if name != "index.html" and not name.startswith("explore/")]
    found: dict[str, list[float]] = {}
    broken: Counter[str] = Counter()
    with sync_playwright() as playwright, served(folder) as address:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name in names:
            of_page = measured(browser, address, name)
            for what, number in of_page.items():
                found.setdefault(what, []).append(number)
            broken.update(axe(browser, address, name))
            print(f"looked at {name}", file=sys.stderr, flush=True)
        version = browser.version
        browser.close()
    references = sum(len(of) for of in site.references.values())
    print(f"Chromium {version}, {len(names)} pages.\n\n{table(found.items())}\n")
    print(f"- axe, light and dark, {PHONE} and {DESK} pixels: {dict(broken) or 'nothing'}")
    print(f"- {references:,} references, {len(site.faults())} of them wrong")


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("folder", nargs="?", type=Path, default=HTML, help="the built book")
    main(given.parse_args().folder.resolve())
