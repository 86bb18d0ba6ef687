"""The exercises of chapter 12 against torch, sacrebleu, the package and a model."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from torch import nn

from mtcourse.chapters.training.exercises import (
    adam,
    clipped_counts,
    diagnose,
    label_shift,
    resumable_loop,
    schedule,
    what_is_seen,
)
from mtcourse.chapters.training.sick_runs import WHAT_WAS_DONE, logs
from mtcourse.layers.attention import fused_attention
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.text.batches import Batch, Example
from mtcourse.text.tokenizer import BOS, EOS, PAD
from mtcourse.training.schedules import inverse_square_root

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions" / "12_training.ipynb"
WORDS = st.lists(st.sampled_from(["de", "kat", "hond", "zag"]), max_size=9)


def code_of(cell: str) -> str:
    """The source of a cell of the notebook."""
    cells = json.loads(SOLUTIONS.read_text("utf-8"))["cells"]
    return next("".join(one["source"]) for one in cells if one["id"] == cell)


@given(st.lists(st.lists(st.integers(4, 40), max_size=6), min_size=1, max_size=4))
def test_the_batch_is_the_packages(sentences):
    batch = Batch.of([Example([7], target) for target in sentences])
    read, labels = label_shift.correct(sentences, BOS, EOS, PAD)
    assert torch.equal(read, batch.decoder_input)
    assert torch.equal(labels, batch.labels)


@given(st.integers(1, 10_000), st.integers(1, 500), st.floats(1e-5, 10))
def test_the_schedule_is_the_packages_times_its_peak(step, warmup, peak):
    assert math.isclose(
        schedule.correct(step, warmup, peak), peak * inverse_square_root(step, warmup)
    )


@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_the_update_is_torchs(decay):
    weights = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    theirs = nn.Parameter(weights.clone())
    settings = {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-2, "weight_decay": decay}
    optimizer = torch.optim.AdamW([theirs], **settings)
    W, m, v = weights, torch.zeros_like(weights), torch.zeros_like(weights)
    for step in range(1, 8):
        optimizer.zero_grad()
        (theirs**2 * theirs.sin()).sum().backward()
        assert theirs.grad is not None
        W, m, v = adam.correct(W, theirs.grad, m, v, step, 0.1, 0.8, 0.95, 1e-2, decay)
        optimizer.step()
        torch.testing.assert_close(W, theirs.detach(), rtol=1e-12, atol=1e-12)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_the_counts_are_sacrebleus(hypothesis, references):
    texts = [[" ".join(reference)] for reference in references]
    found = BLEU(tokenize="none").corpus_score([" ".join(hypothesis)], texts)
    ours = [clipped_counts.correct(hypothesis, references, n) for n in (1, 2, 3, 4)]
    assert ours == list(zip(found.counts, found.totals, strict=True))


def without_mask(Q, K, V, mask=None, causal=False):
    return fused_attention(Q, K, V, mask)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("shifted", [True, False])
def test_what_is_seen_is_what_a_decoder_reads(shifted, masked):
    sizes = EncoderDecoderConfig(50, 50, d_model=32, d_ff=64, decoder_layers=1, dropout=0.0)
    model = EncoderDecoder(sizes, seed=1).eval()
    if not masked:
        model.decoder[0].self_attention.attention = without_mask
    source, labels = torch.tensor([[7, 8, EOS]]), torch.tensor([[11, 12, 13, 14, EOS]])

    def inputs(labels):
        read = labels.clone()
        if shifted:
            read[:, 1:], read[:, 0] = labels[:, :-1], BOS
        return read

    def moved(one, other):
        with torch.no_grad():
            rows = (model(source, one) - model(source, other)).abs().amax(-1)[0]
        return [j for j, by in enumerate(rows.tolist(), start=1) if by > 1e-4]

    def other(row, j):
        changed = row.clone()
        changed[0, j - 1] = 20
        return changed

    rows_of = {j: moved(inputs(labels), inputs(other(labels, j))) for j in range(1, 6)}
    names = {(1, 1): "shift and mask", (0, 1): "mask only", (1, 0): "shift only"}
    name = names.get((shifted, masked), "neither")

    def told(what):
        return [
            int(digit) for digit in what_is_seen.correct()[f"{what}, {name}"] if digit.isdigit()
        ]

    assert told("read") == [j for j in rows_of if 3 in rows_of[j]]
    assert told("copies") == [j for j in rows_of if j in rows_of[j]]
    read = inputs(labels)
    assert told("changed") == moved(read, other(read, 3))


def test_the_notebook_runs_a_loop_as_its_check_does():
    assert inspect.getsource(resumable_loop.with_power_cuts).strip() == code_of(
        "resumable-loop-given-2"
    )


@pytest.mark.parametrize("case", resumable_loop.EXERCISE.listed(), ids=lambda case: case.name)
def test_the_loop_that_resumes_is_the_one_that_is_shown(case):
    names: dict = {"torch": torch, "Tensor": torch.Tensor}
    exec(code_of("resumable-loop-given-1"), names)
    W, X, y, steps, _ = case.arguments
    with torch.random.fork_rng(devices=[]):
        shown = names["whole_loop"](W, X, y, steps)
    ends = resumable_loop.correct(*case.arguments)
    assert torch.equal(ends["whole"], shown)
    assert torch.equal(ends["resumed"], shown)


RUN_OF = {what: run for run, what in WHAT_WAS_DONE.items()}


@pytest.mark.parametrize("start", range(10))
def test_each_run_shows_the_sign_of_its_fault_from_every_start(start):
    """What tells the runs apart, each by a wide margin."""
    by_figure = {}
    for run, figures in logs(start).items():
        for name, value in figures.items():
            by_figure.setdefault(name, {})[run] = value

    def singled_out(figure, what, holds):
        of_runs = by_figure[figure]
        assert [run for run, value in of_runs.items() if holds(value)] == [
            run for run in of_runs if WHAT_WAS_DONE[run] in what
        ], figure

    first, dev = "training loss, first step", "dev loss"
    again, wrong = "dev loss, measured again", "dev loss, each source from another pair"
    cut, left_out = "encoder's rows detached", "encoder not in the optimizer"
    singled_out("norm of the encoder's gradient", [cut], lambda norm: norm == 0)
    singled_out("encoder moved", [cut, left_out], lambda moved: moved == 0)
    singled_out("decoder moved", ["rate of the first step"], lambda moved: moved < 0.4)
    singled_out(first, ["divided by all positions"], lambda loss: loss < 6.5)
    singled_out(dev, ["no causal mask"], lambda loss: loss < 1.6)
    needless = ["lines of the files do not match", "no causal mask", "rate of the first step"]
    for run, loss in by_figure[dev].items():
        assert (by_figure[wrong][run] - loss < 0.5) == (WHAT_WAS_DONE[run] in needless)
        assert (by_figure[again][run] != loss) == (WHAT_WAS_DONE[run] == "dropout left on")
    worst = min(by_figure["chrF of its own translations"].items(), key=lambda both: both[1])
    assert worst[0] == RUN_OF["no causal mask"]
    well = by_figure[dev][RUN_OF["nothing"]]
    assert abs(by_figure[dev][RUN_OF[left_out]] - well) < 0.15
    assert by_figure[dev][RUN_OF[cut]] > well + 0.3


def test_the_table_that_is_shown_tells_two_measurements_apart():
    shown = logs()[RUN_OF["dropout left on"]]
    assert f"{shown['dev loss']:.2f}" != f"{shown['dev loss, measured again']:.2f}"


def test_a_letter_for_each_run():
    letters = diagnose.EXERCISE.oracle()
    assert sorted(letters.values()) == [*"ABCDEFG", "none"]
