"""What a learner's kernel may see and use, the same in every isolation.

It sees Python, the installed packages, and this package without its banks of checks; empty folders
of its own; and the folder of its sockets. It sees no solution, result or other submission.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import mtcourse
from mtcourse.checks.banks import bank_folders

HOME = Path("/home/learner")
SCRATCH_FOLDERS = (HOME, Path("/tmp"), Path("/dev/shm"))
"""Folders that belong to one kernel, empty at its start and deleted at its end."""
HIDDEN_FILES = "hidden"
"""The file beside a kernel's own folder that lists, line by line, what the kernel does not see."""
DEVICES = ("null", "full", "random", "urandom")
"""Devices that a kernel sees; as shared memory ``/dev/zero`` would escape every limit."""
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
SYSTEM_SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/fonts",
)
PROCESSOR_INFO = ("/proc/cpuinfo", "/sys/devices/system/cpu")
"""Where torch looks up the processor's features; nothing else of ``/proc`` and ``/sys`` is seen."""


@dataclass(frozen=True)
class VisibleFiles:
    """The files of the machine that a kernel sees.

    Args:
        read_only: files and folders, in the order in which they are mounted.
        links: symbolic links to create, with their targets.
        hidden: folders below these that appear empty.
        blank: files below these that appear empty.
    """

    read_only: tuple[Path, ...]
    links: tuple[tuple[Path, str], ...]
    hidden: tuple[Path, ...]
    blank: tuple[Path, ...] = ()


@dataclass(frozen=True)
class ResourceLimits:
    """What a kernel may use altogether.

    Args:
        memory: bytes of data in each process; all processes together may have half as much again,
            with the files in their scratch folders.
        addresses: bytes that each process may map, used or not: their tables take memory, too.
        scratch: bytes in each scratch folder, and in one file.
        scratch_files: the number of files in each scratch folder.
        processes: the number of simultaneous processes and threads.
        files: the number of open files.
        cpu_seconds: the processor time of each process.
    """

    memory: int = 2 * 2**30
    addresses: int = 64 * 2**30
    scratch: int = 64 * 2**20
    scratch_files: int = 10_000
    processes: int = 64
    files: int = 256
    cpu_seconds: int = 600


def find_visible_files() -> VisibleFiles:
    """Finds the files of this machine that kernels see."""
    package = Path(mtcourse.__path__[0]).resolve()
    prefixes = {sys.prefix, sys.base_prefix, sysconfig.get_path("purelib"), package}
    wanted = [*SYSTEM_FOLDERS, *SYSTEM_SETTINGS, *PROCESSOR_INFO, *sorted(map(str, prefixes))]
    links: dict[Path, str] = {}
    folders: list[Path] = []
    for name in dict.fromkeys(wanted):
        path = Path(name)
        if any(path.is_relative_to(link) for link in links):  # a virtual environment may be one
            path = path.resolve()
        if path.is_symlink():
            links[path] = os.readlink(path)
            path = path.resolve()
        if path.exists() and not any(path.is_relative_to(one) for one in folders):
            folders.append(path)
    hidden = tuple(bank_folders(package).values())
    return VisibleFiles(tuple(folders), tuple(links.items()), hidden)


def read_hidden_files(connection_file: Path) -> tuple[Path, ...]:
    """Reads which single files of this package a kernel does not see; none if nobody says."""
    listed = connection_file.parent.parent / HIDDEN_FILES
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else ()
    return tuple(Path(line) for line in lines)


def kernel_environment() -> dict[str, str]:
    """Returns the environment variables of a kernel, none of which is the grader's."""
    return {
        "HOME": str(HOME),
        "USER": "learner",
        "LOGNAME": "learner",
        "PATH": f"{Path(sys.prefix) / 'bin'}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "IPYTHONDIR": str(HOME / ".ipython"),
        "MPLCONFIGDIR": str(HOME / ".matplotlib"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "TORCH_COMPILE_DISABLE": "1",  # what is to be compiled runs as it is: there is no compiler
    }
