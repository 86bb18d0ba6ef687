"""Sublayers taken out of a model add nothing to the residual stream, and come back."""

from __future__ import annotations

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.without_sublayers import Sublayer, sublayers_of, without_sublayers

KINDS = {
    "encoder self-attention": ("encoder", "self_attention"),
    "encoder network": ("encoder", "feed_forward"),
    "decoder self-attention": ("decoder", "self_attention"),
    "cross-attention": ("decoder", "cross_attention"),
    "decoder network": ("decoder", "feed_forward"),
}


@pytest.fixture
def model() -> EncoderDecoder:
    model = EncoderDecoder(EncoderDecoderConfig(20, 20, d_model=8, h=2, d_ff=16)).eval()
    for parameter in model.parameters():  # biases too, which begin at zero
        torch.nn.init.normal_(parameter, generator=torch.Generator().manual_seed(1))
    return model


def outputs(model: EncoderDecoder) -> torch.Tensor:
    with torch.no_grad():
        return model(torch.tensor([[5, 6, 7, 3]]), torch.tensor([[2, 8, 9]]))


def test_every_sublayer_is_there_once_and_has_a_name(model):
    sublayers = sublayers_of(model)
    assert len(sublayers) == len(set(sublayers)) == 2 * 2 + 2 * 3
    assert str(sublayers[0]) == "encoder self-attention 1"
    assert str(sublayers[-1]) == "decoder network 2"


@pytest.mark.parametrize("kind", KINDS)
def test_a_sublayer_that_is_taken_out_returns_zero(model, kind):
    side, name = KINDS[kind]
    sublayer = getattr(getattr(model, side)[1], name)

    def zero(module, inputs, output):
        return (0 * output[0], output[1]) if isinstance(output, tuple) else 0 * output

    before = outputs(model)
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    with without_sublayers(model, [Sublayer(kind, 1)]):
        found = outputs(model)
    with sublayer.register_forward_hook(zero):
        torch.testing.assert_close(found, outputs(model))
    assert not torch.allclose(found, before)
    assert all(torch.equal(weights[name], of) for name, of in model.state_dict().items())


def test_without_all_sublayers_each_prediction_depends_on_its_own_token_alone(model):
    with without_sublayers(model, sublayers_of(model)), torch.no_grad():
        one, other = (
            model(torch.tensor([source]), torch.tensor([[first, 9]]))
            for source, first in (([5, 6], 8), ([7, 3], 4))
        )
    assert torch.equal(one[:, 1], other[:, 1])
    assert not torch.equal(one[:, 0], other[:, 0])


def test_an_error_gives_the_weights_back(model):
    before = outputs(model)
    with pytest.raises(RuntimeError), without_sublayers(model, sublayers_of(model)):
        raise RuntimeError
    assert torch.equal(outputs(model), before)


def test_a_sublayer_that_is_not_there_is_named_with_those_that_are(model):
    with (
        pytest.raises(MtcourseError, match=r"no cross-attention 3; its sublayers are encoder self"),
        without_sublayers(model, [Sublayer("cross-attention", 2)]),
    ):
        pass
