"""Where the course's repository is published: ``_config.yml`` says it, and all else follows."""

from __future__ import annotations

import re
from pathlib import Path

NOT_SET = "https://github.com/not-set/not-set"
"""The address in ``_config.yml`` of a repository that has none yet."""
_ADDRESS = re.compile(r"^repository:[^\n]*\n(?:(?:[ \t][^\n]*)?\n)*?[ \t]+url:[ \t]*(\S+)", re.M)


def repository_address(course: Path) -> str | None:
    """The address of the repository; None where it has none, or where there is no course.

    Args:
        course: the folder of the course.
    """
    config = course / "_config.yml"
    if not config.is_file():
        return None
    found = _ADDRESS.search(config.read_text(encoding="utf-8"))
    address = found[1].strip("'\"").rstrip("/") if found else NOT_SET
    return None if address == NOT_SET else address
