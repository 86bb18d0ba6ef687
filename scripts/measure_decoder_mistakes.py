"""Trains small language models with common mistakes from ten starts (chapter 13).

python scripts/measure_decoder_mistakes.py [--starts N] [--steps N] [--out FOLDER]

Each run of a start has the same weights and sentences, in batches of random order, so that they
hold padding. Every model reports its own loss, with its mistake, and is then tested without it: the
loss of test sentences under the causal mask, and how many of its samples end. Results go to
``mtcourse/measured/decoder_mistakes.json``. About seven minutes of one core.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import torch
import torch.nn.functional as F
import typer
from torch import Tensor

from mtcourse.decoding.sampling import ancestral_sampling
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.generation_state import generation_state, generation_step
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.decoder import DecoderFamily
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.text_batches import TextBatch, next_token_batch
from mtcourse.text.texts import text_of
from mtcourse.text.tokenizer import BOS, EOS, PAD, Tokenizer
from mtcourse.training.loop import TrainingConfig, train

WIDTH, HEADS, LAYERS, V, RATE, WARMUP = 64, 4, 2, 600, 3e-3, 20
SENTENCES, TESTED, SAMPLES, LONGEST, LAST = 32, 200, 50, 60, 10


def sound(model: DecoderModel, batch: TextBatch) -> Tensor:
    """The loss as it should be."""
    return DecoderFamily().loss(model, batch)


def shifted_twice(model: DecoderModel, batch: TextBatch) -> Tensor:
    """The labels are shifted already, and the loss shifts once more."""
    later = F.pad(batch.labels[:, 1:], (0, 1), value=PAD)
    return summed(model(batch.inputs), later)


def mask_forgotten(model: DecoderModel, batch: TextBatch) -> Tensor:
    """Every position sees the whole row."""
    n = batch.inputs.shape[1]
    return summed(model(batch.inputs, torch.ones(1, 1, n, n, dtype=torch.bool)), batch.labels)


def end_left_out(model: DecoderModel, batch: TextBatch) -> Tensor:
    """<eos> counts as little as padding does."""
    return summed(model(batch.inputs), batch.labels.masked_fill(batch.labels == EOS, PAD))


def padding_counted(model: DecoderModel, batch: TextBatch) -> Tensor:
    """<pad> is a token to predict like any other."""
    logits = model(batch.inputs)
    return F.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), reduction="sum")


LOSSES: dict[str, Callable[[DecoderModel, TextBatch], Tensor]] = {
    "sound": sound,
    "shifted twice": shifted_twice,
    "mask forgotten": mask_forgotten,
    "<eos> left out": end_left_out,
    "padding counted": padding_counted,
}


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run.")] = 500,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains and tests all models from all starts."""
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    kinds = {
        kind: {name: [of_start[kind][name] for of_start in runs] for name in ("own", "test", "end")}
        for kind in LOSSES
    }
    results = {"steps": steps, "samples": SAMPLES, "longest": LONGEST, "kinds": kinds}
    store_measured("decoder_mistakes", "scripts/measure_decoder_mistakes.py", results, out)


@functools.cache
def encoded() -> tuple[Tokenizer, list[list[int]], TextBatch]:
    """The tokenizer, the ids of the sentences to learn from, and the test sentences."""
    corpus = text_of(builtin_corpus(), ["nl"])
    tokenizer = Tokenizer.train(corpus.splits["train"], V)
    test = next_token_batch(tokenizer.encode_all(corpus.splits["test"][:TESTED]))
    return tokenizer, tokenizer.encode_all(corpus.splits["train"]), test


def measure(seed: int, steps: int) -> dict[str, dict[str, float]]:
    """For each kind of run its own loss at the end, the test loss, and the samples that end."""
    return {kind: tested(kind, seed, steps) for kind in LOSSES}


def tested(kind: str, seed: int, steps: int) -> dict[str, float]:
    """What one run gives."""
    tokenizer, known, test = encoded()
    draw = random.Random(seed)
    batches = [next_token_batch(draw.sample(known, SENTENCES)) for _ in range(steps)]
    sizes = (tokenizer.vocabulary_size, WIDTH, HEADS, 4 * WIDTH, LAYERS, 0.0)
    model = DecoderModel(TransformerConfig(*sizes), seed=seed)
    settings = TrainingConfig(steps, RATE, WARMUP, "cosine")
    train(model, lambda _: batches, LOSSES[kind], settings)
    model.eval()
    with torch.no_grad():
        own = sum(float(LOSSES[kind](model, batch)) for batch in batches[-LAST:])
        counted = sum(labels_counted(kind, batch) for batch in batches[-LAST:])
        loss = float(sound(model, test)) / test.target_tokens
    found = {"own": own / counted, "test": loss, "end": share_that_ends(model, seed)}
    return {name: round(value, 4) for name, value in found.items()}


def labels_counted(kind: str, batch: TextBatch) -> int:
    """By how many labels such a run divides its loss."""
    lost = {"shifted twice": 1, "<eos> left out": 1}.get(kind, 0) * len(batch.labels)
    return batch.labels.numel() if kind == "padding counted" else batch.target_tokens - lost


@torch.no_grad()
def share_that_ends(model: DecoderModel, seed: int) -> float:
    """The share of samples that reach <eos> within ``LONGEST`` tokens."""
    state = generation_state(model, torch.full((SAMPLES, 1), BOS), LONGEST)
    longest = torch.full((SAMPLES,), LONGEST)
    generator = torch.Generator().manual_seed(seed)
    found = ancestral_sampling(generation_step(model), state, longest, generator)
    return sum(best.finished for best, *_ in found) / SAMPLES


def summed(logits: Tensor, labels: Tensor) -> Tensor:
    """The cross-entropy of the labels that are not padding."""
    return F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=PAD, reduction="sum"
    )


if __name__ == "__main__":
    typer.run(main)
