"""What the stock theme lacks to be valid and accessible.

Every page is mended after it is written: the theme emits some inline scripts twice, which is an
error in the browser, and leaves a few controls without a name that a screen reader could say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from bs4 import BeautifulSoup
from dutch import keep_words_in, say_language
from glossary_letters import offer_letters
from light_pages import LIGHTER, close_up_blocks, share_scripts, shorten_ids
from page_code import (
    drop_long_values,
    keep_drawings,
    keep_short_code,
    let_names_break,
    wrap_lines,
)
from page_search import ask_one_search, icon_searches, note_text
from page_tables import (
    align_numbers,
    give_columns_room,
    keep_names_in_sight,
    keep_short_columns,
    keep_together,
    tighten_wide_tables,
    widen_long_cells,
    write_minus_signs,
)
from previews import note_page, notes_file
from publishing import HEAD
from translation import frame_messages, translate_frame

WORTH_PROCESSES = 10
"""Pages from which on they are mended side by side: processes take seconds to start."""


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_js_file("contents.js", loading_method="defer")
    app.connect("build-finished", mend_pages)
    return {"version": "3", "parallel_read_safe": True, "parallel_write_safe": True}


def mend_pages(app, exception) -> None:
    """Mends every page of an HTML build that was written since it was last mended."""
    if exception is not None or app.builder.format != "html":
        return
    notes, outdir = Path(app.doctreedir), Path(app.outdir)
    list_of_mended = notes / "mended_pages.json"
    known = json.loads(list_of_mended.read_text("utf-8")) if list_of_mended.exists() else {}
    pages = [
        path.relative_to(outdir).as_posix()
        for path in outdir.rglob("*.html")
        if "_static" not in path.parts
    ]
    stale = [
        name
        for name in sorted(pages, key=lambda name: (outdir / name).stat().st_size, reverse=True)
        if known.get(name) != (outdir / name).stat().st_mtime_ns
        or not notes_file(notes, name).exists()
    ]
    mend_this = partial(mend_file, outdir, notes, frame_messages(app))
    if len(stale) < WORTH_PROCESSES:
        list(map(mend_this, stale))
    else:  # started anew: copies of this process would hold its locks, whose threads they lack
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
            list(processes.map(mend_this, stale))
    written = {name: (outdir / name).stat().st_mtime_ns for name in pages}
    list_of_mended.write_text(json.dumps(written), encoding="utf-8")


def mend_file(outdir: Path, notes: Path, said: Mapping[str, str], name: str) -> None:
    """Mends a page where it is, and notes what the cards of references need.

    Args:
        outdir: the book's folder.
        notes: the folder of Sphinx's notes.
        said: what stands around its text, in the book's language.
        name: the page's path in the book.
    """
    path = outdir / name
    keep_words_in(notes.parent)
    soup = mended(path.read_text(encoding="utf-8"))
    translate_frame(soup, said)
    note_page(notes, name, soup)
    note_text(notes, name, soup)
    page = share_scripts(close_up_blocks(shorten_ids(str(soup))), name, outdir)
    path.write_text(page, encoding="utf-8")


def mend(page: str) -> str:
    """A page without the theme's faults."""
    return str(mended(page))


def mended(page: str) -> BeautifulSoup:
    """A page without the theme's faults, with its elements."""
    # BeautifulSoup ends the line after the doctype itself.
    soup = BeautifulSoup(page.replace("<!DOCTYPE html>\n", "<!DOCTYPE html>", 1), "html.parser")
    for repair in REPAIRS:
        repair(soup)
    return soup


def drop_repeated_scripts(soup: BeautifulSoup) -> None:
    """An inline script that declares a constant must not run twice."""
    seen: set[str] = set()
    for script in soup.find_all("script", src=False):
        if str(script.get("type")).endswith("json"):
            continue  # data, which two explorers may have in common
        text = script.get_text()
        if text and text in seen:
            script.decompose()
        seen.add(text)


def drop_widget_state(soup: BeautifulSoup) -> None:
    """A page has no kernel: its explorers stand in it as HTML, not as the widgets of a notebook."""
    for script in soup.select('script[type="application/vnd.jupyter.widget-state+json"]'):
        script.decompose()


def name_the_sidebar(soup: BeautifulSoup) -> None:
    """The title above the contents belongs to a landmark."""
    for sidebar in soup.select("div.bd-sidebar-primary"):
        sidebar["role"] = "complementary"
        sidebar["aria-label"] = "Contents of the book"


def name_the_toggles(soup: BeautifulSoup) -> None:
    """The button that folds the pages below one is an icon."""
    for toggle in soup.select("nav summary"):
        link = toggle.find_parent("li").find("a") if toggle.find_parent("li") else None
        if link is not None and not toggle.get_text(strip=True):
            toggle["aria-label"] = f"Pages below {link.get_text(strip=True)}"


def name_what_is_seen(soup: BeautifulSoup) -> None:
    """The name of a control begins with what it shows, or nobody could ask for it by voice."""
    for summary in soup.select('summary[aria-label="Toggle hidden content"]'):
        del summary["aria-label"]
    for button in soup.select(".search-button-field[aria-label]"):
        del button["aria-label"]
    for icon in soup.select(".theme-switch-button .theme-switch[title]"):
        del icon["title"]


def open_search_at_once(soup: BeautifulSoup) -> None:
    """The button opens the search by itself: the theme's program waits until all is loaded."""
    if soup.select_one("form.bd-search:not(#pst-search-dialog form)"):
        return  # the theme leads to the search that stands on the page
    for button in soup.select("#pst-search-dialog ~ * .search-button__button"):
        button["command"] = "show-modal"
        button["commandfor"] = "pst-search-dialog"


def look_the_same_without_scripts(soup: BeautifulSoup) -> None:
    """A script chooses the colour mode, on which faces and colours depend: one is there before."""
    for page in soup.select("html:not([data-theme])"):
        page["data-theme"] = "light"


def stay_in_the_tab(soup: BeautifulSoup) -> None:
    """The theme opens what its menus lead to in a new tab, the book's own pages, too."""
    for link in soup.select(".dropdown-item[target=_blank]"):
        if "://" not in link["href"] and ".html" in link["href"]:
            del link["target"]


def mark_places_by_one_program(soup: BeautifulSoup) -> None:
    """Bootstrap marks no place in the contents while a section is longer than the window."""
    for body in soup.select("body[data-bs-spy]"):
        for name in ("data-bs-spy", "data-bs-target", "data-bs-root-margin", "data-offset"):
            del body[name]


def notes_are_notes(soup: BeautifulSoup) -> None:
    """What stands in the margin is a note, and no landmark; Sphinx gives it an empty title."""
    for note in soup.select("aside.margin"):
        note["role"] = "note"
        for title in note.select(".sidebar-title:empty"):
            title.decompose()


def tell_summaries_apart(soup: BeautifulSoup) -> None:
    """What can be unfolded has a name of its own on its page."""
    taken: dict[str, int] = {}
    for summary in soup.find_all("summary"):
        if summary.get("aria-label"):
            continue
        text = " ".join(summary.get_text().split())
        taken[text] = taken.get(text, 0) + 1
        if taken[text] > 1 and summary.select_one(".mt-unseen") is None:
            number = soup.new_tag("span", attrs={"class": "mt-unseen"})
            number.string = f" ({taken[text]})"
            summary.append(number)


def plain_bibliography(soup: BeautifulSoup) -> None:
    """The roles of docutils' citations are deprecated, and their list lacks list items."""
    for element in soup.select("[role=doc-biblioentry], .citation-list[role=list]"):
        del element["role"]


def plain_signatures(soup: BeautifulSoup) -> None:
    """The parameters of a long signature are a list of definitions without a term.

    What stands before them is put into an element, so that a long name goes on further in.
    """
    for parameters in soup.select("dt.sig dl"):
        start = soup.new_tag("span", attrs={"class": "sig-start"})
        for part in reversed([*parameters.previous_siblings]):
            start.append(part.extract())
        parameters.insert_before(start)
        parameters.name = "span"
        parameters["class"] = "sig-params"
        for parameter in parameters.find_all("dd"):
            parameter.name = "span"
            parameter["class"] = "sig-line"


def drop_shared_ids(soup: BeautifulSoup) -> None:
    """All exercises of a page have the same id on what they hold; nothing refers to it."""
    for content in soup.select("#exercise-content, #solution-content, #proof-content"):
        del content["id"]


def announce_failure(soup: BeautifulSoup) -> None:
    """That a page is incomplete is what a reader must hear first."""
    for notice in soup.select(".page-failed"):
        notice["role"] = "alert"


def addresses_are_no_places(soup: BeautifulSoup) -> None:
    """Bootstrap takes what stands behind # in a link for a selector, but not with this class.

    A link to an explorer's settings, as ``#explorer=multi_head&layer=1``, is none.
    """
    for link in soup.select('a[href*="#explorer="], a[href*="#translate="]'):
        link["class"] = [*dict.fromkeys([*link.get("class", []), "disabled"])]


REPAIRS = (
    addresses_are_no_places,
    drop_repeated_scripts,
    drop_widget_state,
    name_the_sidebar,
    name_the_toggles,
    name_what_is_seen,
    open_search_at_once,
    look_the_same_without_scripts,
    stay_in_the_tab,
    mark_places_by_one_program,
    notes_are_notes,
    tell_summaries_apart,
    plain_bibliography,
    plain_signatures,
    drop_shared_ids,
    announce_failure,
    wrap_lines,
    keep_drawings,
    drop_long_values,
    let_names_break,
    keep_short_code,
    write_minus_signs,
    align_numbers,
    tighten_wide_tables,
    widen_long_cells,
    give_columns_room,
    keep_names_in_sight,
    keep_short_columns,
    keep_together,
    offer_letters,
    say_language,
    icon_searches,
    ask_one_search,
    *HEAD,
    *LIGHTER,
)
