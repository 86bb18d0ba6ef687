"""The exercise ``same_bag``: what is left of a sentence without positions (A05; chapter 03)."""

from __future__ import annotations

import math

from mtcourse.checks.exercise import Exercise


def correct():
    """Two words are equal; equal words get equal rows; nouns and adjectives may change places."""
    return _answer()


def _answer(orders=60, rows=4, sentences=4, right=0.25):
    return {"orders": orders, "rows": rows, "sentences": sentences, "right": right}


# --- wrong ---------------------------------------------------------------------------------------


def without_names():
    """The four numbers are right, but their names are missing.

    A dictionary is asked for, with the names of the question.
    """
    return list(_answer().values())


def both_the_told_apart():
    """The orders are counted as if the two words "the" were different ones.

    Exchange the two. Do you see another row of words?
    """
    return _answer(orders=120)


def rows_told_apart():
    """Orders, sentences and shares are right. But you count a row for each of the five places.

    Without positions, what could make the two rows of "the" different?
    """
    return _answer(rows=5)


def both_the_and_their_rows_told_apart():
    """The two words "the" are told apart, in the orders and in the rows.

    They are the same word. Without positions, what could make their rows different?
    """
    return _answer(orders=120, rows=5)


def all_rows_alike():
    """You say that all rows come out the same, since the encoder sees a bag.

    The bag is the same for all of them, but each row also asks with its own word.
    """
    return _answer(rows=1)


def adjectives_kept():
    """You let the two nouns change places together with their adjectives, and nothing else.

    In a bag, "old" is next to nobody. Could it be the cat that is old?
    """
    return _answer(sentences=2, right=0.5)


def adjectives_kept_and_rows_told_apart():
    """Two things: in a bag adjectives leave their nouns, and equal words have equal rows.

    Write down all sentences of the pattern with these seven words. Which rows can differ?
    """
    return _answer(rows=5, sentences=2, right=0.5)


def nothing_a_bag():
    """Your numbers are those of a translator that sees the order: nothing in them is a bag's.

    Equal words cannot be told apart, and adjectives do not stay with their nouns. Begin there.
    """
    return _answer(orders=120, rows=5, sentences=2, right=0.5)


def any_order_a_sentence():
    """You counted every order of the seven words as a sentence.

    The pattern is fixed: the, adjective, noun, sees, the, adjective, noun. What may change places?
    """
    orders = math.factorial(7) // 2
    return _answer(sentences=orders, right=1 / orders)


def sentences_not_used():
    """Orders, rows and sentences are right. But you say that half of the guesses are right.

    Which of the sentences was meant cannot be known. Of how many equally likely ones is one chosen?
    """
    return _answer(right=0.5)


def never_right():
    """Orders, rows and sentences are right. But a translator that guesses is sometimes right.

    It always writes the same translation for all of them. For how many is that the right one?
    """
    return _answer(right=0)


def always_right():
    """Orders, rows and sentences are right. But the same bag gives the same translation every time.

    One translation cannot be right for all the sentences.
    """
    return _answer(right=1)


def in_percent():
    """The share of right translations is given in percent.

    A share lies between 0 and 1.
    """
    return _answer(right=25)


def pairs_of_places():
    """You counted pairs of places, 5 · 4 / 2, and not orders of five words.

    How many orders do five different words have? And how many of these look alike?
    """
    return _answer(orders=10)


# --- right ---------------------------------------------------------------------------------------


def in_whole_numbers():
    """As one writes them down."""
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
    hint="Take the four numbers one after another. For the sentences, write them all down: who "
    "sees, who is seen, and which of the two is old?",
    misconceptions=(
        without_names,
        both_the_told_apart,
        rows_told_apart,
        both_the_and_their_rows_told_apart,
        all_rows_alike,
        adjectives_kept,
        adjectives_kept_and_rows_told_apart,
        nothing_a_bag,
        any_order_a_sentence,
        sentences_not_used,
        never_right,
        always_right,
        in_percent,
        pairs_of_places,
    ),
    right=(in_whole_numbers, computed, counted, as_tensors),
)
