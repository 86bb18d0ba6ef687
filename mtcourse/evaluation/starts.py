"""Comparisons that rest on training, repeated from several random starts.

One training run proves little: with other initial weights, or on another processor, it may come out
the other way round. So a script in ``scripts/`` trains from ten starts or more, stores every result
in ``mtcourse/measured/``, and a chapter shows the median, the spread and how often the order is
reversed.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import platform
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch

from mtcourse.errors import MtcourseError
from mtcourse.whole_files import write_whole

MEASURED = Path(__file__).resolve().parent.parent / "measured"
"""Where the results of ``scripts/measure_*.py`` are stored, one JSON file each."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Spread:
    """Where the results of several starts lie.

    Args:
        median: the middle one, or the mean of the two in the middle.
        low: the lowest.
        high: the highest.
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of one result for each start.

        Raises:
            MtcourseError: there is no result.
        """
        known = list(values)
        if not known:
            raise MtcourseError("a spread needs the result of at least one start")
        return cls(statistics.median(known), min(known), max(known))

    def __format__(self, specification: str) -> str:
        """For example ``f"{spread:.1f}"`` gives ``84.0 (5.5 to 100.0)``."""
        median, low, high = (
            format(value, specification) for value in (self.median, self.low, self.high)
        )
        return f"{median} ({low} to {high})"


@dataclass(frozen=True)
class MedianInterval:
    """Two of the results, between which the median of all possible results lies.

    Args:
        low: the lower one.
        high: the higher one.
        confidence: how probable it is that such an interval contains the median.
    """

    low: float
    high: float
    confidence: float


def median_interval(values: Iterable[float | int], level: float = 0.95) -> MedianInterval:
    """The interval of a sign test: from the k-th smallest value to the k-th largest.

    Each new value lies below the median with probability 1/2. The median is outside of the interval
    only if fewer than k of n values lie on one of its sides, which has probability
    2 (C(n, 0) + ... + C(n, k - 1)) / 2^n. Nothing is assumed of the values' distribution but that
    they are independent. k is the largest for which the confidence is at least ``level``, or 1.

    Args:
        values: one for each start, such as differences of BLEU.
        level: the confidence that is wanted.

    Raises:
        MtcourseError: there are fewer than two values.

    Chapter 17.
    """
    ordered = sorted(float(value) for value in values)
    n = len(ordered)
    if n < 2:
        raise MtcourseError(f"an interval of the median needs two values or more, and there is {n}")
    outside = [2 * sum(math.comb(n, i) for i in range(k)) / 2**n for k in range(1, n // 2 + 1)]
    k = max((k for k, share in enumerate(outside, 1) if 1 - share >= level), default=1)
    return MedianInterval(ordered[k - 1], ordered[n - k], 1 - outside[k - 1])


def reversals(higher: Sequence[float], lower: Sequence[float]) -> int:
    """In how many starts the result that should be higher is not.

    Args:
        higher: a result for each start.
        lower: the results of the same starts, in the same order, that should be lower.

    Raises:
        MtcourseError: the numbers of results differ.
    """
    if len(higher) != len(lower):
        raise MtcourseError(
            f"{len(higher)} and {len(lower)} results: reversals are counted between the same starts"
        )
    return sum(one <= other for one, other in zip(higher, lower, strict=True))


def run_starts(
    measure: Callable[[int], _Result], starts: int, processes: int | None = None
) -> list[_Result]:
    """What ``measure(seed)`` returns for the seeds 0, 1, ..., in that order.

    Args:
        measure: one run from beginning to end; it is defined at a module's top level, because it
            runs in a process of its own, on one thread.
        starts: how many seeds.
        processes: how many run at a time; None takes one for each processor core.
    """
    workers = min(starts, processes or os.cpu_count() or 1)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, context, initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        return list(pool.map(measure, range(starts)))


def store_measured(
    name: str, script: str, results: Mapping[str, Any], folder: Path = MEASURED
) -> None:
    """Writes the results of a script, with the script and the processor that made them.

    Args:
        name: of the file, without ``.json``.
        script: that makes it, such as ``scripts/measure_scaling.py``.
        results: whatever JSON can hold; a list in the order of the starts for each kind of run.
        folder: where it is written.
    """
    made = {
        "script": script,
        "processor": f"{platform.machine()}, {torch.backends.cpu.get_cpu_capability()}",
        "torch": torch.__version__,
    }
    text = json.dumps({"made": made, **results}, indent=1) + "\n"
    write_whole(folder / f"{name}.json", text)


def load_measured(name: str, folder: Path = MEASURED) -> dict[str, Any]:
    """The results that ``store_measured`` wrote.

    Raises:
        MtcourseError: there are none under this name.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(other.stem for other in folder.glob("*.json"))) or "nothing"
        raise MtcourseError(f"no measurement is stored as {name!r} in {folder}; there is {known}")
    return json.loads(path.read_text(encoding="utf-8"))
