"""Every line that can be blamed for a symptom has a message, and it says what that line does."""

from __future__ import annotations

from mtcourse.checks.exercise import functions_of, message_of
from mtcourse.checks.judge import judge
from mtcourse.checks.which_line import which_line, with_every_line

LINES = {"too large": "B", "too late": "none", "never": "A"}
DOES = {"A": "adds one", "B": "doubles", "C": "waits"}
ASKS = {
    "too large": ("the size", "Which line grows?"),
    "too late": ("the delay", "Does any line wait too long?"),
    "never": ("what is missing", "Which line gives it?"),
}


class Wrong:
    def waits_for_the_size():
        """Waiting makes nothing larger.

        What does?
        """
        return {"too large": "C"}


def test_each_wrong_line_is_named_by_its_own_message():
    exercise = which_line("lines", LINES, with_every_line(Wrong, LINES, DOES, ASKS), hint="Look.")
    for symptom, right in LINES.items():
        for letter in DOES:
            if letter == right:
                continue
            verdict = judge(exercise, LINES | {symptom: letter})
            if (symptom, letter) == ("too large", "C"):
                assert verdict.misconception == "waits_for_the_size"
                continue
            about, question = ASKS[symptom]
            said = f"For {about} you name line {letter}. This line {DOES[letter]}."
            assert (verdict.message, verdict.hint) == (said, question)


def test_no_mistake_is_listed_twice_and_none_is_right():
    mistakes = functions_of(with_every_line(Wrong, LINES, DOES, ASKS))
    assert len(mistakes) == 3 * len(LINES) - 2  # two symptoms have a right letter among the three
    assert len({message_of(mistake) for mistake in mistakes}) == len(mistakes)
    assert all((LINES | mistake()) != LINES for mistake in mistakes)
