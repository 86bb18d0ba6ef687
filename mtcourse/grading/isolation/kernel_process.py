"""The process in which a learner's cells run: IPython's own kernel, with silent checks.

python -P -m mtcourse.grading.isolation.kernel_process CONNECTION_FILE
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mtcourse.grading.isolation.sandbox import Allowance

A_USER_OF_ITS_OWN, UNTIL_STDIN_ENDS = "--a-user-of-its-own", "--until-stdin-ends"
WARM = (
    "matplotlib.pyplot",
    "matplotlib_inline.backend_inline",
    "mtcourse.grading.kernel_side",
    "mtcourse.models.translator",
    "mtcourse.models.recorded_attention",
    "mtcourse.figures.attention_map",
    "mtcourse.evaluation.scores",
    "mtcourse.text.corpora",
)
"""What notebooks import first, and what a kernel need not import again where it is forked."""


def run_kernel(connection_file: Path, is_ready: Callable[[], None] | None = None) -> None:
    """Serves one client's cells until it is ended.

    Args:
        connection_file: says where to listen.
        is_ready: called when the kernel listens, before it runs anything.
    """
    from ipykernel.kernelapp import IPKernelApp

    from mtcourse.grading.isolation.silent_checks import install_silent_checks

    install_silent_checks()
    kernel = IPKernelApp.instance()
    kernel.initialize(["--quiet", "-f", str(connection_file), "--HistoryManager.enabled=False"])
    if is_ready:
        is_ready()
    kernel.start()


def limit_process(allowance: Allowance, a_user_of_its_own: bool) -> None:
    """Sets what this process and its children may use of everything, as far as the system can.

    Args:
        allowance: what that is.
        a_user_of_its_own: whether nobody else's processes count with its own.
    """
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:  # Windows has none
        return
    for name, most in (
        ("RLIMIT_DATA", allowance.memory),
        ("RLIMIT_FSIZE", allowance.scratch),
        ("RLIMIT_NOFILE", allowance.files),
        ("RLIMIT_CPU", allowance.cpu_seconds),
        ("RLIMIT_CORE", 0),
    ):
        if hasattr(resource, name):
            resource.setrlimit(getattr(resource, name), (most, most))
    if a_user_of_its_own:
        resource.setrlimit(resource.RLIMIT_NPROC, (allowance.processes, allowance.processes))


def _end_with_stdin() -> None:
    """Ends this process when whoever holds the other end of its standard input is gone."""
    while os.read(0, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    limit_process(Allowance(), a_user_of_its_own=A_USER_OF_ITS_OWN in sys.argv)
    if UNTIL_STDIN_ENDS in sys.argv:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    run_kernel(Path(sys.argv[1]))
