"""Builds the book with warnings as errors, and says where it is, or which cells failed.

python scripts/build_book.py [--only-run] [--language nl]

Sphinx runs one page after the other, so pages are run before, side by side, into Jupyter's cache,
where Sphinx finds them. With --only-run that is all: a test that every cell of every page runs.

Chapters that did not change are not run again. Neither Sphinx nor Jupyter's cache knows what a
chapter imports and loads, so all that they keep is dropped when the package, the libraries or the
real corpus change.

A book in another language (book/locale) is made of the same outputs, in a folder of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from traitlets.config import Config

from mtcourse.errors import MtcourseError
from mtcourse.text.libreoffice import VARIABLE, help_folder, version_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book" / "_ext"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from failed_pages import describe_failure
from page_order import turn_of

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
KEPT = (".jupyter_cache", ".doctrees", "jupyter_execute")
STAMP = "inputs.sha256"
EXTENSIONS_STAMP = "extensions.sha256"
READ = (".doctrees",)
"""What Sphinx has read: without it, all pages are written again."""
# Tracebacks, and the list that book/_ext/failed_pages.py makes of the cells that failed.
REPORTS = BUILD / "html" / "reports"
# Each kernel says so when it starts; here it listens on the loopback address only.
KERNEL_NOTICE = "Kernel is running over TCP without encryption"


def inputs_hash(folders: Sequence[Path], real_data: str, libraries: Sequence[str] = ()) -> str:
    """A hash of all that the chapters import and load.

    Args:
        folders: the package, and the solutions, of which the instructor's guide tells.
        real_data: which real corpus is installed; the chapters show other figures without one.
        libraries: what the package stands on, with versions.
    """
    total = hashlib.sha256("\n".join([real_data, *libraries]).encode())
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


def drop_stale(build: Path, current: str, stamp: str = STAMP, kept: Sequence[str] = KEPT) -> bool:
    """Forgets what was made of other inputs than these; says whether it did.

    Args:
        build: the folder of the build.
        current: the hash of the inputs.
        stamp: the file with the hash of those that were used.
        kept: the folders in which is kept what was made of them.
    """
    known = build / stamp
    if known.exists() and known.read_text(encoding="utf-8") == current:
        return False
    for name in kept:
        shutil.rmtree(build / name, ignore_errors=True)
    build.mkdir(parents=True, exist_ok=True)
    known.write_text(current, encoding="utf-8")
    return True


def wanted_libraries(root: Path) -> list[str]:
    """Python, and the versions of the libraries that the Makefile installs."""
    return [sys.version, (root / "constraints.txt").read_text(encoding="utf-8")]


async def run_pages(root: Path, cache_folder: Path) -> list[str]:
    """Runs the pages that changed, side by side, and keeps what came of them in Jupyter's cache.

    Returns:
        for each page that failed: its file and line, the cell, and the error.
    """
    cache = get_cache(str(cache_folder))
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    turns = asyncio.Semaphore(os.cpu_count() or 1)

    async def run_page(page: Path, notebook: NotebookNode, sockets: Path) -> str:
        name = page.relative_to(root).as_posix()
        client = NotebookClient(
            notebook,
            timeout=config["execute"]["timeout"],
            resources={"metadata": {"path": str(page.parent)}},
            coalesce_streams=True,  # or a line stands in two parts wherever the kernel has paused
            record_timing=False,  # with times in its cells, it would be another one to the cache
            config=without_ports(sockets / page.stem),
        )
        async with turns:
            begin = time.perf_counter()
            try:
                await client.async_execute()
            except (CellExecutionError, CellTimeoutError):
                source = page.read_text(encoding="utf-8").splitlines()
                return f"{name}:{describe_failure(notebook, source, traceback.format_exc())}"
        seconds = time.perf_counter() - begin
        print(f"ran {name} in {seconds:.0f} s", flush=True)
        ran = CacheBundleIn(notebook, str(page), data={"execution_seconds": seconds})
        cache.cache_notebook_bundle(ran, check_validity=False, overwrite=True)
        return ""

    with tempfile.TemporaryDirectory(prefix="kernels-") as folder:
        running = [run_page(*changed, Path(folder)) for changed in changed_pages(root, cache)]
        failures = await asyncio.gather(*running)
    cache.db.dispose()
    return [failure for failure in failures if failure]


def without_ports(socket: Path) -> Config:
    """For kernels that talk over sockets in a folder: conftest.py says why."""
    return Config(
        KernelManager={"transport": "ipc", "ip": str(socket)} if os.name == "posix" else {}
    )


def changed_pages(root: Path, cache: JupyterCacheAbstract) -> Iterator[tuple[Path, NotebookNode]]:
    """The pages whose code the cache has not seen run, the longest first."""
    for page in sorted((root / "book").glob("*.md"), key=turn_of):
        text = page.read_text(encoding="utf-8")
        if not is_myst_markdown_notebook(text):
            continue
        notebook = read_myst_markdown_notebook(text, add_source_map=True, path=page)
        try:
            cache.match_cache_notebook(notebook)
        except KeyError:
            yield page, notebook


def in_language(build: Path, language: str) -> list[str]:
    """Jupyter Book's options for a book in another language than the course's own.

    Raises:
        MtcourseError: nobody has begun to translate the book into it.
    """
    known = sorted(folder.name for folder in (ROOT / "book" / "locale").iterdir())
    if language not in known:
        raise MtcourseError(
            f"the book has no translation into {language!r}; it has {', '.join(known)}. "
            "CONTRIBUTING.md says how one is begun"
        )
    return apart(build, language, {"language": language})


def apart(build: Path, name: str, settings: Mapping[str, object]) -> list[str]:
    """Jupyter Book's options for another book, in a folder of its own, of the same outputs.

    Args:
        build: where the course's own book is built.
        name: of the folder.
        settings: Sphinx's, in place of those of the course's own book.
    """
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["execute"]["cache"] = str(build / ".jupyter_cache")
    extensions = config["sphinx"]["local_extensions"]  # looked for from where this file is
    config["sphinx"]["local_extensions"] = {one: str(ROOT / extensions[one]) for one in extensions}
    config["sphinx"]["config"] |= settings
    folder = build / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return ["--config", str(folder / "_config.yml"), "--path-output", str(folder)]


def build_pages(options: Sequence[str] = ()) -> int:
    """Runs Jupyter Book, and passes on what it has to say; returns its exit status."""
    builder = Path(sys.executable).with_name("jupyter-book")
    command = [str(builder), "build", str(ROOT), "--nitpick", "-W", "--keep-going", "--quiet"]
    command += options
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


def main(only_run: bool = False, language: str = "") -> int:
    """Builds, or only runs the pages; returns the exit status."""
    os.chdir(ROOT)
    options = in_language(BUILD, language) if language else []
    inputs = inputs_hash(
        [ROOT / "mtcourse", ROOT / "solutions"], find_real_data(), wanted_libraries(ROOT)
    )
    if drop_stale(BUILD, inputs):
        print("every chapter is run, which takes some minutes", flush=True)
    failed = asyncio.run(run_pages(ROOT, BUILD / ".jupyter_cache"))
    if only_run:
        print("\n\n".join([*failed, f"{len(failed)} pages failed"]) if failed else "all pages ran")
        return 1 if failed else 0
    built = (BUILD / language / "_build" if language else BUILD) / "html"
    # A page is written, and mended, by the extensions as they are now.
    extensions = inputs_hash([ROOT / "book" / "_ext"], "", wanted_libraries(ROOT))
    drop_stale(built.parent, extensions, EXTENSIONS_STAMP, READ)
    if build_pages(options):
        # A page that Sphinx has read already would not be warned about again.
        shutil.rmtree(built.parent / ".doctrees", ignore_errors=True)
        print(what_failed(REPORTS))
        return 1
    print(f"The book is built: {(built / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--only-run", action="store_true", help="run the pages, and build nothing")
    given.add_argument("--language", default="", help="a folder of book/locale")
    chosen = given.parse_args()
    try:
        sys.exit(main(chosen.only_run, chosen.language))
    except MtcourseError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("stopped; the next build goes on from here")
