"""The learner's own functions as one translator: it is the package's, and each piece counts."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import nbformat
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from mtcourse.chapters.framework_model.tiny_language import tiny_pairs
from mtcourse.decoding.search import beam_search
from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.translator import Translator
from mtcourse.project.own_pieces import (
    PIECES,
    OwnPieces,
    definitions_of,
    notebooks_beside,
    own_pieces,
)
from mtcourse.project.own_translator import (
    BETA_1,
    BETA_2,
    EPS,
    EPSILON,
    PEAK,
    WARMUP,
    OwnTranslator,
    batch_of,
    logits,
    train,
    translate_ids,
)
from mtcourse.recipes.framework import WordPairs
from mtcourse.text.corpora import builtin_corpus

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "solutions"
WRITTEN = own_pieces(SOLUTIONS)
SMALL = EncoderDecoderConfig(
    9, 11, d_model=8, h=2, d_ff=12, encoder_layers=2, decoder_layers=2, shared_embeddings=False
)
PAIRS = [([4, 5, 6], [7, 8]), ([8, 4], [10, 4, 5, 6]), ([5], [9]), ([7, 7, 8, 5], [4, 10, 6])]


def drawn(config: EncoderDecoderConfig = SMALL, seed: int = 4) -> EncoderDecoder:
    """A model in which no bias is 0 and no gain 1, so that each of them is heard."""
    model = EncoderDecoder(config, seed=seed).eval()
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.data += 0.2 * torch.randn(parameter.shape, generator=generator)
    return model


# --- the pieces ---------------------------------------------------------------------------------


def test_the_solutions_hold_every_piece():
    assert WRITTEN.missing == {}
    assert set(WRITTEN.functions) == set(PIECES)
    for name, function in WRITTEN.functions.items():
        assert function.__name__ == name
        assert Path(function.__code__.co_filename).parent == SOLUTIONS
    assert str(WRITTEN).startswith(f"yours, {len(PIECES)} of {len(PIECES)}: embed, ")


def test_in_handed_out_notebooks_nothing_is_yours_yet():
    handed_out = own_pieces(ROOT / "exercises")
    assert set(handed_out.missing) == set(PIECES)
    assert "does not pass" in handed_out.missing["embed"]
    assert "none yet" in str(handed_out)
    ids = torch.tensor([1, 0])
    assert torch.equal(handed_out.embed(ids, torch.eye(2)), torch.eye(2)[ids])


def test_a_piece_is_yours_only_if_its_check_passes(tmp_path):
    assert not notebooks_beside(tmp_path)
    cells = [
        "%matplotlib inline\nimport math\nfrom nowhere import nothing",
        "TINY = 1e-5\nprint('this cell is not run')\nraise SystemExit",
        "this is not Python",
        "NEG, LIMIT = -math.inf, float('inf')\nODD = {[1]: 2}\nquit = lambda *_: 1 / 0",
        "import sys\n@sys.exit\ndef leaves():\n    pass\nmath.tau?",
        "def centred(x):\n    return x - x.mean(-1, keepdim=True)\n\nmath.pi?",
        "def layer_norm(x, gain, bias, epsilon=TINY):\n"
        "    c = centred(x)\n"
        "    return gain * c / (c.pow(2).mean(-1, keepdim=True) + epsilon).sqrt() + bias",
        "def position_wise_network(x, W_1, b_1, W_2, b_2):\n    return (x @ W_1 + b_1) @ W_2 + b_2",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbformat.write(notebook, tmp_path / "10_blocks.ipynb")
    assert notebooks_beside(tmp_path)
    found = own_pieces(tmp_path)
    assert set(found.missing) == set(PIECES) - {"layer_norm"}
    assert found.missing["position_wise_network"] == "its check in 10_blocks.ipynb does not pass"
    assert found.missing["embed"] == "02_embeddings.ipynb is not in this folder"
    scope = definitions_of(tmp_path / "10_blocks.ipynb")
    assert scope["NEG"] == -scope["LIMIT"] == -math.inf
    assert "leaves" not in scope
    assert "nothing" not in scope
    assert found.functions["layer_norm"].__code__.co_filename == str(tmp_path / "10_blocks.ipynb")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', "\udcff"])
def test_a_file_that_is_no_notebook_is_named(tmp_path, text):
    path = tmp_path / "10_blocks.ipynb"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(MtcourseError, match=r"10_blocks\.ipynb is no notebook"):
        definitions_of(path)


def test_an_unknown_piece_is_no_attribute():
    with pytest.raises(AttributeError, match="no piece; there are embed"):
        WRITTEN.drop_out  # noqa: B018


# --- the translator -----------------------------------------------------------------------------


def test_its_logits_are_the_packages():
    model = drawn()
    own = OwnTranslator.of(WRITTEN, model)
    source, read, _ = batch_of(own, PAIRS)
    found = logits(own, source, read)
    wanted = model(source, read, source_mask(source))
    real = read != 0  # behind the end of a sentence nothing is asked for
    torch.testing.assert_close(found[real], wanted[real], rtol=1e-5, atol=1e-5)


def test_it_learns_as_torch_does():
    model = drawn()
    first = OwnTranslator.of(WRITTEN, model)
    steps = 5
    trained, losses = train(first, PAIRS, steps, batch_size=3, seed=2)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=1.0, betas=(BETA_1, BETA_2), eps=EPS, weight_decay=0.0
    )
    draws = torch.Generator().manual_seed(2)
    for step, found in enumerate(losses, start=1):
        pairs = [PAIRS[i] for i in torch.randint(len(PAIRS), (3,), generator=draws).tolist()]
        source, read, labels = batch_of(first, pairs)
        U = model(source, read, source_mask(source))
        loss = F.cross_entropy(
            U.flatten(0, 1), labels.flatten(), ignore_index=0, label_smoothing=EPSILON
        )
        assert found == pytest.approx(loss.item(), rel=1e-4)
        optimizer.param_groups[0]["lr"] = PEAK * min(step / WARMUP, math.sqrt(WARMUP / step))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    # Not the weights: a key's bias changes nothing, and Adam moves it by what rounding leaves.
    source, read, _ = batch_of(first, PAIRS)
    real = read != 0
    after = model(source, read, source_mask(source))[real]
    torch.testing.assert_close(logits(trained, source, read)[real], after, rtol=1e-3, atol=1e-3)
    for name, W in first.W.items():
        assert not torch.equal(W, trained.W[name]), name


def test_a_shared_table_moves_as_one():
    model = drawn(EncoderDecoderConfig(11, 11, d_model=8, h=2, d_ff=12))
    first = OwnTranslator.of(WRITTEN, model)
    named = dict(model.named_parameters(remove_duplicate=False))
    tied = [name for name, W in named.items() if W is model.output_weight]
    assert len(tied) == 3
    trained, _ = train(first, PAIRS, 2, batch_size=2)
    assert len({id(trained.W[name]) for name in tied}) == 1


@pytest.mark.parametrize("beams", [1, 4])
def test_it_translates_as_the_package(beams):
    translator = Translator.load(device="cpu")
    own = OwnTranslator.of(WRITTEN, translator.model)
    pair = translator.tokenizers
    english = [p.source for p in builtin_corpus(train=100).splits["test"][:15]]
    found = [pair.target.decode(translate_ids(own, pair.source.encode(s), beams)) for s in english]
    assert found == translator.translate(english, partial(beam_search, beams=beams))


def _wrongly(piece: str):
    """A piece that computes something, and not what it should."""
    right = WRITTEN.functions[piece]
    return {
        "embed": lambda ids, W_E: W_E[(ids + 1) % len(W_E)],
        "sinusoidal_positions": lambda length, d: right(length + 1, d)[1:],
        "scaled_scores": lambda Q, K: Q @ K.mT,
        "causal_mask": lambda m: torch.ones(m, m, dtype=torch.bool),
        "padding_mask": lambda ids, pad: torch.ones_like(ids, dtype=torch.bool)[:, None, None, :],
        "masked_weights": lambda scores, mask: torch.softmax(scores - 9.0 * ~mask, dim=-1),
        "smoothed_loss": lambda logits, labels, epsilon: right(logits, labels, 0.0),
        "split_heads": lambda x, h: x.unflatten(-1, (-1, h)).movedim(-1, -3),
        "layer_norm": lambda x, gain, bias: right(x, gain, 2 * bias),
        "position_wise_network": lambda x, W_1, b_1, W_2, b_2: (x @ W_1 + b_1) @ W_2 + b_2,
        "label_shift": lambda rows, bos, eos, pad: right(rows, bos, eos, pad)[::-1],
        "schedule": lambda step, warmup, peak: peak,
        "adam": lambda W, gradient, m, v, step, rate, *_: (W - rate * gradient, m, v),
        "translator_step": lambda X, W_Q, *rest: right(X, 2 * W_Q, *rest),
        "beams_move": lambda K, V, parents: right(K, V, torch.zeros_like(parents)),
        "beam_step": lambda totals, log_p, B, end: right(0 * totals, log_p, B, end),
        "length_scores": lambda log_p, length, amount: (log_p,) * 3,
        "reachable_score": lambda totals, t, longest, exponent: right(totals, t, t, exponent),
    }[piece]


def _everything(pieces: OwnPieces) -> tuple[Tensor, list[float], list[list[int]]]:
    """Logits, losses, and translations by a model that is sure of nothing."""
    found, losses, written = [], [], []
    for seed in range(12):
        own = OwnTranslator.of(pieces, drawn(seed=seed))
        source, read, _ = batch_of(OwnTranslator.of(WRITTEN, drawn()), PAIRS)
        found.append(logits(own, source, read))
        written += [translate_ids(own, source, beams=3) for source, _ in PAIRS]
        losses += train(own, PAIRS, 3, batch_size=3)[1] if seed == 0 else []
    return torch.stack(found), losses, written


@pytest.fixture(scope="module")
def rightly() -> tuple[Tensor, list[float], list[list[int]]]:
    return _everything(WRITTEN)


@pytest.mark.parametrize("piece", PIECES)
def test_every_piece_counts(rightly, piece):
    """What is computed with a wrong piece is wrong: nothing else computes it in its place."""
    found = _everything(OwnPieces({**WRITTEN.functions, piece: _wrongly(piece)}, {}))
    same = [torch.equal(rightly[0], found[0]), rightly[1] == found[1], rightly[2] == found[2]]
    of_training = {"smoothed_loss", "label_shift", "schedule", "adam"}
    of_search = {"translator_step", "beams_move", "beam_step", "length_scores", "reachable_score"}
    if piece in of_training:
        assert same == [True, False, True]
    elif piece in of_search:
        assert same == [True, True, False]
    elif piece == "causal_mask":  # one row at a time has none after it
        assert same == [False, False, True]
    else:
        assert not any(same[:2])


def test_a_fault_need_not_show():
    """What notebook 20 says of a function without its division."""
    translator = Translator.load(device="cpu")
    pair = translator.tokenizers
    without = {**WRITTEN.functions, "scaled_scores": lambda Q, K: Q @ K.mT}
    broken = OwnTranslator.of(OwnPieces(without, {}), translator.model)
    english = [p.source for p in builtin_corpus(train=2000).splits["test"][:80]]
    found = [pair.target.decode(translate_ids(broken, pair.source.encode(s))) for s in english]
    wanted = translator.translate(english, partial(beam_search, beams=4))
    assert found[:5] == wanted[:5]
    assert found != wanted


@pytest.mark.trains
@pytest.mark.parametrize("seed", range(1, 11))
def test_it_learns_the_small_language(seed):
    known, unseen = tiny_pairs()
    learnt = WordPairs.of(known)
    sizes = EncoderDecoderConfig(
        learnt.source.size,
        learnt.target.size,
        d_model=32,
        d_ff=64,
        dropout=0.0,
        encoder_layers=1,
        decoder_layers=1,
        shared_embeddings=False,
    )
    pairs = [(example.source, example.target) for example in learnt.examples]
    first = OwnTranslator.of(WRITTEN, EncoderDecoder(sizes, seed=seed))
    trained, losses = train(first, pairs, steps=300, seed=seed)
    assert losses[-1] < losses[0] / 3
    asked = learnt.with_examples(unseen).examples
    right = sum(translate_ids(trained, one.source) == list(one.target) for one in asked)
    assert right >= 54
