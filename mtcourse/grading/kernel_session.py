"""A submission's cells in a kernel, which begins anew without the cells that it did not survive."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mtcourse.grading.kernel import GradingKernel, Limits, Ran
from mtcourse.grading.merge import Step
from mtcourse.grading.python_source import shared_names

GIVEN_SECONDS = 60.0
"""That an instructor's cell has at least: learners do not pay for a slow machine."""
LEFT_OUT = {
    "timeout": "did not end in time",
    "kernel-died": "ended Python",
    "output-limit": "printed too much",
}
"""What a cell has done that is left out from then on."""
TOGETHER = (
    "Python ended or hung with all of your answers together: from there on, each exercise was "
    "tried with only the answers that it uses"
)


class Run:
    """A kernel with what was run in it.

    Args:
        start: makes a new kernel.
        limits: of each cell.
    """

    def __init__(self, start: Callable[[], GradingKernel], limits: Limits | None = None) -> None:
        self._start = start
        self._limits = limits or Limits()
        self._deadline = time.monotonic() + self._limits.total
        self._kernel: GradingKernel | None = None
        self._is_first = True  # whether no other kernel was lost or ended before this one
        self._run: list[int] = []  # the cells that this kernel has run, by their places
        self._ran_well: set[int] = set()  # cells that have not lost a kernel
        self._left_out: set[int] = set()  # the learner's cells that have
        self._goes_together = True  # whether all that is left can be run in one kernel
        self.ended: dict[str, Ran] = {}  # how each answer's cell ended in this kernel, if not well
        self.troubles: list[str] = []  # what learner and instructor should know of the run

    def ask(self, source: str, at_least: float = 0.0) -> Ran:
        """Runs a cell of the grader's, which leaves nothing behind."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            return Ran("timeout")
        if self._kernel is None:
            self._kernel = self._start()
            self._run.clear()
        seconds = min(left, max(at_least, self._limits.seconds))
        ran = self._kernel.execute(source, replace(self._limits, seconds=seconds))
        if ran.kernel_is_lost:
            self._kernel = None
        return ran

    def companies(self, steps: Sequence[Step], exercise: str) -> Iterator[set[int]]:
        """Which other answers to run an exercise with: all, then those that it uses, then none.

        Each set is smaller than the one before, and is for when the kernel was lost with that.

        Args:
            steps: the cells up to the exercise's check.
            exercise: its id.
        """
        others = {i for i, one in enumerate(steps) if one.role == "answer"} - {
            i for i, one in enumerate(steps) if one.exercise == exercise
        }
        tried = None
        if self._goes_together:
            yield (tried := others - self._left_out)
        for fewer in (others & needed_by(steps, exercise), set()):
            if (fewer := fewer - self._left_out) != tried:
                yield (tried := fewer)

    def bring(self, steps: Sequence[Step], exercise: str, company: set[int]) -> Ran | None:
        """Gets a kernel that has run an exercise's answer and these others, and all other cells.

        Another cell of the learner's that loses the kernel is left out, from now on. Returns how
        the kernel was lost, where it was lost all the same.
        """
        while True:
            wanted = [
                i
                for i, step in enumerate(steps)
                if step.role != "check"
                and (step.role != "answer" or step.exercise == exercise or i in company)
                and i not in self._left_out
            ]
            lost = self._reach(steps, wanted)
            if lost is None or time.monotonic() > self._deadline:
                return lost
            last = self._run[-1]
            if steps[last].role == "given" or steps[last].exercise == exercise:
                return lost
            if company and last in self._ran_well:  # then one of the others may be to blame
                return lost
            self.leave_out(steps, last, lost.state)

    def _reach(self, steps: Sequence[Step], wanted: list[int]) -> Ran | None:
        """Goes on in this kernel if it has run nothing else than this begins with; else anew."""
        if self._kernel is None or self._run != wanted[: len(self._run)]:
            self._is_first = self._is_first and not self._run
            self.end()
            self._run.clear()
            self.ended.clear()
        for place in wanted[len(self._run) :]:
            ran = self._take(steps[place])
            self._run.append(place)
            if ran.kernel_is_lost:
                return ran
            self._ran_well.add(place)
        return None

    def _take(self, step: Step) -> Ran:
        """Runs a cell for good."""
        ran = self.ask(step.source, GIVEN_SECONDS if step.role == "given" else 0.0)
        if step.role == "answer" and ran.state != "ok":
            self.ended[step.exercise] = ran
        elif step.role == "given" and ran.state == "error" and self._is_first:
            self.troubles.append(f"the given cell {step.id} did not end well: {ran.error}")
        return ran

    def leave_out(self, steps: Sequence[Step], place: int, state: str) -> None:
        """Runs no more a cell that the kernel did not survive, and tells its author."""
        if place not in self._left_out:
            self._left_out.add(place)
            did = LEFT_OUT[state]
            self.troubles.append(f"{_called(steps[place])} {did}: other cells were run without it")

    def separate(self) -> None:
        """From now on no exercise is run with answers that it does not use."""
        if self._goes_together:
            self._goes_together = False
            self.troubles.append(TOGETHER)

    def without(self, steps: Sequence[Step], exercise: str) -> tuple[str, ...]:
        """The cells of the learner's that an exercise uses, and was run without."""
        theirs = {i for i, one in enumerate(steps) if one.role in ("answer", "added")}
        absent = theirs - set(self._run)
        found = sorted(absent & needed_by(steps, exercise)) if absent else []
        return tuple(_called(steps[i]) for i in found)

    def run_the_rest(self, steps: Sequence[Step]) -> None:
        """Runs the cells after the last check, to see that the instructor's end well."""
        if self._kernel is not None and self._is_first:
            self._reach(steps, [i for i, one in enumerate(steps) if one.role != "check"])

    def end(self) -> None:
        """Ends the kernel."""
        if self._kernel:
            self._kernel.stop()
            self._kernel = None


def needed_by(steps: Sequence[Step], exercise: str) -> set[int]:
    """The cells whose names an answer uses, and those whose names these use, by their places."""
    names = {i: shared_names(one.source) for i, one in enumerate(steps) if one.role != "check"}
    binding: dict[str, set[int]] = {}
    for place, of_cell in names.items():
        # An answer that never came to define its name is meant by it all the same.
        for name in of_cell.bound | {steps[place].exercise}:
            binding.setdefault(name, set()).add(place)
    own = [i for i in names if (steps[i].role, steps[i].exercise) == ("answer", exercise)]
    found, pending = set(own), [*own]
    while pending:
        for name in names[pending.pop()].used:
            fresh = binding.get(name, set()) - found
            found |= fresh
            pending += fresh
    return found - set(own)


def _called(step: Step) -> str:
    """How its author is told of a cell."""
    return step.exercise or f"the added cell {step.id[:60]}"
