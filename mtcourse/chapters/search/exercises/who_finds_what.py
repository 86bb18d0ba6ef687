"""The exercise ``who_finds_what``: three searches in a small tree (C13, C15, C16; chapter 18)."""

from __future__ import annotations

import math
from fractions import Fraction

from mtcourse.checks.exercise import Exercise, functions_of

AFTER = {
    "": {"a": 0.45, "b": 0.30, "c": 0.25},
    "a": {"d": 0.50, "e": 0.40, "<eos>": 0.10},
    "b": {"e": 0.50, "d": 0.40, "<eos>": 0.10},
    "c": {"d": 0.96, "<eos>": 0.04},
    "a d": {"<eos>": 0.60, "f": 0.40},
    "a e": {"<eos>": 0.90, "f": 0.10},
    "b d": {"<eos>": 0.70, "f": 0.30},
    "b e": {"<eos>": 0.80, "f": 0.20},
    "c d": {"<eos>": 0.95, "f": 0.05},
}
"""After three words, <eos> has probability 1."""
GREEDY, TWO, THREE, BEST = "greedy", "two beams", "three beams", "the best of all"
STEPS = "steps of two beams"


def correct():
    """Follows the tree."""
    return {
        GREEDY: "a d",
        f"p of {GREEDY}": 0.45 * 0.50 * 0.60,
        TWO: "a e",
        f"p of {TWO}": 0.45 * 0.40 * 0.90,
        THREE: "c d",
        f"p of {THREE}": 0.25 * 0.96 * 0.95,
        BEST: "c d",
        STEPS: 3,
    }


def _but(**others):
    """The right answers, with some replaced; an underscore stands for a blank."""
    return correct() | {name.replace("_", " "): of for name, of in others.items()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your answers may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct().values())

    def logarithms():
        """You give logarithms of the probabilities.

        Give the probabilities: products of three numbers each.
        """
        named = {name: of for name, of in correct().items() if name.startswith("p of")}
        return correct() | {name: math.log(of) for name, of in named.items()}

    def ends_left_out():
        """You left the last factor out of all three probabilities. A sentence has ended only when
        `<eos>` was chosen, and that has a probability, too.

        Multiply by the probability of `<eos>`.
        """
        return _but(p_of_greedy=0.225, p_of_two_beams=0.18, p_of_three_beams=0.24)

    def beams_by_prefix():
        """For both beam searches you return the prefix that is best after two words, without its
        end. The search goes on until a sentence has *ended*.

        Multiply by the probability of `<eos>`, and compare once more.
        """
        return _but(two_beams="a d", p_of_two_beams=0.225, three_beams="c d", p_of_three_beams=0.24)

    def greedy_looks_ahead():
        """Your greedy search finds the best sentence. It cannot: it takes *a*, the most probable
        first word, and never goes back.

        Which word is the most probable one after *a*?
        """
        return _but(greedy="c d", p_of_greedy=0.228)

    def greedy_compares_sentences():
        """Your greedy search takes the best sentence that begins with *a*. It looks at the next
        word only.

        After *a*, which word has the highest probability?
        """
        return _but(greedy="a e", p_of_greedy=0.162)

    def greedy_goes_on():
        """Your greedy search writes *f* after *a d*. The more probable token there is `<eos>`.

        Compare 0.60 with 0.40.
        """
        return _but(greedy="a d f", p_of_greedy=0.09)

    def greedy_ends_early():
        """Your greedy search ends after *a*. The most probable token there is *d*.

        Compare the three tokens after *a*.
        """
        return _but(greedy="a", p_of_greedy=0.045)

    def greedy_without_the_end():
        """Your greedy sentence is right. Its probability lacks the last factor, that of `<eos>`.

        Ending is a choice, too.
        """
        return _but(p_of_greedy=0.225)

    def greedy_sum():
        """You added the three probabilities of greedy search.

        The probability of a sentence is a product.
        """
        return _but(p_of_greedy=1.55)

    def two_as_greedy():
        """Your two beams find what greedy search finds. *a d* is ahead after two words, but *a e*
        is in the beam as well, and ends better. Two candidates that are kept may have one parent.

        Multiply both by the probability of their end.
        """
        return _but(two_beams="a d", p_of_two_beams=0.135)

    def two_with_b():
        """Your two beams find *b e*. After two words *b e* has 0.15, and two candidates are better.

        List all candidates with two words, and keep two.
        """
        return _but(two_beams="b e", p_of_two_beams=0.12)

    def two_find_the_best():
        """Your two beams find *c d*. With two beams, *c* is lost at the first step.

        Which two words are kept at the first step?
        """
        return _but(two_beams="c d", p_of_two_beams=0.228)

    def two_without_the_end():
        """Your sentence of two beams is right. Its probability lacks the last factor, that of
        `<eos>`.

        Ending is a choice, too.
        """
        return _but(p_of_two_beams=0.18)

    def three_as_two():
        """Your three beams find what two find. With three, *c* stays in the beam, and *d* after it
        is nearly sure.

        What is 0.25 times 0.96?
        """
        return _but(three_beams="a e", p_of_three_beams=0.162)

    def three_as_greedy():
        """Your three beams find what greedy search finds.

        List all candidates with two words. Which three are the best?
        """
        return _but(three_beams="a d", p_of_three_beams=0.135)

    def three_without_the_end():
        """Your sentence of three beams is right. Its probability lacks the last factor, that of
        `<eos>`.

        Ending is a choice, too.
        """
        return _but(p_of_three_beams=0.24)

    def best_is_the_first_word():
        """Your best of all begins with *a*, which is the most probable first word. The best
        sentence need not begin with it.

        Compute the probability of *c d* with its end.
        """
        return {**correct(), BEST: "a e"}

    def best_is_greedy():
        """Your best of all is the greedy one. Two sentences are more probable.

        Compute the probabilities of *a e* and of *c d*, with their ends.
        """
        return {**correct(), BEST: "a d"}

    def stops_after_two():
        """You let the two beams stop after two steps. By then no sentence in the beam has ended.

        The end is chosen in a step of its own.
        """
        return {**correct(), STEPS: 2}

    def goes_on_to_the_end():
        """You let the two beams go on to the fourth step. After the third, the best unfinished
        prefix has probability 0.09, and a sentence with 0.162 has ended.

        Can anything that begins with the prefix become more probable than 0.09?
        """
        return {**correct(), STEPS: 4}

    def with_their_ends():
        """You wrote `<eos>` behind your sentences. The answers are the words alone.

        Leave `<eos>` out, as in the question's example.
        """
        right = correct()
        return right | {name: f"{right[name]} <eos>" for name in (GREEDY, TWO, THREE, BEST)}

    def without_blanks():
        """You wrote the words without a blank between them.

        Write "b d f", and not "bdf".
        """
        right = correct()
        return right | {name: right[name].replace(" ", "") for name in (GREEDY, TWO, THREE, BEST)}

    def in_capitals():
        """You wrote capitals. The words are called a to f.

        Write small letters.
        """
        right = correct()
        return right | {name: right[name].upper() for name in (GREEDY, TWO, THREE, BEST)}

    def last_factors():
        """Your three probabilities are those of `<eos>` alone. That of a sentence is the product of
        all its factors.

        Multiply by the probabilities of the words before it.
        """
        return _but(p_of_greedy=0.6, p_of_two_beams=0.9, p_of_three_beams=0.95)


class Right:
    """Right answers, written differently."""

    def rounded():
        """The products as numbers."""
        return _but(p_of_greedy=0.135, p_of_two_beams=0.162, p_of_three_beams=0.228)

    def by_logarithms():
        """Sums of logarithms, then exp."""

        def p(*factors):
            return math.exp(sum(map(math.log, factors)))

        return _but(
            p_of_greedy=p(0.45, 0.5, 0.6),
            p_of_two_beams=p(0.45, 0.4, 0.9),
            p_of_three_beams=p(0.25, 0.96, 0.95),
        )

    def last_first():
        """In another order."""
        return dict(reversed(list(correct().items())))

    def computed():
        """From the table."""

        def p(words):
            total, prefix = 1.0, ""
            for word in [*words.split(), "<eos>"]:
                total *= AFTER[prefix][word]
                prefix = f"{prefix} {word}".strip()
            return total

        found = {GREEDY: "a d", TWO: "a e", THREE: "c d"}
        named = {f"p of {name}": p(words) for name, words in found.items()}
        return {**found, **named, BEST: max(found.values(), key=p), STEPS: 3}

    def as_fractions():
        """Exact fractions."""
        return _but(
            p_of_greedy=Fraction(27, 200),
            p_of_two_beams=Fraction(81, 500),
            p_of_three_beams=Fraction(57, 250),
        )


EXERCISE = Exercise(
    id="who_finds_what",
    oracle=correct,
    hint="Draw the tree, and write the product at each node. At each step, circle what a search "
    "keeps. A sentence is finished when `<eos>` is multiplied in.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
