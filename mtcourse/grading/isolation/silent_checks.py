"""In a learner's kernel: whoever imports ``check`` gets one that says nothing and knows nothing."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

import mtcourse.checks


class SilentCheck:
    """Stands where a notebook imports its ``check``; what is right is said elsewhere."""

    def __call__(self, exercise: str, answer: Any) -> None:
        """Says nothing."""

    def passes(self, exercise: str, answer: Any) -> bool:
        """Leaves out what a notebook goes on to do with a right answer."""
        return False


class _Banks(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds for each name in ``mtcourse.checks`` that is no file a module with such a check."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        files = importlib.machinery.PathFinder.find_spec
        if fullname.rpartition(".")[0] != "mtcourse.checks":
            return None
        found = files(fullname, mtcourse.checks.__path__)
        if found and found.origin and not found.submodule_search_locations:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def exec_module(self, module: types.ModuleType) -> None:
        module.check = SilentCheck()  # type: ignore[attr-defined]


def install_silent_checks() -> None:
    """Puts them in place of the banks, from now on."""
    sys.meta_path.insert(0, _Banks())
