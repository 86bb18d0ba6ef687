"""Four models of document A on a tiny language: as printed, and with the repairs (chapter 7)."""

from __future__ import annotations

from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor, nn

from mtcourse.layers.masks import source_mask
from mtcourse.models.framework_model import FrameworkModel
from mtcourse.recipes.framework import SHIPPED, FrameworkRecipe, load_framework
from mtcourse.text.batches import Batch
from mtcourse.text.tokenizer import PAD
from mtcourse.text.word_vocabulary import WordVocabulary
from mtcourse.training.loop import TrainingConfig

REPAIRS = {
    "as printed": (False, False),
    "positions only": (False, True),
    "shift only": (True, False),
    "both": (True, True),
}
"""For each model: whether its target is shifted in training, whether its target has positions."""


def tiny_recipe(name: str, seed: int = 0, steps: int = 800) -> FrameworkRecipe:
    """The recipe of one of the models: width 16, trained in seconds.

    Args:
        name: of ``REPAIRS``.
        seed: of the initial weights and of the order of the batches.
        steps: updates.
    """
    shifted, positions = REPAIRS[name]
    training = TrainingConfig(
        steps, learning_rate=1e-2, warmup=min(50, steps - 1), schedule="cosine", report_every=10
    )
    return FrameworkRecipe(shifted, positions, 16, 512, training, seed)


def tiny_folder(name: str) -> Path:
    """Where ``scripts/measure_framework_tiny.py`` keeps the trained model of this name."""
    return SHIPPED / "tiny" / name.replace(" ", "_")


def load_tiny() -> tuple[dict[str, FrameworkModel], WordVocabulary, WordVocabulary]:
    """The four trained models, the words that they read, and those that they write."""
    loaded = {name: load_framework(tiny_folder(name)) for name in REPAIRS}
    _, source, target = loaded["both"]
    return {name: model for name, (model, *_) in loaded.items()}, source, target


@torch.no_grad()
def words_right(
    model: nn.Module,
    batch: Batch,
    read: Int[Tensor, "batch m"],
    wanted: Int[Tensor, "batch m"],
) -> float:
    """The share of words, 0 to 1, that a model puts first.

    Args:
        model: document A's.
        batch: the source sentences.
        read: what the decoder reads.
        wanted: the right words. Padding in it is not counted.
    """
    first = model(batch.source, read, source_mask(batch.source)).argmax(-1)
    return (first == wanted)[wanted != PAD].float().mean().item()
