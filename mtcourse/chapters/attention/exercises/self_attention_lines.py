"""The exercise ``self_attention_lines``: which line causes what (D02, A06, B07)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "the weights of a query do not sum to 1": "F",
    "queries and keys are made from the same rows": "none",
    "doubling W_V does not change the output": "C",
    "more columns of zeros in X change the output": "E",
    "row i of the scores belongs to key i": "none",
}

(_SUM, _ROWS, _DOUBLED, _ZEROS, _KEYS) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the three tests below the code show three symptoms.

        Compare the code with the equation, one symbol after the other.
        """
        return dict.fromkeys(_LINES, "none")

    def sum_from_the_scores():
        """You blame a line that makes scores for the sum of the weights. A softmax sums to 1
        whatever the scores are.

        Over what do the weights sum to 1: over the keys, or over the queries?
        """
        return {_SUM: "E"}

    def sum_from_the_mean():
        """You blame the weighted mean for the sum of the weights. It takes the weights as they are.

        Over what do the weights sum to 1: over the keys, or over the queries?
        """
        return {_SUM: "G"}

    def sum_is_1():
        """You say that the weights of a query sum to 1. Print `weights.sum(-1)` in the function.

        What does `dim=-2` mean for a matrix with a row for each query?
        """
        return {_SUM: "none"}

    def doubled_from_the_mean():
        """W_V has no effect, and you blame the weighted mean. But that line takes the values that
        it gets.

        Which line should hold W_V?
        """
        return {_DOUBLED: "G"}

    def doubling_is_seen():
        """You say that doubling W_V changes the output. Search the code for its name.

        Which line should hold W_V?
        """
        return {_DOUBLED: "none"}

    def doubled_from_the_keys():
        """W_V has no effect, and you blame the line of the keys. But keys have nothing to do with
        W_V.

        Which line should hold W_V?
        """
        return {_DOUBLED: "B"}

    def zeros_from_the_products():
        """You blame the products of queries and keys for the columns of zeros. A zero times a
        weight adds nothing to a product.

        Which line depends on how wide X is, even if the columns hold only zeros?
        """
        return {_ZEROS: "D"}

    def zeros_from_the_queries():
        """You blame the queries for the columns of zeros. A zero times a weight adds nothing to a
        query.

        Which line depends on how wide X is, even if the columns hold only zeros?
        """
        return {_ZEROS: "A"}

    def zeros_do_nothing():
        """You say that columns of zeros change nothing. The third test shows that they do.

        Which line depends on how wide X is, even if the columns hold only zeros?
        """
        return {_ZEROS: "none"}

    def keys_from_elsewhere():
        """You say that queries and keys must come from different rows. A sentence attends to itself
        here.

        How many sentences does the equation name?
        """
        return {_ROWS: "B"}

    def queries_from_elsewhere():
        """You say that queries must come from rows of their own. A sentence attends to itself here.

        How many sentences does the equation name?
        """
        return {_ROWS: "A"}

    def transposed():
        """You say that row i of the scores belongs to key i. Row i of a matrix product is made
        from row i of the left factor.

        Which factor stands on the left in line D?
        """
        return {_KEYS: "D"}


EXERCISE = which_line(
    "self_attention_lines",
    _LINES,
    Wrong,
    hint="Compare each line with the part of the equation that it computes. Which matrix is used "
    "where, which width is under the root, and over what does the softmax sum to 1?",
)
