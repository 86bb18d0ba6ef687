"""The folder for the sockets of kernels: the path of a socket has to be short."""

from __future__ import annotations

import os
import tempfile

MAX_PATH_BYTES = 103
"""The length of a socket's path: macOS allows one byte fewer than 104, Linux 107."""
PATH_BYTES_BELOW = len("/mtc-12345678/mtc-12345678/k/s-5")
"""The length of the path from the temporary folder to a socket, through two folders."""


def find_socket_folder() -> str:
    """Returns the temporary folder, or ``/tmp`` if its path is too long for sockets."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + PATH_BYTES_BELOW <= MAX_PATH_BYTES else "/tmp"
