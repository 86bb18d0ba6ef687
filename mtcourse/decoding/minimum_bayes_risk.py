"""Minimum Bayes risk: choosing the candidate that agrees most with samples (chapter 19)."""

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
"""u(candidate, text): how good the candidate is if the text is the right one."""


def expected_utilities(
    candidates: Sequence[T], samples: Sequence[T], utility: Utility[T]
) -> Float[Tensor, " candidates"]:
    """Estimates E_{y ~ p(y|x)} u(c, y) of each candidate c by its mean utility over the samples.

    Equal samples are compared only once, but each of them counts.

    Args:
        candidates: c, the texts to choose from.
        samples: y, drawn from the model, for example by ``ancestral_sampling``.
        utility: u(c, y), such as sentence-level chrF.

    Returns:
        The mean utility of each candidate, in the order of the candidates.

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
    """The candidate with the highest expected utility; if several share it, the first of them.

    Args:
        candidates: c, the texts to choose from, often the samples themselves.
        samples: y, drawn from the model.
        utility: u(c, y), such as sentence-level chrF: the score that the choice optimises.

    Raises:
        MtcourseError: there is no candidate, or no sample.

    Source: Kumar and Byrne (2004); Eikema and Aziz (2020). Chapter 19.
    """
    if not candidates:
        raise MtcourseError("there is no candidate to choose from")
    return candidates[int(expected_utilities(candidates, samples, utility).argmax())]
