"""Which inputs each row depends on, against inputs that are changed."""

from __future__ import annotations

import pytest
import torch

from mtcourse.chapters.encoder_models.reads import reads
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.transformer import TransformerConfig

SIZES = TransformerConfig(20, d_model=16, h=2, d_ff=24, layers=2, dropout=0.0)


@pytest.mark.parametrize("causal", [True, False])
def test_gradients_find_what_changed_inputs_find(causal: bool) -> None:
    model = EncoderModel(SIZES, seed=2).double().eval()
    ids = torch.tensor([5, 9, 7, 12, 6])
    x = model.embed(ids[None]).detach()
    before = model.run(x, None, causal)[0][-1]
    expected = torch.zeros(5, 5, dtype=torch.bool)
    for s in range(5):
        changed = x.clone()
        changed[0, s] += torch.randn(16, generator=torch.Generator().manual_seed(s)).double()
        expected[:, s] = (model.run(changed, None, causal)[0][-1] != before)[0].any(-1)
    found = reads(model, ids, causal)
    assert torch.equal(found, expected)
    assert torch.equal(found, torch.ones(5, 5).tril().bool() if causal else torch.ones(5, 5).bool())


def test_the_loss_moves_the_logits_of_chosen_rows_only() -> None:
    from mtcourse.recipes.encoder import EncoderFamily
    from mtcourse.text.text_batches import TextBatch

    model = EncoderModel(SIZES, seed=2).double()
    ids = torch.tensor([[19, 9, 7, 12, 6]])
    labels = torch.tensor([[0, 0, 7, 0, 6]])
    rows = model.hidden(ids)
    rows.retain_grad()
    model.hidden = lambda *_: rows  # type: ignore[method-assign]
    EncoderFamily().loss(model, TextBatch(ids, labels)).backward()
    assert rows.grad is not None
    assert rows.grad[0].abs().sum(-1).nonzero().flatten().tolist() == [2, 4]
