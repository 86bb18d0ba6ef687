"""Document A's model, trained and put to work: as printed, and repaired (chapters 7 to 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.layers.masks import source_mask
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.text.batches import Batch, Example, bucketed_batches
from mtcourse.text.pairs import SentencePair
from mtcourse.text.word_vocabulary import WordVocabulary
from mtcourse.training.callbacks import Callback
from mtcourse.training.checkpoints import load_checkpoint, restore_weights, save_checkpoint
from mtcourse.training.loop import TrainingConfig, TrainingState, train

SHIPPED = Path(__file__).resolve().parents[1] / "models" / "framework"
"""The folder of the shipped models, each in its own folder.

- ``mended``: both repairs, on the grammar, by ``scripts/train_framework.py``.
- ``tiny``: all four models on the tiny language, by ``scripts/measure_framework_tiny.py``.
"""


@dataclass(frozen=True)
class FrameworkRecipe:
    """How to train document A's model in a few seconds of one processor core.

    Args:
        shifted: the decoder reads Y shifted right (C07) in place of Y itself (A13).
        target_positions: the decoder's rows get positions, too.
        d: width of a token's row.
        tokens_per_batch: positions of a batch, padding included, on its larger side.
        training: steps, learning rate, schedule.
        seed: of the initial weights and of the order of the batches.
    """

    shifted: bool = False
    target_positions: bool = False
    d: int = 64
    tokens_per_batch: int = 1024
    training: TrainingConfig = field(
        default_factory=lambda: TrainingConfig(
            steps=600, learning_rate=4e-3, warmup=50, schedule="cosine", report_every=10
        )
    )
    seed: int = 0


@dataclass(frozen=True)
class WordPairs:
    """Sentence pairs as ids of whole words.

    Args:
        source: the words of the source.
        target: the words of the target.
        examples: the pairs.
    """

    source: WordVocabulary
    target: WordVocabulary
    examples: tuple[Example, ...]

    @classmethod
    def of(cls, pairs: Sequence[SentencePair]) -> WordPairs:
        """The pairs, with a vocabulary of all their words on each side."""
        source = WordVocabulary.of(pair.source for pair in pairs)
        target = WordVocabulary.of(pair.target for pair in pairs)
        return cls(source, target, ()).with_examples(pairs)

    def with_examples(self, pairs: Sequence[SentencePair]) -> WordPairs:
        """Other pairs as ids of the same words."""
        return replace(
            self,
            examples=tuple(
                Example(self.source.encode(pair.source), self.target.encode(pair.target))
                for pair in pairs
            ),
        )


def read_target(batch: Batch, shifted: bool) -> Int[Tensor, "batch m"]:
    """What the decoder reads: the target itself (A13, as printed), or shifted right (C07).

    If it is shifted, row j has read no more than the words before word j (A20). If not, the
    model copies what it reads (C08).
    """
    return batch.decoder_input if shifted else batch.labels


def framework_loss(model: FrameworkModel, batch: Batch, shifted: bool) -> Float[Tensor, ""]:
    """The summed cross-entropy of a batch's target tokens, <eos> included, padding left out."""
    mask = source_mask(batch.source)
    H_E = model.encode(batch.source, mask)
    H_D = model.hidden(read_target(batch, shifted), H_E, mask)
    return chunked_loss(H_D, model.W_O.T, None, batch.labels)


def train_framework(
    pairs: WordPairs,
    recipe: FrameworkRecipe,
    callbacks: Sequence[Callback] = (),
    evaluate: Callable[[FrameworkModel], float] | None = None,
    model: FrameworkModel | None = None,
) -> tuple[FrameworkModel, TrainingState]:
    """Trains document A's model.

    Args:
        pairs: what it learns from.
        recipe: which of its faults are repaired, sizes and steps.
        callbacks: called with every step's report.
        evaluate: as for ``train``, where the recipe says how often.
        model: one with weights of its own to begin with; None makes it by the recipe.

    Returns:
        The model, and where training stands: ``losses`` holds each step's, in nats per token.

    Source: A03 to A18 with Adam in place of A21. Chapter 7.
    """
    config = FrameworkConfig(
        pairs.source.size, pairs.target.size, recipe.d, recipe.target_positions
    )
    model = model or FrameworkModel(config, recipe.seed)
    state = train(
        model,
        lambda epoch: bucketed_batches(pairs.examples, recipe.tokens_per_batch, recipe.seed, epoch),
        lambda model, batch: framework_loss(model, batch, recipe.shifted),
        recipe.training,
        evaluate=evaluate,
        callbacks=callbacks,
    )
    return model.eval(), state


def save_framework(model: FrameworkModel, pairs: WordPairs, folder: Path) -> None:
    """Writes a model in half precision, with its words, for ``load_framework``."""
    config = model.config.to_dict() | {
        "source": list(pairs.source.entries),
        "target": list(pairs.target.entries),
    }
    copy = FrameworkModel(model.config)
    copy.load_state_dict(model.state_dict())
    save_checkpoint(folder, copy.half(), config)


def load_framework(
    folder: Path = SHIPPED / "mended",
) -> tuple[FrameworkModel, WordVocabulary, WordVocabulary]:
    """A model with the words it reads and those it writes; by default the one that is shipped.

    Raises:
        MtcourseError: there is none, or a file of it cannot be read.
    """
    checkpoint = load_checkpoint(folder)
    sizes = dict(checkpoint.config)
    source, target = (WordVocabulary(tuple(sizes.pop(side))) for side in ("source", "target"))
    model = FrameworkModel(FrameworkConfig(**sizes))
    restore_weights(model, checkpoint)
    return model.eval(), source, target


@torch.no_grad()
def mean_framework_loss(model: FrameworkModel, batches: Sequence[Batch], shifted: bool) -> float:
    """Nats per target token."""
    total = sum(float(framework_loss(model, batch, shifted)) for batch in batches)
    return total / sum(batch.target_tokens for batch in batches)
