"""Exact search: the most probable sentence, and a proof that it is (chapter 18).

Uniform-cost search over prefixes. Tests hold beam search to it; a large model takes too long.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.decoding.search import BOS, EOS, Hypothesis, State, Step, beam_search
from mtcourse.errors import MtcourseError

BEAMS, MOST = 4, 20_000


@dataclass(frozen=True)
class Proof:
    """What exact search knows of one sentence when it stops.

    Args:
        hypothesis: the most probable sentence that was found; its score is its log-probability.
        proven: whether no other sentence is more probable; if not, the search gave up.
        expanded: how many prefixes were given to the model.
    """

    hypothesis: Hypothesis
    proven: bool
    expanded: int


@torch.inference_mode()
def prove_best(
    step: Step[State],
    state: State,
    max_length: int,
    known: Hypothesis | None = None,
    most_expanded: int = MOST,
    device: torch.device | str = "cpu",
) -> Proof:
    """Finds the most probable ended sentence and proves that no other is more probable.

    The most probable prefix is always expanded next. A log-probability only falls, so the first
    *ended* prefix whose turn comes is the best of all. Prefixes that are not more probable than
    ``known`` are dropped at once: nothing that begins with them can be better.

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory of one sentence before its first token.
        max_length: the most tokens, <eos> included.
        known: an ended hypothesis of the same sentence, such as beam search's.
        most_expanded: when to give up.
        device: where the model is.

    Raises:
        MtcourseError: the state holds several sentences, or ``known`` did not end.

    Source: C14; Stahlberg and Byrne (2019), who search depth first. Chapter 18.
    """
    if known is not None and not known.finished:
        raise MtcourseError("a hypothesis that has not ended bounds no ended one: leave it out")
    bound = -math.inf if known is None else known.log_probability
    best, expanded, order = known, 0, itertools.count()
    # A prefix, the state behind its parent, and its log-probability with the sign turned.
    waiting: list[tuple[float, int, tuple[int, ...], State]] = [(0.0, next(order), (), state)]
    while waiting:
        cost, _, ids, parent_state = heapq.heappop(waiting)
        if ids and ids[-1] == EOS:
            return Proof(Hypothesis(ids, -cost, -cost), True, expanded)
        if expanded == most_expanded:
            return Proof(best or Hypothesis((), 0.0, -math.inf), False, expanded)
        log_probs, after = step(_newest(ids).to(device), parent_state)
        expanded += 1
        totals = _totals(log_probs, cost)
        for token, total in _above(totals, bound, only_end=len(ids) + 1 == max_length):
            heapq.heappush(waiting, (-total, next(order), (*ids, token), after))
            if token == EOS:  # Whatever is less probable than an ended one cannot win any more.
                bound, best = total, Hypothesis((*ids, EOS), total, total)
    if best is None:
        raise MtcourseError(
            f"no sentence of at most {max_length} tokens ends with a probability above 0"
        )
    return Proof(best, True, expanded)


def _newest(ids: tuple[int, ...]) -> Int[Tensor, "1 1"]:
    """The last token of a prefix, which the model has not read yet."""
    return torch.tensor([[ids[-1] if ids else BOS]])


def _totals(log_probs: Tensor, cost: float) -> Float[Tensor, " V"]:
    """The log-probabilities of all continuations of one prefix."""
    if log_probs.shape[:2] != (1, 1):
        raise MtcourseError(
            f"exact search takes one sentence, and the step gave rows for {len(log_probs)}: take "
            "state.keep(torch.tensor([i])) of sentence i"
        )
    return log_probs[0, 0].double().cpu() - cost


def _above(totals: Float[Tensor, " V"], bound: float, only_end: bool) -> list[tuple[int, float]]:
    """The continuations above the bound, and above that of ending here; <eos> comes last."""
    end = float(totals[EOS])
    kept = [] if only_end else (totals > max(bound, end)).nonzero()[:, 0].tolist()
    found = [(token, float(totals[token])) for token in kept]
    return [*found, (EOS, end)] if end > bound else found


def exact_search(
    step: Step[State],
    state: State,
    max_lengths: Int[Tensor, " sentences"],
    beams: int = BEAMS,
    most_expanded: int = MOST,
) -> list[list[Hypothesis]]:
    """The most probable sentence of all that end within the maximum length, and no other.

    Beam search goes first, and ``prove_best`` drops whatever cannot be better than what it found.
    The time that it takes is not bounded by the length: it depends on how sure the model is.

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory before the first token.
        max_lengths: the most tokens for each sentence, <eos> included, each at least 1.
        beams: of the search that goes first.
        most_expanded: prefixes of one sentence after which the search gives up.

    Returns:
        For each sentence its one hypothesis.

    Raises:
        MtcourseError: the best sentence is not proved after ``most_expanded`` prefixes.

    Source: C14. Chapter 18.
    """
    known = beam_search(step, state, max_lengths, beams, length_penalty=0.0)
    found = []
    for i, (first, *_) in enumerate(known):
        proof = prove_best(
            step,
            state.keep(torch.tensor([i], device=max_lengths.device)),
            int(max_lengths[i]),
            first if first.finished else None,
            most_expanded,
            max_lengths.device,
        )
        if not proof.proven:
            raise MtcourseError(
                f"the best translation of sentence {i} is not proved after {most_expanded} "
                "prefixes: raise most_expanded, or use beam_search"
            )
        found.append([proof.hypothesis])
    return found
