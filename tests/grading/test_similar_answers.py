"""Similar answers are found whatever their names and layout, and short or known ones are not."""

from __future__ import annotations

import ast
import csv
import inspect
import io
import json
import re
import textwrap
from itertools import combinations
from pathlib import Path

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.checks.banks import bank_of
from mtcourse.grading.exercise_notebook import render_exercise_notebook
from mtcourse.grading.reports.class_report import render_class_report
from mtcourse.grading.reports.similar_answers_table import similar_answers_table
from mtcourse.grading.similar_answers import (
    ADDED_CELLS,
    MIN_SHARED,
    NEARLY,
    SAME,
    SHINGLE,
    WORD_FOR_WORD,
    collect_known_code,
    compare_class,
    count_pairs,
    find_similar_answers,
    make_shingles,
    normalize,
)
from mtcourse.grading.solution_notebook import read_cells, read_notebook

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
MASKS = ROOT / "solutions" / "05_masks.ipynb"
LONG = '''def masked_weights(scores, mask):
    """My own way, with a loop."""
    rows = []
    for row, allowed in zip(scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, 3)):
        kept = [float(s) for s, a in zip(row, allowed) if a]
        top = max(kept) if kept else 0.0
        exps = [math.exp(s - top) if a else 0.0 for s, a in zip(row.tolist(), allowed.tolist())]
        total = sum(exps) or 1.0
        rows.append([e / total for e in exps])
    return torch.tensor(rows).reshape(scores.shape)'''
ONE_LINE = "def causal_mask(m):\n    return torch.eye(m).cumsum(0).bool()"


def rename(code: str, **names: str) -> str:
    """Other names for variables, by words."""
    for old, new in names.items():
        code = re.sub(rf"\b{old}\b", new, code)
    return code


DISGUISED = rename(
    "# all mine\n" + LONG.replace('"""My own way, with a loop."""', ""),
    rows="result",
    kept="k",
    top="biggest",
    exps="e_s",
    total="z",
    allowed="flags",
    row="line",
    scores="S",
)


def found(answers: dict[str, str], exercise: str = "masked_weights", known=()):
    return find_similar_answers("05_masks", {exercise: answers}, {exercise: known})


def own_names(tree: ast.AST) -> list[str]:
    """The arguments and variables of some code."""
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return sorted(stored | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)})


class Renamer(ast.NodeTransformer):
    """Other names for arguments and variables."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node):
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node):
        return ast.arg(self.names.get(node.arg, node.arg))


def right_answers(notebook: str) -> dict[str, dict[str, str]]:
    """What the banks know as right, as if each were a learner's."""
    return {
        exercise.id: {
            one.__name__: textwrap.dedent(inspect.getsource(one)).replace(
                f"def {one.__name__}", f"def {exercise.id}"
            )
            for one in exercise.right
        }
        for exercise in bank_of(notebook)
    }


# --- what counts as the same ----------------------------------------------------------------------


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_names_comments_and_layout_do_not_matter(path):
    for answers in right_answers(path.stem).values():
        for text in answers.values():
            tree = ast.parse(text)
            others = {name: f"other{n}" for n, name in enumerate(own_names(tree))}
            plain = "# mine\n\n" + ast.unparse(Renamer(others).visit(tree))
            assert normalize(plain) == normalize(text)


@pytest.mark.parametrize(
    "other",
    [
        "def f(a, b):\n    return b - a",
        "def f(a, b):\n    return a + b",
        "def g(a, b):\n return a-b",
    ],
)
def test_what_is_computed_matters(other):
    assert normalize(other) != normalize("def f(a, b):\n    return a - b")


def test_code_that_is_not_python_is_compared_as_text():
    assert normalize("def f(:\n   a") == normalize("def f(:  a")
    assert make_shingles("a b c d e f (") == {tuple("abcdef"), ("b", "c", "d", "e", "f", "(")}


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_text_can_be_compared(text):
    assert normalize(text) == normalize(text)
    assert all(len(one) <= SHINGLE for one in make_shingles(text))


def test_deep_code_and_long_code_can_be_compared():
    for text in ("x = " + "(" * 5000 + ")" * 5000, "x = " + "-" * 50_000 + "1", "a = 1\n" * 30_000):
        assert len(make_shingles(text)) < 5000
        normalize(text)


# --- what is shown --------------------------------------------------------------------------------


def test_a_long_answer_is_shown_whatever_its_names():
    (group,) = found({"ada": LONG, "ben": DISGUISED, "cleo": ONE_LINE})
    assert (group.how, group.learners, group.answered) == (SAME, ("ada", "ben"), 3)
    assert {version.text for version in group.versions} == {LONG, DISGUISED.strip()}
    (group,) = found({"ada": LONG, "ben": LONG})
    assert group.how == WORD_FOR_WORD


def test_a_changed_line_is_nearly_the_same():
    changed = DISGUISED.replace("sum(e_s) or 1.0", "max(sum(e_s), 1e-9)")
    (group,) = found({"ada": LONG, "ben": changed})
    assert group.how == NEARLY


def test_a_short_answer_is_never_shown():
    assert found(dict.fromkeys("abcdefgh", ONE_LINE), "causal_mask") == []


def test_what_is_handed_out_or_known_to_the_check_does_not_count():
    assert found({"ada": LONG, "ben": DISGUISED}, known=[LONG]) == []
    assert found({"ada": LONG, "ben": DISGUISED}, known=[rename(LONG, rows="known")]) == []


def test_the_answer_of_a_whole_class_has_to_be_longer_than_that_of_two():
    lines = LONG.splitlines()
    short = "\n".join([*lines[:6], "    return rows"])
    class_ = {f"learner {n}": f"def masked_weights(a, b):\n    return {n}" for n in range(10)}
    two = class_ | {"learner 0": short, "learner 1": short}
    assert MIN_SHARED <= len(make_shingles(short)) < 3 * MIN_SHARED
    assert [group.learners for group in found(two)] == [("learner 0", "learner 1")]
    assert found(dict.fromkeys(class_, short)) == []
    assert len(found(dict.fromkeys(class_, LONG))) == 1, "twelve long ones are never a coincidence"


def test_what_others_have_written_too_counts_less():
    pair = {"ada": LONG, "ben": DISGUISED}
    (alone,) = found(pair)
    half = "\n".join(LONG.splitlines()[:6])
    others = {f"other {n}": f"{half}\n    " + f"f{n}(rows, {n})\n    " * 30 for n in range(8)}
    (among,) = [one for one in found(pair | others) if "ada" in one.learners]
    assert among.learners == ("ada", "ben")
    assert among.shared < 0.7 * alone.shared


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_right_answers_that_were_written_apart_are_not_shown(path):
    cells = read_cells(read_notebook(path))
    known = {c.exercise: [c.text] for c in cells if c.role == "answer"}
    assert find_similar_answers(path.stem, right_answers(path.stem), known) == []


def test_groups_are_the_components_of_what_is_similar():
    answers = {f"{n}": LONG.replace("1.0", f"{n}.5") for n in range(4)}
    other = rename(LONG, zip="map", math="torch", tolist="numpy", append="extend", float="int")
    answers |= {"x": other, "y": other}
    graph = networkx.Graph()
    for one, two in combinations(answers, 2):
        a, b = (make_shingles(answers[name]) for name in (one, two))
        if len(a & b) >= 0.75 * max(len(a), len(b)):
            graph.add_edge(one, two)
    groups = {group.learners for group in found(answers)}
    assert groups == {tuple(sorted(part)) for part in networkx.connected_components(graph)}
    assert len(groups) == 2


# --- from notebooks to the report -----------------------------------------------------------------


def hand_in(added: str = "", **answers: str) -> bytes:
    notebook = json.loads(render_exercise_notebook(MASKS))
    for cell in notebook["cells"]:
        if text := answers.get(cell["metadata"]["mtcourse"].get("id", "")):
            cell["source"] = text
    if added:
        cell = {"cell_type": "code", "id": "own", "metadata": {}, "source": added}
        notebook["cells"].append(cell | {"outputs": [], "execution_count": None})
    return json.dumps(notebook).encode()


def solution_answers() -> dict[str, str]:
    cells = read_cells(read_notebook(MASKS))
    return {cell.exercise: cell.text for cell in cells if cell.role == "answer"}


def test_copies_of_a_class_are_found_in_its_notebooks():
    helper = LONG.replace("masked_weights", "helper")
    contents = {
        ("ada", "05_masks"): hand_in(helper, masked_weights=LONG, causal_mask=ONE_LINE),
        ("ben", "05_masks"): hand_in(helper, masked_weights=DISGUISED, causal_mask=ONE_LINE),
        ("cleo", "05_masks"): hand_in(),
        ("dan", "05_masks"): b"no notebook",
    }
    groups = compare_class(contents, {"05_masks": MASKS.read_bytes()})
    assert {group.exercise: group.how for group in groups} == {
        "masked_weights": SAME,
        ADDED_CELLS: WORD_FOR_WORD,
    }
    assert count_pairs(groups) == [(("ada", "ben"), 2)]


def test_twelve_copies_of_the_solution_accuse_nobody_of_copying_from_another():
    content = hand_in(**solution_answers())
    contents = {(f"learner {n}", "05_masks"): content for n in range(12)}
    assert compare_class(contents, {"05_masks": MASKS.read_bytes()}) == []


def test_twelve_copies_of_a_learner_are_shown():
    contents = {(f"learner {n}", "05_masks"): hand_in(masked_weights=LONG) for n in range(12)}
    (group,) = compare_class(contents, {"05_masks": MASKS.read_bytes()})
    assert (len(group.learners), group.answered) == (12, 12)


def test_every_known_answer_of_a_bank_is_left_out():
    known = collect_known_code("05_masks", read_cells(read_notebook(MASKS)))
    for exercise in bank_of("05_masks"):
        for one in (*exercise.right[:2], *exercise.misconceptions[:1]):
            text = textwrap.dedent(inspect.getsource(one))
            copies = {"ada": text, "ben": rename(text, mask="m")}
            assert found(copies, exercise.id, known[exercise.id]) == []


def test_the_table_has_every_answer_and_no_formula():
    groups = found({"=ada": LONG, "ben": DISGUISED})
    rows = list(csv.DictReader(io.StringIO(similar_answers_table(groups))))
    assert [(row["learner"], row["how"]) for row in rows] == [("'=ada", SAME), ("'ben", SAME)]
    assert rows[0]["answer"] == f"'{LONG}"


def test_the_report_shows_answers_side_by_side_as_text():
    hostile = LONG.replace("My own way", "<script>steal()</script>\x1b[31m")
    page = render_class_report([], {}, found({"<b>ada": hostile, "ben": DISGUISED}))
    assert "2 of 2 answers, the same code" in page
    assert "&lt;script&gt;steal()" in page
    assert "<b>ada" not in page
    assert "\x1b" not in page
    assert page.count('class="differs"') > 1
    assert "None that are long enough" in render_class_report([], {}, [])
