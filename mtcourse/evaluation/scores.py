"""BLEU and chrF by sacrebleu, with signatures and confidence intervals (chapter 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from mtcourse.errors import MtcourseError

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

_RESAMPLES = 1000

Interval = tuple[float, float]


@dataclass(frozen=True)
class Scores:
    """The scores of the translations of one test set.

    Args:
        bleu: BLEU, 0 to 100 (Papineni et al. 2002): clipped n-gram precision, with a penalty for
            translations that are too short. It does not see meaning.
        bleu_interval: its 95% interval, from 1000 bootstrap resamples (Koehn 2004).
        bleu_signature: sacrebleu's signature: what others need to reproduce the score.
        chrf: chrF2, 0 to 100 (Popović 2015).
        chrf_interval: its 95% interval, likewise.
        chrf_signature: its signature.
        exact: share of translations, 0 to 1, that equal one of their references.
        sentences: the size of the test set.
    """

    bleu: float
    bleu_interval: Interval
    bleu_signature: str
    chrf: float
    chrf_interval: Interval
    chrf_signature: str
    exact: float
    sentences: int

    def __str__(self) -> str:
        """The scores as a report quotes them."""
        rows = (
            ("BLEU", self.bleu, self.bleu_interval, self.bleu_signature),
            ("chrF2", self.chrf, self.chrf_interval, self.chrf_signature),
        )
        lines = [
            f"{name:5} {value:5.1f}  (95%: {low:.1f} to {high:.1f})  {signature}"
            for name, value, (low, high), signature in rows
        ]
        return "\n".join([*lines, f"exact {100 * self.exact:5.1f}% of {self.sentences} sentences"])


def score(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Scores:
    """Scores translations against one or more references each.

    The same input gives the same scores: sacrebleu seeds its bootstrap with 12345, or with the
    environment's SACREBLEU_SEED, and names the seed in the signature.

    Args:
        hypotheses: the translations, as plain text.
        references: for each translation one or more correct ones.

    Raises:
        MtcourseError: there is nothing to score, the numbers differ, or a sentence has no
            reference.

    Chapter 12.
    """
    from sacrebleu.metrics.bleu import BLEU  # here, so that importing mtcourse stays quick
    from sacrebleu.metrics.chrf import CHRF

    _check(hypotheses, references)
    streams = list(zip_longest(*references))  # the first reference of all, the second of all, ...
    bleu = _with_interval(BLEU(), hypotheses, streams)
    chrf = _with_interval(CHRF(), hypotheses, streams)
    equal = sum(h in correct for h, correct in zip(hypotheses, references, strict=True))
    return Scores(*bleu, *chrf, exact=equal / len(hypotheses), sentences=len(hypotheses))


def _with_interval(
    metric: Metric, hypotheses: Sequence[str], streams: Sequence[Any]
) -> tuple[float, Interval, str]:
    """Value, interval and signature; the interval is the mean of the resamples ± half its width."""
    compute = metric._compute_score_from_stats
    # Where a resample has no match, sacrebleu 2.6 fails to average its plain 0 with numpy's floats.
    metric._compute_score_from_stats = lambda stats: compute([float(count) for count in stats])
    result = metric.corpus_score(list(hypotheses), streams, n_bootstrap=_RESAMPLES)
    mean, half = result._mean, result._ci
    interval = max(0.0, mean - half), min(100.0, mean + half)
    return float(result.score), interval, str(metric.get_signature())


def _check(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Refuses input on which sacrebleu would fail, or silently give a wrong score."""
    if not hypotheses:
        raise MtcourseError("there are no translations to score")
    if len(hypotheses) != len(references):
        raise MtcourseError(
            f"{len(hypotheses)} translations cannot be scored against {len(references)} "
            "references: give for each translation the list of its references"
        )
    for number, correct in enumerate(references, start=1):
        if isinstance(correct, str):
            raise MtcourseError(
                f"the references of sentence {number} are one string; "
                "put them into a tuple, even a single one"
            )
        if not correct:
            raise MtcourseError(f"sentence {number} has no reference to be scored against")
