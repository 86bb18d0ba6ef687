"""The work that every contestant does: one model's sizes, batches of realistic lengths."""

from __future__ import annotations

import random

import torch
from torch import Tensor

from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.text.batches import Batch, Example, bucketed_batches, pad
from mtcourse.text.tokenizer import EOS

# Post-norm, because Marian is; one table for source, target and output.
SIZES = EncoderDecoderConfig(
    V_s=8000,
    V_t=8000,
    d_model=256,
    h=4,
    d_ff=1024,
    encoder_layers=3,
    decoder_layers=3,
    dropout=0.1,
    norm="post",
    max_length=128,
)
SMOOTHING = 0.1
TOKENS_PER_BATCH = 4096
TOKENS_DECODED = 25


def reference_model(sizes: EncoderDecoderConfig = SIZES, seed: int = 1) -> EncoderDecoder:
    """The model whose weights all contestants get that can take them."""
    model = EncoderDecoder(sizes)
    model.reset_parameters(torch.Generator().manual_seed(seed))
    return model


def training_batches(
    count: int, seed: int = 1, tokens_per_batch: int = TOKENS_PER_BATCH, V: int = SIZES.V_t
) -> list[Batch]:
    """Bucketed batches of about ``tokens_per_batch`` target tokens."""
    sentences = 1 + count * tokens_per_batch // 4
    batches = bucketed_batches(_examples(sentences, seed, V), tokens_per_batch, seed, epoch=1)
    return [batch for batch in batches if batch.target_tokens > 0.8 * tokens_per_batch][:count]


def sources_to_decode(sentences: int, seed: int = 2, V: int = SIZES.V_s) -> Tensor:
    """Source ids (sentences, longest), padded, of neighbours in a list sorted by length."""
    examples = sorted(_examples(1000, seed, V), key=lambda example: example.source_length)
    middle = (len(examples) - sentences) // 2
    chosen = examples[middle : middle + sentences]
    return pad([[*example.source, EOS] for example in chosen])


def _examples(count: int, seed: int, V: int) -> list[Example]:
    """Random ids in sentences as long as those of manuals: lognormal, 20 tokens in the middle."""
    generator = random.Random(seed)
    examples = []
    for _ in range(count):
        n = min(max(round(generator.lognormvariate(3.0, 0.5)), 2), 100)
        m = min(max(round(n * generator.lognormvariate(0.05, 0.15)), 2), 100)
        examples.append(Example(_ids(n, generator, V), _ids(m, generator, V)))
    return examples


def _ids(length: int, generator: random.Random, V: int) -> list[int]:
    """Tokens that are not special."""
    return [generator.randrange(4, V) for _ in range(length)]
