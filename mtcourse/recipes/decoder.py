"""The recipe of decoder-only models: predict every next token (chapter 13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.layers.masks import document_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.text_recipe import TextRecipe
from mtcourse.text.text_batches import TextBatch, length_buckets, next_token_batch
from mtcourse.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class DecoderFamily:
    """Inputs <bos>, x_1, ..., x_n, labels x_1, ..., x_n, <eos> (C02, C06)."""

    name: str = "decoder"

    def text_model(self, model: DecoderModel, tokenizer: Tokenizer) -> LanguageModel:
        """The trained model with its tokenizer."""
        return LanguageModel(model, tokenizer)

    def network(self, config: TransformerConfig, seed: int) -> DecoderModel:
        """A model with its initial weights."""
        return DecoderModel(config, seed=seed)

    def vocabulary_size(self, tokenizer: Tokenizer) -> int:
        """V of the model is the tokenizer's."""
        return tokenizer.vocabulary_size

    def batches(
        self, sentences: Sequence[list[int]], tokenizer: Tokenizer, recipe: TextRecipe
    ) -> Callable[[int], Sequence[TextBatch]]:
        """From an epoch to its batches of sentences of similar lengths."""

        def of_epoch(epoch: int) -> list[TextBatch]:
            groups = length_buckets(sentences, recipe.tokens_per_batch, recipe.training.seed, epoch)
            return [next_token_batch(group) for group in groups]

        return of_epoch

    def loss(self, model: DecoderModel, batch: TextBatch) -> Tensor:
        """The summed loss of a batch; where documents share a row, each sees only itself."""
        mask = None if batch.document is None else document_mask(batch.document)
        return chunked_loss(
            model.hidden(batch.inputs, mask), model.output_weight, None, batch.labels
        )
