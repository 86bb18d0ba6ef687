"""The exercise ``as_printed``: what A03 embeds with its subscripts as printed (chapter 02)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Sentences that are long enough, and sentences that are not."""
    names = ("the", "dog", "sleeps", "in", "a", "garden", "and", "dreams", "of", "seven", "cats")

    def sentence(length):
        start = int(draw.ids(1, lowest=0, highest=len(names) - 1))
        return [f"{names[(start + j) % len(names)]}{j + 1}" for j in range(length)]

    by_hand = [["Anna", "sleeps", "."], ["No", "!"], ["We", "saw", "it", "today"]]
    return [
        Case("three sentences, the second of two words", (by_hand,), by_hand=True),
        Case("one sentence", ([sentence(5)],)),
        Case("a second sentence of one word", ([sentence(4), sentence(1), sentence(6)],)),
        Case("5 sentences, two too short", ([sentence(n) for n in (4, 1, 6, 3, 9)],)),
        Case("6 long sentences", ([sentence(n) for n in (8, 7, 9, 8, 10, 7)],)),
        Case("sentences that are all too short but one", ([sentence(n) for n in (1, 1, 2, 3)],)),
        Case("no sentences", ([],)),
    ]


def correct(sentences):
    """Word i of sentence i, counted from 1, where there is one."""
    return [words[i - 1] for i, words in enumerate(sentences, 1) if len(words) >= i]


# --- wrong ---------------------------------------------------------------------------------------


def as_meant(sentences):
    """This is what the equation means: every word of every sentence. But that is not what it says.

    As printed, the same letter stands above and below. So if it is 2 above, it is 2 below.
    """
    return [word for words in sentences for word in words]


def first_words(sentences):
    """These are the first words of all sentences.

    The subscript is the number of the sentence, too. What is it for the third sentence?
    """
    return [words[0] for words in sentences]


def last_words(sentences):
    """These are the last words of all sentences. As printed, i is no length.

    What are both i's for the second sentence?
    """
    return [words[-1] for words in sentences]


def first_sentence(sentences):
    """These are the words of the first sentence.

    If i runs, it runs above and below at once.
    """
    return list(sentences[0]) if sentences else []


def sentences_and_words_from_different_ends(sentences):
    """Sentences count from 1 here, words from 0: sentence 1 gets its second word.

    Document A counts both from 1. So the first sentence gets its first word.
    """
    return [words[i] for i, words in enumerate(sentences, 1) if len(words) > i]


def sentences_counted_from_0(sentences):
    """Sentences count from 0 here, words from 1: the first sentence gets its word before the first.

    In Python that is the last one. Document A counts both from 1.
    """
    return [words[i - 1] for i, words in enumerate(sentences) if len(words) >= i]


def stops_at_the_first_that_is_too_short(sentences):
    """After a sentence that is too short nothing more comes. The next may be long enough.

    Leave out that sentence, and go on.
    """
    found = []
    for i, words in enumerate(sentences, 1):
        if len(words) < i:
            break
        found.append(words[i - 1])
    return found


def last_word_where_too_short(sentences):
    """A sentence that is too short gave its last word. But it has no word with that number.

    If there is no x with this subscript, nothing is embedded.
    """
    return [words[min(i, len(words)) - 1] for i, words in enumerate(sentences, 1)]


def begins_again_where_too_short(sentences):
    """A sentence that is too short was counted around, to its beginning again.

    If there is no x with this subscript, nothing is embedded.
    """
    return [words[(i - 1) % len(words)] for i, words in enumerate(sentences, 1)]


def nothing_for_too_short(sentences):
    """A sentence that is too short left a gap in the list. It should be left out.

    The list holds the words that are embedded, and nothing else.
    """
    return [words[i - 1] if len(words) >= i else "" for i, words in enumerate(sentences, 1)]


def none_for_too_short(sentences):
    """A sentence that is too short left a None in the list. It should be left out.

    The list holds the words that are embedded, and nothing else.
    """
    return [words[i - 1] if len(words) >= i else None for i, words in enumerate(sentences, 1)]


def stops_where_too_short(sentences):
    """For a sentence that is too short there is no such word, and Python stops.

    Ask first whether the sentence has as many words.
    """
    return [words[i - 1] for i, words in enumerate(sentences, 1)]


def from_the_end(sentences):
    """Words are counted from the end of each sentence.

    In Python -1 is the last one. Word i, counted from 1, stands at i - 1.
    """
    return [words[-i] for i, words in enumerate(sentences, 1) if len(words) >= i]


# --- right ---------------------------------------------------------------------------------------


def with_a_loop(sentences):
    """Counts by hand."""
    found, i = [], 0
    while i < len(sentences):
        if i < len(sentences[i]):
            found.append(sentences[i][i])
        i += 1
    return found


def with_slices(sentences):
    """A slice beyond the end is empty."""
    found = []
    for i, words in enumerate(sentences):
        found += words[i : i + 1]
    return found


def with_exceptions(sentences):
    """Tries, and forgives."""
    found = []
    for i in range(len(sentences)):
        try:
            found.append(sentences[i][i])
        except IndexError:
            continue
    return found


def over_all_places(sentences):
    """All pairs of a sentence and a word, of which those count that have one number."""
    return [
        word for i, words in enumerate(sentences, 1) for j, word in enumerate(words, 1) if i == j
    ]


def as_a_tuple(sentences):
    """In another kind of sequence."""
    return tuple(correct(sentences))


EXERCISE = Exercise(
    id="as_printed",
    oracle=correct,
    hint="Put i = 1 into the printed equation, at every place where it stands. Which word of which "
    "sentence is it? Then i = 2, and i = 3.",
    misconceptions=(
        as_meant,
        first_words,
        last_words,
        first_sentence,
        sentences_and_words_from_different_ends,
        sentences_counted_from_0,
        stops_at_the_first_that_is_too_short,
        last_word_where_too_short,
        begins_again_where_too_short,
        nothing_for_too_short,
        none_for_too_short,
        stops_where_too_short,
        from_the_end,
    ),
    right=(with_a_loop, with_slices, with_exceptions, over_all_places, as_a_tuple),
    cases=cases,
)
