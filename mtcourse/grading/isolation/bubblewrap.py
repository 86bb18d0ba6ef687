"""Isolation by bubblewrap, the program in which Flatpak runs its applications."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mtcourse.grading.isolation.kernel_process import OWN_USER, SOCKETS_ALONE
from mtcourse.grading.isolation.sandbox import (
    HOME,
    SCRATCH_FOLDERS,
    ResourceLimits,
    find_visible_files,
    kernel_environment,
    read_hidden_files,
)
from mtcourse.grading.isolation.sockets import INSIDE, move_sockets
from mtcourse.grading.isolation.watch import watch_in_background

UNPRIVILEGED_USER = "65534"
USUAL_FOLDERS = (
    f"{sys.prefix}/bin",
    "~/.local/bin",
    "~/.nix-profile/bin",
    "/run/current-system/sw/bin",
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
)
"""Where the program may be although ``PATH`` does not lead there."""
KERNEL_DEPTH = 2
"""How many generations below the program the kernel is: in between stands its process 1."""


class Bubblewrap:
    """Kernels that import everything themselves, each in its own sandbox."""

    name = "bubblewrap"

    def why_unavailable(self) -> str:
        """Returns why this machine does not have it; a sandbox is started to find out."""
        if not find_program():
            return "there is no program bwrap: install the package bubblewrap"
        command = [*_sandbox_command(), "--", sys.executable, "-c", ""]
        try:
            tried = subprocess.run(command, capture_output=True, text=True, env={}, cwd="/")
        except OSError as error:
            return f"{command[0]} cannot be run: {error.strerror}"
        return "" if tried.returncode == 0 else tried.stderr.strip().split("\n")[-1]

    def open(self) -> None:
        """Does nothing: kernels share nothing."""

    def launch(self, connection_file: Path) -> subprocess.Popen:
        """Starts a kernel."""
        place = connection_file.parent
        place.chmod(0o777)  # in a sandbox root is nobody; its parent folder keeps others out
        kernel = [sys.executable, "-P", "-m", f"{__package__}.kernel_process"]
        kernel += [str(move_sockets(connection_file)), OWN_USER, SOCKETS_ALONE]
        started = subprocess.Popen(
            [
                *_sandbox_command(read_hidden_files(connection_file)),
                "--bind",
                str(place),
                str(INSIDE),
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
        watch_in_background(started, KERNEL_DEPTH, started.kill, map(str, SCRATCH_FOLDERS))
        return started

    def close(self) -> None:
        """Does nothing: kernels share nothing."""


def find_program() -> str:
    """Returns the path of the program, or an empty string."""
    folders = [os.environ.get("PATH", ""), *map(os.path.expanduser, USUAL_FOLDERS)]
    return shutil.which("bwrap", path=os.pathsep.join(filter(None, folders))) or ""


def _sandbox_command(blank: Sequence[Path] = ()) -> list[str]:
    """Returns the command that runs what follows it in a sandbox."""
    visible, limits = find_visible_files(), ResourceLimits()
    command = [find_program(), "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    command += ["--uid", UNPRIVILEGED_USER, "--gid", UNPRIVILEGED_USER, "--cap-drop", "ALL"]
    command += ["--dev", "/dev", "--dev-bind", "/dev/null", "/dev/zero"]
    for path in SCRATCH_FOLDERS:  # first, because visible files may be below one of them
        command += ["--size", str(limits.scratch), "--tmpfs", str(path)]
    for path in visible.read_only:
        command += ["--ro-bind", str(path), str(path)]
    for path in visible.hidden:
        command += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for path in blank:
        command += ["--dev-bind", "/dev/null", str(path)]
    for path, target in visible.links:
        command += ["--symlink", target, str(path)]
    for name, value in kernel_environment().items():
        command += ["--setenv", name, value]
    return [*command, "--chdir", str(HOME)]
