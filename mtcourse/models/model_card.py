"""What a translator's model card says: all of it measured, none of it typed (chapter 12)."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from mtcourse.evaluation.scores import Scores
from mtcourse.models.translator import Translator
from mtcourse.text.pairs import SentencePair
from mtcourse.whole_files import write_whole


@dataclass(frozen=True)
class Purpose:
    """What a card says in its author's words.

    Args:
        title: its first line.
        intended_use: one paragraph: what it is for, and what it is not for.
        script: the script that makes the translator.
    """

    title: str
    intended_use: str
    script: str


@dataclass(frozen=True)
class CardFacts:
    """What a card says of a run.

    Args:
        purpose: its author's words.
        corpus: name, version, size and licence of what it was trained on.
        seed: of everything random.
        steps: updates.
        cpu_minutes: processor time of training, all threads.
        beams: of the translations that were scored.
        note: what differs from the recipe, if anything does.
    """

    purpose: Purpose
    corpus: str
    seed: int
    steps: int
    cpu_minutes: float
    beams: int
    note: str = ""


def write_card(
    folder: Path | str,
    facts: CardFacts,
    translator: Translator,
    scores: Mapping[str, Scores],
    examples: Sequence[tuple[SentencePair, str]],
) -> None:
    """Writes ``README.md``, ``scores.json`` and ``translations.json`` beside a translator.

    Args:
        folder: the translator's.
        facts: what the card says of the run.
        translator: the model that was scored.
        scores: for each test set its scores.
        examples: sentence pairs with the model's translation of the source.
    """
    folder = Path(folder)
    texts = {
        "README.md": _card(facts, translator, scores, examples),
        "scores.json": _json({name: asdict(of_set) for name, of_set in scores.items()}),
        "translations.json": _json(
            [
                {"source": pair.source, "reference": pair.target, "translation": translation}
                for pair, translation in examples
            ]
        ),
    }
    for name, text in texts.items():
        write_whole(folder / name, text)


def machine_in_words() -> str:
    """Processor, cores, torch and Python, without names of hosts or paths."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, torch {torch.__version__.split('+')[0]}, "
        f"Python {platform.python_version()}"
    )


def vocabularies_in_words(translator: Translator) -> str:
    """How many pieces there are: of one vocabulary for both languages, or of each."""
    config = translator.model.config
    if translator.tokenizers.joint:
        return f"one joint vocabulary of {config.V_s:,} pieces"
    return f"vocabularies of {config.V_s:,} and {config.V_t:,} pieces"


def _processor() -> str:
    """The processor's name where Linux tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _card(
    facts: CardFacts,
    translator: Translator,
    scores: Mapping[str, Scores],
    examples: Sequence[tuple[SentencePair, str]],
) -> str:
    """The card as Markdown."""
    config = translator.model.config
    parameters = sum(parameter.numel() for parameter in translator.model.parameters())
    signatures = {
        name: signature
        for of_set in scores.values()
        for name, signature in (("BLEU", of_set.bleu_signature), ("chrF2", of_set.chrf_signature))
    }
    rows = [
        f"| {name} | {s.sentences} | {_with_interval(s.bleu, s.bleu_interval)} "
        f"| {_with_interval(s.chrf, s.chrf_interval)} | {100 * s.exact:.1f}% |"
        for name, s in scores.items()
    ]
    pairs = [
        f"| {table_cell(pair.source)} | {table_cell(translation)} | {table_cell(pair.target)} |"
        for pair, translation in examples
    ]
    return "\n".join(
        [
            f"# {facts.purpose.title}",
            "",
            facts.purpose.intended_use,
            "",
            f"- Model: encoder-decoder Transformer, {parameters:,} parameters: d_model "
            f"{config.d_model}, {config.h} heads, d_ff {config.d_ff}, {config.encoder_layers} + "
            f"{config.decoder_layers} layers, {config.norm}-norm, "
            f"{vocabularies_in_words(translator)}.",
            *([f"- Unlike the recipe: {facts.note}."] if facts.note else []),
            f"- Corpus: {facts.corpus}",
            f"- Made by `{facts.purpose.script}` with seed {facts.seed}: {facts.steps:,} updates, "
            f"{facts.cpu_minutes:.1f} CPU-minutes on {machine_in_words()}.",
            "",
            "## Scores",
            "",
            f"Beam search with {facts.beams} beams; 95% intervals from 1,000 bootstrap resamples.",
            "",
            "| test set | sentences | BLEU | chrF2 | exact |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
            *(f"- {name}: `{signature}`" for name, signature in signatures.items()),
            "",
            "## Translations, picked by the seed",
            "",
            "| source | translation | reference |",
            "| --- | --- | --- |",
            *pairs,
            "",
        ]
    )


def _with_interval(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.1f} ({interval[0]:.1f} to {interval[1]:.1f})"


def table_cell(text: str) -> str:
    """Text that does not break a Markdown table."""
    return text.replace("|", "\\|")
