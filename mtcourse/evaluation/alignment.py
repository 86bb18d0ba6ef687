"""Which word says which: links read off attention weights, and how wrong they are (chapter 06).

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
    """How well the links found in some sentences agree with the known ones.

    Args:
        precision: share of the links found that are possible.
        recall: share of the sure links that were found.
        error_rate: 0 for perfect agreement, 1 for none.
        links: how many were found.
    """

    precision: float
    recall: float
    error_rate: float
    links: int


def as_read(weights: Float[Tensor, "*batch m n"]) -> Float[Tensor, "*batch m n"]:
    """Where the decoder looks in the step that reads a token, not in the one that predicts it.

    Row j of a map is where the decoder looked while it predicted token j; it reads that token one
    step later, in row j + 1. The last token is <eos>, which no step reads: its row is zeros.
    Chen et al. (2020) find that this row often aligns better. Chapter 06.

    Args:
        weights: one row for each target piece, <eos> last.
    """
    read = weights.roll(-1, dims=-2)
    read[..., -1, :] = 0
    return read


def strongest_links(weights: Float[Tensor, "m n"]) -> set[Link]:
    """Each target word with the source word that it looks at most.

    Args:
        weights: one row for each target word, without <eos>; a row may have a last column for the
            source's <eos>.
    """
    return {(int(i), j) for j, i in enumerate(weights.argmax(-1).tolist())}


def links_above(weights: Float[Tensor, "m n"], threshold: float) -> set[Link]:
    """Every pair of words whose weight is above a threshold: of none, one or several each.

    Args:
        weights: one row for each target word.
        threshold: between 0 and 1.
    """
    return {(i, j) for j, i in (weights > threshold).nonzero().tolist()}


def links_of_source(weights: Float[Tensor, "m n"]) -> set[Link]:
    """Each source word with the target word that looks at it most: the map read by columns.

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

    AER = 1 - (hits in S + hits in P) / (size of A + size of S), with links found A, sure ones S and
    possible ones P.

    All sentences are counted together. Without ``possible`` every sure link is possible and no
    other, and the rate is 1 - F1.

    Args:
        found: the links A of each sentence.
        sure: the links S that must be there.
        possible: the links P that may be; sure links are possible too.

    Raises:
        MtcourseError: the numbers of sentences differ, or there is no link at all.

    Source: Och and Ney (2003). Chapter 06.
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
