"""Cross-attention against torch's own, and alignments against counting by hand (chapter 6)."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from mtcourse.chapters.cross_attention.exercises import which_row
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.alignment import (
    alignment_scores,
    as_read,
    links_above,
    links_of_source,
    strongest_links,
)
from mtcourse.layers.cross_attention import cross_attention
from mtcourse.layers.masks import padding_mask
from mtcourse.models.recorded_attention import recorded_attention
from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import membership
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import words

CLOSE = {"rtol": 0.0, "atol": 1e-12}


def drawn(*batch: int, m: int = 3, n: int = 5, d_model: int = 6, d_k: int = 4, d_v: int = 2):
    """Rows of both sides and the three matrices, in double precision."""
    generator = torch.Generator().manual_seed(7)
    shapes = (*batch, m, d_model), (*batch, n, d_model)
    weights = (d_model, d_k), (d_model, d_k), (d_model, d_v)
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes + weights
    ]


# --- the equation -------------------------------------------------------------------------------


def test_cross_attention_is_torchs_layer():
    X, H_E, *W = drawn(2, d_k=6, d_v=6)
    layer = nn.MultiheadAttention(6, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([matrix.T for matrix in W]))
        layer.out_proj.weight.copy_(torch.eye(6))
    real = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    expected, _ = layer(X, H_E, H_E, key_padding_mask=~real)
    torch.testing.assert_close(cross_attention(X, H_E, *W, real[:, None, :]), expected, **CLOSE)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
@pytest.mark.parametrize(("m", "n"), [(1, 5), (5, 1), (4, 4), (6, 3)])
def test_cross_attention_is_torchs_kernel(batch, m, n):
    X, H_E, W_Q, W_K, W_V = drawn(*batch, m=m, n=n)
    expected = F.scaled_dot_product_attention(X @ W_Q, H_E @ W_K, H_E @ W_V)
    found = cross_attention(X, H_E, W_Q, W_K, W_V)
    assert found.shape == (*batch, m, 2)
    torch.testing.assert_close(found, expected, **CLOSE)


def test_one_token_at_a_time_gives_the_same():
    """C37 with the division: s = q k / sqrt(d_k), c = sum of alpha v."""
    X, H_E, W_Q, W_K, W_V = drawn()
    rows = []
    for x in X:
        q = x @ W_Q
        scores = [float(q @ (z @ W_K)) / math.sqrt(4) for z in H_E]
        total = sum(math.exp(s) for s in scores)
        rows.append(sum(math.exp(s) / total * (z @ W_V) for s, z in zip(scores, H_E, strict=True)))
    torch.testing.assert_close(cross_attention(X, H_E, W_Q, W_K, W_V), torch.stack(rows), **CLOSE)


def test_a_smaller_query_matrix_does_what_the_division_does():
    """C37 undivided computes the same function, with W_Q / sqrt(d_k) for W_Q."""
    X, H_E, W_Q, W_K, W_V = drawn()
    undivided = torch.softmax((X @ (W_Q / math.sqrt(4))) @ (H_E @ W_K).T, -1) @ (H_E @ W_V)
    torch.testing.assert_close(cross_attention(X, H_E, W_Q, W_K, W_V), undivided, **CLOSE)


def test_each_row_asks_for_itself_and_the_order_of_the_answers_does_not_matter():
    X, H_E, *W = drawn()
    found = cross_attention(X, H_E, *W)
    for j in range(3):
        torch.testing.assert_close(cross_attention(X[j : j + 1], H_E, *W)[0], found[j], **CLOSE)
    moved = cross_attention(X, H_E[torch.tensor([3, 0, 4, 1, 2])], *W)
    torch.testing.assert_close(moved, found, **CLOSE)


def test_every_row_depends_on_every_source_row_that_is_not_hidden():
    X, H_E, *W = drawn(2)
    mask = padding_mask(torch.tensor([[5, 6, 7, 8, 9], [5, 6, 7, 0, 0]]))[:, 0]
    before = cross_attention(X, H_E, *W, mask)
    for i in range(5):
        other = H_E.clone()
        other[:, i] += 1
        moved = (cross_attention(X, other, *W, mask) - before).abs().amax(-1) > 0
        assert moved.tolist() == [[True] * 3, [i < 3] * 3]


def test_keys_and_values_are_made_once_for_a_sentence():
    translator = Translator.load(device="cpu")
    layer = translator.model.decoder[0].cross_attention
    with recorded_attention([layer]) as records:
        (text,) = translator.translate(["The dog sleeps."])
    steps = len(translator.tokenizers.target.encode(text)) + 1
    assert [tuple(record.Q.shape) for record in records] == [(1, 4, 1, 32)] * steps
    assert len({record.K.data_ptr() for record in records}) == 1


# --- links and their error ----------------------------------------------------------------------

WEIGHTS = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.5, 0.4, 0.1], [0.0, 0.0, 1.0]])


def test_links_are_read_by_rows_by_columns_and_above_a_threshold():
    assert strongest_links(WEIGHTS) == {(0, 0), (2, 1), (0, 2), (2, 3)}
    assert links_of_source(WEIGHTS) == {(0, 0), (1, 2), (2, 3)}
    assert links_above(WEIGHTS, 0.45) == {(0, 0), (2, 1), (0, 2), (2, 3)}
    assert links_above(WEIGHTS, 0.4) == links_above(WEIGHTS, 0.45)  # equal is not above
    assert links_above(WEIGHTS, 1.0) == set()


def test_the_row_that_reads_is_the_row_below():
    weights = torch.randn(2, 4, 3)
    read = as_read(weights)
    assert torch.equal(read[:, :3], weights[:, 1:])
    assert torch.equal(read[:, 3], torch.zeros(2, 3))


def test_the_error_rate_of_an_example_counted_by_hand():
    found = [{(0, 0), (2, 0), (2, 1)}]
    sure = [{(0, 0), (1, 1)}]
    possible = [{(0, 0), (1, 1), (2, 0), (2, 1)}]
    scores = alignment_scores(found, sure, possible)
    assert scores.precision == 1
    assert scores.recall == 1 / 2
    assert scores.error_rate == pytest.approx(1 - (1 + 3) / (3 + 2))
    assert scores.links == 3


def test_with_sure_links_alone_the_rate_is_one_minus_f1():
    found = [{(0, 0), (1, 2)}, {(3, 1)}, set()]
    sure = [{(0, 0), (1, 1)}, {(3, 1), (2, 1)}, {(0, 0)}]
    scores = alignment_scores(found, sure)
    p, r = scores.precision, scores.recall
    assert (p, r) == (2 / 3, 2 / 5)
    assert scores.error_rate == pytest.approx(1 - 2 * p * r / (p + r))


def test_sure_links_are_possible_whether_they_are_named_or_not():
    found, sure, more = [{(0, 0), (1, 1)}], [{(0, 0)}], [{(1, 1)}]
    assert alignment_scores(found, sure, more) == alignment_scores(found, sure, [{(0, 0), (1, 1)}])
    assert alignment_scores(found, sure, more).error_rate == 0


def test_perfect_and_useless_alignments():
    known = [{(0, 0), (1, 1)}]
    assert alignment_scores(known, known).error_rate == 0
    assert alignment_scores([{(5, 5)}], known).error_rate == 1
    nothing = alignment_scores([set()], known)
    assert (nothing.precision, nothing.recall, nothing.error_rate) == (0, 0, 1)


def test_repeated_links_count_once():
    assert alignment_scores([[(0, 0), (0, 0)]], [((0, 0),)]).error_rate == 0


def test_what_cannot_be_scored_is_said():
    with pytest.raises(MtcourseError, match="links of 1 sentences .* of 2 are known"):
        alignment_scores([{(0, 0)}], [{(0, 0)}, {(1, 1)}])
    with pytest.raises(MtcourseError, match="no link to score"):
        alignment_scores([set()], [set()])


def test_the_measured_exercise_is_what_the_shipped_translator_gives():
    translator = Translator.load(device="cpu")
    hits, pieces = [0, 0], 0
    for pair in builtin_corpus(train=100).splits["test"][:100]:
        looked = translator.attention_map(pair.source, pair.target)
        of_words = looked.weights[1].mean(0) @ membership(looked.source_pieces, pair.source)[:, :-1]
        of_pieces = membership(looked.target_pieces, pair.target)[:-1].argmax(-1)
        known = {
            j: {i for i, k in pair.alignment if k == j} for j in range(len(words(pair.target)))
        }
        for row, j in enumerate(of_pieces.tolist()):
            pieces += bool(known[j])
            for later in (0, 1):
                hits[later] += int(of_words[row + later].argmax()) in known[j]
    assert pieces == which_row.PIECES
    assert hits == pytest.approx([which_row.PREDICTS, which_row.READS], abs=2)
