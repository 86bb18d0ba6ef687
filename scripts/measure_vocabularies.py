"""Trains small language models over vocabularies of different sizes from ten starts (chapter 13).

python scripts/measure_vocabularies.py [--starts N] [--steps N] [--out FOLDER]

Two texts, both Dutch: the built-in grammar, and LibreOffice's help if
``MTCOURSE_LIBREOFFICE_HELP`` says where it is. Every update takes the same sentences whatever the
vocabulary, so all models of a start have seen the same bytes in the same number of updates. Results
go to ``mtcourse/measured/vocabularies.json``. About six minutes of one core.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.decoder import DecoderFamily
from mtcourse.text.corpora import builtin_corpus, libreoffice_corpus
from mtcourse.text.text_batches import TextBatch, next_token_batch
from mtcourse.text.texts import text_of
from mtcourse.text.tokenizer import Tokenizer
from mtcourse.training.loop import TrainingConfig, train

WIDTH, HEADS, LAYERS, RATE, WARMUP = 64, 4, 2, 3e-3, 20
BYTES_PER_UPDATE, LONGEST, TESTED = 1200, 150, 300
LEARNT_FROM = 16_000
SMALLEST = 0
"""Stands for the smallest vocabulary that the text allows."""
SIZES = {
    "grammar": (SMALLEST, 500, 1000, 2000),
    "LibreOffice's help": (SMALLEST, 1000, 3000, 8000),
}


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each size.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run.")] = 160,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains all models from all starts, and scores them on test sentences."""
    runs = run_starts(functools.partial(measure, steps=steps), starts)
    texts = {
        name: {
            "test bytes": sum(len(line.encode()) for line in sentences(name, "test")),
            "vocabularies": {
                V: {
                    "tokens": found["tokens"],
                    "nats": [of_start[name][V]["nats"] for of_start in runs],
                }
                for V, found in runs[0][name].items()
            },
        }
        for name in SIZES
    }
    results = {"steps": steps, "bytes per update": BYTES_PER_UPDATE, "texts": texts}
    store_measured("vocabularies", "scripts/measure_vocabularies.py", results, out)


@functools.cache
def sentences(name: str, split: str) -> tuple[str, ...]:
    """Sentences of at most ``LONGEST`` bytes, so that no vocabulary has to cut one."""
    corpus = builtin_corpus() if name == "grammar" else libreoffice_corpus()
    fitting = [
        line for line in text_of(corpus, ["nl"]).splits[split] if len(line.encode()) <= LONGEST
    ]
    return tuple(fitting[: LEARNT_FROM if split == "train" else TESTED])


@functools.cache
def tokenizer_of(name: str, V: int) -> Tokenizer:
    """The tokenizer of this size, or the smallest one."""
    if V != SMALLEST:
        return Tokenizer.train(sentences(name, "train"), V)
    try:
        return Tokenizer.train(sentences(name, "train"), 1)
    except MtcourseError as error:
        smallest = re.search(r"at least (\d+)", str(error))
        assert smallest is not None, "no text needs so few pieces"
        return Tokenizer.train(sentences(name, "train"), int(smallest[1]))


def groups(name: str, seed: int) -> list[list[str]]:
    """The training sentences of each update: of similar lengths, about equal in bytes."""
    draw = random.Random(seed)
    lines = sentences(name, "train")
    found: list[list[str]] = [[]]
    for line in sorted(draw.sample(lines, len(lines)), key=lambda line: len(line.encode())):
        if sum(len(other.encode()) for other in (*found[-1], line)) > BYTES_PER_UPDATE:
            found.append([])
        found[-1].append(line)
    draw.shuffle(found)
    return found


def measure(seed: int, steps: int) -> dict[str, dict[str, dict[str, Any]]]:
    """For each text and vocabulary of one start, the nats and the tokens of the test sentences."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name, sizes in SIZES.items():
        chosen = groups(name, seed)[:steps]
        for V in sizes:
            tokenizer = tokenizer_of(name, V)
            model = trained(chosen, tokenizer, seed)
            scored = LanguageModel(model, tokenizer).likelihood(sentences(name, "test"))
            found.setdefault(name, {})[str(tokenizer.vocabulary_size)] = {
                "tokens": scored.tokens,
                "nats": round(scored.nats, 1),
            }
    return found


def trained(chosen: Sequence[Sequence[str]], tokenizer: Tokenizer, seed: int) -> DecoderModel:
    """One run: an update for each group of sentences."""
    batches = batches_of(chosen, tokenizer)
    config = TransformerConfig(
        tokenizer.vocabulary_size,
        d_model=WIDTH,
        h=HEADS,
        d_ff=4 * WIDTH,
        layers=LAYERS,
        dropout=0.0,
        max_length=LONGEST + 2,
    )
    model = DecoderModel(config, seed=seed)
    settings = TrainingConfig(len(batches), RATE, WARMUP, "cosine")
    train(model, lambda _: batches, DecoderFamily().loss, settings)
    return model


def batches_of(chosen: Sequence[Sequence[str]], tokenizer: Tokenizer) -> list[TextBatch]:
    """One batch for each group of sentences."""
    return [next_token_batch(tokenizer.encode_all(group)) for group in chosen]


if __name__ == "__main__":
    typer.run(main)
