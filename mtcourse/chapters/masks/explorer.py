"""A causal and a padding mask, and what leaks past them (chapter 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mtcourse.figures.attention_map import attention_map
from mtcourse.figures.explorer import Explorer, rounded
from mtcourse.figures.still import Still
from mtcourse.layers.attention import attention_weights
from mtcourse.layers.masks import causal_mask
from mtcourse.text.pairs import words

SCRIPT = Path(__file__).with_suffix(".js")


def masks_explorer(
    sentence: str = "Lisa opens the door",
    d_k: int = 16,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """A causal and a padding mask, written in each of the documents' ways, and what leaks.

    Args:
        sentence: its words, with <eos>, are the positions.
        d_k: width of the queries and keys, which are drawn at random.
        seed: of the draw.
        settings: what is chosen at first: causal, padding, length, side ("right" or "left"), how
            ("add", "replace" or "multiply"), infinite, power (of ten: the finite value is minus
            that), inside (the division), zeros (for rows with nothing to attend to).

    Source: A11, A14, B16, C09, C10, D03. Chapter 5.
    """
    names = [*words(sentence), "<eos>"]
    generator = torch.Generator().manual_seed(seed)
    Q, K = torch.randn(2, len(names), d_k, generator=generator)
    data = {"words": names, "products": rounded(Q @ K.T), "d_k": d_k}
    return Explorer(
        SCRIPT,
        data,
        {
            "causal": True,
            "padding": True,
            "length": len(names) - 2,
            "side": "right",
            "how": "add",
            "infinite": True,
            "power": 2,
            "inside": False,
            "zeros": False,
            "flipped": [],
        },
        settings or {},
        "This explorer needs JavaScript. It puts a causal and a padding mask on the scores of a "
        f"sentence with {len(names)} tokens, and shows the weights that come out, "
        "and what leaks to hidden keys.",
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """The weights under the chosen masks, each hidden score at minus infinity."""
    n, length = len(data["words"]), chosen["length"]
    padded = n - length if chosen["side"] == "left" else 0
    names = ["<pad>"] * n
    names[padded : padded + length] = [*data["words"][: length - 1], data["words"][-1]][:length]
    allowed = torch.ones(n, n, dtype=torch.bool)
    if chosen["padding"]:
        allowed &= torch.tensor([name != "<pad>" for name in names])
    if chosen["causal"]:
        allowed &= causal_mask(n)
    scores = torch.tensor(data["products"]) / math.sqrt(data["d_k"])
    weights = attention_weights(scores, allowed)
    kinds = [kind for kind in ("causal", "padding") if chosen[kind]]
    return Still(
        f"Weights after the softmax, with these masks: {', '.join(kinds) or 'none'}. A row is a "
        "query, a column a key.",
        ("", *names),
        [(name, *row) for name, row in zip(names, weights.tolist(), strict=True)],
        lambda: attention_map(names, names, weights),
    )
