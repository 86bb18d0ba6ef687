"""Explorer: a translator's soft alignments beside the known links (chapter 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.alignment import as_read
from mtcourse.figures.attention_map import attention_map
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import word_weights
from mtcourse.page.live_translator import model_files
from mtcourse.text.pairs import SentencePair

SCRIPT = Path(__file__).with_suffix(".js")

# From the test split of the built-in corpus, with the links of its grammar.
PAIRS = (
    SentencePair(
        "Her daughter is not closing the restaurants.",
        "Haar dochter sluit de restaurants niet.",
        alignment=((0, 0), (1, 1), (2, 2), (3, 5), (4, 2), (5, 3), (6, 4), (7, 6)),
    ),
    SentencePair(
        "He explained the idea carefully.",
        "Hij legde het idee voorzichtig uit.",
        alignment=((0, 0), (1, 1), (1, 5), (2, 2), (3, 3), (4, 4), (5, 6)),
    ),
    SentencePair(
        "What does Jan want to open?",
        "Wat wil Jan openen?",
        alignment=((0, 0), (1, 1), (2, 2), (3, 1), (4, 1), (5, 3), (6, 4)),
    ),
    SentencePair(
        "The lion did not stay on the beach.",
        "De leeuw bleef niet op het strand.",
        alignment=((0, 0), (1, 1), (2, 2), (3, 3), (4, 2), (5, 4), (6, 5), (7, 6), (8, 7)),
    ),
    SentencePair(
        "They have bought soup.",
        "Zij hebben soep gekocht.",
        alignment=((0, 0), (1, 1), (2, 3), (3, 2), (4, 4)),
    ),
    SentencePair(
        "Peter says that the suitcase is green.",
        "Peter zegt dat de koffer groen is.",
        alignment=((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (6, 5), (7, 7)),
    ),
)


def cross_attention_explorer(
    translator: Translator | None = None,
    pairs: Sequence[SentencePair] = PAIRS,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """Shows which source words each target word looks at, and compares this with the known links.

    Args:
        translator: whose heads; None takes the one that comes with the package.
        pairs: sentences with their translations and links.
        settings: what is chosen at first: sentence, layer, query (positions from 0), own, a
            sentence of the reader's (``""`` for none), head (from 0, or -1 for the mean), row
            ("predicts" or "reads"), rule ("rows", "columns" or "threshold"), threshold.

    Source: A16, C37. Chapter 6.

    Raises:
        MtcourseError: there is no pair, or one has no links.
    """
    if not pairs:
        raise MtcourseError("an explorer of alignments needs at least one sentence pair")
    if unlinked := [pair.source for pair in pairs if not pair.alignment]:
        raise MtcourseError(
            f"{unlinked[0]!r} has no alignment to compare with: take pairs of the built-in corpus, "
            "or give them links"
        )
    translator = translator or Translator.load(device="cpu")
    data = {"sentences": [_sentence(translator, pair) for pair in pairs]}
    return Explorer(
        SCRIPT,
        data,
        {
            "sentence": 0,
            "own": "",
            "layer": 1,
            "head": -1,
            "query": 2,
            "row": "predicts",
            "rule": "rows",
            "threshold": 0.3,
        },
        settings or {},
        "This explorer needs JavaScript. It shows, for each Dutch word of a sentence pair, which "
        "English words the translator looks at while it writes that word, beside the links of "
        "the grammar, and computes the alignment error rate.",
        partial(model_files, translator),
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """The soft alignment of a sentence."""
    sentence, head = data["sentences"][chosen["sentence"]], chosen["head"]
    layer = torch.tensor(sentence[chosen["row"]][chosen["layer"]])
    weights = layer.mean(0) if head < 0 else layer[head]
    which = "mean of the heads" if head < 0 else f"head {head + 1}"
    return Still(
        f"“{sentence['text']}”: where each Dutch word looks, layer {chosen['layer'] + 1}, {which}.",
        ("", *sentence["source"]),
        [(word, *row) for word, row in zip(sentence["target"], weights.tolist(), strict=True)],
        lambda: attention_map(sentence["source"], sentence["target"], weights),
    )


def _sentence(translator: Translator, pair: SentencePair) -> dict[str, Any]:
    """Words, links and weights between words of a pair; the last source word is <eos>."""
    looked = translator.attention_map(pair.source, pair.target)
    maps = {
        name: word_weights(replace(looked, weights=weights), pair.source, pair.target)
        for name, weights in (("predicts", looked.weights), ("reads", as_read(looked.weights)))
    }
    shown = maps["predicts"]
    return {
        "text": pair.source,
        "translation": pair.target,
        "source": list(shown.source_words),
        "target": list(shown.target_words[:-1]),
        "known": [list(link) for link in pair.alignment],
        **{
            name: torch.round(of.weights[..., :-1, :].double(), decimals=6).tolist()
            for name, of in maps.items()
        },
    }
