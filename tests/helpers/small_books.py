"""What books that tests build take over from the course's own, to be built in seconds."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TAKES_LONG = (".fonts", ".dutch")
"""Of a build: faces that are cut down, and the words of the corpus. Both know their version."""


def begin_book(folder: Path) -> None:
    """Puts there what every book has, whatever its pages: extensions, styles, and no references.

    Args:
        folder: of the book that is going to be built.
    """
    for name in ("_ext", "_static"):
        shutil.copytree(ROOT / "book" / name, folder / "book" / name)
    (folder / "book" / "references.bib").touch()
    take_over(folder)


def take_over(folder: Path) -> None:
    """Puts there what the course's book has already made, if it has been built.

    Args:
        folder: of the book that is going to be built.
    """
    for name in TAKES_LONG:
        made = ROOT / "_build" / name
        if made.is_dir():
            shutil.copytree(made, folder / "_build" / name)
