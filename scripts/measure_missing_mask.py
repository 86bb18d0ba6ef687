"""Trains small translators with the causal mask and without it (chapter 5).

python scripts/measure_missing_mask.py [--out FOLDER] [--starts N]

Both kinds begin with the same weights and see the same batches. Results go to
``mtcourse/measured/missing_mask.json``. About two minutes of one core.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor

from mtcourse.evaluation.starts import MEASURED, Spread, run_starts, store_measured
from mtcourse.layers.attention import fused_attention
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import Recipe, smoothed_loss
from mtcourse.text.batches import batches_in_order, bucketed_batches, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.training.loop import TrainingConfig, train

SIZES = replace(
    Recipe().model, d_model=64, d_ff=128, encoder_layers=1, decoder_layers=1, dropout=0.0
)
RECIPE = Recipe(SIZES, tokens_per_batch=512)
TRAINING = TrainingConfig(steps=200, learning_rate=8e-3, warmup=40, schedule="constant")
EVERY = 10


def main(
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
) -> None:
    """Trains all runs, and writes their losses in training and on new sentences."""
    runs = run_starts(measure, starts)
    results = {kind: [of_start[kind] for of_start in runs] for kind in runs[0]}
    steps = list(range(EVERY, TRAINING.steps + 1, EVERY))
    store_measured(
        "missing_mask", "scripts/measure_missing_mask.py", {"steps": steps, **results}, out
    )
    for kind in ("with the mask", "without the mask", "without, then masked"):
        print(kind, f"{Spread.of(results[kind]):.2f}")


def not_causal(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None, causal: bool = False
) -> tuple[Tensor, Tensor | None]:
    """Attention that ignores the word causal."""
    return fused_attention(Q, K, V, mask)


def measure(seed: int) -> dict[str, list[float] | float]:
    """Both kinds from one start: losses in training, and then on new sentences."""
    tokenizers = Translator.load(device="cpu").tokenizers
    corpus = builtin_corpus(train=3000)
    examples, _ = encode_pairs(corpus.splits["train"], tokenizers, max_length=128)
    new, _ = encode_pairs(corpus.splits["dev"][:100], tokenizers, max_length=128)
    (held_out,) = batches_in_order(new, 100_000)

    def trained(attention: object) -> tuple[EncoderDecoder, list[float]]:
        model = EncoderDecoder(RECIPE.model_config(tokenizers), seed=seed)
        put_into_decoder(model, attention)
        losses = train(
            model,
            lambda epoch: bucketed_batches(examples, RECIPE.tokens_per_batch, seed, epoch),
            lambda model, batch: smoothed_loss(0.0, model, batch),
            TRAINING,
        ).losses
        starts = range(0, len(losses), EVERY)
        return model, [round(sum(losses[t : t + EVERY]) / EVERY, 3) for t in starts]

    @torch.no_grad()
    def new_loss(model: EncoderDecoder) -> float:
        total = smoothed_loss(0.0, model.eval(), held_out)
        return round(total.item() / held_out.target_tokens, 3)

    masked, masked_losses = trained(fused_attention)
    unmasked, unmasked_losses = trained(not_causal)
    without = new_loss(unmasked)
    put_into_decoder(unmasked, fused_attention)
    return {
        "with the mask: losses": masked_losses,
        "without the mask: losses": unmasked_losses,
        "with the mask": new_loss(masked),
        "without the mask": without,
        "without, then masked": new_loss(unmasked),
    }


def put_into_decoder(model: EncoderDecoder, attention: object) -> None:
    """Gives the decoder's self-attention another attention function."""
    for block in model.decoder:
        block.self_attention.attention = attention


if __name__ == "__main__":
    typer.run(main)
