"""The exercise ``worked_lines``: which line of a decoder does what (B15, B18; chapter 11)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line, with_every_line

_LINES = {
    "a position has to predict the very token that it reads": "B",
    "a position sees a later token": "none",
    "the rows that leave cross-attention's residual connection are not normalised": "E",
    "the padding of the source gets a weight": "none",
    "the probabilities of one position do not sum to 1": "H",
    "the loss is too small by a quarter": "J",
}

(_COPIES, _LATER, _NORM, _PADDING, _SUM, _LOSS) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the loss is not that of document B's probabilities.

        Compute by hand what the cell prints: what does a row of P sum to?
        """
        return dict.fromkeys(_LINES, "none")

    def copies_from_the_input():
        """You blame the embedding for positions that predict what they read. It takes all tokens
        but the last, as it should.

        Which line says what a position has to predict?
        """
        return {_COPIES: "A"}

    def copies_in_the_loss():
        """You blame the line of the losses for positions that predict what they read. It takes the
        probability of each label, whatever the labels are.

        Where do the labels come from?
        """
        return {_COPIES: "I"}

    def copies_from_the_mask():
        """You blame the decoder's self-attention for positions that predict what they read. A
        position may always see its own token.

        Which line says what a position has to predict?
        """
        return {_COPIES: "C"}

    def copies_is_right():
        """You say that no position has to predict the token that it reads. Write both rows beside
        each other, for B's sentence.

        What does position 0 read, and what is its label?
        """
        return {_COPIES: "none"}

    def later_by_the_mask():
        """You blame the decoder's self-attention: it sees no later tokens. `tril` keeps the
        diagonal and everything on its left.

        Rows are queries. What may row 0 see?
        """
        return {_LATER: "C"}

    def later_by_the_cross_attention():
        """You blame cross-attention for later tokens. Its keys are English, and the whole English
        sentence is known.

        Which tokens stand in the columns of its scores?
        """
        return {_LATER: "D"}

    def later_by_the_labels():
        """You blame the labels for later tokens. What a position must predict, it does not see.

        In which lines do positions look at others?
        """
        return {_LATER: "B"}

    def later_by_the_softmax():
        """You blame the last softmax for later tokens. It is wrong, but it has nothing to do with
        what the decoder reads.

        In which lines do positions look at others, before the logits?
        """
        return {_LATER: "H"}

    def norm_in_the_first():
        """You blame the first residual connection. Its sum goes through the norm as a whole.

        Compare the three lines that have a norm: where does the bracket open?
        """
        return {_NORM: "C"}

    def norm_in_the_last():
        """You blame the last residual connection. Its sum goes through the norm as a whole.

        Compare the three lines that have a norm: where does the bracket open?
        """
        return {_NORM: "F"}

    def norm_in_the_attention():
        """You blame the line of cross-attention. It has no residual connection in it.

        In which line is its output added?
        """
        return {_NORM: "D"}

    def norm_is_right():
        """You say that all sums are normalised. Post-norm is LayerNorm(X + A) (B11).

        Compare the three lines that have a norm: where does the bracket open?
        """
        return {_NORM: "none"}

    def padding_in_cross_attention():
        """You blame cross-attention for the padding. The mask is given to it, one row for all
        queries.

        What does `attend` do where `allowed` is False?
        """
        return {_PADDING: "D"}

    def padding_in_self_attention():
        """You blame the decoder's self-attention for the source's padding. Its keys are French.

        Which line looks at the source?
        """
        return {_PADDING: "C"}

    def padding_in_the_loss():
        """You blame the loss for the padding of the source. Weights belong to attention.

        Which line looks at the source, and what does it do with the mask?
        """
        return {_PADDING: "J"}

    def sum_from_the_logits():
        """You blame the logits. They need not sum to anything.

        Which line makes probabilities of them, and along which dimension?
        """
        return {_SUM: "G"}

    def sum_from_the_losses():
        """You blame the losses for the probabilities' sums. They are computed afterwards.

        Which line makes probabilities, and along which dimension?
        """
        return {_SUM: "I"}

    def sum_from_the_choice():
        """You blame the choice of tokens for the probabilities' sums. It only reads them.

        Which line makes probabilities, and along which dimension?
        """
        return {_SUM: "K"}

    def sum_is_right():
        """You say that the probabilities of each position sum to 1. Something else does.

        P has a row for each position. Along which dimension does the softmax run?
        """
        return {_SUM: "none"}

    def loss_by_the_labels():
        """You blame the labels for a loss that is too small by a quarter. Wrong labels change the
        losses of the positions, and not by a fixed share.

        What is the loss of a sentence divided by?
        """
        return {_LOSS: "B"}

    def loss_by_the_losses():
        """You blame the line of the losses. It takes −log of one entry for each position.

        What happens to the losses of the positions afterwards?
        """
        return {_LOSS: "I"}

    def loss_by_the_softmax():
        """You blame the softmax for a loss that is too small by a quarter. It spoils the
        probabilities, but one line makes the loss too small by a quarter whatever they are.

        How many positions are there, and what is the sum divided by?
        """
        return {_LOSS: "H"}

    def loss_is_right():
        """You say that the loss is as large as it should be. How many tokens are predicted, and by
        which number is the sum divided?

        B's table has eight rows. For how many of them is there a label?
        """
        return {_LOSS: "none"}

    def padding_in_the_sum():
        """You blame the line of the residual connection for the padding. Its norm is wrong, but it
        looks at no token of the source.

        Which line looks at the source, and what does it do with the mask?
        """
        return {_PADDING: "E"}

    def padding_in_the_embedding():
        """You blame the embedding for the padding of the source. It reads French tokens.

        Which line looks at the source, and what does it do with the mask?
        """
        return {_PADDING: "A"}

    def padding_in_the_softmax():
        """You blame the last softmax for the padding. It runs over French tokens or positions.

        Which line looks at the source, and what does it do with the mask?
        """
        return {_PADDING: "H"}

    def later_by_the_embedding():
        """You blame the embedding for later tokens. Each of its rows belongs to one position.

        In which lines do positions look at others?
        """
        return {_LATER: "A"}

    def later_by_the_network():
        """You blame the network for later tokens. It treats each row separately.

        In which lines do positions look at others?
        """
        return {_LATER: "F"}

    def copies_by_the_choice():
        """You blame the choice of tokens for positions that predict what they read. It comes after
        the loss.

        Which line says what a position has to predict?
        """
        return {_COPIES: "K"}

    def copies_by_the_softmax():
        """You blame the softmax for positions that predict what they read. It does not know the
        labels.

        Which line says what a position has to predict?
        """
        return {_COPIES: "H"}

    def copies_in_the_mean():
        """You blame the mean of the losses for positions that predict what they read.

        Which line says what a position has to predict?
        """
        return {_COPIES: "J"}

    def norm_in_the_output():
        """You blame the output layer. It gets rows that have been normalised last.

        Compare the three lines that have a norm: where does the bracket open?
        """
        return {_NORM: "G"}

    def sum_in_the_mean():
        """You blame the mean of the losses for the probabilities' sums.

        Which line makes probabilities, and along which dimension?
        """
        return {_SUM: "J"}

    def sum_in_the_cross_attention():
        """You blame cross-attention. Its weights are not the probabilities of tokens, and each row
        of them sums to 1.

        Which line makes the probabilities of tokens, and along which dimension?
        """
        return {_SUM: "D"}

    def loss_by_the_choice():
        """You blame the choice of tokens for the loss. It comes after the loss.

        How many positions are there, and what is the sum divided by?
        """
        return {_LOSS: "K"}

    def loss_by_the_norm():
        """You blame a norm for a loss that is too small by a quarter. It changes the logits, and
        not the loss by a fixed share.

        How many positions are there, and what is the sum divided by?
        """
        return {_LOSS: "E"}

    def loss_by_the_embedding():
        """You blame the number of rows that are read. The decoder reads `<BOS>` and five words, as
        it should.

        How many positions are there, and what is the sum divided by?
        """
        return {_LOSS: "A"}

    def with_the_comment_sign():
        """You wrote # in front of the letters. It only begins the comment.

        Write the letter alone, in quotes.
        """
        return {symptom: f"# {line}" for symptom, line in _LINES.items() if line != "none"}


_DOES = {
    "A": "makes the rows that the decoder reads",
    "B": "chooses the labels",
    "C": "is the decoder's self-attention, with its residual connection and its norm",
    "D": "is cross-attention, without its residual connection",
    "E": "is the residual connection of cross-attention, with its norm",
    "F": "is the network, with its residual connection and its norm",
    "G": "makes the logits from normalised rows",
    "H": "makes the probabilities",
    "I": "takes −log of one probability for each position",
    "J": "makes one number of the losses",
    "K": "returns the result, and chooses the tokens",
}
_ABOUT = {
    _COPIES: ("a position's label", "Which line says what a position has to predict?"),
    _LATER: ("a later token", "Which lines let a position read others, and which others?"),
    _NORM: ("the norm after cross-attention", "Compare the three lines that have a norm."),
    _PADDING: ("the source's padding", "Which line reads the English rows, and with which mask?"),
    _SUM: ("the sum of the probabilities", "Which line makes them, and along which dimension?"),
    _LOSS: ("the loss", "How many positions are there, and what is the sum divided by?"),
}


EXERCISE = which_line(
    "worked_lines",
    _LINES,
    with_every_line(Wrong, _LINES, _DOES, _ABOUT),
    hint="Write the row that is read above the row of labels. Compare the brackets of the three "
    "norms. Which dimension of P is that of the tokens? And how many positions have a label?",
)
