"""From encoded sentence pairs to padded batches of ids (chapters 1 and 12)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, EOS, PAD, TokenizerPair


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence pair as ids.

    Args:
        source: ids x_1 ... x_N, without special ones.
        target: ids y_1 ... y_M, without special ones.
    """

    source: list[int]
    target: list[int]

    @property
    def source_length(self) -> int:
        """How many positions the source takes in a batch, its ids and <eos>."""
        return len(self.source) + 1

    @property
    def target_length(self) -> int:
        """How many positions the target takes, its ids with <bos> or with <eos>."""
        return len(self.target) + 1


@dataclass(frozen=True, slots=True)
class Skipped:
    """A sentence pair that was left out.

    Args:
        pair: the pair; its ``origin`` says where it stands.
        reason: why, in words.
    """

    pair: SentencePair
    reason: str


def encode_pairs(
    pairs: Iterable[SentencePair], tokenizers: TokenizerPair, max_length: int
) -> tuple[list[Example], list[Skipped]]:
    """Encodes sentence pairs and sets aside those that a model cannot take.

    Args:
        pairs: the sentences.
        tokenizers: what splits them.
        max_length: the model's longest sequence in tokens, special ones included.

    Returns:
        The examples, and the pairs left out because a side is empty or too long, in order.
    """
    pairs = list(pairs)
    sources = tokenizers.source.encode_all(pair.source for pair in pairs)
    targets = tokenizers.target.encode_all(pair.target for pair in pairs)
    examples: list[Example] = []
    skipped: list[Skipped] = []
    for pair, source, target in zip(pairs, sources, targets, strict=True):
        example = Example(source, target)
        if reason := _unfit(example, max_length):
            skipped.append(Skipped(pair, reason))
        else:
            examples.append(example)
    return examples, skipped


def _unfit(example: Example, max_length: int) -> str:
    """Why a model cannot take this example; empty if it can."""
    sides = {"source": example.source_length, "target": example.target_length}
    for side, length in sides.items():
        if length == 1:
            return f"the {side} is empty"
        if length > max_length:
            return f"the {side} takes {length} tokens, the model's maximum is {max_length}"
    return ""


def pad(sequences: Sequence[Sequence[int]]) -> Int[Tensor, "batch longest"]:
    """Makes sequences equally long, with <pad> at their ends.

    >>> pad([[7, 8, 9], [5]]).tolist()
    [[7, 8, 9], [5, 0, 0]]
    """
    longest = max(map(len, sequences), default=0)
    rows = [[*ids, *[PAD] * (longest - len(ids))] for ids in sequences]
    return torch.tensor(rows, dtype=torch.long).reshape(len(rows), longest)


def shift_right(labels: Int[Tensor, "batch m"]) -> Int[Tensor, "batch m"]:
    """Gives the decoder's inputs for these labels: each position sees the token before its label.

    Inputs (<bos>, y_1, ..., y_{M-1}) for labels (y_1, ..., y_M) (C07; chapter 12). Where the label
    is padding, so is the input.

    >>> shift_right(torch.tensor([[7, 8, 3], [9, 3, 0]])).tolist()
    [[2, 7, 8], [2, 9, 0]]
    """
    begin = labels.new_full((labels.shape[0], 1), BOS)
    return torch.cat([begin, labels[:, :-1]], dim=1).masked_fill(labels == PAD, PAD)


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentence pairs of one training step, padded to the longest on each side.

    Args:
        source: x_1 ... x_N <eos>.
        decoder_input: <bos> y_1 ... y_M.
        labels: y_1 ... y_M <eos>: what the decoder is to predict at each position.

    Source: C07, C35. Chapters 1 and 12.
    """

    source: Int[Tensor, "batch n"]
    decoder_input: Int[Tensor, "batch m"]
    labels: Int[Tensor, "batch m"]

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Batch:
        """Puts examples together, in this order, on the CPU."""
        source = pad([[*example.source, EOS] for example in examples])
        labels = pad([[*example.target, EOS] for example in examples])
        return cls(source, shift_right(labels), labels)

    @property
    def target_tokens(self) -> int:
        """The number of labels that are not padding, over which the loss is the mean."""
        return int(self.labels.count_nonzero())

    def to(self, device: torch.device | str) -> Batch:
        """The same batch on another device."""
        return Batch(self.source.to(device), self.decoder_input.to(device), self.labels.to(device))


def padding_share(batches: Iterable[Batch]) -> float:
    """Gives the share of positions that are padding, source and target together (chapter 1).

    Raises:
        MtcourseError: there is no batch.
    """
    sides = [side for batch in batches for side in (batch.source, batch.labels)]
    if not sides:
        raise MtcourseError("there is no batch to count padding in")
    real = sum(int(side.count_nonzero()) for side in sides)
    return 1 - real / sum(side.numel() for side in sides)


def bucketed_batches(
    examples: Sequence[Example], tokens_per_batch: int, seed: int, epoch: int
) -> list[Batch]:
    """Puts pairs of similar lengths together, for little padding, and shuffles the batches.

    Each example occurs once. The order of the batches, and which pairs of equal lengths share a
    batch, depend on seed and epoch alone (chapters 1 and 12).

    Args:
        examples: the sentence pairs.
        tokens_per_batch: as for ``batches_in_order``.
        seed: the run's seed.
        epoch: how many times the examples were seen before.

    Raises:
        MtcourseError: an example alone is longer than ``tokens_per_batch``.
    """
    generator = random.Random(f"{seed} {epoch}")
    shuffled = generator.sample(examples, len(examples))
    batches = batches_in_order(sorted(shuffled, key=_serpentine), tokens_per_batch)
    generator.shuffle(batches)
    return batches


def _serpentine(example: Example) -> tuple[int, int]:
    """Orders by the longer side; the difference of both rises and falls in turn, without jumps."""
    longer = max(example.source_length, example.target_length)
    difference = example.source_length - example.target_length
    return longer, difference if longer % 2 else -difference


def batches_in_order(examples: Sequence[Example], tokens_per_batch: int) -> list[Batch]:
    """Fills one batch after the other with the examples as they come.

    Args:
        examples: the sentence pairs.
        tokens_per_batch: the most positions, padding included, that a batch has on either side:
            sentences times the longest of them.

    Raises:
        MtcourseError: an example alone is longer than ``tokens_per_batch``.
    """
    groups: list[list[Example]] = []
    longest = 0
    for example in examples:
        length = max(example.source_length, example.target_length)
        if length > tokens_per_batch:
            raise MtcourseError(
                f"a sentence pair of {length} tokens does not fit into a batch of "
                f"{tokens_per_batch}: raise tokens_per_batch or lower the model's max_length"
            )
        longest = max(longest, length)
        if groups and (len(groups[-1]) + 1) * longest <= tokens_per_batch:
            groups[-1].append(example)
        else:
            groups.append([example])
            longest = length
    return [Batch.of(group) for group in groups]
