"""The whole model, against ``transformers`` and against what a decoder must not see."""

from __future__ import annotations

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.layers.masks import padding_mask, source_mask
from mtcourse.models.encoder_decoder import (
    EncoderDecoder,
    EncoderDecoderConfig,
    use_attention,
)
from tests.helpers.oracles import SMALL, marian_of, model_of_seed


def ids_of(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(4, 40, shape, generator=torch.Generator().manual_seed(seed))


def test_logits_are_those_of_transformers_marian():
    model = model_of_seed(norm="post")
    source, decoder_input = ids_of(3, 9), ids_of(3, 7, seed=1)
    source[0, 5:] = 0
    source[2, 8:] = 0
    theirs = marian_of(model)(
        input_ids=source, attention_mask=(source != 0).long(), decoder_input_ids=decoder_input
    ).logits
    ours = model(source, decoder_input, padding_mask(source))
    torch.testing.assert_close(ours, theirs, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_both_attentions_give_the_same_logits_and_gradients(norm, device):
    model = model_of_seed(norm=norm).to(device)
    source, decoder_input = ids_of(3, 9).to(device), ids_of(3, 7, seed=1).to(device)
    source[1, 4:] = 0
    results = []
    for attention in (None, scaled_dot_product_attention):
        if attention is not None:
            use_attention(model, attention)
        logits = model(source, decoder_input, source_mask(source))
        model.zero_grad()
        logits.square().sum().backward()
        results.append([logits, *(p.grad.clone() for p in model.parameters())])
    for fused, readable in zip(*results, strict=True):
        torch.testing.assert_close(fused, readable, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_future_target_tokens_change_nothing(norm, device):
    model = model_of_seed(norm=norm).to(device)
    source, decoder_input = ids_of(2, 6).to(device), ids_of(2, 8, seed=1).to(device)
    changed = decoder_input.clone()
    changed[:, 5:] = ids_of(2, 3, seed=2).to(device)
    before, after = model(source, decoder_input), model(source, changed)
    torch.testing.assert_close(before[:, :5], after[:, :5], atol=1e-5, rtol=1e-5)
    assert (before[:, 5:] - after[:, 5:]).abs().max() > 1e-2


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_source_padding_changes_nothing(norm, device):
    model = model_of_seed(norm=norm).to(device)
    source, decoder_input = ids_of(2, 6).to(device), ids_of(2, 8, seed=1).to(device)
    padded = torch.cat([source, source.new_zeros(2, 4)], dim=1)
    alone, in_batch = (
        model(source, decoder_input),
        model(padded, decoder_input, padding_mask(padded)),
    )
    torch.testing.assert_close(alone, in_batch, atol=1e-5, rtol=1e-5)
    unmasked = model(padded, decoder_input)
    assert (alone - unmasked).abs().max() > 1e-2, "without the mask padding leaks: D05"


def test_no_mask_is_made_where_nothing_is_padded():
    assert source_mask(ids_of(2, 5)) is None
    assert source_mask(torch.tensor([[5, 0], [6, 7]])).tolist() == [
        [[[True, False]]],
        [[[True, True]]],
    ]


def test_shared_embeddings_are_one_table_that_gradients_of_all_uses_reach():
    model = model_of_seed()
    assert model.source_embedding.W_E is model.target_embedding.W_E is model.output_weight
    separate = model_of_seed(shared_embeddings=False, V_s=30)
    assert separate.source_embedding.W_E.shape == (30, 16)
    assert separate.output_weight is not separate.target_embedding.W_E
    assert (
        sum(p.numel() for p in separate.parameters()) - sum(p.numel() for p in model.parameters())
        == (30 + 40) * 16
    )


def test_initial_squares_of_stacked_weights_have_the_variance_of_a_square():
    model = EncoderDecoder(EncoderDecoderConfig(V_s=10, V_t=10, d_model=128, h=4))
    bound = (6 / (128 + 128)) ** 0.5
    stacked = model.encoder[0].self_attention.W_QKV.weight
    assert bound * 0.99 < stacked.abs().max() <= bound
    wide = model.encoder[0].feed_forward.W_1.weight
    assert wide.abs().max() <= (6 / (128 + 512)) ** 0.5


@pytest.mark.trains
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_one_batch_overfits(norm, device):
    model = model_of_seed(norm=norm, dropout=0.0).to(device).train()
    source, target = ids_of(4, 6).to(device), ids_of(4, 7, seed=3).to(device)
    decoder_input = torch.cat([target.new_full((4, 1), 2), target[:, :-1]], dim=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(120):
        loss = torch.nn.functional.cross_entropy(
            model(source, decoder_input).flatten(0, 1), target.flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < 0.05


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"d_model": 18}, "18.*4"),
        ({"h": 0}, "h must be at least 1, not 0"),
        ({"V_t": 41}, "V_s is 40 and V_t is 41"),
        ({"dropout": 1.0}, "dropout.*1.0"),
        ({"norm": "middle"}, "'middle'"),
    ],
)
def test_a_config_that_cannot_be_says_both_values(change, words):
    with pytest.raises(MtcourseError, match=words):
        EncoderDecoderConfig(**{**SMALL, **change})


def test_a_config_survives_json_and_names_foreign_keys():
    config = EncoderDecoderConfig(**SMALL)
    assert EncoderDecoderConfig.from_dict(config.to_dict()) == config
    with pytest.raises(MtcourseError, match="unknown keys: depth"):
        EncoderDecoderConfig.from_dict({**SMALL, "depth": 3})
    with pytest.raises(MtcourseError, match="lacks V_t"):
        EncoderDecoderConfig.from_dict({"V_s": 3})
