"""The exercise ``learn_joins``: byte pair encoding, learnt from counts of words (chapter 01)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Words to count by hand, repeated letters, ties, pieces that end like others, few pairs."""

    def words(number, letters, longest):
        counts = {}
        while len(counts) < number:
            ids = draw.ids(draw.size(2, longest), lowest=0, highest=len(letters) - 1)
            counts["".join(letters[int(i)] for i in ids)] = draw.size(1, 9)
        return counts

    by_hand = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    within = {"xa": 5, "xab": 2, "ab": 3, "b": draw.size(1, 9)}
    ties = {"zq": 4, "mn": 4, "ba": 4, "ab": 4, "dc": 1, "cd": 1}
    rows = {"aaaaa": 3, "aaab": 2, "baa": 2, "ca": 4}
    return [
        Case("4 words, 4 merges", (by_hand, 4), by_hand=True),
        Case("a single merge", (by_hand, 1)),
        Case("a letter three times in a row", ({"aaa": 2, "ab": 3, "cb": 1}, 1)),
        Case("a letter five times in a row", (rows, 5)),
        Case("a pair more than once in a word", ({"ababab": 2, "cd": 5, "dab": 2}, 3)),
        Case("a piece that ends like another", (within, 3)),
        Case("equally frequent pairs", (ties, 5)),
        Case("one way and the other way", ({"ab": 4, "ba": 3, "cd": 5, "abe": 1}, 3)),
        Case("more merges than there are", ({"den": 2, "en": 1}, 9)),
        Case("words of one letter", ({"a": 5, "i": 2}, 3)),
        Case("12 words of 3 letters", (words(12, "abc", 6), 8)),
        Case("15 words of 5 letters", (words(15, "abcde", 7), 10)),
    ]


def correct(counts, number):
    """Counts all neighbours, merges the most frequent pair everywhere, and starts again."""
    return _learnt(counts, number)


def _first(found):
    """The most frequent pair; of equally frequent ones the first in the alphabet."""
    return min(found, key=lambda pair: (-found[pair], pair))


def _joined(of_word, pair):
    """A word's pieces with a pair made one, from the left."""
    result = []
    for piece in of_word:
        if result and (result[-1], piece) == pair:
            result[-1] += piece
        else:
            result.append(piece)
    return result


def _learnt(counts, number, neighbours: Callable = pairwise, choose=_first, join=_joined, least=1):
    """The method, with steps that can be exchanged."""
    pieces = {word: list(word) for word in counts}
    joins = []
    while len(joins) < number:
        found = Counter()
        for word, of_word in pieces.items():
            for pair in neighbours(of_word):
                found[pair] += counts[word]
        if max(found.values(), default=0) < least:
            break
        joins.append(choose(found))
        pieces = {word: join(of_word, joins[-1]) for word, of_word in pieces.items()}
    return joins


class Wrong:
    """What learners write, the more particular before the more general."""

    def pieces_instead_of_pairs(counts, number):
        """You returned the pieces that the merges make. Return what was merged: pairs (left,
        right).

        *est* may come from *e* + *st* or from *es* + *t*, and to cut a word you must know which.
        """
        return [left + right for left, right in correct(counts, number)]

    def words_counted_once(counts, number):
        """You counted every word once, however often it occurs.

        `counts[word]` tells how often. A pair in a frequent word is a frequent pair.
        """
        return _learnt(dict.fromkeys(counts, 1), number)

    def most_frequent_at_the_start(counts, number):
        """You counted pairs of letters once and took the most frequent ones, without merging
        anything.

        After each merge the words consist of other pieces. Count again.
        """
        found = Counter()
        for word, count in counts.items():
            for pair in pairwise(word):
                found[pair] += count
        return sorted(found, key=lambda pair: (-found[pair], pair))[:number]

    def ties_as_they_came(counts, number):
        """Of equally frequent pairs you took the one that came first in the words.

        The question asks for the one that comes first in the alphabet.
        """
        return _learnt(counts, number, choose=lambda found: max(found, key=lambda pair: found[pair]))

    def ties_from_the_end_of_the_alphabet(counts, number):
        """Of equally frequent pairs you took the last in the alphabet.

        `max` of (count, pair) does that. You want a large count and a small pair.
        """
        return _learnt(counts, number, choose=lambda found: max(found, key=lambda p: (found[p], p)))

    def once_in_each_word(counts, number):
        """You counted a pair once in a word that has it twice.

        Count positions: *banana* has the pair (a, n) at two.
        """
        return _learnt(counts, number, lambda of_word: set(pairwise(of_word)))

    def overlapping_places_left_out(counts, number):
        """You counted the pair (a, a) once in *aaa*, since only one of the two positions can be
        merged.

        The question counts every position at which the pair occurs.
        """

        def neighbours(of_word):
            last = None
            for pair in pairwise(of_word):
                last = None if pair == last else pair
                if last:
                    yield pair

        return _learnt(counts, number, neighbours)

    def joined_once_in_each_word(counts, number):
        """You merged the pair only at its first position in each word.

        Merge it everywhere.
        """

        def join(of_word, pair):
            for i, here in enumerate(pairwise(of_word)):
                if here == pair:
                    return [*of_word[:i], "".join(pair), *of_word[i + 2 :]]
            return of_word

        return _learnt(counts, number, join=join)

    def joined_within_other_pieces(counts, number):
        """You merged the pair (a, b) where the left piece is not *a* but a longer one that ends in
        *a*.

        The text `xa b` contains `a b`. Compare whole pieces, not their letters.
        """

        def join(of_word, pair):
            return " ".join(of_word).replace(" ".join(pair), "".join(pair)).split()

        return _learnt(counts, number, join=join)

    def joined_from_the_right(counts, number):
        """In a row of equal pieces you merged from the right: *aaa* became *a*, *aa*.

        Start on the left.
        """

        def join(of_word, pair):
            backwards = _joined(
                [piece[::-1] for piece in of_word[::-1]], (pair[1][::-1], pair[0][::-1])
            )
            return [piece[::-1] for piece in backwards[::-1]]

        return _learnt(counts, number, join=join)

    def order_within_a_pair_ignored(counts, number):
        """You counted (a, b) and (b, a) as one pair.

        *on* and *no* are different. Keep the order of the two.
        """
        return _learnt(counts, number, lambda of_word: map(tuple, map(sorted, pairwise(of_word))))

    def stops_at_one(counts, number):
        """You stopped when every pair occurred only once. Pairs that occur once are merged too.

        Stop after `number` merges, or when there is no pair left at all.
        """
        return _learnt(counts, number, least=2)

    def letters_counted_as_joins(counts, number):
        """You stopped when letters and merges together were `number`, as for the size of a
        vocabulary.

        Return `number` *merges*.
        """
        return _learnt(counts, number - len(set("".join(counts))))

    def stops_where_nothing_is_left(counts, number):
        """When all words were whole and no pair was left, your function failed.

        Check that there is a pair before you look for the most frequent one.
        """
        return _learnt(counts, number, least=0)


class Right:
    """Right answers, written differently."""

    def with_loops(counts, number):
        """Indices and lists."""
        words = [(list(word), count) for word, count in counts.items()]
        joins = []
        for _ in range(number):
            how_often = {}
            for pieces, count in words:
                for i in range(len(pieces) - 1):
                    pair = (pieces[i], pieces[i + 1])
                    how_often[pair] = how_often.get(pair, 0) + count
            if not how_often:
                break
            most = max(how_often.values())
            best = sorted(pair for pair, count in how_often.items() if count == most)[0]
            joins.append(best)
            for pieces, _ in words:
                i = 0
                while i < len(pieces) - 1:
                    if (pieces[i], pieces[i + 1]) == best:
                        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
                    i += 1
        return joins

    def with_spaces_and_patterns(counts, number):
        """Words as text with spaces; a pattern that matches whole pieces only."""
        text = {" ".join(word): count for word, count in counts.items()}
        joins = []
        while len(joins) < number:
            found = Counter()
            for word, count in text.items():
                pieces = word.split()
                for pair in pairwise(pieces):
                    found[pair] += count
            if not found:
                break
            left, right = sorted(found.items(), key=lambda item: (-item[1], item[0]))[0][0]
            joins.append((left, right))
            whole = re.compile(rf"(?<!\S){re.escape(left)} {re.escape(right)}(?!\S)")
            text = {whole.sub(left + right, word): count for word, count in text.items()}
        return joins

    def by_recursion(counts, number):
        """The first merge, and then those of the merged words."""

        def rest(words, number):
            found = Counter()
            for pieces, count in words:
                for left, right in pairwise(pieces):
                    found[left, right] += count
            if not found or not number:
                return []
            best = sorted(found, key=lambda pair: (-found[pair], pair))[0]
            return [best, *rest([(tuple(_joined(p, best)), c) for p, c in words], number - 1)]

        return rest([(tuple(word), count) for word, count in counts.items()], number)

    def with_lists_for_pairs(counts, number):
        """Another kind of sequence."""
        return tuple([left, right] for left, right in Right.with_loops(counts, number))


EXERCISE = Exercise(
    id="learn_joins",
    oracle=correct,
    hint="Do it on paper. Write each word as letters with gaps. Count neighbours, each as often "
    "as its word occurs. Close the gap of the most frequent pair everywhere. Count again.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
