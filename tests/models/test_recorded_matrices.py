"""Every matrix that a model computes is what its equation says of those before it."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.recorded_matrices import recorded_matrices

SOURCE, READ = torch.tensor([5, 9, 4, 7, 3]), torch.tensor([2, 6, 6, 8])
H = 2


@pytest.fixture(params=["pre", "post"])
def model(request: pytest.FixtureRequest) -> EncoderDecoder:
    config = EncoderDecoderConfig(
        11, 11, d_model=8, h=H, d_ff=12, encoder_layers=2, decoder_layers=2, norm=request.param
    )
    model = EncoderDecoder(config, seed=3).eval()
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():  # norms and biases, too, must be heard
        parameter.data += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model


def close(found: torch.Tensor, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(found, wanted.detach(), rtol=1e-5, atol=1e-5)


def test_embeddings(model):
    found = recorded_matrices(model, SOURCE, READ)
    for side, ids in (("source", SOURCE), ("target", READ)):
        E, P = found[f"{side}_embedding.E"], found[f"{side}_embedding.P"]
        close(E, F.embedding(ids, model.output_weight))
        close(found[f"{side}_embedding.X"], math.sqrt(8) * E + P)
        assert P[0].tolist() == [0.0, 1.0] * 4


def test_the_ends_are_the_models_own(model):
    found = recorded_matrices(model, SOURCE, READ)
    H_E = model.encode(SOURCE[None])
    H_D = model.decode(READ[None], H_E)
    close(found["output.logits"], model.logits(H_D)[0])
    close(found["encoder_norm.written"], H_E[0])
    close(found["decoder_norm.written"], H_D[0])


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("kind", ["encoder.{}.self", "decoder.{}.self", "decoder.{}.cross"])
def test_attention(model, kind, layer):
    name = kind.format(layer) + "_attention"
    found = recorded_matrices(model, SOURCE, READ)
    Q, K, V, A = (found[f"{name}.{symbol}"] for symbol in "QKVA")
    causal = name.startswith("decoder") and "self" in name
    for head in range(H):
        part = slice(head * 4, head * 4 + 4)
        given = [X[:, part][None, None] for X in (Q, K, V)]
        close(A[:, part], F.scaled_dot_product_attention(*given, is_causal=causal)[0, 0])
        close(found[f"{name}.weights.{head}"] @ V[:, part], A[:, part])
    if "cross" in name:
        H_E = found["encoder_norm.written"]
        close(torch.cat([K, V], -1), model.decoder[layer].cross_attention.W_KV(H_E))


def test_the_first_block_and_its_network(model):
    found = recorded_matrices(model, SOURCE, READ)
    block = model.encoder[0]
    X = found["source_embedding.X"]
    entered = block.around_self_attention.enter(X)
    QKV = torch.cat([found[f"encoder.0.self_attention.{symbol}"] for symbol in "QKV"], -1)
    close(QKV, block.self_attention.W_QKV(entered))
    A = block.self_attention.W_O(found["encoder.0.self_attention.A"])
    x = block.around_self_attention.leave(X, A)
    hidden = block.feed_forward.W_1(block.around_feed_forward.enter(x)).relu()
    close(found["encoder.0.feed_forward.hidden"], hidden)
    assert {"decoder.0.feed_forward.hidden", "encoder.1.feed_forward.hidden"} <= set(found)


def test_nothing_of_it_stays(model):
    before = model(SOURCE[None], READ[None])
    recorded_matrices(model, SOURCE, READ)
    assert torch.equal(model(SOURCE[None], READ[None]), before)
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())
