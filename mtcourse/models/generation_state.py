"""The decoder-only model as the step function that search and sampling see (chapter 14).

The prompt is read in one pass at the first step, the prefill; every later step computes one
position for each beam.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.decoding.search import Step
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoding_state import (
    DecodedBeams,
    OutputLayer,
    PrefixState,
    prefix_state,
    prefix_step,
)

LogProbabilities = Float[Tensor, "sentences beams V"]


@dataclass(frozen=True)
class GenerationState:
    """What a decoder-only model remembers between two steps.

    Args:
        decoded: keys and values of every position so far, prompt included.
        prompt: <bos> and the given tokens, until the first step has read them; then None.
        prompt_mask: True where a position of the prompt may attend to another; None is the causal
            mask.
    """

    decoded: DecodedBeams
    prompt: Int[Tensor, "sentences t"] | None
    prompt_mask: Bool[Tensor, "#sentences 1 t t"] | None = None

    def reorder(self, parents: Int[Tensor, "sentences beams"]) -> GenerationState:
        """The state in which beam b continues what was beam parents[b]."""
        return replace(self, decoded=self.decoded.reorder(parents))

    def keep(self, sentences: Int[Tensor, " kept"]) -> GenerationState:
        """The state of some of the sentences."""
        return replace(self, decoded=self.decoded.keep(sentences))


def generation_step(model: DecoderModel) -> Step[GenerationState]:
    """A step that computes each position once and remembers its keys and values (C11; chapter 14).

    At the first step it reads the whole prompt, whatever token it is given: search begins with
    <bos>, and so does the prompt. The log-probabilities that it returns are valid until it is
    called again.
    """
    output = OutputLayer(model.output_weight)

    @torch.no_grad()
    def step(
        ids: Int[Tensor, "sentences beams"], state: GenerationState
    ) -> tuple[LogProbabilities, GenerationState]:
        decoded, prompt = state.decoded, state.prompt
        if prompt is not None:
            H, caches = model.extend(prompt, decoded.caches, 0, state.prompt_mask)
            grown = DecodedBeams(caches, None, prompt.shape[1])
            return output(H[:, -1:]), GenerationState(grown, None)
        ancestors = decoded.with_selves(ids)
        # Each beam is a sequence of one token at the same position, so one row of P serves all.
        x = model.embed(ids[..., None], decoded.position).flatten(1, 2)
        mask = None if ancestors is None else ancestors[:, None]
        rows, caches = model.run(x, mask, mask is None, decoded.caches)
        grown = DecodedBeams(caches, ancestors, decoded.position + 1)
        return output(rows[-1]), replace(state, decoded=grown)

    return step


def generation_state(
    model: DecoderModel,
    prompt: Int[Tensor, "sentences t"],
    capacity: int = 64,
    prompt_mask: Bool[Tensor, "#sentences 1 t t"] | None = None,
) -> GenerationState:
    """The state before the first step: a prompt that no step has read yet.

    Args:
        model: the language model.
        prompt: <bos> and the given tokens of each sentence, equally many and without padding.
        capacity: columns (prompt, then steps times beams) to make room for; the caches grow past
            it by doubling.
        prompt_mask: True where a position of the prompt may attend to another; None is the causal
            mask.
    """
    sizes = model.config
    decoded = DecodedBeams.none_yet(
        sizes.layers,
        len(prompt),
        sizes.h,
        sizes.d_model // sizes.h,
        capacity,
        like=model.output_weight,
    )
    return GenerationState(decoded, prompt, prompt_mask)


def whole_prefix_step(model: DecoderModel) -> Step[PrefixState]:
    """A step that runs prompt and prefix again each time, the plain twin of ``generation_step``."""

    def decode(ids: Tensor, prompt: Tensor, _: Tensor | None) -> Tensor:
        return model(torch.cat([prompt, ids[:, 1:]], dim=1))  # both begin with <bos>

    return prefix_step(decode)


def whole_prefix_state(prompt: Int[Tensor, "sentences t"]) -> PrefixState:
    """The state of ``whole_prefix_step`` before the first step."""
    return prefix_state(prompt)
