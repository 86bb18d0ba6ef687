"""Repetition in a language model's text: repeated phrases, and loops (chapter 19)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mtcourse.errors import MtcourseError
from mtcourse.models.language_model import LanguageModel
from mtcourse.text.tokenizer import BOS, EOS


@torch.no_grad()
def repeated_phrase(
    language_model: LanguageModel, before: str, phrase: str, times: int
) -> list[float]:
    """The mean log p per token of a phrase at its first, second, … occurrence in a row.

    Args:
        language_model: the model that gives the probabilities.
        before: the text in front of the first occurrence.
        phrase: what is repeated.
        times: how many occurrences.

    Raises:
        MtcourseError: the phrase is blank, or all of it does not fit into the model.

    Source: Holtzman et al. (2020), figure 4; Xu et al. (2022). Chapter 19.
    """
    encode = language_model.tokenizer.encode
    start, part = [BOS, *encode(before)], encode(phrase)
    ids = start + part * times
    most = language_model.model.config.max_length
    if not part or len(ids) > most:
        raise MtcourseError(
            f"{phrase!r} {times} times takes {len(ids)} tokens with what stands before it: take a "
            f"phrase of at least one token, and at most {most} in all"
        )
    log_p = language_model.model(torch.tensor([ids]))[0].log_softmax(-1)
    values = log_p[len(start) - 1 : -1].gather(-1, torch.tensor(ids[len(start) :])[:, None])[:, 0]
    return values.reshape(times, len(part)).mean(1).tolist()


@torch.no_grad()
def greedy_with_second(
    language_model: LanguageModel, prompt: str, most: int = 40
) -> list[tuple[str, float, str, float]]:
    """Each token that greedy search writes and the second best, both with their probabilities.

    Args:
        language_model: the model that writes.
        prompt: the beginning of the text.
        most: the most tokens to write.

    Chapter 19.
    """
    tokenizer = language_model.tokenizer
    ids, found = [BOS, *tokenizer.encode(prompt)], []
    while len(found) < most and ids[-1] != EOS:
        p = language_model.model(torch.tensor([ids]))[0, -1].softmax(-1)
        (first, second), (i, j) = (x.tolist() for x in p.topk(2))
        one, other = tokenizer.pieces([i, j])
        found.append((one, first, other, second))
        ids.append(i)
    return found


def loop_in(ids: Sequence[Any], least: int = 3, longest: int = 10) -> tuple[int, int, int] | None:
    """The longest stretch in which a piece repeats: (where it begins, length of the piece, times).

    Args:
        ids: the tokens of a text, or its letters.
        least: how many times in a row make a loop.
        longest: the length of the longest piece that is looked for.

    Returns:
        None if there is no loop.

    Source: C19. Chapter 19.
    """
    best: tuple[int, int, int] | None = None
    for period in range(1, longest + 1):
        for place in range(len(ids) - period):
            times = 1
            end = place + period
            while list(ids[end : end + period]) == list(ids[place : place + period]):
                times, end = times + 1, end + period
            if times >= least and (best is None or times * period > best[1] * best[2]):
                best = place, period, times
    return best
