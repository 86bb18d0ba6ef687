"""Trains translators of equal size as encoder-decoders and as decoders alone (chapter 17).

python scripts/measure_seq2seq.py [--starts N] [--steps N] [--out FOLDER]

Five kinds: an encoder-decoder, and decoder-only models that read the source causally or from both
sides, each with and without a loss on the source. All have as many parameters within one in a
hundred, see the same sentence pairs, and make the same number of updates. Each start has other
weights and other batches. Each model then translates 300 held-out sentences greedily. Results go to
``mtcourse/measured/seq2seq.json``.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from torch import Tensor

from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.fast.chunked_loss import chunked_loss
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoder_translator import DecoderTranslator, reading_mask
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.transformer import TransformerConfig
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import Example, bucketed_batches, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.joined_pairs import JoinedBatch
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import TokenizerPair
from mtcourse.training.loop import TrainingConfig, train

V, PAIRS, TOKENS, TEST, RATE = 700, 100_000, 512, 300, 5e-3
FREQUENT, LONGEST = 200, 9
D_MODEL, HEADS = 64, 4
KINDS = {
    "encoder-decoder": None,
    "causal decoder": (False, False),
    "causal decoder, source loss": (False, True),
    "prefix decoder": (True, False),
    "prefix decoder, source loss": (True, True),
}
"""For a decoder alone: does it read its source from both sides, and does the source count?"""
D_FF = {"encoder-decoder": 256, "decoder": 319}
"""2 + 2 layers of an encoder-decoder weigh as much as 4 wider layers of a decoder."""


@dataclass(frozen=True)
class Task:
    """The sentence pairs, as numbers."""

    tokenizers: TokenizerPair
    train: list[Example]
    test: list[SentencePair]

    @classmethod
    @functools.cache
    def of_chapter_17(cls) -> Task:
        """Short sentences of frequent words, the same in every run; the first are held out."""
        pairs = builtin_corpus(train=PAIRS).splits["train"]
        counts = Counter(word for pair in pairs for word in words_of(pair))
        frequent = {word for word, _ in counts.most_common(FREQUENT)}
        short = [p for p in pairs if len(words_of(p)) <= LONGEST and frequent >= set(words_of(p))]
        tokenizers = TokenizerPair.train(short[TEST:], V)
        examples, _ = encode_pairs(short[TEST:], tokenizers, max_length=60)
        return cls(tokenizers, examples, short[:TEST])


def words_of(pair: SentencePair) -> list[str]:
    """The source's words."""
    return pair.source.rstrip(".?!").lower().split()


def encoder_decoder(seed: int) -> EncoderDecoder:
    """An untrained encoder-decoder."""
    V = Task.of_chapter_17().tokenizers.source.vocabulary_size
    sizes = EncoderDecoderConfig(V, V, D_MODEL, HEADS, D_FF["encoder-decoder"], 2, 2, dropout=0.0)
    return EncoderDecoder(sizes, seed=seed)


def decoder(seed: int) -> DecoderModel:
    """An untrained decoder, as large."""
    V = Task.of_chapter_17().tokenizers.source.vocabulary_size
    sizes = TransformerConfig(V, D_MODEL, HEADS, D_FF["decoder"], 4, dropout=0.0)
    return DecoderModel(sizes, seed=seed)


def joined_loss(both_sides: bool, model: DecoderModel, batch: JoinedBatch) -> Tensor:
    """The summed loss of a decoder-only translator."""
    mask = reading_mask(batch.prefix, batch.inputs.shape[1], both_sides)
    H = model.hidden(batch.inputs, mask)
    return chunked_loss(H, model.output_weight, None, batch.labels)


def joined_batches(
    examples: Sequence[Example], seed: int, epoch: int, source_counts: bool
) -> list[JoinedBatch]:
    """The pairs that ``bucketed_batches`` puts together, as sequences."""
    found = []
    for batch in bucketed_batches(examples, TOKENS, seed, epoch):
        pairs = [
            Example([i for i in x if i > 3], [i for i in y if i > 3])
            for x, y in zip(batch.source.tolist(), batch.labels.tolist(), strict=True)
        ]
        found.append(JoinedBatch.of(pairs, source_counts))
    return found


def measure(seed: int, steps: int) -> dict[str, float]:
    """BLEU of each kind from one start."""
    task = Task.of_chapter_17()
    config = TrainingConfig(steps, RATE, min(100, steps - 1), "cosine", seed=seed + 1)
    found = {}
    for kind, reading in KINDS.items():
        if reading is None:
            model = encoder_decoder(seed)
            train(
                model,
                lambda epoch: bucketed_batches(task.train, TOKENS, seed, epoch),
                functools.partial(smoothed_loss, 0.0),
                config,
            )
            translator: Any = Translator(model, task.tokenizers)
        else:
            both_sides, source_counts = reading
            alone = decoder(seed)
            train(
                alone,
                functools.partial(_epoch, task, seed, source_counts),
                functools.partial(joined_loss, both_sides),
                config,
            )
            translator = DecoderTranslator(alone, task.tokenizers.source, both_sides)
        translations = translator.translate([pair.source for pair in task.test])
        references = [(pair.target, *pair.references) for pair in task.test]
        found[kind] = round(score(translations, references).bleu, 2)
    print(seed, found, flush=True)
    return found


def _epoch(task: Task, seed: int, source_counts: bool, epoch: int) -> list[JoinedBatch]:
    return joined_batches(task.train, seed, epoch, source_counts)


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run.")] = 500,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains all kinds from all starts, and writes their scores."""
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    sizes = {
        "encoder-decoder": sum(p.numel() for p in encoder_decoder(0).parameters()),
        "decoder": sum(p.numel() for p in decoder(0).parameters()),
    }
    results = {
        "steps": steps,
        "pairs": len(Task.of_chapter_17().train),
        "test pairs": TEST,
        "parameters": sizes,
        "bleu": {kind: [run[kind] for run in runs] for kind in KINDS},
    }
    store_measured("seq2seq", "scripts/measure_seq2seq.py", results, out)
    print(results)


if __name__ == "__main__":
    typer.run(main)
