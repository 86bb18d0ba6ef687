"""Six ways to write a cache wrongly, as people have written them, and the tests that find them.

Four change what the model predicts; two return the right numbers and waste products or memory.
Chapter 14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.chapters.kv_cache.row_beams import (
    Caches,
    Extend,
    RowBeams,
    extend,
    no_caches,
    row_state,
    row_step,
)
from mtcourse.decoding.search import Step
from mtcourse.layers.attention import fused_attention
from mtcourse.layers.masks import causal_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoding_state import CachedState, cached_state, cached_step
from mtcourse.models.encoder_decoder import EncoderDecoder

Extended = tuple[Float[Tensor, "rows m d_model"], Caches]


def unmasked_prefill(model: DecoderModel, ids: Tensor, caches: Caches, position: int) -> Extended:
    """The causal mask is left out as soon as there is a cache."""
    m = ids.shape[1]
    everything = torch.ones(1, 1, m, position + m, dtype=torch.bool)
    return model.extend(ids, caches, position, everything)


def top_left_mask(model: DecoderModel, ids: Tensor, caches: Caches, position: int) -> Extended:
    """Query i of the new ones may attend to keys 1 to i, as if it stood at position i."""
    m = ids.shape[1]
    mask = torch.ones(m, position + m, dtype=torch.bool).tril()
    return model.extend(ids, caches, position, mask[None, None])


def cut_mask(model: DecoderModel, ids: Tensor, caches: Caches, position: int) -> Extended:
    """The mask is cut to the number of new tokens on both sides."""
    m = ids.shape[1]
    mask = causal_mask(position + m)[:m, :m]
    return model.extend(ids, caches, position, mask[None, None])


def restarted_positions(
    model: DecoderModel, ids: Tensor, caches: Caches, position: int
) -> Extended:
    """Every call adds the positions from the first on."""
    return model.extend(ids, caches, 0)


@dataclass(frozen=True)
class StayingBeams(RowBeams):
    """Beams whose tokens change places, and whose keys and values do not."""

    def reorder(self, parents: Int[Tensor, "sentences beams"]) -> RowBeams:
        if parents.shape[1] != self.beams:  # the first beams are copies of one
            return super().reorder(parents)
        return self


def staying_state(model: DecoderModel, prompt: Tensor, capacity: int = 64) -> StayingBeams:
    """Like ``row_state``, with beams that are not reordered."""
    return StayingBeams(no_caches(model, len(prompt), capacity), prompt)


@dataclass(frozen=True)
class WithSource:
    """A state that keeps the encoder's output instead of the keys and values made of it."""

    cached: CachedState
    H_E: Float[Tensor, "sentences n d_model"]

    def reorder(self, parents: Tensor) -> WithSource:
        """As for ``CachedState``."""
        return replace(self, cached=self.cached.reorder(parents))

    def keep(self, sentences: Tensor) -> WithSource:
        """As for ``CachedState``."""
        return WithSource(self.cached.keep(sentences), self.H_E[sentences])


def recomputing_step(model: EncoderDecoder) -> Step[WithSource]:
    """K_C and V_C are computed from the encoder's output again at every step."""
    cached = cached_step(model)

    @torch.no_grad()
    def step(ids: Tensor, state: WithSource) -> tuple[Tensor, WithSource]:
        again = tuple(block.cross_attention.keys_values(state.H_E) for block in model.decoder)
        log_p, grown = cached(ids, replace(state.cached, source_keys_values=again))
        return log_p, replace(state, cached=grown)

    return step


def recomputing_state(
    model: EncoderDecoder, source: Tensor, source_mask: Tensor | None = None, capacity: int = 64
) -> WithSource:
    """The state before the first step of ``recomputing_step``."""
    with torch.no_grad():
        state = cached_state(model, source, source_mask, capacity)
        return WithSource(state, model.encode(source, source_mask))


class QueryKeeper:
    """An attention function that keeps all queries, and never reads them."""

    def __init__(self) -> None:
        self.queries: list[Tensor] = []

    def __call__(
        self,
        Q: Tensor,
        K: Tensor,
        V: Tensor,
        mask: Tensor | None = None,
        causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """What ``fused_attention`` returns."""
        self.queries.append(Q)
        return fused_attention(Q, K, V, mask, causal)


# --- the tests ----------------------------------------------------------------------------------

Begin = Callable[[DecoderModel, Tensor], RowBeams]


def one_by_one(model: DecoderModel, ids: Tensor, extend: Extend, begin: Begin) -> bool:
    """Whether each token, fed alone, gives the logits of the whole prefix."""
    return _chunks_are_right(model, ids, extend, [1] * ids.shape[1])


def prompt_first(model: DecoderModel, ids: Tensor, extend: Extend, begin: Begin) -> bool:
    """The same with half of the tokens as a prompt that is read in one pass."""
    half = ids.shape[1] // 2
    return _chunks_are_right(model, ids, extend, [half] + [1] * (ids.shape[1] - half))


def second_chunk(model: DecoderModel, ids: Tensor, extend: Extend, begin: Begin) -> bool:
    """The same with the second half in one pass, too."""
    half = ids.shape[1] // 2
    return _chunks_are_right(model, ids, extend, [half, ids.shape[1] - half])


def swapped_beams(model: DecoderModel, ids: Tensor, extend: Extend, begin: Begin) -> bool:
    """Whether two beams that swap parents give the logits of their own prefixes."""
    step, state = row_step(model, extend), begin(model, ids[:, :1])
    _, state = step(ids[:, :1], state)
    state = state.reorder(torch.zeros(len(ids), 2, dtype=torch.long))
    two = torch.stack([ids[:, 1], ids[:, 2]], dim=1)
    _, state = step(two, state)
    state = state.reorder(torch.tensor([[1, 0]]).expand(len(ids), 2))
    log_p, _ = step(ids[:, 3:4].expand(-1, 2), state)
    pairs = zip(ids[:, 2], ids[:, 1], strict=True)  # beam 1 continues what was beam 2
    prefixes = [
        torch.stack([ids[i, 0], token, ids[i, 3]]) for i, pair in enumerate(pairs) for token in pair
    ]
    expected = model(torch.stack(prefixes))[:, -1].log_softmax(-1)
    return _equal(log_p.flatten(0, 1), expected)


TESTS: dict[str, Callable[[DecoderModel, Tensor, Extend, Begin], bool]] = {
    "one by one": one_by_one,
    "prompt first": prompt_first,
    "second chunk": second_chunk,
    "swapped beams": swapped_beams,
}

BUGS: dict[str, tuple[Extend, Begin]] = {
    "no bug": (extend, row_state),
    "prefill without the causal mask": (unmasked_prefill, row_state),
    "mask aligned top-left": (top_left_mask, row_state),
    "mask cut to the new tokens": (cut_mask, row_state),
    "positions that restart": (restarted_positions, row_state),
    "beams not reordered": (extend, staying_state),
}


def passes(model: DecoderModel, ids: Tensor, bug: str, test: str) -> bool:
    """Whether a broken cache gets through a test; an error counts as found (chapter 14).

    Args:
        model: the language model, in float64.
        ids: sequences of at least four tokens, which begin with <bos>.
        bug: one of ``BUGS``.
        test: one of ``TESTS``.
    """
    try:
        with torch.no_grad():
            return TESTS[test](model, ids, *BUGS[bug])
    except RuntimeError:
        return False


def _chunks_are_right(model: DecoderModel, ids: Tensor, extend: Extend, lengths: list[int]) -> bool:
    caches, position, rows = no_caches(model, len(ids), ids.shape[1]), 0, []
    for chunk in ids.split(lengths, dim=1):
        H, caches = extend(model, chunk, caches, position)
        rows.append(H)
        position += chunk.shape[1]
    return _equal(torch.cat(rows, dim=1), model.hidden(ids))


def _equal(ours: Tensor, expected: Tensor) -> bool:
    return bool((ours - expected).abs().max() < 1e-10)
