"""What a verdict depends on, as one key: the same key means the same verdict."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import mtcourse
from mtcourse.checks.banks import bank_folders
from mtcourse.grading.grade_job import versions
from mtcourse.grading.jobs import Job

PARTS = {
    "submission": "the submission has changed",
    "solution": "the solution has changed",
    "seed": "it is graded on another seed",
    "isolation": "kernels are kept apart in another way",
    "limits": "the limits are others",
    "environment": "the installed versions are others",
    "grader": "the grader has changed",
}
"""The parts of a key, in their order, and what it means that one is another than before."""
_DIGITS = 16


def key_of(job: Job) -> str:
    """The key of a job on this machine: a hash of each part, so that two keys tell what differs."""
    parts = {
        "submission": job.content,
        "solution": job.solution,
        "seed": str(job.seed).encode(),
        "isolation": job.isolation.encode(),
        "limits": json.dumps(asdict(job.limits), sort_keys=True).encode(),
        "environment": json.dumps(dict(versions()), sort_keys=True).encode(),
        "grader": grader_version().encode(),
    }
    return ".".join(hashlib.sha256(parts[name]).hexdigest()[:_DIGITS] for name in PARTS)


def differences(key: str, other: str) -> list[str]:
    """The names of the parts in which two keys differ; of a strange key all."""
    ours, theirs = key.split("."), other.split(".")
    if len(ours) != len(PARTS) or len(theirs) != len(PARTS):
        return list(PARTS)
    return [name for name, one, two in zip(PARTS, ours, theirs, strict=True) if one != two]


def surroundings() -> Mapping[str, str]:
    """What verdicts depend on besides submission, solution and how it is graded, by name."""
    return {**versions(), "grader": grader_version()}


@functools.cache
def grader_version() -> str:
    """A hash of the code that judges: the checks, their banks, and the grader."""
    package = Path(mtcourse.__path__[0])
    found = hashlib.sha256()
    for folder in (package / "checks", package / "grading", *bank_folders().values()):
        for path in sorted(folder.rglob("*.py")):
            found.update(path.relative_to(package).as_posix().encode() + b"\0")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:_DIGITS]
