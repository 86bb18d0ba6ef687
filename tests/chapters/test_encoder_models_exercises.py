"""The right answers of chapter 15's exercises, compared with what stands outside of them."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.nn import functional as F

from mtcourse.chapters.encoder_models.exercises import (
    expected_shares,
    fill_blanks,
    frozen_or_tuned,
    mask_tokens,
    masked_loss,
    masking_lines,
    plain_word,
    what_rows_read,
)
from mtcourse.checks.judge import judge
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.text import masking
from mtcourse.training.likelihood import token_losses

ROOT = Path(__file__).resolve().parents[2]
SMALL = TransformerConfig(20, d_model=16, h=2, d_ff=32, layers=2, dropout=0.0)


@pytest.fixture(scope="module")
def encoder():
    return MaskedLanguageModel.load(device="cpu")


def test_mask_tokens_is_the_packages_masking_on_the_same_draws(encoder):
    vocabulary = encoder.vocabulary
    ids = vocabulary.inputs([[*range(4, 60)], [1, 2, 3, vocabulary.mask] * 14, [5, 7]])
    right = masking.mask_tokens(
        ids, vocabulary, masking.Masking(), torch.Generator().manual_seed(3)
    )
    generator = torch.Generator().manual_seed(3)
    choice, fate = (torch.rand(ids.shape, generator=generator) for _ in range(2))
    drawn = torch.randint(4, vocabulary.mask, ids.shape, generator=generator)
    inputs, labels = mask_tokens.correct(ids, choice, fate, drawn, vocabulary.mask)
    assert torch.equal(inputs, right.inputs)
    assert torch.equal(labels, right.labels)
    assert (labels > 0).any()


def test_masked_loss_is_pytorchs_cross_entropy_without_the_label_0():
    logits, labels = torch.randn(3, 5, 9), torch.randint(0, 3, (3, 5))
    right = F.cross_entropy(logits.mT, labels, ignore_index=0)
    assert torch.allclose(masked_loss.correct(logits, labels), right)


@pytest.mark.parametrize("causal", [False, True])
def test_what_rows_read_is_what_gradients_find(causal):
    ids = torch.tensor([[19, 5, 18, 7, 0, 0], [0, 19, 0, 6, 7, 8], [19, 5, 6, 7, 8, 9]])
    model = EncoderModel(SMALL, seed=2).double()
    x = model.embed(ids).detach().requires_grad_()
    logits = model.logits(model.run(x, source_mask(ids), causal)[0][-1])
    rows = [
        torch.autograd.grad(logits[:, t].sum(0)[3], x, retain_graph=True)[0]
        for t in range(ids.shape[1])
    ]
    found = torch.stack(rows, dim=1).ne(0).any(-1)
    assert torch.equal(found, what_rows_read.correct(ids != 0, causal))


def test_expected_shares_are_those_of_all_outcomes_counted_one_by_one():
    n, V, rate, masked, random, epochs = 2, 3, 0.3, 0.5, 0.2, 2
    one = {"kept": 1 - rate, "mask": rate * masked, "stays": rate * (1 - masked - random)}
    one |= {f"draws {word}": rate * random / V for word in range(V)}  # word 0 stood there
    counted = dict.fromkeys(("labels", "masked", "different", "plain", "empty"), 0.0)
    for fates in itertools.product(one, repeat=n):
        p = torch.tensor([one[fate] for fate in fates], dtype=torch.float64).prod().item()
        chosen = [fate for fate in fates if fate != "kept"]
        same = [fate for fate in chosen if fate in ("stays", "draws 0")]
        counted["labels"] += p * len(chosen)
        counted["masked"] += p * chosen.count("mask")
        counted["different"] += p * (len(chosen) - len(same))
        counted["plain"] += p * len(same)
        counted["empty"] += p * (not chosen)
    counted["never"] = one["kept"] * one["kept"]
    counted["never static"] = one["kept"]
    found = expected_shares.correct(n, V, rate, masked, random, epochs)
    assert found == pytest.approx(counted, abs=1e-12)


def test_plain_word_is_the_answer_with_the_smallest_mean_loss():
    p = torch.tensor([0.5, 0.3, 0.15, 0.05], dtype=torch.float64)
    same, random, V = 0.1, 0.2, 4
    logits = torch.zeros(V, V, dtype=torch.float64, requires_grad=True)
    seen = p[:, None] * (same * torch.eye(V, dtype=torch.float64) + random / V)  # original, read
    optimizer = torch.optim.LBFGS(
        [logits], max_iter=500, tolerance_grad=1e-12, tolerance_change=1e-16
    )

    def loss():
        optimizer.zero_grad()
        value = -(seen.T * logits.log_softmax(-1)).sum()
        value.backward()
        return value

    optimizer.step(loss)
    best = logits.detach().softmax(-1)
    right = torch.stack([plain_word.correct(p, w, same, random) for w in range(V)])
    assert torch.allclose(best, right, atol=1e-5)


def test_fill_blanks_proposes_what_an_encoder_proposes(encoder):
    sizes = replace(SMALL, V=encoder.vocabulary.size)
    untrained = MaskedLanguageModel(EncoderModel(sizes, seed=3).eval(), encoder.tokenizer)
    sentence = "Hij <mask> de deur niet <mask>."
    inputs = torch.tensor(encoder.encode(sentence))
    mask = encoder.vocabulary.mask
    with torch.inference_mode():
        untrained.model.output_weight[[0, 2, mask, mask + 1]] *= 30  # special tokens count for more
        logits = untrained.model(inputs[None])[0]
    ids, shares = fill_blanks.correct(logits, inputs, mask, 4)
    right = untrained.fill(sentence, 4)
    assert encoder.tokenizer.pieces(ids.flatten().tolist()) == [x.piece for y in right for x in y]
    wanted = torch.tensor([[x.probability for x in y] for y in right])
    assert torch.allclose(shares, wanted, rtol=1e-4, atol=0)


def test_an_interval_of_ten_starts_covers_the_true_difference_about_as_often_as_it_says():
    generator = torch.Generator().manual_seed(4)
    covered = 0
    for _ in range(400):
        common = torch.randn(10, generator=generator)
        first = common + 0.5 + torch.randn(10, generator=generator)
        found = frozen_or_tuned.correct(first, common, 2.262)
        covered += found["low"] <= 50 <= found["high"]
    assert 0.92 <= covered / 400 <= 0.98


def _notebook():
    return json.loads((ROOT / "solutions/15_encoder_models.ipynb").read_text("utf-8"))


def _broken_code():
    (code,) = (
        "".join(cell["source"])
        for cell in _notebook()["cells"]
        if "def broken_update" in "".join(cell["source"]) and cell["cell_type"] == "code"
    )
    return code


def test_the_broken_code_has_five_bugs_and_no_others(encoder):
    code = _broken_code().partition("\n\n\n")[0]
    for bug, mended in (
        ("manual_seed(15)", "manual_seed(15 + epoch)"),
        ("(ids != 0)", "(ids > 3) & (ids < MASK)"),
        ("randint(1, MASK", "randint(4, MASK"),
        ("where(chosen, inputs, 0)", "where(chosen, ids, 0)"),
        ("logits[:, :-1], labels[:, 1:]", "logits, labels"),
    ):
        assert code.count(bug) == 1
        code = code.replace(bug, mended)
    mask = encoder.vocabulary.mask
    given = {"torch": torch, "Tensor": torch.Tensor, "MASK": mask, "model": encoder.model}
    given |= {"source_mask": source_mask, "token_losses": token_losses}
    exec(code, given)
    ids = encoder.vocabulary.inputs([[*range(4, 60)], [1, 2, 3, mask] * 14, [5, 7]])
    generator = torch.Generator().manual_seed(17)
    choice, fate = (torch.rand(ids.shape, generator=generator) for _ in range(2))
    drawn = torch.randint(4, mask, ids.shape, generator=generator)
    right = mask_tokens.correct(ids, choice, fate, drawn, mask)
    with torch.inference_mode():
        inputs, labels, loss = given["broken_update"](ids, 2)
        logits = encoder.model(right[0], source_mask(right[0]))
    assert torch.equal(inputs, right[0])
    assert torch.equal(labels, right[1])
    assert torch.allclose(loss, masked_loss.correct(logits, right[1]))
    assert ((inputs != ids) & (inputs != mask)).any()


def test_ids_with_a_decimal_point_are_refused():
    def masked(*given):
        inputs, labels = mask_tokens.correct(*given)
        return inputs, labels.double()

    def proposed(*given):
        words, shares = fill_blanks.correct(*given)
        return words.float(), shares

    for bank, answer in ((mask_tokens, masked), (fill_blanks, proposed)):
        assert judge(bank.EXERCISE, bank.correct).passed
        assert "whole numbers" in judge(bank.EXERCISE, answer).wrong


def test_every_line_that_is_blamed_stands_in_the_broken_code():
    notebook, code = _notebook(), _broken_code()
    (asked,) = (
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "markdown" and "masking_lines = {" in "".join(cell["source"])
    )
    for symptom, letter in masking_lines.EXERCISE.oracle().items():
        assert f'"{symptom}": ...' in asked
        assert letter == "none" or f"# {letter}" in code
