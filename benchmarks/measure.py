"""CPU seconds of several contestants, taken in turn, and what they say as ratios."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

PACKAGES = ("torch", "transformers", "joeynmt", "ctranslate2")


@dataclass(frozen=True)
class Timing:
    """How long one contestant took, and how that compares with the first.

    Args:
        name: the contestant.
        seconds: CPU seconds, the median of all rounds.
        ratio: these seconds divided by the first contestant's of the same round: the median.
        lowest: the smallest of these ratios.
        highest: the largest of them.
    """

    name: str
    seconds: float
    ratio: float
    lowest: float
    highest: float


def interleaved(runs: dict[str, Callable[[int], object]], rounds: int) -> list[Timing]:
    """Runs every contestant once a round, each round beginning with another.

    Whatever else the machine does then hits all of them alike, and the ratio within a round is
    steadier than either time.

    Args:
        runs: what is timed; it gets the number of the round, from 0.
        rounds: how many times.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    names = list(runs)
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            start = time.process_time()
            runs[name](number)
            seconds[name].append(time.process_time() - start)
    return [_timing(name, seconds[name], seconds[names[0]]) for name in names]


def _timing(name: str, seconds: Sequence[float], of_first: Sequence[float]) -> Timing:
    ratios = [mine / first for mine, first in zip(seconds, of_first, strict=True)]
    return Timing(
        name, statistics.median(seconds), statistics.median(ratios), min(ratios), max(ratios)
    )


def machine() -> dict[str, str]:
    """What the figures depend on: processor, cores, versions; nothing that names the machine."""
    described = {
        "processor": _processor(),
        "cores": f"{os.cpu_count()}, one thread used",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            described[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            described[package] = "not installed"
    return described


def _processor() -> str:
    """The model's name, where the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip() + f" ({platform.machine()})"
    return platform.processor() or platform.machine()
