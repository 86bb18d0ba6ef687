"""Sampling: each next token is drawn from the distribution of the model (chapter 19)."""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

from mtcourse.decoding.search import Hypothesis, State, Step, token_by_token


def ancestral_sampling(
    step: Step[State],
    state: State,
    max_lengths: Int[Tensor, " sentences"],
    generator: torch.Generator,
) -> list[list[Hypothesis]]:
    """Draws each next token from p(y_t | y_<t), so that a sentence is drawn from p(y).

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory before the first token.
        max_lengths: the most tokens for each sentence, <eos> included, each at least 1.
        generator: where the random numbers come from, on the CPU; it goes on with each call.

    Source: C02, C20. Chapters 13 and 19.
    """

    def choose(log_probs: Tensor) -> Tensor:
        p = log_probs[:, 0].exp().cpu()
        return torch.multinomial(p, 1, generator=generator).to(log_probs.device)

    return token_by_token(step, state, max_lengths, choose)
