"""Writes the notebook beside each page that runs code, for Colab, Binder and nbval.

python scripts/pair_notebooks.py            writes book/word.ipynb for every book/word.md with code
python scripts/pair_notebooks.py --check    only says which are out of step, and fails if any is

The Markdown is the source. Cell ids follow from the order of the cells, so the same page gives the
same notebook to the byte.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jupytext
import nbformat

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book" / "_ext"))
from publishing import placed

from mtcourse.grading.exercise_notebook import install_cell
from mtcourse.repository import repository_address

BOOK = Path(__file__).resolve().parent.parent / "book"


def pages_with_code(book: Path) -> list[Path]:
    """The pages that are notebooks, in order of their names."""
    pages = sorted(book.glob("*.md"))
    return [page for page in pages if "```{code-cell}" in page.read_text(encoding="utf-8")]


def notebook_of(chapter: Path) -> str:
    """The notebook of a page, as text."""
    notebook, address = jupytext.read(chapter), repository_address(chapter.parent.parent)
    for cell in notebook.cells:
        cell.source = placed(cell.source, address)
    first = nbformat.v4.new_code_cell(install_cell(address), metadata={"tags": ["remove-cell"]})
    notebook.cells.insert(0, first)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{chapter.stem.replace('_', '-')}-{number:03d}"[-64:]
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return nbformat.writes(notebook) + "\n"


def main(arguments: list[str]) -> int:
    """Writes or checks all pairs; returns the exit status."""
    stale = []
    for chapter in pages_with_code(BOOK):
        pair, text = chapter.with_suffix(".ipynb"), notebook_of(chapter)
        if pair.exists() and pair.read_text(encoding="utf-8") == text:
            continue
        stale.append(pair.name)
        if "--check" not in arguments:
            pair.write_text(text, encoding="utf-8")
    if stale and "--check" in arguments:
        print(f"out of step with their pages: {', '.join(stale)}; run: make notebooks")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
