"""Neighbours, maps and directions of a table, against other ways to compute them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mtcourse.chapters.embeddings.geometry import (
    cosine_similarities,
    left_out_positions,
    nearest,
    principal_components,
)
from mtcourse.chapters.embeddings.word_pieces import WordPiece, word_pieces
from mtcourse.errors import MtcourseError
from mtcourse.models.translator import LIBREOFFICE_HELP, Translator
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.pairs import SentencePair


def drawn(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_cosines_are_those_of_torch_and_a_row_of_zeros_has_none() -> None:
    rows, table = drawn(3, 5), drawn(8, 5, seed=2)
    table[4] = 0
    found = cosine_similarities(rows, table)
    wanted = torch.cosine_similarity(rows[:, None], table[None], dim=-1)
    torch.testing.assert_close(found, wanted)
    assert not found[:, 4].any()


def test_the_nearest_rows_point_the_same_way_however_long_they_are() -> None:
    table = torch.tensor([[1.0, 0.0], [9.0, 1.0], [0.0, 1.0], [0.1, 0.05], [-5.0, 0.0]])
    assert [token for token, _ in nearest(table, 0, 9)] == [1, 3, 2, 4]
    assert nearest(table, 0, 2, among=torch.tensor([0, 2, 4])) == [(2, 0.0), (4, -1.0)]
    with pytest.raises(MtcourseError, match="no row 5 in a table of 5"):
        nearest(table, 5, 1)


def test_principal_components_are_those_of_the_covariance() -> None:
    rows = drawn(40, 6) * torch.tensor([5.0, 3.0, 2.0, 1.0, 0.5, 0.1]) + 7
    coordinates, shares = principal_components(rows, 3)
    values, vectors = np.linalg.eigh(np.cov(rows.numpy().T))
    np.testing.assert_allclose(shares, values[::-1][:3] / values.sum(), rtol=1e-4)
    wanted = (rows - rows.mean(0)).numpy() @ vectors[:, ::-1][:, :3]
    np.testing.assert_allclose(coordinates.abs(), np.abs(wanted), atol=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_a_map_is_never_mirrored(seed: int) -> None:
    rows = drawn(30, 4, seed=seed) * torch.tensor([1.0, 9.0, 0.1, 3.0])
    coordinates, _ = principal_components(rows, 2)
    assert torch.corrcoef(torch.stack([coordinates[:, 0], rows[:, 1]]))[0, 1] > 0.9
    assert torch.corrcoef(torch.stack([coordinates[:, 1], rows[:, 3]]))[0, 1] > 0.9


def test_each_row_is_left_out_of_the_means_that_it_is_measured_by() -> None:
    rows, is_one = drawn(9, 3), torch.tensor([1, 0, 0, 1, 0, 1, 0, 0, 1]).bool()
    found = left_out_positions(rows, is_one)
    for k in range(9):
        others = torch.arange(9) != k
        one, zero = rows[others & is_one].mean(0), rows[others & ~is_one].mean(0)
        direction = (one - zero) / (one - zero).norm()
        assert found[k] == pytest.approx(float(direction @ (rows[k] - (one + zero) / 2)), abs=1e-5)
    with pytest.raises(MtcourseError, match=r"groups of \[8, 1\] rows"):
        left_out_positions(rows, torch.arange(9) == 4)


def test_words_are_counted_on_their_side() -> None:
    tokenizer = Translator.load(device="cpu").tokenizers.source
    pairs = [SentencePair("The dog, the park.", "De hond."), SentencePair("A dog.", "Het park.")]
    found = {piece.word: piece for piece in word_pieces(tokenizer, pairs)}
    assert "." not in found
    assert (found["dog"].in_source, found["dog"].in_target) == (2, 0)
    sides = {word: piece.side() for word, piece in found.items()}
    assert sides["dog"] == "source"
    assert sides["hond"] == "target"
    assert sides["park"] == "both"
    assert WordPiece(1, "x", 9, 1).side() == "source"
    assert tokenizer.pieces([found["dog"].id]) == ["▁dog"]


def test_numbers_are_no_words() -> None:
    tokenizer = Translator.load(LIBREOFFICE_HELP, device="cpu").tokenizers.source
    found = word_pieces(tokenizer, [SentencePair("2 file", "2 bestanden")])
    assert "▁2" in tokenizer.pieces(range(3000))
    assert {piece.word for piece in found} == {"file", "bestanden"}


def test_english_rows_of_the_trained_table_tell_the_dutch_article() -> None:
    """What chapter 2 says of the shipped translator."""
    translator = Translator.load(device="cpu")
    pieces = translator.tokenizers.source.pieces(range(2000))
    id_of = {piece: i for i, piece in enumerate(pieces)}
    nouns = {n.english: n for n in load_lexicon().nouns if n.english != n.dutch}
    asked = [noun for english, noun in nouns.items() if f"▁{english}" in id_of]
    table = translator.model.source_embedding.W_E.detach()
    rows = table[[id_of[f"▁{noun.english}"] for noun in asked]]
    is_het = torch.tensor([noun.article == "het" for noun in asked])
    assert len(asked) > 150
    assert ((left_out_positions(rows, is_het) > 0) == is_het).float().mean() > 0.97
    shuffled = is_het[torch.randperm(len(asked), generator=torch.Generator().manual_seed(1))]
    assert ((left_out_positions(rows, shuffled) > 0) == shuffled).float().mean() < 0.75


@pytest.mark.slow
def test_the_sample_of_the_chapter_has_nearly_all_words() -> None:
    tokenizer = Translator.load(device="cpu").tokenizers.source
    few = word_pieces(tokenizer, builtin_corpus(train=3000).splits["train"])
    all_of_them = word_pieces(tokenizer, builtin_corpus().splits["train"])
    assert len(few) > 0.95 * len(all_of_them)
