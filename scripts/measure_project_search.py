"""Measures the sample solution of the search project, and the sample with a part left out.

python scripts/measure_project_search.py [--out FOLDER]

Each file is timed beside the template, in the same rounds, on sentences of the hard split:
only ratios are stored. About six minutes of one core.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import torch
import typer

from mtcourse.evaluation.starts import MEASURED, store_measured
from mtcourse.project.own_search import SPLIT, measure_search
from mtcourse.text.corpora import builtin_corpus

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "solutions" / "project_search" / "decoder.py"
TEMPLATE = ROOT / "projects" / "search" / "decoder.py"
SENTENCES = {"sample": 1000, "no cache": 200, "one sentence at a time": 200}
"""Of the split that counts; the slow variants take fewer."""


def main(
    out: Annotated[Path, typer.Option(help="Where project_search.json is written.")] = MEASURED,
) -> None:
    """Measures all three, and stores the result."""
    torch.set_num_threads(1)
    pairs = builtin_corpus().splits[SPLIT]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(folder, "one_by_one.py")
        text = SAMPLE.read_text(encoding="utf-8")
        alone.write_text(text.replace("TOGETHER = 64", "TOGETHER = 1"), encoding="utf-8")
        files = {
            "sample": SAMPLE,
            "no cache": SAMPLE.with_name("no_cache.py"),
            "one sentence at a time": alone,
        }
        for name, file in files.items():
            found = measure_search(file, TEMPLATE, pairs[: SENTENCES[name]])
            print(f"{name}\n{found}", flush=True)
            results[name] = {
                "faster": {str(beams): round(ratio, 1) for beams, ratio in found.faster.items()},
                "bleu": round(found.scores.bleu, 2),
                "interval": [round(end, 2) for end in found.scores.bleu_interval],
                "behind": round(found.behind, 5),
                "sentences": SENTENCES[name],
            }
    store_measured("project_search", "scripts/measure_project_search.py", results, out)


if __name__ == "__main__":
    typer.run(main)
