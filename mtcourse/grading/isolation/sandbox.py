"""What a learner's kernel may see and use: the same for every way to keep it apart.

It sees Python, the installed packages, and this one without the banks of its checks; a home of its
own, empty; and the folder of its sockets. No solution, result or other submission is in it.
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
"""Folders that are a kernel's own, empty at its start and gone at its end."""
DEVICES = ("null", "zero", "full", "random", "urandom")
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
SYSTEM_SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/fonts",
)
PROCESSOR_INFO = ("/proc/cpuinfo", "/sys/devices/system/cpu")
"""Where torch looks up what the processor can do: all that is seen of these folders."""


@dataclass(frozen=True)
class VisibleFiles:
    """The part of a machine's files that a kernel sees.

    Args:
        read_only: files and folders, in the order in which they are put in place.
        links: symbolic links to make, with where they point.
        hidden: folders among the former that are empty to it.
    """

    read_only: tuple[Path, ...]
    links: tuple[tuple[Path, str], ...]
    hidden: tuple[Path, ...]


@dataclass(frozen=True)
class ResourceLimits:
    """What a kernel may use in all.

    Args:
        memory: bytes of data of each process, and of all together half as much again.
        scratch: bytes of each folder of its own, and of one file.
        processes: that may run at once, threads included.
        files: that may be open at once.
        cpu_seconds: of each process.
    """

    memory: int = 2 * 2**30
    scratch: int = 64 * 2**20
    processes: int = 64
    files: int = 256
    cpu_seconds: int = 600


def find_visible_files() -> VisibleFiles:
    """The view from a kernel on this machine."""
    package = Path(mtcourse.__path__[0]).resolve()
    prefixes = {sys.prefix, sys.base_prefix, sysconfig.get_path("purelib"), package}
    wanted = [*SYSTEM_FOLDERS, *SYSTEM_SETTINGS, *PROCESSOR_INFO, *sorted(map(str, prefixes))]
    links, folders = [], []
    for name in dict.fromkeys(wanted):
        path = Path(name)
        if path.is_symlink():
            links.append((path, os.readlink(path)))
            path = path.resolve()
        if path.exists() and not any(path.is_relative_to(one) for one in folders):
            folders.append(path)
    return VisibleFiles(tuple(folders), tuple(links), tuple(bank_folders(package).values()))


def kernel_environment() -> dict[str, str]:
    """The environment variables of a kernel: nothing of the grader's."""
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
    }
