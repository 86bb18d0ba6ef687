"""The class on one page, for whoever teaches it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from mtcourse.grading.reports.counts import (
    ExerciseCount,
    mistakes,
    needs_a_look,
    notebook_counts,
)
from mtcourse.grading.reports.pages import page
from mtcourse.grading.results import FAILED, UNREADABLE, Result

GROUPS = ("passed", "wrong", "open", "stopped")
FIRST_MISTAKES = 10
"""That are shown at once; the others fold out."""


def class_report(results: Sequence[Result], places: Mapping[tuple[str, str], str]) -> str:
    """The page: how points are spread, each exercise, the commonest mistakes, who needs a look.

    Args:
        results: those of the whole class.
        places: for each learner and notebook the path of its feedback from the page.
    """
    learners: dict[str, dict[str, Result]] = {}
    for result in results:
        learners.setdefault(result.learner, {})[result.notebook] = result
    made = mistakes(results)
    return page(
        "class_report.html",
        results=results,
        learners=learners,
        counts=notebook_counts(results),
        mistakes=made[:FIRST_MISTAKES],
        more_mistakes=made[FIRST_MISTAKES:],
        looks=needs_a_look(results),
        alone=[result for result in results if result.isolation == "none"],
        link=lambda result: quote(places[result.learner, result.notebook]),
        parts=_parts,
        state={FAILED: "not graded", UNREADABLE: "unreadable"},
        isolations=sorted({result.isolation for result in results if result.isolation}),
        versions=_versions(results),
    )


def _parts(count: ExerciseCount) -> list[tuple[str, float, float]]:
    """For each group that anybody is in where its part of the bar begins, and its width."""
    parts, begin = [], 0.0
    for group in GROUPS:
        width = 100 * getattr(count, group) / max(1, count.all)
        if width:
            parts.append((group, round(begin, 2), round(width, 2)))
        begin += width
    return parts


def _versions(results: Sequence[Result]) -> dict[str, str]:
    """Every version of each package with which the class was graded."""
    found: dict[str, set[str]] = {}
    for result in results:
        for name, version in result.versions.items():
            found.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(versions)) for name, versions in sorted(found.items())}
