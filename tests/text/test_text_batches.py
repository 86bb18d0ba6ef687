"""Inputs and labels of language models: nothing is lost, nothing is asked twice."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.text_batches import (
    encode_text,
    length_buckets,
    next_token_batch,
    packed_batch,
)
from mtcourse.text.texts import load_text, text_file, text_of
from mtcourse.text.tokenizer import BOS, EOS
from tests.helpers.small_corpus import small_tokenizer

SENTENCES = st.lists(st.lists(st.integers(4, 30), min_size=1, max_size=9), min_size=1, max_size=9)


@given(SENTENCES)
def test_every_token_is_a_label_once_and_an_input_once(sentences):
    batch = next_token_batch(sentences)
    for ids, inputs, labels in zip(sentences, batch.inputs, batch.labels, strict=True):
        assert labels[labels != 0].tolist() == [*ids, EOS]
        assert inputs[inputs != 0].tolist() == [BOS, *ids]
    assert batch.target_tokens == sum(len(ids) + 1 for ids in sentences)


@given(SENTENCES, st.integers(1, 12))
def test_packed_rows_are_the_stream_of_documents(documents, length):
    batch = packed_batch(documents, length)
    stream = [token for ids in documents for token in (*ids, EOS)]
    real = batch.labels.flatten() != 0
    assert batch.labels.flatten()[real].tolist() == stream
    assert batch.inputs.flatten()[real].tolist() == [EOS, *stream[:-1]]
    assert batch.document is not None
    owners = [number for number, ids in enumerate(documents) for _ in (*ids, EOS)]
    assert batch.document.flatten()[real].tolist() == owners
    assert int((~real).sum()) < length, "only the last row has padding"


@given(SENTENCES, st.integers(10, 40), st.integers(0, 3))
def test_buckets_hold_each_sentence_once_and_keep_to_their_size(sentences, size, epoch):
    groups = list(length_buckets(sentences, size, seed=1, epoch=epoch))
    assert sorted(map(tuple, (ids for group in groups for ids in group))) == sorted(
        map(tuple, sentences)
    )
    assert all(len(group) * (max(map(len, group)) + 1) <= size for group in groups)
    assert groups == list(length_buckets(sentences, size, seed=1, epoch=epoch))


def test_a_long_sentence_is_cut_and_none_of_it_is_lost():
    tokenizer = small_tokenizer()
    sentence = "De hond slaapt en de kat eet. " * 4
    whole = tokenizer.encode(sentence)
    parts = encode_text([sentence, "  "], tokenizer, max_length=10)
    assert [token for part in parts for token in part] == whole
    assert max(map(len, parts)) == 9


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: list(length_buckets([[5] * 9], 5, 1, 1)), "10 tokens does not fit"),
        (lambda: packed_batch([], 4), "0 documents"),
        (lambda: packed_batch([[5]], 0), "rows of 0"),
    ],
)
def test_what_cannot_be_batched_is_said(call, said):
    with pytest.raises(MtcourseError, match=said):
        call()


def test_a_text_file_is_split_without_leaks(tmp_path):
    path = tmp_path / "own.txt"
    lines = [
        f"Zin nummer {'abcdefghij'[i % 10] * 7} {'klmnopqrst'[i // 10] * 7}." for i in range(60)
    ]
    path.write_text("\n".join([*lines, *lines[:9], ""]), encoding="utf-8")
    corpus = text_file(path)
    everything = [line for split in corpus.splits.values() for line in split]
    assert len(everything) == len(set(everything)), "no line is in two splits"
    assert set(everything) <= set(lines)
    assert corpus.splits["dev"]
    assert corpus.splits["test"]
    assert load_text(str(path)).splits == corpus.splits


def test_a_text_file_without_three_lines_is_refused(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("een\ntwee\neen\n", encoding="utf-8")
    with pytest.raises(MtcourseError, match="2 different lines"):
        text_file(path)


def test_both_languages_of_a_corpus_stay_in_their_split():
    pairs = sample_pairs(90, seed=3)
    splits = {"train": pairs[:50], "dev": pairs[50:70], "test": pairs[70:]}
    corpus = ParallelCorpus("drawn", "en", "nl", "CC0", splits)
    both, dutch = text_of(corpus), text_of(corpus, ["nl"])
    assert both.languages == ("en", "nl")
    assert set(dutch.splits["test"]) == {pair.target for pair in corpus.splits["test"]}
    assert set(both.splits["dev"]) == {
        side for pair in corpus.splits["dev"] for side in (pair.source, pair.target)
    }
    with pytest.raises(MtcourseError, match="no text in 'fr'; it has en, nl"):
        text_of(corpus, ["fr"])


def test_padding_and_documents_move_with_the_batch(device):
    batch = packed_batch([[5, 6], [7]], 4).to(torch.device(device))
    assert batch.inputs.device.type == torch.device(device).type
    assert batch.document is not None
    assert batch.document.device == batch.inputs.device
