"""Trains small translators, each with another fault, and writes down what their logs show.

python scripts/measure_sick_runs.py [--out FOLDER] [--starts N] [--processes N]

The exercise ``diagnose`` of chapter 12 asks for the causes. All kinds begin with the same weights
and read the same sentences. Results go to ``mtcourse/measured/sick_runs.json``. About nine
minutes of one core.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
import typer
from sacrebleu.metrics.chrf import CHRF
from torch import Tensor, nn

from mtcourse.evaluation.starts import MEASURED, Spread, run_starts, store_measured
from mtcourse.layers.attention import fused_attention
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import Recipe
from mtcourse.text.batches import Batch, Example, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.training.likelihood import token_losses
from mtcourse.training.schedules import constant

SIZES = replace(
    Recipe().model,
    d_model=64,
    d_ff=128,
    encoder_layers=1,
    decoder_layers=1,
    dropout=0.1,
)
STEPS, WARMUP, PEAK, SENTENCES = 250, 40, 5e-3, 40
LAST = 20
KINDS = (
    "nothing",
    "no causal mask",
    "encoder not in the optimizer",
    "encoder's rows detached",
    "lines of the files do not match",
    "dropout left on",
    "rate of the first step",
    "divided by all positions",
)


@dataclass(frozen=True)
class Data:
    """What every run reads: training pairs, held-out pairs, and the texts of the latter."""

    training: list[Example]
    held_out: list[Example]
    pairs: list[SentencePair]


def main(
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    processes: Annotated[int, typer.Option(help="How many run at a time; 0: all cores.")] = 0,
) -> None:
    """Trains all runs, and writes what their logs show."""
    runs = run_starts(measure, starts, processes or None)
    results = {
        kind: {figure: [of_start[kind][figure] for of_start in runs] for figure in runs[0][kind]}
        for kind in KINDS
    }
    store_measured("sick_runs", "scripts/measure_sick_runs.py", results, out)
    for kind, figures in results.items():
        print(kind, *(f"{name} {Spread.of(of):.3f}" for name, of in figures.items()), sep="\n  ")


def measure(seed: int) -> dict[str, dict[str, float]]:
    """Every kind of run from one start."""
    tokenizers = Translator.load(device="cpu").tokenizers
    corpus = builtin_corpus(train=3000)
    pairs = list(corpus.splits["dev"][:100])
    training, _ = encode_pairs(corpus.splits["train"], tokenizers, max_length=128)
    held_out, _ = encode_pairs(pairs, tokenizers, max_length=128)
    data = Data(training, held_out, pairs)
    return {kind: figures_of(kind, seed, data) for kind in KINDS}


def figures_of(kind: str, seed: int, data: Data) -> dict[str, float]:
    """Trains one model with a fault, and returns what its log shows."""
    translator = Translator.load(device="cpu")
    model = EncoderDecoder(Recipe(SIZES).model_config(translator.tokenizers), seed=seed)
    if kind == "no causal mask":
        for block in model.decoder:
            block.self_attention.attention = not_causal
    encoder, decoder = parts_of(model)
    before = [[weight.detach().clone() for weight in part] for part in (encoder, decoder)]
    losses, gradient = trained(kind, model, seed, rotated(data.training, kind))
    model.train(kind == "dropout left on")
    dev = [loss_on(model, data.held_out) for _ in range(2)]
    wrong = loss_on(model, [replace_source(*each) for each in neighbours(data.held_out)])
    model.eval()
    written = Translator(model, translator.tokenizers).translate([p.source for p in data.pairs])
    chrf = CHRF().corpus_score(written, [[pair.target for pair in data.pairs]]).score
    figures = {
        "training loss, first step": losses[0],
        "training loss, last steps": sum(losses[-LAST:]) / LAST,
        "dev loss": dev[0],
        "dev loss, measured again": dev[1],
        "dev loss, each source from another pair": wrong,
        "norm of the encoder's gradient": gradient,
        "encoder moved": moved(encoder, before[0]),
        "decoder moved": moved(decoder, before[1]),
        "chrF of its own translations": chrf,
    }
    return {name: round(value, 4) for name, value in figures.items()}


def trained(
    kind: str, model: EncoderDecoder, seed: int, examples: list[Example]
) -> tuple[list[float], float]:
    """The reported loss of every step, and the norm of the encoder's gradient in the last."""
    encoder, decoder = parts_of(model)
    told = decoder if kind == "encoder not in the optimizer" else [*encoder, *decoder]
    optimizer = torch.optim.Adam(told, betas=(0.9, 0.98), eps=1e-9)
    generator, losses = random.Random(seed), []
    torch.manual_seed(seed)
    model.train()
    for step in range(1, STEPS + 1):
        batch = Batch.of(generator.sample(examples, SENTENCES))
        positions = batch.labels.numel() if kind == "divided by all positions" else None
        loss = summed_loss(kind, model, batch) / (positions or batch.target_tokens)
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = PEAK * constant(1 if kind == "rate of the first step" else step, WARMUP)
        optimizer.step()
        losses.append(loss.item())
    gradients = [weight.grad.norm() for weight in encoder if weight.grad is not None]
    return losses, float(torch.stack(gradients).norm()) if gradients else 0.0


def summed_loss(kind: str, model: EncoderDecoder, batch: Batch) -> Tensor:
    """The loss of a batch, summed over its target tokens."""
    mask = source_mask(batch.source)
    H_E = model.encode(batch.source, mask)
    H_E = H_E.detach() if kind == "encoder's rows detached" else H_E
    logits = model.logits(model.decode(batch.decoder_input, H_E, mask))
    return token_losses(logits, batch.labels).sum()


@torch.no_grad()
def loss_on(model: EncoderDecoder, examples: list[Example]) -> float:
    """Nats per target token, in whichever mode the model is."""
    batch = Batch.of(examples)
    return summed_loss("nothing", model, batch).item() / batch.target_tokens


def parts_of(model: EncoderDecoder) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The parameters of the encoder, and all others: the table, shared by both sides, is there."""
    named = list(model.named_parameters())
    encoder = [weight for name, weight in named if name.startswith("encoder")]
    return encoder, [weight for name, weight in named if not name.startswith("encoder")]


def moved(now: list[nn.Parameter], before: list[Tensor]) -> float:
    """How far the weights are from where they began, as a share of their norm there."""
    with torch.no_grad():
        far = torch.stack([(n - b).norm() for n, b in zip(now, before, strict=True)]).norm()
        return float(far / torch.stack([b.norm() for b in before]).norm())


def neighbours(examples: list[Example]) -> list[tuple[Example, Example]]:
    """Each example with the one after it."""
    return list(zip(examples, [*examples[1:], examples[0]], strict=True))


def replace_source(example: Example, other: Example) -> Example:
    """The target of one example under the source of another."""
    return Example(other.source, example.target)


def rotated(examples: list[Example], kind: str) -> list[Example]:
    """The pairs, or each target with the source of the next pair."""
    if kind != "lines of the files do not match":
        return examples
    return [replace_source(*each) for each in neighbours(examples)]


def not_causal(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None, causal: bool = False
) -> tuple[Tensor, Tensor | None]:
    """Attention that ignores the word causal."""
    return fused_attention(Q, K, V, mask)


if __name__ == "__main__":
    typer.run(main)
