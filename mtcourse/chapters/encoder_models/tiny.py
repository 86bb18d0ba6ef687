"""Tiny encoders of Dutch words: trained in seconds, judged frozen and fine-tuned (chapter 15)."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Int
from torch import Tensor

from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.encoder import EncoderFamily
from mtcourse.text.grammar_labels import LabelledSentence, labelled_sentences
from mtcourse.text.masking import (
    CLASS_PIECE,
    MASK_PIECE,
    MaskedVocabulary,
    Masking,
    mask_tokens,
)
from mtcourse.text.text_batches import TextBatch
from mtcourse.text.word_vocabulary import WordVocabulary
from mtcourse.training.config import TrainingConfig
from mtcourse.training.loop import train

DRAWN, FREQUENT = 42_000, 350
TRAIN, LABELLED, TEST = 3_200, 200, 600
SIZES = TransformerConfig(V=4, d_model=32, h=4, d_ff=128, layers=2, dropout=0.0, max_length=16)
SENTENCES_PER_BATCH = 64
TRAINING = TrainingConfig(steps=300, learning_rate=8e-3, warmup=50, schedule="cosine")

Targets = Callable[[TextBatch, Int[Tensor, "batch n"]], TextBatch]
"""From a masked batch and its original ids to the batch that a run trains on."""


class MaskedWords(MaskedVocabulary):
    """Whole words as tokens, as in document C's example, and behind them <mask> and <class>.

    Args:
        words: the vocabulary.

    Source: C27. Chapter 15.
    """

    words: WordVocabulary

    def __init__(self, words: WordVocabulary) -> None:
        object.__setattr__(self, "words", words)

    @property
    def mask(self) -> int:
        """The id of <mask>."""
        return self.words.size

    @property
    def class_(self) -> int:
        """The id of <class>."""
        return self.words.size + 1

    @property
    def size(self) -> int:
        """V: all words, special ones included."""
        return self.words.size + 2

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """Each id's word, <mask> or <class>."""
        return [(*self.words.entries, MASK_PIECE, CLASS_PIECE)[one] for one in ids]


@dataclass(frozen=True)
class Task:
    """What every tiny encoder reads.

    Args:
        vocabulary: the words.
        train: ids of the sentences to learn from.
        labelled: sentences whose labels a head may learn from.
        test: sentences that judge.
    """

    vocabulary: MaskedWords
    train: tuple[tuple[int, ...], ...]
    labelled: tuple[LabelledSentence, ...]
    test: tuple[LabelledSentence, ...]

    def inputs(self, sentences: Sequence[LabelledSentence]) -> Int[Tensor, "batch n"]:
        """<class> and the ids of each sentence, padded with 0."""
        return self.vocabulary.inputs([self._ids(sentence) for sentence in sentences])

    def _ids(self, sentence: LabelledSentence) -> list[int]:
        numbers = _numbers(self.vocabulary.words)
        return [numbers[word] for word in sentence.words]


@functools.cache
def _numbers(words: WordVocabulary) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.entries)}


def chosen_tokens(batch: TextBatch, ids: Int[Tensor, "batch n"]) -> TextBatch:
    """The labels as they should be: the original at each chosen position (C28)."""
    return batch


def shifted_labels(batch: TextBatch, ids: Int[Tensor, "batch n"]) -> TextBatch:
    """The mistake of a decoder's shift: row t is asked for the chosen token at t + 1."""
    labels = torch.zeros_like(batch.labels)
    labels[:, :-1] = batch.labels[:, 1:]
    return TextBatch(batch.inputs, labels)


def every_token(batch: TextBatch, ids: Int[Tensor, "batch n"]) -> TextBatch:
    """The mistake of a loss on every position: plain tokens are asked for, too."""
    labels = ids.clone()
    labels[:, 0] = 0
    return TextBatch(batch.inputs, labels)


def nothing_hidden(batch: TextBatch, ids: Int[Tensor, "batch n"]) -> TextBatch:
    """The mistake of masking a copy: every token is asked for, and the input shows all of them."""
    return every_token(TextBatch(ids, ids), ids)


class CausalEncoder(EncoderModel):
    """The mistake of a causal mask that was left on."""

    def hidden(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """H, where row t has read nothing to its right."""
        return self.run(self.embed(ids), mask, causal=True)[0][-1]


@dataclass(frozen=True)
class Setup:
    """How one kind of encoder is trained.

    Args:
        masking: which tokens are chosen, and what stands in their place.
        targets: the labels.
        network: the model.
        fresh: whether each epoch hides other tokens.
        times: how many times as many updates as ``TRAINING`` has.
    """

    masking: Masking = field(default_factory=Masking)
    targets: Targets = chosen_tokens
    network: type[EncoderModel] = EncoderModel
    fresh: bool = True
    times: int = 1


STRATEGIES = {
    "80/10/10": Setup(),
    "100/0/0": Setup(Masking(masked=1.0, random=0.0)),
    "80/0/20": Setup(Masking(masked=0.8, random=0.2)),
    "80/20/0": Setup(Masking(masked=0.8, random=0.0)),
    "0/20/80": Setup(Masking(masked=0.0, random=0.8)),
    "0/0/100": Setup(Masking(masked=0.0, random=1.0)),
}
"""The rows of Table 8 of Devlin et al. (2019): % of <mask>, of the token itself, of random ones."""

LONGER = {name: replace(setup, times=4) for name, setup in list(STRATEGIES.items())[:4]}

RATES = {f"{rate:.0%}": Setup(Masking(rate)) for rate in (0.3, 0.4, 0.6)}

MISTAKES = {
    "labels shifted": Setup(targets=shifted_labels),
    "causal mask left on": Setup(network=CausalEncoder),
    "loss on every position": Setup(targets=every_token),
    "nothing hidden": Setup(targets=nothing_hidden),
    "same masks every epoch": Setup(fresh=False),
}


@functools.cache
def task() -> Task:
    """Sentences of the grammar that use its most frequent words only, in three disjoint sets."""
    drawn = labelled_sentences(DRAWN, seed=1)
    counts = Counter(word for sentence in drawn for word in sentence.words)
    frequent = {word for word, _ in counts.most_common(FREQUENT)}
    kept = [sentence for sentence in drawn if frequent.issuperset(sentence.words)]
    vocabulary = MaskedWords(WordVocabulary.of(" ".join(sentence.words) for sentence in kept))
    held = kept[: LABELLED + TEST]
    found = Task(vocabulary, (), tuple(held[:LABELLED]), tuple(held[LABELLED:]))
    train_on = kept[LABELLED + TEST :][:TRAIN]
    return replace(found, train=tuple(tuple(found._ids(sentence)) for sentence in train_on))


def train_tiny(setup: Setup, seed: int) -> tuple[EncoderModel, list[float]]:
    """A trained model, and its training loss at each update, in nats per label.

    Args:
        setup: how.
        seed: of the initial weights, of the batches and of the hidden tokens.
    """
    vocabulary = task().vocabulary
    ids = vocabulary.inputs(task().train)

    def batches(epoch: int) -> list[TextBatch]:
        generator = torch.Generator().manual_seed(1_000_003 * seed + (epoch if setup.fresh else 1))
        masked = setup.targets(mask_tokens(ids, vocabulary, setup.masking, generator), ids)
        order = random.Random(f"{seed} {epoch}").sample(range(len(ids)), len(ids))
        found = []
        for first in range(0, len(order), SENTENCES_PER_BATCH):
            rows = torch.tensor(order[first : first + SENTENCES_PER_BATCH])
            longest = int((ids[rows] != 0).sum(-1).max())
            found.append(TextBatch(masked.inputs[rows, :longest], masked.labels[rows, :longest]))
        return found

    model = setup.network(replace(SIZES, V=vocabulary.size), seed=seed)
    config = replace(TRAINING, seed=seed, steps=setup.times * TRAINING.steps)
    state = train(model, batches, EncoderFamily().loss, config)
    model.eval()
    return model, list(state.losses)


def untrained(seed: int) -> EncoderModel:
    """A model with its initial weights, those that ``train_tiny`` begins with."""
    return EncoderModel(replace(SIZES, V=task().vocabulary.size), seed=seed).eval()
