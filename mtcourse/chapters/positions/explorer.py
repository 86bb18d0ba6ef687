"""The explorer of chapter 03: positions as hands of clocks, and the similarity of two positions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.layers.positions import position_similarity

SCRIPT = Path(__file__).with_suffix(".js")


def positions_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """Two positions as hands of clocks, and their similarity, the cosine between their rows.

    Args:
        settings: what is chosen at the start: position (0 to 200), shift (0 to 60), d_model (4 to
            128, a multiple of 4) and power (the base as a power of ten, 4 in the equation).

    Source: B02. Chapter 03.
    """
    return Explorer(
        SCRIPT,
        {},
        {"position": 3, "shift": 5, "d_model": 16, "power": 4.0},
        settings or {},
        "This explorer needs JavaScript. It shows two positions as hands of clocks that turn at "
        "different speeds, and how similar the two positions are.",
        still=_still,
    )


def _still(chosen: Mapping[str, Any]) -> Still:
    """How similar two positions are, by their distance."""
    d_model, base = chosen["d_model"], 10 ** chosen["power"]
    distances = sorted({0, 1, 2, 3, 5, 8, 13, 20, 30, 40, 60, chosen["shift"]})
    found = position_similarity(torch.tensor(distances).double(), d_model, base) / (d_model / 2)
    return Still(
        f"The similarity of two positions: the cosine of their rows, for rows of width {d_model} "
        f"and base {base:,.0f}.",
        ("distance", "similarity"),
        list(zip(map(str, distances), found.tolist(), strict=True)),
        3,
    )
