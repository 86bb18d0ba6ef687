"""The exercise ``paired_lines``: two files become pairs (A01; chapter 1)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("one file without lines", ([], ["Ja.\n", "\n", "Nee.\n"])),
        Case("tabs at the ends", (["\tYes.\t\n", "No. \n"], [" Ja.\n", "\tNee.\n"])),
        Case("a file of empty lines", (["\n", " \n"], ["Ja.\n", "Nee.\n"])),
        Case("a source that comes twice", (["No.\n", "No.\n"], ["Nee.\n", "Niet.\n"])),
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


def _refused(sources, targets, counted):
    """The right answer, except for what is counted where the lengths differ."""
    return ([], counted) if len(sources) != len(targets) else correct(sources, targets)


def _stripped(sources, targets, strip):
    """The right answer, except for how the sentences that are kept are stripped."""
    if len(sources) != len(targets):
        return correct(sources, targets)
    both = zip(sources, targets, strict=True)
    pairs = [(strip(s), strip(t)) for s, t in both if s.strip() and t.strip()]
    return pairs, len(sources) - len(pairs)


def _cut_short(sources, targets):
    """Pairs as far as the shorter file goes, and how many lines of the source are in no pair."""
    pairs = _full(sources, targets)
    return pairs, len(sources) - len(pairs)


def _empty(lines):
    """How many lines have no text."""
    return len(lines) - len(_text(lines))


def _text(lines):
    """The lines that have text."""
    return [line.strip() for line in lines if line.strip()]


class Wrong:
    """What learners write, the more particular before the more general."""

    def as_given(sources, targets):
        """You return what the colleague's `broken_pairs` returns. It drops empty lines from each
        file on its own.

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

        Calling `line.strip()` does not change `line`. Keep the text that it returns.
        """
        if len(sources) != len(targets):
            return correct(sources, targets)
        both = zip(sources, targets, strict=True)
        pairs = [(s, t) for s, t in both if s.strip() and t.strip()]
        return pairs, len(sources) - len(pairs)

    def lines_of_blanks_kept(sources, targets):
        """You took lines of spaces or tabs for text.

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

    def dropped_pairs_not_counted(sources, targets):
        """The pairs are right, but for two files of equal length you always report 0 dropped.

        Did you count after the pairs with an empty line were gone? How many lines did each file
        have when it came?
        """
        pairs, dropped = correct(sources, targets)
        return pairs, dropped if len(sources) != len(targets) else 0

    def always_0_dropped(sources, targets):
        """The pairs are right, but you always report 0 dropped.

        Compare the number of pairs with the number of lines that you were given.
        """
        return correct(sources, targets)[0], 0

    def surplus_dropped_as_pairs(sources, targets):
        """If one file has more lines, you keep the pairs that can be made, and count the surplus as
        dropped.

        A line is missing somewhere, and you cannot know where. Which of these pairs can you trust?
        """
        pairs = _full(sources, targets)
        return pairs, max(len(sources), len(targets)) - len(pairs)

    def pairs_given_though_lengths_differ(sources, targets):
        """If one file has more lines, the number that you report is right, but you return pairs.

        No pair of such files can be trusted.
        """
        return _full(sources, targets), correct(sources, targets)[1]

    def cut_to_the_shorter_and_sources_counted(sources, targets):
        """If one file has more lines, you go as far as the shorter one, and subtract the number of
        pairs from that of the source lines.

        Compare the lengths of the two files before you make any pairs.
        """
        pairs = _full(sources, targets)
        return pairs, len(sources) - len(pairs)

    def cut_to_the_shorter_and_targets_counted(sources, targets):
        """If one file has more lines, you go as far as the shorter one, and subtract the number of
        pairs from that of the target lines.

        Compare the lengths of the two files before you make any pairs.
        """
        pairs = _full(sources, targets)
        return pairs, len(targets) - len(pairs)

    def apart_but_sources_counted(sources, targets):
        """You still drop empty lines from each file on its own, and notice no difference in length.
        You count dropped pairs from the length of the source file alone.

        If you drop a line, drop its partner too, and compare the lengths of the files first.
        """
        pairs = list(zip(_text(sources), _text(targets), strict=False))
        return pairs, len(sources) - len(pairs)

    def stops_where_the_target_is_shorter(sources, targets):
        """Your function goes through the sources by index, and stops with an error if the target
        file has fewer lines.

        Compare the two lengths first.
        """
        both = [(sources[i].strip(), targets[i].strip()) for i in range(len(sources))]
        pairs = [pair for pair in both if all(pair)]
        return pairs, len(sources) - len(pairs)

    def stops_where_lengths_differ(sources, targets):
        """Your function stops with an error if one file has more lines.

        Return an empty list and the number of lines of the longer file.
        """
        both = [(s.strip(), t.strip()) for s, t in zip(sources, targets, strict=True)]
        pairs = [pair for pair in both if all(pair)]
        return pairs, len(both) - len(pairs)

    def shorter_file_counted(sources, targets):
        """For files of different lengths you reported the number of lines of the *shorter* one.

        Which of the two files loses more lines?
        """
        return _refused(sources, targets, min(len(sources), len(targets)))

    def sources_counted_where_lengths_differ(sources, targets):
        """For files of different lengths you always reported the number of source lines.

        The target may be the longer file.
        """
        return _refused(sources, targets, len(sources))

    def targets_counted_where_lengths_differ(sources, targets):
        """For files of different lengths you always reported the number of target lines.

        The source may be the longer file.
        """
        return _refused(sources, targets, len(targets))

    def both_files_counted(sources, targets):
        """For files of different lengths you reported the lines of both files together.

        Return the number of lines of the longer one.
        """
        return _refused(sources, targets, len(sources) + len(targets))

    def text_counted_where_lengths_differ(sources, targets):
        """For files of different lengths you counted only the lines with text.

        Return the number of all lines of the longer file, empty ones included.
        """
        return _refused(sources, targets, max(len(_text(sources)), len(_text(targets))))

    def only_a_shorter_target_noticed(sources, targets):
        """You notice a target file that is too short, but not one that is too long.

        A line may be missing in either file. Which comparison notices both?
        """
        if len(sources) > len(targets):
            return [], len(sources)
        return _cut_short(sources, targets)

    def only_a_shorter_source_noticed(sources, targets):
        """You notice a source file that is too short, but not one that is too long.

        A line may be missing in either file. Which comparison notices both?
        """
        if len(targets) > len(sources):
            return [], len(targets)
        return _cut_short(sources, targets)

    def lengths_of_the_text_compared(sources, targets):
        """You compare how many lines *with text* the files have. So you refuse files that fit, and
        accept files that do not.

        Two files of equal length may have different numbers of empty lines. Compare the lengths of
        the files as they came.
        """
        if len(_text(sources)) != len(_text(targets)):
            return [], max(len(sources), len(targets))
        return _cut_short(sources, targets)

    def only_line_breaks_removed(sources, targets):
        """You removed the line breaks, but blanks at the ends of a sentence stay.

        Remove blanks from both ends, too: spaces, tabs and line breaks.
        """
        return _stripped(sources, targets, lambda line: line.rstrip("\n"))

    def line_breaks_removed_and_blanks_are_text(sources, targets):
        """You removed only the line breaks. Blanks stay at the ends, and a line of blanks counts as
        text.

        `strip` with an argument removes only what stands in the argument.
        """
        if len(sources) != len(targets):
            return correct(sources, targets)
        both = [(s.rstrip("\n"), t.rstrip("\n")) for s, t in zip(sources, targets, strict=True)]
        pairs = [pair for pair in both if all(pair)]
        return pairs, len(both) - len(pairs)

    def tabs_are_text(sources, targets):
        """You removed spaces and line breaks, but no tabs.

        Blanks are spaces, tabs and line breaks. What does `strip` remove if it gets no argument?
        """
        if len(sources) != len(targets):
            return correct(sources, targets)
        both = [(s.strip(" \n"), t.strip(" \n")) for s, t in zip(sources, targets, strict=True)]
        pairs = [pair for pair in both if all(pair)]
        return pairs, len(both) - len(pairs)

    def only_the_right_end_stripped(sources, targets):
        """You removed blanks only from the right end of each sentence.

        Remove them from the left end, too.
        """
        return _stripped(sources, targets, str.rstrip)

    def only_the_left_end_stripped(sources, targets):
        """You removed blanks only from the left end of each sentence.

        Where does the line break stand?
        """
        return _stripped(sources, targets, str.lstrip)

    def last_character_cut_off(sources, targets):
        """You cut off the last character of every line. The last line of a file may have no line
        break, and loses a letter or a full stop.

        Remove blanks and line breaks only where there are any.
        """
        return _stripped(sources, targets, lambda line: line[:-1].strip())

    def last_character_cut_off_and_no_blanks(sources, targets):
        """You cut off the last character of every line, whatever it is, and leave blanks at the
        ends.

        The last line of a file may have no line break. What removes blanks, if there are any?
        """
        return _stripped(sources, targets, lambda line: line[:-1])

    def spaces_inside_removed(sources, targets):
        """You removed the blanks between the words, too.

        Leave the inside of a sentence as it is.
        """
        return _stripped(sources, targets, lambda line: "".join(line.split()))

    def lowered(sources, targets):
        """You turned capitals into small letters.

        Change nothing but the blanks at the two ends.
        """
        return _stripped(sources, targets, lambda line: line.strip().lower())

    def each_pair_once(sources, targets):
        """You dropped pairs that occur twice, too.

        That may be a good idea later. Here only pairs with an empty line are dropped.
        """
        pairs, dropped = correct(sources, targets)
        if len(sources) != len(targets):
            return pairs, dropped
        once = list(dict.fromkeys(pairs))
        return once, len(sources) - len(once)

    def each_pair_once_uncounted(sources, targets):
        """You return each pair once, though it occurs twice in the files.

        A dictionary or a set keeps one of equal things. Use a list.
        """
        pairs, dropped = correct(sources, targets)
        return list(dict.fromkeys(pairs)), dropped

    def each_source_once(sources, targets):
        """Of two pairs with the same source you keep one.

        The keys of a dictionary are all different. Sources need not be. Use a list of pairs.
        """
        pairs, dropped = correct(sources, targets)
        return list(dict(pairs).items()), dropped

    def stops_at_an_empty_line(sources, targets):
        """You stopped at the first pair with an empty line.

        Leave out this pair, and go on with the next.
        """
        pairs, dropped = correct(sources, targets)
        if len(sources) != len(targets):
            return pairs, dropped
        pairs = []
        for source, target in zip(sources, targets, strict=True):
            if not (source.strip() and target.strip()):
                break
            pairs.append((source.strip(), target.strip()))
        return pairs, len(sources) - len(pairs)

    def empty_sources_counted(sources, targets):
        """The pairs are right, but you counted only the empty *source* lines.

        A pair is also dropped if its target is empty.
        """
        pairs, dropped = correct(sources, targets)
        return pairs, dropped if len(sources) != len(targets) else _empty(sources)

    def empty_targets_counted(sources, targets):
        """The pairs are right, but you counted only the empty *target* lines.

        A pair is also dropped if its source is empty.
        """
        pairs, dropped = correct(sources, targets)
        return pairs, dropped if len(sources) != len(targets) else _empty(targets)

    def empty_sources_always_counted(sources, targets):
        """The pairs are right, but you always count the empty *source* lines.

        A pair is also dropped if its target is empty. And for files of different lengths, return
        the number of lines of the longer one.
        """
        return correct(sources, targets)[0], _empty(sources)

    def pairs_empty_on_both_sides_counted(sources, targets):
        """The pairs are right, but you counted only the pairs of which *both* lines are empty.

        One empty line is enough for a pair to be dropped.
        """
        pairs, dropped = correct(sources, targets)
        if len(sources) != len(targets):
            return pairs, dropped
        both = zip(sources, targets, strict=True)
        return pairs, sum(not s.strip() and not t.strip() for s, t in both)

    def nothing_dropped(sources, targets):
        """You keep the pairs with an empty line.

        Drop a pair if one of its lines holds only blanks.
        """
        return _kept(sources, targets, lambda pair: True)

    def counted_but_not_dropped(sources, targets):
        """You count the pairs with an empty line, which is right, but you return them, too.

        Leave them out of the list.
        """
        return _kept(sources, targets, lambda pair: True)[0], correct(sources, targets)[1]

    def number_first(sources, targets):
        """You return the number first and the pairs second.

        Return the list of pairs, then the number.
        """
        return correct(sources, targets)[::-1]

    def pairs_alone(sources, targets):
        """You return the pairs without the number of those that you dropped.

        Return two things.
        """
        return correct(sources, targets)[0]

    def dropped_ones_returned(sources, targets):
        """You return the pairs that you dropped.

        Return those that you keep.
        """
        return _kept(sources, targets, lambda pair: not all(pair))[0], correct(sources, targets)[1]

    def two_lists(sources, targets):
        """You return a list of sources and a list of targets.

        Return one list, of pairs (source, target).
        """
        pairs, dropped = correct(sources, targets)
        return ([source for source, _ in pairs], [target for _, target in pairs]), dropped

    def only_sources_stripped(sources, targets):
        """You removed blanks and line breaks from the sources, and not from the targets.

        Both sides of a pair need it.
        """
        if len(sources) != len(targets):
            return correct(sources, targets)
        both = zip(sources, targets, strict=True)
        pairs = [(s.strip(), t) for s, t in both if s.strip() and t.strip()]
        return pairs, len(sources) - len(pairs)

    def only_targets_stripped(sources, targets):
        """You removed blanks and line breaks from the targets, and not from the sources.

        Both sides of a pair need it.
        """
        if len(sources) != len(targets):
            return correct(sources, targets)
        both = zip(sources, targets, strict=True)
        pairs = [(s, t.strip()) for s, t in both if s.strip() and t.strip()]
        return pairs, len(sources) - len(pairs)

    def positions_of_the_dropped(sources, targets):
        """You return the positions of the pairs that you dropped.

        Return how many there are.
        """
        pairs, dropped = correct(sources, targets)
        if len(sources) != len(targets):
            return pairs, dropped
        both = enumerate(zip(sources, targets, strict=True))
        return pairs, [i for i, (s, t) in both if not (s.strip() and t.strip())]

    def rows_without_text_not_counted(sources, targets):
        """The pairs are right, but your number of dropped pairs leaves out those with an empty
        *source*.

        One empty line is enough for a pair to be dropped. Did you count from all lines of the file,
        or only from those with text?
        """
        pairs, dropped = correct(sources, targets)
        return pairs, dropped if len(sources) != len(targets) else len(_text(sources)) - len(pairs)

    def lines_of_both_files_minus_the_pairs(sources, targets):
        """The pairs are right, but you count dropped *lines*, of both files, also where their
        lengths differ.

        Return the number of pairs, or of lines of the longer file.
        """
        pairs, _ = correct(sources, targets)
        return pairs, len(sources) + len(targets) - 2 * len(pairs)

    def cut_short_and_the_surplus_counted(sources, targets):
        """If one file has more lines, you keep the pairs that can be made, and count only the
        surplus lines as dropped.

        No pair of such files can be trusted. Compare the lengths first.
        """
        if len(sources) == len(targets):
            return correct(sources, targets)
        pairs = _full(sources, targets)
        return pairs, abs(len(sources) - len(targets))


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
        return [(sources[i].strip(), targets[i].strip()) for i in places], len(sources) - len(
            places
        )

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
