"""A pre-norm model whose norms only normalise: gains and biases moved into the next matrices.

Chapter 10.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder


def fold_norm(
    gain: Float[Tensor, " d_model"],
    bias: Float[Tensor, " d_model"],
    W: Float[Tensor, "d_model d_out"],
    b: Float[Tensor, " d_out"],
) -> tuple[Float[Tensor, "d_model d_out"], Float[Tensor, " d_out"]]:
    """W' and b' that read the normalised row as W and b read it after gain and bias.

    (gain ⊙ x + bias) W + b = x W' + b' with W' = diag(gain) W and b' = bias W + b.

    Args:
        gain: a factor for each column of x, and so for each row of W.
        bias: an offset for each column of x.
        W: the matrix that reads the norm's output.
        b: its own bias.

    Source: the definition of layer normalisation, B11. Chapter 10.
    """
    return gain[:, None] * W, bias @ W + b


def with_folded_norms(model: EncoderDecoder) -> EncoderDecoder:
    """A copy of the model that computes the same with norms whose gain is 1 and whose bias is 0.

    Only the decoder's last norm keeps its own: the matrix that reads it, the output layer, has no
    bias that could take up the norm's. Chapter 10.

    Args:
        model: a pre-norm model. In post-norm, a residual connection reads the norm's output too.

    Raises:
        MtcourseError: the model is not pre-norm.
    """
    if model.config.norm != "pre":
        raise MtcourseError(
            f"norms can be folded only in a pre-norm model, and this one's norm is "
            f"{model.config.norm!r}: after the sum, the residual connection reads the norm too"
        )
    folded = copy.deepcopy(model)
    with torch.no_grad():
        for norm, readers in _norms_and_readers(folded):
            for reader in readers:
                # nn.Linear stores W transposed.
                W, b = fold_norm(norm.weight, norm.bias, reader.weight.T, reader.bias)
                reader.weight.copy_(W.T)
                reader.bias.copy_(b)
            nn.init.ones_(norm.weight)
            nn.init.zeros_(norm.bias)
    return folded


def _norms_and_readers(model: EncoderDecoder) -> Iterator[tuple[nn.LayerNorm, list[nn.Linear]]]:
    """Each norm except the decoder's last, with the linear maps that read its output."""
    for block in model.encoder:
        yield block.around_self_attention.layer_norm, [block.self_attention.W_QKV]
        yield block.around_feed_forward.layer_norm, [block.feed_forward.W_1]
    for block in model.decoder:
        yield block.around_self_attention.layer_norm, [block.self_attention.W_QKV]
        yield block.around_cross_attention.layer_norm, [block.cross_attention.W_Q]
        yield block.around_feed_forward.layer_norm, [block.feed_forward.W_1]
    last_of_encoder = model.encoder_norm
    if isinstance(last_of_encoder, nn.LayerNorm):
        yield last_of_encoder, [block.cross_attention.W_KV for block in model.decoder]
