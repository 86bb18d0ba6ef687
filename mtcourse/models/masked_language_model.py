"""An encoder-only model with its tokenizer: fills blanks from both sides (chapter 15)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.text_model import TextModel
from mtcourse.models.transformer import Transformer
from mtcourse.text.masking import MASK_PIECE, MaskedVocabulary, Masking, mask_tokens
from mtcourse.text.text_batches import encode_text
from mtcourse.text.tokenizer import EOS, Tokenizer

ENGLISH_DUTCH = Path(__file__).parent / "english_dutch_encoder"


@dataclass(frozen=True)
class Filling:
    """One proposal for a blank.

    Args:
        piece: as the vocabulary spells it.
        probability: that the model gives it.
        sentence: the sentence with this piece, and the first proposal in every other blank.
    """

    piece: str
    probability: float
    sentence: str


@dataclass(frozen=True)
class BlankScores:
    """How well a model fills blanks.

    Args:
        blanks: how many it was asked for.
        right: how many of them its first proposal fills as the original did.
        nats: minus the sum of the logarithms of the right tokens' probabilities.
    """

    blanks: int
    right: int
    nats: float

    @property
    def accuracy(self) -> float:
        """The share of blanks that are filled as in the original."""
        return self.right / self.blanks

    def __str__(self) -> str:
        return (
            f"{100 * self.accuracy:.1f}% of {self.blanks:,} blanks filled as in the original, "
            f"perplexity {math.exp(self.nats / self.blanks):.2f}"
        )


class MaskedLanguageModel(TextModel[EncoderModel]):
    """Proposes pieces for the blanks of a sentence.

    Args:
        model: the encoder-only model.
        tokenizer: its vocabulary is that of the model without <mask> and <class>.
    """

    family: ClassVar[str] = "encoder"
    special_ids: ClassVar[int] = 2
    network: ClassVar[type[Transformer]] = EncoderModel
    shipped: ClassVar[Path] = ENGLISH_DUTCH

    def __init__(self, model: EncoderModel, tokenizer: Tokenizer) -> None:
        super().__init__(model, tokenizer)
        self.vocabulary = MaskedVocabulary(tokenizer)

    def encode(self, sentence: str) -> list[int]:
        """<class> and the ids of a sentence, in which every <mask> is a blank of one piece.

        Raises:
            MtcourseError: the sentence is longer than the model's maximum.
        """
        ids = [self.vocabulary.class_]
        for number, part in enumerate(sentence.split(MASK_PIECE)):
            if number:
                ids.append(self.vocabulary.mask)
            encoded = self.tokenizer.encode(part)
            if number and encoded and not part[0].isspace():
                encoded = self._without_space(encoded)
            ids += encoded
        if len(ids) > self.model.config.max_length:
            raise MtcourseError(
                f"the sentence {sentence[:40]!r}… takes {len(ids)} tokens, the model's maximum is "
                f"{self.model.config.max_length}: shorten it"
            )
        return ids

    @torch.inference_mode()
    def probabilities(self, sentence: str) -> tuple[list[str], Tensor]:
        """The pieces that the model reads, and its distribution at each, (n, V)."""
        ids = self.encode(sentence)
        logits = self.model(torch.tensor([ids], device=self.device))[0]
        return self.vocabulary.pieces(ids), self._log_p(logits).exp()

    @torch.inference_mode()
    def fill(self, sentence: str, n_best: int = 5) -> list[list[Filling]]:
        """The best proposals for each blank, most probable first.

        Args:
            sentence: with at least one <mask>.
            n_best: proposals for each blank.

        Raises:
            MtcourseError: there is no blank.

        Source: C26, C27.
        """
        ids = self.encode(sentence)
        blanks = [t for t, one in enumerate(ids) if one == self.vocabulary.mask]
        if not blanks:
            raise MtcourseError(
                f"there is no {MASK_PIECE} in {sentence!r}: write one for each blank"
            )
        logits = self.model(torch.tensor([ids], device=self.device))[0, blanks]
        best = self._log_p(logits).exp().topk(n_best, dim=-1)
        filled = dict(zip(blanks, best.indices[:, 0].tolist(), strict=True))
        found = []
        for blank, proposals, shares in zip(
            blanks, best.indices.tolist(), best.values.tolist(), strict=True
        ):
            with_each = [self._filled(ids, filled | {blank: piece}) for piece in proposals]
            pieces = self.tokenizer.pieces(proposals)
            found.append([Filling(*one) for one in zip(pieces, shares, with_each, strict=True)])
        return found

    @torch.inference_mode()
    def blank_scores(
        self, sentences: Sequence[str], masking: Masking | None = None, seed: int = 0
    ) -> BlankScores:
        """How well the model fills blanks that are drawn in some sentences.

        Args:
            sentences: the text.
            masking: which tokens are asked for, and what stands there; None hides 15%, all of them
                behind <mask>.
            seed: of the drawn positions: the same seed asks for the same blanks.

        Raises:
            MtcourseError: no blank was drawn: the text is too short.
        """
        masking = masking or Masking(masked=1.0, random=0.0)
        generator = torch.Generator().manual_seed(seed)
        encoded = encode_text(sentences, self.tokenizer, self.model.config.max_length)
        blanks = right = 0
        nats = 0.0
        for start in range(0, len(encoded), 64):
            ids = self.vocabulary.inputs(encoded[start : start + 64])
            batch = mask_tokens(ids, self.vocabulary, masking, generator).to(self.device)
            asked = batch.labels != 0
            H = self.model.hidden(batch.inputs, source_mask(batch.inputs))[asked]
            log_p, labels = self._log_p(self.model.logits(H)), batch.labels[asked]
            blanks += len(labels)
            right += int((log_p.argmax(-1) == labels).sum())
            nats -= float(log_p.gather(-1, labels[:, None]).sum())
        if not blanks:
            raise MtcourseError("no blank was drawn: give more text")
        return BlankScores(blanks, right, nats)

    def _log_p(self, logits: Tensor) -> Tensor:
        """log softmax over ordinary pieces: special ones, <mask> among them, are no answer."""
        ordinary = logits.clone()
        ordinary[..., : EOS + 1] = -math.inf
        ordinary[..., self.vocabulary.mask :] = -math.inf
        return ordinary.log_softmax(-1)

    def _filled(self, ids: Sequence[int], pieces: dict[int, int]) -> str:
        """The sentence with a piece in each blank."""
        return self.tokenizer.decode([pieces.get(t, one) for t, one in enumerate(ids) if t])

    def _without_space(self, ids: list[int]) -> list[int]:
        """The ids of a part that follows a blank without a space between them."""
        return ids[1:] if self.tokenizer.pieces(ids[:1]) == ["▁"] else ids
