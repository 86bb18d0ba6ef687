"""Greedy and beam search over any step function (chapter 18).

Search knows no model. A step takes the newest token of each beam and a state, and returns the
log-probabilities of the next token with the state after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.fast.candidates import largest, top_continuations

BOS, EOS = 2, 3


@runtime_checkable
class SearchState(Protocol):
    """What search may do to a model's memory without looking inside."""

    def reorder(self, parents: Tensor) -> Any:
        """Beam b of each sentence now continues what was beam parents[sentence, b]."""
        ...

    def keep(self, sentences: Tensor) -> Any:
        """Only these sentences go on."""
        ...


State = TypeVar("State", bound=SearchState)
Step = Callable[[Tensor, State], tuple[Tensor, State]]


@runtime_checkable
class Search(Protocol):
    """A strategy: from a step, the state before it and the longest lengths to what it finds.

    ``greedy_search`` is one, and ``functools.partial(beam_search, beams=4)``; a learner's own fits.
    """

    def __call__(
        self, step: Step[Any], state: Any, max_lengths: Int[Tensor, " sentences"], /
    ) -> list[list[Hypothesis]]:
        """For each sentence its hypotheses, at least one, best first."""
        ...


@dataclass(frozen=True)
class Hypothesis:
    """One translation that search found.

    Args:
        ids: its tokens, without <bos>, with <eos> if it ended.
        log_probability: log p(ids | source), the sum over its tokens, <eos> included.
        score: what search ranked it by: ``log_probability / len(ids) ** length_penalty``.
    """

    ids: tuple[int, ...]
    log_probability: float
    score: float

    @property
    def finished(self) -> bool:
        """Whether it ended by itself rather than at the maximum length."""
        return bool(self.ids) and self.ids[-1] == EOS


def normalised_score(
    log_probability: Float[Tensor, "*shape"],
    length: Int[Tensor, "*#shape"] | int,
    length_penalty: float,
) -> Float[Tensor, "*shape"]:
    """log p / length^length_penalty: 0 compares probabilities, 1 compares means per token.

    The length counts every generated token, <eos> too, and no prompt (C17; chapter 18).
    """
    return log_probability / torch.as_tensor(length, device=log_probability.device).pow(
        length_penalty
    )


def greedy_search(
    step: Step[State], state: State, max_lengths: Int[Tensor, " sentences"]
) -> list[list[Hypothesis]]:
    """Takes the most probable token at each step until <eos> (C13; chapter 18).

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory before the first token.
        max_lengths: the most tokens for each sentence, <eos> included, each at least 1.

    Returns:
        For each sentence its one hypothesis, in the order given, the same whatever else is in the
        batch.
    """
    return token_by_token(step, state, max_lengths, largest)


@torch.inference_mode()
def token_by_token(
    step: Step[State],
    state: State,
    max_lengths: Int[Tensor, " sentences"],
    choose: Callable[[Tensor], Tensor],
) -> list[list[Hypothesis]]:
    """Keeps one hypothesis for each sentence and lets ``choose`` pick each next token.

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory before the first token.
        max_lengths: the most tokens for each sentence, <eos> included, each at least 1.
        choose: from log-probabilities (sentences, 1, V) to tokens (sentences, 1).

    Returns:
        For each sentence its one hypothesis, in the order given.
    """
    sentences = len(max_lengths)
    horizon = int(max_lengths.max()) if sentences else 0
    tokens = max_lengths.new_full((sentences, horizon), EOS)
    log_probability = torch.zeros(sentences, device=max_lengths.device)
    lengths = max_lengths.clone()
    active = torch.arange(sentences, device=max_lengths.device)
    running = torch.ones_like(active, dtype=torch.bool)
    ids = torch.full((sentences, 1), BOS, device=max_lengths.device)
    limits = max_lengths
    for t in range(horizon):
        log_probs, state = step(ids, state)
        ids = choose(log_probs)
        best = log_probs.gather(-1, ids[..., None])[:, 0, 0]
        tokens[active, t] = ids[:, 0]
        log_probability[active] += torch.where(running, best, 0.0)
        ended = running & ((ids[:, 0] == EOS) | (limits == t + 1))
        if not ended.any():
            continue
        lengths[active[ended]] = t + 1
        running = running & ~ended
        if not running.any():
            break
        if worth_dropping(running):
            rows = running.nonzero().squeeze(-1)
            state, ids = state.keep(rows), ids[rows]
            active, running, limits = active[rows], running[rows], limits[rows]
    return [
        [Hypothesis(tuple(row[:length]), log_p, log_p)]
        for row, length, log_p in zip(
            tokens.tolist(), lengths.tolist(), log_probability.tolist(), strict=True
        )
    ]


@dataclass(frozen=True)
class Beams:
    """All hypotheses of the sentences in the batch.

    Args:
        sentence: where each row stands in the caller's batch.
        max_length: the most tokens for each sentence.
        searching: False once a sentence's results are known; its rows stay in the batch until
            taking them out saves time.
        live_ids: the tokens of the beams that go on.
        live_log_probability: their log-probabilities; -inf where there is no such beam.
        ended_ids: the tokens of the best ended hypotheses, best first.
        ended_length: how many tokens they have.
        ended_log_probability: their log-probabilities.
        ended_score: their normalised scores; -inf where there is none.
    """

    sentence: Int[Tensor, " sentences"]
    max_length: Int[Tensor, " sentences"]
    searching: Bool[Tensor, " sentences"]
    live_ids: Int[Tensor, "sentences live horizon"]
    live_log_probability: Float[Tensor, "sentences live"]
    ended_ids: Int[Tensor, "sentences ended horizon"]
    ended_length: Int[Tensor, "sentences ended"]
    ended_log_probability: Float[Tensor, "sentences ended"]
    ended_score: Float[Tensor, "sentences ended"]

    @classmethod
    def start(cls, max_lengths: Int[Tensor, " sentences"], n_best: int) -> Beams:
        """One empty live beam a sentence, nothing ended."""
        sentences, device = len(max_lengths), max_lengths.device
        horizon = int(max_lengths.max()) if sentences else 0
        nothing = torch.full((sentences, n_best), -math.inf, device=device)
        return cls(
            sentence=torch.arange(sentences, device=device),
            max_length=max_lengths,
            searching=torch.ones(sentences, dtype=torch.bool, device=device),
            live_ids=max_lengths.new_full((sentences, 1, horizon), EOS),
            live_log_probability=torch.zeros(sentences, 1, device=device),
            ended_ids=max_lengths.new_full((sentences, n_best, horizon), EOS),
            ended_length=max_lengths.new_ones(sentences, n_best),
            ended_log_probability=nothing,
            ended_score=nothing,
        )

    def keep(self, rows: Int[Tensor, " kept"]) -> Beams:
        """The hypotheses of some of the sentences."""
        return Beams(*(getattr(self, field.name)[rows] for field in fields(self)))


@torch.inference_mode()
def beam_search(
    step: Step[State],
    state: State,
    max_lengths: Int[Tensor, " sentences"],
    beams: int,
    length_penalty: float = 1.0,
    n_best: int = 1,
) -> list[list[Hypothesis]]:
    """Keeps the best ``beams`` unfinished prefixes at each step, and each ended one that may win.

    Candidates are ranked by total log-probability, ended ones by ``normalised_score``. A sentence
    stops when even its best live prefix, ended as favourably as the maximum length allows, could
    not enter the n best. An unfinished hypothesis is returned only where the maximum length left
    too few ended ones.

    Args:
        step: the model as a function of (ids, state).
        state: the model's memory before the first token.
        max_lengths: the most tokens for each sentence, <eos> included, each at least 1.
        beams: B, the prefixes kept for each sentence.
        length_penalty: exponent of the length; 1 ranks by mean log-probability per token, because
            the plain sum favours short sentences.
        n_best: how many hypotheses to return for each sentence, at most ``beams``.

    Returns:
        For each sentence its n best hypotheses, best first (fewer if no more exist), the same
        whatever else is in the batch.

    Source: C15 to C18, with the top 2B of B V candidates instead of B^2. Chapter 18.
    """
    if not 1 <= n_best <= beams:
        raise MtcourseError(f"n_best must be from 1 to beams, but is {n_best} of {beams} beams")
    hypotheses: list[list[Hypothesis]] = [[] for _ in range(len(max_lengths))]
    current = Beams.start(max_lengths, n_best)
    ids = torch.full((len(max_lengths), 1), BOS, device=max_lengths.device)
    t = 0
    while len(current.sentence):
        log_probs, state = step(ids, state)
        t += 1
        current, parents = _advance(current, log_probs, t, beams, length_penalty)
        state = state.reorder(parents)
        settled = current.searching & _settled(current, t, length_penalty)
        for row in settled.nonzero().squeeze(-1).tolist():
            hypotheses[int(current.sentence[row])] = _results(current, row, t, length_penalty)
        current = replace(current, searching=current.searching & ~settled)
        if worth_dropping(current.searching):
            rows = current.searching.nonzero().squeeze(-1)
            current, state = current.keep(rows), state.keep(rows)
        ids = current.live_ids[:, :, t - 1]
    return hypotheses


def worth_dropping(searching: Bool[Tensor, " sentences"]) -> bool:
    """Whether enough sentences have finished: taking them out copies the state of the others."""
    finished = int((~searching).sum())
    return finished > 0 and (finished == len(searching) or 4 * finished >= len(searching))


def _advance(
    current: Beams, log_probs: Tensor, t: int, beams: int, length_penalty: float
) -> tuple[Beams, Int[Tensor, "sentences beams"]]:
    """The beams after step t, now t tokens long, and which earlier beam each of them continues."""
    # A beam can end only once, so 2B candidates hold at least B that go on.
    total, parent, token = top_continuations(log_probs, current.live_log_probability, 2 * beams)
    ids = current.live_ids.gather(1, _tokens_of(parent, current.live_ids))
    ids[:, :, t - 1] = token
    ends = token == EOS
    # An end counts only among the first B: below them it would not have been kept as a beam.
    ended = _with_ended(
        current,
        ids[:, :beams],
        total[:, :beams].where(ends[:, :beams], -math.inf),
        t,
        length_penalty,
    )
    live_total, chosen = total.masked_fill(ends, -math.inf).topk(beams, dim=1)
    live_ids = ids.gather(1, _tokens_of(chosen, ids))
    grown = replace(ended, live_ids=live_ids, live_log_probability=live_total)
    return grown, parent.gather(1, chosen)


def _with_ended(
    current: Beams, ids: Tensor, log_probability: Tensor, t: int, length_penalty: float
) -> Beams:
    """The n best ended hypotheses among those known and those that end at step t."""
    score = normalised_score(log_probability, t, length_penalty)
    n_best = current.ended_score.shape[1]
    best_score, best = torch.cat([current.ended_score, score], 1).topk(n_best, dim=1)
    known_ids = torch.cat([current.ended_ids, ids], 1)
    lengths = torch.cat([current.ended_length, torch.full_like(ids[:, :, 0], t)], 1)
    log_probabilities = torch.cat([current.ended_log_probability, log_probability], 1)
    return replace(
        current,
        ended_ids=known_ids.gather(1, _tokens_of(best, known_ids)),
        ended_length=lengths.gather(1, best),
        ended_log_probability=log_probabilities.gather(1, best),
        ended_score=best_score,
    )


def _settled(current: Beams, t: int, length_penalty: float) -> Bool[Tensor, " sentences"]:
    """Where no live beam can enter the n best any more, or no token is left to spend.

    A log-probability only falls. Dividing by a growing length can raise it, so the bound takes the
    longest length for a positive penalty and the next one otherwise.
    """
    longest = (
        current.max_length if length_penalty > 0 else torch.full_like(current.max_length, t + 1)
    )
    bound = normalised_score(current.live_log_probability[:, 0], longest, length_penalty)
    return (bound <= current.ended_score[:, -1]) | (current.max_length <= t)


def _results(current: Beams, row: int, t: int, length_penalty: float) -> list[Hypothesis]:
    """The n best of one sentence: the ended ones, then live ones if too few have ended."""
    ended = [
        Hypothesis(tuple(ids[:length]), log_probability, score)
        for ids, length, log_probability, score in zip(
            current.ended_ids[row].tolist(),
            current.ended_length[row].tolist(),
            current.ended_log_probability[row].tolist(),
            current.ended_score[row].tolist(),
            strict=True,
        )
        if score > -math.inf
    ]
    log_probabilities = current.live_log_probability[row]
    scores = normalised_score(log_probabilities, t, length_penalty).tolist()
    live = [
        Hypothesis(tuple(ids[:t]), log_probability, score)
        for ids, log_probability, score in zip(
            current.live_ids[row].tolist(), log_probabilities.tolist(), scores, strict=True
        )
        if score > -math.inf
    ]
    n_best = current.ended_score.shape[1]
    return (ended + live)[:n_best]


def _tokens_of(rows: Int[Tensor, "sentences rows"], ids: Tensor) -> Int[Tensor, "..."]:
    """An index that gathers whole hypotheses from (sentences, beams, horizon)."""
    return rows[..., None].expand(-1, -1, ids.shape[-1])
