"""The gradient of one update, shared between two processes (chapter 12).

``gradients_of_two`` starts this module twice. The two processes find each other through a file, and
exchange gradients over gloo, as DistributedDataParallel does between CPUs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from mtcourse.errors import MtcourseError

TOKENS = (3, 11)
"""Target tokens of the two processes' batches."""

_V, _D, _PATIENCE = 7, 5, timedelta(seconds=60)


def shares() -> list[tuple[Tensor, Tensor]]:
    """For each process its batch: input rows and labels."""
    generator = torch.Generator().manual_seed(12)
    return [
        (torch.randn(n, _D, generator=generator, dtype=torch.float64),
         torch.randint(_V, (n,), generator=generator))
        for n in TOKENS
    ]  # fmt: skip


def new_layer() -> nn.Linear:
    """An output layer, with the same weights in every process."""
    torch.manual_seed(0)
    return nn.Linear(_D, _V, bias=False, dtype=torch.float64)


def gradient_of_one() -> Tensor:
    """The gradient of the mean loss over the tokens of both batches, in one process."""
    layer = new_layer()
    rows, labels = (torch.cat(parts) for parts in zip(*shares(), strict=True))
    nn.functional.cross_entropy(layer(rows), labels).backward()
    assert layer.weight.grad is not None
    return layer.weight.grad


def gradients_of_two() -> dict[str, Tensor]:
    """The gradient after two processes have averaged theirs, for two divisors of the local sum.

    "own tokens" divides each process's sum by its own tokens. "all tokens" divides by the tokens of
    all processes and multiplies by their number, which undoes the mean that
    DistributedDataParallel takes.

    Raises:
        MtcourseError: a process failed, with what it said.

    Chapter 12.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", __spec__.name if __spec__ else __name__, folder]
        started = [
            subprocess.Popen([*command, str(rank)], stderr=subprocess.PIPE, text=True)
            for rank in range(2)
        ]
        said = [process.communicate()[1] for process in started]
        if any(process.returncode for process in started):
            raise MtcourseError(f"a process of two failed: {''.join(said)[-500:]}")
        found = json.loads((Path(folder) / "gradients.json").read_text(encoding="utf-8"))
    return {name: torch.tensor(rows, dtype=torch.float64) for name, rows in found.items()}


def _in_a_process(folder: Path, rank: int) -> None:
    """What each of the two does; the first writes the result."""
    torch.distributed.init_process_group(
        "gloo",
        init_method=(folder / "meet").as_uri(),
        rank=rank,
        world_size=2,
        timeout=_PATIENCE,
    )
    rows, labels = shares()[rank]
    count = torch.tensor(float(len(labels)))
    torch.distributed.all_reduce(count)  # the tokens of both
    divisors = {"own tokens": len(labels), "all tokens": count.item() / 2}
    found = {}
    for name, divisor in divisors.items():
        layer = new_layer()
        shared = DistributedDataParallel(layer)
        loss = nn.functional.cross_entropy(shared(rows), labels, reduction="sum") / divisor
        loss.backward()  # averages the gradients of both processes
        assert layer.weight.grad is not None
        found[name] = layer.weight.grad.tolist()
    if rank == 0:
        (folder / "gradients.json").write_text(json.dumps(found), encoding="utf-8")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    _in_a_process(Path(sys.argv[1]), int(sys.argv[2]))
