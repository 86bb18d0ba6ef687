"""Rubrics: projects are graded by people, on a form for each learner that the gradebook reads.

A rubric is a TOML file with a name and its criteria: the points that each can earn, and what earns
them. ``write_forms`` makes a CSV file for each learner, which a person fills in with a spreadsheet.
``read_forms`` makes results of the forms, once all of them are complete.
"""

from __future__ import annotations

import csv
import io
import math
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.grading.learner_folders import RECORDS, add_names
from mtcourse.grading.policy_tables import read_rows
from mtcourse.grading.records import read_result
from mtcourse.grading.results import GRADED, JUDGED, ExerciseResult, SubmissionResult, tidy_points
from mtcourse.grading.submission_paths import safe_name
from mtcourse.whole_files import write_whole

FORMS, RUBRIC = "rubrics", "rubric.toml"
"""The folder of forms among the grades, and the file in each of its folders."""
COLUMNS = ("learner", "criterion", "out_of", "points", "comment", "what_earns_them")
_CRITERION_KEYS = {"name", "points", "earns", "levels"}
FORMULA_STARTS = "=+-@＝＋－＠|%"


@dataclass(frozen=True)
class Level:
    """What earns some of a criterion's points."""

    points: float
    earns: str


@dataclass(frozen=True)
class Criterion:
    """One criterion of a rubric.

    Args:
        name: its name.
        points: the most that it earns.
        earns: what earns them.
        levels: what earns fewer, if the rubric says so; only their points can then be given.
    """

    name: str
    points: float
    earns: str
    levels: tuple[Level, ...] = ()

    def describe(self) -> str:
        """Returns what earns the points, with the levels, in one line."""
        steps = (f"{tidy_points(level.points)}: {level.earns}" for level in self.levels)
        return "; ".join([self.earns, *steps])


@dataclass(frozen=True)
class Rubric:
    """The criteria by which people grade a project.

    Args:
        name: the name of the project, as gradebooks have it.
        criteria: the criteria in their order.
    """

    name: str
    criteria: tuple[Criterion, ...]

    @property
    def points(self) -> float:
        """The points of all criteria."""
        return tidy_points(sum(one.points for one in self.criteria))


def read_rubric(path: Path) -> Rubric:
    """Reads a rubric.

    Raises:
        MtcourseError: the file is missing or faulty; says what to do.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise MtcourseError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise MtcourseError(f"{path} is not TOML: {error}") from error
    name, criteria = values.get("name"), values.get("criteria")
    if not isinstance(name, str) or not name or safe_name(name) != name:
        raise MtcourseError(f'{path}: give it a plain name, such as name = "project_part_2"')
    if not isinstance(criteria, list) or not criteria:
        raise MtcourseError(f"{path}: there are no criteria: write [[criteria]] for each")
    found = tuple(_read_criterion(f"{path}: criterion {n}", c) for n, c in enumerate(criteria, 1))
    names = [one.name for one in found]
    if twice := next((one for one in names if names.count(one) > 1), ""):
        raise MtcourseError(f"{path}: the criterion {twice!r} stands there twice: rename one")
    return Rubric(name, found)


def _read_criterion(place: str, values: Any) -> Criterion:
    """Reads one criterion."""
    if not isinstance(values, dict) or set(values) - _CRITERION_KEYS:
        raise MtcourseError(f"{place}: it has {', '.join(sorted(_CRITERION_KEYS))}, nothing else")
    name, points, earns = (values.get(key) for key in ("name", "points", "earns"))
    if not isinstance(name, str) or not name.strip() or not isinstance(earns, str):
        raise MtcourseError(f"{place}: name and earns are texts")
    if not _is_points(points) or not points:
        raise MtcourseError(f"{place}, {name}: points are a number above 0, not {points!r}")
    levels = []
    for level in values.get("levels", []):
        if not isinstance(level, list) or len(level) != 2 or not _is_points(level[0]):
            raise MtcourseError(f'{place}, {name}: a level is [points, "what earns them"]')
        if level[0] > points:
            raise MtcourseError(f"{place}, {name}: a level has more points than the criterion")
        levels.append(Level(level[0], str(level[1])))
    return Criterion(name, points, earns, tuple(levels))


def _is_points(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value >= 0


def write_forms(rubric: Rubric, learners: Iterable[str], folder: Path) -> list[Path]:
    """Writes a form for each learner who has none yet; one that is there is left alone.

    Returns:
        the forms that were written.
    """
    forms = {path.stem: _read_learner(path) for path in sorted(folder.glob("*.csv"))}
    new = {unicodedata.normalize("NFC", learner) for learner in learners} - set(forms.values())
    written = []
    for learner, name in sorted(add_names(new, forms).items()):
        path = folder / f"{name}.csv"
        rows = [
            (_guard(learner), one.name, tidy_points(one.points), "", "", one.describe())
            for one in rubric.criteria
        ]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
        write_whole(path, text.getvalue(), private=True)
        written.append(path)
    return written


def _guard(text: str) -> str:
    """Keeps a spreadsheet from taking a text for a formula."""
    return f"'{text}" if text.startswith(tuple(FORMULA_STARTS)) else text


def _read_learner(path: Path) -> str:
    """Returns whose form it is."""
    cell = next((row[0] for _, row, _ in read_rows(path, COLUMNS)), "")
    learner = unicodedata.normalize("NFC", cell)
    return learner[1:] if learner[:1] == "'" and learner[1:2] in FORMULA_STARTS else learner


def read_forms(rubric: Rubric, folder: Path) -> tuple[list[SubmissionResult], str]:
    """Reads the forms of a project.

    Returns:
        a result for each learner, and what the teacher should know. As long as a form is not
        complete there are no results at all, so that no gradebook has half of a class.

    Raises:
        MtcourseError: a form is faulty; says which, in which line.
    """
    results: dict[str, SubmissionResult] = {}
    waiting: list[str] = []
    for path in sorted(folder.glob("*.csv")):
        learner, given = _read_form(rubric, path)
        if learner in results or learner in waiting:
            raise MtcourseError(f"{path} is a second form of {learner}: keep one")
        if len(given) < len(rubric.criteria):
            waiting.append(learner)
            continue
        exercises = tuple(given[one.name] for one in rubric.criteria)
        results[learner] = SubmissionResult(
            learner, rubric.name, f"{learner}/{rubric.name}", GRADED, exercises=exercises
        )
    if waiting:
        some = ", ".join(waiting[:3]) + ", …" * (len(waiting) > 3)
        forms = len(waiting) + len(results)
        return [], (
            f"{rubric.name}: {len(waiting)} of {forms} forms are not complete ({some}), so the "
            "gradebooks do not have it yet"
        )
    return list(results.values()), f"{rubric.name}: {len(results)} forms" * bool(results)


def _read_form(rubric: Rubric, path: Path) -> tuple[str, Mapping[str, ExerciseResult]]:
    """Reads a form: whose it is, and the criteria that have points."""
    criteria = {one.name: one for one in rubric.criteria}
    learner, seen, given = _read_learner(path), set(), {}
    for place, row, decimal in read_rows(path, COLUMNS):
        who, name, _, points, comment, _ = row
        criterion = criteria.get(name)
        if criterion is None:
            raise MtcourseError(f"{place}: {rubric.name} has no criterion {name!r}")
        if name in seen or who.removeprefix("'") != learner.removeprefix("'"):
            raise MtcourseError(f"{place}: a form has each criterion once, of one learner")
        seen.add(name)
        if points:
            number = _read_points(points.replace(decimal, "."), criterion, place)
            feedback = "\n".join([*([comment] * bool(comment)), f"  {criterion.describe()}"])
            given[name] = ExerciseResult(name, JUDGED, number, criterion.points, feedback)
    if missing := [name for name in criteria if name not in seen]:
        raise MtcourseError(f"{path}: the criterion {missing[0]!r} is missing: put its line back")
    return learner, given


def _read_points(text: str, criterion: Criterion, place: str) -> float:
    try:
        points = float(text)
    except ValueError:
        points = math.nan
    if not 0 <= points <= criterion.points:
        most = tidy_points(criterion.points)
        raise MtcourseError(f"{place}: points are a number from 0 to {most}, not {text!r}")
    levels = [level.points for level in criterion.levels]
    if levels and points not in levels:
        raise MtcourseError(
            f"{place}: {criterion.name} has the levels {', '.join(f'{p:g}' for p in levels)}, "
            f"and not {text}"
        )
    return tidy_points(points)


def read_all_forms(out: Path) -> tuple[list[SubmissionResult], list[str]]:
    """Reads the forms of all projects in a folder of grades, with remarks for the teacher."""
    results: list[SubmissionResult] = []
    remarks: list[str] = []
    for path in sorted((out / FORMS).glob(f"*/{RUBRIC}")):
        found, remark = read_forms(read_rubric(path), path.parent)
        results += found
        remarks += [remark] * bool(remark)
    return results, remarks


def start_grading(path: Path, out: Path, learners: Sequence[str]) -> tuple[Rubric, list[Path]]:
    """Puts a rubric and its forms into a folder of grades.

    Args:
        path: the rubric.
        out: the folder of grades.
        learners: whose forms to write; by default of all who have results there.

    Raises:
        MtcourseError: there are no learners, other forms of this rubric are there, or a form cannot
            be written.
    """
    rubric = read_rubric(path)
    folder = out / FORMS / rubric.name
    kept = folder / RUBRIC
    if kept.exists() and read_rubric(kept) != rubric:
        raise MtcourseError(f"{kept} is another rubric of this name: mend one of them by hand")
    known = learners or _find_learners(out / RECORDS)
    if not known:
        raise MtcourseError(f"{out} has no results: name learners by --learner")
    try:
        write_whole(kept, path.read_text(encoding="utf-8-sig"), private=True)
        return rubric, write_forms(rubric, known, folder)
    except OSError as error:
        raise MtcourseError(
            f"{error.filename or folder}: {error.strerror or error}; forms that were written are "
            "kept, and the same command writes the others once that is mended"
        ) from error


def _find_learners(records: Path) -> list[str]:
    """Returns the learners who have results."""
    results = map(read_result, records.glob("*/*.json"))
    return sorted({result.learner for result in results if result})
