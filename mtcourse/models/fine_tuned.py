"""An encoder with a head for sequences or for tokens (C30 to C32; chapter 16)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_model import EncoderModel

SEQUENCE = "sequence"
"""The kind of a head that reads one class for a whole sequence."""

TOKEN = "token"
"""The kind of a head that reads a class for each token."""


def sequence_scores(
    H: Float[Tensor, "batch n d_model"], W: Float[Tensor, "d_model K"], b: Float[Tensor, " K"]
) -> Float[Tensor, "batch K"]:
    """z = h_class W + b: one row of scores for a whole sequence, from its first position.

    Args:
        H: the encoder's last rows; the first belongs to <class>.
        W: a column for each of the K classes.
        b: an offset for each.

    Source: C30, in row form. Chapter 16.
    """
    return H[:, 0] @ W + b


def token_scores(
    H: Float[Tensor, "batch n d_model"], W: Float[Tensor, "d_model K"], b: Float[Tensor, " K"]
) -> Float[Tensor, "batch n K"]:
    """z_i = h_i W + b, the same head at every position.

    The scores at <class> and at padding are computed too, and nobody reads them: their labels do
    not count.

    Args:
        H: the encoder's last rows.
        W: a column for each of the K classes.
        b: an offset for each.

    Source: C31, in row form, for i = 0 as well. Chapter 16.
    """
    return H @ W + b


class FineTuned(nn.Module):
    """An encoder and a new linear head on its rows.

    Args:
        body: the encoder; shared, not copied.
        kind: "sequence" (C30) or "token" (C31).
        classes: their number K.
        frozen: whether the head alone learns: the body then gets no gradient, and stays in
            evaluation mode also while the head trains.
        seed: of the head's initial weights.

    Raises:
        MtcourseError: there is no such kind of head, or fewer than two classes.

    Source: C30 to C32; Devlin et al. (2019), section 3.2, without their pooling layer. Chapter 16.
    """

    def __init__(
        self, body: EncoderModel, kind: str, classes: int, frozen: bool = False, seed: int = 0
    ) -> None:
        super().__init__()
        if kind not in (SEQUENCE, TOKEN):
            raise MtcourseError(f"there is no head {kind!r}: take {SEQUENCE} or {TOKEN}")
        if classes < 2:
            raise MtcourseError(f"{classes} classes leave nothing to decide: there must be 2")
        self.body, self.kind, self.frozen = body.requires_grad_(not frozen), kind, frozen
        d_model = body.config.d_model
        drawn = torch.randn(d_model, classes, generator=torch.Generator().manual_seed(seed))
        self.W = nn.Parameter(0.02 * drawn)
        self.b = nn.Parameter(torch.zeros(classes))

    def train(self, mode: bool = True) -> FineTuned:
        """Training or evaluation mode; dropout never touches a frozen body."""
        super().train(mode)
        self.body.train(mode and not self.frozen)
        return self

    def forward(
        self,
        ids: Int[Tensor, "batch n"],
        mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    ) -> Float[Tensor, "batch *positions K"]:
        """Scores of the K classes: one row for each sequence, or one for each position.

        Args:
            ids: <class> and the tokens, padded with 0.
            mask: True where a token is real; None where none is padding.
        """
        scores = sequence_scores if self.kind == SEQUENCE else token_scores
        return scores(self.body.hidden(ids, mask), self.W, self.b)
