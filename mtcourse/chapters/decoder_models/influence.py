"""Which inputs each prediction reads, and learns from: gradients by input rows (chapter 13)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.models.transformer import Transformer


def loss_gradients(
    model: Transformer,
    inputs: Int[Tensor, "1 n"],
    labels: Int[Tensor, "1 n"],
    causal: bool = True,
    mask: Bool[Tensor, "1 1 n n"] | None = None,
) -> Float[Tensor, "n n d_model"]:
    """G[t, j], the gradient of the loss of label t with respect to the embedded input j (C06).

    A prediction that cannot see input j has G[t, j] = 0 exactly: this is the test for a leak.

    Args:
        model: of either family; the mask is given here.
        inputs: one sequence.
        labels: the right token at each position.
        causal: whether a causal mask hides later positions.
        mask: True where a position may attend to another; None allows all.

    Chapter 13.
    """
    rows = model.embed(inputs).detach().requires_grad_()
    hidden = model.run(rows, mask, causal)[0][-1]
    losses = F.cross_entropy(model.logits(hidden)[0], labels[0], reduction="none")
    found = [torch.autograd.grad(loss, rows, retain_graph=True)[0][0] for loss in losses]
    return torch.stack(found)
