"""The book in another language: its catalogues, pages and scripts, and what must stay the same."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import JAVASCRIPT
from scripts import build_book, update_translations
from tests.course.test_book import BOOK, ROOT, load_extension
from tests.helpers.javascript import evaluated
from tests.helpers.small_books import begin_book, take_over

translation = load_extension("translation")
LOCALE = BOOK / "locale"
CATALOGUES = sorted(LOCALE.glob("*/LC_MESSAGES/**/*.po"))
OF_PAGES = [path for path in CATALOGUES if path.parent.name == "book"]
ROLE = re.compile(r"\{([a-z:]+)\}`(?:[^`<]*<)?([^`<>]+)>?`")
KEPT = {
    "formulas": re.compile(r"\$[^$]+\$"),
    "code": re.compile(r"`([^`]+)`"),
    "links": re.compile(r"\]\(([^)]*)\)"),
    "places": re.compile(r"\{(\w+)\}"),
}


def messages(path: Path) -> list[tuple[str, str]]:
    """What of a catalogue is translated, with its translation."""
    with path.open("rb") as file:
        return [
            (str(one.id), str(one.string))
            for one in read_po(file)
            if one.id and one.string and not one.fuzzy
        ]


def name_of(path: Path) -> str:
    return "/".join(path.relative_to(LOCALE).parts)


# --- what a translation must leave as it is -------------------------------------------------------


@pytest.mark.parametrize("path", CATALOGUES, ids=name_of)
def test_formulas_code_links_and_places_are_the_same_in_both_languages(path):
    for message, said in messages(path):
        both = message, said
        roles = [Counter(ROLE.findall(text)) for text in both]
        assert roles[0] == roles[1], f"roles of {message[:60]!r}"
        for kind, pattern in KEPT.items():
            found = [Counter(pattern.findall(ROLE.sub("", text))) for text in both]
            assert found[0] == found[1], f"{kind} of {message[:60]!r}"


@pytest.mark.parametrize("path", OF_PAGES, ids=name_of)
def test_a_page_that_was_begun_is_translated_to_its_end(path):
    with path.open("rb") as file:
        left = [str(one.id) for one in read_po(file) if one.id and not one.string]
    prose = [message for message in left if re.search(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}", message)]
    assert [message for message in prose if "\\" not in message] == []


# --- numbers in messages --------------------------------------------------------------------------


@settings(deadline=None)
@given(st.text(alphabet="ab .,0123456789", min_size=1))
def test_a_message_without_its_numbers_gets_them_back(text):
    message, numbers = translation.without_numbers(text)
    assert not re.search(r"(?<!\{)\d", re.sub(r"\{\d+\}", "", message))
    assert translation.with_numbers(message, numbers) == " ".join(text.split())


def test_another_order_keeps_each_number():
    message, numbers = translation.without_numbers("1,202 words in 30 pairs")
    assert message == "{1} words in {2} pairs"
    assert (
        translation.with_numbers("{2} paren met {1} woorden", numbers)
        == "30 paren met 1,202 woorden"
    )


# --- outputs --------------------------------------------------------------------------------------

OUTPUT = """
<div class="cell_output"><p>Seen 12 times</p><p lang="nl">Seen 12 times</p>
<button data-says="Seen 12 times"></button>
<pre>Seen 12 times</pre><img alt="Two words" src="x.svg"><math>Two words</math>
<span class="caption-text">Two words</span></div>
"""


def test_outputs_are_translated_but_not_their_code_formulas_and_other_languages():
    soup = BeautifulSoup(OUTPUT, "html.parser")
    known = {"Seen {1} times": "{1} keer gezien", "Two words": "Twee woorden"}
    assert translation.translate_output(soup.div, known)
    assert soup.p.get_text() == "12 keer gezien"
    assert soup.img["alt"] == "Twee woorden"
    assert soup.button["data-says"] == "12 keer gezien"
    assert [soup.find(lang="nl").get_text(), soup.pre.get_text()] == ["Seen 12 times"] * 2
    assert [soup.math.get_text(), soup.span.get_text()] == ["Two words"] * 2


def test_an_output_with_a_message_that_nobody_has_translated_is_not_done():
    soup = BeautifulSoup(OUTPUT, "html.parser")
    assert not translation.translate_output(soup.div, {"Two words": "Twee woorden"})
    assert soup.p.get_text() == "Seen 12 times"


# --- what is English ------------------------------------------------------------------------------

HALF_TRANSLATED = """
<section><h1 class="untranslated"><span class="section-number">4. </span>Attention<a
 class="headerlink">#</a></h1><p class="untranslated">No one has translated this.</p>
<div class="untranslated math"><math><mi>Q</mi></math></div><div class="untranslated"><div
 class="figure-box"><svg aria-label="Een rij stukjes."></svg></div></div>
<div class="cell_input"><pre>x</pre></div><div class="cell_output" data-translated="">
<noscript>No script.</noscript></div><p>Dit is Nederlands.</p>
<h2 class="untranslated">Where <math><mi>K</mi></math> is</h2></section>
"""


def test_what_nobody_has_translated_is_english_and_looks_like_the_rest():
    soup = BeautifulSoup(HALF_TRANSLATED, "html.parser")
    translation.mark_english(soup, {"Attention": "Attention", "This is Dutch.": "Dit is …"})
    marked = [element.get_text() for element in soup.select('[lang="en"]')]
    assert marked == ["No one has translated this.", "x", "No script.", "Where K is"]
    assert soup.select(".untranslated") == []


def test_a_page_without_a_catalogue_is_english_throughout():
    soup = BeautifulSoup("<section><p>Words.</p></section>", "html.parser")
    translation.mark_english(soup, {})
    assert soup.section["lang"] == "en"


AROUND = """<a class="skip-link" href="#x">Skip to main content</a>
<div class="bd-sidebar-primary"><nav class="bd-links" aria-label="Contents of the book"><ul>
<li><a href="05.html">Masks</a></li></ul></nav><p aria-label="Search">Search 20 pages</p></div>
<main><article><p>The text of the page.</p></article></main>
<footer class="bd-footer-content">Search 20 pages<span>© 2026</span></footer>"""


def test_what_stands_around_the_text_is_collected_without_text_and_names_of_pages(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(update_translations, "PAGES", tmp_path)
    for page in ("04_attention", "05_masks"):
        (tmp_path / f"{page}.html").write_text(AROUND, encoding="utf-8")
    said = update_translations.said_around(["04_attention", "05_masks"])
    assert said == ["Skip to main content", "Search", "Search {1} pages"]


def test_a_page_that_is_not_built_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(update_translations, "PAGES", tmp_path)
    with pytest.raises(MtcourseError, match=r"intro.html is missing: run make book first"):
        update_translations.said_around(["intro"])


# --- scripts --------------------------------------------------------------------------------------


def said(messages: dict[str, str], call: str):
    script = JAVASCRIPT / "messages.js"
    return evaluated(script, f"(globalThis.mtcourseMessages = messages, {call})", messages=messages)


def test_scripts_say_what_the_table_has_and_english_otherwise():
    table = {"{count} of {all}": "van {all} {count}"}
    call = 'phrase("{count} of {all}", { count: "3", all: "4" })'
    assert said(table, call) == "van 4 3"
    assert said({}, call) == "3 of 4"
    assert said({}, 'phrase("{unknown} stays")') == "{unknown} stays"
    assert said(table, 'phraseParts("{count} of {all}", { count: [1, 2], all: "4" })') == [
        "van ",
        "4",
        " ",
        1,
        2,
    ]


# --- a small book in two languages ----------------------------------------------------------------

PAGE = """\
# Weights

A weight $w$ is *learnt*. Nothing else is.

$$
w = 1
$$

```python
w = 1
```

Nobody has translated this.
"""
DUTCH = {
    "Begin": "Begin hier",
    "Part": "Deel",
    "Weights": "Gewichten",
    "A weight $w$ is *learnt*. Nothing else is.": "Een gewicht $w$ wordt *geleerd*. Verder niets.",
    "Words alone.": "Alleen woorden.",
}
CONTENTS = """\
format: jb-book
root: book/intro
parts:
  - caption: Part
    chapters:
      - file: book/04_attention
"""


def write_catalogue(path: Path, known: dict[str, str]) -> None:
    catalogue = Catalog(locale="nl")
    for message, translated in known.items():
        catalogue.add(message, translated)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue)


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of a small book in English and in Dutch, as ``make book`` builds them."""
    folder = tmp_path_factory.mktemp("book")
    begin_book(folder)
    take_over(folder / "_build" / "nl")
    for name in ("_config.yml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    (folder / "_toc.yml").write_text(CONTENTS, encoding="utf-8")
    (folder / "book" / "intro.md").write_text("# Begin\n\nWords alone.\n", encoding="utf-8")
    (folder / "book" / "04_attention.md").write_text(PAGE, encoding="utf-8")
    for page in ("intro", "04_attention"):
        write_catalogue(folder / f"book/locale/nl/LC_MESSAGES/book/{page}.po", DUTCH)
    outputs = {"Figure %s": "Figuur %s", "attention": "aandacht", "Whole models": "Hele modellen"}
    write_catalogue(folder / "book/locale/nl/LC_MESSAGES/outputs.po", outputs)
    around = {"Skip to main content": "Naar de tekst", "Search this book...": "Zoek hier"}
    write_catalogue(folder / "book/locale/nl/LC_MESSAGES/frame.po", around)
    write_catalogue(folder / "book/locale/nl/LC_MESSAGES/scripts.po", {"Show": "Toon </script>"})
    heard = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(heard):
        patch.chdir(folder)
        patch.setattr(build_book, "ROOT", folder)
        patch.setattr(build_book, "BUILD", folder / "_build")
        patch.setattr(build_book, "REPORTS", folder / "_build" / "html" / "reports")
        with contextlib.redirect_stdout(heard):
            assert build_book.main() == 0, heard.getvalue()
            assert build_book.main(language="nl") == 0, heard.getvalue()
    return {
        "en": folder / "_build/html/book",
        "nl": folder / "_build/nl/_build/html/book",
        "root": folder,
    }


def page_of(books: dict[str, Path], language: str, name: str = "04_attention") -> BeautifulSoup:
    return BeautifulSoup((books[language] / f"{name}.html").read_text("utf-8"), "html.parser")


@pytest.mark.slow
def test_a_translated_page_is_dutch_and_has_the_same_formulas_and_code(books):
    english, dutch = (page_of(books, language) for language in ("en", "nl"))
    assert [page.html["lang"] for page in (english, dutch)] == ["en", "nl"]
    assert "Gewichten" in dutch.select_one("article h1").get_text()
    assert "Een gewicht" in dutch.article.get_text()
    assert "A weight" not in dutch.article.get_text()
    for select in ("article math", "article pre"):
        found = [[str(one) for one in page.select(select)] for page in (english, dutch)]
        assert found[0] == found[1] != []


@pytest.mark.slow
@pytest.mark.parametrize("place", [".bd-sidebar-secondary", "article .whole-folded"])
def test_the_picture_of_the_model_is_translated_in_the_margin_and_below_the_title(books, place):
    for language, said in (("en", ["attention"]), ("nl", ["aandacht"])):
        parts = page_of(books, language).select(f"{place} .whole-model a[data-part=self-attention]")
        assert [next(iter(part.stripped_strings)) for part in parts] == said


@pytest.mark.slow
def test_what_stands_around_the_text_is_translated(books):
    for language, said in (
        ("en", ["Skip to main content", "Search this book..."]),
        ("nl", ["Naar de tekst", "Zoek hier"]),
    ):
        page = page_of(books, language)
        field = page.select_one("#pst-search-dialog input")
        assert [page.select_one(".skip-link").get_text(strip=True), field["placeholder"]] == said
        assert field["aria-label"] == said[1]


@pytest.mark.slow
def test_what_is_not_translated_says_that_it_is_english(books):
    dutch = page_of(books, "nl")
    (left,) = (one for one in dutch.select("article p") if "Nobody" in one.get_text())
    assert left["lang"] == "en"
    (done,) = (one for one in dutch.select("article p") if "gewicht" in one.get_text())
    assert not done.has_attr("lang")
    assert not page_of(books, "en").select("article p[lang]")


@pytest.mark.slow
def test_the_parts_of_the_book_are_translated_in_the_contents(books):
    captions = [page_of(books, one).select("nav.bd-links p.caption") for one in ("en", "nl")]
    assert [one[0].get_text(strip=True) for one in captions] == ["Part", "Deel"]


@pytest.mark.slow
def test_each_translated_paragraph_keeps_its_english_for_the_translator(books):
    kept = page_of(books, "nl", "intro").select("article p [data-english]")
    assert [one["data-english"] for one in kept] == ["Words alone."]
    # A sentence with a formula is nothing for it.
    assert not page_of(books, "nl").select("[data-english]")
    assert not page_of(books, "en", "intro").select("[data-english]")


@pytest.mark.slow
def test_scripts_get_their_messages_and_cannot_be_ended_by_them(books):
    text = (books["nl"] / "04_attention.html").read_text("utf-8")
    assert r'"Show": "Toon \u003c/script>"' in text
    assert "mtcourseMessages" not in (books["en"] / "04_attention.html").read_text("utf-8")


@pytest.mark.slow
def test_a_language_that_nobody_has_begun_is_named(books, monkeypatch):
    monkeypatch.setattr(build_book, "ROOT", books["root"])
    with pytest.raises(MtcourseError, match=r"no translation into 'fr'; it has nl\."):
        build_book.in_language(books["root"] / "_build", "fr")
