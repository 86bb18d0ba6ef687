"""What a report counts: every number here was counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.recipes.error_analysis import (
    FAILURES,
    KEPT,
    Translated,
    by_frequency,
    by_length,
    by_phenomenon,
    failures,
    known_to,
    spread_out,
    translated,
    unknown,
)
from mtcourse.text.pairs import SentencePair, words


def items(*rows: tuple[str, str, str]) -> list[Translated]:
    """From sources, references and translations."""
    pairs = [SentencePair(source, target) for source, target, _ in rows]
    return translated(pairs, [translation for *_, translation in rows])


def test_as_many_translations_as_sentences():
    with pytest.raises(MtcourseError, match="0 translations of 1 sentences"):
        translated([SentencePair("a", "b")], [])
    with pytest.raises(MtcourseError, match="at least one"):
        translated([], [])


def test_a_sentence_score_takes_the_best_reference():
    (one,) = translated([SentencePair("Hi", "Dag", references=("Hallo",))], ["Hallo"])
    assert one.chrf == 100


def test_groups_by_length_hold_each_sentence_once():
    rows = [
        (" ".join("a" * n), "b c", "b c")
        for n in (1, 5, 6, 10, 11, 20, 21, 40, 41)
        for _ in range(5)
    ]
    groups = by_length(items(*rows))
    assert [(group.name, group.scores.sentences) for group in groups] == [
        ("1 to 5 words", 10),
        ("6 to 10 words", 10),
        ("11 to 20 words", 10),
        ("21 to 40 words", 10),
    ], "of the last group there are too few"
    assert by_length(items(*rows, *rows))[-1].name == "more than 40 words"


@pytest.mark.parametrize(
    ("longest", "name"),
    [(12, "11 to 12 words"), (11, "11 words"), (20, "11 to 20 words"), (4, "1 to 4 words")],
)
def test_a_group_goes_no_further_than_the_longest_sentence(longest, name):
    rows = [(" ".join("a" * longest), "b c", "b c")] * 10
    assert by_length(items(*rows))[-1].name == name


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("numbers", "On 12.500 of 3 days at 10:30", ["12500", "3", "1030"]),
        ("numbers", "A4 and 2,5", ["4", "25"]),
        ("placeholders and tags", "%s of {count}, %(name)s, 9%", ["%s", "{count}", "%(name)s"]),
        ("placeholders and tags", "in <b>bold</b>", ["<b>", "</b>"]),
        ("placeholders and tags", "5 % der Zeit", []),
        ("names, inside the sentence", "In New York, said Ann.", ["New York", "Ann"]),
        ("names, inside the sentence", "The dog sleeps.", []),
    ],
)
def test_what_must_be_kept_is_found(name, text, found):
    assert KEPT[name](text) == found


def test_what_the_reference_changes_need_not_be_kept():
    rows = [
        ("I saw Ann in Brussels.", "Ik zag Ann in Brussel.", "Ik zag Ann in Brussel."),
        ("I saw Ann in Brussels.", "Ik zag Ann in Brussel.", "Ik zag Jan in Brussels."),
    ] * 5
    (names, *_) = by_phenomenon(items(*rows), frozenset())
    assert (names.name, names.scores.sentences, names.kept) == (
        "names, inside the sentence",
        10,
        0.5,
    )


def test_a_name_is_kept_wherever_it_stands_but_not_inside_another_word():
    translations = (
        "Im Dokument von Impress steht es.",
        "Impress hat das Dokument.",
        "Das Impress-Dokument hat es.",
        "Impressの文書",
        "Das Impressum hat es.",
    )
    rows = [("It is in Impress.", "Es ist in Impress.", text) for text in translations] * 2
    (names, *_) = by_phenomenon(items(*rows), frozenset())
    assert names.name == "names, inside the sentence"
    assert names.kept == pytest.approx(4 / 5)


def test_a_question_mark_is_one_in_every_script():
    rows = [
        ("Is it?", "是吗？", "是吗？"),
        ("Is it?", "是吗？", "是。"),
    ] * 5
    found = {group.name: group for group in by_phenomenon(items(*rows), frozenset({"is", "it"}))}
    assert found["questions"].kept == 0.5
    assert "another sign at the end" not in failures(
        items(("Stop.", "停。", "停."), ("A", "B", "C"))
    )
    assert len(failures(items(*rows))["another sign at the end"]) == 5


def test_numbers_may_be_written_with_other_signs_and_questions_need_their_mark():
    rows = [
        ("Is it 1,500?", "Is het 1.500?", "Is het 1.500?"),
        ("Is it 1,500?", "Is het 1.500?", "Is het 15.00"),
        ("Is it 1,500?", "Is het 1.500?", "Is het 150?"),
        ("Is it 15?", "Is het vijftien?", "Is het?"),
    ] * 4
    found = {group.name: group for group in by_phenomenon(items(*rows), frozenset({"is", "it"}))}
    assert found["numbers"].scores.sentences == 12
    assert found["numbers"].kept == pytest.approx(2 / 3)
    assert found["questions"].kept == 0.75
    assert found["with known words alone"].scores.sentences == 16
    assert "with a word that training never showed" not in found


def test_unknown_words_are_told_whatever_their_capitals():
    known = known_to(["The dog isn't here, dear."])
    assert unknown("Dear dog, isn't the Zebra 3 m tall?", known) == ["Zebra", "m", "tall"]


def test_recall_by_frequency_counts_each_word_as_often_as_it_is_there():
    training = ["de hond de hond de", *["huis"] * 51, "kat"]
    rows = [("x", "de de zebra huis kat 7 .", "de huis huis zebra"), ("x", "de", "het")]
    found = [(of.name, of.count, of.found) for of in by_frequency(items(*rows), training)]
    assert found == [
        ("never", 2, 0.5),  # zebra, and 7
        ("1 to 5 times", 4, 0.25),  # de three times, of which one is there, and kat
        ("more than 50 times", 1, 1.0),
    ]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("empty", ("A dog.", "Een hond.", " ")),
        ("the source, unchanged", ("A dog.", "Een hond.", "A dog.")),
        ("repeats itself", ("x", "en zo en zo.", "dat is zo dat is zo dat is zo.")),
        ("less than half as long as the reference", ("x", "Een hond.", "Een.")),
        ("more than twice as long", ("x", "Een.", "Een hond is.")),
        ("another sign at the end", ("Is it?", "Is het?", "Is het.")),
    ],
)
def test_each_fault_is_seen(name, row):
    assert name in failures(items(row))


@given(st.text(alphabet="ab .?", min_size=1, max_size=12).filter(str.strip))
@settings(deadline=None)
def test_the_reference_itself_has_no_fault(text):
    (item,) = items(("x y z", text, text))
    assert failures([item]) == {}


def test_every_fault_of_the_table_has_a_test():
    marks = test_each_fault_is_seen.pytestmark
    assert {name for name, _ in marks[0].args[1]} == set(FAILURES)


def test_examples_go_from_the_worst_to_the_best():
    rows = [("x", "abcdefgh", "abcdefgh"[:n]) for n in (8, 2, 6, 4, 7)]
    chosen = spread_out(items(*rows), 3)
    assert [of.translation for of in chosen] == ["ab", "abcdef", "abcdefgh"]
    assert len(spread_out(items(*rows), 99)) == 5
    assert len(spread_out(items(*rows), 1)) == 1


def test_words_of_the_grammar_are_no_placeholders():
    from mtcourse.text.corpora import builtin_corpus

    for pair in builtin_corpus(train=300).splits["train"]:
        assert KEPT["placeholders and tags"](pair.source) == []
        assert len(words(pair.source)) > 1
