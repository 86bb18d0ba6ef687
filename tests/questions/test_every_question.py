"""What holds for the questions of every chapter, and for the package that platforms import."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup

from mtcourse.checks.banks import bank_of
from mtcourse.errors import MtcourseError
from mtcourse.figures.question_form import Option, question_form
from mtcourse.questions.every_question import chapters_with_questions, questions_of
from mtcourse.questions.export import quiz_text, told, write_qti
from mtcourse.questions.on_page import ask
from mtcourse.questions.question import Mistake, Question, mistake_of
from tests.helpers.browsing import ROOT

WORDS = chapters_with_questions()
ALL = [(word, question) for word in WORDS for question in questions_of(word)]
QTI = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
every_question = pytest.mark.parametrize(
    ("word", "question"), ALL, ids=[f"{word}: {question.name}" for word, question in ALL]
)


def known_mistakes(word: str) -> set[str]:
    exercises = bank_of(f"00_{word}")
    return {f"{of.id}.{wrong.__name__}" for of in exercises for wrong in of.misconceptions}


@pytest.mark.parametrize("word", WORDS)
def test_a_chapter_has_six_questions_and_shows_them(word):
    questions = questions_of(word)
    assert len(questions) == 6
    assert len({question.name for question in questions}) == 6
    assert len({question.asks for question in questions}) == 6
    (page,) = (ROOT / "book").glob(f"[0-9][0-9]_{word}.md")
    assert "\nask(QUESTIONS)\n" in page.read_text(encoding="utf-8")


@every_question
def test_each_wrong_option_is_a_mistake_that_the_chapters_checks_know(word, question):
    assert {mistake.known_as for mistake in question.mistakes} <= known_mistakes(word)
    assert len({mistake.known_as for mistake in question.mistakes}) == len(question.mistakes)


@every_question
def test_a_question_is_short_and_every_option_tells_something(word, question):
    assert len(question.asks) <= 400
    assert question.asks.rstrip().endswith(("?", "?*", "."))
    for option in question.options():
        assert 0 < len(option.text) <= 160, option.text
        assert 20 <= len(option.says) <= 420, option.says
        assert "nan" not in option.text.split()
        # As Markdown, it loses the marks of code, emphasis and indices, and nothing else.
        html = question_form("q", "?", [option, Option("-", "", right=not option.right)])
        button = BeautifulSoup(html, "html.parser").button
        assert button is not None
        told = BeautifulSoup(str(button["data-says"]), "html.parser")
        marked = {"code": ("`", "`"), "em": ("*", "*"), "sub": ("_", "")}
        for tag in told.find_all(True):
            before, after = marked[tag.name]
            tag.replace_with(f"{before}{tag.text}{after}")
        assert told.text == option.says
    assert len(question.options()) in (3, 4, 5)


@every_question
def test_an_option_does_not_stand_out_by_its_length(word, question):
    lengths = [len(option.text) for option in question.options()]
    (right,) = [len(option.text) for option in question.options() if option.right]
    others = [length for length in lengths if length != right]
    assert right <= 2 * max(others, default=right) + 8


def test_the_right_option_is_not_mostly_in_one_place():
    places = Counter(
        next(place for place, option in enumerate(question.options()) if option.right)
        for _, question in ALL
    )
    assert max(places.values()) < 0.5 * len(ALL) + 3


# --- the parts ----------------------------------------------------------------------------------

TWO = (Mistake("1", "no, think again, please", "x.y"), Mistake("2 * d_k", "neither is this", "x.z"))


def test_options_must_differ_and_be_three():
    with pytest.raises(MtcourseError, match="at least three options, all different"):
        Question("q", "What?", "1", "so it is", TWO)
    with pytest.raises(MtcourseError, match="at least three options"):
        Question("q", "What?", "3", "so it is", TWO[:1])


def test_the_order_of_options_does_not_depend_on_how_they_are_written_down():
    one = Question("q", "What?", "3", "so it is", TWO)
    other = Question("q", "What?", "3", "so it is", TWO[::-1])
    assert one.options() == other.options()


def test_a_mistake_is_run_and_tells_what_its_bank_says():
    exercise = next(of for of in bank_of("04_attention") if of.id == "score_variance")
    found = mistake_of(exercise, "means", show=lambda answer: str(answer["product"]))
    assert found.text == "0"
    assert found.known_as == "score_variance.means"
    assert found.says.startswith("You gave the means, which are indeed 0.")
    with pytest.raises(MtcourseError, match="knows no mistake mean; it knows .*means"):
        mistake_of(exercise, "mean")


def test_a_page_can_be_answered_and_nothing_typed_becomes_markup():
    html = ask([Question("q", "Which `<b>`?", "<i>3", "so it is", TWO)]).data
    assert html is not None
    assert html.count("data-right") >= 1
    assert "<i>3" not in html
    assert "<code>&lt;b&gt;</code>" in html


def exported(tmp_path, questions) -> list[dict[str, str]]:
    """What a platform reads: for each question the text of its options, with what they tell."""
    write_qti(questions, "A quiz", tmp_path / "quiz.zip")
    with zipfile.ZipFile(tmp_path / "quiz.zip") as archive:
        (name,) = [
            of
            for of in archive.namelist()
            if of.endswith(".xml") and of.count("text2qti_assessment") == 2
        ]
        root = ElementTree.fromstring(archive.read(name))
    found = []
    for item in root.iter(f"{QTI}item"):
        labels = {
            label.get("ident"): plain(label.find(f".//{QTI}mattext").text)
            for label in item.iter(f"{QTI}response_label")
        }
        full = [
            condition.find(f".//{QTI}varequal").text
            for condition in item.iter(f"{QTI}respcondition")
            if (score := condition.find(f"{QTI}setvar")) is not None and score.text == "100"
        ]
        (key,) = full
        asks = plain(item.find(f"{QTI}presentation/{QTI}material/{QTI}mattext").text)
        found.append({"asks": asks, "right": labels[key], "all": sorted(labels.values())})
    return found


def plain(html: str) -> str:
    from html import unescape

    return unescape(re.sub("<[^>]+>", "", html)).strip()


def test_a_platform_reads_the_same_options_and_the_same_key(tmp_path):
    odd = Question(
        "odd",
        "Which is *it*, `a_b`?",
        "2 * d_k",
        "it is",
        (
            Mistake("$x$ & <y>", "not this one, surely", "a.b"),
            Mistake("1. one\\two a^2 ~b~ |c| it's", "nor this one, no", "a.c"),
        ),
    )
    questions = [*(question for _, question in ALL), odd]
    read = exported(tmp_path, questions)
    assert len(read) == len(questions)
    for found, question in zip(read, questions, strict=True):
        assert found["right"] == question.right
        assert found["all"] == sorted(option.text for option in question.options())
    assert read[-1]["asks"] == "Which is it, a_b?"


def test_nothing_to_export_is_said(tmp_path):
    with pytest.raises(MtcourseError, match="no question"):
        write_qti([], "A quiz", tmp_path / "quiz.zip")
    assert not (tmp_path / "quiz.zip").exists()


def test_the_quiz_can_be_read_as_text():
    text = quiz_text([Question("q", "What?", "3", "so it is", TWO)], "A quiz")
    assert text.startswith("Quiz title: A quiz\n")
    assert re.search(r"^\*[abc]\) 3$", text, re.MULTILINE)
    assert r"2 \* d\_k" in text


def test_code_and_emphasis_of_a_message_are_kept_and_nothing_else_is_marked():
    assert told("Use `d_k`, *not* 2 * d_k.") == r"Use `d_k`, *not* 2 \* d\_k\."
