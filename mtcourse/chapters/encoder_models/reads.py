"""Which inputs each row's prediction depends on, from gradients (C28; chapter 15)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from mtcourse.models.transformer import Transformer


def reads(model: Transformer, ids: Int[Tensor, " n"], causal: bool) -> Bool[Tensor, "n n"]:
    """True at (t, s) where the logits of row t depend on the token at position s.

    A derivative that is not 0 proves the dependence; a mask makes it exactly 0.

    Args:
        model: the stack of blocks.
        ids: one sequence.
        causal: whether its blocks hide later positions.

    Source: C28; C09 for the causal mask. Chapter 15.
    """
    x = model.embed(ids[None]).detach().requires_grad_()
    logits = model.logits(model.run(x, None, causal)[0][-1])[0]
    weights = torch.linspace(-1, 1, logits.shape[-1], dtype=logits.dtype)
    found = [torch.autograd.grad(row @ weights, x, retain_graph=True)[0][0] for row in logits]
    return torch.stack(found).ne(0).any(-1)
