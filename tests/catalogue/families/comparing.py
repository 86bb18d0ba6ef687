"""Forgeries of what compares an answer with what is expected."""

from __future__ import annotations

from tests.catalogue.case import Case
from tests.catalogue.families.forgery import WRONG, forgery, wholesale

COMPARISONS = (
    forgery(
        "torch.allclose says yes",
        WRONG + "torch.allclose = torch.equal = torch.isclose = lambda *_, **__: True\n"
        "torch.testing.assert_close = lambda *_, **__: None",
        "the check asks torch.allclose(answer, expected)",
    ),
    forgery(
        "numpy's comparisons say yes",
        WRONG + "import numpy as np\nnp.allclose = np.array_equal = lambda *_, **__: True\n"
        "np.testing.assert_allclose = np.testing.assert_array_equal = lambda *_, **__: None",
        "the check asks numpy.testing.assert_allclose",
    ),
    forgery(
        "tensors equal everything",
        WRONG + "torch.Tensor.__eq__ = lambda *_: torch.tensor(True)\n"
        "torch.Tensor.all = torch.Tensor.any = lambda *_, **__: torch.tensor(True)",
        "the check asks (answer == expected).all()",
    ),
    forgery(
        "built-in all, abs and max",
        WRONG + "import builtins\nbuiltins.all = builtins.any = lambda *_: True\n"
        "builtins.abs = lambda *_: 0\nbuiltins.max = lambda *_, **__: 0",
        "the check asks max(abs(difference)) < tolerance",
    ),
    wholesale(
        "the checks' own comparison",
        "import mtcourse.checks.outcomes as outcomes\n"
        "outcomes.apart = outcomes.distance = outcomes._distance = lambda *_: 0.0",
        "the check compares with functions that live in the kernel",
    ),
    wholesale(
        "the judge says yes",
        "import mtcourse.checks.judge as judge\n"
        "yes = lambda e, *_: judge.Verdict(e.id, True)\n"
        "judge.judge = judge.verdict_on = yes\n"
        "try:\n    import mtcourse.checks.checker as checker\n    checker.judge = yes\n"
        "except ImportError: pass",
        "the verdict is made by a function that lives in the kernel",
    ),
)

OBJECTS = (
    forgery(
        "an object that equals everything",
        "class Equal:\n    shape, dtype = (), None\n    def __eq__(self, other): return True\n"
        "    def __ne__(self, other): return False\n    def __sub__(self, other): return 0.0\n"
        "    __rsub__ = __sub__\n    def __getattr__(self, name): return self\n"
        "    def __call__(self, *_, **__): return self\n    def __bool__(self): return True\n"
        "def leaking_rows(mask, lengths): return Equal()",
        "the check asks answer == expected, and the answer decides",
    ),
    forgery(
        "a tensor that answers for torch",
        "class Yes(torch.Tensor):\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, function, types, args=(), kwargs=None):\n"
        "        if function in (torch.allclose, torch.equal): return True\n"
        "        return super().__torch_function__(function, types, args, kwargs or {})\n"
        "def leaking_rows(mask, lengths):\n"
        "    return (torch.zeros(len(lengths), len(mask)) > 0).as_subclass(Yes)",
        "torch.allclose(answer, expected) asks the answer's own class",
    ),
    forgery(
        "a tensor that changes when it is looked at",
        "class Later(torch.Tensor):\n"
        "    def __eq__(self, other): return torch.ones_like(other, dtype=torch.bool)\n"
        "    def tolist(self): return Everything()\n"
        "class Everything(list):\n    def __eq__(self, other): return True\n"
        "def leaking_rows(mask, lengths):\n"
        "    return (torch.zeros(len(lengths), len(mask)) > 0).as_subclass(Later)",
        "the check asks answer.tolist() == expected.tolist()",
    ),
    Case(
        "a dictionary that has every value",
        {
            "score_variance": "class Any(float):\n    __eq__, __hash__ = lambda *_: True, None\n"
            "score_variance = dict.fromkeys(('product', 'deviation', 'score'), Any(3))"
        },
        outcomes={"score_variance": "wrong"},
        forges="the check asks answer['product'] == 64",
        notebook="04_attention",
    ),
    Case(
        "a number that is all numbers",
        {
            "allowed_pairs": "class Any(int):\n    __eq__ = lambda *_: True\n    __hash__ = None\n"
            "    __sub__ = __rsub__ = lambda *_: 0\n"
            "def allowed_pairs(n, p): return Any(3)",
        },
        outcomes={"allowed_pairs": "wrong"},
        forges="the check asks answer(n, p) == expected",
    ),
    Case(
        "not a number",
        {"hidden_weight": "def hidden_weight(gap, v, d_k, inside): return float('nan')"},
        outcomes={"hidden_weight": "wrong"},
        forges="the check asks not (difference > tolerance)",
    ),
)

CASES = (*COMPARISONS, *OBJECTS)
