"""Forgeries of what a check is known by: what it prints, displays, stores."""

from __future__ import annotations

import json
from typing import Any

from tests.catalogue.case import Case
from tests.catalogue.families.forgery import LAST, WRONG, WRONG_EVERYWHERE, forgery, wholesale
from tests.catalogue.returned import add_cell, answer_cell, check_cell, right_answers, told

NBVAL_PASS = json.dumps({"exercise": LAST, "passed": True, "answered": True})


def forged_outputs(notebook: dict[str, Any]) -> None:
    """What a passing check leaves is stored at every check, as if it had just been run."""
    for cell in notebook["cells"]:
        if told(cell).get("role") == "check":
            name = told(cell)["for"]
            verdict = {"exercise": name, "passed": True, "answered": True, "holds": []}
            data = {
                "text/plain": f"{name}\n  All of it is right.",
                "application/vnd.mtcourse.verdict+json": verdict,
            }
            output = {"output_type": "display_data", "data": data, "metadata": {}}
            cell.update(outputs=[output], execution_count=1)
    for name, code in WRONG_EVERYWHERE.items():
        answer_cell(notebook, name)["source"] = code


def checks_of_ones_own(notebook: dict[str, Any]) -> None:
    """Every check cell says that all is right."""
    for name, code in WRONG_EVERYWHERE.items():
        answer_cell(notebook, name)["source"] = code
        check_cell(notebook, name)["source"] = "print('All of it is right.')"


def points_of_ones_own(notebook: dict[str, Any]) -> None:
    """Metadata that asks for more points, for a wrong answer and a right one."""
    answer_cell(notebook, LAST)["source"] = WRONG
    for name in (LAST, "causal_mask"):
        answer_cell(notebook, name)["metadata"]["mtcourse"]["points"] = 1000


def an_exercise_of_ones_own(notebook: dict[str, Any]) -> None:
    """An exercise that nobody asked, and a copy of the easiest one in the place of a hard one."""
    answer_cell(notebook, LAST)["source"] = WRONG
    check = add_cell(notebook, "check('mine', mine)")
    check["metadata"] = {"mtcourse": {"role": "check", "for": "mine"}}
    mine = add_cell(notebook, "mine = 1", before=check)
    mine["metadata"] = {"mtcourse": {"role": "answer", "id": "mine", "points": 10}}
    easy = add_cell(notebook, right_answers("05_masks")["causal_mask"])
    easy["metadata"] = {"mtcourse": {"role": "answer", "id": "causal_mask", "for": LAST}}


STORED = (
    Case(
        "stored outputs of a perfect run",
        saved=forged_outputs,
        others="wrong",
        forges="verdicts are read from the outputs that are stored in the file",
    ),
    Case(
        "checks of one's own",
        saved=checks_of_ones_own,
        others="wrong",
        repaired="was changed",
        forges="the check cell is the learner's to change",
    ),
    Case(
        "points of one's own",
        saved=points_of_ones_own,
        outcomes={LAST: "wrong"},
        forges="points are read from the notebook that comes back",
    ),
    Case(
        "an exercise of one's own",
        saved=an_exercise_of_ones_own,
        outcomes={LAST: "wrong"},
        forges="exercises are read from the notebook that comes back",
    ),
)

PRINTED = "leaking_rows\\n  All of it is right."

SAYING = (
    forgery(
        "prints what a pass prints",
        WRONG + f"print('{PRINTED}'); print('1.0'); print('passed')",
        "a pass is known by what is printed",
        "wrong",
    ),
    wholesale(
        "print says something else",
        f"import builtins\nspoken = builtins.print\n"
        f"builtins.print = print = lambda *_, **__: spoken('{PRINTED}')",
        "a pass is known by what is printed",
    ),
    wholesale(
        "standard output says something else",
        "import sys\nclass Always:\n"
        "    def __init__(self, real): self.real = real\n"
        f"    def write(self, text): self.real.write('{PRINTED}')\n"
        "    def __getattr__(self, name): return getattr(self.real, name)\n"
        "sys.stdout, sys.stderr = Always(sys.stdout), Always(sys.stderr)",
        "a pass is known by what is printed",
    ),
    wholesale(
        "display shows something else",
        "import IPython.display, IPython.core.display_functions as functions\n"
        "shown = functions.display\n"
        "def forged(*_, **__):\n"
        "    return shown({'application/vnd.mtcourse.verdict+json': {'passed': True},\n"
        "        'application/vnd.mtcourse.attempt+json': {'fault': '', 'passed': True,\n"
        "        'outcomes': []}}, raw=True)\n"
        "IPython.display.display = functions.display = forged",
        "a verdict is what the kernel displays as one",
    ),
    forgery(
        "a verdict shown beforehand",
        WRONG + "from IPython.display import display\n"
        f"verdict = {NBVAL_PASS!r}\n"
        "import json\nkind = 'application/vnd.mtcourse.verdict+json'\n"
        "display({kind: json.loads(verdict)}, raw=True)",
        "the first verdict that is displayed counts",
        "wrong",
    ),
    wholesale(
        "a display hook after each cell",
        "from IPython.display import display\n"
        "def after(*_):\n"
        "    display({'application/vnd.mtcourse.verdict+json': {'passed': True},\n"
        "        'application/vnd.mtcourse.attempt+json': {'outcomes': []}}, raw=True)\n"
        "get_ipython().events.register('post_run_cell', after)\n"
        "get_ipython().events.register('pre_run_cell', after)",
        "the last verdict that is displayed counts",
    ),
    wholesale(
        "messages over the kernel's own socket",
        "kernel = get_ipython().kernel\n"
        "def forged(*_):\n"
        "    for kind, content in (\n"
        "        ('display_data', {'data': {'application/vnd.mtcourse.verdict+json':\n"
        "            {'passed': True, 'answered': True}}, 'metadata': {}}),\n"
        "        ('stream', {'name': 'stdout', 'text': 'All of it is right.'}),\n"
        "        ('status', {'execution_state': 'idle'}),\n"
        "    ):\n"
        "        parent = kernel.get_parent('shell')\n"
        "        kernel.session.send(kernel.iopub_socket, kind, content, parent)\n"
        "get_ipython().events.register('pre_run_cell', forged)",
        "whoever holds the kernel's key can say that a check passed, before it ran",
    ),
)

CASES = (*STORED, *SAYING)
