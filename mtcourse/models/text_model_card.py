"""What the card of a language model of one stack says: measured, not typed (chapter 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcourse.models.model_card import Purpose, machine_in_words, table_cell
from mtcourse.models.text_model import TextModel
from mtcourse.whole_files import write_whole


@dataclass(frozen=True)
class TextCardFacts:
    """What a card says of a run.

    Args:
        purpose: its author's words.
        corpus: name, version, size and licence of what it was trained on.
        seed: of everything random.
        steps: updates.
        cpu_minutes: processor time of training, all threads.
    """

    purpose: Purpose
    corpus: str
    seed: int
    steps: int
    cpu_minutes: float


def write_text_card(
    folder: Path | str,
    facts: TextCardFacts,
    text_model: TextModel[Any],
    scores: Mapping[str, str],
    examples: Sequence[tuple[str, str]],
) -> None:
    """Writes ``README.md`` beside a model.

    Args:
        folder: the model's.
        facts: what the card says of the run.
        text_model: the model that was scored.
        scores: what was measured, by the name of the test set.
        examples: inputs with what the model made of them.
    """
    sizes = text_model.model.config
    parameters = sum(parameter.numel() for parameter in text_model.model.parameters())
    lines = [
        f"# {facts.purpose.title}",
        "",
        facts.purpose.intended_use,
        "",
        f"- Model: {text_model.family}-only Transformer, {parameters:,} parameters: d_model "
        f"{sizes.d_model}, {sizes.h} heads, d_ff {sizes.d_ff}, {sizes.layers} layers, "
        f"{sizes.norm}-norm, vocabulary of {sizes.V:,}.",
        f"- Corpus: {facts.corpus}",
        f"- Made by `{facts.purpose.script}` with seed {facts.seed}: {facts.steps:,} updates, "
        f"{facts.cpu_minutes:.1f} CPU-minutes on {machine_in_words()}.",
        "",
        "## Scores",
        "",
        "| test set | score |",
        "| --- | --- |",
        *(f"| {name} | {score} |" for name, score in scores.items()),
        "",
        "## Examples, picked by the seed",
        "",
        "| given | made of it |",
        "| --- | --- |",
        *(f"| {table_cell(given)} | {table_cell(made)} |" for given, made in examples),
        "",
    ]
    write_whole(Path(folder) / "README.md", "\n".join(lines))
