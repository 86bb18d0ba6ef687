"""Feedback: the verdict beside the answer, and nothing of a learner's that could run or load."""

from __future__ import annotations

import base64
import html.parser
import json
from dataclasses import replace

import nbformat
import pytest
from markdown_it import MarkdownIt

from mtcourse.grading.exercise_notebook import render_exercise_notebook
from mtcourse.grading.merge import merge_submission
from mtcourse.grading.reports.displayed_cells import MAX_NOTEBOOK_LENGTH, read_displayed_cells
from mtcourse.grading.reports.feedback import render_feedback_notebook, render_feedback_page
from mtcourse.grading.results import ExerciseResult
from mtcourse.grading.solution_notebook import read_cells
from mtcourse.grading.submitted_notebook import parse_submitted_notebook
from tests.helpers.hostile_work import EVIL, hostile_work
from tests.helpers.made_results import (
    SAYS,
    SEED,
    code,
    displayed,
    failed,
    hostile_class,
    notebook,
    png,
    result,
    text,
    unreadable,
)
from tests.helpers.small_solution import small_solution, write

ANSWER = "def scaled_scores(Q, K):\n    return Q @ K.mT"
WORK = notebook(
    text("# Attention\n\nThe question is not repeated.", role="given"),
    code(ANSWER, role="answer", id="scaled_scores"),
    code("check('scaled_scores', scaled_scores)", displayed(text="All right!"), role="check"),
    code("share = 3", role="answer", id="share"),
    text("I *tried* hard."),
    code("print(1)", {"output_type": "stream", "name": "stdout", "text": "1\n"}),
)


class Reader(html.parser.HTMLParser):
    """A page's tags with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page.partition("<body>")[2])

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def in_this_order(whole: str, *parts: str) -> bool:
    places = [whole.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def sources(made: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(made)["cells"]]


def test_each_verdict_follows_its_answer_and_the_repairs_come_first():
    one = result("Bo", ("wrong", "passed"), repairs=("the file began with a byte order mark",))
    page = Reader(render_feedback_page(one, WORK)).text
    assert in_this_order(
        page,
        "3 of 5 points",
        "byte order mark",
        "return Q @ K.mT",
        "✗ scaled_scores: not right, 0 of 2 points",
        "✓ it has the right shape",
        "→ These are the products, not divided by √d_k.",
        "Hint: Write down the shape of Q.",
        "share = 3",
        "✓ share: right, 3 of 3 points",
        "I tried hard.",
        "print(1)",
    )
    assert "All right!" not in page, "the notebook's own check is no verdict"
    assert "not repeated" not in page
    made = render_feedback_notebook(one, WORK)
    assert "All right!" not in made
    cells = sources(made)
    assert "byte order mark" in cells[0]
    assert cells.index(ANSWER) + 1 == next(
        n for n, cell in enumerate(cells) if "→ These are" in cell
    )
    assert cells.index("share = 3") + 1 == next(n for n, c in enumerate(cells) if "✓ share" in c)


def test_an_answer_without_a_cell_still_has_its_verdict():
    exercises = result("Bo", ("missing", "wrong")).exercises
    one = result("Bo", exercises=tuple(replace(exercise, cell=0) for exercise in exercises))
    made = render_feedback_page(one, WORK), "\n".join(sources(render_feedback_notebook(one, WORK)))
    said = "print(1)", "✗ scaled_scores: its cell is missing", "✗ share: not right, 0 of 3"
    assert in_this_order(Reader(made[0]).text, *said)
    assert in_this_order(made[1], *said)


@pytest.mark.parametrize(
    ("one", "work", "said"),
    [
        (unreadable("Di"), b"\xff\xfe", "This could not be read: it is empty"),
        (failed("Ed"), WORK, "the grader failed, which is not your fault"),
        (result("Bo", notebook=""), b"", "2 of 5 points"),
    ],
)
def test_what_was_not_graded_is_said(one, work, said):
    assert said in Reader(render_feedback_page(one, work)).text
    assert said in sources(render_feedback_notebook(one, work))[0]
    assert str(SEED) not in render_feedback_page(one, work)


def test_the_feedback_notebook_can_be_gone_on_with_and_handed_in(tmp_path):
    handed_out = json.loads(
        render_exercise_notebook(write(small_solution(), tmp_path / "04_attention.ipynb"))
    )
    returned = json.loads(json.dumps(handed_out))
    place = next(n for n, c in enumerate(returned["cells"], 1) if c["id"] == "answer")
    returned["cells"][place - 1]["source"] = ANSWER
    returned["cells"].append(code("added = 1"))
    content = json.dumps(returned).encode()
    answered = ExerciseResult("scaled_scores", "wrong", 0, 2, SAYS, cell=place)
    made = render_feedback_notebook(result("Bo", exercises=(answered,)), content)
    nbformat.validate(json.loads(made), relax_add_props=False)
    first = merge_submission(read_cells(handed_out), parse_submitted_notebook(content))
    again = merge_submission(read_cells(handed_out), parse_submitted_notebook(made.encode()))
    steps = [[(step.role, step.source) for step in merged.cells] for merged in (first, again)]
    assert steps[0] == steps[1]
    assert again.repairs == ()


ALLOWED = {"main", "h1", "h2", "h3", "p", "strong", "em", "bdi", "blockquote", "code", "pre"}
ALLOWED |= {"table", "thead", "tbody", "tr", "th", "td", "a", "section", "ul", "ol", "li", "div"}


@pytest.mark.parametrize("one", [result("Bo"), *hostile_class()])
def test_a_page_has_no_tag_attribute_or_address_of_a_learners(one):
    read = Reader(render_feedback_page(one, hostile_work()))
    for tag, attributes in read.tags:
        assert tag in ALLOWED
        assert set(attributes) <= {"class", "id", "href", "scope", "style"}
        assert attributes.get("href", "#exercise-").startswith("#exercise-")
        assert attributes.get("style", "text-align:").startswith("text-align:")
    assert [tag for tag, _ in read.tags].count("h1") == 1
    for shown in (EVIL, "[picture: p]", "document.title='pwned'"):
        assert shown in read.text


@pytest.mark.parametrize("one", [result("Bo"), *hostile_class()])
def test_a_feedback_notebook_has_no_rich_output_and_verdicts_are_text(one):
    made = json.loads(render_feedback_notebook(one, hostile_work()))
    nbformat.validate(made, relax_add_props=False)
    types = {
        kind
        for cell in made["cells"]
        for output in cell.get("outputs", ())
        for kind in output.get("data", ())
    }
    assert types <= {"image/png", "text/plain"}
    told = [cell["metadata"].get("mtcourse", {}) for cell in made["cells"]]
    assert all(isinstance(value, str) and len(value) < 100 for t in told for value in t.values())
    ours = [cell for cell in made["cells"] if cell["id"].startswith("feedback")]
    assert len(ours) == 1 + len(one.exercises)
    for cell in ours:
        tokens = MarkdownIt("commonmark").parse("".join(cell["source"]))
        heading = ["heading_open", "inline", "heading_close"] * (cell["id"] == "feedback")
        assert [token.type for token in tokens] == [*heading, "fence"]


def test_pictures_are_shown_where_they_are_pictures():
    shown = render_feedback_page(
        result("Bo"), notebook(code("plot()", displayed(png=png(), text="a")))
    )
    assert f'src="data:image/png;base64,{png()}"' in shown
    too_wide = displayed(png=png(4001), text="too wide")
    no_picture = displayed(png=base64.b64encode(b"GIF89a" + b"\0" * 30).decode(), text="a GIF")
    damaged = displayed(png="$$$", text="damaged")
    read = Reader(
        render_feedback_page(result("Bo"), notebook(code("x", too_wide, no_picture, damaged)))
    )
    assert "img" not in dict(read.tags)
    (shown,) = read_displayed_cells(notebook(code("x", *[displayed(png=png())] * 500)))
    assert 1 < len(shown.outputs) < 50
    for said in ("too wide", "a GIF", "damaged"):
        assert said in read.text


def test_a_notebook_of_any_size_gives_a_page_of_a_bearable_one():
    flood = {"output_type": "stream", "name": "stdout", "text": "x\n" * 20_000}
    huge = notebook(*[code("y = 1\n" * 20_000, flood)] * 90, *[text("z" * 20_000)] * 90)
    assert len(parse_submitted_notebook(huge).cells) == 180
    page = render_feedback_page(result("Bo"), huge)
    assert len(page) < 1.2 * MAX_NOTEBOOK_LENGTH
    assert "more characters" in page
    assert "the notebook is too long to be shown in full" in page
    assert len(render_feedback_notebook(result("Bo"), huge)) < 1.4 * MAX_NOTEBOOK_LENGTH


NO_OUTPUTS = (
    None,
    "text",
    {"a": 1},
    [1, None, [], "x"],
    [{"output_type": "stream", "text": [1, "ok"]}],
    [{"output_type": "error"}],
    [{"data": []}],
    [{"data": {"text/plain": {"a": 1}}}],
)


@pytest.mark.parametrize("outputs", NO_OUTPUTS)
def test_outputs_that_are_none_are_left_out(outputs):
    cell = {**code("x = 1"), "outputs": outputs}
    (shown,) = read_displayed_cells(notebook(cell))
    assert all(output.content for output in shown.outputs)
    render_feedback_page(result("Bo"), notebook(cell))
    nbformat.validate(json.loads(render_feedback_notebook(result("Bo"), notebook(cell))))
