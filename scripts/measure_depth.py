"""Measures untrained Transformers of different depths from ten starts (chapter 10).

python scripts/measure_depth.py [--starts N] [--out FOLDER]

Two things. The norm of the loss's gradient with respect to each block's W_2, in translators of 1 to
48 layers a side, for each placement of the norm, on one batch of real sentence pairs. And how alike
the rows of a sentence become from layer to layer, in an encoder with and without residual
connections and position-wise networks. Results go to ``mtcourse/measured/depth.json``. About two
minutes of one core.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import Tensor, nn

from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.layers.blocks import EncoderBlock, Residual
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import Batch, bucketed_batches, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import TokenizerPair

WIDTH, HEADS, V, PAIRS, TOKENS = 64, 4, 600, 4000, 1024
DEPTHS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48)
PLACEMENTS = {"post-norm": "post", "pre-norm": "pre", "no norm": "pre"}
COLLAPSE_LAYERS = 24
PARTS = {
    "attention alone": (False, False),
    "attention and network": (False, True),
    "attention and residual": (True, False),
    "attention, network and residual": (True, True),
}
BLOCKS = ("post-norm", "pre-norm")


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Measures all models from all starts."""
    runs = run_starts(measure, starts)
    gradients = {
        side: {
            placement: {
                str(depth): [of_start["gradients"][placement][depth][side] for of_start in runs]
                for depth in DEPTHS
            }
            for placement in PLACEMENTS
        }
        for side in ("encoder", "decoder")
    }
    results = {
        "depths": DEPTHS,
        "gradients": gradients,
        "cosines": {
            parts: [of_start["cosines"][parts] for of_start in runs] for parts in (*PARTS, *BLOCKS)
        },
    }
    store_measured("depth", "scripts/measure_depth.py", results, out)


def measure(seed: int) -> dict[str, Any]:
    """All gradients and all cosines of one start."""
    return {
        "gradients": {
            placement: {depth: gradient_norms(seed, depth, placement) for depth in DEPTHS}
            for placement in PLACEMENTS
        },
        "cosines": {parts: cosines(seed, "no norm", parts) for parts in PARTS}
        | {placement: cosines(seed, placement) for placement in BLOCKS},
    }


@functools.cache
def task() -> tuple[int, Batch]:
    """The size of the vocabulary, and one batch of sentence pairs."""
    pairs = builtin_corpus(train=PAIRS).splits["train"]
    tokenizers = TokenizerPair.train(pairs, V)
    examples, _ = encode_pairs(pairs, tokenizers, max_length=128)
    return tokenizers.target.vocabulary_size, bucketed_batches(examples, TOKENS, seed=0, epoch=1)[0]


def model_of(seed: int, depth: int, placement: str) -> EncoderDecoder:
    """An untrained translator with this many layers on each side."""
    vocabulary, _ = task()
    config = EncoderDecoderConfig(
        vocabulary,
        vocabulary,
        d_model=WIDTH,
        h=HEADS,
        d_ff=4 * WIDTH,
        encoder_layers=depth,
        decoder_layers=depth,
        dropout=0.0,
        norm=PLACEMENTS[placement],
    )
    model = EncoderDecoder(config, seed=seed)
    if placement == "no norm":
        for module in model.modules():
            if isinstance(module, Residual):
                module.layer_norm = nn.Identity()  # type: ignore[assignment]
    return model


def gradient_norms(seed: int, depth: int, placement: str) -> dict[str, list[float | None]]:
    """The norm of the gradient of the mean loss by W_2, for each block of encoder and decoder."""
    model, (_, batch) = model_of(seed, depth, placement), task()
    (smoothed_loss(0.0, model, batch) / batch.target_tokens).backward()
    blocks = {"encoder": model.encoder, "decoder": model.decoder}
    return {side: [norm_of(block.feed_forward.W_2) for block in blocks[side]] for side in blocks}


def norm_of(layer: nn.Linear) -> float | None:
    """The norm of the gradient of a matrix, to three digits; None if it is not a finite number."""
    assert layer.weight.grad is not None
    norm = layer.weight.grad.norm()
    return float(f"{norm:.3g}") if norm.isfinite() else None


def cosines(seed: int, placement: str, parts: str | None = None) -> list[float]:
    """The mean cosine between rows of a sentence: of the embeddings, then after each layer.

    Args:
        seed: of the weights.
        placement: of the norm.
        parts: what each block keeps of its parts, or None for whole blocks. Without norms, the rows
            of a sentence are brought to mean square 1 after each block; no cosine changes by that.
    """
    model, (_, batch) = model_of(seed, COLLAPSE_LAYERS, placement), task()
    source = batch.source[(batch.source != 0).all(-1)]  # sentences without padding
    with torch.no_grad():
        x = model.source_embedding(source)
        found = [mean_cosine(x)]
        for block in model.encoder:
            if parts is None:
                x = block(x)
            else:
                x = through(block, x, *PARTS[parts])
                x = x / x.square().mean((-2, -1), keepdim=True).sqrt()
            found.append(mean_cosine(x))
    return [round(value, 4) for value in found]


def through(block: EncoderBlock, x: Tensor, residual: bool, network: bool) -> Tensor:
    """One block with or without its residual connections and its network."""
    A, _ = block.self_attention(x)
    x = x + A if residual else A
    if network:
        F = block.feed_forward(x)
        x = x + F if residual else F
    return x


def mean_cosine(x: Tensor) -> float:
    """The mean cosine of all pairs of different rows of each sentence, over sentences."""
    x = x / x.norm(dim=-1, keepdim=True)
    n = x.shape[-2]
    between = (x @ x.mT).sum((-2, -1)) - n
    return float((between / (n * (n - 1))).mean())


if __name__ == "__main__":
    typer.run(main)
