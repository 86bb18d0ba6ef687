"""The process that runs a learner's cells: IPython's own kernel, with silent checks.

It begins with ``python -P -m mtcourse.grading.isolation.kernel_process CONNECTION_FILE``.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mtcourse.grading.isolation.denied_calls import deny_uncounted_memory
from mtcourse.grading.isolation.denied_writes import write_only_in
from mtcourse.grading.isolation.sandbox import SCRATCH_FOLDERS, ResourceLimits

OWN_USER, UNTIL_STDIN_ENDS = "--a-user-of-its-own", "--until-stdin-ends"
SOCKETS_ALONE = "--sockets-alone-in-their-folder"
PRELOADED_MODULES = (
    "matplotlib.pyplot",
    "matplotlib_inline.backend_inline",
    "mtcourse.grading.kernel_side",
    "mtcourse.models.translator",
    "mtcourse.models.recorded_attention",
    "mtcourse.figures.attention_map",
    "mtcourse.evaluation.scores",
    "mtcourse.text.corpora",
)
"""The modules that notebooks import first, imported once before kernels are forked."""


def run_kernel(connection_file: Path, is_ready: Callable[[], None] | None = None) -> None:
    """Runs a kernel until it is ended.

    Args:
        connection_file: the file with its sockets.
        is_ready: called when the kernel is listening, before it runs any cell.
    """
    from ipykernel.kernelapp import IPKernelApp

    from mtcourse.grading.isolation.silent_checks import install_silent_checks

    install_silent_checks()
    kernel = IPKernelApp.instance()
    kernel.initialize(["--quiet", "-f", str(connection_file), "--HistoryManager.enabled=False"])
    # The option -P keeps the grader's imports safe; notebooks find their own files, as in Jupyter.
    libraries = (i for i, path in enumerate(sys.path) if "site-packages" in path)
    sys.path.insert(next(libraries, len(sys.path)), "")
    if is_ready:
        is_ready()
    kernel.start()


def limit_process(limits: ResourceLimits, own_user: bool) -> None:
    """Limits the resources of this process and its children, as far as the system allows.

    Args:
        limits: the limits.
        own_user: whether no other kernel runs as the same user, so that processes can be counted.
    """
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:  # Windows has none
        return
    for name, most in (
        ("RLIMIT_DATA", limits.memory),
        ("RLIMIT_AS", limits.addresses),
        ("RLIMIT_FSIZE", limits.scratch),
        ("RLIMIT_NOFILE", limits.files),
        ("RLIMIT_CPU", limits.cpu_seconds),
        ("RLIMIT_CORE", 0),
    ):
        if hasattr(resource, name):
            resource.setrlimit(getattr(resource, name), (most, most))
    if own_user:
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
    deny_uncounted_memory()


def _exit_when_stdin_ends() -> None:
    """Ends this process when the other end of its standard input is closed."""
    while os.read(0, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    limit_process(ResourceLimits(), own_user=OWN_USER in sys.argv)
    if SOCKETS_ALONE in sys.argv:
        write_only_in((*SCRATCH_FOLDERS, Path("/dev")), Path(sys.argv[1]).parent)
    if UNTIL_STDIN_ENDS in sys.argv:
        threading.Thread(target=_exit_when_stdin_ends, daemon=True).start()
    run_kernel(Path(sys.argv[1]))
