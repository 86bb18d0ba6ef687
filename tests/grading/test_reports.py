"""Reports say what the results say, in the forms that other programs read, whatever is in them."""

from __future__ import annotations

import html.parser
import io
import random
import re
import statistics
from pathlib import Path
from urllib.parse import unquote

import pytest
from rich.console import Console

from mtcourse.grading.reports import TABLES, write_reports
from mtcourse.grading.reports.class_report import render_class_report
from mtcourse.grading.reports.counts import (
    count_misconceptions,
    count_notebooks,
    find_submissions_to_review,
)
from mtcourse.grading.reports.terminal import class_table, format_result
from mtcourse.grading.results import ExerciseResult, SubmissionResult
from tests.helpers.made_results import CLASS, SEED, failed, hostile_class, result


def test_counts_are_those_of_the_results():
    attention, masks = count_notebooks(CLASS)
    assert (attention.points, attention.not_graded, attention.max_points) == ((0, 2, 3, 5), 2, 5)
    assert attention.mean == statistics.fmean([0, 2, 3, 5])
    assert attention.median == statistics.median([0, 2, 3, 5])
    first, second = attention.exercises
    assert (first.passed, first.wrong, first.open, first.stopped) == (2, 1, 0, 2)
    assert (second.passed, second.wrong, second.open, second.stopped) == (2, 1, 1, 1)
    assert masks.exercises[0].misconception.name == "not_scaled"
    assert masks.exercises[1].misconception is None


@pytest.mark.parametrize("out_of", [1, 5, 12, 17, 20, 100])
def test_bars_part_all_points_into_equal_spans(out_of):
    class_ = [
        result(str(n), exercises=(ExerciseResult("e", "passed", n % (out_of + 1), out_of),))
        for n in range(50)
    ]
    (count,) = count_notebooks(class_)
    assert sum(bar.learners for bar in count.bars) == 50
    assert [n for bar in count.bars for n in range(bar.first, bar.last + 1)] == list(
        range(out_of + 1)
    )
    assert len(count.bars) <= 12


def test_the_commonest_mistakes_come_first_with_their_message():
    first, *rest = count_misconceptions(CLASS)
    assert (first.exercise, first.name, first.learners) == ("scaled_scores", "not_scaled", 1)
    assert {one.message for one in count_misconceptions(CLASS)} == {
        "These are the products, not divided by √d_k."
    }
    twice = count_misconceptions([*CLASS, result("Gus", ("passed", "wrong"))])
    assert (twice[0].exercise, twice[0].learners) == ("share", 2)
    assert len(rest) == 2


def test_who_needs_a_look():
    looks = {
        (look.result.learner, look.result.notebook): look.reasons
        for look in find_submissions_to_review(CLASS)
    }
    assert [who for who, _ in looks] == ["Ed", "Di", "Bo", "Cy"], "the grader's own failure first"
    assert looks["Cy", "04_attention"] == ("did not end in time: scaled_scores", "no points")
    assert looks["Di", "04_attention"] == ("it cannot be read: it is empty",)
    assert looks["Bo", "05_masks"] == ("no points",)


class Reader(html.parser.HTMLParser):
    """A page's tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name == "href"]

        self.text += " " * (tag in ("td", "th"))

    def handle_data(self, data):
        self.text += data


def page_of(results: list[SubmissionResult]) -> str:
    return render_class_report(
        results, {(r.learner, r.notebook): "feedback/x.html" for r in results}
    )


def test_the_class_report_says_it_all():
    told = " ".join(Reader(page_of(CLASS)).text.split())
    for said in (
        "6 learners, 7 notebooks handed in",
        "4 need a look",
        "Median 2.5, mean 2.5 of 5 points. 4 graded, 2 not.",
        "40% right: 2 of 5; 1 not right; 2 did not run",
        "1 × not_scaled in scaled_scores, 04_attention These are the products",
        "the grader failed: the worker ended",
        "1 of 7 notebooks were run without isolation",
        "python 3.11.2, torch 2.9.0",
        "learner 04_attention 05_masks together Ana 5 – 5 Bo 2 0 2 Cy 0 – 0 Di unreadable – 0",
    ):
        assert said in told


def test_a_page_of_nobody_can_be_written():
    assert "Nobody" in page_of([])


def test_nothing_of_a_result_is_markup():
    page, plain = Reader(page_of(hostile_class())), Reader(page_of(CLASS))
    assert page.tags <= plain.tags | {"details", "summary"}
    assert page.attributes <= plain.attributes
    assert "<script>steal()</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text


def test_everything_is_written_and_the_order_of_results_does_not_matter(tmp_path):
    shuffled = random.Random(1).sample(CLASS, len(CLASS))
    for name, results in (("one", CLASS), ("other", shuffled)):
        write_reports(results, tmp_path / name, {})
    one, other = (contents(tmp_path / name) for name in ("one", "other"))
    assert one == other
    assert {*TABLES, "report.html"} <= set(one)
    for made in CLASS:
        assert f"gradescope/{made.learner}/results.json" in one
        for ending in ("ipynb", "html"):
            assert f"feedback/{made.learner}/{made.notebook}.{ending}" in one


def test_every_link_of_the_class_report_leads_to_a_page(tmp_path):
    results = [*CLASS, *hostile_class(), result("Zoë #1 100%"), result("a?b=c&d")]
    write_reports(results, tmp_path, {})
    page = Reader((tmp_path / "report.html").read_text(encoding="utf-8"))
    links = {unquote(link) for link in page.links if not link.startswith("#")}
    assert len(links) == len(results)
    assert all(re.fullmatch(r"[#\w./%+(),@~-]+", link, re.ASCII) for link in page.links)
    assert all((tmp_path / link).is_file() for link in links)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_what_goes_to_a_learner_holds_neither_the_seed_nor_the_versions(tmp_path):
    write_reports(CLASS, tmp_path, {})
    for name, content in contents(tmp_path).items():
        if name.startswith(("feedback/", "gradescope/")):
            assert str(SEED).encode() not in content
            assert b"2.9.0" not in content


def test_hostile_names_stay_in_the_folder(tmp_path):
    out = tmp_path / "deep" / "grades"
    write_reports(hostile_class(), out, {})
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["grades"]
    assert len(list((out / "feedback").iterdir())) == len(hostile_class())
    for content in contents(out).values():
        content.decode("utf-8")
        assert len(content) < 300_000


def printed(table: object) -> str:
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    console.print(table)
    return console.file.getvalue()


def test_the_class_in_a_terminal():
    told = printed(class_table(CLASS))
    assert re.search(r"scaled_scores\s*│\s*2 of 5\s*│\s*1 │\s*· │\s*2 │\s*not_scaled \(1\)", told)
    assert "median 2.5 of 5 points" in told
    assert "4 of 7 submissions need a look; 1 were run without isolation" in told


def test_one_submission_in_a_terminal():
    told = format_result(CLASS[1])
    assert told.startswith("Bo, 04_attention: 2 of 5 points\n")
    assert "share: not right, 0 of 3\n" in told
    assert "→ These are the products" in told
    assert told.endswith(
        f"mtcourse grade Bo/04_attention.ipynb --seed {SEED} --isolation warm --explain"
    )
    assert "'a b; reboot/04_attention.ipynb'" in format_result(result("a b; reboot"))
    assert "the worker ended" in format_result(failed("Ed"))


def test_a_terminal_is_not_steered():
    for one in hostile_class():
        for told in (format_result(one), printed(class_table([one]))):
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", told)
    assert "[bold]not[/bold]" in format_result(result("[bold]not[/bold]"))
    made = result("x", exercises=hostile_class()[12].exercises)
    assert "[bold]not[/bold]" in printed(class_table([made]))
