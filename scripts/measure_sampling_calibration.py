"""Trains small translators with and without label smoothing, and asks how sure they are (ch. 19).

python scripts/measure_sampling_calibration.py [--first N] [--starts N] [--out FOLDER]

The encoder-decoder of chapter 17, trained with label smoothing 0 and 0.1 from the same starts on
the same batches, on few sentences of the grammar, so that it makes mistakes. Each predicts the next
token of held-out sentences from the reference's prefix. Stored are, in ten bins of confidence, the
number of predictions, their mean confidence and how many are right; the expected calibration error;
nats per token; and the temperature that makes the nats smallest on other held-out sentences, with
the calibration error after it. Results go to ``mtcourse/measured/sampling_calibration.json``;
starts that are stored already stay. About 40 seconds of one core for a start.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import Tensor

from mtcourse.chapters.sampling.calibration import (
    best_temperature,
    expected_calibration_error,
    reliability,
)
from mtcourse.chapters.seq2seq.families import GRAMMAR, grammar_task
from mtcourse.evaluation.starts import MEASURED, load_measured, store_measured
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import Batch, batches_in_order, bucketed_batches, encode_pairs
from mtcourse.training.loop import TrainingConfig, train

SMOOTHINGS = (0.0, 0.1)
STEPS, PAIRS, TESTED = 450, 1200, 300
NAME = "sampling_calibration"


@functools.cache
def held_out() -> tuple[list[Batch], list[Batch]]:
    """Batches to choose a temperature on, and batches to test on."""
    task = grammar_task()
    tested, _ = encode_pairs(task.test[:TESTED], task.tokenizers, max_length=60)
    other = task.train[-TESTED:]
    return batches_in_order(other, 2048), batches_in_order(tested, 2048)


@torch.no_grad()
def predictions(model: EncoderDecoder, batches: list[Batch]) -> tuple[Tensor, Tensor]:
    """Logits of every target token, and the right tokens."""
    model.eval()
    logits, labels = [], []
    for batch in batches:
        real = batch.labels != 0
        logits.append(model(batch.source, batch.decoder_input)[real])
        labels.append(batch.labels[real])
    return torch.cat(logits), torch.cat(labels)


def calibration(logits: Tensor, labels: Tensor) -> dict[str, Any]:
    """Bins, error, and nats per token."""
    log_p = logits.log_softmax(-1)
    confidence, chosen = log_p.exp().max(-1)
    right = chosen == labels
    return {
        "bins": [[round(x, 4) for x in one] for one in reliability(confidence, right)],
        "error": round(100 * expected_calibration_error(confidence, right), 3),
        "right": round(100 * float(right.double().mean()), 2),
        "confidence": round(100 * float(confidence.double().mean()), 2),
        "nats": round(float(-log_p.gather(-1, labels[:, None]).mean()), 4),
    }


def measure(seed: int) -> dict[str, Any]:
    """Both amounts of smoothing from one start."""
    task, found = grammar_task(), {}
    for smoothing in SMOOTHINGS:
        model = GRAMMAR.encoder_decoder(seed)
        train(
            model,
            lambda epoch: bucketed_batches(task.train[:PAIRS], GRAMMAR.tokens, seed, epoch),
            functools.partial(smoothed_loss, smoothing),
            TrainingConfig(STEPS, GRAMMAR.rate, 100, "cosine", seed=seed + 1),
        )
        other, tested = (predictions(model, batches) for batches in held_out())
        T = best_temperature(*other)
        logits, labels = tested
        found[str(smoothing)] = {
            "as trained": calibration(logits, labels),
            "temperature": round(T, 3),
            "with temperature": calibration(logits / T, labels),
        }
        print(seed, smoothing, found[str(smoothing)], flush=True)
    return found


def main(
    first: Annotated[int, typer.Option(help="The first start.")] = 0,
    starts: Annotated[int, typer.Option(help="How many starts.")] = 10,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains from some starts, and adds them to what is stored."""
    torch.set_num_threads(1)
    for seed in range(first, first + starts):
        of_start = measure(seed)
        stored = load_measured(NAME, out) if (out / f"{NAME}.json").exists() else {}
        runs = {**stored.get("starts", {}), str(seed): of_start}
        results = {"steps": STEPS, "pairs": PAIRS, "tested": TESTED, "starts": runs}
        store_measured(NAME, "scripts/measure_sampling_calibration.py", results, out)


if __name__ == "__main__":
    typer.run(main)
