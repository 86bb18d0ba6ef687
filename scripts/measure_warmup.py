"""Trains deep translators with and without warm-up, post-norm and pre-norm (chapter 10).

python scripts/measure_warmup.py [--starts N] [--steps N] [--out FOLDER]

The models have 12 layers on each side. All runs of a start share the initial weights and the
batches; the rate is constant after the warm-up, nothing is clipped, and the loss has no smoothing.
Results go to ``mtcourse/measured/warmup.json``. About half an hour of one core.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated

import torch
import typer

from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import Batch, bucketed_batches, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import TokenizerPair
from mtcourse.training.loop import TrainingConfig, train

LAYERS, WIDTH, HEADS, V, PAIRS, TOKENS = 12, 64, 4, 600, 4000, 512
RATE, WARMUP, MEAN_OF = 5e-4, 150, 10
RUNS = {
    f"{norm}-norm, {'with' if warmup else 'no'} warm-up": (norm, warmup)
    for norm in ("post", "pre")
    for warmup in (0, WARMUP)
}


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run.")] = 400,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains all models from all starts, and writes their losses."""
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    results = {
        "layers": LAYERS,
        "rate": RATE,
        "warm-up": WARMUP,
        "steps": list(range(MEAN_OF, steps + 1, MEAN_OF)),
        "frequencies only": round(entropy_of_frequencies(), 3),
        "losses": {kind: [of_start[kind] for of_start in runs] for kind in RUNS},
    }
    store_measured("warmup", "scripts/measure_warmup.py", results, out)


@functools.cache
def task() -> tuple[TokenizerPair, list[Batch]]:
    """The tokenizers, and the training pairs as batches."""
    pairs = builtin_corpus(train=PAIRS).splits["train"]
    tokenizers = TokenizerPair.train(pairs, V)
    examples, _ = encode_pairs(pairs, tokenizers, max_length=128)
    return tokenizers, bucketed_batches(examples, TOKENS, seed=0, epoch=1)


def entropy_of_frequencies() -> float:
    """The loss in nats of a model that knows only how frequent each target token is."""
    _, batches = task()
    labels = torch.cat([batch.labels[batch.labels != 0] for batch in batches])
    counts = torch.bincount(labels).double()
    shares = counts[counts > 0] / len(labels)
    return float(-(shares * shares.log()).sum())


def measure(seed: int, steps: int) -> dict[str, list[float]]:
    """The loss of each kind of run from one start, averaged over each few updates."""
    return {kind: trained(seed, steps, *RUNS[kind]) for kind in RUNS}


def trained(seed: int, steps: int, norm: str, warmup: int) -> list[float]:
    """The losses of one run."""
    tokenizers, batches = task()
    sizes = EncoderDecoderConfig(
        tokenizers.source.vocabulary_size,
        tokenizers.target.vocabulary_size,
        d_model=WIDTH,
        h=HEADS,
        d_ff=4 * WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        dropout=0.0,
        norm=norm,
    )

    def in_order_of(epoch: int) -> list[Batch]:
        generator = torch.Generator().manual_seed(1000 * seed + epoch)
        return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]

    state = train(
        EncoderDecoder(sizes, seed=seed),
        in_order_of,
        functools.partial(smoothed_loss, 0.0),
        TrainingConfig(steps, RATE, warmup, "constant", clip_norm=None),
    )
    groups = [state.losses[at : at + MEAN_OF] for at in range(0, steps, MEAN_OF)]
    return [round(sum(group) / len(group), 3) for group in groups]


if __name__ == "__main__":
    typer.run(main)
