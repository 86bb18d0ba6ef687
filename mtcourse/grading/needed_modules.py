"""Which of this package's modules some code needs: those that it imports, and what these import."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

import mtcourse
from mtcourse.checks.banks import bank_folders
from mtcourse.checks.guard import ALLOWED
from mtcourse.grading.isolation.kernel_process import PRELOADED_MODULES
from mtcourse.grading.merge import MergedNotebook
from mtcourse.grading.python_source import parse_statements

_NAME = mtcourse.__name__
_PACKAGE = Path(mtcourse.__path__[0]).resolve()
SEEN_BY_ALL = (
    *(f"{_NAME}.{part}" for part in ALLOWED),
    f"{_NAME}.checks",
    f"{_NAME}.grading.kernel_side",
    f"{_NAME}.grading.isolation.fork_server",
    *PRELOADED_MODULES,
)
"""What any kernel may need: the parts that answers may use, and the grader's own side of it."""
HOLDING_ANSWERS = ("chapters", "decoding", "layers", "models", "project", "recipes", "training")
"""The parts of the package of which a kernel sees only what its notebook needs."""


@functools.cache
def find_modules() -> dict[str, Path]:
    """Returns the file of each module of this package, by its full name."""
    found = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        parts = (_NAME, *path.relative_to(_PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def find_needed_modules(seeds: Iterable[str]) -> set[str]:
    """Returns the modules that these need, directly or through others, and these themselves.

    An import within a function counts: it may be run.

    Args:
        seeds: names of modules, or of what may be one; others are left out.
    """
    known, found = find_modules(), set[str]()
    pending = [*seeds]
    while pending:
        name = pending.pop()
        if name in found or name not in known:
            continue
        found.add(name)
        pending += [*_parents(name), *_imports_of_module(name)]
    return found


def find_hidden_files(merged: MergedNotebook) -> tuple[Path, ...]:
    """Returns the files of this package that a kernel does not see while a notebook is graded."""
    given = (cell.source for cell in merged.cells if cell.role in ("given", "check"))
    return find_unneeded_files(tuple(given))


@functools.lru_cache(maxsize=64)
def find_unneeded_files(sources: tuple[str, ...]) -> tuple[Path, ...]:
    """Returns the files of modules that a notebook has no use for, with what Python made of them.

    Args:
        sources: the code of its given cells.
    """
    known = find_modules()
    seeds = [name for name in known if f"{name}.".startswith(tuple(f"{n}." for n in SEEN_BY_ALL))]
    needed = find_needed_modules([*seeds, *find_imported_names(sources)])
    banks = tuple(bank_folders().values())
    hidden = []
    for name, path in known.items():
        part = path.relative_to(_PACKAGE).parts[0]
        if name in needed or part not in HOLDING_ANSWERS or any(map(path.is_relative_to, banks)):
            continue
        hidden += [path, *(path.parent / "__pycache__").glob(f"{path.stem}.*.pyc")]
    return tuple(hidden)


def find_imported_names(sources: Iterable[str]) -> set[str]:
    """Returns what the cells of a notebook import from this package, as full names."""
    return {
        name
        for source in sources
        for statement in parse_statements(source)
        for name in _imports_in(statement)
    }


def _parents(name: str) -> Iterator[str]:
    while name := name.rpartition(".")[0]:
        yield name


@functools.cache
def _imports_of_module(name: str) -> frozenset[str]:
    tree = ast.parse(find_modules()[name].read_bytes())
    return frozenset(_imports_in(tree))


def _imports_in(tree: ast.AST) -> Iterator[str]:
    """Yields the full names of all that is imported from this package in a syntax tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] == _NAME)
