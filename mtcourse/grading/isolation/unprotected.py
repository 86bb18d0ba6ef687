"""No isolation at all, for machines without any: kernels run as the instructor's processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mtcourse.grading.isolation.sandbox import kernel_environment
from mtcourse.grading.isolation.watch import watch_in_background


class Unprotected:
    """Kernels that can do whatever the instructor can do."""

    name = "none"

    def why_unavailable(self) -> str:
        """Returns an empty string: it works everywhere."""
        return ""

    def open(self) -> None:
        """Does nothing: kernels share nothing."""

    def launch(self, connection_file: Path) -> subprocess.Popen:
        """Starts a kernel."""
        home = str(connection_file.parent)
        started = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.kernel_process", str(connection_file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # The last one is for ipykernel, which ends itself when that process is gone.
            env=os.environ
            | kernel_environment()
            | {"HOME": home, "IPYTHONDIR": home, "JPY_PARENT_PID": str(os.getpid())},
            cwd=home,
            start_new_session=True,
        )
        watch_in_background(started, 0, started.kill)
        return started

    def close(self) -> None:
        """Does nothing: kernels share nothing."""
