"""What a picture shows."""

from __future__ import annotations

from matplotlib.axes import Axes


def texts(ax: Axes) -> list[str]:
    """What is written into a picture."""
    return [text.get_text() for text in ax.texts]
