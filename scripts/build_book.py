"""Builds the book with warnings as errors, and says where it is, or which cells failed.

Chapters that did not change are not run again. Neither Sphinx nor Jupyter's cache knows what a
chapter imports and loads, so all that they keep is dropped when the package or the real corpus
changes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.text.libreoffice import VARIABLE, help_folder, version_of

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
KEPT = (".jupyter_cache", ".doctrees", "jupyter_execute")
STAMP = "inputs.sha256"
# Tracebacks, and the list that book/_ext/failed_pages.py makes of the cells that failed.
REPORTS = BUILD / "html" / "reports"
# Each kernel says so when it starts; here it listens on the loopback address only.
KERNEL_NOTICE = "Kernel is running over TCP without encryption"


def inputs_hash(folders: Sequence[Path], real_data: str) -> str:
    """A hash of all that the chapters import and load.

    Args:
        folders: the package, and the solutions, of which the instructor's guide tells.
        real_data: which real corpus is installed; the chapters show other figures without one.
    """
    total = hashlib.sha256(real_data.encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                total.update(path.relative_to(folder.parent).as_posix().encode())
                total.update(path.read_bytes())
    return total.hexdigest()


def find_real_data() -> str:
    """Tells the chapters, which run in another folder, where LibreOffice's help is.

    Returns:
        its version; nothing where it is not installed.
    """
    try:
        folder = help_folder(["en", "nl"])
        os.environ[VARIABLE] = str(folder.resolve())
        return version_of(folder)
    except MtcourseError:
        return ""


def drop_stale(build: Path, current: str) -> bool:
    """Forgets what was run on other inputs than these; says whether all pages are to be run."""
    stamp = build / STAMP
    if stamp.exists() and stamp.read_text(encoding="utf-8") == current:
        return False
    for kept in KEPT:
        shutil.rmtree(build / kept, ignore_errors=True)
    build.mkdir(exist_ok=True)
    stamp.write_text(current, encoding="utf-8")
    return True


def build_pages() -> int:
    """Runs Jupyter Book, and passes on what it has to say; returns its exit status."""
    builder = Path(sys.executable).with_name("jupyter-book")
    command = [str(builder), "build", str(ROOT), "--nitpick", "-W", "--keep-going", "--quiet"]
    shutil.rmtree(REPORTS, ignore_errors=True)
    # Standard output holds only Jupyter Book's banners.
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        for line in process.stderr or ():
            if KERNEL_NOTICE not in line:
                sys.stderr.write(line)
    return process.returncode


def what_failed(reports: Path) -> str:
    """What to say last when the book was not built: the cells that failed, if any did."""
    advice = "The book was not built: the lines above name the page and the line of each fault."
    listing = reports / "failed_cells.txt"
    if not listing.exists():
        return advice
    cells = listing.read_text(encoding="utf-8").strip()
    return f"{advice} Tracebacks are in {reports}. What failed:\n\n{cells}"


def main() -> int:
    """Builds; returns the exit status."""
    os.chdir(ROOT)
    if drop_stale(BUILD, inputs_hash([ROOT / "mtcourse", ROOT / "solutions"], find_real_data())):
        print("building the book: every chapter is run, which takes some minutes")
    if build_pages():
        # A page that Sphinx has read already would not be warned about again.
        shutil.rmtree(BUILD / ".doctrees", ignore_errors=True)
        print(what_failed(REPORTS))
        return 1
    print(f"The book is built: {(BUILD / 'html' / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; the next build goes on from here")
