"""The faces of the book, which every page brings with it.

Source Serif for text, Inter for controls, tables and captions, JetBrains Mono for code, and a few
signs from STIX Two: all under the SIL Open Font License, from the package
``justmytype-western-core``. What the book does not use is left out of them. Without that package
the book is set in the reader's own faces.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from logging import WARNING, getLogger
from pathlib import Path

from sphinx.util import logging

PACKAGE = "justmytype_western_core"
FOLDER = "fonts"
STYLE_SHEET = f"{FOLDER}/fonts.css"
TEXT_SIZE = 14
"""The optical size, in points: one is enough, and a second would double the file."""
WEIGHTS = 400, 700
LATIN = {*range(0x20, 0x7F), *range(0xA0, 0x180)}
MARKS = frozenset(map(ord, "–—‘’“”„…•−×·→←↑↓⇒≤≥≠≈∞√∂∑∏½¼¾€\u0302\u0303\u0304"))
RAISED = frozenset(map(ord, "⁰⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉"))
GREEK = frozenset({*range(0x391, 0x3CA)} - {0x3A2})
BOXES = frozenset({*range(0x2500, 0x25A0), *map(ord, "✓✗␣√○●")})
SIGNS = frozenset(map(ord, "∈∉∘⊙⊤∀∃∩∪∅∇∼∝⟨⟩ᵀᵗˣᵢⱼ●○◐▁␣✓✗"))


@dataclass(frozen=True)
class Face:
    """A file of one face.

    Args:
        family: its name in style sheets.
        source: where the package has it.
        axes: what is kept of a variable face: a range, or one place.
        signs: the characters that are kept.
        italic: whether it is one.
    """

    family: str
    source: str
    axes: dict
    signs: frozenset[int]
    italic: bool = False

    @property
    def weights(self) -> tuple[int, ...]:
        """The one that it has, or the ends of its range."""
        kept = self.axes.get("wght", WEIGHTS[0])
        return kept if isinstance(kept, tuple) else (kept,)

    @property
    def file(self) -> str:
        """Its name among the book's files."""
        weight = f"-{self.weights[0]}" if isinstance(self.axes.get("wght"), int) else ""
        return f"{Path(self.source).stem.split('[')[0].lower()}{weight}.woff2"

    def in_each_weight(self) -> tuple[Face, ...]:
        """Faces that are not variable, for what cannot embed a variable one: Chromium's PDF."""
        return tuple(
            replace(self, axes={**self.axes, "wght": weight}) if "wght" in self.axes else self
            for weight in self.weights
        )


TEXT = frozenset(LATIN | MARKS | RAISED | GREEK)
SIZED = {"opsz": TEXT_SIZE, "wght": WEIGHTS}
FACES = (
    Face("MT Serif", "sourceserif4/SourceSerif4[opsz,wght].ttf", SIZED, TEXT),
    Face("MT Serif", "sourceserif4/SourceSerif4-Italic[opsz,wght].ttf", SIZED, TEXT, italic=True),
    Face("MT Sans", "inter/Inter[opsz,wght].ttf", SIZED, TEXT),
    Face("MT Mono", "jetbrainsmono/JetBrainsMono[wght].ttf", {"wght": WEIGHTS}, TEXT | BOXES),
    Face("MT Signs", "stixtwomath/STIXTwoMath-Regular.ttf", {}, SIGNS),
)


def setup(app) -> dict:
    """Sphinx calls this."""
    if folder := font_folder():
        app.add_css_file(STYLE_SHEET, priority=100)
        app.connect("build-finished", lambda app, failed: write_fonts(app, failed, folder))
    else:
        logging.getLogger(__name__).info(
            "%s is not installed: pages are set in the reader's own faces", PACKAGE
        )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def font_folder() -> Path | None:
    """Where the faces are, if they can be had and made smaller."""
    found = {name: importlib.util.find_spec(name) for name in (PACKAGE, "fontTools", "brotli")}
    package = found[PACKAGE]
    if package is None or package.origin is None or None in found.values():
        return None
    return Path(package.origin).parent / "fonts" / "ofl"


def write_fonts(app, exception, source: Path) -> None:
    """Writes the faces, their licences and their style sheet, once for each version."""
    if exception is not None or app.builder.format != "html":
        return
    kept = Path(app.doctreedir).parent / ".fonts" / fingerprint()
    if not kept.exists():
        being_made = kept.with_name(f"{kept.name}.new")
        shutil.rmtree(being_made, ignore_errors=True)
        being_made.mkdir(parents=True)
        make_fonts(source, being_made)
        being_made.rename(kept)
    shutil.copytree(kept, Path(app.outdir, "_static", FOLDER), dirs_exist_ok=True)


def fingerprint() -> str:
    """What tells these files from those of another version."""
    return hashlib.sha256(f"{FACES}{version(PACKAGE)}".encode()).hexdigest()[:16]


def make_fonts(source: Path, folder: Path, faces: Sequence[Face] = FACES) -> None:
    """Makes the files of a folder from those of the package."""
    getLogger("fontTools").setLevel(WARNING)  # it tells of each table that it leaves out
    for face in faces:
        cut_down(source / face.source, face, folder / face.file)
        family = Path(face.source).parent.name
        shutil.copy(source / family / "OFL.txt", folder / f"{family}-OFL.txt")
    (folder / "fonts.css").write_text("".join(map(font_face, faces)), encoding="utf-8")


def cut_down(source: Path, face: Face, target: Path) -> None:
    """Writes a face with only these characters, in these weights."""
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    options = subset.Options()
    options.hinting = False
    # "->" stays two signs: in code one must see what to type.
    code = face.family == "MT Mono"
    options.layout_features = ["ccmp", "mark", "mkmk"]
    options.layout_features += [] if code else ["kern", "liga", "locl", "tnum", "lnum"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # with the copyright and the licence
    font = TTFont(source)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=face.signs)
    subsetter.subset(font)
    if face.axes:
        font = instancer.instantiateVariableFont(font, face.axes)
    font.flavor = "woff2"
    font.save(target)


def font_face(face: Face) -> str:
    """The rule that tells a browser of a face."""
    weights = " ".join(map(str, face.weights))
    only = ", ".join(f"U+{sign:X}" for sign in sorted(SIGNS))
    return (
        f'@font-face {{ font-family: "{face.family}"; font-weight: {weights}; '
        f"font-style: {'italic' if face.italic else 'normal'}; font-display: swap; "
        f'src: url("{face.file}") format("woff2");'
        f"{f' unicode-range: {only};' if face.signs == SIGNS else ''} }}\n"
    )
