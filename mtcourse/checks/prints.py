"""What an answer prints while it is tried: kept once, and cut where it is long."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

LONGEST = 2000
"""Characters that are kept of one case's prints."""


def cut(text: str, longest: int) -> str:
    """A text, or its beginning and how much is missing.

    >>> cut("a long text", 6)
    'a long … (5 more characters)'
    """
    return (
        text
        if len(text) <= longest
        else f"{text[:longest]} … ({len(text) - longest} more characters)"
    )


class Prints:
    """Keeps what the first case that prints anything prints; what others print is dropped."""

    def __init__(self) -> None:
        self._kept = _Beginning()
        self.case = ""

    @contextlib.contextmanager
    def of(self, case: str) -> Iterator[None]:
        """Takes what is printed inside.

        Args:
            case: the name of the inputs.
        """
        taken = _Beginning()
        with contextlib.redirect_stdout(taken), contextlib.redirect_stderr(taken):
            try:
                yield
            finally:
                if taken.written and not self.case:
                    self._kept, self.case = taken, case

    def __str__(self) -> str:
        """What was printed, under the name of its case; empty where nothing was."""
        text = self._kept.text()
        return f"on {self.case} it printed:\n{text}" if self.case and text else ""


class _Beginning(io.TextIOBase):
    """A stream that keeps the beginning of what is written to it, and counts the rest."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.written = 0

    def write(self, text: str, /) -> int:
        """Takes a text, as a file does."""
        room = LONGEST - self.written
        if room > 0:
            self._parts.append(text[:room])
        self.written += len(text)
        return len(text)

    def writable(self) -> bool:
        """As a file that can be written to."""
        return True

    def text(self) -> str:
        """What was kept, and how much more there was."""
        more = self.written - LONGEST
        return "".join(self._parts).rstrip("\n") + f" … ({more} more characters)" * (more > 0)
