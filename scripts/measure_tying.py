"""Trains the smallest model of Dutch with its tables tied, untied, and tied with a matrix between.

python scripts/measure_tying.py [--starts N] [--steps N] [--out FOLDER]

The model reads one token and predicts the next. What follows what is counted once, so that every
gradient is exact and only the start is random: ten starts of each kind. Also what translators that
are not trained yet predict, with tables tied and untied. Chapter 8 shows it. About two
minutes of one core.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import Tensor

from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.translator import Translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import BOS, EOS

KINDS: dict[str, Callable[..., Tensor]] = {
    "untied": lambda read, _, written: read @ written.mT,
    "tied": lambda table, _, __: table @ table.mT,
    "tied with W": lambda table, W, _: table @ W @ table.mT,
}
WIDTH, EVERY, PAIRS, RATE = 32, 5, 3000, 0.03


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of each run.")] = 150,
    out: Annotated[Path, typer.Option(help="Where tying.json is written.")] = MEASURED,
) -> None:
    """Trains all runs and stores their losses and what they say of one token."""
    share, de = counts()
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    of_one = share.sum(1)
    best = torch.special.xlogy(of_one, of_one).sum() - torch.special.xlogy(share, share).sum()
    results: dict[str, Any] = {
        "every": EVERY,
        "tokens": len(share),
        "width": WIDTH,
        "best": round(best.item(), 3),
        "counted": round((share[de, de] / of_one[de]).item(), 4),
    }
    results |= {name: [run[name] for run in runs] for name in (*KINDS, "untrained")}
    store_measured("tying", "scripts/measure_tying.py", results, out)
    for kind in KINDS:
        print(kind, [(run["losses"][-1], run["de de"]) for run in results[kind]])
    print("untrained", results["untrained"])


def measure(seed: int, steps: int) -> dict[str, Any]:
    """All kinds from one start, and two translators that begin there."""
    found: dict[str, Any] = {kind: trained(kind, seed, steps) for kind in KINDS}
    found["untrained"] = {
        name: untrained(shared, seed) for name, shared in (("tied", True), ("untied", False))
    }
    return found


@functools.cache
def counts() -> tuple[Tensor, int]:
    """How often each Dutch token follows each, as a share of all pairs; and the row of *de*."""
    tokenizer = Translator.load(device="cpu").tokenizers.target
    texts = [pair.target for pair in builtin_corpus(train=PAIRS).splits["train"]]
    dutch = [[BOS, *ids, EOS] for ids in tokenizer.encode_all(texts)]
    row = {i: k for k, i in enumerate(sorted({i for ids in dutch for i in ids}))}
    follows = torch.zeros(len(row), len(row), dtype=torch.float64)
    for ids in dutch:
        for one, other in pairwise(ids):
            follows[row[one], row[other]] += 1
    (de,) = tokenizer.encode("de")
    return follows / follows.sum(), row[de]


def trained(kind: str, seed: int, steps: int) -> dict[str, Any]:
    """Adam on the exact gradient: every fifth loss, and how probable *de* is after *de*."""
    share, de = counts()
    generator = torch.Generator().manual_seed(seed)
    size = 2, len(share), WIDTH
    tables = torch.randn(size, generator=generator, dtype=share.dtype) / WIDTH**0.5
    between = torch.eye(WIDTH, dtype=share.dtype)
    weights = [torch.nn.Parameter(W) for W in (tables[0], between, tables[1])]
    optimiser = torch.optim.Adam(weights, lr=RATE)
    losses, log_p = [], torch.empty(0)
    for step in range(steps + 1):
        log_p = KINDS[kind](*weights).log_softmax(-1)
        loss = -(share * log_p).sum()
        if step % EVERY == 0:
            losses.append(round(loss.item(), 3))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return {"losses": losses, "de de": float(f"{log_p[de, de].exp().item():.2g}")}


@torch.no_grad()
def untrained(shared: bool, seed: int) -> dict[str, float]:
    """How often the most probable next token is the one just read, and how probable that is."""
    config = EncoderDecoderConfig(V_s=2000, V_t=2000, shared_embeddings=shared)
    source, target = torch.randint(
        260, 2000, (2, 32, 9), generator=torch.Generator().manual_seed(seed)
    )
    guess = EncoderDecoder(config, seed=seed).eval()(source, target).softmax(-1)
    read_again = guess.gather(-1, target[..., None]).mean().item()
    repeats = (guess.argmax(-1) == target).float().mean().item()
    return {"repeats": round(repeats, 3), "p": float(f"{read_again:.2g}")}


if __name__ == "__main__":
    typer.run(main)
