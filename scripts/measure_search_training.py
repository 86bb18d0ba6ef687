"""Trains translators on changed targets, and searches them (chapter 18).

python scripts/measure_search_training.py ends [--first N] [--starts N] [--out FOLDER]
make real-data && python scripts/measure_search_training.py copies [...]

``ends``: the encoder-decoders of ``measure_search_smoothing.py``, from the same starts on the same
batches, with four end tokens in place of one, for four ranges of lengths of the target. At search
``<eos>`` is either the one end that fits the length or all of them together. About a minute of one
core for a start.

``copies``: chapter 17's encoder-decoders for LibreOffice's help. In a first stage half of the
targets are copies of their sources, in a second one 0, 1, 2 or 5%. Stored are how often beams of
several widths return a copy, and how probable copies are. About four minutes of one core for a
start.

Results go to ``mtcourse/measured/search_training.json``; what is stored already stays.
"""

from __future__ import annotations

import copy
import functools
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.chapters.search.copies import copy_log_probabilities, is_copy, with_copies
from mtcourse.chapters.search.end_tokens import FOLDS, EndTokens, ManyEnded, grown
from mtcourse.chapters.search.measures import (
    LONGEST_REAL,
    grammar_sets,
    help_sentences,
    in_batches,
    judged,
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
from mtcourse.decoding.search import beam_search
from mtcourse.evaluation.starts import MEASURED, load_measured, store_measured
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.translator import Translator
from mtcourse.text.batches import Batch, bucketed_batches
from mtcourse.text.corpora import libreoffice_corpus
from mtcourse.text.pairs import SentencePair

SMOOTHINGS = (0.0, 0.1)
BUCKETS, STEPS = 4, 500
WIDTHS = (1, 4, 16, 64)
AT_FIRST, SHARES = 0.5, (0.0, 0.01, 0.02, 0.05)
"""Copies among the targets of the first stage and of the second."""


@dataclass(frozen=True)
class Stage:
    """How long to train with one share of copies.

    Args:
        steps: updates.
        rate: the largest learning rate.
        batches: added to the start's seed for the order of the batches.
    """

    steps: int
    rate: float
    batches: int


LEARNING, MIXED = Stage(800, REAL.rate, 0), Stage(300, 2e-3, 1000)


@functools.cache
def test_sets() -> dict[str, list[SentencePair]]:
    """The sentences of ``measure_search_smoothing.py``."""
    return grammar_sets(grammar_task().test, short_pairs())


@functools.cache
def end_tokens() -> EndTokens:
    """Buckets with about as many of the grammar's training targets each."""
    lengths = [len(example.target) for example in grammar_task().train]
    return EndTokens.of(GRAMMAR.V, lengths, BUCKETS)


def with_ends(smoothing: float, seed: int, steps: int = STEPS) -> EncoderDecoder:
    """A model with an end token for each bucket, from one start."""
    ends, task = end_tokens(), grammar_task()

    def batches(epoch: int) -> list[Batch]:
        of_epoch = bucketed_batches(task.train, GRAMMAR.tokens, seed, epoch)
        return [ends.labelled(batch) for batch in of_epoch]

    model = grown(GRAMMAR.encoder_decoder(seed), ends, seed)
    return trained(model, batches, smoothing, GRAMMAR.rate, steps, seed)


def measure_ends(seed: int) -> dict[str, Any]:
    """Both amounts of smoothing and both readings of <eos>, from one start."""
    found: dict[str, Any] = {}
    for smoothing in SMOOTHINGS:
        model = with_ends(smoothing, seed)
        found[str(smoothing)] = {
            fold: {
                name: searched(ManyEnded(model, grammar_task().tokenizers, end_tokens(), fold), of)
                for name, of in test_sets().items()
            }
            for fold in FOLDS
        }
        print(seed, smoothing, found[str(smoothing)], flush=True)
    return found


def about_ends() -> dict[str, Any]:
    """What all starts have in common."""
    ends = end_tokens()
    of_bucket = [ends.ids.index(ends.id(len(one.target))) for one in grammar_task().train]
    longer = [pair.target for pair in test_sets()["longer"]]
    return {
        "steps": STEPS,
        "borders": ends.borders,
        "targets of each bucket": [of_bucket.count(place) for place in range(len(ends.ids))],
        "sentences": {name: len(of) for name, of in test_sets().items()},
        "tokens of the shortest longer target": min(
            len(ids) for ids in grammar_task().tokenizers.target.encode_all(longer)
        ),
    }


@functools.cache
def help_task() -> Task:
    """Short sentences of LibreOffice's help."""
    return real_task(libreoffice_corpus(max_words=LONGEST_REAL))


def on_copies(model: EncoderDecoder, stage: Stage, share: float, seed: int) -> EncoderDecoder:
    """The model, trained on the help with so many copies."""
    examples = with_copies(help_task().train, share, seed)
    batches = functools.partial(bucketed_batches, examples, REAL.tokens, seed + stage.batches)
    return trained(model, batches, 0.0, stage.rate, stage.steps, seed)


def measure_copies(seed: int) -> dict[str, Any]:
    """What copies do to one start, after the first stage and after each second one."""
    model = on_copies(REAL.encoder_decoder(seed), LEARNING, AT_FIRST, seed)
    found = {"first stage": copies_found(model)}
    print(seed, "first stage", found["first stage"], flush=True)
    for share in SHARES:
        again = on_copies(copy.deepcopy(model), MIXED, share, seed)
        found[str(share)] = copies_found(again)
        print(seed, share, found[str(share)], flush=True)
    return found


def copies_found(model: EncoderDecoder) -> dict[str, Any]:
    """How probable copies are, and how often search returns one."""
    translator = Translator(model, help_task().tokenizers)
    pairs = help_sentences(help_task().test)
    forced = [copy_log_probabilities(translator, pair.source) for pair in pairs]
    encoded = translator._encode([pair.source for pair in pairs])
    widths: dict[str, Any] = {}
    for beams in WIDTHS:
        search = functools.partial(beam_search, beams=beams, length_penalty=0.0)
        results = in_batches(translator, encoded, search)
        texts = [translator.tokenizers.target.decode(one.ids) for one in results]
        best = [one.log_probability for one in results]
        widths[str(beams)] = {
            **judged(texts, pairs),
            "copies": sum(map(is_copy, pairs, texts)),
            "exact copies": sum(
                text == pair.source for text, pair in zip(texts, pairs, strict=True)
            ),
            "a copy is more probable": sum(
                sum(of) > ours + 1e-3 for of, ours in zip(forced, best, strict=True)
            ),
            "log p": round(statistics.median(best), 3),
        }
    parts = {
        "first token": [of[0] for of in forced],
        "each later token": [statistics.mean(of[1:]) for of in forced],
        "whole copy": [sum(of) for of in forced],
    }
    of_copy = {name: round(statistics.median(values), 3) for name, values in parts.items()}
    return {"log p of a copy": of_copy, "widths": widths}


def about_copies() -> dict[str, Any]:
    """What all starts have in common."""
    task = help_task()
    return {
        "updates": [LEARNING.steps, MIXED.steps],
        "copies at first": AT_FIRST,
        "pairs": len(task.train),
        "copies that were there": sum(one.source == one.target for one in task.train),
        "sentences": len(help_sentences(task.test)),
    }


PARTS: dict[str, tuple[Callable[[int], dict[str, Any]], Callable[[], dict[str, Any]]]] = {
    "ends": (measure_ends, about_ends),
    "copies": (measure_copies, about_copies),
}


def main(
    part: Annotated[str, typer.Argument(help=f"One of {', '.join(PARTS)}.")],
    first: Annotated[int, typer.Option(help="The first start.")] = 0,
    starts: Annotated[int, typer.Option(help="How many starts.")] = 10,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains and searches from some starts, and adds them to what is stored."""
    torch.set_num_threads(1)
    measure, about = PARTS[part]
    name = "search_training"
    for seed in range(first, first + starts):
        of_start = measure(seed)
        stored = load_measured(name, out) if (out / f"{name}.json").exists() else {}
        stored.pop("made", None)
        runs = {**stored.get(part, {}).get("starts", {}), str(seed): of_start}
        results = {**stored, part: {**about(), "starts": runs}}
        store_measured(name, f"scripts/measure_{name}.py", results, out)


if __name__ == "__main__":
    typer.run(main)
