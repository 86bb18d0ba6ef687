"""A verdict as a card for JupyterLab: what holds, what does not, and where two tables differ.

Its colours are those of the theme, light or dark; no meaning is in colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from mtcourse.checks.judge import Verdict
from mtcourse.checks.tables import Table

_GREEN = "var(--jp-success-color1, #2e7d32)"
_RED = "var(--jp-error-color1, #c62828)"
_GREY = "var(--jp-border-color1, #9e9e9e)"
_CARD = (
    "border:1px solid {line};border-left:5px solid {colour};border-radius:4px;"
    "padding:0.5em 0.9em;max-width:48em;line-height:1.5"
)


def card_of(verdict: Verdict) -> str:
    """The card of a verdict, in HTML."""
    colour = _GREEN if verdict.passed else _RED if verdict.answered else _GREY
    parts = [_headline(verdict, colour), *(_line("✓", held, _GREEN) for held in verdict.holds)]
    parts += _what_is_wrong(verdict)
    if verdict.message:
        parts.append(f"<div style='margin-top:0.4em'>→ {_prose(verdict.message)}</div>")
    if verdict.hint:
        parts.append(f"<div><b>Hint:</b> {_prose(verdict.hint)}</div>")
    if verdict.prints:
        said = escape(verdict.prints)
        parts.append(f"<details><summary>What it printed</summary><pre>{said}</pre></details>")
    style = _CARD.format(line=_GREY, colour=colour)
    label = escape(verdict.exercise)
    return f"<div role='group' aria-label='{label}' style='{style}'>{''.join(parts)}</div>"


def _prose(text: str) -> str:
    """A sentence of the course's: what stands in backticks is code, between asterisks emphasis."""
    parts = escape(text).split("`")
    parts[::2] = [EMPHASIS.sub(r"<em>\1</em>", part) for part in parts[::2]]
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    return "".join(parts)


EMPHASIS = re.compile(r"(?<![\w*])\*([^\W\d_](?:[^*]*[^\W\d_])?)\*(?![\w*])")
"""What a message emphasises; the asterisk of a product has a space beside it, or a digit."""


def _what_is_wrong(verdict: Verdict) -> list[str]:
    """The first thing that does not hold, the inputs, and the two tables where there are any."""
    if not verdict.wrong:
        return []
    if not verdict.answered:
        return [f"<div>{escape(verdict.wrong)}</div>"]
    first, *rest = verdict.wrong.split("\n")
    if verdict.tables:
        rest = [line for line in rest if not line.startswith(("yours = ", "right = "))]
    shown = escape("\n".join(rest))
    inputs = [f"<pre style='margin:0.2em 0 0.2em 1.4em;white-space:pre-wrap'>{shown}</pre>"]
    tables = [_tables(verdict.tables)] * bool(verdict.tables)
    return [_line("✗", first, _RED), *inputs * bool(rest), *tables]


def _headline(verdict: Verdict, colour: str) -> str:
    """The exercise's name, and how many of the things looked at hold."""
    says = "All of it is right." if verdict.passed else "not yet" if verdict.answered else ""
    counted = f"{len(verdict.holds)} of {verdict.looked_at}" if verdict.looked_at else ""
    right = " · ".join(part for part in (counted, says) if part)
    return (
        f"<div style='display:flex;justify-content:space-between;gap:1em'><b>"
        f"<code>{escape(verdict.exercise)}</code></b>"
        f"<span style='color:{colour};font-weight:600'>{escape(right)}</span></div>"
    )


def _line(mark: str, text: str, colour: str) -> str:
    return f"<div><span style='color:{colour};font-weight:700'>{mark}</span> {escape(text)}</div>"


def _tables(tables: Sequence[Table]) -> str:
    return (
        "<div style='display:flex;flex-wrap:wrap;gap:1.5em;margin:0.3em 0 0.3em 1.4em'>"
        + "".join(map(_table, tables))
        + "</div>"
    )


def _table(table: Table) -> str:
    """One table; cells that differ are outlined, bold, and named so to a screen reader."""
    rows = "".join(
        "<tr>" + "".join(_cell(text, place in table.differs) for place, text in row) + "</tr>"
        for row in table.numbered_rows()
    )
    style = "margin:0;color:inherit;font-size:inherit;border-collapse:separate;border-spacing:2px"
    return (
        f"<table style='{style}'>"
        f"<caption style='text-align:left;caption-side:top'>{escape(table.title)}</caption>"
        f"<tbody>{rows}</tbody></table>"
    )


def _cell(text: str, differs: bool) -> str:
    style = "text-align:right;padding:0.1em 0.5em"
    if differs:
        style += f";outline:2px solid {_RED};font-weight:700"
    label = f" aria-label='{escape(text)}, differs'" * differs
    return f"<td style='{style}'{label}>{escape(text)}</td>"
