"""Text from submissions, made fit to be shown: nothing in it hides, or breaks what it stands in."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""What colours a terminal's text, or writes into its title."""
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline
    "\u061c\u202a-\u202e\u2066-\u2069"  # what turns the direction of text round
    "\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"  # other line ends, and what no file can hold
)
REPLACEMENT = "\ufffd"


def one_line(text: str, longest: int = 120) -> str:
    """A text as a name or a cell of a table can hold it.

    >>> one_line("two\\n lines"), one_line("much too long", 4)
    ('two lines', 'much…')
    """
    cut = " ".join(_harmless(text[: 4 * longest + 100]).split())
    return cut if len(cut) <= longest else cut[:longest].rstrip() + "…"


def lines(text: str, longest: int = 4_000, most: int = 100) -> str:
    """A text of several lines, the rest of a very long one left out.

    >>> lines("a\\r\\nb"), lines("12345", 3)
    ('a\\nb', '123\\n… and 2 more characters')
    """
    kept = "\n".join(text[:longest].split("\n")[:most])
    left = len(text) - len(kept)
    more = f"\n… and {left} more characters" if left else ""
    return _harmless(kept) + more


def _harmless(text: str) -> str:
    plain = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _HARMFUL.sub(REPLACEMENT, plain)
