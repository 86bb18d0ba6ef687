"""The provisioner with which Jupyter starts isolated kernels, for nbval and ``mtcourse grade``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import List, Unicode

from mtcourse.grading.isolation.backends import open_isolation
from mtcourse.grading.isolation.sandbox import HIDDEN_FILES
from mtcourse.grading.isolation.sockets import find_socket_folder


class IsolatedProvisioner(LocalProvisioner):
    """Starts kernels in one of the isolations.

    Sockets are files in a folder of the kernel's own, so that a kernel without a network can be
    reached.
    """

    isolation = Unicode("auto", config=True, help="how to keep kernels apart")
    hidden = List(Unicode(), config=True, help="files of this package that a kernel does not see")
    _place: Path | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Creates the folder of the sockets, with the connection file in it."""
        # mkdtemp lets nobody else enter it.
        self._place = Path(tempfile.mkdtemp(prefix="mtc-", dir=find_socket_folder()))
        shared = self._place / "k"
        shared.mkdir()
        (self._place / HIDDEN_FILES).write_text("\n".join(self.hidden), encoding="utf-8")
        manager: Any = self.parent
        if sys.platform != "win32":  # Windows has no Unix sockets
            manager.transport, manager.ip = "ipc", str(shared / "s")
        manager.connection_file = str(shared / "kernel.json")
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Starts the kernel; the isolation decides on the command."""
        del cmd, kwargs
        manager: Any = self.parent
        self.process = open_isolation(self.isolation).launch(Path(manager.connection_file))
        self.pgid = None
        return self.connection_info

    async def cleanup(self, restart: bool = False) -> None:
        """Deletes the folder of the sockets."""
        if self._place and not restart:
            shutil.rmtree(self._place, ignore_errors=True)
