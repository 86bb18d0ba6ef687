"""The exercise ``scored_tokens``: what searches cost (C14, C18; chapter 18)."""

from __future__ import annotations

import math

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

ALL, GREEDY, BEAM = "all sequences", "greedy", "beam"
KEYS_GREEDY, KEYS_BEAM = "keys, greedy", "keys, beam"


def cases(draw: Draw) -> list[Case]:
    """Small sizes by hand, one beam, one step, and sizes of real models."""
    return [
        Case("B = 2, K = 3, N = 4", (2, 3, 4), by_hand=True),
        Case("one beam", (1, 5, 6)),
        Case("one step", (4, 10, 1)),
        Case("two steps", (3, 7, 2)),
        Case("as many beams as tokens", (6, 6, 3)),
        Case("a longer sentence", (5, 9, 12)),
        Case("sizes of its own", (draw.size(2, 5), draw.size(7, 9), draw.size(4, 6))),
    ]


def correct(B, K, N):
    """Counts scored tokens, and keys that queries meet."""
    return _with(B, K, N)


def _with(B, K, N, everything=None, greedy=None, beam=None, keys=None, keys_beam=None):
    """The five numbers, with some replaced."""
    keys = N * (N + 1) // 2 if keys is None else keys
    return {
        ALL: K**N if everything is None else everything,
        GREEDY: K * N if greedy is None else greedy,
        BEAM: K * (1 + B * (N - 1)) if beam is None else beam,
        KEYS_GREEDY: keys,
        KEYS_BEAM: 1 + B * (N * (N + 1) // 2 - 1) if keys_beam is None else keys_beam,
    }


class Wrong:
    """What learners write, the more particular before the more general."""

    def beams_at_the_first_step(B, K, N):
        """You count B prefixes at the first step, too. There is only one then, the empty one.

        How many prefixes are continued at step 1, and how many at each of the others?
        """
        return _with(B, K, N, beam=B * K * N, keys_beam=B * N * (N + 1) // 2)

    def beam_by_C(B, K, N):
        """Your beam search scores B K N tokens. That is C's O(BKN), and at the first step there is
        only one prefix.

        How many prefixes are continued at step 1, and how many at each of the others?
        """
        return _with(B, K, N, beam=B * K * N)

    def keys_of_beams_at_the_first_step(B, K, N):
        """Your beam search has B queries at the first step, too. There is only one prefix then.

        How many queries are there at step 1, and how many at each of the others?
        """
        return _with(B, K, N, keys_beam=B * N * (N + 1) // 2)

    def only_candidates(B, K, N):
        """You count the B² candidates. To find the best B tokens of a prefix, all K are scored.

        How many numbers does the softmax compute for one prefix?
        """
        return _with(B, K, N, beam=B * B * N)

    def only_candidates_after_the_first(B, K, N):
        """You count the B² candidates of each later step. To find the best B tokens of a prefix,
        all K are scored.

        How many numbers does the softmax compute for one prefix?
        """
        return _with(B, K, N, beam=K + B * B * (N - 1))

    def two_B_candidates(B, K, N):
        """You count 2B candidates at each step. To find them, all K tokens of each prefix are
        scored.

        How many numbers does the softmax compute for one prefix?
        """
        return _with(B, K, N, beam=2 * B * N)

    def beams_raised(B, K, N):
        """Your beam search grows like a power: as if every prefix were kept.

        After each step, how many prefixes are left?
        """
        return _with(B, K, N, beam=K * B**N)

    def beam_as_greedy(B, K, N):
        """Your beam search scores no more tokens than greedy search.

        Each of B prefixes is continued by K tokens.
        """
        return _with(B, K, N, beam=K * N)

    def beams_added(B, K, N):
        """You add B instead of multiplying by it.

        Each of B prefixes is continued by K tokens.
        """
        return _with(B, K, N, beam=K * N + B)

    def one_step_less(B, K, N):
        """You count N − 1 steps. `<eos>` is chosen in a step as well, and N counts it.

        How many tokens are written?
        """
        return _with(B, K, N, greedy=K * (N - 1), beam=K * (1 + B * (N - 2)))

    def powers_exchanged(B, K, N):
        """Your number of sequences is N to the power of K. Each of N places has K choices.

        With 2 places and 10 choices there are 100 sequences.
        """
        return _with(B, K, N, everything=N**K)

    def all_is_a_product(B, K, N):
        """Your number of sequences is K N. Each of N places has K choices, and every choice can go
        with every other.

        With 2 places and 10 choices there are 100 sequences.
        """
        return _with(B, K, N, everything=K * N)

    def all_shorter_ones_too(B, K, N):
        """You count sequences of every length up to N. The question asks for length N.

        Leave the shorter ones out.
        """
        return _with(B, K, N, everything=sum(K**n for n in range(1, N + 1)))

    def greedy_squared(B, K, N):
        """Your greedy search scores K tokens for each *earlier* token as well.

        With a cache, each step computes one row of K numbers.
        """
        return _with(B, K, N, greedy=K * N * (N + 1) // 2)

    def greedy_once(B, K, N):
        """Your greedy search scores K tokens in all. It does so at every step.

        How many steps are there?
        """
        return _with(B, K, N, greedy=K)

    def keys_squared(B, K, N):
        """You let the query of every step meet all N keys. At step n there are n of them.

        1 + 2 + … + N = ?
        """
        return _with(B, K, N, keys=N * N, keys_beam=1 + B * (N * N - 1))

    def keys_without_its_own(B, K, N):
        """You let the query of step n meet n − 1 keys. It meets its own as well.

        How many keys are there at step 1?
        """
        return _with(
            B, K, N, keys=N * (N - 1) // 2, keys_beam=B * N * (N - 1) // 2
        )  # fmt: skip

    def keys_linear(B, K, N):
        """You count one key at each step. The query meets all keys so far.

        How many does the cache hold at step n?
        """
        return _with(B, K, N, keys=N, keys_beam=1 + B * (N - 1))

    def keys_doubled(B, K, N):
        """Your number of keys is twice too large.

        1 + 2 + 3 = 6, and 3 · 4 = 12.
        """
        return _with(B, K, N, keys=N * (N + 1), keys_beam=2 + 2 * B * (N * (N + 1) // 2 - 1))

    def keys_of_other_beams(B, K, N):
        """You let each beam meet the keys of all beams. A mask hides those of the others.

        How many keys are in the past of one prefix?
        """
        return _with(B, K, N, keys_beam=1 + B * B * (N * (N + 1) // 2 - 1))

    def keys_beam_as_greedy(B, K, N):
        """Your beam search has as many queries as greedy search.

        At each later step there are B prefixes, each with a query of its own.
        """
        return _with(B, K, N, keys_beam=N * (N + 1) // 2)

    def keys_times_vocabulary(B, K, N):
        """You multiply the keys by K. Attention knows no vocabulary.

        A query meets the keys of earlier *positions*.
        """
        right = correct(B, K, N)
        return right | {name: K * right[name] for name in (KEYS_GREEDY, KEYS_BEAM)}

    def first_step_left_out(B, K, N):
        """Your beam search scores nothing at its first step. There it has the empty prefix.

        Add the K tokens of step 1.
        """
        return _with(B, K, N, beam=B * K * (N - 1))

    def prefixes_counted(B, K, N):
        """You count prefixes. For each of them the model computes K log-probabilities.

        Multiply by the size of the vocabulary.
        """
        return _with(B, K, N, greedy=N, beam=1 + B * (N - 1))

    def only_finished_ones(B, K, N):
        """Your sequences have `<eos>` at their end and nowhere else. The question asks for *any* of
        the K tokens at each place.

        Each of N places has K choices.
        """
        return _with(B, K, N, everything=(K - 1) ** (N - 1))

    def all_keys_at_each_step(B, K, N):
        """At each step you let a query meet N keys, those of later steps as well. They do not exist
        yet.

        At step n there are n keys.
        """
        return _with(B, K, N, keys=N * N, keys_beam=N + B * N * (N - 1))

    def keys_of_the_step_before(B, K, N):
        """Your beam search begins its later steps with a single key. Step 2 has two: that of step 1
        and its own.

        2 + 3 + … + N = N (N + 1) / 2 − 1.
        """
        return _with(B, K, N, keys_beam=1 + B * N * (N - 1) // 2)

    def without_a_cache(B, K, N):
        """You let all tokens of the prefix ask again at each step. With a cache, only the newest
        does.

        At step n one query meets n keys.
        """
        squares = sum(n * n for n in range(1, N + 1))
        return _with(B, K, N, keys=squares, keys_beam=1 + B * (squares - 1))


class Right:
    """Right answers, written differently."""

    def with_loops(B, K, N):
        """Walks through the steps."""
        tokens = keys = 0
        for n in range(1, N + 1):
            prefixes = 1 if n == 1 else B
            tokens += prefixes * K
            keys += prefixes * n
        return {
            "all sequences": K**N,
            "greedy": N * K,
            "beam": tokens,
            "keys, greedy": sum(range(N + 1)),
            "keys, beam": keys,
        }

    def multiplied_out(B, K, N):
        """Other forms of the same terms."""
        return {
            "keys, beam": B * (N * N + N) / 2 - B + 1,
            "keys, greedy": (N * N + N) / 2,
            "beam": B * K * N - (B - 1) * K,
            "greedy": K * N,
            "all sequences": K**N,
        }

    def from_greedy(B, K, N):
        """Greedy search is the beam search with one beam."""

        def tokens(beams):
            return K + beams * K * (N - 1)

        def keys(beams):
            return 1 + beams * sum(range(2, N + 1))

        return {
            "all sequences": pow(K, N),
            "greedy": tokens(1),
            "beam": tokens(B),
            "keys, greedy": keys(1),
            "keys, beam": keys(B),
        }

    def as_floats(B, K, N):
        """Numbers with a point."""
        return {name: float(of) for name, of in correct(B, K, N).items()}

    def as_sums(B, K, N):
        """Sums over lists of prefixes."""
        prefixes = [1] + [B] * (N - 1)
        return {
            "keys, beam": sum(n * count for n, count in enumerate(prefixes, 1)),
            "beam": sum(K for count in prefixes for _ in range(count)),
            "keys, greedy": sum(range(1, N + 1)),
            "greedy": len(prefixes) * K,
            "all sequences": math.prod([K] * N),
        }


EXERCISE = Exercise(
    id="scored_tokens",
    oracle=correct,
    hint="Make a table with a row for each step: prefixes that are continued, tokens scored, keys "
    "that each query meets. Then add up the columns.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
