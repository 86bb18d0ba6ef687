"""Watches the processes of a kernel from outside: what they hold, and how urgent they are."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator

from mtcourse.grading.isolation.sandbox import SCRATCH_FOLDERS, ResourceLimits

POLL_SECONDS = 0.25
"""Seconds between two looks."""
INODE_BYTES = 1024
"""What an empty file in memory holds, about."""
_KERNEL_THREADS = 16
"""The number of a kernel's threads that keep their priority: it begins with half as many."""
_LOWEST = 19
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_HELD = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s+(\d+) kB$", re.MULTILINE)


class Watch:
    """The processes below one of them.

    Args:
        top: the first of them.
        depth: how many generations below it the kernel is; what comes later, others have started.
        limits: what all of them may hold together.
        processes: a descriptor of ``/proc``, if it is out of sight; it is closed in the end.
        folders: the kernel's scratch folders that lie in memory, as the kernel sees them.
    """

    def __init__(
        self,
        top: int,
        depth: int,
        limits: ResourceLimits,
        processes: int | None = None,
        folders: Iterable[str] = tuple(map(str, SCRATCH_FOLDERS)),
    ) -> None:
        self._top, self._depth, self._limits = top, depth, limits
        self._folders = tuple(folders)
        self._proc = os.open("/proc", _FOLDER) if processes is None else processes
        self._kernel = 0
        self._lowered: set[int] = set()

    def close(self) -> None:
        """Ends it."""
        os.close(self._proc)

    def is_exceeded(self) -> bool:
        """Looks once: whether they hold too much; lowers the priority of what the kernel started.

        It is the lowest of the system, so that no submission slows another.
        """
        generations = self._find_generations()
        if not self._kernel and len(generations) > self._depth:
            self._kernel = min(generations[self._depth])
        spared = {one for generation in generations[: self._depth] for one in generation}
        everybody = {one for generation in generations for one in generation}
        if self._kernel:
            for one in everybody - spared - {self._kernel}:
                self._lower(self._threads_of(one), of_another=one)
            self._lower(self._threads_of(self._kernel)[_KERNEL_THREADS:])
        scratch = self._measure_folders()
        held = sum(map(self._memory_of, everybody)) + sum(size for size, _ in scratch)
        too_many = any(files > self._limits.scratch_files for _, files in scratch)
        return too_many or held > self._limits.memory * 3 // 2

    def _find_generations(self) -> list[list[int]]:
        """Returns the process at the top, its children, their children, and so on."""
        generations = [[self._top]]
        while below := [child for one in generations[-1] for child in self._children_of(one)]:
            generations.append(below)
        return generations

    def _children_of(self, process: int) -> list[int]:
        threads = self._threads_of(process)
        lists = [self._read(f"{process}/task/{one}/children") for one in threads]
        return [int(child) for one in lists for child in one.split()]

    def _threads_of(self, process: int) -> list[int]:
        with contextlib.suppress(OSError), self._opened(f"{process}/task") as folder:
            return sorted(map(int, os.listdir(folder)))
        return []

    def _memory_of(self, process: int) -> int:
        """Returns the bytes that a process holds and does not share with files on a disk."""
        return sum(map(int, _HELD.findall(self._read(f"{process}/status")))) * 1024

    def _measure_folders(self) -> list[tuple[int, int]]:
        """Returns of each scratch folder the bytes that it holds, and the number of its files."""
        found = []
        for folder in self._folders if self._kernel else ():  # before, it may not be inside yet
            path = f"{self._kernel}/root{folder}"
            with contextlib.suppress(OSError), self._opened(path, os.O_PATH) as opened:
                told = os.fstatvfs(opened)
                files = told.f_files - told.f_ffree
                held = (told.f_blocks - told.f_bfree) * told.f_frsize + files * INODE_BYTES
                found.append((held, files))
        return found

    def _lower(self, threads: Iterable[int], of_another: int = 0) -> None:
        """Gives threads the lowest priority, and their session too where sessions compete."""
        for one in set(threads) - self._lowered:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, one, _LOWEST)
                self._lowered.add(one)
        if of_another and self._session_of(of_another) != self._session_of(self._kernel):
            with contextlib.suppress(OSError):
                flags = os.O_WRONLY
                with self._opened(f"{of_another}/autogroup", flags) as opened:
                    os.write(opened, str(_LOWEST).encode())

    def _session_of(self, process: int) -> bytes:
        fields = self._read(f"{process}/stat").rpartition(b")")[2].split()
        return fields[3] if len(fields) > 3 else b""

    def _read(self, path: str) -> bytes:
        """Reads a small file of the system; nothing if its process is gone."""
        with contextlib.suppress(OSError), self._opened(path) as opened:
            return os.read(opened, 1 << 16)
        return b""

    @contextlib.contextmanager
    def _opened(self, path: str, flags: int = os.O_RDONLY) -> Iterator[int]:
        descriptor = os.open(path, flags | os.O_CLOEXEC, dir_fd=self._proc)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def can_watch() -> bool:
    """Whether this system tells of each process which others it has started."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def watch_in_background(
    process: subprocess.Popen, depth: int, end: Callable[[], None], folders: Iterable[str] = ()
) -> None:
    """Watches the processes below one until it has ended; ends them if they hold too much."""
    if not can_watch():
        return
    watch = Watch(process.pid, depth, ResourceLimits(), None, folders)

    def look() -> None:
        with contextlib.closing(watch):
            while process.poll() is None:
                if watch.is_exceeded():
                    end()
                threading.Event().wait(POLL_SECONDS)

    threading.Thread(target=look, daemon=True).start()
