"""Trains document A's model on the language of animals, with and without target positions.

python scripts/measure_target_positions.py [--starts N] [--steps N] [--out FOLDER]

One run proves little: some random weights are luckier than others. Chapter 7 shows the shares of
right translations that ten starts of each kind reach. About five minutes of one core.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from mtcourse.chapters.positions.animals import animal_pairs
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import WordPairs, framework_loss
from mtcourse.text.batches import bucketed_batches
from mtcourse.training.callbacks import StepReport
from mtcourse.training.loop import TrainingConfig, train

NAME = "target_positions"
KINDS = {"shift only": False, "both": True}
TRAIN, TEST, LOOKS = 2000, 200, 9


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of each run.")] = 630,
    out: Annotated[Path, typer.Option(help="The folder of the results.")] = MEASURED,
) -> None:
    """Trains all runs and stores what they get right."""
    runs = run_starts(functools.partial(one_start, steps=steps), starts, processes=1)
    test = animal_pairs(TRAIN + TEST)[TRAIN:]
    results: dict[str, Any] = {
        "steps": [steps // LOOKS * look for look in range(1, LOOKS + 1)],
        "test sentences": TEST,
        "without het": sum("het" not in pair.target.split() for pair in test),
    }
    for kind in KINDS:
        of_kind = [run[kind] for run in runs]
        results[kind] = {key: [run[key] for run in of_kind] for key in of_kind[0]}
        typer.echo(f"{kind}: {[right[-1] for right in results[kind]['right']]}")
    store_measured(NAME, "scripts/measure_target_positions.py", results, out)


def one_start(seed: int, steps: int) -> dict[str, dict[str, Any]]:
    """What both kinds of model that begin with one seed get right."""
    return {kind: run(positions, seed, steps) for kind, positions in KINDS.items()}


def run(target_positions: bool, seed: int, steps: int) -> dict[str, Any]:
    """How many sentences are right at nine steps, and how many of the others but for articles."""
    pairs = animal_pairs(TRAIN + TEST)
    words, test = WordPairs.of(pairs), pairs[TRAIN:]
    examples = words.with_examples(pairs[:TRAIN]).examples
    sizes = words.source.size, words.target.size, 48
    model = FrameworkModel(FrameworkConfig(*sizes, target_positions), seed)
    translator = FrameworkTranslator.of(model, words.source, words.target)
    right: list[int] = []
    missed: list[tuple[str, str]] = []

    def look(report: StepReport) -> None:
        if report.step % (steps // LOOKS) == 0:
            found = translator.translate([pair.source for pair in test])
            both = zip(test, found, strict=True)
            missed[:] = [(pair.target, text) for pair, text in both if text != pair.target]
            right.append(len(test) - len(missed))

    train(
        model,
        lambda epoch: bucketed_batches(examples, 1024, seed, epoch),
        lambda model, batch: framework_loss(model, batch, shifted=True),
        TrainingConfig(steps, learning_rate=4e-3, warmup=min(30, steps - 1), schedule="cosine"),
        callbacks=[look],
    )
    return {"right": right, "missed by articles": sum(map(by_articles, missed))}


def by_articles(missed: tuple[str, str]) -> bool:
    """Whether a translation would be right but for de and het."""
    target, text = (["de" if word == "het" else word for word in of.split()] for of in missed)
    return target == text


if __name__ == "__main__":
    typer.run(main)
