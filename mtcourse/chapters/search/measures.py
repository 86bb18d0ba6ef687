"""What the scripts of chapter 18 that train translators have in common."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mtcourse.decoding.search import BOS, EOS, Hypothesis, Search, beam_search
from mtcourse.evaluation.scores import score
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import smoothed_loss
from mtcourse.text.batches import Batch
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair, words
from mtcourse.training.loop import TrainingConfig, train

SEARCHES = ((1, 0.0), (4, 0.0), (16, 0.0), (64, 0.0), (64, 1.0))
"""Beams, and the exponent of the length."""
TESTED, TESTED_REAL = 200, 150
"""Sentences of each set, where there are as many: of the grammar, and of LibreOffice's help."""
SHORTEST_REAL, LONGEST_REAL = 4, 12
"""Words of a sentence of the help."""


def grammar_sets(
    held_out: Sequence[SentencePair], short: Sequence[SentencePair]
) -> dict[str, list[SentencePair]]:
    """The grammar's sentences to translate: with the words that were trained on.

    Args:
        held_out: of the trained lengths.
        short: the grammar's sentences of at most nine words.
    """
    return {
        "trained lengths": list(held_out[:TESTED]),
        "longer": longer_pairs(short)[:TESTED],
    }


def help_sentences(held_out: Sequence[SentencePair]) -> list[SentencePair]:
    """The sentences of the help to translate: the shortest are left out.

    Args:
        held_out: of at most ``LONGEST_REAL`` words.
    """
    return [p for p in held_out if len(p.source.split()) >= SHORTEST_REAL][:TESTED_REAL]


def longer_pairs(short: Sequence[SentencePair]) -> list[SentencePair]:
    """The grammar's sentences of more than nine words, all of which occur in the short ones.

    Args:
        short: the grammar's sentences of at most nine words.
    """
    known = {word for pair in short for word in _words(pair)}
    drawn = builtin_corpus(train=100_000).splits["train"]
    return [p for p in drawn if len(_words(p)) > 9 and known >= set(_words(p))]


def _words(pair: SentencePair) -> list[str]:
    return pair.source.rstrip(".?!").lower().split()


def trained(
    model: EncoderDecoder,
    batches: Callable[[int], Sequence[Batch]],
    smoothing: float,
    rate: float,
    steps: int,
    seed: int,
) -> EncoderDecoder:
    """The model, trained in place.

    Args:
        model: to train.
        batches: of each epoch.
        smoothing: label smoothing.
        rate: the largest learning rate.
        steps: updates.
        seed: of the run.
    """
    config = TrainingConfig(steps, rate, min(100, steps // 2), "cosine", seed=seed + 1)
    train(model, batches, functools.partial(smoothed_loss, smoothing), config)
    return model.eval()


def searched(
    translator: Translator,
    pairs: Sequence[SentencePair],
    searches: Sequence[tuple[int, float]] = SEARCHES,
) -> dict[str, Any]:
    """BLEU, length ratio and empty translations of each search, and what the empty one is worth.

    Args:
        translator: whose model is searched.
        pairs: the sentences, with their references.
        searches: beams and exponents.
    """
    encoded = translator._encode([pair.source for pair in pairs])
    found: dict[str, Any] = {}
    for beams, exponent in searches:
        search = functools.partial(beam_search, beams=beams, length_penalty=exponent)
        results = in_batches(translator, encoded, search)
        texts = [translator.tokenizers.target.decode(one.ids) for one in results]
        found[f"{beams}, {exponent:.0f}"] = judged(texts, pairs)
        if (beams, exponent) == (16, 0.0):
            best = statistics.median(one.log_probability for one in results)
            found["log p of the best"] = round(best, 3)
    empty = in_batches(translator, encoded, _end_at_once)
    of_empty = statistics.median(one.log_probability for one in empty)
    found["log p of the empty sentence"] = round(of_empty, 3)
    return found


def judged(texts: Sequence[str], pairs: Sequence[SentencePair]) -> dict[str, Any]:
    """BLEU, length ratio and how many translations are empty.

    Args:
        texts: the translations.
        pairs: the sentences, with their references.
    """
    references = [(pair.target, *pair.references) for pair in pairs]
    expected = sum(len(words(pair.target)) for pair in pairs)
    return {
        "bleu": round(score(texts, references).bleu, 2),
        "ratio": round(sum(len(words(text)) for text in texts) / expected, 4),
        "empty": sum(not text for text in texts),
    }


def _end_at_once(step: Any, state: Any, longest: torch.Tensor) -> list[list[Hypothesis]]:
    """The empty sentence, whatever the model thinks of it."""
    log_probs, _ = step(torch.full((len(longest), 1), BOS), state)
    return [[Hypothesis((EOS,), value, value)] for value in log_probs[:, 0, EOS].tolist()]


def in_batches(
    translator: Translator, encoded: Sequence[Sequence[int]], search: Search
) -> list[Hypothesis]:
    """The best that a search finds for each source.

    Args:
        translator: whose model is searched.
        encoded: the sources' ids.
        search: the strategy.
    """
    found: list[Hypothesis] = []
    for begin in range(0, len(encoded), 32):
        found += [best for best, *_ in translator._search(encoded[begin : begin + 32], search)]
    return found
