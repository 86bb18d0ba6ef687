"""In a learner's kernel: whoever imports ``check`` gets one that says nothing and knows nothing."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

from mtcourse.checks.banks import bank_folders, bank_module

_OLD_PREFIX = "mtcourse.checks."
"""Where notebooks that were handed out before this edition look for the banks."""


class SilentCheck:
    """Stands where a notebook imports its ``check``; what is right is said elsewhere."""

    def __call__(self, exercise: str, answer: Any) -> None:
        """Says nothing."""

    def passes(self, exercise: str, answer: Any) -> bool:
        """Leaves out what a notebook goes on to do with a right answer."""
        return False


class _SilentBankFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds, in place of each bank, a module with such a check and nothing else."""

    def __init__(self) -> None:
        self._names = {
            name for word in bank_folders() for name in (bank_module(word), _OLD_PREFIX + word)
        }

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """A module of this kind for a bank; None leaves any other name to Python."""
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in self._names else None

    def exec_module(self, module: types.ModuleType) -> None:
        module.check = SilentCheck()  # type: ignore[attr-defined]


def install_silent_checks() -> None:
    """Puts them in place of the banks, from now on."""
    sys.meta_path.insert(0, _SilentBankFinder())
