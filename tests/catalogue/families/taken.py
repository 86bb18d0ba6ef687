"""Answers that are not the learner's own work: the course's functions, and forbidden operations.

Each is right in what it returns, and earns nothing; all other answers keep their points.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.catalogue.case import NO_POINTS, Case
from tests.catalogue.returned import right_answers

NOT_ALLOWED = "not allowed here"
REFERENCE = "sys.modules['mtcourse.layers.masks'].causal_mask"


def taken(
    name: str,
    answers: Mapping[str, str] | str,
    added: str = "",
    notebook: str = "05_masks",
    says: str = NOT_ALLOWED,
) -> Case:
    """A notebook with such answers; of a text alone, it is the answer to the first exercise."""
    given = {"causal_mask": answers} if isinstance(answers, str) else answers
    return Case(
        name,
        given,
        added,
        outcomes=dict.fromkeys(given, NO_POINTS),
        says=dict.fromkeys(given, says),
        notebook=notebook,
    )


def by_call(code: str) -> str:
    """An answer that comes to the course's function, whose name no cell knows."""
    return f"import sys\n{code}".replace("REFERENCE", REFERENCE)


CALLED = (
    taken(
        "the cell says that it is somebody else",
        by_call("__name__ = 'mine'\ndef causal_mask(m):\n    return REFERENCE(m)"),
        says="causal_mask is not allowed here: write it yourself, at `return sys.modules",
    ),
    taken(
        "in a thread",
        by_call(
            "import threading\ndef causal_mask(m):\n    found = []\n"
            "    one = threading.Thread(target=lambda: found.append(REFERENCE(m)))\n"
            "    one.start(); one.join()\n    return found[0]"
        ),
    ),
    taken(
        "in a pool of threads",
        by_call(
            "from concurrent.futures import ThreadPoolExecutor\ndef causal_mask(m):\n"
            "    with ThreadPoolExecutor(1) as pool:\n"
            "        return pool.submit(REFERENCE, m).result()"
        ),
    ),
    taken(
        "by a library: tree_map",
        by_call(
            "from torch.utils._pytree import tree_map\n"
            "causal_mask = lambda m: tree_map(REFERENCE, [m])[0]"
        ),
    ),
    taken(
        "by a library: reduce, map, sorted",
        by_call(
            "import functools\ndef causal_mask(m):\n"
            "    made = []\n"
            "    sorted([m], key=lambda n: made.append(functools.reduce(\n"
            "        lambda a, b: REFERENCE(b), [m], None)) or 0)\n    return made[0]"
        ),
    ),
    taken(
        "by a library: an event loop",
        by_call(
            "import contextlib\ndef causal_mask(m):\n    found = []\n"
            "    with contextlib.ExitStack() as stack:\n"
            "        stack.callback(lambda: found.append(REFERENCE(m)))\n    return found[0]"
        ),
    ),
    taken(
        "by a cache around it",
        by_call("import functools\ncausal_mask = functools.lru_cache(REFERENCE)"),
    ),
    taken(
        "with another name in its code object",
        by_call(
            "import types\nmade = types.FunctionType(REFERENCE.__code__, REFERENCE.__globals__,\n"
            "    'mine', REFERENCE.__defaults__)\ncausal_mask = lambda m: made(m)"
        ),
    ),
    taken(
        "the profiler taken away",
        by_call("def causal_mask(m):\n    sys.setprofile(None)\n    return REFERENCE(m)"),
        says="a profiler is not allowed here",
    ),
    taken(
        "another profiler in its place",
        by_call(
            "import cProfile\ndef causal_mask(m):\n"
            "    profiler = cProfile.Profile(); profiler.enable()\n"
            "    try:\n        return REFERENCE(m)\n    finally:\n        profiler.disable()"
        ),
        says="a profiler is not allowed here",
    ),
    taken(
        "tried twice, because the first time stops",
        by_call(
            "def causal_mask(m):\n    try:\n        return REFERENCE(m)\n"
            "    except Exception:\n        return REFERENCE(m)"
        ),
    ),
    taken(
        "imported where it is called",
        "def causal_mask(m):\n    import mtcourse.layers.masks as mine\n"
        "    return mine.causal_mask(m)",
        says="import mtcourse.layers.masks",
    ),
    taken(
        "imported at run time",
        "def causal_mask(m):\n    import builtins\n"
        "    module = getattr(builtins, '__imp' + 'ort__')('mtcourse.layers.masks')\n"
        "    return module.layers.masks.causal_mask(m)",
    ),
)

WRITTEN = (
    taken(
        "in a file of one's own",
        "import helpers\ncausal_mask = lambda m: helpers.mine(m)",
        added="%%writefile helpers.py\nfrom mtcourse.layers.masks import causal_mask\n"
        "def mine(m):\n    return causal_mask(m)",
    ),
    taken(
        "in a file that is run",
        "%run mine.py\ndef causal_mask(m):\n    return mine(m)",
        added="%%writefile mine.py\nfrom mtcourse.layers.masks import *\n"
        "mine = lambda m: causal_mask(m)",
    ),
    taken("the star of its module", "from mtcourse.layers.masks import *"),
    taken(
        "an alias in an added cell",
        "causal_mask = mine",
        added="from mtcourse.layers.masks import causal_mask as theirs\nmine = theirs",
    ),
    taken(
        "a subclass, a property, a default",
        "class Mine:\n    make = staticmethod(masks.causal_mask)\n"
        "    def __call__(self, m, make=masks.causal_mask): return make(m)\ncausal_mask = Mine()",
        says="masks, which is the course's own, at `",
    ),
    taken(
        "a parameter elsewhere with the same name",
        "def other(masks):\n    return masks\ncausal_mask = other(masks).causal_mask",
        says="masks, which is the course's own, at `causal_mask = other(masks).causal_mask`",
    ),
    taken(
        "a table made beforehand",
        "TABLE = {m: masks.causal_mask(m) for m in range(1, 200)}\n"
        "def causal_mask(m):\n    return TABLE[m].clone()",
        says="at `TABLE = {m: masks.causal_mask(m)",
    ),
    taken(
        "a table filled by a loop",
        "def causal_mask(m):\n    return TABLE[m].clone()",
        added="TABLE = {}\nfor m in range(1, 200):\n    TABLE[m] = masks.causal_mask(m)",
        says="at `TABLE[m] = masks.causal_mask(m)`",
    ),
    taken(
        "a list filled by a function of a function",
        "causal_mask = lambda m: table[m - 1].clone()",
        added="table = []\ndef put(m): table.append(masks.causal_mask(m))\n"
        "def fill():\n    for m in range(1, 200): put(m)\nfill()",
        says="masks, which is the course's own",
    ),
    taken(
        "code out of a text",
        "exec('from mtcourse.layers import masks as own')\n"
        "exec('def causal_mask(m): return own.causal_mask(m)')",
        says="exec, at `exec(",
    ),
    taken(
        "the source, compiled",
        "from pathlib import Path\nimport sys, types\n"
        "text = Path(sys.modules['mtcourse'].__path__[0], 'layers', 'masks.py').read_text()\n"
        "text = text.replace('from __future__ import annotations', '')\n"
        "names = {'__name__': 'mine'}\n"
        "types.FunctionType(compile(text, 'mine', 'exec'), names)()\n"
        "causal_mask = lambda m: names['causal_mask'](m)",
        says="compile, at `",
    ),
    taken(
        "behind a magic that is no Python",
        "if 0:\n    %pip list\nhidden = masks\n"
        "def causal_mask(m):\n    return hidden.causal_mask(m)",
    ),
    taken(
        "under time and timeit",
        "%time causal_mask = masks.causal_mask",
    ),
)


HIDDEN = (
    taken(
        "from a module that the notebook has no use for",
        {
            "cross_attention": "def cross_attention(X, H_E, W_Q, W_K, W_V, real):\n"
            "    return mine(X, H_E, W_Q, W_K, W_V, real[..., None, :])"
        },
        added="from mtcourse.layers.cross_attention import cross_attention as theirs\n"
        "from mtcourse.layers.cross_attention import *\nimport types\n"
        "mine = types.FunctionType(getattr(theirs, '__code__'), globals())",
        notebook="06_cross_attention",
        says="",
    ),
    taken(
        "its file, read as a text",
        {
            "cross_attention": "import pathlib, sys\n"
            "package = pathlib.Path(sys.modules['mtcourse'].__path__[0])\n"
            "found = [*package.rglob('cross_attention*.py*'), *package.rglob('*/cross_*/*.py')]\n"
            "text = ''.join(one.read_text(errors='ignore') for one in found)\n"
            "if 'softmax' in text or 'def cross_attention' in text:\n"
            + "    "
            + right_answers("06_cross_attention")["cross_attention"].replace("\n", "\n    ")
        },
        notebook="06_cross_attention",
        says="",
    ),
)


def softmax(expression: str, before: str = "") -> Mapping[str, str]:
    return {"row_softmax": f"{before}def row_softmax(scores):\n    return {expression}"}


LOSS = "torch.nn.functional.cross_entropy(x.flatten(0, -2), labels.flatten(), ignore_index=0)"
RIGHT_LOSS = right_answers("08_loss")

OPERATIONS = (
    taken(
        "softmax in a thread",
        softmax(
            "run(lambda: torch.softmax(scores, -1))",
            "import threading\ndef run(act):\n    found = []\n"
            "    one = threading.Thread(target=lambda: found.append(act()))\n"
            "    one.start(); one.join()\n    return found[0]\n",
        ),
        notebook="04_attention",
    ),
    taken(
        "softmax scripted, traced, compiled, by a module",
        {
            **softmax("made(scores)", "made = torch.jit.script(torch.nn.Softmax(dim=-1))\n"),
            "attention": "@torch.compile\ndef attention(Q, K, V):\n"
            "    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)",
            "self_attention": "def self_attention(X, W_Q, W_K, W_V):\n"
            "    return torch._scaled_dot_product_attention_math(X @ W_Q, X @ W_K, X @ W_V)[0]",
            "softmax_jacobian": "def softmax_jacobian(p):\n"
            "    return torch.func.vmap(torch.func.jacfwd(lambda s: s.exp() / s.exp().sum()))(\n"
            "        p.log().reshape(-1, p.shape[-1])).reshape(*p.shape, p.shape[-1])",
        },
        notebook="04_attention",
    ),
    taken(
        "softmax without torch's modes",
        softmax(
            "off(scores)",
            "from torch.utils._python_dispatch import _disable_current_modes\n"
            "def off(x):\n    with _disable_current_modes(), torch._C.DisableTorchFunction():\n"
            "        return torch.softmax(x, -1)\n",
        ),
        notebook="04_attention",
    ),
    taken(
        "softmax caught, and called again",
        softmax(
            "again(scores)",
            "def again(x):\n    for _ in range(3):\n        try: return torch.softmax(x, -1)\n"
            "        except Exception: pass\n",
        ),
        notebook="04_attention",
    ),
    taken(
        "softmax as the gradient of another function",
        softmax(
            "torch.func.grad(lambda x: torch.logsumexp(x, -1).sum())(scores)",
        ),
        notebook="04_attention",
    ),
    taken(
        "a table's rows by torch's own layers, and its gradient by backward",
        {
            "embed": "def embed(ids, W_E):\n"
            "    layer = torch.nn.EmbeddingBag.from_pretrained(W_E)\n"
            "    return layer(ids.reshape(-1, 1)).reshape(*ids.shape, -1)",
            "table_gradient": "def table_gradient(ids, H_bar, V):\n"
            "    W = torch.zeros(V, H_bar.shape[-1], dtype=H_bar.dtype, requires_grad=True)\n"
            "    getattr((W[ids] * H_bar).sum(), 'back' + 'ward')()\n    return W.grad",
        },
        notebook="02_embeddings",
    ),
    taken(
        "the loss and its gradients by torch, under other names",
        {
            "token_losses": "from torch.nn.functional import cross_entropy as mine\n"
            "def token_losses(logits, labels):\n"
            "    return mine(logits.movedim(-1, 1), labels, reduction='none', ignore_index=0)",
            "logit_gradient": "def logit_gradient(logits, labels):\n"
            f"    loss = lambda x: {LOSS}\n"
            "    return torch.func.grad_and_value(loss)(logits)[0]",
            "attention_gradients": "def attention_gradients(Q, K, V, A_bar):\n"
            "    from torch.autograd.functional import vjp as mine\n"
            "    own = lambda q, k, v: ((q @ k.mT) / Q.shape[-1] ** 0.5).softmax(-1) @ v\n"
            "    return mine(own, (Q, K, V), A_bar)[1]",
        },
        notebook="08_loss",
    ),
    taken(
        "a table's rows by a call with other weights",
        {
            "embed": "def embed(ids, W_E):\n"
            "    layer = torch.nn.Embedding(*W_E.shape)\n"
            "    return torch.func.functional_call(layer, {'weight': W_E}, (ids,))"
        },
        notebook="02_embeddings",
    ),
    taken(
        "the loss by a module of torch's",
        {
            "token_losses": "def token_losses(logits, labels):\n"
            "    loss = torch.nn.NLLLoss(reduction='none', ignore_index=0)\n"
            "    of_words = logits - logits.logsumexp(-1, keepdim=True)\n"
            "    return loss(of_words.movedim(-1, 1), labels)"
        },
        notebook="08_loss",
    ),
)

CHANGING = "_right = {0}\ndef {0}(*given):\n    made = _right(*given)\n    {1}\n    return made\n"


def changing(name: str, does: str, patch: str, notebook: str) -> Mapping[str, str]:
    """An answer that changes its inputs, and something that is to hide it."""
    return {name: f"{right_answers(notebook)[name]}\n{CHANGING.format(name, does)}\n{patch}"}


INPUTS = (
    taken(
        "inputs changed, and what compares them",
        changing(
            "decoder_input",
            "given[0].zero_()",
            "import mtcourse.checks.outcomes as o\no.distance = lambda *_: 0.0\n"
            "o.changed_places = lambda *_: ()",
            "07_framework_model",
        ),
        notebook="07_framework_model",
        says="is not what it was before",
    ),
    taken(
        "lists changed, and what compares them",
        changing(
            "paired_lines",
            "given[0].append('x'); given[1].clear()",
            "import mtcourse.checks.outcomes as o\no.distance = o._distance = lambda *_: 0.0\n"
            "o.changed_places = lambda *_: ()",
            "01_problem_setup",
        ),
        notebook="01_problem_setup",
        says="is not what it was before",
    ),
    Case(
        "inputs sent back that are none",
        changing(
            "padding_mask",
            "given[0].zero_()",
            "import mtcourse.grading.wire_format as w, mtcourse.grading.kernel_side as s\n"
            "pack = s.encode_attempt\n"
            "def forged(tried):\n    made = pack(tried)\n"
            "    for number, one in enumerate(made['outcomes']):\n"
            "        one['arguments'] = [[], [1], 7, {}, [[]], [None] * 999][number % 6]\n"
            "    return made\ns.encode_attempt = forged",
            "05_masks",
        ),
        outcomes={"causal_mask": "passed", "decoder_mask_lines": "passed"},
        others=NO_POINTS,  # of functions, nothing that this kernel sends back can be read any more
    ),
)

CASES = (*CALLED, *WRITTEN, *HIDDEN, *OPERATIONS, *INPUTS)
