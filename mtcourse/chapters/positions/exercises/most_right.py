"""The exercise ``most_right``: the most that a reader of bags can get right (A05; chapter 03)."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
        found = (Counter(t for _, t in group) for _, group in groupby(pairs, key=lambda pair: pair[0]))
        return sum(counts.most_common(1)[0][1] for counts in found) / len(pairs)

    def by_a_translator(sources, targets):
        """Makes the best possible translator, and counts what it gets right."""
        memory = {
            bag: counts.most_common(1)[0][0] for bag, counts in _grouped(sources, targets, _bag).items()
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
