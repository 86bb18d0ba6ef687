"""Finds answers that are made of forbidden code: the course's own answers, under any name.

It reads the source, and follows an answer to everything that it is made of: the functions that it
calls, and the values that cells have computed for it. What a cell does besides, such as a test of
one's own that compares with the course, is nobody's fault. Names that are put together while the
code runs cannot be seen here; the guard catches these when an answer is tried, and with them the
operations that an exercise forbids.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import itertools
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mtcourse.checks.guard import is_bank, is_reference
from mtcourse.grading.merge import MergedCell, MergedNotebook
from mtcourse.grading.python_source import SharedNames, find_shared_names, parse_statements

DYNAMIC_CODE = ("__import__", "eval", "exec", "compile", "import_module")
MUTATORS = ("append", "appendleft", "add", "extend", "insert", "setdefault", "update")
"""Methods that put a value into another one."""
CONTAINERS = ("dict", "list", "set", "defaultdict", "deque", "OrderedDict", "Counter")
"""Functions that make a container."""
MAX_LINE = 100
MAX_FAULTS = 3
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class _Statement:
    """A statement of a cell, and what it shares with the notebook.

    Args:
        tree: the statement.
        names: the names that it defines, and those that it reads.
        changed: the names of values that it puts something into.
        exercise: the exercise that its cell answers; otherwise empty.
    """

    tree: ast.stmt
    names: SharedNames
    changed: frozenset[str]
    exercise: str = ""

    @property
    def is_definition(self) -> bool:
        """Whether it only defines a function or a class."""
        return isinstance(self.tree, _DEFINITIONS)


@dataclass
class _Names:
    """What the names of a notebook stand for, after some of its cells.

    Args:
        statements: for each name what makes its value.
        effects: all statements that do something at once.
        banned: the names that stand for the course's own.
    """

    statements: dict[str, list[_Statement]] = field(default_factory=dict)
    effects: list[_Statement] = field(default_factory=list)
    banned: set[str] = field(default_factory=set)

    def forget(self, name: str) -> None:
        """Drops what a name stood for."""
        self.statements.pop(name, None)
        self.banned.discard(name)


def find_forbidden_code(merged: MergedNotebook) -> dict[str, str]:
    """Returns, for each exercise whose answer is made of forbidden code, what that is.

    Given cells may import anything, and learners may try those names out. An answer may use neither
    these names, nor any that a learner has defined with them.

    Args:
        merged: the merged notebook.
    """
    names, found = _Names(), {}
    answered = [cell.exercise for cell in merged.cells if cell.role == "answer"]
    for cell in merged.cells:
        if cell.role != "check":
            _read_cell(cell, names)
        elif cell.exercise in answered:
            answered.remove(cell.exercise)
            found[cell.exercise] = _describe_faults(cell.exercise, names)
    found |= {exercise: _describe_faults(exercise, names) for exercise in answered}
    return {name: f"not allowed here: {faults}" for name, faults in found.items() if faults}


def _read_cell(cell: MergedCell, names: _Names) -> None:
    """Notes what the statements of a cell define."""
    for tree in parse_statements(cell.source):
        if isinstance(tree, ast.Import | ast.ImportFrom):
            for name, is_banned in _find_imported_names(tree):
                names.forget(name)
                names.banned |= {name} if is_banned else set()
            continue
        shared = find_shared_names(tree)
        if cell.role == "given":  # what the course's own cells make of it may be used
            for name in shared.bound:
                names.forget(name)
            continue
        of_answer = cell.exercise if cell.role == "answer" else ""
        changed = {*_find_changed_names(tree), *_find_passed_containers(tree, names)} & shared.used
        statement = _Statement(tree, shared, frozenset(changed), of_answer)
        replaces = isinstance(tree, (*_DEFINITIONS, ast.Assign, ast.AnnAssign))
        for name in shared.bound:
            if replaces and (statement.is_definition or name not in shared.used):
                names.forget(name)
            names.statements.setdefault(name, []).append(statement)
        names.effects += [statement] * (not statement.is_definition)


def _find_changed_names(tree: ast.stmt) -> set[str]:
    """Returns the names of values that a statement puts something into."""
    changed: set[str] = set()
    for node in ast.walk(tree):
        base: ast.expr | None = None
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            base = node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            base = node.func if node.func.attr in MUTATORS else None
        while isinstance(base, ast.Subscript | ast.Attribute):
            base = base.value
        if isinstance(base, ast.Name):
            changed.add(base.id)
    return changed


def _find_passed_containers(tree: ast.stmt, names: _Names) -> Iterator[str]:
    """Yields the names of lists and dictionaries that a statement passes to functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(argument, ast.Name) and _is_container(argument.id, names):
                    yield argument.id


def _is_container(name: str, names: _Names) -> bool:
    values = (getattr(one.tree, "value", None) for one in names.statements.get(name, ()))
    return any(
        isinstance(value, ast.Dict | ast.List | ast.Set) or _makes_one(value) for value in values
    )


def _makes_one(value: ast.expr | None) -> bool:
    is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
    return is_call and value.func.id in CONTAINERS  # type: ignore[union-attr]


def _describe_faults(exercise: str, names: _Names) -> str:
    """Describes the forbidden code of which an answer is made, with its lines."""
    if exercise in names.banned and not names.statements.get(exercise):
        return f"{exercise}, which is the course's own"
    parts = _find_parts(exercise, names)
    parts += [one for one in names.effects if one.exercise == exercise and _runs_a_text(one)]
    own = (one for one in parts if one.exercise in ("", exercise))
    faults = (fault for one in own for fault in _find_faults(one, names))
    return "; ".join(dict.fromkeys(itertools.islice(faults, MAX_FAULTS)))


def _find_parts(exercise: str, names: _Names) -> list[_Statement]:
    """Returns the statements that make an answer, and what it uses."""
    parts: dict[int, _Statement] = {}
    wanted, pending = set[str](), {exercise}
    while pending:
        while pending:
            name = pending.pop()
            wanted.add(name)
            for one in names.statements.get(name, ()):
                parts[id(one)] = one
                pending |= one.names.used - wanted
        changing = _find_changing_functions(wanted, names)
        for one in names.effects:
            if id(one) not in parts and (one.changed & wanted or one.names.used & changing):
                parts[id(one)] = one
                pending |= one.names.used - wanted
    return list(parts.values())


def _find_changing_functions(wanted: set[str], names: _Names) -> set[str]:
    """Returns the functions that put something into one of these names, or call such a function."""
    callers: dict[str, set[str]] = {}
    found: set[str] = set()
    for name, statements in names.statements.items():
        for one in statements:
            if one.is_definition:
                found |= {name} if one.changed & wanted else set()
                for used in one.names.used:
                    callers.setdefault(used, set()).add(name)
    pending = [*found]
    while pending:
        fresh = callers.get(pending.pop(), set()) - found
        found |= fresh
        pending += fresh
    return found


def _runs_a_text(statement: _Statement) -> bool:
    """Whether a statement may define anything."""
    return "exec" in statement.names.used


def _find_faults(statement: _Statement, names: _Names) -> Iterator[str]:
    """Yields the forbidden code of a statement."""
    harmless = {
        id(part)
        for node in ast.walk(statement.tree)
        if isinstance(node, ast.Call) and _is_check_function(node.func)
        for part in ast.walk(node.func)
    }
    for node in ast.walk(statement.tree):
        fault = "" if id(node) in harmless else _describe_fault(node, statement.names.used, names)
        if fault:
            yield f"{fault}, at `{_line_of(node, statement.tree)}`"


def _describe_fault(node: ast.AST, used: frozenset[str], names: _Names) -> str:
    """Describes what is forbidden in one node of the syntax tree; an empty string if nothing is."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = getattr(node, "module", None) or node.names[0].name
        is_banned = any(banned for _, banned in _find_imported_names(node))
        return f"import {'from ' * isinstance(node, ast.ImportFrom)}{module}" if is_banned else ""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in used:
        if node.id in names.banned:
            return f"{node.id}, which is the course's own"
        return node.id if node.id in DYNAMIC_CODE and node.id not in names.statements else ""
    # A method may be called eval or compile, such as those of models and of re.
    return node.attr if isinstance(node, ast.Attribute) and node.attr == "import_module" else ""


def _line_of(node: ast.AST, tree: ast.stmt) -> str:
    """Returns the first line of the innermost statement around a node."""
    around = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.stmt) and any(part is node for part in ast.walk(one))
    ]
    return ast.unparse(around[-1]).strip().split("\n")[0][:MAX_LINE]


def _is_check_function(called: ast.expr) -> bool:
    """Whether it is ``check`` or ``check.passes``, which learners may call again."""
    if isinstance(called, ast.Attribute) and called.attr == "passes":
        called = called.value
    return isinstance(called, ast.Name) and called.id == "check"


def _find_imported_names(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, bool]]:
    """Yields the names that an import defines, and whether each holds the course's answers."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            package = alias.name.split(".")[0]
            yield alias.asname or package, package == "mtcourse"
        return
    module = node.module or ""
    for alias in node.names:
        reached = (module, f"{module}.{alias.name}")
        is_banned = any(is_reference(name) for name in reached)
        if alias.name == "*":
            yield from _names_of_star(module, is_banned)
        else:
            yield alias.asname or alias.name, is_banned


def _names_of_star(module: str, is_banned: bool) -> Iterator[tuple[str, bool]]:
    """Yields what a star imports from one of the course's modules."""
    if not is_banned or is_bank(module):
        return
    found: Mapping[str, object] = {}
    with contextlib.suppress(ImportError):
        found = vars(importlib.import_module(module))
    public: Sequence[str] = found.get("__all__") or [n for n in found if not n.startswith("_")]  # type: ignore[assignment]
    for name in public:
        if isinstance(found[name], types.FunctionType | type):
            yield name, is_reference(found[name].__module__)  # type: ignore[union-attr]
