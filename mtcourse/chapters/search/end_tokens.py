"""One end token for each range of lengths, and the search that sees one again (chapter 18)."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.decoding.search import EOS, Hypothesis, Search, SearchState, Step
from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.translator import Translator
from mtcourse.text.batches import Batch
from mtcourse.text.tokenizer import PAD, TokenizerPair


@dataclass(frozen=True)
class EndTokens:
    """Which token ends a sentence of which length.

    A sentence of n tokens, its end not counted, ends with the token of its bucket: bucket 0 up to
    the first border, and so on; the last bucket has no end. Bucket 0 keeps <eos>, the others take
    new ids behind the vocabulary.

    Args:
        V: ids of the vocabulary, without the new ones.
        borders: the longest sentence of each bucket but the last, rising.

    Raises:
        MtcourseError: the borders do not rise.

    Source: Shi, Xiao and Knight (2020). Chapter 18.
    """

    V: int
    borders: tuple[int, ...]

    def __post_init__(self) -> None:
        if list(self.borders) != sorted(set(self.borders)):
            raise MtcourseError(
                f"the borders {self.borders} do not rise: take fewer buckets, or other lengths"
            )

    @classmethod
    def of(cls, V: int, lengths: Iterable[int], buckets: int) -> EndTokens:
        """Buckets with about as many training sentences each.

        Args:
            V: as above.
            lengths: tokens of each training target, its end not counted.
            buckets: how many.
        """
        borders = statistics.quantiles(lengths, n=buckets, method="inclusive")
        return cls(V, tuple(int(border) for border in borders))

    @property
    def ids(self) -> tuple[int, ...]:
        """The end token of each bucket."""
        return (EOS, *range(self.V, self.V + len(self.borders)))

    def id(self, length: int) -> int:
        """The token that ends a sentence of so many tokens.

        >>> [EndTokens(700, (4, 6)).id(n) for n in (0, 4, 5, 6, 7, 50)]
        [3, 3, 700, 700, 701, 701]
        """
        return self.ids[bisect_left(self.borders, length)]

    def labelled(self, batch: Batch) -> Batch:
        """The batch whose sentences end with the tokens of their buckets."""
        lengths = (batch.labels != PAD).sum(dim=1) - 1
        of_row = torch.tensor([self.id(n) for n in lengths.tolist()])
        return replace(
            batch, labels=torch.where(batch.labels == EOS, of_row[:, None], batch.labels)
        )

    def fitting(
        self, log_probs: Float[Tensor, "*batch grown"], length: int
    ) -> Float[Tensor, "*batch V"]:
        """log p with <eos> for the one end token that a sentence of this length may have.

        The other ends keep their probability to themselves, so a row no longer sums to 1.

        Args:
            log_probs: of the next token, the new ids included.
            length: tokens before it.
        """
        folded = log_probs[..., : self.V].clone()
        folded[..., EOS] = log_probs[..., self.id(length)]
        return folded

    def any_end(
        self, log_probs: Float[Tensor, "*batch grown"], length: int
    ) -> Float[Tensor, "*batch V"]:
        """log p with <eos> for all end tokens together, whatever the length.

        log p(<eos>) = log Σ_e p(e) over all end tokens e.

        Args:
            log_probs: of the next token, the new ids included.
            length: tokens before it; not used.
        """
        folded = log_probs[..., : self.V].clone()
        folded[..., EOS] = log_probs[..., list(self.ids)].logsumexp(dim=-1)
        return folded


FOLDS = {"the fitting end": EndTokens.fitting, "any end": EndTokens.any_end}


@dataclass(frozen=True)
class CountedState:
    """A search's state that knows how many tokens the beams have.

    Args:
        inner: the state of the model.
        length: tokens of each beam.
    """

    inner: SearchState
    length: int = 0

    def reorder(self, parents: Tensor) -> CountedState:
        """As the model's state."""
        return replace(self, inner=self.inner.reorder(parents))

    def keep(self, sentences: Tensor) -> CountedState:
        """As the model's state."""
        return replace(self, inner=self.inner.keep(sentences))


def folded_step(step: Step[Any], ends: EndTokens, fold: str) -> Step[CountedState]:
    """A step with one <eos>, for any search, of a model that has an end for each bucket.

    Args:
        step: of the model.
        ends: its end tokens.
        fold: one of ``FOLDS``.
    """

    def folded(ids: Int[Tensor, "sentences beams"], state: CountedState):
        log_probs, inner = step(ids, state.inner)
        return FOLDS[fold](ends, log_probs, state.length), CountedState(inner, state.length + 1)

    return folded


def grown(model: EncoderDecoder, ends: EndTokens, seed: int) -> EncoderDecoder:
    """The same weights with a row for each new end token.

    Args:
        model: with one table for source, target and output.
        ends: the end tokens.
        seed: of the new rows.
    """
    V = ends.V + len(ends.borders)
    larger = EncoderDecoder(replace(model.config, V_s=V, V_t=V), seed=seed)
    weights = model.state_dict()
    for name, values in larger.state_dict().items():
        values[: len(weights[name])] = weights[name]
    return larger


class ManyEnded(Translator):
    """A translator whose model has an end token for each bucket.

    Args:
        model: with ``ends.V`` ids and the new ones.
        tokenizers: with ``ends.V`` pieces.
        ends: the end tokens.
        fold: one of ``FOLDS``.
    """

    def __init__(
        self, model: EncoderDecoder, tokenizers: TokenizerPair, ends: EndTokens, fold: str
    ) -> None:
        self.model, self.tokenizers = model.eval(), tokenizers
        self.ends, self.fold = ends, fold

    def _search(self, sources: Sequence[Sequence[int]], search: Search) -> list[list[Hypothesis]]:
        def folded(step: Step[Any], state: SearchState, longest: Tensor) -> list[list[Hypothesis]]:
            return search(folded_step(step, self.ends, self.fold), CountedState(state), longest)

        return super()._search(sources, folded)
