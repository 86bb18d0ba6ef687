"""The exercise ``what_is_seen``: what shift and mask hide, alone and together (C12)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

Seen = dict[str, str]

_ALL = "12345"
_RIGHT: Seen = {
    "read, shift and mask": "12",
    "read, mask only": "123",
    "read, shift only": "1234",
    "read, neither": _ALL,
    "changed, shift and mask": "345",
    "changed, mask only": "345",
    "changed, shift only": _ALL,
    "changed, neither": _ALL,
    "copies, shift and mask": "none",
    "copies, mask only": _ALL,
    "copies, shift only": "1234",
    "copies, neither": _ALL,
}
_OF_BOTH, _OF_MASK, _OF_SHIFT, _OF_NEITHER = (
    "shift and mask",
    "mask only",
    "shift only",
    "neither",
)


def correct() -> Seen:
    """Row j reads inputs 1 to j with the mask, all without; input i is label i − 1 with shift."""
    return dict(_RIGHT)


def _but(**others: str) -> Seen:
    """The right numbers, but for some; an underscore stands for a comma and a blank or a blank."""
    names = {name.replace(", ", "_").replace(" ", "_"): name for name in _RIGHT}
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

    def with_blanks():
        """Leave out the blanks: write the numbers one after the other, such as "123".

        Where there is no number, write "none".
        """
        return {name: " ".join(n) if n != "none" else n for name, n in correct().items()}

    def with_commas_alone():
        """Leave out the commas: write the numbers one after the other, such as "123".

        Where there is no number, write "none".
        """
        return {name: ",".join(n) if n != "none" else n for name, n in correct().items()}

    def numbers_for_texts():
        """Your answers are numbers without quotes. Put each into quotes, as in "123".

        Where there is no number, write "none".
        """
        return {name: int(n) if n != "none" else n for name, n in correct().items()}

    def nothing_for_none():
        """You left a text empty. Where there is no number, write "none".

        An empty text could also be an answer that you have not given yet.
        """
        return {name: n.replace("none", "") for name, n in correct().items()}

    def counted_from_0():
        """You counted from 0. Labels and rows are counted from 1 here.

        The first label is number 1, and row 1 predicts it.
        """
        one_less = str.maketrans("12345", "01234")
        return {name: numbers.translate(one_less) for name, numbers in correct().items()}

    def shift_alone_hides_the_future():
        """With the shift alone, you let row 3 read only what comes before its label. But no mask
        hides the other inputs from it.

        Write the five inputs in a row. Which of them may row 3 attend to?
        """
        return _but(read_shift_only="12")

    def shift_alone_hides_the_label():
        """With the shift alone, you hid label 3 from row 3. It stands in the inputs, and nothing
        hides it.

        Write the five inputs in a row. Which of them is label 3, and may row 3 attend to it?
        """
        return _but(read_shift_only="124")

    def shift_alone_cannot_copy():
        """With the shift alone, you let no row copy its label. But a row may attend to later
        inputs, and its label stands in the next one.

        At which input does label 2 stand? May row 2 attend to it?
        """
        return _but(copies_shift_only="none")

    def shift_alone_reads_all():
        """With the shift alone, you let row 3 read all labels. One of them is no input at all.

        There are five inputs, and <bos> is the first of them. Which label was dropped?
        """
        return _but(read_shift_only=_ALL)

    def last_row_copies_after_a_shift():
        """With the shift alone, you let every row copy its label. One label is no input at all.

        There are five inputs, and <bos> is the first of them. Which label was dropped?
        """
        return _but(copies_shift_only=_ALL)

    def mask_hides_the_label():
        """With the mask alone, you hid label 3 from row 3. The causal mask lets a row attend to its
        own position.

        Row j may attend to inputs 1 to j. Which label is input 3 if nothing is shifted?
        """
        return _but(read_mask_only="12")

    def mask_alone_prevents_copying():
        """With the mask alone, you let no row copy its label. The causal mask lets a row attend to
        its own position, where its label stands.

        Row j may attend to inputs 1 to j. Which label is input j if nothing is shifted?
        """
        return _but(copies_mask_only="none")

    def first_row_cannot_copy():
        """With the mask alone, you say that row 1 cannot copy its label. Nothing is shifted, so its
        input is its label.

        What is input 1 if nothing is shifted?
        """
        return _but(copies_mask_only="2345")

    def copies_of_row_3_alone():
        """You looked for copies in row 3 alone. The third question is about all five rows.

        For each row from 1 to 5: is its *own* label among the labels that it has read?
        """
        return _but(copies_mask_only="3", copies_shift_only="3", copies_neither="3")

    def only_the_first_copies():
        """With the mask alone, you let row 1 alone copy its label. Every row may attend to its own
        position.

        Row j may attend to inputs 1 to j. Which label is input j if nothing is shifted?
        """
        return _but(copies_mask_only="1")

    def own_label_in_spite_of_both():
        """With both, you let row 3 read its own label. Input 3 is not label 3 after the shift.

        Write the five inputs in a row, with <bos> in front. Which three may row 3 attend to?
        """
        return _but(read_shift_and_mask="123")

    def hidden_twice():
        """With both, you let row 3 read one label less than it does. Row 3 may attend to its own
        input, which is label 2.

        Row j may attend to inputs 1 to j. Which labels are inputs 1 to 3?
        """
        return _but(read_shift_and_mask="1")

    def later_labels_with_both():
        """With both, you gave the labels that row 3 has *not* read.

        Which of the five labels stand among the inputs that row 3 may attend to?
        """
        return _but(read_shift_and_mask="345")

    def source_only():
        """With both, you let row 3 read no label. It has read what comes before its label.

        Row j may attend to inputs 1 to j. Which labels are inputs 1 to 3?
        """
        return _but(read_shift_and_mask="none")

    def last_label_alone():
        """With both, you let row 3 read its own input alone. It may attend to earlier ones, too.

        Row j may attend to inputs 1 to j. Which labels are inputs 1 to 3?
        """
        return _but(read_shift_and_mask="2")

    def bos_counted_as_a_label():
        """You counted <bos> as label 0. Only labels are asked for, and <bos> is not one of them.

        The labels are y₁ to y₅.
        """
        return _but(read_shift_and_mask="012", read_shift_only="01234")

    def own_row_unchanged():
        """You left out row 3. A row reads its own input.

        The causal mask lets row j attend to inputs 1 to j.
        """
        return _but(changed_shift_and_mask="45", changed_mask_only="45")

    def own_row_unchanged_after_a_shift():
        """With both, you left out row 3. It is input 3 that changes, not label 3, and row 3 reads
        input 3.

        The shift says what stands at input 3. Who reads input 3 depends on the mask.
        """
        return _but(changed_shift_and_mask="45")

    def next_row_changed_after_a_shift():
        """With both, you let row 2 change. It may not attend to input 3.

        The shift says what stands at input 3. Who reads input 3 depends on the mask.
        """
        return _but(changed_shift_and_mask="2345")

    def only_the_own_row_changes():
        """You let only row 3 change. Later rows read input 3 as well.

        The causal mask lets row j attend to inputs 1 to j. For which j is 3 among them?
        """
        return _but(changed_shift_and_mask="3", changed_mask_only="3")

    def earlier_rows_change():
        """You let the earlier rows change. With the causal mask they cannot read input 3.

        The causal mask lets row j attend to inputs 1 to j. For which j is 3 among them?
        """
        return _but(changed_shift_and_mask="123", changed_mask_only="123")

    def shift_hides_from_earlier_rows():
        """With the shift alone, you left rows 1 and 2 unchanged. But no mask keeps them from
        reading input 3.

        The shift says what stands at input 3. Who reads input 3 depends on the mask.
        """
        return _but(changed_shift_only="345")

    def order_hides_from_earlier_rows():
        """With neither, you left rows 1 and 2 unchanged. But no mask keeps them from reading
        input 3.

        Attention itself knows no order. Who reads input 3 if nothing is hidden?
        """
        return _but(changed_neither="345")

    def only_the_own_row_without_a_mask():
        """Without the mask, you let only row 3 change. Attention takes input 3 to all other rows.

        Who reads input 3 if nothing is hidden?
        """
        return _but(changed_shift_only="3", changed_neither="3")

    def own_row_unchanged_without_a_mask():
        """Without the mask, you left out row 3. A row reads its own input, too.

        Who reads input 3 if nothing is hidden?
        """
        return _but(changed_shift_only="1245", changed_neither="1245")

    def neither_reads_the_past():
        """With neither, you let row 3 read only labels up to its own. Nothing hides the others.

        Write the five inputs in a row. Which of them may row 3 attend to?
        """
        return _but(read_neither="123")

    def neither_hides_the_own_label():
        """With neither, you hid label 3 from row 3. Nothing is shifted, and nothing is hidden.

        Write the five inputs in a row. Which of them may row 3 attend to?
        """
        return _but(read_neither="1245")

    def neither_without_the_last():
        """With neither, you left out label 5. Without a shift, no label is dropped.

        Write the five inputs in a row. What is the last of them?
        """
        return _but(read_neither="1234")

    def copies_in_spite_of_both():
        """With both, you let rows copy their labels. No row reads its own label then.

        Row j may attend to inputs 1 to j. Which labels are these after the shift?
        """
        return _but(copies_shift_and_mask=_ALL)

    def others_than_the_first_copy():
        """With both, you let all rows but the first copy their labels. They read the labels before
        their own.

        A row copies if its *own* label is among what it reads.
        """
        return _but(copies_shift_and_mask="2345")

    def copies_the_label_before():
        """With the shift alone, you left out row 1. Its label is input 2, and nothing hides that.

        At which input does label 1 stand? May row 1 attend to it?
        """
        return _but(copies_shift_only="2345")

    def neither_copies_nothing():
        """With neither, you let no row copy its label. Each label stands in the inputs.

        Write the five inputs in a row. Which of them may row j attend to?
        """
        return _but(copies_neither="none")

    def neither_copies_all_but_the_last():
        """With neither, you left out row 5. Without a shift, no label is dropped.

        Write the five inputs in a row. What is the last of them?
        """
        return _but(copies_neither="1234")


class Right:
    """Right answers, written differently."""

    def by_simulation():
        """Follows every input through shift and mask."""
        found: Seen = {}
        ways = {_OF_BOTH: (1, 1), _OF_MASK: (0, 1), _OF_SHIFT: (1, 0), _OF_NEITHER: (0, 0)}
        places = range(1, 6)
        for name, (shift, mask) in ways.items():
            reads = {j: [i for i in places if not mask or i <= j] for j in places}
            known = {j: [i - shift for i in reads[j] if i > shift] for j in places}
            for what, numbers in {
                "read": known[3],
                "changed": [j for j in places if 3 in reads[j]],
                "copies": [j for j in places if j in known[j]],
            }.items():
                found[f"{what}, {name}"] = "".join(map(str, numbers)) or "none"
        return found

    def in_another_order():
        """The names in another order."""
        return dict(sorted(correct().items()))

    def last_first():
        """The names in reverse order."""
        return dict(reversed(list(correct().items())))

    def written_down():
        """Each answer as it is found on paper."""
        with_mask, everything = "345", "12345"
        return {
            "copies, shift and mask": "none",
            "read, shift and mask": "12",
            "read, mask only": "12" + "3",
            "read, shift only": "123" + "4",
            "copies, shift only": everything[:-1],
            **{f"{what}, neither": everything for what in ("read", "changed", "copies")},
            "copies, mask only": everything,
            "changed, shift and mask": with_mask,
            "changed, mask only": with_mask,
            "changed, shift only": everything,
        }

    def with_ranges():
        """Numbers joined from ranges."""
        ends = {name: (int(n[0]), int(n[-1])) for name, n in correct().items() if n != "none"}
        joined = {n: "".join(map(str, range(a, b + 1))) for n, (a, b) in ends.items()}
        return {name: joined.get(name, "none") for name in correct()}


EXERCISE = Exercise(
    id="what_is_seen",
    oracle=correct,
    hint="Write the inputs under the labels, once with the shift and once without. Then, for each "
    "row, underline the inputs that it may attend to.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
