"""Whether two systems differ on one test set by more than chance (chapters 9 and 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import Interval


@dataclass(frozen=True)
class Change:
    """By how much BLEU changes from one set of translations to another.

    Args:
        value: BLEU of the second minus BLEU of the first.
        interval: of that difference, from resamples of the sentences.
    """

    value: float
    interval: Interval

    @property
    def beyond_noise(self) -> bool:
        """Whether the interval leaves out 0."""
        low, high = self.interval
        return low > 0 or high < 0


class PairedBleu:
    """Compares translations of one test set with a first set of them.

    Both are scored on the same resamples of sentences, drawn with replacement. What makes some
    sentences harder than others therefore cancels in the difference (Koehn 2004). Chapter 9.

    Args:
        first: the translations that others are compared with.
        references: for each sentence its correct translations.
        level: of the interval, such as 0.95.
        resamples: how many.
        seed: of the draws.

    Raises:
        MtcourseError: there is nothing to compare, or not one translation for each sentence.
    """

    def __init__(
        self,
        first: Sequence[str],
        references: Sequence[Sequence[str]],
        level: float = 0.95,
        resamples: int = 1000,
        seed: int = 1,
    ) -> None:
        if not first:
            raise MtcourseError("there are no translations to compare")
        from sacrebleu.metrics.bleu import BLEU  # here, so that importing mtcourse stays quick

        self._metric = BLEU()
        self._streams = list(zip_longest(*references))
        self._tails = (1 - level) / 2, (1 + level) / 2
        n = len(references)
        self._counts = np.random.default_rng(seed).multinomial(n, [1 / n] * n, resamples)
        self._first = self._counted(first)
        self._of_first = self._bleus(self._first)

    def change_to(self, other: Sequence[str]) -> Change:
        """The change of BLEU from the first translations to these."""
        counted = self._counted(other)
        low, high = np.quantile(self._bleus(counted) - self._of_first, self._tails)
        value = self._bleu(counted.sum(0)) - self._bleu(self._first.sum(0))
        return Change(value, (float(low), float(high)))

    def _counted(self, translations: Sequence[str]) -> Any:
        """Matches, n-grams and lengths of each sentence, which BLEU adds up."""
        if len(translations) != self._counts.shape[1]:
            raise MtcourseError(
                f"{len(translations)} translations cannot be compared on "
                f"{self._counts.shape[1]} sentences"
            )
        of_all = self._metric._extract_corpus_statistics(list(translations), self._streams)
        return np.array(of_all, dtype=float)

    def _bleus(self, counted: Any) -> Any:
        """BLEU of each resample."""
        return np.array([self._bleu(totals) for totals in self._counts @ counted])

    def _bleu(self, totals: Any) -> float:
        return float(self._metric._compute_score_from_stats([int(x) for x in totals]).score)
