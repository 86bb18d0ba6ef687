"""Trains document A's model with both repairs on the grammar, and without target positions.

python scripts/train_framework.py [--out FOLDER] [--steps N]

Chapter 7 shows the scores that it writes to ``results.json``. The model with both repairs is kept,
so that the last exercise of Part I can run a reader's own functions on its weights. The comparison
from several starts is ``measure_framework_grammar.py``. About six minutes of one core.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mtcourse.evaluation.scores import score
from mtcourse.models.framework_model import FrameworkModel
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import (
    SHIPPED,
    FrameworkRecipe,
    WordPairs,
    load_framework,
    mean_framework_loss,
    save_framework,
    train_framework,
)
from mtcourse.text.batches import batches_in_order
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.training.callbacks import progress
from mtcourse.training.loop import TrainingConfig

REPAIRS = {"shift only": (True, False), "both": (True, True)}


def main(
    out: Annotated[Path, typer.Option(help="Where the model and the scores are kept.")] = SHIPPED,
    steps: Annotated[int, typer.Option(help="Updates of each model.")] = 4000,
) -> None:
    """Trains both models on the same batches and scores each on the grammar's test set."""
    corpus = builtin_corpus()
    pairs, test = WordPairs.of(corpus.splits["train"]), corpus.splits["test"]
    training = TrainingConfig(
        steps=steps,
        learning_rate=4e-3,
        warmup=min(100, steps - 1),
        schedule="cosine",
        report_every=10,
    )
    results = {}
    for name, (shifted, positions) in REPAIRS.items():
        recipe = FrameworkRecipe(shifted, positions, d=96, tokens_per_batch=1536, training=training)
        with progress() as show:
            model, _ = train_framework(pairs, recipe, [show])
        if positions:
            save_framework(model, pairs, out / "mended")
            model, *_ = load_framework(out / "mended")  # what is scored is what is stored
        results[name] = measured(model, pairs, test)
        typer.echo(f"{name}: {results[name]}")
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"steps": steps, "models": results}, indent=1) + "\n"
    (out / "results.json").write_text(text, encoding="utf-8")


def measured(
    model: FrameworkModel, pairs: WordPairs, test: Sequence[SentencePair]
) -> dict[str, Any]:
    """Loss and scores on the test set."""
    translator = FrameworkTranslator.of(model, pairs.source, pairs.target)
    translations = translator.translate([pair.source for pair in test])
    scores = score(translations, [(pair.target, *pair.references) for pair in test])
    batches = batches_in_order(pairs.with_examples(test).examples, 4096)
    return {
        "test_loss": round(mean_framework_loss(model, batches, shifted=True), 3),
        "bleu": round(scores.bleu, 1),
        "interval": [round(end, 1) for end in scores.bleu_interval],
        "signature": scores.bleu_signature,
        "chrf": round(scores.chrf, 1),
        "exact": round(scores.exact, 3),
    }


if __name__ == "__main__":
    typer.run(main)
