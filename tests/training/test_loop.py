"""The training loop: exact resuming, honest denominators, nothing lost, what cannot be trained."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.training.loop import TrainingConfig, train
from mtcourse.training.update import batch_groups
from tests.helpers.training_example import (
    CONFIG,
    LanguageModel,
    TokenBatch,
    batches,
    dev_loss,
    loss,
    weights_of,
)


def assert_same_weights(ours, theirs):
    assert all(
        torch.equal(ours.state_dict()[name], theirs.state_dict()[name]) for name in weights_of(ours)
    )


def interrupt_after(step):
    def callback(report):
        if report.step == step:
            raise KeyboardInterrupt

    return callback


@pytest.mark.trains
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_one_batch_is_learnt_by_heart(device, precision):
    only = TokenBatch(torch.tensor([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 0, 0]]))
    model = LanguageModel(dropout=0.0).to(device)

    def plain_loss(model, batch):
        logits = model.output(model(batch.tokens[:, :-1])).float()
        labels = batch.tokens[:, 1:]
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=0, reduction="sum"
        )

    config = TrainingConfig(
        steps=150, learning_rate=0.1, schedule="constant", warmup=10, precision=precision
    )
    state = train(model, lambda epoch: [only], plain_loss, config)
    assert state.losses[-1] < 0.01 < 2 < state.losses[0]
    assert (state.step, state.epoch, state.batch) == (150, 150, 1)


@pytest.mark.trains
@pytest.mark.parametrize("stop", [1, 10, 19])
@pytest.mark.parametrize("schedule", ["inverse_square_root", "cosine"])
def test_a_resumed_run_has_the_same_losses_step_for_step(tmp_path, device, stop, schedule):
    """With dropout, accumulation over epochs' ends, and a random number drawn in between."""
    config = replace(CONFIG, schedule=schedule, evaluate_every=4, precision="bfloat16")
    straight_model = LanguageModel().to(device)
    straight = train(straight_model, batches, loss, config, evaluate=dev_loss)
    model = LanguageModel().to(device)
    first = train(
        model,
        batches,
        loss,
        config,
        evaluate=dev_loss,
        callbacks=[lambda report: torch.rand(1), interrupt_after(stop)],
        checkpoint_folder=tmp_path / "last",
    )
    assert first.interrupted
    assert first.step == stop
    torch.manual_seed(99)
    model = LanguageModel(seed=5).to(device)
    second = train(
        model,
        batches,
        loss,
        config,
        evaluate=dev_loss,
        checkpoint_folder=tmp_path / "last",
        resume=True,
    )
    assert second == straight
    assert len(second.losses) == 20
    assert_same_weights(model, straight_model)


@pytest.mark.trains
def test_reading_losses_back_late_changes_nothing(tmp_path):
    often, rarely = [], []
    train(LanguageModel(), batches, loss, CONFIG, callbacks=[often.append])
    config = replace(CONFIG, report_every=8)
    train(LanguageModel(), batches, loss, config, callbacks=[rarely.append])
    assert [(r.step, r.loss, r.gradient_norm) for r in often] == [
        (r.step, r.loss, r.gradient_norm) for r in rarely
    ]
    assert [r.step for r in often] == list(range(1, 21))


def test_accumulated_gradients_are_those_of_one_large_batch():
    """Every token weighs the same; a mean of the batches' means would differ."""
    together = TokenBatch(
        torch.nn.utils.rnn.pad_sequence(
            [row for batch in batches(1)[:2] for row in batch.tokens], batch_first=True
        )
    )
    assert batches(1)[0].target_tokens != batches(1)[1].target_tokens
    config = replace(CONFIG, steps=3, accumulate=1)
    one = LanguageModel(dropout=0.0)
    one_losses = train(one, lambda epoch: [together], loss, config).losses
    two = LanguageModel(dropout=0.0)
    two_losses = train(
        two, lambda epoch: batches(1)[:2], loss, replace(config, accumulate=2)
    ).losses
    assert one_losses == pytest.approx(two_losses, rel=1e-6)
    for ours, theirs in zip(one.parameters(), two.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_one_update_is_that_of_torch_by_hand():
    model, reference = LanguageModel(dropout=0.0), LanguageModel(dropout=0.0)
    config = TrainingConfig(
        steps=4, learning_rate=0.3, warmup=2, clip_norm=0.05, weight_decay=0.1, betas=(0.8, 0.9)
    )
    reports = []
    train(model, batches, loss, config, callbacks=[reports.append])
    groups = [
        {"params": [reference.embedding.weight, reference.output.weight], "weight_decay": 0.1},
        {"params": [reference.output.bias], "weight_decay": 0.0},
    ]
    adam = torch.optim.AdamW(groups, betas=(0.8, 0.9), eps=1e-9)
    for batch, report in zip(batches(1)[:4], reports, strict=True):
        mean = loss(reference, batch) / batch.target_tokens
        adam.zero_grad()
        mean.backward()
        norm = torch.nn.utils.clip_grad_norm_(reference.parameters(), 0.05)
        for group in adam.param_groups:
            group["lr"] = report.learning_rate
        adam.step()
        assert report.loss == pytest.approx(mean.item())
        assert report.gradient_norm == pytest.approx(norm.item())
        assert report.tokens == batch.target_tokens
    for ours, theirs in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_no_batch_is_lost_or_repeated_at_the_end_of_an_epoch():
    groups = batch_groups(lambda epoch: [(epoch, i) for i in range(5)], 1, 0, 3)
    first = [next(groups) for _ in range(5)]
    assert [batch for _, _, group in first for batch in group] == [
        (epoch, i) for epoch in (1, 2, 3) for i in range(5)
    ]
    epoch, used, _ = first[2]
    assert (epoch, used) == (2, 4)
    resumed = batch_groups(lambda epoch: [(epoch, i) for i in range(5)], epoch, used, 3)
    assert next(resumed) == first[3]


def test_training_leaves_the_generator_and_the_mode_as_they_were():
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    model = LanguageModel().eval()
    modes = []

    def evaluate(model):
        modes.append((model.training, torch.is_grad_enabled()))
        return 1.0

    train(model, batches, loss, replace(CONFIG, evaluate_every=7), evaluate=evaluate)
    assert torch.equal(torch.rand(3), wanted)
    assert not model.training
    assert modes == [(False, False)] * 3


def test_batches_and_losses_that_cannot_be_trained_on_are_named():
    with pytest.raises(MtcourseError, match="epoch 1 has no batches"):
        train(LanguageModel(), lambda epoch: [], loss, CONFIG)
    empty = TokenBatch(torch.zeros(2, 3, dtype=torch.long))
    with pytest.raises(MtcourseError, match="step 1 hold no target token"):
        train(LanguageModel(), lambda epoch: [empty], loss, CONFIG)
    with pytest.raises(MtcourseError, match=r"the loss has shape \(4, 2, 8\)"):
        train(LanguageModel(), batches, lambda model, batch: model(batch.tokens[:, 1:]), CONFIG)


def test_a_checkpoint_in_the_way_is_not_overwritten(tmp_path):
    config = replace(CONFIG, steps=6)
    state = train(LanguageModel(), batches, loss, config, checkpoint_folder=tmp_path / "last")
    with pytest.raises(MtcourseError, match="already holds a checkpoint: resume it"):
        train(LanguageModel(), batches, loss, config, checkpoint_folder=tmp_path / "last")

    def resume(config, batches=batches, folder=tmp_path / "last", model_config=None):
        return train(
            LanguageModel(), batches, loss, config,
            checkpoint_folder=folder, model_config=model_config, resume=True,
        )  # fmt: skip

    assert resume(config) == state
    assert resume(replace(config, steps=9)).losses[:6] == state.losses
    with pytest.raises(MtcourseError, match=r"learning_rate is 0\.1, there 0\.05"):
        resume(replace(config, learning_rate=0.1))
    with pytest.raises(MtcourseError, match=r"is of another model: \{\}, not \{'d_model': 9\}"):
        resume(config, model_config={"d_model": 9})
    with pytest.raises(MtcourseError, match="epoch 3 has 1 batches, the checkpoint used 4"):
        resume(replace(config, steps=12), lambda epoch: batches(epoch)[:1])
    with pytest.raises(MtcourseError, match="there is no checkpoint in"):
        resume(config, folder=tmp_path / "nowhere")
    with pytest.raises(MtcourseError, match="resume needs checkpoint_folder"):
        resume(config, folder=None)
    (tmp_path / "last" / "training.json").write_text('{"config": {}}')
    with pytest.raises(MtcourseError, match="does not say where training stands"):
        resume(config)
