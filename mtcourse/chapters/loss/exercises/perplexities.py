"""The exercise ``perplexities``: four of them, predicted (C04, C05; chapter 8)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.exercise import Exercise, functions_of

PROBABILITIES = (1, 1 / 4, 1 / 16)


def correct():
    """exp(mean of -log p), four times."""
    return _answer(2000, 4, 8, 10)


def _answer(even, three_tokens, three_bits, halved):
    return {
        "even": even,
        "three_tokens": three_tokens,
        "three_bits": three_bits,
        "halved": halved,
    }


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The four numbers are right, but their names are missing.

        Return a dictionary with the names of the question.
        """
        return [2000, 4, 8, 10]

    def losses_for_perplexities():
        """Your wrong numbers are losses in nats. A perplexity is the exponential of a loss.

        Take e to the power of each number that is a loss.
        """
        return {name: math.log(value) for name, value in correct().items()}

    def losses_in_bits():
        """Your wrong numbers are losses in bits. A perplexity is 2 to the power of a loss in bits.

        An even guess among 8 words costs 3 bits, and its perplexity is 8.
        """
        return {name: math.log2(value) for name, value in correct().items()}

    def inverted():
        """Your wrong numbers are probabilities. A perplexity is 1 over a probability.

        A perplexity is a number of words, so it is never below 1.
        """
        return {name: 1 / value for name, value in correct().items()}

    def even_is_the_loss():
        """`even` is the loss in nats, ln 2000. The question asks for a perplexity.

        A model that gives 2,000 words the same probability: among how many words does it guess?
        """
        return _answer(math.log(2000), 4, 8, 10)

    def even_is_1():
        """`even` is 1 in your answer. Only a model that is always sure and right has perplexity 1.

        A model that gives 2,000 words the same probability: among how many words does it guess?
        """
        return _answer(1, 4, 8, 10)

    def mean_of_perplexities():
        """For the three tokens you took the mean of 1, 4 and 16. The exponential comes last.

        Average the losses, which are logarithms, and then take the exponential.
        """
        return _answer(2000, 7, 8, 10)

    def one_over_the_mean_probability():
        """For the three tokens you took 1 over the mean probability.

        A probability close to 0 hardly changes that mean, but costs much. Average the logarithms.
        """
        return _answer(2000, 1 / (sum(PROBABILITIES) / 3), 8, 10)

    def not_per_token():
        """64 is 1 over the product of the probabilities. A perplexity is per token.

        Divide the loss of the sentence by its number of tokens, then take the exponential.
        """
        return _answer(2000, 64, 8, 10)

    def divided_after_the_exponential():
        """You took the exponential of the whole loss, 64, and divided that by three.

        Divide the loss by three, then take the exponential.
        """
        return _answer(2000, 64 / 3, 8, 10)

    def sure_token_left_out():
        """You left out the token of probability 1. It costs nothing, but it counts as a token.

        Divide the loss by all three tokens.
        """
        return _answer(2000, 8, 8, 10)

    def nats_for_bits():
        """You took e to the power of 3, but the loss is 3 bits and not 3 nats.

        A bit is a choice between two. Among how many words do three such choices decide?
        """
        return _answer(2000, 4, math.e**3, 10)

    def bits_as_they_are():
        """3 bits is the loss. The question asks for its perplexity.

        A bit is a choice between two. Among how many words do three such choices decide?
        """
        return _answer(2000, 4, 3, 10)

    def bits_times_two():
        """You doubled the bits. Each further bit doubles the number of words.

        One bit: 2 words. Two bits: 4 words. Three bits?
        """
        return _answer(2000, 4, 6, 10)

    def halved_as_a_number():
        """You halved the perplexity. But it is the loss that is shared among twice as many tokens.

        The loss of the sentence stays, so per token it is halved. How is e^(L/2) related to e^L?
        """
        return _answer(2000, 4, 8, 50)

    def halved_unchanged():
        """You say that the perplexity stays 100. The sentence does stay as probable as before.

        But its loss is now divided by twice as many tokens.
        """
        return _answer(2000, 4, 8, 100)

    def halved_squared():
        """You squared the perplexity, as if two pieces made a word cost twice as much.

        The sentence is as probable as before. So two pieces share the loss of one word.
        """
        return _answer(2000, 4, 8, 10_000)

    def halved_doubled():
        """You doubled the perplexity. Pieces are easier to guess than words, not harder.

        The sentence is as probable as before. So two pieces share the loss of one word.
        """
        return _answer(2000, 4, 8, 200)

    def even_counts_the_wrong_words():
        """`even` counts the wrong words only. The right word is one of those among which the model
        guesses.

        What is 1 over the probability of the right word?
        """
        return _answer(1999, 4, 8, 10)

    def even_is_a_probability():
        """`even` is the probability of a word. A perplexity is 1 over it.

        A perplexity is a number of words, so it is never below 1.
        """
        return _answer(1 / 2000, 4, 8, 10)

    def even_in_bits():
        """`even` is the loss in bits, log₂ 2000. The question asks for a perplexity.

        A model that gives 2,000 words the same probability: among how many words does it guess?
        """
        return _answer(math.log2(2000), 4, 8, 10)

    def even_in_whole_bits():
        """`even` is the number of bits that 2,000 words need. The question asks for a perplexity.

        A model that gives 2,000 words the same probability: among how many words does it guess?
        """
        return _answer(11, 4, 8, 10)

    def even_in_whole_nats():
        """`even` is the loss ln 2000, rounded. The question asks for a perplexity.

        Take e to the power of the loss.
        """
        return _answer(8, 4, 8, 10)

    def even_is_half():
        """`even` is half of the vocabulary. All 2,000 words are equally likely.

        What is 1 over the probability of the right word?
        """
        return _answer(1000, 4, 8, 10)

    def exponential_of_the_probability():
        """`even` is e to the power of the probability. Take the exponential of the loss.

        The loss is minus the logarithm of the probability.
        """
        return _answer(math.exp(1 / 2000), 4, 8, 10)

    def sum_of_perplexities():
        """For the three tokens you added up 1, 4 and 16.

        Average the losses, which are logarithms, and then take the exponential.
        """
        return _answer(2000, 21, 8, 10)

    def mean_probability():
        """For the three tokens you took the mean of their probabilities.

        A perplexity is never below 1. Average the logarithms, change the sign, take the
        exponential.
        """
        return _answer(2000, sum(PROBABILITIES) / 3, 8, 10)

    def geometric_mean():
        """1/4 is the geometric mean of the three probabilities. A perplexity is 1 over it.

        A perplexity is a number of words, so it is never below 1.
        """
        return _answer(2000, 1 / 4, 8, 10)

    def product_of_probabilities():
        """1/64 is the probability of the sentence. A perplexity is per token, and never below 1.

        Take the third root, and then 1 over it.
        """
        return _answer(2000, 1 / 64, 8, 10)

    def loss_of_the_sentence():
        """For the three tokens you gave the loss of the sentence, ln 64, in nats.

        Divide it by the number of tokens, then take the exponential.
        """
        return _answer(2000, math.log(64), 8, 10)

    def mean_loss_of_the_tokens():
        """For the three tokens you gave the mean loss in nats, ln 4. The question asks for its
        exponential.

        A perplexity is e to the power of the mean loss.
        """
        return _answer(2000, math.log(4), 8, 10)

    def bits_of_the_tokens():
        """For the three tokens you gave the mean loss in bits. The question asks for a perplexity.

        For a loss in nats, you take e to the power of it. What do you take for a loss in bits?
        """
        return _answer(2000, 2, 8, 10)

    def bits_of_the_sentence():
        """For the three tokens you gave the loss of the sentence in bits.

        Divide by the number of tokens, then take 2 to the power of it.
        """
        return _answer(2000, 6, 8, 10)

    def e_to_the_bits_of_the_tokens():
        """For the three tokens you took e to the power of 2, but their mean loss is 2 *bits*.

        Base and logarithm belong together: 2 and log₂, or e and ln.
        """
        return _answer(2000, math.e**2, 8, 10)

    def last_token_alone():
        """16 is 1 over the probability of the last token alone. All three tokens count.

        Average the logarithms of the three probabilities.
        """
        return _answer(2000, 16, 8, 10)

    def nats_for_bits_rounded():
        """You took e to the power of 3 and rounded it, but the loss is 3 bits and not 3 nats.

        A bit is a choice between two. Among how many words do three such choices decide?
        """
        return _answer(2000, 4, 20, 10)

    def bits_over_ln_2():
        """You divided the bits by ln 2 to get nats. A bit is *less* than a nat.

        log₂ x = ln x / ln 2. So what is ln x?
        """
        return _answer(2000, 4, math.exp(3 / math.log(2)), 10)

    def bits_over_ln_2_rounded():
        """You divided the bits by ln 2 to get nats, and rounded the result. A bit is *less* than a
        nat.

        log₂ x = ln x / ln 2. So what is ln x?
        """
        return _answer(2000, 4, 76, 10)

    def bits_in_nats():
        """`three_bits` is the loss in nats, 3 ln 2. The question asks for its exponential.

        Take e to the power of it.
        """
        return _answer(2000, 4, 3 * math.log(2), 10)

    def three_squared():
        """9 is 3 to the power of 2. Three bits are three choices between two.

        One bit: 2 words. Two bits: 4 words. Three bits?
        """
        return _answer(2000, 4, 9, 10)

    def three_bits_as_a_probability():
        """`three_bits` is a probability. A perplexity is 1 over it.

        A perplexity is a number of words, so it is never below 1.
        """
        return _answer(2000, 4, 1 / 8, 10)

    def ten_to_the_bits():
        """You took 10 to the power of 3. Bits belong to the base 2.

        A bit is a choice between two. Among how many words do three such choices decide?
        """
        return _answer(2000, 4, 1000, 10)

    def halved_twice():
        """You divided the perplexity by 4. But it is the loss that is divided, by 2.

        The loss of the sentence stays, so per token it is halved. How is e^(L/2) related to e^L?
        """
        return _answer(2000, 4, 8, 25)

    def halved_is_the_loss():
        """`halved` is the mean loss per piece, ln 100 / 2. The question asks for a perplexity.

        Take e to the power of it.
        """
        return _answer(2000, 4, 8, math.log(100) / 2)

    def halved_is_the_loss_of_a_word():
        """`halved` is the mean loss per word, ln 100. The question asks for a perplexity per piece.

        Two pieces share this loss. Halve it, and take the exponential.
        """
        return _answer(2000, 4, 8, math.log(100))

    def root_of_the_half():
        """You halved the perplexity and took the root of that. One of the two is too many.

        Halve the loss. How is e^(L/2) related to e^L?
        """
        return _answer(2000, 4, 8, 50**0.5)

    def root_of_the_double():
        """You doubled the perplexity and took the root of that. One of the two is too many.

        Halve the loss. How is e^(L/2) related to e^L?
        """
        return _answer(2000, 4, 8, 200**0.5)

    def halved_as_a_probability():
        """`halved` is the probability of a piece. A perplexity is 1 over it.

        A perplexity is a number of words, so it is never below 1.
        """
        return _answer(2000, 4, 8, 1 / 10)

    def plain_means():
        """For the three tokens you took a mean of perplexities, and for the pieces you halved a
        perplexity.

        Losses are averaged and shared, perplexities are not: the exponential comes last.
        """
        return _answer(2000, 7, 8, 50)

    def mean_losses():
        """Your wrong numbers are losses, `three_bits` in bits and any others in nats. A perplexity
        is the exponential of a loss.

        Take e to the power of a loss in nats, and 2 to the power of a loss in bits.
        """
        return _answer(math.log(2000), math.log(4), 3, math.log(10))


class Right:
    """Right answers, written differently."""

    def in_whole_numbers():
        """Plain whole numbers."""
        return {"even": 2000, "three_tokens": 4, "three_bits": 8, "halved": 10}

    def computed():
        """By the definition."""
        mean = -sum(math.log(p) for p in PROBABILITIES) / 3
        return {
            "even": math.exp(-math.log(1 / 2000)),
            "three_tokens": math.exp(mean),
            "three_bits": 2**3,
            "halved": 100**0.5,
        }

    def by_geometric_means():
        """One over the geometric mean of the probabilities."""
        geometric = math.prod(PROBABILITIES) ** (1 / 3)
        return {
            "three_tokens": 1 / geometric,
            "halved": math.sqrt(100),
            "even": 2e3,
            "three_bits": 8.0,
        }

    def as_tensors():
        """Tensors without dimensions."""
        p = torch.tensor(PROBABILITIES)
        return {
            "even": torch.tensor(2000),
            "three_tokens": (-p.log().mean()).exp(),
            "three_bits": torch.exp2(torch.tensor(3.0)),
            "halved": (torch.tensor(100.0).log() / 2).exp(),
        }


EXERCISE = Exercise(
    id="perplexities",
    oracle=correct,
    hint="Each of the four is exp(mean loss per token), and each is a whole number. Write down the "
    "loss, then its mean per token, and take the exponential last.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    tolerance=4e-5,
)
