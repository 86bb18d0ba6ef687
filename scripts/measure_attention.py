"""Asks ten small translators whether their cross-attention explains their words (chapter 17).

python scripts/measure_attention.py [--starts N] [--steps N] [--out FOLDER]

Each start trains the encoder-decoder of ``measure_seq2seq.py``, and a second one whose
cross-attention is uniform from the first update on. Of the first: the alignment error rate by
layer, head, row and measure; the words that survive a change of the weights; and how well weights,
norms and gradients foretell what hiding a source word does. Results go to
``mtcourse/measured/attention.json``. About ten minutes of one core.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import Tensor

from mtcourse.chapters.seq2seq.faithfulness import Forced, explained, kept_words
from mtcourse.chapters.seq2seq.families import ENCODER_DECODER, Task, grammar_task, trained
from mtcourse.evaluation.alignment import alignment_scores, as_read, strongest_links
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.changed_attention import (
    Change,
    changed_cross_attention,
    permuted_weights,
    uniform_weights,
    without_largest,
)
from mtcourse.models.translator import Translator
from mtcourse.text.pairs import words

ASKED = 150
LAYERS: dict[str, tuple[int, ...]] = {"1": (0,), "2": (1,), "both": (0, 1)}


def changes() -> dict[str, Change]:
    """What is done to the weights; the same order of draws in every call."""
    return {
        "uniform": uniform_weights,
        "permuted": permuted_weights(torch.Generator().manual_seed(1)),
        "without largest": without_largest,
    }


def bleu(translator: Translator, task: Task) -> float:
    """BLEU of what a translator writes freely."""
    found = translator.translate([pair.source for pair in task.test])
    references = [(pair.target, *pair.references) for pair in task.test]
    return round(score(found, references).bleu, 2)


def error_rates(forced: Sequence[Forced]) -> dict[str, Any]:
    """Alignment error rates by measure, row, layer and head ("mean" is that of all heads)."""
    known = [one.pair.alignment for one in forced]
    found: dict[str, Any] = {}
    for measure in ("weights", "norms"):
        for row in ("writes", "reads"):
            maps = [one.maps[measure] for one in forced]
            maps = [(as_read(of) if row == "reads" else of)[..., :-1, :] for of in maps]
            of_row = found.setdefault(measure, {}).setdefault(row, {})
            for layer in range(maps[0].shape[0]):
                heads = [[of[layer, h] for of in maps] for h in range(maps[0].shape[1])]
                heads.append([of[layer].mean(0) for of in maps])
                rates = [_rate(of_head, known) for of_head in heads]
                of_row[str(layer + 1)] = {"heads": rates[:-1], "mean": rates[-1]}
    return found


def _rate(maps: Sequence[Tensor], known: Sequence[Sequence[tuple[int, int]]]) -> float:
    found = [strongest_links(of) for of in maps]
    return round(alignment_scores(found, known).error_rate, 4)


def baselines(task: Task) -> dict[str, float]:
    """The error rate of "same position", and of the best rule with one link for each word."""
    pairs = task.test[:ASKED]
    known = [pair.alignment for pair in pairs]
    sizes = [(len(words(pair.target)), len(words(pair.source))) for pair in pairs]
    same = [{(j * n // m, j) for j in range(m)} for m, n in sizes]
    floor = [set({j: (i, j) for i, j in of}.values()) for of in known]
    return {
        name: round(alignment_scores(found, known).error_rate, 4)
        for name, found in (("same position", same), ("floor", floor))
    }


def _rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found.items()}


def measure(seed: int, steps: int) -> dict[str, Any]:
    """Everything about the models of one start."""
    task = grammar_task()
    translator = trained(ENCODER_DECODER, task, seed, steps)
    assert isinstance(translator, Translator)
    model = translator.model
    plain = task.sizes.encoder_decoder(seed)
    with changed_cross_attention(plain, uniform_weights):
        uniform = trained(ENCODER_DECODER, task, seed, steps, plain)
        assert isinstance(uniform, Translator)
        retrained = {"own": bleu(translator, task), "uniform": bleu(uniform, task)}
    forced = [Forced(translator, pair) for pair in task.test[:ASKED]]
    kept: dict[str, Any] = {}
    for name, change in changes().items():
        for layers, chosen in LAYERS.items():
            with changed_cross_attention(model, change, chosen):
                freely = bleu(translator, task)
            of_change = {**_rounded(kept_words(forced, change, chosen)), "bleu": freely}
            kept.setdefault(name, {})[layers] = of_change
    rankings = {
        f"{measure}, layer {layer + 1}": functools.partial(_mean_of_heads, measure, layer)
        for measure in ("weights", "norms")
        for layer in (0, 1)
    }
    generator = torch.Generator().manual_seed(seed)
    return {
        "aer": error_rates(forced),
        "kept": kept,
        "erasure": {
            **{name: _rounded(explained(forced, rank)) for name, rank in rankings.items()},
            "gradient": _rounded(explained(forced, lambda one: one.gradient)),
            "random": _rounded(
                explained(forced, lambda one: torch.rand(one.harm.shape, generator=generator))
            ),
            "harm itself": _rounded(explained(forced, lambda one: one.harm)),
        },
        "retrained": retrained,
    }


def _mean_of_heads(measure: str, layer: int, one: Forced) -> Tensor:
    return one.maps[measure][layer].mean(0)


def main(
    starts: Annotated[int, typer.Option(help="Random starts.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run.")] = 500,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains and asks the models of all starts, and writes what they answer."""
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    results = {
        "steps": steps,
        "sentences": ASKED,
        "baselines": baselines(grammar_task()),
        "starts": runs,
    }
    store_measured("attention", "scripts/measure_attention.py", results, out)


if __name__ == "__main__":
    typer.run(main)
