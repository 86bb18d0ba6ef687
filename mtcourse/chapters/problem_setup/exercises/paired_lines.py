"""The exercise ``paired_lines``: two files become pairs (A01; chapter 01)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Lines that are empty on one side, on both, on neither; and files of different lengths."""

    def lines(letter, length, empty=()):
        return [
            "\n" if i in empty else f"{letter} {draw.size(10, 99)} {i}.\n" for i in range(length)
        ]

    english = ["A dog.\n", "\n", "Two cats.\n", "Yes.\n"]
    dutch = ["Een hond.\n", "Niets.\n", "\n", "Ja.\n"]
    blanks = [
        [" Yes  and no. \n", " \t\n", "No.\n", "So."],
        ["Ja en  nee.\n", "Hm.\n", "  \n", "Zo. "],
    ]
    first, second = draw.size(0, 3), draw.size(4, 8)
    return [
        Case("one line empty in each file", (english, dutch), by_hand=True),
        Case("lines that hold only blanks", tuple(blanks)),
        Case("a pair twice", (["Yes.\n", "No.\n", "Yes.\n"], ["Ja.\n", "Nee.\n", "Ja.\n"])),
        Case("empty lines in both files", (lines("s", 9, (first, second)), lines("t", 9, (6, 7)))),
        Case("a line empty on both sides", (lines("s", 7, (1, 4)), lines("t", 7, (4,)))),
        Case("empty lines in the source", (lines("s", 6, (2, 5)), lines("t", 6))),
        Case("empty lines in the target", (lines("s", 6), lines("t", 6, (0, 3)))),
        Case("one line more in the source", (lines("s", 8, (3,)), lines("t", 7))),
        Case("two lines more in the target", (lines("s", 5), lines("t", 7, (2,)))),
        Case(
            "equally many lines with text, but not equally many lines",
            (lines("s", 6, (2,)), lines("t", 5)),
        ),
        Case("empty files", ([], [])),
    ]


def correct(sources, targets):
    """Whole pairs are dropped, and counted; files of different lengths give no pairs."""
    if len(sources) != len(targets):
        return [], max(len(sources), len(targets))
    pairs = _full(sources, targets)
    return pairs, len(sources) - len(pairs)


def _full(sources, targets):
    """The pairs in which both lines have text, as far as the shorter file goes."""
    stripped = [(s.strip(), t.strip()) for s, t in zip(sources, targets, strict=False)]
    return [pair for pair in stripped if all(pair)]


def _kept(sources, targets, keeps):
    """The right answer, except for which pairs of stripped lines are kept."""
    if len(sources) != len(targets):
        return correct(sources, targets)
    stripped = [(s.strip(), t.strip()) for s, t in zip(sources, targets, strict=True)]
    pairs = [pair for pair in stripped if keeps(pair)]
    return pairs, len(sources) - len(pairs)


def _text(lines):
    """The lines that have text."""
    return [line.strip() for line in lines if line.strip()]


class Wrong:
    """What learners write, the more particular before the more general."""

    def as_given(sources, targets):
        """You returned what the given function returns. It drops empty lines from each file on its
        own.

        Drop line 2 of one file and line 3 of the other. Which lines are now side by side?
        """
        sources, targets = _text(sources), _text(targets)
        pairs = list(zip(sources, targets, strict=False))
        return pairs, len(sources) - len(pairs)

    def apart_but_counted(sources, targets):
        """You count dropped pairs from the length of the whole file, which is right. But you still
        drop empty lines from each file on its own.

        If you drop a line, drop its partner too. Look at both sides of a pair before you drop
        anything.
        """
        pairs = list(zip(_text(sources), _text(targets), strict=False))
        return pairs, max(len(sources), len(targets)) - len(pairs)

    def lengths_compared_after_dropping(sources, targets):
        """You compare the lengths only after dropping empty lines from each file.

        By then they may agree again. Compare the files as they came, and then drop pairs, not
        lines.
        """
        left, right = _text(sources), _text(targets)
        longer = max(len(sources), len(targets))
        if len(left) != len(right):
            return [], longer
        return list(zip(left, right, strict=True)), longer - len(left)

    def apart_after_a_look_at_the_lengths(sources, targets):
        """You refuse files of different lengths, which is right. In the others you still drop empty
        lines from each file on its own.

        If you drop a line, drop its partner too. Look at both sides of a pair at once.
        """
        longer = max(len(sources), len(targets))
        if len(sources) != len(targets):
            return [], longer
        pairs = list(zip(_text(sources), _text(targets), strict=False))
        return pairs, longer - len(pairs)

    def cut_to_the_shorter(sources, targets):
        """If one file has more lines, you go as far as the shorter one and ignore the rest.

        A line is missing somewhere, and you cannot know where. Which pairs of such files can you
        trust?
        """
        pairs = _full(sources, targets)
        return pairs, min(len(sources), len(targets)) - len(pairs)

    def surplus_counted_alone(sources, targets):
        """For files of different lengths you counted only the surplus lines.

        You use no pair of such files. So how many do you drop?
        """
        if len(sources) != len(targets):
            return [], abs(len(sources) - len(targets))
        return correct(sources, targets)

    def nothing_counted_where_lengths_differ(sources, targets):
        """You return no pairs for files of different lengths, which is right, but report 0 as
        dropped.

        Somebody who reads your 0 believes that all is well. Count the lines of the longer file.
        """
        return ([], 0) if len(sources) != len(targets) else correct(sources, targets)

    def one_side_is_enough(sources, targets):
        """You keep a pair as soon as one of its sides has text.

        A model would learn to translate an empty sentence into text. When is a pair of use?
        """
        return _kept(sources, targets, any)

    def only_the_source_looked_at(sources, targets):
        """You keep pairs with an empty target.

        Look at both sides of each pair.
        """
        return _kept(sources, targets, lambda pair: pair[0])

    def only_the_target_looked_at(sources, targets):
        """You keep pairs with an empty source.

        Look at both sides of each pair.
        """
        return _kept(sources, targets, lambda pair: pair[1])

    def empty_lines_counted(sources, targets):
        """The pairs are right, but you counted empty lines, and a pair may have two of them.

        Return the number of pairs that you dropped.
        """
        pairs, dropped = correct(sources, targets)
        if len(sources) == len(targets):
            dropped = sum(not line.strip() for line in [*sources, *targets])
        return pairs, dropped

    def dropped_lines_counted(sources, targets):
        """The pairs are right, but you counted the dropped lines, two for each pair.

        Return the number of pairs.
        """
        pairs, dropped = correct(sources, targets)
        return pairs, dropped if len(sources) != len(targets) else 2 * dropped

    def kept_counted(sources, targets):
        """The pairs are right, but you counted the pairs that you kept.

        Return how many you dropped.
        """
        pairs, _ = correct(sources, targets)
        return pairs, len(pairs)

    def line_breaks_kept(sources, targets):
        """Your sentences still have line breaks or blanks at their ends.

        You strip a line to see whether it is empty. Keep the stripped line, too.
        """
        if len(sources) != len(targets):
            return correct(sources, targets)
        both = zip(sources, targets, strict=True)
        pairs = [(s, t) for s, t in both if s.strip() and t.strip()]
        return pairs, len(sources) - len(pairs)

    def lines_of_blanks_kept(sources, targets):
        """You took a line that holds only blanks for text.

        Strip the line first, and then check whether anything is left.
        """
        if len(sources) != len(targets):
            return correct(sources, targets)
        both = zip(sources, targets, strict=True)
        pairs = [(s.strip(), t.strip()) for s, t in both if "\n" not in (s, t)]
        return pairs, len(sources) - len(pairs)

    def blanks_inside_tidied(sources, targets):
        """You changed the inside of the sentences: you turned several blanks into one.

        That may be a good idea later. Here, strip blanks only from the two ends.
        """
        pairs, dropped = correct(sources, targets)
        return [tuple(" ".join(side.split()) for side in pair) for pair in pairs], dropped

    def sides_exchanged(sources, targets):
        """Your pairs have the target first.

        Put the source first, then the target.
        """
        pairs, dropped = correct(sources, targets)
        return [(target, source) for source, target in pairs], dropped


class Right:
    """Right answers, written differently."""

    def with_a_loop(sources, targets):
        """Line by line."""
        if len(sources) != len(targets):
            return [], max(len(sources), len(targets))
        pairs, dropped = [], 0
        for i in range(len(sources)):
            source, target = sources[i].strip(), targets[i].strip()
            if source == "" or target == "":
                dropped += 1
                continue
            pairs.append((source, target))
        return pairs, dropped

    def with_an_exception(sources, targets):
        """Lets zip notice that the lengths differ."""
        try:
            both = [(s.strip(), t.strip()) for s, t in zip(sources, targets, strict=True)]
        except ValueError:
            return [], max(len(sources), len(targets))
        kept = [(s, t) for s, t in both if s and t]
        return kept, len(both) - len(kept)

    def with_places(sources, targets):
        """First finds the lines that have text on both sides."""
        full = [{i for i, line in enumerate(side) if line.strip()} for side in (sources, targets)]
        if len(sources) != len(targets):
            return [], max(map(len, (sources, targets)))
        places = sorted(full[0] & full[1])
        return [(sources[i].strip(), targets[i].strip()) for i in places], len(sources) - len(places)

    def with_lists_for_pairs(sources, targets):
        """Pairs as lists, in a list."""
        longer = max(len(sources), len(targets))
        if len(sources) + len(targets) != 2 * longer:
            return [[], longer]
        pairs = [[s.strip(), t.strip()] for s, t in zip(sources, targets, strict=True)]
        pairs = [pair for pair in pairs if min(map(len, pair)) > 0]
        return [pairs, longer - len(pairs)]


EXERCISE = Exercise(
    id="paired_lines",
    oracle=correct,
    hint="Write both files side by side on paper and strike out whole rows. How many rows did you "
    "strike out? And what do you do if one column is longer?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
