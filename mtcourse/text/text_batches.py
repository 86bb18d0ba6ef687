"""From sentences of one text to batches of inputs and labels (chapter 13)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.tokenizer import EOS, Tokenizer


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Inputs of a model of one stack, and what it shall predict at each position.

    Args:
        inputs: what it reads, padded with 0.
        labels: the right token at each position; 0 where nothing counts.
        document: the number of the document at each position, where several share a row; None
            where each row is one.
    """

    inputs: Int[Tensor, "batch n"]
    labels: Int[Tensor, "batch n"]
    document: Int[Tensor, "batch n"] | None = None

    @property
    def target_tokens(self) -> int:
        """Labels that count."""
        return int(self.labels.count_nonzero())

    def to(self, device: torch.device) -> TextBatch:
        """The batch on another device."""
        document = None if self.document is None else self.document.to(device)
        return TextBatch(self.inputs.to(device), self.labels.to(device), document)


def encode_text(sentences: Iterable[str], tokenizer: Tokenizer, max_length: int) -> list[list[int]]:
    """Ids of each sentence without special ones; blank sentences are left out.

    A sentence that is too long is cut into pieces that a model can take, so that none of its text
    is lost.

    Args:
        sentences: the text.
        tokenizer: what splits it.
        max_length: the model's longest sequence in tokens, one special token included.
    """
    room = max_length - 1
    return [
        ids[start : start + room]
        for ids in tokenizer.encode_all(sentences)
        for start in range(0, len(ids), room)
    ]


def next_token_batch(sentences: Sequence[Sequence[int]]) -> TextBatch:
    """A batch that asks for the next token everywhere: labels end in <eos>, inputs start in <bos>.

    Every token is once a label and then part of a prefix (C06).

    >>> next_token_batch([[7, 8]]).inputs.tolist(), next_token_batch([[7, 8]]).labels.tolist()
    ([[2, 7, 8]], [[7, 8, 3]])
    """
    labels = pad([[*ids, EOS] for ids in sentences])
    return TextBatch(shift_right(labels), labels)


def length_buckets(
    sentences: Sequence[Sequence[int]], tokens_per_batch: int, seed: int, epoch: int
) -> Iterator[list[Sequence[int]]]:
    """Groups of sentences of similar lengths, in an order that depends on seed and epoch alone.

    Args:
        sentences: ids of each.
        tokens_per_batch: the most positions of a group: its sentences times the longest of them,
            one special token included.
        seed: the run's seed.
        epoch: how many times the sentences were seen before.

    Raises:
        MtcourseError: a sentence alone is longer than ``tokens_per_batch``.
    """
    generator = random.Random(f"{seed} {epoch}")
    ordered = sorted(generator.sample(sentences, len(sentences)), key=len)
    groups: list[list[Sequence[int]]] = []
    for ids in ordered:
        length = len(ids) + 1
        if length > tokens_per_batch:
            raise MtcourseError(
                f"a sentence of {length} tokens does not fit into a batch of {tokens_per_batch}: "
                "raise tokens_per_batch or lower the model's max_length"
            )
        if groups and (len(groups[-1]) + 1) * length <= tokens_per_batch:
            groups[-1].append(ids)
        else:
            groups.append([ids])
    generator.shuffle(groups)
    yield from groups


def packed_batch(documents: Sequence[Sequence[int]], length: int) -> TextBatch:
    """Documents one behind the other, each ended by <eos>, cut into rows of equal length.

    Only the last row may have padding, and a single row is as long as its text. A row may begin in
    the middle of a document, and ``document`` tells which one each position belongs to. The input
    of a document's first token is the <eos> of the one before it, which in a packed row stands for
    <bos>.

    Args:
        documents: ids of each, without special ones.
        length: positions of a row.

    Raises:
        MtcourseError: there is no document, or a row holds no position.

    Source: Radford et al. (2019); Krell et al. (2021). Chapter 13.
    """
    if length < 1 or not documents:
        raise MtcourseError(
            f"{len(documents)} documents in rows of {length}: there must be one and 1"
        )
    labels = [token for ids in documents for token in (*ids, EOS)]
    inputs = [EOS, *labels[:-1]]
    owner = [number for number, ids in enumerate(documents) for _ in range(len(ids) + 1)]
    rows = range(0, len(owner), length)
    return TextBatch(
        pad([inputs[start : start + length] for start in rows]),
        pad([labels[start : start + length] for start in rows]),
        pad([owner[start : start + length] for start in rows]),
    )
