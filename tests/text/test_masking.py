"""Which tokens are hidden, how often, and by what."""

from __future__ import annotations

import math

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.text.masking import MaskedVocabulary, Masking, blanked, mask_tokens
from mtcourse.text.tokenizer import EOS
from tests.helpers.small_corpus import small_tokenizer

VOCABULARY = MaskedVocabulary(small_tokenizer())


def inputs_of(rows: int = 400, length: int = 50, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(EOS + 1, VOCABULARY.mask, (rows, length), generator=generator)
    ids[:, 0] = VOCABULARY.class_
    ids[::3, -5:] = 0
    ids[1::3, -1] = EOS
    return ids


@pytest.mark.parametrize("masking", [Masking(), Masking(0.4, 0.5, 0.3), Masking(0.15, 0.0, 1.0)])
def test_the_shares_are_those_asked_for(masking):
    """Within four standard deviations of the binomial distribution."""
    ids = inputs_of()
    batch = mask_tokens(ids, VOCABULARY, masking, torch.Generator().manual_seed(7))
    ordinary = (ids > EOS) & (ids < VOCABULARY.mask)
    chosen = batch.labels != 0

    def close(found: torch.Tensor, among: int, share: float) -> bool:
        tolerance = 4 * math.sqrt(max(share * (1 - share), 1e-3) * among)
        return abs(int(found.sum()) - share * among) < tolerance

    count = int(chosen.sum())
    assert close(chosen, int(ordinary.sum()), masking.rate)
    assert close(batch.inputs[chosen] == VOCABULARY.mask, count, masking.masked)
    changed = (batch.inputs != ids) & (batch.inputs != VOCABULARY.mask)
    same_by_chance = 1 / (VOCABULARY.mask - EOS - 1)
    assert close(changed[chosen], count, masking.random * (1 - same_by_chance))


def test_only_ordinary_tokens_are_chosen_and_the_rest_stays():
    ids = inputs_of()
    batch = mask_tokens(ids, VOCABULARY, Masking(rate=1.0), torch.Generator().manual_seed(1))
    ordinary = (ids > EOS) & (ids < VOCABULARY.mask)
    assert torch.equal(batch.labels != 0, ordinary)
    assert torch.equal(batch.labels[ordinary], ids[ordinary])
    assert torch.equal(batch.inputs[~ordinary], ids[~ordinary])
    drawn = batch.inputs[(batch.inputs != ids) & (batch.inputs != VOCABULARY.mask)]
    assert int(drawn.min()) > EOS
    assert int(drawn.max()) < VOCABULARY.mask


def test_each_call_draws_anew_and_the_same_generator_the_same():
    ids = inputs_of(4)
    generator = torch.Generator().manual_seed(3)
    first, second = (mask_tokens(ids, VOCABULARY, Masking(), generator) for _ in range(2))
    again = mask_tokens(ids, VOCABULARY, Masking(), torch.Generator().manual_seed(3))
    assert not torch.equal(first.labels, second.labels)
    assert torch.equal(first.inputs, again.inputs)


def test_blanks_are_put_exactly_where_they_are_asked_for():
    ids = inputs_of(3, 6)
    where = torch.zeros_like(ids, dtype=torch.bool)
    where[1, 2] = True
    batch = blanked(ids, where, VOCABULARY)
    assert batch.inputs[1, 2] == VOCABULARY.mask
    assert batch.labels[1, 2] == ids[1, 2]
    assert batch.target_tokens == 1
    assert torch.equal(batch.inputs[~where], ids[~where])


@pytest.mark.parametrize(
    "shares", [(0.0, 0.8, 0.1), (0.15, 0.8, 0.3), (0.15, -0.1, 0.1), (2.0, 1.0, 0.0)]
)
def test_shares_that_cannot_be_are_refused(shares):
    with pytest.raises(MtcourseError, match="share|rate"):
        Masking(*shares)


def test_special_pieces_have_names():
    ids = [VOCABULARY.class_, *VOCABULARY.tokenizer.encode("De hond"), VOCABULARY.mask]
    pieces = VOCABULARY.pieces(ids)
    assert pieces[0] == "<class>"
    assert pieces[-1] == "<mask>"
    assert "".join(pieces[1:-1]).replace("▁", " ").strip() == "De hond"
