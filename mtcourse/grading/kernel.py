"""A kernel that runs untrusted code: whatever the code does, ``execute`` returns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

import zmq
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbval.kernel import RunningKernel
from zmq.utils.monitor import recv_monitor_message

from mtcourse.grading.wire_format import clip_text, find_cell_line, format_error

MAX_MESSAGE_BYTES = 16 * 2**20
"""The size of a message; a larger one closes the connection."""
MAX_QUEUED_MESSAGES = 16
"""The number of unread messages; a kernel that sends more has to wait, or loses them."""
START_TIMEOUT = 120.0
"""Seconds for a kernel to start, even on a busy machine."""
EXIT_TIMEOUT = 30.0
"""Seconds after a lost connection for a container to end, even on a busy machine."""
POLL_SECONDS = 0.2
"""Seconds between two checks of a silent kernel: whether it is alive, and whether time is left."""


@dataclass(frozen=True)
class Limits:
    """What one cell may use.

    Args:
        seconds: the time after which its kernel is ended.
        output: the number of characters that it may output.
        total: seconds for all cells of a submission together, including those that run again.
    """

    seconds: float = 30.0
    output: int = 5_000_000
    total: float = 600.0


@dataclass(frozen=True)
class CellResult:
    """How a cell ended.

    Args:
        state: "ok", "error", "timeout", "kernel-died" or "output-limit".
        data: its displayed outputs, each a dictionary by MIME type.
        error: the name and the message of the exception that ended it, if one did.
        line: the line of the cell in which it arose, if it is known.
    """

    state: str
    data: tuple[dict[str, Any], ...] = ()
    error: str = ""
    line: str = ""

    @property
    def kernel_is_lost(self) -> bool:
        """Whether the kernel's state is gone, or can no longer be relied on."""
        return self.state not in ("ok", "error")


@dataclass
class _CellOutput:
    """The output of a cell so far."""

    data: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    line: str = ""
    size: int = 0
    idle: bool = False


class _KernelSpecs(KernelSpecManager):
    """Finds a kernel specification by the name of an isolation."""

    hidden: Sequence[Path] = ()
    """The files that its kernels shall not see."""

    def get_kernel_spec(self, kernel_name: str) -> Any:
        """Returns the kernel in that isolation."""
        config = {"isolation": kernel_name, "hidden": [*map(str, self.hidden)]}
        provisioner = {"provisioner_name": "mtcourse", "config": config}
        return self.kernel_spec_class(
            argv=[], language="python", metadata={"kernel_provisioner": provisioner}
        )


class GradingKernel(RunningKernel):
    """nbval's kernel in isolation, with a deadline for each cell and a limit on its output.

    Args:
        isolation: the name of the isolation; "auto" takes the best one that is available.
        hidden: files of this package that it does not see, if its isolation can hide single files.
    """

    def __init__(self, isolation: str = "auto", hidden: Sequence[Path] = ()) -> None:
        specifications = _KernelSpecs()
        specifications.hidden = hidden
        self._context = zmq.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        self._context.setsockopt(zmq.RCVHWM, MAX_QUEUED_MESSAGES)
        self.km = KernelManager(
            context=self._context, kernel_name=isolation, kernel_spec_manager=specifications
        )
        self.kc = self.km.client()
        try:
            self.km.start_kernel()
            self.kc.load_connection_info(self.km.get_connection_info())
            # No heartbeat: the process itself tells whether it is alive, and an interruption that
            # came while that thread starts would leave it behind, without its context.
            self.kc.start_channels(hb=False)
            self.kc.wait_for_ready(timeout=START_TIMEOUT)
            self._ensure_iopub_up()
        except BaseException:  # even one that ends this process
            self.stop()
            raise
        listens = self.kc.iopub_channel.socket
        self._disconnections = listens.get_monitor_socket(
            zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_SUCCEEDED
        )

    def execute(self, source: str, limits: Limits) -> CellResult:
        """Runs a cell to its end or to its limits; a kernel that is lost is stopped."""
        result = self._run_cell(source, limits)
        if result.kernel_is_lost:
            self.stop()
        return result

    def _run_cell(self, source: str, limits: Limits) -> CellResult:
        """Runs a cell and collects its output."""
        output = _CellOutput()
        message = self.execute_cell_input(source, allow_stdin=False)
        deadline = time.monotonic() + limits.seconds
        while not output.idle:
            if output.size > limits.output:
                return CellResult("output-limit")
            if time.monotonic() > deadline:
                return CellResult("timeout")
            try:
                self._read_message(self.get_message("iopub", timeout=POLL_SECONDS), message, output)
            except Empty:
                if not self.is_alive():
                    return CellResult("kernel-died")
                if self._disconnections.poll(0):
                    return self._explain_disconnection()
            except Exception as error:  # learners can send any message in its name
                return CellResult(
                    "kernel-died", error=f"it sent what no kernel sends: {clip_text(error)}"
                )
        if self._disconnections.poll(0):
            return self._explain_disconnection()
        try:
            reply = self._find_reply(message, deadline)
            if not output.error and reply["status"] != "ok":  # nothing was left to show it
                name = reply.get("ename") or reply["status"]
                output.error = format_error(name, reply.get("evalue", ""))
        except Empty:
            return CellResult("timeout" if self.is_alive() else "kernel-died")
        except Exception as error:
            return CellResult(
                "kernel-died", error=f"it sent what no kernel sends: {clip_text(error)}"
            )
        state = "error" if output.error else "ok"
        return CellResult(state, tuple(output.data), output.error, output.line)

    def _find_reply(self, request: str, deadline: float) -> dict[str, Any]:
        """Returns the reply to a request, which says how it ended; older ones are dropped.

        Raises:
            Empty: the kernel has ended, or the deadline has passed.
        """
        while self.is_alive() and time.monotonic() < deadline:
            try:
                message = self.get_message("shell", timeout=POLL_SECONDS)
            except Empty:
                continue
            if message["parent_header"].get("msg_id") == request:
                return message["content"]
        raise Empty

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        """Returns the next message; nbval would first print it in full for a log of its own."""
        read = self.kc.get_iopub_msg if stream == "iopub" else self.kc.get_shell_msg
        return read(timeout=timeout)

    def _explain_disconnection(self) -> CellResult:
        """Returns why the connection closed: the kernel ended, or its message was too large.

        A kernel that goes on is connected again at once. One that has ended never is, however long
        whatever holds it takes to end, too.
        """
        deadline = time.monotonic() + EXIT_TIMEOUT
        while self.is_alive():
            if self._is_back() or time.monotonic() > deadline:
                return CellResult("output-limit")
            time.sleep(POLL_SECONDS / 10)
        return CellResult("kernel-died")

    def _is_back(self) -> bool:
        """Whether the connection, once lost, has been made again; what is read is gone."""
        while self._disconnections.poll(0):
            event = recv_monitor_message(self._disconnections)["event"]
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                return True
        return False

    def _read_message(self, message: dict[str, Any], request: str, output: _CellOutput) -> None:
        """Adds a message to the output, if it belongs to this request."""
        content, kind = message["content"], message["msg_type"]
        output.size += len(repr(content)) + len(repr(message["metadata"]))
        if message["parent_header"].get("msg_id") != request:
            return
        if kind in ("display_data", "execute_result"):
            output.data.append(dict(content["data"]))
        elif kind == "error":
            output.error = format_error(content["ename"], content["evalue"])
            output.line = find_cell_line(content.get("traceback"))
        elif kind == "status" and content["execution_state"] == "idle":
            output.idle = True

    def stop(self) -> None:
        """Stops the kernel, whatever its state."""
        if self._context.closed:
            return
        self.kc.stop_channels()
        self.km.shutdown_kernel(now=True)
        self._context.destroy(linger=0)
