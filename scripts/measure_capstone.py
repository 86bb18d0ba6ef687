"""Makes the translator of chapter 20 and measures all that the page shows.

python scripts/get_real_data.py de
python scripts/measure_capstone.py [--starts N] [--runs FOLDER] [--out FOLDER]

English to German, LibreOffice's help, sentences of at most 12 words. Trained as by
``mtcourse train --corpus libreoffice:de:12 --steps 2000 --vocabulary-size 3000``, from three
random starts; ``--stop 900`` stops earlier, as by Ctrl-C, and a later call goes on. Results go to
``mtcourse/measured/capstone.json``, the first start's report to ``capstone_report.md`` beside it.
About half an hour of one core.
"""

from __future__ import annotations

import csv
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.decoding.search import Search, beam_search, greedy_search
from mtcourse.evaluation.paired import PairedBleu
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.sentence_scores import sentence_bleu, sentence_chrf
from mtcourse.evaluation.starts import MEASURED, store_measured
from mtcourse.models.translator import Translator
from mtcourse.recipes.error_analysis import (
    by_frequency,
    by_length,
    by_phenomenon,
    failures,
    known_to,
    translated,
)
from mtcourse.recipes.memory import TranslationMemory
from mtcourse.recipes.report import write_report
from mtcourse.recipes.translator import Recipe, train_translator
from mtcourse.text.cleaning import Dropped, clean
from mtcourse.text.corpora import ParallelCorpus, builtin_corpus, libreoffice_corpus
from mtcourse.text.libreoffice import extract, help_folder
from mtcourse.text.pairs import SentencePair, words
from mtcourse.text.splitting import NearDuplicates
from mtcourse.text.tokenizer import Tokenizer
from mtcourse.training.callbacks import StepReport
from mtcourse.training.loop import TrainingConfig

LANGUAGE, LONGEST = "de", 12
STEPS, PIECES = 2000, 3000
VOCABULARIES = (500, 1000, 2000, 3000, 4000, 8000)
SEARCHES: dict[str, Search] = {"greedy": greedy_search, "beam": partial(beam_search, beams=4)}
SHOWN, JUDGED = 8, 400
SIDES = ("source", "target")
WRITTEN_BY_HAND = (
    "Click Cancel to close the dialog.",
    "Do not click Cancel.",
    "Open the file.",
    "Open the files.",
    "The cat sleeps on the sofa.",
    "I would like two tickets to Hamburg, please.",
)


def main(
    starts: Annotated[int, typer.Option(help="Random starts, seeds 1, 2, ...")] = 3,
    stop: Annotated[int, typer.Option(help="The update after which a run is stopped.")] = STEPS,
    runs: Annotated[Path, typer.Option(help="Where the runs lie.")] = Path("runs/capstone"),
    only_train: Annotated[int, typer.Option(help="Only train this seed's run.")] = 0,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains what is not trained yet, then measures."""
    torch.set_num_threads(1)
    corpus = libreoffice_corpus(LANGUAGE, max_words=LONGEST)
    for seed in [only_train] if only_train else range(1, starts + 1):
        trained_run(corpus, runs / str(seed), seed, stop)
    if not only_train:
        results = measure(corpus, [runs / str(seed) for seed in range(1, starts + 1)], out)
        store_measured("capstone", "scripts/measure_capstone.py", results, out)


def recipe(seed: int, steps: int = STEPS) -> Recipe:
    """What the command line makes of its defaults, these steps and this vocabulary."""
    plain = Recipe()
    training: TrainingConfig = replace(
        plain.training, steps=steps, warmup=min(plain.training.warmup, steps // 2), seed=seed
    )
    model = replace(plain.model, V_s=PIECES, V_t=PIECES)
    return replace(plain, model=model, training=training)


def trained_run(corpus: ParallelCorpus, folder: Path, seed: int, stop: int) -> None:
    """Trains the run of a seed until it is to stop, unless it is there; notes minutes of CPU."""
    note = folder / "minutes.json"
    known = json.loads(note.read_text(encoding="utf-8")) if note.exists() else {}
    if known.get("stop", 0) >= stop:
        return

    def at_its_stop(report: StepReport) -> None:
        if report.step >= stop:
            raise KeyboardInterrupt

    started = time.process_time()
    train_translator(
        corpus,
        folder,
        recipe(seed),
        callbacks=[at_its_stop],
        resume=(folder / "last").exists(),
        device="cpu",
    )
    minutes = known.get("minutes", 0.0) + (time.process_time() - started) / 60
    note.write_text(json.dumps({"stop": stop, "minutes": minutes}), encoding="utf-8")


def measure(corpus: ParallelCorpus, folders: Sequence[Path], out: Path) -> dict[str, Any]:
    """All that the page shows: of the data, of the baselines, and of each start."""
    test = corpus.splits["test"]
    memory = TranslationMemory(corpus.splits["train"])
    leaked = given_away(corpus)
    first = Translator.load(folders[0], device="cpu")
    search = SEARCHES["beam"]
    report = out / "capstone_report.md"
    write_report(first, corpus, "test", search, report, search_name="beam", run=folders[0])
    by_hand = zip(WRITTEN_BY_HAND, first.translate(list(WRITTEN_BY_HAND), search), strict=True)
    return {
        "corpus": facts_of(corpus),
        "pieces": pieces(corpus),
        "memory on splits": memory_on_splits(corpus),
        "baselines": {
            "source copied": numbers(test, [pair.source for pair in test]),
            "translation memory": numbers(test, memory.translate([p.source for p in test])),
            "memory, given away": numbers(leaked, memory.translate([p.source for p in leaked])),
        },
        "judged": judged_by_grammar(),
        "starts": [of_start(corpus, folder, leaked, memory) for folder in folders],
        "by hand": list(by_hand),
    }


# --- the data -----------------------------------------------------------------------------------


def facts_of(corpus: ParallelCorpus) -> dict[str, Any]:
    """Sizes, what was left out, and an example of each reason."""
    report = corpus.report
    train = corpus.splits["train"]
    return {
        "name": corpus.name,
        "version": corpus.version,
        "licence": corpus.licence,
        "sizes": {name: len(pairs) for name, pairs in corpus.splits.items()},
        "kept": report.kept,
        "dropped": dict(report.dropped),
        "examples": {reason: list(of) for reason, of in report.examples.items()},
        "words": [
            sum(len(words(getattr(p, side))) for p in train) for side in ("source", "target")
        ],
        "lengths": sorted(Counter(len(words(p.source)) for p in train).items()),
    }


def pieces(corpus: ParallelCorpus) -> list[list[float]]:
    """For each size of the joint vocabulary, pieces a word on both sides of the test set."""
    train = [text for pair in corpus.splits["train"] for text in (pair.source, pair.target)]
    rows = []
    for size in VOCABULARIES:
        tokenizer = Tokenizer.train(train, size)
        rows.append([size, *(fertility(tokenizer, corpus, side) for side in SIDES)])
    return rows


def fertility(tokenizer: Tokenizer, corpus: ParallelCorpus, side: str) -> float:
    """Pieces a word on one side of the test set."""
    texts = [getattr(pair, side) for pair in corpus.splits["test"]]
    return sum(len(tokenizer.encode(text)) for text in texts) / sum(
        len(text.split()) for text in texts
    )


def given_away(corpus: ParallelCorpus) -> list[SentencePair]:
    """Pairs of the held-out pages of test that were left out as near duplicates of training."""
    pages = {pair.origin.split("#")[0] for pair in corpus.splits["test"]}
    pairs = extract(help_folder(("en", LANGUAGE)), "en", LANGUAGE)
    kept = set(corpus.splits["test"])
    sources = NearDuplicates([pair.source for pair in corpus.splits["train"]])
    targets = NearDuplicates([pair.target for pair in corpus.splits["train"]])
    return [
        pair
        for pair in clean(pairs, Dropped(), LONGEST)
        if pair.origin.split("#")[0] in pages
        and pair not in kept
        and (pair.source in sources or pair.target in targets)
    ]


def memory_on_splits(corpus: ParallelCorpus) -> dict[str, dict[str, Any]]:
    """What a translation memory scores on three splits of the same pages."""
    pairs = extract(help_folder(("en", LANGUAGE)), "en", LANGUAGE)
    short = [p for p in pairs if p.source and p.target and p.source != p.target]
    short = [p for p in short if max(len(words(p.source)), len(words(p.target))) <= LONGEST]
    cleaned = clean(pairs, Dropped(), LONGEST)
    size = len(corpus.splits["test"])
    ways = {
        "lines drawn at random, duplicates and all": _drawn(short, size),
        "lines drawn at random, each pair once": _drawn(cleaned, size),
        "whole pages, no near duplicate": (corpus.splits["train"], corpus.splits["test"]),
    }
    return {
        name: numbers(asked, TranslationMemory(known).translate([p.source for p in asked]))
        for name, (known, asked) in ways.items()
    }


def _drawn(
    pairs: Sequence[SentencePair], size: int
) -> tuple[list[SentencePair], list[SentencePair]]:
    shuffled = random.Random(1).sample(pairs, len(pairs))
    return shuffled[size:], shuffled[:size]


def judged_by_grammar() -> dict[str, Any]:
    """Outputs of the shipped translator that the grammar calls right or wrong, and their scores.

    Each is scored against one reference, as if no other were known, as on a text without a grammar.
    """
    pairs = builtin_corpus().splits["length"][:JUDGED]
    translations = Translator.load(device="cpu").translate([pair.source for pair in pairs])
    rows = [
        [pair.source, text, pair.target, text in (pair.target, *pair.references),
         sentence_chrf(text, pair.target), sentence_bleu(text, pair.target)]
        for pair, text in zip(pairs, translations, strict=True)
    ]  # fmt: skip
    wrong = sorted((row for row in rows if not row[3]), key=lambda row: -row[4])
    other = sorted((row for row in rows if row[3] and row[1] != row[2]), key=lambda row: row[4])
    return {
        "sentences": len(rows),
        "right": sum(row[3] for row in rows),
        "right, worded otherwise": [row[4:] for row in other],
        "wrong": [row[4:] for row in wrong],
        "best of the wrong": wrong[:SHOWN],
        "worst of the right": other[:SHOWN],
    }


# --- a start ------------------------------------------------------------------------------------


def of_start(
    corpus: ParallelCorpus,
    folder: Path,
    leaked: Sequence[SentencePair],
    memory: TranslationMemory,
) -> dict[str, Any]:
    """The scores, losses, faults and some translations of one run."""
    translator = Translator.load(folder, device="cpu")
    test = list(corpus.splits["test"])
    sources = [pair.source for pair in test]
    written, seconds = {}, {}
    for name, search in SEARCHES.items():
        started = time.process_time()
        written[name] = translator.translate(sources, search)
        seconds[name] = time.process_time() - started
    references = [(pair.target,) for pair in test]
    gains = {
        "beam against greedy": PairedBleu(written["greedy"], references).change_to(written["beam"]),
        "beam against memory": PairedBleu(memory.translate(sources), references).change_to(
            written["beam"]
        ),
    }
    items = translated(test, written["beam"])
    known = known_to([pair.source for pair in corpus.splits["train"]])
    recalls = by_frequency(items, [pair.target for pair in corpus.splits["train"]])
    in_leaked = translator.translate([pair.source for pair in leaked], SEARCHES["beam"])
    with (folder / "losses.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        "minutes": json.loads((folder / "minutes.json").read_text(encoding="utf-8"))["minutes"],
        "parameters": sum(p.numel() for p in translator.model.parameters()),
        "losses": [[int(row["step"]), float(row["loss"])] for row in rows][9::10],
        "dev": [[int(row["step"]), float(row["dev_loss"])] for row in rows if row["dev_loss"]],
        "scores": {name: numbers(test, texts) for name, texts in written.items()},
        "seconds": seconds,
        "gains": {name: [gain.value, *gain.interval] for name, gain in gains.items()},
        "given away": numbers(leaked, in_leaked),
        "lengths": [[g.name, g.scores.sentences, g.scores.bleu, g.scores.chrf]
                    for g in by_length(items)],
        "phenomena": [[g.name, g.scores.sentences, g.scores.chrf, g.kept]
                      for g in by_phenomenon(items, known)],
        "words": [[r.name, r.count, r.found] for r in recalls],
        "failures": {name: len(of) for name, of in failures(items).items()},
        "shown": [[item.pair.source, item.translation, item.pair.target]
                  for item in random.Random(1).sample(items, min(SHOWN, len(items)))],
    }  # fmt: skip


def numbers(pairs: Sequence[SentencePair], texts: Sequence[str]) -> dict[str, Any]:
    """The scores of some translations, and their length as a share of the references'."""
    of = score(texts, [(pair.target, *pair.references) for pair in pairs])
    return {
        "sentences": of.sentences,
        "bleu": [of.bleu, *of.bleu_interval],
        "chrf": [of.chrf, *of.chrf_interval],
        "exact": of.exact,
        "length": sum(len(text) for text in texts) / sum(len(pair.target) for pair in pairs),
    }


if __name__ == "__main__":
    typer.run(main)
