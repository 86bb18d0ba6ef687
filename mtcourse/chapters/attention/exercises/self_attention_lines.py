"""The exercise ``self_attention_lines``: which line causes what (D02, A06, B07)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

_LINES = {
    "the weights of a query do not sum to 1": "F",
    "queries and keys are made from the same rows": "none",
    "doubling W_V does not change the output": "C",
    "more columns of zeros in X change the output": "E",
    "row i of the scores belongs to key i": "none",
}


def correct():
    """For each symptom the line in which it goes wrong."""
    return dict(_LINES)


def _but(changes):
    """The right answer with some lines exchanged for others."""
    return {**_LINES, **changes}


(_SUM, _ROWS, _DOUBLED, _ZEROS, _KEYS) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary whose keys are the symptoms.

        Put a letter or "none" after each of them.
        """
        return list(_LINES.values())

    def all_none():
        """You blame no line for anything, but the three tests below the code show three symptoms.

        Compare the code with the equation, one symbol after the other.
        """
        return dict.fromkeys(_LINES, "none")

    def small_letters():
        """You wrote small letters. The lines are marked with capitals.

        Write each letter as it stands in the code.
        """
        return {key: letter.lower() for key, letter in _LINES.items()}

    def sum_from_the_scores():
        """You blame a line that makes scores for the sum of the weights. A softmax sums to 1
        whatever the scores are.

        Over what do the weights sum to 1: over the keys, or over the queries?
        """
        return _but({_SUM: "E"})

    def sum_from_the_mean():
        """You blame the weighted mean for the sum of the weights. It takes the weights as they are.

        Over what do the weights sum to 1: over the keys, or over the queries?
        """
        return _but({_SUM: "G"})

    def sum_is_1():
        """You say that the weights of a query sum to 1. Print `weights.sum(-1)` in the function.

        What does `dim=-2` mean for a matrix with a row for each query?
        """
        return _but({_SUM: "none"})

    def doubled_from_the_mean():
        """W_V has no effect, and you blame the weighted mean. But that line takes the values that
        it gets.

        Which line should hold W_V?
        """
        return _but({_DOUBLED: "G"})

    def doubling_is_seen():
        """You say that doubling W_V changes the output. Search the code for its name.

        Which line should hold W_V?
        """
        return _but({_DOUBLED: "none"})

    def doubled_from_the_keys():
        """W_V has no effect, and you blame the line of the keys. But keys have nothing to do with
        W_V.

        Which line should hold W_V?
        """
        return _but({_DOUBLED: "B"})

    def zeros_from_the_products():
        """You blame the products of queries and keys for the columns of zeros. A zero times a
        weight adds nothing to a product.

        Which line depends on how wide X is, even if the columns hold only zeros?
        """
        return _but({_ZEROS: "D"})

    def zeros_from_the_queries():
        """You blame the queries for the columns of zeros. A zero times a weight adds nothing to a
        query.

        Which line depends on how wide X is, even if the columns hold only zeros?
        """
        return _but({_ZEROS: "A"})

    def zeros_do_nothing():
        """You say that columns of zeros change nothing. The third test shows that they do.

        Which line depends on how wide X is, even if the columns hold only zeros?
        """
        return _but({_ZEROS: "none"})

    def keys_from_elsewhere():
        """You say that queries and keys must come from different rows. A sentence attends to itself
        here.

        How many sentences does the equation name?
        """
        return _but({_ROWS: "B"})

    def queries_from_elsewhere():
        """You say that queries must come from rows of their own. A sentence attends to itself here.

        How many sentences does the equation name?
        """
        return _but({_ROWS: "A"})

    def transposed():
        """You say that row i of the scores belongs to key i. Row i of a matrix product is made
        from row i of the left factor.

        Which factor stands on the left in line D?
        """
        return _but({_KEYS: "D"})


class Right:
    """Right answers, written differently."""

    def written_down():
        """Written down in order."""
        return {_SUM: "F", _ROWS: "none", _DOUBLED: "C", _ZEROS: "E", _KEYS: "none"}

    def in_another_order():
        """The symptoms in another order."""
        return dict(sorted(_LINES.items()))

    def from_what_is_wrong():
        """The lines that are wrong named, the others "none"."""
        wrong = {_DOUBLED: "C", _ZEROS: "E", _SUM: "F"}
        return {key: wrong.get(key, "none") for key in _LINES}


EXERCISE = Exercise(
    id="self_attention_lines",
    oracle=correct,
    hint="Compare each line with the part of the equation that it computes. Which matrix is used "
    "where, which width is under the root, and over what does the softmax sum to 1?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
