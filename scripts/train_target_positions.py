"""Trains document A's model on the language of animals, with and without target positions.

python scripts/train_target_positions.py [--out FILE] [--starts N] [--steps N]

One run proves little: some random weights are luckier than others. Chapter 03 shows the shares of
right translations that ten starts of each kind reach. About four minutes of one core.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mtcourse.framework_recipe import SHIPPED, FrameworkTranslator, WordPairs, framework_loss
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.text.animals import animal_pairs
from mtcourse.text.batches import bucketed_batches
from mtcourse.text.pairs import SentencePair
from mtcourse.training.callbacks import StepReport
from mtcourse.training.loop import TrainingConfig, train

OUT = SHIPPED / "target_positions.json"
KINDS = {"both sides": True, "as printed": False}
TRAIN, TEST, LOOKS = 2000, 200, 9


def main(
    out: Annotated[Path, typer.Option(help="Where the results are written.")] = OUT,
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of each run.")] = 630,
) -> None:
    """Trains all runs and writes what they get right."""
    pairs = animal_pairs(TRAIN + TEST)
    results: dict[str, Any] = {"steps": [steps // LOOKS * look for look in range(1, LOOKS + 1)]}
    for kind, target_positions in KINDS.items():
        runs = [run(pairs, target_positions, seed, steps) for seed in range(starts)]
        results[kind] = {
            "right": [right for right, _ in runs],
            "missed": sum(len(missed) for _, missed in runs),
            "missed by articles": sum(map(by_articles, (m for _, missed in runs for m in missed))),
        }
        print(kind, [right[-1] for right in results[kind]["right"]])
    out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def run(
    pairs: Sequence[SentencePair], target_positions: bool, seed: int, steps: int
) -> tuple[list[float], list[tuple[str, str]]]:
    """The share right at nine steps, and at the end each missed target with what was written."""
    words = WordPairs.of(pairs)
    examples, test = words.with_examples(pairs[:TRAIN]).examples, pairs[TRAIN:]
    sizes = words.source.size, words.target.size, 48
    model = FrameworkModel(FrameworkConfig(*sizes, target_positions), seed)
    made = FrameworkTranslator(words.source, words.target, model.encode, model.decode)
    right: list[float] = []
    missed: list[tuple[str, str]] = []

    def look(report: StepReport) -> None:
        if report.step % (steps // LOOKS) == 0:
            found = made.translate([pair.source for pair in test])
            both = zip(test, found, strict=True)
            missed[:] = [(pair.target, text) for pair, text in both if text != pair.target]
            right.append(1 - len(missed) / len(test))

    train(
        model,
        lambda epoch: bucketed_batches(examples, 1024, 0, epoch),
        lambda model, batch: framework_loss(model, batch, shifted=True),
        TrainingConfig(steps, learning_rate=4e-3, warmup=min(30, steps - 1), schedule="cosine"),
        callbacks=[look],
    )
    return [round(share, 4) for share in right], missed


def by_articles(missed: tuple[str, str]) -> bool:
    """Whether a translation would be right but for de and het."""
    target, text = (["de" if word == "het" else word for word in of.split()] for of in missed)
    return target == text


if __name__ == "__main__":
    typer.run(main)
