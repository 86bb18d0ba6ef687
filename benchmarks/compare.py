"""Measures this package beside others: ``python -m benchmarks.compare train`` and ``decode``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import torch
import typer

from benchmarks.contestants import DECODING, TRAINING, Decode
from benchmarks.limit import counted, share_of_products
from benchmarks.measure import Timing, interleaved, machine
from benchmarks.memory import peak_of
from benchmarks.work import SIZES, TOKENS_DECODED, sources_to_decode, training_batches
from mtcourse.text.tokenizer import PAD

RESULTS = Path(__file__).parent / "results"
ROUNDS = {"training": 7, "greedy": 7, "beam 5": 5}
SENTENCES_ONE_BY_ONE = 4
SAME_WEIGHTS = ("mtcourse, plain products", "transformers", "ctranslate2")

# One run of these takes longer than all rounds of the others: without a cache the whole prefix of
# every beam is computed again at each step.
TOO_SLOW = {("beam 5, batch 64", "joeynmt")}

# At least so many times this package's CPU seconds; for CTranslate2 the same, below 1.
TO_REACH = {
    ("training", "transformers"): 1.2,
    ("training", "torch.nn.Transformer"): 1.5,
    ("training", "joeynmt"): 1.8,
    ("greedy, batch 64", "transformers"): 1.25,
    ("greedy, batch 1", "transformers"): 1.6,
    ("beam 5, batch 64", "transformers"): 1.65,
    ("beam 5, batch 64", "ctranslate2"): 0.9,
    ("peak memory", "transformers"): 1.25,
}

Built = TypeVar("Built")
application = typer.Typer(add_completion=False, help=__doc__)


@application.command()
def train() -> None:
    """Training steps on the same batches, and the peak memory of each contestant."""
    torch.set_num_threads(1)
    warm_up, *batches = training_batches(ROUNDS["training"] + 1)
    steps = _entered(TRAINING)
    for name, step in steps.items():
        print(f"{name}: loss {step(1, warm_up):.3f} at the first step")
    timings = interleaved(
        {
            name: lambda number, step=step: step(number + 2, batches[number])
            for name, step in steps.items()
        },
        len(batches),
    )
    tokens = sum(batch.target_tokens for batch in batches) // len(batches)
    peaks = {name: peak_of(name) for name in steps}
    products = counted(lambda: steps["mtcourse"](len(batches) + 2, batches[0]))
    share = share_of_products(products, timings[0].seconds)
    update = f"One update on about {tokens} target tokens, forward, backward, clipping and Adam."
    _write(
        "train",
        f"{update} {share}",
        [_timings("training", timings), _peaks(peaks)],
    )


@application.command()
def decode() -> None:
    """Greedy and beam search of 25 tokens, 64 sentences together and one by one."""
    torch.set_num_threads(1)
    decoders = _entered(DECODING)
    tables = []
    for way, beams in (("greedy", 1), ("beam 5", 5)):
        for size, sources in (
            (64, [sources_to_decode(64)]),
            (1, [row[row != PAD][None] for row in sources_to_decode(SENTENCES_ONE_BY_ONE)]),
        ):
            work = f"{way}, batch {size}"
            _print_agreement(decoders, sources, beams)
            runs = {
                name: lambda _, decode=decode, sources=sources, beams=beams: [
                    decode(source, beams) for source in sources
                ]
                for name, decode in decoders.items()
                if (work, name) not in TOO_SLOW
            }
            tables.append(_timings(work, interleaved(runs, ROUNDS[way])))
    _write(
        "decode",
        f"{TOKENS_DECODED} tokens a sentence, for 64 sentences together or for "
        f"{SENTENCES_ONE_BY_ONE} one by one.",
        tables,
    )


def _entered(contestants: dict[str, Callable[..., Built]]) -> dict[str, Built]:
    """Those contestants whose packages are installed."""
    entered = {}
    for name, build in contestants.items():
        try:
            entered[name] = build(SIZES)
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return entered


def _print_agreement(
    decoders: dict[str, Decode], sources: Sequence[torch.Tensor], beams: int
) -> None:
    """How many sentences the contestants with the same weights translate as this package does."""
    ours, *others = (
        (name, [ids for source in sources for ids in decoders[name](source, beams)])
        for name in ("mtcourse", *SAME_WEIGHTS)
        if name in decoders
    )
    for name, theirs in others:
        same = sum(a == b for a, b in zip(ours[1], theirs, strict=True))
        print(f"{name}: {same} of {len(theirs)} outputs are this package's")


def _timings(work: str, timings: Sequence[Timing]) -> dict:
    """A table of CPU seconds."""
    rows = [asdict(timing) | {"to_reach": TO_REACH.get((work, timing.name))} for timing in timings]
    return {"work": work, "unit": "CPU s", "rows": rows}


def _peaks(peaks: dict[str, float]) -> dict:
    """A table of peak memory."""
    ours = peaks["mtcourse"]
    rows = [
        {"name": name, "mebibytes": peak, "ratio": peak / ours}
        | {"to_reach": TO_REACH.get(("peak memory", name))}
        for name, peak in peaks.items()
    ]
    return {"work": "peak memory", "unit": "MiB", "rows": rows}


def _markdown(table: dict) -> str:
    """A table as it stands in the results."""
    lines = [
        f"## {table['work'].capitalize()}",
        "",
        f"| | {table['unit']} | times mtcourse's | range | to reach |",
        "|---|---:|---:|---|---:|",
    ]
    for row in table["rows"]:
        amount = f"{row['seconds']:.3f}" if "seconds" in row else f"{row['mebibytes']:.0f}"
        spread = f"{row['lowest']:.2f} to {row['highest']:.2f}" if "lowest" in row else ""
        target = row["to_reach"] or ""
        lines.append(f"| {row['name']} | {amount} | {row['ratio']:.2f} | {spread} | {target} |")
    return "\n".join(lines)


def _write(name: str, what: str, tables: Sequence[dict]) -> None:
    """Prints the tables and keeps them, for people and for programs."""
    on = machine()
    text = "\n\n".join(
        [
            f"# {name.capitalize()}",
            what,
            "; ".join(f"{key} {value}" for key, value in on.items()) + ".",
            *map(_markdown, tables),
        ]
    )
    print(f"\n{text}")
    RESULTS.mkdir(exist_ok=True)
    _replace(RESULTS / f"{name}.md", text + "\n")
    _replace(RESULTS / f"{name}.json", json.dumps({"machine": on, "tables": tables}, indent=1))


def _replace(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    temporary = path.with_suffix(path.suffix + ".new")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


if __name__ == "__main__":
    application()
