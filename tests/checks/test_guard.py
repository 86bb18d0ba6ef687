"""While an answer is tried it may call neither the course's own functions nor what is forbidden."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAD = """
import functools, importlib, math, sys
import torch
import torch.nn.functional as F
from mtcourse.chapters.attention.exercises import EXERCISES
from mtcourse.checks.judge import judge
from mtcourse.layers import attention as theirs
from mtcourse.layers.attention import scaled_dot_product_attention as renamed
from mtcourse.layers.multi_head import SelfAttention
given = SelfAttention(4, 1)
exercise = next(one for one in EXERCISES if one.id == "attention")

def own(Q, K, V):
    return torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), -1) @ V
"""
TAIL = """
verdict = judge(exercise, answer)
print("passed" if verdict.passed else verdict.wrong)
sys.exit(bool(sys.getprofile()))
"""


def tried(answer: str) -> str:
    """What a check says to an answer in a notebook, which is the module __main__."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + answer + TAIL], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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
    assert tried(answer) == "passed\n"


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
