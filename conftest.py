"""Kernels that nbval starts talk over sockets in a folder, as far as the system has such sockets.

Over TCP, a kernel's ports are chosen by closing them again and hoping: of two kernels that start at
the same time, one may take the other's port, and "died before replying to kernel_info"
(https://github.com/jupyter/jupyter_client/issues/487).

Of figures, nbval compares neither the PNG, by itself, nor the SVG, which is skipped here.
"""

import os
import tempfile
from pathlib import Path
from uuid import uuid4

import nbval.kernel
import nbval.plugin
from jupyter_client.manager import KernelManager


def manager_without_ports(**options: object) -> KernelManager:
    """What nbval calls in place of jupyter_client's class."""
    manager = KernelManager(**options)
    if os.name == "posix":
        manager.transport = "ipc"
        manager.ip = str(Path(tempfile.gettempdir(), f"nbval-{uuid4().hex}"))
    return manager


def collect_without_svg(notebook: nbval.plugin.IPyNbFile, *args: object, **options: object) -> None:
    """How nbval sets up a notebook, with one more kind of output that is not compared."""
    _collect(notebook, *args, **options)
    notebook.skip_compare = (*notebook.skip_compare, "image/svg+xml")


nbval.kernel.KernelManager = manager_without_ports
_collect = nbval.plugin.IPyNbFile.__init__
nbval.plugin.IPyNbFile.__init__ = collect_without_svg
