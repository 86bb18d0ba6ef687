"""The best way to keep kernels apart: each is forked, behind walls, from one that is ready."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.isolation.sandbox import kernel_environment

START_TIMEOUT = 120.0
"""Seconds that a machine, however busy, is given to import what kernels share."""


class Warm:
    """Kernels forked from one process."""

    name = "warm"

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  (open as long as the server is)
        self._server = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.fork_server", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            env=kernel_environment() | {"HOME": tempfile.gettempdir()},
            cwd="/",
            start_new_session=True,
        )
        theirs.close()
        self._requests.settimeout(START_TIMEOUT)
        self._ready = False

    def launch(self, connection_file: Path) -> ForkedKernel:
        """Starts a kernel.

        Raises:
            MtcourseError: there is none, with what the system said.
        """
        if not self._ready:
            try:
                self._ready = self._requests.recv(16) == b"ready"
            except OSError:
                self._ready = False
            if not self._ready:
                raise MtcourseError(f"the warm sandbox did not start: {self.read_log()}")
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._requests, [str(connection_file).encode()], [theirs.fileno()])
            except OSError as error:
                raise MtcourseError(f"the warm sandbox has ended: {self.read_log()}") from error
        return ForkedKernel(ours)

    def read_log(self) -> str:
        """What the processes outside of the walls have complained of."""
        self._log.seek(0)
        return " ".join(self._log.read()[-500:].split()) or "it said nothing"

    def close(self) -> None:
        """Ends the process, and with it every kernel."""
        self._requests.close()
        self._server.kill()
        self._server.wait()
        self._log.close()


class ForkedKernel:
    """A kernel behind walls, with as much of ``subprocess.Popen`` as is needed of it."""

    stdin = stdout = stderr = None
    pid = 0  # outside of its walls nobody has business with it

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, if it has ended."""
        if self.returncode is None and select.select([self._control], [], [], 0)[0]:
            return self.wait()
        return self.returncode

    def wait(self) -> int:
        """The exit status, when it has ended."""
        if self.returncode is None:
            self.returncode = int(self._control.recv(16) or -signal.SIGKILL)
            self._control.close()
        return self.returncode

    def kill(self) -> None:
        """Ends it and every process that it has started."""
        if self.returncode is None:
            self._control.shutdown(socket.SHUT_WR)

    terminate = kill

    def send_signal(self, number: int) -> None:
        """Ends it: it knows no other signal."""
        del number
        self.kill()


def why_not(name: str) -> str:
    """Why this machine cannot do it; empty where it can: the walls are tried once."""
    del name
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return "it needs Linux 5.3 or later"
    tried = subprocess.run(
        [sys.executable, "-P", "-m", f"{__package__}.namespaces"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd="/",
    )
    return "" if tried.returncode == 0 else tried.stderr.strip().split("\n")[-1]


def opened(name: str) -> Warm:
    """A warm sandbox."""
    del name
    return Warm()
