"""Measures the sample solution of Part III's project: three families, three starts each.

python scripts/measure_project_part_3.py [--starts N] [--runs FOLDER] [--out FOLDER]

A run that is finished is not repeated, so the script goes on where it was stopped. Nine runs of 500
updates take about 8 CPU-minutes on one core, and all questions about one minute more.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import torch
import typer

from mtcourse.evaluation.starts import MEASURED, store_measured
from mtcourse.project.families import as_text, measure_families
from mtcourse.project.family_runs import STARTS
from mtcourse.text.corpora import builtin_corpus

ROOT = Path(__file__).resolve().parent.parent
SOLUTION = ROOT / "solutions" / "project_part_3" / "families.py"


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each family.")] = STARTS,
    runs: Annotated[Path, typer.Option(help="Where the trained models are kept.")] = (
        ROOT / "_build" / "project_part_3"
    ),
    out: Annotated[Path, typer.Option(help="Where project_part_3.json is written.")] = MEASURED,
) -> None:
    """Trains what is missing, asks the sample's questions, and stores the results."""
    torch.set_num_threads(1)
    specification = importlib.util.spec_from_file_location("families", SOLUTION)
    assert specification is not None
    assert specification.loader is not None
    sample = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(sample)
    results = measure_families(sample, builtin_corpus(), runs, starts)  # type: ignore[arg-type]
    print(as_text(results))
    store_measured("project_part_3", "scripts/measure_project_part_3.py", results, out)


if __name__ == "__main__":
    typer.run(main)
