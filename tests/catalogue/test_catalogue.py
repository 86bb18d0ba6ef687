"""Every case of the catalogue, graded: the right points, and nothing that gets out or stays."""

from __future__ import annotations

import pytest

from mtcourse.grading.results import SubmissionResult
from tests.catalogue.case import Case
from tests.catalogue.families import FAMILIES
from tests.catalogue.grade_notebook import grade_notebook
from tests.catalogue.outside import Outside

CASES = [
    pytest.param(case, id=f"{family}: {case.name}, {case.notebook}")
    for family, cases in FAMILIES.items()
    for case in cases
]


def test_the_catalogue_is_large_enough_and_says_how_each_forgery_would_work():
    assert len(CASES) >= 250
    honest = (*FAMILIES["honest"], *FAMILIES["habits"])
    assert sum(not case.outcomes and case.others == "passed" for case in honest) >= 60
    assert len({case.notebook for case in honest}) >= 15
    assert len({param.id for param in CASES}) == len(CASES)
    assert all(case.forges for case in FAMILIES["forging"])


@pytest.mark.by_turns(8)
@pytest.mark.parametrize("case", CASES)
def test_a_submission(case: Case, walls: str, outside: Outside, nothing_left: None):
    result = grade_notebook(case.content(outside), case.notebook, walls, case.limits)
    assert case.faults_of(result) == []
    assert outside.noticed() == []
    assert SubmissionResult.from_json(result.to_json()) == result
