"""Honest notebooks, however they are written: other styles, imports, prints, kinds of errors."""

from __future__ import annotations

from tests.catalogue.case import Case
from tests.catalogue.families.saved import ALL_FALSE, CAUSAL
from tests.catalogue.returned import answer_cell, right_answers

NOISE = "(1 + 1e-4 * torch.sin(torch.arange(x.numel(), dtype=x.dtype)).view(x.shape))"

CASES = (
    Case("right"),
    Case("right, chapter 4", notebook="04_attention"),
    Case(
        "import in an added cell",
        {"causal_mask": "def causal_mask(m):\n    return torch.from_numpy(np.tri(m, dtype=bool))"},
        added="import numpy as np",
    ),
    Case(
        "other style: lambda, partial, object, decorated function",
        {
            "causal_mask": "causal_mask = lambda m: torch.arange(m) <= torch.arange(m)[:, None]",
            "padding_mask": "import functools, operator\n"
            "def not_pad(dim, ids, pad): return torch.ne(ids, pad).unsqueeze(1).unsqueeze(dim)\n"
            "padding_mask = functools.partial(not_pad, 1)",
            "allowed_pairs": "class Pairs:\n"
            "    def __call__(self, n, p):\n"
            "        return sum(min(i + 1, n - p) for i in range(n))\n"
            "allowed_pairs = Pairs()",
            "hidden_weight": "from functools import wraps\n"
            "def loud(f):\n    return wraps(f)(lambda *a, **k: f(*a, **k))\n"
            "@loud\n" + right_answers("05_masks")["hidden_weight"],
        },
    ),
    Case(
        "numbers of numpy and torch",
        {
            "allowed_pairs": "import numpy as np\ndef allowed_pairs(n, p):\n"
            "    return np.minimum(np.arange(1, n + 1), n - p).sum()",
            "hidden_weight": right_answers("05_masks")["hidden_weight"].replace(".item()", ""),
        },
    ),
    Case(
        "names that given cells know, for something else",
        {
            "causal_mask": "def causal_mask(m):\n"
            "    masks = torch.arange(m)\n    return masks <= masks[:, None]"
        },
    ),
    Case(
        "a helper in an added cell, and one's own earlier answer used",
        {
            "decoder_mask": "def decoder_mask(ids, pad):\n"
            "    return both(causal_mask(ids.shape[1]), padding_mask(ids, pad))"
        },
        added="def both(a, b):\n    return a & b",
    ),
    Case(
        "warnings, standard error, logging",
        {
            "causal_mask": "import logging, sys, warnings\n"
            "def causal_mask(m):\n"
            "    warnings.warn('slow'); logging.error('careful'); print('here', file=sys.stderr)\n"
            "    return torch.ones(m, m).tril() > 0"
        },
    ),
    Case(
        "debug prints and a picture",
        {
            "causal_mask": "def causal_mask(m):\n"
            "    print('m is', m); made = torch.ones(m, m).tril() > 0; print(made)\n"
            "    return made\nprint(causal_mask(3)); causal_mask(4)"
        },
        added="plt.plot([1, 2]); plt.show()\nfrom IPython.display import HTML, display\n"
        "display(HTML('<b>x</b>'))",
    ),
    Case(
        "float noise of 1e-4",
        {
            "row_softmax": "def row_softmax(scores):\n"
            "    x = (scores - scores.amax(-1, keepdim=True)).exp()\n"
            f"    return x / x.sum(-1, keepdim=True) * {NOISE}"
        },
        notebook="04_attention",
    ),
    Case(
        "magics and shell lines",
        {
            "causal_mask": "%%time\n" + CAUSAL,
            "padding_mask": "%matplotlib inline\n!true\n"
            + right_answers("05_masks")["padding_mask"],
        },
        added="%pwd\n!echo hello\n%precision 3\ntorch?",
    ),
    Case(
        "names of built-in functions used for something else",
        added="list, max, sum, print, len, dict, check, json = 1, 2, 3, 4, 5, 6, 7, 8",
        repaired="the given cell causal-mask-alive did not end well",
    ),
    Case(
        "Greek names, type hints, imports from the future",
        {
            "hidden_weight": "from __future__ import annotations\n"
            "def hidden_weight(gap: ℝ, v: ℝ, d_k: ℕ, inside: 𝔹) -> ℝ:\n"
            '    """Das Gewicht α = σ(s) 🙂"""\n'
            "    σ = torch.sigmoid\n    γ, φ = gap / math.sqrt(d_k), v / math.sqrt(d_k)\n"
            "    return σ(torch.tensor(γ + φ if inside else γ + v)).item()"
        },
    ),
    Case(
        "a file of one's own, and threads",
        {
            "causal_mask": "import pathlib\ndef causal_mask(m):\n"
            "    side = torch.arange(m) + int(pathlib.Path('notes.txt').read_text())\n"
            "    return side <= side[:, None]"
        },
        added="import pathlib, threading\npathlib.Path('notes.txt').write_text('7')\n"
        "threading.Thread(target=lambda: print('from a thread')).start()",
    ),
    Case(
        "worker processes",
        added="from torch.utils.data import DataLoader\n"
        "print(list(DataLoader(range(4), num_workers=1)))",
    ),
    Case(
        "settings of the whole process changed",
        added="import random\nrandom.seed(0); torch.manual_seed(0)\n"
        "torch.set_printoptions(precision=1); torch.set_num_threads(1)\n"
        "torch.use_deterministic_algorithms(True)",
    ),
    Case("top-level await", added="import asyncio\nawait asyncio.sleep(0)"),
    Case(
        "an added cell that fails",
        added="1 / 0",
    ),
    Case(
        "an answer that raises, and one that does not parse",
        {
            "causal_mask": "def causal_mask(m):\n    return torch.ones(m, m).trill()",
            "padding_mask": "def padding_mask(ids, pad:\n    return ids != pad",
            "masked_weights": "masked_weights = undefined_name",
        },
        outcomes={"causal_mask": "wrong", "padding_mask": "error", "masked_weights": "error"},
    ),
    Case(
        "answers of another kind",
        {
            "causal_mask": "causal_mask = torch.ones(3, 3).tril() > 0",
            "padding_mask": "def padding_mask(ids, pad): pass",
            "masked_weights": "def masked_weights(scores):\n    return scores",
            "allowed_pairs": "def allowed_pairs(n, p):\n    return 'many'",
        },
        outcomes={
            "causal_mask": "wrong",
            "padding_mask": "wrong",
            "masked_weights": "wrong",
            "allowed_pairs": "wrong",
        },
    ),
    Case(
        "a value half filled in",
        {"score_variance": 'score_variance = {"product": 64, "deviation": ..., "score": 1}'},
        outcomes={"score_variance": "open"},
        notebook="04_attention",
    ),
    Case(
        "comments and tags of nbval",
        {
            "leaking_rows": "# NBVAL_IGNORE_OUTPUT\n# NBVAL_SKIP\n# NBVAL_RAISES_EXCEPTION\n"
            + ALL_FALSE
        },
        saved=lambda notebook: answer_cell(notebook, "causal_mask")["metadata"].update(
            tags=["nbval-skip", "raises-exception", "skip-execution"]
        ),
        outcomes={"leaking_rows": "wrong"},
    ),
    Case(
        "packages to install, without a network",
        added="%pip install --quiet --retries 0 --timeout 1 einops",
        isolated=True,
    ),
)
