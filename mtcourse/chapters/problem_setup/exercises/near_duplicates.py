"""The exercise ``near_duplicates``: training sentences too close to the test (chapter 1)."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Sentences that share all words, many, few, none; and some that share just enough."""
    names = [
        "the",
        "a",
        "dog",
        "cat",
        "bird",
        "sees",
        "hears",
        "old",
        "young",
        "house",
        "in",
        "very",
    ]

    def sentences(number):
        return [
            " ".join(names[int(i)] for i in draw.ids(draw.size(3, 7), lowest=0, highest=11))
            for _ in range(number)
        ]

    by_hand = ["the dog sees a cat", "a bird sings", "the dog sees the bird"]
    repeats = ["good good good good", "no no yes", "it is good , very good", "a good dog"]
    capitals = ["The dog sleeps", "HE SLEEPS", "dogs sleep", "the dog sleeps"]
    inside = ["he sleeps", "he sleeps now and then on a warm day", "a warm day", "warm"]
    anagrams = ["on tar", "no rat", "a tap", "dear tom", "on"]
    marks = ["a dog .", "a dog.", "a, dog", "Yes, Sir!", "dog"]
    blanks = ["a  big dog", "a\tdog", "  a dog ", "so  very good"]
    twice = ["a dog sings", "it rains", "a dog sings", "A dog sings", "it rains"]
    larger = ["a b c", "d e", "a b x y z"]
    shares = ["a b c d e f g", "a b c d e", "a b c", "a x y"]
    return [
        Case("3 training sentences, 1 of the test", (by_hand, ["the dog sees a bird"], 0.5), True),
        Case("just enough shared", (["a b c d", "a b c", "a b", "a"], ["a b x y", "c q"], 0.5)),
        Case("words that are repeated", (repeats, ["very good", "yes no"], 0.6)),
        Case("capitals", (capitals, ["the DOG sleeps", "he sleeps"], 0.75)),
        Case("short sentences within long ones", (inside, ["he sleeps on a warm day"], 0.6)),
        Case("other words of the same letters", (anagrams, ["rat on", "pat a"], 0.6)),
        Case("a threshold of 1", (by_hand, ["cat a sees dog the", "bird the sees dog"], 1.0)),
        Case("nothing near", (by_hand, ["nobody knows why"], 0.5)),
        Case("punctuation marks", (marks, ["a dog", "yes, madam!"], 0.5)),
        Case("several blanks in a row", (blanks, ["a dog", "no  very bad"], 0.6)),
        Case("training sentences that come twice", (twice, ["the dog sings", "it rains"], 0.5)),
        Case("much in common with a long one", (larger, ["a b c d e f g h", "a b"], 0.6)),
        Case("shares just below", (shares, ["a b c d e p q", "x z w"], 0.6)),
        Case("shares a little below two thirds", (["a b c", "a b", "p q r"], ["a b"], 0.67)),
        Case("one sentence within another", (["he", "he sings", "her song"], ["the singer"], 0.3)),
        Case("14 sentences, 5 of the test", (sentences(14), sentences(5), 0.5)),
        Case("10 sentences, 10 of the test", (sentences(10), sentences(10), 0.6)),
        Case("a low threshold", (sentences(9), sentences(3), 0.25)),
    ]


def correct(train, test, threshold):
    """Those that are near any test sentence."""
    return _near(train, test, _overlaps(threshold))


def _words(sentence):
    return set(sentence.lower().split())


def _overlaps(threshold):
    """Whether J of two sets reaches the threshold."""
    return lambda A, B: len(A & B) / len(A | B) >= threshold


def _near(train, test, is_near, words=_words):
    """The indices of training sentences whose sets of words are near to some test sentence's."""
    known, asked = ([words(sentence) for sentence in side] for side in (train, test))
    return [i for i, A in enumerate(known) if any(is_near(A, B) for B in asked)]


def _J(A, B):
    """The overlap of two sets; 0 where both are empty."""
    return len(A & B) / max(1, len(A | B))


def _overlapping(train, test):
    """For each training sentence its J with each test sentence."""
    return [[_J(_words(known), _words(asked)) for asked in test] for known in train]


class Wrong:
    """What learners write, the more particular before the more general."""

    def sentences_themselves(train, test, threshold):
        """You returned the sentences. Return their indices, counted from 0.

        `enumerate` gives both.
        """
        return [train[i] for i in correct(train, test, threshold)]

    def strictly_above(train, test, threshold):
        """Your list leaves out a sentence whose J equals the threshold.

        At or above the threshold: which comparison is that?
        """
        return _near(train, test, lambda A, B: len(A & B) / len(A | B) > threshold)

    def share_of_the_training_sentence(train, test, threshold):
        """You divided by the number of words of the training sentence.

        Then a single common word makes a very short sentence a duplicate. What is the denominator
        of J?
        """
        return _near(train, test, lambda A, B: len(A & B) / len(A) >= threshold)

    def share_of_the_test_sentence(train, test, threshold):
        """You divided by the number of words of the test sentence.

        Then a very long sentence is near everything that it contains. What is the denominator of J?
        """
        return _near(train, test, lambda A, B: len(A & B) / len(B) >= threshold)

    def share_of_the_shorter(train, test, threshold):
        """You divided by the number of words of the shorter sentence.

        Then a sentence within a longer one has J = 1. What is the denominator of J?
        """
        return _near(train, test, lambda A, B: len(A & B) / min(len(A), len(B)) >= threshold)

    def share_of_the_longer(train, test, threshold):
        """You divided by the number of words of the longer sentence.

        A union is larger than either set, unless one contains the other. What is the denominator of
        J?
        """
        return _near(train, test, lambda A, B: len(A & B) / max(len(A), len(B)) >= threshold)

    def twice_over_the_sum(train, test, threshold):
        """You divided twice the intersection by the sum of both sizes. That is Dice's measure.

        J divides by the union, in which a word that both sets have counts once.
        """
        return _near(train, test, lambda A, B: 2 * len(A & B) / (len(A) + len(B)) >= threshold)

    def repeated_words_counted(train, test, threshold):
        """You counted a repeated word as often as its sentence has it.

        A and B are *sets* of words. How often is a word in a set?
        """
        return _near(
            train,
            test,
            lambda A, B: (A & B).total() / (A | B).total() >= threshold,
            lambda sentence: Counter(sentence.lower().split()),
        )

    def capitals_matter(train, test, threshold):
        """You treated *The* and *the* as two words.

        The question gives the expression that splits a sentence into words.
        """
        return _near(train, test, _overlaps(threshold), lambda sentence: set(sentence.split()))

    def letters_compared(train, test, threshold):
        """You compared sets of letters. In Python, the `set` of a string has its characters.

        Split the sentence into words first.
        """
        return _near(train, test, _overlaps(threshold), lambda sentence: set(sentence.lower()))

    def line_against_line(train, test, threshold):
        """You compared the first sentence with the first, the second with the second, and so on.

        Compare every training sentence with every test sentence.
        """
        both = enumerate(zip(train, test, strict=False))
        return [i for i, (known, asked) in both if correct([known], [asked], threshold)]

    def first_of_the_test_only(train, test, threshold):
        """You compared only with the first test sentence.

        Is there a `return` or a `break` too early?
        """
        return correct(train, test[:1], threshold)

    def near_to_all(train, test, threshold):
        """You listed a sentence only if it is near to *all* test sentences.

        One is enough to give an answer away.
        """
        asked = [_words(sentence) for sentence in test]
        return [
            i
            for i, A in enumerate(map(_words, train))
            if all(len(A & B) / len(A | B) >= threshold for B in asked)
        ]

    def those_to_keep(train, test, threshold):
        """You returned the sentences to keep.

        Return those to drop.
        """
        near = correct(train, test, threshold)
        return [i for i in range(len(train)) if i not in near]

    def numbers_of_the_test(train, test, threshold):
        """You returned indices of test sentences.

        The test set stays as it is. Which training sentences have to go?
        """
        return correct(test, train, threshold)

    def once_for_every_match(train, test, threshold):
        """Your list has a training sentence twice if it is near to two test sentences.

        Ask whether it is near to *any*, and go on to the next training sentence.
        """
        return [
            i
            for i in range(len(train))
            for asked in test
            if correct([train[i]], [asked], threshold)
        ]

    def in_order_of_the_test(train, test, threshold):
        """You found the right sentences, but listed them in the order of the test sentences.

        Sort the indices.
        """
        found = [i for asked in test for i in correct(train, [asked], threshold)]
        return list(dict.fromkeys(found))

    def half_dice(train, test, threshold):
        """You divided the intersection by the sum of both sizes.

        A word that both sets have counts twice in this sum, and once in the union.
        """
        return _near(train, test, lambda A, B: len(A & B) / (len(A) + len(B)) >= threshold)

    def repeats_in_the_union(train, test, threshold):
        """You divided by a number of words in which repeated words count each time.

        Both parts of J count words of sets. How large is the union of the two sets?
        """

        def is_near(known, asked):
            both = len(set(known) & set(asked))
            return both / (len(known) + len(asked) - both) >= threshold

        return _near(train, test, is_near, lambda sentence: sentence.lower().split())

    def repeats_in_the_training_sentence(train, test, threshold):
        """You counted every word of the training sentence that the test sentence has, repeated ones
        each time.

        Make a set of the words of each sentence before you count.
        """

        def is_near(known, asked):
            both = sum(word in asked for word in known)
            return both / len(set(known) | set(asked)) >= threshold

        return _near(train, test, is_near, lambda sentence: sentence.lower().split())

    def counted_from_1(train, test, threshold):
        """You counted the sentences from 1.

        Count from 0, as Python does: `train[0]` is the first.
        """
        return [i + 1 for i in correct(train, test, threshold)]

    def only_the_training_sentences_lowered(train, test, threshold):
        """You turned only the training sentences into small letters. A word with a capital in a
        test sentence then matches no word.

        Split both kinds of sentences by the expression that the question gives.
        """
        asked = [set(sentence.split()) for sentence in test]
        is_near = _overlaps(threshold)
        return [i for i, known in enumerate(train) if any(is_near(_words(known), B) for B in asked)]

    def only_the_test_sentences_lowered(train, test, threshold):
        """You turned only the test sentences into small letters. A word with a capital in a
        training sentence then matches no word.

        Split both kinds of sentences by the expression that the question gives.
        """
        known = [set(sentence.split()) for sentence in train]
        is_near = _overlaps(threshold)
        asked = [_words(sentence) for sentence in test]
        return [i for i, A in enumerate(known) if any(is_near(A, B) for B in asked)]

    def punctuation_left_out(train, test, threshold):
        """You removed punctuation marks from the words.

        That may be a good idea later. Here the words are what `sentence.lower().split()` gives, and
        *dog.* is another word than *dog*.
        """
        return _near(
            train,
            test,
            lambda A, B: _J(A, B) >= threshold,
            lambda sentence: set(re.findall(r"\w+", sentence.lower())),
        )

    def marks_are_words(train, test, threshold):
        """You made punctuation marks words of their own.

        Here the words are what `sentence.lower().split()` gives, and a mark belongs to the word
        before it.
        """
        return _near(
            train,
            test,
            lambda A, B: _J(A, B) >= threshold,
            lambda sentence: set(re.findall(r"\w+|[^\w\s]", sentence.lower())),
        )

    def empty_words(train, test, threshold):
        """You split at every single space: two spaces in a row give an empty word, and a tab gives
        no new word.

        `split()` with nothing between its brackets splits at any number of blanks.
        """
        return _near(
            train, test, _overlaps(threshold), lambda sentence: set(sentence.lower().split(" "))
        )

    def words_within_words(train, test, threshold):
        """You looked for each word in the text of the other sentence, so *he* is found in *the*.

        Split both sentences into words before you compare.
        """

        def is_near(known, asked):
            both = {word for word in known.split() if word in asked}
            return len(both) / len(set(known.split()) | set(asked.split())) >= threshold

        return _near(train, test, is_near, str.lower)

    def test_poured_together(train, test, threshold):
        """You put the words of all test sentences into one set.

        Compare each training sentence with each test sentence by itself.
        """
        return correct(train, [" ".join(test)], threshold)

    def mean_over_the_test(train, test, threshold):
        """You took the mean of J over the test sentences.

        One test sentence that is near is enough, however many others there are.
        """
        overlapping = _overlapping(train, test)
        return [i for i, row in enumerate(overlapping) if sum(row) / len(row) >= threshold]

    def added_up_over_the_test(train, test, threshold):
        """You added up J over the test sentences.

        Compare J with the threshold for each test sentence by itself.
        """
        return [i for i, row in enumerate(_overlapping(train, test)) if sum(row) >= threshold]

    def by_the_most_words_in_common(train, test, threshold):
        """You compared each training sentence only with the test sentence with which it has the
        most words in common.

        A long test sentence can share more words and still have a smaller J. Compare with all.
        """
        asked = [_words(sentence) for sentence in test]
        found = []
        for i, A in enumerate(map(_words, train)):
            best = max(asked, key=lambda B: len(A & B))
            if _J(A, best) >= threshold:
                found.append(i)
        return found

    def last_of_the_test_only(train, test, threshold):
        """You compared only with the last test sentence.

        Does a later test sentence overwrite what an earlier one has found?
        """
        return correct(train, test[-1:], threshold)

    def equal_sets_only(train, test, threshold):
        """You listed only sentences with exactly the same set of words, whatever the threshold is.

        A J below 1 may be enough, too. Which argument says how large J must be?
        """
        return correct(train, test, 1.0)

    def equal_sentences_only(train, test, threshold):
        """You listed only sentences that stand in the test set word for word.

        Compare sets of words, by their overlap.
        """
        asked = [sentence.lower().split() for sentence in test]
        return [i for i, sentence in enumerate(train) if sentence.lower().split() in asked]

    def four_letters_compared(train, test, threshold):
        """You compared sets of four-character sequences.

        Here A and B are sets of words.
        """

        def parts(sentence):
            text = sentence.lower()
            return {text[k : k + 4] for k in range(max(1, len(text) - 3))}

        return _near(train, test, _overlaps(threshold), parts)

    def rounded_to_one_decimal(train, test, threshold):
        """You rounded J to one decimal before you compared it.

        5/9 is less than 0.6. Compare the number itself.
        """
        return _near(train, test, lambda A, B: round(_J(A, B), 1) >= threshold)

    def rounded_to_two_decimals(train, test, threshold):
        """You rounded J to two decimals before you compared it.

        2/3 is less than 0.67. Compare the number itself.
        """
        return _near(train, test, lambda A, B: round(_J(A, B), 2) >= threshold)

    def any_word_in_common(train, test, threshold):
        """You listed every sentence that has a word in common with some test sentence.

        How many are in common, out of how many? Compare this share with the threshold.
        """
        return _near(train, test, lambda A, B: len(A & B) > 0)

    def share_of_different_words(train, test, threshold):
        """You compared the share of the words that only one of the two sentences has.

        J is large where sentences are alike. Which words does its numerator count?
        """
        return _near(train, test, lambda A, B: len(A ^ B) / len(A | B) >= threshold)

    def far_from_some(train, test, threshold):
        """You listed the sentences whose J with some test sentence is *below* the threshold.

        At or above the threshold: which comparison is that?
        """
        return _near(train, test, lambda A, B: _J(A, B) < threshold)

    def threshold_of_one_half(train, test, threshold):
        """You compared J with 0.5, whatever the threshold is.

        How large J must be is given by the last argument.
        """
        return correct(train, test, 0.5)

    def first_with_this_text(train, test, threshold):
        """Of a training sentence that comes twice, you list the first index twice.

        `list.index` finds the first sentence with this text. `enumerate` numbers each of them.
        """
        return [train.index(train[i]) for i in correct(train, test, threshold)]

    def each_text_once(train, test, threshold):
        """Of a training sentence that comes twice, you list only the first.

        Both have to go. Number the sentences by their positions.
        """
        return sorted({train.index(train[i]) for i in correct(train, test, threshold)})

    def only_the_first_found(train, test, threshold):
        """You stop at the first training sentence that is near.

        Go on to the next training sentence.
        """
        return correct(train, test, threshold)[:1]

    def how_many(train, test, threshold):
        """You returned how many sentences are near.

        Return their indices, in a list.
        """
        return len(correct(train, test, threshold))

    def with_their_test_sentence(train, test, threshold):
        """You returned pairs of indices, of a training sentence and of a test sentence.

        Return the indices of the training sentences alone, each once.
        """
        overlapping = _overlapping(train, test)
        return [
            (i, k)
            for i, row in enumerate(overlapping)
            for k, near in enumerate(row)
            if near >= threshold
        ]

    def a_truth_value_for_each(train, test, threshold):
        """You returned True or False for each training sentence.

        Return the indices of those that are near.
        """
        return [max(row) >= threshold for row in _overlapping(train, test)]

    def the_overlaps_themselves(train, test, threshold):
        """You returned the largest J of each training sentence.

        Return the indices of those that reach the threshold.
        """
        return [max(row) for row in _overlapping(train, test)]

    def as_a_set(train, test, threshold):
        """You returned the indices as a set.

        A set has no order. Return a sorted list.
        """
        return set(correct(train, test, threshold))

    def over_the_root_of_the_product(train, test, threshold):
        """You divided the intersection by the square root of the product of both sizes. That is the
        cosine similarity.

        J divides by the union.
        """
        return _near(train, test, lambda A, B: len(A & B) / (len(A) * len(B)) ** 0.5 >= threshold)

    def over_the_others(train, test, threshold):
        """You divided the intersection by the number of words that only one of the two sentences
        has.

        The union holds the common words, too.
        """
        return _near(train, test, lambda A, B: len(A & B) / max(1, len(A ^ B)) >= threshold)

    def over_the_mean_size(train, test, threshold):
        """You divided the intersection by the mean of both sizes, rounded down.

        J divides by the union.
        """
        return _near(train, test, lambda A, B: len(A & B) / ((len(A) + len(B)) // 2) >= threshold)

    def over_the_product(train, test, threshold):
        """You divided the intersection by the product of both sizes.

        J divides by the size of the union.
        """
        return _near(train, test, lambda A, B: len(A & B) / (len(A) * len(B)) >= threshold)

    def repeats_above_the_line(train, test, threshold):
        """You counted common words as often as both sentences have them, and divided by the number
        of different words.

        Both parts of J count words of *sets*.
        """

        def is_near(known, asked):
            both = Counter(known) & Counter(asked)
            return both.total() / len(set(known) | set(asked)) >= threshold

        return _near(train, test, is_near, lambda sentence: sentence.lower().split())

    def repeats_of_the_test_sentence(train, test, threshold):
        """You counted every word of the test sentence that the training sentence has, repeated ones
        each time.

        Make a set of the words of each sentence before you count.
        """

        def is_near(known, asked):
            both = sum(word in known for word in asked)
            return both / len(set(known) | set(asked)) >= threshold

        return _near(train, test, is_near, lambda sentence: sentence.lower().split())

    def over_both_sentences(train, test, threshold):
        """You divided by the number of all words of both sentences.

        A word that both have counts once in the union, and so does a repeated word.
        """

        def is_near(known, asked):
            return len({*known} & {*asked}) / len(known + asked) >= threshold

        return _near(train, test, is_near, lambda sentence: sentence.lower().split())

    def neighbouring_words_compared(train, test, threshold):
        """You compared sets of pairs of neighbouring words.

        Here A and B are sets of single words.
        """

        def pairs(sentence):
            of_one = sentence.lower().split()
            return set(pairwise(of_one))

        return _near(train, test, lambda A, B: _J(A, B) >= threshold, pairs)

    def order_matters(train, test, threshold):
        """You compared word by word: first with first, second with second.

        Sets have no order. *cat the* and *the cat* are alike.
        """

        def is_near(known, asked):
            both = sum(a == b for a, b in zip(known, asked, strict=False))
            return both / max(len(known), len(asked)) >= threshold

        return _near(train, test, is_near, lambda sentence: sentence.lower().split())

    def within_the_training_set(train, test, threshold):
        """You compared the training sentences with each other.

        Compare each of them with the test sentences.
        """
        found = []
        for i in range(len(train)):
            found += [i] * bool(correct([train[i]], train[:i] + train[i + 1 :], threshold))
        return found

    def nearest_first(train, test, threshold):
        """You sorted the indices by nearness.

        Return the indices in increasing order.
        """
        largest = [max(row) for row in _overlapping(train, test)]
        return sorted(correct(train, test, threshold), key=lambda i: -largest[i])

    def those_at_or_below_for_all(train, test, threshold):
        """You returned the sentences whose J with all test sentences is at or below the threshold.

        Return those to drop: at or above, for any test sentence.
        """
        rows = enumerate(_overlapping(train, test))
        return [i for i, row in rows if max(row) <= threshold]


class Right:
    """Right answers, written differently."""

    def with_loops(train, test, threshold):
        """Two loops and a break."""
        found = []
        for i in range(len(train)):
            A = set(train[i].lower().split())
            for sentence in test:
                B = set(sentence.lower().split())
                if len(A.intersection(B)) / len(A.union(B)) >= threshold:
                    found.append(i)
                    break
        return found

    def with_the_largest(train, test, threshold):
        """Asks for the nearest one."""

        def J(one, other):
            A, B = frozenset(one.lower().split()), frozenset(other.lower().split())
            both = len(A & B)
            return both / (len(A) + len(B) - both)

        return [
            i for i, one in enumerate(train) if max(J(one, other) for other in test) >= threshold
        ]

    def from_word_to_sentences(train, test, threshold):
        """Finds candidates by their words, and counts."""
        sizes, places = [], {}
        for i, sentence in enumerate(train):
            of_one = _words(sentence)
            sizes.append(len(of_one))
            for word in of_one:
                places.setdefault(word, []).append(i)
        found = set()
        for sentence in test:
            asked = _words(sentence)
            both = Counter(i for word in asked for i in places.get(word, ()))
            found |= {i for i, n in both.items() if n / (sizes[i] + len(asked) - n) >= threshold}
        return sorted(found)

    def without_division(train, test, threshold):
        """Multiplies by the union."""
        sets = [[_words(sentence) for sentence in side] for side in (train, test)]
        return tuple(
            number
            for number, A in enumerate(sets[0])
            if sum(len(A & B) >= threshold * len(A | B) for B in sets[1])
        )


EXERCISE = Exercise(
    id="near_duplicates",
    oracle=correct,
    hint="Take one training sentence and one test sentence, write both sets, and count: words in "
    "both, words in either. Then do it for every combination of sentences.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
