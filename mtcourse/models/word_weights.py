"""Attention between words, from attention between the pieces that they are made of (chapter 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.models.translator import AttentionMap
from mtcourse.text.pairs import words
from mtcourse.text.tokenizer import SPECIAL_PIECES

_EOS = "<eos>"


@dataclass(frozen=True)
class WordWeights:
    """An attention map with whole words in place of pieces.

    Args:
        source_words: the columns, ``<eos>`` last.
        target_words: the rows, ``<eos>`` last.
        weights: for each decoder layer and head, one row for each target word, which sums to 1.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    weights: Float[Tensor, "layers h m n"]


def membership(pieces: Sequence[str], sentence: str) -> Float[Tensor, "pieces words"]:
    """1 where a piece belongs to a word, else 0; the last column is that of ``<eos>``.

    A piece that is only a space belongs to the word that follows it.

    Args:
        pieces: of the sentence, ``<eos>`` last.
        sentence: before it was split into pieces.

    Raises:
        MtcourseError: the pieces do not spell the sentence.
    """
    of_sentence = words(sentence)
    ends = np.cumsum([len(word.encode()) for word in of_sentence])
    member = torch.zeros(len(pieces), len(ends) + 1)
    at = 0
    for number, piece in enumerate(pieces):
        if piece == _EOS:
            member[number, -1] = 1
            continue
        if at >= ends[-1]:
            raise MtcourseError(f"the pieces {' '.join(pieces)} do not spell {sentence!r}")
        member[number, int(np.searchsorted(ends, at, side="right"))] = 1
        at += _bytes_of(piece)
    if at != ends[-1]:
        raise MtcourseError(f"the pieces {' '.join(pieces)} do not spell {sentence!r}")
    return member


def word_weights(looked: AttentionMap, source: str, target: str) -> WordWeights:
    """Combines the pieces of each word: adds up columns (weights are shares), and averages rows.

    Args:
        looked: the map of the pieces.
        source: the sentence that the columns came from.
        target: the sentence that the rows came from.

    Raises:
        MtcourseError: the pieces do not spell the sentence.
    """
    columns = membership(looked.source_pieces, source)
    rows = membership(looked.target_pieces, target)
    rows = rows / rows.sum(0)
    weights = rows.T @ looked.weights.float() @ columns
    return WordWeights((*words(source), _EOS), (*words(target), _EOS), weights)


def _bytes_of(piece: str) -> int:
    """How many bytes of text a piece stands for; <0x47> stands for one."""
    if piece in SPECIAL_PIECES:
        return 0
    is_byte = len(piece) == 6 and piece.startswith("<0x")
    return 1 if is_byte else len(piece.replace("▁", "").encode())
