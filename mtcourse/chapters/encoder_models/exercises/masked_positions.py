"""The exercise ``masked_positions``: what counts in document C's sentence (C26 to C28)."""

from __future__ import annotations

import math

from mtcourse.checks.exercise import Exercise, functions_of

Answers = dict[str, int | float]

_SENTENCE = "<class> I swam across the river to get to the other bank ."
_WORDS = tuple(_SENTENCE.split(" "))


def correct() -> Answers:
    """Thirteen tokens, two of them hidden, with p = 1/2 and 1/8."""
    return {
        "swam": 2,
        "other": 10,
        "rows": 13,
        "labels": 2,
        "reads": 13,
        "causal": 3,
        "may": 12,
        "expected": 1.8,
        "loss": 2 * math.log(2),
        "gradient": 2,
    }


def _but(**others: int | float) -> Answers:
    return correct() | others


_OTHERS = math.log(16 / 15)
"""The loss at each of the eleven positions that were not chosen."""


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your answers have no names.

        Return a dictionary with the names of the question.
        """
        return list(correct().values())

    def class_nowhere_counted():
        """You name the row before each blank, and you leave an input out of the rows. Did you not
        count <class>?

        <class> is position 0, and it is read and computed like all other inputs.
        """
        return _but(swam=1, other=9, rows=12)

    def class_nowhere_read():
        """You name the row before each blank, and leave an input out of the rows and of what row 2
        reads. Did you not count <class>?

        <class> is position 0, and it is read and computed like all other inputs.
        """
        return _but(swam=1, other=9, rows=12, reads=12)

    def class_nowhere_read_with_causal():
        """You name the row before each blank, and leave an input out of the rows and of what row 2
        reads, with the causal mask and without. Did you not count <class>?

        <class> is position 0, and it is read and computed like all other inputs.
        """
        return _but(swam=1, other=9, rows=12, reads=12, causal=2)

    def class_not_counted():
        """You name the row before each blank. Either you did not count <class>, or you shifted, as
        for a decoder.

        <class> is position 0, and nothing is shifted: row t predicts token t (C28).
        """
        return _but(swam=1, other=9)

    def counted_from_1():
        """You name the row behind each blank.

        Positions are counted from 0: <class> is position 0.
        """
        return _but(swam=3, other=11)

    def row_before():
        """You let row 1 predict *swam*. That is the row before the blank.

        <class> is position 0, and nothing is shifted: row t predicts token t (C28).
        """
        return _but(swam=1)

    def row_before_the_other():
        """You let row 9 predict *other*. That is the row before the blank.

        <class> is position 0, and nothing is shifted: row t predicts token t (C28).
        """
        return _but(other=9)

    def row_behind():
        """You let row 3 predict *swam*. That is the row behind the blank.

        Positions are counted from 0: <class> is position 0.
        """
        return _but(swam=3)

    def row_behind_the_other():
        """You let row 11 predict *other*. That is the row behind the blank.

        Count on from the first blank, with *to* and *the* as words of their own.
        """
        return _but(other=11)

    def rows_with_one_more():
        """You count one row too many. This encoder reads the tokens of the line, and nothing more.

        One token for each word, one for the full stop, and <class>.
        """
        return _but(rows=14)

    def rows_without_class():
        """You leave an input out of the rows.

        The encoder computes a row for every input: <class> and the full stop are inputs, too.
        """
        return _but(rows=12)

    def rows_of_words():
        """You leave two inputs out of the rows.

        The encoder computes a row for every input: <class>, each <mask> and the full stop are
        inputs, too.
        """
        return _but(rows=11)

    def rows_of_the_chosen():
        """You let the encoder compute rows for the blanks alone. It computes one for every input;
        only the *loss* leaves rows out.

        How many inputs are there?
        """
        return _but(rows=2)

    def labels_everywhere():
        """You count a label at every position. Where nothing was chosen, the label is 0 and does
        not count.

        How many tokens are asked for?
        """
        return _but(labels=13)

    def labels_of_words():
        """You count a label for every token but <class>. Where nothing was chosen, the label is 0
        and does not count.

        How many tokens are asked for?
        """
        return _but(labels=12)

    def labels_of_the_others():
        """You count the zeros among the labels.

        A label of 0 asks for nothing. How many tokens are asked for?
        """
        return _but(labels=11)

    def reads_without_its_own_input():
        """You leave out one input, perhaps the row's own. Row 2 reads <mask> at position 2: from it
        the row knows that a word is missing *here*.

        Which inputs does an encoder hide from a row, if there is no padding?
        """
        return _but(reads=12)

    def reads_without_masks():
        """You leave out two inputs. A <mask> is an input like any other, and the left side is read
        as well as the right.

        Which inputs does an encoder hide from a row, if there is no padding?
        """
        return _but(reads=11)

    def reads_without_masks_and_class():
        """You leave out three inputs. <class> and each <mask> are inputs like any other, and the
        left side is read as well as the right.

        Which inputs does an encoder hide from a row, if there is no padding?
        """
        return _but(reads=10)

    def reads_the_left_side():
        """You let row 2 read the left side and itself alone, as in a decoder.

        An encoder has no causal mask (C28).
        """
        return _but(reads=3)

    def reads_before_itself():
        """You let row 2 read the inputs to its left alone, as in a decoder.

        An encoder has no causal mask (C28).
        """
        return _but(reads=2)

    def causal_hides_nothing():
        """You let row 2 read everything, although the causal mask was left on.

        With a causal mask, row t reads the inputs 0 to t.
        """
        return _but(causal=13)

    def causal_without_itself():
        """With the causal mask, you count 2 inputs: either without the row's own or without
        <class>.

        With a causal mask, row t reads the inputs 0 to t, both included.
        """
        return _but(causal=2)

    def causal_words_only():
        """With the causal mask, you count one input. There are several up to position 2.

        With a causal mask, row t reads the inputs 0 to t, both included.
        """
        return _but(causal=1)

    def causal_turned_round():
        """With the causal mask, you let row 2 read the inputs to its right.

        A causal mask hides *later* positions: row t reads the inputs 0 to t.
        """
        return _but(causal=11)

    def causal_strictly_to_the_right():
        """With the causal mask, you count the inputs behind row 2, which are those that it hides.

        Row t reads the inputs 0 to t.
        """
        return _but(causal=10)

    def class_may_be_chosen():
        """You let <class> be chosen. It is special: the model would learn nothing from it, since it
        stands at the start of every input.

        Which of the 13 tokens are not special?
        """
        return _but(may=13, expected=1.95)

    def class_counted():
        """You let <class> be chosen. It is special, and never is.

        Which of the 13 tokens are not special?
        """
        return _but(may=13)

    def marks_may_not_be_chosen():
        """You leave out one token too many.

        Which of the 13 tokens are special? The full stop is an ordinary token of the vocabulary.
        """
        return _but(may=11, expected=1.65)

    def one_token_too_few():
        """You leave out one of the tokens that may be chosen.

        Which of the 13 tokens are special? The full stop is an ordinary token of the vocabulary.
        """
        return _but(may=11)

    def two_tokens_too_few():
        """You leave out two of the tokens that may be chosen. A word that stands there twice counts
        twice, and the two that were chosen count as well.

        Which of the 13 tokens are special?
        """
        return _but(may=10)

    def each_word_once():
        """You leave out two tokens too many. A word that stands there twice may be chosen at either
        position, and the two that were chosen count as well.

        How many positions are not special?
        """
        return _but(may=10, expected=1.5)

    def only_the_two():
        """You count the two tokens that *were* chosen. The question asks how many may be chosen.

        Which of the 13 tokens are not special?
        """
        return _but(may=2)

    def expected_with_class():
        """You take 15 % of all 13 inputs. <class> is never chosen.

        Take 15 % of those that may be chosen.
        """
        return _but(expected=1.95)

    def expected_without_the_mark():
        """You take 15 % of 11 tokens.

        How many tokens may be chosen? The full stop is one of them.
        """
        return _but(expected=1.65)

    def expected_whole():
        """You round the mean number of chosen tokens. A mean need not be a whole number.

        Give the product as it is.
        """
        return _but(expected=2)

    def expected_masks():
        """You give the mean number of tokens that become <mask>, 12 %. The question asks how many
        are *chosen*.

        What are 80, 10 and 10 % shares of?
        """
        return _but(expected=1.44)

    def expected_masks_of_the_two():
        """You take 80 % of the two that were chosen here. The question asks how many are chosen *on
        average*.

        With which probability is each of the tokens chosen?
        """
        return _but(expected=1.6)

    def expected_masks_with_class():
        """You take 12 % of all 13 inputs. That is the share that becomes <mask>, and <class> is
        never chosen.

        The question asks how many of the tokens that may be chosen *are*.
        """
        return _but(expected=1.56)

    def expected_share():
        """You give the share of chosen tokens. The question asks for their mean number.

        Multiply by the number of tokens that may be chosen.
        """
        return _but(expected=0.15)

    def loss_summed():
        """You add up the losses. The loss is their mean over the chosen positions.

        Divide by the number of chosen positions.
        """
        return _but(loss=4 * math.log(2))

    def loss_over_all_positions():
        """You divide the losses of the two blanks by all 13 positions.

        The mean runs over the chosen positions alone.
        """
        return _but(loss=4 * math.log(2) / 13)

    def loss_over_ordinary_positions():
        """You divide the losses of the two blanks by the 12 tokens that may be chosen.

        The mean runs over the chosen positions alone.
        """
        return _but(loss=4 * math.log(2) / 12)

    def loss_of_every_position():
        """You take the mean over all 13 positions, with the small losses of those that were not
        chosen.

        The loss counts the chosen positions alone (C28).
        """
        return _but(loss=(4 * math.log(2) + 11 * _OTHERS) / 13)

    def loss_of_every_ordinary_position():
        """You take the mean over all positions but <class>, with the small losses of those that
        were not chosen.

        The loss compares only chosen positions with anything (C28).
        """
        return _but(loss=(math.log(16) + 10 * _OTHERS) / 12)

    def loss_without_its_logarithm():
        """You give a probability: the root of the product of the two.

        The loss is minus its logarithm.
        """
        return _but(loss=0.25)

    def loss_of_the_others():
        """You take the loss of the positions that were not chosen. It is small, because the answer
        stands in their inputs.

        The loss counts the chosen positions alone (C28).
        """
        return _but(loss=_OTHERS)

    def product_of_both():
        """You add up the losses, or take the logarithm of the product. The loss is a mean.

        Divide by the number of chosen positions.
        """
        return _but(loss=2.77)

    def loss_of_swam_rounded():
        """You give the loss of *swam* alone, and rounded.

        Take the mean over both chosen positions.
        """
        return _but(loss=0.693)

    def loss_of_other_rounded():
        """You give the loss of *other* alone, and rounded.

        Take the mean over both chosen positions.
        """
        return _but(loss=2.08)

    def loss_of_the_mean():
        """You take the mean of the two probabilities first, and then the logarithm.

        Take the logarithms first, then their mean.
        """
        return _but(loss=-math.log((1 / 2 + 1 / 8) / 2))

    def loss_of_swam_alone():
        """You give the loss of *swam* alone.

        Take the mean over both chosen positions.
        """
        return _but(loss=math.log(2))

    def loss_of_other_alone():
        """You give the loss of *other* alone.

        Take the mean over both chosen positions.
        """
        return _but(loss=3 * math.log(2))

    def loss_in_bits():
        """You took logarithms to the base 2. The loss is asked for in nats.

        Use the natural logarithm.
        """
        return _but(loss=2.0)

    def loss_in_decades():
        """You took logarithms to the base 10. The loss is asked for in nats.

        Use the natural logarithm.
        """
        return _but(loss=2 * math.log10(2))

    def loss_as_probability():
        """You give the mean of the two probabilities.

        The loss of a position is minus the logarithm of a probability.
        """
        return _but(loss=(1 / 2 + 1 / 8) / 2)

    def product_of_the_probabilities():
        """You give the product of the two probabilities.

        The loss is the mean of minus their logarithms.
        """
        return _but(loss=1 / 16)

    def perplexity():
        """You give the perplexity, the exponential of the loss.

        The question asks for the loss itself.
        """
        return _but(loss=4.0)

    def gradient_everywhere():
        """You let all 13 rows of logits get a gradient. If a row's logits do not stand in the loss,
        their derivative is 0.

        Which rows of logits stand in the loss?
        """
        return _but(gradient=13)

    def gradient_of_the_others():
        """You let the rows of logits get a gradient that do *not* stand in the loss.

        Which rows of logits stand in the loss?
        """
        return _but(gradient=11)

    def gradient_of_words():
        """You let every row of logits but that of <class> get a gradient.

        Which rows of logits stand in the loss?
        """
        return _but(gradient=12)

    def no_gradient():
        """You let no row of logits get a gradient. Then the model would learn nothing.

        Which rows of logits stand in the loss?
        """
        return _but(gradient=0)

    def gradient_in_one_row():
        """You let one row of logits get a gradient.

        There are two blanks. Which rows of logits stand in the loss?
        """
        return _but(gradient=1)


class Right:
    """Right answers, written differently."""

    def from_the_sentence():
        """Counts in the list of tokens."""
        chosen = [_WORDS.index("swam"), _WORDS.index("other")]
        ordinary = [word for word in _WORDS if word != "<class>"]
        return {
            "swam": chosen[0],
            "other": chosen[1],
            "rows": len(_WORDS),
            "labels": len(chosen),
            "reads": len(_WORDS),
            "causal": len(range(chosen[0] + 1)),
            "may": len(ordinary),
            "expected": 0.15 * len(ordinary),
            "loss": -sum(map(math.log, (1 / 2, 1 / 8))) / len(chosen),
            "gradient": len(chosen),
        }

    def as_decimals():
        """The loss as it stands on a calculator."""
        return _but(loss=1.3862943611)

    def as_one_logarithm():
        """The logarithm of 4."""
        return _but(loss=math.log(4))

    def last_first():
        """The names in reverse order."""
        return dict(reversed(list(correct().items())))

    def as_floats():
        """Whole numbers with a point."""
        return {name: float(number) for name, number in correct().items()}


EXERCISE = Exercise(
    id="masked_positions",
    oracle=correct,
    hint="Write the 13 tokens in a row, number them from 0, and circle the two that are hidden. "
    "What does the encoder read, and what does the loss look at?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
