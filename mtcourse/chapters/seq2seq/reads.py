"""Which inputs each hidden state of a translator depends on, from gradients (C41; chapter 17)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoder_translator import reading_mask
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.text.joined_pairs import prompt
from mtcourse.text.tokenizer import BOS, EOS


def encoder_decoder_reads(
    model: EncoderDecoder, x: Int[Tensor, " n"], y: Int[Tensor, " m"]
) -> Bool[Tensor, "t t"]:
    """True at (i, j) where hidden state i depends on input j, of t = n + 1 + m + 1.

    The inputs are x_1, ..., x_n, <eos>, which the encoder reads, and <bos>, y_1, ..., y_m, which
    the decoder reads. A derivative that is not 0 proves the dependence; a mask makes it exactly 0.

    Args:
        model: the translator.
        x: ids of the source, without <eos>.
        y: ids of the target, without <eos>.

    Source: C34, C41. Chapter 17.
    """
    source = model.source_embedding(torch.tensor([[*x.tolist(), EOS]])).detach().requires_grad_()
    target = model.target_embedding(torch.tensor([[BOS, *y.tolist()]])).detach().requires_grad_()
    z = source
    for block in model.encoder:
        z = block(z)
    z = model.encoder_norm(z)
    h = target
    for block in model.decoder:
        h, _ = block(h, block.cross_attention.keys_values(z))
    h = model.decoder_norm(h)
    return torch.cat([_depends(rows, (source, target)) for rows in (z[0], h[0])])


def decoder_reads(
    model: DecoderModel, x: Int[Tensor, " n"], y: Int[Tensor, " m"], both_sides: bool
) -> Bool[Tensor, "t t"]:
    """True at (i, j) where hidden state i depends on input j, of t = n + 2 + m.

    The inputs are <bos>, x_1, ..., x_n, <eos>, y_1, ..., y_m.

    Args:
        model: the decoder-only translator.
        x: ids of the source.
        y: ids of the target.
        both_sides: whether it reads its source from both sides.

    Source: C33, C41. Chapter 17.
    """
    given = prompt(x.tolist())
    inputs = model.embed(torch.tensor([[*given, *y.tolist()]])).detach().requires_grad_()
    mask = reading_mask(torch.tensor([len(given)]), inputs.shape[1], both_sides)
    H = model.run(inputs, mask, causal=mask is None)[0][-1]
    return _depends(H[0], (inputs,))


def _depends(
    rows: Float[Tensor, "r d_model"], inputs: tuple[Float[Tensor, "1 _ d_model"], ...]
) -> Bool[Tensor, "r t"]:
    """Of each row, whether a weighted sum of its numbers has a slope at each input."""
    # Equal weights would not do: the numbers of a normalised row sum to a constant.
    weights = torch.linspace(-1, 1, rows.shape[-1], dtype=rows.dtype).square() + 0.1
    found = []
    for row in rows:
        slopes = torch.autograd.grad(row @ weights, inputs, retain_graph=True, allow_unused=True)
        found.append(
            torch.cat(
                [
                    torch.zeros(of.shape[1], dtype=torch.bool)
                    if slope is None
                    else slope[0].ne(0).any(-1)
                    for slope, of in zip(slopes, inputs, strict=True)
                ]
            )
        )
    return torch.stack(found)
