"""BLEU and chrF of one sentence, to compare texts with each other (chapter 19).

Scores of a test set are no means of these: ``mtcourse.evaluation.scores`` adds up counts first.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF


def sentence_chrf(text: str, reference: str) -> float:
    """chrF2 of one text against one reference, 0 to 100 (Popović 2015; chapter 19)."""
    return _chrf().sentence_score(text, [reference]).score


def sentence_bleu(text: str, reference: str) -> float:
    """BLEU of one text against one reference, 0 to 100, up to the longest n-gram that it has.

    Without this, a sentence of three words would always score 0 (chapter 19).
    """
    return _bleu().sentence_score(text, [reference]).score


@cache
def _chrf() -> CHRF:
    from sacrebleu.metrics.chrf import CHRF  # here, so that importing mtcourse stays quick

    return CHRF()


@cache
def _bleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)
