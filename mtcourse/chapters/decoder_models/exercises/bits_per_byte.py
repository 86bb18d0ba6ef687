"""The exercise ``bits_per_byte``: a loss that no vocabulary changes (C02; chapter 13)."""

from __future__ import annotations

import math
import sys

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Texts with and without letters of several bytes, in few tokens and in many."""

    def drawn(name, text, tokens):
        return Case(name, (-draw.normal(tokens).abs() - 0.1, text))

    ln2 = math.log(2)
    hand = draw.tensor([-2 * ln2, -3 * ln2, -ln2, -2 * ln2])
    return [
        Case("4 tokens, 8 bits, no accent", (hand, "Ja, nee."), by_hand=True),
        Case("the same tokens, a text of 5 bytes", (hand, "Één"), by_hand=True),
        drawn("a sentence in 7 tokens", "De hond slaapt.", 7),
        drawn("the same sentence in 16 tokens", "De hond slaapt.", 16),
        drawn("vowels with a diaeresis", "Zij heeft de ruïne geërfd.", 9),
        drawn("Greek letters", "Η γάτα κοιμάται.", 12),
        drawn("two lines", "Wie lacht?\nJan.", 8),
        drawn("a picture", "Hoera 🎉!", 6),
        drawn("a single letter", "u", 2),
        drawn("a text with an end of line", "Het regent.\n", 5),
    ]


def correct(log_p, text):
    """Minus the sum of the logarithms, over the bytes and ln 2."""
    return _nats(log_p) / _bytes(text) / math.log(2)


def _nats(log_p):
    return -float(log_p.double().sum())


def _bytes(text):
    return len(text.encode())


class Wrong:
    """What learners write, the more particular before the more general."""

    def per_character(log_p, text):
        """You divide by the number of characters. A letter such as é is one of them, and two bytes.

        `len` of a text counts characters. How many bytes has it in UTF-8?
        """
        return _nats(log_p) / len(text) / math.log(2)

    def per_token(log_p, text):
        """These are bits per token. Bits per byte are asked for.

        A token has more or fewer bytes, as the vocabulary is. Which number belongs to the text
        alone?
        """
        return _nats(log_p) / len(log_p) / math.log(2)

    def per_word(log_p, text):
        """These are bits per word. Bits per byte are asked for.

        How many bytes has the text in UTF-8?
        """
        return _nats(log_p) / len(text.split()) / math.log(2)

    def nats_per_byte(log_p, text):
        """These are nats per byte. A bit is ln 2 nats.

        The logarithms are natural ones. How many bits is one nat?
        """
        return _nats(log_p) / _bytes(text)

    def nats_per_character(log_p, text):
        """These are nats per character: the unit of the loss and the size of the text are both
        others.

        One nat is 1 / ln 2 bits, and an accented letter has two bytes.
        """
        return _nats(log_p) / len(text)

    def loss_per_token(log_p, text):
        """This is the mean loss per token, in nats.

        Divide the *sum* by the bytes of the text, and change nats into bits.
        """
        return _nats(log_p) / len(log_p)

    def times_ln2(log_p, text):
        """You multiply by ln 2. That makes the number smaller, but one nat is more than one bit.

        A probability of 1/2 is 1 bit and 0.69 nats.
        """
        return _nats(log_p) / _bytes(text) * math.log(2)

    def to_base_ten(log_p, text):
        """You divide by ln 10: these are decimal digits per byte.

        A bit is a choice between two.
        """
        return _nats(log_p) / _bytes(text) / math.log(10)

    def common_logarithm_of_two(log_p, text):
        """You divide by the common logarithm of 2, about 0.30. The natural one is needed.

        In Python, `math.log` is the natural logarithm.
        """
        return _nats(log_p) / _bytes(text) / math.log10(2)

    def times_the_base(log_p, text):
        """You divide by 2 where ln 2 belongs.

        How many nats is a probability of 1/2?
        """
        return _nats(log_p) / _bytes(text) / 2

    def mean_over_bytes(log_p, text):
        """You divide twice: by the tokens and by the bytes.

        Take the sum over the tokens, not their mean.
        """
        return _nats(log_p) / len(log_p) / _bytes(text) / math.log(2)

    def sum_over_bytes_per_token(log_p, text):
        """You divide the bits of the *whole* text by its bytes per token.

        Either the sum over all bytes, or the mean per token over the bytes per token.
        """
        return _nats(log_p) / math.log(2) / (_bytes(text) / len(log_p))

    def bits_of_the_text(log_p, text):
        """These are the bits of the whole text. Divide them by its bytes.

        How many bytes has the text in UTF-8?
        """
        return _nats(log_p) / math.log(2)

    def nats_of_the_text(log_p, text):
        """This is the loss of the whole text, in nats.

        Divide by the bytes of the text, and change nats into bits.
        """
        return _nats(log_p)

    def negative(log_p, text):
        """Yours is negative. Logarithms of probabilities are at most 0, and a loss at least 0.

        Which sign is missing?
        """
        return -correct(log_p, text)

    def bytes_per_bit(log_p, text):
        """These are bytes per bit: yours is upside down.

        What is divided by what in "bits per byte"?
        """
        return 1 / correct(log_p, text)

    def divided_by_bits(log_p, text):
        """You divide by the number of bits of the text, eight for each byte.

        Bits per *byte*: the model's bits over the bytes.
        """
        return correct(log_p, text) / 8

    def in_bytes_per_character(log_p, text):
        """You divide by eight times the number of characters.

        Bits per *byte*: the model's bits over the bytes of the text in UTF-8.
        """
        return _nats(log_p) / len(text) / math.log(2) / 8

    def without_eos(log_p, text):
        """You leave out the last token, <eos>. That it ends is a part of the text.

        Sum over all tokens that are given.
        """
        return correct(log_p[:-1], text)

    def without_the_first_token(log_p, text):
        """You leave out the first token.

        Its probability is given, as that of all others is: <bos> is not among them.
        """
        return correct(log_p[1:], text)

    def one_byte_for_eos(log_p, text):
        """You count one byte too many.

        Did you count <eos> or the end of the line as a byte? The text has only its own.
        """
        return _nats(log_p) / (_bytes(text) + 1) / math.log(2)

    def in_utf16(log_p, text):
        """You count the bytes of UTF-16, two at least for each character and two in front.

        The question asks for UTF-8.
        """
        return _nats(log_p) / len(text.encode("utf-16")) / math.log(2)

    def two_bytes_a_character(log_p, text):
        """You count two bytes for each character.

        In UTF-8 a plain letter has one byte, others have two, three or four.
        """
        return _nats(log_p) / (2 * len(text)) / math.log(2)

    def in_utf32(log_p, text):
        """You count four bytes for each character.

        In UTF-8 a plain letter has one byte, others have two, three or four.
        """
        return _nats(log_p) / (4 * len(text)) / math.log(2)

    def ascii_alone(log_p, text):
        """You count only the bytes of plain letters and signs, and none for é or ï.

        They have bytes, too, and several of them.
        """
        plain = len(text.encode("ascii", "ignore"))
        return _nats(log_p) / (plain or 1) / math.log(2)

    def without_blanks(log_p, text):
        """You do not count blanks and ends of lines. They are bytes, too.

        How many bytes has the text as it stands?
        """
        return _nats(log_p) / len("".join(text.split()).encode()) / math.log(2)

    def without_spaces(log_p, text):
        """You do not count spaces. They are bytes, too.

        How many bytes has the text as it stands?
        """
        return _nats(log_p) / len(text.replace(" ", "").encode()) / math.log(2)

    def size_in_memory(log_p, text):
        """You divide by the size of the text *in memory*: Python stores more than its bytes.

        The question asks for the bytes of the text in UTF-8.
        """
        return _nats(log_p) / sys.getsizeof(text) / math.log(2)

    def of_each_token(log_p, text):
        """You return one number for each token. The question asks for one number.

        The loss of the text is their sum.
        """
        return -log_p / _bytes(text) / math.log(2)

    def letters_alone(log_p, text):
        """You count letters, and neither blanks nor punctuation.

        How many bytes has the text as it stands?
        """
        return _nats(log_p) / sum(c.isalpha() for c in text) / math.log(2)

    def different_bytes(log_p, text):
        """You count each byte once, however often it is in the text.

        A set forgets repetitions.
        """
        return _nats(log_p) / len(set(text.encode())) / math.log(2)

    def perplexity(log_p, text):
        """This is the perplexity per token.

        Bits per byte have no exponential, and they are divided by the bytes of the text.
        """
        return math.exp(_nats(log_p) / len(log_p))

    def perplexity_per_byte(log_p, text):
        """This is a perplexity per byte: the exponential of the loss.

        Bits are logarithms. Leave out the exponential.
        """
        return math.exp(_nats(log_p) / _bytes(text))

    def bits_of_the_mean_probability(log_p, text):
        """You took the mean of the probabilities first and its logarithm afterwards.

        The logarithms are given: add them up as they are.
        """
        return -math.log2(float(log_p.double().exp().mean())) / _bytes(text)

    def logarithm_of_negative_numbers(log_p, text):
        """Your result is NaN: you took logarithms of numbers that are not positive.

        What is given is log p, and not p. It has a logarithm in it already.
        """
        return -float(log_p.double().log2().sum()) / _bytes(text)

    def nats_per_bit(log_p, text):
        """These are nats over the number of bits of the text, eight for each byte.

        Bits per *byte*: the model's loss in bits, over the bytes.
        """
        return _nats(log_p) / _bytes(text) / 8

    def logarithm_of_logarithms(log_p, text):
        """You took logarithms of the logarithms.

        What is given is log p, and not p. What is left to be done?
        """
        return -float((-log_p.double()).log2().sum()) / _bytes(text)

    def probabilities_added(log_p, text):
        """You took exponentials and added the probabilities.

        The loss of a text is the sum of the logarithms, which are given.
        """
        return float(log_p.double().exp().sum()) / _bytes(text) / math.log(2)

    def bytes_over_tokens(log_p, text):
        """This is the number of bytes per token. The probabilities make no difference to it.

        Where does your function use the sum of `log_p`?
        """
        return _bytes(text) / len(log_p)

    def mean_times_bytes(log_p, text):
        """You multiply the mean loss by bytes per token. Divide by them.

        Bits per token, over bytes per token, are bits per byte.
        """
        return _nats(log_p) / len(log_p) ** 2 * _bytes(text) / math.log(2)


class Right:
    """Right answers, written differently."""

    def in_one_line(log_p, text):
        """As the equation is printed."""
        return -log_p.sum().item() / (len(text.encode("utf-8")) * math.log(2))

    def bits_first(log_p, text):
        """Each token in bits, and a tensor of one number."""
        return (-log_p / math.log(2)).sum() / len(text.encode())

    def of_means(log_p, text):
        """Bits per token over bytes per token."""
        bits = -log_p.double().mean() / math.log(2)
        return float(bits / (len(text.encode()) / len(log_p)))

    def in_a_loop(log_p, text):
        """Adds up, token by token and byte by byte."""
        bits = sum(-x * math.log2(math.e) for x in log_p.tolist())
        return bits / sum(1 for _ in bytearray(text, "utf-8"))

    def by_perplexity(log_p, text):
        """The logarithm to base 2 of the perplexity per byte."""
        per_byte = math.exp(-log_p.double().sum().item() / len(bytes(text, "utf-8")))
        return math.log2(per_byte)


EXERCISE = Exercise(
    id="bits_per_byte",
    oracle=correct,
    hint="Three numbers are needed: minus the sum of the logarithms, the nats in one bit, and the "
    "bytes of the text in UTF-8.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
