"""Trains a decoder, an encoder and a translator on one corpus: the project of Part III.

Every family makes the same number of updates of at most 2,048 tokens. The source side of the corpus
is read by the translator alone; decoder and encoder learn from its target side.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.models.translator import LAST, TRANSLATOR
from mtcourse.recipes.families import FAMILIES, TEXT_FAMILIES, AnyModel, load_model
from mtcourse.recipes.text_recipe import TextRecipe, train_text_model
from mtcourse.recipes.translator import Recipe, train_translator
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.texts import text_of
from mtcourse.training.config import TrainingConfig
from mtcourse.whole_files import write_whole

UPDATES, STARTS, PIECES = 500, 3, 1500
"""The budget of a run, how many runs each family has, and the pieces of its vocabulary."""
_MADE = "made.json"


@dataclass(frozen=True)
class Budget:
    """What every run is given.

    Args:
        updates: of the weights.
        pieces: in the vocabulary.
    """

    updates: int = UPDATES
    pieces: int = PIECES

    def training(self, usual: TrainingConfig, seed: int) -> TrainingConfig:
        """The family's usual training, as long as the budget lasts; its last weights are kept."""
        return replace(
            usual,
            steps=self.updates,
            warmup=min(usual.warmup, self.updates // 5),
            evaluate_every=0,
            checkpoint_every=0,
            seed=seed,
        )


def run_folder(runs: Path, family: str, seed: int) -> Path:
    """Where one run of a family is kept, such as ``runs/decoder-0``."""
    return runs / f"{family}-{seed}"


def train_families(
    corpus: ParallelCorpus,
    runs: Path,
    starts: int = STARTS,
    budget: Budget | None = None,
    tell: Callable[[str], None] = print,
) -> dict[str, list[float]]:
    """Trains what is not there yet, and returns the CPU-seconds of every run, start by start.

    Args:
        corpus: pairs; its target side is the text of decoder and encoder.
        runs: a folder for all runs; made if needed.
        starts: seeds 0, 1, ... of each family.
        budget: of each run.
        tell: called with a line before each run that is trained.

    Raises:
        MtcourseError: a folder holds a run on another corpus or with another budget, or a run was
            stopped.
    """
    budget = budget or Budget()
    seconds: dict[str, list[float]] = {family: [] for family in FAMILIES}
    for seed in range(starts):
        for family in FAMILIES:
            folder = run_folder(runs, family, seed)
            asked = _asked(corpus, budget)
            if not (folder / _MADE).exists():
                tell(f"{family}, seed {seed}: {budget.updates} updates")
                used = _train(family, corpus, folder, budget, seed)
                write_whole(folder / _MADE, json.dumps(asked | {"CPU-seconds": round(used, 1)}))
            seconds[family].append(_made(folder, asked))
    return seconds


def load_families(corpus: ParallelCorpus, runs: Path, seed: int) -> dict[str, AnyModel]:
    """The models of all families with one seed.

    Raises:
        MtcourseError: a run is not there, or was trained on another corpus.
    """
    for family in FAMILIES:
        folder = run_folder(runs, family, seed)
        if not (folder / _MADE).exists():
            raise MtcourseError(f"there is no finished run in {folder}: train the families first")
        _made(folder, {"corpus": corpus.name})
    return {
        family: load_model(run_folder(runs, family, seed), family, "cpu") for family in FAMILIES
    }


def _train(family: str, corpus: ParallelCorpus, folder: Path, budget: Budget, seed: int) -> float:
    """One run; returns its CPU-seconds, those of drawing or reading the corpus left out."""
    if (folder / LAST).exists():
        raise MtcourseError(
            f"{folder} holds an unfinished run: delete this folder, and begin again"
        )
    for split in ("train", "dev"):
        len(corpus.splits[split])  # the grammar draws a split when it is first asked for
    before = time.process_time()
    if family == TRANSLATOR:
        recipe = Recipe()
        sizes = replace(recipe.model, V_s=budget.pieces, V_t=budget.pieces)
        recipe = replace(recipe, model=sizes, training=budget.training(recipe.training, seed))
        state = train_translator(corpus, folder, recipe, device="cpu").state
    else:
        of_text = TextRecipe()
        of_text = replace(
            of_text,
            model=replace(of_text.model, V=budget.pieces),
            training=budget.training(of_text.training, seed),
        )
        text = text_of(corpus, [corpus.target_language])
        state = train_text_model(TEXT_FAMILIES[family], text, folder, of_text, device="cpu").state
    if state.interrupted:
        raise MtcourseError(
            f"stopped after update {state.step}: delete {folder} before you begin again; runs "
            "that are finished stay"
        )
    return time.process_time() - before


def _asked(corpus: ParallelCorpus, budget: Budget) -> dict[str, Any]:
    """What a run's folder has to say of it."""
    return {"corpus": corpus.name, "updates": budget.updates, "pieces": budget.pieces}


def _made(folder: Path, asked: dict[str, Any]) -> float:
    """The CPU-seconds of a finished run, which has to be the one that is asked for."""
    made = json.loads((folder / _MADE).read_text(encoding="utf-8"))
    for name, value in asked.items():
        if made[name] != value:
            raise MtcourseError(
                f"{folder} holds a run with {name} {made[name]!r}, not {value!r}: name another "
                "folder for these runs"
            )
    return float(made["CPU-seconds"])
