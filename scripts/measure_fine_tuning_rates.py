"""Fine-tunes the shipped encoder with five learning rates, and stores what it learns and forgets.

Two tasks of the grammar, 50 labelled English sentences, 120 updates of all parameters, ten starts.
Each start draws its own sentences. The encoder was pretrained with a peak rate of 0.002. Stored are
the accuracy on English and on Dutch sentences, and how many blanks the fine-tuned body still fills
with its old output layer. Two CPU-minutes a start.

python scripts/measure_fine_tuning_rates.py [--starts N] [--out FOLDER]
"""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.chapters.fine_tuning.grammar_tasks import TASKS, examples, unread_sentences
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.models.fine_tuned import FineTuned
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.recipes.fine_tuning import fine_tune, head_scores
from mtcourse.text.grammar_labels import LabelledSentence
from mtcourse.training.config import TrainingConfig

RATES = (1e-4, 5e-4, 2e-3, 8e-3, 3.2e-2)
STARTS, LABELLED, TESTED, STEPS = 10, 50, 300, 120


@cache
def shipped() -> MaskedLanguageModel:
    """The shipped encoder, which stays as it is."""
    return MaskedLanguageModel.load(device="cpu")


@cache
def tested(language: str) -> list[LabelledSentence]:
    """The test sentences of a language, the same for all starts."""
    return unread_sentences(TESTED, 99, language)


def blanks(body: MaskedLanguageModel) -> float:
    """The share of blanks in the English test sentences that are filled as in the original."""
    return body.blank_scores([sentence.text for sentence in tested("en")]).accuracy


def tuned(task: str, rate: float, seed: int) -> dict[str, float]:
    """What one run ends with.

    Args:
        task: one of ``TASKS``.
        rate: the peak of the schedule.
        seed: of the labelled sentences, the head and the order.
    """
    kind, labels = TASKS[task]
    vocabulary = shipped().vocabulary
    model = FineTuned(copy.deepcopy(shipped().model), kind, len(labels), seed=seed)
    config = TrainingConfig(
        steps=STEPS, learning_rate=rate, warmup=STEPS // 10, schedule="cosine", seed=seed
    )
    fine_tune(
        model,
        examples(unread_sentences(LABELLED, 200 + seed), task, vocabulary),
        vocabulary,
        config,
    )
    found = {
        language: head_scores(model, examples(tested(language), task, vocabulary), vocabulary)
        for language in ("en", "nl")
    }
    after = MaskedLanguageModel(model.body, shipped().tokenizer)
    return {
        **{language: round(scores.accuracy, 4) for language, scores in found.items()},
        "blanks": round(blanks(after), 4),
    }


def one_start(seed: int) -> dict[str, Any]:
    """Both tasks with every rate."""
    torch.set_num_threads(1)
    return {task: {str(rate): tuned(task, rate, seed) for rate in RATES} for task in TASKS}


def main(
    starts: Annotated[int, typer.Option(help="Random starts.")] = STARTS,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Runs all starts and stores them."""
    store_measured(
        "fine_tuning_rates",
        "scripts/measure_fine_tuning_rates.py",
        {
            "rates": list(RATES),
            "labelled": LABELLED,
            "steps": STEPS,
            "blanks before": round(blanks(shipped()), 4),
            "starts": run_starts(one_start, starts),
        },
        out,
    )


if __name__ == "__main__":
    typer.run(main)
