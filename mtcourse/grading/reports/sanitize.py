"""Cleans text from submissions for display, so that it can neither hide nor disturb anything."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Escape sequences that colour text in a terminal, or set its title."""
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, except tab and newline
    "\u061c\u202a-\u202e\u2066-\u2069"  # characters that reverse the direction of text
    "\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"  # other line ends, and what no file can hold
)
REPLACEMENT = "\ufffd"


def clean_line(text: str, max_length: int = 120) -> str:
    """Cleans a text for a single line, such as a name or a cell of a table.

    >>> clean_line("two\\n lines"), clean_line("much too long", 4)
    ('two lines', 'much…')
    """
    cut = " ".join(_clean(text[: 4 * max_length + 100]).split())
    return cut if len(cut) <= max_length else cut[:max_length].rstrip() + "…"


def clean_lines(text: str, max_length: int = 4_000, max_lines: int = 100) -> str:
    """Cleans a text of several lines, and shortens it if it is very long.

    >>> clean_lines("a\\r\\nb"), clean_lines("12345", 3)
    ('a\\nb', '123\\n… and 2 more characters')
    """
    kept = "\n".join(text[:max_length].split("\n")[:max_lines])
    left = len(text) - len(kept)
    more = f"\n… and {left} more characters" if left else ""
    return _clean(kept) + more


def _clean(text: str) -> str:
    plain = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub(REPLACEMENT, plain)
