"""Honest notebooks with the habits of people: each keeps all of its points.

A case holds several habits that do not disturb each other, as a rule one in each answer: the
exercise that loses its points says which of them did.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from tests.catalogue.case import Case
from tests.catalogue.returned import (
    add_cell,
    answer_cell,
    as_bytes,
    cell_with_id,
    check_cell,
    completed,
    right_answers,
    told,
)

# --- one way to write, for every function of a notebook ------------------------------------------


def functions_of(notebook: str) -> Mapping[str, str]:
    """The right answers that are functions."""
    answers = right_answers(notebook).items()
    return {name: code for name, code in answers if re.search(rf"^def {name}\(", code, re.M)}


def everywhere(
    name: str, notebook: str, written: Callable[[str, str], str], added: str = "", **others: Any
) -> Case:
    """A notebook all of whose functions are written in the same way."""
    answers = {one: written(one, code) for one, code in functions_of(notebook).items()}
    return Case(name, answers, added, notebook=notebook, **others)


def decorated(name: str, code: str) -> str:
    return re.sub(rf"^def {name}\(", f"@timed\ndef {name}(", code, flags=re.M)


def in_a_class(name: str, code: str) -> str:
    """A static method of a class, and an alias."""
    inside = textwrap.indent(code, "    ")
    inside = re.sub(
        rf"^    def {name}\(", f"    @staticmethod\n    def {name}(", inside, flags=re.M
    )
    return f"class Answer_{name}:\n{inside}\n\n{name} = Answer_{name}.{name}"


def made_by_a_function(name: str, code: str) -> str:
    inside = textwrap.indent(code, "    ")
    return f"def make_{name}():\n{inside}\n    return {name}\n\n{name} = (\n    make_{name}()\n)"


def with_tests(name: str, code: str) -> str:
    """Tests of one's own that fail or print, below the answer."""
    return (
        f"{code}\n\ndef test_{name}():\n"
        f"    assert callable({name}), f'{{{name}!r}} is no function'\n"
        f"    print(f'{{{name}.__name__ = }}', '✓')\n\n"
        f"if __name__ == '__main__':\n    test_{name}()\n    try:\n        {name}()\n"
        "    except TypeError as error:\n        print('as it should be:', error)"
    )


def loud(name: str, code: str) -> str:
    """Prints of what goes in and what comes out, in a wrapper of the same name."""
    return (
        f"{code}\n\n_{name} = {name}\n\ndef {name}(*given, **named):\n"
        "    print('given', *(getattr(one, 'shape', one) for one in given))\n"
        f"    result = _{name}(*given, **named)\n    print(result); return result"
    )


def timed_cell(name: str, code: str) -> str:
    return f"%%time\n{code}"


def captured(name: str, code: str) -> str:
    return f"%%capture output_of_{name}\n{code}\nprint('done')"


def with_tabs(name: str, code: str) -> str:
    return re.sub(r"^( {4})+", lambda m: "\t" * (len(m[0]) // 4), code, flags=re.M)


def without_hints(name: str, code: str) -> str:
    """As in the twentieth century: no hints, no docstring, comments instead."""
    return re.sub(r'^ +"""[^"]*"""\n', "", code, flags=re.M) + "\n# fertig! 🎉  TODO: aufräumen\n"


def with_magics_around(name: str, code: str) -> str:
    return (
        f"%matplotlib inline\n{code}\nif True:\n    %who_ls\nfiles = !ls\n"
        f"%timeit -n 1 -r 1 str({name})\n{name}?\n!echo {name} {{len(files)}}"
    )


def async_beside(name: str, code: str) -> str:
    return (
        f"import asyncio\n{code}\n\nasync def later():\n    await asyncio.sleep(0)\n"
        f"    return {name}\n\nassert (await later()) is {name}"
    )


TIMED = """
import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given, Made = ParamSpec("Given"), TypeVar("Made")
seconds: dict[str, list[float]] = {}

def timed(function: Callable[Given, Made]) -> Callable[Given, Made]:
    @functools.wraps(function)
    def inner(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            seconds.setdefault(function.__name__, []).append(time.perf_counter() - start)
    return inner
"""

EVERYWHERE = (
    everywhere("a decorator that measures time", "01_problem_setup", decorated, TIMED),
    everywhere("a decorator that measures time", "11_worked_example", decorated, TIMED),
    everywhere("functions in classes", "02_embeddings", in_a_class),
    everywhere("functions in classes", "14_kv_cache", in_a_class),
    everywhere("functions made by functions", "03_positions", made_by_a_function),
    everywhere("functions made by functions", "10_blocks", made_by_a_function),
    everywhere("tests below each answer", "06_cross_attention", with_tests),
    everywhere("tests below each answer", "14_kv_cache", with_tests),
    everywhere("wrappers that print", "07_framework_model", loud),
    everywhere("wrappers that print", "19_sampling", loud),
    everywhere("%%time in each answer", "09_multi_head", timed_cell),
    everywhere("%%capture in each answer", "04_attention", captured),
    everywhere("tabs", "11_worked_example", with_tabs),
    everywhere("tabs", "16_fine_tuning", with_tabs),
    everywhere("no hints, no docstrings", "02_embeddings", without_hints),
    everywhere("no hints, no docstrings", "08_loss", without_hints),
    everywhere("magics around each answer", "05_masks", with_magics_around),
    everywhere("magics around each answer", "17_seq2seq", with_magics_around),
    everywhere("coroutines beside each answer", "20_capstone", async_beside),
    everywhere("%%time in each answer", "05_masks", timed_cell),
)

# --- answers in other words ----------------------------------------------------------------------

WORDS = (
    Case(
        "recursion, match, walrus, generators, star arguments",
        {
            "cut": "def cut(word, joins):\n"
            "    def merged(pieces, first, *rest):\n"
            "        match pieces:\n"
            "            case [one, other, *more] if (one, other) == first:\n"
            "                return [one + other, *merged(more, first)]\n"
            "            case [one, *more]:\n"
            "                return [one, *merged(more, first)]\n"
            "            case _:\n"
            "                return []\n"
            "    def all_of(pieces, joins):\n"
            "        if not joins: return pieces\n"
            "        return all_of(merged(pieces, tuple(joins[0])), joins[1:])\n"
            "    return all_of(list(word), joins)",
            "paired_lines": "def paired_lines(sources, targets):\n"
            "    if (n := len(sources)) != (m := len(targets)):\n"
            "        return [], max(n, m)\n"
            "    def rows():\n"
            "        for pair in zip(sources, targets):\n"
            "            stripped = tuple(map(str.strip, pair))\n"
            "            if all(stripped): yield stripped\n"
            "    kept = [*rows()]\n"
            "    return kept, n - len(kept)",
            "one_hot": "def one_hot(ids, V):\n"
            "    table = torch.eye(V); table[0] = 0\n"
            "    return table[ids].mT",
            "expected_padding": "def expected_padding(p, c, B):\n"
            "    long, short = f'{c}', 1\n"
            "    widest = float(long) * (1 - (1 - p) ** B) + short * (1 - p) ** B\n"
            "    return 1 - (p * c + (1 - p)) / widest",
        },
        notebook="01_problem_setup",
    ),
    Case(
        "einsum, loops, numpy, try and except, constants of one's own",
        {
            "embed_one_hot": "def embed_one_hot(X, W_E):\n"
            "    return torch.einsum('...vn,vd->...nd', X, W_E)",
            "embed": "def embed(ids, embedding):\n    return embedding.index_select(0, "
            "ids.reshape(-1)).reshape(*ids.shape, -1)",
            "table_gradient": "def table_gradient(ids, H_bar, V):\n"
            "    grad = H_bar.new_zeros(V, H_bar.shape[-1])\n"
            "    for i, row in zip(ids.flatten().tolist(), H_bar.reshape(-1, H_bar.shape[-1])):\n"
            "        grad[i] += row\n    return grad",
            "tied_parameters": "V_NL, V_EN, V_BOTH, D = 10_000, 8_000, 15_000, 512\n"
            "tied_parameters = dict(three=(V_NL + V_EN + V_EN) * D, two=(V_NL + V_EN) * D,\n"
            "    one=V_BOTH * D, source_rows=7, target_rows=6, output_rows=V_EN, tied_rows=V_EN)",
            "nearest_rows": "import numpy as np\ndef nearest_rows(table, token, k):\n"
            "    rows = table.numpy()\n"
            "    norm = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)\n"
            "    cos = (rows / norm) @ (rows[token] / norm[token]); cos[token] = -np.inf\n"
            "    return torch.from_numpy(np.argsort(-cos, kind='stable')[:k].copy())",
            "which_transcription": "def which_transcription(transcriptions, sentences):\n"
            "    result = {}\n"
            "    for name, letter in transcriptions.items():\n"
            "        result[name] = None\n"
            "        for i, words in enumerate(sentences, start=1):\n"
            "            try:\n"
            "                read = [words[(i if letter == 'i' else j + 1) - 1]\n"
            "                        for j in range(len(words))]\n"
            "                assert read == words\n"
            "            except (IndexError, AssertionError):\n"
            "                result[name] = i\n"
            "                break\n"
            "    return result",
        },
        notebook="02_embeddings",
    ),
    Case(
        "numpy for the numbers, a cache, unicode names, defaultdict",
        {
            "sinusoidal_positions": "import numpy as np\n"
            "def sinusoidal_positions(length, d_model):\n"
            "    ω = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)\n"
            "    θ = np.arange(length)[:, None] * ω[None]\n"
            "    table = np.zeros((length, d_model), dtype=np.float32)\n"
            "    table[:, ::2], table[:, 1::2] = np.sin(θ), np.cos(θ)\n"
            "    return torch.as_tensor(table)",
            "shift_rotation": "import functools\n@functools.lru_cache(maxsize=None)\n"
            "def block(k, i, d_model):\n"
            "    φ = k / 10_000 ** (2 * i / d_model)\n"
            "    return torch.tensor([[math.cos(φ), -math.sin(φ)], [math.sin(φ), math.cos(φ)]])\n"
            "shift_rotation = lambda k, d_model: torch.block_diag(\n"
            "    *(block(k, i, d_model) for i in range(d_model // 2)))",
            "most_right": "from collections import Counter, defaultdict\n"
            "def most_right(sources, targets):\n"
            "    bags = defaultdict(Counter)\n"
            "    for s, t in zip(sources, targets):\n"
            "        bags[frozenset(Counter(s.split()).items())][t] += 1\n"
            "    return sum(c.most_common(1)[0][1] for c in bags.values()) / len(sources)",
        },
        notebook="03_positions",
    ),
    Case(
        "modules of one's own, helpers with the names of what is forbidden",
        {
            "scaled_scores": "import torch as t\ndef scaled_scores(Q, K):\n"
            "    return t.einsum('...md,...nd->...mn', Q, K) / K.size(-1) ** 0.5",
            "row_softmax": "def row_softmax(scores):\n    return softmax(scores)",
            "attention": "class Attention(torch.nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n"
            "        self.softmax = Softmax()\n"
            "    def forward(self, Q, K, V):\n"
            "        return self.softmax(scaled_scores(Q, K)) @ V\n"
            "attention = Attention()",
            "softmax_jacobian": "def softmax_jacobian(p):\n"
            "    grad = -p.unsqueeze(-1) * p.unsqueeze(-2)\n"
            "    grad.diagonal(dim1=-2, dim2=-1).add_(p)\n    return grad",
            "self_attention": "def self_attention(X, W_Q, W_K, W_V):\n"
            "    '''With the function from above.'''\n"
            "    return attention(X @ W_Q, X @ W_K, X @ W_V)",
        },
        added="def softmax(x, dim=-1):\n    e = torch.exp(x - x.amax(dim, keepdim=True))\n"
        "    return e / e.sum(dim, keepdim=True)\n\n"
        "class Softmax(torch.nn.Module):\n    def forward(self, x): return softmax(x)\n",
        notebook="04_attention",
    ),
    Case(
        "loops over batches, dataclasses, nested functions, dictionaries comprehended",
        {
            "cross_attention": "from dataclasses import dataclass\n\n@dataclass(frozen=True)\n"
            "class Heads:\n    Q: Tensor\n    K: Tensor\n    V: Tensor\n\n"
            "    @property\n    def scores(self) -> Tensor:\n"
            "        return self.Q @ self.K.transpose(-1, -2) / math.sqrt(self.K.shape[-1])\n\n"
            "def cross_attention(X, H_E, W_Q, W_K, W_V, real):\n"
            "    heads = Heads(X @ W_Q, H_E @ W_K, H_E @ W_V)\n"
            "    hidden = torch.zeros(real.shape).masked_fill(~real, float('-inf'))\n"
            "    return (heads.scores + hidden.to(X.dtype).unsqueeze(-2)).softmax(-1) @ heads.V",
            "alignment_error_rate": "from fractions import Fraction\n"
            "def alignment_error_rate(found, sure, possible):\n"
            "    def both(a, b): return int((a & b).sum())\n"
            "    hits = both(found, sure) + both(found, possible)\n"
            "    return float(1 - Fraction(hits, int(found.sum()) + int(sure.sum())))",
            "value_gradient": "def value_gradient(alpha, G):\n"
            "    return torch.einsum('...mn,...mv->...nv', alpha, G)",
            "word_alignment": "def word_alignment(weights, target_words, source_words):\n"
            "    rows, columns = int(target_words.max()) + 1, int(source_words.max()) + 1\n"
            "    total = [[0.0] * columns for _ in range(rows)]\n"
            "    for i, r in enumerate(target_words.tolist()):\n"
            "        for j, c in enumerate(source_words.tolist()):\n"
            "            if r >= 0 and c >= 0: total[r][c] += weights[i, j].item()\n"
            "    return torch.tensor(total).argmax(-1)",
        },
        notebook="06_cross_attention",
    ),
    Case(
        "functional, roll, Counter, iterators",
        {
            "feed_forward": "import torch.nn.functional as F\n"
            "def feed_forward(A, W_1, W_2):\n"
            "    return F.linear(F.relu(F.linear(A, W_1.mT)), W_2.mT)",
            "decoder_input": "def decoder_input(labels, bos, pad):\n"
            "    moved = labels.roll(1, dims=-1)\n    moved[:, 0] = bos\n"
            "    return torch.where(labels.eq(pad), torch.full_like(labels, pad), moved)",
            "same_prediction": "from collections import Counter\nfrom fractions import Fraction\n"
            "def same_prediction(beginning, other):\n"
            "    def shares(words):\n"
            "        return {w: Fraction(c, len(words)) for w, c in Counter(words).items()}\n"
            "    return beginning[-1] == other[-1] and shares(beginning) == shares(other)",
            "write": "import itertools\ndef write(model, bos, eos, most):\n"
            "    def steps():\n"
            "        read = [bos]\n"
            "        while True:\n"
            "            read.append(int(logits_of(model, read)[-1].argmax()))\n"
            "            yield read[-1]\n"
            "    some = itertools.islice(steps(), most)\n"
            "    return [*itertools.takewhile(lambda w: w != eos, some)]",
        },
        notebook="07_framework_model",
    ),
    Case(
        "names of what is forbidden: grad, backward, cross_entropy",
        {
            "token_losses": "def cross_entropy(logits, labels):\n"
            "    shifted = logits - logits.logsumexp(-1, keepdim=True)\n"
            "    return -shifted.gather(-1, labels.unsqueeze(-1)).squeeze(-1)\n"
            "def token_losses(logits, labels):\n"
            "    return torch.where(labels > 0, cross_entropy(logits, labels), 0.0)",
            "logit_gradient": "class Node:\n"
            "    def __init__(self, data): self.data, self.grad = data, None\n"
            "    def backward(self, labels):\n"
            "        self.grad = self.data.softmax(-1)\n"
            "        self.grad = self.grad - F.one_hot(labels, self.data.shape[-1])\n"
            "        self.grad = self.grad * (labels != 0).unsqueeze(-1) / (labels != 0).sum()\n"
            "def logit_gradient(logits, labels):\n"
            "    node = Node(logits)\n    node.backward(labels)\n    return node.grad",
            "four_losses": "def four_losses(losses, labels):\n"
            "    real = (labels != 0).float()\n    kept = torch.where(labels != 0, losses, 0.0)\n"
            "    by = dict(sum=kept.sum(), sentences=kept.sum() / len(losses),\n"
            "              tokens=kept.sum() / real.sum())\n"
            "    each = [a.sum() / b.sum() for a, b in zip(kept, real)]\n"
            "    return by | {'each': torch.stack(each).mean()}",
        },
        notebook="08_loss",
    ),
    Case(
        "what is forbidden, in tests of one's own beside the answer",
        {
            "token_losses": right_answers("08_loss")["token_losses"]
            + "\nx, y = torch.randn(2, 3, 5), torch.randint(0, 5, (2, 3))\n"
            "theirs = F.cross_entropy(x.mT, y, reduction='none', ignore_index=0)\n"
            "assert torch.allclose(token_losses(x, y), theirs, atol=1e-5)",
            "logit_gradient": "def by_autograd(logits, labels):\n"
            "    logits = logits.clone().requires_grad_()\n"
            "    torch.nn.CrossEntropyLoss(ignore_index=0)(logits.mT, labels).backward()\n"
            "    return logits.grad\n\n"
            + right_answers("08_loss")["logit_gradient"]
            + "\nx, y = torch.randn(2, 3, 5), torch.randint(0, 5, (2, 3))\n"
            "print('difference', (by_autograd(x, y) - logit_gradient(x, y)).abs().max())",
        },
        notebook="08_loss",
    ),
    Case(
        "a package that may be missing, partial, views",
        {
            "split_heads": "try:\n    from einops import rearrange\nexcept ImportError:\n"
            "    rearrange = None\n"
            "def split_heads(x, h):\n"
            "    if rearrange: return rearrange(x, '... n (h d) -> ... h n d', h=h)\n"
            "    *front, n, d = x.shape\n"
            "    return x.reshape(*front, n, h, d // h).movedim(-2, -3)",
            "full_width_heads": "from functools import partial, reduce\n"
            "def one(X, q, k, v):\n"
            "    return ((X @ q) @ (X @ k).mT / X.shape[-1] ** .5).softmax(-1) @ X @ v\n"
            "def full_width_heads(X, W_Q, W_K, W_V, W_O):\n"
            "    heads = [*map(partial(one, X), W_Q, W_K, W_V)]\n"
            "    return reduce(lambda a, b: torch.cat((a, b), -1), heads) @ W_O",
            "cost": "from operator import mul\ndef cost(n, d, h):\n"
            "    sizes = {'A': d, 'B': d // h}\n"
            '    table = {f"{key}\'s parameters": mul(4 * h * d, s) for key, s in sizes.items()}\n'
            "    for key, s in sizes.items():\n"
            '        table[f"{key}\'s FLOPs"] = h * (8 * n * d * s + 4 * n * n * s)\n'
            "    return {**table, 'attention weights': h * n ** 2}",
        },
        notebook="09_multi_head",
    ),
    Case(
        "a layer of one's own, compared with torch's",
        {
            "layer_norm": "import torch.nn.functional as F\n\nclass LayerNorm(nn.Module):\n"
            "    def __init__(self, gain, bias, eps):\n"
            "        super().__init__()\n"
            "        self.gain, self.bias, self.eps = gain, bias, eps\n"
            "    def forward(self, x):\n"
            "        mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, correction=0)\n"
            "        return (x - mean) * torch.rsqrt(var + self.eps) * self.gain + self.bias\n\n"
            "def layer_norm(x, gain, bias, epsilon=1e-5):\n"
            "    return LayerNorm(gain, bias, epsilon)(x)\n\n"
            "x = torch.randn(3, 8)\n"
            "ours = layer_norm(x, torch.ones(8), torch.zeros(8))\n"
            "torch.testing.assert_close(ours, F.layer_norm(x, (8,)))\n"
            "torch.testing.assert_close(ours, nn.LayerNorm(8)(x))",
            "position_wise_network": "def position_wise_network(x, W_1, b_1, W_2, b_2):\n"
            "    return torch.addmm(b_2, (x @ W_1 + b_1).clamp(min=0).flatten(0, -2), W_2)"
            ".unflatten(0, x.shape[:-1])",
        },
        notebook="10_blocks",
    ),
    Case(
        "a heap, namedtuple, enumerations, memory of calls",
        {
            "best_of_all": "from functools import lru_cache\n"
            "def best_of_all(log_p, longest):\n"
            "    rows = log_p.tolist()\n"
            "    @lru_cache(None)\n"
            "    def best(last, left):\n"
            "        ends = (rows[last][0], (0,))\n"
            "        if left <= 1: return ends\n"
            "        more = (best(k, left - 1) for k in range(1, len(rows)))\n"
            "        longer = ((rows[last][k] + v, (k, *ids))\n"
            "                  for k, (v, ids) in enumerate(more, 1))\n"
            "        return max([ends, *longer], key=lambda pair: pair[0])\n"
            "    value, ids = best(0, longest)\n"
            "    return list(ids), value",
            "length_scores": "from typing import NamedTuple\n\nclass Scores(NamedTuple):\n"
            "    power: Tensor\n    wu: Tensor\n    reward: Tensor\n\n"
            "def length_scores(log_p, length, amount):\n"
            "    penalty = torch.pow((5 + length) / 6, amount)\n"
            "    return Scores(log_p / length ** amount, log_p / penalty, log_p + amount * length)",
            "scored_tokens": "from enum import StrEnum\n\nclass Key(StrEnum):\n"
            "    ALL = 'all sequences'; GREEDY = 'greedy'; BEAM = 'beam'\n"
            "    KEYS = 'keys, greedy'; KEYS_BEAM = 'keys, beam'\n\n"
            "def scored_tokens(B, K, N):\n"
            "    keys = sum(range(N + 1))\n"
            "    return {Key.ALL: K**N, Key.GREEDY: K * N, Key.BEAM: K + K * B * (N - 1),\n"
            "            Key.KEYS: keys, Key.KEYS_BEAM: 1 + B * (keys - 1)}",
        },
        notebook="18_search",
    ),
)

# --- cells around the answers --------------------------------------------------------------------

A5 = right_answers("05_masks")
OWN_TESTS = """
def test():
    for m in range(1, 6):
        assert torch.equal(causal_mask(m), masks.causal_mask(m)), f"{m = }"

test()
right = masks.causal_mask(4)
assert (causal_mask(4) == right).all()
differences = {m: int((causal_mask(m) != masks.causal_mask(m)).sum()) for m in range(3)}
"""


def given_imports(notebook: str) -> str:
    return "".join(cell_with_id(completed(notebook, {}), "imports")["source"])


MAGICS = (
    "%load_ext autoreload",
    "%autoreload 2",
    "%config InlineBackend.figure_format = 'retina'",
    "%env SEED=7",
    "%xmode Minimal",
    "%alias_magic t timeit",
    "%precision 4",
    "%pprint",
    "%autocall 1",
    "%load_ext not_there",
)

CELLS = (
    Case(
        "the course's own functions, in tests of one's own",
        {"causal_mask": A5["causal_mask"] + OWN_TESTS},
        added="from mtcourse.layers.masks import *\nfrom mtcourse.layers import masks as theirs\n"
        "print(theirs.causal_mask(3))\ntheirs.causal_mask??",
    ),
    Case(
        "all given imports once more in an answer, and the check",
        {
            "causal_mask": given_imports("05_masks") + "\n\n" + A5["causal_mask"],
            "padding_mask": "from mtcourse.chapters.masks.exercises import check\n"
            + A5["padding_mask"]
            + "\ncheck('padding_mask', padding_mask)\nassert not check.passes('x', None) or True",
            "masked_weights": "from mtcourse.checks.masks import check as again\n"
            + A5["masked_weights"],
        },
    ),
    Case(
        "a file of helpers, written by a cell, imported and run",
        {
            "causal_mask": "from helpers import lower\nimport helpers\n"
            "def causal_mask(m):\n    return lower(helpers.torch.ones(m, m)) > 0",
            "padding_mask": "%run more.py\ndef padding_mask(ids, pad):\n    return real(ids, pad)",
        },
        added="%%writefile helpers.py\nimport torch\n\ndef lower(x):\n    return x.tril()\n",
        saved=lambda notebook: (
            add_cell(
                notebook,
                "%%file more.py\ndef real(ids, pad):\n    return (ids != pad)[:, None, None, :]",
                before=answer_cell(notebook, "causal_mask"),
            )
            and None
        ),
    ),
    Case(
        "names of Python and of the grader used for something else",
        added="globals = {}\nlocals = vars = dir = type = getattr = isinstance = repr = str = 1\n"
        "names = cases = exercise = attempt = show_attempt = display = get_ipython = 2\n"
        "json = torch_ = IPython = mtcourse = print = open = eval = exec = __import__ = 3",
        repaired="the given cell causal-mask-alive did not end well",
    ),
    Case(
        "torch's settings changed for the whole notebook",
        added="torch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\n"
        "torch.autograd.set_detect_anomaly(True)\ntorch.set_float32_matmul_precision('high')\n"
        "import numpy as np, random, sys\nnp.seterr(all='ignore'); np.random.seed(0)\n"
        "sys.setrecursionlimit(10_000); sys.set_int_max_str_digits(0)",
    ),
    Case(
        "autoreload, configuration, environment, aliases of magics",
        {"causal_mask": "%autoreload 2\n" + A5["causal_mask"]},
        added="\n".join(MAGICS),
    ),
    Case(
        "shell lines, other languages, HTML",
        added="%%bash\nls -la\nfor i in 1 2; do echo $$i; done",
        saved=lambda notebook: (
            [
                add_cell(notebook, source, before=answer_cell(notebook, "padding_mask"))
                for source in (
                    "%%html\n<b>notes</b>",
                    "%%latex\n$$a$$",
                    "%%sh\ntrue",
                    "%%javascript\nconsole.log(1)",
                    "%%python3\nprint(1)",
                    "!pip --version\n%conda list\n%%time is no magic here",
                    "?print\nhelp(len)",
                    "%debug\n%tb",
                    "",
                    "# only a comment",
                )
            ]
            and None
        ),
    ),
    Case(
        "plots, tables, widgets, progress",
        added="fig, ax = plt.subplots(1, 2, figsize=(4, 2))\n"
        "ax[0].imshow(torch.eye(3)); ax[1].plot([1, 2]); fig.savefig('figure.png')\nplt.close()\n"
        "import pandas as pd\npd.DataFrame({'a': [1, 2]}).plot()\n"
        "from tqdm.auto import tqdm\nfor i in tqdm(range(3)): pass\n"
        "import ipywidgets\n",
    ),
    Case(
        "unittest, doctest, a debugger left behind",
        {
            "allowed_pairs": "def allowed_pairs(n, p):\n"
            '    """Counts.\n\n    >>> allowed_pairs(3, 0)\n    6\n    """\n'
            "    return sum(min(i + 1, n - p) for i in range(n))\n"
            "import doctest\ndoctest.testmod()\ndoctest.run_docstring_examples(allowed_pairs, {})",
            "causal_mask": A5["causal_mask"] + "\n\nimport unittest\n"
            "class Tests(unittest.TestCase):\n"
            "    def test_shape(self): self.assertEqual(causal_mask(3).shape, (3, 3))\n"
            "unittest.main(argv=['x'], exit=False)",
        },
        added="%pdb on\nDEBUG = False\nif DEBUG: breakpoint()",
    ),
    Case(
        "compiled, scripted, mapped, without gradients where none are asked for",
        {
            "causal_mask": "@torch.compile\n" + A5["causal_mask"],
            "padding_mask": "@torch.no_grad()\n" + A5["padding_mask"],
            "leaking_rows": "@torch.jit.script\n"
            + A5["leaking_rows"].replace("Tensor", "torch.Tensor"),
            "decoder_mask": "def decoder_mask(ids, pad):\n"
            "    one = lambda row: causal_mask(len(row)) & (row != pad)\n"
            "    return torch.vmap(one)(ids)[:, None]",
            "hidden_weight": "@torch.inference_mode()\n" + A5["hidden_weight"],
        },
    ),
    Case(
        "stars from torch, numpy and math",
        {"hidden_weight": A5["hidden_weight"].replace("math.sqrt", "sqrt")},
        added="from numpy import *\nfrom torch import *\nfrom math import *\nfrom typing import *",
    ),
    Case(
        "everything in one added cell, and its names in the answers",
        {name: f"{name} = my_{name}" for name in functions_of("05_masks")},
        added="\n\n".join(
            code.replace(f"def {name}(", f"def my_{name}(")
            for name, code in functions_of("05_masks").items()
        ),
    ),
    Case(
        "everything in one file",
        {name: f"from answers import {name}" for name in functions_of("04_attention")},
        added="%%writefile answers.py\nimport math\nimport torch\nfrom torch import Tensor\n\n"
        + "\n\n".join(functions_of("04_attention").values()),
        notebook="04_attention",
    ),
    Case(
        "defined wrongly at first, and rightly in a later cell",
        {
            "causal_mask": "def causal_mask(m):\n    return masks.causal_mask(m)  # cheating\n"
            "def causal_mask(m):\n    return torch.ones(m, m).triu() > 0\n" + A5["causal_mask"],
            "padding_mask": "TABLE = masks.causal_mask(3)\nTABLE = (1, 2)\n"
            "def padding_mask(ids, pad):\n    TABLE\n    return (ids != pad)[:, None, None]",
        },
        saved=lambda notebook: (
            add_cell(
                notebook,
                A5["masked_weights"],
                before=check_cell(notebook, "masked_weights"),
            )
            and None
        ),
    ),
)

# --- how it is saved -----------------------------------------------------------------------------


def colab_with_forms(notebook: dict[str, Any]) -> None:
    """Forms, a GPU, an id in each cell's metadata, saved as version 4.0."""
    notebook.update(nbformat_minor=0)
    notebook["metadata"] = {
        "accelerator": "GPU",
        "colab": {"gpuType": "T4", "provenance": [{"file_id": "1x"}], "include_colab_link": True},
        "kernelspec": {"display_name": "Python 3", "name": "python3"},
    }
    for number, cell in enumerate(notebook["cells"]):
        del cell["id"]
        cell["metadata"] |= {"id": f"aB{number}", "cellView": "form"}
    drive = (
        "# @title Mount { display-mode: 'form' }\nfrom google.colab import drive\n"
        "drive.mount('/content')"
    )
    add_cell(notebook, drive, before=notebook["cells"][1])
    add_cell(notebook, "seed = 7 # @param {type: 'integer'}\n!nvidia-smi\n%cd /content")


def minor(number: int) -> Callable[[dict[str, Any]], None]:
    """Saved as version 4.number, with ids only from 4.5 on."""

    def saved(notebook: dict[str, Any]) -> None:
        notebook.update(nbformat_minor=number)
        for place, cell in enumerate(notebook["cells"]):
            if number < 5:
                del cell["id"]
            if number % 2:  # sources as lists of lines
                cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
            if cell["cell_type"] == "code":
                cell.update(execution_count=place, outputs=[])

    return saved


def vs_code(notebook: dict[str, Any]) -> None:
    """Every cell has a new id; the language and the interpreter stand in the metadata."""
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"{number:08x}"
        cell["metadata"] |= {"vscode": {"languageId": "python"}}
    notebook["metadata"] = {
        "kernelspec": {"display_name": ".venv (3.12.3)", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "version": "3.12.3"},
    }
    add_cell(notebook, "# %% a cell of a script\n#!%time\nx = 1", before=notebook["cells"][3])


def thirty_megabytes(notebook: dict[str, Any]) -> None:
    """Pictures in outputs and pasted into notes, and the state of widgets."""
    picture = "iVBORw0KGgo" + "A\\/x" * 750_000
    for cell in notebook["cells"]:
        if told(cell).get("role") == "check":
            data = {"image/png": picture, "text/html": '<a href="x">{[</a>' * 9}
            cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]
    notebook["cells"].insert(
        1,
        {
            "cell_type": "markdown",
            "id": "notes",
            "metadata": {},
            "attachments": {"image.png": {"image/png": picture}},
            "source": '![image.png](attachment:image.png) "outputs": [ {',
        },
    )
    notebook["metadata"]["widgets"] = {"state": {"a": {"value": picture}}}
    assert len(as_bytes(notebook)) > 30_000_000


def in_blocks(notebook: dict[str, Any]) -> None:
    """The exercises in another order, each with its question, and notes between them."""
    blocks: dict[str, list[dict[str, Any]]] = {}
    for cell in notebook["cells"]:
        blocks.setdefault(told(cell).get("for") or told(cell).get("id", ""), []).append(cell)
    first, *rest = blocks.values()
    notes = {"cell_type": "markdown", "id": "n", "metadata": {}, "source": "# Notes\n\n$$x$$"}
    notebook["cells"] = [*first, notes, *(cell for block in reversed(rest) for cell in block)]


def all_twice(notebook: dict[str, Any]) -> None:
    """All cells copied below themselves, with ids of their own."""
    twice = [{**cell, "id": f"copy-{i}"} for i, cell in enumerate(notebook["cells"])]
    notebook["cells"] = [
        cell for pair in zip(notebook["cells"], twice, strict=True) for cell in pair
    ]


def answers_at_the_end(notebook: dict[str, Any]) -> None:
    answers = [cell for cell in notebook["cells"] if told(cell).get("role") == "answer"]
    others = [cell for cell in notebook["cells"] if told(cell).get("role") != "answer"]
    notebook["cells"] = [*others, *answers]


def without_questions(notebook: dict[str, Any]) -> None:
    """Everything in Markdown thrown away, notes in their place."""
    notebook["cells"] = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    notebook["cells"].insert(
        3, {"cell_type": "raw", "id": "raw", "metadata": {}, "source": "---\ntitle: mine\n---"}
    )


def kaggle(notebook: dict[str, Any]) -> None:
    """Kaggle's metadata, and the cell in which each of its notebooks begins."""
    notebook["metadata"] |= {
        "kaggle": {"accelerator": "gpu", "dataSources": [], "isInternetEnabled": True},
        "language_info": {"name": "python", "version": "3.11.13"},
    }
    begins = (
        "# This Python 3 environment comes with many helpful analytics libraries installed\n"
        "import os\nfor folder, _, names in os.walk('/kaggle/input'):\n"
        "    for name in names:\n        print(os.path.join(folder, name))"
    )
    add_cell(notebook, begins, before=notebook["cells"][0])


def of_nbgrader(notebook: dict[str, Any]) -> None:
    """What nbgrader keeps of each cell."""
    for number, cell in enumerate(notebook["cells"]):
        is_answer = told(cell).get("role") == "answer"
        cell["metadata"]["nbgrader"] = {
            "grade": is_answer,
            "grade_id": f"cell-{number:06x}",
            "locked": not is_answer,
            "points": 1,
            "schema_version": 3,
            "solution": is_answer,
            "task": False,
        }


def slides(notebook: dict[str, Any]) -> None:
    """Cells that are slides, folded away, with tags, and one that is skipped."""
    for number, cell in enumerate(notebook["cells"]):
        kind = "skip" if number % 2 else "slide"
        cell["metadata"] |= {"slideshow": {"slide_type": kind}, "tags": ["hide-input"]}
        cell["metadata"]["jupyter"] = {"source_hidden": True}
    notebook["metadata"]["rise"] = {"autolaunch": True}


def of_windows(notebook: dict[str, Any]) -> None:
    """Lines that end as on Windows, and a space that does not break in a comment."""
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")
        if told(cell).get("role") == "answer":
            cell["source"] += "\r\n#\u00a0done\r\n"


def deepnote(notebook: dict[str, Any]) -> None:
    """Deepnote's ids and times, and a cell of its own kind for a chart."""
    for number, cell in enumerate(notebook["cells"]):
        cell["metadata"] |= {
            "cell_id": f"{number:032x}",
            "deepnote_cell_type": cell["cell_type"],
            "execution_start": 1_700_000_000_000 + number,
        }
    notebook["metadata"] |= {"deepnote": {}, "deepnote_notebook_id": "0" * 32}
    add_cell(notebook, "_deepnote_run_altair = None", before=notebook["cells"][-1])


def pycharm(notebook: dict[str, Any]) -> None:
    """PyCharm's marks, sources as lists of lines, and its empty cell at the end."""
    for cell in notebook["cells"]:
        cell["metadata"]["pycharm"] = {"name": "#%%\n", "is_executing": False}
        cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
    notebook["cells"].append(
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "empty",
            "metadata": {"collapsed": True},
            "outputs": [],
            "source": [],
        }
    )


SAVED = (
    Case("30 MB of outputs, pictures and widgets", saved=thirty_megabytes),
    Case("Colab, with forms and a drive", saved=colab_with_forms, notebook="04_attention"),
    Case("VS Code, with an interpreter of its own", saved=vs_code, notebook="02_embeddings"),
    Case("version 4.0", saved=minor(0), notebook="03_positions"),
    Case("version 4.1", saved=minor(1), notebook="02_embeddings"),
    Case("version 4.3", saved=minor(3), notebook="19_sampling"),
    Case("version 4.5", saved=minor(5), notebook="11_worked_example"),
    Case("exercises in another order", saved=in_blocks, notebook="04_attention"),
    Case("every cell twice", saved=all_twice, repaired="2 cells", notebook="04_attention"),
    Case("answers at the end", saved=answers_at_the_end, notebook="02_embeddings"),
    Case("Kaggle, with its first cell", saved=kaggle, notebook="12_training"),
    Case("nbgrader, with what it keeps of cells", saved=of_nbgrader, notebook="15_encoder_models"),
    Case("slides, hidden and tagged", saved=slides, notebook="13_decoder_models"),
    Case("lines that end as on Windows", saved=of_windows, notebook="16_fine_tuning"),
    Case("Deepnote, with a chart", saved=deepnote, notebook="17_seq2seq"),
    Case("PyCharm, with an empty cell", saved=pycharm, notebook="10_blocks"),
    Case("only code, and a raw cell", saved=without_questions, notebook="04_attention"),
)

CASES = (*EVERYWHERE, *WORDS, *CELLS, *SAVED)
