"""The exercise ``packed_reads``: rows, losses and inputs of a packed row (C33, C06, C09)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

Reads = dict[str, str]

_RIGHT: Reads = {
    "predicts C": "4",
    "predicts the last <eos>": "7",
    "loss 4, causal": "1234",
    "loss 4, document": "4",
    "loss 6, causal": "123456",
    "loss 6, document": "456",
    "loss 6, no mask": "1234567",
    "input 2, causal": "234567",
    "input 2, document": "23",
    "input 4, document": "4567",
    "copies, document": "none",
    "copies, no mask": "123456",
}


def correct() -> Reads:
    """Row t reads inputs up to t, of its own document with the document mask."""
    return dict(_RIGHT)


def _but(**others: str) -> Reads:
    """The right numbers, but for some; an underscore stands for a comma and a blank or a blank."""
    names = {
        name.replace(", ", "_").replace(" ", "_").replace("<eos>", "eos"): name for name in _RIGHT
    }
    return correct() | {names[name]: numbers for name, numbers in others.items()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your answers have no names.

        Return a dictionary with the names of the question.
        """
        return list(correct().values())

    def with_commas():
        """Leave out commas and blanks: write the numbers one after the other, such as "123".

        Where there is no number, write "none".
        """
        return {name: ", ".join(n) if n != "none" else n for name, n in correct().items()}

    def with_commas_alone():
        """Leave out commas: write the numbers one after the other, such as "123".

        Where there is no number, write "none".
        """
        return {name: ",".join(n) if n != "none" else n for name, n in correct().items()}

    def with_blanks():
        """Leave out blanks: write the numbers one after the other, such as "123".

        Where there is no number, write "none".
        """
        return {name: " ".join(n) if n != "none" else n for name, n in correct().items()}

    def as_lists_of_numbers():
        """Write the numbers as a text, such as "123", and not as a list.

        Where there is no number, write "none".
        """
        return {
            name: [int(digit) for digit in n] if n != "none" else n for name, n in correct().items()
        }

    def as_lists_of_numbers_throughout():
        """Write the numbers as a text, such as "123", and "none" where there is no number.

        A list is something else than a text.
        """
        return {
            name: [int(digit) for digit in n if digit.isdigit()] for name, n in correct().items()
        }

    def as_numbers():
        """Put quotes around the numbers: a text such as "123" is asked for.

        Where there is no number, write "none".
        """
        return {name: int(n) if n != "none" else n for name, n in correct().items()}

    def rows_without_quotes():
        """Put quotes around the numbers of rows, too: the question asks for texts.

        "1" is a text, and 1 is none.
        """
        rows = ("predicts C", "predicts the last <eos>")
        return correct() | {name: int(_RIGHT[name]) for name in rows}

    def nothing_for_none():
        """Where there is no number, write "none". You left the text empty.

        An empty text could also be an answer that is still to come.
        """
        return _but(copies_document="")

    def counted_from_0():
        """You count positions from 0. Here the first one has the number 1.

        Position 1 is the first <eos>.
        """
        down = str.maketrans("1234567", "0123456")
        return {name: n if n == "none" else n.translate(down) for name, n in correct().items()}

    def as_document_c_prints_it():
        """Your rows read one input less than they do: as if row t could not attend to input t. The
        mask allows it.

        Input t is the token *before* the label of row t. Count inputs here, not tokens.
        """
        return _but(
            loss_4_causal="123", loss_4_document="none", loss_6_causal="12345",
            loss_6_document="45", input_2_causal="34567", input_2_document="3",
            input_4_document="567",
        )  # fmt: skip

    def one_row_less_with_causal():
        """With the causal mask, your loss reads one input less than it does: row t may attend to
        input t.

        Input t is the token before the label of row t, so this is no leak.
        """
        return _but(loss_4_causal="123", loss_6_causal="12345")

    def one_row_less_with_documents():
        """With the document mask, your loss reads one input less than it does: row t may attend to
        input t.

        Input t is the token before the label of row t, so this is no leak.
        """
        return _but(loss_4_document="none", loss_6_document="45")

    def the_row_of_the_token():
        """You name the rows that *read* these tokens.

        Which row has the token as its label? The labels are the inputs, one token later.
        """
        return _but(predicts_C="5", predicts_the_last_eos="none")

    def row_that_reads_c():
        """You name the row that reads C. Which one has C as its label?

        C stands at input 5. Where does it stand among the labels?
        """
        return _but(predicts_C="5")

    def row_before():
        """You name row 3 for C. Its label is <eos>, the end of the first document.

        Write the seven labels under the seven inputs.
        """
        return _but(predicts_C="3")

    def last_eos_nowhere():
        """You say that no row predicts the last <eos>. It is not read in this row of the batch, but
        it is a label.

        Write the seven labels under the seven inputs.
        """
        return _but(predicts_the_last_eos="none")

    def row_behind_the_end():
        """You name row 8, but there are seven rows.

        Write the seven labels under the seven inputs. Under which input does the last label stand?
        """
        return _but(predicts_the_last_eos="8")

    def both_ends():
        """You name both rows that predict an <eos>. The question asks for the last one.

        Which of your two rows has read the whole second document?
        """
        return _but(predicts_the_last_eos="37")

    def eos_of_the_input():
        """You name a row that *reads* <eos>, or that predicts the end of the first document.

        Which row has read the whole second document?
        """
        return _but(predicts_the_last_eos="4")

    def end_of_the_first_document():
        """You name the row that predicts the end of the *first* document.

        Which row has read the whole second document?
        """
        return _but(predicts_the_last_eos="3")

    def row_6_for_the_end():
        """You name row 6 for the last <eos>. Row 6 predicts E.

        Which row has read E?
        """
        return _but(predicts_the_last_eos="6")

    def causal_hides_documents():
        """You let the causal mask hide the first document. It hides only what is later.

        Which inputs stand before position 6 in this row?
        """
        return _but(loss_4_causal="4", loss_6_causal="456", input_2_causal="23")

    def causal_hides_the_first_document_in_losses():
        """You let the causal mask hide the first document from the losses of the second.

        The causal mask hides only what is later.
        """
        return _but(loss_4_causal="4", loss_6_causal="456")

    def loss_4_without_the_first_document():
        """You let row 4 read only its own input under the *causal* mask.

        The causal mask hides only what is later. Which inputs stand before position 4?
        """
        return _but(loss_4_causal="4")

    def loss_4_reads_c():
        """You let row 4 read input 5. That is C, its own label.

        Which mask of the three would show it?
        """
        return _but(loss_4_document="45")

    def loss_6_reads_its_input_alone():
        """You let loss 6 depend on input 6 alone. The document mask shows more of its document.

        Which earlier inputs belong to the second document?
        """
        return _but(loss_6_document="6")

    def loss_6_without_its_own_input():
        """You leave out input 6 for loss 6. Row t may attend to input t.

        Input 6 is D. Which token does row 6 predict?
        """
        return _but(loss_6_document="45")

    def causal_hides_the_second_document():
        """You let input 2 help its own document only, under the *causal* mask. That mask hides only
        what is later.

        Which rows stand at or after position 2?
        """
        return _but(input_2_causal="23")

    def masks_exchanged():
        """Your answers for the causal mask are those of the document mask, and the other way round.

        Which of the two masks asks to which document a position belongs?
        """
        return _but(
            loss_4_causal="4", loss_4_document="1234", loss_6_causal="456",
            loss_6_document="123456", input_2_causal="23", input_2_document="234567",
        )  # fmt: skip

    def document_mask_hides_nothing_later():
        """You let loss 6 read input 7 under the document mask. It is in the same document, but
        later.

        The document mask hides what is later, too.
        """
        return _but(loss_6_document="4567")

    def document_mask_hides_nothing():
        """You let the second document read the first in spite of the document mask.

        With this mask, a position sees only its own document.
        """
        return _but(loss_4_document="1234", loss_6_document="123456", input_2_document="234567")

    def eos_is_of_the_document_before():
        """You count <eos> of position 4 to the first document. Its row predicts C.

        It stands for the <bos> of the second document.
        """
        return _but(loss_4_document="1234", loss_6_document="56", input_2_document="234",
                    input_4_document="4")  # fmt: skip

    def row_4_reads_the_first_document():
        """You let row 4 read the first document. Its input, <eos>, begins the second.

        Which document does the label of row 4 belong to?
        """
        return _but(loss_4_document="1234")

    def loss_6_without_eos():
        """You leave out input 4 for loss 6. Its <eos> belongs to the second document.

        The <eos> of position 4 stands for <bos>.
        """
        return _but(loss_6_document="56")

    def loss_4_reads_nothing():
        """You say that row 4 reads nothing with the document mask. It reads its own input.

        Which token stands at input 4?
        """
        return _but(loss_4_document="none")

    def without_a_mask_causal():
        """You let loss 6 read only what is earlier. Without a mask it reads everything.

        Which inputs may row 6 attend to if nothing is hidden?
        """
        return _but(loss_6_no_mask="123456")

    def without_a_mask_only_what_is_before():
        """You let loss 6 read only inputs 1 to 5. Without a mask it reads everything.

        Which inputs may row 6 attend to if nothing is hidden?
        """
        return _but(loss_6_no_mask="12345")

    def without_a_mask_one_document():
        """You let loss 6 read only the second document. Without a mask it reads everything.

        Which inputs may row 6 attend to if nothing is hidden?
        """
        return _but(loss_6_no_mask="4567")

    def without_a_mask_not_itself():
        """You leave out input 6 for loss 6 without a mask.

        A row may attend to its own input, and its residual connection carries it as well.
        """
        return _but(loss_6_no_mask="123457")

    def help_from_above():
        """For an input, you name what is *before* it. Which losses does its gradient come from?

        An input helps its own row and the later ones.
        """
        return _but(input_2_causal="12", input_2_document="12", input_4_document="4")

    def not_its_own_row():
        """You leave out an input's own row. Row t reads input t.

        Input 2 is A. Which token does row 2 predict?
        """
        return _but(input_2_causal="34567", input_2_document="3", input_4_document="567")

    def next_row_alone():
        """You let an input help one loss only.

        Each token is once a label, and then part of *every* later prefix of its document.
        """
        return _but(input_2_causal="2", input_2_document="2", input_4_document="4")

    def input_2_of_the_whole_row():
        """You let input 2 help the second document in spite of the document mask.

        To which positions does the first document extend?
        """
        return _but(input_2_document="234567")

    def input_2_helps_one_too_many():
        """You let input 2 help loss 4. The label of row 4 belongs to the second document.

        Which row predicts the end of the first document?
        """
        return _but(input_2_document="234")

    def input_2_helps_its_own_row_alone():
        """You leave out row 3 for input 2. Row 3 reads A and B and predicts the first <eos>.

        Which rows of the first document stand at or after position 2?
        """
        return _but(input_2_document="2")

    def input_4_helps_both_documents():
        """You let input 4 help loss 3. Row 3 belongs to the first document, and input 4 is later.

        Label 3 is the same <eos> as input 4. Does row 3 read it?
        """
        return _but(input_4_document="34567")

    def input_2_helps_the_row_before():
        """You let input 2 help loss 1. Row 1 is earlier, and input 2 is its label.

        Which rows stand at or after position 2?
        """
        return _but(input_2_document="123")

    def input_4_without_the_last_row():
        """You leave out row 7 for input 4. Row 7 predicts the end of the second document.

        To which position does the second document extend?
        """
        return _but(input_4_document="456")

    def input_4_of_the_first_document():
        """You let input 4 help no loss of the second document. But it stands for <bos> there.

        Which row predicts C, and from what?
        """
        return _but(input_4_document="4")

    def input_4_without_its_own_row():
        """You leave out row 4 for input 4. It is the only input that row 4 reads.

        What would C be predicted from?
        """
        return _but(input_4_document="567")

    def copies_with_a_mask():
        """You say that rows can copy their label under the document mask. They read up to their own
        input, and the label is the next one.

        At which input does the label of row t stand?
        """
        return _but(copies_document="1234567")

    def copies_in_the_second_document():
        """You say that rows of the second document can copy under the document mask.

        At which input does the label of row t stand, and may row t see it?
        """
        return _but(copies_document="4567")

    def last_row_reads_another_eos():
        """You say that row 7 has read its label under the document mask. It has read an <eos>, but
        not the one that it has to predict.

        At which input would the label of row 7 stand?
        """
        return _but(copies_document="7")

    def inputs_that_are_labels():
        """Without a mask, you name the *inputs* that are labels. The question asks for rows.

        Input 2 is the label of which row?
        """
        return _but(copies_no_mask="234567")

    def row_3_copies():
        """You say that row 3 has read its label under the document mask. Its label, <eos>, stands
        at input 4, and that is later.

        Up to which input does row 3 read?
        """
        return _but(copies_document="3")

    def all_copy():
        """You say that all seven rows read their label without a mask. Where does the label of row
        7 stand among the inputs?

        The last <eos> is predicted and never read; the other two are not this label.
        """
        return _but(copies_no_mask="1234567")

    def nobody_copies():
        """You say that no row reads its label without a mask. The labels are shifted, but the next
        input is in sight.

        At which input does the label of row 1 stand?
        """
        return _but(copies_no_mask="none")

    def copies_within_documents():
        """You leave out row 3. Its label is the <eos> that stands at input 4.

        Without a mask, every row sees all seven inputs.
        """
        return _but(copies_no_mask="12456")

    def not_the_row_before_c():
        """You leave out row 6. Its label is E, which stands at input 7.

        Without a mask, every row sees all seven inputs.
        """
        return _but(copies_no_mask="12345")


class Right:
    """Right answers, written differently."""

    def in_another_order():
        """Sorted by name."""
        return dict(sorted(correct().items()))

    def computed():
        """From masks."""
        rows = range(1, 8)
        document = dict(zip(rows, (1, 1, 1, 2, 2, 2, 2), strict=True))

        def sees(t, j, kind):
            if kind == "no mask":
                return True
            return j <= t and (kind == "causal" or document[j] == document[t])

        def told(numbers):
            return "".join(map(str, numbers)) or "none"

        answer = {"predicts C": "4", "predicts the last <eos>": "7"}
        for kind in ("causal", "document", "no mask"):
            for n in (2, 4, 6):
                answer[f"loss {n}, {kind}"] = told(j for j in rows if sees(n, j, kind))
                answer[f"input {n}, {kind}"] = told(t for t in rows if sees(t, n, kind))
            answer[f"copies, {kind}"] = told(t for t in rows if t < 7 and sees(t, t + 1, kind))
        return {name: answer[name] for name in _RIGHT}

    def last_first():
        """In reverse order."""
        return dict(reversed(list(correct().items())))


EXERCISE = Exercise(
    id="packed_reads",
    oracle=correct,
    hint="Write three lines under one another: the numbers 1 to 7, the inputs, the labels. Draw a "
    "line where the second document begins. Row t reads inputs up to t; with the document mask, "
    "only those on its own side of the line.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
