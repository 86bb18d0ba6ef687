"""The figure to play with of chapter 03: positions as hands of clocks, and how alike two are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtcourse.figures.explorers import Explorer


def positions_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """Two positions as hands of clocks, and their similarity, the cosine of the angle between them.

    Args:
        settings: what is chosen at first: position (0 to 200), shift (0 to 60), d_model (4 to
            128, a multiple of 4) and power (of ten: the base, 4 in the equation).

    Source: B02. Chapter 03.
    """
    return Explorer(
        "positions",
        {},
        {"position": 3, "shift": 5, "d_model": 16, "power": 4.0},
        settings or {},
        "This explorer needs JavaScript. It shows two positions as hands of clocks that turn at "
        "different speeds, and how like each other the two positions are.",
    )
