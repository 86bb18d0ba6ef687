"""Trains document A's model on the tiny language, as printed and with its repairs, from ten starts.

python scripts/measure_framework_tiny.py [--starts N] [--steps N] [--out FOLDER] [--ship]

One start is the whole comparison: the four models of ``REPAIRS`` and one whose target is shifted
the wrong way, with the same initial weights and the same batches. Chapter 7 shows what they reach.
With ``--ship``, the four models of the start whose BLEU lies nearest to the medians are kept for
the chapter's figures and its explorer. About three minutes of one core.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import torch.nn.functional as F
import typer
from torch import Tensor

from mtcourse.chapters.framework_model.tiny_language import tiny_pairs
from mtcourse.chapters.framework_model.tiny_models import (
    REPAIRS,
    tiny_folder,
    tiny_recipe,
    words_right,
)
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.layers.masks import source_mask
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import (
    WordPairs,
    mean_framework_loss,
    save_framework,
    train_framework,
)
from mtcourse.text.batches import Batch, bucketed_batches, shift_right
from mtcourse.text.tokenizer import EOS
from mtcourse.training.loop import train

NAME = "framework_tiny"
LEFT = "shifted left"
EVERY = 20


def main(
    starts: Annotated[int, typer.Option(help="Random starts, each with all models.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of each model.")] = 800,
    out: Annotated[Path, typer.Option(help="The folder of the results.")] = MEASURED,
    ship: Annotated[bool, typer.Option(help="Keep the models of the start in the middle.")] = False,
) -> None:
    """Trains all models and stores what they reached."""
    runs = run_starts(functools.partial(one_start, steps=steps), starts, processes=1)
    models = {name: joined([run[name] for run in runs]) for name in (*REPAIRS, LEFT)}
    middle = nearest_to_the_medians([models[name]["bleu"] for name in REPAIRS])
    results = {"steps": steps, "every": EVERY, "shipped start": middle, "models": models}
    store_measured(NAME, "scripts/measure_framework_tiny.py", results, out)
    for name, of_model in models.items():
        typer.echo(f"{name}: BLEU {of_model['bleu']}, loss {of_model['test loss']}")
    if ship:
        pairs = WordPairs.of(tiny_pairs()[0])
        for name in REPAIRS:
            save_framework(trained(name, middle, steps)[0], pairs, tiny_folder(name))


def one_start(seed: int, steps: int) -> dict[str, Any]:
    """All that is measured of the five models that begin with one seed."""
    return {name: measured(name, *trained(name, seed, steps)) for name in (*REPAIRS, LEFT)}


def trained(name: str, seed: int, steps: int) -> tuple[FrameworkModel, list[float]]:
    """One of the models, with its loss at each step."""
    pairs = WordPairs.of(tiny_pairs()[0])
    if name != LEFT:
        model, state = train_framework(pairs, tiny_recipe(name, seed, steps))
        return model, state.losses
    recipe = tiny_recipe("both", seed, steps)
    sizes = pairs.source.size, pairs.target.size, recipe.d
    model = FrameworkModel(FrameworkConfig(*sizes, target_positions=True), seed)
    state = train(
        model,
        lambda epoch: bucketed_batches(pairs.examples, recipe.tokens_per_batch, seed, epoch),
        left_loss,
        recipe.training,
    )
    return model.eval(), state.losses


def shift_left(labels: Tensor) -> Tensor:
    """The target moved the wrong way: row j reads word j + 1."""
    return F.pad(labels[:, 1:], (0, 1))


def left_loss(model: FrameworkModel, batch: Batch) -> Tensor:
    """``framework_loss`` of a decoder that reads the target shifted left."""
    mask = source_mask(batch.source)
    H_D = model.hidden(shift_left(batch.labels), model.encode(batch.source, mask), mask)
    return chunked_loss(H_D, model.W_O.T, None, batch.labels)


@torch.no_grad()
def measured(name: str, model: FrameworkModel, losses: Sequence[float]) -> dict[str, Any]:
    """Loss, scores and copying on the held-out pairs."""
    learnt, held_out = tiny_pairs()
    pairs = WordPairs.of(learnt)
    test = Batch.of(pairs.with_examples(held_out).examples)
    translator = FrameworkTranslator.of(model, pairs.source, pairs.target)
    translations = translator.translate([pair.source for pair in held_out])
    scores = score(translations, [(pair.target,) for pair in held_out])
    if name == LEFT:
        loss = float(left_loss(model, test)) / test.target_tokens
    else:
        loss = mean_framework_loss(model, [test], REPAIRS[name][0])
    starts = range(0, len(losses) - EVERY + 1, EVERY)
    return {
        "test loss": round(loss, 4),
        "bleu": round(scores.bleu, 1),
        "exact": round(scores.exact * len(held_out)),
        "losses": [round(statistics.fmean(losses[at : at + EVERY]), 3) for at in starts],
        "copies": [round(share, 3) for share in copies(name, model, test)],
        "own successors": own_successors(model, test.source[:1]),
    }


def copies(name: str, model: FrameworkModel, test: Batch) -> list[float]:
    """How much of a target the model puts first: its own, another sentence's, random words."""

    def read(target: Tensor) -> Tensor:
        if name == LEFT:
            return shift_left(target)
        return shift_right(target) if REPAIRS[name][0] else target

    return [words_right(model, test, read(target), target) for target in targets_of(test, model)]


def targets_of(test: Batch, model: FrameworkModel) -> tuple[Tensor, Tensor, Tensor]:
    """The right targets, those of other sentences, and words drawn at random."""
    generator = torch.Generator().manual_seed(1)
    others = test.labels[torch.randperm(len(test.labels), generator=generator)]
    drawn = torch.randint(EOS, model.config.V_t, test.labels.shape, generator=generator)
    return test.labels, others, drawn * (test.labels != 0)


def own_successors(model: FrameworkModel, source: Tensor) -> list[int]:
    """How many words the model answers with themselves, if each is all it reads, and of how many.

    Only the printed model is asked such a question when it writes.
    """
    words = torch.arange(EOS + 1, model.config.V_t)[:, None]
    answers = model(source.expand(len(words), -1), words).argmax(-1)
    return [int((answers == words).sum()), len(words)]


def nearest_to_the_medians(results: Sequence[Sequence[float]]) -> int:
    """The start whose results differ least from the medians, in sum over the models."""
    medians = [statistics.median(of_model) for of_model in results]
    apart = [
        sum(abs(found - middle) for found, middle in zip(of_start, medians, strict=True))
        for of_start in zip(*results, strict=True)
    ]
    return apart.index(min(apart))


def joined(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The results of one model: for each measure a list with one entry for each start."""
    return {key: [run[key] for run in runs] for key in runs[0]}


if __name__ == "__main__":
    typer.run(main)
