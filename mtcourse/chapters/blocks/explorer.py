"""The explorer of chapter 10: depth against gradients, and rows that are swapped."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from matplotlib.axes import Axes

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import Spread, load_measured
from mtcourse.figures.curves import curves
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still

SCRIPT = Path(__file__).with_suffix(".js")

WORDS = ("the", "dog", "bites", "a", "man")
D_MODEL, D_FF = 4, 16
"""Those of B12."""
_SEED = 10


def blocks_explorer(
    measured: Mapping[str, Any] | None = None, settings: Mapping[str, Any] | None = None
) -> Explorer:
    """Gradient norms by depth and placement of the norm, and five rows through four functions.

    Args:
        measured: what ``scripts/measure_depth.py`` has measured; None takes what is stored.
        settings: what is chosen at first. Of the gradients: stack ("encoder" or "decoder"), depth,
            shown (placements) and layer, counted from 1. Of the rows: order (the word in each
            place), values (a row for each word), at (place and column of the chosen number) and
            swap (two words).

    Raises:
        MtcourseError: the depth in the settings was not measured.

    Source: B11 to B13. Chapter 10.
    """
    found = load_measured("depth") if measured is None else measured
    depths, gradients = list(found["depths"]), found["gradients"]
    if (depth := (settings or {}).get("depth", depths[0])) not in depths:
        raise MtcourseError(f"no depth {depth} was measured: choose one of {depths}")
    data = {
        "depths": depths,
        "norms": _of_each(gradients, depths, _layers),
        "ratios": _of_each(gradients, depths, _last_over_first),
        "words": list(WORDS),
        **_small_numbers(),
    }
    return Explorer(
        SCRIPT,
        data,
        {
            "stack": "decoder",
            "depth": 12 if 12 in depths else depths[-1],
            "shown": ["post-norm", "pre-norm"],
            "layer": 1,
            "order": list(range(len(WORDS))),
            "values": data["rows"],
            "at": [2, 0],
            "swap": [1, 4],
        },
        settings or {},
        "This explorer needs JavaScript. It shows the norm of the gradient in each layer of "
        f"untrained translators with {depths[0]} to {depths[-1]} layers, for each placement of the "
        "norm; and which outputs of the position-wise network, of layer normalisation and of "
        "attention change when two rows are swapped or one number changes.",
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """The norm of the gradient in each layer."""
    stack, depth = chosen["stack"], chosen["depth"]
    shown = [data["norms"][stack][placement] for placement in chosen["shown"]]
    norms = [found[data["depths"].index(depth)] for found in shown]
    return Still(
        f"The norm of the gradient in each layer of a {stack} with {depth} layers, before "
        "training: the median of ten starts.",
        ("layer", *chosen["shown"]),
        [
            (str(number), *("overflow" if of[0] is None else of[0] for of in found))
            for number, found in enumerate(zip(*norms, strict=True), start=1)
        ],
        lambda: _norms(dict(zip(chosen["shown"], norms, strict=True))),
        4,
    )


def _norms(of_each: Mapping[str, Sequence[Sequence[float | None]]]) -> Axes:
    """Draws the medians by layer on a logarithmic scale; those that overflowed are left out."""
    series = {
        placement: [(layer, of[0]) for layer, of in enumerate(found, start=1) if of[0] is not None]
        for placement, found in of_each.items()
    }
    ax = curves(series, "layer", "norm of the gradient")
    ax.set_yscale("log")
    return ax


def _of_each(
    gradients: Mapping[str, Any], depths: Sequence[int], of: Callable[[Any], Any]
) -> dict[str, Any]:
    """For encoder and decoder and each placement, what ``of`` makes of the starts of each depth."""
    return {
        stack: {
            placement: [of(starts[str(depth)]) for depth in depths]
            for placement, starts in placements.items()
        }
        for stack, placements in gradients.items()
    }


def _layers(starts: Sequence[Sequence[float | None]]) -> list[list[float | None]]:
    return [_spread(norms) for norms in zip(*starts, strict=True)]


def _last_over_first(starts: Sequence[Sequence[float | None]]) -> list[float | None]:
    """No ratio is known if a norm overflowed in one of the starts."""
    ends = [(layers[0], layers[-1]) for layers in starts]
    if any(first is None or last is None for first, last in ends):
        return [None, None, None]
    return _spread([last / first for first, last in ends])  # type: ignore[operator]


def _spread(values: Sequence[float | None]) -> list[float | None]:
    """Median, lowest and highest, to three digits; an overflow, None, counts as the largest."""
    spread = Spread.of(math.inf if value is None else value for value in values)
    return [
        float(f"{value:.3g}") if math.isfinite(value) else None
        for value in (spread.median, spread.low, spread.high)
    ]


def _small_numbers() -> dict[str, Any]:
    """Rows and weights with one decimal, drawn as whole tenths: the same on every processor."""
    generator = torch.Generator().manual_seed(_SEED)

    def drawn(*shape: int, most: int = 15) -> Any:
        tenths = torch.randint(-most, most + 1, shape, generator=generator)
        return (tenths.double() / 10).tolist()

    return {
        "rows": drawn(len(WORDS), D_MODEL),
        "weights": {
            "W_1": drawn(D_MODEL, D_FF, most=9),
            "b_1": drawn(D_FF, most=5),
            "W_2": drawn(D_FF, D_MODEL, most=5),
            "b_2": drawn(D_MODEL, most=5),
            **{name: drawn(D_MODEL, D_MODEL, most=9) for name in ("W_Q", "W_K", "W_V")},
        },
    }
