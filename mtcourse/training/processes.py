"""Training in one process, or in several under ``torchrun``, through one interface (chapter 12)."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

import torch
from torch import Tensor, nn


class OneProcess:
    """A process that trains alone. Its names mean the same where several processes train.

    ``rank`` numbers the processes from 0 to ``count`` − 1; ``device`` is the process's own.
    """

    def __init__(self, device: torch.device) -> None:
        self.rank = 0
        self.count = 1
        self.device = device

    def prepare(self, module: nn.Module) -> nn.Module:
        """The module on this process's device, its gradients averaged over the processes."""
        return module.to(self.device)

    def keep_gradients(self, module: nn.Module) -> AbstractContextManager:
        """Within it, gradients are not exchanged: more batches of the same update follow."""
        return nullcontext()

    def total(self, values: Tensor) -> Tensor:
        """The elementwise sum over the processes, in every one of them."""
        return values


class SeveralProcesses:
    """DistributedDataParallel through accelerate: gloo between CPUs, nccl between GPUs."""

    def __init__(self, device: torch.device) -> None:
        from accelerate import Accelerator

        self._accelerator = Accelerator(cpu=device.type == "cpu")
        self.rank = self._accelerator.process_index
        self.count = self._accelerator.num_processes
        self.device = self._accelerator.device

    def prepare(self, module: nn.Module) -> nn.Module:
        return self._accelerator.prepare_model(module)

    def keep_gradients(self, module: nn.Module) -> AbstractContextManager:
        return self._accelerator.no_sync(module)

    def total(self, values: Tensor) -> Tensor:
        total = self._accelerator.reduce(values.to(self.device), "sum")
        assert isinstance(total, Tensor)
        return total


Processes: TypeAlias = OneProcess | SeveralProcesses


def processes_around(device: torch.device) -> Processes:
    """This process alone on ``device``, or all processes that ``torchrun`` started.

    Args:
        device: where the model is; with several GPUs, each process takes one of its own.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return SeveralProcesses(device)
    return OneProcess(device)
