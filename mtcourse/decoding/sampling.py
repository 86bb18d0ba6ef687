"""Sampling: each next token is drawn from the distribution of the model (chapter 19)."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.decoding.filters import Filter
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


def filtered_sampling(
    step: Step[State],
    state: State,
    max_lengths: Int[Tensor, " sentences"],
    keep: Filter,
    generator: torch.Generator,
) -> list[list[Hypothesis]]:
    """Draws each next token after a filter has changed the logits.

    The log-probability of what is found is still the model's own, without the filter.

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory before the first token.
        max_lengths: the most tokens for each sentence, <eos> included, each at least 1.
        keep: from logits to logits, such as ``partial(top_p, p=0.9)``.
        generator: where the random numbers come from, on the CPU; it goes on with each call.

    Source: C20 to C24. Chapter 19.
    """

    def choose(log_probs: Tensor) -> Tensor:
        return draw(keep(log_probs[:, 0]), generator)[:, None]

    return token_by_token(step, state, max_lengths, choose)


def draw(logits: Float[Tensor, "*batch V"], generator: torch.Generator) -> Int[Tensor, " *batch"]:
    """One token for each row, drawn from softmax(logits) (C20; chapter 19).

    Args:
        logits: minus infinity where a token may not be drawn, (..., V).
        generator: where the random numbers come from, on the CPU.
    """
    rows = logits.reshape(-1, logits.shape[-1]).softmax(-1).cpu()
    drawn = torch.multinomial(rows, 1, generator=generator).to(logits.device)
    return drawn.reshape(logits.shape[:-1])
