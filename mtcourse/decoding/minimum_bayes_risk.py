"""Minimum Bayes risk: the candidate that agrees most with the model's samples (chapter 19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

from mtcourse.errors import MtcourseError

T = TypeVar("T", bound=Hashable)
Utility = Callable[[T, T], float]
"""How good a candidate (first) is if another text (second) is right."""


def expected_utilities(
    candidates: Sequence[T], samples: Sequence[T], utility: Utility[T]
) -> Float[Tensor, " candidates"]:
    """The mean utility of each candidate over the samples, an estimate of E_{y ~ p(y|x)} u(c, y).

    Equal samples are compared once, and count as often as they occur.

    Args:
        candidates: c, texts to choose from.
        samples: drawn from the model, as ``ancestral_sampling`` draws them.
        utility: u(c, y), such as sentence-level chrF.

    Raises:
        MtcourseError: there is no sample.

    Source: Eikema and Aziz (2020), section 6. Chapter 19.
    """
    if not samples:
        raise MtcourseError("there is no sample to compare the candidates with")
    counts = Counter(samples)
    of_each = {
        candidate: sum(count * utility(candidate, sample) for sample, count in counts.items())
        for candidate in dict.fromkeys(candidates)
    }
    return torch.tensor([of_each[c] / len(samples) for c in candidates], dtype=torch.float64)


def minimum_bayes_risk(candidates: Sequence[T], samples: Sequence[T], utility: Utility[T]) -> T:
    """The candidate with the highest expected utility; of equal ones the first.

    Args:
        candidates: texts to choose from, often the samples themselves.
        samples: drawn from the model.
        utility: what is optimised, such as sentence-level chrF.

    Raises:
        MtcourseError: there is no candidate, or no sample.

    Source: Kumar and Byrne (2004); Eikema and Aziz (2020). Chapter 19.
    """
    if not candidates:
        raise MtcourseError("there is no candidate to choose from")
    return candidates[int(expected_utilities(candidates, samples, utility).argmax())]
