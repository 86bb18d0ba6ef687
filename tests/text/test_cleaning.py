"""What is left out of a corpus, and that the report says so."""

from __future__ import annotations

import pytest

from mtcourse.text.cleaning import Dropped, clean
from mtcourse.text.pairs import SentencePair


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("", "", "empty on both sides"),
        ("A dog.", "", "empty on one side"),
        ("Choose <emph>File</emph>.", "Kies Bestand.", "markup left over"),
        ("Bread &amp; butter", "Brood en boter", "markup left over"),
        ("LibreOffice Calc", "LibreOffice Calc", "untranslated"),
        ("name = script.invoke(Array(), 3)", "Name = script.invoke(Array(), 3)", "untranslated"),
        ("1 + 2 = 3", "1 + 2 is 3", "few letters"),
        ("No.", "Nee, dat is helemaal niet de bedoeling hier.", "very unequal lengths"),
        ("word " * 61, "woord " * 61, "longer than 60 words"),
    ],
)
def test_each_reason_has_its_pairs(source, target, reason):
    dropped = Dropped()
    assert clean([SentencePair(source.strip(), target.strip())], dropped) == []
    assert dropped.counts == {reason: 1}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Yes.", "Ja."),
        ("The function returns 1.", "De functie geeft 1 terug."),
        ("Is the value of x < 7?", "Is de waarde van x < 7?"),
        ("Open Calc", "Calc openen"),
        ("word " * 60, "woord " * 60),
        ("Conflicting form data was submitted. Please try again.", "表单数据有冲突。请再试一次。"),
    ],
)
def test_good_pairs_stay(source, target):
    pair = SentencePair(source.strip(), target.strip())
    assert clean([pair], Dropped()) == [pair]


def test_duplicates_go_and_the_first_stays():
    dropped = Dropped()
    pairs = [SentencePair("A dog.", "Een hond.", origin=str(i)) for i in range(3)]
    other = SentencePair("A dog.", "Een hondje.")
    assert clean([*pairs, other], dropped) == [pairs[0], other]
    assert dropped.counts["duplicate"] == 2


def test_the_report_says_how_many_why_and_where():
    dropped = Dropped()
    for line in range(5):
        dropped.add("no tab in the line", SentencePair("text", "", origin=f"p.tsv:{line}"))
    report = str(dropped.report(1234))
    assert "kept 1,234 pairs, left out 5" in report
    assert "p.tsv:0" in report
    assert "p.tsv:2" in report
    assert "p.tsv:3" not in report, "a few examples, not all"
