"""The exercise ``memory_answer``: the translation memory, a baseline (chapter 20)."""

from __future__ import annotations

from collections import Counter

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Memories in which another measure, another order or another side finds another pair."""
    words = ["open", "close", "the", "file", "window", "files", "dialog", "new", "cell", "cells"]

    def sentence():
        return " ".join(words[i] for i in draw.ids(draw.size(2, 5), lowest=0, highest=9).tolist())

    manual = [
        ("Open the file.", "Öffnen Sie die Datei."),
        ("Close the file.", "Schließen Sie die Datei."),
        ("Close the dialog.", "Schließen Sie den Dialog."),
    ]
    long = [
        ("Open the file and then close all of the other windows of the program.", "lang"),
        ("Open a file.", "kurz"),
    ]
    short = [("Open", "Teil"), ("Open the next file in the same window.", "ganz")]
    twice = [("Open it.", "erste"), ("Open it.", "zweite"), ("Close it.", "dritte")]
    repeated = [("banana", "viele"), ("banatana na", "andere"), ("banan", "wenige")]
    capitals = [("SAVE AS", "groß"), ("save it", "klein"), ("sable ass", "anders")]
    blanks = [("re set", "getrennt"), ("reseth", "zusammen"), ("resent", "ähnlich")]
    swapped = [("file open the", "vertauscht"), ("open the tile", "fast"), ("the", "Artikel")]
    tail = [("close the window now", "Ende gleich"), ("open the door", "Anfang gleich")]
    target = [("abcd", "open it"), ("open at", "wxyz")]
    longest = [("new cells", "eins"), ("new cells new cells", "zwei"), ("new", "drei")]
    marked = [("Save as", "ohne Punkte"), ("Save as...", "mit Punkten")]
    last = [("abcd", "zuletzt im Alphabet"), ("efgh", "Anfang")]
    loose = [("ab cd ef gh", "lose"), ("abcdefxx", "am Stück")]
    cut = [("the cell was cut", "Ende anders"), ("what the cell wash", "Ende gleich")]
    runs = [
        ("zzz qqq", "nichts"),
        ("big file by all means the last", "zwei Wörter"),
        ("opens thes bigs files", "viele Stücke"),
    ]
    apart = [("note", "keins"), ("cell note line", "zwei"), ("tab note", "eins")]
    pairs = [(sentence(), f"{number}") for number in range(9)]
    return [
        Case("a manual", ("Open the files.", manual, 4), by_hand=True),
        Case("a long source that contains much", ("Open the file.", long, 4), by_hand=True),
        Case("a short source that is contained", ("Open the next files.", short, 4)),
        Case("the same source twice", ("Open it!", twice, 4)),
        Case("repeated letters", ("banananana", repeated, 3)),
        Case("capitals", ("save as", capitals, 3)),
        Case("blanks", ("reset", blanks, 3)),
        Case("pairs of letters in common", ("abcd", [("abbccd", "bi"), ("zabcz", "tri")], 3)),
        Case("words in another order", ("open the file", swapped, 4)),
        Case("the end is the same", ("keep the window now", tail, 4)),
        Case("the target looks like the question", ("open it", target, 3)),
        Case("a source twice as long", ("new cell", longest, 4)),
        Case("nothing in common", ("xyzxyz", manual, 4)),
        Case("words that are a little longer", ("open the big file", runs, 2)),
        Case("no piece of 3 in common, but shorter ones", ("row page page", apart, 3)),
        Case("punctuation", ("Save as...", marked, 4)),
        Case("nothing in common, the first is late in the alphabet", ("xyzxyz", last, 2)),
        Case("long pieces, n = 5", ("abcdefgh", loose, 5)),
        Case("single characters, n = 1", ("abc", [("cab", "alle"), ("abcd", "Anfang")], 1)),
        Case("pieces shorter than n at the end", ("the cell was", cut, 4)),
        Case("a question shorter than n", ("ab", [("abc", "drei"), ("ab", "zwei")], 4)),
        Case("an equal source later", ("the file", [("the files", "fast"), ("the file", "!")], 2)),
        Case("drawn, n = 3", (sentence(), pairs, 3)),
        Case("drawn, n = 2", (sentence(), pairs, 2)),
    ]


def _grams(text, n):
    return {text[i : i + n] for i in range(max(1, len(text) - n + 1))}


def correct(sentence, pairs, n):
    """The target of the first pair whose source has the largest Jaccard similarity."""
    return _most(_jaccard)(sentence, pairs, n)


def _jaccard(a, b):
    return len(a & b) / len(a | b)


def _most(measure, grams=_grams):
    """The answer of a memory with another measure, or with other pieces of the text."""

    def run(sentence, pairs, n):
        asked = grams(sentence, n)
        return max(pairs, key=lambda pair: measure(asked, grams(pair[0], n)))[1]

    return run


class Wrong:
    """What learners write, the more particular before the more general."""

    def the_source(sentence, pairs, n):
        """You return the source that you found. The memory gives its *translation*.

        Which part of a pair does the reader want?
        """
        asked = _grams(sentence, n)
        return max(pairs, key=lambda pair: _jaccard(asked, _grams(pair[0], n)))[0]

    def the_pair(sentence, pairs, n):
        """You return the whole pair. Return its translation alone.

        A pair is a tuple of two texts.
        """
        asked = _grams(sentence, n)
        return max(pairs, key=lambda pair: _jaccard(asked, _grams(pair[0], n)))

    def the_similarity(sentence, pairs, n):
        """You return how similar the nearest source is. Return the translation that belongs to it.

        `max` with a `key` returns the pair, not the key.
        """
        asked = _grams(sentence, n)
        return max(_jaccard(asked, _grams(source, n)) for source, _ in pairs)

    def the_place(sentence, pairs, n):
        """You return the number of the nearest pair. Return its translation.

        Take the pair at this place, and its second text.
        """
        asked = _grams(sentence, n)
        return max(range(len(pairs)), key=lambda i: _jaccard(asked, _grams(pairs[i][0], n)))

    def compared_with_targets(sentence, pairs, n):
        """You compare the sentence with the *translations*. They are in the other language.

        Which side of a pair is in the language of the question?
        """
        asked = _grams(sentence, n)
        return max(pairs, key=lambda pair: _jaccard(asked, _grams(pair[1], n)))[1]

    def the_least_similar(sentence, pairs, n):
        """You return the translation of the *least* similar source.

        Jaccard similarity is large where texts are alike; a distance is small there.
        """
        asked = _grams(sentence, n)
        return min(pairs, key=lambda pair: _jaccard(asked, _grams(pair[0], n)))[1]

    def the_last_of_equals(sentence, pairs, n):
        """Of several equally similar sources you take the last. The question asks for the first.

        Replace the best only where a similarity is larger, not where it is equal.
        """
        asked = _grams(sentence, n)
        return max(reversed(pairs), key=lambda pair: _jaccard(asked, _grams(pair[0], n)))[1]

    def shared_grams_alone(sentence, pairs, n):
        """Your measure grows with every n-gram in common, whatever else stands in the source. A
        long source has many.

        Divide by the size of the union.
        """
        return _most(lambda a, b: len(a & b))(sentence, pairs, n)

    def share_of_the_known(sentence, pairs, n):
        """You divide by the n-grams of the known source. A single word that is contained then wins.

        Divide by the n-grams that stand in either of the two.
        """
        return _most(lambda a, b: len(a & b) / len(b))(sentence, pairs, n)

    def share_of_the_smaller(sentence, pairs, n):
        """You divide by the smaller of the two sets. Whatever is contained then counts as equal.

        Divide by the n-grams that stand in either of the two.
        """
        return _most(lambda a, b: len(a & b) / min(len(a), len(b)))(sentence, pairs, n)

    def nearest_length(sentence, pairs, n):
        """You compare the lengths. Sentences of one length may have nothing in common.

        Build the set of n-grams of each text first.
        """
        return min(pairs, key=lambda pair: abs(len(pair[0]) - len(sentence)))[1]

    def counted_grams(sentence, pairs, n):
        """You count repeated n-grams as often as they occur. Use *sets*.

        In a set each n-gram stands once.
        """

        def grams(text, n):
            return Counter(text[i : i + n] for i in range(max(1, len(text) - n + 1)))

        def measure(a, b):
            return sum((a & b).values()) / sum((a | b).values())

        return _most(measure, grams)(sentence, pairs, n)

    def words(sentence, pairs, n):
        """You compare words. The question asks for pieces of n *characters*, which also see that
        "file" and "files" are alike.

        Cut the text itself: characters i to i + n.
        """
        return _most(_jaccard, lambda text, n: set(text.split()) or {""})(sentence, pairs, n)

    def single_characters(sentence, pairs, n):
        """You compare single letters. Nearly all sentences share most of them.

        A piece has n characters in a row.
        """
        return _most(_jaccard, lambda text, n: set(text))(sentence, pairs, n)

    def one_too_short(sentence, pairs, n):
        """Your pieces have n − 1 characters, or n + 1.

        In Python, `text[i : i + n]` has n characters.
        """
        return _most(_jaccard, lambda text, n: _grams(text, n - 1))(sentence, pairs, n)

    def small_letters(sentence, pairs, n):
        """You ignore capitals. Here, texts are compared as they are.

        Leave out `lower`.
        """
        return _most(_jaccard, lambda text, n: _grams(text.lower(), n))(sentence, pairs, n)

    def without_blanks(sentence, pairs, n):
        """You take the blanks out. Here, a blank is a character like any other.

        Cut the text as it is.
        """
        return _most(_jaccard, lambda text, n: _grams("".join(text.split()), n))(sentence, pairs, n)

    def cut_in_steps(sentence, pairs, n):
        """You cut the text into pieces one after the other. The pieces overlap: there is one at
        each character.

        Go on by 1, not by n.
        """

        def grams(text, n):
            return {text[i : i + n] for i in range(0, max(1, len(text)), n)}

        return _most(_jaccard, grams)(sentence, pairs, n)

    def last_gram_forgotten(sentence, pairs, n):
        """You leave out the last n-gram.

        A text of k characters has k − n + 1 of them.
        """

        def grams(text, n):
            return {text[i : i + n] for i in range(max(1, len(text) - n))}

        return _most(_jaccard, grams)(sentence, pairs, n)

    def without_punctuation(sentence, pairs, n):
        """You take the punctuation out. Here, texts are compared as they are.

        A full stop is a character like any other.
        """

        def grams(text, n):
            return _grams("".join(c for c in text if c.isalnum() or c == " "), n)

        return _most(_jaccard, grams)(sentence, pairs, n)

    def always_three(sentence, pairs, n):
        """Your pieces have 3 characters, whatever `n` is.

        Use `n` where you cut the text.
        """
        return correct(sentence, pairs, 3)

    def up_to_n(sentence, pairs, n):
        """You take pieces of 1 to n characters. Those that are asked for have n characters.

        Leave the shorter ones out.
        """

        def grams(text, n):
            return {piece for length in range(1, n + 1) for piece in _grams(text, length)}

        return _most(_jaccard, grams)(sentence, pairs, n)

    def nothing_in_a_short_text(sentence, pairs, n):
        """A text that is shorter than n has no piece in yours, and is similar to nothing.

        The question says what its one piece is.
        """

        def grams(text, n):
            return {text[i : i + n] for i in range(len(text) - n + 1)}

        return _most(lambda a, b: len(a & b) / max(1, len(a | b)), grams)(sentence, pairs, n)

    def short_texts_divide_by_zero(sentence, pairs, n):
        """You divide by zero where two texts are shorter than n, and have no pieces in yours.

        The question says what the one piece of such a text is.
        """

        def grams(text, n):
            return {text[i : i + n] for i in range(len(text) - n + 1)}

        return _most(_jaccard, grams)(sentence, pairs, n)

    def stumps_at_the_end(sentence, pairs, n):
        """You also take the shorter pieces at the end of each text.

        The last piece begins n characters before the end.
        """

        def grams(text, n):
            return {text[i : i + n] for i in range(len(text))}

        return _most(_jaccard, grams)(sentence, pairs, n)

    def nothing_unless_something_is_shared(sentence, pairs, n):
        """You return nothing where no source shares a piece with the question. All are equally
        similar then.

        Begin with a best similarity below 0.
        """
        asked, best, answer = _grams(sentence, n), 0.0, None
        for source, target in pairs:
            similarity = _jaccard(asked, _grams(source, n))
            if similarity > best:
                best, answer = similarity, target
        return answer

    def last_in_the_alphabet(sentence, pairs, n):
        """Of several equally similar sources you take the one whose translation comes last in the
        alphabet: `max` of tuples compares their second parts, too.

        Compare the similarities alone, with `key`.
        """
        asked = _grams(sentence, n)
        return max((_jaccard(asked, _grams(source, n)), target) for source, target in pairs)[1]

    def sources_in_a_dictionary(sentence, pairs, n):
        """You put the pairs into a dictionary. Of a source that comes twice, it keeps the last
        translation.

        Go through the list as it is.
        """
        known, asked = dict(pairs), _grams(sentence, n)
        return known[max(known, key=lambda source: _jaccard(asked, _grams(source, n)))]

    def runs_of_words(sentence, pairs, n):
        """Your pieces are n *words* in a row. The question asks for n characters.

        Cut the text itself: characters i to i + n.
        """

        def grams(text, n):
            split = text.split()
            return {tuple(split[i : i + n]) for i in range(max(1, len(split) - n + 1))}

        return _most(_jaccard, grams)(sentence, pairs, n)

    def whole_numbers(sentence, pairs, n):
        """Your similarity is 1 for equal sets and 0 for all others: `//` cuts off what stands
        behind the point.

        Divide with one stroke.
        """
        return _most(lambda a, b: len(a & b) // len(a | b))(sentence, pairs, n)


class Right:
    """Right answers, written differently."""

    def by_a_loop(sentence, pairs, n):
        """The best so far, replaced only by a better one."""
        best, answer = -1.0, None
        asked = {sentence[i : i + n] for i in range(max(1, len(sentence) - n + 1))}
        for source, target in pairs:
            known = {source[i : i + n] for i in range(max(1, len(source) - n + 1))}
            similarity = len(asked & known) / len(asked | known)
            if similarity > best:
                best, answer = similarity, target
        return answer

    def by_dice(sentence, pairs, n):
        """Dice's measure orders pairs of sets as Jaccard's does."""
        return _most(lambda a, b: 2 * len(a & b) / (len(a) + len(b)))(sentence, pairs, n)

    def by_distance(sentence, pairs, n):
        """The smallest share of n-grams that stand in one of the two only."""
        asked = _grams(sentence, n)
        return min(
            pairs, key=lambda p: len(asked ^ _grams(p[0], n)) / len(asked | _grams(p[0], n))
        )[1]

    def by_sorting(sentence, pairs, n):
        """A stable sort keeps the first of equals in front."""
        asked = _grams(sentence, n)
        return sorted(pairs, key=lambda p: -_jaccard(asked, _grams(p[0], n)))[0][1]

    def by_place(sentence, pairs, n):
        """The place of the largest similarity."""
        asked = _grams(sentence, n)
        similarities = [_jaccard(asked, _grams(source, n)) for source, _ in pairs]
        return pairs[similarities.index(max(similarities))][1]


EXERCISE = Exercise(
    id="memory_answer",
    oracle=correct,
    hint="Build the sets of n-grams A and B of both source sentences, compare |A ∩ B| / |A ∪ B|, "
    "and return the translation that belongs to the first of the largest.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
