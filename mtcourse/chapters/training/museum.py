"""A training loop without a fault, and what turns it into the bugs of the museum (chapter 12).

``Loop`` says how ``train`` trains. Each bug is a ``Loop`` that differs from a sound one in one
value; ``scripts/measure_bug_museum.py`` runs them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn

from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.text.batches import Batch, Example, batches_in_order, bucketed_batches
from mtcourse.text.tokenizer import EOS, PAD
from mtcourse.training.schedules import cosine

TOKENS, SENTENCES, ACCUMULATE = 512, 8, 4
WARMUP, DROPOUT = 15, 0.3

Loss = Callable[[nn.Module, Batch], tuple[Tensor, int]]
Batches = Callable[[Sequence[Example], int, int], list[Batch]]


def token_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The summed cross-entropy over the labels that are not padding, and their number."""
    logits = model(batch.source, batch.decoder_input, source_mask(batch.source))
    return _summed(logits, batch.labels), batch.target_tokens


def softmax_first(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The cross-entropy of probabilities, as if they were logits."""
    logits = model(batch.source, batch.decoder_input, source_mask(batch.source))
    return _summed(logits.softmax(-1), batch.labels), batch.target_tokens


def padding_counted(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The cross-entropy over all positions, with padding as one more token to predict."""
    logits = model(batch.source, batch.decoder_input, source_mask(batch.source))
    return _summed(logits, batch.labels, ignore=-100), batch.labels.numel()


def shifted_twice(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The loss of a model that is to predict, at each position, the token after the next."""
    gone = torch.full_like(batch.labels[:, :1], PAD)
    return token_loss(model, replace(batch, labels=torch.cat([batch.labels[:, 1:], gone], dim=1)))


def eos_is_padding(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The loss where <eos> is taken for padding, and left out."""
    return token_loss(
        model, replace(batch, labels=batch.labels.masked_fill(batch.labels == EOS, PAD))
    )


def _summed(logits: Tensor, labels: Tensor, ignore: int = PAD) -> Tensor:
    classes = logits.reshape(-1, logits.shape[-1])
    return nn.functional.cross_entropy(
        classes, labels.reshape(-1), ignore_index=ignore, reduction="sum"
    )


def by_tokens(examples: Sequence[Example], seed: int, epoch: int) -> list[Batch]:
    """Batches of a number of positions, in a new order for each epoch."""
    return bucketed_batches(examples, TOKENS, seed, epoch)


def by_sentences(examples: Sequence[Example], seed: int, epoch: int) -> list[Batch]:
    """Batches of a number of sentences of similar length, in a new order for each epoch."""
    generator = random.Random(f"{seed} {epoch}")
    shuffled = generator.sample(examples, len(examples))
    ordered = sorted(shuffled, key=lambda example: example.target_length)
    groups = [ordered[at : at + SENTENCES] for at in range(0, len(ordered), SENTENCES)]
    generator.shuffle(groups)
    return [Batch.of(group) for group in groups]


def always_sorted(examples: Sequence[Example], seed: int, epoch: int) -> list[Batch]:
    """Batches by length, from the shortest to the longest in every epoch."""
    del seed, epoch
    return batches_in_order(sorted(examples, key=lambda e: e.target_length), TOKENS)


def of_mixed_lengths(examples: Sequence[Example], seed: int, epoch: int) -> list[Batch]:
    """Batches of sentences of all lengths, with much padding."""
    shuffled = random.Random(f"{seed} {epoch}").sample(examples, len(examples))
    return batches_in_order(shuffled, TOKENS)


def off_by_one(examples: Sequence[Example], seed: int, epoch: int) -> list[Batch]:
    """Batches in which each source stands beside the target of the next pair."""
    targets = [*(example.target for example in examples[1:]), examples[0].target]
    moved = [replace(e, target=target) for e, target in zip(examples, targets, strict=True)]
    return by_tokens(moved, seed, epoch)


@dataclass(frozen=True)
class Loop:
    """A training loop; with these values it has no fault.

    Args:
        loss: a sum, and over how many tokens it goes.
        batches: those of an epoch.
        dropout: share zeroed in training.
        accumulate: batches of one update.
        clears: whether the gradient is set to zero before each update.
        divides_once: whether the sum over all batches is divided by all their tokens.
        ticks_per_update: how far the schedule goes on in one update.
        keeps_optimizer: whether the optimizer's state survives the stop in the middle.
        keeps_weights: whether the weights survive it.
        trains_again: whether the model is put back into training mode after each evaluation.
    """

    loss: Loss = token_loss
    batches: Batches = by_tokens
    dropout: float = 0.0
    accumulate: int = 1
    clears: bool = True
    divides_once: bool = True
    ticks_per_update: int = 1
    keeps_optimizer: bool = True
    keeps_weights: bool = True
    trains_again: bool = True


SOUND = Loop()
_DROPPING = Loop(dropout=DROPOUT)
_ADDING = Loop(batches=by_sentences, accumulate=ACCUMULATE)
_MIXED = Loop(batches=of_mixed_lengths)

FROM_SCRATCH: dict[str, Loop] = {
    "sound": SOUND,
    "gradients never cleared": replace(SOUND, clears=False),
    "softmax before the loss": replace(SOUND, loss=softmax_first),
    "optimizer state lost": replace(SOUND, keeps_optimizer=False),
    "weights not loaded": replace(SOUND, keeps_weights=False),
    "eos taken for padding": replace(SOUND, loss=eos_is_padding),
    "sorted by length": replace(SOUND, batches=always_sorted),
    "sound, mixed lengths": _MIXED,
    "padding counted": replace(_MIXED, loss=padding_counted),
    "sound, with dropout": _DROPPING,
    "never back in training mode": replace(_DROPPING, trains_again=False),
    "sound, four batches added": _ADDING,
    "schedule counts batches": replace(_ADDING, ticks_per_update=ACCUMULATE),
    "mean of means": replace(_ADDING, divides_once=False),
}
"""Loops for a new model, sound ones and broken ones."""

FINE_TUNED: dict[str, Loop] = {
    "sound": SOUND,
    "labels shifted twice": replace(SOUND, loss=shifted_twice),
    "pairs off by one line": replace(SOUND, batches=off_by_one),
}
"""Loops that go on training a translator."""


@dataclass
class Record:
    """What a run wrote down: for each update its loss, rate and gradient norm; then dev losses."""

    losses: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    dev: list[float] = field(default_factory=list)


def train(
    loop: Loop,
    model: EncoderDecoder,
    examples: Sequence[Example],
    dev: Sequence[Batch],
    seed: int,
    steps: int,
    peak: float,
) -> Record:
    """Trains a model in place with Adam, a cosine schedule and clipping; evaluates it three times.

    In the middle the run is stopped and resumed, which a sound loop does not notice.

    Args:
        loop: how to train; its dropout is that of the model.
        model: trained in place.
        examples: the training set.
        dev: batches of other sentences.
        seed: of the order of the batches, and of dropout.
        steps: updates.
        peak: the highest learning rate.

    Chapter 12.
    """
    record, warmup = Record(), min(WARMUP, steps - 1)
    torch.manual_seed(seed)
    optimizer = _adam(model)
    stream = _endless(loop, examples, seed)
    model.train()
    for step in range(1, steps + 1):
        if loop.clears:
            optimizer.zero_grad()
        losses = [loop.loss(model, next(stream)) for _ in range(loop.accumulate)]
        loss = _joined(loop, losses)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        tick = min(step * loop.ticks_per_update, steps)
        for group in optimizer.param_groups:
            group["lr"] = peak * cosine(tick, warmup, steps)
        optimizer.step()
        record.rates.append(peak * cosine(tick, warmup, steps))
        record.losses.append(loss.item())
        record.norms.append(norm.item())
        if step % max(1, steps // 3) == 0:
            record.dev.append(_dev_loss(loop, model, dev))
        if step == steps // 2 and not loop.keeps_optimizer:
            optimizer = _adam(model)
        if step == steps // 2 and not loop.keeps_weights:
            model.reset_parameters(torch.Generator().manual_seed(1000 + seed))
    return record


def _joined(loop: Loop, losses: Sequence[tuple[Tensor, int]]) -> Tensor:
    if loop.divides_once:
        return torch.stack([loss for loss, _ in losses]).sum() / sum(n for _, n in losses)
    return torch.stack([loss / n for loss, n in losses]).mean()


def _adam(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)


def _endless(loop: Loop, examples: Sequence[Example], seed: int) -> Iterator[Batch]:
    epoch = 1
    while True:
        yield from loop.batches(examples, seed, epoch)
        epoch += 1


@torch.no_grad()
def _dev_loss(loop: Loop, model: EncoderDecoder, batches: Sequence[Batch]) -> float:
    model.eval()
    total, tokens = zip(*(token_loss(model, batch) for batch in batches), strict=True)
    if loop.trains_again:
        model.train()
    return float(sum(total)) / sum(tokens)
