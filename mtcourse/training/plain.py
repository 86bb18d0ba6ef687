"""The training loop at one glance: the plain twin of ``train``, without what long runs need."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from mtcourse.training.config import TrainingConfig
from mtcourse.training.update import B, M


def plain_train(
    model: M,
    batches: Callable[[int], Sequence[B]],
    loss: Callable[[M, B], Tensor],
    config: TrainingConfig,
) -> list[float]:
    """Trains a model in place, and returns the loss of each update in nats per target token.

    It makes the updates that ``train`` makes, in one process and in float32. It does not report,
    evaluate, decay weights, write checkpoints, or notice a loss that is not finite.

    Args:
        model: what ``loss`` calls.
        batches: from an epoch, counted from 1, to its batches.
        loss: the summed loss over a batch's target tokens, a scalar.
        config: steps, rates, clipping and accumulation.

    Chapter 12.
    """
    optimizer = torch.optim.AdamW(
        model.parameters(), betas=config.betas, eps=config.eps, weight_decay=0.0
    )
    losses: list[float] = []
    group: list[B] = []
    model.train()
    for epoch in itertools.count(1):
        for batch in batches(epoch):
            group.append(batch)
            if len(group) < config.accumulate:
                continue
            tokens = sum(one.target_tokens for one in group)
            optimizer.zero_grad()
            loss_sums = [loss(model, one) for one in group]
            (torch.stack(loss_sums).sum() / tokens).backward()
            nn.utils.clip_grad_norm_(model.parameters(), config.clip_norm or math.inf)
            for parameters in optimizer.param_groups:
                parameters["lr"] = config.learning_rate_at(len(losses) + 1)
            optimizer.step()
            losses.append(sum(one.item() for one in loss_sums) / tokens)
            group = []
            if len(losses) == config.steps:
                return losses
    return losses
