"""From ids to one-hot vectors, the form in which document A reads a sentence (chapter 1)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError


def one_hot(ids: Int[Tensor, " n"], vocabulary_size: int) -> Float[Tensor, "V n"]:
    """Gives the matrix X of a sentence: column j is 1 at the id of token j, else 0 (A02).

    Args:
        ids: the tokens, n of them, counted from 0.
        vocabulary_size: V_s or V_t, the number of rows.

    Raises:
        MtcourseError: an id that the vocabulary does not have.

    >>> one_hot(torch.tensor([2, 0]), 3).tolist()
    [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """
    outside = ids[(ids < 0) | (ids >= vocabulary_size)]
    if len(outside):
        raise MtcourseError(
            f"id {int(outside[0])} has no row in a vocabulary of {vocabulary_size}: "
            f"ids go from 0 to {vocabulary_size - 1}"
        )
    X = torch.zeros(vocabulary_size, len(ids))
    X[ids, torch.arange(len(ids))] = 1.0
    return X
