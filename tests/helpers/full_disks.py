"""Disks that are full: made-up ones after some files, and a real one in memory."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """A disk that has room for so many files, and for half of the next one."""
    written = 0
    write_bytes = Path.write_bytes

    def write(path: Path, content: bytes) -> int:
        nonlocal written
        written += 1
        if written > after:
            write_bytes(path, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write_bytes(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write)
        yield


@contextlib.contextmanager
def mounted(folder: Path, size: str) -> Iterator[None]:
    """A disk in memory; only root has one."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def resize(folder: Path, size: str) -> None:
    """Gives a mounted disk another size."""
    subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=True)
