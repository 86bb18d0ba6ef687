"""Measures a translator that a learner has written in one file: the project of Part II.

The file has two functions. ``train(pairs, seconds, seed)`` learns from sentence pairs and returns
anything. ``translate(trained, sentences)`` gets that back, and returns a translation for each
sentence. What counts is CPU time, which hardly depends on what else a machine does, and BLEU.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.paired import Change, PairedBleu
from mtcourse.evaluation.scores import Scores, score
from mtcourse.project.source import load_project
from mtcourse.text.pairs import SentencePair
from mtcourse.whole_files import write_whole

BAR = 90.0
"""BLEU on the test split that the project asks for."""
MINUTES = 10.0
"""CPU-minutes of training in which a file has to reach the bar."""
GRACE = 0.02
"""By what share of its budget training may be late, and a second more: its last update may."""
_AGAIN = 1.0


@dataclass(frozen=True)
class Measured:
    """What one run of a file gave.

    Args:
        training: CPU-seconds of ``train``, all threads and all ended child processes together.
        budget: the CPU-seconds that it was given.
        translating: CPU-seconds of ``translate``.
        scores: of the translations.
        translations: one for each sentence.
    """

    training: float
    budget: float
    translating: float
    scores: Scores
    translations: list[str]

    def __str__(self) -> str:
        """The result as a report quotes it."""
        return (
            f"trained {self.training / 60:.2f} of {self.budget / 60:g} CPU-minutes, "
            f"translated {self.translating / 60:.2f} CPU-minutes\n{self.scores}"
        )


def measure_project(
    path: Path | str,
    pairs: Sequence[SentencePair],
    test: Sequence[SentencePair],
    seconds: float = 60 * MINUTES,
    seed: int = 0,
) -> Measured:
    """Trains the translator of a file within a budget of CPU time, and scores it.

    Args:
        path: the file.
        pairs: the sentence pairs that it learns from.
        test: the sentence pairs on which it is scored; the file sees only their sources.
        seconds: the budget of CPU time.
        seed: from which the file is to draw everything random.

    Raises:
        MtcourseError: the file uses what the project asks to write, lacks a function, trains for
            too long, or does not return one translation for each sentence.
    """
    module = load_project(path)
    with _unwritten_is_said(path):
        before = cpu_seconds()
        trained = _train(module, pairs, seconds, seed)
        between = cpu_seconds()
        translations = module.translate(trained, [pair.source for pair in test])
        after = cpu_seconds()
    _check_translations(translations, len(test))
    scores = score(translations, references_of(test))
    return Measured(between - before, seconds, after - between, scores, list(translations))


def cpu_seconds() -> float:
    """CPU time of this process until now: all its threads, and child processes that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def references_of(pairs: Sequence[SentencePair]) -> list[tuple[str, ...]]:
    """All correct translations of each pair."""
    return [(pair.target, *pair.references) for pair in pairs]


# --- two runs compared ----------------------------------------------------------------------------


def write_translations(path: Path, translations: Sequence[str]) -> None:
    """Writes one translation a line, so that a later run can be compared with this one.

    Raises:
        MtcourseError: the file cannot be written.
    """
    lines = [" ".join(translation.split()) for translation in translations]
    try:
        write_whole(path, "\n".join([*lines, ""]))
    except OSError as error:
        raise MtcourseError(f"cannot write {path}: {error.strerror}") from error


def read_translations(path: Path, sentences: int) -> list[str]:
    """Reads what ``write_translations`` wrote.

    Raises:
        MtcourseError: the file cannot be read, or holds another number of translations.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise MtcourseError(f"cannot read the translations in {path}: {error}") from error
    if len(lines) != sentences:
        raise MtcourseError(
            f"{path} has {len(lines)} translations, and {sentences} sentences are translated now: "
            "compare runs on the same split"
        )
    return lines


def compare_translations(
    first: Sequence[str], second: Sequence[str], test: Sequence[SentencePair]
) -> Change:
    """By how much BLEU changes from the first translations to the second, by paired bootstrap.

    Raises:
        MtcourseError: there is not one translation for each sentence.
    """
    return PairedBleu(first, references_of(test)).change_to(second)


def describe_change(change: Change) -> str:
    """A change in words that say what one start of each can show, and what it cannot."""
    low, high = change.interval
    verdict = (
        "other sentences would give a change in the same direction"
        if change.beyond_noise
        else "with other sentences, the change could go either way"
    )
    return (
        f"BLEU changes by {change.value:+.1f} (95%: {low:+.1f} to {high:+.1f}): {verdict}\n"
        "This compares one start with one start: another start of the same file changes BLEU, too."
    )


# --- the measurement ------------------------------------------------------------------------------


class _BudgetSpent(BaseException):
    """The CPU time is used up. Not an ``Exception``, so that ``except Exception`` lets it pass."""


def _train(module: ModuleType, pairs: Sequence[SentencePair], seconds: float, seed: int) -> Any:
    """Calls ``train``, and stops it where the budget is spent."""
    before, latest = cpu_seconds(), seconds * (1 + GRACE) + 1
    try:
        with _stopped_after(latest):
            trained = module.train(pairs, seconds, seed)
    except _BudgetSpent:
        raise _spent(cpu_seconds() - before, seconds) from None
    if cpu_seconds() - before > latest:
        raise _spent(cpu_seconds() - before, seconds)
    return trained


def _spent(used: float, seconds: float) -> MtcourseError:
    return MtcourseError(
        f"train has used {used / 60:.2f} CPU-minutes, and its budget is {seconds / 60:.2f}: before "
        "each update, compare time.process_time() with its value at the beginning"
    )


@contextlib.contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Stops what runs inside when this process has used so much CPU time, where that is possible.

    It is not on Windows, and not outside of the main thread: there, ``_train`` says so at the end.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not (in_main_thread and hasattr(signal, "setitimer")):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _BudgetSpent

    handler = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)


@contextlib.contextmanager
def _unwritten_is_said(path: Path | str) -> Iterator[None]:
    """A function of the template that is still to be written ends in one line."""
    try:
        yield
    except NotImplementedError as error:
        raise MtcourseError(f"{path}: {error or 'a function is not written yet'}") from error


def _check_translations(translations: Any, sentences: int) -> None:
    """Refuses what cannot be scored."""
    if not isinstance(translations, list | tuple):
        kind = type(translations).__name__
        raise MtcourseError(f"translate returned a {kind}: return a list with a string a sentence")
    if len(translations) != sentences:
        raise MtcourseError(
            f"translate returned {len(translations)} translations of {sentences} sentences: "
            "return one for each, in the same order"
        )
    for number, translation in enumerate(translations, start=1):
        if not isinstance(translation, str):
            kind = type(translation).__name__
            raise MtcourseError(f"translation {number} is a {kind}: return each one as a string")
