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
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.chapters.seq2seq.families import (
    GRAMMAR,
    REAL,
    Task,
    grammar_task,
    real_task,
    short_pairs,
)
from mtcourse.decoding.search import EOS, Hypothesis, beam_search
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, load_measured, store_measured
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import bucketed_batches
from mtcourse.text.corpora import builtin_corpus, libreoffice_corpus
from mtcourse.text.pairs import SentencePair, words
from mtcourse.training.loop import TrainingConfig, train

SMOOTHINGS = (0.0, 0.1)
SEARCHES = ((1, 0.0), (4, 0.0), (16, 0.0), (64, 0.0), (64, 1.0))
STEPS = {False: 500, True: 700}
TESTED = 200
"""Sentences of each set, where there are as many."""
SHORTEST_REAL, LONGEST_REAL, TESTED_REAL = 4, 12, 150


@functools.cache
def task_of(real: bool) -> Task:
    """The pairs of chapter 17."""
    return real_task(libreoffice_corpus(max_words=LONGEST_REAL)) if real else grammar_task()


@functools.cache
def test_sets(real: bool) -> dict[str, list[SentencePair]]:
    """The sentences to translate: with the words that were trained on."""
    held_out = task_of(real).test
    if real:
        long_enough = (p for p in held_out if len(p.source.split()) >= SHORTEST_REAL)
        return {"trained lengths": list(long_enough)[:TESTED_REAL]}
    known = {word for pair in short_pairs() for word in _words(pair)}
    drawn = builtin_corpus(train=100_000).splits["train"]
    longer = [p for p in drawn if len(_words(p)) > 9 and known >= set(_words(p))]
    return {"trained lengths": held_out[:TESTED], "longer": longer[:TESTED]}


def _words(pair: SentencePair) -> list[str]:
    return pair.source.rstrip(".?!").lower().split()


def trained(real: bool, smoothing: float, seed: int) -> Translator:
    """A translator from one start."""
    task, sizes, steps = task_of(real), REAL if real else GRAMMAR, STEPS[real]
    model = sizes.encoder_decoder(seed)
    train(
        model,
        lambda epoch: bucketed_batches(task.train, sizes.tokens, seed, epoch),
        functools.partial(smoothed_loss, smoothing),
        TrainingConfig(steps, sizes.rate, 100, "cosine", seed=seed + 1),
    )
    return Translator(model, task.tokenizers)


def searched(translator: Translator, pairs: Sequence[SentencePair]) -> dict[str, Any]:
    """All searches on one set, and what the empty sentence is worth there."""
    references = [(pair.target, *pair.references) for pair in pairs]
    encoded = translator._encode([pair.source for pair in pairs])
    expected = sum(len(words(pair.target)) for pair in pairs)
    found: dict[str, Any] = {}
    for beams, exponent in SEARCHES:
        search = functools.partial(beam_search, beams=beams, length_penalty=exponent)
        results = _in_batches(translator, encoded, search)
        texts = [translator.tokenizers.target.decode(one.ids) for one in results]
        found[f"{beams}, {exponent:.0f}"] = {
            "bleu": round(score(texts, references).bleu, 2),
            "ratio": round(sum(len(words(text)) for text in texts) / expected, 4),
            "empty": sum(not text for text in texts),
        }
        if (beams, exponent) == (16, 0.0):
            best = statistics.median(one.log_probability for one in results)
            found["log p of the best"] = round(best, 3)
    empty = _in_batches(translator, encoded, _end_at_once)
    of_empty = statistics.median(one.log_probability for one in empty)
    found["log p of the empty sentence"] = round(of_empty, 3)
    return found


def _end_at_once(step: Any, state: Any, longest: torch.Tensor) -> list[list[Hypothesis]]:
    """The empty sentence, whatever the model thinks of it."""
    log_probs, _ = step(torch.full((len(longest), 1), 2), state)
    return [[Hypothesis((EOS,), value, value)] for value in log_probs[:, 0, EOS].tolist()]


def _in_batches(translator: Translator, encoded: list[list[int]], search: Any) -> list[Hypothesis]:
    found: list[Hypothesis] = []
    for begin in range(0, len(encoded), 32):
        found += [best for best, *_ in translator._search(encoded[begin : begin + 32], search)]
    return found


def measure(seed: int, real: bool) -> dict[str, Any]:
    """Both amounts of smoothing from one start."""
    found: dict[str, Any] = {}
    for smoothing in SMOOTHINGS:
        translator = trained(real, smoothing, seed)
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
