"""The exercise ``expected_shares``: what a masking does on average (C26, C29; chapter 15)."""

from __future__ import annotations

import math

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

Shares = dict[str, float | int]


def cases(draw: Draw) -> list[Case]:
    """BERT's shares over few words, other shares, one token, one epoch, and drawn ones."""
    return [
        Case("BERT's shares, 20 tokens, 10 words, 4 epochs", (20, 10, 0.15, 0.8, 0.1, 4), True),
        Case("half of 6 tokens, a third of each fate", (6, 3, 0.5, 1 / 3, 1 / 3, 3)),
        Case("a single token, one epoch", (1, 2, 0.3, 0.5, 0.25, 1)),
        Case("no random tokens", (12, 5, 0.2, 0.7, 0.0, 2)),
        Case("nothing but random tokens", (9, 4, 0.25, 0.0, 1.0, 5)),
        Case("another rate", (draw.size(5, 14), 7, 0.4, 0.6, 0.3, draw.size(2, 6))),
    ]


def correct(n, V, rate, masked, random, epochs):
    """Expectations add; independent draws multiply."""
    chosen = n * rate
    return {
        "labels": chosen,
        "masked": chosen * masked,
        "different": chosen * (masked + random * (1 - 1 / V)),
        "plain": chosen * (1 - masked - random + random / V),
        "empty": (1 - rate) ** n,
        "never": (1 - rate) ** epochs,
        "never static": 1 - rate,
    }


def _but(given, **others) -> Shares:
    """The right numbers, but for some; an underscore stands for a blank."""
    return correct(*given) | {name.replace("_", " "): one for name, one in others.items()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def shares_not_numbers(*given):
        """Your first four are shares of the tokens. The question asks for numbers of tokens.

        Multiply by n.
        """
        n = given[0]
        names = ("labels", "masked", "different", "plain")
        return {key: one / n if key in names else one for key, one in correct(*given).items()}

    def over_all_epochs(*given):
        """You multiply the numbers of tokens by the epochs. They are asked for one sentence, masked
        once.

        Only `"never"` depends on the epochs.
        """
        names = ("labels", "masked", "different", "plain")
        found = correct(*given)
        return {key: one * given[5] if key in names else one for key, one in found.items()}

    def in_percent(*given):
        """You give the three probabilities in percent.

        A probability is at most 1.
        """
        names = ("empty", "never", "never static")
        return {key: 100 * one if key in names else one for key, one in correct(*given).items()}

    def drawn_from_V_minus_1(*given):
        """You draw the random token from V − 1 words, in `"different"` and in `"plain"`. It is
        drawn from all V.

        How many words can be drawn, the original among them?
        """
        n, V, rate, masked, random, _ = given
        hit = random / (V - 1)
        return _but(
            given,
            different=n * rate * (masked + random - hit),
            plain=n * rate * (1 - masked - random + hit),
        )

    def fresh_and_static_exchanged(*given):
        """You exchanged `"never"` and `"never static"`.

        Which of the two maskings gives a token a new chance in each epoch?
        """
        found = correct(*given)
        return _but(given, never=found["never static"], never_static=found["never"])

    def without_names(*given):
        """Your numbers have no names.

        Return a dictionary with the seven names of the question.
        """
        return list(correct(*given).values())

    def random_share_of_the_rest(*given):
        """You take `random` as a share of the tokens that do not become <mask>. It is a share of
        all chosen tokens.

        With BERT's numbers, 10 % of the chosen tokens are exchanged.
        """
        n, V, rate, masked, random, _ = given
        changed = masked + (1 - masked) * random * (1 - 1 / V)
        return _but(given, different=n * rate * changed, plain=n * rate * (1 - changed))

    def shares_of_the_chosen(*given):
        """You give `"masked"`, `"different"` and `"plain"` as shares of the chosen tokens. The
        question asks for numbers.

        Multiply by the mean number of chosen tokens.
        """
        n, _, rate, *_ = given
        found = correct(*given)
        names = ("masked", "different", "plain")
        return {key: one / (n * rate) if key in names else one for key, one in found.items()}

    def fates_of_all_tokens(*given):
        """You apply 80, 10 and 10 % to *all* tokens. They are shares of the chosen ones.

        Which share of all tokens becomes <mask>?
        """
        n, V, _, masked, random, _ = given
        return _but(
            given,
            masked=n * masked,
            different=n * (masked + random * (1 - 1 / V)),
            plain=n * (1 - masked - random + random / V),
        )

    def labels_at_masks_only(*given):
        """`"labels"`: you count only the tokens that become <mask>. All chosen tokens have a label.

        Also those that are exchanged or stay are asked for.
        """
        n, _, rate, masked, *_ = given
        return _but(given, labels=n * rate * masked)

    def labels_at_changed_ones(*given):
        """`"labels"`: you leave out the tokens that stay. All chosen tokens have a label.

        Does the label depend on what becomes of a token?
        """
        n, _, rate, masked, random, _ = given
        return _but(given, labels=n * rate * (masked + random))

    def every_token_labelled(*given):
        """`"labels"`: you count all tokens. Only the chosen ones have a label.

        A token is chosen with the probability `rate`.
        """
        return _but(given, labels=given[0])

    def not_chosen(*given):
        """`"labels"`: you count the tokens that are *not* chosen.

        A token is chosen with the probability `rate`.
        """
        return _but(given, labels=given[0] * (1 - given[2]))

    def labels_rounded(*given):
        """`"labels"`: you round. A mean need not be a whole number.

        Give the product as it is.
        """
        return _but(given, labels=round(given[0] * given[2]))

    def masked_of_all(*given):
        """`"masked"`: you count all chosen tokens. Only a part of them becomes <mask>.

        Which share of the chosen is it?
        """
        return _but(given, masked=given[0] * given[2])

    def masked_without_the_choice(*given):
        """`"masked"`: you take the share of *all* tokens. It is a share of the chosen ones.

        How many tokens are chosen on average?
        """
        return _but(given, masked=given[0] * given[3])

    def random_is_always_different(*given):
        """`"different"`: you count every random token. A token that is drawn from V words may be
        the same as before.

        With which probability does the draw hit the word that stood there?
        """
        n, _, rate, masked, random, _ = given
        return _but(given, different=n * rate * (masked + random))

    def random_is_never_different(*given):
        """`"different"`: you count the masks alone. Most random tokens differ, too.

        With which probability is a random token *not* the one that stood there?
        """
        n, _, rate, masked, *_ = given
        return _but(given, different=n * rate * masked)

    def all_chosen_different(*given):
        """`"different"`: you count all chosen tokens. Some stay as they are.

        Which of the three fates changes a token, and with which probability?
        """
        return _but(given, different=given[0] * given[2])

    def hits_added(*given):
        """`"different"`: a random token differs with the probability 1/V in your result. That is
        the probability that it is the *same*.

        What is the probability of the opposite?
        """
        n, V, rate, masked, random, _ = given
        return _but(given, different=n * rate * (masked + random / V))

    def masks_hit_too(*given):
        """`"different"`: you take off 1/V for masks as well. <mask> is none of the V words, so it
        always differs.

        Which of the fates can leave the same word by chance?
        """
        n, V, rate, masked, random, _ = given
        return _but(given, different=n * rate * (masked + random) * (1 - 1 / V))

    def only_random_ones(*given):
        """`"different"`: you count the random tokens alone. A <mask> differs from the original,
        too.

        Which of the three fates changes a token?
        """
        n, V, rate, _, random, _ = given
        return _but(given, different=n * rate * random * (1 - 1 / V))

    def unchanged_not_different(*given):
        """`"different"`: you count the tokens that are as before.

        Subtract that from n.
        """
        n, V, rate, masked, random, _ = given
        return _but(given, different=n - n * rate * (masked + random * (1 - 1 / V)))

    def hits_not_plain(*given):
        """`"plain"`: you count the tokens that stay. A random token may be the same as before, too.

        With which probability does a draw from V words hit the right one?
        """
        n, _, rate, masked, random, _ = given
        return _but(given, plain=n * rate * (1 - masked - random))

    def all_that_are_not_masked(*given):
        """`"plain"`: you count all chosen tokens that do not become <mask>. Most random tokens are
        not the original.

        Which of them show the original word?
        """
        n, _, rate, masked, *_ = given
        return _but(given, plain=n * rate * (1 - masked))

    def hits_alone(*given):
        """`"plain"`: you count the random tokens that are the same by chance, and leave out those
        that stay.

        Both show the original word.
        """
        n, V, rate, _, random, _ = given
        return _but(given, plain=n * rate * random / V)

    def plain_of_all(*given):
        """`"plain"`: you count all tokens that are as before, also those that were not chosen.

        Only chosen tokens have a label. Which of them show the original word?
        """
        n, V, rate, masked, random, _ = given
        return _but(given, plain=n * (1 - rate * (masked + random * (1 - 1 / V))))

    def no_plain_labels(*given):
        """`"plain"`: you say that no label is visible in the input. A token that stays is visible,
        and it is asked for.

        Which share of the chosen tokens stays?
        """
        return _but(given, plain=0.0)

    def empty_of_one_token(*given):
        """`"empty"`: you give the probability that *one* token is not chosen.

        All n tokens must be left out, and the draws are independent.
        """
        return _but(given, empty=1 - given[2])

    def empty_multiplied(*given):
        """`"empty"`: you multiply 1 − rate by n. A probability is at most 1.

        Probabilities of independent events are multiplied with each other.
        """
        return _but(given, empty=given[0] * (1 - given[2]))

    def empty_turned_round(*given):
        """`"empty"`: you give the probability that at least one token is chosen.

        Subtract it from 1.
        """
        return _but(given, empty=1 - (1 - given[2]) ** given[0])

    def all_chosen(*given):
        """`"empty"`: you give the probability that *all* tokens are chosen.

        What is the probability that a token is not chosen?
        """
        return _but(given, empty=given[2] ** given[0])

    def one_minus_all_chosen(*given):
        """`"empty"`: you give the probability that not all tokens are chosen.

        Not one of them may be chosen. What is the probability for each?
        """
        return _but(given, empty=1 - given[2] ** given[0])

    def no_masks_in_the_sentence(*given):
        """`"empty"`: you give the probability that the sentence has no <mask>. Tokens that are
        exchanged or stay have a label, too.

        What is the probability that a token is not chosen?
        """
        n, _, rate, masked, *_ = given
        return _but(given, empty=(1 - rate * masked) ** n)

    def empty_linear(*given):
        """`"empty"`: you give 1 − n times the rate, which can be below 0.

        All n tokens must be left out: multiply n probabilities.
        """
        return _but(given, empty=1 - given[0] * given[2])

    def empty_linear_but_not_below_0(*given):
        """`"empty"`: you give 1 − n times the rate, and 0 where this is negative.

        All n tokens must be left out: multiply n probabilities.
        """
        return _but(given, empty=max(0.0, 1 - given[0] * given[2]))

    def nothing_changed_in_the_sentence(*given):
        """`"empty"`: you leave out the tokens that stay. They have a label, too.

        What is the probability that a token is not chosen?
        """
        n, _, rate, masked, random, _ = given
        return _but(given, empty=(1 - rate * (masked + random)) ** n)

    def empty_exponential(*given):
        """`"empty"`: you give e to the power of minus the mean number of labels. That is only an
        approximation for small rates.

        All n tokens must be left out: multiply n probabilities.
        """
        return _but(given, empty=math.exp(-given[0] * given[2]))

    def once_is_all(*given):
        """`"never"`: your result does not depend on the epochs. With fresh masks, a token has a new
        chance in each.

        It must be left out in every epoch.
        """
        return _but(given, never=1 - given[2])

    def never_multiplied(*given):
        """`"never"`: you subtract the rate once for each epoch, which can give less than 0.

        It must be left out in every epoch: multiply the probabilities.
        """
        return _but(given, never=1 - given[2] * given[5])

    def never_multiplied_but_not_below_0(*given):
        """`"never"`: you subtract the rate once for each epoch, and give 0 where this is negative.

        It must be left out in every epoch: multiply the probabilities.
        """
        return _but(given, never=max(0.0, 1 - given[2] * given[5]))

    def never_times_the_epochs(*given):
        """`"never"`: you multiply 1 − rate by the epochs. A probability is at most 1.

        Probabilities of independent events are multiplied with each other.
        """
        return _but(given, never=(1 - given[2]) * given[5])

    def chosen_at_least_once(*given):
        """`"never"`: you give the probability that a token is chosen at least once.

        Subtract it from 1.
        """
        return _but(given, never=1 - (1 - given[2]) ** given[5])

    def chosen_every_time(*given):
        """`"never"`: you give the probability that a token is chosen in *every* epoch.

        It must be left out in every epoch.
        """
        return _but(given, never=given[2] ** given[5])

    def never_masked(*given):
        """`"never"`: you give the probability that a token never becomes <mask>.

        The question is whether it is ever *chosen*.
        """
        return _but(given, never=(1 - given[2] * given[3]) ** given[5])

    def never_in_all_tokens(*given):
        """`"never"`: you multiply over tokens and epochs, so that no token of the sentence is ever
        chosen.

        The question is about one token.
        """
        return _but(given, never=(1 - given[2]) ** (given[0] * given[5]))

    def never_by_tokens(*given):
        """`"never"`: you take the number of tokens for the number of epochs.

        The question is about one token, in all epochs.
        """
        return _but(given, never=(1 - given[2]) ** given[0])

    def one_epoch_less(*given):
        """`"never"`: you count one epoch too few.

        The first epoch draws masks, too.
        """
        return _but(given, never=(1 - given[2]) ** (given[5] - 1))

    def static_is_fresh(*given):
        """`"never static"`: you let the masks be drawn anew in each epoch. Here they are drawn once
        and stay.

        How many chances does a token have?
        """
        return _but(given, never_static=(1 - given[2]) ** given[5])

    def static_chosen(*given):
        """`"never static"`: you give the probability that the token *is* chosen.

        The masks are drawn once. When is a token never asked for?
        """
        return _but(given, never_static=given[2])

    def static_never_asked(*given):
        """`"never static"`: you say that static masks ask for every token, or for none at all.

        The masks are drawn once. With which probability is a token not chosen then?
        """
        return _but(given, never_static=0.0)

    def static_certain(*given):
        """`"never static"`: you say that static masks never ask for the token. But it may have been
        chosen in the one draw.

        With which probability is a token not chosen in one draw?
        """
        return _but(given, never_static=1.0)

    def static_masked(*given):
        """`"never static"`: you give the probability that a token does not become <mask>.

        The question is whether it is *chosen*.
        """
        return _but(given, never_static=1 - given[2] * given[3])

    def underscore_for_the_blank(*given):
        """The last name is `"never static"`, with a blank and no underscore.

        Copy the seven names from the question.
        """
        found = correct(*given)
        return {name.replace(" ", "_"): one for name, one in found.items()}

    def always_15_percent(n, V, rate, masked, random, epochs):
        """You take 15 % for the rate, whatever `rate` is.

        15 % is BERT's rate. Use `rate`.
        """
        return correct(n, V, 0.15, masked, random, epochs)

    def always_80_and_10(n, V, rate, masked, random, epochs):
        """You take BERT's 80 and 10 %, whatever `masked` and `random` are.

        Use `masked` and `random`.
        """
        return correct(n, V, rate, 0.8, 0.1, epochs)

    def labels_at_15_percent(*given):
        """`"labels"`: you take 15 %, whatever `rate` is.

        15 % is BERT's rate. Use `rate`.
        """
        return _but(given, labels=0.15 * given[0])

    def masked_at_80_percent(*given):
        """`"masked"`: you take 80 %, whatever `masked` is.

        80 % is BERT's share. Use `masked`.
        """
        return _but(given, masked=0.8 * given[0] * given[2])

    def plain_of_all_without_hits(*given):
        """`"plain"`: you subtract the masked and the random tokens from all n tokens. Only *chosen*
        tokens are asked for here, and a random token may be the same as before.

        How many tokens are chosen? Which of them show the original word?
        """
        n, _, rate, masked, random, _ = given
        return _but(given, plain=n * (1 - rate * (masked + random)))

    def hits_without_the_choice(*given):
        """`"plain"`: you count random tokens among *all* tokens. Only chosen ones are exchanged.

        How many tokens are chosen on average, and how many of these are exchanged?
        """
        n, V, rate, masked, random, _ = given
        return _but(given, plain=n * rate * (1 - masked - random) + n * random / V)

    def unchosen_plain(*given):
        """`"plain"`: you count the tokens that were not chosen.

        The question is about chosen tokens. Which of them show the original word?
        """
        return _but(given, plain=given[0] * (1 - given[2]))

    def stays_and_is_drawn(*given):
        """`"plain"`: you multiply the share that stays by 1/V. A token that stays shows the
        original word for certain.

        1/V belongs to the tokens that are exchanged.
        """
        n, V, rate, masked, random, _ = given
        return _but(given, plain=n * rate * (1 - masked - random) / V)

    def plain_with_all_random(*given):
        """`"plain"`: for the random tokens you take the share that is *not* the original word.

        With which probability does a draw from V words hit the right one?
        """
        n, V, rate, masked, random, _ = given
        return _but(given, plain=n * rate * (1 - masked - random + random * (1 - 1 / V)))

    def not_over_V(*given):
        """`"different"`: you multiply by V − 1 where a probability belongs.

        V − 1 of V words are other words.
        """
        n, V, rate, masked, random, _ = given
        return _but(given, different=n * rate * (masked + random * (V - 1)))

    def over_V_minus_1(*given):
        """`"different"`: you take 1/(V − 1) for the probability that the draw hits the same word.
        It is drawn from all V words.

        How many words can be drawn?
        """
        n, V, rate, masked, random, _ = given
        hit = 1 / (V - 1)
        return _but(given, different=n * rate * (masked + random * (1 - hit)))

    def static_in_all_tokens(*given):
        """`"never static"`: you give the probability that *no* token of the sentence is chosen.

        The question is about one token.
        """
        return _but(given, never_static=(1 - given[2]) ** given[0])

    def expected_never(*given):
        """`"never"`: you give the mean *number* of tokens that are never chosen.

        The question asks for the probability of one token.
        """
        return _but(given, never=given[0] * (1 - given[2]) ** given[5])

    def never_empty(*given):
        """`"empty"`: you say that every sentence has a label. Each token is chosen on its own, so
        that it can happen that not one of them is.

        All n tokens must be left out.
        """
        return _but(given, empty=0.0)

    def rate_over_epochs(*given):
        """`"never"`: you divide the rate by the number of epochs, so that more epochs leave out
        more tokens.

        It must be left out in every epoch: multiply the probabilities.
        """
        return _but(given, never=1 - given[2] / given[5])

    def labels_as_a_share(*given):
        """`"labels"`: you give the share of the tokens. The mean number is asked for.

        Multiply by n.
        """
        return _but(given, labels=given[2])

    def masked_as_a_share(*given):
        """`"masked"`: you give the share of all tokens. The mean number is asked for.

        Multiply by n.
        """
        return _but(given, masked=given[2] * given[3])

    def masked_as_a_share_of_the_chosen(*given):
        """`"masked"`: you give the share of the chosen tokens. The mean number is asked for.

        How many tokens are chosen on average?
        """
        return _but(given, masked=given[3])

    def different_as_a_share(*given):
        """`"different"`: you give the share of all tokens. The mean number is asked for.

        Multiply by n.
        """
        return _but(given, different=correct(*given)["different"] / given[0])

    def plain_as_a_share(*given):
        """`"plain"`: you give the share of all tokens. The mean number is asked for.

        Multiply by n.
        """
        return _but(given, plain=correct(*given)["plain"] / given[0])

    def all_but_the_hits(*given):
        """`"different"`: you take off only the random tokens that are the same by chance. The
        tokens that stay are not different either.

        Which of the three fates changes a token, and with which probability?
        """
        n, V, rate, _, random, _ = given
        return _but(given, different=n * rate * (1 - random / V))

    def different_without_the_choice(*given):
        """`"different"`: you take the shares of *all* tokens. They are shares of the chosen ones.

        How many tokens are chosen on average?
        """
        n, V, _, masked, random, _ = given
        return _but(given, different=n * (masked + random * (1 - 1 / V)))

    def plain_without_the_choice(*given):
        """`"plain"`: you take the shares of *all* tokens. They are shares of the chosen ones.

        How many tokens are chosen on average?
        """
        n, V, _, masked, random, _ = given
        return _but(given, plain=n * (1 - masked - random + random / V))

    def different_of_all_without_hits(*given):
        """`"different"`: you take the shares of *all* tokens, and count every random token.

        How many tokens are chosen on average, and how often is a random token the same?
        """
        n, _, _, masked, random, _ = given
        return _but(given, different=n * (masked + random))


class Right:
    """Right answers, written differently."""

    def by_fates(n, V, rate, masked, random, epochs):
        """The number of each fate first."""
        to_mask, to_random = n * rate * masked, n * rate * random
        stay = n * rate - to_mask - to_random
        same = to_random / V
        return {
            "labels": to_mask + to_random + stay,
            "masked": to_mask,
            "different": to_mask + to_random - same,
            "plain": stay + same,
            "empty": math.pow(1 - rate, n),
            "never": math.pow(1 - rate, epochs),
            "never static": 1 - rate,
        }

    def by_summing(n, V, rate, masked, random, epochs):
        """Sums over the number of chosen tokens."""
        p = [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]
        mean = sum(k * one for k, one in enumerate(p))
        changed = masked + random * (V - 1) / V
        left_out = 1.0
        for _ in range(epochs):
            left_out *= 1 - rate
        return {
            "labels": mean,
            "masked": mean * masked,
            "different": mean * changed,
            "plain": mean * (1 - changed),
            "empty": p[0],
            "never": left_out,
            "never static": 1 - rate,
        }

    def by_differences(n, V, rate, masked, random, epochs):
        """What is plain is what is chosen and not different."""
        found = {"labels": rate * n, "never static": 1 - rate}
        found["masked"] = masked * found["labels"]
        found["different"] = found["masked"] + random * found["labels"] * (V - 1) / V
        found["plain"] = found["labels"] - found["different"]
        found["empty"] = (1 - rate) ** n
        found["never"] = (1 - rate) ** epochs
        return found

    def with_logarithms(n, V, rate, masked, random, epochs):
        """Powers from logarithms."""
        left_out = math.log1p(-rate)
        return correct(n, V, rate, masked, random, epochs) | {
            "empty": math.exp(n * left_out),
            "never": math.exp(epochs * left_out),
        }

    def last_first(n, V, rate, masked, random, epochs):
        """The names in reverse order."""
        return dict(reversed(list(correct(n, V, rate, masked, random, epochs).items())))


EXERCISE = Exercise(
    id="expected_shares",
    oracle=correct,
    hint="Follow one token: with which probability is it chosen, and what becomes of it then? "
    "Means of n tokens are n times as large. Events that must all happen multiply.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
