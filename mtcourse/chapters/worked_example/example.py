"""One sentence, its masks, and a model with weights of one decimal (chapter 11).

The source tokens and their table are document B's. B prints no other weight:
``scripts/train_worked_example.py`` found those in ``weights.json``. They have one decimal each, and
the six probabilities that come out are, to two decimals, the ones that B prints (B19).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from mtcourse.chapters.worked_example.forward import (
    EPSILON,
    HEADS,
    Steps,
    forward_pass,
    loss_steps,
)
from mtcourse.errors import MtcourseError

SOURCE_TOKENS = ("I", "love", "deep", "learning", "very", "much", "!", "<PAD>")
"""Document B's eight tokens; token i has row i of ``W_E_X`` (B01)."""

TARGET_TOKENS = ("<PAD>", "<BOS>", "<EOS>", "J'", "aime", "l'", "apprentissage", "profond")
"""The target's vocabulary, V_t = 8."""

SENTENCE = ("J'", "aime", "l'", "apprentissage", "profond")
"""What B's decoder writes before <EOS> (B19)."""

DECODER_INPUT = ("<BOS>", *SENTENCE)
LABELS = (*SENTENCE, "<EOS>")

X_EMBEDDED = (
    (0.2, 0.5, -0.3, 0.8),
    (0.1, -0.4, 0.6, 0.3),
    (-0.5, 0.2, 0.4, -0.1),
    (0.3, 0.7, -0.2, 0.5),
    (0.4, -0.3, 0.1, 0.6),
    (-0.2, 0.5, 0.3, -0.4),
    (0.6, 0.1, -0.5, 0.2),
    (0.0, 0.0, 0.0, 0.0),
)
"""The rows that B prints, one for each source token (B01)."""

D_MODEL, D_FF = 4, 16
WEIGHTS = Path(__file__).with_name("weights.json")


def shapes() -> dict[str, tuple[int, ...]]:
    """The shape of each of the 33 parameters, in the order of the forward pass (B21)."""
    sizes: dict[str, tuple[int, ...]] = {"W_E_X": (len(SOURCE_TOKENS), D_MODEL)}
    attention = {"E": ["E"], "D": ["D", "C"]}
    for side in ("E", "D"):
        if side == "D":
            sizes["W_E_Y"] = (len(TARGET_TOKENS), D_MODEL)
        norm = 0
        for place in attention[side]:
            norm += 1
            sizes |= {f"W_{kind}_{place}": (D_MODEL, D_MODEL) for kind in "QKVO"}
            sizes |= _norm(f"{norm}_{side}")
        sizes[f"W_1_{side}"], sizes[f"b_1_{side}"] = (D_MODEL, D_FF), (D_FF,)
        sizes[f"W_2_{side}"], sizes[f"b_2_{side}"] = (D_FF, D_MODEL), (D_MODEL,)
        sizes |= _norm(f"{norm + 1}_{side}")
    sizes["W_output"] = (D_MODEL, len(TARGET_TOKENS))
    return sizes


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    """Gain and bias of one layer normalisation."""
    return {f"gamma_{name}": (D_MODEL,), f"beta_{name}": (D_MODEL,)}


def source_ids() -> Int[Tensor, " n"]:
    """0 to 7: B's table has its tokens in the order of the sentence."""
    return torch.arange(len(SOURCE_TOKENS))


def source_mask() -> Bool[Tensor, " n"]:
    """False at <PAD>, which B does not hide (B09)."""
    return torch.tensor([token != "<PAD>" for token in SOURCE_TOKENS])


def target_ids(tokens: tuple[str, ...] = DECODER_INPUT) -> Int[Tensor, " m"]:
    """The numbers of target tokens; by default B's row for the decoder, without padding (B15).

    Args:
        tokens: of the target's vocabulary.

    Raises:
        MtcourseError: a token is not in the vocabulary.
    """
    if unknown := sorted(set(tokens) - set(TARGET_TOKENS)):
        raise MtcourseError(
            f"{', '.join(unknown)}: not in the target's vocabulary, which is "
            f"{', '.join(TARGET_TOKENS)}"
        )
    return torch.tensor([TARGET_TOKENS.index(token) for token in tokens], dtype=torch.long)


@cache
def stored_weights() -> dict[str, Any]:
    """The weights as lists of decimals."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return {"W_E_X": [list(row) for row in X_EMBEDDED]} | stored


def example_weights() -> dict[str, Tensor]:
    """All parameters by name, in double precision; new tensors each time."""
    stored = stored_weights()
    return {name: torch.tensor(stored[name], dtype=torch.float64) for name in shapes()}


def example_steps(weights: dict[str, Tensor] | None = None) -> Steps:
    """Every matrix of the example's forward pass, the losses and the loss.

    Args:
        weights: other weights than the example's own.
    """
    w = example_weights() if weights is None else weights
    steps = forward_pass(w, source_ids(), target_ids(), source_mask())
    return loss_steps(steps, target_ids(LABELS))


def greedy_output(
    weights: dict[str, Tensor] | None = None, longest: int = 8
) -> list[tuple[str, float]]:
    """The likeliest token and its probability at each position, up to and with <EOS>.

    Each step reads the whole prefix once more (B19, B20; chapter 18 explains greedy search).

    Args:
        weights: other weights than the example's own.
        longest: where to give up if <EOS> does not come.
    """
    w = example_weights() if weights is None else weights
    written: list[tuple[str, float]] = []
    while len(written) < longest and (not written or written[-1][0] != "<EOS>"):
        prefix = ("<BOS>", *(token for token, _ in written))
        p = forward_pass(w, source_ids(), target_ids(prefix), source_mask())["probabilities"][-1]
        written.append((TARGET_TOKENS[int(p.argmax())], p.max().item()))
    return written


def as_json() -> dict[str, Any]:
    """Tokens, masks, sizes and weights as JSON can hold them, for the explorer."""
    return {
        "source_tokens": list(SOURCE_TOKENS),
        "target_tokens": list(TARGET_TOKENS),
        "decoder_input": target_ids().tolist(),
        "labels": target_ids(LABELS).tolist(),
        "source_mask": source_mask().tolist(),
        "heads": HEADS,
        "epsilon": EPSILON,
        "weights": stored_weights(),
    }
