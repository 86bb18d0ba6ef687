"""Parses the code of a cell as IPython would read it, without running any of it."""

from __future__ import annotations

import ast
import contextlib
import functools
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

MAX_WORK = 60_000
"""The characters that may be read to translate the magics of one cell.

IPython reads the whole cell again for each magic, so one cell could keep the grader busy for
minutes. An honest cell has few magics.
"""
MAX_MAGIC_DEPTH = 5
"""The number of nested cell magics that are followed."""
PYTHON_MAGICS = ("time", "timeit", "prun")
"""Line magics that run the rest of their line as Python."""
OTHER_MAGICS = (
    *("!", "bash", "cmd", "perl", "pypy", "python", "python2", "python3", "ruby", "script", "sh"),
    *("HTML", "SVG", "file", "html", "javascript", "js", "latex", "markdown", "svg", "writefile"),
    *("sx", "system"),
)
"""Cell magics that do not run their cell as the notebook's own Python."""


MAX_OPTION_WORDS = 12
"""The number of words that may precede the code in a magic's line."""
MAX_TREE_DEPTH = 1000
"""The number of nested levels in a syntax tree, far more than anybody writes."""


class Unparsable(Exception):
    """The reason why code cannot be analysed."""


class NotPython(Unparsable):
    """The code is not Python, even with its magics translated."""


@dataclass(frozen=True)
class SharedNames:
    """The names that connect some code with the rest of its notebook.

    Args:
        bound: the names that it defines for the whole notebook.
        used: the names that it reads from the notebook.
    """

    bound: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()


def is_parsable(code: str) -> bool:
    """Whether code can be analysed without running it."""
    try:
        _parse_with_magics(code)
    except Unparsable:
        return False
    return True


def parse_statements(code: str) -> list[ast.stmt]:
    """Returns the statements of code and of its magics; none if it is unparsable."""
    try:
        return _parse_with_magics(code)
    except Unparsable:
        return []


@functools.lru_cache(maxsize=2048)
def find_defined_names(code: str) -> frozenset[str]:
    """Returns the functions, classes and variables that code defines at its left margin."""
    names: set[str] = set()
    for statement in parse_statements(code):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            nodes = (node for target in targets for node in ast.walk(target))
            names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names)


def find_imports(code: str) -> list[str]:
    """Returns the import statements at the left margin of code."""
    found = (s for s in parse_statements(code) if isinstance(s, ast.Import | ast.ImportFrom))
    return [ast.unparse(statement) for statement in found]


@functools.lru_cache(maxsize=2048)
def find_shared_names(code: str | ast.stmt) -> SharedNames:
    """Returns the names that code shares with its notebook, including those in functions.

    Args:
        code: a cell, or one statement; none are found where it is nested too deeply.
    """
    try:
        statements = parse_statements(code) if isinstance(code, str) else [code]
        text = ast.unparse(ast.Module(statements, []))
        scopes = [*_walk_scopes(symtable.symtable(text, "cell", "exec"))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return SharedNames()
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
    return SharedNames(frozenset(bound), frozenset(used))


def _walk_scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _walk_scopes(child)


@functools.lru_cache(maxsize=64)
def _parse_with_magics(code: str, depth: int = 0) -> list[ast.stmt]:
    """Parses code, and the code in its magics.

    Raises:
        Unparsable: its statements cannot be known.
    """
    if depth > MAX_MAGIC_DEPTH:
        raise Unparsable("there are too many magics within each other")
    statements: list[ast.stmt] = []
    for statement in _parse_cell(code):
        statements.append(statement)
        for node in ast.walk(statement):
            for inner in _find_magic_code(node):
                with contextlib.suppress(NotPython):  # then the magic cannot run it either
                    statements += _parse_with_magics(inner, depth + 1)
    return statements


def _parse_cell(code: str) -> list[ast.stmt]:
    """Parses code with its magics as the calls that IPython makes of them."""
    try:
        return _parse_python(code)
    except SyntaxError:
        pass
    try:
        return _parse_python(_translate_magics(code))
    except SyntaxError as error:
        word = code.split(maxsplit=1)[0] if len(code.strip().splitlines()) == 1 else ""
        if word in PYTHON_MAGICS:  # IPython does not need the % on a line of its own
            return _parse_cell(f"%{code.strip()}")
        raise NotPython(str(error)) from error


def _parse_python(code: str) -> list[ast.stmt]:
    """Parses Python.

    Raises:
        SyntaxError: it is not Python.
        Unparsable: it is nested too deeply.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (RecursionError, MemoryError) as error:
        raise Unparsable("it is nested too deeply") from error
    except ValueError as error:
        raise SyntaxError(str(error)) from error
    if _is_too_deep(tree):
        raise Unparsable("it is nested too deeply")
    return tree.body


def _is_too_deep(tree: ast.AST) -> bool:
    """Whether a tree is too deep for recursive functions; some versions of Python parse it."""
    level = [tree]
    for _ in range(MAX_TREE_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _translate_magics(code: str) -> str:
    """Returns code as IPython passes it to Python.

    Raises:
        SyntaxError: IPython cannot translate it either.
        Unparsable: it would take too long.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    class Patient(TransformerManager):
        left = MAX_WORK

        def do_one_token_transform(self, lines: list[str]) -> tuple[bool, list[str]]:
            self.left -= sum(map(len, lines))
            if self.left < 0:
                raise Unparsable("it has too many magics")
            return super().do_one_token_transform(lines)

    try:
        return Patient().transform_cell(code)
    except (Unparsable, SyntaxError):
        raise
    except Exception as error:  # it is not made for arbitrary input
        raise Unparsable(f"IPython cannot read it: {error}") from error


def _find_magic_code(node: ast.AST) -> Iterator[str]:
    """Yields the code that a call to a magic runs in the notebook."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    words = [one.value for one in node.args if isinstance(one, ast.Constant)]
    texts = [word for word in words if isinstance(word, str)]
    if node.func.attr not in ("run_line_magic", "run_cell_magic") or len(texts) < 2:
        return
    if texts[0] in PYTHON_MAGICS:
        yield _strip_options(texts[1])
    if node.func.attr == "run_cell_magic" and len(texts) > 2 and texts[0] not in OTHER_MAGICS:
        yield texts[2]


def _strip_options(line: str) -> str:
    """Returns the code after a magic's options: the longest end of its line that is Python."""
    words = line.split(" ", MAX_OPTION_WORDS)
    for place in range(len(words)):
        end = " ".join(words[place:]).lstrip()
        try:
            _parse_python(end)
        except SyntaxError:
            continue
        return end
    return ""
