"""A sentence and its translation as one sequence, for decoder-only translators (chapter 17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from mtcourse.text.batches import Example, pad
from mtcourse.text.tokenizer import BOS, EOS


@dataclass(frozen=True, slots=True)
class JoinedBatch:
    """Pairs as sequences <bos> x <eos> y <eos>, shifted by one.

    Args:
        inputs: <bos>, the source, <eos>, the target; padded with 0.
        labels: the token after each input; 0 where nothing counts.
        prefix: how many inputs of each sequence are given: <bos>, the source and <eos>.
    """

    inputs: Int[Tensor, "batch n"]
    labels: Int[Tensor, "batch n"]
    prefix: Int[Tensor, " batch"]

    @classmethod
    def of(cls, examples: Sequence[Example], source_counts: bool = False) -> JoinedBatch:
        """A batch of pairs.

        Args:
            examples: the pairs.
            source_counts: whether the model is also asked for the source's tokens.

        >>> JoinedBatch.of([Example([7, 8], [9])]).labels.tolist()
        [[0, 0, 0, 9, 3]]
        """
        sequences = [[*prompt(example.source), *example.target, EOS] for example in examples]
        labels = pad([sequence[1:] for sequence in sequences])
        prefix = torch.tensor([len(example.source) + 2 for example in examples])
        if not source_counts:
            # The last given input, <eos>, is the first that is asked for a word of the target.
            places = torch.arange(labels.shape[1])
            labels = labels.where(places >= prefix[:, None] - 1, 0)
        return cls(pad([sequence[:-1] for sequence in sequences]), labels, prefix)

    @property
    def target_tokens(self) -> int:
        """Labels that count."""
        return int(self.labels.count_nonzero())

    def to(self, device: torch.device) -> JoinedBatch:
        """The batch on another device."""
        return JoinedBatch(self.inputs.to(device), self.labels.to(device), self.prefix.to(device))


def prompt(source: Sequence[int]) -> list[int]:
    """What a decoder-only translator is given: <bos>, the source, <eos>."""
    return [BOS, *source, EOS]
