"""Document A's model is its equations, fails as printed, and translates when it is repaired."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from mtcourse.chapters.framework_model.tiny_language import tiny_pairs
from mtcourse.chapters.framework_model.tiny_models import load_tiny, tiny_recipe
from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import source_mask
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models import framework_model as framework
from mtcourse.models.framework_model import (
    FrameworkConfig,
    FrameworkModel,
    feed_forward,
    vocabulary_logits,
    word_probabilities,
)
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import (
    WordPairs,
    framework_loss,
    load_framework,
    mean_framework_loss,
    read_target,
    save_framework,
    train_framework,
)
from mtcourse.text.batches import Batch
from mtcourse.text.tokenizer import BOS, EOS
from mtcourse.text.word_vocabulary import WordVocabulary

SIZES = FrameworkConfig(V_s=11, V_t=9, d=6)
X = torch.tensor([[5, 7, 4, 10, 3], [8, 6, 3, 0, 0]])
Y = torch.tensor([[8, 4, 6, 3], [5, 7, 3, 0]])


def random_model(positions: bool = False, seed: int = 2) -> FrameworkModel:
    """A model with weights drawn at random, none of them special."""
    model = FrameworkModel(FrameworkConfig(11, 9, 6, positions)).double()
    generator = torch.Generator().manual_seed(seed)
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.6, generator=generator)
    return model


def mask_of(source: Tensor) -> Tensor:
    return (source != 0)[:, None, None, :]


# --- the equations ------------------------------------------------------------------------------


def test_feed_forward_is_two_layers_of_torch():
    torch.manual_seed(1)
    first, second = nn.Linear(4, 7, bias=False), nn.Linear(7, 4, bias=False)
    A = torch.randn(2, 3, 4)
    expected = nn.Sequential(first, nn.ReLU(), second)(A)
    torch.testing.assert_close(feed_forward(A, first.weight.T, second.weight.T), expected)


def test_each_row_is_a_distribution_over_words():
    H_D, W_O = torch.randn(2, 4, 6), torch.randn(6, 9)
    found = word_probabilities(H_D, W_O)
    torch.testing.assert_close(found.sum(-1), torch.ones(2, 4))
    torch.testing.assert_close(found.log(), vocabulary_logits(H_D, W_O).log_softmax(-1))


def by_hand(model: FrameworkModel, x: list[int], y: list[int], positions: bool) -> Tensor:
    """A03 to A18 for one pair without padding, with one-hot matrices and nothing of the package."""
    W = {name: weight.detach() for name, weight in model.named_parameters()}
    one_hot = torch.eye(11).double()[x].T  # a column for each word, as A04 has it
    H = one_hot.T @ W["W_E_X"] + sinusoidal_positions(len(x), 6).double()
    S = (H @ W["W_Q_E"]) @ (H @ W["W_K_E"]).T / math.sqrt(6)
    A = torch.softmax(S, 1) @ (H @ W["W_V_E"])
    H_E = (A @ W["W_1_E"]).clamp(min=0) @ W["W_2_E"]
    G = torch.eye(9).double()[y] @ W["W_E_Y"]
    if positions:
        G = G + sinusoidal_positions(len(y), 6).double()
    M = torch.full((len(y), len(y)), -math.inf).double().triu(1)
    S = ((G @ W["W_Q_D"]) @ (G @ W["W_K_D"]).T + M) / math.sqrt(6)
    A_D = torch.softmax(S, 1) @ (G @ W["W_V_D"])
    S = (A_D @ W["W_Q_C"]) @ (H_E @ W["W_K_C"]).T / math.sqrt(6)
    A_C = torch.softmax(S, 1) @ (H_E @ W["W_V_C"])
    return (A_C @ W["W_1_D"]).clamp(min=0) @ W["W_2_D"] @ W["W_O"]


@pytest.mark.parametrize("positions", [False, True])
def test_the_model_is_the_equations(positions):
    model = random_model(positions)
    with torch.no_grad():
        found = model(X, Y, mask_of(X))
    for row, (x, y) in enumerate([([5, 7, 4, 10, 3], [8, 4, 6, 3]), ([8, 6, 3], [5, 7, 3])]):
        expected = by_hand(model, x, y, positions)
        torch.testing.assert_close(found[row, : len(y)], expected)


def test_the_encoder_attends_once_and_the_decoder_twice(monkeypatch):
    asked: list[tuple[int, int]] = []
    original = framework.scaled_dot_product_attention

    def counting(Q, K, V, mask=None):
        asked.append((Q.shape[-2], K.shape[-2]))
        return original(Q, K, V, mask)

    monkeypatch.setattr(framework, "scaled_dot_product_attention", counting)
    model = random_model()
    H_E = model.encode(X)
    assert asked == [(5, 5)]
    model.decode(Y, H_E)
    assert asked[1:] == [(4, 4), (4, 5)]


def test_it_has_sixteen_matrices_and_no_bias():
    model = FrameworkModel(SIZES)
    assert len(list(model.parameters())) == 16
    assert all(weight.dim() == 2 for weight in model.parameters())
    assert sum(w.numel() for w in model.parameters()) == (11 + 2 * 9) * 6 + 13 * 36
    assert SIZES.to_dict() == {"V_s": 11, "V_t": 9, "d": 6, "target_positions": False}


@pytest.mark.parametrize("name", ["V_s", "V_t", "d"])
def test_sizes_below_1_are_refused(name):
    sizes = {"V_s": 3, "V_t": 3, "d": 3} | {name: 0}
    with pytest.raises(MtcourseError, match=f"{name} must be at least 1, not 0"):
        FrameworkConfig(**sizes)


def test_weights_begin_so_that_rows_pass():
    model = FrameworkModel(FrameworkConfig(5, 5, 512), seed=3)
    assert model.W_Q_C.equal(torch.eye(512))
    A = torch.randn(64, 512, generator=torch.Generator().manual_seed(1))
    passed = feed_forward(A, model.W_1_E, model.W_2_E)
    along = (passed * A).sum(-1) / (A * A).sum(-1)
    assert along.mean().item() == pytest.approx(1, abs=0.02)


def test_the_seed_decides_the_weights():
    one, same, other = (FrameworkModel(SIZES, seed) for seed in (1, 1, 2))
    assert one.W_1_D.equal(same.W_1_D)
    assert not one.W_1_D.equal(other.W_1_D)


# --- what rows depend on ------------------------------------------------------------------------


def moved(model: FrameworkModel, shifted: bool) -> Tensor:
    """True where prediction j moves when label k is replaced."""
    y = Y[:1]
    with torch.no_grad():
        of = [read_target(batch_of(y), shifted)]
        for k in range(4):
            changed = y.clone()
            changed[0, k] = 2 if y[0, k] != 2 else 4
            of.append(read_target(batch_of(changed), shifted))
        logits = model(X[:1].expand(5, -1), torch.cat(of))
    return (logits[1:] - logits[:1]).abs().amax(-1).T > 1e-9


def batch_of(labels: Tensor) -> Batch:
    begin = torch.full_like(labels[:, :1], BOS)
    return Batch(X[: len(labels)], torch.cat([begin, labels[:, :-1]], 1), labels)


@pytest.mark.parametrize("positions", [False, True])
def test_only_shifted_a_row_has_not_read_its_own_word(positions):
    ones = torch.ones(4, 4, dtype=torch.bool)
    assert moved(random_model(positions), shifted=False).equal(ones.tril())
    assert moved(random_model(positions), shifted=True).equal(ones.tril(-1))


def test_without_positions_the_last_row_knows_last_word_and_proportions_only():
    beginnings = torch.tensor([[5, 6, 7, 8], [7, 5, 6, 8], [6, 5, 7, 8]])
    for positions, same in ((False, True), (True, False)):
        model = random_model(positions)
        with torch.no_grad():
            last = model(X[:1].expand(3, -1), beginnings)[:, -1]
            once = model(X[:1], torch.tensor([[5, 6]]))[0, -1]
            twice = model(X[:1], torch.tensor([[6, 5, 5, 6]]))[0, -1]
            other = model(X[:1], torch.tensor([[5, 5, 6]]))[0, -1]
        assert torch.allclose(last[1:], last[:1]) == same
        assert torch.allclose(once, twice) == same
        assert not torch.allclose(once, other)


def test_a_sentence_does_not_depend_on_its_batch():
    model = random_model(True)
    with torch.no_grad():
        together = model(X, Y, mask_of(X))[1, :3]
        alone = model(X[1:, :3], Y[1:, :3])[0]
    torch.testing.assert_close(together, alone)


# --- trained ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pairs() -> WordPairs:
    return WordPairs.of(tiny_pairs()[0])


def exact(model: FrameworkModel, pairs: WordPairs) -> float:
    """The share of held-out sentences that are translated exactly."""
    _, held_out = tiny_pairs()
    found = FrameworkTranslator.of(model, pairs.source, pairs.target).translate(
        [pair.source for pair in held_out]
    )
    right = sum(a == pair.target for a, pair in zip(found, held_out, strict=True))
    return right / len(held_out)


@pytest.mark.trains
def test_the_printed_model_copies_and_cannot_write(pairs):
    """In every start of forty, on four kinds of processor, wider than asserted here."""
    model, state = train_framework(pairs, tiny_recipe("as printed"))
    assert sum(state.losses[-20:]) / 20 < 0.05
    held_out = Batch.of(pairs.with_examples(tiny_pairs()[1]).examples)
    assert mean_framework_loss(model, [held_out], shifted=False) < 0.1
    assert exact(model, pairs) == 0
    # It is the target that it reads: of other sentences' targets it gives back the most, too.
    labels = held_out.labels.roll(1, 0)
    best = model(held_out.source, labels, source_mask(held_out.source)).argmax(-1)
    assert (best == labels)[labels != 0].float().mean() > 0.4


def test_repaired_it_translates(pairs):
    """The shipped weights: training ends elsewhere on another processor."""
    models, *words = load_tiny()
    assert words == [pairs.source, pairs.target]
    assert exact(models["both"], pairs) > 0.7
    assert exact(models["as printed"], pairs) == 0


def test_the_loss_counts_each_target_word_once(pairs):
    batch = Batch.of(pairs.examples[:3])
    model = FrameworkModel(FrameworkConfig(pairs.source.size, pairs.target.size, 8))
    with torch.no_grad():
        logits = model(batch.source, batch.decoder_input, source_mask(batch.source))
        expected = nn.functional.cross_entropy(
            logits.flatten(0, 1), batch.labels.flatten(), ignore_index=0, reduction="sum"
        )
        found = framework_loss(model, batch, shifted=True)
    torch.testing.assert_close(found, expected)
    mean = mean_framework_loss(model, [batch], shifted=True)
    assert mean == pytest.approx(found.item() / batch.target_tokens)


def test_greedy_search_writes_what_a_plain_loop_writes(pairs):
    model = FrameworkModel(FrameworkConfig(pairs.source.size, pairs.target.size, 8, True), 5)
    sentences = [pair.source for pair in tiny_pairs()[1][:4]]
    translator = FrameworkTranslator.of(model, pairs.source, pairs.target)
    for sentence, found in zip(sentences, translator.search(sentences), strict=True):
        source = torch.tensor([[*pairs.source.encode(sentence), EOS]])
        ids = [BOS]
        while len(ids) <= 2 * source.shape[1] + 10 and (len(ids) == 1 or ids[-1] != EOS):
            ids.append(int(model(source, torch.tensor([ids]))[0, -1].argmax()))
        assert found.ids == tuple(ids[1:])


def test_a_model_is_stored_with_its_words(pairs, tmp_path):
    model = FrameworkModel(FrameworkConfig(pairs.source.size, pairs.target.size, 8, True), 5)
    save_framework(model, pairs, tmp_path / "model")
    loaded, source, target = load_framework(tmp_path / "model")
    assert (loaded.config, source, target) == (model.config, pairs.source, pairs.target)
    torch.testing.assert_close(loaded.W_O, model.W_O, atol=1e-3, rtol=0)


def test_the_shipped_model_translates():
    model, source, target = load_framework()
    translator = FrameworkTranslator.of(model, source, target)
    assert translator.translate(["Are we smart?", "Those houses are not small."]) == [
        "Zijn wij slim?",
        "Die huizen zijn niet klein.",
    ]


def test_the_shipped_files_are_small_and_readable():
    folder = Path(framework.__file__).parent / "framework"
    assert sum(file.stat().st_size for file in folder.rglob("*.*")) < 2_000_000


# --- words --------------------------------------------------------------------------------------


def test_words_come_back_as_they_were():
    sentences = ["Hij leest, zij niet.", "Komt hij?"]
    vocabulary = WordVocabulary.of(sentences)
    assert [vocabulary.decode(vocabulary.encode(sentence)) for sentence in sentences] == sentences
    assert vocabulary.words(vocabulary.encode("Hij zwijgt.")) == ["Hij", "<unk>", "."]
    assert vocabulary.size == 4 + len({"Hij", "leest", ",", "zij", "niet", ".", "Komt", "hij", "?"})


def test_a_vocabulary_checks_itself():
    with pytest.raises(MtcourseError, match="begins with <pad>"):
        WordVocabulary(("a", "b"))
    with pytest.raises(MtcourseError, match="twice"):
        WordVocabulary(("<pad>", "<unk>", "<bos>", "<eos>", "a", "a"))


def test_the_tiny_language_is_drawn_once():
    learnt, held_out = tiny_pairs()
    assert (len(learnt), len(held_out)) == (210, 60)
    assert {pair.source for pair in learnt}.isdisjoint(pair.source for pair in held_out)
    assert tiny_pairs() == (learnt, held_out)
    words = WordPairs.of(learnt).with_examples(held_out)
    assert all(1 not in (*example.source, *example.target) for example in words.examples)
