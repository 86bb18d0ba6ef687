"""The similar answers of a class as a table, with the text of each answer."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from mtcourse.grading.reports.sanitize import clean_line, clean_lines
from mtcourse.grading.similar_answers import SimilarAnswers

COLUMNS = (
    "group",
    "notebook",
    "exercise",
    "how",
    "learners",
    "answered",
    "shared",
    "learner",
    "answer",
)


def similar_answers_table(groups: Sequence[SimilarAnswers]) -> str:
    """Returns a row for each learner of each group.

    Every text begins with an apostrophe, so that no program takes an answer for a formula.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    for number, group in enumerate(groups, start=1):
        for version in group.versions:
            about = (clean_line(group.notebook), clean_line(group.exercise), group.how)
            counts = (len(group.learners), group.answered, group.shared)
            answer = f"'{clean_lines(version.text)}"
            writer.writerows(
                (number, *about, *counts, f"'{clean_line(learner)}", answer)
                for learner in version.learners
            )
    return text.getvalue()
