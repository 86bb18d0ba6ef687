"""Every sentence comes once, in batches that are full, within their limit and hardly padded."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pad_sequence

from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import padding_mask, source_mask
from mtcourse.text.batches import (
    Batch,
    Example,
    batches_in_order,
    bucketed_batches,
    encode_pairs,
    pad,
    padding_share,
    shift_right,
)
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, EOS, PAD, TokenizerPair

ids = st.lists(st.integers(4, 50), min_size=1, max_size=12)
pairs_of_ids = st.lists(st.tuples(ids, ids), max_size=40)
LIMIT = 32
Pairs = list[tuple[list[int], list[int]]]


def random_examples(count: int, seed: int) -> list[Example]:
    """Pairs whose lengths are as unlike as in real text, the two sides correlated."""
    generator = random.Random(seed)
    pairs = []
    for _ in range(count):
        n = min(80, 1 + int(generator.lognormvariate(2.8, 0.6)))
        m = max(1, round(n * generator.gauss(1.0, 0.15)))
        pairs.append(Example([generator.randrange(4, 90)] * n, [generator.randrange(4, 90)] * m))
    return pairs


def content(batch: Batch) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """What a batch holds, read back from its tensors alone."""
    rows = []
    for x, y_in, y in zip(
        batch.source.tolist(), batch.decoder_input.tolist(), batch.labels.tolist(), strict=True
    ):
        x, y = [[i for i in side if i != PAD] for side in (x, y)]
        assert x[-1] == y[-1] == EOS
        assert [i for i in y_in if i != PAD] == [BOS, *y[:-1]]
        rows.append((tuple(x[:-1]), tuple(y[:-1])))
    return rows


def as_tuples(some: list[Example]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(tuple(example.source), tuple(example.target)) for example in some]


@given(st.lists(st.lists(st.integers(1, 9), max_size=5), min_size=1, max_size=5))
@settings(deadline=None)
def test_pad_agrees_with_torch(sequences: list[list[int]]) -> None:
    expected = pad_sequence([torch.tensor(s, dtype=torch.long) for s in sequences], True, PAD)
    assert torch.equal(pad(sequences), expected)


def test_pad_of_nothing_is_empty() -> None:
    assert pad([]).shape == (0, 0)


def test_a_batch_by_hand() -> None:
    batch = Batch.of([Example([5, 6], [7]), Example([8], [9, 10, 11])])
    assert batch.source.tolist() == [[5, 6, EOS], [8, EOS, PAD]]
    assert batch.labels.tolist() == [[7, EOS, PAD, PAD], [9, 10, 11, EOS]]
    assert batch.decoder_input.tolist() == [[BOS, 7, PAD, PAD], [BOS, 9, 10, 11]]
    assert batch.target_tokens == 6
    assert source_mask(batch.source).tolist() == [[[[True] * 3]], [[[True, True, False]]]]


@given(pairs_of_ids.filter(len))
@settings(deadline=None)
def test_the_decoder_reads_what_it_had_to_predict_one_step_before(pairs: Pairs) -> None:
    some = [Example(source, target) for source, target in pairs]
    batch = Batch.of(some)
    shifted = shift_right(batch.labels)
    assert torch.equal(shifted, batch.decoder_input)
    assert torch.equal(shifted == PAD, batch.labels == PAD)
    later = batch.labels[:, 1:] != PAD
    assert torch.equal(shifted[:, 1:][later], batch.labels[:, :-1][later])
    assert bool((shifted[:, 0] == BOS).all())


@given(pairs_of_ids.filter(len))
@settings(deadline=None)
def test_the_mask_is_the_layers_mask_and_is_spared_where_nothing_is_padded(
    pairs: Pairs,
) -> None:
    some = [Example(source, target) for source, target in pairs]
    batch = Batch.of(some)
    if len({example.source_length for example in some}) == 1:
        assert source_mask(batch.source) is None
    else:
        assert torch.equal(source_mask(batch.source), padding_mask(batch.source, PAD))


def test_a_batch_moves_whole(device: torch.device) -> None:
    batch = Batch.of([Example([5, 6], [7]), Example([8], [9, 10, 11])])
    moved = batch.to(device)
    for name in ("source", "decoder_input", "labels"):
        assert getattr(moved, name).device.type == device.type
        assert getattr(moved, name).tolist() == getattr(batch, name).tolist()
    assert source_mask(moved.source).device.type == device.type
    assert moved.target_tokens == batch.target_tokens


@given(pairs_of_ids, st.integers(0, 5), st.integers(0, 5))
@settings(deadline=None)
def test_every_sentence_comes_once_and_no_batch_exceeds_its_limit(
    pairs: Pairs, seed: int, epoch: int
) -> None:
    some = [Example(source, target) for source, target in pairs]
    batches = bucketed_batches(some, LIMIT, seed, epoch)
    assert Counter(row for b in batches for row in content(b)) == Counter(as_tuples(some))
    for batch in batches:
        assert batch.source.shape[0] > 0
        assert max(batch.source.numel(), batch.labels.numel()) <= LIMIT


@given(pairs_of_ids)
@settings(deadline=None)
def test_in_order_means_in_order_and_each_batch_is_full(pairs: Pairs) -> None:
    some = [Example(source, target) for source, target in pairs]
    batches = batches_in_order(some, LIMIT)
    assert [row for batch in batches for row in content(batch)] == as_tuples(some)
    for batch, following in itertools.pairwise(batches):
        first = following.source[0].count_nonzero(), following.labels[0].count_nonzero()
        widest = max(batch.source.shape[1], batch.labels.shape[1], *map(int, first))
        assert (batch.source.shape[0] + 1) * widest > LIMIT, "the next sentence had room here"


def flat(batches: list[Batch]) -> list[list[list[int]]]:
    return [batch.source.tolist() for batch in batches]


def test_the_order_follows_from_seed_and_epoch_alone() -> None:
    some = random_examples(300, seed=1)
    again = flat(bucketed_batches(some, 256, seed=1, epoch=0))
    random.seed(99)
    torch.manual_seed(99)
    assert flat(bucketed_batches(some, 256, seed=1, epoch=0)) == again
    assert flat(bucketed_batches(some, 256, seed=1, epoch=1)) != again
    assert flat(bucketed_batches(some, 256, seed=2, epoch=0)) != again
    assert flat(bucketed_batches(some, 256, seed=0, epoch=1)) != flat(
        bucketed_batches(some, 256, seed=1, epoch=0)
    )


def test_training_does_not_go_from_short_to_long() -> None:
    batches = bucketed_batches(random_examples(3000, seed=1), 512, seed=1, epoch=0)
    lengths = torch.tensor([float(batch.labels.shape[1]) for batch in batches])
    places = torch.arange(len(batches), dtype=torch.float)
    assert abs(float(torch.corrcoef(torch.stack([lengths, places]))[0, 1])) < 0.2


def test_sentences_of_equal_lengths_do_not_always_meet_the_same_others() -> None:
    same = [Example([i], [i]) for i in range(4, 44)]
    first, second = (bucketed_batches(same, 20, seed=1, epoch=epoch) for epoch in (0, 1))
    assert {frozenset(content(b)) for b in first} != {frozenset(content(b)) for b in second}


def test_buckets_spare_most_of_the_padding() -> None:
    some = random_examples(20_000, seed=1)
    assert padding_share(batches_in_order(some, 4096)) > 0.5
    assert padding_share(bucketed_batches(some, 4096, seed=1, epoch=0)) < 0.06


def test_padding_share_by_hand() -> None:
    batch = Batch.of([Example([5, 6], [7]), Example([8], [9, 10, 11])])
    assert padding_share([batch]) == pytest.approx(3 / 14)
    full = Batch.of([Example([5], [7])])
    assert padding_share([full]) == 0
    assert padding_share([batch, full]) == pytest.approx(3 / 18)
    with pytest.raises(MtcourseError, match="no batch"):
        padding_share([])


def test_a_sentence_that_cannot_fit_is_refused() -> None:
    long = Example([5] * 10, [5] * LIMIT)
    with pytest.raises(MtcourseError, match="33 tokens does not fit into a batch of 32"):
        bucketed_batches([long], LIMIT, seed=1, epoch=0)
    assert len(bucketed_batches([long], LIMIT + 1, seed=1, epoch=0)) == 1


@pytest.fixture(scope="module")
def tokenizers() -> TokenizerPair:
    words = "een twee drie vier vijf zes zeven acht negen tien".split()  # noqa: SIM905
    generator = random.Random(1)
    lines = [" ".join(generator.choices(words, k=6)) for _ in range(50)]
    return TokenizerPair.train([SentencePair(line, line) for line in lines], 285)


def test_encoding_keeps_what_fits_and_lists_the_rest(tokenizers: TokenizerPair) -> None:
    encode = tokenizers.source.encode
    longest = max(len(encode("een twee drie")), len(encode("drie vier"))) + 1
    pairs = [
        SentencePair("een twee drie", "drie vier"),
        SentencePair("een twee drie vier vijf", "een"),
        SentencePair("een", "een twee drie vier vijf", origin="pairs.tsv:3"),
        SentencePair("  ", "een"),
        SentencePair("een", "\n"),
        SentencePair("een", "een"),
    ]
    kept, skipped = encode_pairs(iter(pairs), tokenizers, longest)
    assert kept == [
        Example(encode("een twee drie"), encode("drie vier")),
        Example(encode("een"), encode("een")),
    ]
    assert [skip.pair for skip in skipped] == pairs[1:5]
    too_long = len(encode("een twee drie vier vijf")) + 1
    assert [skip.reason for skip in skipped] == [
        f"the source takes {too_long} tokens, the model's maximum is {longest}",
        f"the target takes {too_long} tokens, the model's maximum is {longest}",
        "the source is empty",
        "the target is empty",
    ]


def test_what_is_encoded_fits_the_model_and_one_less_would_not(tokenizers: TokenizerPair) -> None:
    pair = SentencePair("een twee drie", "vier")
    [example], _ = encode_pairs([pair], tokenizers, 100)
    width = Batch.of([example]).source.shape[1]
    assert len(encode_pairs([pair], tokenizers, width)[0]) == 1
    assert len(encode_pairs([pair], tokenizers, width - 1)[0]) == 0
