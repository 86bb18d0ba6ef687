"""Trains tiny encoders of Dutch words with other masks, and judges them (chapter 15).

python scripts/measure_masking.py [--study NAME] [--starts N] [--processes N] [--out FOLDER]

Four studies. "strategies": what stands in the place of a chosen token, as in Table 8 of Devlin et
al. (2019), judged by blanks, by linear heads on frozen features, and fine-tuned. "longer": four of
them with four times as many updates. "rates": how many tokens are chosen. "mistakes": a shift, a
causal mask, a loss on every position, the same masks in every epoch. Each start trains each kind
once. Results go to ``masking_strategies``, ``masking_longer``, ``masking_rates`` and
``masking_mistakes`` in ``mtcourse/measured/``. About 25 minutes of one core.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from mtcourse.chapters.encoder_models.judged import blanks, judge
from mtcourse.chapters.encoder_models.tiny import (
    LONGER,
    MISTAKES,
    RATES,
    STRATEGIES,
    Setup,
    task,
    train_tiny,
    untrained,
)
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured

Measured = dict[str, dict[str, float]]
LAST = 20


def main(
    study: Annotated[str, typer.Option(help="The one study to run; all by default.")] = "",
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    processes: Annotated[int, typer.Option(help="Starts that run at a time.")] = 1,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Runs the studies."""
    for name in [study] if study else list(STUDIES):
        runs = run_starts(STUDIES[name], starts, processes)
        kinds = {
            kind: {figure: [run[kind][figure] for run in runs] for figure in figures}
            for kind, figures in runs[0].items()
        }
        script = "scripts/measure_masking.py"
        store_measured(f"masking_{name}", script, {"kinds": kinds}, out)


def strategies(seed: int) -> Measured:
    """All strategies of one start, and a model that was not trained."""
    nothing = {"not trained": judge(untrained(seed), task(), seed)}
    return {name: judged(setup, seed) for name, setup in STRATEGIES.items()} | nothing


def rates(seed: int) -> Measured:
    """All masking rates of one start but 15%, which "strategies" has."""
    return {name: judged(setup, seed) for name, setup in RATES.items()}


def longer(seed: int) -> Measured:
    """The four strategies with <mask>, trained four times as long."""
    return {name: judged(setup, seed) for name, setup in LONGER.items()}


def mistakes(seed: int) -> Measured:
    """All mistakes of one start, with the loss that training showed."""
    found: Measured = {}
    for name, setup in MISTAKES.items():
        model, losses = train_tiny(setup, seed)
        found[name] = {"loss": last(losses)} | blanks(model, task())
    return found


def judged(setup: Setup, seed: int) -> dict[str, float]:
    """One trained kind: its last training loss, and all that is measured of it."""
    model, losses = train_tiny(setup, seed)
    return {"loss": last(losses)} | judge(model, task(), seed)


def last(losses: list[float]) -> float:
    """The mean training loss of the last updates, in nats per label."""
    return round(sum(losses[-LAST:]) / LAST, 3)


STUDIES: dict[str, Callable[[int], Measured]] = {
    "strategies": strategies,
    "mistakes": mistakes,
    "rates": rates,
    "longer": longer,
}


if __name__ == "__main__":
    typer.run(main)
