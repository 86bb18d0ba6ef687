"""Draws the README's picture: the shipped translator's attention map of one sentence.

python scripts/draw_attention.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

from mtcourse.figures.attention_map import attention_map
from mtcourse.models.translator import Translator

PICTURE = Path(__file__).resolve().parent.parent / "book" / "_static" / "attention.svg"
SENTENCE = "Yesterday the old baker did not open the shop."


def main() -> None:
    """Writes the picture; the same checkpoint gives the same file."""
    looked = Translator.load(device="cpu").attention_map(SENTENCE)
    mpl.use("svg")
    with mpl.rc_context({"svg.hashsalt": "mtcourse", "svg.fonttype": "path"}):
        ax = attention_map(looked.source_pieces, looked.target_pieces, looked.weights[-1].mean(0))
        ax.figure.savefig(PICTURE, transparent=True, metadata={"Date": None})
    print(PICTURE)


if __name__ == "__main__":
    main()
