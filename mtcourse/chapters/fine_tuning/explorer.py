"""The explorer of chapter 16: what a head says of each word, by way and number of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtcourse.chapters.fine_tuning.results import WAYS, Results
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import load_measured
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still

SCRIPT = Path(__file__).with_suffix(".js")

LANGUAGES = ("en", "nl")
"""The heads learn from English sentences; the Dutch ones are translations."""
SCORES = ("macro F1", "accuracy")
TASK = "words"


def fine_tuning_explorer(
    measured: Mapping[str, Any] | None = None, settings: Mapping[str, Any] | None = None
) -> Explorer:
    """Sentences of LibreOffice's help with the labels of their words, known and predicted.

    Args:
        measured: what ``scripts/measure_fine_tuning.py`` stored; None takes what comes with the
            package.
        settings: what is chosen at first: sentence and word (counted from 0), language ("en" or
            "nl"), way ("all parameters", "head alone" or "from nothing"), size (how many labelled
            sentences the head has seen) and score ("macro F1" or "accuracy").

    Raises:
        MtcourseError: no sentence stands in both languages, or a setting is not among the choices.

    Source: C31, C32. Chapter 16.
    """
    found = load_measured("fine_tuning") if measured is None else measured
    sizes, labels = list(found["sizes"]), list(found["labels"][TASK])
    sentences = _in_both_languages(found["shown"], labels, sizes)
    chosen = dict(settings or {})
    choices = {
        "sentence": range(len(sentences)),
        "language": LANGUAGES,
        "way": WAYS,
        "size": sizes,
        "score": SCORES,
    }
    for name, among in choices.items():
        if chosen.get(name, among[0]) not in among:
            known = ", ".join(str(one) for one in among)
            raise MtcourseError(f"{name} cannot be {chosen[name]!r}: choose one of {known}")
    defaults = {"sentence": 0, "language": "en", "way": WAYS[0], "size": sizes[1]}
    first = sentences[chosen.get("sentence", 0)][chosen.get("language", "en")]
    return Explorer(
        SCRIPT,
        {
            "labels": labels,
            "sizes": sizes,
            "ways": list(WAYS),
            "sentences": sentences,
            "scores": {language: _scores(found, language) for language in LANGUAGES},
        },
        {**defaults, "score": SCORES[0], "word": _first_marked(first["known"])},
        chosen,
        "This explorer needs JavaScript. It shows sentences of LibreOffice's help in English and "
        "in Dutch, with the label that a fine-tuned head gives each word, how certain the head is, "
        "and which labels are wrong, for heads that have seen 50 to 5,000 labelled sentences; and "
        "the scores of five starts on the whole test set.",
        still=lambda chosen: _still(sentences, labels, sizes, chosen),
    )


def _still(
    sentences: Sequence[Mapping[str, Any]],
    labels: list[str],
    sizes: list[int],
    chosen: Mapping[str, Any],
) -> Still:
    """The label of each word, and how certain the head is."""
    sentence = sentences[chosen["sentence"]][chosen["language"]]
    said = sentence["said"][chosen["way"]][sizes.index(chosen["size"])]
    words = list(zip(sentence["words"], said, sentence["known"], strict=True))
    names = [f"{word}: {labels[label]}" for word, (label, _), _ in words]
    certain = [float(percent) for _, (_, percent), _ in words]
    return Still(
        f"Labels after {chosen['size']:,} labelled sentences ({chosen['way']}).",
        ("word", "label", "certain (%)", "right label"),
        [
            (word, labels[label], percent, labels[known])
            for (word, (label, _), known), percent in zip(words, certain, strict=True)
        ],
        lambda: bars(names, {"certain": certain}, "certain (%)", text="%.0f"),
        0,
    )


def _in_both_languages(
    shown: Sequence[Mapping[str, Any]], labels: list[str], sizes: list[int]
) -> list[dict[str, Any]]:
    """English sentences, each with its translation."""
    by_origin: dict[str, dict[str, Any]] = {}
    for sentence in shown:
        by_origin.setdefault(sentence["origin"], {})[sentence["language"]] = {
            "text": sentence["text"],
            "words": [sentence["text"][start:end] for start, end in sentence["spans"]],
            "known": [labels.index(label) for label in sentence["labels"]],
            "said": {way: [sentence["said"][way][str(size)] for size in sizes] for way in WAYS},
        }
    found = [of for of in by_origin.values() if set(of) == set(LANGUAGES)]
    if not found:
        raise MtcourseError(
            "no sentence is shown in English and in Dutch: store the measurement anew with "
            "scripts/measure_fine_tuning.py"
        )
    return found


def _scores(found: Mapping[str, Any], language: str) -> dict[str, Any]:
    """For each score, way and size the results of all starts, in per cent."""
    return {
        score: {
            way: [
                [round(of, 1) for of in Results(found, score).at(TASK, way, size, language)]
                for size in found["sizes"]
            ]
            for way in WAYS
        }
        for score in SCORES
    }


def _first_marked(known: Sequence[int]) -> int:
    """The first word that a span marks; the first word where no span does."""
    return next((place for place, label in enumerate(known) if label), 0)
