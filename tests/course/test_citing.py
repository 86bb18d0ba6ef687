"""How the book is cited: from CITATION.cff, read back by BibTeX's own reader."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes
from pybtex.database import parse_string

import mtcourse
from tests.course.test_book import ROOT, load_extension

citing = load_extension("citing")

OURS = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
YEAR = "2031"
PEOPLE = {
    **OURS,
    "title": "Masks & heads: 100 % of $d_k$",
    "authors": [
        {"given-names": "Ada", "family-names": "King"},
        {
            "given-names": "Jan",
            "name-particle": "de",
            "family-names": "Vries",
            "name-suffix": "Jr.",
        },
        {"name": "the mtcourse authors"},
    ],
}


def entry_of(reference: dict, address: str = ""):
    (entry,) = parse_string(citing.bibtex(reference, YEAR, address), "bibtex").entries.values()
    return entry


def text_of(reference: dict, address: str = "") -> str:
    return "".join(node.astext() for node in citing.reference_nodes(reference, YEAR, address))


def test_the_book_is_cited_with_its_version_and_without_an_address_that_it_lacks():
    entry = entry_of(OURS)
    assert entry.type == "software"
    assert entry.fields["version"] == mtcourse.__version__
    assert entry.fields["title"] == "{" + OURS["title"] + "}"
    assert entry.fields["year"] == YEAR
    assert "url" not in entry.fields
    (group,) = entry.persons["author"]
    assert group.last_names == ["{The mtcourse authors}"]
    said = text_of(OURS)
    assert said.startswith(f"The mtcourse authors ({YEAR}). ")
    assert f"(version {mtcourse.__version__})" in said
    assert "http" not in said


def test_people_and_signs_reach_bibtex_as_they_are():
    entry = entry_of(PEOPLE, "https://example.org/a_b")
    ada, jan, group = entry.persons["author"]
    assert (ada.first_names, ada.last_names) == (["Ada"], ["King"])
    assert (jan.first_names, jan.prelast_names, jan.last_names) == (["Jan"], ["de"], ["Vries"])
    assert jan.lineage_names == ["Jr."]
    assert group.last_names == ["{the mtcourse authors}"]
    assert entry.fields["title"] == r"{Masks \& heads: 100 \% of \$d\_k\$}"
    assert entry.fields["url"] == "https://example.org/a_b"
    said = text_of(PEOPLE, "https://example.org/a_b")
    assert said.startswith("Ada King, Jan de Vries Jr. and the mtcourse authors (")
    assert said.endswith(" https://example.org/a_b")


@pytest.mark.parametrize(
    ("released", "year"), [({"date-released": "2027-01-31"}, "2027"), ({}, "2026")]
)
def test_a_version_that_is_not_released_is_of_the_copyrights_year(released, year):
    assert citing.year_of(released, "2026, the authors") == year


@pytest.mark.parametrize(
    ("parts", "lead"),
    [
        ([nodes.Text("A page works: it opens.")], "A page works:"),
        ([nodes.Text("One sentence alone.")], "One sentence alone."),
        ([nodes.literal("", "a.b"), nodes.Text(" is new. Use it.")], "a.b is new."),
        ([nodes.Text("Version 1.5 of it; more")], "Version 1.5 of it;"),
        ([nodes.Text("x" * 200 + ". y")], ""),
    ],
)
def test_an_entry_begins_boldly_and_keeps_its_text(parts, lead):
    paragraph = nodes.paragraph("", "", *parts)
    before = paragraph.astext()
    citing.embolden(paragraph)
    assert paragraph.astext() == before
    assert "".join(bold.astext() for bold in paragraph.findall(nodes.strong)) == lead


@pytest.mark.parametrize("pages", [set(), {citing.PAGE}])
def test_each_page_ends_with_its_version(pages):
    titles = {citing.PAGE: nodes.title("", "Cite & change")}
    app = SimpleNamespace(env=SimpleNamespace(found_docs=pages, titles=titles))
    context = {"pathto": lambda page: f"../{page}.html"}
    citing.name_version(app, "book/x", "page.html", context, None)
    footer = context["theme_extra_footer"]
    assert f"mtcourse {mtcourse.__version__}" in footer
    assert ('href="../book/cite.html">Cite &amp; change<' in footer) == bool(pages)
