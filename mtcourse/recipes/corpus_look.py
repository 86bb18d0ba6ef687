"""A look at a corpus before a translator is trained on it (chapter 20)."""

from __future__ import annotations

import random

from mtcourse.recipes.error_analysis import scores_of, translated
from mtcourse.recipes.memory import TranslationMemory
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.pairs import words


def look_at(corpus: ParallelCorpus, shown: int = 30) -> str:
    """What to know of a corpus before training: what was left out, pairs to read, a baseline.

    The baseline is what a translation memory scores on the dev set: whatever is trained has to beat
    it. The test set is not looked at.

    Args:
        corpus: with the splits "train" and "dev".
        shown: pairs of the training split, drawn at random, the same ones each time.
    """
    train, dev = corpus.splits["train"], corpus.splits["dev"]
    name = f"{corpus.name} {corpus.version}".strip()
    parts = [
        f"{name}, {corpus.source_language} to {corpus.target_language}, licence: {corpus.licence}",
        ", ".join(f"{split} {len(pairs):,}" for split, pairs in corpus.splits.items()),
        str(corpus.report),
    ]
    if train:
        lengths = sorted(len(words(pair.source)) for pair in train)
        parts.append(
            f"words of a source sentence: half have at most {lengths[len(lengths) // 2]}, "
            f"the longest has {lengths[-1]}"
        )
        drawn = random.Random(1).sample(train, min(shown, len(train)))
        parts += ["", f"{len(drawn)} training pairs, drawn at random:"]
        parts += [f"  {pair.source}\n    {pair.target}" for pair in drawn]
    if train and dev:
        remembered = TranslationMemory(train).translate([pair.source for pair in dev])
        scores = scores_of(translated(dev, remembered))
        parts += ["", "A translation memory, which cannot translate, on the dev set:", str(scores)]
    return "\n".join(parts)
