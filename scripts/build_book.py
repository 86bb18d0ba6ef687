"""Builds the book with warnings as errors, and says where it is.

Chapters that did not change are not run again. Jupyter's cache knows a chapter by its cells alone,
so it is dropped when the package changes.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
CACHE = BUILD / ".jupyter_cache"
STAMP = BUILD / "package.sha256"


def package_hash() -> str:
    """A hash of all that the chapters import and load."""
    total = hashlib.sha256()
    files = [path for path in (ROOT / "mtcourse").rglob("*") if path.is_file()]
    for path in sorted(files):
        if "__pycache__" not in path.parts:
            total.update(path.relative_to(ROOT).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def main() -> int:
    """Builds; returns the exit status."""
    current = package_hash()
    if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != current:
        shutil.rmtree(CACHE, ignore_errors=True)
        BUILD.mkdir(exist_ok=True)
        STAMP.write_text(current, encoding="utf-8")
    options = ["--nitpick", "-W", "--keep-going", "--quiet"]
    builder = Path(sys.executable).with_name("jupyter-book")
    done = subprocess.run([str(builder), "build", str(ROOT), *options], check=False)
    if done.returncode:
        print(
            "The book was not built: the lines above name the page and the line of each fault.\n"
            f"A chapter whose cell failed has its traceback in {BUILD / 'html' / 'reports'}."
        )
        return 1
    print(f"The book is built: {(BUILD / 'html' / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
