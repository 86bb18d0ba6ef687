"""Trains translators of equal size as encoder-decoders and as decoders alone (chapter 17).

python scripts/measure_seq2seq.py [--starts N] [--steps N] [--out FOLDER]
make real-data && python scripts/measure_seq2seq.py --real --starts 5 --steps 700

Five kinds: an encoder-decoder, and decoder-only models that read the source causally or from both
sides, each with and without a loss on the source. All have as many parameters within one in a
hundred, see the same sentence pairs, and make the same number of updates. Each start has other
weights and other batches. Each model then translates the held-out sentences greedily: 300 of the
grammar, or those of LibreOffice's help with at most 12 words. Every decoder is compared with the
encoder-decoder of its start on the same resamples of sentences. Results go to
``mtcourse/measured/seq2seq.json`` and ``seq2seq_real.json``. About 20 minutes of one core for each.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from mtcourse.chapters.seq2seq.families import (
    ENCODER_DECODER,
    KINDS,
    Task,
    grammar_task,
    real_task,
    trained,
)
from mtcourse.evaluation.paired import PairedBleu
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, run_starts, store_measured
from mtcourse.text.corpora import libreoffice_corpus

LONGEST = 12


@functools.cache
def task_of(real: bool) -> Task:
    """The pairs."""
    return real_task(libreoffice_corpus(max_words=LONGEST)) if real else grammar_task()


def measure(seed: int, steps: int, real: bool) -> dict[str, Any]:
    """BLEU of each kind from one start, and its difference from the encoder-decoder."""
    task = task_of(real)
    references = [(pair.target, *pair.references) for pair in task.test]
    sources = [pair.source for pair in task.test]
    found = {kind: trained(kind, task, seed, steps).translate(sources) for kind in KINDS}
    paired = PairedBleu(found[ENCODER_DECODER], references)
    changes = {kind: paired.change_to(of) for kind, of in found.items() if kind != ENCODER_DECODER}
    return {
        "bleu": {kind: round(score(of, references).bleu, 2) for kind, of in found.items()},
        "changes": {
            kind: [round(one, 2) for one in (change.value, *change.interval)]
            for kind, change in changes.items()
        },
    }


def main(
    starts: Annotated[int, typer.Option(help="Random starts of each kind.")] = 10,
    steps: Annotated[int, typer.Option(help="Updates of a run.")] = 500,
    real: Annotated[bool, typer.Option("--real", help="LibreOffice's help.")] = False,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Trains all kinds from all starts, and writes their scores."""
    runs = run_starts(functools.partial(measure, steps=steps, real=real), starts)
    task = task_of(real)
    results = {
        "steps": steps,
        "pairs": len(task.train),
        "test pairs": len(task.test),
        "parameters": {
            "encoder-decoder": sum(p.numel() for p in task.sizes.encoder_decoder(0).parameters()),
            "decoder": sum(p.numel() for p in task.sizes.decoder(0).parameters()),
        },
        "bleu": {kind: [run["bleu"][kind] for run in runs] for kind in KINDS},
        "changes": {kind: [run["changes"][kind] for run in runs] for kind in KINDS if KINDS[kind]},
    }
    name = "seq2seq_real" if real else "seq2seq"
    store_measured(name, "scripts/measure_seq2seq.py", results, out)


if __name__ == "__main__":
    typer.run(main)
