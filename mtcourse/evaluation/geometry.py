"""Where the rows of a table lie: similarities, neighbours, widest directions (chapter 02)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError


def cosine_similarities(
    rows: Float[Tensor, "*some d"], table: Float[Tensor, "V d"]
) -> Float[Tensor, "*some V"]:
    """Cosine of the angle between rows and each row of a table: their product over both lengths.

    Args:
        rows: what is compared.
        table: what it is compared with. A row of zeros has no direction: its cosines are 0.

    Chapter 02.
    """
    return torch.nn.functional.normalize(rows, dim=-1) @ torch.nn.functional.normalize(table).T


def nearest(
    table: Float[Tensor, "V d"], token: int, k: int, among: Int[Tensor, " some"] | None = None
) -> list[tuple[int, float]]:
    """The k rows of a table that are most like a token's, best first, with their cosines.

    Args:
        table: one row for each token.
        token: whose neighbours; it is not its own.
        k: how many; fewer where there are no more.
        among: ids that may be found; None takes all.

    Raises:
        MtcourseError: the table has no such row.

    Chapter 02.
    """
    if not 0 <= token < len(table):
        raise MtcourseError(f"there is no row {token} in a table of {len(table)}: ids go from 0")
    ids = torch.arange(len(table)) if among is None else among
    ids = ids[ids != token]
    cosines = cosine_similarities(table[token], table[ids])
    best = cosines.topk(min(k, len(ids)))
    return list(zip(ids[best.indices].tolist(), best.values.tolist(), strict=True))


def principal_components(
    rows: Float[Tensor, "n d"], k: int
) -> tuple[Float[Tensor, "n k"], Float[Tensor, " k"]]:
    """Coordinates of rows along their k widest directions, and each direction's share of variance.

    The directions are the right singular vectors of the rows with their mean taken away; each
    points where its largest entry is positive, so that a map is never mirrored.

    Args:
        rows: points.
        k: how many directions, at most as many as there are columns.

    Chapter 02.
    """
    centred = rows - rows.mean(0)
    _, sizes, directions = torch.linalg.svd(centred, full_matrices=False)
    directions = directions[:k]
    largest = directions.abs().argmax(-1, keepdim=True)
    directions = directions * directions.gather(-1, largest).sign()
    return centred @ directions.T, (sizes**2 / (sizes**2).sum())[:k]


def left_out_positions(
    rows: Float[Tensor, "n d"], is_one: Bool[Tensor, " n"]
) -> Float[Tensor, " n"]:
    """Where each row lies on the line from one group's mean to the other's, itself left out.

    0 is half-way; a row that is above 0 is nearer to the group of those that are True. Since a
    row has no part in the means that it is measured by, chance gives no better than chance.

    Args:
        rows: points.
        is_one: True for the rows of one group.

    Raises:
        MtcourseError: a group has fewer than two rows.

    Chapter 02.
    """
    counts = torch.stack([(~is_one).sum(), is_one.sum()])
    if int(counts.min()) < 2:
        raise MtcourseError(f"groups of {counts.tolist()} rows: each needs two, to leave one out")
    sums = torch.stack([rows[~is_one].sum(0), rows[is_one].sum(0)])
    mine = torch.stack([~is_one, is_one], dim=-1).to(rows)[..., None]  # n, 2, 1
    means = (sums - mine * rows[:, None]) / (counts[:, None] - mine)
    towards_one = means[:, 1] - means[:, 0]
    from_middle = rows - means.mean(1)
    return (from_middle * towards_one).sum(-1) / towards_one.norm(dim=-1)
