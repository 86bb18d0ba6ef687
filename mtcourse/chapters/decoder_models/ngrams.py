"""n-gram language models with Kneser-Ney smoothing: the baseline of chapter 13.

An n-gram model of order n looks at the n - 1 tokens before the next one, and counts. It mixes the
counts of all orders from n down to 1, because most contexts of n - 1 tokens are rare:

    p_k(w | h) = max(c(h w) - D_k, 0) / c(h) + (D_k N(h) / c(h)) p_{k-1}(w | h')

h' is h without its first token, N(h) counts the different tokens after h, and p_0 is uniform. In
the highest order c counts occurrences; below it, c(h w) counts the different tokens before h w,
unless h begins with <bos>, before which there is nothing.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.text.tokenizer import BOS, EOS

Context = tuple[int, ...]
Counts = Mapping[Context, Counter[int]]


@dataclass(frozen=True)
class NgramCounts:
    """How often each token follows each context, for all contexts up to a length.

    Args:
        V: vocabulary size.
        longest: order of the largest model that these counts serve.
        occurrences: for each context of up to longest - 1 tokens, how often each token follows it.
    """

    V: int
    longest: int
    occurrences: Counts

    @classmethod
    def of(cls, sentences: Sequence[Sequence[int]], V: int, longest: int) -> NgramCounts:
        """Counts in sentences, each of them between <bos> and <eos>.

        Args:
            sentences: ids of each, without special ones.
            V: vocabulary size.
            longest: the largest order.

        Raises:
            MtcourseError: there is nothing to count, or the order is below 1.
        """
        if longest < 1 or not sentences:
            raise MtcourseError(
                f"{len(sentences)} sentences, order {longest}: n-grams need a sentence and order 1"
            )
        found: defaultdict[Context, Counter[int]] = defaultdict(Counter)
        for ids in sentences:
            row = (BOS, *ids, EOS)
            for t in range(1, len(row)):
                for start in range(max(0, t - longest + 1), t + 1):
                    found[row[start:t]][row[t]] += 1
        return cls(V, longest, found)

    @cached_property
    def continuations(self) -> Counts:
        """For each shorter context and token, how many different tokens stand before both."""
        found: defaultdict[Context, Counter[int]] = defaultdict(Counter)
        for context, following in self.occurrences.items():
            if context[:1] == (BOS,):
                found[context].update(following)  # nothing stands before <bos>
            if context:
                found[context[1:]].update(following.keys())
        return found


class NgramModel:
    """An interpolated n-gram model with Kneser-Ney smoothing.

    Each order has one discount, D_k = n_1 / (n_1 + 2 n_2), where n_c of its n-grams have count c.

    Args:
        counts: of the training text.
        order: n, at most that of the counts.

    Raises:
        MtcourseError: the order is not between 1 and that of the counts.

    Source: Kneser and Ney (1995) in the interpolated form of Chen and Goodman (1999). Chapter 13.
    """

    def __init__(self, counts: NgramCounts, order: int) -> None:
        if not 1 <= order <= counts.longest:
            raise MtcourseError(f"order {order}: the counts serve orders 1 to {counts.longest}")
        self.order, self.V = order, counts.V
        self._counts = counts
        self._discounts = [self._discount(length) for length in range(order)]

    def probability(self, context: Sequence[int], token: int) -> float:
        """p(token | context), where only the last n - 1 tokens of the context matter."""
        p = 1 / self.V
        for length, following in self._orders(context):
            total, D = following.total(), self._discounts[length]
            p = (max(following[token] - D, 0) + D * len(following) * p) / total
        return p

    def distribution(self, context: Sequence[int]) -> Float[Tensor, " V"]:
        """p(. | context) for all tokens of the vocabulary."""
        p = torch.full((self.V,), 1 / self.V, dtype=torch.float64)
        for length, following in self._orders(context):
            total, D = following.total(), self._discounts[length]
            p *= D * len(following) / total
            kept = torch.tensor(
                [max(count - D, 0) / total for count in following.values()], dtype=p.dtype
            )
            p[torch.tensor(list(following))] += kept
        return p

    def token_losses(self, ids: Sequence[int]) -> list[float]:
        """-log p of each token of a sentence and of its <eos>, in nats."""
        row = (BOS, *ids, EOS)
        return [-math.log(self.probability(row[:t], row[t])) for t in range(1, len(row))]

    def sample(self, generator: torch.Generator, longest: int = 60) -> list[int]:
        """Draws a sentence token by token, until <eos>, which is left out."""
        row = [BOS]
        while len(row) <= longest:
            token = int(torch.multinomial(self.distribution(row), 1, generator=generator))
            if token == EOS:
                break
            row.append(token)
        return row[1:]

    def _orders(self, context: Sequence[int]) -> list[tuple[int, Counter[int]]]:
        """The counts of what follows the context's last 0, 1, ... tokens, as far as it is known."""
        found = []
        for length in range(min(self.order, len(context) + 1)):
            of_order = self._of_length(length)
            key = tuple(context[len(context) - length :])
            if key not in of_order:
                break
            found.append((length, of_order[key]))
        return found

    def _of_length(self, length: int) -> Counts:
        """Occurrences in the highest order, continuations below it."""
        highest = length == self.order - 1
        return self._counts.occurrences if highest else self._counts.continuations

    def _discount(self, length: int) -> float:
        """D of the n-grams whose context has this length; 1/2 where none occurs once or twice."""
        of_count = Counter(
            count
            for context, following in self._of_length(length).items()
            if len(context) == length
            for count in following.values()
        )
        once, twice = of_count[1], of_count[2]
        return once / (once + 2 * twice) if once else 0.5
