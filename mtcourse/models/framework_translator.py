"""Document A's model put to work: sentences in, sentences out (chapters 7 to 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from mtcourse.decoding.search import Hypothesis, greedy_search
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoding_state import Decode, prefix_state, prefix_step
from mtcourse.models.framework_model import FrameworkModel
from mtcourse.text.batches import pad
from mtcourse.text.tokenizer import EOS
from mtcourse.text.word_vocabulary import WordVocabulary


class FrameworkTranslator:
    """Sentences in, sentences out, by document A's model or by functions that stand for it.

    Args:
        source: the words it reads.
        target: the words it writes.
        encode: from source ids and mask to H_E: ``FrameworkModel.encode``.
        decode: from target ids, H_E and mask to logits: ``FrameworkModel.decode``.
    """

    def __init__(
        self,
        source: WordVocabulary,
        target: WordVocabulary,
        encode: Callable[[Tensor, Tensor | None], Tensor],
        decode: Decode,
    ) -> None:
        self.source, self.target = source, target
        self.encode, self.decode = encode, decode

    @classmethod
    def of(
        cls, model: FrameworkModel, source: WordVocabulary, target: WordVocabulary
    ) -> FrameworkTranslator:
        """A model with its words."""
        return cls(source, target, model.encode, model.decode)

    @torch.inference_mode()
    def translate(self, sentences: Sequence[str]) -> list[str]:
        """The greedy translation of each sentence, of at most twice its words plus ten."""
        return [self.target.decode(self._without_end(found)) for found in self.search(sentences)]

    @torch.inference_mode()
    def search(self, sentences: Sequence[str]) -> list[Hypothesis]:
        """What greedy search finds for each sentence."""
        encoded = [[*self.source.encode(sentence), EOS] for sentence in sentences]
        source = pad(encoded)
        mask = source_mask(source)
        state = prefix_state(self.encode(source, mask), mask)
        longest = torch.tensor([2 * len(ids) + 10 for ids in encoded])
        found = greedy_search(prefix_step(self.decode), state, longest)
        return [best for best, *_ in found]

    @staticmethod
    def _without_end(found: Hypothesis) -> tuple[int, ...]:
        return found.ids[:-1] if found.finished else found.ids
