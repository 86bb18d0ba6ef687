"""Trains document A's model on the grammar: as printed, shifted, and with target positions, too.

python scripts/train_framework.py [--out FOLDER] [--steps N]

Chapter 07 shows the figures that it writes to ``results.json``. The mended model is kept, so that
the last exercise of Part I can run a reader's own functions on its weights.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import nn

from mtcourse.evaluation.scores import score
from mtcourse.framework_recipe import (
    SHIPPED,
    FrameworkRecipe,
    FrameworkTranslator,
    WordPairs,
    load_framework,
    mean_framework_loss,
    save_framework,
    train_framework,
)
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.text.batches import batches_in_order
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.training.callbacks import progress
from mtcourse.training.loop import TrainingConfig

MENDS = {"as printed": (False, False), "shifted": (True, False), "and positions": (True, True)}
EVERY = 100
BLEU_EVERY = 250
DEV = 200
SHOWN = 8
HIDDEN = ("losses", "translations", "signature")


def main(
    out: Annotated[Path, typer.Option(help="Where the results are written.")] = SHIPPED,
    steps: Annotated[int, typer.Option(help="Updates of each model.")] = 4000,
) -> None:
    """Trains three models on the same batches and scores each on the grammar's test set."""
    corpus = builtin_corpus()
    pairs, test = WordPairs.of(corpus.splits["train"]), corpus.splits["test"]
    training = TrainingConfig(
        steps=steps,
        learning_rate=4e-3,
        warmup=100,
        schedule="cosine",
        evaluate_every=BLEU_EVERY,
        report_every=10,
    )
    results = {}
    for name, (shifted, positions) in MENDS.items():
        recipe = FrameworkRecipe(shifted, positions, d=96, tokens_per_batch=1536, training=training)
        bleu: list[float] = []
        with progress() as show:
            model, state = train_framework(
                pairs, recipe, [show], _watcher(pairs, corpus.splits["dev"], shifted, bleu)
            )
        if shifted and positions:
            save_framework(model, pairs, out / "mended")
            model, *_ = load_framework(out / "mended")  # what is scored is what is stored
        results[name] = _measured(model, pairs, test, shifted) | {
            "losses": _thinned(state.losses),
            "bleu_while_training": bleu,
        }
        shown = {key: value for key, value in results[name].items() if key not in HIDDEN}
        typer.echo(f"{name}: {shown}")
    beginning = _usual_beginning(pairs, training)
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(
        json.dumps(
            {
                "steps": steps,
                "every": EVERY,
                "bleu_every": BLEU_EVERY,
                "models": results,
                "usual_beginning": beginning,
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


def _usual_beginning(pairs: WordPairs, training: TrainingConfig) -> list[float]:
    """Losses of the mended model whose matrices begin at random, each by Xavier's rule."""
    recipe = FrameworkRecipe(True, True, d=96, tokens_per_batch=1536, training=training)
    config = FrameworkConfig(pairs.source.size, pairs.target.size, recipe.d, target_positions=True)
    model, generator = FrameworkModel(config), torch.Generator().manual_seed(recipe.seed)
    for name, weight in model.named_parameters():
        if not name.startswith("W_E"):
            nn.init.xavier_uniform_(weight, generator=generator)
    with progress() as show:
        _, state = train_framework(pairs, recipe, [show], model=model)
    return _thinned(state.losses)


def _watcher(
    pairs: WordPairs, dev: Sequence[SentencePair], shifted: bool, bleu: list[float]
) -> Callable[[FrameworkModel], float]:
    """The dev loss while training; on the way it notes BLEU on some of the sentences."""
    batches = batches_in_order(pairs.with_examples(dev).examples, 4096)

    def evaluate(model: FrameworkModel) -> float:
        translator = FrameworkTranslator.of(model, pairs.source, pairs.target)
        translations = translator.translate([pair.source for pair in dev[:DEV]])
        references = [(pair.target, *pair.references) for pair in dev[:DEV]]
        bleu.append(round(score(translations, references).bleu, 1))
        return mean_framework_loss(model, batches, shifted)

    return evaluate


def _measured(
    model: FrameworkModel, pairs: WordPairs, test: Sequence[SentencePair], shifted: bool
) -> dict[str, Any]:
    """Loss and scores on the test set, and the first few translations."""
    translator = FrameworkTranslator.of(model, pairs.source, pairs.target)
    translations = translator.translate([pair.source for pair in test])
    scores = score(translations, [(pair.target, *pair.references) for pair in test])
    batches = batches_in_order(pairs.with_examples(test).examples, 4096)
    return {
        "test_loss": round(mean_framework_loss(model, batches, shifted), 3),
        "bleu": round(scores.bleu, 1),
        "interval": [round(end, 1) for end in scores.bleu_interval],
        "signature": scores.bleu_signature,
        "chrf": round(scores.chrf, 1),
        "exact": round(scores.exact, 3),
        "translations": [
            [pair.source, written]
            for pair, written in zip(test[:SHOWN], translations[:SHOWN], strict=True)
        ],
    }


def _thinned(losses: Sequence[float]) -> list[float]:
    """The mean loss of each hundred steps."""
    starts = range(0, len(losses) - EVERY + 1, EVERY)
    return [round(sum(losses[at : at + EVERY]) / EVERY, 3) for at in starts]


if __name__ == "__main__":
    typer.run(main)
