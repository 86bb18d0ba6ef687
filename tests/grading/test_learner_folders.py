"""No two learners share a file, on any file system, and nobody's files move when others join."""

from __future__ import annotations

import doctest
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.grading import learner_folders
from mtcourse.grading.learner_folders import distinct_names, name_folders, refuse_alike
from mtcourse.grading.reports import write_reports
from mtcourse.grading.results import SubmissionResult
from mtcourse.grading.submission_paths import safe_name
from mtcourse.whole_files import write_whole
from tests.grading.test_grade_command import Teacher
from tests.helpers.made_results import result

WAYS = [
    lambda name: unicodedata.normalize("NFC", name.casefold()),
    lambda name: unicodedata.normalize("NFD", name).casefold(),
    lambda name: name.lower(),
    lambda name: name.upper(),
]
"""How file systems take different names for one."""


def all_differ(names: Iterable[str]) -> bool:
    """Whether all names are different on every file system."""
    names = list(names)
    return all(len(set(map(way, names))) == len(names) for way in WAYS)


LETTERS = st.sampled_from(["a", "A", "é", "É", "e\u0301", "E\u0301", "ß", "ss", "İ", "i", "ı", "/"])
LEARNERS = st.lists(LETTERS, min_size=1, max_size=2).map("".join)


@given(st.lists(st.sets(LEARNERS, max_size=5), min_size=2, max_size=4))
def test_names_are_distinct_readable_and_stay_whoever_joins(groups):
    learners: set[str] = set()
    before: dict[str, str] = {}
    for joining in groups:
        learners |= {safe_name(name) for name in joining}  # as those are called who hand in
        names = distinct_names(learners, before.values())
        assert set(names) == learners
        assert all_differ(names.values())
        assert before.items() <= names.items()
        assert names == distinct_names(sorted(learners, reverse=True), [*before.values()][::-1])
        for learner, name in names.items():
            assert name.startswith(learner)
            others = [one for one in learners if one != learner]
            if all(all_differ([learner, other]) for other in others):
                assert name == learner
        before = names
    # A file system may also list names with their accents apart.
    apart = [unicodedata.normalize("NFD", name) for name in before.values()]
    assert distinct_names(learners, apart) == before


@given(st.sets(LEARNERS, max_size=8), st.sets(LEARNERS.map(safe_name), max_size=8))
def test_any_names_are_distinct_whatever_is_there(learners, present):
    names = distinct_names(learners, present)
    assert set(names) == learners
    assert all_differ(names.values())


class IgnoresCase:
    """A file system that takes names for one which differ in case alone, or in their accents."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: dict[str, Path] = {}
        self.overwritten: list[tuple[Path, Path]] = []
        for module in ("command", "records", "rubric", "reports"):
            monkeypatch.setattr(f"mtcourse.grading.{module}.write_whole", self.write)

    def write(self, path: Path, content: str | bytes, private: bool = False) -> None:
        """Writes a file; each part of its path is called as whoever was first has called it."""
        for one in (path, *path.parents):
            key = unicodedata.normalize("NFC", str(one).casefold())
            if (first := self.names.setdefault(key, one)) != one:
                self.overwritten.append((first, one))
        write_whole(path, content, private)


def test_a_class_on_a_file_system_that_ignores_case(tmp_path, monkeypatch):
    disk = IgnoresCase(monkeypatch)
    teacher = Teacher(tmp_path, monkeypatch)
    teacher.hands_in("ada", b"wrong")
    teacher.grades()
    assert teacher.record("ada").points == 0
    for name in ("Ada", "ADA", "Zo\u00eb", "zoe\u0308"):
        teacher.hands_in(name)
    _, _, graded = teacher.grades()
    assert graded == ["ADA", "Ada", "Zo\u00eb", "zo\u00eb"]
    assert teacher.grades()[2] == []
    assert disk.overwritten == []
    points = {learner: one.points for learner, one in stored_results(teacher.out).items()}
    assert points == {"ada": 0, "Ada": 21, "ADA": 21, "Zo\u00eb": 21, "zo\u00eb": 21}
    folders = name_folders(points, teacher.out)
    assert folders["ada"] == "ada"  # who was first
    for learner, folder in folders.items():
        page = teacher.out / "feedback" / folder / "04_attention.html"
        assert learner in page.read_text(encoding="utf-8")
        assert (teacher.out / "gradescope" / folder / "results.json").exists()


def stored_results(out: Path) -> dict[str, SubmissionResult]:
    """The records of a class, by learner."""
    files = (out / "records").glob("*/*.json")
    results = [SubmissionResult.from_json(path.read_text(encoding="utf-8")) for path in files]
    found = {one.learner: one for one in results}
    assert len(found) == len(results)
    return found


def test_reports_of_those_without_a_record_keep_their_folders(tmp_path):
    """A project is graded on a form; who has nothing else has no record."""
    write_reports([result("Ada", notebook="project_x")], tmp_path, {})
    write_reports([result("Ada", notebook="project_x"), result("ada")], tmp_path, {})
    assert name_folders(["ada", "Ada"], tmp_path)["Ada"] == "Ada"
    files = {path.name for path in (tmp_path / "feedback" / "Ada").iterdir()}
    assert files == {"project_x.html", "project_x.ipynb"}
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    for path in (tmp_path / "feedback").glob("*/*.html"):
        assert path.relative_to(tmp_path).as_posix() in report


def test_notebooks_that_are_one_name_are_refused(tmp_path, monkeypatch):
    refuse_alike(["05_masks", "05_masks", "04_attention"])
    with pytest.raises(MtcourseError, match="04_attention and 04_Attention are one name"):
        refuse_alike(["04_attention", "04_Attention"])
    teacher = Teacher(tmp_path, monkeypatch)
    teacher.hands_in("ada")
    form = [result("ada", notebook="04_Attention")]
    monkeypatch.setattr("mtcourse.grading.command.read_all_forms", lambda _: (form, []))
    with pytest.raises(MtcourseError, match="rename one"):
        teacher.grades()


def test_examples():
    assert doctest.testmod(learner_folders).attempted > 0
    assert doctest.testmod(learner_folders).failed == 0
