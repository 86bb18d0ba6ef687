"""Trains a translator on LibreOffice's help, short sentences only, and writes its model card.

make real-data && python scripts/train_real.py [--out FOLDER]
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtcourse.models.encoder_decoder import EncoderDecoderConfig
from mtcourse.models.model_card import Purpose
from mtcourse.models.translator import LIBREOFFICE_HELP
from mtcourse.recipes.translator import Recipe, publish_translator
from mtcourse.text.corpora import libreoffice_corpus
from mtcourse.training.callbacks import progress
from mtcourse.training.loop import TrainingConfig

LONGEST = 12
PURPOSE = Purpose(
    title="English to Dutch, on short sentences of LibreOffice's help",
    intended_use=(
        "For chapter 12: what a small model makes of real sentence pairs in the time that a laptop "
        f"has. Trained on sentences of at most {LONGEST} words; not for use beyond the course."
    ),
    script="scripts/train_real.py",
)
RECIPE = Recipe(
    EncoderDecoderConfig(3000, 3000, d_model=192, d_ff=768, dropout=0.2),
    training=TrainingConfig(
        steps=4500,
        learning_rate=2e-3,
        warmup=300,
        schedule="cosine",
        evaluate_every=300,
        checkpoint_every=300,
        report_every=10,
    ),
)


def main(
    out: Annotated[Path, typer.Option(help="Where the translator is written.")] = LIBREOFFICE_HELP,
) -> None:
    """Trains on the pages that are not held out, and scores on those that are."""
    with progress() as show:
        scores = publish_translator(
            libreoffice_corpus(max_words=LONGEST), RECIPE, out, PURPOSE, callbacks=[show]
        )
    typer.echo(scores["test"])


if __name__ == "__main__":
    typer.run(main)
