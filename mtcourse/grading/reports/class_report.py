"""The report on a whole class, a page for its teacher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from mtcourse.grading.item_statistics import MIN_LEARNERS, compute_item_statistics
from mtcourse.grading.reports.counts import (
    ExerciseCount,
    count_misconceptions,
    count_notebooks,
    find_submissions_to_review,
)
from mtcourse.grading.reports.pages import render_page
from mtcourse.grading.reports.sanitize import clean_lines
from mtcourse.grading.results import FAILED, UNREADABLE, SubmissionResult
from mtcourse.grading.similar_answers import SimilarAnswers, Version, count_pairs

OUTCOME_ORDER = ("passed", "wrong", "open", "stopped")
MISCONCEPTIONS_SHOWN = 10
"""The number of misconceptions that are always visible; the others unfold on a click."""
GROUPS_SHOWN = 50
"""The number of groups of similar answers that the page shows; a table has all of them."""
VERSIONS_SHOWN = 4
"""The number of texts of a group of similar answers that are shown."""


def render_class_report(
    results: Sequence[SubmissionResult],
    places: Mapping[tuple[str, str], str],
    similar: Sequence[SimilarAnswers] = (),
) -> str:
    """Renders the page: distribution of points, exercises, misconceptions, and what needs a review.

    Args:
        results: the results of the whole class.
        places: the path of each feedback page, by learner and notebook, relative to the report.
        similar: the groups of similar answers.
    """
    learners: dict[str, dict[str, SubmissionResult]] = {}
    for result in results:
        learners.setdefault(result.learner, {})[result.notebook] = result
    made = count_misconceptions(results)
    items = compute_item_statistics(results)
    return render_page(
        "class_report.html",
        results=results,
        learners=learners,
        counts=count_notebooks(results),
        item={(one.notebook, one.exercise): one for one in items},
        min_learners=MIN_LEARNERS,
        similar=similar[:GROUPS_SHOWN],
        more_similar=len(similar[GROUPS_SHOWN:]),
        pairs=count_pairs(similar),
        compare=_compare_versions,
        mistakes=made[:MISCONCEPTIONS_SHOWN],
        more_mistakes=made[MISCONCEPTIONS_SHOWN:],
        looks=find_submissions_to_review(results),
        alone=[result for result in results if result.isolation == "none"],
        link=lambda result: quote(places[result.learner, result.notebook]),
        parts=_split_bar,
        state={FAILED: "not graded", UNREADABLE: "unreadable"},
        isolations=sorted({result.isolation for result in results if result.isolation}),
        versions=_collect_versions(results),
    )


def _split_bar(count: ExerciseCount) -> list[tuple[str, float, float]]:
    """Returns the start and the width of each segment of an exercise's bar, in percent."""
    parts, begin = [], 0.0
    for group in OUTCOME_ORDER:
        width = 100 * getattr(count, group) / max(1, count.total)
        if width:
            parts.append((group, round(begin, 2), round(width, 2)))
        begin += width
    return parts


def _collect_versions(results: Sequence[SubmissionResult]) -> dict[str, str]:
    """Returns all versions of each package with which the class was graded."""
    found: dict[str, set[str]] = {}
    for result in results:
        for name, version in result.versions.items():
            found.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(versions)) for name, versions in sorted(found.items())}


def _compare_versions(group: SimilarAnswers) -> list[tuple[Version, list[tuple[str, bool]]]]:
    """Returns the first texts of a group in lines, each with whether the first text has it too."""
    shown = [(one, clean_lines(one.text).splitlines()) for one in group.versions[:VERSIONS_SHOWN]]
    first = {" ".join(line.split()) for line in shown[0][1]}
    return [
        (one, [(line, " ".join(line.split()) in first) for line in lines]) for one, lines in shown
    ]
