"""The exercise ``cut``: a word cut by merges that were learnt before (chapter 01)."""

from __future__ import annotations

import re
from itertools import pairwise

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.chapters.problem_setup.exercises.learn_joins import correct as learnt


def cases(draw: Draw) -> list[Case]:
    """Merges by hand, in an order that matters, at several positions; and merges of drawn words."""

    def word(length, letters="abc"):
        ids = draw.ids(length, lowest=0, highest=len(letters) - 1)
        return "".join(letters[int(i)] for i in ids)

    joins = learnt({word(draw.size(2, 6)): draw.size(1, 9) for _ in range(14)}, 12)
    by_hand = [("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w")]
    banana = [("a", "n"), ("an", "a"), ("b", "an")]
    middle = [("b", "c"), ("bc", "d"), ("a", "b")]
    within = [("x", "a"), ("a", "b"), ("ab", "c")]
    return [
        Case("a word of two pieces", ("lowest", by_hand), by_hand=True),
        Case("a word whose first letters are in no merge", ("interest", by_hand)),
        Case("a letter that was never seen", ("löwest", by_hand)),
        Case("a merge at several positions", ("banananas", banana)),
        Case("a merge that takes a letter from another", ("abcd", middle)),
        Case("letters three and five times in a row", ("aaabaaaaa", [("a", "a"), ("a", "b")])),
        Case("rows of rows", ("aaaaaaa", [("a", "a"), ("aa", "a"), ("aa", "aa")])),
        Case("a piece that ends like another", ("xabcab", within)),
        Case("no merge that fits", ("zoo", by_hand)),
        Case("no merges", ("low", [])),
        Case("a single letter", ("s", by_hand)),
        Case("9 letters, 12 merges", (word(9), joins)),
        Case("14 letters, 12 merges", (word(14), joins)),
        Case("11 letters, one of them new", (word(11, "abcd"), joins)),
    ]


def correct(word, joins):
    """One merge after the other, each wherever it fits, from the left."""
    pieces = list(word)
    for pair in joins:
        pieces = _joined(pieces, tuple(pair))
    return pieces


def _joined(pieces, pair):
    """The pieces with a pair made one, from the left."""
    result = []
    for piece in pieces:
        if result and (result[-1], piece) == pair:
            result[-1] += piece
        else:
            result.append(piece)
    return result


class Wrong:
    """What learners write, the more particular before the more general."""

    def as_text(word, joins):
        """You returned the right pieces as one text, with spaces between them.

        Return them as a list.
        """
        return " ".join(correct(word, joins))

    def only_as_numbers(word, joins):
        """You returned the number of pieces.

        Return the pieces themselves, in a list.
        """
        return len(correct(word, joins))

    def longest_piece_first(word, joins):
        """You took the longest known piece that fits, from the left, again and again.

        That ignores the order in which the merges were learnt. An earlier merge may have taken one
        of the letters.
        """
        known = {left + right for left, right in joins}
        pieces = []
        while word:
            fits = [size for size in range(1, len(word) + 1) if size == 1 or word[:size] in known]
            pieces.append(word[: max(fits)])
            word = word[max(fits) :]
        return pieces

    def leftmost_pair_first(word, joins):
        """You merged the leftmost two neighbours that any merge fits, and started again on the
        left.

        The order in which the merges were learnt decides which comes first, not their position in
        the word.
        """
        known, pieces = set(map(tuple, joins)), list(word)
        while places := [i for i, pair in enumerate(pairwise(pieces)) if pair in known]:
            pieces[places[0] : places[0] + 2] = ["".join(pieces[places[0] : places[0] + 2])]
        return pieces

    def grown_from_the_left(word, joins):
        """You went through the word once and let each piece grow as long as some merge allowed it.

        The order of the merges decides. Loop over the *merges*, and for each of them over the word.
        """
        known, pieces = set(map(tuple, joins)), []
        for letter in word:
            if pieces and (pieces[-1], letter) in known:
                pieces[-1] += letter
            else:
                pieces.append(letter)
        return pieces

    def last_learnt_first(word, joins):
        """You applied the merges from the last to the first.

        A later merge needs pieces that an earlier one has made. Where must you start?
        """
        return correct(word, joins[::-1])

    def once_for_each_join(word, joins):
        """You applied each merge only at the first position where it fits.

        Apply it wherever it fits before you go on to the next.
        """
        pieces = list(word)
        for pair in joins:
            for i, here in enumerate(pairwise(pieces)):
                if here == tuple(pair):
                    pieces[i : i + 2] = ["".join(here)]
                    break
        return pieces

    def stops_where_one_does_not_fit(word, joins):
        """You stopped at the first merge that does not fit.

        Most merges fit nowhere in a word. Go on to the next.
        """
        pieces = list(word)
        for pair in joins:
            if tuple(pair) not in pairwise(pieces):
                break
            pieces = _joined(pieces, tuple(pair))
        return pieces

    def stops_after_one_that_fits(word, joins):
        """You stopped after the first merge that fits.

        Is there a `return` or a `break` too early?
        """
        pieces = list(word)
        for pair in joins:
            if tuple(pair) in pairwise(pieces):
                return _joined(pieces, tuple(pair))
        return pieces

    def joined_within_other_pieces(word, joins):
        """You merged the pair (a, b) where the left piece is not *a* but a longer one that ends in
        *a*.

        The text `xa b` contains `a b`. Compare whole pieces, not their letters.
        """
        text = " ".join(word)
        for left, right in joins:
            text = text.replace(f"{left} {right}", left + right)
        return text.split()

    def unknown_letters_lost(word, joins):
        """You lost the letters that are in no merge.

        Such a letter stays as it is. The pieces together must give the word back.
        """
        known = {letter for pair in joins for letter in "".join(pair)}
        return [piece for piece in correct(word, joins) if piece in known or len(piece) > 1]

    def from_the_right(word, joins):
        """In a row of equal letters you merged from the right.

        Start on the left, as in learning: *aaa* becomes *aa*, *a*.
        """
        pieces = list(word)
        for left, right in joins:
            turned = [piece[::-1] for piece in pieces[::-1]]
            pieces = [p[::-1] for p in _joined(turned, (right[::-1], left[::-1]))[::-1]]
        return pieces

    def whole_or_letters(word, joins):
        """You kept a word whole if it is a known piece, and cut every other word into letters.

        Most words lie in between: *lowest* is two pieces.
        """
        return [word] if word in {left + right for left, right in joins} else list(word)

    def letters_only_joined_once(word, joins):
        """You merged single letters only. A piece of two letters was never merged again.

        After each merge, go on with the pieces that it has made.
        """
        letters = [pair for pair in joins if len("".join(pair)) == 2]
        return correct(word, letters)


class Right:
    """Right answers, written differently."""

    def lowest_rank_first(word, joins):
        """Looks for the earliest merge that fits, as long as there is one."""
        rank = {tuple(pair): i for i, pair in enumerate(joins)}
        pieces = list(word)
        while True:
            found = [rank[pair] for pair in pairwise(pieces) if pair in rank]
            if not found:
                return pieces
            pieces = _joined(pieces, tuple(joins[min(found)]))

    def in_place(word, joins):
        """Indices."""
        pieces = list(word)
        for left, right in joins:
            i = 0
            while i + 1 < len(pieces):
                if pieces[i] == left and pieces[i + 1] == right:
                    pieces[i] = left + right
                    del pieces[i + 1]
                i += 1
        return pieces

    def with_patterns(word, joins):
        """Text with spaces, and patterns that match whole pieces only."""
        text = " ".join(word)
        for left, right in joins:
            pattern = rf"(?<!\S){re.escape(left)} {re.escape(right)}(?!\S)"
            text = re.sub(pattern, left + right, text)
        return text.split()

    def by_recursion(word, joins):
        """The first merge, then the others."""

        def done(pieces, joins):
            if not joins or len(pieces) < 2:
                return pieces
            (left, right), *others = joins
            made = []
            i = 0
            while i < len(pieces):
                fits = pieces[i : i + 2] == (left, right)
                made.append(left + right if fits else pieces[i])
                i += 2 if fits else 1
            return done(tuple(made), others)

        return done(tuple(word), list(joins))


EXERCISE = Exercise(
    id="cut",
    oracle=correct,
    hint="Write the word as letters with gaps. Take the merges one by one, in their order, and "
    "close the gap wherever the two pieces of the merge stand on either side of it.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
