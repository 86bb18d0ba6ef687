"""Linux namespaces: files, network, processes and privileges that belong to one kernel.

It calls unshare, mount, pivot_root and prctl through the C library, because Python 3.11 does not
have them.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from pathlib import Path

from mtcourse.grading.isolation.sandbox import (
    DEVICES,
    SCRATCH_FOLDERS,
    ResourceLimits,
    VisibleFiles,
    find_visible_files,
)

INSIDE_USER_ID = 1000
"""The user id inside a user namespace."""
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _REMOUNT, _BIND = 1, 2, 4, 32, 4096
_RECURSIVE, _PRIVATE, _DETACH = 16384, 1 << 18, 2
_LOCKED_FLAGS = {  # flags of statvfs and of mount that a user namespace may not remove
    os.ST_RDONLY: 1,
    os.ST_NOSUID: 2,
    os.ST_NODEV: 4,
    os.ST_NOEXEC: 8,
    os.ST_NOATIME: 1024,
    os.ST_NODIRATIME: 2048,
    os.ST_RELATIME: 1 << 21,
}
_SET_UNDUMPABLE, _DROP_CAPABILITY, _NO_NEW_RIGHTS = 4, 24, 38
_CAPABILITIES = 64
_CAPABILITY_VERSION = 0x20080522
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    """Calls a function of the C library; a failure raises an OSError with its name."""
    if getattr(_libc, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def unshare(as_root: bool) -> None:
    """Enters new namespaces for files, network and processes; without root also for users."""
    walls = NEW_MOUNTS | NEW_IPC | NEW_PROCESSES | NEW_NETWORK
    user, group = os.getuid(), os.getgid()
    _call("unshare", walls if as_root else walls | NEW_USER)
    if not as_root:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{INSIDE_USER_ID} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{INSIDE_USER_ID} {group} 1")


def enter(visible: VisibleFiles, writable: Path, limits: ResourceLimits, owner: int) -> None:
    """Makes the visible files the root of this process.

    Args:
        visible: the files that it sees.
        writable: a folder that it sees and may write to.
        limits: limits the size of its scratch folders.
        owner: the user id of the owner of these folders.
    """
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    root = Path("/tmp")  # any folder will do: it becomes the root
    binds = [(path, path, True) for path in visible.read_only]
    binds += [(Path("/dev", name), Path("/dev", name), False) for name in DEVICES]
    sources = {path: os.open(path, os.O_PATH) for path, _, _ in [*binds, (writable, 0, 0)]}
    _mount("tmpfs", str(root), "tmpfs", _NO_SETUID | _NO_DEVICES, "size=4m,mode=755")
    for path in SCRATCH_FOLDERS:  # first, because visible files may be below one of them
        place = root / path.relative_to("/")
        place.mkdir(parents=True, exist_ok=True)
        options = f"size={limits.scratch},nr_inodes={limits.scratch_files},mode=700"
        options += f",uid={owner},gid={owner}"
        _mount("tmpfs", str(place), "tmpfs", _NO_SETUID | _NO_DEVICES, options)
    for path, place, read_only in binds:
        _bind(sources[path], root / place.relative_to("/"), read_only)
    for path in visible.hidden:
        _mount("tmpfs", str(root / path.relative_to("/")), "tmpfs", _READ_ONLY, "mode=555")
    nothing = f"/proc/self/fd/{sources[Path('/dev/null')]}"
    for path in visible.blank:
        _mount(nothing, str(root / path.relative_to("/")), "", _BIND)
    for path, target in visible.links:
        link = root / path.relative_to("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(target)
    terminals = root / "dev" / "pts"
    terminals.mkdir()
    _mount("devpts", str(terminals), "devpts", _NO_SETUID, "newinstance,ptmxmode=0666,mode=620")
    (root / "dev" / "ptmx").symlink_to("pts/ptmx")
    _bind(sources[writable], root / writable.relative_to("/"), False)
    for descriptor in sources.values():
        os.close(descriptor)
    _pivot_root(root)


def _bind(source: int, place: Path, read_only: bool) -> None:
    """Mounts an open file or folder at another path."""
    origin = f"/proc/self/fd/{source}"
    if os.path.isdir(origin):
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    _mount(origin, str(place), "", _BIND | _RECURSIVE)
    if read_only:
        had = os.statvfs(place).f_flag
        kept = sum(flag for mask, flag in _LOCKED_FLAGS.items() if had & mask)
        _mount("none", str(place), "", _BIND | _REMOUNT | _READ_ONLY | _NO_SETUID | kept)


def make_read_only(folder: Path) -> None:
    """Makes a folder read-only for all processes inside."""
    _mount("none", str(folder), "", _BIND | _REMOUNT | _READ_ONLY | _NO_SETUID | _NO_DEVICES)


def _pivot_root(root: Path) -> None:
    """Makes a folder the root, and unmounts the old root."""
    os.chdir(root)
    here = b"."
    _call("syscall", _PIVOT_ROOT[os.uname().machine], here, here)
    _call("umount2", here, _DETACH)
    _mount("none", "/", "", _BIND | _REMOUNT | _READ_ONLY | _NO_SETUID | _NO_DEVICES)
    os.chdir("/")


def _mount(source: str, place: str, kind: str, flags: int, options: str = "") -> None:
    _call(
        "mount",
        source.encode(),
        place.encode(),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )


def drop_privileges(user: int | None) -> None:
    """Drops all privileges of this process for good.

    Args:
        user: the user id to change to; None keeps the user.
    """
    for capability in range(_CAPABILITIES):
        _libc.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)  # fails for unknown ones
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
    _call("prctl", _NO_NEW_RIGHTS, 1, 0, 0, 0)


def hide_from_others() -> None:
    """Keeps other processes of the same user from inspecting this one."""
    _call("prctl", _SET_UNDUMPABLE, 0, 0, 0, 0)


def _check_package_is_readable() -> None:
    """Checks that this package can be read by an unprivileged user."""
    for path in Path(__file__).parents[2].rglob("*"):
        if not os.access(path, os.R_OK):
            raise PermissionError(f"{path} can be read by its owner alone: chmod a+r it")


def try_walls() -> int:
    """Enters the namespaces once in a child process; returns its exit status."""
    as_root = os.geteuid() == 0
    user = 65534 if as_root else None
    writable = Path(tempfile.gettempdir())  # not one of its own: it may be killed at any moment
    child = os.fork()
    if child == 0:
        try:
            unshare(as_root)
            enter(find_visible_files(), writable, ResourceLimits(), user or INSIDE_USER_ID)
            drop_privileges(user)
            _check_package_is_readable()
            os._exit(0)
        except OSError as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    sys.exit(1 if try_walls() else 0)
