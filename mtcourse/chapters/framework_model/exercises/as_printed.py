"""The exercise ``as_printed``: what holds of document A's model (A13, A18, A20, C08, D06)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

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

        Put True or False after each of them.
        """
        return list(_TRUE.values())

    def all_true():
        """You marked every statement True.

        Some of them contradict each other. Which two?
        """
        return dict.fromkeys(_TRUE, True)

    def all_false():
        """You marked every statement False. But does the decoder not attend twice?

        In the chapter's figure of the model, how many of the decoder's boxes say attention?
        """
        return dict.fromkeys(_TRUE, False)

    def believes_the_promise():
        """You say that row j has read word j, and also that it uses the earlier words alone.

        Both cannot hold. A13 says what goes in, A20 what should come out.
        """
        return _but(_A20)

    def mask_hides_the_word():
        """You say that row j has not read word j, so that the promise of A20 is kept.

        Look at the diagonal of A11: what stands there?
        """
        return _but(_OWN, _A20)

    def mask_hides_the_word_but():
        """You say that row j has not read word j.

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

        Look it up in the chapter: what does the printed model write?
        """
        return _but(_A20, _LOSS)

    def all_turned_round():
        """You have every statement the wrong way round.

        True should mean that it holds of the equations as they are printed.
        """
        return {key: not value for key, value in _TRUE.items()}

    def repaired():
        """You describe the repaired model, whose target is shifted and has positions.

        Read A10, A11 and A13 as they are printed. What goes into the decoder?
        """
        return _but(_OWN, _A20, _TARGET)

    def repaired_with_padding():
        """You describe the repaired model: shifted, with target positions, and with padding hidden.

        Read A10, A11 and A13 as they are printed. What goes into the decoder?
        """
        return _but(_OWN, _A20, _TARGET, _PADDING)

    def repaired_with_padding_and_loss():
        """You describe the repaired model, with padding hidden, and take its low loss as proof.

        Read A10, A11 and A13 as they are printed. What goes into the decoder?
        """
        return _but(_OWN, _A20, _TARGET, _PADDING, _LOSS)

    def repaired_but_its_row():
        """You describe the repaired model, except for what row j has read.

        Read A10, A11 and A13 as they are printed. What goes into the decoder?
        """
        return _but(_A20, _TARGET, _PADDING, _LOSS)

    def repaired_and_its_loss():
        """You describe a shifted model with target positions, and take its low loss as proof.

        Read A10, A11 and A13 as they are printed. What goes into the decoder?
        """
        return _but(_OWN, _A20, _TARGET, _LOSS)

    def shifted():
        """You describe a shifted model, and take its low loss as proof.

        Does A13 shift the target? What does the printed model write?
        """
        return _but(_OWN, _A20, _LOSS)

    def shifted_with_padding():
        """You describe a shifted model in which padding is hidden.

        Does A13 shift the target, and is there an M in A16?
        """
        return _but(_OWN, _A20, _PADDING)

    def promise_and_padding():
        """You take two promises for equations: what output j is, and that padding is hidden.

        A13 says what goes in. And which masks are there?
        """
        return _but(_A20, _PADDING)

    def promise_and_positions():
        """You believe the promise of A20, and that the target has positions.

        Compare A05 with A10, and A13 with A20.
        """
        return _but(_A20, _TARGET)

    def promise_padding_and_loss():
        """You believe the text three times: A20, the padding and the loss.

        Each needs an equation. Which ones are there?
        """
        return _but(_A20, _PADDING, _LOSS)

    def other_models():
        """You say that the order of the source does not matter, and that padding is hidden.

        Are positions added in A05? Is there an M in A16?
        """
        return _but(_SOURCE, _PADDING)

    def no_positions_and_a_mixing_network():
        """You say that the source has no positions, and that the network mixes its rows.

        What does A05 add? Which rows of A go into row 2 of A W₁?
        """
        return _but(_SOURCE, _MIXES)

    def positions_on_both_sides_and_padding():
        """You say that the target has positions, and that padding is hidden.

        Compare A05 with A10. Is there an M in A16?
        """
        return _but(_TARGET, _PADDING)

    def positions_on_both_sides_and_loss():
        """You say that the target has positions, and you take the low loss as proof.

        Compare A05 with A10. What does the printed model write?
        """
        return _but(_TARGET, _LOSS)

    def mask_one_to_the_right():
        """You say that row j has read word j + 1 and not word j.

        A11 is 0 on the diagonal and −∞ above it. What does that allow?
        """
        return _but(_OWN, _LATER)

    def mask_one_to_the_right_and_promise():
        """You say that row j has read word j + 1 and not word j, and that A20 holds.

        A11 is 0 on the diagonal and −∞ above it. What does that allow?
        """
        return _but(_OWN, _LATER, _A20)

    def no_mask_and_mixing():
        """You say that row j has read later words, and that the network mixes rows.

        What does A11 put above the diagonal? From which side does W₁ multiply?
        """
        return _but(_LATER, _MIXES)

    def no_mask_and_positions():
        """You say that row j has read later words, and that the order of earlier words matters.

        What does A11 put above the diagonal? What does A10 add?
        """
        return _but(_LATER, _TARGET)

    def padding_and_loss():
        """You say that padding is hidden, and take the low loss as proof.

        Is there an M in A16? What does the printed model write?
        """
        return _but(_PADDING, _LOSS)

    def padding_and_mixing():
        """You say that padding is hidden, and that the network mixes rows.

        Is there an M in A07 or A16? From which side does W₁ multiply?
        """
        return _but(_PADDING, _MIXES)

    def mixing_and_loss():
        """You say that the network mixes rows, and take the low loss as proof.

        From which side does W₁ multiply? What does the printed model write?
        """
        return _but(_MIXES, _LOSS)

    def mixing_and_promise():
        """You say that the network mixes rows, and that output j is what A20 promises.

        From which side does W₁ multiply? And what goes into row j?
        """
        return _but(_MIXES, _A20)

    def mixing_and_positions():
        """You say that the network mixes rows, and that the order of earlier target words matters.

        From which side does W₁ multiply? What does A10 add?
        """
        return _but(_MIXES, _TARGET)

    def once_and_mixing():
        """You say that the decoder attends once, and that the network mixes rows.

        Count the attentions that make A_D and A_C. From which side does W₁ multiply?
        """
        return _but(_TWICE, _MIXES)

    def once_and_padding():
        """You say that the decoder attends once, and that padding is hidden.

        Count the attentions that make A_D and A_C. Is there an M in A16?
        """
        return _but(_TWICE, _PADDING)

    def once_and_promise():
        """You say that the decoder attends once, and that output j is what A20 promises.

        Count the attentions that make A_D and A_C. What goes into row j?
        """
        return _but(_TWICE, _A20)

    def exchanged_and_padding():
        """You swapped the side that has positions, and you say that padding is hidden.

        Compare A05 with A10. Is there an M in A16?
        """
        return _but(_SOURCE, _TARGET, _PADDING)

    def own_and_loss():
        """You say that row j has not read word j, and take the low loss as proof.

        Look at the diagonal of A11. What does the printed model write?
        """
        return _but(_OWN, _LOSS)

    def own_and_padding():
        """You say that row j has not read word j, and that padding is hidden.

        Look at the diagonal of A11. Is there an M in A16?
        """
        return _but(_OWN, _PADDING)

    def own_and_positions():
        """You say that row j has not read word j, and that the target has positions.

        Look at the diagonal of A11. Compare A05 with A10.
        """
        return _but(_OWN, _TARGET)

    def bag_and_padding_and_loss():
        """You say that padding is hidden, that the target has positions, and that the loss is
        proof.

        Each needs an equation, or an experiment. Which ones are there?
        """
        return _but(_TARGET, _PADDING, _LOSS)

    def bags_and_promise():
        """You say that the order of the source does not matter, and that output j is what A20
        promises.

        What does A05 add? And what goes into row j?
        """
        return _but(_SOURCE, _A20)

    def bags_and_loss():
        """You say that the order of the source does not matter, and take the low loss as proof.

        What does A05 add? What does the printed model write?
        """
        return _but(_SOURCE, _LOSS)


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
