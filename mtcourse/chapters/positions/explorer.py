"""The explorer of chapter 3: positions as hands of clocks, and the similarity of two positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from matplotlib.axes import Axes

from mtcourse.figures.curves import curves
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.layers.positions import position_similarity

SCRIPT = Path(__file__).with_suffix(".js")


def positions_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """Two positions as hands of clocks, and their similarity, the cosine between their rows.

    Args:
        settings: what is chosen at the start: position (0 to 200), shift (0 to 60), d_model (4 to
            128, a multiple of 4) and power (the base as a power of ten, 4 in the equation).

    Source: B02. Chapter 3.
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

    def similarity(of: Sequence[float | int]) -> list[float]:
        norm = d_model / 2
        return (position_similarity(torch.tensor(of).double(), d_model, base) / norm).tolist()

    def drawn() -> Axes:
        every = [step / 4 for step in range(4 * max(distances) + 1)]
        points = list(zip(every, similarity(every), strict=True))
        return curves({"similarity": points}, "distance of the two positions", "similarity")

    return Still(
        f"The similarity of two positions: the cosine of their rows, for rows of width {d_model} "
        f"and base {base:,.0f}.",
        ("distance", "similarity"),
        list(zip(map(str, distances), similarity(distances), strict=True)),
        drawn,
        3,
    )
