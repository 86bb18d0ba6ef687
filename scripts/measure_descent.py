"""Gradient descent by hand on 48 sentence pairs, with three learning rates, and with a famous bug.

python scripts/measure_descent.py [--starts N] [--out FOLDER]

From ten starts each: the loss of document A's model along the way, the norm of every weight's
gradient at the start and after 300 steps, and the loss where gradients are never cleared. Chapter
08 shows them. About three minutes of one core.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from torch import Tensor

from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.layers.masks import source_mask
from mtcourse.models.framework_gradients import forward_record, framework_gradients, weights_of
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.text.batches import Batch, Example
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import words
from mtcourse.training.likelihood import descend, logit_gradient, token_losses

PLANS = {0.003: (600, 10), 0.03: (600, 10), 0.5: (20, 1)}
"""For each learning rate the number of steps, and every how many a loss is stored."""
NORMS_AT, BROKEN = 300, 100.0


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    out: Annotated[Path, typer.Option(help="Where descent.json is written.")] = MEASURED,
) -> None:
    """Runs all descents and stores their losses and norms."""
    runs = run_starts(measure, starts)
    batch, _ = problem()
    results: dict[str, Any] = {"tokens": batch.target_tokens, "broken above": BROKEN}
    results |= {name: [run[name] for run in runs] for name in runs[0]}
    store_measured("descent", "scripts/measure_descent.py", results, out)
    for name in ("0.003", "0.03", "0.5", "not cleared"):
        print(
            name, [run[name]["losses"][-1] for run in runs], [run[name]["broken"] for run in runs]
        )


def measure(seed: int) -> dict[str, Any]:
    """All descents of one start."""
    found: dict[str, Any] = {
        str(rate): losses_of(descent(seed, rate), *plan) for rate, plan in PLANS.items()
    }
    found["not cleared"] = losses_of(descent(seed, 0.03, clear=False), 200, 10)
    states = descent(seed, 0.03)
    found["norms"] = {
        name: {weight: float(f"{g.norm():.4g}") for weight, g in gradients.items()}
        for name, (_, _, gradients) in (
            ("start", next(states)),
            ("later", next(islice(states, NORMS_AT - 1, None))),
        )
    }
    return found


def losses_of(states: Iterator[tuple[int, float, Any]], steps: int, every: int) -> dict[str, Any]:
    """Some losses, the lowest, how many steps raised it, and the step that broke it, or None."""
    losses: list[float] = []
    broken = None
    for step, loss, _ in states:
        losses.append(loss)
        if not loss < BROKEN and broken is None:
            broken = step
        if step == steps or not math.isfinite(loss):
            break
    return {
        "losses": [round(loss, 3) if loss < BROKEN else None for loss in losses[::every]],
        "every": every,
        "lowest": round(min(loss for loss in losses if not math.isnan(loss)), 3),
        "rises": sum(not after < before for before, after in pairwise(losses)),
        "broken": broken,
    }


def descent(
    seed: int, rate: float, clear: bool = True
) -> Iterator[tuple[int, float, Mapping[str, Tensor]]]:
    """The step, the loss there and the gradient that the step follows, without end."""
    batch, config = problem()
    W, step = weights_of(FrameworkModel(config, seed=seed).double()), 0
    followed: dict[str, Tensor] = {}
    while True:
        read = batch.source, batch.decoder_input, source_mask(batch.source)
        record = forward_record(W, *read, target_positions=True)
        loss = token_losses(record.U, batch.labels).sum().item() / batch.target_tokens
        U_bar = logit_gradient(record.U, batch.labels) / batch.target_tokens
        gradients = framework_gradients(W, record, U_bar)
        if followed and not clear:
            gradients = {name: followed[name] + g for name, g in gradients.items()}
        yield step, loss, gradients
        W, followed, step = descend(W, gradients, rate), gradients, step + 1


@functools.cache
def problem() -> tuple[Batch, FrameworkConfig]:
    """The first 48 short sentence pairs of the corpus, with whole words for tokens."""
    corpus = builtin_corpus(train=2000).splits["train"]
    pairs = [pair for pair in corpus if len(words(pair.target)) <= 6][:48]
    en, nl = numbered([p.source for p in pairs]), numbered([p.target for p in pairs])
    examples = [
        Example([en[word] for word in words(p.source)], [nl[word] for word in words(p.target)])
        for p in pairs
    ]
    return Batch.of(examples), FrameworkConfig(len(en) + 4, len(nl) + 4, 32, target_positions=True)


def numbered(sentences: Sequence[str]) -> dict[str, int]:
    """A number for each word, after the four special tokens."""
    known = sorted({word for sentence in sentences for word in words(sentence)})
    return {word: number for number, word in enumerate(known, start=4)}


if __name__ == "__main__":
    typer.run(main)
