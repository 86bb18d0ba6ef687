"""While an answer is tried it may call neither the course's own functions nor what is forbidden."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mtcourse.checks.judge import judge

HEAD = """
import functools, importlib, math, sys
import torch
import torch.nn.functional as F
from mtcourse.chapters.attention.exercises import EXERCISES
from mtcourse.layers import attention as theirs
from mtcourse.layers.attention import scaled_dot_product_attention as renamed
from mtcourse.layers.multi_head import SelfAttention
given = SelfAttention(4, 1)
exercise = next(one for one in EXERCISES if one.id == "attention")

def own(Q, K, V):
    return torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), -1) @ V
"""
TAIL = """
from mtcourse.checks.judge import judge
verdict = judge(exercise, answer)
print("passed" if verdict.passed else verdict.wrong)
sys.exit(bool(sys.getprofile()))
"""


def tried(answer: str) -> str:
    """What a check says in a process of its own, where types are not checked while it runs."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + answer + TAIL], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.removesuffix("\n")


def said_to(program: str) -> str:
    """What a check says to the answer of a program that runs as a notebook: as ``__main__``."""
    names = {"__name__": "__main__"}
    exec(program, names)
    before = sys.getprofile()
    verdict = judge(names["exercise"], names["answer"])
    assert sys.getprofile() is before
    return "passed" if verdict.passed else verdict.wrong


@pytest.mark.parametrize(
    "answer",
    [
        "answer = own",
        "def answer(Q, K, V):\n    given(torch.zeros(1, 2, 4))\n    return own(Q, K, V)",
        "def answer(Q, K, V):\n    import json, torch.nn\n    return own(Q, K, V)",
    ],
    ids=["own code", "methods of given objects", "other imports"],
)
def test_an_answer_may_call_what_is_not_the_answer(answer):
    assert tried(answer) == "passed"


@pytest.mark.by_turns(3)
@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ("answer = lambda Q, K, V: renamed(Q, K, V)[0]", "scaled_dot_product_attention"),
        (
            "answer = lambda *t: getattr(theirs, 'scaled_' + 'dot_product_attention')(*t)[0]",
            "scaled",
        ),
        (
            "answer = lambda *t: sys.modules['mtcourse.layers.attention'].fused_attention(*t)",
            "fused",
        ),
        ("answer = lambda Q, K, V: F.scaled_dot_product_attention(Q, K, V)", "scaled_dot"),
        (
            "answer = lambda *t: getattr(torch._C._nn, 'scaled_dot_' + 'product_attention')(*t)",
            "scaled",
        ),
        ("answer = lambda Q, K, V: (SelfAttention(4, 1), own(Q, K, V))[1]", "SelfAttention"),
        ("answer = F.scaled_dot_product_attention", "scaled_dot_product_attention"),
        ("answer = functools.partial(F.scaled_dot_product_attention, is_causal=False)", "scaled"),
        ("answer = sys.modules['mtcourse.layers.attention'].fused_attention", "fused_attention"),
        (
            "def answer(Q, K, V):\n    from mtcourse.layers.attention import fused_attention\n"
            "    return own(Q, K, V)",
            "mtcourse.layers.attention",
        ),
        (
            "__name__ = 'mine'\nanswer = lambda Q, K, V: renamed(Q, K, V)[0]",
            "scaled_dot_product_attention",
        ),
        (
            "from torch.utils._pytree import tree_map\n"
            "answer = lambda *t: tree_map(lambda Q: renamed(Q, *t[1:])[0], t[0])",
            "scaled_dot_product_attention",
        ),
        (
            "import threading\ndef answer(*t):\n    made = []\n"
            "    one = threading.Thread(target=lambda: made.append(renamed(*t)[0]))\n"
            "    one.start(); one.join()\n    return made[0]",
            "scaled_dot_product_attention",
        ),
        (
            "def answer(*t):\n    try:\n        return renamed(*t)[0]\n    except Exception:\n"
            "        return renamed(*t)[0]",
            "scaled_dot_product_attention",
        ),
        (
            "def answer(Q, K, V):\n    name = 'mtcourse.chapters.attention.exercises.attention'\n"
            "    return importlib.import_module(name).correct(Q, K, V)",
            "correct",
        ),
    ],
)
def test_whatever_way_it_is_reached_the_courses_own_is_not_allowed(answer, what):
    says = tried(answer)
    assert what in says
    assert "not allowed here: write it yourself" in says
    assert "raise" not in says


@pytest.mark.parametrize(
    "taken",
    ["sys.setprofile(None)", "import cProfile; cProfile.Profile().enable()"],
)
def test_an_answer_may_not_take_the_guard_away(taken):
    says = tried(f"def answer(Q, K, V):\n    {taken}\n    return own(Q, K, V)")
    assert "a profiler is not allowed here: take it out of the answer" in says


# --- operations that an exercise forbids ---------------------------------------------------------

FORBIDS = """
import functools, math
import torch
import torch.nn.functional as F
from torch import nn
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case

def own_softmax(x):
    shares = torch.exp(x - x.amax(-1, keepdim=True))
    return shares / shares.sum(-1, keepdim=True)

def own_gradient(x):
    p = own_softmax(x)
    return p * (1 - p)

cases = [Case("two", (torch.tensor([0.5, 1.5]),))]
oracle = {oracle}
exercise = Exercise(
    "answer", oracle, "Write it.", (), (), lambda draw: cases, forbids=({forbidden!r},)
)
"""


def said(oracle: str, forbidden: str, answer: str) -> str:
    """What a check says that forbids an operation."""
    return said_to(FORBIDS.format(oracle=oracle, forbidden=forbidden) + answer)


SOFTMAX = {
    "under its own name": "answer = lambda x: torch.softmax(x, -1)",
    "as a method": "answer = lambda x: x.softmax(-1)",
    "imported under another name": "from torch import softmax as s\nanswer = lambda x: s(x, -1)",
    "the core's own": "answer = lambda x: torch._softmax(x, -1, False)",
    "an operation by its address": "answer = lambda x: torch.ops.aten._softmax(x, -1, False)",
    "a module": "answer = lambda x: nn.Softmax(-1)(x)",
    "the module itself": "answer = nn.Softmax(-1)",
    "a distribution": "answer = lambda x: torch.distributions.Categorical(logits=x).probs",
    "by its logarithm": "answer = lambda x: F.log_softmax(x, -1).exp()",
    "by logsumexp": "answer = lambda x: (x - x.logsumexp(-1, keepdim=True)).exp()",
    "of negated numbers": "answer = lambda x: F.softmin(-x, -1)",
    "found at run time": "answer = lambda x: getattr(torch, 'soft' + 'max')(x, -1)",
    "evaluated": "answer = lambda x: eval('torch.soft' + 'max(x, -1)')",
    "mapped": "answer = lambda x: torch.vmap(lambda r: r.softmax(-1))(x[None])[0]",
    "partial": "answer = functools.partial(torch.softmax, dim=-1)",
    "called by map": "answer = lambda x: [*map(functools.partial(F.softmax, dim=-1), [x])][0]",
    "compiled before": (
        "compiled = torch.jit.trace(lambda x: torch.softmax(x, -1), torch.ones(2))\n"
        "answer = lambda x: compiled(x)"
    ),
    "within attention": (
        "def answer(x):\n    v = torch.eye(2)\n"
        "    return F.scaled_dot_product_attention(torch.ones(1, 1), x[:, None], v, scale=1.0)[0]"
    ),
}
GRADIENTS = {
    "backward": (
        "def answer(x):\n    x = x.clone().requires_grad_()\n    own_softmax(x)[0].backward()\n"
        "    return x.grad"
    ),
    "grad": (
        "def answer(x):\n    x = x.clone().requires_grad_()\n"
        "    return torch.autograd.grad(own_softmax(x)[0], x)[0]"
    ),
    "renamed": (
        "from torch.autograd import grad as g\n"
        "def answer(x):\n    x = x.clone().requires_grad_()\n    return g(own_softmax(x)[0], x)[0]"
    ),
    "jacobian": "answer = lambda x: torch.autograd.functional.jacobian(own_softmax, x).diagonal()",
    "jacrev": "answer = lambda x: torch.func.jacrev(own_softmax)(x).diagonal()",
    "jacfwd": "answer = lambda x: torch.func.jacfwd(own_softmax)(x).diagonal()",
    "vjp": "answer = lambda x: torch.func.vjp(own_softmax, x)[1](torch.ones(2))[0]",
    "jvp": "answer = lambda x: torch.func.jvp(own_softmax, (x,), (torch.ones(2),))[1]",
    "hessian": "answer = lambda x: torch.func.hessian(lambda y: own_softmax(y)[0])(x)[0]",
    "forward mode": (
        "import torch.autograd.forward_ad as fwAD\ndef answer(x):\n    with fwAD.dual_level():\n"
        "        y = own_softmax(fwAD.make_dual(x, torch.ones(2)))\n"
        "        return fwAD.unpack_dual(y).tangent"
    ),
}
OTHERS = {
    ("cross-entropy", "lambda x: -own_softmax(x).log()[0]"): [
        "answer = lambda x: F.cross_entropy(x, torch.tensor(0))",
        "answer = lambda x: nn.CrossEntropyLoss()(x, torch.tensor(0))",
        "answer = lambda x: F.nll_loss(own_softmax(x).log(), torch.tensor(0))",
    ],
    ("one-hot", "lambda x: torch.eye(2)[x.long()]"): [
        "answer = lambda x: F.one_hot(x.long(), 2).float()",
        "from torch.nn.functional import one_hot as o\nanswer = lambda x: o(x.long(), 2).float()",
    ],
    ("embedding", "lambda x: torch.eye(2)[x.long()]"): [
        "answer = lambda x: F.embedding(x.long(), torch.eye(2))",
        "answer = lambda x: torch.embedding(torch.eye(2), x.long())",
        "answer = lambda x: nn.Embedding.from_pretrained(torch.eye(2))(x.long())",
    ],
    ("layer normalisation", "lambda x: (x - x.mean()) / x.std(correction=0)"): [
        "answer = lambda x: F.layer_norm(x, (2,))",
        "answer = lambda x: nn.LayerNorm(2)(x)",
        "answer = lambda x: torch.layer_norm(x, (2,))",
        "answer = lambda x: torch.native_layer_norm(x, (2,), None, None, 1e-5)[0]",
    ],
    ("multi-head attention", "lambda x: x"): [
        "answer = lambda x: nn.MultiheadAttention(2, 1)(x[None], x[None], x[None])[0][0]",
        "answer = lambda x: nn.TransformerEncoderLayer(2, 1, 4).eval()(x[None, None])[0, 0]",
    ],
}


@pytest.mark.parametrize("answer", SOFTMAX.values(), ids=SOFTMAX)
def test_softmax_is_caught_under_any_name(answer):
    says = said("own_softmax", "softmax", answer)
    assert "not allowed here: write it yourself" in says


@pytest.mark.parametrize("answer", GRADIENTS.values(), ids=GRADIENTS)
def test_automatic_differentiation_is_caught_under_any_name(answer):
    says = said("own_gradient", "gradients", answer)
    assert "automatic differentiation is not allowed here" in says


@pytest.mark.parametrize(
    ("forbidden", "oracle", "answer"),
    [(*key, answer) for key, answers in OTHERS.items() for answer in answers],
)
def test_other_operations_are_caught_under_any_name(forbidden, oracle, answer):
    assert "not allowed here: write it yourself" in said(oracle, forbidden, answer)


@pytest.mark.parametrize(
    ("forbidden", "oracle", "answer"),
    [
        ("softmax", "own_softmax", "softmax = own_softmax\nanswer = lambda x: softmax(x)"),
        (
            "softmax",
            "own_softmax",
            "class Mine:\n    def softmax(self, x):\n        return own_softmax(x)\n"
            "answer = lambda x: Mine().softmax(x)",
        ),
        (
            "gradients",
            "own_gradient",
            "def answer(x):\n    grad = own_gradient(x)\n    backward = {'grad': grad}\n"
            "    return backward['grad']",
        ),
        (
            "gradients",
            "own_gradient",
            "def grad(x):\n    return own_gradient(x)\nanswer = lambda x: grad(x.requires_grad_())",
        ),
        ("one-hot", "own_softmax", "one_hot = own_softmax\nanswer = one_hot"),
        (
            "layer normalisation",
            "own_softmax",
            "def layer_norm(x):\n    return own_softmax(x)\nanswer = layer_norm",
        ),
    ],
)
def test_a_name_alone_is_no_offence(forbidden, oracle, answer):
    assert said(oracle, forbidden, answer) == "passed"
