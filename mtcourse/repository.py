"""Where the course's repository is published: ``_config.yml`` says it, and all else follows."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import yaml

from mtcourse.errors import MtcourseError

NOT_SET = "https://github.com/not-set/not-set"
"""The address in ``_config.yml`` of a repository that has none yet."""
_CONFIG = "_config.yml"


def repository_address(inside: Path) -> str | None:
    """The address of the repository of a course; None where it has none, or outside of a course.

    Args:
        inside: the folder of the course, or a file or folder in it.

    Raises:
        MtcourseError: the configuration cannot be read, or what it has is no address.
    """
    place = inside.resolve()
    config = next(
        (at / _CONFIG for at in (place, *place.parents) if (at / _CONFIG).is_file()), None
    )
    if config is None:
        return None
    try:
        said = yaml.safe_load(config.read_text(encoding="utf-8-sig"))
    except yaml.YAMLError as error:
        raise MtcourseError(f"{config} cannot be read: {error}") from error
    repository = said.get("repository") if isinstance(said, dict) else None
    return checked_address(repository.get("url") if isinstance(repository, dict) else None)


def checked_address(address: str | None) -> str | None:
    """An address in the one form that others are made from; None where none is set.

    Args:
        address: such as ``https://github.com/owner/name``, which may end with ``/`` or ``.git``.

    Raises:
        MtcourseError: it is not the address of a repository on the web.
    """
    said = str(address or "").strip().rstrip("/").removesuffix(".git")
    if said in ("", NOT_SET):
        return None
    parts = urlsplit(said)
    if parts.scheme not in ("http", "https") or "/" not in parts.path.strip("/"):
        raise MtcourseError(
            f"{address!r} is no address of a repository: under repository, the url in {_CONFIG} "
            'must be like "https://github.com/owner/name"'
        )
    return said
