"""How the weights of every model are drawn before training (chapter 10)."""

from __future__ import annotations

import torch
from torch import nn

from mtcourse.layers.embeddings import Embedding
from mtcourse.layers.multi_head import CrossAttention, SelfAttention


def draw_weights(model: nn.Module, generator: torch.Generator) -> None:
    """Draws Xavier-uniform matrices and embeddings of variance 1 / d_model; biases become 0.

    W_Q, W_K and W_V are drawn as three square matrices although they stand in one.

    Args:
        model: its linear layers and embedding tables are drawn in place, in their order.
        generator: where the random numbers come from.

    Source: Glorot and Bengio (2010). Chapter 10.
    """
    stacked = {
        id(layer)
        for module in model.modules()
        if isinstance(module, SelfAttention | CrossAttention)
        for name, layer in module.named_children()
        if name in ("W_QKV", "W_KV")
    }
    for module in model.modules():
        if isinstance(module, nn.Linear):
            d_model = module.in_features
            parts = module.weight.split(d_model) if id(module) in stacked else [module.weight]
            for matrix in parts:
                nn.init.xavier_uniform_(matrix, generator=generator)
            nn.init.zeros_(module.bias)
        elif isinstance(module, Embedding):
            nn.init.normal_(module.W_E, std=module.W_E.shape[1] ** -0.5, generator=generator)
