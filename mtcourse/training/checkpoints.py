"""A checkpoint is a folder of plain data: weights, configuration, how to continue (chapter 12).

- ``weights.safetensors``: the model's parameters and buffers.
- ``config.json``: the format's version and what the caller says of the model.
- ``optimizer.safetensors``: the optimizer's moments, only where training is to continue.
- ``training.json``: where training stands, likewise.

A new folder is written beside the old one and then takes its place, in two renames. If writing is
interrupted at any moment, one whole checkpoint can be read: the new one, or the old one, which is
called ``<name>.old`` between the two renames. Reading looks there too.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from mtcourse.errors import MtcourseError

FORMAT = 1
FILES = ("weights.safetensors", "config.json", "optimizer.safetensors", "training.json")


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint's folder holds.

    Args:
        folder: where it was read.
        config: what the caller said of the model.
        weights: the model's state by name; a tied weight is there once.
        optimizer: the optimizer's state dict, or None.
        training: how far training has come, or None.
    """

    folder: Path
    config: dict[str, Any]
    weights: dict[str, Tensor]
    optimizer: dict[str, Any] | None
    training: dict[str, Any] | None


def checkpoint_exists(folder: Path | str) -> bool:
    """Whether a whole checkpoint can be read there."""
    return _whole(Path(folder)) is not None


def save_checkpoint(
    folder: Path | str,
    model: nn.Module,
    config: Mapping[str, Any],
    optimizer: torch.optim.Optimizer | None = None,
    training: Mapping[str, Any] | None = None,
) -> None:
    """Writes a checkpoint, which replaces an older one in the same folder in one move.

    Args:
        folder: the checkpoint's own folder; it may hold nothing else.
        model: its state is written as it is, each tied weight once.
        config: whatever is needed to build the model again, as JSON can hold it.
        optimizer: its state is written too, if training is to continue.
        training: how far training has come, as JSON can hold it.

    Raises:
        MtcourseError: where the folder cannot be written or the values are not JSON, and where the
            folder holds other files, which replacing it would delete.
    """
    folder = Path(folder)
    _refuse_other_files(folder)
    new, old = _beside(folder, "new"), _beside(folder, "old")
    try:
        _finish_interrupted(folder)
        new.mkdir(parents=True)
        _write_tensors(new / "weights.safetensors", _without_ties(model.state_dict()))
        _write_json(new / "config.json", {"format": FORMAT, "model": dict(config)})
        if optimizer is not None:
            state = optimizer.state_dict()
            _write_tensors(new / "optimizer.safetensors", _flat(state["state"]))
            training = dict(training or {}) | {"param_groups": state["param_groups"]}
        if training is not None:
            _write_json(new / "training.json", dict(training))
        if folder.exists():
            os.rename(folder, old)
        os.rename(new, folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise MtcourseError(f"the checkpoint {folder} cannot be written: {error}") from error


def load_checkpoint(folder: Path | str) -> Checkpoint:
    """Reads a checkpoint; tensors are on the CPU.

    Raises:
        MtcourseError: where a file is missing, damaged, or of another format.
    """
    place, config = _configured(folder)
    training = optimizer = None
    if (place / "training.json").exists():
        training = _read_json(place / "training.json")
    if (place / "optimizer.safetensors").exists() and training is not None:
        state = _nested(_read_tensors(place / "optimizer.safetensors"))
        optimizer = {"state": state, "param_groups": training.pop("param_groups", None)}
    weights = _read_tensors(place / "weights.safetensors")
    return Checkpoint(place, config, weights, optimizer, training)


def read_config(folder: Path | str) -> dict[str, Any]:
    """What the checkpoint in a folder says of its model; the weights are not read.

    Raises:
        MtcourseError: where there is no checkpoint, or one of another format.
    """
    return _configured(folder)[1]


def _configured(folder: Path | str) -> tuple[Path, dict[str, Any]]:
    """The folder that holds the whole checkpoint, and what it says of the model."""
    place = _whole(Path(folder))
    if place is None:
        raise MtcourseError(
            f"there is no checkpoint in {folder}: it needs a folder with config.json"
        )
    config = _read_json(place / "config.json")
    if config.get("format") != FORMAT or not isinstance(config.get("model"), dict):
        raise MtcourseError(
            f"{place / 'config.json'} has format {config.get('format')!r}, "
            f"this version of mtcourse reads format {FORMAT}"
        )
    return place, config["model"]


def restore_weights(model: nn.Module, checkpoint: Checkpoint) -> None:
    """Copies a checkpoint's weights into a model of the same shape.

    Raises:
        MtcourseError: where names or shapes differ, naming the first few; the model is then
            unchanged.
    """
    wanted = _without_ties(model.state_dict())
    faults = [f"{name} is missing" for name in wanted if name not in checkpoint.weights]
    faults += [f"{name} is not of this model" for name in checkpoint.weights if name not in wanted]
    faults += [
        f"{name} is {_shape(tensor)} in the checkpoint, {_shape(wanted[name])} in the model"
        for name, tensor in checkpoint.weights.items()
        if name in wanted and tensor.shape != wanted[name].shape
    ]
    if faults:
        rest = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
        raise MtcourseError(
            f"the weights in {checkpoint.folder} do not fit the model: "
            f"{'; '.join(faults[:3])}{rest}"
        )
    model.load_state_dict(checkpoint.weights, strict=False)


def restore_optimizer(optimizer: torch.optim.Optimizer, checkpoint: Checkpoint) -> None:
    """Copies a checkpoint's optimizer state into an optimizer over the same parameters.

    Raises:
        MtcourseError: where the checkpoint has none or it does not fit.
    """
    if checkpoint.optimizer is None:
        raise MtcourseError(
            f"{checkpoint.folder} holds no optimizer state, so training cannot resume from it"
        )
    try:
        optimizer.load_state_dict(checkpoint.optimizer)
    except (ValueError, KeyError, TypeError) as error:
        raise MtcourseError(
            f"the optimizer state in {checkpoint.folder} does not fit: {error}"
        ) from error


def _beside(folder: Path, role: str) -> Path:
    return folder.parent / f"{folder.name}.{role}"


def _whole(folder: Path) -> Path | None:
    """The folder, or the old one where writing stopped between the renames, or None."""
    places = (folder, _beside(folder, "old"))
    return next((place for place in places if (place / "config.json").is_file()), None)


def _refuse_other_files(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise MtcourseError(f"{folder} is a file: a checkpoint is written to a folder")
    others = sorted(file.name for file in folder.glob("*") if file.name not in FILES)
    if others:
        raise MtcourseError(
            f"{folder} holds {others[0]!r}, which writing a checkpoint there would delete: name "
            "another folder"
        )


def _finish_interrupted(folder: Path) -> None:
    """Clears away what an interrupted writing left, keeping the whole checkpoint."""
    new, old = _beside(folder, "new"), _beside(folder, "old")
    if old.exists() and not folder.exists():
        os.rename(old, folder)
    for leftover in (new, old):
        if leftover.exists():
            shutil.rmtree(leftover)


def _without_ties(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The first name of each weight; further names of the same memory are left out."""
    seen: set[tuple] = set()
    kept = {}
    for name, tensor in state.items():
        memory = (tensor.data_ptr(), tensor.shape, tensor.stride())
        if tensor.numel() == 0 or memory not in seen:
            kept[name] = tensor
        seen.add(memory)
    return kept


def _flat(state: Mapping[int, Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Optimizer state by one name: "3/exp_avg"."""
    return {f"{i}/{name}": value for i, of_one in state.items() for name, value in of_one.items()}


def _nested(tensors: Mapping[str, Tensor]) -> dict[int, dict[str, Tensor]]:
    """Undoes ``_flat``."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        index, name = key.split("/")
        state.setdefault(int(index), {})[name] = tensor
    return state


def _shape(tensor: Tensor) -> str:
    return "×".join(map(str, tensor.shape)) or "a scalar"


def _write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    path.touch()
    mode = path.stat().st_mode
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, path)
    path.chmod(mode)  # safetensors' own lets nobody but their owner read them
    _flush(path)


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    try:
        text = json.dumps(value, indent=1)
    except (TypeError, ValueError) as error:
        raise MtcourseError(f"{path.name} cannot hold this configuration: {error}") from error
    path.write_text(text, encoding="utf-8")
    _flush(path)


def _flush(path: Path) -> None:
    """Puts the file on the disk, so that no rename runs ahead of its content."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _read_tensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError as error:
        raise MtcourseError(f"the checkpoint lacks {path}: copy the whole folder") from error
    except (SafetensorError, OSError) as error:
        raise MtcourseError(f"{path} is not a readable safetensors file: {error}") from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise MtcourseError(f"{path} is not readable JSON: {error}") from error
    if not isinstance(value, dict):
        raise MtcourseError(f"{path} holds {type(value).__name__}, not a JSON object")
    return value
