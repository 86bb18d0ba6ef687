"""The exercise ``cut``: a word cut by joins that were learnt before (chapter 01)."""

from __future__ import annotations

import re
from itertools import pairwise

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.checks.problem_setup.learn_joins import correct as learnt


def cases(draw: Draw) -> list[Case]:
    """Joins by hand, in an order that matters, at several places; and joins of drawn words."""

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
        Case("a word whose first letters are in no join", ("interest", by_hand)),
        Case("a letter that was never seen", ("löwest", by_hand)),
        Case("a join at several places", ("banananas", banana)),
        Case("a join that takes a letter from another", ("abcd", middle)),
        Case("letters three and five times in a row", ("aaabaaaaa", [("a", "a"), ("a", "b")])),
        Case("rows of rows", ("aaaaaaa", [("a", "a"), ("aa", "a"), ("aa", "aa")])),
        Case("a piece that ends like another", ("xabcab", within)),
        Case("no join that fits", ("zoo", by_hand)),
        Case("no joins", ("low", [])),
        Case("a single letter", ("s", by_hand)),
        Case("9 letters, 12 joins", (word(9), joins)),
        Case("14 letters, 12 joins", (word(14), joins)),
        Case("11 letters, one of them new", (word(11, "abcd"), joins)),
    ]


def correct(word, joins):
    """One join after the other, each wherever it fits, from the left."""
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


# --- wrong ---------------------------------------------------------------------------------------


def as_text(word, joins):
    """These are the right pieces in one text, with spaces between them.

    Asked for is a list.
    """
    return " ".join(correct(word, joins))


def only_as_numbers(word, joins):
    """This is how many pieces there are.

    Asked for are the pieces themselves, in a list.
    """
    return len(correct(word, joins))


def longest_piece_first(word, joins):
    """You took the longest known piece that fits, from the left, again and again.

    That uses the pieces and forgets in which order they were learnt. An earlier join may have taken
    a letter away.
    """
    known = {left + right for left, right in joins}
    pieces = []
    while word:
        fits = [size for size in range(1, len(word) + 1) if size == 1 or word[:size] in known]
        pieces.append(word[: max(fits)])
        word = word[max(fits) :]
    return pieces


def leftmost_pair_first(word, joins):
    """You joined the first two neighbours that may be joined at all, and began again on the left.

    Which join is done first is decided by the order in which they were learnt, and not by the
    place.
    """
    known, pieces = set(map(tuple, joins)), list(word)
    while places := [i for i, pair in enumerate(pairwise(pieces)) if pair in known]:
        pieces[places[0] : places[0] + 2] = ["".join(pieces[places[0] : places[0] + 2])]
    return pieces


def grown_from_the_left(word, joins):
    """You went through the word once and let each piece grow while a join allowed it.

    The order of the joins decides. Go through the *joins*, and for each through the word.
    """
    known, pieces = set(map(tuple, joins)), []
    for letter in word:
        if pieces and (pieces[-1], letter) in known:
            pieces[-1] += letter
        else:
            pieces.append(letter)
    return pieces


def last_learnt_first(word, joins):
    """The joins were applied from the last to the first.

    A later join needs pieces that an earlier one has made. Where must you begin?
    """
    return correct(word, joins[::-1])


def once_for_each_join(word, joins):
    """Each join was done at its first place only.

    Do it wherever it fits, before you go on to the next.
    """
    pieces = list(word)
    for pair in joins:
        for i, here in enumerate(pairwise(pieces)):
            if here == tuple(pair):
                pieces[i : i + 2] = ["".join(here)]
                break
    return pieces


def stops_where_one_does_not_fit(word, joins):
    """You stopped at the first join that does not fit.

    Most joins fit nowhere in a word. Go on to the next.
    """
    pieces = list(word)
    for pair in joins:
        if tuple(pair) not in pairwise(pieces):
            break
        pieces = _joined(pieces, tuple(pair))
    return pieces


def stops_after_one_that_fits(word, joins):
    """You stopped after the first join that fits.

    Is there a `return` or a `break` too early?
    """
    pieces = list(word)
    for pair in joins:
        if tuple(pair) in pairwise(pieces):
            return _joined(pieces, tuple(pair))
    return pieces


def joined_within_other_pieces(word, joins):
    """The pair (a, b) was joined although the piece there was not *a*, but a longer one that ends
    in *a*.

    In the text `xa b` stands `a b`, too. Compare whole pieces, and not their letters.
    """
    text = " ".join(word)
    for left, right in joins:
        text = text.replace(f"{left} {right}", left + right)
    return text.split()


def unknown_letters_lost(word, joins):
    """Letters that are in no join are gone.

    A letter that joins with nothing stays as it is. The pieces together must give the word back.
    """
    known = {letter for pair in joins for letter in "".join(pair)}
    return [piece for piece in correct(word, joins) if piece in known or len(piece) > 1]


def from_the_right(word, joins):
    """In a row of equal letters you joined from the right.

    Begin on the left, as in learning: *aaa* becomes *aa*, *a*.
    """
    pieces = list(word)
    for left, right in joins:
        turned = [piece[::-1] for piece in pieces[::-1]]
        pieces = [p[::-1] for p in _joined(turned, (right[::-1], left[::-1]))[::-1]]
    return pieces


def whole_or_letters(word, joins):
    """A word that is a known piece stays whole, and all others fall into letters.

    What lies between is the point of it: *lowest* is two pieces.
    """
    return [word] if word in {left + right for left, right in joins} else list(word)


def letters_only_joined_once(word, joins):
    """Only letters were joined with letters. A piece of two letters was never joined on.

    After each join, go on with what it has made.
    """
    letters = [pair for pair in joins if len("".join(pair)) == 2]
    return correct(word, letters)


# --- right ---------------------------------------------------------------------------------------


def lowest_rank_first(word, joins):
    """Looks for the earliest join that fits, as long as there is one."""
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
    """Text with spaces, and patterns that see to whole pieces."""
    text = " ".join(word)
    for left, right in joins:
        pattern = rf"(?<!\S){re.escape(left)} {re.escape(right)}(?!\S)"
        text = re.sub(pattern, left + right, text)
    return text.split()


def by_recursion(word, joins):
    """The first join, then the others."""

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
    hint="Write the word as letters with gaps. Take the joins one by one, in their order, and "
    "close the gap wherever the two pieces of the join stand on its sides.",
    misconceptions=(
        as_text,
        only_as_numbers,
        longest_piece_first,
        leftmost_pair_first,
        grown_from_the_left,
        last_learnt_first,
        once_for_each_join,
        stops_where_one_does_not_fit,
        stops_after_one_that_fits,
        joined_within_other_pieces,
        unknown_letters_lost,
        from_the_right,
        whole_or_letters,
        letters_only_joined_once,
    ),
    right=(lowest_rank_first, in_place, with_patterns, by_recursion),
    cases=cases,
)
