"""A folder for each learner that no other learner shares, on any file system.

macOS and Windows take ``Ada`` and ``ada`` for one name, and macOS also the two ways in which
Unicode writes ``Zoë``. Where two learners' names are such a pair, one of them gets a folder with
another name, and keeps it: the names that are on the disk stay as they are.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.submission_paths import safe_name

RECORDS, FEEDBACK, GRADESCOPE = "records", "feedback", "gradescope"
"""The folders of grades that have a folder for each learner."""


def name_folders(learners: Iterable[str], out: Path) -> dict[str, str]:
    """Returns the name of each learner's folders in a folder of grades.

    Args:
        learners: the learners of the class.
        out: the folder of grades; a learner who has a folder there keeps its name.
    """
    present = [name for one in (RECORDS, FEEDBACK, GRADESCOPE) for name in _list_names(out / one)]
    return distinct_names(learners, present)


def _list_names(folder: Path) -> list[str]:
    """Returns the names in a folder, as they were written; none if there is no folder."""
    return os.listdir(folder) if folder.is_dir() else []


def distinct_names(learners: Iterable[str], present: Iterable[str] = ()) -> dict[str, str]:
    """Returns a name for each learner that is valid for a file, and distinct on every system.

    >>> distinct_names(["Ada", "ada", "Bo"])
    {'Ada': 'Ada', 'Bo': 'Bo', 'ada': 'ada~fdee43'}
    >>> distinct_names(["Ada", "ada"], present=["ada"])
    {'ada': 'ada', 'Ada': 'Ada~99a563'}

    Args:
        learners: the learners.
        present: names that are in use; each stays with the learner whose name it is.
    """
    here = {unicodedata.normalize("NFC", name) for name in present}
    names: dict[str, str] = {}
    owned: set[str] = set()
    waiting = []
    for learner in _in_order(learners):
        kept = (one for one in _candidates(learner) if one in here and fold_name(one) not in owned)
        if name := next(kept, ""):
            names[learner] = name
            owned.add(fold_name(name))
        else:
            waiting.append(learner)
    return names | add_names(waiting, here)


def add_names(learners: Iterable[str], present: Iterable[str]) -> dict[str, str]:
    """Returns a name for each learner who has none yet, distinct from those that are present."""
    taken = {fold_name(name) for name in present}
    names = {}
    for learner in _in_order(learners):
        free = (one for one in _candidates(learner) if fold_name(one) not in taken)
        names[learner] = next(free)
        taken.add(fold_name(names[learner]))
    return names


def _in_order(learners: Iterable[str]) -> list[str]:
    """Sorts learners: first those who have handed in, whose names are those of files already."""
    return sorted(set(learners), key=lambda learner: (safe_name(learner) != learner, learner))


def fold_name(name: str) -> str:
    """Returns a text that is equal for all names that some file system takes for one.

    >>> fold_name("ZO\u00cb") == fold_name("zoe\u0308")
    True
    """
    folded = unicodedata.normalize("NFD", name).upper().casefold()
    return unicodedata.normalize("NFC", folded)


def _candidates(learner: str) -> list[str]:
    """Returns the names that a learner's folder may have, the most readable one first.

    The name of another learner never looks like the later ones: it contains no ``~``.
    """
    plain = safe_name(learner)
    digest = hashlib.sha256(learner.encode("utf-8", "surrogatepass")).hexdigest()
    return [plain, f"{plain}~{digest[:6]}", f"{plain}~{digest[:24]}"]


def refuse_alike(names: Iterable[str]) -> None:
    """Checks that notebooks and projects have names that are distinct on every system.

    Raises:
        MtcourseError: two of them have not.
    """
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(fold_name(name), name)
        if other != name:
            raise MtcourseError(
                f"{other} and {name} are one name on macOS and Windows, and their results would "
                "overwrite each other there: rename one"
            )
