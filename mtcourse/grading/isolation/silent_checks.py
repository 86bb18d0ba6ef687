"""Silent checks for a learner's kernel: ``check`` can be imported, but says and knows nothing."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import stat
import sys
import types
from pathlib import Path
from typing import Any

import mtcourse
from mtcourse.checks.banks import bank_folders, bank_module
from mtcourse.checks.guard import NotAllowedHere

_PACKAGE = Path(mtcourse.__path__[0])

_OLD_PREFIX = "mtcourse.checks."
"""The package of the banks in notebooks that were handed out before this edition."""


class SilentCheck:
    """Replaces the ``check`` that a notebook imports; the grader judges elsewhere."""

    def __call__(self, exercise: str, answer: Any) -> None:
        """Says nothing."""

    def for_cohort(self, cohort: str) -> SilentCheck:
        """Returns itself: it knows the numbers of no cohort."""
        return self

    def passes(self, exercise: str, answer: Any) -> bool:
        """Returns False, so that a notebook skips what it does with right answers."""
        return False


class _SilentBankFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module with a silent check in place of each bank."""

    def __init__(self) -> None:
        self._names = {
            name for word in bank_folders() for name in (bank_module(word), _OLD_PREFIX + word)
        }

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Returns such a module for a bank or a hidden file; None leaves other names to Python."""
        if fullname in self._names:
            return importlib.machinery.ModuleSpec(fullname, self)
        if fullname.startswith(f"{_PACKAGE.name}.") and _is_hidden(fullname):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        if module.__name__ in self._names:
            module.check = SilentCheck()  # type: ignore[attr-defined]
        else:
            module.__getattr__ = _Hidden  # type: ignore[method-assign]


class _Hidden:
    """Stands for anything in a hidden module, so that a cell may import it: it can do nothing."""

    def __init__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Refuses."""
        raise NotAllowedHere(self._name)

    def __getattr__(self, name: str) -> Any:
        """Refuses, too."""
        raise AttributeError(f"{self._name} is not there while notebooks are graded")


def _is_hidden(module: str) -> bool:
    """Whether a device that is always empty lies in the place of a module's file."""
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        try:
            return stat.S_ISCHR(file.stat().st_mode)
        except OSError:
            continue
    return False


def install_silent_checks() -> None:
    """Replaces the banks by silent checks from now on."""
    sys.meta_path.insert(0, _SilentBankFinder())
