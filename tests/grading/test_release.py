"""What learners get holds no solution, and a scan finds each one that is put there on purpose."""

from __future__ import annotations

import gzip
import html
import io
import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mtcourse.cli import app
from mtcourse.errors import MtcourseError
from mtcourse.grading.release import collect_passages, scan_release, write_release
from mtcourse.grading.solution_notebook import BEGIN_SOLUTION
from tests.helpers.small_solution import cell, small_solution, write

ROOT = Path(__file__).resolve().parents[2]
LINE = "return Q @ K.mT / d_k**0.5"
REASON = "Because the variance of a sum of products grows with their number, it is divided."


@pytest.fixture
def course(tmp_path) -> Path:
    """A course of one exercise, with a book and a project."""
    notebook = small_solution()
    for one in notebook["cells"]:
        if one["id"] == "why":
            one["source"] = [REASON]
    write(notebook, tmp_path / "solutions" / "04_attention.ipynb")
    pages = tmp_path / "html" / "book"
    pages.mkdir(parents=True)
    (pages / "04.html").write_text("<p>Scores are products of queries and keys.</p>")
    index = {"docnames": ["book/04"], "terms": {"score": 0, "product": 0, "queri": 0, "key": 0}}
    index_file = tmp_path / "html" / "searchindex.js"
    index_file.write_text(f"Search.setIndex({json.dumps(index)})")
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / "template.py").write_text(
        "def train():\n    raise NotImplementedError"
    )
    return tmp_path


def release(course: Path) -> list[Path]:
    return write_release(course / "solutions", course / "out", course / "projects", course / "html")


def test_a_release_has_everything_and_no_solution(course):
    names = {path.relative_to(course / "out").as_posix() for path in release(course)}
    assert names == {
        "exercises/04_attention.ipynb",
        "projects/template.py",
        "book/book/04.html",
        "book/searchindex.js",
    }
    assert scan_release([course / "out"], course / "solutions") == []
    text = (course / "out" / "exercises" / "04_attention.ipynb").read_text()
    assert LINE not in text
    assert REASON not in text


def test_a_folder_that_is_there_is_left_alone(course):
    (course / "out").mkdir()
    (course / "out" / "mine.txt").write_text("mine")
    with pytest.raises(MtcourseError, match="is there already"):
        release(course)
    assert (course / "out" / "mine.txt").read_text() == "mine"


def highlighted(code: str) -> str:
    """Code as a page shows it: each word in an element of its own."""
    return "".join(f'<span class="n">{html.escape(part)}</span> ' for part in code.split())


def zipped(text: str | bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:  # else it can be read so
        archive.writestr("deep/notes.txt", text)
    return file.getvalue()


def with_output(text: str) -> str:
    notebook = small_solution()
    plain = cell("code", "x", "print(1)")
    output = {"output_type": "stream", "name": "stdout", "text": text.splitlines(True)}
    return json.dumps({**notebook, "cells": [plain | {"outputs": [output]}]})


PLANTED = {
    "projects/answer.py": f"def scores(Q, K):\n  d_k = Q.shape[-1]\n\n  {LINE}\n",
    "projects/notes.md": f"Some text. {REASON.replace(' ', '  ')}",
    "projects/output.ipynb": with_output(f"d_k = Q.shape[-1]\n{LINE}"),
    "projects/metadata.ipynb": json.dumps({"metadata": {"note": REASON}, "cells": []}),
    "projects/sources.zip": zipped(REASON),
    "projects/week.zip": zipped(zipped(REASON)),
    "projects/notes.md.gz": gzip.compress(REASON.encode()),
    "html/pagefind/en_1.pf_fragment": gzip.compress(
        f"pagefind_dcd{json.dumps({'content': REASON.replace(' ', chr(10))})}".encode()
    ),
    "html/book/05.html": f"<pre>{highlighted('d_k = Q.shape[-1] ' + LINE)}</pre>",
    "html/book/06.html": f'<p title="{html.escape(REASON)}">nothing</p>',
    "html/book/07.html": f"<script>const data = {json.dumps('x' + chr(10) + REASON)};</script>",
    "html/book/data.json": json.dumps({"cells": [{"source": [REASON[:40], REASON[40:]]}]}),
}


@pytest.mark.parametrize("place", PLANTED)
def test_a_solution_that_is_put_there_is_found_and_nothing_is_released(course, place):
    content = PLANTED[place]
    path = course / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MtcourseError, match=r"passages? of solutions") as error:
        release(course)
    assert "scaled_scores of 04_attention" in str(error.value)
    assert path.name in str(error.value)
    assert not (course / "out").exists()
    assert {one.name for one in course.iterdir()} == {"solutions", "html", "projects"}


@pytest.mark.parametrize(
    "content",
    [
        # mtime: without it the bytes, and with them the test's name, hold the time of collection.
        pytest.param(gzip.compress(b"x", mtime=0)[:-9], id="cut off"),
        pytest.param(b"\x1f\x8bno", id="not gzip at all"),
    ],
)
def test_what_cannot_be_unpacked_is_not_released(course, content):
    (course / "html" / "en_1.pf_fragment").write_bytes(content)
    with pytest.raises(MtcourseError, match=r"en_1\.pf_fragment is packed, and cannot be unpacked"):
        release(course)
    assert not (course / "out").exists()


@pytest.mark.parametrize(
    ("docnames", "terms"),
    [(["book/04", "solutions/04"], []), (["book/04"], ["variance"]), (["book/04"], ["varianc"])],
)
def test_what_a_search_index_tells_is_found(course, docnames, terms):
    index = {"docnames": docnames, "terms": dict.fromkeys(["score", *terms], 0)}
    (course / "html" / "searchindex.js").write_text(f"Search.setIndex({json.dumps(index)})")
    assert scan_release([course / "html"], course / "solutions")
    page = course / "html" / "book" / "04.html"
    page.write_text("<p>Their variances are one.</p>")  # then the word is nobody's secret
    assert len(scan_release([course / "html"], course / "solutions")) == len(docnames) - 1


def test_a_notebook_with_marks_is_found_whatever_it_solves(course):
    text = json.dumps({"cells": [{"source": [f"{BEGIN_SOLUTION}\n", "x"]}]})
    (course / "projects" / "mine.ipynb").write_text(text)
    assert scan_release([course / "projects"], course / "solutions")


def test_what_is_handed_out_anyway_is_no_solution(course):
    notebook = small_solution()
    notebook["cells"].append(cell("code", "more", f"def f(Q, K, d_k):\n    {LINE}", role="given"))
    write(notebook, course / "solutions" / "04_attention.ipynb")
    assert LINE.replace(" ", "") not in {p.text for p in collect_passages(course / "solutions")}


def test_the_commands_say_so_by_their_status(course):
    def call(*words: object):
        return CliRunner().invoke(app, ["exercises", *map(str, words)])

    solutions = ("--solutions", course / "solutions")
    done = call("release", "--out", course / "out", *solutions)
    assert (done.exit_code, "no passage of a solution" in done.output) == (0, True)
    assert call("scan", course / "out", *solutions).exit_code == 0
    assert call("scan", course / "solutions", *solutions).exit_code == 1
    assert "nothing to scan" in str(call("scan", course / "nowhere", *solutions).exception)


def test_nothing_of_this_course_gives_a_solution_away():
    given = [ROOT / "exercises", ROOT / "projects", *sorted((ROOT / "book").glob("*.*"))]
    assert scan_release(given, ROOT / "solutions") == []
    assert len(collect_passages(ROOT / "solutions")) > 2000


def test_every_solution_of_this_course_would_be_found():
    leaks = scan_release([ROOT / "solutions"], ROOT / "solutions")
    passages = {
        (one.notebook, one.exercise, one.shown) for one in collect_passages(ROOT / "solutions")
    }
    assert passages <= {(one.notebook, one.exercise, one.text) for one in leaks}
