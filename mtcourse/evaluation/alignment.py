"""Word alignments read off attention weights, and how wrong they are (chapter 6).

A link (i, j) joins source word i with target word j, both counted from 0, as in
``SentencePair.alignment``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from mtcourse.errors import MtcourseError

Link = tuple[int, int]


@dataclass(frozen=True)
class AlignmentScores:
    """How well the links that were found agree with the known ones.

    Args:
        precision: share of the links found that are possible.
        recall: share of the sure links that were found.
        error_rate: from 0, perfect agreement, to 1, no link in common.
        links: how many were found.
    """

    precision: float
    recall: float
    error_rate: float
    links: int


def as_read(weights: Float[Tensor, "*batch m n"]) -> Float[Tensor, "*batch m n"]:
    """Where the decoder looks in the step that reads a token, instead of the one that predicts it.

    Row j of a map is where the decoder looked while it predicted token j; it reads that token one
    step later, in row j + 1. The last token is <eos>, which no step reads, so its row is zeros.
    Chen et al. (2020) find that the reading row often aligns better. Chapter 6.

    Args:
        weights: one row for each target piece, <eos> last.
    """
    read = weights.roll(-1, dims=-2)
    read[..., -1, :] = 0
    return read


def strongest_links(weights: Float[Tensor, "m n"]) -> set[Link]:
    """Links each target word to the source word with the largest weight in its row.

    Args:
        weights: one row for each target word, without <eos>; a row may have a last column for the
            source's <eos>.
    """
    return {(int(i), j) for j, i in enumerate(weights.argmax(-1).tolist())}


def links_above(weights: Float[Tensor, "m n"], threshold: float) -> set[Link]:
    """Links all pairs of words whose weight is above a threshold: a word may have several, or none.

    Args:
        weights: one row for each target word.
        threshold: between 0 and 1.
    """
    return {(i, j) for j, i in (weights > threshold).nonzero().tolist()}


def links_of_source(weights: Float[Tensor, "m n"]) -> set[Link]:
    """Links each source word to the target word with the largest weight in its column.

    Args:
        weights: one row for each target word, one column for each source word, without <eos>.
    """
    return {(i, int(j)) for i, j in enumerate(weights.argmax(-2).tolist())}


def alignment_scores(
    found: Sequence[Collection[Link]],
    sure: Sequence[Collection[Link]],
    possible: Sequence[Collection[Link]] | None = None,
) -> AlignmentScores:
    """Precision, recall and the alignment error rate of the links found.

    AER = 1 - (hits in S + hits in P) / (size of A + size of S), where A are the links found, S the
    sure ones and P the possible ones. Precision is hits in P / size of A, recall hits in S / size
    of S.

    The counts of all sentences are added up before they are divided. Without ``possible``, only the
    sure links are possible, and the rate is 1 - F1.

    Args:
        found: the links A of each sentence.
        sure: the links S of each sentence that should be found.
        possible: the links P of each sentence that may be found; sure links are possible too.

    Raises:
        MtcourseError: the numbers of sentences differ, or there is no link at all.

    Source: Och and Ney (2003). Chapter 6.
    """
    possible = sure if possible is None else possible
    if not len(found) == len(sure) == len(possible):
        raise MtcourseError(
            f"links of {len(found)} sentences were found and those of {len(sure)} are known: "
            "give both for the same sentences"
        )
    A, S = (sum(len(set(links)) for links in side) for side in (found, sure))
    if not A + S:
        raise MtcourseError("there is no link to score, neither found nor known")
    in_S = sum(len(set(a) & set(s)) for a, s in zip(found, sure, strict=True))
    in_P = sum(
        len(set(a) & (set(s) | set(p))) for a, s, p in zip(found, sure, possible, strict=True)
    )
    return AlignmentScores(
        precision=in_P / A if A else 0.0,
        recall=in_S / S if S else 0.0,
        error_rate=1 - (in_S + in_P) / (A + S),
        links=A,
    )
