"""The stored results of a class: a file for each learner, notebook and attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mtcourse.grading.results import GRADED, SubmissionResult
from mtcourse.whole_files import write_whole

UNKNOWN_NOTEBOOK = "unknown"
"""The name of a record of files that match no known notebook."""


@dataclass(frozen=True)
class Records:
    """The stored results.

    Args:
        folder: where they are.
        folders: the name of each learner's folder; by default it is the learner's name.
    """

    folder: Path
    folders: Mapping[str, str] = field(default_factory=dict)

    def path(self, learner: str, notebook: str, attempt: str = "") -> Path:
        """Returns the path of the stored result of a learner's notebook.

        Args:
            learner: the author.
            notebook: its name.
            attempt: which earlier attempt; empty for the last one.
        """
        name = notebook or UNKNOWN_NOTEBOOK
        folder = self.folder / self.folders.get(learner, learner)
        return folder / (f"{name}/{attempt}.json" if attempt else f"{name}.json")

    def read(self, learner: str, notebook: str, attempt: str = "") -> SubmissionResult | None:
        """Reads a stored result; None if there is none, or if it cannot be read."""
        kept = read_result(self.path(learner, notebook, attempt))
        return kept if kept and (kept.learner, kept.notebook) == (learner, notebook) else None

    def write(self, result: SubmissionResult, is_last: bool = True) -> None:
        """Stores a result, completely or not at all; what was stored of another attempt stays.

        Args:
            result: the result of an attempt.
            is_last: whether no later attempt follows.
        """
        attempt = name_attempt(result.key)
        if not is_last:
            if attempt:  # a file that cannot be read has no key
                path = self.path(result.learner, result.notebook, attempt)
                write_whole(path, result.to_json(), private=True)
            return
        before = self.read(result.learner, result.notebook)
        if before and before.state == GRADED and name_attempt(before.key) != attempt:
            self.write(before, is_last=False)
        path = self.path(result.learner, result.notebook)
        write_whole(path, result.to_json(), private=True)


def read_result(path: Path) -> SubmissionResult | None:
    """Reads the result in a file; None if there is none."""
    try:
        return SubmissionResult.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def name_attempt(key: str) -> str:
    """Returns the name of an attempt: the part of the cache key for the submission."""
    return key.partition(".")[0]
