"""The cache key of a job: everything that its verdict depends on."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import mtcourse
from mtcourse.checks.banks import bank_folders
from mtcourse.grading.grade_job import installed_versions
from mtcourse.grading.jobs import Job
from mtcourse.grading.needed_modules import (
    find_imported_names,
    find_modules,
    find_needed_modules,
)
from mtcourse.grading.solution_notebook import read_cells

KEY_PARTS = {
    "submission": "the submission has changed",
    "solution": "the solution has changed",
    "seed": "it is graded on another seed",
    "isolation": "kernels are kept apart in another way",
    "limits": "the limits are others",
    "environment": "the installed versions are others",
    "grader": "the grader has changed",
}
"""The parts of a key in their order, each with the message for a part that has changed."""
_DIGITS = 16


def compute_cache_key(job: Job) -> str:
    """Computes the key of a job on this machine: a hash for each of its parts."""
    parts = {
        "submission": job.content,
        "solution": job.solution,
        "seed": str(job.seed).encode(),
        "isolation": job.isolation.encode(),
        "limits": json.dumps(asdict(job.limits), sort_keys=True).encode(),
        "environment": json.dumps(dict(installed_versions()), sort_keys=True).encode(),
        "grader": grader_version(job.solution).encode(),
    }
    return ".".join(hashlib.sha256(parts[name]).hexdigest()[:_DIGITS] for name in KEY_PARTS)


def find_changed_parts(key: str, other: str) -> list[str]:
    """Returns the parts in which two keys differ; all parts if one is not a key of this form."""
    ours, theirs = key.split("."), other.split(".")
    if len(ours) != len(KEY_PARTS) or len(theirs) != len(KEY_PARTS):
        return list(KEY_PARTS)
    return [name for name, one, two in zip(KEY_PARTS, ours, theirs, strict=True) if one != two]


def grading_environment() -> Mapping[str, str]:
    """Returns the versions of packages and grader, on which every verdict depends."""
    return {**installed_versions(), "grader": grader_version()}


@functools.lru_cache(maxsize=256)
def grader_version(solution: bytes = b"") -> str:
    """Returns a hash of the code that judges, of all that it imports, and of the data beside it.

    That is the checks, their banks, and the grader, with the layers and models that right answers
    are computed by; and what the given cells of a notebook import.

    Args:
        solution: the solution of that notebook; none of them if it is empty.
    """
    package = Path(mtcourse.__path__[0])
    own = (package / "checks", package / "grading", *bank_folders().values())
    known = find_modules()
    seeds = [name for name, path in known.items() if any(map(path.is_relative_to, own))]
    with contextlib.suppress(ValueError, KeyError, TypeError):  # else grading it says what is wrong
        cells = read_cells(json.loads(solution))
        seeds += find_imported_names(cell.text for cell in cells if cell.kind == "code")
    files = {known[name] for name in find_needed_modules(seeds)}
    files |= {path for folder in {file.parent for file in files} for path in _find_data(folder)}
    found = hashlib.sha256()
    for path in sorted(files):
        found.update(path.relative_to(package).as_posix().encode() + b"\0")
        found.update(_hash_file(path))
    return found.hexdigest()[:_DIGITS]


def _find_data(folder: Path) -> Iterator[Path]:
    """Yields the files in a package's folder that are no modules, and those in its data folders."""
    for path in folder.iterdir():
        if path.is_dir() and path.name != "__pycache__" and not _is_package(path):
            yield from _find_data(path)
        elif path.is_file() and path.suffix not in (".py", ".pyc"):
            yield path


@functools.cache
def _hash_file(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _is_package(folder: Path) -> bool:
    """Whether a folder holds modules of its own; one of data may be named as a package."""
    return any(path.name != "__init__.py" for path in folder.glob("*.py"))
