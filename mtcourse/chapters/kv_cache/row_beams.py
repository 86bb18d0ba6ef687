"""Beams as rows of a batch, whose cache has to be reordered with them (chapter 14).

The package keeps beams as positions of one sequence (``DecodedBeams``); this is the way of most
other libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.decoding.search import Step
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.models.decoder_model import DecoderModel

Caches = tuple[KeyValueCache, ...]
Extend = Callable[[DecoderModel, Tensor, Caches, int], tuple[Tensor, Caches]]
"""From the model, the next ids, the caches and the position to H and the caches that then are."""


@dataclass(frozen=True)
class RowBeams:
    """Keys and values of every beam, each beam a row of the batch.

    Args:
        caches: one for each block, with a row for each beam of each sentence.
        prompt: the given tokens, until the first step has read them; then None.
        position: how many positions each row has.
        beams: rows of one sentence.
        copied: how many numbers all reorders so far have copied.
    """

    caches: Caches
    prompt: Int[Tensor, "sentences t"] | None
    position: int = 0
    beams: int = 1
    copied: int = 0

    def reorder(self, parents: Int[Tensor, "sentences beams"]) -> RowBeams:
        """The beams in which beam b continues what was beam parents[b]: keys and values move."""
        sentences, beams = parents.shape
        rows = (torch.arange(sentences)[:, None] * self.beams + parents).flatten()
        caches = tuple(cache.reorder(rows) for cache in self.caches)
        copied = sum(cache.K.numel() + cache.V.numel() for cache in caches)
        return replace(self, caches=caches, beams=beams, copied=self.copied + copied)

    def keep(self, sentences: Int[Tensor, " kept"]) -> RowBeams:
        """The beams of some of the sentences."""
        rows = (sentences[:, None] * self.beams + torch.arange(self.beams)).flatten()
        return replace(self, caches=tuple(cache.reorder(rows) for cache in self.caches))


def no_caches(model: DecoderModel, rows: int, capacity: int) -> Caches:
    """A cache without positions for each block."""
    sizes = model.config
    shape = rows, sizes.h, sizes.d_model // sizes.h, capacity
    return tuple(KeyValueCache.empty(*shape, model.output_weight) for _ in range(sizes.layers))


def row_state(
    model: DecoderModel, prompt: Int[Tensor, "sentences t"], capacity: int = 64
) -> RowBeams:
    """The state before the first step: a prompt that no step has read yet."""
    return RowBeams(no_caches(model, len(prompt), capacity), prompt)


def extend(
    model: DecoderModel, ids: Int[Tensor, "rows m"], caches: Caches, position: int
) -> tuple[Float[Tensor, "rows m d_model"], Caches]:
    """The right way to compute the next m positions: that of the model."""
    return model.extend(ids, caches, position)


def row_step(model: DecoderModel, extend: Extend = extend) -> Step[RowBeams]:
    """A step that computes one position for each row; the first reads the whole prompt.

    Args:
        model: the language model.
        extend: computes the next positions; one of ``famous_bugs`` fits here.
    """

    @torch.no_grad()
    def step(ids: Tensor, state: RowBeams) -> tuple[Tensor, RowBeams]:
        new = ids.reshape(-1, 1) if state.prompt is None else state.prompt
        H, caches = extend(model, new, state.caches, state.position)
        log_p = model.logits(H[:, -1]).log_softmax(-1).unflatten(0, ids.shape)
        position = state.position + new.shape[1]
        return log_p, replace(state, caches=caches, prompt=None, position=position)

    return step


class Recorder:
    """What the reorders of a search did, in order.

    Args:
        parents: the parents of each reorder.
        states: the state after each.
    """

    def __init__(self) -> None:
        self.parents: list[Tensor] = []
        self.states: list[Any] = []


@dataclass(frozen=True)
class Watched:
    """A state whose reorders are recorded."""

    state: Any
    recorder: Recorder

    def reorder(self, parents: Int[Tensor, "sentences beams"]) -> Watched:
        """The reordered state, watched on."""
        state = self.state.reorder(parents)
        self.recorder.parents.append(parents)
        self.recorder.states.append(state)
        return Watched(state, self.recorder)

    def keep(self, sentences: Int[Tensor, " kept"]) -> Watched:
        """The state of some of the sentences, watched on."""
        return Watched(self.state.keep(sentences), self.recorder)


def watched(step: Step[Any]) -> Step[Watched]:
    """The same step for a watched state (chapter 14)."""

    def watching(ids: Tensor, state: Watched) -> tuple[Tensor, Watched]:
        log_p, grown = step(ids, state.state)
        return log_p, Watched(grown, state.recorder)

    return watching
