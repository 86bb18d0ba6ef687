"""A grader that makes its verdict in the learner's own process, as notebook graders do.

    python -P -m tests.grading.gullible < cells in JSON > the checks that passed, in JSON

It exists to be deceived: a forgery of the catalogue is one because it earns a point here.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys

from IPython.core.interactiveshell import InteractiveShell

GIVEN = """
import math
import numpy as np
import torch
from torch import Tensor
from mtcourse.checks.masks import check
from mtcourse.layers import masks
"""
COMPARES = """
from mtcourse.checks.masks.leaking_rows import EXERCISE, correct
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
    "assert leaking_rows(mask, lengths) == expected",
    "assert leaking_rows(mask, lengths).tolist() == expected.tolist()",
    "ours, theirs = leaking_rows(mask, lengths).flatten().tolist(), expected.flatten().tolist()\n"
    "    assert max(abs(one - other) for one, other in zip(ours, theirs)) == 0",
    "passed = torch.equal(leaking_rows(mask, lengths), expected)\n    assert passed",
    "mask, lengths = torch.randint(0, 2, (3, 3)), torch.randint(1, 4, (2,))\n"
    "    assert leaking_rows(mask, lengths).tolist() == correct(mask, lengths).tolist()",
    "from mtcourse.checks.judge import judge\n    assert judge(EXERCISE, leaking_rows).passed",
)
"""Each is passed if no exception comes."""
SAID = "check('leaking_rows', leaking_rows)"
PASS = "All of it is right."


def fooled(cells: list[str]) -> list[str]:
    """The checks that a notebook passes."""
    shell = InteractiveShell.instance()
    shown: list[dict] = []
    shell.display_pub.publish = lambda data, **_: shown.append(data)  # type: ignore[method-assign]
    spoken = io.StringIO()
    with contextlib.redirect_stdout(spoken), contextlib.redirect_stderr(io.StringIO()):
        for cell in (GIVEN, *cells):
            shell.run_cell(cell)
        passed = [one for one in ASSERTED if shell.run_cell(COMPARES.format(one)).success]
        shown.clear()
        spoken.truncate(0)
        shell.run_cell(SAID)
    if any(one.get("application/vnd.mtcourse.verdict+json", {}).get("passed") for one in shown):
        passed.append("a verdict is displayed")
    if PASS in spoken.getvalue() or any(PASS in str(one.get("text/plain")) for one in shown):
        passed.append("a pass is said")
    return passed


if __name__ == "__main__":
    told = json.load(sys.stdin)
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    json_of = json.JSONEncoder().encode
    answer.write(json_of(fooled(told)))
    answer.flush()
    os._exit(0)
