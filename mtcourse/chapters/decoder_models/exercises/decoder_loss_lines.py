"""The exercise ``decoder_loss_lines``: which line of a training step causes what (C06, C33)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "a row reads the token that it has to predict": "D",
    "a real token attends to padding": "D",
    "a row has to predict the token after the next one": "F",
    "the first token of a sentence is never predicted": "F",
    "padding counts in the mean": "G",
    "the model learns to predict padding": "none",
    "<eos> is never predicted": "none",
    "<bos> has to be predicted": "none",
}

(_COPIES, _PADDING, _NEXT, _FIRST, _MEAN, _LEARNS, _EOS, _BOS) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the loss comes close to 0 and the model cannot write.

        Take the sentence (7, 8, 9), and write down what each line makes of it.
        """
        return dict.fromkeys(_LINES, "none")

    def mask_and_shift_exchanged():
        """You exchanged what lies in sight and what is asked for: the mask decides what a row
        *reads*, the shift decides what it has to *predict*.

        Which line says who may attend to whom, and which ones move labels?
        """
        return {_COPIES: "F", _NEXT: "D"}

    def copies_from_the_shift():
        """You blame line B for rows that read their answer. It shifts as it should: input t is the
        token before label t.

        Which rows may attend to the *next* input?
        """
        return {_COPIES: "B"}

    def copies_from_the_loss():
        """You blame the line of the losses for rows that read their answer. It looks at logits that
        are there already.

        Which line decides what a row may attend to?
        """
        return {_COPIES: "F"}

    def copies_from_the_embedding():
        """You blame the embedding for rows that read their answer. Each input is looked up by
        itself.

        In which line do rows look at one another?
        """
        return {_COPIES: "C"}

    def copies_from_the_output():
        """You blame the output layer for rows that read their answer. It works on each row by
        itself.

        In which line do rows look at one another?
        """
        return {_COPIES: "E"}

    def copies_from_the_sentences():
        """You blame line A for rows that read their answer. It only puts the sentences into rows.

        In which line do rows look at one another?
        """
        return {_COPIES: "A"}

    def copies_is_right():
        """You say that no row reads its answer. The inputs are shifted, but the next input is the
        answer, and nothing hides it.

        What does `causal=False` mean for row 1?
        """
        return {_COPIES: "none"}

    def padding_from_line_a():
        """You blame line A for attention to padding. Sentences of unequal lengths have to be
        padded.

        Padding stands at the end. Which mask would hide it from all real tokens?
        """
        return {_PADDING: "A"}

    def padding_from_the_loss():
        """You blame the line of the losses for attention to padding. It says which labels count,
        and attention is over by then.

        In which line do rows look at one another?
        """
        return {_PADDING: "F"}

    def padding_from_the_mean():
        """You blame the mean for attention to padding. Attention is over by then.

        In which line do rows look at one another?
        """
        return {_PADDING: "G"}

    def padding_from_the_embedding():
        """You blame the embedding for attention to padding. Each input is looked up by itself.

        In which line do rows look at one another?
        """
        return {_PADDING: "C"}

    def padding_from_the_output():
        """You blame the output layer for attention to padding. It works on each row by itself.

        In which line do rows look at one another?
        """
        return {_PADDING: "E"}

    def padding_is_not_attended():
        """You say that no real token attends to padding. Nothing is hidden in line D, neither what
        is later nor padding.

        Where does padding stand, and which mask would be enough?
        """
        return {_PADDING: "none"}

    def next_from_line_b():
        """You blame line B for the token after the next one. The shift in line B is right: it is
        the first of two.

        Where are labels moved a second time?
        """
        return {_NEXT: "B"}

    def next_from_the_output():
        """You blame the output layer for the token after the next one. It turns each row into
        logits, whatever their label will be.

        Where are labels moved a second time?
        """
        return {_NEXT: "E"}

    def next_from_the_mask():
        """You blame the mask for the token after the next one. The mask decides what a row *reads*.

        Which lines decide what a row has to *predict*?
        """
        return {_NEXT: "D"}

    def next_from_the_mean():
        """You blame the mean for the token after the next one. It only divides.

        Where are labels moved a second time?
        """
        return {_NEXT: "G"}

    def next_is_right():
        """You say that each row has to predict the next token. Follow the labels of (7, 8, 9)
        through lines B and F.

        Which label does the row get that has read only <bos>?
        """
        return {_NEXT: "none"}

    def both_shifts_from_line_b():
        """You blame line B for the second shift. After line B, inputs and labels stand as they
        should: <bos> above the first token.

        Which later line moves them again?
        """
        return {_NEXT: "B", _FIRST: "B"}

    def first_from_line_b():
        """You blame line B for the first token. Its labels begin with the first token.

        Which later line leaves the first label out?
        """
        return {_FIRST: "B"}

    def first_from_line_a():
        """You blame line A for the first token. With <bos> in front there is a row to predict it.

        Which later line leaves the first label out?
        """
        return {_FIRST: "A"}

    def first_from_the_mask():
        """You blame the mask for the first token. The mask decides what a row reads, and not which
        tokens are labels.

        Which line leaves the first label out?
        """
        return {_FIRST: "D"}

    def first_is_predicted():
        """You say that the first token is predicted. Write down `labels[:, 1:]` in line F.

        After line B, where does the first token of a sentence stand?
        """
        return {_FIRST: "none"}

    def mean_from_the_loss():
        """You blame the line of the losses for the mean. Padding has the loss 0 there.

        By which number is the sum of the losses divided?
        """
        return {_MEAN: "F"}

    def mean_from_line_a():
        """You blame line A for the mean. A batch has padding, and that is as it should be.

        By which number is the sum of the losses divided?
        """
        return {_MEAN: "A"}

    def mean_from_line_b():
        """You blame line B for the mean. Its labels have padding, and that is as it should be.

        By which number is the sum of the losses divided?
        """
        return {_MEAN: "B"}

    def mean_from_the_mask():
        """You blame the mask for the mean. The mask changes the losses; how many of them are
        counted is another question.

        By which number is the sum of the losses divided?
        """
        return {_MEAN: "D"}

    def mean_is_right():
        """You say that padding does not count in the mean. What does `inputs.numel()` count?

        Take a batch of two sentences, one of them with much padding.
        """
        return {_MEAN: "none"}

    def learns_from_the_loss():
        """You say that the model learns padding from line F. What does `ignore_index` do?

        A loss that is always 0 has no gradient.
        """
        return {_LEARNS: "F"}

    def learns_from_the_mean():
        """You say that the model learns padding from line G. It divides by too much; but the loss
        of a padding label is 0.

        A loss that is always 0 has no gradient.
        """
        return {_LEARNS: "G"}

    def learns_from_line_a():
        """You say that the model learns padding from line A. Padding is in the labels, but which
        labels have a loss?

        What does `ignore_index` do?
        """
        return {_LEARNS: "A"}

    def learns_from_line_b():
        """You say that the model learns padding from line B. Padding is in the labels, but which
        labels have a loss?

        What does `ignore_index` do?
        """
        return {_LEARNS: "B"}

    def learns_from_the_mask():
        """You say that the model learns padding, because it attends to it. To attend to padding and
        to have it as a label are two things.

        Which labels have a loss?
        """
        return {_LEARNS: "D"}

    def eos_from_line_b():
        """You say that line B takes <eos> out of the labels. It takes the last column out of the
        *inputs*.

        With what do the rows of `whole` end?
        """
        return {_EOS: "B"}

    def eos_from_the_loss():
        """You say that line F leaves out <eos>. It leaves out the *first* label, and the last row
        of logits.

        With what do the labels end, after line F?
        """
        return {_EOS: "F"}

    def eos_from_line_a():
        """You say that line A leaves out <eos>. It stands behind each sentence.

        With what do the labels end, after line F?
        """
        return {_EOS: "A"}

    def bos_from_line_a():
        """You say that <bos> has to be predicted, because line A puts it in front. It is in
        `whole`, but is it in `labels`?

        What does line B leave out of the labels?
        """
        return {_BOS: "A"}

    def bos_from_line_b():
        """You say that <bos> has to be predicted because of line B. Which columns of `whole` are
        labels?

        What does `[:, 1:]` leave out?
        """
        return {_BOS: "B"}

    def bos_from_the_loss():
        """You say that <bos> has to be predicted because of line F. It is no label after line B.

        What does `[:, 1:]` leave out?
        """
        return {_BOS: "F"}


EXERCISE = which_line(
    "decoder_loss_lines",
    _LINES,
    Wrong,
    hint="Take a batch of the sentences (7, 8, 9) and (5). Write down `whole`, `inputs` and "
    "`labels`, and then which label each row of logits gets in line F. Which rows may attend to "
    "which inputs in line D?",
)
