"""From words with labels to pieces with labels (C31; chapter 16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from mtcourse.text.masking import MaskedVocabulary

IGNORED = -100
"""The label that does not count in the loss, as in torch's cross-entropy."""


@dataclass(frozen=True, slots=True)
class LabelledBatch:
    """Inputs of an encoder with the labels of a head.

    Args:
        inputs: <class> and the pieces, padded with 0.
        labels: a class for each position, or one for each sequence; ``IGNORED`` where none counts.
    """

    inputs: Int[Tensor, "batch n"]
    labels: Int[Tensor, "batch *n"]

    @property
    def target_tokens(self) -> int:
        """Labels that count."""
        return int((self.labels != IGNORED).sum())

    def to(self, device: torch.device) -> LabelledBatch:
        """The batch on another device."""
        return LabelledBatch(self.inputs.to(device), self.labels.to(device))


def words_of_pieces(
    text: str, spans: Sequence[tuple[int, int]], vocabulary: MaskedVocabulary
) -> tuple[list[int], list[int]]:
    """The ids of a sentence's pieces, and the word that each piece begins in; -1 is between words.

    Args:
        text: the sentence, as the tokenizer returns it.
        spans: where each word begins and ends in the text.
        vocabulary: of the encoder.
    """
    ids, places = vocabulary.tokenizer.encode_with_places(text)
    owner = [-1] * (len(text) + 1)
    for number, (start, end) in enumerate(spans):
        owner[start:end] = [number] * (end - start)
    return ids, [owner[place] for place in places]


def labels_of_pieces(words: Sequence[int], labels: Sequence[int], inner: bool = False) -> list[int]:
    """The label of each piece: the first piece of a word has the word's, the others ``IGNORED``.

    Args:
        words: the word of each piece, -1 for none.
        labels: the class of each word.
        inner: whether the later pieces of a word get its label too.

    Source: C31; Devlin et al. (2019), section 5.3.

    >>> labels_of_pieces([0, 0, 1], [4, 2])
    [4, -100, 2]
    """
    return [
        labels[word] if word >= 0 and (inner or word != before) else IGNORED
        for before, word in zip([-1, *words[:-1]], words, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class LabelledExample:
    """One sentence for a head.

    Args:
        ids: its pieces, without special ones.
        labels: a class for each piece, ``IGNORED`` where none counts; or one class for all.
    """

    ids: tuple[int, ...]
    labels: tuple[int, ...] | int


def labelled_batch(
    examples: Sequence[LabelledExample], vocabulary: MaskedVocabulary
) -> LabelledBatch:
    """A padded batch; <class> and padding have no label.

    Args:
        examples: all with a label for each piece, or all with one label.
        vocabulary: of the encoder.
    """
    inputs = vocabulary.inputs([example.ids for example in examples])
    labels = torch.full(inputs.shape, IGNORED)
    single: list[int] = []
    for row, example in enumerate(examples):
        if isinstance(example.labels, int):
            single.append(example.labels)
        else:
            labels[row, 1 : len(example.labels) + 1] = torch.tensor(example.labels)
    return LabelledBatch(inputs, torch.tensor(single) if single else labels)
