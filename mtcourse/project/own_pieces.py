"""The functions that a learner has written in the course's notebooks, gathered (chapter 20)."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

from mtcourse.errors import MtcourseError

if TYPE_CHECKING:
    from mtcourse.checks.exercise import Exercise

NOTEBOOKS = {
    "02_embeddings": ("embed",),
    "03_positions": ("sinusoidal_positions",),
    "04_attention": ("scaled_scores",),
    "05_masks": ("causal_mask", "padding_mask", "masked_weights"),
    "08_loss": ("smoothed_loss",),
    "09_multi_head": ("split_heads",),
    "10_blocks": ("layer_norm", "position_wise_network"),
    "12_training": ("label_shift", "schedule", "adam"),
    "14_kv_cache": ("translator_step", "beams_move"),
    "18_search": ("beam_step", "length_scores", "reachable_score"),
}
"""The pieces of a translator by the notebook in which they are written."""
PIECES = tuple(piece for pieces in NOTEBOOKS.values() for piece in pieces)


@dataclass(frozen=True)
class OwnPieces:
    """Functions that make a translator, each of them an attribute: ``pieces.embed(ids, W_E)``.

    Args:
        functions: by name; all of ``PIECES``.
        missing: pieces that are not the learner's, and why; the course's stand in for them.
    """

    functions: Mapping[str, Callable[..., Any]]
    missing: Mapping[str, str]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in PIECES:
            return self.functions[name]
        raise AttributeError(f"{name!r} is no piece; there are {', '.join(PIECES)}")

    def __str__(self) -> str:
        yours = [piece for piece in PIECES if piece not in self.missing]
        lines = [f"yours, {len(yours)} of {len(PIECES)}: {', '.join(yours) or 'none yet'}"]
        lines += [f"the course's {piece}: {why}" for piece, why in self.missing.items()]
        return "\n".join(lines)


def notebooks_beside(folder: Path | str = ".") -> bool:
    """Whether one of the notebooks with pieces lies in a folder."""
    return any(Path(folder, f"{stem}.ipynb").is_file() for stem in NOTEBOOKS)


def own_pieces(folder: Path | str = ".") -> OwnPieces:
    """The pieces in the notebooks of a folder, each tried with the checks of its notebook.

    A notebook is not run: its imports and its definitions are. A piece that is missing, or that its
    check does not accept, is the course's own.

    Args:
        folder: where the notebooks lie, under their names.

    Raises:
        MtcourseError: one of them is no notebook.

    Chapter 20.
    """
    from mtcourse.checks.banks import bank_of  # not there where an answer is graded

    functions: dict[str, Callable[..., Any]] = {}
    missing: dict[str, str] = {}
    for stem, pieces in NOTEBOOKS.items():
        path = Path(folder, f"{stem}.ipynb")
        checks = {exercise.id: exercise for exercise in bank_of(stem)}
        scope = definitions_of(path) if path.is_file() else None
        for piece in pieces:
            why = _what_is_wrong(piece, scope, checks[piece], path.name)
            if why:
                missing[piece] = why
            functions[piece] = checks[piece].oracle if why or scope is None else scope[piece]
    return OwnPieces(functions, missing)


def _what_is_wrong(
    piece: str, scope: Mapping[str, Any] | None, exercise: Exercise, notebook: str
) -> str:
    """Why a piece cannot be taken; nothing if it can."""
    from mtcourse.checks.judge import judge

    if scope is None:
        return f"{notebook} is not in this folder"
    if piece not in scope:
        return f"{notebook} does not define it"
    return "" if judge(exercise, scope[piece]).passed else f"its check in {notebook} does not pass"


def definitions_of(path: Path) -> dict[str, Any]:
    """What the cells of a notebook import and define, without running anything else of them.

    Args:
        path: of the notebook. A cell that is not Python is passed over, and so is an import or a
            definition that fails.

    Raises:
        MtcourseError: the file is no notebook.
    """
    try:
        notebook: Any = nbformat.read(path, as_version=4)
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    except Exception as error:  # nbformat meets a damaged file with errors of every kind
        raise MtcourseError(f"{path} is no notebook: {error}") from error
    scope: dict[str, Any] = {"__name__": path.stem}
    for source in cells:
        for statement in _definitions(source):
            alone = ast.Module([statement], type_ignores=[])
            try:
                exec(compile(alone, str(path), "exec"), scope)
            except (Exception, SystemExit):
                continue  # what needs it will fail its check
    return scope


def _definitions(source: str) -> Iterator[ast.stmt]:
    """Imports, definitions and plain values of a cell, without Jupyter's own commands."""
    commands = re.compile(r"\s*[%!?]|.*\?\s*$")
    plain = "\n".join("" if commands.match(line) else line for line in source.splitlines())
    try:
        statements = ast.parse(plain).body
    except SyntaxError:
        return
    for statement in statements:
        if isinstance(
            statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
        ) or _names_a_value(statement):
            yield statement


def _names_a_value(statement: ast.stmt) -> bool:
    """Whether a statement only gives a name to something, as ``NEG = -math.inf`` does.

    What calls a function may take long. ``float("-inf")`` does not, and a lambda is not called.
    """
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return False
    inside: list[ast.AST] = [statement.value]
    while inside:
        node = inside.pop()
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id == "float"
        ):
            return False
        if not isinstance(node, ast.Lambda):
            inside.extend(ast.iter_child_nodes(node))
    return True
