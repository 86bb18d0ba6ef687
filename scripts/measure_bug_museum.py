"""Runs the bugs of chapter 12's museum, each from ten starts, beside sound runs.

python scripts/measure_bug_museum.py [--starts N] [--steps N] [--fine N] [--out FOLDER]

The loops are those of ``mtcourse.chapters.training.museum``. Most train a small model from random
weights. Two go on training the shipped translator, since their symptom is what the model writes.
Within a start all runs share weights and batches, as far as the bug lets them. About ten minutes of
one core.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mtcourse.chapters.training.museum import FINE_TUNED, FROM_SCRATCH, Record, train
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.translator import Translator
from mtcourse.text.batches import Batch, Example, batches_in_order, encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair, words
from mtcourse.text.tokenizer import TokenizerPair

PIECES, TRAIN, SHORT, PEAK, FINE_PEAK, MEAN_OF = 500, 1200, 7, 1e-2, 1e-3, 5
WRITTEN, SHOWN, LONGEST = 20, 4, 150


@dataclass(frozen=True)
class Data:
    """Sentence pairs as numbers."""

    tokenizers: TokenizerPair
    train: list[Example]
    dev: list[Batch]
    test: list[SentencePair]

    @classmethod
    @functools.cache
    def of(cls, tokenizers: TokenizerPair | None = None) -> Data:
        """The built-in corpus; without tokenizers, its short sentences and tokenizers of them."""
        splits = dict(builtin_corpus(train=8000).splits)
        if tokenizers is None:
            for name in ("train", "dev", "test"):
                splits[name] = tuple(p for p in splits[name] if len(words(p.source)) <= SHORT)
            tokenizers = TokenizerPair.train(splits["train"], PIECES)
        examples, _ = encode_pairs(splits["train"][:TRAIN], tokenizers, 128)
        held_out, _ = encode_pairs(splits["dev"][:100], tokenizers, 128)
        dev = batches_in_order(sorted(held_out, key=lambda e: e.source_length), 2048)
        return cls(tokenizers, examples, dev, list(splits["test"][:WRITTEN]))


def new_model(data: Data, seed: int, dropout: float) -> EncoderDecoder:
    """A small model with random weights."""
    V_s, V_t = data.tokenizers.source.vocabulary_size, data.tokenizers.target.vocabulary_size
    config = EncoderDecoderConfig(
        V_s, V_t, d_model=64, d_ff=256, encoder_layers=1, decoder_layers=1, dropout=dropout,
        shared_embeddings=data.tokenizers.joint,
    )  # fmt: skip
    return EncoderDecoder(config, seed=seed)


def measure(seed: int, steps: int, fine: int) -> dict[str, dict[str, Any]]:
    """All runs of one start: for each result its value for each kind of run."""
    keys = ("losses", "norms", "dev", "length", "written")
    found: dict[str, dict[str, Any]] = {key: {} for key in (*keys, *(f"fine {k}" for k in keys))}
    data = Data.of()
    for name, loop in FROM_SCRATCH.items():
        model = new_model(data, seed, loop.dropout)
        record = train(loop, model, data.train, data.dev, seed, steps, PEAK)
        _note(found, "", name, record, Translator(model, data.tokenizers), data)
    data = Data.of(_shipped_tokenizers())
    for name, loop in FINE_TUNED.items():
        translator = Translator.load()
        record = train(loop, translator.model, data.train, data.dev, seed, fine, FINE_PEAK)
        _note(found, "fine ", name, record, translator, data)
    return found


@functools.cache
def _shipped_tokenizers() -> TokenizerPair:
    return Translator.load().tokenizers


def _note(
    found: dict[str, dict[str, Any]],
    group: str,
    name: str,
    record: Record,
    translator: Translator,
    data: Data,
) -> None:
    """Adds a run's curves, and what the model writes after it."""
    translator.model.eval()
    dutch = translator.translate([pair.source for pair in data.test])
    found[f"{group}losses"][name] = means(record.losses)
    found[f"{group}norms"][name] = means(record.norms)
    found[f"{group}dev"][name] = [round(loss, 3) for loss in record.dev]
    found[f"{group}length"][name] = round(_length(dutch, data.test), 3)
    found[f"{group}written"][name] = [text[:LONGEST] for text in dutch[:SHOWN]]


def _length(dutch: Sequence[str], pairs: Sequence[SentencePair]) -> float:
    """How many words the translations have for each word of the references."""
    return sum(len(words(text)) for text in dutch) / sum(len(words(p.target)) for p in pairs)


def means(values: Sequence[float]) -> list[float]:
    """The mean of each ``MEAN_OF`` updates."""
    groups = [values[at : at + MEAN_OF] for at in range(0, len(values), MEAN_OF)]
    return [round(sum(group) / len(group), 3) for group in groups]


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run from random weights.")] = 150,
    fine: Annotated[int, typer.Option(help="Updates of the shipped translator.")] = 40,
    processes: Annotated[int, typer.Option(help="How many starts at a time.")] = 1,
    out: Annotated[Path, typer.Option(help="Where bug_museum.json is written.")] = MEASURED,
) -> None:
    """Trains all runs and stores their curves, and what the fine-tuned ones write."""
    runs = run_starts(functools.partial(measure, steps=steps, fine=fine), starts, processes)
    results: dict[str, Any] = {"steps": steps, "fine": fine, "mean of": MEAN_OF}
    of_both = {"": Data.of(), "fine ": Data.of(_shipped_tokenizers())}
    for group, data in of_both.items():
        results[f"{group}sentences"] = [pair.source for pair in data.test[:SHOWN]]
    for key in runs[0]:
        results[key] = {kind: [run[key][kind] for run in runs] for kind in runs[0][key]}
    store_measured("bug_museum", "scripts/measure_bug_museum.py", results, out)


if __name__ == "__main__":
    typer.run(main)
