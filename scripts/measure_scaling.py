"""Trains a small Transformer on the language of animals, with embeddings scaled and not.

python scripts/measure_scaling.py [--starts N] [--steps N] [--out FOLDER]

Four kinds of run, from ten starts each: the embeddings times the root of the width; as they are;
as they are, but drawn larger by that root; and scaled, without positions on the source. Chapter 3
shows the shares of right translations. About five minutes of one core.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Annotated

import typer
from torch import Tensor

from mtcourse.chapters.positions.animals import animal_pairs
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import WordPairs
from mtcourse.text.batches import Batch, bucketed_batches
from mtcourse.training.callbacks import StepReport
from mtcourse.training.loop import TrainingConfig, train

KINDS = ("scaled", "as they are", "drawn larger", "no source positions")
TRAIN, TEST, LOOKS = 2000, 200, 9
D_MODEL = 48


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of each run.")] = 225,
    out: Annotated[Path, typer.Option(help="Where scaling.json is written.")] = MEASURED,
) -> None:
    """Trains all runs and stores what they get right."""
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    looks = [steps // LOOKS * look for look in range(1, LOOKS + 1)]
    right = {kind: [of_start[kind] for of_start in runs] for kind in KINDS}
    results = {"steps": looks, "test sentences": TEST, "right": right}
    store_measured("scaling", "scripts/measure_scaling.py", results, out)
    for kind in KINDS:
        print(kind, [curve[-1] for curve in right[kind]])


def measure(seed: int, steps: int) -> dict[str, list[int]]:
    """How many test sentences each kind of model gets right, at nine of its steps."""
    return {kind: trained(model_of(kind, seed), seed, steps) for kind in KINDS}


def model_of(kind: str, seed: int) -> EncoderDecoder:
    """All kinds begin with the weights of this seed, but for the factor of the embeddings."""
    words = WordPairs.of(animal_pairs(TRAIN + TEST))
    config = EncoderDecoderConfig(
        words.source.size, words.target.size, D_MODEL, d_ff=96, encoder_layers=1,
        decoder_layers=1, dropout=0.0, shared_embeddings=False,
    )  # fmt: skip
    model = EncoderDecoder(config, seed=seed)
    for side in (model.source_embedding, model.target_embedding):
        if kind in ("as they are", "drawn larger"):
            side.scale = 1.0
        if kind == "drawn larger":
            side.W_E.data *= math.sqrt(D_MODEL)
    if kind == "no source positions":
        model.source_embedding.P.zero_()
    return model


def trained(model: EncoderDecoder, seed: int, steps: int) -> list[int]:
    """Trains a model; counts the test sentences that it translates without a mistake."""
    pairs = animal_pairs(TRAIN + TEST)
    words, test = WordPairs.of(pairs), pairs[TRAIN:]
    examples = words.with_examples(pairs[:TRAIN]).examples

    def decode(ids: Tensor, H_E: Tensor, mask: Tensor | None) -> Tensor:
        return model.logits(model.decode(ids, H_E, mask))

    translator = FrameworkTranslator(words.source, words.target, model.encode, decode)
    right: list[int] = []

    def look(report: StepReport) -> None:
        if report.step % (steps // LOOKS) == 0:
            found = translator.translate([pair.source for pair in test])
            both = zip(test, found, strict=True)
            right.append(sum(text == pair.target for pair, text in both))

    train(
        model,
        lambda epoch: bucketed_batches(examples, 1024, seed, epoch),
        loss,
        TrainingConfig(steps, learning_rate=3e-3, warmup=min(30, steps - 1), schedule="cosine"),
        callbacks=[look],
    )
    return right


def loss(model: EncoderDecoder, batch: Batch) -> Tensor:
    """The summed cross-entropy of a batch's target tokens."""
    H_D = model.hidden(batch.source, batch.decoder_input, source_mask(batch.source))
    return chunked_loss(H_D, model.output_weight, None, batch.labels)


if __name__ == "__main__":
    typer.run(main)
