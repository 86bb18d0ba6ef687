"""Forgeries that look for what is right: in the process, and on the disk."""

from __future__ import annotations

from mtcourse.chapters.masks.exercises import EXERCISES
from mtcourse.checks.exercise import PUBLIC_SEED
from tests.catalogue.families.forgery import LAST, forgery

SEARCH_FRAMES = """
import sys
def leaking_rows(mask, lengths):
    shape, frame = (len(lengths), len(mask)), sys._getframe()
    while frame:
        for name, value in [*frame.f_locals.items(), *frame.f_globals.items()]:
            if name in ("expected", "correct", "right", "reference", "solution", "trial", "trials"):
                value = getattr(value, "expected", value)
                value = getattr(value, "value", value)
                if getattr(value, "shape", None) == shape: return value
                if callable(value): return value(mask, lengths)
        frame = frame.f_back
    return torch.zeros(shape) > 0
"""
SEARCH_OBJECTS = """
import gc
def leaking_rows(mask, lengths):
    for thing in gc.get_objects():
        try:
            if type(thing).__name__ == "Exercise" and thing.id == "leaking_rows":
                return thing.oracle(mask, lengths)
        except Exception: pass
    return torch.zeros(len(lengths), len(mask)) > 0
"""
SEARCH_CHECK = """
def leaking_rows(mask, lengths):
    for name in ("check", "_exercises", "__self__"):
        for thing in (globals().get(name), getattr(globals().get("check"), name, None)):
            try:
                return thing["leaking_rows"].oracle(mask, lengths)
            except Exception: pass
    return torch.zeros(len(lengths), len(mask)) > 0
"""
SEARCH_BANK = """
import sys
def leaking_rows(mask, lengths):
    import importlib
    load = importlib.__dict__["import" + "_module"]
    for name in ("leaking_rows", "__init__"):
        try:
            return load(f"mtcourse.chapters.masks.exercises.{name}").correct(mask, lengths)
        except Exception: pass
    return torch.zeros(len(lengths), len(mask)) > 0
"""


def published_table() -> str:
    """An answer that knows what is right on the published inputs, and nothing else."""
    (exercise,) = [one for one in EXERCISES if one.id == LAST]
    table = {
        str([argument.tolist() for argument in case.arguments]): exercise.oracle(
            *case.arguments
        ).tolist()
        for case in exercise.inputs(PUBLIC_SEED)
    }
    return (
        f"published = {table!r}\n"
        "def leaking_rows(mask, lengths):\n"
        "    known = published.get(str([mask.tolist(), lengths.tolist()]))\n"
        "    wrong = torch.zeros(len(lengths), len(mask)) > 0\n"
        "    return wrong if known is None else torch.tensor(known)"
    )


LOOKING = (
    forgery(
        "expected values in the caller's frames",
        SEARCH_FRAMES,
        "the check holds `expected` in a variable while it calls the answer",
        "wrong",
    ),
    forgery(
        "the check among all objects of the process",
        SEARCH_OBJECTS,
        "the reference is an object of the same process",
        "wrong",
    ),
    forgery(
        "the reference inside of `check`",
        SEARCH_CHECK,
        "`check` holds the reference that it compares with",
        "wrong",
    ),
    forgery(
        "the bank of checks, by a name put together",
        SEARCH_BANK,
        "the checks' own right answer can be imported",
    ),
    forgery(
        "a table of the published inputs",
        published_table(),
        "the inputs are those of the learner's own check",
        "wrong",
    ),
)

READ_SOLUTION = """
import glob, json, os
found = {}
places = [%s]
for place in places:
    for path in glob.glob(place, recursive=True)[:2000]:
        try:
            for cell in json.load(open(path))["cells"]:
                text = "".join(cell["source"])
                if "def leaking_rows" in text and "NotImplementedError" not in text:
                    found["code"] = text
        except Exception: pass
def leaking_rows(mask, lengths):
    import types
    names = dict(globals())
    code = compile(found["code"], "found", "exec")
    types.FunctionType(code, names)()
    return names["leaking_rows"](mask, lengths)
"""

READING = (
    forgery(
        "the solution beside the package",
        READ_SOLUTION % "'$root/solutions/*.ipynb'",
        "the solution lies where the kernel can read it",
        isolated=True,
    ),
    forgery(
        "a solution anywhere above, below or beside",
        READ_SOLUTION % "'../**/*.ipynb', '../../*/*.ipynb', '/home/*/*.ipynb', '/tmp/*/*.ipynb',"
        "os.path.dirname(os.__file__) + '/../../../**/*.ipynb', '/srv/**/*.ipynb'",
        "the solution lies where the kernel can find it",
        isolated=True,
    ),
    forgery(
        "references on the disk",
        "import json\ntable = json.load(open('$references'))\n"
        "def leaking_rows(mask, lengths):\n    return eval_free(mask, lengths)\n"
        "def eval_free(mask, lengths):\n"
        "    place = torch.arange(len(mask))\n"
        "    late, padding = place[None] > place[:, None], place >= lengths[:, None, None]\n"
        "    return ((mask == 1) & (late | padding)).any(dim=table['dimension'])",
        "reference outputs are kept in a file for the kernel to compare with",
        isolated=True,
    ),
    forgery(
        "another learner's notebook",
        READ_SOLUTION % "'$classmate'",
        "submissions lie side by side",
        isolated=True,
    ),
    forgery(
        "paths in the environment",
        READ_SOLUTION % "*(v for v in os.environ.values()), "
        "*(v + '/**/*.ipynb' for v in os.environ.values() if v.startswith('/') and ':' not in v)",
        "the grader tells its kernel by environment where things are",
        isolated=True,
    ),
    forgery(
        "paths of other processes",
        READ_SOLUTION % "*(p + '/cwd/**/*.ipynb' for p in glob.glob('/proc/[0-9]*')), "
        "*(p + '/root$root/solutions/*.ipynb' for p in glob.glob('/proc/[0-9]*')), "
        "*glob.glob('/proc/[0-9]*/fd/*')",
        "the grader's own process can be looked into",
        isolated=True,
    ),
)

CASES = (*LOOKING, *READING)
