"""Runs chapters, solutions and tests that train as on other processors, and prints a table.

python scripts/run_anywhere.py [--setting NAME] [--threads N] [--seed N] [WORD ...]

The libraries below torch choose their instructions by the processor, and add numbers in another
order for each. Environment variables make them choose as on an older processor, so one machine can
imitate several. Training amplifies such differences, and so a page may hold on one processor only.

A seed other than 0 adds that number to each seed that a chapter's cells name, and runs the chapters
again. The words choose what is run: those files whose name holds one of them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from page_order import turn_of

ROOT = Path(__file__).resolve().parent.parent
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "native": {},
    "AVX2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
    "SSE4": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    },
    "compatible": {"MKL_CBWR": "COMPATIBLE"},
}
THREADS = (1, 2)
SEEDS = (0, 1, 2)
# What stands for a seed in a cell: seed=1, manual_seed(1).
SEED = re.compile(r"(\bseed=|\bmanual_seed\()(\d+)\b")


@dataclass(frozen=True)
class Column:
    """One way to run everything.

    Args:
        setting: one of ``SETTINGS``.
        threads: of each process.
        seed: what is added to the seeds of the chapters; other than 0, only chapters are run.
    """

    setting: str
    threads: int
    seed: int = 0

    @property
    def name(self) -> str:
        """As it stands above the column."""
        moved = f"\nseeds + {self.seed}" if self.seed else ""
        return f"{self.setting}\n{self.threads} thread{'s' * (self.threads > 1)}{moved}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process that runs so."""
        every = {name for setting in SETTINGS.values() for name in setting}
        inherited = {name: value for name, value in os.environ.items() if name not in every}
        return inherited | SETTINGS[self.setting] | {"OMP_NUM_THREADS": str(self.threads)}


@dataclass
class Results:
    """What came of each file in each column: the names of what failed, none where all is well."""

    failed: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def add(self, column: Column, file: str, case: str, message: str | None) -> None:
        """Notes one cell or test; a message says that it failed, and how."""
        failed = self.failed.setdefault(file, {}).setdefault(column.name, [])
        if message is not None:
            failed.append(case)
            where = " ".join(column.name.split())
            self.messages.append(f"{file}, {case} ({where}): {message}")

    @property
    def all_hold(self) -> bool:
        """Whether something was run and nothing failed."""
        return bool(self.failed) and not self.messages


def main(
    only: Annotated[list[str] | None, typer.Argument(help="Words in the names of files.")] = None,
    setting: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(SETTINGS)}.")] = None,
    threads: Annotated[list[int] | None, typer.Option(help="Of each process.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Added to the chapters' seeds.")] = None,
    root: Annotated[Path, typer.Option(help="The folder of the project.")] = ROOT,
) -> None:
    """Runs all columns and prints what came of them; the status is 1 where something failed."""
    if unknown := set(setting or ()) - set(SETTINGS):
        sys.exit(f"no setting {', '.join(sorted(unknown))}: there are {', '.join(SETTINGS)}")
    columns = columns_of(setting or tuple(SETTINGS), threads or THREADS, seed or SEEDS)
    results = Results()
    for column in columns:
        print(" ".join(column.name.split()), "...", flush=True)
        run_column(root, column, only or [], results)
    show(columns, results)
    raise typer.Exit(not results.all_hold)


def columns_of(
    settings: Sequence[str], threads: Sequence[int], seeds: Sequence[int]
) -> list[Column]:
    """Each setting with each number of threads, and then the first of both with other seeds."""
    each = [Column(setting, number) for setting in settings for number in threads]
    moved = [Column(settings[0], threads[0], seed) for seed in seeds if seed]
    return (each if 0 in seeds else []) + moved


def run_column(root: Path, column: Column, only: Sequence[str], results: Results) -> None:
    """Runs chapters, solutions and tests in one way."""

    def chosen(files: Iterator[Path]) -> list[Path]:
        every = sorted(files)
        return [path for path in every if not only or any(word in path.name for word in only)]

    chapters = sorted(chosen((root / "book").glob("*.ipynb")), key=turn_of)
    if column.seed:
        with moved_seeds(root, chapters, column.seed) as (folder, copies):
            run_pytest(folder, column, ["--nbval-lax", *copies], results)
        return
    solutions = chosen((root / "solutions").glob("*.ipynb"))
    every_test = (root / "tests").rglob("test_*.py")
    tests = chosen(path for path in every_test if "catalogue" not in path.parts)
    for options, files in (
        (["--nbval-lax"], chapters),
        (["--nbval"], solutions),
        (["-m", "trains and not browser"], tests),
    ):
        if files:
            run_pytest(root, column, [*options, *map(str, files)], results)


class moved_seeds:
    """A folder beside which all is as in the project, with copies of chapters with other seeds."""

    def __init__(self, root: Path, chapters: Sequence[Path], by: int) -> None:
        self._root, self._chapters, self._by = root, chapters, by

    def __enter__(self) -> tuple[Path, list[str]]:
        self._folder = Path(tempfile.mkdtemp(prefix="mtcourse-seeds-"))
        for path in self._root.iterdir():
            if path.name not in ("book", ".git"):
                (self._folder / path.name).symlink_to(path)
        shutil.copytree(self._root / "book", self._folder / "book")
        copies = [self._folder / "book" / path.name for path in self._chapters]
        taking = [path for path in copies if move_seeds(path, self._by)]
        return self._folder, [str(path) for path in taking]

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)


def move_seeds(notebook: Path, by: int) -> bool:
    """Adds a number to each seed that a notebook's cells name; says whether there is one."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    moved = 0
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            source, count = SEED.subn(
                lambda found: f"{found[1]}{int(found[2]) + by}", "".join(cell["source"])
            )
            cell["source"], moved = source, moved + count
    notebook.write_text(json.dumps(content), encoding="utf-8")
    return moved > 0


def run_pytest(folder: Path, column: Column, arguments: Sequence[str], results: Results) -> None:
    """Runs pytest in an environment like that of another processor, and reads its report."""
    processes = max(1, (os.cpu_count() or 1) // column.threads)
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.xml")
        command = [
            sys.executable, "-m", "pytest", "-q", "-n", str(processes), "--dist", "loadfile",
            "--no-loadscope-reorder", "--timeout=900", "--timeout-method=thread",
            "-p", "no:cacheprovider", "--nbval-cell-timeout=300", f"--junitxml={report}",
            "-o", "addopts=--strict-markers", *arguments,
        ]  # fmt: skip
        ended = subprocess.run(
            command,
            cwd=folder,
            env=column.environment | {"MTCOURSE_ELSEWHERE": column.setting},
            capture_output=True,
            text=True,
        )
        if ended.returncode not in (0, 1, 5):  # passed, failed, nothing to run
            results.add(column, "pytest", "start", ended.stdout[-1000:] + ended.stderr[-1000:])
            return
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("skipped") is None:
                read_case(case, column, results)


def read_case(case: ElementTree.Element, column: Column, results: Results) -> None:
    """Notes one cell or test of pytest's report."""
    where, _, ending = case.get("classname", "").rpartition(".")
    where = where.replace(".", "/")
    file = f"{where}.ipynb" if ending == "ipynb" else f"{where}/{ending}.py"
    problem = case.find("failure")
    problem = case.find("error") if problem is None else problem
    message = None if problem is None else last_line(problem.text or problem.get("message", ""))
    results.add(column, file, case.get("name", ""), message)


def last_line(text: str) -> str:
    """The line that says most: the last one with an error, without colours."""
    plain = re.sub(r"(\x1b|#x1B)\[[0-9;]*m", "", text)  # reports write an escape as #x1B
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(E\s+)?\w*(Error|Exception|Failed)\b", line)]
    return (errors or lines or ["no message"])[-1][:200]


def show(columns: Sequence[Column], results: Results) -> None:
    """Prints a table of files by columns, and below it each failure."""
    table = Table("", *(column.name for column in columns))
    for file in sorted(results.failed):
        of_file = results.failed[file]
        found = (of_file.get(column.name) for column in columns)
        table.add_row(file, *("" if bad is None else ", ".join(bad) or "ok" for bad in found))
    console = Console(width=max(80, 34 + 16 * len(columns)), soft_wrap=True)
    console.print(table)
    for message in results.messages:
        console.print(message, markup=False)
    verdict = "all hold everywhere" if results.all_hold else "not all hold everywhere"
    console.print(f"{len(results.failed)} files, {len(columns)} ways to run them: {verdict}")


if __name__ == "__main__":
    typer.run(main)
