"""Checkpoints: what is written is read, a crash leaves a whole one, and damage is named."""

from __future__ import annotations

import json
import os
import shutil

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from mtcourse.errors import MtcourseError
from mtcourse.training import checkpoints
from mtcourse.training.checkpoints import (
    checkpoint_exists,
    load_checkpoint,
    restore_optimizer,
    restore_weights,
    save_checkpoint,
)


class TiedModel(nn.Module):
    """An embedding that is also the output weight, as translators share them."""

    def __init__(self, d: int = 3, fill: float | None = None) -> None:
        super().__init__()
        self.embedding = nn.Embedding(5, d)
        self.output = nn.Linear(d, 5)
        self.output.weight = self.embedding.weight
        if fill is not None:
            for parameter in self.parameters():
                nn.init.constant_(parameter, fill)


def trained(fill=None):
    """A model after two steps of AdamW."""
    model = TiedModel(fill=fill)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for _ in range(2):
        optimizer.zero_grad()
        model.output(model.embedding(torch.tensor([1, 2]))).square().sum().backward()
        optimizer.step()
    return model, optimizer


def test_what_is_written_is_read(tmp_path):
    model, optimizer = trained()
    save_checkpoint(tmp_path / "last", model, {"d": 3}, optimizer, {"step": 2})
    checkpoint = load_checkpoint(tmp_path / "last")
    assert checkpoint.config == {"d": 3}
    assert checkpoint.training == {"step": 2}
    fresh = TiedModel()
    restore_weights(fresh, checkpoint)
    for name, tensor in model.state_dict().items():
        assert torch.equal(fresh.state_dict()[name], tensor)
    assert fresh.output.weight is fresh.embedding.weight
    fresh_optimizer = torch.optim.AdamW(fresh.parameters(), lr=9.0, fused=True)
    restore_optimizer(fresh_optimizer, checkpoint)
    ours, theirs = fresh_optimizer.state_dict(), optimizer.state_dict()
    assert json.dumps(ours["param_groups"]) == json.dumps(theirs["param_groups"])
    for index, state in theirs["state"].items():
        assert all(torch.equal(ours["state"][index][name], state[name]) for name in state)


def test_a_tied_weight_is_stored_once(tmp_path):
    save_checkpoint(tmp_path / "last", TiedModel(), {})
    assert sorted(load_file(tmp_path / "last" / "weights.safetensors")) == [
        "embedding.weight",
        "output.bias",
    ]


def test_a_checkpoint_for_use_only_has_two_files(tmp_path):
    save_checkpoint(tmp_path / "a" / "model", TiedModel(), {})
    assert sorted(os.listdir(tmp_path / "a" / "model")) == ["config.json", "weights.safetensors"]
    checkpoint = load_checkpoint(tmp_path / "a" / "model")
    assert checkpoint.training is None
    _, optimizer = trained()
    with pytest.raises(MtcourseError, match="holds no optimizer state"):
        restore_optimizer(optimizer, checkpoint)


class Crash(BaseException):
    """The process dies here."""


def crash_at(monkeypatch, count):
    """Lets the first ``count`` file operations of a save happen, and dies at the next."""
    happened = []

    def counted(operation):
        def wrapper(*args, **options):
            if len(happened) == count:
                raise Crash
            happened.append(operation.__name__)
            return operation(*args, **options)

        return wrapper

    for module, name in (
        (checkpoints, "save_file"),
        (checkpoints, "_write_json"),
        (os, "rename"),
        (os, "fsync"),
        (shutil, "rmtree"),
    ):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    return happened


def fill_of(folder):
    model = TiedModel()
    checkpoint = load_checkpoint(folder)
    restore_weights(model, checkpoint)
    (fill,) = model.output.bias.unique().tolist()
    return fill, checkpoint.training, checkpoint.config


def test_weights_can_be_read_by_whoever_can_read_the_rest(tmp_path):
    model, optimizer = trained()
    save_checkpoint(tmp_path / "last", model, {"d": 3}, optimizer, {"step": 2})
    files = [path for path in (tmp_path / "last").rglob("*") if path.is_file()]
    assert any(path.name == "weights.safetensors" for path in files)
    assert len({path.stat().st_mode for path in files}) == 1


def test_a_crash_at_any_point_leaves_the_old_checkpoint_or_the_new_one(tmp_path, monkeypatch):
    folder = tmp_path / "last"
    old, new = (1.0, {"step": 1}, {"n": 1}), (2.0, {"step": 2}, {"n": 2})
    seen, count = [], 0
    while True:
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        save_checkpoint(folder, TiedModel(fill=1.0), {"n": 1}, training={"step": 1})
        with monkeypatch.context() as patch:
            happened = crash_at(patch, count)
            try:
                save_checkpoint(folder, TiedModel(fill=2.0), {"n": 2}, training={"step": 2})
                finished = True
            except Crash:
                finished = False
        assert checkpoint_exists(folder)
        seen.append(fill_of(folder))
        # And the next save works whatever was left.
        save_checkpoint(folder, TiedModel(fill=3.0), {"n": 3}, training={"step": 3})
        assert fill_of(folder)[0] == 3.0
        assert os.listdir(tmp_path) == ["last"]
        if finished:
            break
        count += 1
    assert happened.count("rename") == 2
    assert seen[0] == old
    assert seen[-1] == new
    assert all(state in (old, new) for state in seen)


def test_a_crash_of_the_first_writing_leaves_no_checkpoint(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        crash_at(patch, 1)
        with pytest.raises(Crash):
            save_checkpoint(tmp_path / "last", TiedModel(), {})
    assert not checkpoint_exists(tmp_path / "last")
    with pytest.raises(MtcourseError, match="there is no checkpoint in"):
        load_checkpoint(tmp_path / "last")


def test_other_files_in_the_folder_are_never_deleted(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(MtcourseError, match=r"holds 'thesis\.tex'"):
        save_checkpoint(tmp_path, TiedModel(), {})
    with pytest.raises(MtcourseError, match="is a file"):
        save_checkpoint(tmp_path / "thesis.tex", TiedModel(), {})
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MtcourseError, match="cannot be written"):
        save_checkpoint(tmp_path / "file" / "last", TiedModel(), {})
    with pytest.raises(MtcourseError, match=r"config\.json cannot hold"):
        save_checkpoint(tmp_path / "last", TiedModel(), {"a set": {1}})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "weights.safetensors").unlink(), r"lacks .*weights\.safetensors"),
        (lambda f: (f / "weights.safetensors").write_bytes(b"PK\x03\x04"), "not a readable safe"),
        (
            lambda f: (f / "weights.safetensors").write_bytes(
                (f / "weights.safetensors").read_bytes()[:-4]
            ),
            "not a readable safetensors",
        ),
        (lambda f: (f / "config.json").write_text("{"), r"config\.json is not readable JSON"),
        (lambda f: (f / "config.json").write_text("[]"), "holds list, not a JSON object"),
        (
            lambda f: (f / "config.json").write_text('{"format": 99, "model": {}}'),
            "has format 99, this version of mtcourse reads format 1",
        ),
        (lambda f: (f / "training.json").write_bytes(b"\xff\xfe"), "not readable JSON"),
        (lambda f: (f / "optimizer.safetensors").write_bytes(b""), "not a readable safetensors"),
    ],
)
def test_damage_is_named(tmp_path, damage, message):
    folder = tmp_path / "last"
    save_checkpoint(folder, *(trained()[:1]), {}, trained()[1], {"step": 2})
    damage(folder)
    with pytest.raises(MtcourseError, match=message):
        load_checkpoint(folder)


def test_weights_that_do_not_fit_are_named_with_both_shapes(tmp_path):
    save_checkpoint(tmp_path / "last", TiedModel(d=4), {})
    model = TiedModel(d=3)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    checkpoint = load_checkpoint(tmp_path / "last")
    with pytest.raises(
        MtcourseError, match=r"embedding\.weight is 5×4 in the checkpoint, 5×3 in the model"
    ):
        restore_weights(model, checkpoint)
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    wrong = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3)))
    with pytest.raises(MtcourseError, match=r"0\.weight is missing; .*; and 5 more"):
        restore_weights(wrong, checkpoint)


def test_an_optimizer_that_does_not_fit_is_refused(tmp_path):
    model, optimizer = trained()
    save_checkpoint(tmp_path / "last", model, {}, optimizer)
    other = torch.optim.AdamW([nn.Parameter(torch.zeros(1))])
    with pytest.raises(MtcourseError, match="optimizer state .* does not fit"):
        restore_optimizer(other, load_checkpoint(tmp_path / "last"))
