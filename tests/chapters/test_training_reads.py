"""What a prediction reads, found by gradients, changes it when it is replaced (C07, C12)."""

from __future__ import annotations

import pytest
import torch

from mtcourse.chapters.training.reads import target_reads
from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.text.batches import shift_right
from mtcourse.text.tokenizer import EOS

m = 5
SOURCE = torch.tensor([[7, 8, 9, EOS]])
LABELS = torch.tensor([[10, 11, 12, 13, EOS]])
CASES = [(shift, mask, norm) for shift in (True, False) for mask in (True, False)
         for norm in ("pre", "post")]  # fmt: skip


def model_of(seed: int, norm: str = "pre") -> EncoderDecoder:
    sizes = EncoderDecoderConfig(20, 20, d_model=16, d_ff=32, dropout=0.0, norm=norm)
    return EncoderDecoder(sizes, seed=seed).double()


def moves(model: EncoderDecoder, shift: bool, mask: bool) -> torch.Tensor:
    """Brute force: which rows of logits change when a target token is replaced by another."""

    def logits(labels: torch.Tensor) -> torch.Tensor:
        rows = model.target_embedding(shift_right(labels) if shift else labels)
        allowed = torch.ones(1, 1, m, m).bool() if not mask else torch.ones(m, m).tril().bool()
        H_E = model.encode(SOURCE)
        for block in model.decoder:
            keys_values = block.cross_attention.keys_values(H_E)
            rows, _ = block(rows, keys_values, mask=allowed.expand(1, 1, m, m))
        return model.logits(model.decoder_norm(rows))

    before = logits(LABELS)
    found = torch.zeros(m, m, dtype=torch.bool)
    for k in range(m):
        other = LABELS.clone()
        other[0, k] = 15
        found[:, k] = (logits(other) - before).abs().amax(-1)[0] > 0
    return found


@pytest.mark.parametrize(("shift", "mask", "norm"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_gradients_find_what_replacing_a_token_changes(seed, shift, mask, norm):
    with torch.no_grad():
        expected = moves(model_of(seed, norm), shift, mask)
    reads = target_reads(model_of(seed, norm), SOURCE, LABELS, shift, mask)
    assert torch.equal(reads != 0, expected)


@pytest.mark.parametrize("seed", range(10))
def test_only_shift_and_mask_together_let_each_prediction_read_just_what_came_before(seed):
    before = torch.ones(m, m).tril(-1).bool()
    fair = {
        (shift, mask): torch.equal(
            target_reads(model_of(seed), SOURCE, LABELS, shift, mask) != 0, before
        )
        for shift in (True, False)
        for mask in (True, False)
    }
    assert [both for both, is_fair in fair.items() if is_fair] == [(True, True)]


def test_one_sentence_at_a_time():
    with pytest.raises(MtcourseError, match="one sentence at a time"):
        target_reads(model_of(0), SOURCE, LABELS.repeat(2, 1))
