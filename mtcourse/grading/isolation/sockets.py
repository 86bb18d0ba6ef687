"""Where the sockets of kernels lie: a socket that is a file can have only a short path."""

from __future__ import annotations

import os
import tempfile

LONGEST_PATH = 103
"""Bytes of a socket's path: macOS allows one fewer than 104, Linux 107."""
BELOW = len("/mtc-12345678/mtc-12345678/k/s-5")
"""What lies between the folder for temporary files and a socket: a worker's and a kernel's own."""


def folder_for_sockets() -> str:
    """The folder for temporary files, or ``/tmp`` where its name is too long for a socket."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + BELOW <= LONGEST_PATH else "/tmp"
