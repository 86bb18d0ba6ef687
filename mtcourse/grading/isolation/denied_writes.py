"""Where a kernel may write, for isolations whose folder of sockets lies on the machine's disk.

A kernel needs this folder for its sockets alone. Landlock, which any process may use to give up
rights of its own, refuses it all other files there. See landlock(7).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

_CREATE_RULES, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every processor
_WHICH_VERSION, _BENEATH_A_FOLDER = 1, 1
_CAN_RENAME, _CAN_TRUNCATE = 2, 3
"""Landlock's versions; before the first, nobody under it can move a file to another folder."""
_MAKE_SOCKET = 1 << 9
_WRITE = 1 << 1 | sum(1 << bit for bit in range(4, 14))  # write, remove, make, and move to here
_TRUNCATE = 1 << 14
_NO_NEW_RIGHTS = 38


def write_only_in(folders: Iterable[Path], sockets: Path) -> bool:
    """Lets this thread, and what it starts from now on, write in these folders alone.

    Args:
        folders: where it may write whatever it likes.
        sockets: a folder in which it may make sockets, and nothing else.

    Returns:
        False where the system has no Landlock, or an old one: then nothing has changed.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULES, None, 0, _WHICH_VERSION)
    if version < _CAN_RENAME:
        return False
    refused = _WRITE | (_TRUNCATE if version >= _CAN_TRUNCATE else 0)
    rules = libc.syscall(_CREATE_RULES, struct.pack("=Q", refused), 8, 0)
    if rules < 0:
        return False
    try:
        rights = [*((folder, refused) for folder in folders), (sockets, _MAKE_SOCKET)]
        for folder, allowed in rights:
            place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("=Qi", allowed, place)
            added = libc.syscall(_ADD_RULE, rules, _BENEATH_A_FOLDER, rule, 0)
            os.close(place)
            if added < 0:
                return False
        libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0)
        return libc.syscall(_RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)
