"""One notebook of ten code cells in the form that each grader wants, and copies of it as a class.

What is given and what learners answer is the same everywhere. The checks are each grader's own:
this package's, stored outputs for nbval, the same assertions for nbgrader and for Otter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtcourse.grading.exercise_notebook import clear_solutions, render_exercise_notebook
from mtcourse.grading.solution_notebook import BEGIN_SOLUTION, END_SOLUTION

NAME = "05_masks"
"""The notebook whose bank has checks for these exercises."""
IMPORTS = "import math\n\nimport torch\nfrom torch import Tensor"
GIVEN = (
    "scores = torch.arange(16.0).reshape(4, 4) / 4\n"
    "print(masked_weights(scores, causal_mask(4)).round(decimals=3))"
)
ANSWERS = {
    "causal_mask": f"""def causal_mask(m: int) -> Tensor:
    {BEGIN_SOLUTION}
    return torch.ones(m, m, dtype=torch.bool).tril()
    {END_SOLUTION}""",
    "padding_mask": f"""def padding_mask(ids: Tensor, pad: int) -> Tensor:
    {BEGIN_SOLUTION}
    return (ids != pad)[:, None, None, :]
    {END_SOLUTION}""",
    "masked_weights": f"""def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    {BEGIN_SOLUTION}
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    return weights.masked_fill(~mask, 0.0)
    {END_SOLUTION}""",
    "hidden_weight": f"""def hidden_weight(gap: float, v: float, d_k: int, inside: bool) -> float:
    {BEGIN_SOLUTION}
    root = math.sqrt(d_k)
    score = (gap + v) / root if inside else gap / root + v
    return torch.sigmoid(torch.tensor(score)).item()
    {END_SOLUTION}""",
}
ASSERTIONS = {
    "causal_mask": """assert causal_mask(1).tolist() == [[True]]
assert causal_mask(2).tolist() == [[True, False], [True, True]]
assert torch.equal(causal_mask(7), torch.arange(7)[None] <= torch.arange(7)[:, None])""",
    "padding_mask": """assert padding_mask(torch.tensor([[5, 0]]), 0)[0, 0, 0, 0]
assert not padding_mask(torch.tensor([[5, 0]]), 0)[0, 0, 0, 1]
assert padding_mask(torch.tensor([[3, 1, 1], [3, 4, 1]]), 1).shape == (2, 1, 1, 3)
assert padding_mask(torch.full((2, 5), 9), 0).all()""",
    "masked_weights": """scores = torch.randn(2, 5, 5, generator=torch.Generator().manual_seed(1))
mask = torch.ones(5, 5, dtype=torch.bool).tril()
weights = masked_weights(scores, mask)
assert torch.allclose(weights.sum(-1), torch.ones(2, 5))
assert (weights[:, ~mask] == 0).all()
assert masked_weights(scores, torch.zeros_like(mask)).eq(0).all()""",
    "hidden_weight": """assert abs(hidden_weight(0.0, 0.0, 4, True) - 0.5) < 1e-6
assert abs(hidden_weight(2.0, -4.0, 4, True) - 0.2689414) < 1e-6
assert abs(hidden_weight(2.0, -4.0, 4, False) - 0.0474259) < 1e-6""",
}
POINTS = 2


def learner(number: int) -> str:
    """The name of a made-up learner."""
    return f"learner{number:03d}"


def write(path: Path, notebook: Mapping[str, Any]) -> None:
    """Writes a notebook, in a folder that is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def plain(checks: Mapping[str, str], start: str = "", author: str = "") -> dict[str, Any]:
    """The notebook with all answers.

    Args:
        checks: the code of the check of each exercise.
        start: what its first cell has besides the imports.
        author: of this copy; no two are the same to the byte.
    """
    cells = [_code("imports", f"{IMPORTS}\n{start}".strip())]
    for name, answer in ANSWERS.items():
        cells.append(_code(f"{name}-answer", f"{_without_marks(answer)}  # {author}"))
        cells.append(_code(f"{name}-check", checks[name]))
    return _notebook([*cells, _code("given", GIVEN)])


def solution_for_mtcourse() -> dict[str, Any]:
    """The notebook as this package has its solutions."""
    start = "from mtcourse.chapters.masks.exercises import check"
    cells = [_code("imports", f"{IMPORTS}\n\n{start}", mtcourse={"role": "given"})]
    for name, answer in ANSWERS.items():
        about = {"kind": "implement", "points": POINTS, "difficulty": 1, "minutes": 5}
        told = {"role": "answer", "id": name, "claims": ["A11"], **about}
        cells.append(_code(f"{name}-answer", answer, mtcourse=told))
        told = {"role": "check", "for": name}
        cells.append(_code(f"{name}-check", f'check("{name}", {name})', mtcourse=told))
    return _notebook([*cells, _code("given", GIVEN, mtcourse={"role": "given"})])


def handed_in_to_mtcourse(solution: Path, author: str) -> dict[str, Any]:
    """What a learner makes of the notebook that was handed out."""
    notebook = json.loads(render_exercise_notebook(solution))
    for cell in notebook["cells"]:
        if name := cell["metadata"]["mtcourse"].get("id"):
            cell["source"] = f"{_without_marks(ANSWERS[name])}  # {author}"
    return notebook


def source_for_nbgrader() -> dict[str, Any]:
    """The notebook as nbgrader has an instructor write it."""
    cells = [_code("imports", IMPORTS)]
    for name, answer in ANSWERS.items():
        asked = {"grade": False, "solution": True, "locked": False}
        cells.append(_code(f"{name}-answer", answer, nbgrader=_nbgrader(f"{name}-answer", asked)))
        tests = {"grade": True, "solution": False, "locked": True, "points": POINTS}
        told = _nbgrader(f"{name}-check", tests)
        cells.append(_code(f"{name}-check", ASSERTIONS[name], nbgrader=told))
    return _notebook([*cells, _code("given", GIVEN)])


def answered_for_nbgrader(handed_out: Path, author: str) -> dict[str, Any]:
    """What a learner makes of the notebook that nbgrader hands out."""
    notebook = json.loads(handed_out.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        told = cell["metadata"].get("nbgrader", {})
        if told.get("solution"):
            name = told["grade_id"].removesuffix("-answer")
            cell["source"] = f"{_without_marks(ANSWERS[name])}  # {author}"
    return notebook


def test_for_otter(name: str) -> str:
    """The file with an exercise's assertions, as Otter reads it."""
    lines = [f">>> {line}" for line in ASSERTIONS[name].splitlines()]
    case = {"code": "\n".join(lines), "hidden": False, "locked": False}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    test = {"name": name, "points": POINTS, "suites": [suite]}
    return f"OK_FORMAT = True\ntest = {test!r}\n"


def _nbgrader(identity: str, told: Mapping[str, Any]) -> dict[str, Any]:
    return {"grade_id": identity, "schema_version": 3, "cell_type": "code", "task": False, **told}


def _without_marks(answer: str) -> str:
    lines = [
        line for line in answer.splitlines() if line.strip() not in (BEGIN_SOLUTION, END_SOLUTION)
    ]
    assert clear_solutions(answer) != "\n".join(lines)
    return "\n".join(lines)


def _code(identity: str, source: str, **metadata: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": identity.replace("_", "-"),
        "metadata": metadata,
        "source": source,
        "execution_count": None,
        "outputs": [],
    }


def _notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
