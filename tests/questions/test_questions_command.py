"""The command that exports questions, and answering them in a browser."""

from __future__ import annotations

import sys
import zipfile

import pytest

from mtcourse import cli
from mtcourse.questions.on_page import ask
from mtcourse.questions.question import Mistake, Question
from tests.helpers.browsing import ALONE, violations, visit


@pytest.fixture
def questions(monkeypatch, capsys):
    """Runs ``mtcourse questions`` with arguments; returns exit status, output and error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mtcourse", "questions", *arguments])
        try:
            cli.main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    return run


def test_all_questions_or_those_of_a_chapter_are_written(questions, tmp_path):
    status, out, _ = questions("--out", str(tmp_path / "all.zip"))
    assert (status, out.split()[1:3]) == (0, ["questions", "in"])
    status, out, _ = questions("--out", str(tmp_path / "one.zip"), "--chapter", "attention")
    assert (status, out.split()[0]) == (0, "6")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert "imsmanifest.xml" in archive.namelist()


def test_a_chapter_without_questions_is_named(questions, tmp_path):
    status, _, err = questions("--out", str(tmp_path / "x.zip"), "--chapter", "attnetion")
    assert status != 0
    assert "no questions for attnetion: there are some for attention" in err
    assert not (tmp_path / "x.zip").exists()


def test_text2qti_is_asked_for_by_name(questions, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "text2qti.config", None)
    status, _, err = questions("--out", str(tmp_path / "x.zip"))
    assert status != 0
    assert "pip install 'mtcourse[questions]'" in err


# --- in a browser -------------------------------------------------------------------------------

browsing = pytest.mark.browser


@pytest.fixture(params=["light", "dark"])
def page(browser, tmp_path, request: pytest.FixtureRequest):
    """Two questions on a page."""
    mistakes = (
        Mistake("one", "`One < 2` is *too* few.", "x.y"),
        Mistake("four", "Too many.", "x.z"),
    )
    both = [Question(name, f"{name}?", "three", "Count.", mistakes) for name in ("How", "What")]
    scheme = '<meta name="color-scheme" content="light dark">'
    html = f"{ALONE}{scheme}<main><h1>x</h1>{ask(both).data}</main></html>"
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    visited = visit(browser, tmp_path.as_uri(), "/page.html", request.param)
    yield visited.page
    assert visited.errors == []
    visited.page.context.close()


@browsing
def test_a_wrong_option_says_why_and_the_right_one_is_still_to_be_found(page):
    first = page.get_by_role("group", name="1. How?")
    first.get_by_role("button", name="one").click()
    assert page.get_by_role("status").first.inner_text() == "One < 2 is too few."
    assert page.locator("[role=status] code").all_inner_texts() == ["One < 2"]
    assert page.locator("[role=status] em").all_inner_texts() == ["too"]
    assert page.locator("[data-answered] [data-right]").count() == 0
    assert violations(page) == []
    three = first.get_by_role("button", name="three")
    three.focus()
    page.keyboard.press("Space")
    assert page.get_by_role("status").first.inner_text() == "Right. Count."
    assert page.locator("[data-answered] [data-right]").count() == 1
    assert page.get_by_role("status").nth(1).inner_text() == ""
    assert violations(page) == []
