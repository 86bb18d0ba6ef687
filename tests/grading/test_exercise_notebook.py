"""Exercise notebooks come from their solutions to the byte, and give nothing away."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from mtcourse.checks.banks import bank_of
from mtcourse.checks.checker import VERDICT
from mtcourse.cli import app
from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import (
    STUB_TEXT,
    clear_solutions,
    render_exercise_notebook,
    write_exercise_notebooks,
)
from mtcourse.grading.run_notebook import run_exercises, run_notebook
from mtcourse.grading.solution_notebook import (
    BEGIN_SOLUTION,
    END_SOLUTION,
    read_cells,
    read_exercise_specs,
    read_notebook,
)
from mtcourse.repository import NOT_SET
from tests.helpers.small_solution import small_solution, write

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
EACH = pytest.mark.parametrize("source", SOLUTIONS, ids=lambda path: path.stem)
SHORT = 6
"""Characters up to which a line is no solution, but a bracket or a bare name."""


def exercise_of(source: Path) -> Path:
    return ROOT / "exercises" / source.name


def lines_of_solutions(source: Path) -> set[str]:
    """Every line within a region, and of cells that only the solution has."""
    lines: set[str] = set()
    for cell in read_cells(read_notebook(source)):
        if cell.role == "answer":
            regions = re.findall(f"{BEGIN_SOLUTION}\n(.*?){END_SOLUTION}", cell.text, re.DOTALL)
            lines |= {line.strip() for region in regions for line in region.splitlines()}
        if cell.role == "hidden":
            lines |= {line.strip() for line in cell.text.splitlines()}
    return {line for line in lines if len(line) > SHORT and not line.startswith("```")}


# --- the notebooks of the course ----------------------------------------------------------------


@EACH
def test_the_exercise_is_what_its_solution_makes(source):
    assert exercise_of(source).read_text("utf-8") == render_exercise_notebook(source), (
        "run: make notebooks"
    )


def test_no_exercise_has_lost_its_solution():
    exercises = {path.name for path in (ROOT / "exercises").glob("*.ipynb")}
    assert exercises == {path.name for path in SOLUTIONS}
    assert exercises


@EACH
def test_a_learner_sees_no_line_of_a_solution(source):
    text = "\n".join(cell.text for cell in read_cells(read_notebook(exercise_of(source))))
    seen = {line.strip() for line in text.splitlines()}
    lines = lines_of_solutions(source)
    assert len(lines) >= len(read_exercise_specs(read_notebook(source)))
    assert lines & seen == set()


@EACH
@pytest.mark.parametrize("of", ["solutions", "exercises"])
def test_both_notebooks_are_valid_and_every_cell_has_an_id(source, of):
    notebook = nbformat.read(ROOT / of / source.name, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    ids = [cell.get("id") for cell in notebook.cells]
    assert all(ids)
    assert len(set(ids)) == len(ids)


@EACH
def test_every_stored_verdict_of_a_solution_is_a_pass(source):
    notebook = read_notebook(source)
    checks = [c for c in notebook["cells"] if c["metadata"]["mtcourse"]["role"] == "check"]
    verdicts = [output["data"][VERDICT] for cell in checks for output in cell["outputs"]]
    assert [verdict["exercise"] for verdict in verdicts if verdict["passed"]] == [
        asked.id for asked in read_exercise_specs(notebook)
    ]


@pytest.mark.by_turns(4)
@EACH
def test_the_untouched_exercise_scores_nothing_and_runs_to_its_end(source):
    path = exercise_of(source)
    assert {result.state for result in run_exercises(path)} == {"open"}
    executed = run_notebook(path, read_notebook(path))
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", ())]
    assert [o.get("evalue") for o in outputs if o["output_type"] == "error"] == []
    verdicts = [o["data"][VERDICT] for o in outputs if VERDICT in o.get("data", {})]
    assert len(verdicts) == len(read_exercise_specs(executed))
    assert not any(verdict["answered"] or verdict["passed"] for verdict in verdicts)


@EACH
def test_notebook_bank_and_chapter_correspond(source):
    word = re.fullmatch(r"\d\d_(\w+)", source.stem)[1]
    bank = bank_of(source.stem)
    notebook = read_notebook(source)
    assert {e.id for e in bank} == {asked.id for asked in read_exercise_specs(notebook)}
    chapter = ROOT / "book" / f"{source.stem}.md"
    for exercise in bank:
        assert f"`{exercise.id}`" in chapter.read_text("utf-8"), f"{chapter.name} names it not"
    assert (ROOT / "mtcourse" / "chapters" / word).is_dir()
    assert list(ROOT.glob(f"tests/chapters/test_{word}*.py"))


@EACH
def test_each_exercise_has_its_question_three_hints_and_its_reasoning(source):
    cells = read_cells(read_notebook(source))
    for asked in read_exercise_specs(read_notebook(source)):
        roles = [cell.role for cell in cells if cell.exercise == asked.id]
        assert roles.count("hint") == 3, asked.id
        assert roles.count("check") == 1, asked.id
        assert roles[0] == "given", f"{asked.id} begins with no question"
        assert "hidden" in roles, f"{asked.id} has no reasoning"


# --- how they are made --------------------------------------------------------------------------


@pytest.fixture
def folders(tmp_path):
    write(small_solution(), tmp_path / "solutions" / "04_attention.ipynb")
    return tmp_path / "solutions", tmp_path / "exercises"


CONFIG = """\
html:
  url: https://example.org/no-repository
repository:
  # A remark on
  # url: https://example.org/the-address
  branch: main
  url: {}
launch_buttons:
  url: https://example.org/none-either
"""


@pytest.mark.parametrize(
    ("config", "package"),
    [
        (None, "./mtcourse"),
        ("", "./mtcourse"),
        ("repository: null\n", "./mtcourse"),
        ("repository:\n  url: null\n", "./mtcourse"),
        ("repository:\n  url:   # later\n", "./mtcourse"),
        (
            "\ufeffrepository: {url: https://github.com/a/b.git}",
            '"mtcourse @ git+https://github.com/a/b"',
        ),
        (
            "repository:\n# a remark\n  other:\n    url: x\n  url: https://github.com/a/b",
            '"mtcourse @ git+https://github.com/a/b"',
        ),
        ("repository:\n  branch: main\n\nhtml:\n  url: x\n", "./mtcourse"),
        (CONFIG.format(NOT_SET), "./mtcourse"),
        (
            CONFIG.format("https://git.school.example/a/b/"),
            '"mtcourse @ git+https://git.school.example/a/b"',
        ),
        (CONFIG.format("'https://github.com/a/b'"), '"mtcourse @ git+https://github.com/a/b"'),
    ],
)
def test_colab_gets_the_package_from_the_address_of_the_course(folders, config, package):
    if config:
        (folders[0].parent / "_config.yml").write_text(config, encoding="utf-8")
    (path,) = write_exercise_notebooks(*folders)
    first = read_cells(read_notebook(path))[0]
    assert first.text.splitlines()[-1] == f"    %pip install -q {package}"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("repository:\n  url: https://github.com/a\n", "'https://github.com/a' is no address"),
        ("repository:\n  url: git@github.com:a/b.git\n", "is no address of a repository"),
        ("repository: [", "_config.yml cannot be read"),
    ],
)
def test_an_address_that_is_none_is_refused(folders, config, said):
    (folders[0].parent / "_config.yml").write_text(config, encoding="utf-8")
    with pytest.raises(MtcourseError, match=re.escape(said)):
        write_exercise_notebooks(*folders)
    assert not folders[1].exists()


def test_each_role_becomes_what_a_learner_needs(folders):
    (path,) = write_exercise_notebooks(*folders)
    cells = {cell.id: cell for cell in read_cells(read_notebook(path))}
    assert "google.colab" in cells["install"].text
    assert cells["title"].text.splitlines()[2] == "*1 exercises · about 10 minutes · 2 points*"
    assert cells["question"].text.splitlines()[:3] == [
        "## 1. Scores",
        "",
        "*implement · ●○○ · about 10 minutes · 2 points · D01, B08*",
    ]
    assert cells["hint-2"].text.startswith("<details><summary>Hint 2: the idea</summary>\n\n")
    assert cells["answer"].text.splitlines() == [
        "def scaled_scores(Q, K):",
        '    """Q K^T / sqrt(d_k)."""',
        f'    raise NotImplementedError("{STUB_TEXT}")',
    ]
    assert cells["answer"].metadata["points"] == 2
    assert "why" not in cells


def test_outputs_and_counts_go(folders):
    notebook = small_solution()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "0.1234"}]
            cell["execution_count"] = 7
    write(notebook, folders[0] / "04_attention.ipynb")
    (path,) = write_exercise_notebooks(*folders)
    assert "0.1234" not in path.read_text()
    assert '"execution_count": 7' not in path.read_text()


def test_the_same_source_gives_the_same_bytes_whatever_the_order_of_its_keys(folders):
    (path,) = write_exercise_notebooks(*folders)
    first = path.read_bytes()
    notebook = json.loads((folders[0] / "04_attention.ipynb").read_text())
    turned = {key: notebook[key] for key in reversed(list(notebook))}
    write(turned, folders[0] / "04_attention.ipynb")
    assert write_exercise_notebooks(*folders) == []
    assert path.read_bytes() == first


def test_names_at_the_left_margin_become_open(folders):
    text = f"import math\n{BEGIN_SOLUTION}\na, b = 1, 2\nd = math.pi\n{END_SOLUTION}\nprint(a)"
    assert clear_solutions(text).splitlines() == [
        "import math",
        f"a = ...  # {STUB_TEXT}",
        f"b = ...  # {STUB_TEXT}",
        f"d = ...  # {STUB_TEXT}",
        "print(a)",
    ]


def test_nothing_is_written_where_a_source_is_faulty(folders):
    notebook = small_solution()
    del notebook["cells"][6]
    write(notebook, folders[0] / "05_masks.ipynb")
    with pytest.raises(MtcourseError, match="has no check"):
        write_exercise_notebooks(*folders)
    assert not folders[1].exists()


def test_the_command_builds_and_says_what_is_out_of_step(folders):
    solutions, exercises = map(str, folders)

    def call(*arguments: str):
        return CliRunner().invoke(
            app, ["exercises", "build", solutions, "--out", exercises, *arguments]
        )

    checked = call("--check")
    assert isinstance(checked.exception, MtcourseError)
    assert "out of step" in checked.output
    assert "wrote" in call().output
    assert call("--check").exit_code == 0
    missing = CliRunner().invoke(app, ["exercises", "build", f"{solutions}-of-nobody"])
    assert "there is no folder" in str(missing.exception)
