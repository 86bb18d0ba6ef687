"""What each prediction of a decoder has read, found by gradients (chapter 12)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.text.batches import shift_right


def target_reads(
    model: EncoderDecoder,
    source: Int[Tensor, "sources n"],
    labels: Int[Tensor, "targets m"],
    shift: bool = True,
    mask: bool = True,
) -> Float[Tensor, "m m"]:
    """How strongly the prediction of y_j depends on each target token y_k, for all j and k.

    Entry (j, k) is the norm of ∂ logits_j[y_j] / ∂ (the decoder's input row that holds y_k). It is
    exactly 0 where no path leads from y_k to the prediction, whatever the weights. The last token
    y_m is no input once the target is shifted, so its column is 0 then.

    Args:
        model: any encoder-decoder; its weights stay as they are.
        source: the source sentence.
        labels: the target y_1 ... y_m with <eos>, without padding.
        shift: the decoder reads <bos>, y_1, ..., y_{m-1} in place of the target itself.
        mask: its self-attention is causal.

    Raises:
        MtcourseError: there is more than one sentence.

    Source: C07, C12, C35. Chapter 12.
    """
    if len(labels) != 1 or len(source) != 1:
        raise MtcourseError(
            f"{len(source)} sources and {len(labels)} targets: look at one sentence at a time, as "
            "a batch of 1"
        )
    inputs = shift_right(labels) if shift else labels
    m = labels.shape[1]
    with torch.no_grad():
        rows, H_E = model.target_embedding(inputs), model.encode(source)
    rows.requires_grad_()
    logits = model.logits(_decoded(model, rows, H_E, mask))
    reads = torch.zeros(m, m)
    for j in range(m):
        (gradient,) = torch.autograd.grad(logits[0, j, labels[0, j]], rows, retain_graph=True)
        norms = gradient[0].norm(dim=-1)
        reads[j] = torch.cat([norms[1:], norms.new_zeros(1)]) if shift else norms
    return reads


def _decoded(
    model: EncoderDecoder, rows: Tensor, H_E: Tensor, mask: bool
) -> Float[Tensor, "1 m d_model"]:
    """H_D for given input rows, with a causal mask or with one that allows everything."""
    m = rows.shape[1]
    allowed: Bool[Tensor, "1 1 m m"] | None = None if mask else torch.ones(1, 1, m, m).bool()
    for block in model.decoder:
        rows, _ = block(rows, block.cross_attention.keys_values(H_E), mask=allowed)
    return model.decoder_norm(rows)
