"""All claims of the page, in the order of the chapters."""

from __future__ import annotations

from mtcourse.chapters.reproduced_claims import (
    chapter_16,
    chapter_17,
    chapters_1_to_9,
    chapters_10_to_12,
    chapters_13_to_15,
)
from mtcourse.chapters.reproduced_claims.reproduced import Reproduced

PARTS = {
    "Part I: the framework": chapters_1_to_9.CLAIMS,
    "Part II: the Transformer": chapters_10_to_12.CLAIMS,
    "Part III: Transformer language models": (
        chapters_13_to_15.CLAIMS + chapter_16.CLAIMS + chapter_17.CLAIMS
    ),
}
"""For each part of the book the functions that compare its stored measurements with a paper."""


def reproduced_claims() -> dict[str, list[Reproduced]]:
    """The claims of each part, computed from what the scripts stored."""
    return {part: [claim() for claim in of_part] for part, of_part in PARTS.items()}
