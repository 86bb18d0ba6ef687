"""Trains the small translator of chapter 12 from ten starts, whole, in part, and in wrong ways.

python scripts/measure_training.py [--starts N] [--steps N] [--shorter N] [--out FOLDER]

Three kinds of whole runs: all weights learn; the encoder's blocks keep their random weights;
cross-attention keeps them. Shorter runs compare learning rates, and one lets the decoder read the
tokens that it has to predict. Each start has other weights and other batches; within a start all
runs share both. About twenty minutes of one core.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from torch import Tensor

from mtcourse.decoding.search import greedy_search
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import Recipe, evaluate_translator, mean_dev_loss, smoothed_loss
from mtcourse.text.batches import Batch, Example, batches_in_order, bucketed_batches, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import TokenizerPair
from mtcourse.training.callbacks import StepReport
from mtcourse.training.loop import TrainingConfig, train

FROZEN = {
    "all weights learn": (),
    "encoder frozen": ("encoder.", "encoder_norm."),
    "cross-attention frozen": ("decoder.0.cross_attention.", "decoder.0.around_cross_attention."),
}
RATES = {
    "0.0005": (5e-4, 60),
    "0.005": (5e-3, 60),
    "0.1": (1e-1, 60),
    "0.005, no warm-up": (5e-3, 0),
}
LOOKS = (1, 30, 60, 120, 240)
MEAN_OF, SMOOTHING, TEST = 10, 0.1, 200


@dataclass(frozen=True)
class Task:
    """The sentence pairs, as numbers, and the sizes of the model that learns from them."""

    recipe: Recipe
    tokenizers: TokenizerPair
    train: list[Example]
    dev: list[Batch]
    test: list[SentencePair]

    @classmethod
    def of_chapter_12(cls) -> Task:
        corpus = builtin_corpus(train=8000)
        sizes = EncoderDecoderConfig(
            900, 900, d_model=96, d_ff=384, encoder_layers=1, decoder_layers=1, dropout=0.0
        )
        recipe = Recipe(sizes, tokens_per_batch=1024)
        tokenizers = TokenizerPair.train(corpus.splits["train"], sizes.V_s)
        examples, _ = encode_pairs(corpus.splits["train"], tokenizers, sizes.max_length)
        held_out, _ = encode_pairs(corpus.splits["dev"][:200], tokenizers, sizes.max_length)
        dev = batches_in_order(sorted(held_out, key=lambda e: e.source_length), 2048)
        return cls(recipe, tokenizers, examples, dev, list(corpus.splits["test"][:TEST]))

    def model(self, seed: int) -> EncoderDecoder:
        return EncoderDecoder(self.recipe.model_config(self.tokenizers), seed=seed)

    def batches(self, seed: int, epoch: int) -> list[Batch]:
        return bucketed_batches(self.train, self.recipe.tokens_per_batch, seed, epoch)

    def translations(self, model: EncoderDecoder, sources: list[str]) -> list[str]:
        return Translator(model, self.tokenizers).translate(sources)


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of the whole runs.")] = 480,
    shorter: Annotated[int, typer.Option(help="Updates of the shorter runs.")] = 150,
    out: Annotated[Path, typer.Option(help="Where training.json is written.")] = MEASURED,
) -> None:
    """Trains all runs and stores their losses, scores and translations."""
    runs = run_starts(functools.partial(measure, steps=steps, shorter=shorter), starts)
    results: dict[str, Any] = {"steps": steps, "mean of": MEAN_OF, "looks": [*LOOKS, steps]}
    results["dev steps"] = [0, *range(dev_every(steps), steps, dev_every(steps)), steps]
    for key in runs[0]:
        kinds = runs[0][key]
        results[key] = {kind: [of_start[key][kind] for of_start in runs] for kind in kinds}
    store_measured("training", "scripts/measure_training.py", results, out)
    for key in ("dev loss", "bleu"):
        print(key, results[key])


def measure(seed: int, steps: int, shorter: int) -> dict[str, dict[str, Any]]:
    """All runs of one start: for each result its value for each kind of run."""
    task = Task.of_chapter_12()
    found: dict[str, dict[str, Any]] = {"dev loss": {}, "bleu": {}, "exact": {}}
    for kind in FROZEN:
        model, watched = whole_run(task, kind, seed, steps)
        scores, _ = evaluate_translator(
            Translator(model, task.tokenizers), task.test, greedy_search
        )
        found["dev loss"][kind] = watched["dev losses"][-1]
        found["bleu"][kind], found["exact"][kind] = round(scores.bleu, 2), scores.exact
        if not FROZEN[kind]:
            found["run"] = watched
    rates = {kind: shorter_run(task, seed, shorter, *RATES[kind])[1] for kind in RATES}
    copier, losses = shorter_run(task, seed, shorter, *RATES["0.005"], loss=loss_without_shift)
    scores, written = evaluate_translator(
        Translator(copier, task.tokenizers), task.test, greedy_search
    )
    found["rates"] = rates
    found["no shift"] = {
        "losses": losses,
        "bleu": round(scores.bleu, 2),
        "written": written[2][:60],
    }
    return found


def whole_run(
    task: Task, kind: str, seed: int, steps: int
) -> tuple[EncoderDecoder, dict[str, list[Any]]]:
    """A model trained with part of it frozen; its losses, and what it writes on the way."""
    model = task.model(seed)
    for name, weight in model.named_parameters():
        weight.requires_grad_(not name.startswith(FROZEN[kind]))
    written = []

    def look(report: StepReport) -> None:
        if report.step in (*LOOKS, steps):
            written.extend(task.translations(model, [task.test[2].source]))
            model.train()

    before = mean_dev_loss(model.eval(), task.dev)
    state = train(
        model,
        functools.partial(task.batches, seed),
        functools.partial(smoothed_loss, SMOOTHING),
        TrainingConfig(steps, 5e-3, min(60, steps - 1), "cosine", evaluate_every=dev_every(steps)),
        evaluate=lambda model: mean_dev_loss(model, task.dev),
        callbacks=[] if FROZEN[kind] else [look],
    )
    dev_losses = [round(loss, 4) for loss in (before, *(loss for _, loss in state.dev_losses))]
    return model.eval(), {
        "losses": means(state.losses),
        "dev losses": dev_losses,
        "translations": written,
    }


def shorter_run(
    task: Task, seed: int, steps: int, rate: float, warmup: int, loss: Any = None
) -> tuple[EncoderDecoder, list[float]]:
    """A model trained with a constant rate after the warm-up, nothing clipped; and its losses."""
    model = task.model(seed)
    config = TrainingConfig(steps, rate, warmup, "constant", clip_norm=None)
    state = train(
        model,
        functools.partial(task.batches, seed),
        loss or functools.partial(smoothed_loss, SMOOTHING),
        config,
    )
    return model.eval(), means(state.losses)


def loss_without_shift(model: EncoderDecoder, batch: Batch) -> Tensor:
    """The loss of a decoder that reads the labels themselves."""
    H_D = model.hidden(batch.source, batch.labels, source_mask(batch.source))
    return chunked_loss(H_D, model.output_weight, None, batch.labels, SMOOTHING)


def dev_every(steps: int) -> int:
    """Steps between two development losses."""
    return max(1, steps // 12)


def means(losses: tuple[float, ...]) -> list[float]:
    """The mean of each ten steps."""
    groups = [losses[at : at + MEAN_OF] for at in range(0, len(losses), MEAN_OF)]
    return [round(sum(group) / len(group), 3) for group in groups]


if __name__ == "__main__":
    typer.run(main)
