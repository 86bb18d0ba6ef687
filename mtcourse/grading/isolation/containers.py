"""Kernels in containers of Podman or Docker, on Linux: of an image with nothing in it.

A container sees the same files as every other kernel, bound over an image that is made here and is
empty: nothing is fetched, and Python and its packages are those of the grader.
"""

from __future__ import annotations

import atexit
import functools
import io
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from mtcourse.grading.isolation.kernel_process import UNTIL_STDIN_ENDS
from mtcourse.grading.isolation.sandbox import (
    HOME,
    SCRATCH_FOLDERS,
    ResourceLimits,
    find_visible_files,
    kernel_environment,
)

IMAGE = "mtcourse-empty"
UNPRIVILEGED_USER = "65534"
ENGINE_TIMEOUT = 60


class Container(subprocess.Popen):
    """A container's program; ending it ends the container too, which would outlive it."""

    engine: str
    container: str

    def send_signal(self, sig: int) -> None:
        """Ends the container and its program: they know no other signal."""
        del sig
        end = [self.engine, "kill", self.container]
        subprocess.run(end, capture_output=True, timeout=ENGINE_TIMEOUT)
        super().send_signal(signal.SIGKILL)


class Containers:
    """Kernels that import everything themselves, each in a container of its own.

    Args:
        name: the program that runs them, "podman" or "docker".
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def launch(self, connection_file: Path) -> Container:
        """Starts a kernel."""
        place = connection_file.parent
        place.chmod(0o777)  # the user inside is another; who else may look decides its parent
        connection_file.chmod(0o644)
        name = f"mtcourse-{place.parent.name}"
        kernel = [sys.executable, "-P", "-m", f"{__package__}.kernel_process", str(connection_file)]
        kernel.append(UNTIL_STDIN_ENDS)
        bound = f"--volume={place}:{place}:rw"
        started = Container(
            [*_container_command(self.name), f"--name={name}", bound, IMAGE, *kernel],
            stdin=subprocess.PIPE,  # closed when this process is gone, however it went
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.engine, started.container = self.name, name
        return started

    def close(self) -> None:
        """Keeps nothing."""


def _container_command(engine: str) -> list[str]:
    """The command that runs what follows the image's name in a container."""
    visible, limits = find_visible_files(), ResourceLimits()
    command = [
        engine,
        "run",
        "--rm",
        "--interactive",
        "--network=none",
        "--read-only",
        "--init=false",
    ]
    command += ["--cap-drop=ALL", "--security-opt=no-new-privileges", f"--user={UNPRIVILEGED_USER}"]
    command += [f"--pids-limit={limits.processes}", f"--memory={limits.memory * 3 // 2}"]
    command += [f"--ulimit=nofile={limits.files}", f"--ulimit=nproc={limits.processes}"]
    for path in (*visible.read_only, *(link for link, _ in visible.links)):
        if not path.is_relative_to("/proc") and not path.is_relative_to("/sys"):
            command += [f"--volume={path}:{path}:ro"]
    for path in visible.hidden:  # a tmpfs would begin with a copy of what it hides
        command += [f"--volume={_make_empty_folder()}:{path}:ro"]
    for path in SCRATCH_FOLDERS:
        command += [f"--tmpfs={path}:rw,mode=1777,size={limits.scratch}"]
    for name, value in kernel_environment().items():
        command += [f"--env={name}={value}"]
    return [*command, f"--workdir={HOME}"]


@functools.cache
def _make_empty_folder() -> str:
    """An empty folder, as long as this process lives."""
    folder = tempfile.TemporaryDirectory(prefix="mtc-nothing-")
    atexit.register(folder.cleanup)
    return folder.name


@functools.cache
def why_not(name: str) -> str:
    """Why this machine cannot do it; empty where it can: a container is tried once."""
    if sys.platform != "linux":
        return "its files and sockets can be shared with a container on Linux only"
    if not shutil.which(name):
        return f"there is no program {name}"
    empty = io.BytesIO()
    with tarfile.open(fileobj=empty, mode="w"):
        pass
    try:
        for command, given in (
            ([name, "import", "-", IMAGE], empty.getvalue()),
            ([*_container_command(name), IMAGE, sys.executable, "-c", ""], b""),
        ):
            tried = subprocess.run(
                command, input=given, capture_output=True, timeout=ENGINE_TIMEOUT
            )
            if tried.returncode:
                return tried.stderr.decode(errors="replace").strip().split("\n")[-1]
    except subprocess.TimeoutExpired:
        return f"{name} did not answer within {ENGINE_TIMEOUT} seconds"
    return ""


def opened(name: str) -> Containers:
    """The containers of Podman or Docker."""
    return Containers(name)
