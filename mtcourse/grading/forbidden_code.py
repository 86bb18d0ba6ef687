"""Finds code that an answer may not use: the course's own answers, under any name.

It reads the source only. Names that are put together while the code runs cannot be seen here; the
guard catches these when an answer is tried, and with them the operations that an exercise forbids.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mtcourse.checks.guard import is_reference
from mtcourse.grading.merge import MergedNotebook
from mtcourse.grading.python_source import find_defined_names, parse_statements

DYNAMIC_CODE = ("__import__", "eval", "exec", "import_module")


def find_forbidden_code(merged: MergedNotebook) -> dict[str, str]:
    """Returns, for each exercise whose answer uses forbidden code, what that is.

    Given cells may import anything, and learners may try those names out in cells of their own. An
    answer may use neither these names, nor any that a learner has defined with them.

    Args:
        merged: the merged notebook.
    """
    banned: set[str] = set()
    found = {}
    for cell in merged.cells:
        if cell.role == "answer":
            if faults := [*_find_faults(cell.source, banned)]:
                found[cell.exercise] = f"not allowed here: {'; '.join(faults)}"
        elif cell.role in ("given", "added"):
            if any(_find_faults(cell.source, banned)) and cell.role == "added":
                banned |= find_defined_names(cell.source)
            banned |= set(_find_reference_imports([cell.source]))
    return found


def _find_faults(code: str, banned: set[str]) -> Iterator[str]:
    """Yields the forbidden code of a cell."""
    nodes = [node for statement in parse_statements(code) for node in ast.walk(statement)]
    banned = (banned - set(_find_local_names(nodes))) | set(_find_reference_imports([code]))
    harmless = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Call) and _is_check_function(node.func)
        for part in ast.walk(node.func)
    }
    faults = [_describe_fault(node, banned) for node in nodes if id(node) not in harmless]
    yield from dict.fromkeys(fault for fault in faults if fault)


def _describe_fault(node: ast.AST, banned: set[str]) -> str:
    """Describes what is forbidden in one node of the syntax tree; an empty string if nothing is."""
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names if alias.name.split(".")[0] == "mtcourse"]
        return f"import {modules[0]}" if modules else ""
    if isinstance(node, ast.ImportFrom):
        return f"import from {node.module}" if _imports_reference(node.module or "", node) else ""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in banned:
        return f"{node.id}, which is the course's own"
    if isinstance(node, ast.Name) and node.id in DYNAMIC_CODE:
        return node.id
    # A method may be called eval, such as that of every model.
    return node.attr if isinstance(node, ast.Attribute) and node.attr == "import_module" else ""


def _find_local_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yields the names that are local to functions: parameters, and variables that they assign."""
    shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            stored = (part for part in ast.walk(node) if isinstance(part, ast.Name))
            yield from {part.id for part in stored if not _is_load(part)} - shared


def _is_check_function(called: ast.expr) -> bool:
    """Whether it is ``check`` or ``check.passes``, which learners may call again."""
    if isinstance(called, ast.Attribute) and called.attr == "passes":
        called = called.value
    return isinstance(called, ast.Name) and called.id == "check"


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _imports_reference(module: str, node: ast.ImportFrom) -> bool:
    """Whether an import reaches a module with the course's answers."""
    reached = [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return any(is_reference(name) for name in reached)


def _find_reference_imports(cells: Sequence[str] | Iterator[str]) -> Iterator[str]:
    """Yields the names that cells import from modules with the course's answers."""
    for code in cells:
        for statement in parse_statements(code):
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    one = ast.ImportFrom(statement.module, [alias], statement.level)
                    if _imports_reference(statement.module or "", one):
                        yield alias.asname or alias.name
            elif isinstance(statement, ast.Import):
                for alias in statement.names:
                    if alias.name.split(".")[0] == "mtcourse":
                        yield alias.asname or "mtcourse"
