"""Isolation by bubblewrap, the program in which Flatpak runs its applications."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from mtcourse.grading.isolation.kernel_process import OWN_USER
from mtcourse.grading.isolation.sandbox import (
    HOME,
    SCRATCH_FOLDERS,
    ResourceLimits,
    find_visible_files,
    kernel_environment,
)

UNPRIVILEGED_USER = "65534"


class Bubblewrap:
    """Kernels that import everything themselves, each in its own sandbox."""

    name = "bubblewrap"

    def why_unavailable(self) -> str:
        """Returns why this machine does not have it; a sandbox is started to find out."""
        if not shutil.which("bwrap"):
            return "there is no program bwrap: install the package bubblewrap"
        command = [*_sandbox_command(), "--", sys.executable, "-c", ""]
        tried = subprocess.run(command, capture_output=True, text=True, env={}, cwd="/")
        return "" if tried.returncode == 0 else tried.stderr.strip().split("\n")[-1]

    def open(self) -> None:
        """Does nothing: kernels share nothing."""

    def launch(self, connection_file: Path) -> subprocess.Popen:
        """Starts a kernel."""
        place = connection_file.parent
        place.chmod(0o777)  # in a sandbox root is nobody; its parent folder keeps others out
        connection_file.chmod(0o644)
        kernel = [sys.executable, "-P", "-m", f"{__package__}.kernel_process", str(connection_file)]
        kernel.append(OWN_USER)
        return subprocess.Popen(
            [
                *_sandbox_command(),
                "--bind",
                str(place),
                str(place),
                "--remount-ro",
                "/",
                "--",
                *kernel,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )

    def close(self) -> None:
        """Does nothing: kernels share nothing."""


def _sandbox_command() -> list[str]:
    """Returns the command that runs what follows it in a sandbox."""
    visible, limits = find_visible_files(), ResourceLimits()
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    command += ["--uid", UNPRIVILEGED_USER, "--gid", UNPRIVILEGED_USER, "--cap-drop", "ALL"]
    command += ["--dev", "/dev"]
    for path in SCRATCH_FOLDERS:  # first, because visible files may be below one of them
        command += ["--size", str(limits.scratch), "--tmpfs", str(path)]
    for path in visible.read_only:
        command += ["--ro-bind", str(path), str(path)]
    for path in visible.hidden:
        command += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for path, target in visible.links:
        command += ["--symlink", target, str(path)]
    for name, value in kernel_environment().items():
        command += ["--setenv", name, value]
    return [*command, "--chdir", str(HOME)]
