"""LaTeX to MathML, as the book does it: against MathML written by hand."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from math_core import LatexError

from tests.course.test_book import load_extension

formulas = load_extension("formulas")


def tags(mathml: str) -> list[str]:
    """The elements of a formula, in their order; they are well-formed XML."""
    return [element.tag for element in ET.fromstring(mathml).iter()]


def test_a_formula_in_a_sentence():
    assert formulas.to_mathml("d_k") == "<math><msub><mi>d</mi><mi>k</mi></msub></math>"


def test_a_formula_in_a_line_of_its_own():
    wanted = '<math display="block"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
    assert formulas.to_mathml(r"\frac12", display=True) == wanted


@pytest.mark.parametrize("latex", [r"a &= b \\ c &= d", "a &= b\n\nc &= d"])
def test_several_equations_stand_one_below_the_other(latex):
    assert tags(formulas.to_mathml(latex, display=True)).count("mtr") == 2


@pytest.mark.parametrize(
    "latex",
    [
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"M = \begin{cases} 0 & \text{if } k \le j \\ -\infty & \text{if } k > j \end{cases}",
        r"\begin{aligned} K &= \begin{bmatrix} a \\ b \end{bmatrix} \end{aligned}, \qquad c",
    ],
)
def test_rows_of_an_environment_are_its_own(latex):
    assert formulas.aligned(latex) == latex


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"a = b, \qquad c = d", ["a = b,", "c = d"]),
        (r"a \qquad\text{and}\qquad b", ["a", r"\text{and}", "b"]),
        (r"\{a\} = \bigl\{ b \bigr\}, \qquad c", [r"\{a\} = \bigl\{ b \bigr\},", "c"]),
        (r"\underbrace{a \qquad b}_{c} \qquad d", [r"\underbrace{a \qquad b}_{c}", "d"]),
        (r"\left( a \qquad b \right)", [r"\left( a \qquad b \right)"]),
        (r"\begin{aligned} a &= b \qquad c \end{aligned}", None),
        (r"a &= b \qquad c \\ d &= e", None),
        ("a = b", None),
    ],
)
def test_formulas_of_one_line_are_divided_where_they_stand_apart(latex, parts):
    assert formulas.side_by_side(latex) == (parts or [latex])


def test_a_small_matrix_is_set_in_script_size():
    latex = r"W = \bigl(\begin{smallmatrix} 1 & -1 \\ -1 & 1 \end{smallmatrix}\bigr)"
    table = ET.fromstring(formulas.to_mathml(latex)).find(".//mtable")
    assert table is not None
    assert table.get("class") == "small"
    assert table.get("scriptlevel") == "1"


def test_a_root_of_a_letter_that_is_not_tall_is_marked():
    classes = [
        ET.fromstring(formulas.to_mathml(latex)).find("msqrt").get("class")
        for latex in (r"\sqrt\epsilon", r"\sqrt n", r"\sqrt d", r"\sqrt{n + 1}", r"\sqrt{d_k}")
    ]
    assert classes == ["low", "low", None, None, None]


def test_a_prime_stands_beside_its_letter_and_not_above_it():
    for latex in ("X'", r"\bar X'"):
        formula = ET.fromstring(formulas.to_mathml(latex))
        assert formula.find("msup") is None
        assert formula.find("mrow")[-1].text == "\N{PRIME}"


def test_an_exponent_stands_as_high_beside_an_accent_as_without_it():
    for latex in (r"\hat Y^\top", r"\bar W_2^D"):
        formula = ET.fromstring(formulas.to_mathml(latex))
        assert formula[0][0].tag == "mpadded"
        assert formula[0][0][0].tag == "mover"
    assert "mpadded" not in formulas.to_mathml(r"\hat y_k + Y^\top")


def test_a_large_bracket_with_an_index_is_as_large_as_its_partner():
    row = ET.fromstring(formulas.to_mathml(r"\bigl(a\bigr)_{j,k}"))
    first, _, last, index = row[0] if row[0].tag == "mrow" else row
    assert [first.text, last.text] == ["(", ")"]
    assert first.get("minsize") == last.get("minsize") is not None
    assert [part.tag for part in index] == ["mrow", "mrow"]
    assert len(index[0]) == 0


def test_in_xml_a_formula_says_what_it_is():
    root = ET.fromstring(formulas.to_mathml(r"\operatorname{softmax}(x)", namespace=True))
    assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"


def test_an_unknown_command_is_an_error():
    with pytest.raises(LatexError):
        formulas.to_mathml(r"\nosuchcommand{x}")
