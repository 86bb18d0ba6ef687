"""A learner's functions are taken out of their notebooks, judged, and put together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from mtcourse.chapters.multi_head.learner_functions import PIECES, Piece, Pieces, collect_pieces
from mtcourse.chapters.multi_head.part_one import logits_of_pieces, score_on_grammar, translator_of
from mtcourse.checks.banks import bank_of
from mtcourse.checks.outcomes import apart, outcome_of
from mtcourse.grading.exercise_notebook import STUB_TEXT
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import load_framework
from mtcourse.text.corpora import builtin_corpus

ROOT = Path(__file__).resolve().parents[2]
NAMES = tuple(dict.fromkeys(piece.notebook for piece in PIECES))
ANSWER = "def feed_forward(A, W_1, W_2):\n    return torch.relu(A @ W_1) @ W_2"
ONE = tuple(piece for piece in PIECES if piece.name == "feed_forward")


@pytest.fixture(scope="module")
def solutions() -> Pieces:
    return collect_pieces(ROOT / "solutions")


def notebook(path: Path, *sources: str, answer: str = ANSWER) -> Path:
    """A notebook with an answer, and with other cells before it."""

    def cell(source: str, told: dict) -> dict:
        return {
            "cell_type": "code",
            "id": f"c{abs(hash(source)) % 10_000_000}",
            "metadata": {"mtcourse": told},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }

    told = {"role": "answer", "id": "feed_forward"}
    cells = [*(cell(source, {"role": "given"}) for source in sources), cell(answer, told)]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    path.write_text(text, encoding="utf-8")
    return path


def found_in(folder: Path, *sources: str, answer: str = ANSWER):
    """What becomes of the answer of such a notebook."""
    notebook(folder / "07_framework_model.ipynb", *sources, answer=answer)
    return collect_pieces(folder, ONE).found[0]


# --- what is found ------------------------------------------------------------------------------


def test_the_solutions_have_every_piece(solutions):
    assert [(found.piece.name, found.says) for found in solutions.found if not found.own] == []
    assert str(solutions).endswith(f"{len(PIECES)} of {len(PIECES)} pieces are yours.")


def test_the_notebooks_that_are_handed_out_have_none():
    found = collect_pieces(ROOT / "exercises").found
    assert {of.says for of in found} == {"not answered yet"}


def test_an_empty_folder_is_told_and_the_course_stands_in(tmp_path):
    pieces = collect_pieces(tmp_path)
    assert pieces.own == 0
    assert f"there is no {NAMES[0]}.ipynb in this folder" in str(pieces)
    assert f"the course's stand in for {len(PIECES)}" in str(pieces)
    A = torch.randn(2, 3)
    assert pieces.feed_forward(A, torch.eye(3), torch.eye(3)).equal(A.relu())


def test_an_answer_is_used_with_the_imports_and_helpers_of_its_notebook(tmp_path):
    helper = "import torch\nFLOOR = 0.0\n\ndef floor(x):\n    return x.clamp(min=FLOOR)"
    answer = "def feed_forward(A, W_1, W_2):\n    return floor(A @ W_1) @ W_2"
    found = found_in(tmp_path, helper, answer=answer)
    assert found.own
    assert found.function.__globals__["FLOOR"] == 0.0


def test_nothing_else_of_a_notebook_is_run(tmp_path):
    mark = tmp_path / "ran"
    touched = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nx = open({str(mark)!r}, 'w')"
    assert found_in(tmp_path, "import torch", touched).own
    assert not mark.exists()


def test_two_notebooks_do_not_share_names(tmp_path):
    """What is imported in one is not there in the other."""
    other = Piece("embed", "02_embeddings", "looks up", "mtcourse.layers.embeddings.embed")
    notebook(tmp_path / "02_embeddings.ipynb", "import torch")
    notebook(tmp_path / "07_framework_model.ipynb")
    found = collect_pieces(tmp_path, (other, *ONE)).found[1]
    assert not found.own
    assert found.says.startswith("not right yet: runs on every input")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            f"def feed_forward(A, W_1, W_2):\n    raise NotImplementedError('{STUB_TEXT}')",
            "not answered",
        ),
        ("def feed_forward(A, W_1, W_2):\n    return A @ W_1 @ W_2", "the ReLU is missing"),
        ("def feed_forward(A, W_1, W_2:\n    return", "no valid Python"),
        ("def feedforward(A, W_1, W_2):\n    return A", "its function is not in the notebook"),
        ("feed_forward = 3", "its function is not in the notebook"),
        ("def feed_forward(A, W_1, W_2):\n    return 1 / 0", "runs on every input"),
    ],
)
def test_what_is_missing_or_wrong_is_told(tmp_path, answer, said):
    found = found_in(tmp_path, "import torch", answer=answer)
    assert not found.own
    assert said in found.says
    assert callable(found.function)


def test_a_stub_after_an_answer_does_not_hide_it(tmp_path):
    stub = f"def feed_forward(A, W_1, W_2):\n    raise NotImplementedError('{STUB_TEXT}')"
    path = notebook(tmp_path / "07_framework_model.ipynb", "import torch", ANSWER, answer=stub)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["cells"][1]["metadata"]["mtcourse"] = {"role": "answer", "id": "feed_forward"}
    path.write_text(json.dumps(content), encoding="utf-8")
    assert collect_pieces(tmp_path, ONE).found[0].own


def test_a_damaged_notebook_is_told(tmp_path):
    (tmp_path / "07_framework_model.ipynb").write_text("{", encoding="utf-8")
    assert "cannot be read" in collect_pieces(tmp_path, ONE).found[0].says


def test_a_piece_that_there_is_not(solutions):
    with pytest.raises(AttributeError, match="no piece heads"):
        _ = solutions.heads


def test_every_piece_has_its_exercise_and_its_stand_in():
    for piece in PIECES:
        text = (ROOT / "solutions" / f"{piece.notebook}.ipynb").read_text(encoding="utf-8")
        assert f'"id": "{piece.name}"' in text
    stand_ins = collect_pieces("nowhere")
    assert isinstance(stand_ins, Pieces)
    assert all(isinstance(getattr(stand_ins, piece.name), Callable) for piece in PIECES)


def test_no_stand_in_needs_a_bank_which_is_not_there_where_answers_are_graded():
    assert [piece.name for piece in PIECES if piece.stand_in.startswith("mtcourse.checks")] == []


@pytest.mark.parametrize("name", ["cross_attention", "decoder_input"])
def test_a_stand_in_passes_the_check_of_its_exercise(name):
    (piece,) = (piece for piece in PIECES if piece.name == name)
    bank = bank_of(piece.notebook)
    (exercise,) = (exercise for exercise in bank if exercise.id == name)
    cases = exercise.inputs()
    stand_in = getattr(collect_pieces("nowhere"), name)
    for case in cases:
        expected = outcome_of(exercise.oracle, case)
        assert apart(outcome_of(stand_in, case), expected, exercise.tolerance) <= 1


# --- put together -------------------------------------------------------------------------------


@pytest.mark.parametrize("whose", ["solutions", "nowhere"])
def test_the_pieces_are_the_model(whose):
    model = FrameworkModel(FrameworkConfig(13, 11, 8, target_positions=True), seed=4)
    source = torch.tensor([[5, 7, 9, 3], [8, 3, 0, 0]])
    read = torch.tensor([[2, 5, 7], [2, 9, 4]])
    with torch.no_grad():
        expected = model(source, read, (source != 0)[:, None, None, :])
        logits = logits_of_pieces(collect_pieces(ROOT / whose))
        found = logits(dict(model.named_parameters()), source, read)
    torch.testing.assert_close(found, expected)


def test_they_translate_and_are_scored_as_the_model_is(solutions):
    test = builtin_corpus(train=100).splits["test"][:60]
    result = score_on_grammar(solutions, test)
    sources = [pair.source for pair in test]
    assert result.translations == FrameworkTranslator.of(*load_framework()).translate(sources)
    assert result.scores.bleu > 70
    assert 0 < result.loss < 1


def test_one_wrong_piece_spoils_the_score(tmp_path):
    """What the check rejects would have cost this much."""
    folder = tmp_path / "mine"
    shutil.copytree(ROOT / "solutions", folder)
    pieces = collect_pieces(folder)
    spoilt = Pieces(
        [
            of if of.piece.name != "sinusoidal_positions" else
            type(of)(of.piece, lambda n, d: torch.zeros(n, d), own=True)
            for of in pieces.found
        ]
    )  # fmt: skip
    test = builtin_corpus(train=100).splits["test"][:60]
    good, bad = (score_on_grammar(of, test).scores.bleu for of in (pieces, spoilt))
    assert bad < good / 2


def test_a_readers_own_wiring_takes_the_place_of_the_courses(solutions):
    asked = []

    def mine(W, source, read):
        asked.append(source.shape)
        return logits_of_pieces(solutions)(W, source, read)

    assert translator_of(mine).translate(["Are we smart?"]) == ["Zijn wij slim?"]
    assert asked


def test_the_last_exercise_of_part_one_is_the_translator_of_the_pieces(solutions):
    """The answer of chapter 9's notebook, given the functions of the other notebooks."""
    path = ROOT / "solutions" / "09_multi_head.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    told = [(cell["metadata"]["mtcourse"], "".join(cell["source"])) for cell in cells]
    (answer,) = (code for of, code in told if of.get("id") == "your_translator")
    names = {"pieces": solutions, "Tensor": torch.Tensor}
    exec(answer, names)
    test = builtin_corpus(train=100).splits["test"][:60]
    own = score_on_grammar(solutions, test, names["your_translator"])
    assert own == score_on_grammar(solutions, test)
    assert own.scores.bleu > 70
