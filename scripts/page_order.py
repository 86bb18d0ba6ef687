"""In which order pages are run side by side: those that take longest first.

Begun last, such a page would keep one core busy and leave the others idle.
"""

from __future__ import annotations

from pathlib import Path

# Of the others, those with more text mostly take longer.
LONGEST = ("instructors", "09_multi_head", "12_training", "grading", "16_fine_tuning")


def turn_of(page: Path) -> tuple[int, int]:
    """What to sort pages by, or their notebooks."""
    place = LONGEST.index(page.stem) if page.stem in LONGEST else len(LONGEST)
    return place, -page.stat().st_size
