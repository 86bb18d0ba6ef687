"""The exercise ``cut``: a word cut by merges that were learnt before (chapter 1)."""

from __future__ import annotations

import re
from itertools import pairwise

from mtcourse.chapters.problem_setup.exercises.learn_joins import correct as learnt
from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


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
    marks = [("a", "."), ("a", "b"), ("a.", ".")]
    return [  # merges that can be learnt, in this order
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
        Case("capitals", ("LOWest", [*by_hand, ("L", "O")])),
        Case("letters between those of a merge", ("exstlow", by_hand)),
        Case("full stops", ("ab.a..", marks)),
        Case("the first merge at the end", ("lowes", by_hand)),
        Case("the last merge fits", ("low", by_hand)),
        Case("the first merge alone", ("ese", [("e", "s")])),
        Case("a mark that begins a word", ("▁low▁", [("▁", "l"), ("o", "w"), ("▁l", "ow")])),
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
        """You merged the leftmost pair of neighbours that matches any merge, and started again on
        the left.

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
        """You merged the pair (a, b) within longer pieces: where the left one only ends in *a*, or
        the right one only begins with *b*.

        The texts `xa b` and `a bc` contain `a b`. Compare whole pieces, not their letters.
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

    def longest_piece_from_the_right(word, joins):
        """You took the longest known piece that fits, from the right, again and again.

        That ignores the order in which the merges were learnt. An earlier merge may have taken one
        of the letters.
        """
        known, pieces = {left + right for left, right in joins}, []
        while word:
            fits = [start for start in range(len(word)) if word[start:] in known]
            start = min(fits, default=len(word) - 1)
            pieces.insert(0, word[start:])
            word = word[:start]
        return pieces

    def unknown_letters_lost_at_first(word, joins):
        """You left out the letters that are in no merge before you began, so that their neighbours
        came together.

        Such a letter stays as it is, at its position.
        """
        known = {letter for pair in joins for letter in "".join(pair)}
        return correct([letter for letter in word if letter in known], joins)

    def unknown_letters_as_unk(word, joins):
        """You put `<unk>` in place of the letters that are in no merge.

        Such a letter stays as it is. The pieces together must give the word back.
        """
        known = {letter for pair in joins for letter in "".join(pair)}
        return correct([letter if letter in known else "<unk>" for letter in word], joins)

    def single_letters_lost(word, joins):
        """You returned only the pieces that merges have made.

        A letter that was not merged stays as it is. The pieces together must give the word back.
        """
        return [piece for piece in correct(word, joins) if len(piece) > 1]

    def beginning_marked(word, joins):
        """You put ▁ before the word.

        If a word has such a mark, it stands in the word already.
        """
        return correct("▁" + word, joins)

    def end_marked(word, joins):
        """You put a mark such as `</w>` behind the word.

        The pieces together must give the word back, and nothing else.
        """
        return correct([*word, "</w>"], joins)

    def lowered(word, joins):
        """You turned capitals into small letters.

        Put together, the pieces must give the word back.
        """
        return correct(word.lower(), joins)

    def last_pair_not_looked_at(word, joins):
        """You never merge the last two pieces.

        At which position does the last pair begin? Does your loop get there?
        """
        pieces = list(word)
        for pair in joins:
            i = 0
            while i < len(pieces) - 2:
                if (pieces[i], pieces[i + 1]) == tuple(pair):
                    pieces[i : i + 2] = ["".join(pair)]
                i += 1
        return pieces

    def first_pair_not_looked_at(word, joins):
        """You never merge the first two pieces.

        At which position does the first pair begin? Does your loop start there?
        """
        pieces = list(word)
        for pair in joins:
            pieces = pieces[:1] + _joined(pieces[1:], tuple(pair))
        return pieces

    def letters_side_by_side(word, joins):
        """You went through the word once and merged single letters only.

        Loop over the *merges*. Each of them may merge pieces that an earlier one has made.
        """
        known, pieces = set(map(tuple, joins)), []
        while word:
            size = 2 if tuple(word[:2]) in known else 1
            pieces.append(word[:size])
            word = word[size:]
        return pieces

    def split_from_the_whole(word, joins):
        """You began with the whole word, and split it wherever its text contains a merged piece.

        Begin with the letters, and merge.
        """
        pieces = [word]
        for left, right in joins[::-1]:
            whole = left + right
            parts = [re.split(f"({re.escape(whole)})", piece) for piece in pieces]
            pieces = [part for of_one in parts for part in of_one if part]
        return pieces

    def letters_used_twice(word, joins):
        """In a row of equal pieces you used a piece twice: *aaa* became *aa*, *aa*.

        After a merge, go on behind both of its pieces.
        """
        pieces = list(word)
        for pair in joins:
            result, used = [], False
            for i, piece in enumerate(pieces):
                if tuple(pieces[i : i + 2]) == tuple(pair):
                    result.append("".join(pair))
                    used = True
                elif used:
                    used = False
                else:
                    result.append(piece)
            pieces = result
        return pieces

    def second_piece_stays(word, joins):
        """You write the merged piece, and its right part once more behind it.

        After a merge, go on behind both of its pieces.
        """
        pieces = list(word)
        for pair in joins:
            followed = zip(pieces, [*pieces[1:], None], strict=True)
            pieces = [here[0] + here[1] if here == tuple(pair) else here[0] for here in followed]
        return pieces

    def joined_as_patterns(word, joins):
        """You used the pieces as a regular expression, in which a full stop stands for any
        character.

        Compare pieces with `==`, or escape them.
        """
        text = " ".join(word)
        for left, right in joins:
            text = re.sub(rf"(?<!\S){left} {right}(?!\S)", left + right, text)
        return text.split()

    def in_the_order_of_the_alphabet(word, joins):
        """You sorted the merges.

        Apply them in the order in which they were learnt, which is that of the list.
        """
        return correct(word, sorted(joins))

    def first_merge_only(word, joins):
        """You applied only the first merge.

        Is there a `return` too early?
        """
        return correct(word, joins[:1])

    def last_merge_forgotten(word, joins):
        """You did not apply the last merge.

        Does your loop reach the end of the list?
        """
        return correct(word, joins[:-1])

    def first_merge_forgotten(word, joins):
        """You did not apply the first merge.

        Does your loop start at the beginning of the list?
        """
        return correct(word, joins[1:])

    def each_merge_on_the_letters(word, joins):
        """Each of your merges starts again from the letters, so only the last one shows.

        Go on with the pieces that the merge before has left.
        """
        return correct(word, joins[-1:])

    def merges_that_fitted(word, joins):
        """You returned the merges that fit.

        Return the pieces of the word.
        """
        pieces, found = list(word), []
        for pair in joins:
            if tuple(pair) in pairwise(pieces):
                found.append(tuple(pair))
                pieces = _joined(pieces, tuple(pair))
        return found

    def merged_pieces_alone(word, joins):
        """You returned the merged pieces that occur in the text of the word.

        Return all pieces of the word, in their order. Together they give the word.
        """
        return [left + right for left, right in joins if left + right in word]

    def letters_alone(word, joins):
        """You return the letters of the word: no merge was applied.

        Do you keep the new list of pieces after each merge?
        """
        return list(word)

    def every_piece_once(word, joins):
        """You return a piece once though it stands in the word several times.

        The pieces together must give the word back.
        """
        return list(dict.fromkeys(correct(word, joins)))

    def either_order(word, joins):
        """You merge the two pieces of a merge in either order.

        The merge (e, s) fits *e* before *s*, and not *s* before *e*.
        """
        pieces = list(word)
        for pair in joins:
            result = []
            for piece in pieces:
                if result and (result[-1], piece) in (tuple(pair), tuple(pair)[::-1]):
                    result[-1] += piece
                else:
                    result.append(piece)
            pieces = result
        return pieces

    def end_of_the_left_piece_is_enough(word, joins):
        """You merge where the left piece only *ends in* the left part of the merge.

        Compare both pieces with the merge, as wholes.
        """
        pieces = list(word)
        for left, right in joins:
            result = []
            for piece in pieces:
                if result and result[-1].endswith(left) and piece == right:
                    result[-1] += piece
                else:
                    result.append(piece)
            pieces = result
        return pieces

    def first_known_piece_from_the_left(word, joins):
        """Again and again you took a known piece from the left: of those that fit, the one that was
        learnt first.

        Begin with the letters, and loop over the merges.
        """
        known, pieces = [left + right for left, right in joins], []
        while word:
            fits = [piece for piece in known if word.startswith(piece)] or [word[0]]
            pieces.append(fits[0])
            word = word[len(fits[0]) :]
        return pieces

    def last_fitting_merge_first(word, joins):
        """Of the merges that fit, you always applied the one that was learnt *last*.

        The one that was learnt first comes first.
        """
        rank = {tuple(pair): i for i, pair in enumerate(joins)}
        pieces = list(word)
        while found := [(rank[p], -i) for i, p in enumerate(pairwise(pieces)) if p in rank]:
            i = -max(found)[1]
            pieces[i : i + 2] = ["".join(pieces[i : i + 2])]
        return pieces

    def rightmost_pair_first(word, joins):
        """You merged the rightmost pair of neighbours that matches any merge, again and again.

        The order in which the merges were learnt decides which comes first.
        """
        known, pieces = set(map(tuple, joins)), list(word)
        while places := [i for i, pair in enumerate(pairwise(pieces)) if pair in known]:
            i = places[-1]
            pieces[i : i + 2] = ["".join(pieces[i : i + 2])]
        return pieces

    def all_merges_in_rounds(word, joins):
        """You went through the word from the left in rounds, and in each round merged all
        neighbours that match any merge.

        The order of the merges decides. Loop over the *merges*, and for each of them over the word.
        """
        known, pieces, before = set(map(tuple, joins)), list(word), []
        while pieces != before:
            before, pieces, i = pieces, [], 0
            while i < len(before):
                size = 2 if tuple(before[i : i + 2]) in known else 1
                pieces.append("".join(before[i : i + size]))
                i += size
        return pieces

    def stops_while_it_shortens(word, joins):
        """Your function stops with an error: you go through a list by its old length while you
        shorten it.

        After a merge the list has one piece less. Use `while`, or build a new list.
        """
        pieces = list(word)
        for pair in joins:
            for i in range(len(pieces) - 1):
                if (pieces[i], pieces[i + 1]) == tuple(pair):
                    pieces[i : i + 2] = ["".join(pair)]
        return pieces

    def skips_behind_a_merge(word, joins):
        """After a merge you pass over the next pair, which may fit, too.

        Right behind the merged piece the next pair begins.
        """
        pieces = list(word)
        for pair in joins:
            i = 0
            while i < len(pieces) - 1:
                if (pieces[i], pieces[i + 1]) == tuple(pair):
                    pieces[i : i + 2] = ["".join(pair)]
                    i += 1
                i += 1
        return pieces

    def first_place_of_the_left_piece(word, joins):
        """You look only at the first position at which the *left* piece of a merge stands.

        The merge may fit at a later position.
        """
        pieces = list(word)
        for left, right in joins:
            i = pieces.index(left) if left in pieces else len(pieces)
            if pieces[i + 1 : i + 2] == [right]:
                pieces[i : i + 2] = [left + right]
        return pieces

    def split_by_the_merges_in_order(word, joins):
        """You began with the whole word, and split off the text of each merge in turn.

        Begin with the letters, and merge.
        """
        pieces = [word]
        for left, right in joins:
            whole = left + right
            parts = [[p] if p == whole else re.split(f"({re.escape(whole)})", p) for p in pieces]
            pieces = [part for of_one in parts for part in of_one if part]
        return pieces

    def continuations_marked(word, joins):
        """You marked the pieces that do not begin the word.

        Put together, the pieces must give the word, and nothing else.
        """
        pieces = correct(word, joins)
        return pieces[:1] + ["##" + piece for piece in pieces[1:]]

    def unfinished_pieces_marked(word, joins):
        """You marked the pieces that do not end the word.

        Put together, the pieces must give the word, and nothing else.
        """
        pieces = correct(word, joins)
        return [piece + "@@" for piece in pieces[:-1]] + pieces[-1:]

    def sorted_pieces(word, joins):
        """You sorted the pieces.

        Put together, in their order, they must give the word.
        """
        return sorted(correct(word, joins))


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

    def again_until_nothing_changes(word, joins):
        """Merges that were learnt leave nothing to a second round."""
        pieces, before = list(word), []
        while pieces != before:
            before = pieces
            pieces = correct(pieces, joins)
        return pieces

    def by_their_text(word, joins):
        """Where merges were learnt, a text is only ever made in one way."""
        pieces = list(word)
        for left, right in joins:
            made = []
            for piece in pieces:
                if made and made[-1] + piece == left + right:
                    made[-1] = left + right
                else:
                    made.append(piece)
            pieces = made
        return pieces


EXERCISE = Exercise(
    id="cut",
    oracle=correct,
    hint="Write the word as letters with gaps. Take the merges one by one, in their order, and "
    "close the gap wherever the two pieces of the merge stand on either side of it.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
