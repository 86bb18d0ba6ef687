"""Measures on LibreOffice's help, English and Dutch, what chapter 1 shows of real text.

make real-data && python scripts/measure_real_text.py
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from mtcourse.chapters.problem_setup.measures import (
    REAL_TEXT,
    TranslationMemory,
    length_correlation,
    pieces_by_count,
    pieces_per_word,
    unknown_share,
    word_counts,
    word_overlap,
)
from mtcourse.evaluation.scores import score
from mtcourse.text.batches import batches_in_order, bucketed_batches, encode_pairs, padding_share
from mtcourse.text.corpora import ParallelCorpus, libreoffice_corpus
from mtcourse.text.libreoffice import extract, help_folder
from mtcourse.text.pairs import SentencePair, words
from mtcourse.text.tokenizer import Tokenizer, TokenizerPair

HELD_OUT = 1000
SHOWN_LENGTHS = 1500
VOCABULARIES = (500, 1000, 2000, 4000, 8000)
LISTS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)
BATCH_TOKENS = 2048


def lengths(pairs: Sequence[SentencePair]) -> dict[str, Any]:
    """Both sides' lengths in words, and how they go together."""
    both = [(len(words(pair.source)), len(words(pair.target))) for pair in pairs]
    sources = [n for n, _ in both]
    return {
        "counts": sorted(Counter(sources).items()),
        "mean": sum(sources) / len(sources),
        "longest": max(sources),
        "correlation": length_correlation(pairs),
        "pairs": both[:SHOWN_LENGTHS],
    }


def vocabulary(corpus: ParallelCorpus) -> dict[str, Any]:
    """Counts of words, unknown words, and what becomes of words in pieces."""
    train, test = ([pair.source for pair in corpus.splits[name]] for name in ("train", "test"))
    known, asked = word_counts(train), word_counts(test)
    sizes = [size for size in LISTS if size < len(known)] + [len(known)]
    tokenizers = {size: Tokenizer.train(train, size) for size in VOCABULARIES}
    middle = tokenizers[2000]
    return {
        # How many words occur once, twice, ...: all that a plot of Zipf's law needs.
        "times": sorted(Counter(known.values()).items()),
        "unknown": [(size, 100 * unknown_share(known, size, asked)) for size in sizes],
        "growth": [(size, pieces_per_word(of, test)) for size, of in tokenizers.items()],
        "apart": pieces_by_count(middle, known, asked),
        "rare": [
            (word, middle.pieces(middle.encode(word)))
            for word in sorted(word for word in asked if word.isalpha() and known[word] == 0)[::25]
        ],
    }


def splits(corpus: ParallelCorpus, root: str | None = None) -> dict[str, Any]:
    """What a memory scores on three splits of the same collection, and what it nearly knew."""
    collected = [
        pair
        for pair in extract(help_folder(("en", "nl"), root), "en", "nl")
        if pair.source and pair.target and pair.source != pair.target
    ]
    distinct = list({(pair.source, pair.target): pair for pair in collected}.values())
    ways = {
        "as collected": _shuffled(collected),
        "without duplicates": _shuffled(distinct),
        "by page, no near duplicates": (corpus.splits["train"], corpus.splits["test"][:HELD_OUT]),
    }
    scored, answered = {}, {}
    for name, (known, asked) in ways.items():
        memory = TranslationMemory(known)
        answered[name] = [(pair, memory.translate(pair.source)) for pair in asked]
        result = score(
            [answer for _, answer in answered[name]],
            [(pair.target, *pair.references) for pair in asked],
        )
        scored[name] = [result.bleu, *result.bleu_interval, result.exact]
    return {"scores": scored, "nearly": _nearly_known(answered["without duplicates"])}


def _shuffled(pairs: Sequence[SentencePair]) -> tuple[list[SentencePair], list[SentencePair]]:
    """Some pairs to learn and some to ask, drawn one by one."""
    shuffled = random.Random(1).sample(pairs, len(pairs))
    return shuffled[HELD_OUT:], shuffled[:HELD_OUT]


def _nearly_known(answered: Sequence[tuple[SentencePair, str]]) -> float:
    """The share of answers that are wrong, and have most words in common with the right one."""
    close = [
        answer != pair.target and word_overlap(answer, pair.target) > 0.5
        for pair, answer in answered
    ]
    return sum(close) / len(close)


def padding(corpus: ParallelCorpus) -> dict[str, list[float]]:
    """Batches and their share of padding, filled in three ways."""
    sample = random.Random(1).sample(corpus.splits["train"], 10_000)
    examples, _ = encode_pairs(sample, TokenizerPair.train(sample, 2000), max_length=128)
    shuffled = random.Random(1).sample(examples, len(examples))
    by_source = sorted(shuffled, key=lambda example: example.source_length)
    ways = {
        "as they come": batches_in_order(shuffled, BATCH_TOKENS),
        "sorted by source": batches_in_order(by_source, BATCH_TOKENS),
        "buckets": bucketed_batches(examples, BATCH_TOKENS, seed=1, epoch=0),
    }
    return {name: [len(batches), padding_share(batches)] for name, batches in ways.items()}


def measured(root: str | None = None) -> dict[str, Any]:
    """All of it, as JSON can hold it."""
    corpus = libreoffice_corpus(root=root)
    return {
        "name": corpus.name,
        "version": corpus.version,
        "licence": corpus.licence,
        "kept": corpus.report.kept,
        "dropped": dict(corpus.report.dropped),
        "lengths": lengths(corpus.splits["train"][:8000]),
        **vocabulary(corpus),
        "splits": splits(corpus, root),
        "padding": padding(corpus),
    }


def main() -> None:
    """Writes the file; the same pages give the same numbers."""
    values = json.loads(json.dumps(measured()), parse_float=lambda text: round(float(text), 5))
    lines = [
        f" {json.dumps(name)}: {json.dumps(of, ensure_ascii=False)}" for name, of in values.items()
    ]
    REAL_TEXT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(REAL_TEXT)


if __name__ == "__main__":
    main()
