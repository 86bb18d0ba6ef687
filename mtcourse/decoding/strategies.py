"""Search strategies by name, as the command line takes them (chapter 18)."""

from __future__ import annotations

from functools import partial

from mtcourse.decoding.search import Search, beam_search, greedy_search
from mtcourse.errors import MtcourseError

BEAMS = 4


def strategy(name: str, n_best: int = 1) -> Search:
    """A search by its name.

    Args:
        name: "greedy"; or "beam", or "beam:8" for another width than four.
        n_best: hypotheses for each sentence; greedy search has one.

    Raises:
        MtcourseError: there is no such search, or it does not find so many.

    >>> strategy("beam:8").keywords
    {'beams': 8, 'n_best': 1}
    """
    kind, _, width = name.partition(":")
    beams = {"greedy": 1, "beam": BEAMS}.get(kind, 0)
    if kind == "beam" and width.isdecimal():
        beams = int(width)
    elif width or not beams:
        beams = 0
    if not beams:
        raise MtcourseError(f"there is no search {name!r}: take greedy, beam, or beam:8")
    if n_best > beams:
        raise MtcourseError(f"{n_best} hypotheses are more than the {beams} that {name} keeps")
    return greedy_search if kind == "greedy" else partial(beam_search, beams=beams, n_best=n_best)
