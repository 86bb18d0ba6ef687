"""The exercise ``which_transcription``: two copies of A03, run and compared (chapter 2)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

BOTH = {"text layer": "j", "OCR": "i"}


def cases(draw: Draw) -> list[Case]:
    """Sentences that tell the letters apart, early, late or never; some are too short for i."""
    names = ("the", "dog", "sleeps", "in", "a", "garden", "and", "dreams", "of", "seven", "cats")

    def sentence(length):
        start = int(draw.ids(1, lowest=0, highest=len(names) - 1))
        return [f"{names[(start + j) % len(names)]}{j + 1}" for j in range(length)]

    by_hand = [["No"], ["Anna", "sleeps"], ["very", "very", "deep"]]
    others = {"first copy": "i", "second copy": "j", "third copy": "i"}
    late = [["Help"], ["no", "no"], ["so", "so", "so"], sentence(7), sentence(8)]
    return [
        Case("three sentences, the first of one word", (BOTH, by_hand), by_hand=True),
        Case("one sentence of five words", (BOTH, [sentence(5)])),
        Case("one sentence of one word", (BOTH, [sentence(1)])),
        Case("one sentence that repeats its word", (BOTH, [["no", "no", "no"]])),
        Case("three sentences of one word", (BOTH, [["Yes"], ["No"], ["Help"], sentence(4)])),
        Case("only the last words differ", (BOTH, [["no", "no", "no", "cats"]])),
        Case("the fourth sentence tells them apart", (BOTH, late)),
        Case("three copies", (others, [sentence(1), sentence(3), sentence(4)])),
        Case("two copies with j", ({"mine": "j", "yours": "j"}, [sentence(3), sentence(1)])),
        Case("capitals", (BOTH, [["No", "no", "no"], ["yes", "Yes"]])),
        Case("a sentence as long as its number", (BOTH, [["no"], ["no", "no"], ["so", "so"]])),
        Case("too short, and then different words", (BOTH, [["no"], ["no"], sentence(4)])),
        Case("too short and of different words", (BOTH, [["no"], ["no", "no"], ["a", "b"]])),
        Case("word 2 fits", (BOTH, [["a"], ["b", "a"], ["a", "a", "b"]])),
        Case("the first word differs", (BOTH, [["no"], ["yes", "no", "no"]])),
        Case("a word in the middle differs", (BOTH, [["no"], ["no", "no", "so", "no"]])),
        Case("other names", ({"OCR": "j", "text layer": "i"}, [["a"], ["a", "b"]])),
        Case("first i, then j", ({"scan": "i", "print": "j"}, [["a", "b"], ["a", "b"]])),
        Case("no sentences", (BOTH, [])),
    ]


def correct(transcriptions, sentences):
    """For each name the first sentence whose rows come out wrong, or None."""
    return {name: _first(letter, sentences) for name, letter in transcriptions.items()}


def _wrong(letter, sentences, words_of=None):
    """The numbers of the sentences that a letter gets wrong."""
    words_of = words_of or _words_embedded
    return [i for i, words in enumerate(sentences, 1) if words_of(letter, i, words) != words]


def _first(letter, sentences, words_of=None):
    """The number of the first sentence that a letter gets wrong."""
    return next(iter(_wrong(letter, sentences, words_of)), None)


def _each(transcriptions, sentences, words_of):
    """For each name the first sentence that its letter gets wrong."""
    return {name: _first(letter, sentences, words_of) for name, letter in transcriptions.items()}


def _words_embedded(letter, i, words):
    """The word whose row each position of sentence i gets; None where there is no such word."""
    numbers = [j if letter == "j" else i for j in range(1, len(words) + 1)]
    return [words[k - 1] if k <= len(words) else None for k in numbers]


class Wrong:
    """What learners write, the more particular before the more general."""

    def letters_exchanged(transcriptions, sentences):
        """You exchanged the letters: i numbers the sentences here, and j the words.

        Which of the two changes while you go through one sentence?
        """
        return {
            name: _first("i" if letter == "j" else "j", sentences)
            for name, letter in transcriptions.items()
        }

    def judged_without_running(transcriptions, sentences):
        """You reject every copy with i at sentence 1, whatever the sentences are.

        Take a sentence of one word, with i = 1. What does the copy with i embed there?
        """
        return {name: None if letter == "j" else 1 for name, letter in transcriptions.items()}

    def only_word_i(transcriptions, sentences):
        """You count a sentence as wrong only if it has no word i. One that has a word i can come
        out wrong, too.

        Compare the rows at *all* positions j of the sentence. At position j = i, both copies agree.
        """

        def word_i(letter, i, words):
            return [None] if letter == "i" and len(words) < i else words

        return _each(transcriptions, sentences, word_i)

    def only_the_number_of_rows(transcriptions, sentences):
        """You reject no copy. It is not enough that each position gets a row.

        With i in place of j, which word does each of these rows belong to?
        """
        return dict.fromkeys(transcriptions)

    def only_the_first_word(transcriptions, sentences):
        """You compare the first word of each sentence, and no other.

        A copy can be right at position 1 and wrong at position 2.
        """

        def first_word(letter, i, words):
            return _words_embedded(letter, i, words)[:1] + words[1:]

        return {
            name: _first(letter, sentences, first_word) for name, letter in transcriptions.items()
        }

    def only_the_first_sentence(transcriptions, sentences):
        """You try the first sentence and then stop. It may be one that cannot tell the copies
        apart.

        Go on to the next sentence as long as nothing is wrong.
        """
        return correct(transcriptions, sentences[:1])

    def last_sentence(transcriptions, sentences):
        """You return the last sentence that a copy gets wrong. The question asks for the first.

        Once you have found a sentence that is wrong, look no further.
        """
        wrong = {name: _wrong(letter, sentences) for name, letter in transcriptions.items()}
        return {name: numbers[-1] if numbers else None for name, numbers in wrong.items()}

    def counted(transcriptions, sentences):
        """You return how many sentences a copy gets wrong. The question asks for the number of the
        first one.

        Number the sentences from 1, and return the number at which you stop.
        """
        return {
            name: len(_wrong(letter, sentences)) or None for name, letter in transcriptions.items()
        }

    def reported_from_0(transcriptions, sentences):
        """You find the right sentences, but their numbers count from 0. Document A counts from 1.

        `enumerate(sentences, 1)` counts from 1.
        """
        return {
            name: None if number is None else number - 1
            for name, number in correct(transcriptions, sentences).items()
        }

    def sentences_from_0(transcriptions, sentences):
        """You look for word i one place too early: at word i − 1 of sentence i, and at the last
        word of sentence 1.

        Document A counts both from 1, so in sentence 1 the letter i means the first word.
        """

        def shifted(letter, i, words):
            if letter == "j":
                return words
            return [words[i - 2]] * len(words) if i - 1 <= len(words) else []

        return _each(transcriptions, sentences, shifted)

    def words_from_0(transcriptions, sentences):
        """You look for word i one place too far: you use `words[i]`, or you ask for more than i
        words. Python counts from 0.

        With i counted from 1, word i is `words[i - 1]`.
        """

        def shifted(letter, i, words):
            if letter == "j":
                return words
            return [words[i]] * len(words) if i < len(words) else []

        return _each(transcriptions, sentences, shifted)

    def too_short_is_fine(transcriptions, sentences):
        """You pass over a sentence that has no word i. But then the copy cannot embed it at all.

        If there is no word with this number, the sentence comes out wrong.
        """

        def lenient(letter, i, words):
            return words if i > len(words) else _words_embedded(letter, i, words)

        return _each(transcriptions, sentences, lenient)

    def too_short_stops(transcriptions, sentences):
        """Your function stops at a sentence that has no word i.

        Ask first whether the sentence has that many words. If not, the copy is wrong there.
        """

        def strict(letter, i, words):
            return [words[(j if letter == "j" else i) - 1] for j in range(1, len(words) + 1)]

        return _each(transcriptions, sentences, strict)

    def zero_for_none(transcriptions, sentences):
        """You return 0 for a copy that is right everywhere. The question asks for None.

        0 looks like the number of a sentence; None says that there is none.
        """
        return {name: number or 0 for name, number in correct(transcriptions, sentences).items()}

    def names_that_remain(transcriptions, sentences):
        """You return the names of the copies that are right everywhere.

        The question asks for a dictionary: for each name the number of the first sentence that
        comes out wrong, or None.
        """
        return [
            name for name, number in correct(transcriptions, sentences).items() if number is None
        ]

    def by_the_name(transcriptions, sentences):
        """You go by the *name* of a copy, and not by its letter.

        The same copies may have other names. Where does the letter stand?
        """
        letters = {name: "i" if name == "OCR" else "j" for name in transcriptions}
        return correct(letters, sentences)

    def numbers_compared(transcriptions, sentences):
        """You compare the *numbers* of words, so a sentence that repeats its word counts as wrong.

        Equal words have equal rows. Compare words.
        """

        def embedded(letter, i, words):
            right = letter == "j" or [i] * len(words) == list(range(1, len(words) + 1))
            return words if right else []

        return {
            name: _first(letter, sentences, embedded) for name, letter in transcriptions.items()
        }

    def first_that_is_right(transcriptions, sentences):
        """You return the first sentence that a copy gets *right*.

        The question asks for the first one that it gets wrong.
        """

        def other(letter):
            wrong = _wrong(letter, sentences)
            return next((i for i in range(1, len(sentences) + 1) if i not in wrong), None)

        return {name: other(letter) for name, letter in transcriptions.items()}

    def right_ones_left_out(transcriptions, sentences):
        """You left out the copies that are right on all sentences.

        They belong to the result, with None.
        """
        return {k: v for k, v in correct(transcriptions, sentences).items() if v is not None}

    def by_the_letters(transcriptions, sentences):
        """The names in your result are the letters.

        Use the names of the copies.
        """
        return {transcriptions[k]: v for k, v in correct(transcriptions, sentences).items()}

    def from_0_and_the_last_word(transcriptions, sentences):
        """You count from 0 and look for word i at `words[i - 1]`. In the first sentence, this is
        the *last* word.

        Document A counts both from 1.
        """
        found = {}
        for name, letter in transcriptions.items():
            found[name] = None
            for i, words in enumerate(sentences):
                right = letter == "j" or (i <= len(words) and set(words) <= {words[i - 1]})
                if not right and found[name] is None:
                    found[name] = i
        return found

    def wrong_from_two_words_on(transcriptions, sentences):
        """For a copy with i, you count a sentence as wrong exactly when it has two words or more.

        A sentence that repeats its word may get the right rows: compare words. And a sentence
        without a word i comes out wrong.
        """

        def embedded(letter, i, words):
            return words if letter == "j" or len(words) == 1 else []

        return {
            name: _first(letter, sentences, embedded) for name, letter in transcriptions.items()
        }

    def first_two_words_compared(transcriptions, sentences):
        """You compare the first two words of each sentence, and no others.

        A copy can be right at positions 1 and 2 and wrong at position 3.
        """

        def embedded(letter, i, words):
            return _words_embedded(letter, i, words)[:2] + words[2:]

        return _each(transcriptions, sentences, embedded)

    def last_word_compared(transcriptions, sentences):
        """You compare the last word of each sentence, and no other.

        A copy can be right at the last position and wrong at another.
        """

        def embedded(letter, i, words):
            return words[:-1] + _words_embedded(letter, i, words)[-1:]

        return {
            name: _first(letter, sentences, embedded) for name, letter in transcriptions.items()
        }

    def only_whether_all_words_are_equal(transcriptions, sentences):
        """You ask whether all words of a sentence are equal, and not whether it has a word i.

        If there is no word with this number, the sentence comes out wrong.
        """

        def embedded(letter, i, words):
            return words if letter == "j" or len(set(words)) == 1 else []

        return _each(transcriptions, sentences, embedded)

    def search_ends_at_a_short_sentence(transcriptions, sentences):
        """You end the search at a sentence that has no word i, and report nothing.

        If there is no word with this number, the sentence comes out wrong.
        """
        found = {}
        for name, letter in transcriptions.items():
            short = [i for i, words in enumerate(sentences, 1) if letter == "i" and len(words) < i]
            found[name] = _first(letter, sentences[: min(short, default=len(sentences) + 1) - 1])
        return found

    def one_answer_for_all(transcriptions, sentences):
        """All copies get the result of the first one that is wrong.

        Judge each copy by its own letter.
        """
        found = [v for v in correct(transcriptions, sentences).values() if v is not None]
        return dict.fromkeys(transcriptions, min(found, default=None))

    def the_last_copy_for_all(transcriptions, sentences):
        """All copies get the result of the last copy.

        Start anew with each copy.
        """
        found = list(correct(transcriptions, sentences).values())
        return dict.fromkeys(transcriptions, found[-1])

    def minus_1_for_none(transcriptions, sentences):
        """You return −1 for a copy that is right everywhere. The question asks for None.

        None says that there is no such sentence. −1 is still a number.
        """
        return {k: v or -1 for k, v in correct(transcriptions, sentences).items()}

    def text_for_none(transcriptions, sentences):
        """You return a text such as "None" for a copy that is right everywhere.

        Return `None` itself, without quotes.
        """
        return {k: v or "None" for k, v in correct(transcriptions, sentences).items()}

    def right_or_wrong(transcriptions, sentences):
        """You return True or False for each copy.

        The question asks for the number of the first sentence that a copy gets wrong, or None.
        """
        return {k: v is None for k, v in correct(transcriptions, sentences).items()}

    def all_wrong_ones(transcriptions, sentences):
        """You return all sentences that a copy gets wrong.

        The question asks for the first one.
        """
        return {k: _wrong(letter, sentences) for k, letter in transcriptions.items()}

    def the_sentence_itself(transcriptions, sentences):
        """You return the sentence, and not its number.

        Number the sentences from 1.
        """
        found = correct(transcriptions, sentences)
        return {k: v and sentences[v - 1] for k, v in found.items()}

    def the_position(transcriptions, sentences):
        """You return the *position* at which the first wrong sentence goes wrong.

        The question asks for the number of the sentence.
        """
        found = {}
        for name, letter in transcriptions.items():
            found[name] = i = _first(letter, sentences)
            if i is not None:
                got = _words_embedded(letter, i, sentences[i - 1])
                found[name] = next(j for j, w in enumerate(sentences[i - 1], 1) if w != got[j - 1])
        return found

    def capitals_ignored(transcriptions, sentences):
        """You take *No* and *no* for the same word.

        Compare the words as they are written.
        """
        return correct(transcriptions, [[word.lower() for word in words] for words in sentences])

    def as_pairs(transcriptions, sentences):
        """You return a list of pairs.

        Return a dictionary.
        """
        return list(correct(transcriptions, sentences).items())

    def only_ends_compared(transcriptions, sentences):
        """You compare the first word of a sentence with the last, and no others.

        Compare the words at all positions.
        """

        def embedded(letter, i, words):
            return words if letter == "j" or (i <= len(words) and words[0] == words[-1]) else []

        return _each(transcriptions, sentences, embedded)

    def too_short_for_either(transcriptions, sentences):
        """You count a sentence without word i as wrong for the copy with j, too, and compare no
        words.

        The letter j asks for words 1 to n of a sentence, and these are there.
        """

        def embedded(letter, i, words):
            return words if i <= len(words) else []

        return _each(transcriptions, sentences, embedded)

    def too_short_counts_for_both(transcriptions, sentences):
        """You count a sentence without word i as wrong for the copy with j, too.

        The letter j asks for words 1 to n of a sentence, and these are there.
        """

        def embedded(letter, i, words):
            return _words_embedded(letter, i, words) if i <= len(words) else []

        return _each(transcriptions, sentences, embedded)

    def always_the_second(transcriptions, sentences):
        """You return 2 for every copy with i.

        It depends on the sentences. Run both copies on them.
        """
        return {name: None if letter == "j" else 2 for name, letter in transcriptions.items()}

    def wrong_where_word_i_occurs_once(transcriptions, sentences):
        """For a copy with i, you count a sentence as wrong exactly when its word i occurs only
        once.

        If sentence 1 has a single word, it comes out right. A sentence without a word i comes out
        wrong. Compare all positions.
        """

        def embedded(letter, i, words):
            return [] if letter == "i" and words.count(*words[i - 1 : i] or [""]) == 1 else words

        return _each(transcriptions, sentences, embedded)

    def last_sentence_not_tried(transcriptions, sentences):
        """You did not try the last sentence.

        Does your loop reach the end of the list?
        """
        return correct(transcriptions, sentences[:-1])

    def first_sentence_not_tried(transcriptions, sentences):
        """You did not try the first sentence, and count the others from 2.

        Begin with sentence 1. It may have several words.
        """
        return _each(transcriptions, [["no"], *sentences[1:]], _words_embedded)


class Right:
    """Right answers, written differently."""

    def with_loops(transcriptions, sentences):
        """Position by position."""
        found = {}
        for name in transcriptions:
            found[name] = None
            for i in range(1, len(sentences) + 1):
                words = sentences[i - 1]
                for j in range(1, len(words) + 1):
                    k = i if transcriptions[name] == "i" else j
                    if found[name] is None and (k > len(words) or words[k - 1] != words[j - 1]):
                        found[name] = i
        return found

    def with_different_words(transcriptions, sentences):
        """The copy with i is right where a sentence is long enough and has one word, repeated."""
        wrong = [i for i, w in enumerate(sentences, 1) if len(w) < i or len(set(w)) > 1]
        first = wrong[0] if wrong else None
        return {name: first if letter == "i" else None for name, letter in transcriptions.items()}

    def with_slices(transcriptions, sentences):
        """A slice beyond the end is empty."""
        first = None
        for i, words in reversed(list(enumerate(sentences, 1))):
            if words[i - 1 : i] * len(words) != words:
                first = i
        return {name: {"i": first, "j": None}[letter] for name, letter in transcriptions.items()}

    def with_exceptions(transcriptions, sentences):
        """Tries, and takes a missing word for a fault."""

        def fits(letter, i, words):
            try:
                return all(
                    words[{"i": i, "j": j}[letter] - 1] == word for j, word in enumerate(words, 1)
                )
            except IndexError:
                return False

        return {
            name: next((i for i, w in enumerate(sentences, 1) if not fits(letter, i, w)), None)
            for name, letter in transcriptions.items()
        }


EXERCISE = Exercise(
    id="which_transcription",
    oracle=correct,
    hint="Take sentence 2 and write down, for each position j, which word the copy with i embeds "
    "there. Where does it differ from the sentence itself?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
