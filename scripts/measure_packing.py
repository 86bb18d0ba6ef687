"""Trains small language models on packed documents, with and without a mask (chapter 13).

python scripts/measure_packing.py [--starts N] [--steps N] [--out FOLDER]

The documents are Dutch sentences of the built-in grammar. A model is trained on one sentence a row,
on packed rows whose sentences see one another, or on packed rows with ``document_mask``; each
update has the same number of positions. All are tested on one sentence a row, and on packed rows
with and without the mask. Results go to ``mtcourse/measured/packing.json``. About two minutes of
one core.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import torch
import typer

from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.decoder import DecoderFamily
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.text_batches import TextBatch, length_buckets, next_token_batch, packed_batch
from mtcourse.text.texts import text_of
from mtcourse.text.tokenizer import EOS, Tokenizer
from mtcourse.training.loop import TrainingConfig, train

WIDTH, HEADS, LAYERS, V, RATE, WARMUP = 64, 4, 2, 1000, 3e-3, 20
LENGTH, ROWS, TOGETHER, TESTED = 64, 8, 1000, 400
PADDED, SHARED, MASKED = KINDS = "one document a row", "packed, no mask", "packed, masked"


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run.")] = 240,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains and tests all models from all starts."""
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    losses = {
        kind: {tested: [of_start[kind][tested] for of_start in runs] for tested in KINDS}
        for kind in KINDS
    }
    results = {"steps": steps, "positions per update": LENGTH * ROWS, "losses": losses}
    store_measured("packing", "scripts/measure_packing.py", results, out)


@functools.cache
def encoded() -> tuple[Tokenizer, list[list[int]], list[list[int]]]:
    """The tokenizer, and the ids of the sentences to learn from and to be tested on."""
    corpus = text_of(builtin_corpus(), ["nl"])
    tokenizer = Tokenizer.train(corpus.splits["train"], V)
    known, test = (
        tokenizer.encode_all(lines)
        for lines in (corpus.splits["train"], corpus.splits["test"][:TESTED])
    )
    return tokenizer, known, test


def measure(seed: int, steps: int) -> dict[str, dict[str, float]]:
    """The loss per token on each kind of test, for each kind of training."""
    found = {}
    for kind in KINDS:
        model = trained(kind, seed, steps)
        found[kind] = {tested: loss_on_test_set(model, kind, tested) for tested in KINDS}
    return found


def trained(kind: str, seed: int, steps: int) -> DecoderModel:
    """One run: the three kinds of a start share the initial weights."""
    tokenizer, known, _ = encoded()
    config = TransformerConfig(
        tokenizer.vocabulary_size,
        d_model=WIDTH,
        h=HEADS,
        d_ff=4 * WIDTH,
        layers=LAYERS,
        dropout=0.0,
    )

    def of_epoch(epoch: int) -> list[TextBatch]:
        if kind == PADDED:
            groups = length_buckets(known, LENGTH * ROWS, seed, epoch)
            return [next_token_batch(group) for group in groups]
        order = random.Random(f"{seed} {epoch}").sample(known, len(known))
        return [
            batch
            for at in range(0, len(order), TOGETHER)
            for batch in packed(order[at : at + TOGETHER], kind)
        ]

    model = DecoderModel(config, seed=seed)
    settings = TrainingConfig(steps, RATE, WARMUP, "cosine")
    train(model, of_epoch, DecoderFamily().loss, settings)
    return model.eval()


def packed(documents: Sequence[list[int]], kind: str) -> list[TextBatch]:
    """Batches of packed rows; without a mask the model is not told where documents begin."""
    whole = packed_batch(documents, LENGTH)
    rows = [slice(at, at + ROWS) for at in range(0, len(whole.inputs), ROWS)]
    assert whole.document is not None
    return [
        TextBatch(
            whole.inputs[at],
            whole.labels[at],
            whole.document[at] if kind == MASKED else None,
        )
        for at in rows
    ]


@torch.no_grad()
def loss_on_test_set(model: DecoderModel, kind: str, tested: str) -> float:
    """The loss per token of the test sentences, in the form ``tested``.

    A model that was trained on packed rows has only seen <eos> before a sentence, never <bos>: it
    gets what it knows.
    """
    _, _, test = encoded()
    if tested == PADDED:
        batch = next_token_batch(test)
        if kind != PADDED:
            batch.inputs[:, 0] = EOS
        batches = [batch]
    else:
        batches = packed(test, tested)
    total = sum(float(DecoderFamily().loss(model, batch)) for batch in batches)
    return round(total / sum(batch.target_tokens for batch in batches), 4)


if __name__ == "__main__":
    typer.run(main)
