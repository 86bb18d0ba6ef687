"""The sample's ablation: one head instead of four; everything else is as in ``translator.py``.

The number of weights is the same: one head of 128 numbers in place of four heads of 32 each.
"""

from collections.abc import Sequence
from dataclasses import replace

import translator
from translator import SETTINGS, Translator, translate

from mtcourse.text.pairs import SentencePair

__all__ = ["train", "translate"]


def train(pairs: Sequence[SentencePair], seconds: float, seed: int) -> Translator:
    """As the sample trains, with one head."""
    return translator.train(pairs, seconds, seed, replace(SETTINGS, h=1))
