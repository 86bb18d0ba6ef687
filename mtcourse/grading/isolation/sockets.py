"""Where the sockets of kernels lie: a socket that is a file can have only a short path."""

from __future__ import annotations

import os
import tempfile

MAX_PATH_BYTES = 103
"""Bytes of a socket's path: macOS allows one fewer than 104, Linux 107."""
PATH_BYTES_BELOW = len("/mtc-12345678/mtc-12345678/k/s-5")
"""What lies between the folder for temporary files and a socket: a worker's and a kernel's own."""


def find_socket_folder() -> str:
    """The folder for temporary files, or ``/tmp`` where its name is too long for a socket."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + PATH_BYTES_BELOW <= MAX_PATH_BYTES else "/tmp"
