"""The three families against ``transformers`` with its random weights: outputs and gradients."""

from __future__ import annotations

import math

import pytest
import torch

from mtcourse.layers.masks import source_mask
from tests.helpers.families import D_MODEL, LAYERS, V, bart, bert, gpt2


def ids_of(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(4, V, shape, generator=torch.Generator().manual_seed(seed))


def equal(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    scale = float(theirs.detach().abs().max())
    assert scale > 1e-3, "zeros prove nothing"
    torch.testing.assert_close(ours, theirs, atol=1e-11 * scale, rtol=1e-10)


def gradients_of(model: torch.nn.Module, output: torch.Tensor) -> None:
    """Gradients of a loss in which every number of the output counts differently."""
    weights = torch.randn(output.shape, generator=torch.Generator().manual_seed(9)).double()
    model.zero_grad()
    (output * weights).sum().backward()


@pytest.mark.parametrize("seed", range(3))
def test_the_decoder_only_model_is_gpt2(seed):
    theirs, ours = gpt2(seed)
    ids = ids_of(3, 11, seed=seed)
    logits, expected = ours(ids), theirs(ids).logits
    equal(logits, expected)
    gradients_of(ours, logits)
    gradients_of(theirs, expected)
    stack, root = theirs.transformer, math.sqrt(D_MODEL)
    equal(ours.embedding.W_E.grad / root, stack.wte.weight.grad)
    equal(ours.final_norm.weight.grad * root, stack.ln_f.weight.grad)
    for layer, block in zip(stack.h, ours.blocks, strict=True):
        equal(block.self_attention.W_QKV.weight.grad, layer.attn.c_attn.weight.grad.T)
        equal(block.self_attention.W_O.bias.grad, layer.attn.c_proj.bias.grad)
        equal(block.feed_forward.W_1.weight.grad, layer.mlp.c_fc.weight.grad.T)
        equal(block.feed_forward.W_2.bias.grad, layer.mlp.c_proj.bias.grad)
        equal(block.around_self_attention.layer_norm.weight.grad, layer.ln_1.weight.grad)
        equal(block.around_feed_forward.layer_norm.bias.grad, layer.ln_2.bias.grad)


@pytest.mark.parametrize("seed", range(3))
def test_the_encoder_only_model_is_bert(seed):
    theirs, ours = bert(seed)
    ids = ids_of(3, 11, seed=seed)
    ids[0, 7:] = 0
    real = (ids != 0)[..., None]
    H = ours.hidden(ids, source_mask(ids)) * real
    expected = theirs(ids, attention_mask=(ids != 0).long()).last_hidden_state * real
    equal(H, expected)
    gradients_of(ours, H)
    gradients_of(theirs, expected)
    tables = theirs.embeddings
    used = torch.arange(V) > 0  # they never train the row of padding
    equal(
        ours.embedding.W_E.grad[used] / math.sqrt(D_MODEL), tables.word_embeddings.weight.grad[used]
    )
    equal(ours.embedding_norm.weight.grad, tables.LayerNorm.weight.grad)
    for layer, block in zip(theirs.encoder.layer, ours.blocks, strict=True):
        within = layer.attention.self
        parts = (within.query, within.key, within.value)
        equal(
            block.self_attention.W_QKV.weight.grad, torch.cat([part.weight.grad for part in parts])
        )
        equal(block.self_attention.W_O.weight.grad, layer.attention.output.dense.weight.grad)
        equal(block.feed_forward.W_1.bias.grad, layer.intermediate.dense.bias.grad)
        equal(block.around_feed_forward.layer_norm.weight.grad, layer.output.LayerNorm.weight.grad)


@pytest.mark.parametrize("seed", range(3))
def test_the_encoder_decoder_is_bart(seed):
    theirs, ours = bart(seed)
    source, target = ids_of(3, 9, seed=seed), ids_of(3, 7, seed=seed + 10)
    source[1, 5:] = 0
    logits = ours(source, target, source_mask(source))
    expected = theirs(
        input_ids=source, attention_mask=(source != 0).long(), decoder_input_ids=target
    ).logits
    equal(logits, expected)
    gradients_of(ours, logits)
    gradients_of(theirs, expected)
    used = torch.arange(V) > 0
    equal(ours.target_embedding.W_E.grad[used], theirs.get_input_embeddings().weight.grad[used])
    for index in range(LAYERS):
        layer, block = theirs.model.decoder.layers[index], ours.decoder[index]
        keys_values = torch.cat(
            [layer.encoder_attn.k_proj.weight.grad, layer.encoder_attn.v_proj.weight.grad]
        )
        equal(block.cross_attention.W_KV.weight.grad, keys_values)
        equal(block.feed_forward.W_1.weight.grad, layer.fc1.weight.grad)
        other = theirs.model.encoder.layers[index]
        equal(
            ours.encoder[index].self_attention.W_O.weight.grad, other.self_attn.out_proj.weight.grad
        )
        equal(
            ours.encoder[index].around_self_attention.layer_norm.weight.grad,
            other.self_attn_layer_norm.weight.grad,
        )


def test_the_families_differ_in_nothing_but_what_a_position_may_see():
    """The same weights: the last position of a decoder sees what an encoder's sees."""
    from mtcourse.models.decoder_model import DecoderModel
    from mtcourse.models.encoder_model import EncoderModel
    from tests.helpers.families import SIZES

    decoder, encoder = DecoderModel(SIZES, seed=4).double(), EncoderModel(SIZES).double()
    encoder.load_state_dict(decoder.state_dict())
    ids = ids_of(2, 6)
    everything = torch.ones(1, 1, 6, 6, dtype=torch.bool)
    torch.testing.assert_close(decoder(ids, everything), encoder(ids), atol=1e-13, rtol=0)
    torch.testing.assert_close(decoder(ids[:, :1]), encoder(ids[:, :1]), atol=1e-13, rtol=0)
    assert not torch.allclose(decoder(ids)[:, 0], encoder(ids)[:, 0])
