"""Accidents: what does not end, ends too much, or takes all there is costs its exercise alone."""

from __future__ import annotations

from typing import Any

from mtcourse.chapters.masks.exercises import EXERCISES
from mtcourse.checks.exercise import PUBLIC_SEED
from mtcourse.grading.kernel import Limits
from tests.catalogue.case import NO_POINTS, PATIENT, SHORT, Case
from tests.catalogue.returned import answer_cell, right_answers

FIRST, SIXTH = "causal_mask", "decoder_mask"
RIGHT = right_answers("05_masks")[SIXTH]
LOST = "timeout|kernel-died|output-limit"
CHATTY = Limits(seconds=60.0, output=1_000_000)


def called(*lines: str) -> str:
    """An answer to the sixth exercise in which something happens when it is called."""
    return "\n    ".join(["def decoder_mask(ids, pad):", *lines])


def accident(name: str, code: str, outcome: str, limits: Limits = PATIENT, **others: Any) -> Case:
    """A case in which the sixth of seven answers is an accident.

    What is before it is run again then; so little is left after it.
    """
    return Case(name, {SIXTH: code}, outcomes={SIXTH: outcome}, limits=limits, **others)


def before_all(name: str, code: str, outcome: str) -> Case:
    """A case in which the first of seven answers is an accident."""
    return Case(name, {FIRST: code}, outcomes={FIRST: outcome}, limits=SHORT)


def on_published_inputs(deed: str) -> str:
    """A wrong answer that does something else on the inputs of the learner's own check."""
    (exercise,) = [one for one in EXERCISES if one.id == "padding_mask"]
    known = {str(case.arguments[0].tolist()) for case in exercise.inputs(PUBLIC_SEED)}
    return (
        f"known = {known!r}\n"
        f"def padding_mask(ids, pad):\n    if str(ids.tolist()) in known: {deed}\n    return ids"
    )


def two_accidents(notebook: dict[str, Any]) -> None:
    """The fourth and the sixth exercise each end the kernel."""
    for name in ("allowed_pairs", SIXTH):
        answer_cell(notebook, name)["source"] = "import os\nos._exit(1)"


ENDLESS = (
    before_all("endless loop", "while True: pass", "timeout"),
    accident("endless loop when called", called("while True: pass"), "timeout", SHORT),
    accident(
        "endless loop that ignores interrupts",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        "timeout",
        SHORT,
    ),
    accident(
        "endless loop that catches everything",
        "import time\nwhile True:\n    try:\n        while True: time.sleep(0.01)\n"
        "    except BaseException: pass",
        "timeout",
        SHORT,
    ),
    accident("sleeps for ever", called("import time; time.sleep(1e6)"), "timeout", SHORT),
    accident(
        "waits for itself",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        "timeout",
        SHORT,
    ),
    accident(
        "a regular expression that backtracks",
        "import re\nre.match(r'(a+)+b', 'a' * 64)",
        "timeout",
        SHORT,
    ),
    accident("a number with too many digits", called("return 9 ** 9 ** 9"), "timeout", SHORT),
    accident(
        "stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "timeout", SHORT
    ),
    accident(
        "ends the thread that speaks for it",
        "get_ipython().kernel.iopub_thread.stop()",
        LOST,
        SHORT,
    ),
    accident(
        "a value that never ends",
        "class Endless(dict):\n    def __iter__(self):\n        while True: yield 1\n"
        "    def __getitem__(self, key):\n        return 1\n" + called("return Endless()"),
        LOST,
        SHORT,
    ),
    accident(
        "a loop when the kernel ends",
        "import atexit, signal\n@atexit.register\ndef linger():\n    while True: pass\n"
        "for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)\n" + RIGHT,
        "passed",
    ),
)

ENDING = (
    before_all("os._exit", "import os\nos._exit(0)", "kernel-died"),
    accident("os._exit when called", called("import os", "os._exit(0)"), "kernel-died"),
    accident("a wrong address", "import ctypes\nctypes.string_at(1)", "kernel-died"),
    accident("abort", "import os\nos.abort()", "kernel-died"),
    accident("kills itself", "import os\nos.kill(os.getpid(), 9)", "kernel-died"),
    accident("quit()", "quit()", NO_POINTS),
    accident("SystemExit when called", called("import sys", "sys.exit(1)"), "wrong"),
    accident("stops its event loop", "import asyncio\nasyncio.get_event_loop().stop()", NO_POINTS),
    accident("closes its files", "import os\nos.closerange(0, 500)", LOST, SHORT),
    accident(
        "recursion deeper than the stack",
        "import sys\nsys.setrecursionlimit(10 ** 9)\n"
        "class Deep:\n    def __getattr__(self, name): return getattr(self, name + 'x')\n"
        "Deep().a",
        LOST,
        SHORT,
    ),
    Case(
        "a death that comes later",
        {SIXTH: "import os, threading\nthreading.Timer(0.1, os._exit, [1]).start()\n" + RIGHT},
        outcomes={SIXTH: "passed|kernel-died"},
    ),
    Case(
        "ends the kernel on the published inputs",
        {"padding_mask": "import os\n" + on_published_inputs("os._exit(1)")},
        outcomes={"padding_mask": "wrong|kernel-died"},
    ),
    Case(
        "two that end the kernel",
        saved=two_accidents,
        outcomes=dict.fromkeys(("allowed_pairs", SIXTH), "kernel-died"),
    ),
    Case("an added cell that ends the kernel", added="import os\nos._exit(3)"),
    Case("an added cell that does not end", added="while True: pass", limits=SHORT),
)

ASKING = (
    accident("input()", called("return input('m? ')"), "wrong"),
    accident("getpass", "import getpass\ngetpass.getpass()", "error"),
    accident("recursion", called("return decoder_mask(ids, pad)"), "wrong"),
    accident("a debugger", called("breakpoint()"), NO_POINTS, SHORT),
)

TALKING = (
    accident("prints for ever", "while True: print('x' * 1000)", "output-limit", CHATTY),
    accident(
        "prints for ever when called",
        called("while True: print('x' * 1000)"),
        "wrong",  # the deadline of an answer ends it, and its prints are cut
        CHATTY,
    ),
    accident("60 MB at once", "print('x' * 60_000_000)", "output-limit"),
    accident(
        "60 MB with a right answer",
        RIGHT.replace("place =", "print('x' * 60_000_000)\n    place =", 1),
        "passed|output-limit",
    ),
    accident("a million lines", "for i in range(10 ** 6): print(i)", "output-limit", CHATTY),
    accident(
        "30 MB to standard error", "import sys\nsys.stderr.write('x' * 30_000_000)", "output-limit"
    ),
    accident(
        "a picture of 30 MB",
        "from IPython.display import display\ndisplay({'image/png': 'A' * 30_000_000}, raw=True)",
        "output-limit",
    ),
    accident("an exception of 30 MB", "raise ValueError('x' * 30_000_000)", "error|output-limit"),
    accident("a tensor of 10^6 numbers", called("return torch.zeros(10 ** 6)"), NO_POINTS),
    accident("a list within itself", called("a = []; a.append(a)", "return a"), NO_POINTS),
    accident(
        "a list 10^5 deep",
        called("a = []", "for _ in range(10 ** 5): a = [a]", "return a"),
        NO_POINTS,
    ),
)

TAKING = (
    accident(
        "3 GB at once", called("return torch.ones(3 * 2 ** 28)"), "wrong|kernel-died", isolated=True
    ),
    accident(
        "all the memory, bit by bit",
        "kept = []\nwhile True: kept.append(bytearray(2 ** 26))",
        "error|kernel-died",
        isolated=True,
    ),
    accident(
        "all the disk",
        "with open('large', 'wb') as file:\n    while True: file.write(bytes(2 ** 24))",
        "error",
        isolated=True,
    ),
    accident(
        "all the files that may be open",
        "kept = []\nwhile True: kept.append(open('/dev/null'))",
        "error|open",
        isolated=True,
    ),
    accident(
        "threads without number",
        "import threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()",
        "error|timeout|kernel-died|output-limit",
        SHORT,
        isolated=True,
    ),
    accident(
        "a storm of processes",
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        LOST,
        SHORT,
        isolated=True,
    ),
    accident(
        "memory in many processes",
        "import subprocess, sys, time\n"
        "for _ in range(6):\n"
        "    code = 'import time; kept = b\"x\" * (900 * 2 ** 20); time.sleep(1e6)'\n"
        "    subprocess.Popen([sys.executable, '-c', code])\n"
        "time.sleep(1e6)",
        "kernel-died",
        Limits(seconds=20.0),
        isolated=True,
    ),
)

OF_EARLIER_ONES = (
    "def decoder_mask(ids, pad):\n    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)"
)
"""A right answer that is made of two others."""


def used_later(name: str, exercise: str, code: str, outcome: str, **others: Any) -> Case:
    """A case in which an answer uses others, all of them before an accident or after it."""
    answers = {SIXTH: OF_EARLIER_ONES, exercise: code}
    return Case(name, answers, outcomes={exercise: outcome}, **others)


LATER = (
    used_later(
        "earlier answers used, after one that ends Python",
        "hidden_weight",
        "import os\nos._exit(1)",
        "kernel-died",
        repaired="hidden_weight ended Python: other cells were run without it",
    ),
    used_later(
        "earlier answers used, after an endless loop",
        "allowed_pairs",
        "while True: pass",
        "timeout",
        limits=SHORT,
        repaired="allowed_pairs did not end in time: other cells were run without it",
    ),
    used_later(
        "earlier answers used, after one that ends Python when called",
        "hidden_weight",
        "import os\ndef hidden_weight(*_): os._exit(1)",
        "kernel-died",
    ),
    used_later(
        "earlier answers used, after one that prints for ever",
        "masked_weights",
        "while True: print('x' * 1000)",
        "output-limit",
        limits=CHATTY,
        repaired="masked_weights printed too much",
    ),
    used_later(
        "earlier answers used, after a death that comes later",
        "hidden_weight",
        "import os, threading\nthreading.Timer(0.3, os._exit, [1]).start()\n"
        + right_answers("05_masks")["hidden_weight"],
        "passed|kernel-died",
    ),
    Case(
        "an import of an earlier answer's cell used, after one that ends Python",
        {
            "causal_mask": "import numpy as np\n" + right_answers("05_masks")["causal_mask"],
            "hidden_weight": "import os\nos._exit(1)",
            SIXTH: RIGHT.replace("place =", "np.ones(1)\n    place ="),
        },
        outcomes={"hidden_weight": "kernel-died"},
    ),
    Case(
        "an answer used that ends Python",
        {"padding_mask": "import os\nos._exit(1)", SIXTH: OF_EARLIER_ONES},
        outcomes={"padding_mask": "kernel-died", SIXTH: NO_POINTS},
        says={SIXTH: "tried without padding_mask"},
    ),
    Case(
        "an answer used that ends Python when called",
        {"padding_mask": "import os\ndef padding_mask(*_): os._exit(1)", SIXTH: OF_EARLIER_ONES},
        outcomes={"padding_mask": "kernel-died", SIXTH: NO_POINTS},
        says={SIXTH: "tried without causal_mask, padding_mask"},
    ),
    Case(
        "a helper after an accident that uses an answer before it",
        {
            "causal_mask": "import os\nos._exit(1)",
            SIXTH: "def hides(ids, pad):\n    return padding_mask(ids, pad)\n\n"
            "def decoder_mask(ids, pad):\n"
            "    return (torch.ones(ids.shape[1], ids.shape[1]).tril() > 0) & hides(ids, pad)",
        },
        outcomes={"causal_mask": "kernel-died"},
    ),
)

CASES = (*ENDLESS, *ENDING, *ASKING, *TALKING, *TAKING, *LATER)
