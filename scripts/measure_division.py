"""Trains small translators whose cross-attention divides its scores, or does not (chapter 6).

python scripts/measure_division.py [--out FOLDER] [--starts N]

Three kinds, which begin with the same weights and see the same batches: scores divided by the
root of d_k; undivided; undivided, with a W_Q that is smaller by this root at the start. Each of
them with two learning rates. And a fourth kind, wired wrongly: its decoder takes keys and values
from its own rows.
Results go to ``mtcourse/measured/division.json``. About eight minutes of one core.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import Tensor

from mtcourse.evaluation.starts import MEASURED, Spread, run_starts, store_measured
from mtcourse.layers.attention import attention_weights, fused_attention
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import Recipe, smoothed_loss
from mtcourse.text.batches import batches_in_order, bucketed_batches, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.training.loop import TrainingConfig, train

SIZES = replace(Recipe().model, h=1, d_ff=256, encoder_layers=1, decoder_layers=1)
RECIPE = Recipe(SIZES)
STEPS, EVERY = 160, 20
RATES = (3e-3, 1e-3)
KINDS = ("divided", "undivided", "undivided, small start")
SENTENCES = ("The dog sleeps.", "Their sister is solving a problem.")
SHOWN = 32


def main(
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
) -> None:
    """Trains all runs, and writes their losses in training and on new sentences."""
    runs = run_starts(measure, starts)
    results: dict[str, Any] = {
        "steps": list(range(EVERY, STEPS + 1, EVERY)),
        "rates": RATES,
        "losses": {kind: [of_start["losses"][kind] for of_start in runs] for kind in KINDS},
        "new": {
            f"{rate:g}": {
                kind: [of_start["new"][rate, kind] for of_start in runs] for kind in KINDS
            }
            for rate in RATES
        },
        "asks itself": [of_start["asks itself"] for of_start in runs],
        "its translations": [of_start["its translations"] for of_start in runs],
    }
    store_measured("division", "scripts/measure_division.py", results, out)
    for rate, of_rate in results["new"].items():
        for kind, losses in of_rate.items():
            print(f"rate {rate}, {kind}: {Spread.of(losses):.2f}")
    print(f"asks itself: {Spread.of(results['asks itself']):.2f}")


def undivided(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None, causal: bool = False
) -> tuple[Tensor, Tensor]:
    """Attention whose scores are plain dot products (C37)."""
    weights = attention_weights(Q @ K.transpose(-2, -1), mask)
    return weights @ V, weights


def measure(seed: int) -> dict[str, Any]:
    """All kinds from one start."""
    tokenizers = Translator.load(device="cpu").tokenizers
    corpus = builtin_corpus(train=2000)
    examples, _ = encode_pairs(corpus.splits["train"], tokenizers, SIZES.max_length)
    new, _ = encode_pairs(corpus.splits["dev"][:200], tokenizers, SIZES.max_length)
    (held_out,) = batches_in_order(new, 100_000)

    def taught(model: EncoderDecoder, rate: float) -> tuple[list[float], float]:
        losses = train(
            model,
            lambda epoch: bucketed_batches(examples, 512, seed, epoch),
            lambda model, batch: smoothed_loss(0.0, model, batch),
            TrainingConfig(steps=STEPS, learning_rate=rate, warmup=20, schedule="cosine"),
        ).losses
        with torch.no_grad():
            total = smoothed_loss(0.0, model.eval(), held_out).item()
        means = [sum(losses[t : t + EVERY]) / EVERY for t in range(0, STEPS, EVERY)]
        return [round(mean, 3) for mean in means], round(total / held_out.target_tokens, 3)

    found: dict[str, Any] = {"losses": {}, "new": {}}
    for rate in RATES:
        for kind in KINDS:
            model = EncoderDecoder(RECIPE.model_config(tokenizers), seed=seed)
            crossing = model.decoder[0].cross_attention
            crossing.attention = fused_attention if kind == "divided" else undivided
            if kind == "undivided, small start":
                crossing.W_Q.weight.data /= math.sqrt(SIZES.d_model)
            losses, found["new"][rate, kind] = taught(model, rate)
            if rate == RATES[0]:
                found["losses"][kind] = losses
    model = EncoderDecoder(RECIPE.model_config(tokenizers), seed=seed)
    ask_itself(model)
    _, found["asks itself"] = taught(model, RATES[0])
    written = Translator(model, tokenizers).translate(list(SENTENCES))
    found["its translations"] = [text[:SHOWN] for text in written]
    return found


def ask_itself(model: EncoderDecoder) -> None:
    """Wires cross-attention wrongly: keys and values come from the decoder's own rows."""
    crossing = model.decoder[0].cross_attention
    own = crossing.forward
    crossing.forward = lambda X, K, V, mask=None: own(X, *crossing.keys_values(X))


if __name__ == "__main__":
    typer.run(main)
