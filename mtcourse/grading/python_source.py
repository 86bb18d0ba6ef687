"""What the code of a cell says, read as IPython reads it; nothing of it is run."""

from __future__ import annotations

import ast
import contextlib
import functools
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

MOST_WORK = 60_000
"""Characters that are read again and again to find the magics of one cell; an honest cell has few.

IPython reads the whole cell anew for each of them: a cell could keep the grader busy for minutes.
"""
DEEPEST = 5
"""Cell magics within each other."""
ON_PYTHON = ("time", "timeit", "prun")
"""Line magics that run the rest of their line as Python."""
NOT_PYTHON = (
    *("!", "bash", "cmd", "perl", "pypy", "python", "python2", "python3", "ruby", "script", "sh"),
    *("HTML", "SVG", "file", "html", "javascript", "js", "latex", "markdown", "svg", "writefile"),
    *("sx", "system"),
)
"""Cell magics that give their cell to something else than the notebook's own Python."""


LONGEST_OPTIONS = 12
"""Words in front of what a magic runs."""
MOST_LEVELS = 1000
"""Of what stands within something else: far more than anybody writes."""


class NotRead(Exception):
    """Why it cannot be told what code does."""


class NotPython(NotRead):
    """It is none, nor is it once its magics are calls."""


@dataclass(frozen=True)
class Names:
    """The names by which code hangs together with other code.

    Args:
        bound: those that it gives to something, for the whole notebook.
        used: those that it takes from the notebook.
    """

    bound: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()


def can_be_read(code: str) -> bool:
    """Whether it can be told what code does, without running it."""
    try:
        _read(code)
    except NotRead:
        return False
    return True


def statements_of(code: str) -> list[ast.stmt]:
    """The statements of code, with those that its magics run; none of what cannot be read."""
    try:
        return _read(code)
    except NotRead:
        return []


@functools.lru_cache(maxsize=2048)
def names_of(code: str) -> frozenset[str]:
    """The names that code defines at its left margin: functions, classes and variables."""
    names: set[str] = set()
    for statement in statements_of(code):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            nodes = (node for target in targets for node in ast.walk(target))
            names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names)


def imports_of(code: str) -> list[str]:
    """The import statements at the left margin of code."""
    found = (s for s in statements_of(code) if isinstance(s, ast.Import | ast.ImportFrom))
    return [ast.unparse(statement) for statement in found]


@functools.lru_cache(maxsize=2048)
def shared_names(code: str) -> Names:
    """The names that code shares with the rest of its notebook, those in its functions too."""
    try:
        text = ast.unparse(ast.Module(statements_of(code), []))
        scopes = [*_scopes(symtable.symtable(text, "cell", "exec"))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Names()
    bound, used = set(), set()
    for scope in scopes:
        is_top = scope.get_type() == "module"
        for symbol in scope.get_symbols():
            if not is_top and not symbol.is_global():
                continue
            if symbol.is_assigned() or symbol.is_imported():
                bound.add(symbol.get_name())
            if symbol.is_referenced():
                used.add(symbol.get_name())
    return Names(frozenset(bound), frozenset(used))


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


@functools.lru_cache(maxsize=64)
def _read(code: str, depth: int = 0) -> list[ast.stmt]:
    """The statements of code, and of the code in its magics.

    Raises:
        NotRead: there is no telling.
    """
    if depth > DEEPEST:
        raise NotRead("there are too many magics within each other")
    statements: list[ast.stmt] = []
    for statement in _parsed(code):
        statements.append(statement)
        for node in ast.walk(statement):
            for inner in _code_in_magic(node):
                with contextlib.suppress(NotPython):  # then the magic cannot run it either
                    statements += _read(inner, depth + 1)
    return statements


def _parsed(code: str) -> list[ast.stmt]:
    """The statements of code, its magics as the calls that IPython makes of them."""
    try:
        return _as_python(code)
    except SyntaxError:
        pass
    try:
        return _as_python(_without_magics(code))
    except SyntaxError as error:
        word = code.split(maxsplit=1)[0] if len(code.strip().splitlines()) == 1 else ""
        if word in ON_PYTHON:  # of a line by itself IPython takes the % for granted
            return _parsed(f"%{code.strip()}")
        raise NotPython(str(error)) from error


def _as_python(code: str) -> list[ast.stmt]:
    """The statements of Python.

    Raises:
        SyntaxError: it is none.
        NotRead: it is nested too deeply.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (RecursionError, MemoryError) as error:
        raise NotRead("it is nested too deeply") from error
    except ValueError as error:
        raise SyntaxError(str(error)) from error
    if _is_deep(tree):
        raise NotRead("it is nested too deeply")
    return tree.body


def _is_deep(tree: ast.AST) -> bool:
    """Whether a tree has more levels than programs over it can go down; some Pythons parse it."""
    level = [tree]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _without_magics(code: str) -> str:
    """Code as IPython hands it on to Python.

    Raises:
        SyntaxError: IPython cannot make anything of it either.
        NotRead: it would take too long.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    class Patient(TransformerManager):
        left = MOST_WORK

        def do_one_token_transform(self, lines: list[str]) -> tuple[bool, list[str]]:
            self.left -= sum(map(len, lines))
            if self.left < 0:
                raise NotRead("it has too many magics")
            return super().do_one_token_transform(lines)

    try:
        return Patient().transform_cell(code)
    except (NotRead, SyntaxError):
        raise
    except Exception as error:  # it is made for what people write, and not for just anything
        raise NotRead(f"IPython cannot read it: {error}") from error


def _code_in_magic(node: ast.AST) -> Iterator[str]:
    """The code that a call to a magic runs as the notebook's own."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    words = [one.value for one in node.args if isinstance(one, ast.Constant)]
    texts = [word for word in words if isinstance(word, str)]
    if node.func.attr not in ("run_line_magic", "run_cell_magic") or len(texts) < 2:
        return
    if texts[0] in ON_PYTHON:
        yield _after_options(texts[1])
    if node.func.attr == "run_cell_magic" and len(texts) > 2 and texts[0] not in NOT_PYTHON:
        yield texts[2]


def _after_options(line: str) -> str:
    """What a magic that takes options runs: the longest end of its line that is Python."""
    words = line.split(" ", LONGEST_OPTIONS)
    for place in range(len(words)):
        end = " ".join(words[place:]).lstrip()
        try:
            _as_python(end)
        except SyntaxError:
            continue
        return end
    return ""
