"""The exercise ``sampler_lines``: why a sampler draws the wrong tokens (C20 to C23; chapter 19)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from mtcourse.checks.exercise import functions_of
from mtcourse.checks.which_line import which_line, with_every_line

_LINES = {
    "a temperature of 1 changes the distribution": "A",
    "the temperature comes after top-k": "none",
    "tokens that top-k excludes can be drawn": "B",
    "top-k keeps one token too few": "none",
    "the token that crosses p cannot be drawn": "E",
    "the decisions of top-p are about the wrong tokens": "F",
    "what is drawn in one row depends on the other rows": "none",
    "the same token is drawn each time": "none",
}
(_COLD, _ORDER, _EXCLUDED, _FEW, _CROSSING, _PLACES, _ROWS, _SAME) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the cell above shows four symptoms.

        Follow two rows of three logits through the lines.
        """
        return dict.fromkeys(_LINES, "none")

    def one_changes_nothing():
        """You say that a temperature of 1 changes nothing. The cell shows that it does.

        What does line A divide: logits or probabilities? How many softmaxes follow each other?
        """
        return {_COLD: "none"}

    def one_from_the_last_softmax():
        """You blame the last softmax for what happens at T = 1. It makes probabilities of whatever
        it is given.

        What does line A give to it?
        """
        return {_COLD: "H"}

    def order_from_top_k():
        """You say that the temperature comes after top-k. Lines run from top to bottom.

        Which of A and B runs first?
        """
        return {_ORDER: "B"}

    def excluded_stay_out():
        """You say that no excluded token can be drawn. The cell draws one.

        Which probability does a logit of 0 have?
        """
        return {_EXCLUDED: "none"}

    def excluded_by_the_mask():
        """You blame line G for tokens that top-k excludes. It sets logits to minus infinity, which
        is right.

        What does line B set them to?
        """
        return {_EXCLUDED: "G"}

    def too_few_by_the_comparison():
        """You say that top-k keeps one token too few. Those *below* the k-th largest go, and the
        k-th itself stays.

        Is a number smaller than itself?
        """
        return {_FEW: "B"}

    def crossing_can_be_drawn():
        """You say that the token that crosses p can be drawn. The cell counts how many tokens stay.

        Does the sum in line E include the token itself?
        """
        return {_CROSSING: "none"}

    def crossing_from_the_softmax():
        """You blame the softmax in line D for the crossing token. It makes probabilities that are
        right.

        With what is p compared?
        """
        return {_CROSSING: "D"}

    def places_are_right():
        """You say that the decisions are about the right tokens. The cell draws from a row in
        another order.

        What would undo a sorting: `gather` or `scatter`?
        """
        return {_PLACES: "none"}

    def places_from_the_sorting():
        """You say that the decisions are about the wrong tokens because of the sorting. It keeps
        the order, so that it can be undone.

        Which line should undo it?
        """
        return {_PLACES: "C"}

    def places_from_the_mask():
        """You blame the line that excludes. It excludes what it is told to.

        Which line says for each *token* whether it stays?
        """
        return {_PLACES: "G"}

    def rows_from_the_softmax():
        """You say that rows get mixed in the last softmax. It runs over the last dimension, where
        the tokens of one row lie.

        Which dimension has the rows?
        """
        return {_ROWS: "H"}

    def rows_from_the_sorting():
        """You say that rows get mixed in line C. `sort` sorts along the last dimension.

        Which dimension has the rows?
        """
        return {_ROWS: "C"}

    def same_by_the_generator():
        """You say that the same token is drawn each time because of the generator. It goes on with
        each call.

        Is a new generator made in the function?
        """
        return {_SAME: "I"}


_DOES = {
    "A": "brings in the temperature",
    "B": "excludes all but the k largest",
    "C": "sorts each row and keeps the order",
    "D": "makes probabilities of the sorted logits",
    "E": "decides which of the sorted tokens stay",
    "F": "puts the decisions back to their tokens",
    "G": "excludes what does not stay",
    "H": "makes probabilities for the draw",
    "I": "draws",
}
_ASKS = {
    _COLD: (f'"{_COLD}"', "What is divided by T, and what should be?"),
    _ORDER: (f'"{_ORDER}"', "Which of the two lines runs first?"),
    _EXCLUDED: (f'"{_EXCLUDED}"', "Which logit has the probability 0?"),
    _FEW: (f'"{_FEW}"', "Does the k-th largest logit stay?"),
    _CROSSING: (f'"{_CROSSING}"', "Is p compared with the sum before a token or with it?"),
    _PLACES: (f'"{_PLACES}"', "Which function undoes a sorting?"),
    _ROWS: (f'"{_ROWS}"', "Does any line run over the dimension of the rows?"),
    _SAME: (f'"{_SAME}"', "What happens to the generator from call to call?"),
}


class Right:
    """Right answers, written differently."""

    def four_letters_among_none():
        """Begins with "none" for all, and puts in four letters."""
        found = dict.fromkeys(_LINES, "none")
        found.update({_COLD: "A", _EXCLUDED: "B", _CROSSING: "E", _PLACES: "F"})
        return found

    def line_by_line():
        """Goes through the lines, and asks which symptom each causes."""
        causes = {"A": _COLD, "B": _EXCLUDED, "E": _CROSSING, "F": _PLACES}
        by_symptom = {symptom: line for line, symptom in causes.items()}
        return OrderedDict((symptom, by_symptom.get(symptom, "none")) for symptom in _LINES)


_QUESTION = which_line(
    "sampler_lines",
    _LINES,
    with_every_line(Wrong, _LINES, _DOES, _ASKS),
    hint="Follow two rows of three logits through the lines. Ask of each line: logits or "
    "probabilities? With the token itself, or before it? Whose place is it?",
)
EXERCISE = replace(_QUESTION, right=(*_QUESTION.right, *functions_of(Right)))
