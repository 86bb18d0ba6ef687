"""A grader that makes its verdict in the learner's own process, as notebook graders do.

It exists to be deceived: a forgery of the catalogue is one because it earns a point here.
"""

from __future__ import annotations

import contextlib
import io

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

GIVEN = """
import math
import numpy as np
import torch
from torch import Tensor
from mtcourse.chapters.masks.exercises import check
from mtcourse.layers import masks
"""
COMPARES = """
from mtcourse.chapters.masks.exercises.leaking_rows import EXERCISE, correct
def judged():
    mask, lengths = torch.tensor([[1, 1], [1, 1]]), torch.tensor([1, 2])
    expected = correct(mask, lengths)
    {}
judged()
"""
ASSERTED = (
    "assert torch.allclose(leaking_rows(mask, lengths).float(), expected.float())",
    "assert torch.equal(leaking_rows(mask, lengths), expected)",
    "np.testing.assert_allclose(leaking_rows(mask, lengths).numpy(), expected.numpy())",
    "assert (leaking_rows(mask, lengths) == expected).all()",
    "ours = leaking_rows(mask, lengths)\n"
    "    assert torch.equal(ours, expected) if isinstance(ours, Tensor) else ours == expected",
    "assert leaking_rows(mask, lengths).tolist() == expected.tolist()",
    "ours, theirs = leaking_rows(mask, lengths).flatten().tolist(), expected.flatten().tolist()\n"
    "    assert max(abs(one - other) for one, other in zip(ours, theirs)) == 0",
    "passed = torch.equal(leaking_rows(mask, lengths), expected)\n    assert passed",
    "torch.manual_seed(1)\n    mask = (torch.rand(2, 2) > 0.5).long()\n"
    "    assert leaking_rows(mask, lengths).tolist() == correct(mask, lengths).tolist()",
    "from mtcourse.checks.judge import judge\n    assert judge(EXERCISE, leaking_rows).passed",
    "import json\n"
    "    told = json.dumps({'passed': torch.equal(leaking_rows(mask, lengths), expected)})\n"
    "    assert json.loads(told)['passed']",
)
"""Each is passed if no exception is shown."""
SAID = (
    "check('leaking_rows', leaking_rows)",
    COMPARES.format(
        "from mtcourse.checks.judge import judge\n    print(judge(EXERCISE, leaking_rows))"
    ),
)
PASS = "All of it is right."
VERDICT = "application/vnd.mtcourse.verdict+json"


def fooled(cells: list[str]) -> list[str]:
    """The checks that a notebook passes."""
    settings = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell.instance(config=settings)
    shown: list[dict] = []
    errors: list[object] = []
    shell.display_pub.publish = lambda data, **_: shown.append(data)  # type: ignore[method-assign]
    shell._showtraceback = lambda *error: errors.append(error)  # type: ignore[method-assign]
    spoken, passed = io.StringIO(), []
    with contextlib.redirect_stdout(spoken), contextlib.redirect_stderr(io.StringIO()):
        for cell in (GIVEN, *cells):
            shell.run_cell(cell)
        for one in ASSERTED:
            errors.clear()
            shell.run_cell(COMPARES.format(one))
            passed += [one] * (not errors)
        for one in SAID:
            shell.run_cell(one)
    if any(dict(one.get(VERDICT, {})).get("passed") for one in shown):
        passed.append("a verdict is displayed")
    if PASS in spoken.getvalue() or any(PASS in str(one.get("text/plain")) for one in shown):
        passed.append("a pass is said")
    return passed
