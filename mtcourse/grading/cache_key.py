"""The cache key of a job: everything that its verdict depends on."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import mtcourse
from mtcourse.checks.banks import bank_folders
from mtcourse.grading.grade_job import installed_versions
from mtcourse.grading.jobs import Job

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
        "grader": grader_version().encode(),
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


@functools.cache
def grader_version() -> str:
    """Returns a hash of the code that judges: the checks, their banks, and the grader."""
    package = Path(mtcourse.__path__[0])
    found = hashlib.sha256()
    for folder in (package / "checks", package / "grading", *bank_folders().values()):
        for path in sorted(folder.rglob("*.py")):
            found.update(path.relative_to(package).as_posix().encode() + b"\0")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:_DIGITS]
