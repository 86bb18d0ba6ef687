"""The exercise ``best_of_all``: the most probable sentence, by enumeration (C14; chapter 18)."""

from __future__ import annotations

import heapq
import itertools
import math

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

END = 0


def cases(draw: Draw) -> list[Case]:
    """A model that traps greedy search, one for each mistake, and random ones."""
    trap = _logs(draw, [[0.1, 0.5, 0.4], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]])
    deep = _logs(
        draw,
        [
            [0.02, 0.34, 0.33, 0.31],
            [0.10, 0.30, 0.30, 0.30],
            [0.15, 0.35, 0.25, 0.25],
            [0.05, 0.05, 0.88, 0.02],
        ],
    )
    late = _logs(draw, [[0.03, 0.90, 0.07], [0.02, 0.05, 0.93], [0.55, 0.40, 0.05]])
    short = _logs(draw, [[0.30, 0.60, 0.10], [0.26, 0.70, 0.04], [0.50, 0.30, 0.20]])
    hidden = _logs(
        draw,
        [
            [0.04, 0.36, 0.34, 0.26],
            [0.30, 0.20, 0.25, 0.25],
            [0.32, 0.22, 0.21, 0.25],
            [0.97, 0.01, 0.01, 0.01],
        ],
    )
    falling = _logs(draw, [[0.05, 0.10, 0.85], [0.90, 0.05, 0.05], [0.05, 0.90, 0.05]])
    return [
        Case("3 tokens, sentences of 1 or 2", (trap, 2), by_hand=True),
        Case("3 tokens, up to 3", (trap, 3)),
        Case("4 tokens, up to 4", (deep, 4)),
        Case("a sure path of 3", (late, 3)),
        Case("the same path, one token less", (late, 2)),
        Case("a sentence that is short", (short, 4)),
        Case("two better beginnings", (hidden, 3)),
        Case("only the empty sentence fits", (trap, 1)),
        Case("a word before one with a smaller number", (falling, 3)),
        Case("5 random tokens, up to 3", (_random(draw, 5), 3)),
        Case("3 random tokens, up to 5", (_random(draw, 3), 5)),
    ]


def _logs(draw, p):
    return draw.tensor(p).log()


def _random(draw, K):
    return draw.normal(K, K, scale=1.5).log_softmax(-1)


def _sentences(K, longest, shortest=1):
    """All sentences from so many to so many tokens, <eos> included."""
    for n in range(shortest - 1, longest):
        for words in itertools.product(range(1, K), repeat=n):
            yield [*words, END]


def _score(log_p, ids):
    return sum(float(log_p[a, b]) for a, b in zip([END, *ids], ids, strict=False))


def _best(log_p, longest, score=_score, shortest=1, found=None):
    found = list(_sentences(len(log_p), longest, shortest)) if found is None else found
    ids = max(found, key=lambda ids: score(log_p, ids))
    return ids, score(log_p, ids)


def correct(log_p, longest):
    """Scores every sentence."""
    return _best(log_p, longest)


def _greedy(log_p, longest):
    ids, newest = [], END
    while len(ids) < longest and END not in ids:
        newest = int(log_p[newest].argmax())
        ids.append(newest)
    return ids, _score(log_p, ids)


def _beam(log_p, longest, B):
    live, ended = [([], 0.0)], []
    for _ in range(longest):
        grown = [
            ([*ids, k], total + float(log_p[ids[-1] if ids else END, k]))
            for ids, total in live
            for k in range(len(log_p))
        ]
        grown.sort(key=lambda each: -each[1])
        ended += [one for one in grown[:B] if one[0][-1] == END]
        live = [one for one in grown if one[0][-1] != END][:B]
    return max(ended or live, key=lambda each: each[1])


class Wrong:
    """What learners write, the more particular before the more general."""

    def greedy(log_p, longest):
        """This is greedy search: you take the most probable token at each step.

        Make every sentence first, and compare their sums afterwards.
        """
        return _greedy(log_p, longest)

    def two_beams(log_p, longest):
        """This is a beam search with two beams. It can lose the beginning of the best sentence.

        Make every sentence first, and compare their sums afterwards.
        """
        return _beam(log_p, longest, 2)

    def unfinished_ones_too(log_p, longest):
        """You also compare sequences that have no `<eos>` at their end. They are prefixes, and
        their probability includes that of all their continuations.

        Only what ends with token 0 is a sentence.
        """
        K = len(log_p)
        cut = [list(ids) for ids in itertools.product(range(1, K), repeat=longest)]
        return _best(log_p, longest, found=[*_sentences(K, longest), *cut])

    def only_the_longest(log_p, longest):
        """You compare only sentences of exactly `longest` tokens. Shorter ones count as well.

        Which lengths may a sentence have? The shortest is `<eos>` alone.
        """
        return _best(log_p, longest, shortest=longest)

    def end_not_counted(log_p, longest):
        """Your sentences may have `longest` tokens *before* `<eos>`, one too many.

        `longest` counts all tokens of a sentence, `<eos>` included.
        """
        return _best(log_p, longest + 1)

    def never_empty(log_p, longest):
        """You left out the empty sentence, which is `<eos>` alone.

        How many tokens does the shortest sentence have?
        """
        return _best(log_p, longest, shortest=min(2, longest)) if longest > 1 else ([], -math.inf)

    def one_too_short(log_p, longest):
        """Your longest sentences have one token less than is allowed.

        `range(n)` ends at n − 1. `longest` counts `<eos>`.
        """
        return _best(log_p, longest - 1) if longest > 1 else ([], -math.inf)

    def best_mean(log_p, longest):
        """You compare means per token. The most probable sentence has the largest *sum*.

        Leave the division out.
        """
        ids, _ = _best(log_p, longest, lambda log_p, ids: _score(log_p, ids) / len(ids))
        return ids, _score(log_p, ids)

    def mean_all_along(log_p, longest):
        """You compare means per token, and return a mean. The most probable sentence has the
        largest *sum*.

        Leave the division out.
        """
        return _best(log_p, longest, lambda log_p, ids: _score(log_p, ids) / len(ids))

    def mean_returned(log_p, longest):
        """The sentence is right, but you return the mean log-probability of its tokens.

        log p of a sentence is the sum over its tokens.
        """
        ids, log_p_of = _best(log_p, longest)
        return ids, log_p_of / len(ids)

    def probability(log_p, longest):
        """The sentence is right, but you return its probability. Asked for is the logarithm.

        Leave `exp` out.
        """
        ids, log_p_of = _best(log_p, longest)
        return ids, math.exp(log_p_of)

    def cost(log_p, longest):
        """The sentence is right, but your log-probability has the wrong sign.

        The logarithm of a number below 1 is negative.
        """
        ids, log_p_of = _best(log_p, longest)
        return ids, -log_p_of

    def sum_of_probabilities(log_p, longest):
        """You add probabilities. The probability of a sentence is their product.

        Add their logarithms: `log_p` has them already.
        """
        return _best(
            log_p,
            longest,
            lambda log_p, ids: sum(
                math.exp(float(log_p[a, b])) for a, b in zip([END, *ids], ids, strict=False)
            ),
        )

    def table_turned(log_p, longest):
        """You read the table with rows and columns exchanged.

        The row is the newest token, the column is the next one: `log_p[newest, next]`.
        """
        return _best(log_p.T, longest)

    def end_is_free(log_p, longest):
        """Your empty sentence costs nothing: one log-probability is missing from your sums, that of
        `<eos>` or that of the first token.

        A sentence of n tokens has n factors. The first is in row 0, the last in column 0.
        """

        def score(log_p, ids):
            return _score(log_p, ids[:-1])

        return _best(log_p, longest, score)

    def least_probable_with_its_sum(log_p, longest):
        """You found the *least* probable sentence.

        Log-probabilities are negative, and the best one is nearest to 0: take `max`.
        """
        ids, _ = _best(log_p, longest, lambda log_p, ids: -_score(log_p, ids))
        return ids, _score(log_p, ids)

    def without_the_end(log_p, longest):
        """You return the sentence without its `<eos>`.

        The last token of each sentence is 0.
        """
        ids, log_p_of = _best(log_p, longest)
        return ids[:-1], log_p_of

    def with_the_start(log_p, longest):
        """You return the start token in front of the sentence.

        Return only what was generated, `<eos>` included.
        """
        ids, log_p_of = _best(log_p, longest)
        return [END, *ids], log_p_of

    def ends_inside(log_p, longest):
        """Your sequences go on after `<eos>`: token 0 stands inside some of them.

        A sentence has one `<eos>`, at its end.
        """
        K = len(log_p)
        found = [
            [*ids, END] for n in range(longest) for ids in itertools.product(range(K), repeat=n)
        ]
        return _best(
            log_p,
            longest,
            lambda log_p, ids: -_score(log_p, ids) if ids == [END] else _score(log_p, ids),
            found=found,
        )

    def words_backwards(log_p, longest):
        """You return the tokens of the sentence in reverse order.

        `<eos>` comes last.
        """
        ids, log_p_of = _best(log_p, longest)
        return ids[::-1], log_p_of

    def log_p_first(log_p, longest):
        """You return the right things in the wrong order: the log-probability comes second.

        First the tokens, then the log-probability.
        """
        return correct(log_p, longest)[::-1]

    def sentence_alone(log_p, longest):
        """You return the tokens alone. Their log-probability is asked for, too.

        Return two things: the tokens and log p.
        """
        return correct(log_p, longest)[0]

    def log_p_alone(log_p, longest):
        """You return the log-probability alone. The tokens are asked for, too.

        Return two things: the tokens and log p.
        """
        return correct(log_p, longest)[1]

    def never_empty_and_stops(log_p, longest):
        """Your sentences begin with one word at least. Where only `<eos>` fits, none is left to
        compare.

        The shortest sentence is `[0]`: begin with no word at all.
        """
        return _best(log_p, longest, shortest=2)

    def nothing_beats_zero(log_p, longest):
        """No sentence is ever better than what you begin with: log-probabilities are below 0.

        Begin with minus infinity as the best sum so far.
        """
        return [], 0.0

    def last_word_missing(log_p, longest):
        """You never use the last word of the vocabulary, token K − 1.

        `range(1, K)` ends at K − 1.
        """
        K = len(log_p)
        found = [
            [*words, END]
            for n in range(longest)
            for words in itertools.product(range(1, K - 1), repeat=n)
        ]
        return _best(log_p, longest, found=found)

    def words_in_rising_order(log_p, longest):
        """Your words stand in rising order only: `2 1` is never tried, only `1 2`.

        `itertools.product` makes every order; `combinations` does not.
        """
        K = len(log_p)
        found = [
            [*words, END]
            for n in range(longest)
            for words in itertools.combinations_with_replacement(range(1, K), n)
        ]
        return _best(log_p, longest, found=found)

    def greedy_and_ended_by_force(log_p, longest):
        """This is greedy search, with an `<eos>` put behind the longest sentence.

        Make every sentence first, and compare their sums afterwards.
        """
        ids, _ = _greedy(log_p, longest - 1)
        ids = ids if END in ids else [*ids, END]
        return ids, _score(log_p, ids)


class Right:
    """Right answers, written differently."""

    def by_recursion(log_p, longest):
        """Follows every prefix down to its end."""

        def below(newest, left):
            best = [END], float(log_p[newest, END])
            if left > 1:
                for k in range(1, len(log_p)):
                    ids, rest = below(k, left - 1)
                    total = float(log_p[newest, k]) + rest
                    if total > best[1]:
                        best = [k, *ids], total
            return best

        return below(END, longest)

    def by_levels(log_p, longest):
        """All prefixes of one length after another."""
        prefixes, best = [([], 0.0)], ([], -math.inf)
        for _ in range(longest):
            for ids, total in prefixes:
                total += float(log_p[ids[-1] if ids else 0, 0])
                if total > best[1]:
                    best = ([*ids, 0], total)
            prefixes = [
                ([*ids, k], total + float(log_p[ids[-1] if ids else 0, k]))
                for ids, total in prefixes
                for k in range(1, len(log_p))
            ]
        return best

    def by_a_queue(log_p, longest):
        """Uniform-cost search."""
        waiting = [(0.0, [])]
        while True:
            cost, ids = heapq.heappop(waiting)
            if ids[-1:] == [0]:
                return ids, -cost
            newest = ids[-1] if ids else 0
            for k in range(len(log_p) if len(ids) + 1 < longest else 1):
                heapq.heappush(waiting, (cost - float(log_p[newest, k]), [*ids, k]))

    def by_dynamic_programming(log_p, longest):
        """The best way to each token for each length."""
        K = len(log_p)
        best = ([0], float(log_p[0, 0]))
        ways = {k: ([k], float(log_p[0, k])) for k in range(1, K)} if longest > 1 else {}
        for n in range(2, longest + 1):
            for k, (ids, total) in ways.items():
                if total + float(log_p[k, 0]) > best[1]:
                    best = ([*ids, 0], total + float(log_p[k, 0]))
            if n < longest:
                ways = {
                    k: max(
                        (([*ids, k], t + float(log_p[j, k])) for j, (ids, t) in ways.items()),
                        key=lambda each: each[1],
                    )
                    for k in range(1, K)
                }
        return best

    def with_a_tensor(log_p, longest):
        """The sums as a tensor, and the tokens as a tuple."""
        found = list(_sentences(len(log_p), longest))
        sums = [log_p[[END, *ids[:-1]], ids].sum() for ids in found]
        place = max(range(len(sums)), key=lambda i: float(sums[i]))
        return found[place], float(sums[place])

    def no_word_twice(log_p, longest):
        """A sentence without its circles is at least as probable, so permutations are enough."""
        found = [
            [*words, END]
            for n in range(min(longest, len(log_p)))
            for words in itertools.permutations(range(1, len(log_p)), n)
        ]
        return _best(log_p, longest, found=found)


EXERCISE = Exercise(
    id="best_of_all",
    oracle=correct,
    hint="For each number of words from 0 to longest − 1, make all sequences of words. Put 0 "
    "behind each, add up its log-probabilities, and keep the best.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
