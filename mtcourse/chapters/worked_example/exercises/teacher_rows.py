"""The exercise ``teacher_rows``: what the decoder reads and predicts (B15; chapter 11)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

PAD, BOS, EOS = "<PAD>", "<BOS>", "<EOS>"
WORDS = ["J'", "aime", "l'", "apprentissage", "profond"]


def cases(draw: Draw) -> list[Case]:
    """Document B's row; with and without <BOS>, <EOS> and padding; empty, and just long enough."""
    return [
        Case("document B", ([BOS, *WORDS, PAD], 8), by_hand=True),
        Case("words alone", (WORDS[:3], 6)),
        Case("<EOS> is there", ([BOS, *WORDS[:2], EOS, PAD], 6)),
        Case("<EOS> without <BOS>", ([*WORDS[:4], EOS], 7)),
        Case("just long enough", ([BOS, *WORDS], 6)),
        Case("just long enough with <EOS>", ([BOS, *WORDS[:3], EOS], 4)),
        Case("much padding", ([BOS, "oui", *7 * [PAD]], 5)),
        Case("no word", ([BOS, EOS, PAD], 3)),
        Case("no word, no <EOS>", ([BOS, PAD], 3)),
        Case("a word twice", ([BOS, "très", "très", "bien", PAD, PAD], 7)),
        Case("padding, no <BOS>", ([*WORDS[:2], PAD, PAD, PAD], 4)),
        Case("a row of one", ([BOS, EOS], 1)),
    ]


def _words(target):
    return [token for token in target if token not in (PAD, BOS, EOS)]


def _filled(row, length, with_=PAD):
    return row + [with_] * (length - len(row))


def correct(target, length):
    """<BOS> and the words; the words and <EOS>; padding behind both."""
    words = _words(target)
    return _filled([BOS, *words], length), _filled([*words, EOS], length)


class Wrong:
    """What learners write, the more particular before the more general."""

    def second_bos(target, length):
        """You put <BOS> in front even where the target already begins with it, as document B's
        does.

        First take the words alone, whatever stands around them.
        """
        first = [BOS, *target] if target[:1] == [BOS] else None
        if first is None:
            return correct(target, length)
        read, labels = correct(target, length)
        return _filled([BOS, *read], length)[:length], labels

    def second_bos_and_end(target, length):
        """You shift the target as it is printed. If it begins with <BOS>, there are two of them,
        and if it has an <EOS>, the decoder reads it.

        First take the words alone, whatever stands around them.
        """
        kept = [token for token in target if token != PAD]
        return _filled([BOS, *kept], length)[:length], correct(target, length)[1]

    def labels_without_end(target, length):
        """Your labels have no <EOS>. A model that is trained on them never learns to stop.

        Document B's target does not show <EOS>, but its model predicts it at position 5.
        """
        words = _words(target)
        return correct(target, length)[0], _filled(list(words), length)

    def labels_are_what_is_read(target, length):
        """Your labels are what the decoder reads: each position would copy its own input.

        The label of a position is the token *after* the one that it reads.
        """
        read, _ = correct(target, length)
        return read, list(read)

    def labels_begin_with_bos(target, length):
        """Your labels begin with <BOS>. The decoder reads <BOS> and never has to predict it.

        What should the first position predict?
        """
        words = _words(target)
        return correct(target, length)[0], _filled([BOS, *words, EOS], length)[:length]

    def read_has_the_end(target, length):
        """The decoder reads <EOS>. After the end nothing is predicted, so it is only a label.

        Which label would belong to a position that reads <EOS>?
        """
        words = _words(target)
        return _filled([BOS, *words, EOS], length)[:length], correct(target, length)[1]

    def both_have_everything(target, length):
        """Both rows hold <BOS>, the words and <EOS>: nothing is shifted.

        One of the two rows begins one token later than the other.
        """
        whole = _filled([BOS, *_words(target), EOS], length)[:length]
        return whole, list(whole)

    def no_bos(target, length):
        """The decoder does not read <BOS>, so it has nothing to read when it predicts the first
        word.

        What does the first position read?
        """
        return _filled(list(_words(target)), length), correct(target, length)[1]

    def as_printed(target, length):
        """You use the target as it is printed for both rows, and only fill or cut it to the length.

        What does each position read, and what should it predict?
        """
        row = _filled(list(target), length)[:length]
        return row, list(row)

    def labels_as_printed(target, length):
        """Your labels are the target as it is printed.

        They should be the words and <EOS>, whatever stands around the words in print.
        """
        return correct(target, length)[0], _filled(list(target), length)[:length]

    def read_as_printed(target, length):
        """The decoder reads the target as it is printed.

        It should read <BOS> and the words, whatever stands around the words in print.
        """
        return _filled(list(target), length)[:length], correct(target, length)[1]

    def end_in_the_last_position(target, length):
        """<EOS> stands in the last position, behind the padding.

        It is the label of the position that reads the last word.
        """
        words = _words(target)
        return correct(target, length)[0], [*_filled(list(words), length - 1), EOS]

    def end_replaces_the_last_word(target, length):
        """<EOS> took the place of the last word in your labels.

        The last word has to be predicted, too.
        """
        words = _words(target)
        labels = [*words[:-1], EOS] if words else [EOS]
        return correct(target, length)[0], _filled(labels, length)

    def last_word_is_not_read(target, length):
        """The decoder does not read the last word.

        Which position predicts <EOS>, and what does it read?
        """
        words = _words(target)
        return _filled([BOS, *words[:-1]], length), correct(target, length)[1]

    def not_filled(target, length):
        """You return rows without padding. Each should have `length` tokens.

        Count how many <PAD> are missing: `length` minus the tokens that are there.
        """
        words = _words(target)
        return [BOS, *words], [*words, EOS]

    def labels_one_shorter(target, length):
        """Your labels are one token shorter than `length`.

        Each position needs a label. Which symbol fills the end?
        """
        read, labels = correct(target, length)
        return read, labels[:-1]

    def one_longer(target, length):
        """Both rows are one token longer than `length`.

        How many <PAD> are needed besides <BOS>, or <EOS>, and the words?
        """
        read, labels = correct(target, length)
        return [*read, PAD], [*labels, PAD]

    def filled_with_the_end(target, length):
        """You fill the labels with <EOS>.

        Behind the first <EOS> stands padding, which the loss leaves out.
        """
        return correct(target, length)[0], _filled(_words(target), length, EOS)

    def both_filled_with_the_end(target, length):
        """You fill both rows with <EOS>.

        Behind the sentence stands padding, which is hidden and left out of the loss.
        """
        words = _words(target)
        return _filled([BOS, *words], length, EOS), _filled(words, length, EOS)

    def filled_with_bos(target, length):
        """You fill what is read with <BOS>.

        Behind the sentence stands padding, which is hidden and left out of the loss.
        """
        return _filled([BOS, *_words(target)], length, BOS), correct(target, length)[1]

    def filled_in_front(target, length):
        """The padding stands in front.

        Document B's rows have it at the end.
        """
        words = _words(target)
        gap = [PAD] * (length - len(words) - 1)
        return [*gap, BOS, *words], [*gap, *words, EOS]

    def first_always_dropped(target, length):
        """You drop the first token, whatever it is. Not every target begins with <BOS>.

        Ask what the token is before you drop it.
        """
        words = _words(target[1:])
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def last_always_dropped(target, length):
        """You drop the last token, whatever it is. Not every target ends with a symbol.

        Ask what the token is before you drop it.
        """
        words = _words(target[:-1])
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def both_ends_dropped(target, length):
        """You drop the first and the last token, whatever they are.

        Ask what a token is before you drop it.
        """
        words = _words(target[1:-1])
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def end_twice(target, length):
        """Where the target already has an <EOS>, your labels have two.

        First take the words alone, whatever stands around them.
        """
        read, labels = correct(target, length)
        if EOS not in target:
            return read, labels
        return read, _filled([*_words(target), EOS, EOS], length)[:length]

    def end_only_if_printed(target, length):
        """Your labels have <EOS> only where the target shows it. Document B's does not.

        The model must learn to stop after every sentence.
        """
        words = _words(target)
        labels = [*words, EOS] if EOS in target else list(words)
        return correct(target, length)[0], _filled(labels, length)

    def bos_only_if_printed(target, length):
        """The decoder reads <BOS> only where the target shows it.

        What does the first position read if the target begins with a word?
        """
        words = _words(target)
        read = [BOS, *words] if BOS in target else list(words)
        return _filled(read, length), correct(target, length)[1]

    def shifted_left_twice(target, length):
        """Your labels are one position too early: the first word is missing.

        What should the position predict that reads <BOS>?
        """
        words = _words(target)
        return correct(target, length)[0], _filled([*words[1:], EOS], length)

    def labels_two_later(target, length):
        """Your labels are one position too late: each position predicts the word that it reads.

        What should the position predict that reads <BOS>?
        """
        words = _words(target)
        return correct(target, length)[0], _filled([PAD, *words, EOS], length)[:length]

    def rows_exchanged(target, length):
        """You return the two rows in the wrong order.

        First what the decoder reads, then the labels.
        """
        return correct(target, length)[::-1]

    def labels_alone(target, length):
        """You return the labels only.

        Return two rows: what the decoder reads, and the labels.
        """
        return correct(target, length)[1]

    def read_alone(target, length):
        """You return only what the decoder reads.

        Return two rows: what the decoder reads, and the labels.
        """
        return correct(target, length)[0]

    def pairs(target, length):
        """You return pairs, one for each position. Two rows are asked for.

        `zip` makes pairs of two rows; leave it out.
        """
        return list(zip(*correct(target, length), strict=True))

    def one_text_each(target, length):
        """You return two texts. Two lists of tokens are asked for.

        Leave out the `join`.
        """
        read, labels = correct(target, length)
        return " ".join(read), " ".join(labels)

    def always_eight(target, length):
        """Your rows always have eight tokens. That is document B's length.

        The second argument is the length.
        """
        return correct(target, 8)

    def as_long_as_printed(target, length):
        """Your rows are as long as the target that was given.

        The second argument is the length.
        """
        return correct(target, len(target))

    def padding_left_out_of_the_labels(target, length):
        """You fill the labels with None. Padding has a symbol of its own.

        Both rows are filled with <PAD>.
        """
        return correct(target, length)[0], _filled([*_words(target), EOS], length, None)

    def ignored_number(target, length):
        """You fill the labels with −100, a number that PyTorch's loss leaves out. These are rows of
        tokens.

        Both rows are filled with <PAD>.
        """
        return correct(target, length)[0], _filled([*_words(target), EOS], length, -100)

    def each_word_once(target, length):
        """A word that comes twice stands there only once.

        Sets and dictionaries forget repetitions. Keep the words in a list.
        """
        words = list(dict.fromkeys(_words(target)))
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def end_after_padding(target, length):
        """Your labels have <EOS> behind the padding that was printed.

        First take the words alone, whatever stands around them.
        """
        words = [token for token in target if token not in (BOS, EOS)]
        labels = _filled([*words, EOS], length)[:length]
        return correct(target, length)[0], labels

    def changes_the_target(target, length):
        """The rows are right, but your function changes the target that it was given.

        `append`, `insert`, `remove` and `pop` change a list. Work on a copy.
        """
        rows = correct(target, length)
        target.append(EOS)
        return rows

    def split_as_printed(target, length):
        """You only drop the last token for one row and the first for the other, whatever they are.

        That is right for <BOS>, words and <EOS>. Which of these does a target lack? And how long
        should the rows be?
        """
        return target[:-1], target[1:]

    def split_as_printed_and_filled(target, length):
        """You only drop the last token for one row and the first for the other, whatever they are,
        and fill or cut the rows.

        That is right for <BOS>, words and <EOS>. Which of these does a target lack?
        """
        rows = target[:-1], target[1:]
        return tuple(_filled(list(row), length)[:length] for row in rows)

    def read_has_the_end_and_is_not_cut(target, length):
        """The decoder reads <EOS>, and where the sentence just fits, its row is one too long.

        After the end nothing is predicted, so <EOS> is only a label.
        """
        return _filled([BOS, *_words(target), EOS], length), correct(target, length)[1]

    def words_alone(target, length):
        """Both of your rows lack something in front or behind: they have only the words.

        With what does the decoder begin, and what does it have to predict at the end?
        """
        words = _words(target)
        return _filled(list(words), length), _filled(list(words), length)

    def labels_without_end_unfilled(target, length):
        """Your rows are not filled up to `length`, and your labels have no <EOS>.

        What should the position predict that reads the last word?
        """
        words = _words(target)
        return [BOS, *words], list(words)

    def end_not_looked_for(target, length):
        """You forgot that the target may already have an <EOS>: then your labels have two, and the
        decoder reads one.

        First take the words alone, whatever stands around them.
        """
        words = [token for token in target if token not in (PAD, BOS)]
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def bos_not_looked_for(target, length):
        """You forgot that the target may already have a <BOS>: then the decoder reads two, and your
        labels begin with one.

        First take the words alone, whatever stands around them.
        """
        words = [token for token in target if token not in (PAD, EOS)]
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def bos_not_looked_for_and_cut(target, length):
        """You forgot that the target may already have a <BOS>: then the decoder reads two, and your
        labels begin with one. And you cut what is too long.

        First take the words alone, whatever stands around them.
        """
        words = [token for token in target if token not in (PAD, EOS)]
        rows = [BOS, *words], [*words, EOS]
        return tuple(_filled(row, length)[:length] for row in rows)

    def needs_bos(target, length):
        """Your function stops with an error where the target has no <BOS>.

        `index` and `remove` need something to find. Which targets have no <BOS>?
        """
        if BOS not in target:
            raise ValueError("'<BOS>' is not in list")
        return correct(target, length)

    def filled_before_it_was_split(target, length):
        """You filled one row up to `length` and took both of yours from it: they are one token too
        short, and the decoder reads <EOS>, unless the sentence just fits.

        How long must the row be from which both are taken? And does the decoder read its end?
        """
        row = _filled([BOS, *_words(target), EOS], length)
        return row[:-1], row[1:]

    def each_symbol_removed_once(target, length):
        """You take <PAD> away once. There may be more of them: they stand in front of your <EOS>.

        `remove` takes away the first that it finds. Keep what is none of the symbols.
        """
        kept = list(target)
        for symbol in (BOS, EOS, PAD):
            if symbol in kept:
                kept.remove(symbol)
        rows = [BOS, *kept], [*kept, EOS]
        return tuple(_filled(row, length)[:length] for row in rows)

    def symbols_in_small_letters(target, length):
        """You wrote the symbols in small letters. Here they are <BOS>, <EOS> and <PAD>.

        A symbol is a token: every letter counts.
        """
        return tuple(
            [token.lower() if token.startswith("<") else token for token in row]
            for row in correct(target, length)
        )

    def symbols_always_added(target, length):
        """You put <BOS> in front and <EOS> behind whatever symbols the target already has.

        What are your two rows for a target that begins with <BOS>? Take the words alone first.
        """
        kept = [token for token in target if token != PAD]
        return _filled([BOS, *kept], length), _filled([*kept, EOS], length)

    def symbols_always_added_and_cut(target, length):
        """You put <BOS> in front and <EOS> behind whatever symbols the target already has, and cut
        what is too long.

        What are your two rows for a target that begins with <BOS>? Take the words alone first.
        """
        kept = [token for token in target if token != PAD]
        rows = [BOS, *kept], [*kept, EOS]
        return tuple(_filled(row, length)[:length] for row in rows)

    def symbols_added_around_the_padding(target, length):
        """You put <BOS> in front of the target and <EOS> behind it, as it is printed, with its
        symbols and its padding.

        Take the words alone first, whatever stands around them.
        """
        return _filled([BOS, *target], length), _filled([*target, EOS], length)

    def end_before_padding_kept(target, length):
        """Where padding follows the target's <EOS>, you do not take that <EOS> off.

        Is <EOS> the last token as long as the padding is still there? What comes off first?
        """
        words = _words(target)
        if EOS in target and target[-1] == PAD:
            words = [*words, EOS]
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def needs_padding(target, length):
        """Your function stops with an error where the target has no <PAD>.

        `index` and `remove` need something to find. Which targets have no padding?
        """
        if PAD not in target:
            raise ValueError("'<PAD>' is not in list")
        return correct(target, length)

    def needs_a_word(target, length):
        """Your function stops with an error where a target of no words has no <EOS> either.

        After <BOS> is taken off, is there still a last token to look at?
        """
        if not _words(target) and EOS not in target:
            raise IndexError("list index out of range")
        return correct(target, length)

    def end_behind_the_printed_padding(target, length):
        """Where the target has no <EOS>, you put it behind the target's padding.

        Take the padding off first, then add <EOS>, then fill up to the length.
        """
        read, labels = correct(target, length)
        if EOS in target:
            return read, labels
        words = [token for token in target if token != BOS]
        return read, _filled([*words, EOS], length)[:length]

    def labels_begin_with_bos_uncut(target, length):
        """Your labels have <BOS> and <EOS>, so they begin with a token that the decoder never has
        to predict.

        What should the first position predict?
        """
        return correct(target, length)[0], _filled([BOS, *_words(target), EOS], length)

    def split_as_printed_and_not_cut(target, length):
        """You drop the last token for one row and the first for the other, whatever they are, and
        fill the rows.

        That is right for <BOS>, words and <EOS>. Which of these does a target lack? And what if
        it has more padding than fits?
        """
        return _filled(target[:-1], length), _filled(target[1:], length)

    def nothing_twice(target, length):
        """The two things that you return are both None.

        `append`, `extend` and `insert` change a list and return nothing: use them on a line of
        their own.
        """
        return None, None

    def room_for_both_symbols(target, length):
        """You leave room for <BOS> and <EOS> in the same row, and lose a word where the rows are
        just long enough.

        How many symbols stand beside the words in *one* row?
        """
        words = _words(target)[: max(length - 2, 0)]
        return _filled([BOS, *words], length), _filled([*words, EOS], length)

    def read_one_longer(target, length):
        """What the decoder reads is one token longer than `length`.

        How many <PAD> are needed besides <BOS> and the words?
        """
        read, labels = correct(target, length)
        return [*read, PAD], labels

    def labels_one_longer(target, length):
        """Your labels are one token longer than `length`.

        How many <PAD> are needed besides the words and <EOS>?
        """
        read, labels = correct(target, length)
        return read, [*labels, PAD]


class Right:
    """Right answers, written differently."""

    def by_filtering(target, length):
        """Keeps what does not begin with an angle bracket."""
        words = [token for token in target if not token.startswith("<")]
        gap = length - 1 - len(words)
        return [BOS] + words + [PAD] * gap, words + [EOS] + [PAD] * gap

    def in_a_loop(target, length):
        """Fills two rows of padding."""
        read, labels, at = [PAD] * length, [PAD] * length, 0
        read[0] = BOS
        for token in target:
            if token in (BOS, EOS, PAD):
                continue
            labels[at] = token
            at += 1
            read[at : at + 1] = [token]
        labels[at] = EOS
        return read, labels

    def from_the_whole(target, length):
        """One row with both symbols, without its last token and without its first."""
        whole = [BOS, *_words(target), EOS]
        return tuple(_filled(part, length) for part in (whole[:-1], whole[1:]))

    def by_stripping(target, length):
        """Takes symbols off both ends of a copy."""
        words = list(target)
        while words and words[-1] in (PAD, EOS):
            words.pop()
        if words and words[0] == BOS:
            words = words[1:]
        read, labels = [BOS, *words], [*words, EOS]
        while len(read) < length:
            read.append(PAD)
            labels.append(PAD)
        return [read, labels]

    def labels_from_what_is_read(target, length):
        """The labels are what is read, one position on."""
        read, _ = correct(target, length)
        last = sum(token != PAD for token in read) - 1
        labels = [*read[1:], PAD]
        labels[last] = EOS
        return read, labels

    def by_index(target, length):
        """Which token stands at each position, from the words alone."""
        words = [token for token in target if not (token[0] == "<" and token[-1] == ">")]
        n = len(words)
        read = [BOS if j == 0 else words[j - 1] if j <= n else PAD for j in range(length)]
        labels = [words[j] if j < n else EOS if j == n else PAD for j in range(length)]
        return read, labels


EXERCISE = Exercise(
    id="teacher_rows",
    oracle=correct,
    hint="Take the words alone first. One row is <BOS> and the words, the other the words and "
    "<EOS>. Fill both with <PAD> up to the length.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
