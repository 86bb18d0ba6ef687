"""The exercise ``clipped_counts``: the n-gram matches that BLEU counts (chapter 12)."""

from __future__ import annotations

import itertools
from collections import Counter

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Repeated words, several references, n-grams longer than a text, and drawn texts."""

    def text(length, words="de het een kat hond zag"):
        known = _words(words)
        ids = draw.ids(length, lowest=0, highest=len(known) - 1)
        return [known[i] for i in ids.tolist()]

    cat = [_words("de kat zat op de mat"), _words("er zat een kat op de mat")]
    ends = _words("een grote rode bal rolt")
    long = _words("de man die de hond zag zag de man")
    return [
        Case("a word three times, twice in the reference",
             (_words("de de de"), [_words("de kat zag de hond")], 1), by_hand=True),
        Case("pairs of words", (_words("de kat zat"), cat, 2), by_hand=True),
        Case("a word that both references have",
             (_words("de de de de de de mat"), cat, 1)),
        Case("each reference has another half",
             (_words("een kat at de vis"), [_words("een kat sliep"), _words("hij at de vis")], 2)),
        Case("each reference has another word more often",
             (_words("ja ja nee nee"), [_words("ja ja nee"), _words("nee nee ja")], 1)),
        Case("shorter than the n-gram", (["de", "kat"], cat, 3)),
        Case("a single word, and n-grams of 4", (["kat"], cat, 4)),
        Case("a reference shorter than the n-gram", (long, [["de", "man"], long[2:7]], 4)),
        Case("an empty translation", ([], cat, 1)),
        Case("the words of the reference in another order",
             (_words("mat de op zat kat de"), cat[:1], 2)),
        Case("matches at both ends", (ends, [[*ends[3:], "en", *ends[:3]]], 2)),
        Case("a short word within a longer one", (["a", "an", "b"], [["an", "ab", "c"]], 1)),
        Case("the same letters in other words", (["a", "nd", "o"], [["an", "d", "o"]], 2)),
        Case("capitals", (_words("De kat zat De"), cat[:1], 1)),
        Case("a repeated triple", (_words("om en om en om en"), [_words("om en om en om")], 3)),
        Case("the same reference twice", (long, [long[:4], long[:4]], 1)),
        Case("words of one text, 1 reference", (text(9), [text(8)], 1)),
        Case("pairs of one text, 3 references", (text(14), [text(9), text(7), text(9)], 2)),
        Case("triples, 2 references", (text(26, "de kat zag"), [text(12, "de kat zag"),
             text(14, "de kat zag")], 3)),
        Case("quadruples of two words", (text(18, "ja nee"), [text(12, "ja nee"),
             text(11, "ja nee")], 4)),
    ]  # fmt: skip


def _words(text):
    return text.split()


def _grams(words, n):
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def correct(hypothesis, references, n):
    """Each n-gram counts at most as often as the reference that has it most."""
    counts = Counter(_grams(hypothesis, n))
    limits = Counter()
    for reference in references:
        limits |= Counter(_grams(reference, n))
    return sum((counts & limits).values()), sum(counts.values())


def _total(hypothesis, n):
    return max(len(hypothesis) - n + 1, 0)


def _clipped_by(limit):
    """Matches with another limit, which is computed from the counts of all references."""

    def run(hypothesis, references, n):
        counts = [Counter(_grams(reference, n)) for reference in references]
        own = Counter(_grams(hypothesis, n))
        matches = sum(min(own[gram], limit([c[gram] for c in counts])) for gram in own)
        return matches, _total(hypothesis, n)

    return run


class Wrong:
    """What learners write, the more particular before the more general."""

    def precision(hypothesis, references, n):
        """You return a share. Return the two counts: BLEU sums each over all sentences before it
        divides.

        Return the number of matches and the number of n-grams, separated by a comma.
        """
        matches, total = correct(hypothesis, references, n)
        return matches / total if total else 0.0

    def precision_without_a_case_for_0(hypothesis, references, n):
        """You return a share, and divide by 0 where there is no n-gram. Return the two counts.

        Return the number of matches and the number of n-grams, separated by a comma.
        """
        matches, total = correct(hypothesis, references, n)
        return matches / total

    def as_a_tensor(hypothesis, references, n):
        """The numbers are right, but they stand in a tensor. Return two whole numbers.

        Return them separated by a comma.
        """
        return torch.tensor(correct(hypothesis, references, n))

    def share_for_the_matches(hypothesis, references, n):
        """In place of the matches you return their share of all n-grams. Return how many there are.

        BLEU sums matches over all sentences before it divides.
        """
        matches, total = correct(hypothesis, references, n)
        return (matches / total if total else 0.0), total

    def matches_alone(hypothesis, references, n):
        """You return the matches alone. The number of n-grams is asked for as well.

        Return two numbers, separated by a comma.
        """
        return correct(hypothesis, references, n)[0]

    def the_matching_grams(hypothesis, references, n):
        """You return the n-grams that match. Return how many there are.

        Return two numbers, separated by a comma.
        """
        counts = Counter(_grams(hypothesis, n))
        limits = Counter()
        for reference in references:
            limits |= Counter(_grams(reference, n))
        return list((counts & limits).elements()), _total(hypothesis, n)

    def lists_as_keys(hypothesis, references, n):
        """Your function stops: a piece of a list is a list, and a list cannot be an entry of a
        `Counter` or a set.

        `tuple` makes a tuple of it, which can.
        """
        for words in (hypothesis, *references):
            Counter(words[i : i + n] for i in range(len(words) - n + 1))
        return 0, 0

    def not_clipped(hypothesis, references, n):
        """You count an n-gram each time it stands in the translation, if a reference has it at all.

        A reference that has "de" twice can explain two of them. The rest is no match.
        """
        known = {gram for reference in references for gram in _grams(reference, n)}
        return sum(gram in known for gram in _grams(hypothesis, n)), _total(hypothesis, n)

    def each_gram_once(hypothesis, references, n):
        """You count each different n-gram once, although it may match several times.

        If the translation has "de" three times and a reference twice, two of them match.
        """
        return _clipped_by(lambda counts: min(max(counts), 1))(hypothesis, references, n)

    def each_occurrence_adds_all(hypothesis, references, n):
        """You go through all n-grams of the translation, and add the whole limit each time. So a
        repeated n-gram counts too often.

        Go through each *different* n-gram once, with its count.
        """
        counts = [Counter(_grams(reference, n)) for reference in references]
        own = Counter(_grams(hypothesis, n))
        matches = sum(min(c, max(of[g] for of in counts)) * c for g, c in own.items())
        return matches, _total(hypothesis, n)

    def different_grams(hypothesis, references, n):
        """Both of your counts count each different n-gram once. A set forgets repetitions.

        If the translation has "de" three times and a reference twice, two of three match.
        """
        grams = set(_grams(hypothesis, n))
        known = {gram for reference in references for gram in _grams(reference, n)}
        return len(grams & known), len(grams)

    def total_of_different_grams(hypothesis, references, n):
        """Your matches are right, but your total counts each different n-gram once.

        The total counts an n-gram as often as it stands in the translation.
        """
        return correct(hypothesis, references, n)[0], len(set(_grams(hypothesis, n)))

    def clipped_by_the_sum(hypothesis, references, n):
        """You clip at the sum over the references. So more references make any repetition a match.

        A repetition should be explained by a single reference. Which one allows the most?
        """
        return _clipped_by(sum)(hypothesis, references, n)

    def clipped_by_the_least(hypothesis, references, n):
        """You clip at the reference that has the n-gram least often, so it has to be in all.

        References are different ways to say the same. It is enough that one has the n-gram.
        """
        return _clipped_by(min)(hypothesis, references, n)

    def clipped_by_the_first(hypothesis, references, n):
        """You use the first reference alone.

        Any reference may have the n-gram most often.
        """
        return _clipped_by(lambda counts: counts[0])(hypothesis, references, n)

    def clipped_by_the_last(hypothesis, references, n):
        """You use the last reference alone.

        Does a loop overwrite what it found for the references before?
        """
        return _clipped_by(lambda counts: counts[-1])(hypothesis, references, n)

    def clipped_by_the_closest(hypothesis, references, n):
        """You use only the reference whose length is closest to the translation's.

        That reference matters for the brevity penalty. Here, any reference may have the n-gram
        most often.
        """
        closest = min(references, key=lambda reference: abs(len(reference) - len(hypothesis)))
        return correct(hypothesis, [closest], n)

    def clipped_by_the_mean(hypothesis, references, n):
        """You clip at the mean over the references.

        Which of the references allows the most?
        """
        return _clipped_by(lambda counts: sum(counts) / len(counts))(hypothesis, references, n)

    def best_reference_as_a_whole(hypothesis, references, n):
        """You took the one reference with the most matches. Each n-gram may have another reference
        that allows it most often.

        Find the limit of each n-gram by itself; then add up.
        """
        return max(
            (correct(hypothesis, [reference], n) for reference in references),
            key=lambda both: both[0],
        )

    def summed_over_references(hypothesis, references, n):
        """You count the matches with each reference, and add them up: an n-gram that two references
        have counts twice.

        Find the limit of each n-gram over all references; then compare once.
        """
        return (
            sum(correct(hypothesis, [reference], n)[0] for reference in references),
            _total(hypothesis, n),
        )

    def total_times_references(hypothesis, references, n):
        """You add up matches and totals over the references.

        There is one translation, whatever the number of its references.
        """
        each = [correct(hypothesis, [reference], n) for reference in references]
        return sum(one for one, _ in each), sum(total for _, total in each)

    def across_references(hypothesis, references, n):
        """You put the references together into one text. Its n-grams count together, and there are
        some where two references meet.

        Count in each reference by itself.
        """
        return correct(hypothesis, [list(itertools.chain(*references))], n)

    def total_of_the_first_reference(hypothesis, references, n):
        """Your total is that of the first reference. BLEU takes the precision: a share of what the
        *translation* has.

        The total belongs to the translation.
        """
        return correct(hypothesis, references, n)[0], _total(references[0], n)

    def total_of_the_shortest_reference(hypothesis, references, n):
        """Your total is that of the shortest reference. BLEU takes the precision: a share of what
        the *translation* has.

        The total belongs to the translation.
        """
        return correct(hypothesis, references, n)[0], _total(min(references, key=len), n)

    def total_of_the_longest_reference(hypothesis, references, n):
        """Your total is that of the longest reference. BLEU takes the precision: a share of what
        the *translation* has.

        The total belongs to the translation.
        """
        return correct(hypothesis, references, n)[0], _total(max(references, key=len), n)

    def total_of_all_references(hypothesis, references, n):
        """Your total counts the n-grams of the references. BLEU takes the precision: a share of
        what the *translation* has.

        The total belongs to the translation.
        """
        return correct(hypothesis, references, n)[0], sum(_total(r, n) for r in references)

    def total_of_the_limits(hypothesis, references, n):
        """Your total adds up the limits: how often some reference has each n-gram. BLEU takes the
        precision: a share of what the *translation* has.

        The total belongs to the translation.
        """
        limits = Counter()
        for reference in references:
            limits |= Counter(_grams(reference, n))
        return correct(hypothesis, references, n)[0], sum(limits.values())

    def total_of_words(hypothesis, references, n):
        """Your total is the number of words. There are fewer n-grams than words if n is above 1.

        How many pairs of neighbours are there in 3 words?
        """
        return correct(hypothesis, references, n)[0], len(hypothesis)

    def total_one_too_small(hypothesis, references, n):
        """Your total is one too small: the length less n.

        How many pairs of neighbours are there in 3 words?
        """
        return correct(hypothesis, references, n)[0], max(len(hypothesis) - n, 0)

    def total_below_zero(hypothesis, references, n):
        """Your total is negative where the translation is shorter than n.

        There are 0 n-grams then.
        """
        return correct(hypothesis, references, n)[0], len(hypothesis) - n + 1

    def total_at_least_one(hypothesis, references, n):
        """Your total is 1 where the translation has no n-gram. It should be 0.

        Totals are added up over all sentences, so 1 would count a mistake that was not made.
        """
        matches, total = correct(hypothesis, references, n)
        return matches, max(total, 1)

    def last_gram_left_out(hypothesis, references, n):
        """You leave out the last n-gram of each text.

        At which place does the last n-gram begin? `range` stops before its end.
        """
        return correct(hypothesis[:-1], [reference[:-1] for reference in references], n)

    def last_gram_left_out_in_the_translation(hypothesis, references, n):
        """You leave out the last n-gram of the translation.

        At which place does the last n-gram begin? `range` stops before its end.
        """
        return correct(hypothesis[:-1], references, n)

    def last_gram_left_out_in_the_references(hypothesis, references, n):
        """You leave out the last n-gram of the references.

        At which place does the last n-gram begin? `range` stops before its end.
        """
        return correct(hypothesis, [reference[:-1] for reference in references], n)

    def shorter_ones_at_the_end(hypothesis, references, n):
        """You count shorter pieces at the ends of the texts as n-grams too.

        A slice that begins near the end has fewer than n words.
        """

        def grams(words):
            return Counter(tuple(words[i : i + n]) for i in range(len(words)))

        limits = Counter()
        for reference in references:
            limits |= grams(reference)
        own = grams(hypothesis)
        return sum((own & limits).values()), sum(own.values())

    def shorter_ones_match(hypothesis, references, n):
        """You count shorter pieces at the ends of the texts among the matches.

        A slice that begins near the end has fewer than n words.
        """
        return Wrong.shorter_ones_at_the_end(hypothesis, references, n)[0], _total(hypothesis, n)

    def in_a_circle(hypothesis, references, n):
        """You go on at the beginning of a text where it ends.

        The last n-gram ends with the last word.
        """
        if len(hypothesis) < n:
            return 0, 0
        around = [reference + reference[: n - 1] for reference in references]
        return correct(hypothesis + hypothesis[: n - 1], around, n)

    def in_chunks(hypothesis, references, n):
        """You cut the texts into pieces of n words. N-grams overlap: one begins at each word.

        How many pairs of neighbours are there in 3 words?
        """

        def grams(words):
            return Counter(tuple(words[i : i + n]) for i in range(0, len(words) - n + 1, n))

        limits = Counter()
        for reference in references:
            limits |= grams(reference)
        own = grams(hypothesis)
        return sum((own & limits).values()), sum(own.values())

    def at_the_same_position(hypothesis, references, n):
        """You count an n-gram only if a reference has it at the same position.

        A match may be anywhere in the reference.
        """
        of_each = [_grams(reference, n) for reference in references]
        own = _grams(hypothesis, n)
        matches = sum(any(grams[i : i + 1] == [g] for grams in of_each) for i, g in enumerate(own))
        return matches, len(own)

    def at_the_same_position_of_one_reference(hypothesis, references, n):
        """You count an n-gram only if a reference has it at the same position, and take the
        reference with the most of these.

        A match may be anywhere in the reference.
        """
        own = _grams(hypothesis, n)
        of_each = [zip(own, _grams(reference, n), strict=False) for reference in references]
        return max(sum(one == other for one, other in pairs) for pairs in of_each), len(own)

    def not_only_neighbours(hypothesis, references, n):
        """You count all choices of n words, in their order, also of words that are no neighbours.

        How many pairs of *neighbours* are there in 3 words?
        """

        def grams(words):
            return Counter(itertools.combinations(words, n))

        limits = Counter()
        for reference in references:
            limits |= grams(reference)
        own = grams(hypothesis)
        return sum((own & limits).values()), sum(own.values())

    def without_order(hypothesis, references, n):
        """You compare n-grams without the order of their words.

        "de kat" and "kat de" are different pairs.
        """

        def grams(words):
            return Counter(tuple(sorted(gram)) for gram in _grams(words, n))

        limits = Counter()
        for reference in references:
            limits |= grams(reference)
        own = grams(hypothesis)
        return sum((own & limits).values()), sum(own.values())

    def always_words(hypothesis, references, n):
        """You count words, whatever `n` is.

        An n-gram is n neighbouring words.
        """
        return correct(hypothesis, references, 1)

    def up_to_n(hypothesis, references, n):
        """You count n-grams of all lengths up to n together. One length is asked for.

        BLEU takes a precision for each length by itself.
        """
        each = [correct(hypothesis, references, one) for one in range(1, n + 1)]
        return sum(one for one, _ in each), sum(total for _, total in each)

    def one_word_less(hypothesis, references, n):
        """Your n-grams are one word too short.

        A slice stops before its end.
        """
        return correct(hypothesis, references, n - 1) if n > 1 else (0, 0)

    def one_word_more(hypothesis, references, n):
        """Your n-grams are one word too long.

        A slice stops before its end.
        """
        return correct(hypothesis, references, n + 1)

    def letters_for_words(hypothesis, references, n):
        """You count n-grams of letters. An n-gram is n neighbouring words.

        The texts are lists of words already. Do you join them into one string?
        """
        return correct(" ".join(hypothesis), [" ".join(reference) for reference in references], n)

    def within_the_text(hypothesis, references, n):
        """You look for an n-gram as a piece of text, so "a" is found within "an", too.

        Compare words with words, as lists or tuples.
        """
        texts = [" ".join(reference) for reference in references]
        own = Counter(" ".join(gram) for gram in _grams(hypothesis, n))
        matches = sum(min(c, max(t.count(g) for t in texts)) for g, c in own.items())
        return matches, _total(hypothesis, n)

    def within_the_text_unclipped(hypothesis, references, n):
        """You look for an n-gram as a piece of text, and count it each time. So "a" is found within
        "an", and repetitions always match.

        Compare words with words, and count at most as many as a reference has.
        """
        texts = [" ".join(reference) for reference in references]
        own = [" ".join(gram) for gram in _grams(hypothesis, n)]
        return sum(any(gram in text for text in texts) for gram in own), len(own)

    def joined_without_a_blank(hypothesis, references, n):
        """You join the words of an n-gram without a blank, so "a" "nd" is taken for "an" "d".

        Compare tuples of words, or join words with something that is in no word.
        """

        def grams(words):
            return Counter("".join(gram) for gram in _grams(words, n))

        limits = Counter()
        for reference in references:
            limits |= grams(reference)
        own = grams(hypothesis)
        return sum((own & limits).values()), sum(own.values())

    def small_letters(hypothesis, references, n):
        """You take "De" for "de". Here, words match if they are written in the same way.

        Leave the words as they are.
        """
        return correct(
            [word.lower() for word in hypothesis],
            [[word.lower() for word in reference] for reference in references],
            n,
        )

    def recall(hypothesis, references, n):
        """You count how much of each reference is found, a recall. BLEU counts how much of the
        *translation* is found.

        Whose n-grams are counted, and whose are the limit?
        """
        each = [correct(reference, [hypothesis], n) for reference in references]
        return sum(one for one, _ in each), sum(total for _, total in each)

    def exact_counts(hypothesis, references, n):
        """You count an n-gram only if a reference has it exactly as often.

        If the translation has it more often, the surplus is no match; the others are.
        """
        counts = [Counter(_grams(reference, n)) for reference in references]
        own = Counter(_grams(hypothesis, n))
        matches = sum(c for gram, c in own.items() if any(of[gram] == c for of in counts))
        return matches, _total(hypothesis, n)

    def limit_alone(hypothesis, references, n):
        """You add up how often a reference has the n-gram, even where the translation has it less
        often.

        An n-gram matches at most as often as the translation has it.
        """
        counts = [Counter(_grams(reference, n)) for reference in references]
        own = set(_grams(hypothesis, n))
        return sum(max(of[gram] for of in counts) for gram in own), _total(hypothesis, n)


class Right:
    """Right answers, written differently."""

    def with_dictionaries(hypothesis, references, n):
        """Counts in dictionaries of strings."""

        def counted(words):
            found = {}
            for end in range(n, len(words) + 1):
                gram = "\n".join(words[end - n : end])
                found[gram] = found.get(gram, 0) + 1
            return found

        limits = [counted(reference) for reference in references]
        own = counted(hypothesis)
        clipped = {g: min(c, max(of.get(g, 0) for of in limits)) for g, c in own.items()}
        return sum(clipped.values()), sum(own.values())

    def with_lists(hypothesis, references, n):
        """Counts in lists, each time anew."""
        own = _grams(hypothesis, n)
        of_each = [_grams(reference, n) for reference in references]
        found = 0
        for gram in set(own):
            found += min(own.count(gram), max([grams.count(gram) for grams in of_each]))
        return found, len(own)

    def one_after_the_other(hypothesis, references, n):
        """An n-gram matches if a reference has it more often than it came before."""
        of_each = [Counter(zip(*(r[k:] for k in range(n)), strict=False)) for r in references]
        seen, matches, total = Counter(), 0, 0
        for gram in zip(*(hypothesis[k:] for k in range(n)), strict=False):
            total += 1
            matches += any(counts[gram] > seen[gram] for counts in of_each)
            seen[gram] += 1
        return matches, total

    def what_is_left_over(hypothesis, references, n):
        """Subtracts the limits; what is left over is no match."""
        own = Counter(_grams(hypothesis, n))
        left = own.copy()
        for reference in references:
            left = left & (own - Counter(_grams(reference, n)))
        total = max(0, len(hypothesis) - n + 1)
        return total - sum(left.values()), total

    def crossed_out(hypothesis, references, n):
        """For each n-gram, crosses out in every reference, and keeps the best of them."""
        own = _grams(hypothesis, n)
        matches = 0
        for gram in dict.fromkeys(own):
            best = 0
            for reference in references:
                left, found = _grams(reference, n), 0
                for _ in range(own.count(gram)):
                    if gram in left:
                        left.remove(gram)
                        found += 1
                best = max(best, found)
            matches += best
        return matches, len(own)

    def as_a_list(hypothesis, references, n):
        """Returns a list of both."""
        return list(correct(hypothesis, references[::-1], n))


EXERCISE = Exercise(
    id="clipped_counts",
    oracle=correct,
    hint="Take the first two inputs and a pencil. List the n-grams of the translation with their "
    "counts; beside each write the count in every reference. Which two numbers decide?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
