"""Measures beam search and exact search on the shipped translators (chapter 18).

make real-data && python scripts/measure_search.py [--only NAME] [--out FOLDER]

Four sets of sentences: of the grammar and of LibreOffice's help, inside the trained lengths and
longer. On each: BLEU, length ratio and empty translations of beams 1 to 64, with the exponents 0
and 1 of the length, each compared with greedy search on the same resamples of sentences; the most
probable translation by exact search, and how often each width misses it; how often the reference
is more probable than what was found. For both translators: the log-probability of the empty
sentence and of the best one by the length of the source. And seconds by the beam's width. Results
go to ``mtcourse/measured/search.json``; with ``--only`` the other parts stay as they are. About
25 minutes of one core.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from mtcourse.decoding.exact_search import Proof, prove_best
from mtcourse.decoding.search import EOS, Hypothesis, Search, beam_search, greedy_search
from mtcourse.evaluation.paired import PairedBleu
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, load_measured, store_measured
from mtcourse.models.translator import LIBREOFFICE_HELP, Translator
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.corpora import builtin_corpus, libreoffice_corpus
from mtcourse.text.pairs import SentencePair

WIDTHS, EXPONENTS = (1, 2, 4, 8, 16, 32, 64), (0.0, 1.0)
TRAINED = 12
"""Words of the longest sentence of LibreOffice's help that its translator was trained on."""
LONGEST = 45
MOST = 4000
"""Prefixes after which exact search gives up."""
BINS = {
    "grammar": ((1, 5), (6, 8), (9, 12), (13, 16), (17, 25)),
    "help": ((1, 6), (7, 12), (13, 20), (21, 30), (31, 45)),
}
OF_EACH_BIN = 80
TIMED, ROUNDS = 48, 3


def evenly(pairs: Sequence[SentencePair], count: int) -> list[SentencePair]:
    """So many of the pairs, at equal distances."""
    count = min(count, len(pairs))
    return [pairs[i * len(pairs) // count] for i in range(count)]


def length_of(pair: SentencePair) -> int:
    """Words of the source."""
    return len(pair.source.split())


def help_pairs() -> list[SentencePair]:
    """The test sentences of LibreOffice's help, of any length."""
    return list(libreoffice_corpus(max_words=LONGEST).splits["test"])


def unseen_help_pairs() -> list[SentencePair]:
    """All that the translator has not seen: held-out sentences, and those that were too long."""
    splits = libreoffice_corpus(max_words=LONGEST).splits
    too_long = (pair for pair in splits["train"] if length_of(pair) > TRAINED)
    return [*splits["test"], *splits["dev"], *too_long]


def is_short(pair: SentencePair) -> bool:
    """Whether both sides are as short as what the translator was trained on."""
    return max(length_of(pair), len(pair.target.split())) <= TRAINED


def grammar() -> Translator:
    """The shipped translator of the grammar."""
    return Translator.load(device="cpu")


def help_translator() -> Translator:
    """The shipped translator of LibreOffice's help."""
    return Translator.load(LIBREOFFICE_HELP, device="cpu")


SETS: dict[str, tuple[Callable[[], Translator], Callable[[], list[SentencePair]]]] = {
    "grammar, trained lengths": (
        grammar,
        lambda: list(builtin_corpus().splits["test"][:300]),
    ),
    "grammar, longer": (grammar, lambda: list(builtin_corpus().splits["length"][:250])),
    "help, trained lengths": (
        help_translator,
        lambda: evenly([pair for pair in help_pairs() if is_short(pair)], 300),
    ),
    "help, longer": (
        help_translator,
        lambda: evenly([pair for pair in help_pairs() if length_of(pair) > TRAINED], 120),
    ),
}


def translated(translator: Translator, sources: Sequence[str], search: Search) -> list[Hypothesis]:
    """What a search finds first for each sentence."""
    encoded = translator._encode(sources)
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
    found: dict[int, Hypothesis] = {}
    for begin in range(0, len(order), 32):
        chosen = order[begin : begin + 32]
        results = translator._search([encoded[i] for i in chosen], search)
        found |= {i: best for i, (best, *_) in zip(chosen, results, strict=True)}
    return [found[i] for i in range(len(encoded))]


def proofs(translator: Translator, sources: Sequence[str]) -> list[Proof]:
    """The most probable translation of each sentence."""
    found: list[Proof] = []

    def prove(step: Any, state: Any, longest: torch.Tensor) -> list[list[Hypothesis]]:
        ((first,),) = beam_search(step, state, longest, 8, length_penalty=0.0)
        known = first if first.finished else None
        found.append(prove_best(step, state, int(longest[0]), known, MOST))
        return [[first]]

    for ids in translator._encode(sources):
        translator._search([ids], prove)
    return found


@torch.no_grad()
def log_probability(translator: Translator, source: str, target: Sequence[int]) -> float:
    """log p of one translation, <eos> included."""
    labels = pad([target])
    log_probs = translator.model(pad(translator._encode([source])), shift_right(labels))
    return float(log_probs.log_softmax(-1)[0].gather(-1, labels[0][:, None]).double().sum())


def measure_set(name: str) -> dict[str, Any]:
    """All widths, with and without normalisation, and the exact search, on one set."""
    load, choose = SETS[name]
    translator, pairs = load(), choose()
    sources = [pair.source for pair in pairs]
    references = [(pair.target, *pair.references) for pair in pairs]
    best = proofs(translator, sources)
    proven = [i for i, proof in enumerate(best) if proof.proven]
    forced = [
        log_probability(translator, pair.source, _ids_of(translator, pair.target)) for pair in pairs
    ]
    greedy = translated(translator, sources, greedy_search)
    paired = PairedBleu(_texts(translator, greedy), references)

    def summary(found: Sequence[Hypothesis]) -> dict[str, Any]:
        texts = _texts(translator, found)
        change = paired.change_to(texts)
        missed = [_is_below(found[i], best[i].hypothesis) for i in proven]
        return {
            "bleu": round(score(texts, references).bleu, 2),
            "change": [round(one, 2) for one in (change.value, *change.interval)],
            "ratio": round(_words(texts) / _words([pair.target for pair in pairs]), 4),
            "empty": sum(not text for text in texts),
            "search errors": sum(missed),
            "reference is better": sum(
                ours.log_probability < of_reference - 1e-3
                for ours, of_reference in zip(found, forced, strict=True)
            ),
        }

    widths: dict[str, Any] = {}
    for exponent in EXPONENTS:
        for width in WIDTHS:
            search = partial(beam_search, beams=width, length_penalty=exponent)
            widths[f"{width}, {exponent:.0f}"] = summary(translated(translator, sources, search))
            print(name, width, exponent, widths[f"{width}, {exponent:.0f}"], flush=True)
    return {
        "sentences": len(pairs),
        "words of a source": statistics.mean(map(length_of, pairs)),
        "widths": widths,
        "exact": summary([proof.hypothesis for proof in best]),
        "proven": len(proven),
        "expanded": sorted(proof.expanded for proof in best),
    }


def _ids_of(translator: Translator, target: str) -> list[int]:
    return [*translator.tokenizers.target.encode(target), EOS]


def _texts(translator: Translator, found: Sequence[Hypothesis]) -> list[str]:
    return [translator.tokenizers.target.decode(one.ids) for one in found]


def _words(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)


def _is_below(found: Hypothesis, best: Hypothesis) -> bool:
    """Whether a search missed the best: rounding makes no search error."""
    return found.ids != best.ids and found.log_probability < best.log_probability - 1e-3


def measure_empty(name: str) -> dict[str, Any]:
    """log p of the empty sentence and of the best that is not empty, by the source's length."""
    load = grammar if name == "grammar" else help_translator
    translator = load()
    if name == "grammar":
        splits = builtin_corpus().splits
        pairs = [*splits["test"], *splits["length"]]
    else:
        pairs = unseen_help_pairs()
    found = []
    for low, high in BINS[name]:
        chosen = evenly([pair for pair in pairs if low <= length_of(pair) <= high], OF_EACH_BIN)
        sources = [pair.source for pair in chosen]
        search = partial(beam_search, beams=8, length_penalty=0.0, n_best=2)
        of_bin = []
        for source in sources:
            (two,) = translator._search(translator._encode([source]), search)
            best = next(one for one in two if len(one.ids) > 1)
            empty = log_probability(translator, source, [EOS])
            of_bin.append([round(empty, 2), round(best.log_probability, 2)])
        found.append({"words": [low, high], "empty and best": of_bin})
        print(name, low, high, len(of_bin), flush=True)
    return {"bins": found}


def measure_seconds() -> dict[str, Any]:
    """Seconds for the same sentences by the width of the beam, and tokens that were scored."""
    translator = grammar()
    sources = [pair.source for pair in builtin_corpus().splits["test"][:TIMED]]
    seconds: dict[int, list[float]] = {width: [] for width in WIDTHS}
    for _ in range(ROUNDS):
        for width in WIDTHS:
            search = partial(beam_search, beams=width, length_penalty=0.0)
            began = time.process_time()
            for source in sources:
                translator.translate([source], search)
            seconds[width].append(time.process_time() - began)
    return {
        "sentences": TIMED,
        "seconds": {str(width): round(statistics.median(of), 3) for width, of in seconds.items()},
    }


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    **{name: partial(measure_set, name) for name in SETS},
    "empty, grammar": partial(measure_empty, "grammar"),
    "empty, help": partial(measure_empty, "help"),
    "cost": measure_seconds,
}


def main(
    only: Annotated[str, typer.Option(help=f"One part: {', '.join(PARTS)}.")] = "",
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Measures all parts, or one of them, and writes what was found."""
    torch.set_num_threads(1)
    for name in [only] if only else PARTS:
        found = PARTS[name]()
        stored = load_measured("search", out) if (out / "search.json").exists() else {}
        stored.pop("made", None)
        store_measured("search", "scripts/measure_search.py", {**stored, name: found}, out)


if __name__ == "__main__":
    typer.run(main)
