"""Trains document A's model on the grammar, as printed and with its repairs, from ten starts.

python scripts/measure_framework_grammar.py [--starts N] [--steps N]

One start is the whole comparison: three models with the same initial weights and the same batches,
and the one with both repairs once more, from weights drawn in the usual way. Chapter 7 shows the
losses and the BLEU that it stores. About 40 minutes of one core.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from torch import Generator, nn

from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import (
    FrameworkRecipe,
    WordPairs,
    mean_framework_loss,
    train_framework,
)
from mtcourse.text.batches import batches_in_order
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.training.callbacks import Callback, StepReport
from mtcourse.training.loop import TrainingConfig

NAME = "framework_grammar"
REPAIRS = {"as printed": (False, False), "shift only": (True, False), "both": (True, True)}
LOOKS = 10
DEV = 200
SHOWN = 8


def main(
    starts: Annotated[int, typer.Option(help="Random starts, each with all models.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of each model.")] = 1000,
    out: Annotated[Path, typer.Option(help="The folder of the results.")] = MEASURED,
    processes: Annotated[int, typer.Option(help="How many starts run at a time.")] = 1,
) -> None:
    """Trains all models and stores what they reached."""
    runs = run_starts(functools.partial(one_start, steps=steps), starts, processes)
    every = steps // LOOKS
    results: dict[str, Any] = {
        "steps": [every * look for look in range(1, LOOKS + 1)],
        "models": {name: joined([run[name] for run in runs]) for name in REPAIRS},
        "usual beginning": [run["usual beginning"] for run in runs],
    }
    store_measured(NAME, "scripts/measure_framework_grammar.py", results, out)


def one_start(seed: int, steps: int) -> dict[str, Any]:
    """All that is measured of the models that begin with one seed."""
    corpus = builtin_corpus()
    pairs = WordPairs.of(corpus.splits["train"])
    dev, test = corpus.splits["dev"][:DEV], corpus.splits["test"]
    results: dict[str, Any] = {}
    for name, (shifted, positions) in REPAIRS.items():
        model = FrameworkModel(sizes_of(pairs, positions), seed)
        bleu: list[float] = []
        recipe = recipe_of(shifted, positions, steps, seed)
        callbacks = [watcher(model, pairs, dev, steps // LOOKS, bleu)]
        _, state = train_framework(pairs, recipe, callbacks, model=model)
        results[name] = measured(model, pairs, test, shifted) | {
            "losses": thinned(state.losses, steps // LOOKS),
            "bleu while training": bleu,
        }
        typer.echo(f"start {seed}, {name}: {results[name]['bleu']} {results[name]['test loss']}")
    model = usual_beginning(sizes_of(pairs, True), seed)
    _, state = train_framework(pairs, recipe_of(True, True, steps, seed), model=model)
    return results | {"usual beginning": thinned(state.losses, steps // LOOKS)}


def recipe_of(shifted: bool, positions: bool, steps: int, seed: int) -> FrameworkRecipe:
    """The recipe of the shipped model, with other steps and another seed."""
    training = TrainingConfig(
        steps=steps, learning_rate=4e-3, warmup=min(100, steps - 1), schedule="cosine"
    )
    return FrameworkRecipe(shifted, positions, 96, 1536, training, seed)


def sizes_of(pairs: WordPairs, positions: bool) -> FrameworkConfig:
    """The sizes of a model of width 96."""
    return FrameworkConfig(pairs.source.size, pairs.target.size, 96, positions)


def usual_beginning(config: FrameworkConfig, seed: int) -> FrameworkModel:
    """A model whose matrices begin at random, each by Xavier's rule; its tables as always."""
    model, generator = FrameworkModel(config, seed), Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        if not name.startswith("W_E"):
            nn.init.xavier_uniform_(weight, generator=generator)
    return model


def watcher(
    model: FrameworkModel,
    pairs: WordPairs,
    dev: Sequence[SentencePair],
    every: int,
    bleu: list[float],
) -> Callback:
    """A callback that notes BLEU on some of the dev set every so many steps."""
    translator = FrameworkTranslator.of(model, pairs.source, pairs.target)

    def look(report: StepReport) -> None:
        if report.step % every == 0:
            found = translator.translate([pair.source for pair in dev])
            bleu.append(round(score(found, references_of(dev)).bleu, 1))

    return look


def measured(
    model: FrameworkModel, pairs: WordPairs, test: Sequence[SentencePair], shifted: bool
) -> dict[str, Any]:
    """Loss and scores on the test set, and the first few translations."""
    translator = FrameworkTranslator.of(model, pairs.source, pairs.target)
    translations = translator.translate([pair.source for pair in test])
    scores = score(translations, references_of(test))
    batches = batches_in_order(pairs.with_examples(test).examples, 4096)
    return {
        "test loss": round(mean_framework_loss(model, batches, shifted), 3),
        "bleu": round(scores.bleu, 1),
        "exact": round(scores.exact, 3),
        "signature": scores.bleu_signature,
        "translations": [
            [pair.source, written]
            for pair, written in zip(test[:SHOWN], translations[:SHOWN], strict=True)
        ],
    }


def references_of(pairs: Sequence[SentencePair]) -> list[tuple[str, ...]]:
    """What counts as right for each pair."""
    return [(pair.target, *pair.references) for pair in pairs]


def thinned(losses: Sequence[float], every: int) -> list[float]:
    """The mean loss of each so many steps."""
    starts = range(0, len(losses) - every + 1, every)
    return [round(statistics.fmean(losses[at : at + every]), 3) for at in starts]


def joined(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The results of one model: for each measure a list with one entry for each start."""
    return {key: [run[key] for run in runs] for key in runs[0]}


if __name__ == "__main__":
    typer.run(main)
