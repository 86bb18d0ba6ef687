"""Fine-tunes the shipped encoder on 50 to 5,000 labels, and stores how well each way does.

Three ways: all parameters, the head alone, and the same model from nothing. Two tasks on real
labels: the words that LibreOffice's help marks as interface, menu, code or key, and the program
that a sentence's page is about; ``make real-data`` gets the help. Five starts each. With 1,500
labelled sentences: a head on each layer; inner pieces with their word's label or with "none". Heads
that learned 5,000 English sentences are also put to Dutch ones.

python scripts/measure_fine_tuning.py
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
import typer

from mtcourse.evaluation.starts import run_starts, store_measured
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.fine_tuned import SEQUENCE, TOKEN, FineTuned
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.fine_tuning import fine_tune, head_scores
from mtcourse.text.corpora import libreoffice_corpus
from mtcourse.text.labelled_batches import (
    IGNORED,
    LabelledExample,
    labels_of_pieces,
    words_of_pieces,
)
from mtcourse.text.libreoffice import help_folder
from mtcourse.text.libreoffice_labels import WORD_LABELS, MarkedSentence, marked_sentences
from mtcourse.text.masking import MaskedVocabulary
from mtcourse.training.config import TrainingConfig

SIZES = (50, 150, 500, 1500, 5000)
WAYS = ("all parameters", "head alone", "from nothing")
TASKS = {"words": TOKEN, "programs": SEQUENCE}
PROGRAMS = ("shared", "calc", "basic", "writer", "impress")
STARTS, TESTED, LONGEST = 5, 1200, 60
PROBED = 1500
Splits = dict[str, list[MarkedSentence]]


@cache
def marked(language: str) -> Splits:
    """The labelled sentences of pages for training, and of pages that no model has seen.

    Of the test pages only those sentences are taken that have no near duplicate elsewhere.
    """
    corpus = libreoffice_corpus()
    side = "source" if language == "en" else "target"
    pages = {pair.origin.split("#")[0] for pair in corpus.splits["train"]}
    alone = {getattr(pair, side) for pair in corpus.splits["test"]}
    found: Splits = {"train": [], "test": []}
    known = set[str]()
    for sentence in marked_sentences(help_folder(("en", "nl")), language):
        if sentence.text in known or not 3 <= len(sentence.words) <= LONGEST:
            continue
        known.add(sentence.text)
        if sentence.page in pages and sentence.text not in alone:
            found["train"].append(sentence)
        elif sentence.text in alone:
            found["test"].append(sentence)
    return found


def examples(
    sentences: Sequence[MarkedSentence],
    task: str,
    vocabulary: MaskedVocabulary,
    inner: str = "not counted",
) -> list[LabelledExample]:
    """The sentences as a task's examples; of "programs" only those about one of ``PROGRAMS``.

    The later pieces of a word do not count; or they have the word's label, or "none".
    """
    made = []
    for sentence in sentences:
        ids, words = words_of_pieces(sentence.text, sentence.spans, vocabulary)
        if len(ids) > 126:
            continue
        if task == "words":
            classes = [WORD_LABELS.index(label) for label in sentence.labels]
            labels = labels_of_pieces(words, classes, inner == "as their word")
            if inner == "as none":
                labels = [0 if label == IGNORED else label for label in labels]
            made.append(LabelledExample(tuple(ids), tuple(labels)))
        elif sentence.module in PROGRAMS:
            made.append(LabelledExample(tuple(ids), PROGRAMS.index(sentence.module)))
    return made


def drawn(sentences: Sequence[MarkedSentence], task: str, seed: int) -> list[MarkedSentence]:
    """The largest training set of a start; the smaller ones are its beginnings.

    Half of the sentences for "words" hold a marked word: most sentences have none.
    """
    generator = random.Random(f"{task} {seed}")
    if task == "programs":
        fit = [sentence for sentence in sentences if sentence.module in PROGRAMS]
        return generator.sample(fit, max(SIZES))
    plain = [s for s in sentences if set(s.labels) == {"none"}]
    with_labels = [s for s in sentences if set(s.labels) != {"none"}]
    half = max(SIZES) // 2
    pairs = zip(generator.sample(with_labels, half), generator.sample(plain, half), strict=True)
    return [sentence for pair in pairs for sentence in pair]


def training(size: int, way: str, seed: int) -> TrainingConfig:
    """More updates for more labels; the new head alone takes a higher rate."""
    steps = {50: 120, 150: 160, 500: 220, 1500: 320, 5000: 480}[size]
    rate = {"all parameters": 5e-4, "head alone": 1e-2, "from nothing": 1e-3}[way]
    return TrainingConfig(
        steps=steps, learning_rate=rate, warmup=steps // 10, schedule="cosine", seed=seed
    )


def model_for(way: str, kind: str, classes: int, seed: int) -> FineTuned:
    """A new head on the shipped encoder, or on one with initial weights."""
    shipped = MaskedLanguageModel.load(device="cpu").model
    if way == "from nothing":
        config = TransformerConfig(**shipped.config.to_dict())
        return FineTuned(EncoderModel(config, seed=seed), kind, classes, seed=seed)
    return FineTuned(copy.deepcopy(shipped), kind, classes, way == "head alone", seed)


def scored(
    model: FineTuned, tested: Sequence[LabelledExample], vocabulary: MaskedVocabulary
) -> dict[str, Any]:
    """Accuracy and F1 of a trained head."""
    found = head_scores(model, tested, vocabulary)
    return {
        "accuracy": round(found.accuracy, 4),
        "macro F1": round(found.macro_f1, 4),
        "F1": [round(one, 4) for one in found.f1],
    }


def curves(seed: int) -> dict[str, Any]:
    """Every task, way and size from one start."""
    torch.set_num_threads(1)
    vocabulary = MaskedLanguageModel.load(device="cpu").vocabulary
    found: dict[str, Any] = {}
    for task, kind in TASKS.items():
        classes = len(WORD_LABELS if task == "words" else PROGRAMS)
        everything = examples(drawn(marked("en")["train"], task, seed), task, vocabulary)
        tested = examples(marked("en")["test"], task, vocabulary)[:TESTED]
        dutch = examples(marked("nl")["test"], task, vocabulary)[:TESTED]
        for way in WAYS:
            for size in SIZES:
                model = model_for(way, kind, classes, seed)
                fine_tune(model, everything[:size], vocabulary, training(size, way, seed))
                result = {"en": scored(model, tested, vocabulary)}
                if size == max(SIZES):
                    result["nl"] = scored(model, dutch, vocabulary)
                found.setdefault(task, {}).setdefault(way, {})[str(size)] = result
    return found


def probes(seed: int) -> dict[str, Any]:
    """A head on the rows after each layer, and three ways to label inner pieces."""
    torch.set_num_threads(1)
    vocabulary = MaskedLanguageModel.load(device="cpu").vocabulary
    found: dict[str, Any] = {"layers": {}, "inner pieces": {}}
    train, test = marked("en")["train"], marked("en")["test"]
    for task, kind in TASKS.items():
        classes = len(WORD_LABELS if task == "words" else PROGRAMS)
        sentences = drawn(train, task, seed)[:PROBED]
        tested = examples(test, task, vocabulary)[:TESTED]
        for layer in range(MaskedLanguageModel.load(device="cpu").model.config.layers + 1):
            model = model_for("head alone", kind, classes, seed)
            del model.body.blocks[layer:]
            shown = examples(sentences, task, vocabulary)
            fine_tune(model, shown, vocabulary, training(PROBED, "head alone", seed))
            found["layers"].setdefault(task, []).append(scored(model, tested, vocabulary))
    for inner in ("not counted", "as their word", "as none"):
        model = model_for("all parameters", TOKEN, len(WORD_LABELS), seed)
        shown = examples(drawn(train, "words", seed)[:PROBED], "words", vocabulary, inner)
        fine_tune(model, shown, vocabulary, training(PROBED, "all parameters", seed))
        tested = examples(test, "words", vocabulary)[:TESTED]
        found["inner pieces"][inner] = scored(model, tested, vocabulary)
    return found


def one_start(seed: int) -> dict[str, Any]:
    """Everything that one start measures."""
    return {"curves": curves(seed), **probes(seed)}


def main() -> None:
    """Runs all starts and stores them."""
    starts = run_starts(one_start, STARTS)
    store_measured(
        "fine_tuning",
        "scripts/measure_fine_tuning.py",
        {
            "sizes": list(SIZES),
            "word labels": list(WORD_LABELS),
            "programs": list(PROGRAMS),
            "starts": starts,
        },
    )


if __name__ == "__main__":
    typer.run(main)
