"""Trains small translators with and without label smoothing, and searches them (chapter 18).

python scripts/measure_search_smoothing.py [--first N] [--starts N] [--out FOLDER]
make real-data && python scripts/measure_search_smoothing.py --real --starts 5

The encoder-decoders of chapter 17, trained with label smoothing 0 and 0.1 from the same starts on
the same batches. Each translates with beams of several widths: on the grammar, sentences of the
trained lengths and longer ones; on LibreOffice's help, short ones. Stored are BLEU, length ratio,
empty translations of each width, and medians of the log-probability of the empty sentence and of
the best one found. Results go to ``mtcourse/measured/search_smoothing.json`` and
``search_smoothing_real.json``; starts that are stored already stay. About 45 seconds of one core
for a start, and three minutes with ``--real``.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.chapters.search.measures import (
    LONGEST_REAL,
    grammar_sets,
    help_sentences,
    searched,
    trained,
)
from mtcourse.chapters.seq2seq.families import (
    GRAMMAR,
    REAL,
    Task,
    grammar_task,
    real_task,
    short_pairs,
)
from mtcourse.evaluation.starts import MEASURED, load_measured, store_measured
from mtcourse.models.translator import Translator
from mtcourse.text.batches import bucketed_batches
from mtcourse.text.corpora import libreoffice_corpus
from mtcourse.text.pairs import SentencePair

SMOOTHINGS = (0.0, 0.1)
STEPS = {False: 500, True: 700}


@functools.cache
def task_of(real: bool) -> Task:
    """The pairs of chapter 17."""
    return real_task(libreoffice_corpus(max_words=LONGEST_REAL)) if real else grammar_task()


@functools.cache
def test_sets(real: bool) -> dict[str, list[SentencePair]]:
    """The sentences to translate: with the words that were trained on."""
    held_out = task_of(real).test
    if real:
        return {"trained lengths": help_sentences(held_out)}
    return grammar_sets(held_out, short_pairs())


def translator_of(real: bool, smoothing: float, seed: int) -> Translator:
    """A translator from one start."""
    task, sizes = task_of(real), REAL if real else GRAMMAR
    batches = functools.partial(bucketed_batches, task.train, sizes.tokens, seed)
    model = sizes.encoder_decoder(seed)
    trained(model, batches, smoothing, sizes.rate, STEPS[real], seed)
    return Translator(model, task.tokenizers)


def measure(seed: int, real: bool) -> dict[str, Any]:
    """Both amounts of smoothing from one start."""
    found: dict[str, Any] = {}
    for smoothing in SMOOTHINGS:
        translator = translator_of(real, smoothing, seed)
        found[str(smoothing)] = {
            name: searched(translator, pairs) for name, pairs in test_sets(real).items()
        }
        print(seed, smoothing, found[str(smoothing)], flush=True)
    return found


def main(
    first: Annotated[int, typer.Option(help="The first start.")] = 0,
    starts: Annotated[int, typer.Option(help="How many starts.")] = 10,
    real: Annotated[bool, typer.Option("--real", help="LibreOffice's help.")] = False,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains and searches from some starts, and adds them to what is stored."""
    torch.set_num_threads(1)
    name = "search_smoothing_real" if real else "search_smoothing"
    for seed in range(first, first + starts):
        of_start = measure(seed, real)
        stored = load_measured(name, out) if (out / f"{name}.json").exists() else {}
        runs = {**stored.get("starts", {}), str(seed): of_start}
        results = {
            "steps": STEPS[real],
            "pairs": len(task_of(real).train),
            "sentences": {name: len(pairs) for name, pairs in test_sets(real).items()},
            "starts": runs,
        }
        store_measured(name, "scripts/measure_search_smoothing.py", results, out)


if __name__ == "__main__":
    typer.run(main)
