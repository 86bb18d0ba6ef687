"""Trains layers with different numbers of heads to fetch numbers from two positions (chapter 9).

python scripts/measure_heads.py [--out FOLDER] [--starts N]

Each token has to return what stands before it and then what stands after it. The heads of a layer
share 16 columns, so all layers have equally many weights. Results go to
``mtcourse/measured/heads.json``. About a minute of one core.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor

from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.layers.multi_head import split_head_attention

HEADS = (1, 2, 4, 16)
WIDTH, TOKENS, NUMBERS = 16, 8, 4
STEPS, EVERY = 300, 10


def main(
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
) -> None:
    """Trains all layers from all starts, and writes their errors."""
    runs = run_starts(measure, starts)
    results = {
        "steps": list(range(EVERY, STEPS + 1, EVERY)),
        "heads": {str(h): [of_start[str(h)] for of_start in runs] for h in HEADS},
        "alike": [of_start["alike"] for of_start in runs],
    }
    store_measured("heads", "scripts/measure_heads.py", results, out)


def measure(seed: int) -> dict[str, list[float]]:
    """The errors of each kind of layer from one start."""
    errors = {str(h): train(initial_weights(seed), h, seed) for h in HEADS}
    return errors | {"alike": train(begun_alike(initial_weights(seed)), 2, seed)}


def initial_weights(seed: int) -> list[Tensor]:
    """W_Q, W_K and W_V, and the matrix that reads the result off."""
    generator = torch.Generator().manual_seed(seed)
    columns = (WIDTH, WIDTH, WIDTH, 2 * NUMBERS)
    return [torch.randn(WIDTH, n, generator=generator) / math.sqrt(WIDTH) for n in columns]


def begun_alike(W: list[Tensor]) -> list[Tensor]:
    """The same with two heads, of which the second is a copy of the first."""
    half = WIDTH // 2
    for matrix in W[:3]:
        matrix[:, half:] = matrix[:, :half]
    W[3][half:] = W[3][:half]
    return W


def train(W: list[Tensor], h: int, seed: int) -> list[float]:
    """Trains a layer; its mean squared error over each few steps."""
    generator = torch.Generator().manual_seed(1000 + seed)
    W = [matrix.requires_grad_() for matrix in W]
    optimizer, errors = torch.optim.Adam(W, lr=0.02), []
    positions = torch.zeros(TOKENS, WIDTH - NUMBERS)
    positions[:, :TOKENS] = 3 * torch.eye(TOKENS)
    for _ in range(STEPS):
        numbers = torch.randn(64, TOKENS, NUMBERS, generator=generator)
        X = torch.cat([numbers, positions.expand(64, -1, -1)], dim=-1)
        found = split_head_attention(X, *W[:3], torch.eye(WIDTH), h) @ W[3]
        wanted = torch.cat([numbers.roll(1, 1), numbers.roll(-1, 1)], dim=-1)
        error = (found - wanted).square().mean()
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        errors.append(error.item())
    return [round(sum(errors[t : t + EVERY]) / EVERY, 4) for t in range(0, STEPS, EVERY)]


if __name__ == "__main__":
    typer.run(main)
