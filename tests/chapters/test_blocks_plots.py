"""The picture of chapter 10, and what its page computes, against brute force and PyTorch."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from matplotlib.patches import Circle, Rectangle
from torch import nn

from mtcourse.chapters.blocks.document_c import end_without_a_sum
from mtcourse.chapters.blocks.plots import placements
from mtcourse.chapters.blocks.readable import readable_share
from mtcourse.chapters.blocks.residual_stream import decoder_stages, mean_probability
from mtcourse.chapters.blocks.units import UnitActivations, promoted_tokens, unit_activations
from mtcourse.chapters.blocks.whole_model import (
    EQUATIONS,
    EQUATIONS_OF_ATTENTION,
    attend,
    equation_table,
    statements,
    transformer_2017,
    weights_of,
)
from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.translator import Translator
from mtcourse.text.batches import Batch, Example, shift_right
from mtcourse.text.corpora import builtin_corpus


def model_of(norm: str, shared: bool = True, layers: int = 2) -> EncoderDecoder:
    """A small model in double precision whose norms and networks are not at their start."""
    sizes = EncoderDecoderConfig(
        30, 30, d_model=16, h=4, d_ff=24, encoder_layers=layers, decoder_layers=layers,
        dropout=0.0, norm=norm, shared_embeddings=shared,
    )  # fmt: skip
    model = EncoderDecoder(sizes, seed=3).double().eval()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "feed_forward" in name:
                weight += 0.3 * torch.randn(weight.shape, generator=generator)
    return model


@pytest.fixture
def batch() -> Batch:
    return Batch.of([Example([5, 7, 9], [15, 17]), Example([6], [16, 8, 21])])


# --- the picture --------------------------------------------------------------------------------


def test_post_norm_has_its_norms_on_the_line_and_pre_norm_beside_it(ax):
    placements(ax)
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    middles = [
        (text.get_text(), text.get_position()[0]) for text in ax.texts if "Norm" in text.get_text()
    ]
    on_the_line = [(name, x) for name, x in middles if x in (0.0, 6.4)]
    assert sorted(on_the_line) == [("LayerNorm", 0.0)] * 2 + [("last LayerNorm", 6.4)]
    assert len(middles) == 5
    assert len(boxes) == 2 * 2 + 2 + 2 + 1
    assert sum(isinstance(patch, Circle) for patch in ax.patches) == 4


# --- the whole model on one page ----------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 3])
def test_the_lines_of_2017_compute_what_the_package_computes(batch, layers):
    model = model_of("post", layers=layers)
    with torch.no_grad():
        norms = [part for part in model.modules() if isinstance(part, nn.LayerNorm)]
        for number, norm in enumerate(norms):
            norm.weight += 0.1 * number + 0.1 * torch.arange(16) / 16
            norm.bias += 0.02 * number
    logits, loss = transformer_2017(batch.source, batch.labels, weights_of(model), h=4)
    real = (batch.source != 0)[:, None, None]
    expected = model(batch.source, shift_right(batch.labels), real)
    there = batch.labels != 0
    torch.testing.assert_close(logits[there], expected[there], atol=1e-12, rtol=0)
    theirs = nn.functional.cross_entropy(expected[there], batch.labels[there])
    torch.testing.assert_close(loss, theirs, atol=1e-12, rtol=0)


def test_attention_of_2017_is_torchs():
    generator = torch.Generator().manual_seed(2)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    X, Z, W = normal(2, 3, 8), normal(2, 5, 8), tuple(normal(8, 8) for _ in range(4))
    mask = torch.ones(3, 5, dtype=torch.bool).tril(1)
    theirs = nn.MultiheadAttention(8, 2, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([w.T for w in W[:3]]))
        theirs.out_proj.weight.copy_(W[3].T)
    expected, _ = theirs(X, Z, Z, attn_mask=~mask)
    torch.testing.assert_close(attend(X, Z, W, 2, mask), expected)


@pytest.mark.parametrize(("norm", "shared"), [("pre", True), ("post", False)])
def test_another_model_than_that_of_2017_is_refused(norm, shared):
    with pytest.raises(MtcourseError, match="post-norm and shares its embeddings"):
        weights_of(model_of(norm, shared))


def test_a_bias_that_the_lines_would_leave_out_is_refused():
    model = model_of("post")
    with torch.no_grad():
        model.decoder[1].cross_attention.W_O.bias[3] = 1.0
    with pytest.raises(MtcourseError, match="has a bias that is not 0"):
        weights_of(model)


def test_each_line_stands_beside_its_equation():
    table = equation_table(transformer_2017, EQUATIONS).splitlines()
    lines = statements(transformer_2017)
    assert len(table) == len(lines) + 2 == len(EQUATIONS) + 2
    for row, line, (equation, page) in zip(table[2:], lines, EQUATIONS, strict=True):
        assert line.strip() in row  # and none has to be divided
        assert f"${equation}$" in row
        assert row.endswith(f"[{int(page[:2])}](./{page}.md) |")
    of_attention = equation_table(attend, EQUATIONS_OF_ATTENTION)
    assert "| `A, _ = scaled_dot_product_attention(Q, K, V,` <br> `\u2003mask)` |" in of_attention
    assert "merge_heads" in of_attention
    assert "def " not in of_attention
    with pytest.raises(MtcourseError, match="attend has 4 lines and 3 equations"):
        equation_table(attend, EQUATIONS_OF_ATTENTION[:3])


def test_six_layers_keep_the_shape_and_have_weights_of_their_own():
    weights = weights_of(model_of("post", layers=6))
    x, y = torch.tensor([[5, 7, 9, 11, 4, 6, 8, 3]]), torch.tensor([[15, 17, 3]])
    logits, _ = transformer_2017(x, y, weights, h=4)
    assert logits.shape == (1, 3, 30)
    for block in weights.encoder:
        X = torch.randn(1, 8, 16, dtype=torch.float64)
        assert (
            attend(X, X, block.self_attention, 4, torch.ones(8, 8, dtype=torch.bool)).shape
            == X.shape
        )
    first = [block.self_attention[0] for block in weights.encoder]
    assert len({matrix.data_ptr() for matrix in first}) == 6
    assert not any(torch.equal(first[0], other) for other in first[1:])


# --- document C ---------------------------------------------------------------------------------


def test_what_the_network_drops_is_lost_in_document_c():
    generator = torch.Generator().manual_seed(4)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    H, C, norm = normal(2, 3, 4), normal(2, 3, 4), (normal(4), normal(4))
    network = normal(4, 16), normal(16), normal(16, 4), normal(4)
    U = nn.functional.layer_norm(H + C, [4], *norm)
    W_1, b_1, W_2, b_2 = network
    theirs = nn.functional.linear(torch.relu(nn.functional.linear(U, W_1.T, b_1)), W_2.T, b_2)
    torch.testing.assert_close(end_without_a_sum(H, C, norm, network), theirs)
    learnt_nothing = W_1, b_1, torch.zeros_like(W_2), b_2
    out = end_without_a_sum(H, C, norm, learnt_nothing)
    assert torch.equal(out, b_2.expand(2, 3, 4))


# --- the residual stream ------------------------------------------------------------------------


def test_the_last_stage_is_what_the_last_norm_reads(batch):
    model = model_of("pre")
    stages = decoder_stages(model, batch)
    assert list(stages) == [
        "embedding",
        *(f"{f} {k}" for k in (1, 2) for f in ("self-attention", "cross-attention", "network")),
    ]
    real = (batch.source != 0)[:, None, None]
    expected = model.hidden(batch.source, batch.decoder_input, real)
    torch.testing.assert_close(model.decoder_norm(stages["network 2"]), expected)
    torch.testing.assert_close(stages["embedding"], model.target_embedding(batch.decoder_input))
    with pytest.raises(MtcourseError, match="a pre-norm model is needed"):
        decoder_stages(model_of("post"), batch)


def test_the_mean_probability_is_that_of_a_loop(batch):
    model = model_of("pre")
    rows, counted = decoder_stages(model, batch)["network 1"], batch.labels != 0
    total = 0.0
    for sentence, label, use in zip(rows, batch.labels, counted, strict=True):
        for j in range(len(label)):
            if use[j]:
                logits = model.decoder_norm(sentence[j]) @ model.output_weight.T
                p = torch.softmax(logits.detach(), -1)
                total += float(p[label[j]])
    found = mean_probability(model, rows, batch.labels, counted)
    assert found == pytest.approx(total / int(counted.sum()))


# --- units --------------------------------------------------------------------------------------


def test_the_strongest_tokens_have_the_highest_means_and_rare_ones_are_left_out():
    ids = torch.tensor([4, 4, 7, 7, 9, 5, 5])
    values = torch.tensor([[1.0], [3.0], [5.0], [0.0], [90.0], [1.0], [0.0]])
    of_unit = UnitActivations(ids, values)
    assert of_unit.strongest_tokens(0, 3, at_least=2) == [7, 4, 5]
    assert of_unit.strongest_tokens(0, 1, at_least=1) == [9]
    assert of_unit.active_share(0) == pytest.approx(5 / 7)


def test_the_activations_are_those_inside_the_network():
    translator = Translator.load(device="cpu")
    (pair,) = builtin_corpus().splits["test"][:1]
    found = unit_activations(translator, [pair])
    assert list(found) == [("encoder", 0), ("encoder", 1), ("decoder", 0), ("decoder", 1)]
    model, tokenizers = translator.model, translator.tokenizers
    source = torch.tensor([[*tokenizers.source.encode(pair.source), 3]])
    with torch.no_grad():
        x = model.source_embedding(source)
        block = model.encoder[0]
        x = x + block.self_attention(block.around_self_attention.enter(x))[0]
        layer = block.feed_forward.W_1
        rows = block.around_feed_forward.enter(x)[0]
        expected = (rows @ layer.weight.T + layer.bias).clamp(min=0)
    assert found["encoder", 0].ids.tolist() == source[0].tolist()
    torch.testing.assert_close(found["encoder", 0].values, expected, atol=1e-4, rtol=1e-4)
    target = [2, *tokenizers.target.encode(pair.target)]
    assert found["decoder", 1].ids.tolist() == target


def test_a_unit_promotes_the_tokens_that_its_value_is_most_like():
    translator = Translator.load(device="cpu")
    model = translator.model
    v = model.decoder[0].feed_forward.W_2.weight.detach()[:, 163]
    gain, table = model.decoder_norm.weight.detach(), model.output_weight.detach()
    scores = [float((gain * v) @ row) for row in table]
    best = sorted(range(len(scores)), key=lambda k: -scores[k])[:3]
    assert promoted_tokens(translator, 0, 163, 3) == best


# --- what can still be read ---------------------------------------------------------------------


def test_what_is_only_mixed_can_be_read_and_what_is_gone_cannot():
    generator = torch.Generator().manual_seed(1)
    X = torch.randn(400, 6, generator=generator, dtype=torch.float64)
    mix = torch.randn(6, 6, generator=generator, dtype=torch.float64)
    assert readable_share(X, X @ mix + 3) == pytest.approx(1)
    normalised = nn.functional.layer_norm(X, [6])  # columns that are not independent
    twice = torch.cat([normalised, normalised], dim=-1)
    assert readable_share(normalised, twice) == pytest.approx(1)
    assert 0.5 < readable_share(X, normalised) < 0.99
    half = readable_share(X, X[:, :3])
    assert 0.4 < half < 0.6
    noise = torch.randn(400, 6, generator=generator, dtype=torch.float64)
    assert readable_share(X, noise) < 0.05
    with pytest.raises(MtcourseError, match="12 rows are too few for a map from 6 columns"):
        readable_share(X[:12], X[:12])


def test_weights_cannot_be_exchanged_in_place():
    weights = weights_of(model_of("post"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        weights.W_E = torch.zeros(1)  # type: ignore[misc]
