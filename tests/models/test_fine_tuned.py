"""Heads on an encoder, against BERT's own of ``transformers``."""

from __future__ import annotations

import pytest
import torch
from transformers import BertForTokenClassification

from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.fine_tuned import FineTuned, sequence_scores, token_scores
from mtcourse.models.transformer import TransformerConfig
from tests.helpers.families import D_MODEL, V, bert

CLASSES = 5


def ids_of(*shape: int) -> torch.Tensor:
    return torch.randint(4, V, shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("seed", range(2))
def test_the_token_head_is_berts_in_outputs_and_gradients(seed):
    """BertForTokenClassification: encoder, dropout, one linear layer; no pooling."""
    theirs, ours = bert(seed)
    whole = BertForTokenClassification(
        type(theirs.config)(**theirs.config.to_dict() | {"num_labels": CLASSES})
    ).double()
    whole.bert = theirs
    model = FineTuned(ours, "token", CLASSES, seed=seed).double()
    with torch.no_grad():
        whole.classifier.weight.copy_(model.W.T)
        whole.classifier.bias.copy_(model.b.normal_(generator=torch.Generator().manual_seed(3)))
    ids = ids_of(2, 9)
    ids[0, 6:] = 0
    labels = torch.randint(CLASSES, ids.shape, generator=torch.Generator().manual_seed(2))
    labels[:, 0] = labels[0, 6:] = -100
    whole.eval()
    result = whole(ids, attention_mask=(ids != 0).long(), labels=labels)
    scores = model(ids, source_mask(ids))
    real = ids != 0
    torch.testing.assert_close(scores[real], result.logits[real], atol=1e-11, rtol=1e-10)
    loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten())
    torch.testing.assert_close(loss, result.loss, atol=1e-12, rtol=0)
    loss.backward()
    result.loss.backward()
    torch.testing.assert_close(model.W.grad, whole.classifier.weight.grad.T, atol=1e-12, rtol=1e-9)
    own = model.body.blocks[0].feed_forward.W_1.weight.grad
    torch.testing.assert_close(
        own, theirs.encoder.layer[0].intermediate.dense.weight.grad, atol=1e-12, rtol=1e-9
    )


def test_the_sequence_head_reads_the_class_row_alone():
    generator = torch.Generator().manual_seed(4)
    H = torch.randn(3, 6, D_MODEL, generator=generator).double().requires_grad_()
    W = torch.randn(D_MODEL, CLASSES, generator=generator).double()
    b = torch.randn(CLASSES, generator=generator).double()
    expected = torch.stack([W.T @ rows[0] + b for rows in H])
    torch.testing.assert_close(sequence_scores(H, W, b), expected)
    sequence_scores(H, W, b).square().sum().backward()
    assert H.grad is not None
    assert (H.grad.abs().amax((0, 2)) > 0).tolist() == [True] + [False] * 5
    torch.testing.assert_close(token_scores(H, W, b)[:, 0], expected)


def test_shapes_follow_the_kind_of_head():
    body = EncoderModel(TransformerConfig(V, D_MODEL, 4, 32, 2))
    ids = ids_of(2, 7)
    assert FineTuned(body, "sequence", 3)(ids).shape == (2, 3)
    assert FineTuned(body, "token", 3)(ids).shape == (2, 7, 3)
    for kind, classes, said in (("word", 3, "no head 'word'"), ("token", 1, "1 classes")):
        with pytest.raises(MtcourseError, match=said):
            FineTuned(body, kind, classes)


def test_a_frozen_body_learns_nothing_and_drops_nothing():
    body = EncoderModel(TransformerConfig(V, D_MODEL, 4, 32, 2, dropout=0.5))
    model, ids = FineTuned(body, "sequence", 3, frozen=True).train(), ids_of(2, 7)
    assert model.training
    assert not any(part.training for part in body.modules())
    assert torch.equal(model(ids), model(ids))
    model(ids).square().sum().backward()
    assert all(parameter.grad is None for parameter in body.parameters())
    assert model.W.grad is not None
    awake = FineTuned(body, "sequence", 3).train()
    assert not torch.equal(awake(ids), awake(ids))
    awake(ids).square().sum().backward()
    assert all(parameter.grad is not None for parameter in body.parameters())
