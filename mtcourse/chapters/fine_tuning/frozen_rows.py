"""Heads on the rows of an encoder that stays as it is: fitted in a moment, always the same way.

With a frozen encoder the rows of a sentence never change. So they are computed once, and what is
left is logistic regression, which has one best answer and needs no learning rate (chapter 16).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.text.labelled_batches import (
    IGNORED,
    LabelledBatch,
    LabelledExample,
    labelled_batch,
)
from mtcourse.text.masking import MaskedVocabulary

Pick = Callable[[Tensor, LabelledBatch], Tensor]
"""From the rows of a batch, (batch, n, d_model), to those that a head reads, (rows, d_model)."""


def class_row(H: Float[Tensor, "batch n d"], batch: LabelledBatch) -> Float[Tensor, "batch d"]:
    """The row at <class> (C30)."""
    return H[:, 0]


def mean_row(H: Float[Tensor, "batch n d"], batch: LabelledBatch) -> Float[Tensor, "batch d"]:
    """The mean of a sentence's rows, without <class> and padding."""
    real = (batch.inputs != 0).to(H.dtype)
    real[:, 0] = 0
    return (H * real[..., None]).sum(1) / real.sum(1, keepdim=True)


def labelled_rows(H: Float[Tensor, "batch n d"], batch: LabelledBatch) -> Float[Tensor, "rows d"]:
    """The rows whose labels count (C31)."""
    return H[batch.labels != IGNORED]


@torch.no_grad()
def frozen_rows(
    body: EncoderModel,
    examples: Sequence[LabelledExample],
    vocabulary: MaskedVocabulary,
    pick: Pick,
) -> tuple[Float[Tensor, "rows d_model"], Int[Tensor, " rows"]]:
    """The rows that a head reads, and their labels, sentence by sentence.

    Args:
        body: the encoder, in training or in evaluation mode, as it is.
        examples: sentences with their labels.
        vocabulary: of the encoder.
        pick: which rows.
    """
    X, y = [], []
    for start in range(0, len(examples), 64):
        batch = labelled_batch(examples[start : start + 64], vocabulary)
        X.append(pick(body.hidden(batch.inputs, source_mask(batch.inputs)), batch))
        y.append(batch.labels[batch.labels != IGNORED])
    return torch.cat(X), torch.cat(y)


def fitted_head(
    X: Float[Tensor, "rows d_model"], y: Int[Tensor, " rows"], classes: int
) -> tuple[Float[Tensor, "d_model K"], Float[Tensor, " K"]]:
    """W and b with the lowest mean cross-entropy, plus a small penalty on W.

    Args:
        X: the rows.
        y: the class of each.
        classes: their number K.

    Raises:
        MtcourseError: a class is not below K.

    Source: C30, C31; W is in row form. Chapter 16.
    """
    if int(y.max()) >= classes:
        raise MtcourseError(f"class {int(y.max())} is not one of {classes}: they count from 0")
    mean, size = X.mean(0), X.std(0) + 1e-6
    scaled = (X - mean) / size
    W = torch.zeros(X.shape[1], classes, requires_grad=True)
    b = torch.zeros(classes, requires_grad=True)
    optimizer = torch.optim.LBFGS([W, b], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = F.cross_entropy(scaled @ W + b, y) + 1e-3 * W.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    with torch.no_grad():
        W_of_rows = W / size[:, None]
        return W_of_rows, b - mean @ W_of_rows


def share_right(
    X: Float[Tensor, "rows d_model"],
    y: Int[Tensor, " rows"],
    W: Float[Tensor, "d_model K"],
    b: Float[Tensor, " K"],
) -> float:
    """The share of rows whose highest score is that of their class."""
    return float(((X @ W + b).argmax(-1) == y).float().mean())
