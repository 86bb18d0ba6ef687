"""Trains the English and Dutch encoder that comes with the package, and writes its model card.

It reads the built-in grammar's sentences and LibreOffice's help, which ``make real-data`` gets. Of
the help's pages it sees those of the training split only, also for its tokenizer.

python scripts/train_encoder.py [--out FOLDER] [--steps N]
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from mtcourse.models.masked_language_model import ENGLISH_DUTCH, MaskedLanguageModel
from mtcourse.models.model_card import Purpose
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.encoder import EncoderFamily
from mtcourse.recipes.text_recipe import TextRecipe, publish_text_model
from mtcourse.text.corpora import builtin_corpus, libreoffice_corpus
from mtcourse.text.texts import TextCorpus, text_of
from mtcourse.training.callbacks import progress

PURPOSE = Purpose(
    title="English and Dutch, on the built-in grammar and LibreOffice's help",
    intended_use=(
        "For the course: an encoder-only model that is small enough to look into and to fine-tune "
        "on a laptop. It knows the grammar's sentences well and manuals a little."
    ),
    script="scripts/train_encoder.py",
)
STEPS = 12_000


def corpora() -> dict[str, TextCorpus]:
    """Both texts, each in both languages."""
    return {"grammar": text_of(builtin_corpus()), "help": text_of(libreoffice_corpus())}


def both(texts: dict[str, TextCorpus]) -> TextCorpus:
    """The two as one corpus."""
    splits = {
        split: tuple(line for text in texts.values() for line in text.splits[split])
        for split in ("train", "dev")
    }
    names = " and ".join(f"{text.name} {text.version}" for text in texts.values())
    licences = " and ".join(text.licence for text in texts.values())
    return TextCorpus(names, ("en", "nl"), licences, splits)


def main(
    out: Annotated[Path, typer.Option(help="Where the model is written.")] = ENGLISH_DUTCH,
    steps: Annotated[int, typer.Option(help="Updates.")] = STEPS,
) -> None:
    """Trains a deeper model with a larger vocabulary than the default recipe's, and for longer."""
    texts = corpora()
    recipe = TextRecipe(
        TransformerConfig(V=4000, layers=4, dropout=0.05),
        training=replace(TextRecipe().training, steps=steps, learning_rate=2e-3, warmup=500),
    )
    with progress() as show:
        publish_text_model(
            EncoderFamily(),
            both(texts),
            recipe,
            out,
            PURPOSE,
            partial(described, texts),
            callbacks=[show],
        )
    typer.echo((out / "README.md").read_text(encoding="utf-8"))


def described(
    texts: dict[str, TextCorpus], model: Any
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """How well blanks of the test sets are filled, and ten of the grammar's."""
    assert isinstance(model, MaskedLanguageModel)
    scores = {name: str(model.blank_scores(text.splits["test"])) for name, text in texts.items()}
    generator = random.Random(1)
    examples = []
    for sentence in generator.sample(texts["grammar"].splits["test"], 10):
        words = sentence.split()
        words[generator.randrange(len(words) - 1)] = "<mask>"
        blank = " ".join(words)
        best = ", ".join(
            f"{filling.piece.lstrip('▁')} {filling.probability:.2f}"
            for filling in model.fill(blank, n_best=3)[0]
        )
        examples.append((blank, best))
    return scores, examples


if __name__ == "__main__":
    typer.run(main)
