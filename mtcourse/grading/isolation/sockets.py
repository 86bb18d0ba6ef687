"""The folder for the sockets of kernels: the path of a socket has to be short."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

MAX_PATH_BYTES = 103
"""The length of a socket's path: macOS allows one byte fewer than 104, Linux 107."""
PATH_BYTES_BELOW = len("/mtc-12345678/mtc-12345678/k/s-5")
"""The length of the path from the temporary folder to a socket, through two folders."""


INSIDE = Path("/sockets")
"""Where a kernel sees this folder if its isolation mounts it: not in one that it may fill."""


def find_socket_folder() -> str:
    """Returns the temporary folder, or ``/tmp`` if its path is too long for sockets."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) + PATH_BYTES_BELOW <= MAX_PATH_BYTES else "/tmp"


def move_sockets(connection_file: Path) -> Path:
    """Writes the connection file of a kernel that sees the folder of its sockets at ``INSIDE``.

    Args:
        connection_file: the one that the other side reads.

    Returns:
        The path inside of the file for the kernel.
    """
    connection = json.loads(connection_file.read_text(encoding="utf-8"))
    connection["ip"] = str(INSIDE / Path(connection["ip"]).name)
    written = connection_file.with_name("inside.json")
    written.write_text(json.dumps(connection), encoding="utf-8")
    written.chmod(0o644)  # its user is another; a folder above keeps all others out
    return INSIDE / written.name
