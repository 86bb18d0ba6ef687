"""A decoder-only model with its tokenizer: scores a text, and continues one (chapter 13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import ClassVar

import torch

from mtcourse.decoding.search import Search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.generation_state import generation_state, generation_step
from mtcourse.models.text_model import TextModel
from mtcourse.models.transformer import Transformer
from mtcourse.text.text_batches import TextBatch, encode_text, next_token_batch
from mtcourse.text.tokenizer import BOS, normalise

DUTCH = Path(__file__).parent / "dutch_decoder"


@dataclass(frozen=True)
class TextLikelihood:
    """How well a model predicts a text.

    Args:
        nats: minus the natural logarithm of the text's probability.
        tokens: how many were predicted, each <eos> included.
        characters: of the text, as it was encoded.
        size: of the text in bytes of UTF-8.
    """

    nats: float
    tokens: int
    characters: int
    size: int

    @property
    def perplexity(self) -> float:
        """exp(nats / tokens): it depends on how the text was cut into tokens."""
        return math.exp(self.nats / self.tokens)

    @property
    def bits_per_byte(self) -> float:
        """nats / (size ln 2): it does not depend on the vocabulary."""
        return self.nats / self.size / math.log(2)

    def __str__(self) -> str:
        return (
            f"{self.bits_per_byte:.3f} bits per byte, perplexity {self.perplexity:.2f} "
            f"({self.tokens:,} tokens, {self.size:,} bytes)"
        )


class LanguageModel(TextModel[DecoderModel]):
    """Says how probable a sentence is, and continues one.

    Args:
        model: the decoder-only model.
        tokenizer: with as many pieces as the model has rows in its table.
    """

    family: ClassVar[str] = "decoder"
    network: ClassVar[type[Transformer]] = DecoderModel
    shipped: ClassVar[Path] = DUTCH

    @torch.inference_mode()
    def token_log_probabilities(self, sentence: str) -> tuple[list[str], list[float]]:
        """The pieces of a sentence, <eos> last, and log p(x_t | x_<t) of each (C02)."""
        batch = self._batches([sentence])[0]
        ids = batch.labels[0].tolist()
        return self.tokenizer.pieces(ids), self._log_probabilities(batch)[0].tolist()

    @torch.inference_mode()
    def likelihood(self, sentences: Sequence[str]) -> TextLikelihood:
        """How well the model predicts some sentences, each of them from its beginning.

        Args:
            sentences: the text; one that is longer than the model's maximum is cut.

        Raises:
            MtcourseError: there is no text.
        """
        batches = self._batches(sentences)
        if not batches:
            raise MtcourseError("there is no text to predict: every sentence is empty")
        text = [normalise(sentence) for sentence in sentences]
        return TextLikelihood(
            nats=-sum(float(self._log_probabilities(batch).sum()) for batch in batches),
            tokens=sum(batch.target_tokens for batch in batches),
            characters=sum(map(len, text)),
            size=sum(len(line.encode()) for line in text),
        )

    def continuations(
        self, prompts: Sequence[str], search: Search = greedy_search, max_tokens: int | None = None
    ) -> list[str]:
        """Each prompt with what the model writes after it, until <eos>.

        Args:
            prompts: beginnings of sentences, ended after a whole word; a blank one lets the model
                begin.
            search: the strategy: greedy, beams or a sampler.
            max_tokens: the longest text in tokens, prompt included; None is the model's maximum.

        Raises:
            MtcourseError: a prompt leaves no room; the message names it.
        """
        limit = min(max_tokens or math.inf, self.model.config.max_length - 1)
        encoded = self.tokenizer.encode_all(prompts)
        for prompt, ids in zip(prompts, encoded, strict=True):
            if len(ids) >= limit:
                raise MtcourseError(
                    f"the prompt {prompt[:40]!r}… takes {len(ids)} tokens, and {limit} is the most "
                    "that prompt and continuation may have together"
                )
        texts = [""] * len(prompts)
        order = sorted(range(len(prompts)), key=lambda i: len(encoded[i]))
        for length, group in groupby(order, key=lambda i: len(encoded[i])):
            same = list(group)  # prompts of one length need no padding
            longest = torch.full((len(same),), int(limit) - length, device=self.device)
            prompt = torch.tensor([[BOS, *encoded[i]] for i in same], device=self.device)
            state = generation_state(self.model, prompt, int(limit) + 1)
            found = search(generation_step(self.model), state, longest)
            for i, (best, *_) in zip(same, found, strict=True):
                texts[i] = self.tokenizer.decode([*encoded[i], *best.ids])
        return texts

    def _batches(self, sentences: Sequence[str]) -> list[TextBatch]:
        """The sentences in batches of 64, sorted by length; a cut one in several rows."""
        encoded = encode_text(sentences, self.tokenizer, self.model.config.max_length)
        ordered = sorted(encoded, key=len)
        return [
            next_token_batch(ordered[start : start + 64]).to(self.device)
            for start in range(0, len(ordered), 64)
        ]

    def _log_probabilities(self, batch: TextBatch) -> torch.Tensor:
        """log p of each label, and 0 at padding."""
        log_p = self.model(batch.inputs).log_softmax(-1)
        right = log_p.gather(-1, batch.labels[..., None]).squeeze(-1)
        return right.masked_fill(batch.labels == 0, 0.0)
