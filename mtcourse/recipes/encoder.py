"""The recipe of encoder-only models: predict hidden tokens from both sides (chapter 15)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.text_recipe import TextRecipe
from mtcourse.text.masking import MaskedVocabulary, Masking, mask_tokens
from mtcourse.text.text_batches import TextBatch, length_buckets
from mtcourse.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class EncoderFamily:
    """Inputs <class>, x_1, ..., x_n with some tokens replaced, labels those tokens (C26 to C29).

    Args:
        name: of the family.
        masking: how many tokens, and by what they are replaced.
    """

    name: str = "encoder"
    masking: Masking = field(default_factory=Masking)

    def text_model(self, model: EncoderModel, tokenizer: Tokenizer) -> MaskedLanguageModel:
        """The trained model with its tokenizer."""
        return MaskedLanguageModel(model, tokenizer)

    def network(self, config: TransformerConfig, seed: int) -> EncoderModel:
        """A model with its initial weights."""
        return EncoderModel(config, seed=seed)

    def vocabulary_size(self, tokenizer: Tokenizer) -> int:
        """V of the model: the tokenizer's pieces, <mask> and <class>."""
        return MaskedVocabulary(tokenizer).size

    def batches(
        self, sentences: Sequence[list[int]], tokenizer: Tokenizer, recipe: TextRecipe
    ) -> Callable[[int], Sequence[TextBatch]]:
        """From an epoch to its batches; every epoch hides other tokens."""
        vocabulary = MaskedVocabulary(tokenizer)
        seed = recipe.training.seed

        def of_epoch(epoch: int) -> list[TextBatch]:
            generator = torch.Generator().manual_seed(1_000_003 * seed + epoch)
            groups = length_buckets(sentences, recipe.tokens_per_batch, seed, epoch)
            batches = [
                mask_tokens(vocabulary.inputs(group), vocabulary, self.masking, generator)
                for group in groups
            ]
            return [batch for batch in batches if batch.target_tokens]

        return of_epoch

    def loss(self, model: EncoderModel, batch: TextBatch) -> Tensor:
        """The summed loss over the chosen tokens, and over no other (C28)."""
        H = model.hidden(batch.inputs, source_mask(batch.inputs))
        return chunked_loss(H, model.output_weight, None, batch.labels)
