"""The policy of a class: what its teacher decides, apart from what the grader finds out.

A folder holds up to three files: ``policy.toml`` with the rules, ``adjustments.csv`` with points
and comments by hand, and ``times.csv`` with the times at which submissions came in. The grader
reads them, and never writes them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

from mtcourse.errors import MtcourseError
from mtcourse.grading.backlog import suggest_name
from mtcourse.grading.policy_tables import Adjustment, ExercisePoints, read_adjustments, read_times

RULES, ADJUSTMENTS, TIMES = "policy.toml", "adjustments.csv", "times.csv"
"""The files in the folder of the policy."""
_KEYS = (
    "timezone",
    "resubmissions",
    "numbers",
    "partial_credit",
    "deadlines",
    "extensions",
    "late",
    "left_out",
)
_LATE_KEYS = ("percent_per_day", "days", "file_dates")
LAST, BEST = "last", "best"


@dataclass(frozen=True)
class LateRule:
    """What happens to late submissions.

    Args:
        percent_per_day: what each day that has begun costs, in percent of the notebook's points.
        days: the days after which nothing counts; None if something always does.
        file_dates: whether the date of a file counts as the time at which it was handed in, if
            nothing better is known.
    """

    percent_per_day: float = 0.0
    days: int | None = None
    file_dates: bool = False


@dataclass(frozen=True)
class Policy:
    """What the teacher of a class has decided.

    Args:
        deadlines: the deadline of each notebook that has one.
        extensions: later deadlines of single learners, by learner and notebook.
        late: what happens to late submissions.
        resubmissions: whether of several attempts the ``LAST`` counts, or the ``BEST``.
        left_out: the exercises of each notebook that do not count.
        numbers: whether to write reports with numbers in place of names, too.
        partial_credit: whether the parts of an exercise that hold earn their share.
        timezone: the zone of times without one.
        adjustments: points and comments by hand.
        times: when submissions came in, by learner and notebook.
        files: the names of the files that were read.
    """

    deadlines: Mapping[str, datetime] = field(default_factory=dict)
    extensions: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    late: LateRule = field(default_factory=LateRule)
    resubmissions: str = LAST
    left_out: Mapping[str, Collection[str]] = field(default_factory=dict)
    numbers: bool = False
    partial_credit: bool = False
    timezone: tzinfo | None = None
    adjustments: tuple[Adjustment, ...] = ()
    times: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is decided."""
        return self == Policy()


def read_policy(folder: Path, known: ExercisePoints) -> Policy:
    """Reads the policy of a class; where a file is missing, nothing is decided.

    Args:
        folder: the folder of the files.
        known: the notebooks that can be graded, each with its exercises' points.

    Raises:
        MtcourseError: the folder does not exist, or a file is faulty; says which, and where.
    """
    if not folder.is_dir():
        raise MtcourseError(f"there is no folder {folder}: --policy is the folder of {RULES}")
    present = tuple(name for name in (RULES, ADJUSTMENTS, TIMES) if (folder / name).is_file())
    values = _RulesReader(folder / RULES, known).read() if RULES in present else {}
    policy = Policy(**values, files=present)
    adjustments = read_adjustments(folder / ADJUSTMENTS, known) if ADJUSTMENTS in present else ()
    times = read_times(folder / TIMES, policy.timezone) if TIMES in present else {}
    return Policy(**values, files=present, adjustments=adjustments, times=times)


class _RulesReader:
    """Reads ``policy.toml``, and says of each fault in which line it is."""

    def __init__(self, path: Path, known: ExercisePoints) -> None:
        self._path = path
        self._known = known
        self._text = ""
        self._within = ""  # the table that is being read
        self._timezone: tzinfo | None = None

    def read(self) -> dict[str, Any]:
        """Returns the arguments of ``Policy``."""
        try:
            self._text = self._path.read_text(encoding="utf-8-sig")
            rules = tomllib.loads(self._text)
        except UnicodeDecodeError as error:
            raise MtcourseError(f"{self._path} is not UTF-8: save it as UTF-8") from error
        except tomllib.TOMLDecodeError as error:
            raise MtcourseError(f"{self._path} is not TOML: {error}") from error
        self._check_names(rules, _KEYS, "there is no rule")
        if "timezone" in rules:
            self._timezone = self._read_zone(rules["timezone"])
        deadlines = self._read_deadlines(self._table(rules, "deadlines"), "deadlines")
        extensions = {
            (learner, notebook): time
            for learner, own in self._table(rules, "extensions").items()
            for notebook, time in self._read_deadlines(own, learner).items()
        }
        for learner, notebook in extensions:
            if notebook not in deadlines:
                self._fail(learner, f"{notebook} has no deadline that could be extended")
        self._within = ""
        resubmissions = rules.get("resubmissions", LAST)
        if resubmissions not in (LAST, BEST):
            self._fail("resubmissions", f'is "{LAST}" or "{BEST}", not {resubmissions!r}')
        return {
            "timezone": self._timezone,
            "numbers": self._read_flag(rules, "numbers"),
            "partial_credit": self._read_flag(rules, "partial_credit"),
            "deadlines": deadlines,
            "extensions": extensions,
            "late": self._read_late_rule(self._table(rules, "late")),
            "resubmissions": resubmissions,
            "left_out": self._read_left_out(self._table(rules, "left_out")),
        }

    def _read_zone(self, name: object) -> tzinfo:
        try:
            return ZoneInfo(str(name))
        except (LookupError, ValueError, OSError):
            self._fail("timezone", f'{name!r} is no time zone; one is "Europe/Amsterdam"')

    def _read_deadlines(self, table: object, name: str) -> dict[str, datetime]:
        if not isinstance(table, dict):
            self._fail(name, "has to be a table with a time for each notebook")
        self._check_names(table, self._known, "there is no solution of a notebook")
        deadlines = {}
        for notebook, time in table.items():
            if not isinstance(time, datetime):
                self._fail(notebook, "the time is written as in 2026-10-02T23:59:00, unquoted")
            if time.tzinfo is None and self._timezone is None:
                self._fail(notebook, 'a time needs a zone: write timezone = "Europe/Amsterdam" '
                           "above all tables, with your own zone")  # fmt: skip
            deadlines[notebook] = time if time.tzinfo else time.replace(tzinfo=self._timezone)
        return deadlines

    def _read_late_rule(self, table: dict[str, Any]) -> LateRule:
        self._check_names(table, _LATE_KEYS, "[late] has no rule")
        percent, days = table.get("percent_per_day", 0), table.get("days")
        if not _is_number(percent) or not 0 <= percent <= 100:
            self._fail("percent_per_day", f"is a number from 0 to 100, not {percent!r}")
        if days is not None and (not isinstance(days, int) or isinstance(days, bool) or days < 0):
            self._fail("days", f"is a whole number of days, not {days!r}")
        return LateRule(float(percent), days, self._read_flag(table, "file_dates"))

    def _read_left_out(self, table: dict[str, Any]) -> dict[str, frozenset[str]]:
        self._check_names(table, self._known, "there is no solution of a notebook")
        found = {}
        for notebook, exercises in table.items():
            if not isinstance(exercises, list) or not all(isinstance(e, str) for e in exercises):
                self._fail(notebook, 'is a list of exercises, as in ["causal_mask"]')
            for one in exercises:
                if one not in self._known[notebook]:
                    close = suggest_name(one, self._known[notebook])
                    self._fail(notebook, f"{notebook} has no exercise {one!r}{close}")
            found[notebook] = frozenset(exercises)
        return found

    def _read_flag(self, table: dict[str, Any], name: str) -> bool:
        value = table.get(name, False)
        if not isinstance(value, bool):
            self._fail(name, f"is true or false, not {value!r}")
        return value

    def _table(self, rules: dict[str, Any], name: str) -> dict[str, Any]:
        table, self._within = rules.get(name, {}), name
        if not isinstance(table, dict):
            self._fail(name, f"is a table: write [{name}], and its rules in the lines below")
        return table

    def _check_names(self, table: Collection[str], allowed: Collection[str], fault: str) -> None:
        for name in table:
            if name not in allowed:
                close = suggest_name(name, allowed) or f"; there are {', '.join(sorted(allowed))}"
                self._fail(name, f"{fault} {name!r}{close}")

    def _fail(self, name: str, fault: str) -> NoReturn:
        """Raises the error on a key, with the first line of its table in which the key stands."""
        table = re.search(rf"^\s*\[\s*{self._within}\b", self._text, re.M) if self._within else None
        key = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        found = key.search(self._text, table.start() if table else 0)
        line = self._text.count("\n", 0, found.start()) + 1 if found else 0
        where = f"{self._path}, line {line}" if line else f"{self._path}"
        raise MtcourseError(f"{where}: {name}: {fault}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
