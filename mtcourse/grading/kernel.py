"""A kernel in which somebody else's code runs: whatever the code does, ``execute`` comes back."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass, field
from queue import Empty
from typing import Any

from nbval.kernel import RunningKernel, start_new_kernel

GRACE = 2.0
"""Seconds that an interrupted cell is given to end."""
TICK = 0.2
"""Seconds between looks at a kernel that says nothing: is it alive, and is there time left?"""


@dataclass(frozen=True)
class Limits:
    """What one cell may use.

    Args:
        seconds: until it is interrupted.
        output: characters that it may put out.
    """

    seconds: float = 30.0
    output: int = 5_000_000


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


class GradingKernel(RunningKernel):
    """nbval's kernel, with a deadline for each cell and a limit on what it puts out.

    Args:
        kernel_name: which kernel, such as "python3".
        cwd: the folder in which it runs.
    """

    def __init__(self, kernel_name: str, cwd: str | None = None) -> None:
        # nbval's own leaves a file open for the kernel's standard error.
        self.km, self.kc = start_new_kernel(
            kernel_name=kernel_name, stderr=subprocess.DEVNULL, cwd=cwd
        )
        self._ensure_iopub_up()

    def execute(self, source: str, limits: Limits) -> Ran:
        """Runs a cell to its end, or until it has had enough."""
        message = self.execute_cell_input(source, allow_stdin=False)
        seen = _Seen()
        deadline = time.monotonic() + limits.seconds
        interrupted = False
        while not seen.idle:
            if seen.size > limits.output:
                return Ran("output-limit")
            if time.monotonic() > deadline:
                if interrupted:
                    return Ran("timeout")
                self.interrupt()
                interrupted, deadline = True, time.monotonic() + GRACE
            try:
                self._take(self.get_message("iopub", timeout=TICK), message, seen)
            except Empty:
                if not self.is_alive():
                    return Ran("kernel-died")
        if interrupted:
            return Ran("timeout")
        return Ran("error" if seen.error else "ok", tuple(seen.data), seen.error)

    def _take(self, message: dict[str, Any], asked: str, seen: _Seen) -> None:
        """Keeps what belongs to the cell that was asked for."""
        content, kind = message["content"], message["msg_type"]
        seen.size += len(content.get("text", "")) + sum(
            len(str(value)) for value in content.get("data", {}).values()
        )
        if message["parent_header"].get("msg_id") != asked:
            return
        if kind in ("display_data", "execute_result"):
            seen.data.append(content["data"])
        elif kind == "error":
            seen.error = f"{content['ename']}: {content['evalue']}"
        elif kind == "status" and content["execution_state"] == "idle":
            seen.idle = True

    def stop(self) -> None:
        """Ends the kernel, in whatever state it is."""
        self.kc.stop_channels()
        self.km.shutdown_kernel(now=True)
