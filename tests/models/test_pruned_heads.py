"""Heads taken out of a model add nothing, and come back."""

from __future__ import annotations

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.layers.multi_head import merge_heads, split_heads
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.pruned_heads import Head, attention_layers, heads_of, without_heads


@pytest.fixture
def model() -> EncoderDecoder:
    return EncoderDecoder(EncoderDecoderConfig(20, 20, d_model=8, h=2, d_ff=16)).eval()


def outputs(model: EncoderDecoder) -> torch.Tensor:
    with torch.no_grad():
        return model(torch.tensor([[5, 6, 7, 3]]), torch.tensor([[2, 8, 9]]))


def test_every_head_is_there_once_and_has_a_name(model):
    heads = heads_of(model)
    assert len(heads) == len(set(heads)) == 2 * 6
    assert [str(head) for head in heads[:3]] == ["encoder 1.1", "encoder 1.2", "encoder 2.1"]
    assert str(heads[-1]) == "cross 2.2"


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_a_head_without_its_rows_is_a_head_whose_output_is_zero(model, kind):
    layer = attention_layers(model)[kind, 1]
    X = torch.randn(1, 4, 8)
    own = layer.attention

    def without_the_second(Q, K, V, mask=None, causal=False):
        A, weights = own(Q, K, V, mask, causal)
        return A * torch.tensor([1.0, 0.0])[:, None, None], weights

    with without_heads(model, [Head(kind, 1, 1)]):
        found = layer(X)[0]
    layer.attention = without_the_second
    torch.testing.assert_close(found, layer(X)[0])
    assert torch.equal(merge_heads(split_heads(X, 2)), X)


def test_each_head_changes_what_the_model_says_and_all_is_as_before(model):
    before = outputs(model)
    weights = {name: of.clone() for name, of in model.state_dict().items()}
    for head in heads_of(model):
        with without_heads(model, [head]):
            assert not torch.equal(outputs(model), before)
    assert torch.equal(outputs(model), before)
    assert all(torch.equal(of, weights[name]) for name, of in model.state_dict().items())


def test_heads_come_back_after_an_error_and_none_may_be_unknown(model):
    before = outputs(model)
    with pytest.raises(RuntimeError, match="stop"), without_heads(model, heads_of(model)):
        raise RuntimeError("stop")
    assert torch.equal(outputs(model), before)
    unknown = without_heads(model, [Head("encoder", 0, 2)])
    with pytest.raises(MtcourseError, match=r"no head encoder 1\.3"), unknown:
        pass
