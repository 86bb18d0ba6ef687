"""The exercise ``encoder_block_lines``: which line causes what (B11 to B13; chapter 10)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line, with_every_line

_LINES = {
    "a word's row depends on the padding behind it": "A",
    "the variance is divided by d − 1": "none",
    "a residual connection adds rows that are normalised": "F",
    "the network does not read what attention has found": "G",
    "the network mixes the rows of different tokens": "none",
}

(_PADDING, _UNBIASED, _RESIDUAL, _READS, _MIXES) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the cell above shows two faults.

        Which rows does each line read?
        """
        return dict.fromkeys(_LINES, "none")

    def padding_from_the_variance():
        """You blame the variance for rows that depend on padding. It is taken along the last
        dimension, within one row.

        Which other statistic does the norm use, and along which dimension is it taken?
        """
        return {_PADDING: "B"}

    def padding_from_the_quotient():
        """You blame the quotient for rows that depend on padding. It works number by number, with
        what A and B have computed.

        Along which dimensions do these two lines run?
        """
        return {_PADDING: "C"}

    def padding_from_the_first_norm():
        """You blame the first use of the norm for rows that depend on padding. It passes the right
        arguments.

        The fault is inside `normalised`. Along which dimensions do its lines run?
        """
        return {_PADDING: "D"}

    def padding_from_attention():
        """You blame attention for rows that depend on padding. It gets the mask `real`, and gives
        padding no weight.

        Which other line reads more than one row at a time?
        """
        return {_PADDING: "E"}

    def padding_from_the_second_norm():
        """You blame the second use of the norm for rows that depend on padding. It is called as the
        first is.

        The fault is inside `normalised`. Along which dimensions do its lines run?
        """
        return {_PADDING: "G"}

    def padding_from_the_network():
        """You blame the network for rows that depend on padding. Its weights multiply from the
        right, so each row stays by itself.

        Which line reads more than one row at a time, besides attention?
        """
        return {_PADDING: "H"}

    def padding_from_the_first_sum():
        """You blame the first sum for rows that depend on padding. It adds row to row.

        Which line besides attention reads more than one row at a time?
        """
        return {_PADDING: "F"}

    def padding_is_harmless():
        """You say that no row depends on the padding behind it. The cell above appends padding, and
        the rows of the words change.

        Attention is masked. Which other line reads more than one row at a time?
        """
        return {_PADDING: "none"}

    def unbiased_in_the_variance():
        """You say that the variance is divided by d − 1. Look at the argument `correction`.

        `correction=1`, which torch takes by itself, divides by d − 1.
        """
        return {_UNBIASED: "B"}

    def unbiased_in_the_quotient():
        """You say that the variance is divided by d − 1, in the quotient.

        By what is `variance` divided, and where is it computed?
        """
        return {_UNBIASED: "C"}

    def residual_from_attention():
        """You blame the line of attention for the residual connection. It adds nothing.

        In which line is the first sum?
        """
        return {_RESIDUAL: "E"}

    def residual_from_the_norm():
        """You blame the first use of the norm for the residual connection. In pre-norm, attention
        should read normalised rows.

        In which line is the first sum, and which rows does it add?
        """
        return {_RESIDUAL: "D"}

    def residual_from_the_quotient():
        """You blame the norm itself for the residual connection. It normalises, and adds nothing
        but its bias.

        In which lines are the two sums, and which rows do they add?
        """
        return {_RESIDUAL: "C"}

    def residual_from_the_second_norm():
        """You blame the second use of the norm for the residual connection. No sum adds what it
        returns.

        In which lines are the two sums, and which rows do they add?
        """
        return {_RESIDUAL: "G"}

    def residual_from_the_second_sum():
        """You blame the second sum. It adds the rows after attention, as it should.

        There is another residual connection. Which rows does it add?
        """
        return {_RESIDUAL: "I"}

    def residual_is_right():
        """You say that both residual connections are right. The cell above makes x ten times as
        large, and the output hardly grows.

        Which rows does each of the two sums add?
        """
        return {_RESIDUAL: "none"}

    def reads_from_the_network():
        """You blame the first layer of the network. It reads z, the normalised rows.

        What was normalised to give this z?
        """
        return {_READS: "H"}

    def reads_from_the_second_sum():
        """You blame the second sum for what the network reads. It only adds the output of the
        network.

        What was normalised before the network?
        """
        return {_READS: "I"}

    def reads_from_the_first_sum():
        """You blame the first sum for what the network reads. Attention's output is in it.

        Does the network read this sum?
        """
        return {_READS: "F"}

    def reads_from_the_first_norm():
        """You blame the first use of the norm for what the network reads. Its rows go into
        attention.

        Which line normalises rows for the network?
        """
        return {_READS: "D"}

    def reads_from_attention():
        """You blame attention for what the network reads. Its output is in y.

        Does the network read y?
        """
        return {_READS: "E"}

    def reads_what_it_should():
        """You say that the network reads what attention has found. Attention's output is in y.

        What is normalised in the line before the network?
        """
        return {_READS: "none"}

    def mixes_in_the_first_layer():
        """You say that the first layer of the network mixes tokens. W_1 multiplies from the right.

        Which rows of z go into row 2 of z W_1?
        """
        return {_MIXES: "H"}

    def mixes_in_the_second_layer():
        """You say that the second layer of the network mixes tokens. W_2 multiplies from the right.

        Which rows go into row 2 of a product, if the weight stands on the right?
        """
        return {_MIXES: "I"}

    def mixes_in_the_norm():
        """You blame the norm. The question is about the network itself.

        From which side do W_1 and W_2 multiply?
        """
        return {_MIXES: "A"}

    def mixes_in_attention():
        """You blame attention. It does mix tokens, as it should. The question is about the network.

        From which side do W_1 and W_2 multiply?
        """
        return {_MIXES: "E"}


_DOES = {
    "A": "takes a mean of the numbers in x",
    "B": "takes the variance of the numbers in x",
    "C": "subtracts, divides, multiplies and adds, number by number",
    "D": "calls the norm for attention",
    "E": "calls attention",
    "F": "adds what attention returns",
    "G": "calls the norm for the network",
    "H": "is the first layer of the network",
    "I": "is the second layer of the network and the second sum",
}
_ABOUT = {
    _PADDING: ("padding", "Which line besides attention reads more than one row at a time?"),
    _UNBIASED: ("the variance", "Which line computes the variance, and with which `correction`?"),
    _RESIDUAL: (
        "the residual connection",
        "In which lines are the two sums, and which rows do they add?",
    ),
    _READS: ("what the network reads", "Which rows were normalised to give the network's z?"),
    _MIXES: ("mixing in the network", "From which side do W_1 and W_2 multiply?"),
}


EXERCISE = which_line(
    "encoder_block_lines",
    _LINES,
    with_every_line(Wrong, _LINES, _DOES, _ABOUT),
    hint="For each line, ask which rows it reads. A norm reads one row, attention all words of a "
    "sentence, the network one row, a residual connection the rows before the norm.",
)
