"""A learner's own functions, taken out of their exercise notebooks, for one translator of them all.

Each notebook is read as it lies in the folder, without being run: imports, functions and values
that are written down are taken from its code, each notebook in a namespace of its own. Then every
piece that is wanted goes through its exercise's check. What is missing or wrong is told, and the
course's own function stands in for it.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mtcourse.checks.banks import bank_of
from mtcourse.checks.guard import NOTEBOOK
from mtcourse.checks.judge import judge
from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import is_untouched
from mtcourse.grading.python_source import find_defined_names, parse_statements
from mtcourse.grading.solution_notebook import Cell
from mtcourse.grading.submitted_notebook import Unreadable, read_submitted_notebook
from mtcourse.layers.cross_attention import cross_attention


@dataclass(frozen=True)
class Piece:
    """A function that an exercise of Part I asks for, and the framework model is made of.

    Args:
        name: the exercise's id, and the function's name.
        notebook: where it is asked for, without its ending.
        does: what it is for, in a few words.
        stand_in: the course's own function, as a dotted name.
    """

    name: str
    notebook: str
    does: str
    stand_in: str


PIECES = (
    Piece("embed", "02_embeddings", "looks words up", "mtcourse.layers.embeddings.embed"),
    Piece(
        "sinusoidal_positions",
        "03_positions",
        "says where they stand",
        "mtcourse.layers.positions.sinusoidal_positions",
    ),
    Piece(
        "scaled_scores",
        "04_attention",
        "compares queries with keys",
        "mtcourse.layers.attention.scaled_scores",
    ),
    Piece("causal_mask", "05_masks", "hides what is later", "mtcourse.layers.masks.causal_mask"),
    Piece("padding_mask", "05_masks", "hides padding", "mtcourse.layers.masks.padding_mask"),
    Piece(
        "masked_weights",
        "05_masks",
        "turns scores into weights",
        "mtcourse.layers.attention.attention_weights",
    ),
    Piece(
        "cross_attention",
        "06_cross_attention",
        "asks the source",
        "mtcourse.chapters.multi_head.learner_functions.cross_attention_of_words",
    ),
    Piece(
        "feed_forward",
        "07_framework_model",
        "treats each row by itself",
        "mtcourse.models.framework_model.feed_forward",
    ),
    Piece(
        "decoder_input",
        "07_framework_model",
        "shifts the target right",
        "mtcourse.chapters.multi_head.learner_functions.shifted_right",
    ),
    Piece(
        "token_losses",
        "08_loss",
        "says how wrong it is",
        "mtcourse.training.likelihood.token_losses",
    ),
)
"""What ``mtcourse.chapters.multi_head.part_one`` puts together, in the order of the chapters."""


@dataclass(frozen=True)
class Found:
    """What became of one piece.

    Args:
        piece: which one.
        function: the learner's, or the course's in its place.
        own: whether it is the learner's.
        says: why it is not, in a line; empty where it is.
    """

    piece: Piece
    function: Callable[..., Any]
    own: bool
    says: str = ""


class Pieces:
    """The functions that a translator is put together from; each is an attribute by its name.

    Args:
        found: what became of each piece, in order.
    """

    def __init__(self, found: Sequence[Found]) -> None:
        self.found = tuple(found)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        for found in self.__dict__.get("found", ()):
            if found.piece.name == name:
                return found.function
        raise AttributeError(f"there is no piece {name}")

    @property
    def own(self) -> int:
        """How many are the learner's."""
        return sum(found.own for found in self.found)

    def __str__(self) -> str:
        """A line for each piece, and one for all."""
        lines = [_line(found) for found in self.found]
        rest = len(self.found) - self.own
        total = f"{self.own} of {len(self.found)} pieces are yours"
        return "\n".join(
            [*lines, f"{total}; the course's stand in for {rest}." if rest else f"{total}."]
        )


def cross_attention_of_words(
    X: Tensor, H_E: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, real: Tensor
) -> Tensor:
    """The course's cross-attention, called as chapter 6's exercise asks."""
    return cross_attention(X, H_E, W_Q, W_K, W_V, real[..., None, :])


def shifted_right(labels: Tensor, bos: int, pad: int) -> Tensor:
    """What a decoder reads: <bos>, then the labels but the last; padding stays where it is."""
    read = torch.cat([torch.full_like(labels[:, :1], bos), labels[:, :-1]], dim=1)
    return read.masked_fill(labels == pad, pad)


def collect_pieces(folder: Path | str = ".", pieces: Sequence[Piece] = PIECES) -> Pieces:
    """Takes the learner's functions from the exercise notebooks in a folder.

    Args:
        folder: where the notebooks lie; in a notebook of the course its own folder.
        pieces: which functions, and where each is asked for.

    Returns:
        Every piece: the learner's own where it passes its check, else the course's.
    """
    defined = {name: _Notebook(Path(folder), name) for name in {of.notebook: 0 for of in pieces}}
    return Pieces([_found(piece, defined[piece.notebook]) for piece in pieces])


class _Notebook:
    """The names that one notebook defines.

    Args:
        folder: where it lies.
        name: without its ending.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.fault = ""
        self.cells: Sequence[Cell] = ()
        path = folder / f"{name}.ipynb"
        if not path.exists():
            self.fault = f"there is no {path.name} in this folder"
            return
        try:
            self.cells = read_submitted_notebook(path).cells
        except Unreadable as error:
            self.fault = f"{path.name} cannot be read: {error}"
            return
        self.names = _defined(self.cells, path.name)

    def fault_of(self, name: str) -> str:
        """Why a function is not there; empty where it is."""
        if self.fault:
            return self.fault
        answers = [cell for cell in self.cells if cell.role == "answer" and cell.exercise == name]
        if callable(self.names.get(name)):
            return "not answered yet" if answers and all(map(is_untouched, answers)) else ""
        if any(not parse_statements(cell.text) for cell in answers):
            return "its answer cell is no valid Python"
        return "its function is not in the notebook"


def _defined(cells: Sequence[Cell], notebook: str) -> Mapping[str, Any]:
    """What the notebook's imports, functions, classes and plain values define, cells in order.

    Nothing else is run: no check, no training, nothing that is printed. A stub does not take the
    place of an answer that stands before it.
    """
    names: dict[str, Any] = {"__name__": NOTEBOOK}
    for cell in cells:
        if cell.kind != "code" or cell.role == "check":
            continue
        if is_untouched(cell) and find_defined_names(cell.text) <= set(names):
            continue
        for statement in filter(_only_defines, parse_statements(cell.text)):
            module = ast.Module([statement], [])
            try:
                exec(compile(module, f"<{notebook}, cell {cell.number}>", "exec"), names)
            except Exception:  # what it should have defined is then missing, and that is told
                continue
    return names


def _only_defines(statement: ast.stmt) -> bool:
    """Whether a statement gives something a name and does nothing else that takes time."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return statement.value is not None and _is_plain(statement.value)
    kinds = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
    return isinstance(statement, kinds)


def _is_plain(value: ast.expr) -> bool:
    """Whether a value is written down: a number, a text, or a list or a tuple of such."""
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _found(piece: Piece, notebook: _Notebook) -> Found:
    """The learner's function if it is right, else the course's and why."""
    fault = notebook.fault_of(piece.name)
    function = None if fault else notebook.names[piece.name]
    fault = fault or _verdict(piece, function)
    if fault or function is None:
        return Found(piece, _stand_in(piece), own=False, says=fault)
    return Found(piece, function, own=True)


def _verdict(piece: Piece, function: Callable[..., Any] | None) -> str:
    """What the exercise's check has against a function; empty where it has nothing."""
    try:
        bank = bank_of(piece.notebook)
    except (MtcourseError, AttributeError):
        return "its check is not here"  # as in a kernel where answers are graded
    exercise = next(exercise for exercise in bank if exercise.id == piece.name)
    verdict = judge(exercise, function)
    if verdict.passed:
        return ""
    return f"not right yet: {verdict.message or verdict.wrong.splitlines()[0]}"


def _stand_in(piece: Piece) -> Callable[..., Any]:
    """The course's function, as something that a learner's answer may call."""
    module, _, name = piece.stand_in.rpartition(".")

    def stand_in(*arguments: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments)

    return stand_in


def _line(found: Found) -> str:
    mark, says = ("✓", "yours") if found.own else ("✗", found.says)
    piece = found.piece
    return f"{mark} {piece.name:22} {piece.does:28} {piece.notebook:20} {says}"
