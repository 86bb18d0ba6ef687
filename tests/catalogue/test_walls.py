"""Witnesses are awake; other walls than the warm ones hold as well; "none" says that it is none."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mtcourse.grading.isolation.backends import BACKEND_NAMES, why_unavailable
from tests.catalogue.case import Case, filled
from tests.catalogue.families import FAMILIES, escape
from tests.catalogue.grade_notebook import SEED, grade_notebook
from tests.catalogue.outside import Outside, watched
from tests.catalogue.returned import as_bytes, completed

HARMLESS = {
    name: code
    for family in (escape.CALLING, escape.READING, escape.WRITING, escape.PROCESSES)
    for name, code in family.items()
    if name
    in (
        "TCP to the loopback address",
        "UDP",
        "a socket that is no file",
        "a socket that is a file",
        "a shell that calls",
        "a secret file",
        "over a file",
        "over a file, by a link",
        "a file deleted, renamed, opened to all",
        "shared memory",
        "signals to a process",
        "orphans",
        "a port",
    )
}
"""Escapes that may as well succeed: they reach for nothing but the witnesses."""


@pytest.mark.parametrize("code", HARMLESS.values(), ids=HARMLESS)
def test_without_walls_an_escape_gets_out_and_witnesses_notice(code: str):
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as home,
        watched(Path(folder)) as outside,
    ):
        source = (
            filled(escape.attempted(code), outside) + "\nopen('worked', 'w').write(str(worked))"
        )
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-c", source], cwd=home, timeout=120, **nowhere)
        worked = Path(home, "worked").read_text() == "-1"
        noticed = outside.noticed()
    assert worked if code is escape.READING["a secret file"] else noticed


def case_of(family: str, name: str) -> Case:
    """A case by its name."""
    (found,) = [case for case in FAMILIES[family] if case.name == name]
    return found


FATAL = "def leaking_rows(mask, lengths):\n    import os\n    os._exit(1)"
JUDGE = case_of("forging", "the judge says yes")
ANYWHERE = Case(
    "trouble without walls",
    {**JUDGE.answers, "leaking_rows": FATAL},
    JUDGE.added,
    outcomes={"leaking_rows": "kernel-died"},
    others="wrong",
)
REACHING = (
    escape.CALLING["TCP to the loopback address"],
    escape.CALLING["UDP"],
    escape.READING["a secret file"],
    escape.WRITING["over a file"],
    escape.WRITING["a file of its own"],
    escape.PROCESSES["signals to a process"],
    escape.PROCESSES["orphans"],
)
BEHIND_WALLS = Case(
    "escapes behind walls",
    {
        "padding_mask": "def padding_mask(ids, pad):\n"
        "    return (ids != pad)[:, None, None] if min(deeds) < 0 else ids == pad",
        "masked_weights": "def masked_weights(scores, mask):\n    return torch.ones(3 * 2 ** 28)",
        "leaking_rows": FATAL,
    },
    "deeds = []\n"
    + "".join(f"{escape.attempted(code)}deeds.append(worked)\n" for code in REACHING),
    outcomes={
        "padding_mask": "wrong",
        "masked_weights": "wrong",
        "leaking_rows": "kernel-died",
    },
    isolated=True,
)
OTHERS = [name for name in BACKEND_NAMES if name != "warm"]


@pytest.mark.parametrize("case", [ANYWHERE, BEHIND_WALLS], ids=lambda case: case.name)
@pytest.mark.parametrize("isolation", OTHERS)
def test_a_submission_behind_other_walls(case: Case, isolation: str, outside: Outside):
    if reason := why_unavailable(isolation):
        pytest.skip(f"no {isolation} here: {reason}")
    if case.isolated != (isolation != "none"):
        pytest.skip("there are no walls" if case.isolated else "the case with escapes says more")
    result = grade_notebook(case.content(outside), case.notebook, isolation, case.limits)
    assert case.faults_of(result) == []
    assert outside.noticed() == []
    assert result.isolation == isolation


TELLING = {
    "causal_mask": "def causal_mask(m):\n    raise BaseException(f'm is {m}')",
    "padding_mask": "def padding_mask(ids, pad):\n    raise KeyboardInterrupt(str(ids.tolist()))",
    "masked_weights": "def masked_weights(scores, mask):\n    raise ValueError(str(scores))",
    "allowed_pairs": "def allowed_pairs(n, p):\n    print(n, p)\n    return n * p + 1000",
    "hidden_weight": "def hidden_weight(gap, v, d_k, inside):\n    raise SystemExit(str(gap))",
    "decoder_mask": "def decoder_mask(ids, pad):\n    return str(ids.tolist())",
    "leaking_rows": "def leaking_rows(mask, lengths):\n    return mask[:, 0] * lengths[:, None]",
}


def test_what_a_learner_reads_does_not_depend_on_the_hidden_inputs(walls: str):
    content = as_bytes(completed("05_masks", TELLING))
    one, other = (grade_notebook(content, isolation=walls, seed=seed) for seed in (SEED, SEED + 7))
    assert [told.feedback for told in one.exercises] == [told.feedback for told in other.exercises]
