"""CPU seconds of a command with every process that it starts, however those end.

The system's own sum (``RUSAGE_CHILDREN``) holds only processes that somebody has waited for. A
kernel that is forked and reaped by nobody is missing there, and a server that is killed with its
children too.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

GROUPS = Path("/sys/fs/cgroup")
LOOK_EVERY = 0.02
"""Seconds between looks at processes, where there is no control group to count for us."""
PATIENCE = 20.0
"""Seconds from the end of a command until the last process of its group is gone."""
_ENTER = 'echo $$ > "$1"/cgroup.procs && shift && exec "$@"'


def processor_seconds(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> tuple[float, str]:
    """Runs a command; gives its CPU seconds, and how they were counted.

    A control group of Linux counts all that its processes use, to the nanosecond. Where none can be
    made, processes are looked at many times a second; what one uses after the last look is missing.

    Args:
        command: the program and its arguments.
        folder: where to run it.
        environment: its variables; by default those of this process.

    Raises:
        RuntimeError: it failed, with the end of what it said.
    """
    with _group() as group:
        entered = ["sh", "-c", _ENTER, "sh", str(group), *command] if group else list(command)
        with subprocess.Popen(
            entered,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            watch = None if group else _Watch(process.pid)
            said, _ = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{command[0]} ended with {process.returncode}: {said[-2000:]}")
        if watch:
            return watch.end(), "polled"
        return _of_group(group), "control group"


@contextlib.contextmanager
def _group() -> Iterator[Path | None]:
    """A control group of its own, if the system allows one."""
    parent = GROUPS / "cpuacct"
    if not parent.exists():  # version 2: a group below the one that this process is in
        own = Path("/proc/self/cgroup")
        inside = own.read_text().partition("::")[2].strip() if own.exists() else ""
        parent = GROUPS / inside.lstrip("/")
    group = parent / f"mtcourse-benchmark-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        yield None
        return
    try:
        yield group if os.access(group / "cgroup.procs", os.W_OK) else None
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


def _of_group(group: Path) -> float:
    """What a group has used, when its last process is gone."""
    until = time.monotonic() + PATIENCE
    while (group / "cgroup.procs").read_text() and time.monotonic() < until:
        time.sleep(LOOK_EVERY)
    total = group / "cpuacct.usage"
    if total.exists():
        return int(total.read_text()) / 1e9
    told = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return int(told["usage_usec"]) / 1e6


class _Watch(threading.Thread):
    """Looks at a process and its descendants until it is told to end.

    Args:
        first: the process.
    """

    def __init__(self, first: int) -> None:
        super().__init__(daemon=True)
        self._used: dict[tuple[int, float], float] = {}
        self._pids = {first}
        self._ended = threading.Event()
        self.start()

    def run(self) -> None:
        """Looks, again and again."""
        while not self._ended.wait(LOOK_EVERY):
            for process in psutil.process_iter():
                with contextlib.suppress(psutil.Error):
                    if process.pid in self._pids or process.ppid() in self._pids:
                        self._pids.add(process.pid)
                        times = process.cpu_times()
                        key = process.pid, process.create_time()
                        self._used[key] = times.user + times.system

    def end(self) -> float:
        """The CPU seconds that were seen."""
        self._ended.set()
        self.join()
        return sum(self._used.values())


if __name__ == "__main__":
    spent, how = processor_seconds(sys.argv[1:], Path.cwd())
    print(f"{spent:.2f} CPU seconds ({how})")
