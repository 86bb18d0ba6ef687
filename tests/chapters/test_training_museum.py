"""For each bug of chapter 12's museum a small test that sound loops pass and the bug does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from mtcourse.chapters.training.museum import (
    FINE_TUNED,
    FROM_SCRATCH,
    SOUND,
    Loop,
    eos_is_padding,
    train,
)
from mtcourse.evaluation.starts import load_measured
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.text.batches import Batch, Example
from mtcourse.text.tokenizer import EOS, PAD
from scripts import measure_bug_museum as script

V = 20
EXAMPLES = [
    Example(list(range(4, 4 + i % 6 + 1)), list(range(5, 5 + (3 * i) % 7 + 1))) for i in range(150)
]
ONE = Batch.of(EXAMPLES[3:5])
BROKEN = {
    name: loop for name, loop in (FROM_SCRATCH | FINE_TUNED).items() if not name.startswith("sound")
}


def new_model(dropout: float = 0.0) -> EncoderDecoder:
    sizes = EncoderDecoderConfig(
        V, V, d_model=16, h=2, d_ff=16, encoder_layers=1, decoder_layers=1, dropout=dropout
    )
    return EncoderDecoder(sizes, seed=1)


class Given(nn.Module):
    """A model whose logits are given."""

    def __init__(self, logits: Tensor) -> None:
        super().__init__()
        self.logits = logits

    def forward(self, source: Tensor, decoder_input: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.logits


def run(loop: Loop, steps: int, peak: float, model: EncoderDecoder | None = None):
    model = model or new_model(loop.dropout)
    return train(loop, model, EXAMPLES, [ONE], seed=0, steps=steps, peak=peak)


def first_batches(loop: Loop, count: int) -> list[Batch]:
    return list(loop.batches(EXAMPLES, 0, 1))[:count]


def mean_loss(loop: Loop, model: nn.Module, batches: list[Batch]) -> Tensor:
    total, tokens = zip(*(loop.loss(model, batch) for batch in batches), strict=True)
    return torch.stack(total).sum() / sum(tokens)


def norm_of(loop: Loop, model: EncoderDecoder, batches: list[Batch]) -> float:
    model.zero_grad()
    mean_loss(loop, model, batches).backward()
    return torch.stack([p.grad.norm() for p in model.parameters()]).norm().item()


def clears_gradients(loop: Loop) -> bool:
    """With a rate of 0, the norm of the second update is that of its batches alone."""
    model = new_model()
    second = first_batches(loop, 2 * loop.accumulate)[loop.accumulate :]
    alone = norm_of(SOUND, model, second)
    model.zero_grad()
    return run(loop, 2, 0.0, model).norms[1] == pytest.approx(alone, rel=1e-4)


def perfect_logits_cost_nothing(loop: Loop) -> bool:
    """Logits of 100 for each label, and 0 elsewhere, have a loss of 0."""
    logits = 100 * nn.functional.one_hot(ONE.labels, V).float()
    return mean_loss(loop, Given(logits), [ONE]).item() < 1e-3


def resumes_where_it_stopped(loop: Loop) -> bool:
    """With a rate of 0, the loss after the stop is that of a model that was never stopped."""
    before, after = run(SOUND, 4, 0.0).losses, run(loop, 4, 0.0).losses
    return after == pytest.approx(before, abs=1e-5)


def shuffles(loop: Loop) -> bool:
    """Two epochs have the batches in two orders."""
    first, second = (loop.batches(EXAMPLES, 0, epoch) for epoch in (1, 2))
    return [b.labels.tolist() for b in first] != [b.labels.tolist() for b in second]


def ignores_padding(loop: Loop) -> bool:
    """Three columns of padding change no loss."""
    model = new_model().eval()

    def wider(ids: Tensor) -> Tensor:
        return nn.functional.pad(ids, (0, 3), value=PAD)

    padded = Batch(ONE.source, wider(ONE.decoder_input), wider(ONE.labels))
    of_both = [mean_loss(loop, model, [batch]).item() for batch in (ONE, padded)]
    return of_both[0] == pytest.approx(of_both[1], abs=1e-5)


def goes_back_to_training(loop: Loop) -> bool:
    """After an evaluation the model is in training mode."""
    model = new_model(loop.dropout)
    run(loop, 3, 0.0, model)
    return model.training


def keeps_a_rate(loop: Loop) -> bool:
    """After half of the updates, the rate is still a good part of its peak."""
    return run(loop, 32, 0.01).rates[20] > 0.002


def adds_to_one_large_batch(loop: Loop) -> bool:
    """The gradient of an update is that of its batches taken together."""
    model = new_model()
    together = norm_of(SOUND, model, first_batches(loop, loop.accumulate))
    model.zero_grad()
    return run(loop, 1, 0.0, model).norms[0] == pytest.approx(together, rel=1e-4)


def learns_to_stop(loop: Loop) -> bool:
    """The loss has a gradient at the position of <eos>."""
    logits = torch.zeros(*ONE.labels.shape, V, requires_grad=True)
    mean_loss(loop, Given(logits), [ONE]).backward()
    assert logits.grad is not None
    return bool(logits.grad[ONE.labels == EOS].abs().sum() > 0)


def keeps_pairs_together(loop: Loop) -> bool:
    """Every source of a batch stands beside its own target."""
    own = {(*e.source, EOS): (*e.target, EOS) for e in EXAMPLES[:2]}
    seen = {}
    for batch in loop.batches(EXAMPLES[:2], 0, 1):
        for source, labels in zip(batch.source.tolist(), batch.labels.tolist(), strict=True):
            seen[tuple(i for i in source if i != PAD)] = tuple(i for i in labels if i != PAD)
    return seen == own


TESTS: dict[str, Callable[[Loop], bool]] = {
    "gradients never cleared": clears_gradients,
    "softmax before the loss": perfect_logits_cost_nothing,
    "weights not loaded": resumes_where_it_stopped,
    "eos taken for padding": learns_to_stop,
    "sorted by length": shuffles,
    "padding counted": ignores_padding,
    "never back in training mode": goes_back_to_training,
    "schedule counts batches": keeps_a_rate,
    "mean of means": adds_to_one_large_batch,
    "labels shifted twice": perfect_logits_cost_nothing,
    "pairs off by one line": keeps_pairs_together,
}


def sound_of(loop: Loop) -> Loop:
    """The sound loop that a bug was made from."""
    return Loop(
        batches=SOUND.batches if loop.accumulate == 1 else loop.batches,
        dropout=loop.dropout,
        accumulate=loop.accumulate,
    )


@pytest.mark.trains
@pytest.mark.parametrize("bug", TESTS)
def test_a_sound_loop_passes_and_the_bug_does_not(bug):
    holds = TESTS[bug]
    assert holds(sound_of(BROKEN[bug]))
    assert not holds(BROKEN[bug])


def test_every_exhibit_has_a_test():
    without = set(BROKEN) - set(TESTS)
    assert without == {"optimizer state lost"}  # equality to the last bit, tests/training


@pytest.mark.trains
def test_a_lost_optimizer_moves_every_weight_by_the_learning_rate():
    """Adam's first step, in the middle of a run."""
    steps, peak = 4, 1e-3
    moved = {}
    for name in ("sound", "optimizer state lost"):
        models = new_model(), new_model()
        loop = FROM_SCRATCH[name]
        shorter = _until(loop, steps // 2, models[0], peak, steps)
        longer = _until(loop, steps // 2 + 1, models[1], peak, steps)
        pairs = zip(*(model.parameters() for model in models), strict=True)
        change = torch.cat([(b - a).flatten().abs() for a, b in pairs])
        assert shorter == longer[: len(shorter)]
        moved[name] = change[change > 0].median().item() / longer[-1]
    assert moved["optimizer state lost"] == pytest.approx(1, abs=0.01)
    assert moved["sound"] < 0.95


class _Enough(Exception):
    """Ends a run before its last step."""


def _until(loop: Loop, last: int, model: EncoderDecoder, peak: float, steps: int) -> list[float]:
    """The rates of a run of ``steps`` that is broken off after step ``last``."""
    seen = []

    def loss(model, batch):
        if len(seen) == last:
            raise _Enough
        seen.append(batch)
        return loop.loss(model, batch)

    whole = run(loop, steps, peak).rates
    with pytest.raises(_Enough):
        run(replace(loop, loss=loss), steps, peak, model)
    return whole[:last]


def test_where_eos_is_padding_nothing_else_is_left_out():
    logits = torch.zeros(*ONE.labels.shape, V, requires_grad=True)
    total, tokens = eos_is_padding(Given(logits), ONE)
    assert tokens == ONE.target_tokens - len(ONE.labels)
    assert total.item() == pytest.approx(tokens * math.log(V), rel=1e-5)


def test_every_start_of_every_kind_is_stored():
    found = load_measured("bug_museum")
    for group, kinds, steps in (("", FROM_SCRATCH, "steps"), ("fine ", FINE_TUNED, "fine")):
        points = found[steps] // found["mean of"]
        for key in ("losses", "norms"):
            assert list(found[f"{group}{key}"]) == list(kinds)
            of_all = [run for runs in found[f"{group}{key}"].values() for run in runs]
            assert {len(run) for run in of_all} == {points}
        for key in ("losses", "norms", "dev", "length", "written"):
            assert {len(of) for of in found[f"{group}{key}"].values()} == {10}
        assert len(found[f"{group}sentences"]) == script.SHOWN


@pytest.mark.by_turns(3)
@pytest.mark.slow
@pytest.mark.trains
def test_the_script_runs(monkeypatch):
    monkeypatch.setattr(script, "WRITTEN", script.SHOWN)
    found = script.measure(0, steps=3, fine=3)
    assert list(found["losses"]) == list(FROM_SCRATCH)
    assert list(found["fine written"]) == list(FINE_TUNED)
    assert {len(texts) for texts in found["fine written"].values()} == {script.SHOWN}
