"""The exercise ``as_printed``: what holds of document A's model (A13, A18, A20, C08, D06)."""

from __future__ import annotations

from mtcourse.checks.exercise import functions_of, Exercise

_TRUE = {
    "row j has read word j": True,
    "row j has read word j + 1": False,
    "output j is p(word j | earlier words, source)": False,
    "exchanging two source words changes the output": True,
    "exchanging two earlier target words changes output j": False,
    "padding of the source is hidden": False,
    "the network mixes the rows of a sentence": False,
    "the decoder attends twice": True,
    "a low loss shows that it translates": False,
}


def correct():
    """Nine statements, each compared with the equations."""
    return dict(_TRUE)


def _but(*keys):
    """The right answer with some statements judged the other way."""
    return {key: value != (key in keys) for key, value in _TRUE.items()}


(_OWN, _LATER, _A20, _SOURCE, _TARGET, _PADDING, _MIXES, _TWICE, _LOSS) = _TRUE


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary whose keys are the statements.

        Put True or False behind each of them.
        """
        return list(_TRUE.values())

    def all_true():
        """You marked every statement True.

        Some of them contradict each other. Which two?
        """
        return dict.fromkeys(_TRUE, True)

    def all_false():
        """You marked every statement False. But does the decoder not attend twice?

        Count the equations with a softmax over scores in section 3 of document A.
        """
        return dict.fromkeys(_TRUE, False)

    def believes_the_promise():
        """You say that row j has read word j, and also that it uses the earlier words alone.

        Both cannot hold. A13 says what goes in, A20 what should come out.
        """
        return _but(_A20)

    def mask_hides_the_word():
        """You say that the mask hides word j from row j, so that the promise of A20 is kept.

        Look at the diagonal of A11: what stands there?
        """
        return _but(_OWN, _A20)

    def mask_hides_the_word_but():
        """You say that the mask hides word j from row j.

        Look at the diagonal of A11: what stands there?
        """
        return _but(_OWN)

    def no_mask():
        """You say that row j has read later words. The causal mask hides them.

        What does A11 put above the diagonal?
        """
        return _but(_LATER)

    def source_is_a_bag():
        """You say that the order of the source does not matter. Positions are added there (A05).

        On which side are positions missing?
        """
        return _but(_SOURCE)

    def target_has_positions():
        """You say that the order of earlier target words matters. No positions are added there
        (A10).

        What could tell the decoder where a word stands?
        """
        return _but(_TARGET)

    def positions_exchanged():
        """You swapped the two sides. Document A adds positions to the source, not to the target.

        Compare A05 with A10.
        """
        return _but(_SOURCE, _TARGET)

    def hides_padding():
        """You say that padding of the source is hidden. Document A has one mask, the causal one.

        Is there an M in A07 or A16?
        """
        return _but(_PADDING)

    def network_mixes():
        """You say that the network mixes rows. It multiplies from the right, row by row.

        Which rows of A go into row 2 of A W₁?
        """
        return _but(_MIXES)

    def attends_once():
        """You say that the decoder does not attend twice.

        It attends to the target, which gives A_D, and to the source, which gives A_C.
        """
        return _but(_TWICE)

    def trusts_the_loss():
        """You take the low loss as proof. The printed model's loss is the lowest, and it writes
        babble.

        What is the loss of a model that may look at the answer?
        """
        return _but(_LOSS)

    def trusts_the_document():
        """You believe the promise (A20) and the low loss.

        First run the experiment of this notebook: what does the printed model write?
        """
        return _but(_A20, _LOSS)


class Right:
    """Right answers, written differently."""

    def written_down():
        """Written down in order."""
        return {_OWN: True, _LATER: False, _A20: False, _SOURCE: True, _TARGET: False,
                _PADDING: False, _MIXES: False, _TWICE: True, _LOSS: False}  # fmt: skip

    def as_numbers():
        """With 1 and 0."""
        return {key: int(value) for key, value in _TRUE.items()}

    def in_another_order():
        """The statements in another order."""
        return dict(sorted(_TRUE.items()))

    def from_what_is_true():
        """The true ones named, the others False."""
        return {key: key in (_OWN, _SOURCE, _TWICE) for key in _TRUE}


EXERCISE = Exercise(
    id="as_printed",
    oracle=correct,
    hint="Compare each statement with its equation: what goes into row j (A13, A11), to which side "
    "positions are added (A05, A10), which masks there are (A07, A14, A16).",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
