"""How much of a token's input can still be read after a stack of blocks (chapter 10)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from mtcourse.errors import MtcourseError


def readable_share(
    inputs: Float[Tensor, "rows width"], outputs: Float[Tensor, "rows columns"]
) -> float:
    """The share of the inputs' variance that the best linear map computes from the outputs.

    1 means that the outputs determine the inputs, 0 that they say nothing of them that is linear.
    The map is fitted on the first half of the rows and judged on the second; a map that does worse
    than the mean is counted as 0. Chapter 10.

    Args:
        inputs: one row for each token.
        outputs: the row of the same token after some layers.

    Raises:
        MtcourseError: there are too few rows to fit the map.
    """
    half = len(inputs) // 2
    if half <= outputs.shape[-1] + 1:
        raise MtcourseError(
            f"{len(inputs)} rows are too few for a map from {outputs.shape[-1]} columns: it is "
            "fitted on half of them"
        )
    read = torch.cat([outputs, outputs.new_ones(len(outputs), 1)], dim=-1).double()
    wanted = inputs.double()
    # Least squares. The numbers of a normalised row sum to 0, so that its columns depend on each
    # other and many maps are equally good: the pseudoinverse takes the smallest.
    W = torch.linalg.pinv(read[:half], rtol=1e-8) @ wanted[:half]
    missed = (wanted[half:] - read[half:] @ W).square().sum()
    total = (wanted[half:] - wanted[:half].mean(0)).square().sum()
    return max(0.0, 1 - float(missed / total))
