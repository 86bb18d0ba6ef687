"""The exercise ``most_right``: the most that a reader of bags can get right (A05; chapter 3)."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

WORDS = ("on", "no", "dog", "bites")


def cases(draw: Draw) -> list[Case]:
    """Bags with one translation and with several, words twice, words of the same letters."""
    dog, man = "the dog bites the man", "the man bites the dog"
    hond, mens = "de hond bijt de mens", "de mens bijt de hond"
    return [
        Case("two sentences, one bag", ((dog, man), (hond, mens)), by_hand=True),
        Case("a single pair", ((dog,), (hond,))),
        Case("one of them twice", ((dog, man, dog), (hond, mens, hond))),
        Case("one of them twice, the last", ((man, dog, dog), (mens, hond, hond))),
        Case("two orders with one translation", (("a b", "b a", "c"), ("x", "x", "y"))),
        Case("a word once and twice", (("a b", "a a b", "a b b"), ("x", "y", "z"))),
        Case("words of the same letters", (("no dog", "on dog"), ("geen hond", "op hond"))),
        Case("the same translation of two bags", (("a b", "c", "d"), ("x y", "y x", "x y"))),
        Case("one sentence, two translations", (("a b", "a b", "a b"), ("x", "y", "y"))),
        Case("bags of several sizes", (tuple("aaaaab"), tuple("vwxyzz"))),
        Case(
            "with and without a capital",
            (
                ("The dog", "the dog", "dog the", "a b", "b a", "c", "c"),
                ("De hond", "hond", "hond", "X", "x", "Y", "y"),
            ),
        ),
        Case(
            "with and without a full stop",
            (
                ("a dog .", "dog a .", "a dog", "dog. a", "a b", "b a"),
                ("x", "x", "y", "z", "u.", "u"),
            ),
        ),
        Case("a word of two letters and two words", (("ab", "a b", "ba"), ("x", "y", "x"))),
        Case("no translation of more than half", (tuple("aaaaab"), tuple("vvwwxx"))),
        Case("30 pairs", _drawn(draw, 30, 3)),
        Case("60 pairs", _drawn(draw, 60, 4)),
    ]


def _drawn(draw, count, length):
    """Sentences of few words, so that many share a bag; some are translated alike."""
    chosen = draw.ids(count, length, lowest=0, highest=3).tolist()
    ends = draw.ids(count, lowest=0, highest=2).tolist()
    sources = tuple(" ".join(WORDS[i] for i in sentence) for sentence in chosen)
    targets = tuple(f"{s.split()[0]} {end}" for s, end in zip(sources, ends, strict=True))
    return sources, targets


def correct(sources, targets):
    """The pairs that have the most frequent translation of their bag, as a share of all pairs."""
    return _best(_grouped(sources, targets, _bag)) / len(sources)


def _bag(sentence):
    return tuple(sorted(sentence.split()))


def _grouped(sources, targets, key):
    """For each kind of source, how often each translation occurs."""
    groups = defaultdict(Counter)
    for source, target in zip(sources, targets, strict=True):
        groups[key(source)][target] += 1
    return groups


def _best(groups):
    return sum(max(counts.values()) for counts in groups.values())


def _by(sources, targets, key):
    """The share that is right if sources with the same key get one translation."""
    return _best(_grouped(sources, targets, key)) / len(sources)


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_divided(sources, targets):
        """You return the number of pairs that can be right, and not yet their share.

        How many pairs are there in all?
        """
        return _best(_grouped(sources, targets, _bag))

    def in_percent(sources, targets):
        """You give the share in percent.

        A share lies between 0 and 1.
        """
        return 100 * correct(sources, targets)

    def order_seen(sources, targets):
        """You treat two sentences with the same words in another order as different.

        What is the same for all orders of a sentence's words? Group by that.
        """
        return _best(_grouped(sources, targets, str)) / len(sources)

    def set_of_words(sources, targets):
        """You compare sentences as sets, so a word that occurs twice is counted once.

        A bag also holds how often each word occurs. "a b" and "a a b" are two bags.
        """
        return _best(_grouped(sources, targets, lambda s: frozenset(s.split()))) / len(sources)

    def bag_of_letters(sources, targets):
        """You compare bags of letters: "on" and "no" count as the same word.

        Split the sentence into words before you sort.
        """
        return _best(_grouped(sources, targets, lambda s: tuple(sorted(s)))) / len(sources)

    def by_length(sources, targets):
        """You put all sentences with the same number of words into one group.

        A bag holds the words themselves, not only how many there are.
        """
        return _best(_grouped(sources, targets, lambda s: len(s.split()))) / len(sources)

    def one_for_each_bag(sources, targets):
        """You count one pair for each bag. But several pairs of a bag may have the same
        translation.

        If one pair of a bag occurs twice and another once, how many can one translation get right?
        """
        return len(_grouped(sources, targets, _bag)) / len(sources)

    def one_for_each_set(sources, targets):
        """You compare sentences as sets, and you count one pair for each set. Both are wrong.

        A bag also holds how often each word occurs. And its pairs may have the same translation.
        """
        return len(_grouped(sources, targets, lambda s: frozenset(s.split()))) / len(sources)

    def mean_over_bags(sources, targets):
        """You compute a share for each bag and take the mean over bags, small and large alike.

        Return the share of all pairs. A bag with many pairs counts for more.
        """
        groups = _grouped(sources, targets, _bag).values()
        return sum(max(counts.values()) / counts.total() for counts in groups) / len(groups)

    def first_translation_of_a_bag(sources, targets):
        """You give each bag the translation that comes first. That need not be the best choice.

        Which translation of a bag is right most often?
        """
        groups = _grouped(sources, targets, _bag).values()
        return sum(next(iter(counts.values())) for counts in groups) / len(sources)

    def rarest_translation(sources, targets):
        """You give each bag the translation that is right least often.

        Which translation of a bag is right most often?
        """
        groups = _grouped(sources, targets, _bag).values()
        return sum(min(counts.values()) for counts in groups) / len(sources)

    def clear_bags_alone(sources, targets):
        """You count only bags with a single translation, as if nothing could be right in the
        others.

        The translator writes one translation for each bag. It is right for some of the pairs.
        """
        groups = _grouped(sources, targets, _bag).values()
        return sum(counts.total() for counts in groups if len(counts) == 1) / len(sources)

    def guessing_in_proportion(sources, targets):
        """Your share is that of a translator that guesses each translation as often as it occurs.

        It does better if it always writes the most frequent one.
        """
        groups = _grouped(sources, targets, _bag).values()
        return sum(sum(c * c for c in counts.values()) / counts.total() for counts in groups) / len(
            sources
        )

    def guessing_evenly(sources, targets):
        """Your share is that of a translator that guesses evenly among the translations of a bag.

        It does better if it always writes the most frequent one.
        """
        groups = _grouped(sources, targets, _bag).values()
        return sum(counts.total() / len(counts) for counts in groups) / len(sources)

    def targets_as_bags(sources, targets):
        """You also compare the translations as bags. But a translation is right only in its order.

        The translator reads a bag and writes a sentence.
        """
        bags = [" ".join(_bag(target)) for target in targets]
        return correct(sources, bags)

    def capitals_of_sources_dropped(sources, targets):
        """You write the sources without capitals first, so "The" and "the" are one word.

        Words are compared as they are written.
        """
        return correct([source.lower() for source in sources], targets)

    def capitals_of_targets_dropped(sources, targets):
        """You write the translations without capitals first, so "De" and "de" are one word.

        Words are compared as they are written.
        """
        return correct(sources, [target.lower() for target in targets])

    def capitals_dropped(sources, targets):
        """You write sources and translations without capitals first.

        Words are compared as they are written.
        """
        return correct([s.lower() for s in sources], [t.lower() for t in targets])

    def marks_of_sources_dropped(sources, targets):
        """You drop the punctuation of the sources, so "dog." and "dog" are one word.

        What stands between spaces is a word, with its punctuation.
        """
        return correct([s.replace(".", "") for s in sources], targets)

    def marks_dropped(sources, targets):
        """You drop punctuation from sources and translations, so "dog." and "dog" are one word.

        What stands between spaces is a word, with its punctuation.
        """
        return correct([s.replace(".", "") for s in sources], [t.replace(".", "") for t in targets])

    def bag_of_letters_without_spaces(sources, targets):
        """You compare bags of letters, and drop the spaces: "ab" and "a b" are the same to you.

        Split the sentence into words before you sort.
        """
        return _by(sources, targets, lambda s: tuple(sorted(s.replace(" ", ""))))

    def words_run_together(sources, targets):
        """You sort the words and join them without spaces, so "ab" and "a b" are the same to you.

        Two bags are the same if their sorted *lists* of words are.
        """
        return _by(sources, targets, lambda s: "".join(_bag(s)))

    def by_the_first_word(sources, targets):
        """You group the sentences by their first word.

        A bag holds all words of the sentence.
        """
        return _by(sources, targets, lambda s: s.split()[0])

    def last_translation_of_a_bag(sources, targets):
        """You give each bag the translation that comes last. That need not be the best choice.

        A dictionary keeps only the last value of a key. Which translation is right most often?
        """
        learnt = {_bag(s): t for s, t in zip(sources, targets, strict=True)}
        hits = [learnt[_bag(s)] == t for s, t in zip(sources, targets, strict=True)]
        return sum(hits) / len(hits)

    def single_bags_alone(sources, targets):
        """You count only bags that occur once.

        Of a bag that occurs several times, some pairs can be right, too. How many?
        """
        counts = Counter(map(_bag, sources))
        return sum(count for count in counts.values() if count == 1) / len(sources)

    def one_translation_for_all(sources, targets):
        """Your translator writes the same translation for all bags.

        It sees the bag. Which translation should it write for each?
        """
        return max(Counter(targets).values()) / len(targets)

    def one_bag_alone(sources, targets):
        """You count what is right in one bag only, the best one.

        Every bag has its own best translation. Add up what they get right.
        """
        groups = _grouped(sources, targets, _bag).values()
        return max(max(counts.values()) for counts in groups) / len(sources)

    def neighbours_alone(sources, targets):
        """You put pairs of a bag together only where they stand one after another.

        If you use `groupby`: it begins a new group at every change. In which order must its inputs
        be?
        """
        pairs = [(_bag(s), t) for s, t in zip(sources, targets, strict=True)]
        found = [Counter(t for _, t in group) for _, group in groupby(pairs, key=lambda p: p[0])]
        return sum(max(counts.values()) for counts in found) / len(pairs)

    def each_pair_once(sources, targets):
        """You count equal pairs only once.

        Every pair counts, however often it occurs.
        """
        pairs = list(dict.fromkeys(zip(sources, targets, strict=True)))
        return correct([s for s, _ in pairs], [t for _, t in pairs])

    def each_pair_of_bags_once(sources, targets):
        """You count pairs of the same bag and the same translation only once.

        Every pair counts, however often it occurs.
        """
        pairs = list(dict.fromkeys((_bag(s), t) for s, t in zip(sources, targets, strict=True)))
        return len({bag for bag, _ in pairs}) / len(pairs)

    def each_source_once(sources, targets):
        """You keep one translation for each source sentence, the last one.

        A dictionary with sources as its keys loses pairs. Every pair counts.
        """
        pairs = dict(zip(sources, targets, strict=True))
        return correct(list(pairs), list(pairs.values()))

    def divided_by_the_bags(sources, targets):
        """You count the right pairs, but divide by the number of bags.

        The question asks for a share of the pairs.
        """
        groups = _grouped(sources, targets, _bag)
        return _best(groups) / len(groups)

    def divided_by_the_sources(sources, targets):
        """You count the right pairs, but divide by the number of different sources.

        The question asks for a share of the pairs.
        """
        return _best(_grouped(sources, targets, _bag)) / len(set(sources))

    def divided_by_the_translations(sources, targets):
        """You count the right pairs, but divide by the number of different translations.

        The question asks for a share of the pairs.
        """
        return _best(_grouped(sources, targets, _bag)) / len(set(targets))

    def one_for_each_translation(sources, targets):
        """You count every different translation of a bag, as if all of them could be right.

        For one bag the translator writes one translation.
        """
        return sum(len(counts) for counts in _grouped(sources, targets, _bag).values()) / len(
            sources
        )

    def one_for_each_different_translation(sources, targets):
        """You return how many different translations there are, as a share of the pairs.

        For one bag the translator writes one translation. For how many pairs is that right?
        """
        return len(set(targets)) / len(targets)

    def one_for_each_source(sources, targets):
        """You return how many different sources there are, as a share of the pairs.

        The translator sees bags. For how many pairs is the best translation of its bag right?
        """
        return len(set(sources)) / len(sources)

    def bags_by_sources(sources, targets):
        """You divide the number of bags by that of the different sources.

        Return the share of the pairs whose translation is right.
        """
        return len(set(map(_bag, sources))) / len(set(sources))

    def best_bag_of_a_translation(sources, targets):
        """You group by translation, and count the most frequent bag of each.

        The translator is given a bag and has to write a translation, not the other way round.
        """
        bags = [" ".join(_bag(source)) for source in sources]
        return _by(targets, bags, str)

    def above_half_alone(sources, targets):
        """You count a bag's best translation only if it is right for more than half of its pairs.

        The best one need not be that frequent. Which translation of a bag is right most often?
        """
        groups = _grouped(sources, targets, _bag).values()
        best = ((max(counts.values()), counts.total()) for counts in groups)
        return sum(right for right, of in best if 2 * right > of) / len(sources)

    def several_of_a_bag_alone(sources, targets):
        """You count only bags that occur more than once.

        A bag that occurs once has one translation. Can it be right?
        """
        groups = _grouped(sources, targets, _bag).values()
        return sum(max(c.values()) for c in groups if c.total() > 1) / len(sources)

    def wrong_share(sources, targets):
        """You return the share of pairs that the best translator gets wrong.

        The question asks for those that it gets right.
        """
        return 1 - correct(sources, targets)

    def order_of_different_words(sources, targets):
        """You drop words that occur again, and keep the order of the others.

        A bag has no order, and holds how often each word occurs.
        """
        return _by(sources, targets, lambda s: tuple(dict.fromkeys(s.split())))

    def translations_by_length(sources, targets):
        """You compare only how many words the translations have.

        A translation is right if it is the same sentence.
        """
        return correct(sources, [str(len(target.split())) for target in targets])

    def rounded(sources, targets):
        """You round the share to two decimals.

        Return it as it is.
        """
        return round(correct(sources, targets), 2)


class Right:
    """Right answers, written differently."""

    def with_counters(sources, targets):
        """A counter of pairs of bag and translation."""
        pairs = Counter((_bag(s), t) for s, t in zip(sources, targets, strict=True))
        best = {}
        for (bag, _), count in pairs.items():
            best[bag] = max(best.get(bag, 0), count)
        return sum(best.values()) / len(targets)

    def with_plain_loops(sources, targets):
        """Uses lists only."""
        bags = [sorted(source.split()) for source in sources]
        right, done = 0, []
        for bag in bags:
            if bag in done:
                continue
            done.append(bag)
            of_bag = [target for other, target in zip(bags, targets, strict=True) if other == bag]
            right += max(of_bag.count(target) for target in of_bag)
        return right / len(bags)

    def sorted_and_grouped(sources, targets):
        """Sorts all pairs by bag and counts along."""
        pairs = sorted((_bag(s), t) for s, t in zip(sources, targets, strict=True))
        found = (
            Counter(t for _, t in group) for _, group in groupby(pairs, key=lambda pair: pair[0])
        )
        return sum(counts.most_common(1)[0][1] for counts in found) / len(pairs)

    def by_a_translator(sources, targets):
        """Makes the best possible translator, and counts what it gets right."""
        memory = {
            bag: counts.most_common(1)[0][0]
            for bag, counts in _grouped(sources, targets, _bag).items()
        }
        hits = [memory[_bag(s)] == t for s, t in zip(sources, targets, strict=True)]
        return sum(hits) / len(hits)


EXERCISE = Exercise(
    id="most_right",
    oracle=correct,
    hint="A translator that sees bags writes one translation for each bag. Which one should it "
    "write? For how many pairs is that right?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
