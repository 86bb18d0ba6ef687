"""What one wrong token in a translator's prefix does to the tokens after it (C25; chapter 19)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from mtcourse.decoding.search import token_by_token
from mtcourse.errors import MtcourseError
from mtcourse.models.translator import Translator
from mtcourse.text.batches import pad, shift_right


def nats_lost(
    translator: Translator, source: Sequence[int], target: Sequence[int], place: int, wrong: int
) -> Float[Tensor, " n"]:
    """How many nats each right token loses if the decoder reads one wrong token in the prefix.

    Args:
        translator: the model that predicts.
        source: ids with <eos>.
        target: the right ids with <eos>. The decoder reads them, except for one, and predicts them.
        place: the position of the wrong token, from 0.
        wrong: the token that is read there.

    Returns:
        For each token of the target, -log p with the wrong token minus -log p without it.

    Raises:
        MtcourseError: there is no such place.

    Source: C25. Chapter 19.
    """
    if not 0 <= place < len(target):
        raise MtcourseError(f"place {place} is in none of the {len(target)} tokens, from 0")
    read = [*target[:place], wrong, *target[place + 1 :]]
    return _nats(translator, source, read, target) - _nats(translator, source, target, target)


@torch.no_grad()
def _nats(
    translator: Translator, source: Sequence[int], read: Sequence[int], right: Sequence[int]
) -> Float[Tensor, " n"]:
    logits = translator.model(pad([source]), shift_right(pad([read])))[0]
    return -logits.log_softmax(-1).gather(-1, torch.tensor(right)[:, None])[:, 0]


def goes_on(translator: Translator, source: Sequence[int], prefix: Sequence[int]) -> list[int]:
    """What greedy search writes after a given prefix.

    Args:
        translator: the model that writes.
        source: ids with <eos>.
        prefix: ids that the translation begins with, however improbable they are.

    Returns:
        The ids after the prefix.

    Source: C25. Chapter 19.
    """
    steps = iter(range(len(prefix) + 1000))

    def choose(log_probs: Tensor) -> Tensor:
        t = next(steps)
        return torch.tensor([[prefix[t]]]) if t < len(prefix) else log_probs.argmax(-1)

    def search(step: Any, state: Any, longest: Tensor) -> Any:
        return token_by_token(step, state, longest + len(prefix), choose)

    ((found,),) = translator._search([list(source)], search)
    return list(found.ids[len(prefix) :])
