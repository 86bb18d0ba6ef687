"""What a reference leads to is collected from the pages, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from tests.course.test_book import load_extension

previews = load_extension("previews")

CHAPTER = """<nav><a class="internal" href="03_positions.html">Positions</a></nav>
<article><section id="masks"><h1>5. Masks<a class="headerlink" href="#masks">#</a></h1>
<div class="admonition"><p class="admonition-title">In this chapter you read about these things</p>
<p><strong>You will be able to</strong> build the mask of a padded batch.</p></div>
<details><summary>Where</summary><p>A text that is folded away, long as it may be.</p></details>
<p>See <a class="reference internal" href="#eq-a">(5.1)</a>,
<a class="reference internal" href="#fig-a">Figure 5.1</a>,
<a class="reference internal" href="glossary.html#term-mask">mask</a>,
<a class="reference internal" href="glossary.html#term-a%20b">both</a>,
<a class="reference internal" href="../book/refs.html#id1">2017</a>,
<a class="reference internal" href="api.html#m.f">f()</a>,
<a class="reference internal" href="api.html#lost">lost</a>,
<a class="reference internal" href="../genindex.html">the index</a>,
<a class="reference internal download" href="../_downloads/x.ipynb">notebook</a> and
<a class="reference external" href="https://example.org/#term-mask">elsewhere</a>.</p>
<div class="math" id="eq-a"><span class="eqno">(5.1)<a class="headerlink" href="#eq-a">#</a></span>
<div class="equation"><math><mi>x</mi></math></div></div>
<figure id="fig-a"><svg><defs><path id="f1-a"></path></defs><use href="#f1-a"></use></svg>
<figcaption id="id7">
<p>Figure 5.1 A caption.<a class="headerlink" href="#fig-a">#</a></p></figcaption>
</figure>
<section id="later"><span id="also-later"></span><h2>Later</h2>
<aside class="margin sidebar"><p>A note in the margin, which comes before the text.</p></aside>
<p>Short.</p>
<p>This is what the section says in its first sentence.</p><p>This is what it says then.</p>
</section></section></article>"""
GLOSSARY = """<article><section id="glossary"><h1>Glossary</h1><dl class="glossary">
<dt id="term-mask">mask<a class="headerlink" href="#term-mask">#</a></dt>
<dd><p>A matrix.</p><p>Second.</p><p>Third.</p></dd>
<dt id="term-a b">a b</dt><dt id="term-c">c</dt><dd><p>The same.</p></dd></dl>
</section></article>"""
REFS = """<article><div class="citation" id="id1"><span class="label">[VSP+17]</span>
<p>Ashish Vaswani. <a href="https://example.org">https://example.org</a></p></div></article>"""
API = """<article><dl><dt class="sig" id="m.f"><span>m.</span><span>f</span>(<span><span>
<em>x: int</em>,</span>
<span><em>y: int = 1</em>,</span></span>) → int<a class="headerlink"
href="#m.f">#</a></dt><dd><p>What it returns.</p><p>More.</p></dd></dl></article>"""
OTHER = """<article><p><a class="reference internal" href="05_masks.html#fig-a">Figure 5.1</a>
<a class="reference internal" href="05_masks.html#also-later">later</a>
<a class="reference internal" href="05_masks.html">Masks</a></p></article>"""
PAGES = {"05_masks": CHAPTER, "glossary": GLOSSARY, "refs": REFS, "api": API}


def notes(name: str, page: str):
    return previews.notes_of(f"book/{name}.html", BeautifulSoup(page, "html.parser"))


def asked(**more: str) -> dict[str, dict[str, str | None]]:
    return previews.asked_for(
        {f"book/{name}.html": notes(name, page) for name, page in sorted((PAGES | more).items())}
    )


def text(card: str | None) -> str:
    assert card is not None
    return " ".join(BeautifulSoup(card, "html.parser").get_text(" ").split())


def test_references_are_those_within_the_book_that_stand_in_the_article():
    assert notes("05_masks", CHAPTER).links == [
        ("book/05_masks.html", "eq-a"),
        ("book/05_masks.html", "fig-a"),
        ("book/api.html", "lost"),
        ("book/api.html", "m.f"),
        ("book/glossary.html", "term-a b"),
        ("book/glossary.html", "term-mask"),
        ("book/refs.html", "id1"),
        ("genindex.html", ""),
    ]


@pytest.mark.parametrize(
    ("page", "place", "said"),
    [
        ("05_masks", "eq-a", "(5.1) x"),
        ("glossary", "term-mask", "mask A matrix. Second."),
        ("glossary", "term-a b", "a b The same."),
        ("refs", "id1", "Ashish Vaswani. https://example.org"),
        ("api", "m.f", "m.f(x: int, y: int = 1) → int What it returns."),
    ],
)
def test_a_card_holds_what_the_reference_leads_to(page, place, said):
    assert text(asked()[f"book/{page}.html"][place]) == said


def test_a_section_shows_its_heading_and_its_first_sentence():
    cards = asked(other=OTHER)["book/05_masks.html"]
    assert text(cards["also-later"]) == "Later " + (
        "This is what the section says in its first sentence."
    )
    assert text(cards[""]) == "5. Masks " + (
        "You will be able to build the mask of a padded batch."
    )


def test_only_what_is_referred_to_is_kept_and_every_page_that_is_has_a_file():
    cards = asked()
    assert set(cards["book/glossary.html"]) == {"term-mask", "term-a b"}
    assert set(cards["book/api.html"]) == {"m.f"}
    assert cards["genindex.html"] == {}


def test_a_figure_comes_along_only_if_another_page_refers_to_it():
    assert asked()["book/05_masks.html"]["fig-a"] is None
    for pages in (asked(other=OTHER), asked(**{"00_before": OTHER})):
        assert text(pages["book/05_masks.html"]["fig-a"]) == "Figure 5.1 A caption."


def test_only_drawings_keep_their_ids():
    figure = asked(other=OTHER)["book/05_masks.html"]["fig-a"]
    assert figure is not None
    kept = [tag["id"] for tag in BeautifulSoup(figure, "html.parser").find_all(id=True)]
    assert kept == ["f1-a"]


def app_of(folder: Path) -> SimpleNamespace:
    builder = SimpleNamespace(format="html")
    return SimpleNamespace(builder=builder, outdir=folder / "html", doctreedir=folder / "notes")


def test_pages_that_are_gone_leave_no_file_and_others_are_scripts(tmp_path):
    app = app_of(tmp_path)
    for name, page in {**PAGES, "other": OTHER}.items():
        path = app.outdir / "book" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
        soup = BeautifulSoup(page, "html.parser")
        previews.note_page(app.doctreedir, f"book/{name}.html", soup)
    previews.write_previews(app, None)
    written = app.outdir / "_static" / "previews"
    script = (written / "book" / "glossary.js").read_text("utf-8")
    call = script.removeprefix("mtcoursePreviews(").removesuffix(");\n")
    page, cards = json.loads(f"[{call}]")
    assert page == "book/glossary.html"
    assert text(cards["term-mask"]).startswith("mask A matrix.")
    assert (written / "genindex.js").exists()

    (app.outdir / "book" / "05_masks.html").unlink()
    previews.write_previews(app, None)
    assert [path.name for path in written.rglob("*.js")] == ["05_masks.js"]  # other refers to it
