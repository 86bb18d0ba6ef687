"""Grades made-up classes with this package and with others: ``python -m benchmarks.grade compare``.

``python -m benchmarks.grade many`` grades a class made of the grader's own catalogue of tests.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.graders import FULL, Grader, environment, graders
from benchmarks.measure import machine
from benchmarks.processor_time import processor_seconds

if TYPE_CHECKING:
    from benchmarks.large_class import Graded

RESULTS = Path(__file__).parent / "results"
PROGRAMS = Path(".venv-graders/bin")
ROUNDS = 3
CLASS = 30
MOMENTS = 10
"""At which the memory of a large class is told."""
TO_REACH = {"nbgrader": 8.0, "nbval": 6.0}
"""Times this package's CPU seconds a notebook."""
_VERSIONS = """
from importlib.metadata import version
for name in ("nbgrader", "otter-grader", "nbval", "torch"):
    print(name, version(name), sep="|")
"""

application = typer.Typer(add_completion=False, help=__doc__)


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a grader.

    Args:
        start: that every class takes once.
        notebook: that each notebook adds.
    """

    start: float
    notebook: float

    @classmethod
    def of(cls, sizes: Sequence[int], seconds: Sequence[float]) -> Cost:
        """What two classes of different sizes tell."""
        notebook = (seconds[1] - seconds[0]) / (sizes[1] - sizes[0])
        return cls(seconds[0] - sizes[0] * notebook, notebook)

    @property
    def of_class(self) -> float:
        """A class of ``CLASS`` learners."""
        return self.start + CLASS * self.notebook


@application.command()
def compare(
    programs: Annotated[
        Path, typer.Option(help="Where nbgrader, otter and pytest are.")
    ] = PROGRAMS,
    rounds: Annotated[int, typer.Option(min=1, help="Times that everything is measured.")] = ROUNDS,
) -> None:
    """The same notebook of ten cells, by each grader, in CPU seconds."""
    programs = programs.absolute()
    entered = []
    for grader in graders(programs):
        if grader.missing:
            print(f"{grader.name} is left out: {grader.missing}")
        else:
            entered.append(grader)
    costs: dict[str, list[Cost]] = {grader.name: [] for grader in entered}
    counted = set()
    with tempfile.TemporaryDirectory(prefix="mtcourse-benchmark-") as scratch:
        for grader in entered:
            prepared = Path(scratch, grader.name)
            prepared.mkdir()
            grader.prepare(prepared)
        for number in range(rounds):
            turn = number % len(entered)
            for grader in entered[turn:] + entered[:turn]:
                seconds = []
                for size in grader.sizes:
                    spent, how = _seconds(grader, Path(scratch, grader.name), size, programs)
                    seconds.append(spent)
                    counted.add(how)
                costs[grader.name].append(Cost.of(grader.sizes, seconds))
                print(f"round {number + 1}: {grader.name}: {costs[grader.name][-1]}", flush=True)
    on = _machine() | _versions(programs) | {"CPU time counted by": " and ".join(sorted(counted))}
    _keep("grade", _text(costs, on))
    told = {"machine": on, "costs": _as_json(costs)}
    (RESULTS / "grade.json").write_text(json.dumps(told, indent=1), encoding="utf-8")


@application.command()
def many(
    learners: Annotated[int, typer.Option(min=1, help="How many.")] = 300,
    solutions: Annotated[Path, typer.Option(help="The solution notebooks.")] = Path("solutions"),
) -> None:
    """Large classes made of awkward submissions: what the grader's processes hold meanwhile."""
    from benchmarks.large_class import FAMILIES, grade_large_class

    parts = ["# Large classes", _told(_machine())]
    for what, families in {"All cases": [*FAMILIES], "Honest cases": ["honest"]}.items():
        graded = grade_large_class(families, learners, solutions)
        parts.append(_large(f"{what} of the catalogue", learners, graded))
        print(*(f"{who}: {faults}" for who, faults in graded.faults.items()), sep="\n")
        print(*graded.noticed, sep="\n")
    _keep("many", "\n\n".join(parts) + "\n")


def _large(what: str, learners: int, graded: Graded) -> str:
    """How the grading of a large class went, as it stands in the results."""
    states = ", ".join(f"{count} {state}" for state, count in graded.states.most_common())
    lines = [
        f"## {what}",
        "",
        f"{learners} submissions in {graded.seconds:.0f} s: {states}. The command ended with "
        f"{graded.status}. Verdicts that are others than the catalogue's: {len(graded.faults)}. "
        f"Noticed outside: {len(graded.noticed)}. Processes left: {graded.left}.",
        "",
        "| graded | the command, MiB | its workers, MiB | their servers, MiB |",
        "|---:|---:|---:|---:|",
    ]
    running = [one for one in graded.memory if one.done and one.servers]
    for share in range(1, MOMENTS + 1):
        one = running[share * (len(running) - 1) // MOMENTS]
        lines.append(f"| {one.done} | {one.command:.0f} | {one.workers:.0f} | {one.servers:.0f} |")
    return "\n".join(lines)


def _machine() -> dict[str, str]:
    """What the figures depend on."""
    told = machine()
    return {key: told[key] for key in ("processor", "cores", "python", "torch")}


def _told(on: dict[str, str]) -> str:
    return "; ".join(f"{key} {value}" for key, value in on.items()) + "."


def _keep(name: str, text: str) -> None:
    """Prints a table and keeps it."""
    print(f"\n{text}")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")


def _seconds(grader: Grader, prepared: Path, size: int, programs: Path) -> tuple[float, str]:
    """CPU seconds of grading a class of a size, and how they were counted."""
    folder = prepared.parent / "class"
    shutil.copytree(prepared, folder)
    try:
        grader.hand_in(folder, size)
        spent = [
            processor_seconds(command, folder, environment(programs))
            for command in grader.commands(folder, size)
        ]
        if (points := grader.points(folder)) != [FULL] * size:
            raise RuntimeError(f"{grader.name} gave {points} to {size} right notebooks")
    finally:
        shutil.rmtree(folder)
    return sum(seconds for seconds, _ in spent), spent[0][1]


def _versions(programs: Path) -> dict[str, str]:
    """Of the other graders, and of what their kernels import."""
    python = programs / "python"
    if not python.exists():
        return {}
    told = subprocess.run([str(python), "-c", _VERSIONS], capture_output=True, text=True).stdout
    return {f"{name} (others)": version for name, _, version in map(_parted, told.splitlines())}


def _parted(line: str) -> tuple[str, str, str]:
    return line.partition("|")


def _text(costs: dict[str, list[Cost]], on: dict[str, str]) -> str:
    """The table as it stands in the results."""
    ours = next(iter(costs.values()))
    lines = [
        "# Grade",
        "",
        "Copies of one notebook of ten code cells, four of them answers; all of them right.",
        "",
        _told(on),
        "",
        "| | start, CPU s | a notebook, CPU s | notebooks a CPU s | times the first | range | "
        f"to reach | class of {CLASS}, CPU s | times the first |",
        "|---|---:|---:|---:|---:|---|---:|---:|---:|",
    ]
    for name, measured in costs.items():
        ratios = [one.notebook / our.notebook for one, our in zip(measured, ours, strict=True)]
        whole = [one.of_class / our.of_class for one, our in zip(measured, ours, strict=True)]
        start, notebook, of_class = (
            statistics.median(getattr(one, key) for one in measured)
            for key in ("start", "notebook", "of_class")
        )
        lines.append(
            f"| {name} | {start:.1f} | {notebook:.2f} | {1 / notebook:.2f} | "
            f"{statistics.median(ratios):.1f} | {min(ratios):.1f} to {max(ratios):.1f} | "
            f"{TO_REACH.get(name, '')} | {of_class:.0f} | {statistics.median(whole):.1f} |"
        )
    return "\n".join(lines) + "\n"


def _as_json(costs: dict[str, list[Cost]]) -> dict[str, list[dict[str, float]]]:
    return {name: [vars(cost) for cost in measured] for name, measured in costs.items()}


if __name__ == "__main__":
    application()
