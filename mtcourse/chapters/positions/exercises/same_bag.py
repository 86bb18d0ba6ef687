"""The exercise ``same_bag``: what is left of a sentence without positions (A05; chapter 03)."""

from __future__ import annotations

import math

from mtcourse.checks.exercise import functions_of, Exercise


def correct():
    """Two words are equal; equal words get equal rows; nouns and adjectives may be exchanged."""
    return _answer()


def _answer(orders=60, rows=4, sentences=4, right=0.25):
    return {"orders": orders, "rows": rows, "sentences": sentences, "right": right}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The four numbers are right, but their names are missing.

        Write a dictionary, with the four names of the question.
        """
        return list(_answer().values())

    def both_the_told_apart():
        """You count orders as if the two words "the" were different words.

        Exchange the two. Does the sentence read differently?
        """
        return _answer(orders=120)

    def rows_told_apart():
        """The other three are right. But you say that all five words get different rows.

        Without positions, what could make the two rows of "the" different?
        """
        return _answer(rows=5)

    def both_the_and_their_rows_told_apart():
        """You treat the two words "the" as different, both in the orders and in the rows.

        They are the same word. Without positions, what could make their rows different?
        """
        return _answer(orders=120, rows=5)

    def all_rows_alike():
        """You say that all new rows are equal, since the encoder sees a bag.

        The bag is the same for all words. But the weights of each mean depend on the word's own
        row.
        """
        return _answer(rows=1)

    def adjectives_kept():
        """You exchange the two nouns together with their adjectives, and nothing else.

        In a bag, "old" does not stand beside any noun. Could the cat be the old one?
        """
        return _answer(sentences=2, right=0.5)

    def adjectives_kept_and_rows_told_apart():
        """Two are wrong: an adjective need not stay with its noun, and equal words get equal rows.

        Write down all sentences of the pattern with these seven words. Which rows can differ?
        """
        return _answer(rows=5, sentences=2, right=0.5)

    def nothing_a_bag():
        """All four numbers are those of a translator that sees the order.

        In a bag, equal words cannot be told apart, and adjectives do not stay with their nouns.
        """
        return _answer(orders=120, rows=5, sentences=2, right=0.5)

    def any_order_a_sentence():
        """You count every order of the seven words as a sentence.

        The pattern is fixed: the, adjective, noun, sees, the, adjective, noun. What can be
        exchanged?
        """
        orders = math.factorial(7) // 2
        return _answer(sentences=orders, right=1 / orders)

    def sentences_not_used():
        """Orders, rows and sentences are right. But you say that half of the translations are
        right.

        The translator has to choose one of the sentences. How many equally likely ones are there?
        """
        return _answer(right=0.5)

    def never_right():
        """Orders, rows and sentences are right. But a translator that guesses is sometimes right.

        It writes the same translation for all the sentences. For how many of them is that right?
        """
        return _answer(right=0)

    def always_right():
        """Orders, rows and sentences are right. But one bag always gets one and the same
        translation.

        One translation cannot be right for all the sentences.
        """
        return _answer(right=1)

    def in_percent():
        """You give the share of right translations in percent.

        A share lies between 0 and 1.
        """
        return _answer(right=25)

    def pairs_of_places():
        """You count pairs of positions, 5 · 4 / 2, and not orders of five words.

        How many orders do five different words have? And how many of these read the same?
        """
        return _answer(orders=10)


class Right:
    """Right answers, written differently."""

    def in_whole_numbers():
        """The four numbers as they are."""
        return {"orders": 60, "rows": 4, "sentences": 4, "right": 1 / 4}

    def computed():
        """By factorials."""
        sentences = math.factorial(2) * math.factorial(2)
        orders = math.factorial(5) / math.factorial(2)
        return {"right": 1 / sentences, "sentences": sentences, "orders": orders, "rows": 4.0}

    def counted():
        """By going through all orders."""
        from itertools import permutations

        of_five = ["the", "dog", "sees", "the", "cat"]
        two = [
            (noun, adjective)
            for noun in permutations(["dog", "cat"])
            for adjective in permutations(["old", "young"])
        ]
        return {
            "orders": len(set(permutations(of_five))),
            "rows": len(set(of_five)),
            "sentences": len(two),
            "right": 1 / len(two),
        }

    def as_tensors():
        """As tensors without dimensions."""
        import torch

        return {name: torch.tensor(value) for name, value in _answer().items()}


EXERCISE = Exercise(
    id="same_bag",
    oracle=correct,
    hint="Take the four numbers one after another. Write all the sentences down: who sees, who is "
    "seen, and which of the two is old?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
