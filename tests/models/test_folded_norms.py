"""A model whose norms' gains and biases have moved into the next matrices computes the same."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.folded_norms import fold_norm, with_folded_norms
from mtcourse.models.translator import Translator

SOURCE, DECODER_INPUT = torch.tensor([[5, 6, 7, 3]]), torch.tensor([[2, 8, 9]])


def norms_of(model: EncoderDecoder) -> dict[str, nn.LayerNorm]:
    return {name: of for name, of in model.named_modules() if isinstance(of, nn.LayerNorm)}


def test_a_folded_matrix_reads_the_same():
    generator = torch.Generator().manual_seed(0)
    gain, bias, W, b, x = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((6,), (6,), (6, 4), (4,), (5, 6))
    )
    W_folded, b_folded = fold_norm(gain, bias, W, b)
    normalised = nn.functional.layer_norm(x, [6])
    expected = nn.functional.layer_norm(x, [6], gain, bias) @ W + b
    torch.testing.assert_close(normalised @ W_folded + b_folded, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shared", [True, False])
def test_the_whole_model_computes_the_same_to_twelve_digits(shared):
    config = EncoderDecoderConfig(20, 20, d_model=8, h=2, d_ff=16, shared_embeddings=shared)
    model = EncoderDecoder(config).double().eval()
    for norm in norms_of(model).values():
        nn.init.normal_(norm.weight)
        nn.init.normal_(norm.bias)
    before = {name: of.clone() for name, of in model.state_dict().items()}
    folded = with_folded_norms(model)
    with torch.no_grad():
        expected, found = model(SOURCE, DECODER_INPUT), folded(SOURCE, DECODER_INPUT)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    assert all(torch.equal(before[name], of) for name, of in model.state_dict().items())
    kept = [
        name for name, of in norms_of(folded).items() if (of.weight != 1).any() or of.bias.any()
    ]
    assert kept == ["decoder_norm"]


def test_the_shipped_translator_computes_the_same():
    model = Translator.load(device="cpu").model.double()
    with torch.no_grad():
        expected, found = (of(SOURCE, DECODER_INPUT) for of in (model, with_folded_norms(model)))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-11)


def test_a_post_norm_model_is_refused():
    config = EncoderDecoderConfig(20, 20, d_model=8, h=2, d_ff=16, norm="post")
    with pytest.raises(
        MtcourseError, match="only in a pre-norm model, and this one's norm is 'post'"
    ):
        with_folded_norms(EncoderDecoder(config))
