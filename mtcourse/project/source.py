"""Reads a project's file: what it may not use, and the two functions that it must have."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from mtcourse.checks.guard import ALLOWED, is_reference
from mtcourse.errors import MtcourseError

FUNCTIONS = {"train": "train(pairs, seconds, seed)", "translate": "translate(trained, sentences)"}
"""What a file must define in the project of Part II, and how it is called."""
LIBRARIES = ("torch", "numpy")
"""What a file may import beside Python's own modules and the course's text side."""
READY_MADE = ("Transformer", "MultiheadAttention", "multi_head_attention_forward")
"""What a file may not take from torch: names that begin so."""


def load_project(path: Path | str, functions: Mapping[str, str] = FUNCTIONS) -> ModuleType:
    """Runs a project's file, after reading what it imports.

    Args:
        path: the file.
        functions: what it must define, and how that is called.

    Raises:
        MtcourseError: there is no such file, it is not Python, it uses what it may not, or one of
            the functions is missing.
    """
    path = Path(path)
    check_source(path)
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None:
        raise MtcourseError(f"{path} is not a Python file: its name has to end in .py")
    module = importlib.util.module_from_spec(specification)
    with _beside(path, module):
        specification.loader.exec_module(module)
    for name, form in functions.items():
        if not callable(getattr(module, name, None)):
            raise MtcourseError(f"{path} has no function {name}: define {form}")
    return module


def check_source(path: Path) -> None:
    """Reads a file, and the files beside it that it imports, for what the project forbids.

    Only the text is read. Somebody who wants to get around this will; everybody else is told at
    once.

    Args:
        path: the file.

    Raises:
        MtcourseError: the file cannot be read, or it uses something forbidden; the message names
            the line and what may be used.
    """
    seen, waiting = set[Path](), [path]
    while waiting:
        file = waiting.pop()
        seen.add(file)
        tree = _parsed(file)
        neighbours = set[Path]()
        for line, module in _imports(tree):
            neighbour = path.parent / f"{module.partition('.')[0]}.py"
            if neighbour.exists():
                neighbours.add(neighbour)
            elif fault := _fault_of_import(module):
                raise MtcourseError(f"{file}, line {line}: {fault}")
        for line, name in _taken_from_torch(tree):
            if name.startswith(READY_MADE):
                raise MtcourseError(
                    f"{file}, line {line}: the project asks you to write {name} yourself; "
                    "nn.Linear, nn.LayerNorm, nn.Embedding and operations on tensors are allowed"
                )
        waiting.extend(neighbours - seen)


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise MtcourseError(f"cannot read {path}: {error.strerror}") from error
    except SyntaxError as error:
        raise MtcourseError(f"{path}, line {error.lineno}: {error.msg}") from error
    except ValueError as error:  # bytes that are not UTF-8, or a zero byte
        raise MtcourseError(f"{path} is not a text file of Python: {error}") from error


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the full name of everything that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def _fault_of_import(module: str) -> str:
    """What is wrong with importing a module; empty if nothing is."""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names or root in LIBRARIES:
        return ""
    if root == "mtcourse":
        if module != root and not is_reference(module):
            return ""
        allowed = ", ".join(f"mtcourse.{name}" for name in ALLOWED)
        return f"{module} is not allowed in the project: from the course it may use {allowed}"
    return (
        f"{module} is not allowed in the project: it may use {', '.join(LIBRARIES)}, Python's own "
        "modules, the course's text side, and files that lie beside it"
    )


def _taken_from_torch(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the last name of everything from torch: ``nn.Linear`` gives Linear."""
    roots = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            of_torch = [alias for alias in node.names if alias.name.split(".")[0] == "torch"]
            roots |= {alias.asname or "torch" for alias in of_torch}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            roots |= {alias.asname or alias.name for alias in node.names}
            yield from ((node.lineno, alias.name) for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            while isinstance(owner, ast.Attribute):
                owner = owner.value
            if isinstance(owner, ast.Name) and owner.id in roots:
                yield node.lineno, node.attr


@contextlib.contextmanager
def _beside(path: Path, module: ModuleType) -> Iterator[None]:
    """While a file runs, its module has its name, and it may import the files beside it."""
    folder = str(path.parent.resolve())
    names = {file.stem for file in path.parent.glob("*.py")} | {path.stem}
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.modules[path.stem] = module
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)
