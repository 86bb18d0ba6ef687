"""The built-in grammar: its Dutch and English, its alignment, and the promises of its splits."""

from __future__ import annotations

import doctest
import re
import shutil
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from num2words import num2words

from mtcourse.errors import MtcourseError
from mtcourse.text.grammar import (
    MAX_WORDS,
    grammar_splits,
    held_out_features,
    make_pair,
    sample_pairs,
)
from mtcourse.text.language import dutch_forms, english_forms, reading
from mtcourse.text.language.reading import read_lexicon
from mtcourse.text.pairs import words
from tests.helpers.grammar_notation import LEXICON, NOUNS, read_sentence

TABLES = Path(reading.__file__).parent / "tables"
EXPECTED = [
    line.split("\t")
    for line in (Path(__file__).parent / "grammar_sentences.tsv")
    .read_text("utf-8")
    .splitlines()[1:]
]
DICTIONARY_FOLDERS = (
    Path("/usr/share/hunspell"),
    Path("/usr/share/myspell/dicts"),
    Path("/usr/local/share/hunspell"),
    Path("/opt/homebrew/share/hunspell"),
    Path.home() / "Library" / "Spelling",
)
FUNCTION_WORDS = {"a", "an", "the", "to", "no", "do", "does", "did", "as", "little", "not", "there"}


@lru_cache(maxsize=1)
def splits():
    return grammar_splits(train=4_000, dev=400, test=100)


@lru_cache(maxsize=1)
def sample():
    return sample_pairs(1_500, seed=7)


def strings(pairs) -> set[str]:
    return set(chain.from_iterable((p.source, p.target, *p.references) for p in pairs))


@pytest.mark.parametrize(("rule", "tree", "english", "dutch"), EXPECTED, ids=lambda text: text[:40])
def test_expected_sentence(rule, tree, english, dutch):
    pair = make_pair(read_sentence(tree))
    target, *others = dutch.split(" / ")
    assert (pair.source, pair.target) == (english, target)
    assert set(pair.references) == set(others)


def test_there_are_enough_expected_sentences():
    assert len(EXPECTED) >= 150
    assert len({rule for rule, *_ in EXPECTED}) >= 50


def test_size_of_the_language():
    tables = (LEXICON.nouns, LEXICON.verbs, LEXICON.adjectives, LEXICON.adverbs, LEXICON.names)
    lemmas = {word.english for table in tables for word in table}
    assert len(lemmas) >= 400
    # "Yesterday the old baker bought the big house.": distinct choices give distinct sentences.
    described = {
        noun: 1 + sum(a.goes_with(noun) for a in LEXICON.adjectives) for noun in NOUNS.values()
    }

    def phrases(names) -> int:
        return sum(described[n] for n in NOUNS.values() if n.classes & names or n.english in names)

    past_times = sum("past" in time.tenses for time in LEXICON.times)
    transitive = [verb for verb in LEXICON.verbs if verb.frame == "object"]
    counted = (
        sum(phrases(verb.subjects) * phrases(verb.objects) for verb in transitive) * past_times
    )
    assert counted >= 1_000_000
    assert len({verb.name for verb in transitive}) == len(transitive)


def test_pairs_are_deterministic_and_distinct():
    assert sample_pairs(200, seed=3) == sample_pairs(200, seed=3)
    assert sample_pairs(50, seed=3) == sample_pairs(200, seed=3)[:50]
    assert sample_pairs(50, seed=3) != sample_pairs(50, seed=4)
    assert len({pair.source for pair in sample()}) == len(sample())
    assert sample_pairs(0) == []


def test_one_english_sentence_has_one_dutch_one():
    targets = {}
    for seed in range(3):
        for pair in sample_pairs(600, seed=seed):
            assert targets.setdefault(pair.source, pair.target) == pair.target


def test_sentences_are_written_as_sentences():
    for pair in sample():
        for text in (pair.source, pair.target, *pair.references):
            assert re.fullmatch(r"[A-ZÉ].*[.?!]", text)
            assert "  " not in text
            assert not re.search(r"\s[.,?!]|None", text)
            assert re.sub(r" (?=[.,?!])", "", " ".join(words(text))) == text
            assert len(words(text)) <= MAX_WORDS + 1
        assert pair.target not in pair.references
        assert len(set(pair.references)) == len(pair.references)
        assert all(
            sorted(words(r.lower())) == sorted(words(pair.target.lower())) for r in pair.references
        )


def english_forms_of_words() -> dict[str, set[str]]:
    """For each English content word form, every Dutch form that may stand for it."""
    known: dict[str, set[str]] = {}

    def add(sources, targets):
        for source in sources:
            known.setdefault(source.lower(), set()).update(t.lower() for t in targets if t)

    for noun in LEXICON.nouns:
        small = (noun.diminutive, noun.diminutive + "s")
        add((noun.english, noun.english_plural), (noun.dutch, noun.dutch_plural, *small))
    for adjective in LEXICON.adjectives:
        forms = (adjective.dutch, adjective.inflected, adjective.comparative)
        add(
            (adjective.english, *adjective.english_comparative),
            (*forms, adjective.superlative + "e"),
        )
        add(adjective.english_superlative, (adjective.superlative + "e",))
    for verb in LEXICON.verbs:
        simple = (verb.dutch, verb.stem, verb.dutch_third, verb.dutch_past, verb.dutch_past_plural)
        joined = tuple(verb.prefix + form for form in simple)
        forms = (*simple, *joined, verb.prefix, verb.dutch_participle, *verb.preposition)
        for form in (verb.english, verb.third, verb.past, verb.participle, verb.ing):
            add(form.split(), forms)
        if verb.english_particle:
            add((verb.english_particle,), forms)
    return known


def test_alignment_joins_words_of_the_same_lemma():
    known = english_forms_of_words()
    nouns = {form for n in LEXICON.nouns for form in (n.english, n.english_plural) if form}
    adjectives = {adjective.english for adjective in LEXICON.adjectives}
    for pair in sample():
        source, target = words(pair.source), words(pair.target)
        assert len(set(pair.alignment)) == len(pair.alignment)
        assert all(0 <= i < len(source) and 0 <= j < len(target) for i, j in pair.alignment)
        linked: dict[int, list[str]] = {}
        for i, j in pair.alignment:
            linked.setdefault(i, []).append(target[j].lower())
        for i, word in enumerate(source):
            if word.lower() in nouns | adjectives and word != "watch":
                assert linked[i], (pair, word)
            if (
                word.lower() in nouns - {"watch", "drink"}
                and word.lower() in known
                and len(linked[i]) == 1
            ):
                assert linked[i][0] in known[word.lower()], (pair, word)
        unlinked = [word for i, word in enumerate(source) if i not in linked]
        assert set(unlinked) <= FUNCTION_WORDS, (pair, unlinked)
        reached = {j for _, j in pair.alignment}
        assert {word for j, word in enumerate(target) if j not in reached} <= {","}, pair


def test_alignment_of_a_separable_verb_and_a_negation():
    pair = make_pair(read_sentence("S; open/opendoen past not; s she; o a door"))
    source, target = words(pair.source), words(pair.target)
    linked = {(source[i], target[j]) for i, j in pair.alignment}
    assert pair.target == "Zij deed geen deur open."
    assert {("open", "deed"), ("open", "open"), ("not", "geen"), ("a", "geen")} <= linked


@pytest.mark.parametrize("module", [english_forms, dutch_forms])
def test_the_examples_of_the_rules(module):
    result = doctest.testmod(module)
    assert result.attempted >= 6
    assert result.failed == 0


@pytest.mark.parametrize(
    ("infinitive", "forms"),
    [
        ("juichen", "juich juicht juichte juichten gejuicht"),
        ("faxen", "fax faxt faxte faxten gefaxt"),
        ("leven", "leef leeft leefde leefden geleefd"),
        ("reizen", "reis reist reisde reisden gereisd"),
        ("zetten", "zet zet zette zetten gezet"),
        ("antwoorden", "antwoord antwoordt antwoordde antwoordden geantwoord"),
        ("bestellen", "bestel bestelt bestelde bestelden besteld"),
        ("bellen", "bel belt belde belden gebeld"),
        ("herhalen", "herhaal herhaalt herhaalde herhaalden herhaald"),
        ("tekenen", "teken tekent tekende tekenden getekend"),
        ("gooien", "gooi gooit gooide gooiden gegooid"),
    ],
)
def test_weak_verbs(infinitive, forms):
    stem = dutch_forms.stem(infinitive)
    made = (stem, dutch_forms.third_person(stem), *dutch_forms.weak_past(infinitive, stem))
    assert " ".join(made) == forms


@pytest.mark.parametrize("count", range(100))
def test_number_names(count):
    assert english_forms.number_name(count) == num2words(count, lang="en")
    assert dutch_forms.number_name(count) == num2words(count, lang="nl")


def dutch_words_of_the_language() -> set[str]:
    """Every Dutch form that the tables can give, and every word of a sample."""
    found = set()
    for noun in LEXICON.nouns:
        found |= {noun.dutch, noun.dutch_plural, noun.diminutive}
        found.add(noun.diminutive + "s" if noun.diminutive and not noun.is_mass else "")
    for verb in LEXICON.verbs:
        found |= {verb.dutch, verb.stem, verb.dutch_third, verb.dutch_past, verb.dutch_past_plural}
        found |= {verb.prefix + verb.dutch, verb.dutch_participle}
        found |= {verb.prefix + form for form in (verb.dutch_third, verb.dutch_past)}
    for adjective in LEXICON.adjectives:
        found |= {adjective.dutch, adjective.inflected}
        if "graded" in adjective.uses:
            found |= {adjective.comparative, adjective.superlative + "e"}
    names = {name.english for name in LEXICON.names}
    for pair in sample():
        first, *rest = words(pair.target)
        found |= {first if first in names else first.lower(), *rest}
    return {word for word in found if word[:1].isalpha()}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_every_dutch_form_is_spelt_right():
    folders = [folder for folder in DICTIONARY_FOLDERS if (folder / "nl_NL.dic").is_file()]
    if not folders:
        pytest.skip("no hunspell dictionary nl_NL here (Debian: apt-get install hunspell-nl)")
    spylls = pytest.importorskip("spylls.hunspell")
    dictionary = spylls.Dictionary.from_files(str(folders[0] / "nl_NL"))
    wrong = sorted(word for word in dutch_words_of_the_language() if not dictionary.lookup(word))
    assert wrong == []


@pytest.mark.parametrize("name", ["train", "dev", "test", "compositional", "control", "length"])
def test_no_split_shares_a_sentence_with_another(name):
    sizes = {"train": 4_000, "dev": 400}
    assert len(splits()[name]) == sizes.get(name, 100)
    others = chain.from_iterable(pairs for other, pairs in splits().items() if other != name)
    assert strings(splits()[name]).isdisjoint(strings(others))
    assert len({pair.source for pair in splits()[name]}) == sizes.get(name, 100)


CLAUSE = re.compile(r"([^\s\[(]+)\[([^\]]*)\]")
HELD = {"fronted", "infinitive", "negative", "past", "perfect", "question", "verb-final"}
DESCRIBED = re.compile(r"(\w+)\+(\w+)")


def pairs_in(derivation: str) -> set[tuple[str, str]]:
    """Verb-construction and noun-adjective pairs, read from the derivation's text alone."""
    found = set(DESCRIBED.findall(derivation))
    for verb, marks in CLAUSE.findall(derivation):
        if verb not in ("be/zijn", "exist"):
            found |= {(verb, mark) for mark in marks.split() if mark in HELD}
    return found


def test_compositional_pairs_are_new_and_control_pairs_are_not():
    seen = set(chain.from_iterable(pairs_in(pair.derivation) for pair in splits()["train"]))
    held_out = held_out_features(LEXICON, seed=1)
    assert seen.isdisjoint(held_out)
    for novel, control in zip(splits()["compositional"], splits()["control"], strict=True):
        assert pairs_in(novel.derivation) & held_out
        assert pairs_in(control.derivation) <= seen
        assert len(words(novel.source)) == len(words(control.source))
        assert len(words(novel.target)) == len(words(control.target))
    for name in ("dev", "test", "length"):
        assert held_out.isdisjoint(
            chain.from_iterable(pairs_in(pair.derivation) for pair in splits()[name])
        )


def test_length_set_is_longer_than_training_on_both_sides():
    longest = max(len(words(text)) for p in splits()["train"] for text in (p.source, p.target))
    shortest = min(len(words(text)) for p in splits()["length"] for text in (p.source, p.target))
    assert shortest > longest


def test_splits_are_deterministic():
    first, second = (grammar_splits(train=100, dev=10, test=10, seed=5) for _ in range(2))
    assert first == second
    assert first["train"] != grammar_splits(train=100, dev=10, test=10, seed=6)["train"]


def test_splits_are_the_same_in_whatever_order_they_are_asked_for():
    at_once, one_by_one = (grammar_splits(train=100, dev=10, test=10, seed=5) for _ in range(2))
    list(at_once.values())
    for name in ("test", "length", "train", "control"):
        assert one_by_one[name] == at_once[name]
    with pytest.raises(KeyError):
        one_by_one["tst"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((-1, 1, 1), "train = -1"), ((1, -1, 1), "dev = -1")],
)
def test_impossible_splits_are_refused(arguments, message):
    with pytest.raises(MtcourseError, match=message):
        grammar_splits(*arguments)
    with pytest.raises(MtcourseError, match="count = -1"):
        sample_pairs(-1)


def test_control_pairs_that_cannot_be_had_are_refused_as_often_as_they_are_asked_for():
    splits = grammar_splits(train=0, dev=0, test=5)
    assert len(splits["test"]) == 5
    for _ in range(2):
        with pytest.raises(MtcourseError, match="more training pairs"):
            splits["control"]


MISTAKES = {
    "unknown class": ("nouns.tsv", "person,worker", "persn,worker", "unknown class 'persn'"),
    "wrong gender": ("nouns.tsv", "\tde\t", "\tdee\t", "'dee' in column 'article'"),
    "missing column": ("nouns.tsv", "\tde\t", "\t", "columns instead of"),
    "half a mass noun": ("nouns.tsv", "bread\tnone", "bread\t-", "'none' in one plural only"),
    "wrong place": ("nouns.tsv", "in/in", "in/on", "place 'in/on'"),
    "noun named as a class": ("nouns.tsv", "bottle", "tool", "also the name of a class"),
    "unknown auxiliary": ("verbs.tsv", "\thebben\t", "\thebbben\t", "'hebbben'"),
    "unknown frame": ("verbs.tsv", "\tobject\tperson\t", "\tobjct\tperson\t", "frame 'objct'"),
    "object without frame": (
        "verbs.tsv",
        "\tobject\tperson\t",
        "\t-\tperson\t",
        "do not go together",
    ),
    "no infinitive": ("verbs.tsv", "\tlezen\t", "\tlees\t", "no Dutch infinitive"),
    "two forms": ("verbs.tsv", "las,lazen,gelezen", "las,gelezen", "2 Dutch forms"),
    "unknown aspect": ("verbs.tsv", "\taction\t", "\tactoin\t", "'actoin'"),
    "unknown noun": ("adjectives.tsv", "dress", "dres", "unknown class or noun 'dres'"),
    "unknown use": ("adjectives.tsv", "\tgraded", "\tgarded", "unknown use 'garded'"),
    "unknown kind": ("adverbs.tsv", "frequency", "frequent", "'frequent'"),
    "unknown tense": ("times.tsv", "\tpast", "\tpasst", "unknown tense 'passt'"),
    "unknown pronoun": ("names.tsv", "\tshe", "\tsche", "'sche'"),
    "empty cell": ("nouns.tsv", "baker\t-", "baker\t", "write '-'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_misspelt_entry_names_its_file_and_line(mistake, tmp_path):
    file, before, after, message = MISTAKES[mistake]
    shutil.copytree(TABLES, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / file).read_text("utf-8")
    line = text[: text.index(before)].count("\n") + 1
    (tmp_path / file).write_text(text.replace(before, after, 1), "utf-8")
    with pytest.raises(MtcourseError) as caught:
        read_lexicon(tmp_path)
    assert f"{file}, line {line}:" in str(caught.value)
    assert message in str(caught.value)


def test_a_repeated_entry_names_both_lines(tmp_path):
    shutil.copytree(TABLES, tmp_path, dirs_exist_ok=True)
    lines = (tmp_path / "nouns.tsv").read_text("utf-8").splitlines()
    (tmp_path / "nouns.tsv").write_text("\n".join([*lines, lines[1]]), "utf-8")
    with pytest.raises(MtcourseError, match=rf"line {len(lines) + 1}: 'baker' stands .* line 2"):
        read_lexicon(tmp_path)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(MtcourseError, match=r"classes\.tsv"):
        read_lexicon(tmp_path)


def test_a_new_noun_and_a_new_verb_are_one_line_each(tmp_path):
    shutil.copytree(TABLES, tmp_path, dirs_exist_ok=True)
    with (tmp_path / "nouns.tsv").open("a", encoding="utf-8") as table:
        table.write("toad\t-\tpad\t-\tde\tpadje\tanimal\t-\n")
    with (tmp_path / "verbs.tsv").open("a", encoding="utf-8") as table:
        table.write("lick\t-\t-\tlikken\t-\thebben\tobject\tanimal\tperson\taction\t-\t-")
    lexicon = read_lexicon(tmp_path)
    toad, lick = lexicon.nouns[-1], lexicon.verbs[-1]
    assert (toad.english_plural, toad.dutch_plural) == ("toads", "padden")
    assert (lick.ing, lick.dutch_third, lick.dutch_participle) == ("licking", "likt", "gelikt")


@settings(deadline=None, max_examples=10)
@given(st.integers(min_value=0, max_value=10_000))
def test_agreement_of_gender_and_number(seed):
    """Read from the text alone: de and het, die and dat, een and plural, jij and its verb."""
    neuter = {n.dutch for n in LEXICON.nouns if n.article == "het"}
    neuter |= {n.diminutive for n in LEXICON.nouns if n.diminutive}
    common = {n.dutch for n in LEXICON.nouns if n.article == "de"} - neuter
    for pair in sample_pairs(20, seed):
        target = words(pair.target.lower())
        for left, right in pairwise(target):
            if left in ("het", "dit", "ons", "welk"):
                assert right not in common, pair
            if left in ("onze", "deze"):
                assert right not in neuter, pair
            if right == "jij":
                assert left not in ("bent", "hebt", "kunt", "wilt", "zult"), pair
