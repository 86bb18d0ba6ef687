"""A beam search that grows as a tree, and exact search that proves its result (chapter 18)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mtcourse.chapters.search.trees import DROPPED, ENDED, KEPT, BeamTree, Node, beam_tree
from mtcourse.decoding.exact_search import prove_best
from mtcourse.decoding.search import beam_search
from mtcourse.errors import MtcourseError
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer, refuse_unknown, shown_pieces
from mtcourse.figures.still import Still
from mtcourse.models.decoding_state import cached_state, cached_step
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import model_files
from mtcourse.text.tokenizer import EOS

SCRIPT = Path(__file__).parent / "explorer.js"
SENTENCES = (
    "Why did the doctors arrive?",
    "The healthy butchers think that the answer was very bad.",
    "The man is crying in the cellar, but the brave mouse has walked to the smallest park.",
    "Three days ago our brave brother turned off the television and Jan has already translated "
    "the good card.",
)
DEFAULTS = {"sentence": 0, "own": "", "width": 2, "exponent": 0, "step": 4, "proof": False}
WIDTHS, EXPONENTS = (1, 2, 3, 4, 8), (0, 1)
FATES = {DROPPED: "dropped", KEPT: "kept", ENDED: "ended"}
SHOWN = 10
"""Candidates that a page lists where no script runs."""
SHORT = 60
"""Characters of a sentence in the list."""


def search_explorer(
    translator: Translator | None = None,
    sentences: Sequence[str] = SENTENCES,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """A beam search, step by step as a tree, on any sentence; and a proof of the best one.

    What is stored holds for the given sentences; others are searched in the reader's page.

    Args:
        translator: which is searched; None takes the one that comes with the package.
        sentences: source sentences that can be shown before the translator is loaded.
        settings: what is chosen at first: sentence, own, a sentence of the reader's (``""`` for
            none), width and exponent of the search, step, how much of the tree is shown, and proof,
            whether the result is proved.

    Source: C15, C17. Chapter 18.

    Raises:
        MtcourseError: there is no sentence, or a setting of another name.
    """
    if not sentences:
        raise MtcourseError("an explorer of search needs at least one sentence")
    refuse_unknown("search", DEFAULTS, settings or {})
    translator = translator or Translator.load(device="cpu")
    data = {
        "widths": list(WIDTHS),
        "exponents": list(EXPONENTS),
        "sentences": [_sentence(translator, text) for text in sentences],
    }
    return Explorer(
        SCRIPT,
        data,
        DEFAULTS,
        settings or {},
        "This explorer needs JavaScript. It draws a beam search as a tree that grows step by step, "
        "on any sentence, and proves by exact search whether the result is the most probable one.",
        partial(model_files, translator),
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """The candidates of a step, best first."""
    sentence = data["sentences"][chosen["sentence"]]
    steps = sentence["trees"][str(chosen["width"])]["steps"][: chosen["step"]]

    def prefix(step: int, rank: int) -> list[str]:
        if step < 0 or rank < 0:
            return []
        return [*prefix(step - 1, steps[step][rank][1]), steps[step][rank][0]]

    last = len(steps) - 1
    rows = [
        (
            " ".join(prefix(last, rank)),
            f"{log_p:.2f}".replace("-", "−"),
            math.exp(log_p),
            FATES[fate],
        )
        for rank, (_, _, log_p, fate) in enumerate(steps[last][:SHOWN])
    ]
    return Still(
        f"“{sentence['text']}”: the candidates of step {len(steps)} of a beam search with "
        f"{chosen['width']} beams, best first.",
        ("candidate", "log p", "probability", ""),
        rows,
        lambda: bars(
            [f"{candidate} ({fate})" for candidate, _, _, fate in rows],
            {"probability": [p for _, _, p, _ in rows]},
            "probability",
            text="%.3f",
        ),
        3,
    )


def _sentence(translator: Translator, text: str) -> dict[str, Any]:
    """The trees of all widths, with what both exponents make of them, and the proof."""
    model, target = translator.model, translator.tokenizers.target
    source = torch.tensor([[*translator.tokenizers.source.encode(text), EOS]])
    longest = min(2 * source.shape[1] + 10, model.config.max_length)
    with torch.inference_mode():
        state = cached_state(model, source)
        trees = {
            width: [
                beam_tree(cached_step(model), state, longest, width, float(e)) for e in EXPONENTS
            ]
            for width in WIDTHS
        }
        search = partial(beam_search, beams=8, length_penalty=0.0)
        known = search(cached_step(model), state, torch.tensor([longest]))[0][0]
        proof = prove_best(cached_step(model), state, longest, known if known.finished else None)
    return {
        "text": text,
        "trees": {str(width): _stored(translator, both) for width, both in trees.items()},
        "proof": {
            "text": target.decode(proof.hypothesis.ids),
            "logProbability": round(proof.hypothesis.log_probability, 4),
            "expanded": proof.expanded,
            "proven": proof.proven,
        },
    }


def _stored(translator: Translator, both: Sequence[BeamTree]) -> dict[str, Any]:
    """One tree for both exponents: they consider the same, and stop at different steps."""
    longest = max(both, key=lambda tree: len(tree.steps))
    pieces = translator.tokenizers.target.pieces
    return {
        "steps": [
            [_row(node, shown_pieces(pieces([node.token]))[0]) for node in nodes]
            for nodes in longest.steps
        ],
        "ends": [
            {
                "steps": len(tree.steps),
                "won": list(tree.won),
                "text": translator.tokenizers.target.decode(tree.ids(*tree.won)),
            }
            for tree in both
        ],
    }


def _row(node: Node, piece: str) -> list[Any]:
    """What the script reads of a candidate."""
    return [piece, node.parent, round(node.log_probability, 3), node.fate]
