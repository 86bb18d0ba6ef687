"""Which banks of checks there are: a folder ``exercises`` for each chapter that has any.

This is the one place that knows where they lie. It looks at folders alone, which may be hidden and
seem empty, and imports a bank only where its exercises are asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from pathlib import Path

from mtcourse.checks.exercise import Exercise
from mtcourse.errors import MtcourseError

PACKAGE = "mtcourse"
CHAPTERS = f"{PACKAGE}.chapters"
EXERCISES = "exercises"


def bank_folders(package: Path | None = None) -> dict[str, Path]:
    """The folder of each bank, by the chapter's word.

    Args:
        package: the folder of a package that is laid out as this one; None takes this one.
    """
    package = Path(__file__).resolve().parents[1] if package is None else package
    found = sorted((package / "chapters").glob(f"*/{EXERCISES}"))
    return {folder.parent.name: folder for folder in found if folder.is_dir()}


def bank_module(word: str) -> str:
    """The name of the module with a chapter's checks."""
    return f"{CHAPTERS}.{word}.{EXERCISES}"


def bank_of(notebook: str, cohort: str = "") -> Sequence[Exercise]:
    """The checks of a notebook, which has the chapter's word after its number, as "05_masks".

    Args:
        notebook: its name.
        cohort: the cohort whose numbers it has; empty for the published ones.

    Raises:
        MtcourseError: there are none.
    """
    module = bank_module(notebook.partition("_")[2])
    try:
        published = importlib.import_module(module).EXERCISES
    except (ImportError, AttributeError) as error:
        raise MtcourseError(
            f"there are no checks for {notebook}: they belong in {module}, whose __init__.py "
            "defines EXERCISES and check"
        ) from error
    return [exercise.for_cohort(cohort) for exercise in published] if cohort else published


def exercises_in(module: str, path: Sequence[str]) -> tuple[Exercise, ...]:
    """The exercises of a bank, one from each of its files, in the order of their names.

    Args:
        module: the bank's ``__name__``.
        path: its ``__path__``.
    """
    files = sorted(found.name for found in pkgutil.iter_modules(path))
    return tuple(importlib.import_module(f"{module}.{name}").EXERCISE for name in files)
