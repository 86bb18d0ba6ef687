"""A solution notebook of two small exercises, for tests of what is made from it."""

from __future__ import annotations

import json
from pathlib import Path

IMPORTS = """import torch

from mtcourse.chapters.attention.exercises import check"""

ANSWER = '''def scaled_scores(Q, K):
    """Q K^T / sqrt(d_k)."""
    ### BEGIN SOLUTION
    d_k = Q.shape[-1]
    return Q @ K.mT / d_k**0.5
    ### END SOLUTION'''

FACTS = {
    "id": "scaled_scores",
    "kind": "implement",
    "points": 2,
    "difficulty": 1,
    "minutes": 10,
    "claims": ["D01", "B08"],
}


def cell(cell_type: str, identity: str, text: str, /, **told) -> dict:
    """A cell as JSON has it."""
    made = {
        "cell_type": cell_type,
        "id": identity,
        "metadata": {"mtcourse": told},
        "source": text.splitlines(keepends=True),
    }
    return made | ({"outputs": [], "execution_count": None} if cell_type == "code" else {})


def small_solution() -> dict:
    """A notebook with one exercise, of each role a cell."""
    name = "scaled_scores"
    return {
        "cells": [
            cell("markdown", "title", "# Attention\n\nAnswer, then run the check.", role="given"),
            cell("code", "imports", IMPORTS, role="given"),
            cell(
                "markdown",
                "question",
                "## 1. Scores\n\nWrite the scores.",
                role="given",
                **{"for": name},
            ),
            cell("markdown", "hint-1", "Which product?", role="hint", **{"for": name}),
            cell("markdown", "hint-2", "Queries, keys.", role="hint", **{"for": name}),
            cell("code", "answer", ANSWER, role="answer", **FACTS),
            cell("code", "check", f'check("{name}", {name})', role="check", **{"for": name}),
            cell("markdown", "why", "Because it is so.", role="hidden", **{"for": name}),
            cell("code", "after", "print('the notebook goes on')", role="given"),
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write(notebook: dict, path: Path) -> Path:
    """The notebook in a file."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path
