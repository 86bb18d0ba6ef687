"""What must hold of every model's sizes, and of a config that is read from a file (chapter 10)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from mtcourse.errors import MtcourseError


def check_sizes(config: Any) -> None:
    """Raises unless a model with these sizes can be built.

    Args:
        config: a dataclass with d_model, h, dropout and norm; each of its whole numbers is a
            size.

    Raises:
        MtcourseError: a size is below 1, the heads cannot share the width, or dropout or norm is
            out of range; the message quotes the values.
    """
    for name in (field.name for field in fields(config) if field.type == "int"):
        if getattr(config, name) < 1:
            raise MtcourseError(f"{name} must be at least 1, not {getattr(config, name)}")
    if config.d_model % config.h:
        raise MtcourseError(
            f"d_model must be a multiple of h, but {config.d_model} is not one of {config.h}"
        )
    if not 0 <= config.dropout < 1:
        raise MtcourseError(f"dropout must be in [0, 1), not {config.dropout}")
    if config.norm not in ("pre", "post"):
        raise MtcourseError(f"norm must be 'pre' or 'post', not {config.norm!r}")


def check_keys(kind: type, values: Mapping[str, Any], needed: Collection[str]) -> None:
    """Raises if values name a field that a config does not have, or leave out one that is needed.

    Args:
        kind: the config's dataclass.
        values: as a checkpoint stores them.
        needed: the fields without a default.

    Raises:
        MtcourseError: keys are unknown or missing; the message names them.
    """
    known = {field.name for field in fields(kind)}
    if unknown := sorted(set(values) - known):
        raise MtcourseError(f"the model's config has unknown keys: {', '.join(unknown)}")
    if missing := sorted(set(needed) - set(values)):
        raise MtcourseError(f"the model's config lacks {', '.join(missing)}")
