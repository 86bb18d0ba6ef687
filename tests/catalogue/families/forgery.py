"""Forgeries: each would earn points where the verdict is made in the learner's own kernel.

``forges`` says how: which part of such a grader the forgery takes the place of.
"""

from __future__ import annotations

from typing import Any

from tests.catalogue.case import NO_POINTS, Case
from tests.catalogue.returned import (
    right_answers,
)

LAST = "leaking_rows"
RIGHT = right_answers("05_masks")[LAST]
WRONG = "def leaking_rows(mask, lengths):\n    return torch.zeros(len(lengths), len(mask)) > 0\n"
WRONG_EVERYWHERE = {
    "causal_mask": "def causal_mask(m):\n    return torch.ones(m, m) > 0",
    "padding_mask": "def padding_mask(ids, pad):\n    return ids[:, None, None] == pad",
    "masked_weights": "def masked_weights(scores, mask):\n    return scores.softmax(-1)",
    "allowed_pairs": "def allowed_pairs(n, p):\n    return 1",
    "hidden_weight": "def hidden_weight(gap, v, d_k, inside):\n    return 0.25",
    "decoder_mask_lines": "decoder_mask_lines = {}",
    "decoder_mask": "def decoder_mask(ids, pad):\n    return (ids == pad)[:, None, None]",
    LAST: WRONG,
}


def forgery(name: str, code: str, forges: str, outcome: str = NO_POINTS, **others: Any) -> Case:
    """The last answer is wrong and forged; the honest ones before it keep their points."""
    return Case(name, {LAST: code}, outcomes={LAST: outcome}, forges=forges, **others)


def wholesale(name: str, added: str, forges: str) -> Case:
    """All answers are wrong, and a cell in front of them makes for them to be taken for right."""
    return Case(name, WRONG_EVERYWHERE, added, others=NO_POINTS, forges=forges)
