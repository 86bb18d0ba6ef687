"""Measures the sample solution of Part II's project and its ablation, from several starts.

python scripts/measure_project.py [--starts N] [--minutes N] [--work FOLDER] [--out FOLDER]

Each start trains the sample and the ablation, both for the same CPU time on one thread, and
compares their translations of the same sentences. Each run leaves its translations in the work
folder, and a run that is there is not repeated, so the script goes on where it was stopped. Six
runs of six CPU-minutes: about 40 minutes of one core.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.evaluation.starts import MEASURED, store_measured
from mtcourse.project.measure import compare_translations, measure_project
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair

ROOT = Path(__file__).resolve().parent.parent
SOLUTION = ROOT / "solutions" / "project_part_2"
FILES = {"sample": "translator.py", "ablation": "ablation.py"}

Pairs = Sequence[SentencePair]


def main(
    starts: Annotated[int, typer.Option(help="Random starts.")] = 3,
    minutes: Annotated[float, typer.Option(help="CPU-minutes of a run.")] = 6.0,
    work: Annotated[Path, typer.Option(help="Where runs leave their translations.")] = (
        ROOT / "_build" / "project"
    ),
    out: Annotated[Path, typer.Option(help="Where project.json is written.")] = MEASURED,
) -> None:
    """Runs what is missing, and stores all results after each run."""
    torch.set_num_threads(1)
    splits = builtin_corpus().splits
    work.mkdir(parents=True, exist_ok=True)
    for kind, seed in itertools.product(FILES, range(starts)):
        kept = work / f"{kind}_{seed}.json"
        if not kept.exists():
            one = run(kind, splits["train"], splits["test"], minutes, seed)
            kept.write_text(json.dumps(one), encoding="utf-8")
        store(kept_runs(work, starts), splits["test"], minutes, out)


def kept_runs(work: Path, starts: int) -> dict[str, list[dict[str, Any]]]:
    """The runs that are in the work folder, of each kind those of the first starts."""
    found: dict[str, list[dict[str, Any]]] = {}
    for kind in FILES:
        paths = [work / f"{kind}_{seed}.json" for seed in range(starts)]
        there = itertools.takewhile(Path.exists, paths)
        found[kind] = [json.loads(path.read_text(encoding="utf-8")) for path in there]
    return found


def run(kind: str, pairs: Pairs, test: Pairs, minutes: float, seed: int) -> dict[str, Any]:
    """One start of the sample or of the ablation: what is stored of it, and its translations."""
    measured = measure_project(SOLUTION / FILES[kind], pairs, test, 60 * minutes, seed)
    print(f"{kind}, seed {seed}\n{measured}", flush=True)
    scores = measured.scores
    return {
        "bleu": round(scores.bleu, 2),
        "interval": [round(end, 2) for end in scores.bleu_interval],
        "chrf": round(scores.chrf, 2),
        "exact": scores.exact,
        "training CPU-minutes": round(measured.training / 60, 2),
        "translating CPU-minutes": round(measured.translating / 60, 2),
        "translations": measured.translations,
    }


def store(found: dict[str, list[dict[str, Any]]], test: Pairs, minutes: float, out: Path) -> None:
    """Writes the results of all runs so far, and the change from each sample to its ablation."""
    changes = []
    for sample, ablation in zip(found["sample"], found["ablation"], strict=False):
        change = compare_translations(sample["translations"], ablation["translations"], test)
        interval = [round(end, 2) for end in change.interval]
        changes.append({"bleu": round(change.value, 2), "interval": interval})
    results: dict[str, Any] = {"minutes": minutes, "change": changes}
    for kind, runs in found.items():
        results[kind] = [{key: one[key] for key in one if key != "translations"} for one in runs]
    store_measured("project", "scripts/measure_project.py", results, out)


if __name__ == "__main__":
    typer.run(main)
