"""System calls that a kernel may not make: those that hold memory which no limit counts.

Memory is counted by process, and files by folder. Shared memory can outlive every mapping of it,
and belongs to neither: so it can be had in the scratch folders alone, whose size is limited. A
filter of seccomp refuses the rest, once for all processes that the kernel will start. See
seccomp(2), and *Linux Socket Filtering* in the kernel's documentation.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_MACHINES = {
    # the audit's number of the architecture, seccomp, mmap, and the calls that are refused:
    # memfd_create, memfd_secret, shmget, msgget, vmsplice
    "x86_64": (0xC000003E, 317, 9, (319, 447, 29, 68, 278)),
    "aarch64": (0xC00000B7, 277, 222, (279, 447, 194, 186, 75)),
}
_OTHER_CALLS = 0x40000000
"""On x86_64 numbers from here on are those of another binary interface."""
_NO_NEW_RIGHTS, _SET_FILTER, _KEEP_SPEED = 38, 1, 4
_SHARED_AND_ANONYMOUS = 0x21
_NUMBER, _MACHINE, _MMAP_FLAGS = 0, 4, 16 + 3 * 8
"""Where a call's number, its machine, and the fourth argument stand in what the filter is given."""
_LOAD, _AND, _EQUALS, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def deny_uncounted_memory() -> bool:
    """Refuses these calls to this process and its children from now on.

    Returns False where the system has no such filters.
    """
    if sys.platform != "linux" or os.uname().machine not in _MACHINES or sys.maxsize < 2**32:
        return False
    steps = _make_filter(os.uname().machine)
    program = _Program(len(steps) // 8, ctypes.cast(ctypes.c_char_p(steps), ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0)
    seccomp = _MACHINES[os.uname().machine][1]
    return libc.syscall(seccomp, _SET_FILTER, _KEEP_SPEED, ctypes.byref(program)) == 0


def _make_filter(machine: str) -> bytes:
    """Returns the filter's steps: each has a code, two jumps, and a number."""
    audit, _, mmap, refused = _MACHINES[machine]
    absent, full = _REFUSE | errno.ENOSYS, _REFUSE | errno.ENOMEM
    steps = [(_LOAD, 0, 0, _MACHINE), (_EQUALS, 1, 0, audit), (_RETURN, 0, 0, absent)]
    steps += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _OTHER_CALLS), (_RETURN, 0, 0, absent)]
    for number in refused:
        steps += [(_EQUALS, 0, 1, number), (_RETURN, 0, 0, absent)]
    steps += [(_EQUALS, 0, 4, mmap), (_LOAD, 0, 0, _MMAP_FLAGS)]
    steps += [(_AND, 0, 0, _SHARED_AND_ANONYMOUS), (_EQUALS, 0, 1, _SHARED_AND_ANONYMOUS)]
    steps += [(_RETURN, 0, 0, full), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
