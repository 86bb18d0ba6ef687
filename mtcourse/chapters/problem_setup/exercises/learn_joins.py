"""The exercise ``learn_joins``: byte pair encoding, learnt from counts of words (chapter 1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
    prefix = {"ab": 9, "az": 3, "abc": 3}  # ("a", "z") comes before ("ab", "c")
    capitals = {"Ba": 2, "ba": 2, "ca": 3, "Za": 2}
    same_left = {"ac": 2, "ab": 2, "bc": 2}
    early = {"abcd": 6, "bcd": 5, "e": 4, "xe": 1, "xyz": 1}
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
        Case("a left part that begins like another", (prefix, 3)),
        Case("capitals", (capitals, 4)),
        Case("equally frequent pairs with the same left part", (same_left, 3)),
        Case("a full stop in a word", ({"a.": 4, "ab": 3, ".b": 1}, 3)),
        Case("some words whole before others", (early, 6)),
        Case("one word three times, three words once", ({"ab": 3, "cd": 1, "ce": 1, "cdf": 1}, 2)),
        Case("a piece between two others", ({"bab": 2, "abab": 3, "ba": 1}, 4)),
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


def _learnt(
    counts,
    number,
    neighbours: Callable = pairwise,
    choose=_first,
    join=_joined,
    least=1,
    start: Callable = list,
):
    """The method, with steps that can be exchanged."""
    pieces = {word: start(word) for word in counts}
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
        return _learnt(
            counts, number, choose=lambda found: max(found, key=lambda pair: found[pair])
        )

    def ties_from_the_end_of_the_alphabet(counts, number):
        """Of equally frequent pairs you took the last in the alphabet.

        `max` of (count, pair) does that. You want a large count and a small pair.
        """
        return _learnt(counts, number, choose=lambda found: max(found, key=lambda p: (found[p], p)))

    def once_in_each_word(counts, number):
        """You counted a pair once in a word that has it twice.

        Count positions: *banana* has the pair (a, n) at two of them.
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
        """You merged the pair (a, b) within longer pieces: where the left one only ends in *a*, or
        the right one only begins with *b*.

        The texts `xa b` and `a bc` contain `a b`. Compare whole pieces, not their letters.
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

    def joined_texts_compared(counts, number):
        """Of equally frequent pairs you took the one whose *joined* text comes first.

        Compare the left parts first, and then the right parts: (a, z) comes before (ab, c).
        """
        return _learnt(
            counts,
            number,
            choose=lambda found: min(found, key=lambda pair: (-found[pair], "".join(pair), pair)),
        )

    def right_parts_compared_first(counts, number):
        """Of equally frequent pairs you took the one whose *right* part comes first.

        Compare the left parts first, and then the right parts.
        """
        return _learnt(
            counts, number, choose=lambda found: min(found, key=lambda p: (-found[p], p[1], p[0]))
        )

    def left_parts_compared_alone(counts, number):
        """Of equally frequent pairs you compared only the left parts.

        If the left parts are equal, the right parts decide.
        """
        return _learnt(
            counts,
            number,
            choose=lambda found: min(found, key=lambda pair: (-found[pair], pair[0])),
        )

    def longer_pieces_first_in_ties(counts, number):
        """Of equally frequent pairs you took the longest.

        The question asks for the one that comes first in the alphabet.
        """
        return _learnt(
            counts,
            number,
            choose=lambda found: min(found, key=lambda p: (-found[p], -len("".join(p)), p)),
        )

    def last_of_those_that_came(counts, number):
        """Of equally frequent pairs you took the one that came last in the words.

        The question asks for the one that comes first in the alphabet.
        """

        def choose(found):
            most = max(found.values())
            return [pair for pair in found if found[pair] == most][-1]

        return _learnt(counts, number, choose=choose)

    def capitals_lowered_in_ties(counts, number):
        """Of equally frequent pairs you took the first as if there were no capitals.

        Compare pairs as Python compares them. There, *Z* comes before *a*.
        """

        def choose(found):
            return min(found, key=lambda pair: (-found[pair], [part.lower() for part in pair]))

        return _learnt(counts, number, choose=choose)

    def first_in_the_alphabet(counts, number):
        """You took the pair that comes first in the alphabet, however often it occurs.

        The alphabet decides only between equally frequent pairs.
        """
        return _learnt(counts, number, choose=min)

    def rarest_first(counts, number):
        """You merged the rarest pair.

        The most frequent one comes first. Which of `min` and `max` do you need for the count?
        """
        return _learnt(
            counts, number, choose=lambda found: min(found, key=lambda pair: (found[pair], pair))
        )

    def lowered(counts, number):
        """You turned capitals into small letters, and so counted different words as one.

        Count the words as they are given.
        """
        small = Counter()
        for word, count in counts.items():
            small[word.lower()] += count
        return _learnt(small, number)

    def end_of_word_marked(counts, number):
        """You added a piece of its own at the end of each word, such as `</w>`.

        Some programs do that. Here a word is the row of its letters, and nothing else.
        """
        return _learnt(counts, number, start=lambda word: [*word, "</w>"])

    def end_of_word_marked_at_the_letter(counts, number):
        """You marked the last letter of each word, as in `t</w>`.

        Some programs do that. Here a word is the row of its letters, and nothing else.
        """
        return _learnt(counts, number, start=lambda word: [*word[:-1], word[-1] + "</w>"])

    def beginning_of_word_marked(counts, number):
        """You put a piece ▁ of its own at the beginning of each word.

        The course's tokenizer does that. Here a word is the row of its letters, and nothing else.
        """
        return _learnt(counts, number, start=lambda word: ["▁", *word])

    def words_strung_together(counts, number):
        """You put all words into one row, so pairs reach from one word into the next.

        Neighbours stand in the same word. Count each word by itself.
        """
        return _learnt({"".join(word * count for word, count in counts.items()): 1}, number)

    def words_strung_together_once(counts, number):
        """You put all words into one row, each once, so pairs reach from one word into the next.

        Neighbours stand in the same word, and a word that occurs five times counts five times.
        """
        return _learnt({"".join(counts): 1}, number)

    def spaces_are_letters(counts, number):
        """You put all words into one text, and count the space between two words as a letter.

        Neighbours stand in the same word. Count each word by itself.
        """
        text = " ".join(word for word, count in counts.items() for _ in range(count))
        return _learnt({text: 1}, number)

    def words_that_have_it_counted(counts, number):
        """You counted the different words that have a pair.

        Count every position, and a word that occurs five times counts five times.
        """
        return _learnt(dict.fromkeys(counts, 1), number, lambda of_word: set(pairwise(of_word)))

    def side_by_side(counts, number):
        """You cut each word into pairs side by side: the first two pieces, the next two, and so on.

        A pair of neighbours begins at *every* position but the last.
        """
        return _learnt(
            counts, number, lambda of_word: zip(of_word[::2], of_word[1::2], strict=False)
        )

    def last_pair_forgotten(counts, number):
        """You did not count the last pair of neighbours of each word.

        A word of n pieces has n - 1 pairs. At which position does the last one begin?
        """
        return _learnt(counts, number, lambda of_word: pairwise(of_word[:-1]))

    def first_pair_forgotten(counts, number):
        """You did not count the first pair of neighbours of each word.

        A word of n pieces has n - 1 pairs. At which position does the first one begin?
        """
        return _learnt(counts, number, lambda of_word: pairwise(of_word[1:]))

    def last_pair_not_joined(counts, number):
        """You count the last pair of neighbours of a word, but do not merge it.

        At which position does the last pair begin? Does your loop get there?
        """

        def join(of_word, pair):
            result, i = list(of_word), 0
            while i < len(result) - 2:
                if (result[i], result[i + 1]) == pair:
                    result[i : i + 2] = ["".join(pair)]
                i += 1
            return result

        return _learnt(counts, number, join=join)

    def letters_used_twice(counts, number):
        """In a row of equal pieces you used a piece twice: *aaa* became *aa*, *aa*.

        After a merge, go on behind both of its pieces.
        """

        def join(of_word, pair):
            result, used = [], False
            for i, piece in enumerate(of_word):
                if tuple(of_word[i : i + 2]) == pair:
                    result.append("".join(pair))
                    used = True
                elif used:
                    used = False
                else:
                    result.append(piece)
            return result

        return _learnt(counts, number, join=join)

    def joined_as_patterns(counts, number):
        """You used the pieces as a regular expression, in which a full stop stands for any
        character.

        Compare pieces with `==`, or escape them.
        """

        def join(of_word, pair):
            pattern = rf"(?<!\S){pair[0]} {pair[1]}(?!\S)"
            return re.sub(pattern, "".join(pair), " ".join(of_word)).split()

        return _learnt(counts, number, join=join)

    def never_joined(counts, number):
        """You learn the same pair again and again: the words stay as they were.

        Merge the pair in every word before you count again.
        """
        return _learnt(counts, number, join=lambda of_word, pair: of_word)

    def pieces_never_joined_again(counts, number):
        """You merge only single letters. A piece that was merged is left out from then on.

        After each merge, a piece is a neighbour like any other.
        """
        return _learnt(
            counts,
            number,
            lambda of_word: (pair for pair in pairwise(of_word) if len("".join(pair)) == 2),
        )

    def old_counts_kept(counts, number):
        """You added each count to those of the rounds before.

        After a merge the words consist of other pieces. Begin each round with no counts.
        """
        pieces = {word: list(word) for word in counts}
        found, joins = Counter(), []
        for _ in range(number):
            for word, of_word in pieces.items():
                for pair in pairwise(of_word):
                    found[pair] += counts[word]
            left = {pair: count for pair, count in found.items() if pair not in joins}
            if not left:
                break
            joins.append(_first(left))
            pieces = {word: _joined(of_word, joins[-1]) for word, of_word in pieces.items()}
        return joins

    def both_orders_added_up(counts, number):
        """You added the count of (b, a) to that of (a, b).

        *on* and *no* are different. Keep the order of the two.
        """

        def choose(found):
            both = {
                pair: found[pair] + (found[pair[::-1]] if len({*pair}) > 1 else 0) for pair in found
            }
            return _first(both)

        return _learnt(counts, number, choose=choose)

    def stops_when_one_word_is_whole(counts, number):
        """You stopped as soon as one of the words was whole.

        Go on as long as *any* word has two pieces.
        """
        pieces, joins = {word: list(word) for word in counts}, []
        while len(joins) < number and all(len(of_word) > 1 for of_word in pieces.values()):
            found = Counter()
            for word, of_word in pieces.items():
                for pair in pairwise(of_word):
                    found[pair] += counts[word]
            joins.append(_first(found))
            pieces = {word: _joined(of_word, joins[-1]) for word, of_word in pieces.items()}
        return joins

    def one_too_few(counts, number):
        """You stopped one merge too early.

        Return `number` merges, if there are as many.
        """
        return _learnt(counts, number - 1)

    def one_too_many(counts, number):
        """You stopped one merge too late.

        Return no more than `number` merges.
        """
        return _learnt(counts, number + 1)

    def in_the_order_of_the_alphabet(counts, number):
        """You sorted the merges.

        Return them in the order in which you learnt them.
        """
        return sorted(correct(counts, number))

    def last_learnt_first(counts, number):
        """You return the merges from the last to the first.

        Return them in the order in which you learnt them.
        """
        return correct(counts, number)[::-1]

    def as_text(counts, number):
        """You return each merge as one text, with a space between its parts.

        Return pairs (left, right).
        """
        return [" ".join(pair) for pair in correct(counts, number)]

    def words_as_they_are_cut(counts, number):
        """You return the words, cut into pieces.

        Return the merges, in the order in which you learnt them.
        """
        pieces = {word: list(word) for word in counts}
        for pair in correct(counts, number):
            pieces = {word: _joined(of_word, pair) for word, of_word in pieces.items()}
        return pieces

    def shorter_pieces_first_in_ties(counts, number):
        """Of equally frequent pairs you took the shortest.

        The question asks for the one that comes first in the alphabet.
        """
        return _learnt(
            counts,
            number,
            choose=lambda found: min(found, key=lambda p: (-found[p], len("".join(p)), p)),
        )

    def length_times_count(counts, number):
        """You took the pair with the largest count times length.

        The most frequent pair comes first, however long it is.
        """
        return _learnt(
            counts,
            number,
            choose=lambda found: min(found, key=lambda p: (-found[p] * len("".join(p)), p)),
        )

    def last_left_part_first_right_part(counts, number):
        """Of equally frequent pairs you took the last left part in the alphabet, and the first
        right part.

        Compare whole pairs. You want a large count and a small pair.
        """
        return _learnt(
            counts,
            number,
            choose=lambda found: min(
                found, key=lambda p: (-found[p], [-ord(one) for one in p[0]], p[1])
            ),
        )

    def words_in_order_and_ties_as_they_came(counts, number):
        """Of equally frequent pairs you took the one that comes first in the words, which you had
        sorted.

        The pairs are compared, not the words.
        """
        return _learnt(
            dict(sorted(counts.items())), number, choose=lambda found: max(found, key=found.get)
        )

    def runs_joined_as_a_whole(counts, number):
        """You compare only the *end* of the left piece, so a whole row of equal pieces is merged at
        once: *aaa* becomes one piece.

        A merge joins two pieces. Go on behind them.
        """

        def join(of_word, pair):
            result = []
            for piece in of_word:
                if result and result[-1].endswith(pair[0]) and piece == pair[1]:
                    result[-1] += piece
                else:
                    result.append(piece)
            return result

        return _learnt(counts, number, join=join)

    def joined_by_their_text_in_the_word(counts, number):
        """You look for the merged text in the word, whatever its pieces are.

        Compare whole pieces with the pair.
        """

        def join(of_word, pair):
            whole = "".join(pair)
            parts = re.split(f"({re.escape(whole)})", "".join(of_word))
            return [one for part in parts for one in ([part] if part == whole else part)]

        return _learnt(counts, number, join=join)

    def letters_and_pieces(counts, number):
        """You return a vocabulary: letters and merged pieces.

        Return the merges, pairs (left, right).
        """
        return sorted({*"".join(counts)}) + ["".join(pair) for pair in correct(counts, number)]

    def as_a_dictionary(counts, number):
        """You return a dictionary.

        Return a list of pairs, in the order in which you learnt them.
        """
        return {pair: i for i, pair in enumerate(correct(counts, number))}

    def filled_up(counts, number):
        """You fill the list up to `number` where no pair is left.

        Stop when no word has two pieces.
        """
        joins = correct(counts, number)
        return joins + [None] * (number - len(joins))

    def stops_while_it_shortens(counts, number):
        """Your function stops with an error: you go through a list by its old length while you
        shorten it.

        After a merge the list has one piece less. Use `while`, or build a new list.
        """

        def join(of_word, pair):
            result = list(of_word)
            for i in range(len(result) - 1):
                if (result[i], result[i + 1]) == pair:
                    result[i : i + 2] = ["".join(pair)]
            return result

        return _learnt(counts, number, join=join)

    def with_how_often(counts, number):
        """You return each merge with its count.

        Return pairs (left, right).
        """
        found = {}
        pieces = {word: list(word) for word in counts}
        for pair in correct(counts, number):
            rows = pieces.items()
            found[pair] = sum(counts[word] * list(pairwise(row)).count(pair) for word, row in rows)
            pieces = {word: _joined(row, pair) for word, row in rows}
        return list(found.items())


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
