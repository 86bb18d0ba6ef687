"""The exercise ``near_duplicates``: training sentences too close to the test (chapter 01)."""

from __future__ import annotations

from collections import Counter

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
    capitals = ["The dog sleeps", "HE SLEEPS", "dogs sleep"]
    inside = ["he sleeps", "he sleeps now and then on a warm day", "a warm day", "warm"]
    anagrams = ["on tar", "no rat", "a tap", "dear tom", "on"]
    return [
        Case("3 training sentences, 1 of the test", (by_hand, ["the dog sees a bird"], 0.5), True),
        Case("just enough shared", (["a b c d", "a b c", "a b", "a"], ["a b x y", "c q"], 0.5)),
        Case("words that are repeated", (repeats, ["very good", "yes no"], 0.6)),
        Case("capitals", (capitals, ["the DOG sleeps", "he sleeps"], 0.75)),
        Case("short sentences within long ones", (inside, ["he sleeps on a warm day"], 0.6)),
        Case("other words of the same letters", (anagrams, ["rat on", "pat a"], 0.6)),
        Case("a threshold of 1", (by_hand, ["cat a sees dog the", "bird the sees dog"], 1.0)),
        Case("nothing near", (by_hand, ["nobody knows why"], 0.5)),
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
            i for i in range(len(train)) for asked in test if correct([train[i]], [asked], threshold)
        ]

    def in_order_of_the_test(train, test, threshold):
        """You found the right sentences, but listed them in the order of the test sentences.

        Sort the indices.
        """
        found = [i for asked in test for i in correct(train, [asked], threshold)]
        return list(dict.fromkeys(found))


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

        return [i for i, one in enumerate(train) if max(J(one, other) for other in test) >= threshold]

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
