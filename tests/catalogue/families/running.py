"""Forgeries of how a check runs, and of what the kernel reports of it."""

from __future__ import annotations

from tests.catalogue.case import NO_POINTS, Case
from tests.catalogue.families.forgery import LAST, RIGHT, WRONG, forgery, wholesale

CODE = (
    wholesale(
        "an input transformer",
        "def forged(lines):\n"
        "    return ['print(\"All of it is right.\")\\n'] if 'attempt' in ''.join(lines) or "
        "'check(' in ''.join(lines) else lines\n"
        "get_ipython().input_transformers_post.append(forged)\n"
        "get_ipython().input_transformers_cleanup.append(forged)",
        "the check's code is changed before it runs",
    ),
    wholesale(
        "a transformer of syntax trees",
        "import ast\nclass NoAsserts(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node): return ast.Pass()\n"
        "    def visit_Raise(self, node): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(NoAsserts())",
        "assert statements of the check are taken out before it runs",
    ),
    wholesale(
        "exceptions that are not shown",
        "shell = get_ipython()\n"
        "shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None\n"
        "import sys\nsys.excepthook = lambda *_: None\n"
        "import builtins\nbuiltins.AssertionError = type('Quiet', (Exception,), {})",
        "a pass is a check cell without an exception",
    ),
    wholesale(
        "cells that are not run",
        "shell = get_ipython()\n"
        "real = shell.run_cell\n"
        "from IPython.core.interactiveshell import ExecutionResult, ExecutionInfo\n"
        "def run_cell(raw, *a, **k):\n"
        "    return real('1' if 'check' in raw or 'attempt' in raw else raw, *a, **k)\n"
        "shell.run_cell = run_cell",
        "a pass is a check cell without an exception",
    ),
    wholesale(
        "another import",
        "import builtins, sys, types\n"
        "class Fake(types.ModuleType):\n"
        "    def __getattr__(self, name):\n"
        "        if name.startswith('__'): raise AttributeError(name)\n"
        "        return lambda *_, **__: print('All of it is right.')\n"
        "for name in [*sys.modules]:\n"
        "    if name.startswith(('mtcourse.grading', 'mtcourse.checks')):\n"
        "        sys.modules[name] = Fake(name)",
        "the check imports its helper functions in the learner's kernel",
    ),
    wholesale(
        "JSON of one's own",
        'import json\njson.dumps = lambda *_, **__: \'{"fault": "", "outcomes": []}\'\n'
        "json.loads = lambda *_, **__: {'passed': True, 'fault': '', 'outcomes': []}",
        "results are written with a library that the learner can change",
    ),
    wholesale(
        "random numbers that are known",
        "import random, torch.random\n"
        "torch.randn = torch.rand = lambda *s, **k: torch.zeros(s[0] if len(s) == 1 else s)\n"
        "torch.manual_seed = random.seed = lambda *_: None",
        "the check draws its inputs in the learner's kernel",
    ),
    wholesale(
        "a trace that changes variables",
        "import sys, threading\n"
        "def trace(frame, event, argument):\n"
        "    if 'passed' in frame.f_locals: frame.f_locals['passed'] = True\n"
        "    return trace\n"
        "sys.settrace(trace)",
        "the verdict is a variable of a function in the same process",
    ),
)

TRIED_AGAIN = (
    wholesale(
        "the attempt is somebody else's",
        "import mtcourse.grading.kernel_side as side\n"
        "from mtcourse.checks.attempt import Attempt\n"
        "side.attempt = lambda *_, **__: Attempt('')\n"
        "side.encode_attempt = lambda _: {'fault': '', 'outcomes': [], 'passed': True}",
        "what the kernel reports is taken for a verdict",
    ),
    wholesale(
        "outcomes of no kind",
        "import mtcourse.grading.kernel_side as side\n"
        "side.encode_attempt = lambda _: {'fault': '', 'outcomes': [\n"
        "    {'value': {'other': 'all'}, 'stop': [], 'changed': [1e999], 'gradients': {}}] * 99}",
        "what cannot be compared is passed over",
    ),
    wholesale(
        "as many outcomes as cases, each of no kind",
        "import mtcourse.grading.kernel_side as side\n"
        "pack = side.encode_attempt\n"
        "def forged(tried):\n"
        "    made = pack(tried)\n"
        "    for number, one in enumerate(made['outcomes']):\n"
        "        one.update([{'changed': [1e999]}, {'changed': ['x']}, {'value': {'float': []}},\n"
        "            {'value': {'tensor': 'float32', 'shape': [1e999], 'values': []}},\n"
        "            {'stop': {}}, {'gradients': [[]]}, {'value': []}][number % 7])\n"
        "    return made\n"
        "side.encode_attempt = forged",
        "a grader that stumbles lets it pass",
    ),
    forgery(
        "a pickle",
        "import os\nclass Pickled:\n"
        "    def __reduce__(self): return (os.system, ('echo touched > $canary',))\n"
        "def leaking_rows(mask, lengths): return Pickled()",
        "answers come out of the kernel as pickles, which the grader opens",
        "wrong",
    ),
    forgery(
        "results of one's own",
        "import json, os\n"
        "for path in ('$grades', 'results.json', '../results.json', '/autograder/results.json'):\n"
        "    try:\n"
        "        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)\n"
        "        with open(path, 'w') as file: json.dump({'score': 100, 'points': 100}, file)\n"
        "    except OSError: pass\n" + WRONG,
        "results are files that the kernel can write",
        "wrong",
        isolated=True,
    ),
    forgery(
        "a start-up file for the next kernel",
        "import os\nfrom pathlib import Path\n"
        "for place in ('.ipython/profile_default/startup', '.jupyter', '.config', '.'):\n"
        "    folder = Path(os.path.expanduser('~'), place)\n"
        "    folder.mkdir(parents=True, exist_ok=True)\n"
        "    for name in ('00-forged.py', 'sitecustomize.py', 'usercustomize.py', 'conftest.py'):\n"
        "        (folder / name).write_text('import torch; torch.zeros = torch.ones')\n"
        "os._exit(0)",
        "the next kernel, or the next learner's, runs what the first one left in its home",
        "kernel-died",
        isolated=True,
    ),
    forgery(
        "the grader's own process ends, with a good result so far",
        WRONG + "import os, signal\n"
        "for number in (signal.SIGTERM, signal.SIGKILL):\n"
        "    for process in (os.getppid(), $grader, $sentinel, 0):\n"
        "        try: process and process > 1 and os.kill(process, number)\n"
        "        except OSError: pass",
        "a grader that is ended keeps the points that it has given",
        isolated=True,
    ),
    forgery(
        "hidden inputs told to the world",
        "def leaking_rows(mask, lengths):\n    raise BaseException(str(lengths.tolist()) * 9)",
        "an exception of the answer ends the check early",
    ),
)

FORBIDDEN = (
    Case(
        "the course's own function, imported",
        {LAST: RIGHT, "causal_mask": "from mtcourse.layers.masks import causal_mask"},
        outcomes={"causal_mask": "error"},
        forges="the reference can be imported",
    ),
    Case(
        "the course's own function, by a name put together",
        {
            "causal_mask": "import sys\n"
            "causal_mask = sys.modules['mtcourse.' + 'layers.masks'].causal_mask"
        },
        outcomes={"causal_mask": NO_POINTS},
        forges="the reference is in the process",
    ),
    Case(
        "the course's own function, from the names of given cells",
        {"causal_mask": "causal_mask = globals()['ma' + 'sks'].causal_mask"},
        outcomes={"causal_mask": NO_POINTS},
        forges="given cells import the reference",
    ),
    Case(
        "torch's own attention",
        {
            "attention": "def attention(Q, K, V):\n"
            "    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)"
        },
        outcomes={"attention": NO_POINTS},
        forges="the check sees values, and not how they came about",
        notebook="04_attention",
    ),
    Case(
        "torch's own attention, as it is",
        {"attention": "attention = torch.nn.functional.scaled_dot_product_attention"},
        outcomes={"attention": NO_POINTS},
        forges="the check sees values, and not how they came about",
        notebook="04_attention",
    ),
    Case(
        "torch's own softmax, by another name",
        {
            "row_softmax": "def row_softmax(scores):\n"
            "    return getattr(torch, 'soft' + 'max')(scores, -1)"
        },
        outcomes={"row_softmax": NO_POINTS},
        forges="the check sees values, and not how they came about",
        notebook="04_attention",
    ),
)

BY_SOMEBODY_ELSE = (
    "def row_softmax(scores):\n"
    "    rows = scores.reshape(-1, scores.shape[-1])\n"
    "    return torch.vmap(torch.softmax, in_dims=(0, None))(rows, -1).reshape(scores.shape)"
)
"""What calls softmax here is no code of the learner's."""


def beside(name: str, magic: str) -> Case:
    """A case in which a magic stands in the cell of an answer that is not allowed."""
    return Case(
        f"torch's own softmax, beside {name}",
        {"row_softmax": magic.replace("ANSWER", BY_SOMEBODY_ELSE)},
        outcomes={"row_softmax": "wrong"},
        says={"row_softmax": "not allowed here"},
        forges="code with magics in it is not read before it is run",
        notebook="04_attention",
    )


MAGICS = (
    beside("nothing", "ANSWER"),
    beside("a magic that is never run", "if 0:\n    %pip list\nANSWER"),
    beside("a shell line that is never run", "if 0:\n    !true '(\nANSWER"),
    beside("the output of a shell line", "files = !true\nANSWER"),
    beside("a magic for the whole cell", "%%capture\n%%time\nANSWER"),
    beside(
        "a call to a magic",
        "get_ipython().run_cell_magic('time', '', '''ANSWER''')",
    ),
    beside("more magics than can be read", "ANSWER\n" + "%pwd\n" * 300),
    Case(
        "torch's own softmax, beside a syntax of one's own",
        {"row_softmax": BY_SOMEBODY_ELSE + "\nand this is no Python"},
        "def transform(lines):\n    return [line for line in lines if 'no Python' not in line]\n"
        "get_ipython().input_transformers_cleanup.append(transform)",
        outcomes={"row_softmax": "wrong"},
        says={"row_softmax": "not allowed here"},
        forges="code that cannot be read is taken for code that cannot be run",
        notebook="04_attention",
    ),
)

CASES = (*CODE, *TRIED_AGAIN, *FORBIDDEN, *MAGICS)
