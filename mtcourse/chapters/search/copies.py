"""Copies of the source among the training targets, and among what search finds (chapter 18)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch

from mtcourse.errors import MtcourseError
from mtcourse.models.translator import Translator
from mtcourse.text.batches import Example, shift_right
from mtcourse.text.pairs import SentencePair


def with_copies(examples: Sequence[Example], share: float, seed: int) -> list[Example]:
    """The examples, some of whose targets are replaced by their sources.

    Args:
        examples: with one vocabulary for both sides.
        share: of the examples that become copies, from 0 to 1.
        seed: which ones. A larger share with the same seed keeps those of a smaller one.

    Raises:
        MtcourseError: the share is no share.

    Source: Ott et al. (2018). Chapter 18.
    """
    if not 0 <= share <= 1:
        raise MtcourseError(f"the share of copies is {share}: it must be from 0 to 1")
    order = random.Random(seed).sample(range(len(examples)), len(examples))
    chosen = set(order[: round(share * len(examples))])
    return [
        Example(one.source, one.source) if place in chosen else one
        for place, one in enumerate(examples)
    ]


def is_copy(pair: SentencePair, text: str) -> bool:
    """Whether a translation is mostly the source: it has half of the words that give that away.

    Those are the words of the source that the reference lacks; if there is none, nothing can tell.

    Args:
        pair: the source with its reference.
        text: the translation.
    """
    telling = _words(pair.source) - _words(pair.target)
    return bool(telling) and 2 * len(telling & _words(text)) >= len(telling)


def _words(text: str) -> set[str]:
    return set(text.lower().translate({ord(mark): None for mark in '.,:;?!"()'}).split())


@torch.no_grad()
def copy_log_probabilities(translator: Translator, source: str) -> list[float]:
    """log p of each token of the source, <eos> included, as its own translation.

    Args:
        translator: with one vocabulary for both sides.
        source: the sentence.
    """
    labels = torch.tensor(translator._encode([source]))
    logits = translator.model(labels, shift_right(labels))
    return logits.log_softmax(-1)[0].gather(-1, labels[0][:, None])[:, 0].tolist()
