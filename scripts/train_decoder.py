"""Trains the Dutch language model that comes with the package, and writes its model card.

python scripts/train_decoder.py [--out FOLDER]
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.decoding.sampling import ancestral_sampling
from mtcourse.models.language_model import DUTCH, LanguageModel
from mtcourse.models.model_card import Purpose
from mtcourse.recipes.decoder import DecoderFamily
from mtcourse.recipes.text_recipe import TextRecipe, publish_text_model
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.texts import TextCorpus, text_of
from mtcourse.training.callbacks import progress

PURPOSE = Purpose(
    title="Dutch, on sentences of the built-in grammar",
    intended_use=(
        "For the course: a decoder-only model that is small enough to look into. It knows the "
        "words and constructions of `mtcourse.text.grammar` and nothing else."
    ),
    script="scripts/train_decoder.py",
)
STEPS, PROMPT_WORDS = 4000, 2


def main(out: Annotated[Path, typer.Option(help="Where the model is written.")] = DUTCH) -> None:
    """Trains by the default recipe, but for longer."""
    corpus = text_of(builtin_corpus(), ["nl"])
    recipe = TextRecipe()
    recipe = replace(recipe, training=replace(recipe.training, steps=STEPS))
    with progress() as show:
        publish_text_model(
            DecoderFamily(),
            corpus,
            recipe,
            out,
            PURPOSE,
            partial(described, corpus),
            callbacks=[show],
        )
    typer.echo((out / "README.md").read_text(encoding="utf-8"))


def described(corpus: TextCorpus, model: Any) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Bits per byte of every test set, and ten sampled continuations."""
    assert isinstance(model, LanguageModel)
    names = [name for name in corpus.splits if name not in ("train", "dev")]
    scores = {name: str(model.likelihood(corpus.splits[name])) for name in names}
    picked = random.Random(1).sample(corpus.splits["test"], 10)
    prompts = [" ".join(sentence.split()[:PROMPT_WORDS]) for sentence in picked]
    sampler = partial(ancestral_sampling, generator=torch.Generator().manual_seed(1))
    return scores, list(zip(prompts, model.continuations(prompts, sampler), strict=True))


if __name__ == "__main__":
    typer.run(main)
