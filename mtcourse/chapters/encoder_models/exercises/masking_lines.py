"""The exercise ``masking_lines``: which line of the masking causes what (C26, C28, C29)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line, with_every_line

_LINES = {
    "every epoch hides the same tokens": "A",
    "<class> is hidden and asked for": "C",
    "<bos> can come to stand in the middle of a sentence": "E",
    "a token that stays has no label": "none",
    "at a <mask>, the label is <mask>": "H",
    "padding has labels": "none",
    "row t is asked for token t + 1": "J",
    "the loss is divided by all positions": "none",
}

(_SAME, _CLASS, _BOS, _STAYS, _LABEL, _PADDING, _SHIFT, _DIVIDED) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the cell above shows three symptoms.

        Go through one small batch by hand, line by line.
        """
        return dict.fromkeys(_LINES, "none")

    def same_is_right():
        """You say that the epochs hide different tokens. The cell above counts what is hidden in
        two of them.

        From which state does the generator start in each epoch?
        """
        return {_SAME: "none"}

    def same_from_the_choice():
        """You blame the draw of the choice for the same tokens in every epoch. It takes the next
        numbers of its generator, as it should.

        From which state does the generator start in each epoch?
        """
        return {_SAME: "B"}

    def same_from_the_fate():
        """You blame the draw of the fates for the same tokens in every epoch. Fates decide what
        becomes of chosen tokens, and not which ones are chosen.

        From which state does the generator start in each epoch?
        """
        return {_SAME: "D"}

    def class_from_the_choice():
        """You blame the draw for hiding <class>. It gives a number to every position; which tokens
        may be chosen is decided after it.

        Which special tokens are taken out again, and which are not?
        """
        return {_CLASS: "B"}

    def class_from_the_masks():
        """You blame the line that writes <mask>. It writes where a token was chosen.

        Which special tokens may be chosen here?
        """
        return {_CLASS: "F"}

    def class_is_right():
        """You say that <class> is never chosen. The cell above counts it.

        Which special tokens are taken out, and what about the others?
        """
        return {_CLASS: "none"}

    def class_from_the_labels():
        """You blame the labels for <class>. They ask where a token was chosen.

        Which special tokens may be chosen here?
        """
        return {_CLASS: "H"}

    def bos_from_the_exchange():
        """You blame the line that writes random tokens. It writes the ones that were drawn before.

        From which ids are they drawn?
        """
        return {_BOS: "G"}

    def bos_from_padding():
        """You blame the line that takes out padding. It decides which tokens are chosen, and not
        what is written there.

        From which ids are random tokens drawn?
        """
        return {_BOS: "C"}

    def bos_is_right():
        """You say that <bos> can never come to stand in the middle of a sentence. It is rare,
        because it is one of thousands of ids, but it happens.

        What is the lowest id that can be drawn for a random token?
        """
        return {_BOS: "none"}

    def stays_in_the_masks():
        """You say that a token that stays has no label, because of the line that writes <mask>. It
        changes inputs only.

        On what do the labels depend?
        """
        return {_STAYS: "F"}

    def stays_in_the_exchange():
        """You say that a token that stays has no label, because of the line that writes random
        tokens. It changes inputs only.

        On what do the labels depend?
        """
        return {_STAYS: "G"}

    def stays_in_the_labels():
        """You say that a token that stays has no label. The labels are taken wherever a token was
        chosen, whatever became of it.

        On what do the labels depend?
        """
        return {_STAYS: "H"}

    def label_from_the_masks():
        """You blame the line that writes <mask>. It does what it should: <mask> belongs into the
        inputs.

        From which tensor are the labels taken?
        """
        return {_LABEL: "F"}

    def label_is_right():
        """You say that the label at a <mask> is the original token. The cell above finds <mask>
        there.

        From which tensor are the labels taken?
        """
        return {_LABEL: "none"}

    def label_from_the_loss():
        """You blame the loss. It compares the logits with the labels that it is given.

        From which tensor are the labels taken?
        """
        return {_LABEL: "J"}

    def padding_in_the_choice():
        """You say that padding has labels, because every position gets a number. What is chosen is
        decided after it.

        What does the line after the draw take out?
        """
        return {_PADDING: "B"}

    def padding_in_the_condition():
        """You say that padding has labels. One line takes padding out of what is chosen.

        `chosen` is False there, so what is the label?
        """
        return {_PADDING: "C"}

    def padding_in_the_labels():
        """You say that padding has labels, because of the line that makes them. They are 0 where
        nothing was chosen.

        Is padding ever chosen here?
        """
        return {_PADDING: "H"}

    def shift_from_the_labels():
        """You blame the labels for the shift. Each stands at the position of its token.

        Where are logits and labels compared?
        """
        return {_SHIFT: "H"}

    def shift_from_the_model():
        """You blame the model for the shift. It gives row t the number t.

        Where are logits and labels compared?
        """
        return {_SHIFT: "I"}

    def shift_is_right():
        """You say that row t is asked for token t. Write down which row of the logits meets which
        label.

        Where are logits and labels compared?
        """
        return {_SHIFT: "none"}

    def divided_by_positions():
        """You say that the loss is divided by all positions. What is counted there are the labels
        that are not 0.

        What is the shape of `labels != 0`, and what does its sum count?
        """
        return {_DIVIDED: "K"}

    def divided_in_the_losses():
        """You say that the loss is divided by all positions, because of the line with the losses of
        single tokens. Nothing is divided there.

        Which line divides, and by what?
        """
        return {_DIVIDED: "J"}

    def padding_in_the_division():
        """You say that padding has labels, because of the line that divides. It counts labels that
        are not 0.

        What is the label at padding?
        """
        return {_PADDING: "K"}

    def padding_in_the_model():
        """You say that padding has labels, because of the model. It gives logits to padding, too,
        but makes no labels.

        What is the label at padding?
        """
        return {_PADDING: "I"}

    def padding_in_the_losses():
        """You say that padding has labels, because of the losses. They are 0 where the label is 0.

        What is the label at padding?
        """
        return {_PADDING: "J"}

    def bos_from_the_masks():
        """You blame the line that writes <mask> for <bos>. It writes one id only.

        Which line can bring the id 2 into the inputs, and where does it come from?
        """
        return {_BOS: "F"}

    def bos_from_the_fate():
        """You blame the fates for <bos>. They decide *where* a random token is written.

        From which ids are random tokens drawn?
        """
        return {_BOS: "D"}

    def bos_from_the_choice():
        """You blame the draw of the choice for <bos>. It decides *where* something is written.

        From which ids are random tokens drawn?
        """
        return {_BOS: "B"}

    def stays_in_the_fate():
        """You say that a token that stays has no label, because of the fates. On them depend the
        inputs only.

        On what do the labels depend?
        """
        return {_STAYS: "D"}

    def stays_in_the_condition():
        """You say that a token that stays has no label, because of the line that decides what is
        chosen. A token that stays was chosen.

        On what do the labels depend?
        """
        return {_STAYS: "C"}

    def stays_in_the_losses():
        """You say that a token that stays has no label, because of the losses. They compare
        wherever the label is not 0.

        On what do the labels depend?
        """
        return {_STAYS: "J"}

    def same_from_the_condition():
        """You blame the line that decides what is chosen for the same tokens in every epoch. It
        compares the numbers that it gets.

        Why are the numbers the same?
        """
        return {_SAME: "C"}

    def same_from_the_random_tokens():
        """You blame the draw of random tokens for the same tokens in every epoch. It takes the next
        numbers of its generator, as it should.

        From which state does the generator start in each epoch?
        """
        return {_SAME: "E"}

    def class_from_the_exchange():
        """You blame the line that writes random tokens for <class>. It writes where a token was
        chosen.

        Which special tokens may be chosen here?
        """
        return {_CLASS: "G"}

    def class_from_the_random_tokens():
        """You blame the draw of random tokens for <class>. It says what could be written, and not
        where.

        Which special tokens may be chosen here?
        """
        return {_CLASS: "E"}

    def label_from_the_exchange():
        """You blame the line that writes random tokens. It writes no <mask>.

        From which tensor are the labels taken?
        """
        return {_LABEL: "G"}

    def label_from_the_condition():
        """You blame the line that decides what is chosen. It decides *where* labels stand.

        From which tensor are the labels taken?
        """
        return {_LABEL: "C"}

    def shift_from_the_division():
        """You blame the line that divides for the shift. It changes no position.

        Where are logits and labels compared?
        """
        return {_SHIFT: "K"}

    def divided_in_the_labels():
        """You say that the loss is divided by all positions, because of the labels. They are 0
        where nothing counts, and zeros are not counted.

        Which line divides, and by what?
        """
        return {_DIVIDED: "H"}

    def label_from_the_model():
        """You blame the model for labels that are <mask>. It makes logits, and no labels.

        From which tensor are the labels taken?
        """
        return {_LABEL: "I"}

    def label_from_the_fate():
        """You blame the fates for labels that are <mask>. They decide what the model reads.

        From which tensor are the labels taken?
        """
        return {_LABEL: "D"}


_DOES = {
    "A": "makes the generator from which all numbers come",
    "B": "draws a number for every position",
    "C": "decides which positions are chosen",
    "D": "draws the numbers that decide what becomes of chosen tokens",
    "E": "draws the ids of random tokens",
    "F": "writes <mask> into the inputs",
    "G": "writes random tokens into the inputs",
    "H": "makes the labels",
    "I": "computes logits for every position",
    "J": "compares logits with labels",
    "K": "divides by the number of labels that are not 0",
}
_ASKS = {
    _SAME: (f'"{_SAME}"', "From which state does the generator start in each epoch?"),
    _CLASS: (f'"{_CLASS}"', "Which special tokens may be chosen here?"),
    _BOS: (f'"{_BOS}"', "Which ids can be drawn for a random token?"),
    _STAYS: (f'"{_STAYS}"', "On what do the labels depend?"),
    _LABEL: (f'"{_LABEL}"', "From which tensor are the labels taken?"),
    _PADDING: (f'"{_PADDING}"', "Is padding ever chosen here, and what is its label?"),
    _SHIFT: (f'"{_SHIFT}"', "Which row of the logits meets which label, and in which line?"),
    _DIVIDED: (f'"{_DIVIDED}"', "What does `labels != 0` count?"),
}


EXERCISE = which_line(
    "masking_lines",
    _LINES,
    with_every_line(Wrong, _LINES, _DOES, _ASKS),
    hint="Write one sentence of three tokens with <class> in front and one padding, and follow it "
    "through the lines: numbers, chosen, inputs, labels, and which row meets which label.",
)
