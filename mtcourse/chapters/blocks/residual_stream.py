"""What the decoder's residual stream holds after each sublayer (chapter 10)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import padding_mask
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.text.batches import Batch


@torch.no_grad()
def decoder_stages(
    model: EncoderDecoder, batch: Batch
) -> dict[str, Float[Tensor, "batch m d_model"]]:
    """The decoder's rows as they enter, and after each sublayer has added its output.

    Args:
        model: pre-norm and in evaluation mode.
        batch: the decoder reads the reference.

    Raises:
        MtcourseError: the model is not pre-norm, so that there is no unbroken sum to look into.
    """
    if model.config.norm != "pre":
        raise MtcourseError(f"a pre-norm model is needed, and this one's is {model.config.norm!r}")
    mask = padding_mask(batch.source)
    H_E = model.encode(batch.source, mask)
    x = model.target_embedding(batch.decoder_input)
    stages = {"embedding": x}
    for number, block in enumerate(model.decoder, start=1):
        attention, cross = block.around_self_attention, block.around_cross_attention
        network = block.around_feed_forward
        x = x + block.self_attention(attention.enter(x), None, True)[0]
        stages[f"self-attention {number}"] = x
        keys_values = block.cross_attention.keys_values(H_E)
        x = x + block.cross_attention(cross.enter(x), *keys_values, mask)
        stages[f"cross-attention {number}"] = x
        x = x + block.feed_forward(network.enter(x))
        stages[f"network {number}"] = x
    return stages


@torch.no_grad()
def mean_probability(
    model: EncoderDecoder,
    rows: Float[Tensor, "batch m d_model"],
    tokens: Int[Tensor, "batch m"],
    counted: Tensor,
) -> float:
    """The mean probability of given tokens if the output layer read these rows already now.

    softmax(LayerNorm(row) W_O)[token] with the decoder's last norm: the logit lens. Chapter 10.

    Args:
        model: whose last norm and output layer read the rows.
        rows: of one stage.
        tokens: one for each row.
        counted: True where a row counts.
    """
    p = model.logits(model.decoder_norm(rows)).softmax(-1)
    return float(p.gather(-1, tokens[..., None])[..., 0][counted].mean())
