"""The results as JUnit's XML, which Jenkins, GitLab and pytest's own tools read.

Elements and attributes are those that pytest writes with ``junit_family=xunit2``, and the schema
``junit-10.xsd`` of Jenkins' xUnit plugin allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from mtcourse.grading.reports.counts import SAID
from mtcourse.grading.reports.sanitize import lines, one_line
from mtcourse.grading.results import FAILED, ExerciseResult, Result

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def junit_xml(results: Sequence[Result]) -> str:
    """A test suite for each submission, a test for each exercise.

    Whatever is wrong with an answer is a failure; what the grader could not grade is skipped.
    """
    root = ElementTree.Element("testsuites", name="mtcourse grade")
    for result in results:
        _suite(root, result)
    ElementTree.indent(root, " ")
    return DECLARATION + ElementTree.tostring(root, "unicode") + "\n"


def _suite(root: ElementTree.Element, result: Result) -> None:
    name = f"{one_line(result.learner)}.{one_line(result.notebook)}"
    exercises = result.exercises if result.state != FAILED else ()
    failures = sum(one.outcome != "passed" for one in exercises)
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
        _case(suite, name, one)
    if not exercises:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name="the notebook")
        ElementTree.SubElement(case, "skipped", message=one_line(result.reason, 400))


def _case(suite: ElementTree.Element, suite_name: str, one: ExerciseResult) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=suite_name, name=one_line(one.exercise)
    )
    if one.outcome != "passed":
        outcome = one_line(one.outcome)
        failure = ElementTree.SubElement(
            case, "failure", type=outcome, message=SAID.get(outcome, outcome)
        )
        failure.text = lines(one.says)
