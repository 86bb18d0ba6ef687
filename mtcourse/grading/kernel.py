"""A kernel in which somebody else's code runs: whatever the code does, ``execute`` comes back."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from queue import Empty
from typing import Any

import zmq
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbval.kernel import RunningKernel

from mtcourse.grading.wire_format import error_in_words, readable

LARGEST_MESSAGE = 16 * 2**20
"""Bytes of a message; one that is larger cuts the connection."""
MOST_WAITING = 16
"""Messages that may wait to be read; a kernel that sends more waits, or loses them."""
STARTS_WITHIN = 120.0
"""Seconds that a kernel is given to start, on a machine however busy."""
DIES_WITHIN = 2.0
"""Seconds from the end of a kernel's connection until it is known that it has ended itself."""
TICK = 0.2
"""Seconds between looks at a kernel that says nothing: is it alive, and is there time left?"""


@dataclass(frozen=True)
class Limits:
    """What one cell may use.

    Args:
        seconds: until its kernel is ended.
        output: characters that it may put out.
        total: seconds for all cells of a submission together, those that are run again included.
    """

    seconds: float = 30.0
    output: int = 5_000_000
    total: float = 600.0


@dataclass(frozen=True)
class Ran:
    """How a cell ended.

    Args:
        state: "ok", "error", "timeout", "kernel-died" or "output-limit".
        data: what it displayed, a dictionary by MIME type each.
        error: the exception's name and message, where it ended with one.
    """

    state: str
    data: tuple[dict[str, Any], ...] = ()
    error: str = ""

    @property
    def kernel_is_lost(self) -> bool:
        """Whether what the kernel held is gone, or cannot be relied on."""
        return self.state not in ("ok", "error")


@dataclass
class _Seen:
    """What has come from a cell so far."""

    data: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    size: int = 0
    idle: bool = False


class _KernelSpecs(KernelSpecManager):
    """Finds, by the name of an isolation, the kernel that runs behind it."""

    def get_kernel_spec(self, kernel_name: str) -> Any:
        """The kernel of that isolation."""
        provisioner = {"provisioner_name": "mtcourse", "config": {"isolation": kernel_name}}
        return self.kernel_spec_class(
            argv=[], language="python", metadata={"kernel_provisioner": provisioner}
        )


class GradingKernel(RunningKernel):
    """nbval's kernel, kept apart, with a deadline for each cell and a limit on what it puts out.

    Args:
        isolation: how it is kept apart; "auto" takes the best way that works here.
    """

    def __init__(self, isolation: str = "auto") -> None:
        self._context = zmq.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, LARGEST_MESSAGE)
        self._context.setsockopt(zmq.RCVHWM, MOST_WAITING)
        self.km = KernelManager(
            context=self._context, kernel_name=isolation, kernel_spec_manager=_KernelSpecs()
        )
        self.kc = self.km.client()
        try:
            self.km.start_kernel()
            self.kc.load_connection_info(self.km.get_connection_info())
            self.kc.start_channels()
            self.kc.wait_for_ready(timeout=STARTS_WITHIN)
            self._ensure_iopub_up()
        except BaseException:  # even one that ends this process
            self.stop()
            raise
        listens = self.kc.iopub_channel.socket
        self._lost = listens.get_monitor_socket(zmq.EVENT_DISCONNECTED)

    def execute(self, source: str, limits: Limits) -> Ran:
        """Runs a cell to its end, or until it has had enough; a kernel that is lost is ended."""
        ran = self._executed(source, limits)
        if ran.kernel_is_lost:
            self.stop()
        return ran

    def _executed(self, source: str, limits: Limits) -> Ran:
        """Runs a cell, and listens to what comes of it."""
        seen = _Seen()
        message = self.execute_cell_input(source, allow_stdin=False)
        deadline = time.monotonic() + limits.seconds
        while not seen.idle:
            if seen.size > limits.output:
                return Ran("output-limit")
            if time.monotonic() > deadline:
                return Ran("timeout")
            try:
                self._take(self.get_message("iopub", timeout=TICK), message, seen)
            except Empty:
                if not self.is_alive():
                    return Ran("kernel-died")
                if self._lost.poll(0):
                    return self._cut_off()
            except Exception as error:  # what comes in is whatever somebody sends in its name
                return Ran("kernel-died", error=f"it sent what no kernel sends: {readable(error)}")
        if self._lost.poll(0):
            return self._cut_off()
        return Ran("error" if seen.error else "ok", tuple(seen.data), seen.error)

    def _cut_off(self) -> Ran:
        """Why the connection ended: so it does with the kernel, or when a message is too large."""
        patience = time.monotonic() + DIES_WITHIN
        while self.is_alive():
            if time.monotonic() > patience:
                return Ran("output-limit")
            time.sleep(TICK / 10)
        return Ran("kernel-died")

    def _take(self, message: dict[str, Any], asked: str, seen: _Seen) -> None:
        """Keeps what belongs to the cell that was asked for."""
        content, kind = message["content"], message["msg_type"]
        seen.size += len(repr(content)) + len(repr(message["metadata"]))
        if message["parent_header"].get("msg_id") != asked:
            return
        if kind in ("display_data", "execute_result"):
            seen.data.append(dict(content["data"]))
        elif kind == "error":
            seen.error = error_in_words(content["ename"], content["evalue"])
        elif kind == "status" and content["execution_state"] == "idle":
            seen.idle = True

    def stop(self) -> None:
        """Ends the kernel, in whatever state it is."""
        if self._context.closed:
            return
        self.kc.stop_channels()
        self.km.shutdown_kernel(now=True)
        self._context.destroy(linger=0)
