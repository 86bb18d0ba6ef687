"""Trains the English-Dutch translator that comes with the package, and writes its model card.

python scripts/train_translator.py [--out FOLDER]
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mtcourse.models.model_card import Purpose
from mtcourse.models.translator import SHIPPED
from mtcourse.recipes.translator import Recipe, publish_translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.training.callbacks import progress

PURPOSE = Purpose(
    title="English to Dutch, on sentences of the built-in grammar",
    intended_use=(
        "For the course: small enough to look into, good enough to be worth it. It knows the words "
        "and constructions of `mtcourse.text.grammar` and nothing else."
    ),
    script="scripts/train_translator.py",
)
STEPS = 5200


def main(
    out: Annotated[Path, typer.Option(help="Where the translator is written.")] = SHIPPED,
) -> None:
    """Trains by the default recipe, but for longer."""
    recipe = Recipe()
    recipe = replace(recipe, training=replace(recipe.training, steps=STEPS))
    with progress() as show:
        scores = publish_translator(
            builtin_corpus(),
            recipe,
            out,
            PURPOSE,
            test_sets=("test", "compositional", "control", "length"),
            callbacks=[show],
        )
    for name, of_set in scores.items():
        typer.echo(f"{name}\n{of_set}")


if __name__ == "__main__":
    typer.run(main)
