"""The exercise ``what_stays``: which tokens filters leave, in which order (C21 to C24; ch. 19)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

Stays = dict[str, str]

_RIGHT: Stays = {
    "top-k 2": "AB",
    "top-p 0.75": "ABC",
    "min-p 0.3": "ABC",
    "T = 0, then top-p 0.9": "A",
    "T = 2, then top-k 2": "AB",
    "T = infinity, then top-p 0.7": "ABCD",
    "top-p 0.75, then T = infinity": "ABC",
    "T = infinity, then min-p 0.3": "ABCDE",
    "T = 0.5, then min-p 0.3": "AB",
    "top-k 2, then top-p 0.5": "A",
    "top-p 0.5, then top-k 2": "AB",
    "top-k 3, then min-p 0.3": "ABC",
}


def correct() -> Stays:
    """By hand."""
    return dict(_RIGHT)


def _but(**others: str) -> Stays:
    """The right letters, but for some."""
    short = {
        "k2": "top-k 2",
        "p75": "top-p 0.75",
        "min": "min-p 0.3",
        "cold_p": "T = 0, then top-p 0.9",
        "warm_k": "T = 2, then top-k 2",
        "hot_p": "T = infinity, then top-p 0.7",
        "p_hot": "top-p 0.75, then T = infinity",
        "hot_min": "T = infinity, then min-p 0.3",
        "cool_min": "T = 0.5, then min-p 0.3",
        "k_p": "top-k 2, then top-p 0.5",
        "p_k": "top-p 0.5, then top-k 2",
        "k_min": "top-k 3, then min-p 0.3",
    }
    return dict(_RIGHT) | {short[name]: letters for name, letters in others.items()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary with the settings as its keys.

        Put the letters that stay after each of them.
        """
        return list(_RIGHT.values())

    def small_letters():
        """You wrote small letters. The tokens are called A to E.

        Write capital letters.
        """
        return {name: letters.lower() for name, letters in _RIGHT.items()}

    def with_commas():
        """Write the letters one after the other, such as "ABC", without commas and blanks.

        "AB", not "A, B".
        """
        return {name: ", ".join(letters) for name, letters in _RIGHT.items()}

    def as_lists():
        """Write the letters as a text, such as "ABC", and not as a list.

        `"".join` makes a text of a list.
        """
        return {name: list(letters) for name, letters in _RIGHT.items()}

    def counts():
        """You give numbers of tokens. The letters of the tokens are asked for.

        Write "AB", not 2.
        """
        return {name: len(letters) for name, letters in _RIGHT.items()}

    def crossing_token_dropped_throughout():
        """You drop the token that crosses p. It belongs to the nucleus, which must *reach* p.

        Add up the probabilities until the sum is at least p.
        """
        return _but(p75="AB", hot_p="ABC", p_hot="AB", p_k="A")

    def crossing_token_dropped():
        """In "top-p 0.75" you drop the token that crosses p. A and B have only 0.7 together.

        Add up the probabilities until the sum is at least p.
        """
        return _but(p75="AB")

    def tail_kept():
        """In "top-p 0.75" you keep a token more than is needed to reach 0.75.

        What do A, B and C have together?
        """
        return _but(p75="ABCD")

    def min_p_as_a_threshold():
        """You read min-p 0.3 as "at least 0.3". It means at least 0.3 times the largest
        probability.

        How much is 0.3 times 0.4?
        """
        return _but(min="AB")

    def min_p_keeps_the_tail():
        """In "min-p 0.3" you keep a token below 0.3 times the largest probability, which is 0.12.

        Compare each probability with 0.12.
        """
        return _but(min="ABCD")

    def min_p_as_top_p():
        """You read min-p 0.3 as top-p 0.3, and keep A alone.

        min-p compares each token with the most probable one.
        """
        return _but(min="A")

    def cold_is_ignored():
        """You ignore T = 0: all probability goes to A, and A alone reaches 0.9.

        What is the limit of C23 for T towards 0?
        """
        return _but(cold_p="ABCD")

    def cold_divides_by_zero():
        """At T = 0 you let nothing stay. T = 0 is a limit, and not a division.

        Which token has all the probability in the limit?
        """
        return _but(cold_p="")

    def warmth_makes_room():
        """With T = 2 you keep more than two tokens by top-k 2. A temperature changes no order and
        no count.

        top-k keeps two, whatever the probabilities are.
        """
        return _but(warm_k="ABC")

    def warmth_changes_the_order():
        """With T = 2 you keep other tokens by top-k 2. A temperature leaves the order of the
        probabilities as it is.

        If a_i > a_j, what about a_i / T and a_j / T?
        """
        return _but(warm_k="DE")

    def heat_is_ignored_by_top_p():
        """You ignore the infinite temperature before top-p: each token has 0.2 then.

        How many times 0.2 reach 0.7?
        """
        return _but(hot_p="AB")

    def heat_drops_the_crossing_token():
        """At an infinite temperature you stop at 0.6, before p = 0.7 is reached.

        How many times 0.2 reach 0.7?
        """
        return _but(hot_p="ABC")

    def heat_keeps_all_in_top_p():
        """At an infinite temperature you keep all five tokens. Four of them reach 0.7.

        How much do four times 0.2 make?
        """
        return _but(hot_p="ABCDE")

    def heat_brings_tokens_back():
        """You let an infinite temperature bring back tokens that top-p has excluded. An excluded
        token has a logit of minus infinity, at every temperature.

        Which tokens can still be drawn after top-p 0.75?
        """
        return _but(p_hot="ABCDE")

    def order_does_not_matter_to_top_p():
        """You give both orders of T = infinity and top-p the same letters. Heat first makes the
        distribution flat, and a flat one needs more tokens to reach p.

        Work from left to right.
        """
        return _but(hot_p="ABCD", p_hot="ABCD")

    def heat_is_ignored_by_min_p():
        """You ignore the infinite temperature before min-p. Then all tokens are as probable as the
        most probable one.

        Which of them lies below 0.3 times the largest?
        """
        return _but(hot_min="ABC")

    def cool_is_ignored_by_min_p():
        """You ignore T = 0.5 before min-p. It squares the probabilities, up to a factor, so C falls
        further behind A.

        (0.15 / 0.4)² is how much of A?
        """
        return _but(cool_min="ABC")

    def cool_is_taken_for_warm():
        """You let T = 0.5 make the distribution flatter. Below 1, a temperature sharpens it.

        Dividing by 0.5 doubles the differences of the logits.
        """
        return _but(cool_min="ABCD")

    def not_renormalised():
        """After top-k 2 you compare with the old probabilities. They are renormalised: A has 4/7.

        Is 4/7 at least 0.5?
        """
        return _but(k_p="AB")

    def renormalised_too_early():
        """In "top-p 0.5, then top-k 2" you renormalise before anything was excluded.

        At first A has 0.4. Does it reach 0.5 alone?
        """
        return _but(p_k="A")

    def order_of_k_and_p_does_not_matter():
        """You have the two orders of top-k 2 and top-p 0.5 the wrong way round.

        Work from left to right, and renormalise after each step.
        """
        return _but(k_p="AB", p_k="A")

    def renormalising_helps_min_p():
        """After top-k 3 you let min-p exclude more. Renormalising multiplies all probabilities by
        the same factor, the largest one, too.

        Does a ratio of two probabilities change?
        """
        return _but(k_min="AB")

    def with_blanks():
        """Write the letters one after the other, without blanks.

        "AB", not "A B".
        """
        return {name: " ".join(letters) for name, letters in _RIGHT.items()}

    def backwards():
        """Your letters may be right, but they stand in reverse order.

        Write them in the order of the alphabet.
        """
        return {name: letters[::-1] for name, letters in _RIGHT.items()}

    def what_goes():
        """You name the tokens that are excluded. Asked for are those that stay.

        Which tokens can still be drawn?
        """
        everything = "ABCDE"
        return {
            name: "".join(letter for letter in everything if letter not in letters)
            for name, letters in _RIGHT.items()
        }

    def cold_makes_equal():
        """At T = 0 you let all five tokens stay. They are equally probable at T = *infinity*.

        Which token has all the probability in the limit T = 0?
        """
        return _but(cold_p="ABCDE")

    def heat_leaves_nothing():
        """At an infinite temperature you let min-p exclude everything. It compares with the
        *largest* probability, which is 0.2 as well.

        How much is 0.3 times 0.2?
        """
        return _but(hot_min="")

    def order_never_matters():
        """You treat filters as if their order made no difference. After each of them the tokens
        that stay share the probability 1 again.

        How much has A after top-k 2?
        """
        return _but(hot_p="ABC", k_p="AB")


class Right:
    """Right answers, written differently."""

    def sorted_by_name():
        """In another order."""
        return dict(sorted(_RIGHT.items()))

    def last_first():
        """From the end."""
        return dict(reversed(list(_RIGHT.items())))

    def computed():
        """With plain lists."""
        p = dict(zip("ABCDE", (0.4, 0.3, 0.15, 0.1, 0.05), strict=True))

        def shares(of):
            return {name: one / sum(of.values()) for name, one in of.items()}

        def heat(of, T):
            if T == 0:
                return {max(of, key=lambda name: of[name]): 1.0}
            return shares({name: one ** (1 / T) for name, one in of.items()})

        def top(of, k):
            return shares(dict(list(of.items())[:k]))

        def reach(of, least):
            kept, total = {}, 0.0
            for name, one in of.items():
                if total < least - 1e-9:
                    kept[name] = one
                total += one
            return shares(kept)

        def above(of, least):
            return shares({n: one for n, one in of.items() if one >= least * max(of.values())})

        hot = float("inf")
        found = (
            top(p, 2),
            reach(p, 0.75),
            above(p, 0.3),
            reach(heat(p, 0), 0.9),
            top(heat(p, 2), 2),
            reach(heat(p, hot), 0.7),
            heat(reach(p, 0.75), hot),
            above(heat(p, hot), 0.3),
            above(heat(p, 0.5), 0.3),
            reach(top(p, 2), 0.5),
            top(reach(p, 0.5), 2),
            above(top(p, 3), 0.3),
        )
        return {name: "".join(of) for name, of in zip(_RIGHT, found, strict=True)}

    def from_how_many():
        """The tokens are sorted: it is enough to know how many stay."""
        numbers = (2, 3, 3, 1, 2, 4, 3, 5, 2, 1, 2, 3)
        return {name: "ABCDE"[:n] for name, n in zip(_RIGHT, numbers, strict=True)}

    def from_their_ratios():
        """With the ratios to the most probable token alone."""
        ratios = [1.0, 0.75, 0.375, 0.25, 0.125]

        def reach(of, p):
            n, total = 0, 0.0
            while total < p * sum(of) - 1e-9:
                total, n = total + of[n], n + 1
            return of[:n]

        def above(of, p):
            return [one for one in of if one >= p * of[0]]

        def powers(of, power):
            return [one**power for one in of]

        found = (
            ratios[:2],
            reach(ratios, 0.75),
            above(ratios, 0.3),
            reach([1.0], 0.9),
            powers(ratios, 0.5)[:2],
            reach(powers(ratios, 0), 0.7),
            powers(reach(ratios, 0.75), 0),
            above(powers(ratios, 0), 0.3),
            above(powers(ratios, 2), 0.3),
            reach(ratios[:2], 0.5),
            reach(ratios, 0.5)[:2],
            above(ratios[:3], 0.3),
        )
        return {name: "ABCDE"[: len(of)] for name, of in zip(_RIGHT, found, strict=True)}

    def gathered_by_letters():
        """The names gathered by what stays."""
        groups = {
            "A": (3, 9),
            "AB": (0, 4, 8, 10),
            "ABC": (1, 2, 6, 11),
            "ABCD": (5,),
            "ABCDE": (7,),
        }
        names = list(_RIGHT)
        return {names[place]: letters for letters, places in groups.items() for place in places}


EXERCISE = Exercise(
    id="what_stays",
    oracle=correct,
    hint="Work from left to right. After each step, the tokens that stay share the probability "
    "of 1 again. At T = 0 the most probable token has all of it, at T = infinity all have an "
    "equal share.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
