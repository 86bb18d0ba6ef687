"""The encoder-decoder as the step function that search and sampling see (chapters 14 and 18).

Two steps with one protocol and one test: ``prefix_step`` runs the whole prefix again each time and
is easy to believe; ``cached_step`` keeps keys and values and is the one to use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from mtcourse.decoding.search import Step
from mtcourse.fast.linear import linear
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.models.encoder_decoder import EncoderDecoder

LogProbabilities = Float[Tensor, "sentences beams V_t"]


Decode = Callable[[Tensor, Tensor, Tensor | None], Tensor]
"""From target ids, the encoder's output and the source mask to logits, (sentences, m, V_t)."""


@dataclass(frozen=True)
class PrefixState:
    """Everything decoded so far, and nothing computed from it.

    Args:
        ids: tokens fed so far, none at first.
        H_E: the encoder's output, or whatever the decoder wants of each sentence.
        source_mask: True where a source token is real.
    """

    ids: Int[Tensor, "sentences beams t"]
    H_E: Shaped[Tensor, "sentences ..."]
    source_mask: Bool[Tensor, "sentences 1 1 n"] | None

    def reorder(self, parents: Int[Tensor, "sentences beams"]) -> PrefixState:
        """The state in which beam b continues what was beam parents[b]."""
        index = parents[..., None].expand(-1, -1, self.ids.shape[-1])
        return replace(self, ids=self.ids.gather(1, index))

    def keep(self, sentences: Int[Tensor, " kept"]) -> PrefixState:
        """The state of some of the sentences."""
        mask = None if self.source_mask is None else self.source_mask[sentences]
        return PrefixState(self.ids[sentences], self.H_E[sentences], mask)


def prefix_step(decode: Decode) -> Step[PrefixState]:
    """A step that decodes the whole prefix again, the plain twin of ``cached_step``.

    Args:
        decode: of any encoder-decoder, or a function that stands for one.
    """

    @torch.no_grad()
    def step(
        ids: Int[Tensor, "sentences beams"], state: PrefixState
    ) -> tuple[LogProbabilities, PrefixState]:
        beams = ids.shape[1]
        prefix = torch.cat([state.ids, ids[..., None]], dim=-1)
        rows = torch.arange(len(ids), device=ids.device).repeat_interleave(beams)
        mask = None if state.source_mask is None else state.source_mask[rows]
        logits = decode(prefix.flatten(0, 1), state.H_E[rows], mask)[:, -1]
        log_probs = logits.log_softmax(-1).unflatten(0, (len(ids), beams))
        return log_probs, replace(state, ids=prefix)

    return step


def prefix_state(
    H_E: Shaped[Tensor, "sentences ..."],
    source_mask: Bool[Tensor, "sentences 1 1 n"] | None = None,
) -> PrefixState:
    """The state before the first step: the source encoded, nothing decoded."""
    nothing = torch.empty(len(H_E), 1, 0, dtype=torch.long, device=H_E.device)
    return PrefixState(nothing, H_E, source_mask)


@dataclass(frozen=True)
class DecodedBeams:
    """Keys and values of every position decoded so far, for all beams of a sentence together.

    The beams stand side by side as positions of one sequence, and ``ancestors`` tells each beam
    which of them are its own past. When beams change places only this small mask is reordered;
    keys and values never move.

    Args:
        caches: one for each layer; every step adds a column for each beam.
        ancestors: True where a cached column is in a beam's past; None for a single beam that has
            never had a rival.
        position: how many tokens each beam has.
    """

    caches: tuple[KeyValueCache, ...]
    ancestors: Bool[Tensor, "sentences beams t"] | None = None
    position: int = 0

    @classmethod
    def none_yet(
        cls, layers: int, sentences: int, h: int, d_k: int, capacity: int, like: Tensor
    ) -> DecodedBeams:
        """Nothing decoded, with room for ``capacity`` columns in each layer."""
        empty = (KeyValueCache.empty(sentences, h, d_k, capacity, like) for _ in range(layers))
        return cls(tuple(empty))

    def reorder(self, parents: Int[Tensor, "sentences beams"]) -> DecodedBeams:
        """The beams in which beam b continues what was beam parents[b]."""
        if self.ancestors is None:
            if parents.shape[1] == 1:
                return self
            length = self.caches[0].length
            ancestors = torch.ones(*parents.shape, length, dtype=torch.bool, device=parents.device)
            return replace(self, ancestors=ancestors)
        index = parents[..., None].expand(-1, -1, self.ancestors.shape[-1])
        return replace(self, ancestors=self.ancestors.gather(1, index))

    def keep(self, sentences: Int[Tensor, " kept"]) -> DecodedBeams:
        """The beams of some of the sentences."""
        return replace(
            self,
            caches=tuple(cache.reorder(sentences) for cache in self.caches),
            ancestors=None if self.ancestors is None else self.ancestors[sentences],
        )

    def with_selves(
        self, ids: Int[Tensor, "sentences beams"]
    ) -> Bool[Tensor, "sentences beams grown"] | None:
        """The ancestors after the next step: each beam sees its own new column, and no other's."""
        if self.ancestors is None:
            return None
        beams = ids.shape[1]
        selves = torch.eye(beams, dtype=torch.bool, device=ids.device).expand(len(ids), -1, -1)
        return torch.cat([self.ancestors, selves], dim=-1)


@dataclass(frozen=True)
class CachedState:
    """What the decoder of an encoder-decoder remembers between two steps.

    Args:
        decoded: keys and values of its self-attention, grown at every step.
        source_keys_values: K_C and V_C of each decoder layer, computed once.
        source_mask: True where a source token is real.
    """

    decoded: DecodedBeams
    source_keys_values: tuple[tuple[Tensor, Tensor], ...]
    source_mask: Bool[Tensor, "sentences 1 1 n"] | None

    def reorder(self, parents: Int[Tensor, "sentences beams"]) -> CachedState:
        """The state in which beam b continues what was beam parents[b]."""
        return replace(self, decoded=self.decoded.reorder(parents))

    def keep(self, sentences: Int[Tensor, " kept"]) -> CachedState:
        """The state of some of the sentences."""
        return CachedState(
            self.decoded.keep(sentences),
            tuple((K[sentences], V[sentences]) for K, V in self.source_keys_values),
            None if self.source_mask is None else self.source_mask[sentences],
        )


def cached_step(model: EncoderDecoder) -> Step[CachedState]:
    """A step that computes one position for each beam and remembers it (C11; chapter 14).

    The log-probabilities that it returns are valid until it is called again.
    """
    output = OutputLayer(model.output_weight)

    @torch.no_grad()
    def step(
        ids: Int[Tensor, "sentences beams"], state: CachedState
    ) -> tuple[LogProbabilities, CachedState]:
        decoded = state.decoded
        ancestors = decoded.with_selves(ids)
        # Each beam is a sequence of one token at the same position, so one row of P serves all.
        x = model.target_embedding(ids[..., None], decoded.position).flatten(1, 2)
        mask = None if ancestors is None else ancestors[:, None]
        caches = []
        layers = zip(model.decoder, state.source_keys_values, decoded.caches, strict=True)
        for block, source_keys_values, cache in layers:
            x, grown = block(x, source_keys_values, state.source_mask, mask, cache)
            caches.append(grown)
        grown = DecodedBeams(tuple(caches), ancestors, decoded.position + 1)
        return output(model.decoder_norm(x)), replace(state, decoded=grown)

    return step


def cached_state(
    model: EncoderDecoder,
    source: Int[Tensor, "sentences n"],
    source_mask: Bool[Tensor, "sentences 1 1 n"] | None = None,
    capacity: int = 64,
) -> CachedState:
    """The state before the first step: the source encoded, its keys and values in place.

    Args:
        model: the translator.
        source: source ids, padded with 0.
        source_mask: True where a source token is real.
        capacity: columns (steps times beams) to make room for; the caches grow past it by doubling.
    """
    H_E = model.encode(source, source_mask)
    sizes = model.config
    decoded = DecodedBeams.none_yet(
        sizes.decoder_layers, len(source), sizes.h, sizes.d_model // sizes.h, capacity, like=H_E
    )
    keys_values = tuple(block.cross_attention.keys_values(H_E) for block in model.decoder)
    return CachedState(decoded, keys_values, source_mask)


class OutputLayer:
    """log softmax(H W_O), a few rows at a time, in one buffer for all steps.

    The result is the largest tensor of a step: on a CPU fresh pages for it would cost a tenth of
    the step, and a few rows of logits are still in the processor's cache when the softmax reads
    them.

    Args:
        weight: W_O transposed, a row for each token.
    """

    ROWS = 64

    def __init__(self, weight: Float[Tensor, "V d_model"]) -> None:
        self.weight = weight
        self.buffer = weight.new_empty(0, len(weight))

    def __call__(self, H: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch V"]:
        rows = H.flatten(0, -2)
        if len(rows) > len(self.buffer):
            self.buffer = rows.new_empty(len(rows), self.buffer.shape[1])
        log_probs = self.buffer[: len(rows)]
        for some, place in zip(rows.split(self.ROWS), log_probs.split(self.ROWS), strict=True):
            torch.log_softmax(linear(some, self.weight), dim=-1, out=place)
        return log_probs.view(*H.shape[:-1], -1)
