"""The exercise ``decoder_mask_lines``: which line of the mask causes what (A11, C09, C10)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

_LINES = {
    "padding is hidden as a query, and not as a key": "F",
    "the ids that are padding count as real": "none",
    "a query and a key need to pass only one of the masks": "G",
    "the causal mask hides a token from itself": "D",
    "column j of the causal mask belongs to query j": "none",
}


def correct():
    """For each fault the line in which it goes wrong."""
    return dict(_LINES)


def _but(changes):
    """The right answer with some lines exchanged for others."""
    return {**_LINES, **changes}


(_PADDING, _REAL, _ONE, _ITSELF, _COLUMN) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary whose keys are the faults.

        Put a letter or "none" after each of them.
        """
        return list(_LINES.values())

    def all_none():
        """You blame no line for anything, but the printed masks are wrong.

        May query 1 of sentence 1 see the last key? Does it?
        """
        return dict.fromkeys(_LINES, "none")

    def small_letters():
        """You wrote small letters. The lines are marked with capitals.

        Write each letter as it stands in the code.
        """
        return {key: letter.lower() for key, letter in _LINES.items()}

    def padding_from_the_comparison():
        """You blame the comparison with `pad` for padding that is hidden as a query. It only says
        which ids are words.

        Which line decides whether these ids lie along the queries or along the keys?
        """
        return _but({_PADDING: "E"})

    def padding_from_the_combination():
        """You blame the combination of the masks for padding that is hidden as a query. The padding
        mask alone already does this.

        Print it. Do its rows change, or its columns?
        """
        return _but({_PADDING: "G"})

    def padding_is_right():
        """You say that padding is hidden as a key. Look at sentence 2 of the printed masks: its
        last two columns are padding.

        The last dimension of a mask is that of the keys. What is its size in `not_padding`?
        """
        return _but({_PADDING: "none"})

    def itself_from_the_queries():
        """You blame the positions of the queries for a token that is hidden from itself. They are
        numbered as the keys are.

        What does the comparison give for equal positions?
        """
        return _but({_ITSELF: "B"})

    def itself_from_the_keys():
        """You blame the positions of the keys for a token that is hidden from itself. They are
        numbered as the queries are.

        What does the comparison give for equal positions?
        """
        return _but({_ITSELF: "C"})

    def itself_from_the_combination():
        """You blame the combination of the masks for a token that is hidden from itself. The causal
        mask alone already does this.

        Print the causal mask. What stands on its diagonal?
        """
        return _but({_ITSELF: "G"})

    def itself_is_right():
        """You say that the causal mask shows a token to itself. The first query would then see one
        key in it.

        Print the causal mask. What stands on its diagonal?
        """
        return _but({_ITSELF: "none"})

    def one_from_the_causal_mask():
        """You blame the causal mask for pairs that need to pass only one mask. It knows nothing of
        the other mask.

        Where do the two masks meet?
        """
        return _but({_ONE: "D"})

    def one_is_enough():
        """You say that one mask may let a pair through. Then a word in the future is seen, since it
        is not padding.

        Where do the two masks meet?
        """
        return _but({_ONE: "none"})

    def counts_padding_as_real():
        """You say that padding counts as real. The comparison is True where an id is not that of
        padding.

        Print it for the second sentence.
        """
        return _but({_REAL: "E"})

    def columns_are_queries():
        """You say that a column of the causal mask belongs to a query. A tensor of the shape
        (1, n) changes along its columns.

        Which of the two has this shape, keys or queries?
        """
        return _but({_COLUMN: "C"})


class Right:
    """Right answers, written differently."""

    def written_down():
        """Written down in order."""
        return {_PADDING: "F", _REAL: "none", _ONE: "G", _ITSELF: "D", _COLUMN: "none"}

    def in_another_order():
        """The faults in another order."""
        return dict(sorted(_LINES.items()))

    def from_what_is_wrong():
        """The lines that are wrong named, the others "none"."""
        wrong = {_ITSELF: "D", _PADDING: "F", _ONE: "G"}
        return {key: wrong.get(key, "none") for key in _LINES}


EXERCISE = Exercise(
    id="decoder_mask_lines",
    oracle=correct,
    hint="Print what each line makes for the two sentences. What stands on the diagonal, along "
    "which dimension do the ids lie, and where do the two masks meet?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
