"""What each row of a decoder predicts, reads and learns from (C02, C03, C06, C33)."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
import torch.nn.functional as F

from mtcourse.chapters.decoder_models.influence import loss_gradients
from mtcourse.layers.masks import causal_mask, document_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.transformer import Transformer, TransformerConfig
from mtcourse.text.text_batches import next_token_batch, packed_batch
from mtcourse.text.tokenizer import BOS, EOS

SIZES = {"d_model": 16, "h": 4, "d_ff": 24, "layers": 2, "dropout": 0.0}


def model_of(family: type[Transformer] = DecoderModel, V: int = 12, norm: str = "pre"):
    """A small model in double precision, with weights that are not at their start."""
    model = family(TransformerConfig(V, norm=norm, **SIZES), seed=3).double().eval()  # type: ignore[arg-type]
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.3 * torch.randn(weight.shape, generator=generator)
    return model


@pytest.fixture
def sentence():
    return next_token_batch([[5, 7, 9, 5, 11]])


def test_the_factors_of_all_texts_sum_to_1():
    """Every text that ends within three tokens, and every beginning that has not ended yet."""
    V, longest = 6, 3
    model = model_of(V=V)

    def log_p(tokens: tuple[int, ...]) -> float:
        inputs = torch.tensor([[BOS, *tokens[:-1]]])
        with torch.no_grad():
            rows = model(inputs).log_softmax(-1)[0]
        return sum(float(rows[t, token]) for t, token in enumerate(tokens))

    others = [token for token in range(V) if token != EOS]
    total = 0.0
    for length in range(longest):
        total += sum(
            math.exp(log_p((*tokens, EOS))) for tokens in itertools.product(others, repeat=length)
        )
    total += sum(math.exp(log_p(tokens)) for tokens in itertools.product(others, repeat=longest))
    assert total == pytest.approx(1, abs=1e-12)


def test_the_log_probabilities_of_a_sentence_are_one_factor_each():
    model = LanguageModel.load(device="cpu")
    pieces, found = model.token_log_probabilities("De hond slaapt.")
    ids = [*model.tokenizer.encode("De hond slaapt."), EOS]
    assert pieces == model.tokenizer.pieces(ids)
    for t, token in enumerate(ids):
        with torch.no_grad():
            row = model.model(torch.tensor([[BOS, *ids[:t]]]))[0, -1]
        assert found[t] == pytest.approx(float(row.log_softmax(-1)[token]), abs=1e-4)


def test_every_row_is_a_distribution_over_the_vocabulary(sentence):
    model = model_of()
    X_tilde = model.hidden(sentence.inputs)
    Y = torch.softmax(X_tilde @ model.embedding.W_E.T, dim=-1)
    assert Y.shape == (1, 6, 12)
    torch.testing.assert_close(Y.sum(-1), torch.ones(1, 6, dtype=torch.float64))
    torch.testing.assert_close(Y, model(sentence.inputs).softmax(-1))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_all_predictions_of_one_pass_equal_those_one_at_a_time(sentence, norm):
    model = model_of(norm=norm)
    together = model(sentence.inputs)[0]
    for t in range(6):
        alone = model(sentence.inputs[:, : t + 1])[0, -1]
        torch.testing.assert_close(together[t], alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_families_with_the_same_weights_differ_in_the_mask_alone(sentence, norm):
    gpt, bert = model_of(norm=norm), model_of(EncoderModel, norm=norm)
    names = [(name, tuple(weight.shape)) for name, weight in gpt.named_parameters()]
    assert names == [(name, tuple(weight.shape)) for name, weight in bert.named_parameters()]
    bert.load_state_dict(gpt.state_dict())
    masked = bert.run(bert.embed(sentence.inputs), None, causal=True)[0][-1]
    assert torch.equal(masked, gpt.hidden(sentence.inputs))
    assert not torch.allclose(bert.hidden(sentence.inputs), gpt.hidden(sentence.inputs))


def test_a_shifted_row_reads_all_tokens_before_its_answer_and_no_other(sentence):
    G = loss_gradients(model_of(), sentence.inputs, sentence.labels).norm(dim=-1)
    assert torch.equal(G != 0, causal_mask(6)), "inputs 1 to t, exactly"
    unshifted = torch.tensor([[5, 7, 9, 5, 11]])
    G = loss_gradients(model_of(), unshifted, unshifted).norm(dim=-1)
    assert (G.diagonal() > 0).all(), "row t reads its own answer"


def test_a_model_without_its_mask_is_caught(sentence):
    for model, causal, leaks in (
        (model_of(), False, True),
        (model_of(EncoderModel), False, True),
        (model_of(EncoderModel), True, False),
    ):
        G = loss_gradients(model, sentence.inputs, sentence.labels, causal).norm(dim=-1)
        assert bool(G[~causal_mask(6)].any()) == leaks


def test_each_input_learns_from_the_losses_at_and_after_it(sentence):
    model = model_of()
    rows = model.embed(sentence.inputs).detach().requires_grad_()
    logits = model.logits(model.run(rows, None, causal=True)[0][-1])
    F.cross_entropy(logits[0], sentence.labels[0], reduction="sum").backward()
    G = loss_gradients(model, sentence.inputs, sentence.labels)
    torch.testing.assert_close(G.sum(0), rows.grad[0], rtol=0, atol=1e-12)
    assert (G.norm(dim=-1) > 0).sum(0).tolist() == [6, 5, 4, 3, 2, 1]


def test_packed_documents_see_each_other_unless_they_are_masked():
    model, batch = model_of(), packed_batch([[5, 7], [9], [11, 6, 8]], 9)
    assert batch.document is not None
    owner = batch.document[0]
    foreign = (owner[:, None] != owner[None, :]) & causal_mask(9)
    open_ = loss_gradients(model, batch.inputs, batch.labels).norm(dim=-1)
    assert (open_[foreign] > 0).all()
    mask = document_mask(batch.document)
    closed = loss_gradients(model, batch.inputs, batch.labels, False, mask).norm(dim=-1)
    assert not closed[foreign].any()
    assert (closed[mask[0, 0]] > 0).all()
