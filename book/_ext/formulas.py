r"""Formulas become MathML while the book is built: a page needs no program to show them.

All browsers draw MathML themselves, with a mathematical face that the book brings with it. No
program is downloaded to set formulas, they do not move the page when they are ready, they are there
without JavaScript, on paper and in an ePub, and a screen reader finds them as formulas.

``math-core`` makes MathML of LaTeX. What it does not know ends the build with the page and the
line.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from functools import cache
from importlib.metadata import version
from pathlib import Path

from docutils import nodes
from math_core import LatexError, LatexToMathML
from page_fonts import FOLDER, PACKAGE, Face, cut_down, font_folder
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

SOURCE = "stixtwomath/STIXTwoMath-Regular.ttf"
FILE = "formulas.woff2"
RANGES = (
    *[(0x20, 0x7E), (0xA0, 0xB7), (0xD7, 0xD7), (0xF7, 0xF7), (0x2C6, 0x2DD), (0x300, 0x30C)],
    *[
        (0x391, 0x3C9),
        (0x3D1, 0x3D6),
        (0x3F0, 0x3F5),
        (0x2009, 0x200A),
        (0x2013, 0x2026),
        (0x2032, 0x2037),
    ],
    *[(0x2061, 0x2064), (0x2102, 0x2135), (0x2190, 0x2199), (0x21A6, 0x21A6), (0x21D0, 0x21D5)],
    *[(0x2200, 0x221E), (0x2223, 0x222B), (0x2234, 0x223C), (0x2243, 0x2250), (0x2260, 0x226B)],
    *[(0x2282, 0x228B), (0x2295, 0x2299), (0x22A4, 0x22A5), (0x22C0, 0x22C5), (0x22EE, 0x22F1)],
    *[(0x2308, 0x230B), (0x239B, 0x23B1), (0x23DE, 0x23DF), (0x27E8, 0x27EB), (0x27F5, 0x27FC)],
    *[(0xFE00, 0xFE01), (0x1D400, 0x1D467), (0x1D49C, 0x1D4B5), (0x1D538, 0x1D551)],
    *[(0x1D6A4, 0x1D6A5), (0x1D6E2, 0x1D71B), (0x1D7CE, 0x1D7D7)],
)
SIGNS = frozenset(sign for first, last in RANGES for sign in range(first, last + 1))
"""Letters, Greek, operators, arrows, brackets and accents: what formulas are made of."""
ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}(?:(?!\\begin\{).)*?\\end\{\1\}", re.DOTALL)
LOW_ROOT = re.compile(r"<msqrt>(?=<mi>[acegm-suvwxyzαγεϵηικμνπρσςτυχω]</mi></msqrt>)")
"""How a root begins under which stands nothing but a letter that is not tall."""
PRIMED = re.compile(
    r"<msup>(<mi[^>]*>[^<]*</mi>|<mover[^>]*>(?:(?!</mover>).)*</mover>)<mo>(\u2032+)</mo></msup>"
)
"""A letter with a prime, a sign that is high already: as an exponent it would float above."""
RAISED = re.compile(r'<(msup|msubsup)>(<mover accent="true">(?:(?!</mover>|<mover).)*</mover>)')
"""An exponent of a letter with an accent, above which it would float."""
BRACKET = re.compile(r"<(msub|msup|msubsup)>(<mo [^>]*minsize=[^>]*>[^<]*</mo>)")
"""A large bracket with an index, with which browsers draw it small."""
SMALL = '<mrow displaystyle="false" scriptlevel="1"><mtable displaystyle="false" scriptlevel="'
"""How a table begins that small_matrices has made."""


def setup(app) -> dict:
    """Sphinx calls this."""
    app.setup_extension("sphinx.ext.mathjax")  # which would be the renderer otherwise
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_equation, None))
    app.add_css_file("formulas.css")
    app.add_js_file("formulas.js", loading_method="defer")
    app.connect("build-finished", write_font)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}


# --- LaTeX to MathML ---------------------------------------------------------------------------


@cache
def converter(namespace: bool) -> LatexToMathML:
    """What does the work."""
    return LatexToMathML(fancy_error=False, xml_namespace=namespace)


@cache
def to_mathml(latex: str, display: bool = False, namespace: bool = False) -> str:
    """A formula as MathML.

    Args:
        latex: without what marks it as a formula.
        display: whether it stands in a line of its own.
        namespace: whether the page is XML, as in an ePub.

    Raises:
        LatexError: the formula has something that ``math-core`` does not know.
    """
    latex = small_matrices(latex)
    if display:
        latex = aligned(latex)
    mathml = converter(namespace).convert_with_local_state(latex, displaystyle=display)
    mathml = mathml.replace(f'{SMALL}0"', f'{SMALL}1" class="small"')
    mathml = LOW_ROOT.sub('<msqrt class="low">', mathml)
    mathml = PRIMED.sub(r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>', mathml)
    mathml = RAISED.sub(r'<\1><mpadded height=".68em">\2</mpadded>', mathml)
    mathml = BRACKET.sub(r"\2<\1><mrow></mrow>", mathml)
    # The one entity that it writes is unknown in XML.
    return mathml.replace("&ApplyFunction;", "\u2061")


def small_matrices(latex: str) -> str:
    """A matrix that fits into a line of text is an ordinary one in script size."""
    latex = latex.replace(r"\begin{smallmatrix}", r"{\scriptstyle\begin{matrix}")
    return latex.replace(r"\end{smallmatrix}", r"\end{matrix}}")


def aligned(latex: str) -> str:
    r"""Several equations stand one below the other, as Sphinx has it.

    An empty line, or ``\\`` outside of every environment, begins a new one.
    """
    parts = [part for part in re.split(r"\n\s*\n", latex) if part.strip()]
    together = r"\\".join(parts)
    bare = together
    while bare != (bare := ENVIRONMENT.sub("", bare)):
        pass
    if r"\\" not in bare:
        return together
    return rf"\begin{{aligned}}{together}\end{{aligned}}"


def side_by_side(latex: str) -> list[str]:
    r"""The formulas of a line, where ``\qquad`` stands between them: a narrow page breaks it there.

    Args:
        latex: a formula that stands in a line of its own.
    """
    if aligned(latex) != latex:
        return [latex]
    parts, depth = [""], 0
    for token in re.split(r"(\\[{}]|\\begin\b|\\end\b|\\left\b|\\right\b|\\qquad\b|[{}])", latex):
        depth += {"{": 1, "\\begin": 1, "\\left": 1, "}": -1, "\\end": -1, "\\right": -1}.get(
            token, 0
        )
        if token == r"\qquad" and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return [part.strip() for part in parts if part.strip()]


# --- in a page ---------------------------------------------------------------------------------


def mathml_of(translator, node: nodes.Element, display: bool) -> str:
    """A node's formula; one that cannot be set is a warning, and stays as it was written."""
    latex = node.astext()
    try:
        xml = "epub" in translator.builder.name
        parts = side_by_side(latex) if display else [latex]
        return "".join(to_mathml(part, display, namespace=xml) for part in parts)
    except LatexError as error:
        logging.getLogger(__name__).warning(
            "the formula %s cannot be set: %s", latex, error, location=node
        )
        return translator.encode(latex)


def visit_formula(self, node: nodes.math) -> None:
    """Writes a formula that stands in a sentence."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(f"{mathml_of(self, node, display=False)}</span>")
    raise nodes.SkipNode


def visit_equation(self, node: nodes.math_block) -> None:
    """Writes a formula that stands in a line of its own, and its number."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f'<div class="equation">{mathml_of(self, node, display=True)}</div></div>\n')
    raise nodes.SkipNode


# --- their face --------------------------------------------------------------------------------


def write_font(app, exception) -> None:
    """Writes the face of formulas beside the book's other faces, once for each version."""
    source = font_folder()
    if exception is not None or app.builder.format != "html" or source is None:
        return
    face = Face("MT Math", SOURCE, {}, SIGNS)
    mark = hashlib.sha256(f"{face}{version(PACKAGE)}".encode()).hexdigest()[:16]
    kept = Path(app.doctreedir).parent / ".fonts" / f"formulas-{mark}.woff2"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        being_made = kept.with_suffix(".new")
        cut_down(source / SOURCE, face, being_made)
        being_made.replace(kept)
    target = Path(app.outdir, "_static", FOLDER, FILE)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(kept, target)
