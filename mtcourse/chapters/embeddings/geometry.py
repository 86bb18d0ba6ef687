"""How the rows of a table lie: cosines, nearest neighbours, principal components (chapter 2)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError


def cosine_similarities(
    rows: Float[Tensor, "*some d"], table: Float[Tensor, "V d"]
) -> Float[Tensor, "*some V"]:
    """Cosine of the angle between rows and each row of a table: dot product over both norms.

    Args:
        rows: any rows of the same width.
        table: the rows to compare them with. A row of zeros has no direction: its cosines are 0.

    Chapter 2.
    """
    return torch.nn.functional.normalize(rows, dim=-1) @ torch.nn.functional.normalize(table).T


def nearest(
    table: Float[Tensor, "V d"], token: int, k: int, among: Int[Tensor, " some"] | None = None
) -> list[tuple[int, float]]:
    """The k rows of a table with the largest cosine to a token's row, best first.

    Args:
        table: one row for each token.
        token: the id of the row whose neighbours are wanted; it is not its own neighbour.
        k: how many; the result is shorter if there are fewer.
        among: ids that may be found; None allows all.

    Returns:
        Ids with their cosines.

    Raises:
        MtcourseError: the table has no such row.

    Chapter 2.
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
    """Coordinates of rows along their first k principal components, with the shares of variance.

    The components are the right singular vectors of the rows after their mean is subtracted. Each
    is turned so that its largest entry is positive, so a map is never mirrored.

    Args:
        rows: points.
        k: how many components, at most as many as there are columns.

    Chapter 2.
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
    """Where each row lies on the line between the means of two groups, itself left out of both.

    0 is half-way, and a row above 0 is nearer to the group that is True. A row has no part in the
    means that it is measured by, so groups drawn at random do no better than chance.

    Args:
        rows: points.
        is_one: True for the rows of one group.

    Raises:
        MtcourseError: a group has fewer than two rows.

    Chapter 2.
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
