"""A decoder-only model that translates: the source is the beginning of its text (chapter 17)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from mtcourse.decoding.search import Search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import prefix_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.generation_state import generation_state, generation_step
from mtcourse.text.joined_pairs import prompt
from mtcourse.text.tokenizer import Tokenizer


def reading_mask(
    prefix: Int[Tensor, " batch"], n: int, both_sides: bool
) -> Bool[Tensor, "batch 1 n n"] | None:
    """How a decoder-only translator reads: causally, or its source from both sides.

    Args:
        prefix: how many positions of each sequence are given.
        n: positions of a sequence.
        both_sides: whether the given positions see one another in both directions.

    Returns:
        A prefix mask, or None, which stands for the causal mask.

    Source: C33, C41. Chapter 17.
    """
    return prefix_mask(prefix, n) if both_sides else None


class DecoderTranslator:
    """Continues <bos> source <eos> with a translation.

    Args:
        model: the decoder-only model.
        tokenizer: of both languages, as large as the model's vocabulary.
        both_sides: whether it was trained to read its source from both sides.

    Raises:
        MtcourseError: the sizes of the vocabularies differ.
    """

    def __init__(self, model: DecoderModel, tokenizer: Tokenizer, both_sides: bool) -> None:
        if tokenizer.vocabulary_size != model.config.V:
            raise MtcourseError(
                f"the tokenizer has {tokenizer.vocabulary_size} pieces, the model has V = "
                f"{model.config.V}: take both from the same run"
            )
        self.model, self.tokenizer, self.both_sides = model.eval(), tokenizer, both_sides

    @torch.inference_mode()
    def translate(self, sentences: Sequence[str], search: Search = greedy_search) -> list[str]:
        """The best translation of each sentence.

        Args:
            sentences: source sentences.
            search: the strategy.

        Raises:
            MtcourseError: a sentence leaves no room for its translation; the message names it.
        """
        encoded = self.tokenizer.encode_all(sentences)
        device, longest = self.model.output_weight.device, self.model.config.max_length
        for sentence, ids in zip(sentences, encoded, strict=True):
            if len(ids) + 2 >= longest:
                raise MtcourseError(
                    f"the sentence {sentence[:40]!r}… takes {len(ids)} tokens; source and "
                    f"translation have {longest} together: split it"
                )
        found = [""] * len(encoded)
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        for length, group in groupby(order, key=lambda i: len(encoded[i])):
            same = list(group)  # prompts of one length need no padding
            given = torch.tensor([prompt(encoded[i]) for i in same], device=device)
            mask = reading_mask(
                torch.tensor([length + 2], device=device), length + 2, self.both_sides
            )
            room = min(2 * length + 12, longest - length - 2)
            state = generation_state(self.model, given, 3 * length + 16, mask)
            limits = torch.full((len(same),), room, device=device)
            hypotheses = search(generation_step(self.model), state, limits)
            for i, (best, *_) in zip(same, hypotheses, strict=True):
                found[i] = self.tokenizer.decode(best.ids)
        return found
