"""The tree of all candidates that a beam search considers, step by step (chapter 18)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from mtcourse.decoding.search import BOS, EOS, State, Step, normalised_score

DROPPED, KEPT, ENDED = 0, 1, 2
"""What becomes of a candidate."""


@dataclass(frozen=True)
class Node:
    """A candidate of one step.

    Args:
        token: its last token.
        parent: which candidate of the step before it continues; -1 at the first step.
        log_probability: of the prefix, from the start.
        fate: ``DROPPED``, ``KEPT`` or ``ENDED``.
    """

    token: int
    parent: int
    log_probability: float
    fate: int


@dataclass(frozen=True)
class BeamTree:
    """A beam search, step by step.

    Args:
        steps: the candidates of each step, the most probable first.
        won: step and rank of the hypothesis that the search returns.
    """

    steps: tuple[tuple[Node, ...], ...]
    won: tuple[int, int]

    def ids(self, step: int, rank: int) -> tuple[int, ...]:
        """The tokens from the start to one candidate."""
        found: list[int] = []
        while rank >= 0:
            node = self.steps[step][rank]
            found.append(node.token)
            step, rank = step - 1, node.parent
        return tuple(reversed(found))


@torch.inference_mode()
def beam_tree(
    step: Step[State], state: State, longest: int, beams: int, exponent: float
) -> BeamTree:
    """Searches one sentence as ``beam_search`` does, and keeps all that it considers.

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory of one sentence.
        longest: the most tokens, <eos> included.
        beams: the width.
        exponent: of the length, by which ended hypotheses are ranked.

    Source: C15. Chapter 18.
    """
    steps: list[tuple[Node, ...]] = []
    places, totals = [-1], torch.zeros(1)
    newest = torch.tensor([[BOS]])
    best: tuple[float, tuple[int, int]] | None = None
    for t in range(1, longest + 1):
        log_probs, state = step(newest, state)
        grown = totals[:, None] + log_probs[0]
        best_totals, flat = grown.flatten().topk(min(2 * beams, grown.numel()))
        parents, tokens = flat // grown.shape[1], flat % grown.shape[1]
        ends = tokens == EOS
        live = (~ends).nonzero()[:beams, 0]
        kept = set(live.tolist())
        nodes = []
        for rank, (parent, token, total) in enumerate(
            zip(parents.tolist(), tokens.tolist(), best_totals.tolist(), strict=True)
        ):
            fate = KEPT if rank in kept else DROPPED
            if token == EOS and rank < beams:
                fate = ENDED
                score = float(normalised_score(torch.tensor(total), t, exponent))
                if best is None or score > best[0]:
                    best = score, (t - 1, rank)
            nodes.append(Node(token, places[parent], total, fate))
        steps.append(tuple(nodes))
        places, totals = live.tolist(), best_totals[live]
        newest, state = tokens[live][None], state.reorder(parents[live][None])
        bound = normalised_score(totals[0], longest if exponent > 0 else t + 1, exponent)
        if best is not None and float(bound) <= best[0]:
            break
    return BeamTree(tuple(steps), best[1] if best else (len(steps) - 1, places[0]))
