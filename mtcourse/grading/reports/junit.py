"""The results as JUnit's XML, which Jenkins, GitLab and pytest's own tools read.

Elements and attributes are those that pytest writes with ``junit_family=xunit2``, and that the
schema ``junit-10.xsd`` of Jenkins' xUnit plugin allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from mtcourse.grading.reports.counts import OUTCOME_LABELS
from mtcourse.grading.reports.sanitize import clean_line, clean_lines
from mtcourse.grading.results import FAILED, JUDGED, ExerciseResult, SubmissionResult

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def junit_xml(results: Sequence[SubmissionResult]) -> str:
    """Returns a test suite for each submission, with a test for each exercise.

    An answer that is not right is a failure; what the grader failed on is skipped.
    """
    root = ElementTree.Element("testsuites", name="mtcourse grade")
    for result in results:
        _add_suite(root, result)
    ElementTree.indent(root, " ")
    return DECLARATION + ElementTree.tostring(root, "unicode") + "\n"


def _add_suite(root: ElementTree.Element, result: SubmissionResult) -> None:
    name = f"{clean_line(result.learner)}.{clean_line(result.notebook)}"
    exercises = result.exercises if result.state != FAILED else ()
    failures = sum(one.outcome not in ("passed", JUDGED) for one in exercises)
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=name,
        tests=str(len(exercises) or 1),
        failures=str(failures),
        errors="0",
        skipped=str(int(not exercises)),
        time=f"{result.seconds:.3f}",
    )
    for one in exercises:
        _add_case(suite, name, one)
    if not exercises:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name="the notebook")
        ElementTree.SubElement(case, "skipped", message=clean_line(result.reason, 400))


def _add_case(suite: ElementTree.Element, suite_name: str, one: ExerciseResult) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=suite_name, name=clean_line(one.exercise)
    )
    if one.outcome not in ("passed", JUDGED):
        outcome = clean_line(one.outcome)
        failure = ElementTree.SubElement(
            case, "failure", type=outcome, message=OUTCOME_LABELS.get(outcome, outcome)
        )
        failure.text = clean_lines(one.feedback)
