"""Isolation by containers of Podman or Docker, on Linux, with an empty image.

A container sees the same files as every other kernel, mounted over an image that is made here and
is empty: nothing is downloaded, and Python and its packages are those of the grader.
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
from collections.abc import Sequence
from pathlib import Path

from mtcourse.grading.isolation.kernel_process import SOCKETS_ALONE, UNTIL_STDIN_ENDS
from mtcourse.grading.isolation.sandbox import (
    HOME,
    SCRATCH_FOLDERS,
    ResourceLimits,
    find_visible_files,
    kernel_environment,
    read_hidden_files,
)
from mtcourse.grading.isolation.sockets import INSIDE, move_sockets

IMAGE = "mtcourse-empty"
UNPRIVILEGED_USER = "65534"
ENGINE_TIMEOUT = 60
AS_A_CHILD = ["sh", "-c", '"$@"; exit $?', "sh"]
"""A kernel is not a container's first process, which a signal from inside would not end."""


class Container(subprocess.Popen):
    """The program that runs a container; signals end the container too, which would outlive it."""

    engine: str
    container: str

    def send_signal(self, sig: int) -> None:
        """Kills the container and its program, whatever the signal."""
        del sig
        end = [self.engine, "kill", self.container]
        subprocess.run(end, capture_output=True, timeout=ENGINE_TIMEOUT)
        super().send_signal(signal.SIGKILL)


class Containers:
    """Kernels that import everything themselves, each in its own container.

    Args:
        name: the program that runs containers, "podman" or "docker".
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def why_unavailable(self) -> str:
        """Returns why this machine does not have it; a container is started to find out."""
        if sys.platform != "linux":
            return "its files and sockets can be shared with a container on Linux only"
        if not shutil.which(self.name):
            return f"there is no program {self.name}"
        empty = io.BytesIO()
        with tarfile.open(fileobj=empty, mode="w"):
            pass
        try:
            for command, given in (
                ([self.name, "import", "-", IMAGE], empty.getvalue()),
                ([*_container_command(self.name), IMAGE, sys.executable, "-c", ""], b""),
            ):
                tried = subprocess.run(
                    command, input=given, capture_output=True, timeout=ENGINE_TIMEOUT
                )
                if tried.returncode:
                    return tried.stderr.decode(errors="replace").strip().split("\n")[-1]
        except subprocess.TimeoutExpired:
            return f"{self.name} did not answer within {ENGINE_TIMEOUT} seconds"
        return ""

    def open(self) -> None:
        """Does nothing: kernels share nothing."""

    def launch(self, connection_file: Path) -> Container:
        """Starts a kernel."""
        place = connection_file.parent
        place.chmod(0o777)  # the user inside is another; its parent folder keeps others out
        name = f"mtcourse-{place.parent.name}"
        kernel = [*AS_A_CHILD, sys.executable, "-P", "-m", f"{__package__}.kernel_process"]
        kernel += [str(move_sockets(connection_file)), UNTIL_STDIN_ENDS, SOCKETS_ALONE]
        bound = f"--volume={place}:{INSIDE}:rw"
        started = Container(
            [
                *_container_command(self.name, read_hidden_files(connection_file)),
                f"--name={name}",
                bound,
                IMAGE,
                *kernel,
            ],
            stdin=subprocess.PIPE,  # closed when this process is gone, however it went
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=place.parent,  # where Podman leaves a note if memory runs out; not seen inside
        )
        started.engine, started.container = self.name, name
        return started

    def close(self) -> None:
        """Does nothing: kernels share nothing."""


def _container_command(engine: str, blank: Sequence[Path] = ()) -> list[str]:
    """Returns the command that runs what follows the image's name in a container."""
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
    nothing = _make_nothing()
    for path in visible.hidden:  # a tmpfs would begin with a copy of what it hides
        command += [f"--volume={nothing / 'folder'}:{path}:ro"]
    for path in blank:
        command += [f"--volume={nothing / 'file'}:{path}:ro"]
    for path in SCRATCH_FOLDERS:
        command += [f"--tmpfs={path}:rw,mode=1777,size={limits.scratch}"]
    for name, value in kernel_environment().items():
        command += [f"--env={name}={value}"]
    return [*command, f"--workdir={HOME}"]


@functools.cache
def _make_nothing() -> Path:
    """Makes an empty folder and an empty file that exist as long as this process."""
    place = tempfile.TemporaryDirectory(prefix="mtc-nothing-")
    atexit.register(place.cleanup)
    (Path(place.name) / "folder").mkdir()
    (Path(place.name) / "file").touch()
    Path(place.name).chmod(0o755)
    return Path(place.name)
