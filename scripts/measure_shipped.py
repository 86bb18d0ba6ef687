"""Measures what the page of reproduced claims says of the shipped translators.

make real-data && python scripts/measure_shipped.py [--out FOLDER]

The translator of the grammar: its parameters by kind; BLEU on the test sentences of chapter 9 when
one head is removed, and when a layer keeps only one head, with paired bootstrap intervals. The
translator of LibreOffice's help: BLEU of the same translations under usual ways to cut words, with
an interval of the largest difference. Results go to ``mtcourse/measured/shipped.json``. About
three minutes of one core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sacrebleu.metrics.bleu import BLEU

from mtcourse.evaluation.paired import Change, PairedBleu
from mtcourse.evaluation.starts import MEASURED, store_measured
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.pruned_heads import Head, attention_layers, heads_of, without_heads
from mtcourse.models.translator import LIBREOFFICE_HELP, Translator
from mtcourse.text.corpora import builtin_corpus, libreoffice_corpus
from mtcourse.text.pairs import SentencePair, words

LEVEL, RESAMPLES, TESTED, LONGEST = 0.99, 20_000, 1000, 12
"""The level is that of Michel et al. (2019): p < 0.01 for each head."""


def main(
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Measures both translators and writes what was found."""
    translator = Translator.load(device="cpu")
    test = builtin_corpus().splits["test"][:TESTED]
    real = libreoffice_corpus(max_words=LONGEST).splits["test"]
    results = {
        "sentences": {"grammar": len(test), "LibreOffice's help": len(real)},
        "parameters": parameters(translator.model),
        **heads(translator, test),
        "tokenisation": tokenisation(Translator.load(LIBREOFFICE_HELP, device="cpu"), real),
    }
    store_measured("shipped", "scripts/measure_shipped.py", results, out)


def parameters(model: EncoderDecoder) -> dict[str, int]:
    """How many parameters there are, in all, in networks, in tables, and with separate tables."""
    counts = {name: weight.numel() for name, weight in model.named_parameters()}
    separate = EncoderDecoder(replace(model.config, shared_embeddings=False))
    return {
        "all": sum(counts.values()),
        "networks": sum(n for name, n in counts.items() if "feed_forward.W" in name),
        "table": model.output_weight.numel(),
        "separate tables": sum(weight.numel() for weight in separate.parameters()),
    }


def heads(translator: Translator, test: Sequence[SentencePair]) -> dict[str, Any]:
    """BLEU lost without each head; and with one head left, in self- and in cross-attention."""
    sources = [pair.source for pair in test]
    references = [(pair.target, *pair.references) for pair in test]
    whole = translator.translate(sources)
    paired = PairedBleu(whole, references, LEVEL, RESAMPLES)

    def without(gone: Sequence[Head]) -> list[str]:
        with without_heads(translator.model, gone):
            return translator.translate(sources)

    lost = {head: paired.change_to(without([head])) for head in heads_of(translator.model)}
    alone: dict[tuple[str, int], list[str]] = {}
    for kind, layer in attention_layers(translator.model):
        of_layer = [head for head in lost if (head.kind, head.layer) == (kind, layer)]
        kept = min(of_layer, key=lambda head: lost[head].value)
        alone[kind, layer] = without([head for head in of_layer if head != kept])
    changes = {layer: paired.change_to(found) for layer, found in alone.items()}
    worst = {
        cross: min(
            (layer for layer in changes if (layer[0] == "cross") == cross),
            key=lambda layer: changes[layer].value,
        )
        for cross in (True, False)
    }
    between = PairedBleu(alone[worst[True]], references).change_to(alone[worst[False]])
    return {
        "without a head": {str(head): _numbers(change) for head, change in lost.items()},
        "one head left": {
            f"{kind} {layer + 1}": _numbers(change) for (kind, layer), change in changes.items()
        },
        "cross-attention loses more": _numbers(between),
    }


def tokenisation(translator: Translator, test: Sequence[SentencePair]) -> dict[str, Any]:
    """BLEU by the way in which words are cut, and the largest difference with its interval."""
    found = translator.translate([pair.source for pair in test])
    references = [pair.target for pair in test]
    counted = {
        name: np.array(
            metric._extract_corpus_statistics(list(map(cut, found)), [list(map(cut, references))])
        )
        for name, (metric, cut) in {
            "13a": (BLEU(), str),
            "international": (BLEU(tokenize="intl"), str),
            "words split before": (BLEU(tokenize="none", force=True), _in_words),
            "spaces only": (BLEU(tokenize="none", force=True), str),
        }.items()
    }
    n = len(test)
    draws = np.random.default_rng(1).multinomial(n, [1 / n] * n, 1000)
    spreads = [_spread([_bleu(draw @ of) for of in counted.values()]) for draw in draws]
    scores = {name: round(_bleu(of.sum(0)), 2) for name, of in counted.items()}
    low, high = np.quantile(spreads, [0.025, 0.975])
    return {
        "bleu": scores,
        "largest difference": [
            round(float(one), 2) for one in (_spread(list(scores.values())), low, high)
        ],
    }


def _in_words(text: str) -> str:
    return " ".join(words(text))


def _spread(scores: Sequence[float]) -> float:
    return max(scores) - min(scores)


def _bleu(counted: Any) -> float:
    return float(BLEU()._compute_score_from_stats([int(x) for x in counted]).score)


def _numbers(change: Change) -> list[float]:
    """The change and its interval."""
    return [round(one, 2) for one in (change.value, *change.interval)]


if __name__ == "__main__":
    typer.run(main)
