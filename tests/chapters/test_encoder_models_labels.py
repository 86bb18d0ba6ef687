"""What the grammar says of words and blanks, against the tables of its words."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from mtcourse.chapters.encoder_models.cloze import (
    CANDIDATES,
    Cloze,
    cloze_items,
    from_both_sides,
    from_the_left,
    share_interval,
    whole_sentence,
)
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.text.grammar_labels import (
    MOST_WORDS,
    PARTS,
    ROLES,
    labelled_sentences,
)
from mtcourse.text.language.dutch_words import CONJUNCTIONS
from mtcourse.text.language.reading import load_lexicon

SENTENCES = labelled_sentences(3000, seed=5)
LEXICON = load_lexicon()


def of_words(*words: str):
    """The labels of a sentence that is known to be drawn, or of one that begins like it."""
    (found,) = [one for one in SENTENCES if one.words == words]
    return found


def test_sentences_are_distinct_short_and_fully_labelled() -> None:
    assert len({sentence.words for sentence in SENTENCES}) == 3000
    for sentence in SENTENCES:
        assert len(sentence.words) == len(sentence.parts) == len(sentence.roles) <= MOST_WORDS
        assert set(sentence.parts) <= set(PARTS)
        assert set(sentence.roles) <= set(ROLES)
    assert {part for sentence in SENTENCES for part in sentence.parts} == set(PARTS)
    assert {role for sentence in SENTENCES for role in sentence.roles} == set(ROLES)
    assert labelled_sentences(20, seed=5) == SENTENCES[:20]
    assert labelled_sentences(20, seed=6) != SENTENCES[:20]


def test_parts_of_speech_agree_with_the_tables() -> None:
    """A word that only one table has can have only that table's part of speech."""
    nouns = {form for noun in LEXICON.nouns for form in (noun.dutch, noun.dutch_plural)}
    names = {name.english for name in LEXICON.names}
    adjectives = {form for one in LEXICON.adjectives for form in (one.dutch, one.inflected)}
    verbs = {
        form
        for one in LEXICON.verbs
        for form in (one.dutch, one.stem, one.dutch_third, one.dutch_past, one.dutch_participle)
    }
    tables = {"noun": nouns, "name": names, "adjective": adjectives, "verb": verbs}
    times = {word for one in LEXICON.times for word in one.dutch}
    others = {word for one in LEXICON.adverbs for word in one.dutch.split()} | times
    checked = Counter[str]()
    for sentence in SENTENCES:
        for word, part in zip(sentence.words, sentence.parts, strict=True):
            holding = [name for name, table in tables.items() if word in table]
            if len(holding) == 1 and word not in others | {"hebben", "heeft", "heb", "wilde"}:
                if word in {"open", "schoon", "dicht"}:  # also particles of verbs
                    continue
                assert part == holding[0], (word, sentence)
                checked[part] += 1
    assert min(checked[part] for part in tables) > 300


def test_closed_classes_are_what_dutch_says() -> None:
    found: dict[str, set[str]] = {part: set() for part in PARTS}
    for sentence in SENTENCES:
        for word, part in zip(sentence.words, sentence.parts, strict=True):
            found[part].add(word)
    assert found["mark"] == {".", ",", "?", "!"}
    assert found["conjunction"] == {*CONJUNCTIONS.values(), "als", "dan"}
    assert {"de", "het", "een", "geen", "mijn", "deze"} <= found["determiner"]
    assert {"ik", "hij", "wie", "die", "dat", "hem"} <= found["pronoun"]
    assert {"in", "op", "naar", "aan", "uit", "weg"} <= found["preposition"]
    assert {"heeft", "zal", "kan", "moet", "te"} <= found["auxiliary"]
    assert not found["noun"] & {"de", "het", "is", "niet"}


def test_roles_follow_verb_second_and_questions() -> None:
    """The subject stands before the verb, or behind it where something else comes first."""
    for sentence in SENTENCES:
        words, roles = sentence.words, sentence.roles
        if words[0] in {"ik", "hij", "wij"}:
            assert roles[0] == "subject"
        if words[0] in {"gisteren", "vandaag", "nu"}:
            assert roles[:3] == ("time", "verb", "subject")
        if words[0] == "er":
            assert roles[:2] == ("other", "verb")
        assert roles[-1] == "other"
        for word, role in zip(words, roles, strict=True):
            if word in {"hem", "mij", "jou"} and not {"die", "dat"} & set(words):
                assert role in {"object", "recipient", "complement"}
            if word in {"heeft", "zal", "moet"}:
                assert role in {"verb", "subject", "object", "predicate", "complement", "place"}


# --- blanks -------------------------------------------------------------------------------------

ITEMS = cloze_items(60, seed=4)


def test_both_candidates_are_right_equally_often() -> None:
    for kind, pair in CANDIDATES.items():
        assert Counter(item.answer for item in ITEMS[kind]) == dict.fromkeys(pair, 60)
        assert {item.kind for item in ITEMS[kind]} == {kind}


def test_the_article_is_that_of_the_noun_at_the_distance() -> None:
    singular = {noun.dutch: noun.article for noun in LEXICON.nouns}
    small = {noun.diminutive for noun in LEXICON.nouns if noun.diminutive}
    for item in ITEMS["article"]:
        noun = item.after.rstrip(".?!").replace(",", "").split()[item.distance - 1]
        if noun in singular and noun not in {one.dutch_plural for one in LEXICON.nouns}:
            assert item.answer == singular[noun]
        else:
            assert item.answer == ("het" if noun in small else "de")


def test_the_auxiliary_is_that_of_the_participle_at_the_distance() -> None:
    helper: dict[str, set[str]] = {"geweest": {"zijn"}}
    for verb in LEXICON.verbs:
        helper.setdefault(verb.dutch_participle, set()).add(verb.auxiliary)
    for item in ITEMS["auxiliary"]:
        if item.distance > 0:
            words = item.after.replace(",", "").rstrip(".?!").split()
            participle = words[item.distance - 1]
        else:
            participle = item.before.split()[item.distance]
        assert {"heeft": "hebben", "is": "zijn"}[item.answer] in helper[participle]


def test_the_relative_pronoun_follows_its_noun() -> None:
    assert {item.distance for item in ITEMS["relative pronoun"]} == {-1}
    singular = {noun.dutch: noun.article for noun in LEXICON.nouns}
    plural = {noun.dutch_plural for noun in LEXICON.nouns}
    for item in ITEMS["relative pronoun"]:
        noun = item.before.split()[-1]
        if noun in singular and noun not in plural:
            assert item.answer == {"de": "die", "het": "dat"}[singular[noun]]


def test_known_sentences_are_left_out() -> None:
    whole = {item.filled(item.answer) for items in ITEMS.values() for item in items}
    others = cloze_items(60, seed=4, known=whole)
    assert not whole & {item.filled(item.answer) for items in others.values() for item in items}


def test_a_blank_is_written_with_its_spaces() -> None:
    item = Cloze("article", "Zij leest", "boek.", "het", 1)
    assert item.blank == "Zij leest <mask> boek."
    assert Cloze("auxiliary", "Gewerkt", ".", "heeft", -1).filled("heeft") == "Gewerkt heeft."


def test_choices_follow_the_models_own_probabilities() -> None:
    """Against the probabilities of whole sentences and of prefixes, computed another way."""
    decoder = LanguageModel.load(device="cpu")
    encoder = MaskedLanguageModel.load(device="cpu")
    for item in (items[k] for items in ITEMS.values() for k in (0, 30, 70, 110)):
        pair = CANDIDATES[item.kind]
        whole = [decoder.likelihood([item.filled(word)]).nats for word in pair]
        assert whole_sentence(decoder, item) == pair[whole.index(min(whole))]
        fillings = encoder.fill(item.blank, n_best=2000)[0]
        first = next(one.piece for one in fillings if one.piece.lstrip("▁") in pair)
        assert from_both_sides(encoder, item) == first.lstrip("▁")
        prefixes = [decoder.token_log_probabilities(f"{item.before} {word}") for word in pair]
        last = [log_p[pieces.index(f"▁{word}", len(decoder.tokenizer.encode(item.before)))]
                for word, (pieces, log_p) in zip(pair, prefixes, strict=True)]  # fmt: skip
        assert from_the_left(decoder, item) == pair[last.index(max(last))]


@pytest.mark.parametrize(("right", "n"), [(0, 10), (3, 10), (93, 100), (200, 200)])
def test_wilsons_interval_holds_the_shares_that_the_score_test_keeps(right: int, n: int) -> None:
    """At an end of the interval, the share lies 1.96 of that end's own deviations away."""
    p = right / n
    for end in share_interval(right, n):
        if 1e-9 < end < 1 - 1e-9:
            assert abs(p - end) == pytest.approx(1.96 * math.sqrt(end * (1 - end) / n))
    low, high = share_interval(right, n)
    assert -1e-12 <= low <= p <= high <= 1 + 1e-12
