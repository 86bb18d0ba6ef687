"""Search strategies by name, as the command line takes them (chapter 18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import torch

from mtcourse.decoding.sampling import ancestral_sampling
from mtcourse.decoding.search import Search, beam_search, greedy_search
from mtcourse.errors import MtcourseError


def _greedy(width: str, n_best: int) -> Search:
    if width or n_best > 1:
        raise MtcourseError("greedy search keeps one hypothesis, and takes no number: use beam")
    return greedy_search


def _beam(width: str, n_best: int) -> Search:
    if width and not (width.isdecimal() and int(width)):
        raise MtcourseError(f"{width!r} is no number of beams: take beam, or beam:8")
    beams = int(width or 4)
    if n_best > beams:
        raise MtcourseError(f"{n_best} hypotheses are more than the {beams} that the beam keeps")
    return partial(beam_search, beams=beams, n_best=n_best)


def _sample(seed: str, n_best: int) -> Search:
    if seed and not seed.isdecimal():
        raise MtcourseError(f"{seed!r} is no seed: take sample, or sample:7 for the seed 7")
    if n_best > 1:
        raise MtcourseError("sampling draws one hypothesis of each sentence: use beam for more")
    return partial(ancestral_sampling, generator=torch.Generator().manual_seed(int(seed or 0)))


STRATEGIES: Mapping[str, tuple[Callable[[str, int], Search], str]] = {
    "greedy": (_greedy, "greedy"),
    "beam": (_beam, "beam, or beam:8 for eight beams"),
    "sample": (_sample, "sample, or sample:7 for the random numbers of seed 7"),
}
"""By its name, for each search: the function that makes it, of what stands after the colon and of
the number of hypotheses; and how it is written on the command line."""
FORMS = "; ".join(form for _, form in STRATEGIES.values())


def strategy(name: str, n_best: int = 1) -> Search:
    """A search by its name.

    Args:
        name: one of ``STRATEGIES``, as in "beam"; some take more behind a colon, as in "beam:8".
        n_best: hypotheses for each sentence; greedy search has one.

    Raises:
        MtcourseError: there is no such search, or it does not find so many.

    >>> strategy("beam:8").keywords
    {'beams': 8, 'n_best': 1}
    """
    kind, _, rest = name.partition(":")
    if kind not in STRATEGIES:
        raise MtcourseError(f"there is no search {name!r}: take {FORMS}")
    make, _ = STRATEGIES[kind]
    return make(rest, n_best)
