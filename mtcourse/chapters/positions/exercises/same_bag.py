"""The exercise ``same_bag``: what is left of a sentence without positions (A05; chapter 3)."""

from __future__ import annotations

import math

from mtcourse.checks.exercise import Exercise, functions_of


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
        """You say that all five words get different rows.

        Without positions, what could make the two rows of "the" different?
        """
        return _answer(rows=5)

    def both_the_and_their_rows_told_apart():
        """You treat the two words "the" as different, both in the orders and in the rows.

        They are the same word. Without positions, what could make their rows different?
        """
        return _answer(orders=120, rows=5)

    def all_rows_alike():
        """You say that all five new rows are equal.

        The bag is the same for all words. But the weights of each mean depend on the word's own
        row.
        """
        return _answer(rows=1)

    def adjectives_kept():
        """You make only one exchange: of the nouns, of the adjectives, or of both at once.

        In a bag, nothing ties "old" to one of the nouns. Write down all sentences of the pattern:
        who sees, who is seen, and which of the two is old?
        """
        return _answer(sentences=2, right=0.5)

    def adjectives_kept_and_rows_told_apart():
        """You give five different rows, and a share as if there were only two sentences.

        Write down all sentences of the pattern with these seven words. Which rows can differ?
        """
        return _answer(rows=5, sentences=2, right=0.5)

    def nothing_a_bag():
        """You count orders as if the two words "the" were different, and your share is that of two
        sentences.

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
        """You say that half of the translations are right.

        The translator has to choose one of the sentences. How many equally likely ones are there?
        """
        return _answer(right=0.5)

    def never_right():
        """You say that no translation is right. But even a guess is sometimes right.

        It writes the same translation for all the sentences. For how many of them is it right?
        """
        return _answer(right=0)

    def always_right():
        """You say that all translations are right. But one bag always gets the same translation.

        One translation cannot be right for all the sentences.
        """
        return _answer(right=1)

    def in_percent():
        """You give the share of right translations in percent.

        A share lies between 0 and 1.
        """
        return _answer(right=25)

    def pairs_of_places():
        """Your 10 is the number of pairs of positions, 5 · 4 / 2, not that of orders of five words.

        How many orders do five different words have? And how many of these read the same?
        """
        return _answer(orders=10)

    def orders_of_different_words():
        """You count 4! orders, as if the sentence had only four words.

        Each of the five words takes a place, and "the" takes two. How many places are there?
        """
        return _answer(orders=24)

    def orders_that_are_sentences():
        """You count two orders, as if only English sentences counted.

        Any order counts here, also "cat the the sees dog". How many are there?
        """
        return _answer(orders=2)

    def repeated_word_subtracted():
        """You subtract 2 from the 120 orders of five different words.

        Each order is counted more than once, and not only two of them. How often?
        """
        return _answer(orders=118)

    def one_order_subtracted():
        """You subtract 1 from the 120 orders of five different words.

        Each order is counted more than once, and not only one of them. How often?
        """
        return _answer(orders=119)

    def other_orders_alone():
        """You count the orders other than that of the sentence itself.

        The order in which the sentence stands is one of those that are possible.
        """
        return _answer(orders=59)

    def halved_twice():
        """You count 30 orders, as if two pairs of words were equal.

        Which two words can you exchange so that the sentence still reads the same: "the" and
        "the", or "dog" and "cat"?
        """
        return _answer(orders=30)

    def both_the_chosen_alone():
        """Your 20 is 5 · 4, the number of ways to put two different words into two of the places.

        The other three words have to be placed, too. And does it matter which "the" takes which
        place?
        """
        return _answer(orders=20)

    def four_words_with_two_alike():
        """You count the orders of four words of which two are alike.

        How many words has the sentence, each counted as often as it stands there?
        """
        return _answer(orders=12)

    def as_many_orders_as_words():
        """You give as many orders as the sentence has words.

        How many words can stand first? How many are then left for the second place?
        """
        return _answer(orders=5)

    def words_used_again():
        """You let each place have any of the five words, so that a word may be used several times.

        A word that has its place cannot be used again. How many are left for the next place?
        """
        return _answer(orders=5**5)

    def single_words_alone():
        """You count only the rows of words that occur once, and leave out that of "the".

        The two rows of "the" are equal to each other. Do they differ from the row of "dog"?
        """
        return _answer(rows=3)

    def equal_rows_counted():
        """You say that there are two different rows.

        Take the words one after another: which of them have equal rows, and which do not?
        """
        return _answer(rows=2)

    def both_the_exchanged_in_sentences():
        """You also exchange the two words "the", and count this as another sentence.

        Write both down. Do they read differently?
        """
        return _answer(sentences=8, right=1 / 8)

    def four_words_in_any_order():
        """You put the two nouns and the two adjectives into any order.

        The pattern says which places are for adjectives, and which for nouns.
        """
        return _answer(sentences=24, right=1 / 24)

    def any_word_at_its_place():
        """You let each adjective and each noun stand at both of its places at the same time.

        The bag has each of them once: what stands at the first place is used up for the second.
        """
        return _answer(sentences=16, right=1 / 16)

    def other_sentences_alone():
        """You leave one of the sentences out.

        The nouns may be exchanged or not, and the adjectives may be exchanged or not. The sentence
        itself is one of those that its words can form.
        """
        return _answer(sentences=3, right=1 / 3)

    def other_sentences_alone_and_the_share_of_all():
        """In your count of the sentences, one is missing.

        The nouns may be exchanged or not, and the adjectives may be exchanged or not. The sentence
        itself is one of those that its words can form.
        """
        return _answer(sentences=3)

    def one_sentence_alone():
        """You say that the bag has only the one sentence that was read.

        Exchange the two nouns, or the two adjectives: the bag stays the same.
        """
        return _answer(sentences=1, right=1)

    def all_orders_of_seven_words():
        """You count the orders of seven different words as sentences.

        The pattern is fixed, and "the" is there twice. What can be exchanged?
        """
        return _answer(sentences=math.factorial(7), right=1 / math.factorial(7))

    def share_of_the_orders():
        """For the share you divide by the number of orders in the first question.

        The share belongs to the sentences of the third question.
        """
        return _answer(right=1 / 60)

    def wrong_share():
        """You give the share of translations that are wrong.

        The question asks for those that are right.
        """
        return _answer(right=0.75)

    def share_of_both_nouns_and_adjectives():
        """Your share is too small: it is that of more sentences than there are.

        Of the equally likely sentences, for how many is one fixed translation right?
        """
        return _answer(right=1 / 16)

    def one_third():
        """Your share compares right sentences with wrong ones, or leaves a sentence out.

        A share is the number of right ones, divided by the number of *all*.
        """
        return _answer(right=1 / 3)

    def number_of_right_ones():
        """For the share you give how many sentences there are.

        A share lies between 0 and 1.
        """
        return _answer(right=4)

    def two_sentences_alone():
        """You count two sentences, as if only one exchange could be made.

        In a bag, nothing ties "old" to one of the nouns. Write down all sentences of the pattern.
        """
        return _answer(sentences=2)


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
