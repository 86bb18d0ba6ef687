"""What an answer may not use: the course's own answers, however they are called.

Read from the code as it is written. What is put together while the code runs is not seen here; the
guard sees it, when an answer is tried.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mtcourse.checks.exercise import Exercise
from mtcourse.checks.guard import is_reference
from mtcourse.grading.merge import Merged
from mtcourse.grading.python_source import names_of, statements_of

DYNAMIC = ("__import__", "eval", "exec", "import_module")


def not_allowed(merged: Merged, bank: Sequence[Exercise] = ()) -> dict[str, str]:
    """For each exercise whose answer uses what it may not: what that is.

    Given cells import what they like, and in cells of their own learners may play with it; an
    answer may use neither those names nor any that such play has defined.

    Args:
        merged: the learner's answers.
        bank: the exercises, each with the functions that its answer is to do without.
    """
    forbids = {exercise.id: exercise.forbids for exercise in bank}
    banned: set[str] = set()
    found = {}
    for step in merged.steps:
        if step.role == "answer":
            if faults := [*_faults(step.source, banned, forbids.get(step.exercise, ()))]:
                found[step.exercise] = f"not allowed here: {'; '.join(faults)}"
        elif step.role in ("given", "added"):
            if any(_faults(step.source, banned)) and step.role == "added":
                banned |= names_of(step.source)
            banned |= set(_imported([step.source]))
    return found


def _faults(code: str, banned: set[str], forbidden: Sequence[str] = ()) -> Iterator[str]:
    """What a cell uses that an answer may not."""
    nodes = [node for statement in statements_of(code) for node in ast.walk(statement)]
    banned = (banned - set(_local(nodes))) | set(_imported([code]))
    harmless = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Call) and _is_check(node.func)
        for part in ast.walk(node.func)
    }
    faults = [_fault(node, banned) for node in nodes if id(node) not in harmless]
    own = {node.id for node in nodes if isinstance(node, ast.Name) and not _is_read(node)}
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    faults += [name for node in nodes if (name := _named(node)) in forbidden and name not in own]
    yield from dict.fromkeys(fault for fault in faults if fault)


def _fault(node: ast.AST, banned: set[str]) -> str:
    """What is wrong with one node of the syntax tree."""
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names if alias.name.split(".")[0] == "mtcourse"]
        return f"import {modules[0]}" if modules else ""
    if isinstance(node, ast.ImportFrom):
        return f"import from {node.module}" if _is_reference(node.module or "", node) else ""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in banned:
        return f"{node.id}, which is the course's own"
    if isinstance(node, ast.Name) and node.id in DYNAMIC:
        return node.id
    # A method may be called eval, as that of every model is.
    return node.attr if isinstance(node, ast.Attribute) and node.attr == "import_module" else ""


def _local(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names that functions have for themselves: parameters, and what they assign to."""
    shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            stored = (part for part in ast.walk(node) if isinstance(part, ast.Name))
            yield from {part.id for part in stored if not _is_read(part)} - shared


def _is_check(called: ast.expr) -> bool:
    """Whether it is ``check`` or ``check.passes``, which anybody may call again."""
    if isinstance(called, ast.Attribute) and called.attr == "passes":
        called = called.value
    return isinstance(called, ast.Name) and called.id == "check"


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _named(node: ast.AST) -> str:
    """The name that is read here, whatever it belongs to; nothing where none is."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) and _is_read(node) else ""


def _is_reference(module: str, node: ast.ImportFrom) -> bool:
    """Whether an import reaches what may not be used."""
    reached = [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return any(is_reference(name) for name in reached)


def _imported(cells: Sequence[str] | Iterator[str]) -> Iterator[str]:
    """The names that cells import from where they may not be used."""
    for code in cells:
        for statement in statements_of(code):
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    one = ast.ImportFrom(statement.module, [alias], statement.level)
                    if _is_reference(statement.module or "", one):
                        yield alias.asname or alias.name
            elif isinstance(statement, ast.Import):
                for alias in statement.names:
                    if alias.name.split(".")[0] == "mtcourse":
                        yield alias.asname or "mtcourse"
