"""A kernel as Jupyter starts it, kept apart: that of nbval and of ``mtcourse grade``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import Unicode

from mtcourse.grading.isolation.backends import open_isolation
from mtcourse.grading.isolation.sockets import find_socket_folder


class IsolatedProvisioner(LocalProvisioner):
    """Starts kernels through one of the ways to keep them apart.

    Sockets are files in a folder of its own, so that a kernel without a network can be talked to.
    """

    isolation = Unicode("auto", config=True, help="how to keep kernels apart")
    _place: Path | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Makes the folder of the sockets and the connection file in it."""
        # Nobody else may enter it.
        self._place = Path(tempfile.mkdtemp(prefix="mtc-", dir=find_socket_folder()))
        shared = self._place / "k"
        shared.mkdir()
        manager: Any = self.parent
        if sys.platform != "win32":  # which has no sockets that are files
            manager.transport, manager.ip = "ipc", str(shared / "s")
        manager.connection_file = str(shared / "kernel.json")
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Starts the kernel; the command is that of the isolation."""
        del cmd, kwargs
        manager: Any = self.parent
        self.process = open_isolation(self.isolation).launch(Path(manager.connection_file))
        self.pgid = None
        return self.connection_info

    async def cleanup(self, restart: bool = False) -> None:
        """Takes the sockets' folder away."""
        if self._place and not restart:
            shutil.rmtree(self._place, ignore_errors=True)
