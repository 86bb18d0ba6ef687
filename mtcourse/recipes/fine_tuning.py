"""The recipe of fine-tuning: a new head on an encoder, from a few labels (chapter 16)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from mtcourse.layers.masks import source_mask
from mtcourse.models.fine_tuned import FineTuned
from mtcourse.text.labelled_batches import (
    IGNORED,
    LabelledBatch,
    LabelledExample,
    labelled_batch,
)
from mtcourse.text.masking import MaskedVocabulary
from mtcourse.training.config import TrainingConfig
from mtcourse.training.plain import plain_train

SENTENCES = 32
"""Sentences of a batch."""


def head_loss(model: FineTuned, batch: LabelledBatch) -> Tensor:
    """The summed cross-entropy over the labels that count (C30, C31)."""
    scores = model(batch.inputs, source_mask(batch.inputs))
    classes = scores.shape[-1]
    return F.cross_entropy(
        scores.reshape(-1, classes),
        batch.labels.reshape(-1),
        ignore_index=IGNORED,
        reduction="sum",
    )


def fine_tune(
    model: FineTuned,
    examples: Sequence[LabelledExample],
    vocabulary: MaskedVocabulary,
    config: TrainingConfig,
    loss: Callable[[FineTuned, LabelledBatch], Tensor] = head_loss,
) -> list[float]:
    """Trains a head, and the body below it unless that is frozen (C32).

    Args:
        model: trained in place, and left in evaluation mode.
        examples: sentences with their labels.
        vocabulary: of the encoder.
        config: steps, rate, schedule; its seed decides the order of the examples and dropout.
        loss: of a batch, summed over the labels that count.

    Returns:
        The loss of each update in nats per label.
    """
    if not examples:
        return []

    def batches(epoch: int) -> list[LabelledBatch]:
        order = random.Random(f"{config.seed} {epoch}").sample(examples, len(examples))
        groups = (order[start : start + SENTENCES] for start in range(0, len(order), SENTENCES))
        found = [labelled_batch(group, vocabulary) for group in groups]
        return [batch for batch in found if batch.target_tokens]

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        losses = plain_train(model, batches, loss, config)
    model.eval()
    return losses


@dataclass(frozen=True)
class HeadScores:
    """How often a head is right.

    Args:
        counts: how many labels of class i (row) were given class j (column).
    """

    counts: Tensor

    @property
    def accuracy(self) -> float:
        """The share of labels that are right."""
        return float(self.counts.diag().sum() / self.counts.sum())

    @property
    def f1(self) -> list[float]:
        """2 true / (2 true + missed + wrongly given) for each class; 0 where it never occurs."""
        true = self.counts.diag()
        either = self.counts.sum(0) + self.counts.sum(1)
        return (2 * true / either.clamp(min=1)).tolist()

    @property
    def macro_f1(self) -> float:
        """The mean over classes: a rare class counts as much as a frequent one."""
        return sum(self.f1) / len(self.f1)


@torch.inference_mode()
def head_scores(
    model: FineTuned, examples: Sequence[LabelledExample], vocabulary: MaskedVocabulary
) -> HeadScores:
    """What a head says of sentences with known labels; labels that do not count are left out.

    Args:
        model: a trained head on its encoder.
        examples: sentences with their labels.
        vocabulary: of the encoder.
    """
    model.eval()
    classes = model.b.numel()
    counts = torch.zeros(classes, classes, dtype=torch.long)
    ordered = sorted(examples, key=lambda example: len(example.ids))
    for start in range(0, len(ordered), 64):
        batch = labelled_batch(ordered[start : start + 64], vocabulary)
        said = model(batch.inputs, source_mask(batch.inputs)).argmax(-1)
        asked = batch.labels != IGNORED
        pairs = batch.labels[asked] * classes + said[asked]
        counts += torch.bincount(pairs, minlength=classes**2).view(classes, classes)
    return HeadScores(counts)
