"""The exercise ``kept_share``: how often the numbers of a sentence survive (chapter 20)."""

from __future__ import annotations

import re
from collections import Counter

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Numbers that are kept, lost, doubled, translated, and hidden in longer ones."""

    def triple():
        numbers = draw.ids(3, lowest=1, highest=4).tolist()
        a, b, c = (f"Row {i} of {draw.size(1, 3)}" for i in numbers)
        return a, b, c

    kept = ("Page 12 of 40", "Seite 12 von 40", "Seite 12 von 40")
    lost = ("Press F3 2 times", "2 mal F3 drücken", "F3 drücken")
    swapped = ("From 5 to 9", "Von 5 bis 9", "Von 9 bis 5")
    plain = ("Open the file", "Datei öffnen", "Datei 7 öffnen")
    translated = ("The 2 sides", "Die beiden Seiten", "Die Seiten")
    half = ("Rows 3 and 4", "Zeilen 3 und vier", "Zeile 3")
    hidden = ("Item 2", "Eintrag 2", "Eintrag 12")
    doubled = ("5 and 5", "5 und 5", "nur 5")
    more = ("Sheet 1", "Tabelle 1", "Tabelle 1 von 1")
    twice_here = ("8 or 8", "8 oder so", "8 und 3")
    added = ("Chapter 6", "Kapitel 6 auf Seite 9", "Kapitel 6")
    early = ("Room 101", "Zimmer 101", "Zimmer 10")
    key = ("Press F3", "F3 drücken", "F4 drücken")
    stop = ("See page 8.", "Siehe Seite 8.", "Siehe Seite 3.")
    comma = ("Version 3.5", "Version 3,5", "Version 3,5")
    dash = ("Rows 3-5", "Zeilen 3-5", "Zeilen 3 bis 5")
    agent = ("Code 007", "Code 007", "Code 7")
    zero = ("0 rows", "0 Zeilen", "3 Zeilen")
    many = [("1 and 2", "1 und 2", "1 und 2"), ("1 2 3 4", "1 2 3 4", "1 2 3"), lost]
    spelled = ("Rows 6 and 7", "Zeilen 6 und sieben", "Zeile 7")
    return [
        Case("kept, lost, and no number", ([kept, lost, plain],), by_hand=True),
        Case("another order", ([swapped, lost],), by_hand=True),
        Case("a number that the reference spells out", ([translated, kept, lost],)),
        Case("half of the numbers is spelled out", ([half, lost],)),
        Case("a number within a longer one", ([hidden, kept],)),
        Case("a number that stands there twice", ([doubled, kept, swapped],)),
        Case("a number too many", ([more, lost],)),
        Case("twice in the source, once in the reference", ([twice_here, lost],)),
        Case("a number that the reference adds", ([added, lost],)),
        Case("digits exchanged", ([("Item 12", "Eintrag 12", "Eintrag 21"), kept],)),
        Case("a longer number in the source", ([early, kept, plain],)),
        Case("nothing to keep", ([plain, translated],)),
        Case("all kept", ([kept, swapped],)),
        Case("one of three numbers lost", ([("1 2 3", "1 2 3", "1 2"), kept],)),
        Case("two sentences without a number, one lost", ([plain, plain, lost],)),
        Case("digits behind a letter", ([key, kept],)),
        Case("a full stop behind a number", ([stop, kept, swapped],)),
        Case("a point and a comma", ([comma, lost],)),
        Case("a dash in front", ([dash, lost],)),
        Case("zeros in front", ([agent, kept],)),
        Case("a zero", ([zero, kept],)),
        Case("one of four numbers lost", (many,)),
        Case("one kept that the reference spells out", ([spelled, kept],)),
        Case("drawn", ([triple() for _ in range(12)],)),
    ]


def _numbers(text):
    return re.findall(r"\d+", text)


def correct(triples):
    """Of the sentences with a number to keep, the share that keeps all; None without any."""
    return _share(lambda s, r: Counter(s) & Counter(r), lambda must, t: must <= Counter(t))(triples)


def _share(needed, has, find=_numbers, nothing=None):
    """The share with another rule for what must be kept, and for whether it is."""

    def run(triples):
        asked = [
            (needed(find(source), find(reference)), find(text))
            for source, reference, text in triples
        ]
        asked = [(must, there) for must, there in asked if must]
        kept = [has(must, there) for must, there in asked]
        return sum(kept) / len(kept) if kept else nothing

    return run


def _both(s, r):
    return Counter(s) & Counter(r)


def _contains(must, there):
    return must <= Counter(there)


class Wrong:
    """What learners write, the more particular before the more general."""

    def in_percent(triples):
        """You return percent. Return a share between 0 and 1.

        Leave out the factor of 100.
        """
        found = correct(triples)
        return None if found is None else 100 * found

    def the_count(triples):
        """You return how many sentences keep their numbers. Return their share.

        Divide by the number of sentences that have something to keep.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        asked = [(must, text) for must, text in asked if must]
        kept = sum(_contains(must, _numbers(text)) for must, text in asked)
        return kept if asked else None

    def the_share_lost(triples):
        """You return the share that *loses* a number.

        The question asks for the sentences in which all are kept.
        """
        found = correct(triples)
        return None if found is None else 1 - found

    def zero_without_any(triples):
        """Where no sentence has a number to keep, you return 0. That reads as "all lost".

        Return None: there is nothing to report.
        """
        return _share(_both, _contains, nothing=0.0)(triples)

    def one_without_any(triples):
        """Where no sentence has a number to keep, you return 1. That reads as "all kept".

        Return None: there is nothing to report.
        """
        return _share(_both, _contains, nothing=1.0)(triples)

    def of_all_sentences(triples):
        """You divide by all sentences. Those without a number to keep say nothing.

        First pick the sentences in which source and reference share a number.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        kept = sum(_contains(m, _numbers(text)) for m, text in asked if m)
        return kept / len(asked) if any(m for m, _ in asked) else None

    def empty_counts_as_kept(triples):
        """Sentences without a number count as kept in your share. They make any translator look
        good.

        First pick the sentences in which source and reference share a number.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        kept = sum(_contains(m, _numbers(text)) for m, text in asked)
        return kept / len(asked) if any(m for m, _ in asked) else None

    def numbers_for_sentences(triples):
        """You count numbers. The question asks for *sentences* that keep all of theirs.

        A sentence that loses one of three numbers is a sentence with a wrong number.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        kept = sum(sum((m & Counter(_numbers(text))).values()) for m, text in asked)
        there = sum(sum(m.values()) for m, _ in asked)
        return kept / there if there else None

    def all_of_the_source(triples):
        """You ask for every number of the source. A reference may spell one out, and so may the
        translation.

        Ask for what source and reference have in common.
        """
        return _share(lambda s, r: Counter(s), _contains)(triples)

    def all_of_the_reference(triples):
        """You ask for every number of the reference. One that it adds was not in the source.

        Ask for what source and reference have in common.
        """
        return _share(lambda s, r: Counter(r), _contains)(triples)

    def either_side(triples):
        """You ask for every number of source *or* reference.

        Ask for what both have in common.
        """
        return _share(lambda s, r: Counter(s) | Counter(r), _contains)(triples)

    def each_number_once(triples):
        """You use sets, so "5 and 5" asks for a single 5.

        A `Counter` knows how often each number stands there.
        """
        return _share(lambda s, r: set(s) & set(r), lambda m, t: m <= set(t))(triples)

    def as_often_as_in_the_source(triples):
        """A number that stands twice in the source and once in the reference is asked for twice.

        Take the smaller of the two counts: `Counter(...) & Counter(...)`.
        """

        def needed(s, r):
            return Counter(number for number in s if number in r)

        return _share(needed, _contains)(triples)

    def no_number_too_many(triples):
        """You ask for exactly the same numbers. A number too many is another fault; here only the
        lost ones count.

        Ask whether everything that must be kept is contained.
        """
        return _share(_both, lambda must, there: must == Counter(there))(triples)

    def any_of_them(triples):
        """One kept number is enough for you. The sentence must keep all.

        Replace "any" by "all".
        """
        return _share(_both, lambda must, there: any(n in there for n in must))(triples)

    def in_the_same_order(triples):
        """You ask for the same order. Another language may turn "from 5 to 9" around.

        Compare counts, not lists.
        """

        def has(must, there):
            return there[: len(must)] == must

        def needed(s, r):
            left = Counter(s) & Counter(r)
            ordered = []
            for number in s:
                if left[number] > 0:
                    left[number] -= 1
                    ordered.append(number)
            return ordered

        return _share(needed, has)(triples)

    def digits(triples):
        """You compare single digits. "12" and "21" then look the same.

        A number is a run of digits: `re.findall(r"\\d+", text)`.
        """
        return _share(_both, _contains, re.compile(r"\d").findall)(triples)

    def within_longer_ones(triples):
        """You search for the number as a text, and find the 2 in "12".

        Find the numbers of the translation first, then compare.
        """

        def run(of_all):
            asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in of_all]
            asked = [(must, text) for must, text in asked if must]
            kept = [all(text.count(n) >= k for n, k in must.items()) for must, text in asked]
            return sum(kept) / len(kept) if kept else None

        return run(triples)

    def reference_for_translation(triples):
        """You look for the numbers in the reference, where they always are. The third text is the
        translation.

        A triple is source, reference, translation.
        """
        found = correct(triples)
        return None if found is None else 1.0

    def whole_words_of_digits(triples):
        """You see only words that consist of digits. In "F3" and in "page 8." there is a run of
        digits as well.

        `re.findall` finds them wherever they stand.
        """
        return _share(
            _both, _contains, lambda text: [word for word in text.split() if word.isdigit()]
        )(triples)

    def between_word_boundaries(triples):
        """You ask for a word boundary on both sides of a number, and miss the 3 in "F3".

        A number is a run of digits, wherever it stands.
        """
        return _share(_both, _contains, lambda text: re.findall(r"\b\d+\b", text))(triples)

    def points_and_commas(triples):
        """You take "3.5" for one number. Here a number is a run of digits, so "3.5" and "3,5" have
        the same two.

        Look for digits alone.
        """
        return _share(_both, _contains, lambda text: re.findall(r"\d+(?:[.,]\d+)*", text))(triples)

    def with_a_sign(triples):
        """You take a dash for a minus: "3-5" has the numbers 3 and 5.

        A number is a run of digits, without what stands in front.
        """
        return _share(_both, _contains, lambda text: re.findall(r"-?\d+", text))(triples)

    def values_compared(triples):
        """You compare values: 007 and 7 are equal then. Here they are different runs of digits.

        Compare texts, without `int`.
        """
        return _share(_both, _contains, lambda text: [int(one) for one in _numbers(text)])(triples)

    def zeros_cut_off(triples):
        """You cut off the zeros in front of a number. "007" and "7" are different runs of digits.

        Leave zeros as they are.
        """
        return _share(_both, _contains, lambda text: re.findall(r"[1-9]\d*", text))(triples)

    def nothing_divides(triples):
        """You divide by zero where no sentence has a number to keep.

        Return None then.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        kept = [_contains(must, _numbers(text)) for must, text in asked if must]
        return sum(kept) / len(kept)

    def mean_of_shares(triples):
        """You take the share of kept numbers in each sentence, and then the mean. A sentence counts
        only if it keeps *all* of its numbers.

        Give each sentence a yes or a no.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        shares = [
            (must & Counter(_numbers(text))).total() / must.total() for must, text in asked if must
        ]
        return sum(shares) / len(shares) if shares else None

    def anywhere_in_the_text(triples):
        """You ask whether the digits stand anywhere in the translation, as in `"2" in "12"`, and
        only once for a number that must stand there twice.

        Find the numbers of the translation first, and count them.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        kept = [all(one in text for one in must) for must, text in asked if must]
        return sum(kept) / len(kept) if kept else None

    def as_many_numbers(triples):
        """You compare how *many* numbers there are, and not which.

        The translation must have the same ones.
        """
        return _share(_both, lambda must, there: must.total() <= len(there))(triples)

    def translation_for_reference(triples):
        """You took the third text for the reference, and the second for the translation.

        A triple is source, reference, translation.
        """
        return correct([(source, third, second) for source, second, third in triples])

    def every_sentence_counts(triples):
        """You count sentences without a number to keep as kept, and return 1 where there are no
        others.

        First pick the sentences in which source and reference share a number.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        return sum(_contains(m, _numbers(text)) for m, text in asked) / len(asked)

    def every_sentence_in_the_division(triples):
        """You divide by all sentences, and return 0 where none has a number to keep.

        First pick the sentences in which source and reference share a number.
        """
        asked = [(_both(*(_numbers(x) for x in t[:2])), t[2]) for t in triples]
        return sum(_contains(m, _numbers(text)) for m, text in asked if m) / len(asked)

    def sentences_whose_source_has_a_number(triples):
        """You look at every sentence with a number in its *source*. If the reference spells it out,
        nothing must be kept, and the sentence says nothing.

        Look only at sentences whose source and reference share a number.
        """
        asked = [[_numbers(side) for side in triple] for triple in triples]
        kept = [_contains(_both(s, r), t) for s, r, t in asked if s]
        return sum(kept) / len(kept) if kept else None


class Right:
    """Right answers, written differently."""

    def by_a_loop(triples):
        """Sentence by sentence."""
        asked = kept = 0
        for source, reference, text in triples:
            sides = [Counter(re.findall(r"\d+", side)) for side in (source, reference, text)]
            must = sides[0] & sides[1]
            if must:
                asked += 1
                kept += not must - sides[2]
        return kept / asked if asked else None

    def by_counting(triples):
        """With counts of lists instead of a Counter."""
        verdicts = []
        for texts in triples:
            source, reference, text = (re.findall("[0-9]+", side) for side in texts)
            must = {n: min(source.count(n), reference.count(n)) for n in source}
            if any(must.values()):
                verdicts.append(all(text.count(n) >= k for n, k in must.items()))
        return sum(verdicts) / len(verdicts) if verdicts else None

    def by_removing(triples):
        """Each number that both have is taken from the translation's list."""
        verdicts = []
        for texts in triples:
            source, reference, text = (re.findall(r"\d+", side) for side in texts)
            found, complete = False, True
            for number in source:
                if number in reference:
                    reference.remove(number)
                    found = True
                    if number in text:
                        text.remove(number)
                    else:
                        complete = False
            if found:
                verdicts.append(complete)
        return sum(verdicts) / len(verdicts) if verdicts else None

    def by_intersection(triples):
        """What is kept equals what must be kept."""
        return _share(_both, lambda must, there: must & Counter(there) == must)(triples)

    def by_totals(triples):
        """As many are kept as must be."""
        return _share(_both, lambda must, there: (must & Counter(there)).total() == must.total())(
            triples
        )


EXERCISE = Exercise(
    id="kept_share",
    oracle=correct,
    hint="For each sentence, count the numbers that source and reference have in common. Leave out "
    "sentences without any. How many of the others have all of them in the translation?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
