"""The best isolation: each kernel is forked from a process that has imported everything."""

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
"""Seconds for the server to import what kernels share, even on a busy machine."""


class Warm:
    """Kernels that are forked from one server into namespaces."""

    name = "warm"

    def why_unavailable(self) -> str:
        """Returns why this machine does not have it; the namespaces are entered to find out."""
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

    def open(self) -> None:
        """Starts the server."""
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
            MtcourseError: the server did not start, or has ended, with its last messages.
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
        """Returns the last messages of the server."""
        self._log.seek(0)
        return " ".join(self._log.read()[-500:].split()) or "it said nothing"

    def close(self) -> None:
        """Ends the server, and with it every kernel."""
        self._requests.close()
        self._server.kill()
        self._server.wait()
        self._log.close()


class ForkedKernel:
    """A forked kernel, with those parts of ``subprocess.Popen`` that Jupyter needs."""

    stdin = stdout = stderr = None
    pid = 0  # nobody outside of its namespaces may signal it

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Returns the exit status, if the kernel has ended."""
        if self.returncode is None and select.select([self._control], [], [], 0)[0]:
            return self.wait()
        return self.returncode

    def wait(self) -> int:
        """Waits until the kernel has ended, and returns the exit status."""
        if self.returncode is None:
            self.returncode = int(self._control.recv(16) or -signal.SIGKILL)
            self._control.close()
        return self.returncode

    def kill(self) -> None:
        """Ends the kernel and every process that it has started."""
        if self.returncode is None:
            self._control.shutdown(socket.SHUT_WR)

    terminate = kill

    def send_signal(self, number: int) -> None:
        """Ends the kernel, whatever the signal."""
        del number
        self.kill()
