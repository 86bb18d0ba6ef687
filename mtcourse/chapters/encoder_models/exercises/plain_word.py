"""The exercise ``plain_word``: what the best answer at a visible word is (C29; chapter 15)."""

from __future__ import annotations

import itertools
import re

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Four words by hand, likely and unlikely words, no random tokens, and none that stay."""
    hand = draw.tensor([0.5, 0.25, 0.125, 0.125])
    return [
        Case("4 words, a tenth each", (hand, 2, 0.1, 0.1), by_hand=True),
        Case("a likely word", (hand, 0, 0.1, 0.1)),
        Case("random tokens alone", (hand, 1, 0.0, 0.2)),
        Case("tokens that stay alone", (hand, 1, 0.2, 0.0)),
        Case("more random than staying", (draw.tensor([0.7, 0.2, 0.1]), 2, 0.05, 0.6)),
        Case("a word that does not fit", (draw.tensor([0.9, 0.0999, 0.0001]), 2, 0.1, 0.1)),
        Case("a word that is impossible here", (draw.tensor([0.6, 0.4, 0.0]), 2, 0.1, 0.1)),
        Case("12 words", (draw.normal(12).softmax(-1), 7, 0.3, 0.15)),
        Case("all chosen tokens stay or are random", (draw.normal(6).softmax(-1), 3, 0.25, 0.75)),
    ]


def _at(p, w):
    """1 at the visible word."""
    return torch.nn.functional.one_hot(torch.tensor(w), len(p)).to(p.dtype)


def _shared(x):
    return x / x.sum()


def correct(p, w, same, random):
    """Bayes: how probable an original is, times how probable it is to show as w."""
    return _shared(p * (same * _at(p, w) + random / len(p)))


def sums_to_one(case: Case, q) -> bool:
    """Whether it is a distribution, rounding aside."""
    return abs(float(q.sum()) - 1) < 1e-4


class Wrong:
    """What learners write, the more particular before the more general."""

    def copies(p, w, same, random):
        """You always answer with the visible word. But it may be a random one, and then another
        word stood there before.

        How does the visible word come about? There are two ways.
        """
        return _at(p, w)

    def context_alone(p, w, same, random):
        """Your result is `p` itself: you do not use what stands at the position.

        That is right at a <mask>. A visible word tells more: how does it come about?
        """
        return p.clone()

    def mixed_by_the_shares(p, w, same, random):
        """You mix copying and `p`, in the proportion of `same` and `random`. But how probable it is
        that the word stayed depends on the word: a random one seldom fits its context.

        Multiply the probability of each original by the probability that it shows as word w.
        """
        return (same * _at(p, w) + random * p) / (same + random)

    def mixed_without_dividing(p, w, same, random):
        """You add `same` times copying and `random` times `p`. That does not sum to 1, and how
        probable it is that the word stayed depends on the word.

        Multiply the probability of each original by the probability that it shows as word w.
        """
        return same * _at(p, w) + random * p

    def random_not_over_V(p, w, same, random):
        """You let an exchanged token become word w with certainty. It becomes each of the V words
        with the same probability.

        A random token is one of V. With which probability is it word w?
        """
        return _shared(p * (same * _at(p, w) + random))

    def over_V_minus_1(p, w, same, random):
        """You divide by V − 1. The random token is drawn from all V words, the original among them.

        With which probability is it word w?
        """
        return _shared(p * (same * _at(p, w) + random / (len(p) - 1)))

    def random_is_another(p, w, same, random):
        """You let a random token never be the word that stood there. It is drawn from all V words,
        so that it can be.

        Word w shows itself in two ways: it stays, or it is drawn.
        """
        here = _at(p, w)
        return _shared(p * (same * here + random / len(p) * (1 - here)))

    def random_is_another_of_V_minus_1(p, w, same, random):
        """You draw the random token from the V − 1 *other* words. It is drawn from all V, the
        original among them.

        Word w shows itself in two ways: it stays, or it is drawn.
        """
        here = _at(p, w)
        return _shared(p * (same * here + random / (len(p) - 1) * (1 - here)))

    def joint_not_divided(p, w, same, random):
        """Your numbers are in the right proportion, but they do not sum to 1.

        They are probabilities of an original *and* of seeing w. Given w, divide by their sum.
        """
        return p * (same * _at(p, w) + random / len(p))

    def divided_by_the_shares(p, w, same, random):
        """Your numbers are in the right proportion, but you divide by `same + random`, and they do
        not sum to 1.

        Divide by the probability of seeing w, which is the sum of your numbers.
        """
        return p * (same * _at(p, w) + random / len(p)) / (same + random)

    def without_the_context(p, w, same, random):
        """You leave `p` out: in your result all other words are equally probable.

        Which originals the context allows is the first factor.
        """
        return _shared(same * _at(p, w) + torch.full_like(p, random / len(p)))

    def random_drawn_from_the_context(p, w, same, random):
        """You let random tokens be drawn with the probabilities of the context. They are drawn from
        all V words alike.

        What is the probability that an exchanged token becomes word w?
        """
        return _shared(p * (same * _at(p, w) + random * p[w]))

    def shares_exchanged(p, w, same, random):
        """It is as if `same` and `random` were exchanged.

        Which of the two shows the original word?
        """
        return _shared(p * (random * _at(p, w) + same / len(p)))

    def masks_counted_as_same(p, w, same, random):
        """You count everything that is not exchanged as staying, also the share that becomes
        <mask>. But here a word is visible.

        Which fates show a word?
        """
        return _shared(p * ((1 - random) * _at(p, w) + random / len(p)))

    def masks_counted_for_all(p, w, same, random):
        """You also count the share that becomes <mask>, for every original. But here a word is
        visible, so the token was not masked.

        Which fates show a word?
        """
        masked = 1 - same - random
        return _shared(p * (same * _at(p, w) + random / len(p) + masked))

    def unchosen_counted(p, w, same, random):
        """You also count tokens that were not chosen: 85 % of all, which show their own word. The
        loss asks at chosen positions only.

        The question says that the position was chosen.
        """
        return _shared(p * ((0.85 + 0.15 * same) * _at(p, w) + 0.15 * random / len(p)))

    def never_itself(p, w, same, random):
        """You give the visible word the probability 0.

        It may have stayed, and then it is the answer. And a random token may be the same as before.
        """
        return _shared(p * (1 - _at(p, w)))

    def same_of_the_word_alone(p, w, same, random):
        """You return the probability of the visible word alone. The distribution over all V words
        is asked for.

        What becomes of the other words?
        """
        return correct(p, w, same, random)[w]

    def rest_by_the_context_with_the_word(p, w, same, random):
        """Your number for the visible word is right. The others are in proportion to `p`, but your
        row does not sum to 1.

        What is left for the others? Multiply all V numbers by the same rule, and divide once.
        """
        q = correct(p, w, same, random)
        return torch.where(_at(p, w).bool(), q, (1 - q[w]) * p)

    def rest_shared_equally(p, w, same, random):
        """Your number for the visible word is right. But you share the rest equally among the other
        words.

        An exchanged token was, before, a word that fits the context.
        """
        q = correct(p, w, same, random)
        return torch.where(_at(p, w).bool(), q, (1 - q[w]) / (len(p) - 1))

    def logarithms(p, w, same, random):
        """You return logarithms. Probabilities are asked for.

        Leave out the logarithm at the end.
        """
        return correct(p, w, same, random).log()

    def softmax_at_the_end(p, w, same, random):
        """You took a softmax of numbers that are no logits: of probabilities.

        Divide by the sum instead.
        """
        return (p * (same * _at(p, w) + random / len(p))).softmax(-1)

    def softmax_of_the_right(p, w, same, random):
        """You took a softmax of what is asked for.

        Your numbers are already shares: leave the softmax out.
        """
        return correct(p, w, same, random).softmax(-1)

    def added_to_the_context(p, w, same, random):
        """You add the two ways to `p`, and divide by the sum. The probability of an original and
        the probability of its fate are multiplied.

        How probable is "the original was x, and it shows as w"?
        """
        return _shared(p + same * _at(p, w) + random / len(p))

    def same_without_the_context(p, w, same, random):
        """You weigh "it stayed" by `same` alone. How probable it is that word w stood here in the
        first place belongs to it, too.

        How probable is "the original was w, and it stayed"?
        """
        return _shared(same * _at(p, w) + p * random / len(p))

    def same_without_the_context_or_division(p, w, same, random):
        """You weigh "it stayed" by `same` alone, and your numbers are not divided by their sum.

        How probable is "the original was w, and it stayed"? Given w, divide by the sum.
        """
        return same * _at(p, w) + p * random / len(p)

    def mixed_by_same(p, w, same, random):
        """You copy with the weight `same`, and take `p` for the rest, whatever the word is.

        How probable it is that the word stayed depends on the word: a random one seldom fits its
        context.
        """
        return same * _at(p, w) + (1 - same) * p

    def same_with_the_context_alone(p, w, same, random):
        """You leave out the context in "it was exchanged": in your result, all other words are
        equally probable.

        How probable is "the original was x, and it was exchanged for w"?
        """
        return _shared(p * same * _at(p, w) + torch.full_like(p, random / len(p)))

    def context_squared(p, w, same, random):
        """You multiply by `p` twice.

        The probability of an original counts once.
        """
        return _shared(p * p * (same * _at(p, w) + random / len(p)))

    def context_missing_at_the_word(p, w, same, random):
        """Your number for the visible word is the probability that it stayed, and your row does not
        sum to 1. The word can also have been exchanged for itself.

        The visible word gets both parts: copying, and its share of `p`.
        """
        alpha = same * p[w] / (same * p[w] + random / len(p))
        q = (1 - alpha) * p
        return torch.where(_at(p, w).bool(), alpha, q)

    def exchanged_for_another(p, w, same, random):
        """In the probability that the word was exchanged, you leave out that it was the original
        itself. Then you give the visible word its share of `p` after all.

        Every original can become w with the probability `random / V`, w included.
        """
        stayed, exchanged = same * p[w], random * (1 - p[w]) / len(p)
        alpha = stayed / (stayed + exchanged)
        return alpha * _at(p, w) + (1 - alpha) * p

    def weighed_by_p(p, w, same, random):
        """You weigh copying by p(w) alone, whatever the two shares are.

        How probable is it that w stood here *and* stayed, and how probable that something stood
        here and became w?
        """
        return p[w] * _at(p, w) + (1 - p[w]) * p

    def argmax_of_the_right(p, w, same, random):
        """You return one word for certain: the most probable original.

        The whole distribution is asked for.
        """
        q = correct(p, w, same, random)
        return _at(p, int(q.argmax()))

    def log_softmax_at_the_end(p, w, same, random):
        """You took a `log_softmax` of numbers that are no logits: of probabilities.

        Divide by the sum instead.
        """
        return (p * (same * _at(p, w) + random / len(p))).log_softmax(-1)

    def share_that_stayed(p, w, same, random):
        """You return one number: the probability that the word stayed. The distribution over all V
        words is asked for.

        If it was exchanged, which words may have stood there?
        """
        return same * p[w] / (same * p[w] + random / len(p))

    def masks_counted_and_not_divided(p, w, same, random):
        """You also count the share that becomes <mask>, for every original, and your numbers are
        not divided by their sum.

        Here a word is visible, so the token was not masked. Given w, divide by the sum.
        """
        return p * (same * _at(p, w) + random / len(p) + 1 - same - random)

    def word_before_the_visible_one(p, w, same, random):
        """You add `same` at the word before w, as if words were counted from 1.

        Words are counted from 0: the visible one is `p[w]`.
        """
        return _shared(p * (same * _at(p, w - 1 if w else len(p) - 1) + random / len(p)))

    def always_a_tenth(p, w, same, random):
        """You take a tenth for both shares, whatever `same` and `random` are.

        These are BERT's. Use `same` and `random`.
        """
        return correct(p, w, 0.1, 0.1)

    def stops_without_random_tokens(p, w, same, random):
        """Your function divides by `random`, and stops where that is 0.

        Add the two ways instead of taking their ratio.
        """
        return _shared(p * (1 + same * len(p) / random * _at(p, w)))

    def divided_by_the_context_of_w(p, w, same, random):
        """Your numbers are in the right proportion, but you divide by p(w).

        Divide by the probability of *seeing* w, which is the sum of your numbers.
        """
        return p * (same * _at(p, w) + random / len(p)) / p[w]

    def never_itself_and_nan(p, w, same, random):
        """You give the visible word the probability 0, and NaN comes out where `random` is 0.

        It may have stayed, and then it is the answer. And a random token may be the same as before.
        """
        return _shared(p * random / len(p) * (1 - _at(p, w)))

    def others_not_weighed(p, w, same, random):
        """For the other words you take p(x) as it is. They become word w only if they are
        exchanged, and only if w is drawn.

        How probable is "the original was x, and it shows as w"?
        """
        here = _at(p, w)
        return _shared(p * (1 - here) + p * (same + random / len(p)) * here)

    def same_added_to_the_context(p, w, same, random):
        """You add `same` to p(w), and divide by the sum. The probability of an original and the
        probability of its fate are multiplied.

        How probable is "the original was x, and it shows as w"?
        """
        return _shared(p + same * _at(p, w))

    def random_at_the_word_not_over_V(p, w, same, random):
        """For the visible word, you let an exchanged token come back to it with certainty. It is
        one of V words that can be drawn.

        Every original can become w with the probability `random / V`.
        """
        here = _at(p, w)
        return _shared(p * ((same + random) * here + random / len(p) * (1 - here)))


_ALONE = (
    ("same and a draw", "/V", "both", True),
    ("same and a draw", "/V", "both", False),
    ("same and a draw", "/V", "nothing", True),
    ("same", "/V", "both", True),
    ("same", "/(V-1)", "both", True),
)
"""The right answer, and single mistakes that ``Wrong`` has already."""

_AT_W = {
    "same and a draw": "",
    "same": "a random token is never the original",
    "certain": "word w always stays",
}
_AT_X = {
    "/V": "",
    "/(V-1)": "you draw from V − 1 words in place of V",
    "certain": "an exchanged token becomes w with certainty",
}
_PRIOR = {
    "both": "",
    "others": "you leave `p` out for the visible word",
    "w": "you leave `p` out for the other words",
    "nothing": "you leave `p` out",
}


def _joint(at_w, at_x, prior, p, w, same, random):
    """The products of Bayes' theorem, with other factors."""
    here, V = _at(p, w), len(p)
    of_w = {"same": same, "same and a draw": same + random / V, "certain": 1.0}[at_w]
    of_x = {"/V": random / V, "/(V-1)": random / (V - 1), "certain": random}[at_x]
    with_p = {"both": 1.0 + 0 * here, "others": 1 - here, "w": here, "nothing": 0 * here}[prior]
    return (here * of_w + (1 - here) * of_x) * (with_p * p + 1 - with_p)


def _combined(at_w, at_x, prior, divided):
    """Mistakes in the parts of Bayes' theorem, alone and together.

    Args:
        at_w: how the visible word shows as itself.
        at_x: how another word comes to show as the visible one.
        prior: for which words `p` is a factor.
        divided: whether the numbers are divided by their sum.
    """
    not_divided = "" if divided else "your numbers are not divided by their sum"
    says = filter(None, (_AT_X[at_x], _AT_W[at_w], _PRIOR[prior], not_divided))

    def mistake(p, w, same, random):
        joint = _joint(at_w, at_x, prior, p, w, same, random)
        return _shared(joint) if divided else joint

    mistake.__name__ = re.sub(r"\W+", "_", f"combined {at_w} {at_x} {prior} {divided}")
    mistake.__doc__ = f"""In your result, {", and ".join(says)}.

    For each original x: p(x), times the probability that x becomes w. Then divide by the sum.
    """
    return mistake


_COMBINED = tuple(
    _combined(*each)
    for each in itertools.product(_AT_W, _AT_X, _PRIOR, (True, False))
    if each not in _ALONE
)


class Right:
    """Right answers, written differently."""

    def as_a_mixture(p, w, same, random):
        """The probability that it stayed, given the word, mixes copying and context."""
        stayed = same * p[w]
        exchanged = random / len(p)
        alpha = stayed / (stayed + exchanged)
        return alpha * _at(p, w) + (1 - alpha) * p

    def word_by_word(p, w, same, random):
        """A loop over originals."""
        joint = []
        for x in range(len(p)):
            shows = random / len(p)
            if x == w:
                shows += same
            joint.append(p[x] * shows)
        total = sum(joint)
        return torch.stack([one / total for one in joint])

    def in_logarithms(p, w, same, random):
        """A softmax of log joint probabilities."""
        shows = torch.full_like(p, random / len(p))
        shows[w] += same
        return (p.log() + shows.log()).softmax(-1)

    def from_the_whole_table(p, w, same, random):
        """The table of every original and every visible word, and one of its columns."""
        V = len(p)
        fate = same * torch.eye(V, dtype=p.dtype) + random / V
        joint = p[:, None] * fate
        return joint[:, w] / joint.sum(0)[w]

    def scaled_by_V(p, w, same, random):
        """Everything times V and over the random share, where there is one."""
        q = p * random
        q[w] = q[w] + len(p) * same * p[w]
        return q / q.sum()


EXERCISE = Exercise(
    id="plain_word",
    oracle=correct,
    hint="For each original x: how probable is it in this context, and how probable is it that it "
    "shows as w? Word w has two ways to show as w, every other word has one. Then divide by the "
    "sum.",
    misconceptions=(*functions_of(Wrong), *_COMBINED),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("sums to 1", sums_to_one),),
)
