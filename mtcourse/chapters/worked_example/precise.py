"""The forward pass in fractions as far as they go, and to fifty digits from there (chapter 11).

Sums and products of decimals are exact as fractions. Sines, exponentials and square roots are not:
for these there is mpmath, with fifty digits. Nothing here is shared with
``mtcourse.chapters.worked_example.forward``, so that the two can check each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from mpmath import mp, mpf

from mtcourse.chapters.worked_example.example import (
    LABELS,
    SOURCE_TOKENS,
    stored_weights,
    target_ids,
)

DIGITS = 50

Matrix = list[list[Any]]


def fractions(rows: Sequence[Sequence[float]]) -> list[list[Fraction]]:
    """Decimals as fractions: 0.1 becomes 1/10, which no binary number is.

    Args:
        rows: numbers with few decimals.
    """
    return [[Fraction(str(x)) for x in row] for row in rows]


def exact_product(A: Matrix, B: Matrix) -> Matrix:
    """A B, of fractions or of any other numbers.

    Args:
        A: its rows are as long as B has rows.
        B: the right factor.
    """
    columns = list(zip(*B, strict=True))
    return [[sum(a * b for a, b in zip(row, c, strict=True)) for c in columns] for row in A]


def transposed(A: Matrix) -> Matrix:
    """A^T."""
    return [list(column) for column in zip(*A, strict=True)]


def decimals(x: Fraction) -> str:
    """A fraction that is a finite decimal, written in full.

    Args:
        x: a fraction whose denominator divides a power of ten.
    """
    places = next(k for k in range(60) if (x * 10**k).denominator == 1)
    return f"{float(x):.{places}f}"


def fifty_digits() -> dict[str, Matrix]:
    """Steps of the example's forward pass, computed with fifty digits.

    Source: B, steps 1 to 7, in mpmath. Chapter 11.
    """
    with mp.workdps(DIGITS):
        w = {name: _numbers(value) for name, value in stored_weights().items()}
        s: dict[str, Matrix] = {}
        n = len(SOURCE_TOKENS)
        keep = [[token != "<PAD>" for token in SOURCE_TOKENS]] * n
        s["X_input"] = _plus(w["W_E_X"], _positions(n))
        s["X_1"] = _attend(w, s, "E", "1_E", s["X_input"], s["X_input"], keep)
        s["X_encoder"] = _feed(w, "E", "2_E", s["X_1"])
        ids = target_ids().tolist()
        s["Y_input"] = _plus([w["W_E_Y"][i] for i in ids], _positions(len(ids)))
        past = [[j <= i for j in range(len(ids))] for i in range(len(ids))]
        s["Y_1"] = _attend(w, s, "D", "1_D", s["Y_input"], s["Y_input"], past)
        s["Y_2"] = _attend(w, s, "C", "2_D", s["Y_1"], s["X_encoder"], keep[: len(ids)])
        s["Y_decoder"] = _feed(w, "D", "3_D", s["Y_2"])
        s["logits"] = exact_product(s["Y_decoder"], w["W_output"])
        s["probabilities"] = [_softmax(row, [True] * len(row)) for row in s["logits"]]
        wanted = zip(s["probabilities"], target_ids(LABELS).tolist(), strict=True)
        s["losses"] = [[-mpmath.log(row[label])] for row, label in wanted]
        s["loss"] = [[sum(row[0] for row in s["losses"]) / len(ids)]]
    return s


def _numbers(value: Any) -> Matrix:
    """Decimals as numbers of fifty digits; a vector becomes a single row."""
    rows = value if isinstance(value[0], list) else [value]
    return [[mpf(str(x)) for x in row] for row in rows]


def _positions(length: int) -> Matrix:
    """B02 with d_model = 4, whose two speeds are 1 and 1/100."""
    angles = [(mpf(pos), mpf(pos) / 100) for pos in range(length)]
    return [[f(angle) for angle in row for f in (mpmath.sin, mpmath.cos)] for row in angles]


def _plus(A: Matrix, B: Matrix) -> Matrix:
    """A + B; a B of one row is added to every row of A."""
    below = B * len(A) if len(B) == 1 else B
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(A, below, strict=True)]


def _softmax(row: list[Any], keep: Sequence[bool]) -> list[Any]:
    """Weights of the kept entries, 0 elsewhere."""
    e = [mpmath.exp(x) if kept else mpf(0) for x, kept in zip(row, keep, strict=True)]
    return [x / sum(e) for x in e]


def _norm(w: Mapping[str, Matrix], name: str, X: Matrix) -> Matrix:
    """LayerNorm with epsilon = 1/100000."""
    gamma, beta = w[f"gamma_{name}"][0], w[f"beta_{name}"][0]
    rows = []
    for row in X:
        mu = sum(row) / len(row)
        sigma = mpmath.sqrt(sum((x - mu) ** 2 for x in row) / len(row) + mpf(1) / 100_000)
        rows.append([(x - mu) / sigma * g + b for x, g, b in zip(row, gamma, beta, strict=True)])
    return rows


def _attend(
    w: Mapping[str, Matrix],
    s: dict[str, Matrix],
    place: str,
    norm: str,
    X: Matrix,
    Z: Matrix,
    keep: Sequence[Sequence[bool]],
) -> Matrix:
    """LayerNorm(X + attention from X to Z)."""
    rows = zip("QKV", (X, Z, Z), strict=True)
    Q, K, V = (exact_product(part, w[f"W_{kind}_{place}"]) for kind, part in rows)
    heads: Matrix = [[] for _ in X]
    for head in range(2):
        q, k, v = ([row[2 * head : 2 * head + 2] for row in part] for part in (Q, K, V))
        scores = [[x / mpmath.sqrt(2) for x in row] for row in exact_product(q, transposed(k))]
        weights = [_softmax(*both) for both in zip(scores, keep, strict=True)]
        s[f"weights_{head + 1}_{place}"] = weights
        for row, own in zip(heads, exact_product(weights, v), strict=True):
            row.extend(own)
    return _norm(w, norm, _plus(X, exact_product(heads, w[f"W_O_{place}"])))


def _feed(w: Mapping[str, Matrix], place: str, norm: str, X: Matrix) -> Matrix:
    """LayerNorm(X + ReLU(X W_1 + b_1) W_2 + b_2)."""
    before = _plus(exact_product(X, w[f"W_1_{place}"]), w[f"b_1_{place}"])
    hidden = [[max(x, mpf(0)) for x in row] for row in before]
    network = _plus(exact_product(hidden, w[f"W_2_{place}"]), w[f"b_2_{place}"])
    return _norm(w, norm, _plus(X, network))
