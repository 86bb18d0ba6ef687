"""The table of claims is whole, and what it names exists and is about the claim it is named for."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mtcourse.claims import Claim, claims, read_claims
from mtcourse.errors import MtcourseError

ROOT = Path(__file__).resolve().parents[2]
COUNTS = {"A": 27, "B": 21, "C": 41, "D": 6}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


WRITTEN = {path.stem for path in (ROOT / "book").glob("[0-9][0-9]_*.md")}
"""Chapters that have a page."""
FINISHED = {path.stem for path in (ROOT / "solutions").glob("[0-9][0-9]_*.ipynb")}
"""Chapters that have their exercises, too."""
WITHOUT_CLAIMS = {"20_capstone"}
"""Chapters that go beyond the documents."""


def of_chapters(chapters: set[str]) -> list[Claim]:
    return [claim for claim in claims().values() if claim.chapter in chapters]


# --- what can be wrong with a claim, as functions that return it ---------------------------------


def ids_in(text: str) -> set[str]:
    """Every claim that a text names, alone or in a range such as "A24 to A27"; not in a label."""
    named = set(re.findall(r"(?<![-\w])[A-D]\d\d\b", text))
    for letter, first, last in re.findall(r"\b([A-D])(\d\d) to \1(\d\d)\b", text):
        named |= {f"{letter}{number:02d}" for number in range(int(first), int(last) + 1)}
    return named


def function_fault(claim: Claim) -> str:
    """Whether the function can be imported, is public, and says which claim it is."""
    module, _, name = claim.function.rpartition(".")
    if any(part.startswith("_") for part in claim.function.split(".")):
        return f"{claim.function} is not public"
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        return f"there is no {claim.function!r}"
    if claim.id not in ids_in(inspect.getdoc(found) or ""):
        return f"the docstring of {claim.function} does not name it"
    return ""


def proof_fault(claim: Claim, root: Path) -> str:
    """Whether the test is in its file."""
    file, _, name = claim.test.partition("::")
    if not claim.test or not (root / file).is_file():
        return f"there is no test file {file!r}"
    tree = ast.parse(read(root / file))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return "" if name in defined else f"{file} has no {name}"


def exercise_fault(claim: Claim, notebooks: Mapping[str, str]) -> str:
    """Whether the exercise is in its notebook, and practises the claim."""
    notebook, _, exercise = claim.exercise.partition("#")
    if notebook not in notebooks:
        return f"there is no notebook of the exercise {claim.exercise!r}"
    cells = json.loads(notebooks[notebook])["cells"]
    practised = {
        about["id"]: about.get("claims", [])
        for about in (cell["metadata"].get("mtcourse", {}) for cell in cells)
        if "id" in about
    }
    if exercise not in practised:
        return f"{notebook} has no exercise {exercise!r}"
    if claim.id not in practised[exercise]:
        return f"the exercise {claim.exercise} does not list it among its claims"
    return ""


def page_fault(claim: Claim, page: str) -> str:
    """Whether the chapter names the claim, and numbers its equation."""
    label = f"eq-{claim.same_as or claim.id}"
    wants_label = claim.equation and claim.kind in ("equation", "definition")
    if wants_label and f":label: {label}\n" not in page:
        return f"{claim.chapter} has no equation with the label {label}"
    return "" if claim.id in ids_in(page) else f"{claim.chapter} does not name it"


def ledger_fault(claim: Claim, ledger: str) -> str:
    """Whether a claim that is disputed has its place in the ledger."""
    named = not claim.disagrees or claim.id in ids_in(ledger)
    return "" if named else "the ledger does not name it"


def faults(claim: Claim, root: Path, finished: bool) -> list[str]:
    """All that is wrong with a claim whose chapter is written, or finished with its exercises."""
    page = read(root / "book" / f"{claim.chapter}.md")
    found = [proof_fault(claim, root), page_fault(claim, page)]
    if finished:
        notebooks = {path.stem: read(path) for path in (root / "solutions").glob("*.ipynb")}
        found += [
            function_fault(claim),
            exercise_fault(claim, notebooks),
            ledger_fault(claim, read(root / "book" / "ledger.md")),
        ]
    return [f"{claim.id}: {fault}" for fault in found if fault]


# --- the table ----------------------------------------------------------------------------------


def test_every_claim_is_there_once_and_in_order():
    expected = [f"{letter}{n:02d}" for letter, count in COUNTS.items() for n in range(1, count + 1)]
    assert list(claims()) == expected
    assert [claim.id for claim in claims().values()] == expected


def test_the_table_cannot_be_changed():
    with pytest.raises(TypeError):
        claims()["A01"] = claims()["A02"]


@pytest.mark.parametrize("claim", of_chapters(WRITTEN), ids=lambda claim: claim.id)
def test_a_claim_of_a_written_chapter_leads_where_it_says(claim):
    assert faults(claim, ROOT, finished=claim.chapter in FINISHED) == []


def test_exercises_belong_to_a_chapter_that_is_written():
    assert FINISHED <= WRITTEN


def test_functions_are_named_for_written_chapters_and_no_others():
    taught = {claim.chapter for claim in claims().values() if claim.function}
    assert taught == WRITTEN - WITHOUT_CLAIMS
    assert [claim.id for claim in of_chapters(WRITTEN) if not (claim.function and claim.test)] == []


@pytest.mark.parametrize("page", sorted(WRITTEN))
def test_a_chapter_numbers_no_equation_of_another(page):
    labels = re.findall(r":label: eq-([A-D]\d\d)$", read(ROOT / "book" / f"{page}.md"), re.M)
    assert {claims()[label].chapter for label in labels} <= {page}


def test_what_the_ledger_puts_in_a_heading_is_disputed_here():
    headings = re.findall(r"^### (.*)$", read(ROOT / "book" / "ledger.md"), re.M)
    disputed = {claim.id for claim in claims().values() if claim.disagrees}
    # A heading may name the other side of a dispute, too.
    assert [heading for heading in headings if not ids_in(heading) & disputed] == []


def test_claims_that_a_claim_names_exist():
    for claim in claims().values():
        assert ids_in(f"{claim.says} {claim.disagrees}") - {claim.id} <= set(claims())


def test_reading_the_table_imports_nothing_heavy():
    code = (
        "import sys; from mtcourse.claims import claims; claims(); "
        "print({'torch', 'numpy', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("[A01", "not TOML"),
        ("A01 = 3", "'A01' stands outside the claims"),
        ("colour = 3", "claim A01 has unknown keys: colour"),
        ("kind = 'theorem'", "claim A01: its kind is one of .* not 'theorem'"),
        ("section = 4", "claim A01: section must be text"),
        ("chapter = 'attention'", "claim A01: 'attention' is no chapter"),
        ("says = ''", "claim A01 has neither an equation nor a sentence"),
        ("test = 'test_attention.py'", "claim A01: 'test_attention.py' is no test"),
        ("function = 'torch.softmax'", "claim A01: 'torch.softmax' is no function"),
        ("exercise = '04_attention'", "claim A01: '04_attention' is no exercise"),
        ("same_as = 'A02'", "claim A01: same_as names no equation: A02"),
    ],
)
def test_a_damaged_table_says_where(change, said):
    lines = {"section": "'1'", "kind": "'statement'", "chapter": "'01_word'", "says": "'It is.'"}
    key, _, value = change.partition(" = ")
    table = "[A01]\n" + "\n".join(f"{k} = {v}" for k, v in (lines | {key: value}).items())
    with pytest.raises(MtcourseError, match=said):
        read_claims(table if " = " in change and key != "A01" else change)


def test_a_claim_without_its_chapter_or_with_a_strange_name_is_refused():
    with pytest.raises(MtcourseError, match="claim A01 lacks chapter, section"):
        read_claims("[A01]\nkind = 'statement'\nsays = 'It is.'")
    with pytest.raises(MtcourseError, match="'E01' is no claim"):
        read_claims(
            "[E01]\nkind = 'statement'\nsays = 'It is.'\nsection = '1'\nchapter = '01_word'"
        )


# --- the checks notice what is missing ----------------------------------------------------------

GOOD = Claim(
    id="A07",
    section="section 2.3",
    kind="equation",
    chapter="04_word",
    equation="A = V",
    disagrees="It has another name elsewhere.",
    function="mtcourse.layers.attention.scaled_scores",
    test="tests/test_word.py::test_it",
    exercise="04_word#write_it",
)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of one chapter, in which GOOD is where it should be."""
    notebook = {"cells": [{"metadata": {"mtcourse": {"id": "write_it", "claims": ["A07"]}}}]}
    for name, text in {
        "book/04_word.md": "The equation (A07):\n\n:label: eq-A07\n",
        "book/ledger.md": "### Names: A05 to A08\n",
        "tests/test_word.py": "def test_it():\n    assert True\n",
        "solutions/04_word.ipynb": json.dumps(notebook),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_claim_that_is_where_it_should_be_has_no_fault(course):
    assert faults(GOOD, course, finished=True) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"function": ""}, "there is no ''"),
        ({"function": "mtcourse.layers.attention.no_such"}, "there is no 'mtcourse.layers"),
        ({"function": "mtcourse.layers.attention._with_causal"}, "is not public"),
        ({"function": "mtcourse.layers.masks.causal_mask"}, "does not name it"),
        ({"test": ""}, "there is no test file ''"),
        ({"test": "tests/test_gone.py::test_it"}, "there is no test file 'tests/test_gone.py'"),
        ({"test": "tests/test_word.py::test_that"}, "tests/test_word.py has no test_that"),
        ({"exercise": ""}, "there is no notebook of the exercise ''"),
        ({"exercise": "04_word#gone"}, "04_word has no exercise 'gone'"),
        ({"same_as": "A06"}, "04_word has no equation with the label eq-A06"),
    ],
)
def test_a_claim_that_leads_nowhere_is_named(course, change, said):
    found = faults(replace(GOOD, **change), course, finished=True)
    assert len(found) == 1
    assert said in found[0]
    assert found[0].startswith("A07: ")


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        ("book/04_word.md", "(A07)", "", "04_word does not name it"),
        ("book/04_word.md", "eq-A07\n", "eq-A071\n", "has no equation with the label eq-A07"),
        ("book/ledger.md", "A05 to A08", "A05 and A08", "the ledger does not name it"),
        ("solutions/04_word.ipynb", '["A07"]', '["A06"]', "does not list it among its claims"),
        ("tests/test_word.py", "def test_it", "def no_test", "has no test_it"),
    ],
)
def test_a_page_that_loses_a_claim_is_named(course, file, before, after, said):
    assert before in read(course / file)
    (course / file).write_text(read(course / file).replace(before, after), encoding="utf-8")
    (fault,) = faults(GOOD, course, finished=True)
    assert said in fault
