"""The forward pass as blocks of formulas, in the order of ``forward_pass`` (chapter 11).

Each function here belongs to the one in ``mtcourse.chapters.worked_example.forward`` that has the
same name. ``p`` begins the names of steps and parameters: "" for the first pass, and another word
for the pass with the parameters after Adam's step.
"""

from __future__ import annotations

from collections.abc import Sequence

from mtcourse.chapters.worked_example.example import (
    D_FF,
    DECODER_INPUT,
    SOURCE_TOKENS,
    TARGET_TOKENS,
)
from mtcourse.chapters.worked_example.example import D_MODEL as D
from mtcourse.chapters.worked_example.forward import HEADS
from mtcourse.chapters.worked_example.workbook import Formula, Sheets

N, M, V_T, D_K = len(SOURCE_TOKENS), len(DECODER_INPUT), len(TARGET_TOKENS), D // HEADS


def forward_blocks(b: Sheets, sheet: str, p: str) -> None:
    """The steps of ``forward_pass``; ``p`` begins the names of steps and parameters."""
    src, tgt = SOURCE_TOKENS, DECODER_INPUT

    def step(name: str, about: str, size: tuple[int, int], formula: Formula, rows=(), columns=()):
        b.add(sheet, p + name, about, size, formula, (rows, columns))

    def embedded(name: str, tokens: str, table: str, names: Sequence[str], rows: int) -> None:
        def formula(i: int, j: int) -> str:
            chosen = b.names(table)
            return f"=SUMPRODUCT(({chosen}={b.at(tokens, i)})*{b.column(p + table, j)})"

        step(name, f"rows of {table}", (rows, D), formula, names)

    def positions(i: int, j: int) -> str:
        return f"={'COS' if j % 2 else 'SIN'}({i}/10000^({j - j % 2}/{D}))"

    embedded("X_embedded", "source", "W_E_X", src, N)
    step("PE", "sin and cos of pos / 10000^(2i/4)", (N, D), positions, src)
    step("X_input", "X_embedded + PE", (N, D), b.sum_of(p + "X_embedded", p + "PE"), src)
    _allowed(b, sheet, p)
    _attention(b, sheet, p, "E", "X_input", "X_input", src, src)
    _add_and_norm(b, sheet, p, "1_E", "X_input", "output_E", "X_1", src)
    _network(b, sheet, p, "E", "X_1", src)
    _add_and_norm(b, sheet, p, "2_E", "X_1", "network_E", "X_encoder", src)

    embedded("Y_embedded", "decoder_input", "W_E_Y", tgt, M)
    step("Y_input", "Y_embedded + PE", (M, D), b.sum_of(p + "Y_embedded", p + "PE"), tgt)
    _attention(b, sheet, p, "D", "Y_input", "Y_input", tgt, tgt)
    _add_and_norm(b, sheet, p, "1_D", "Y_input", "output_D", "Y_1", tgt)
    _attention(b, sheet, p, "C", "Y_1", "X_encoder", tgt, src)
    _add_and_norm(b, sheet, p, "2_D", "Y_1", "output_C", "Y_2", tgt)
    _network(b, sheet, p, "D", "Y_2", tgt)
    _add_and_norm(b, sheet, p, "3_D", "Y_2", "network_D", "Y_decoder", tgt)
    step(
        "logits", "Y_decoder W_output", (M, V_T),
        b.product(p + "Y_decoder", p + "W_output"), tgt, TARGET_TOKENS,
    )  # fmt: skip
    step(
        "exp_logits", "exp(logit)", (M, V_T),
        lambda i, j: f"=EXP({b.at(p + 'logits', i, j)})", tgt, TARGET_TOKENS,
    )  # fmt: skip
    step(
        "probabilities", "exp / sum of the row", (M, V_T),
        lambda i, j: f"={b.at(p + 'exp_logits', i, j)}/SUM({b.row(p + 'exp_logits', i)})",
        tgt, TARGET_TOKENS,
    )  # fmt: skip
    _loss(b, sheet, p)


def _loss(b: Sheets, sheet: str, p: str) -> None:
    """Greedy output, one-hot labels, losses, and their mean."""

    def greedy(i: int, j: int) -> str:
        row, names = b.row(p + "probabilities", i), b.names("W_E_Y")
        return f"=INDEX({names},MATCH(MAX({row}),{row},0))"

    rows = (DECODER_INPUT, ())
    b.add(sheet, p + "greedy", "the likeliest token", (M, 1), greedy, rows)
    b.add(
        sheet, p + "one_hot", "1 at the label", (M, V_T),
        lambda i, j: f"=IF({b.at('labels', i)}={b.name('W_E_Y', j)},1,0)",
        (DECODER_INPUT, TARGET_TOKENS),
    )  # fmt: skip
    b.add(
        sheet, p + "losses", "-ln(probability of the label)", (M, 1),
        lambda i, j: (
            f"=-LN(SUMPRODUCT({b.row(p + 'one_hot', i)},{b.row(p + 'probabilities', i)}))"
        ), rows,
    )  # fmt: skip
    b.add(
        sheet,
        p + "loss",
        "their mean",
        (1, 1),
        lambda i, j: f"=SUM({b.column(p + 'losses', 0)})/{M}",
    )


def _allowed(b: Sheets, sheet: str, p: str) -> None:
    """The masks as 1 and 0: padding for E and C, causal for D."""
    hide = lambda i, j: f'=IF({b.at("source", j)}="<PAD>",0,1)'  # noqa: E731
    causal = lambda i, j: "=1" if j <= i else "=0"  # noqa: E731
    names = {"E": (N, N, hide), "D": (M, M, causal), "C": (M, N, hide)}
    tokens = {N: SOURCE_TOKENS, M: DECODER_INPUT}
    for place, (m, n, formula) in names.items():
        b.add(
            sheet, f"{p}allowed_{place}", "1 where query may attend to key", (m, n), formula,
            (tokens[m], tokens[n]),
        )  # fmt: skip


def _attention(
    b: Sheets,
    sheet: str,
    p: str,
    place: str,
    X: str,
    Z: str,
    rows: Sequence[str],
    keys: Sequence[str],
) -> None:
    """``attention_steps``; exponentials have a block of their own."""
    m, n = len(rows), len(keys)
    for kind, name, tokens in (("Q", X, rows), ("K", Z, keys), ("V", Z, keys)):
        b.add(
            sheet, f"{p}{kind}_{place}", f"{name} W_{kind}_{place}", (len(tokens), D),
            b.product(p + name, f"{p}W_{kind}_{place}"), (tokens, ()),
        )  # fmt: skip
    for head in (1, 2):
        own = ((head - 1) * D_K, head * D_K - 1)
        name, squared = f"{head}_{place}", (rows, keys)
        scores = b.rows_by_rows(f"{p}Q_{place}", f"{p}K_{place}", own)
        b.add(
            sheet, f"{p}scores_{name}", "q k / sqrt(d_k)", (m, n),
            lambda i, j, s=scores: f"{s(i, j)}/SQRT({D_K})", squared,
        )  # fmt: skip
        b.add(
            sheet, f"{p}exp_{name}", "exp(score), 0 where hidden", (m, n),
            lambda i, j, c=name: (
                f"={b.at(f'{p}allowed_{place}', i, j)}*EXP({b.at(f'{p}scores_{c}', i, j)})"
            ), squared,
        )  # fmt: skip
        b.add(
            sheet, f"{p}weights_{name}", "exp / sum of the row", (m, n),
            lambda i, j, c=name: f"={b.at(f'{p}exp_{c}', i, j)}/SUM({b.row(f'{p}exp_{c}', i)})",
            squared,
        )  # fmt: skip
        b.add(
            sheet, f"{p}head_{name}", f"weights_{name} V_{place}", (m, D_K),
            b.product(f"{p}weights_{name}", f"{p}V_{place}", own[0]), (rows, ()),
        )  # fmt: skip
    b.add(
        sheet, f"{p}heads_{place}", "both heads side by side", (m, D),
        lambda i, j: f"={b.at(f'{p}head_{j // D_K + 1}_{place}', i, j % D_K)}", (rows, ()),
    )  # fmt: skip
    product = b.product(f"{p}heads_{place}", f"{p}W_O_{place}")
    b.add(sheet, f"{p}output_{place}", f"heads_{place} W_O_{place}", (m, D), product, (rows, ()))


def _network(b: Sheets, sheet: str, p: str, place: str, X: str, rows: Sequence[str]) -> None:
    """``network_steps``."""
    m = len(rows)
    for number, read, made, width in ((1, X, "before", D_FF), (2, f"hidden_{place}", "network", D)):
        product = b.product(p + read, f"{p}W_{number}_{place}")
        bias = f"{p}b_{number}_{place}"
        b.add(
            sheet, f"{p}{made}_{place}", f"{read} W_{number} + b_{number}", (m, width),
            lambda i, j, f=product, c=bias: f"{f(i, j)}+{b.at(c, 0, j)}", (rows, ()),
        )  # fmt: skip
        if number == 1:
            b.add(
                sheet, f"{p}hidden_{place}", "ReLU", (m, D_FF),
                lambda i, j: f"=MAX({b.at(f'{p}before_{place}', i, j)},0)", (rows, ()),
            )  # fmt: skip


def _add_and_norm(
    b: Sheets, sheet: str, p: str, name: str, X: str, F: str, Y: str, rows: Sequence[str]
) -> None:
    """``add_and_norm``."""
    m = len(rows)

    def add(made: str, about: str, width: int, formula: Formula) -> None:
        b.add(sheet, p + made, about, (m, width), formula, (rows, ()))

    add(f"sum_{name}", f"{X} + {F}", D, b.sum_of(p + X, p + F))
    total = f"{p}sum_{name}"
    add(f"mu_{name}", "mean of the row", 1, lambda i, j: f"=SUM({b.row(total, i)})/{D}")

    def sigma(i: int, j: int) -> str:
        off = f"({b.row(total, i)}-{b.at(f'{p}mu_{name}', i)})"
        return f"=SQRT(SUMPRODUCT({off}*{off})/{D}+{b.at('epsilon')})"

    add(f"sigma_{name}", "sqrt(variance + epsilon)", 1, sigma)
    add(
        f"unit_{name}", "(x - mu) / sigma", D,
        lambda i, j: (
            f"=({b.at(total, i, j)}-{b.at(f'{p}mu_{name}', i)})/{b.at(f'{p}sigma_{name}', i)}"
        ),
    )  # fmt: skip
    add(
        Y, "gamma unit + beta", D,
        lambda i, j: (
            f"={b.at(f'{p}unit_{name}', i, j)}*{b.at(f'{p}gamma_{name}', 0, j)}"
            f"+{b.at(f'{p}beta_{name}', 0, j)}"
        ),
    )  # fmt: skip
