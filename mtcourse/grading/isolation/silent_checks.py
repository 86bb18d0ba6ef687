"""Silent checks for a learner's kernel: ``check`` can be imported, but says and knows nothing."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

from mtcourse.checks.banks import bank_folders, bank_module

_OLD_PREFIX = "mtcourse.checks."
"""The package of the banks in notebooks that were handed out before this edition."""


class SilentCheck:
    """Replaces the ``check`` that a notebook imports; the grader judges elsewhere."""

    def __call__(self, exercise: str, answer: Any) -> None:
        """Says nothing."""

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
        """Returns such a module for a bank; None leaves other names to Python."""
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in self._names else None

    def exec_module(self, module: types.ModuleType) -> None:
        module.check = SilentCheck()  # type: ignore[attr-defined]


def install_silent_checks() -> None:
    """Replaces the banks by silent checks from now on."""
    sys.meta_path.insert(0, _SilentBankFinder())
