"""An answer of a bank as a learner would hand it in: code that needs nothing of the course."""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from mtcourse.checks.exercise import Exercise


def code_of(exercise: Exercise, function: Callable) -> str:
    """Code that puts a bank's function, or the value that it returns, under the exercise's name.

    What the function calls comes along, the course's own functions too, under names that no given
    cell knows: else an answer that is written with them would not be allowed. It all stands in a
    function of its own, and takes no name from the other exercises.
    """
    if exercise.cases is None:
        with contextlib.suppress(ValueError, SyntaxError):  # tensors cannot be written so
            return f"{exercise.id} = {ast.literal_eval(repr(function()))!r}"
    parts: dict[str, str] = {}
    name = _take(function, parts)
    result = name if exercise.cases is not None else f"{name}({_numbers_of(function, parts)})"
    inside = textwrap.indent("\n".join([*parts.values(), f"return {result}"]), "    ")
    return f"def _my_answer():\n{inside}\n\n\n{exercise.id} = _my_answer()"


def _numbers_of(function: Callable, parts: dict[str, str]) -> str:
    """The argument of an answer whose exercise has other numbers for each cohort, as code."""
    numbers = inspect.getclosurevars(function).nonlocals.get("of_cohort")
    if numbers is None:
        return ""
    parts["namespace"] = "from types import SimpleNamespace as namespace"
    return repr(numbers)


def _take(thing: Any, parts: dict[str, str], name: str = "") -> str:
    """Adds what it takes to have something; returns the name under which it is had."""
    if isinstance(thing, ModuleType):
        parts[name] = f"import {thing.__name__} as {name}"
    elif isinstance(thing, FunctionType) and thing.__module__.startswith("mtcourse."):
        name = f"{thing.__name__}_in_{thing.__module__.rpartition('.')[2]}"
        if name not in parts:
            parts[name] = ""  # a function may call itself
            parts[name] = _plain(thing, name, parts)
            parts[name] = parts.pop(name)  # after what it needs
    elif isinstance(thing, FunctionType | BuiltinFunctionType | type):
        parts[name] = f"from {thing.__module__} import {thing.__name__} as {name}"
    else:
        parts[name] = f"{name} = {thing!r}"
    return name


def _plain(function: FunctionType, name: str, parts: dict[str, str]) -> str:
    """A function's code without annotations and docstring, with what it needs taken along."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
    assert isinstance(tree, ast.FunctionDef)
    tree.name, tree.decorator_list, tree.returns = name, [], None
    for argument in ast.walk(tree):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    if ast.get_docstring(tree):
        tree.body = tree.body[1:] or [ast.Pass()]
    return ast.unparse(_Renamed(inspect.unwrap(function), parts).visit(tree))


class _Renamed(ast.NodeTransformer):
    """Gives what a function needs from its module the names under which it comes along."""

    def __init__(self, function: FunctionType, parts: dict[str, str]) -> None:
        closed_over = inspect.getclosurevars(function).nonlocals  # what a factory gave it
        self._globals = {**function.__globals__, **closed_over}
        self._local = set(function.__code__.co_varnames)
        self._parts = parts

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A function of one of the course's modules, or of a bank's namespaces."""
        space = self._meaning_of(node.value)
        name = space.__module__ if isinstance(space, type) else getattr(space, "__name__", "")
        if isinstance(space, ModuleType | type) and name.startswith("mtcourse."):
            return ast.Name(_take(getattr(space, node.attr), self._parts), node.ctx)
        return self.generic_visit(node)

    def _meaning_of(self, node: ast.expr) -> Any:
        """What stands in front of a dot: a module, or a namespace within one."""
        if isinstance(node, ast.Attribute):
            return getattr(self._meaning_of(node.value), node.attr, None)
        is_global = isinstance(node, ast.Name) and node.id not in self._local
        return self._globals.get(node.id) if is_global else None

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A function, a module or a value of the function's own module."""
        if node.id in self._globals and node.id not in self._local:
            return ast.Name(_take(self._globals[node.id], self._parts, node.id), node.ctx)
        return node
