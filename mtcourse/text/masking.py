"""Masked language modelling: which tokens are hidden, and by what (C26 to C29; chapter 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.text.batches import pad
from mtcourse.text.text_batches import TextBatch
from mtcourse.text.tokenizer import EOS, Tokenizer

MASK_PIECE, CLASS_PIECE = "<mask>", "<class>"


@dataclass(frozen=True)
class MaskedVocabulary:
    """A tokenizer's pieces, and behind them <mask> and <class>.

    Args:
        tokenizer: what splits sentences.
    """

    tokenizer: Tokenizer

    @property
    def mask(self) -> int:
        """The id of <mask>."""
        return self.tokenizer.vocabulary_size

    @property
    def class_(self) -> int:
        """The id of <class>, the first token of every input (C26)."""
        return self.tokenizer.vocabulary_size + 1

    @property
    def size(self) -> int:
        """V: all pieces, these two included."""
        return self.tokenizer.vocabulary_size + 2

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """Each id's piece, as the vocabulary spells it."""
        special = {self.mask: MASK_PIECE, self.class_: CLASS_PIECE}
        return [special[one] if one in special else self.tokenizer.pieces([one])[0] for one in ids]

    def inputs(self, sentences: Sequence[Sequence[int]]) -> Int[Tensor, "batch n"]:
        """<class> and the ids of each sentence, padded with 0."""
        return pad([[self.class_, *ids] for ids in sentences])


@dataclass(frozen=True)
class Masking:
    """How tokens are chosen for the loss, and what the model reads in their place.

    Args:
        rate: the share of the tokens that is chosen (C26: 0.15).
        masked: the share of the chosen that becomes <mask> (C29: 0.8).
        random: the share that becomes a token drawn at random (C29: 0.1); the rest stays.

    Raises:
        MtcourseError: a share is not between 0 and 1, or masked and random exceed 1 together.
    """

    rate: float = 0.15
    masked: float = 0.8
    random: float = 0.1

    def __post_init__(self) -> None:
        if not (0 < self.rate <= 1 and min(self.masked, self.random) >= 0):
            raise MtcourseError(
                f"rate {self.rate} must be above 0 and at most 1, and masked {self.masked} and "
                f"random {self.random} at least 0"
            )
        if self.masked + self.random > 1:
            raise MtcourseError(
                f"masked {self.masked} and random {self.random} are shares of the chosen tokens: "
                "together at most 1"
            )


def mask_tokens(
    ids: Int[Tensor, "batch n"],
    vocabulary: MaskedVocabulary,
    masking: Masking,
    generator: torch.Generator,
) -> TextBatch:
    """Chooses tokens, replaces most of them, and asks for the original at the chosen ones.

    Every token that is not special is chosen with probability ``rate``, on its own. Of the chosen,
    80% become <mask>, 10% a random token, 10% stay as they are. The labels are the original tokens
    at the chosen positions and 0, which does not count, everywhere else. Nothing is shifted (C28).

    Args:
        ids: <class> and the tokens, padded with 0.
        vocabulary: knows which ids are special.
        masking: the rate and the shares.
        generator: draws positions and random tokens; the draws are made anew at each call.

    Source: C26 to C29; Devlin et al. (2019), section 3.1 and appendix A.1. Chapter 15.
    """
    ordinary = (ids > EOS) & (ids < vocabulary.mask)
    chosen = ordinary & (_uniform(ids, generator) < masking.rate)
    fate = _uniform(ids, generator)
    drawn = torch.randint(EOS + 1, vocabulary.mask, ids.shape, generator=generator)
    inputs = ids.where(~(chosen & (fate < masking.masked)), vocabulary.mask)
    replaced = chosen & (fate >= masking.masked) & (fate < masking.masked + masking.random)
    return TextBatch(inputs.where(~replaced, drawn), ids * chosen)


def blanked(
    ids: Int[Tensor, "batch n"], where: Bool[Tensor, "batch n"], vocabulary: MaskedVocabulary
) -> TextBatch:
    """Hides exactly these positions behind <mask>, and asks for them: how a model is tested.

    Args:
        ids: <class> and the tokens, padded with 0.
        where: True at the positions to hide.
        vocabulary: knows <mask>.
    """
    return TextBatch(ids.where(~where, vocabulary.mask), ids * where)


def _uniform(ids: Tensor, generator: torch.Generator) -> Tensor:
    return torch.rand(ids.shape, generator=generator)
