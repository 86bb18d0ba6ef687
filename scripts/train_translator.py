"""Trains the English-Dutch translator that comes with the package, and writes its model card.

python scripts/train_translator.py [--out mtcourse/models/english_dutch]
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from pathlib import Path
from typing import Annotated

import torch
import typer

from mtcourse.models.model_card import CardFacts, machine_in_words, write_card
from mtcourse.models.translator import SHIPPED
from mtcourse.recipe import Recipe, evaluate_translator, train_translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.training.callbacks import progress

TEST_SETS = ("test", "compositional", "control", "length")


def main(
    out: Annotated[Path, typer.Option(help="Where the translator is written.")] = SHIPPED,
    beams: int = 4,
) -> None:
    """Trains with the default recipe, scores on every test set, stores in half precision."""
    started = time.process_time()
    corpus, recipe = builtin_corpus(), Recipe()
    with tempfile.TemporaryDirectory() as folder, progress() as show:
        trained = train_translator(corpus, folder, recipe, callbacks=[show], device="cpu")
        cpu_minutes = (time.process_time() - started) / 60
        translator = trained.translator
        translator.save(out, dtype=torch.float16)
        shutil.copy(Path(folder) / "losses.csv", out / "losses.csv")
    translator = type(translator).load(out, device="cpu")  # what is scored is what is shipped
    results = {
        name: evaluate_translator(translator, corpus.splits[name], beams) for name in TEST_SETS
    }
    picked = random.Random(recipe.training.seed).sample(range(len(corpus.splits["test"])), 10)
    facts = CardFacts(
        title="English to Dutch, on sentences of the built-in grammar",
        intended_use=(
            "For the course: small enough to look into, good enough to be worth it. It knows the "
            "words and constructions of `mtcourse.text.grammar` and nothing else."
        ),
        corpus=(
            f"{corpus.name}, {len(corpus.splits['train']):,} training pairs, "
            f"licence {corpus.licence}."
        ),
        script="scripts/train_translator.py",
        seed=recipe.training.seed,
        steps=trained.state.step,
        cpu_minutes=cpu_minutes,
        machine=machine_in_words(),
        beams=beams,
    )
    scores = {name: of_set for name, (of_set, _) in results.items()}
    examples = [(corpus.splits["test"][i], results["test"][1][i]) for i in picked]
    write_card(out, facts, translator, scores, examples)
    for name, of_set in scores.items():
        typer.echo(f"{name}\n{of_set}")
    typer.echo(f"{cpu_minutes:.1f} CPU-minutes of training")


if __name__ == "__main__":
    typer.run(main)
