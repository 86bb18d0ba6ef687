"""The backward pass and Adam's step as blocks of formulas (chapter 11).

A block's name is that of its matrix and " bar". Each function here belongs to the one in
``mtcourse.chapters.worked_example.backward`` that has the same name.
"""

from __future__ import annotations

from collections.abc import Sequence

from mtcourse.chapters.worked_example.example import D_MODEL as D
from mtcourse.chapters.worked_example.example import (
    DECODER_INPUT,
    SOURCE_TOKENS,
    TARGET_TOKENS,
    shapes,
)
from mtcourse.chapters.worked_example.forward import HEADS
from mtcourse.chapters.worked_example.spreadsheet_forward import D_K, M, N
from mtcourse.chapters.worked_example.workbook import Formula, Sheets, added

_SHEET = "gradients"


def backward_blocks(b: Sheets) -> None:
    """The gradients of ``backward_pass``, in its order."""
    labels = (DECODER_INPUT, TARGET_TOKENS)
    b.add(
        _SHEET, "logits bar", f"(probabilities - one-hot labels) / {M}", (M, len(TARGET_TOKENS)),
        lambda i, j: f"=({b.at('probabilities', i, j)}-{b.at('one_hot', i, j)})/{M}", labels,
    )  # fmt: skip
    _weight(b, "W_output", "Y_decoder", "logits")
    _rows(b, "Y_decoder", "logits bar W_output^T", b.rows_by_rows("logits bar", "W_output"))

    _add_and_norm(b, "3_D", "Y_decoder")
    _rows(b, "Y_2", "by the residual, and by the network", _network(b, "D", "Y_2", "sum_3_D"))
    _add_and_norm(b, "2_D", "Y_2")
    _attention(b, "C", "Y_1", "X_encoder", "sum_2_D")
    by_query = b.rows_by_rows("Q_C bar", "W_Q_C")
    _rows(b, "Y_1", "by the residual, and by queries", added(b.sum_of("sum_2_D bar"), by_query))
    _add_and_norm(b, "1_D", "Y_1")
    _attention(b, "D", "Y_input", "Y_input", "sum_1_D")
    _rows(b, "Y_input", "by the residual, by queries, keys and values", _all_ways(b, "D", "1_D"))
    _table(b, "W_E_Y", "decoder_input", "Y_input", TARGET_TOKENS)

    by_keys_and_values = added(*(b.rows_by_rows(f"{k}_C bar", f"W_{k}_C") for k in "KV"))
    _rows(b, "X_encoder", "by keys and values of cross-attention", by_keys_and_values)
    _add_and_norm(b, "2_E", "X_encoder")
    _rows(b, "X_1", "by the residual, and by the network", _network(b, "E", "X_1", "sum_2_E"))
    _add_and_norm(b, "1_E", "X_1")
    _attention(b, "E", "X_input", "X_input", "sum_1_E")
    _rows(b, "X_input", "by the residual, by queries, keys and values", _all_ways(b, "E", "1_E"))
    _table(b, "W_E_X", "source", "X_input", SOURCE_TOKENS)


def adam_blocks(b: Sheets, after: str) -> None:
    """``first_steps`` for every parameter.

    Args:
        b: the workbook.
        after: begins the name of a parameter after the step.
    """
    rate, beta_1, beta_2, epsilon = (b.at("adam", i) for i in range(4))
    for name in shapes():
        size = (b.blocks[name].rows, b.blocks[name].columns)

        def g(i: int, j: int, name: str = name) -> str:
            return b.at(f"{name} bar", i, j)

        def m_hat(i: int, j: int, name: str = name) -> str:
            return f"({b.at(f'{name} m', i, j)}/(1-{beta_1}))"

        def v_hat(i: int, j: int, name: str = name) -> str:
            return f"({b.at(f'{name} v', i, j)}/(1-{beta_2}))"

        def change(i: int, j: int, m_hat: Formula = m_hat, v_hat: Formula = v_hat) -> str:
            return f"=-{rate}*{m_hat(i, j)}/(SQRT({v_hat(i, j)})+{epsilon})"

        for made, about, formula in (
            (f"{name} m", "(1 - beta 1) g", lambda i, j, g=g: f"=(1-{beta_1})*{g(i, j)}"),
            (f"{name} v", "(1 - beta 2) g^2", lambda i, j, g=g: f"=(1-{beta_2})*{g(i, j)}^2"),
            (f"{name} change", "-rate m_hat / (sqrt(v_hat) + epsilon)", change),
            (after + name, f"{name} + change", b.sum_of(name, f"{name} change")),
        ):
            b.add("adam", made, about, size, formula)


def _rows(b: Sheets, name: str, about: str, formula: Formula, sheet: str = _SHEET) -> None:
    """The gradient of the loss with respect to a matrix, with the names of its rows."""
    rows, columns = b.blocks[name].rows, b.blocks[name].columns
    b.add(sheet, f"{name} bar", about, (rows, columns), formula, (_tokens(rows), ()))


def _weight(b: Sheets, W: str, X: str, Y: str) -> None:
    """For Y = X W: W_bar = X^T Y_bar."""
    size = (b.blocks[W].rows, b.blocks[W].columns)
    b.add(_SHEET, f"{W} bar", f"{X}^T {Y} bar", size, b.columns_by_columns(X, f"{Y} bar"))


def _bias(b: Sheets, bias: str, Y: str) -> None:
    """For Y = ... + b: the sum of the rows of Y_bar."""
    width = b.blocks[bias].columns
    b.add(
        _SHEET, f"{bias} bar", f"sum of the rows of {Y} bar", (1, width),
        lambda i, j: f"=SUM({b.column(f'{Y} bar', j)})",
    )  # fmt: skip


def _table(b: Sheets, table: str, tokens: str, X: str, names: Sequence[str]) -> None:
    """Row k is the sum of the rows of X_bar at the positions of token k."""

    def formula(i: int, j: int) -> str:
        at = f"({b.column(tokens, 0)}={b.name(table, i)})"
        return f"=SUMPRODUCT({at}*{b.column(f'{X} bar', j)})"

    about = f"for each token, the sum of its rows of {X} bar"
    b.add(_SHEET, f"{table} bar", about, (len(names), D), formula, (names, ()))


def _add_and_norm(b: Sheets, name: str, Y: str) -> None:
    """Gain, bias, and (u_bar - mean(u_bar) - u mean(u u_bar)) / sigma."""
    unit, unit_bar = f"unit_{name}", f"unit_{name} bar"
    b.add(
        _SHEET, f"gamma_{name} bar", f"sum of the rows of {Y} bar times {unit}", (1, D),
        lambda i, j: f"=SUMPRODUCT({b.column(f'{Y} bar', j)},{b.column(unit, j)})",
    )  # fmt: skip
    _bias(b, f"beta_{name}", Y)
    _rows(
        b, unit, f"{Y} bar times gamma",
        lambda i, j: f"={b.at(f'{Y} bar', i, j)}*{b.at(f'gamma_{name}', 0, j)}",
    )  # fmt: skip

    def through_the_norm(i: int, j: int) -> str:
        of_mu = f"SUM({b.row(unit_bar, i)})/{D}"
        of_sigma = f"{b.at(unit, i, j)}*SUMPRODUCT({b.row(unit, i)},{b.row(unit_bar, i)})/{D}"
        return f"=({b.at(unit_bar, i, j)}-{of_mu}-{of_sigma})/{b.at(f'sigma_{name}', i)}"

    about = "(u_bar - mean(u_bar) - u mean(u u_bar)) / sigma: for both summands"
    _rows(b, f"sum_{name}", about, through_the_norm)


def _network(b: Sheets, place: str, X: str, added_to: str) -> Formula:
    """The gradients of the network's parameters; returns X_bar, residual included."""
    before, hidden, out = f"before_{place}", f"hidden_{place}", added_to
    _weight(b, f"W_2_{place}", hidden, out)
    _bias(b, f"b_2_{place}", out)
    of_hidden = b.rows_by_rows(f"{out} bar", f"W_2_{place}")
    _rows(b, hidden, f"{out} bar W_2^T", of_hidden)
    _rows(
        b, before, "where ReLU let through",
        lambda i, j: f"=IF({b.at(before, i, j)}>0,{b.at(f'{hidden} bar', i, j)},0)",
    )  # fmt: skip
    _weight(b, f"W_1_{place}", X, before)
    _bias(b, f"b_1_{place}", before)
    return added(b.sum_of(f"{out} bar"), b.rows_by_rows(f"{before} bar", f"W_1_{place}"))


def _attention(b: Sheets, place: str, X: str, Z: str, added_to: str) -> None:
    """The gradients of an attention's parameters, queries, keys and values."""
    _weight(b, f"W_O_{place}", f"heads_{place}", added_to)
    of_heads = b.rows_by_rows(f"{added_to} bar", f"W_O_{place}")
    _rows(b, f"heads_{place}", f"{added_to} bar W_O^T", of_heads)
    for head in range(1, HEADS + 1):
        _head(b, f"{head}_{place}", place, head)

    def head_of(kind: str, j: int) -> str:
        return f"{kind}_{j // D_K + 1}_{place}"

    keys = range(b.blocks[f"K_{place}"].rows)

    def Q_bar(i: int, j: int) -> str:
        scores = head_of("scores", j) + " bar"
        terms = (f"{b.at(scores, i, k)}*{b.at(f'K_{place}', k, j)}" for k in keys)
        return f"=({'+'.join(terms)})/SQRT({D_K})"

    def K_bar(i: int, j: int) -> str:
        scores = b.column(head_of("scores", j) + " bar", i)
        return f"=SUMPRODUCT({scores},{b.column(f'Q_{place}', j)})/SQRT({D_K})"

    def V_bar(i: int, j: int) -> str:
        weights = b.column(head_of("weights", j), i)
        return f"=SUMPRODUCT({weights},{b.column(f'heads_{place} bar', j)})"

    for kind, rows, formula in (("Q", X, Q_bar), ("K", Z, K_bar), ("V", Z, V_bar)):
        _rows(b, f"{kind}_{place}", "from both heads", formula)
        _weight(b, f"W_{kind}_{place}", rows, f"{kind}_{place}")


def _head(b: Sheets, name: str, place: str, head: int) -> None:
    """The gradients of one head's weights and scores."""
    own = ((head - 1) * D_K, head * D_K - 1)
    weights, weights_bar = f"weights_{name}", f"weights_{name} bar"
    of_weights = b.rows_by_rows(f"heads_{place} bar", f"V_{place}", own)
    _rows(b, weights, f"heads_{place} bar V^T", of_weights)

    def of_scores(i: int, j: int) -> str:
        mean = f"SUMPRODUCT({b.row(weights, i)},{b.row(weights_bar, i)})"
        return f"={b.at(weights, i, j)}*({b.at(weights_bar, i, j)}-{mean})"

    _rows(b, f"scores_{name}", "weight (weight bar - mean of weight bar)", of_scores)


def _all_ways(b: Sheets, place: str, norm: str) -> Formula:
    """The gradient of rows that are queries, keys, values, and residual."""
    through = (b.rows_by_rows(f"{kind}_{place} bar", f"W_{kind}_{place}") for kind in "QKV")
    return added(b.sum_of(f"sum_{norm} bar"), *through)


def _tokens(rows: int) -> Sequence[str]:
    """The names of rows: as many as the source's tokens, or the target's."""
    return {N: SOURCE_TOKENS, M: DECODER_INPUT}[rows]
