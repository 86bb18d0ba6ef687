"""What the four documents claim, and where the course has it: function, test, exercise.

The claims stand in ``claims.toml`` beside this file, which says what each key means.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from mtcourse.errors import MtcourseError

KINDS = ("definition", "equation", "example", "statement")

_FORMS = {
    "chapter": r"\d\d_[a-z0-9_]+",
    "same_as": r"[A-D]\d\d",
    "function": r"mtcourse(\.\w+)+",
    "test": r"tests/(\w+/)*test_\w+\.py::test_\w+",
    "exercise": r"\d\d_[a-z0-9_]+#[a-z0-9_]+",
}


@dataclass(frozen=True)
class Claim:
    """One equation or testable statement of a document.

    Args:
        id: the document's letter and a number, such as "A07".
        section: where in the document.
        kind: "definition", "equation", "example" or "statement".
        chapter: the file, without its ending, of the one chapter that teaches it.
        equation: LaTeX in the document's symbols; empty if it is only said.
        says: one sentence about it; empty where the equation says it all.
        same_as: the claim whose numbered equation in the chapter is this one too.
        disagrees: what is wrong, missing, or different in another document; empty if nothing is.
        function: dotted path of the public function or class that is it.
        test: ``file::function`` of the test that proves it.
        exercise: notebook#exercise that practises it.

    The last three are empty until the chapter is written.

    Raises:
        MtcourseError: a value that cannot be, with the claim's id.
    """

    id: str
    section: str
    kind: str
    chapter: str
    equation: str = ""
    says: str = ""
    same_as: str = ""
    disagrees: str = ""
    function: str = ""
    test: str = ""
    exercise: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-D]\d\d", self.id):
            raise MtcourseError(
                f"{self.id!r} is no claim: an id is a letter, A to D, and two digits"
            )
        for field in fields(self):
            if not isinstance(getattr(self, field.name), str):
                raise MtcourseError(f"claim {self.id}: {field.name} must be text")
        if self.kind not in KINDS:
            raise MtcourseError(
                f"claim {self.id}: its kind is one of {', '.join(KINDS)}, not {self.kind!r}"
            )
        if not (self.equation or self.says):
            raise MtcourseError(f"claim {self.id} has neither an equation nor a sentence")
        for key, form in _FORMS.items():
            value = getattr(self, key)
            if (value or key == "chapter") and not re.fullmatch(form, value):
                raise MtcourseError(f"claim {self.id}: {value!r} is no {key}")

    @property
    def document(self) -> str:
        """The document's letter."""
        return self.id[0]


@cache
def claims() -> Mapping[str, Claim]:
    """All claims by their id, in the order of the documents.

    Raises:
        MtcourseError: the package's table is damaged, and where.
    """
    text = files("mtcourse").joinpath("claims.toml").read_text(encoding="utf-8")
    return MappingProxyType(read_claims(text))


def read_claims(text: str) -> dict[str, Claim]:
    """Reads a table of claims, written in TOML.

    Raises:
        MtcourseError: it is no TOML, or a claim has an unknown, missing or impossible value.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MtcourseError(f"the table of claims is not TOML: {error}") from error
    read = {id: _claim(id, values) for id, values in tables.items()}
    for claim in read.values():
        if claim.same_as and not (claim.same_as in read and read[claim.same_as].equation):
            raise MtcourseError(f"claim {claim.id}: same_as names no equation: {claim.same_as}")
    return read


def _claim(id: str, values: Any) -> Claim:
    """One table of the file."""
    if not isinstance(values, dict):
        raise MtcourseError(f"{id!r} stands outside the claims: each is a table, such as [A07]")
    known = {field.name for field in fields(Claim)} - {"id"}
    if unknown := sorted(set(values) - known):
        raise MtcourseError(f"claim {id} has unknown keys: {', '.join(unknown)}")
    if missing := sorted({"section", "kind", "chapter"} - set(values)):
        raise MtcourseError(f"claim {id} lacks {', '.join(missing)}")
    return Claim(id, **values)
