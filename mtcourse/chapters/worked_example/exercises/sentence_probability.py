"""The exercise ``sentence_probability``: what six greedy choices tell (B19; chapter 11)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.exercise import Exercise, functions_of

P = (0.92, 0.87, 0.91, 0.84, 0.89, 0.95)
_SENTENCE = math.prod(P)
_LOSS = -math.log(_SENTENCE) / 6
_OTHERS = [math.prod(P[:i]) * (1 - p) for i, p in enumerate(P)]
"""For each position, what is left for all sentences that differ there first."""
_RIVAL = max(_OTHERS)


def _answer(sentence=_SENTENCE, loss=_LOSS, perplexity=None, rival=_RIVAL):
    return {
        "sentence": sentence,
        "loss": loss,
        "perplexity": math.exp(_LOSS) if perplexity is None else perplexity,
        "rival": rival,
    }


def correct():
    """The product, its loss per token, and the most that another sentence could have."""
    return _answer()


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary with the names of the question.

        Put each number after its name.
        """
        return list(correct().values())

    def mean_of_the_six():
        """Your sentence probability is the mean of the six numbers.

        Each number is the probability of a token if all tokens before it are given. What does the
        chain rule do with them?
        """
        return _answer(sentence=sum(P) / 6)

    def smallest_of_the_six():
        """Your sentence probability is the smallest of the six numbers.

        A sentence needs all six tokens. What does the chain rule do with their probabilities?
        """
        return _answer(sentence=min(P))

    def largest_of_the_six():
        """Your sentence probability is the largest of the six numbers, that of <EOS>.

        A sentence needs all six tokens. What does the chain rule do with their probabilities?
        """
        return _answer(sentence=max(P))

    def sum_of_the_six():
        """You added the six numbers. A probability is never larger than 1.

        What does the chain rule do with the probabilities of the tokens?
        """
        return _answer(sentence=sum(P))

    def sentence_without_end():
        """Your sentence probability leaves out <EOS>.

        Without <EOS> the model could go on. The probability of *this* sentence contains that it
        ends here.
        """
        return _answer(sentence=math.prod(P[:5]))

    def sentence_without_end_throughout():
        """You left out <EOS> in the sentence probability and in the loss.

        The model also has to predict the end, so <EOS> counts as a token.
        """
        loss = -math.log(math.prod(P[:5])) / 5
        return _answer(math.prod(P[:5]), loss, math.exp(loss))

    def sentence_as_logarithm():
        """Your sentence probability is a logarithm: a sum of logarithms.

        A probability lies between 0 and 1. Which function turns the sum back?
        """
        return _answer(sentence=math.log(_SENTENCE))

    def geometric_mean():
        """Your sentence probability is the sixth root of the product: the geometric mean of the six
        numbers.

        The question asks for the probability of the whole sentence.
        """
        return _answer(sentence=_SENTENCE ** (1 / 6))

    def of_the_complements():
        """You multiplied what is left at each position, 1 − p.

        Which of the two is the probability of the token that was written?
        """
        return _answer(sentence=math.prod(1 - p for p in P))

    def not_this_sentence():
        """Your sentence probability is that of all *other* sentences.

        Did you subtract the product from 1?
        """
        return _answer(sentence=1 - _SENTENCE)

    def loss_summed():
        """Your loss is the sum over the six tokens. The mean is asked for.

        By how many tokens do you divide?
        """
        return _answer(loss=6 * _LOSS)

    def loss_summed_throughout():
        """Your loss and your perplexity are those of the whole sentence. Those of a token are asked
        for.

        By how many tokens do you divide before you take the exponential?
        """
        return _answer(loss=6 * _LOSS, perplexity=math.exp(6 * _LOSS))

    def loss_in_bits():
        """Your loss is in bits: you took logarithms to base 2.

        The course's losses are in nats. Which base has the natural logarithm?
        """
        return _answer(loss=_LOSS / math.log(2))

    def loss_to_base_ten():
        """Your loss has logarithms to base 10.

        The course's losses are in nats. Which base has the natural logarithm?
        """
        return _answer(loss=_LOSS / math.log(10))

    def loss_without_end():
        """Your loss is the mean over the five words, without <EOS>.

        The model also has to predict the end, so <EOS> counts as a token.
        """
        return _answer(loss=-math.log(math.prod(P[:5])) / 5)

    def loss_of_six_over_five():
        """Your loss has the logarithms of six tokens, divided by five.

        How many tokens are predicted, <EOS> included?
        """
        return _answer(loss=6 * _LOSS / 5)

    def loss_of_five_over_six():
        """Your loss has the logarithms of the five words only, divided by six.

        <EOS> is predicted, too. What is its logarithm?
        """
        return _answer(loss=-math.log(math.prod(P[:5])) / 6)

    def loss_over_eight():
        """Your loss is divided by the eight rows of the table. Two of them have padding as their
        label.

        How many tokens are predicted, <EOS> included?
        """
        return _answer(loss=6 * _LOSS / 8)

    def loss_of_the_mean():
        """Your loss is the logarithm of the mean probability. It should be the mean of the
        logarithms.

        Which comes first, the logarithm or the mean?
        """
        return _answer(loss=-math.log(sum(P) / 6))

    def loss_without_logarithm():
        """Your loss is the mean of 1 − p, without a logarithm.

        What is the cross-entropy of a token with probability p?
        """
        return _answer(loss=sum(1 - p for p in P) / 6)

    def loss_with_wrong_sign():
        """Your loss is negative.

        Logarithms of numbers below 1 are negative. What is missing in front?
        """
        return _answer(loss=-_LOSS)

    def entropy_for_loss():
        """Your loss is −p ln p, averaged: each logarithm is multiplied by its probability.

        The loss of a token is the logarithm of the probability of the right token, nothing else.
        """
        return _answer(loss=-sum(p * math.log(p) for p in P) / 6)

    def perplexity_of_the_sum():
        """Your perplexity is the exponential of the sum. It is one over the sentence probability.

        Perplexity belongs to one token: take the exponential of the *mean* loss.
        """
        return _answer(perplexity=math.exp(6 * _LOSS))

    def perplexity_with_two():
        """Your perplexity is 2 to the power of a loss in nats.

        Base and logarithm belong together: which number to the power of ln x gives x?
        """
        return _answer(perplexity=2**_LOSS)

    def perplexity_of_bits():
        """Your perplexity is e to the power of a loss in bits.

        Base and logarithm belong together: which number to the power of log₂ x gives x?
        """
        return _answer(perplexity=math.exp(_LOSS / math.log(2)))

    def perplexity_is_the_loss():
        """Your perplexity is the loss itself.

        A perplexity is 1 or more. Which function turns a loss into it?
        """
        return _answer(perplexity=_LOSS)

    def perplexity_upside_down():
        """Your perplexity is smaller than 1: it is upside down.

        Which sign has the exponent?
        """
        return _answer(perplexity=math.exp(-_LOSS))

    def perplexity_from_the_mean():
        """Your perplexity is one over the mean probability.

        It comes from the mean of the *logarithms*. Take the exponential of your loss.
        """
        return _answer(perplexity=6 / sum(P))

    def perplexity_without_end():
        """Your perplexity leaves out <EOS>.

        The model also has to predict the end, so <EOS> counts as a token.
        """
        return _answer(perplexity=math.prod(P[:5]) ** (-1 / 5))

    def perplexity_of_eight():
        """Your perplexity takes the mean over the eight rows of the table.

        Two of the eight rows have padding as their label. How many tokens are predicted?
        """
        return _answer(perplexity=math.exp(6 * _LOSS / 8))

    def all_others_together():
        """Your `rival` is the probability of *all* other sentences together.

        They share it. Group them by the position at which they first differ from B's sentence: how
        much can one group have?
        """
        return _answer(rival=1 - _SENTENCE)

    def largest_rest():
        """Your `rival` forgets that the sentence must first reach the position where it differs.

        A sentence that differs at position 3 begins with the same three tokens. What is their
        probability?
        """
        return _answer(rival=1 - min(P))

    def rest_of_the_first():
        """Your `rival` is the most for sentences with another first token.

        A sentence may also differ later. How much is left for those that differ at position 1?
        """
        return _answer(rival=1 - P[0])

    def rest_of_the_last():
        """Your `rival` is the most for sentences that begin with the same five words and go on.

        A sentence may also differ earlier. How much is left for those that differ at position 1?
        """
        return _answer(rival=_OTHERS[5])

    def where_it_is_least_sure():
        """Your `rival` is the most for sentences that differ where the model is least sure.

        The rest is largest there. But first the sentence must get there: compare all positions.
        """
        return _answer(rival=_OTHERS[3])

    def rest_of_the_last_alone():
        """Your `rival` is what is left beside <EOS>.

        A sentence may differ at any position. And to differ at the last one, it must first get
        there.
        """
        return _answer(rival=1 - P[5])

    def rest_of_the_second():
        """Your `rival` is what is left beside "aime", as if "J'" were certain.

        What is the probability of the tokens before the one that differs?
        """
        return _answer(rival=1 - P[1])

    def goes_on_alike():
        """You go on with B's probabilities after the token that differs.

        They hold only after B's own tokens. After another token, the model may be certain: what is
        the most that the rest can have?
        """
        return _answer(rival=max(_SENTENCE / p * (1 - p) for p in P))

    def half_of_the_rest():
        """Your `rival` divides what is left by two.

        How the rest is shared is not known. One sentence may have all that its group has.
        """
        return _answer(rival=(1 - _SENTENCE) / 2)

    def rest_over_the_vocabulary():
        """Your `rival` shares the rest among 9,999 tokens equally.

        How it is shared is not known. What is the most that one token could have?
        """
        return _answer(rival=_RIVAL / 9999)

    def no_rival():
        """Your `rival` is 0, or nearly so.

        Each position leaves something: 1 − p. Where can it go?
        """
        return _answer(rival=0.0)

    def as_likely_as_the_sentence():
        """Your `rival` is the probability of B's sentence itself.

        All other sentences have to share the rest. How much is left for those that first differ at
        a given position?
        """
        return _answer(rival=_SENTENCE)

    def goes_on_alike_after_the_second():
        """You go on with B's probabilities after another token at position 1.

        They hold only after B's own tokens. After another token, the model may be certain: what is
        the most that the rest can have?
        """
        return _answer(rival=_SENTENCE / P[1] * (1 - P[1]))

    def goes_on_alike_after_the_first():
        """You go on with B's probabilities after another token at position 0.

        They hold only after B's own tokens. After another token, the model may be certain: what is
        the most that the rest can have?
        """
        return _answer(rival=_SENTENCE / P[0] * (1 - P[0]))

    def rests_added():
        """You added up what is left at the six positions, without asking how probable it is to get
        there.

        A sentence first differs at one position only. What is the probability of the tokens before?
        """
        return _answer(rival=sum(1 - p for p in P))

    def another_group():
        """Your `rival` is the most for sentences that first differ at position 2. Others could have
        more.

        Compute it for all six positions.
        """
        return _answer(rival=_OTHERS[2])

    def one_more_group():
        """Your `rival` is the most for sentences that first differ at position 4. Others could have
        more.

        Compute it for all six positions.
        """
        return _answer(rival=_OTHERS[4])

    def perplexity_of_five_over_six():
        """Your perplexity has the logarithms of the five words only, divided by six.

        <EOS> is predicted, too. What is its logarithm?
        """
        return _answer(perplexity=math.prod(P[:5]) ** (-1 / 6))

    def perplexity_as_a_mean():
        """Your perplexity is the mean of 1/p.

        Take the mean of the *logarithms* first. Which comes last, the mean or the exponential?
        """
        return _answer(perplexity=sum(1 / p for p in P) / 6)

    def ends_like_the_sentence():
        """After the token that differs, you still multiply by 0.95, B's probability of <EOS>.

        That holds only after B's own words. After other words, how sure of its end may the model
        be?
        """
        return _answer(rival=_RIVAL * P[5])

    def reaches_one_too_far():
        """You multiply by the probability of B's token at the position where the rival differs.

        There the rival has another token. Which tokens do the two sentences share?
        """
        return _answer(rival=max(math.prod(P[: i + 1]) * (1 - p) for i, p in enumerate(P)))

    def all_others_without_end():
        """Your `rival` is one minus the product of the five words: it is what is left for *all*
        sentences with other words together.

        They share it. Group them by the position at which they first differ from B's sentence: how
        much can one group have?
        """
        return _answer(rival=1 - math.prod(P[:5]))

    def perplexity_of_six_over_five():
        """Your perplexity has the logarithms of six tokens, divided by five.

        How many tokens are predicted, <EOS> included?
        """
        return _answer(perplexity=math.exp(6 * _LOSS / 5))


class Right:
    """Right answers, written differently."""

    def in_a_loop():
        """A running product; what is left at each position."""
        reached, rival, loss = 1.0, 0.0, 0.0
        for p in P:
            rival = max(rival, reached * (1 - p))
            reached *= p
            loss -= math.log(p)
        return {"sentence": reached, "loss": loss / 6, "perplexity": math.exp(loss / 6),
                "rival": rival}  # fmt: skip

    def with_torch():
        """With tensors."""
        p = torch.tensor(P, dtype=torch.float64)
        loss = -p.log().mean()
        before = torch.cat([torch.ones(1, dtype=p.dtype), p.cumprod(0)[:-1]])
        return {"sentence": p.prod(), "loss": loss, "perplexity": loss.exp(),
                "rival": (before * (1 - p)).max()}  # fmt: skip

    def by_the_root():
        """The perplexity as a root."""
        return _answer(0.92 * 0.87 * 0.91 * 0.84 * 0.89 * 0.95, math.log(_SENTENCE ** (-1 / 6)),
                       (1 / _SENTENCE) ** (1 / 6), 0.92 * 0.13)  # fmt: skip

    def to_six_digits():
        """Rounded to six digits after the point."""
        return {name: round(value, 6) for name, value in correct().items()}

    def in_another_order():
        """The names in another order."""
        return dict(sorted(correct().items()))


EXERCISE = Exercise(
    id="sentence_probability",
    oracle=correct,
    hint="Multiply the six numbers; the loss is the mean of their negative logarithms. For the "
    "rival, ask of each position: how probable is it to get there, and what is left there?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    tolerance=1e-5,
)
