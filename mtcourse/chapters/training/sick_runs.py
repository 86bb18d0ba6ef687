"""What the logs of eight runs say, seven of which have a fault (chapter 12, ``diagnose``)."""

from __future__ import annotations

from mtcourse.evaluation.starts import load_measured

WHAT_WAS_DONE = {
    "run 1": "lines of the files do not match",
    "run 2": "nothing",
    "run 3": "encoder's rows detached",
    "run 4": "divided by all positions",
    "run 5": "no causal mask",
    "run 6": "encoder not in the optimizer",
    "run 7": "rate of the first step",
    "run 8": "dropout left on",
}
"""Each run's name in ``mtcourse/measured/sick_runs.json``."""
SHOWN = 5
"""The random start whose figures the exercise shows; the same signs are there in all ten."""


def logs(start: int = SHOWN) -> dict[str, dict[str, float]]:
    """The figures of each run from one random start, by their names.

    Args:
        start: which one, from 0 to 9.

    Chapter 12.
    """
    measured = load_measured("sick_runs")
    return {
        run: {figure: of_starts[start] for figure, of_starts in measured[kind].items()}
        for run, kind in WHAT_WAS_DONE.items()
    }
