"""A learner's answers in the instructor's notebook: checks and given cells are always its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mtcourse.grading.exercise_notebook import is_untouched
from mtcourse.grading.python_source import imports_of, names_of
from mtcourse.grading.solution_notebook import Cell
from mtcourse.grading.submitted_notebook import Submission

_FENCE = re.compile(r"^```\w*\n(.*?)\n```\s*$", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """One code cell of the merged notebook.

    Args:
        role: "given", "answer", "check" or "added".
        exercise: whose answer or check it is; empty for others.
        source: the code.
        id: the cell's id, for error messages.
    """

    role: str
    exercise: str
    source: str
    id: str


@dataclass(frozen=True)
class Merged:
    """What is run to grade a submission.

    Args:
        steps: the code, in the order of the instructor's notebook.
        missing: exercises without an answer.
        repairs: what was put right, told to the learner.
        places: for each answered exercise the number of its cell in what was handed in.
    """

    steps: tuple[Step, ...]
    missing: tuple[str, ...]
    repairs: tuple[str, ...]
    places: Mapping[str, int] = field(default_factory=dict)


def merge(exercise: Sequence[Cell], submission: Submission) -> Merged:
    """Puts a submission's answers and added cells into the exercise notebook.

    Cells are known by mtcourse id, then by cell id, then by their text and place.

    Args:
        exercise: the cells of the notebook that was handed out.
        submission: what came back.
    """
    repairs = list(submission.repairs)
    cells = list(_as_code(submission.cells, repairs))
    known = _known(exercise, cells)
    answers = _answers(exercise, cells, known, repairs)
    taken = {cell.number for cell in answers.values()}
    rest = _added(cells, known, taken)
    steps = [*_steps(rest.get("", ()))]
    for cell in exercise:
        if cell.role == "answer" and cell.exercise in answers:
            steps.append(Step("answer", cell.exercise, answers[cell.exercise].text, cell.id))
        elif cell.kind == "code" and cell.role != "answer":
            steps.append(Step(cell.role, cell.exercise, cell.text, cell.id))
            steps += _kept_imports(cell, cells, known, repairs)
        steps += _steps(rest.get(cell.id, ()))
    asked = [cell.exercise for cell in exercise if cell.role == "answer"]
    missing = tuple(name for name in asked if name not in answers)
    places = {name: cell.number for name, cell in answers.items()}
    return Merged(tuple(steps), missing, tuple(repairs), places)


def _as_code(cells: Sequence[Cell], repairs: list[str]) -> Iterator[Cell]:
    """The cells; an answer that was turned into text is code again."""
    for cell in cells:
        if cell.role == "answer" and cell.kind != "code":
            repairs.append(f"the answer {cell.exercise} was a {cell.kind} cell: read as code")
            fenced = _FENCE.match(cell.text)
            yield replace(cell, kind="code", text=fenced[1] if fenced else cell.text)
        else:
            yield cell


def _known(exercise: Sequence[Cell], cells: Sequence[Cell]) -> dict[int, str]:
    """For each returned cell that was handed out its id there, by the cell's number."""
    by_role = {(cell.role, cell.exercise): cell.id for cell in exercise if _is_unique(cell)}
    by_id = {cell.id: cell for cell in exercise}
    known: dict[int, str] = {}
    for cell in cells:
        if _is_unique(cell) and (cell.role, cell.exercise) in by_role:
            known[cell.number] = by_role[cell.role, cell.exercise]
        elif not _is_unique(cell) and cell.id in by_id and cell.kind == by_id[cell.id].kind:
            known.setdefault(cell.number, cell.id)
    unseen = [cell for cell in exercise if cell.id not in known.values()]
    for cell in cells:
        if cell.number in known:
            continue
        same = next((one for one in unseen if _same_text(one, cell)), None)
        if same:
            known[cell.number] = same.id
            unseen.remove(same)
    known |= _known_by_place(exercise, cells, known)
    return known


def _is_unique(cell: Cell) -> bool:
    """Whether role and exercise name one cell: each exercise has one answer and one check."""
    return cell.role in ("answer", "check") and bool(cell.exercise)


def _same_text(one: Cell, other: Cell) -> bool:
    return one.kind == other.kind and one.text.split() == other.text.split()


def _known_by_place(
    exercise: Sequence[Cell], cells: Sequence[Cell], known: Mapping[int, str]
) -> dict[int, str]:
    """Answers that nothing names: what stands between the known neighbours of their place."""
    found: dict[int, str] = {}
    numbers = {identity: number for number, identity in known.items()}
    for place, cell in enumerate(exercise):
        if cell.role != "answer" or cell.id in numbers:
            continue
        before = [numbers[c.id] for c in exercise[:place] if c.id in numbers]
        after = [numbers[c.id] for c in exercise[place + 1 :] if c.id in numbers]
        first, last = max(before, default=0), min(after, default=len(cells) + 1)
        between = [
            c
            for c in cells
            if first < c.number < last and c.kind == "code" and c.number not in known
        ]
        defining = [c for c in between if cell.exercise in names_of(c.text)]
        if chosen := (defining or between):
            found[chosen[-1].number] = cell.id
    return found


def _answers(
    exercise: Sequence[Cell], cells: Sequence[Cell], known: Mapping[int, str], repairs: list[str]
) -> dict[str, Cell]:
    """The cell that answers each exercise; of several the last that is no stub."""
    answers: dict[str, Cell] = {}
    strangers = [cell for cell in cells if cell.number not in known and cell.kind == "code"]
    for asked in exercise:
        if asked.role != "answer":
            continue
        name = asked.exercise
        own = [cell for cell in cells if known.get(cell.number) == asked.id]
        begun = [cell for cell in own if not is_untouched(cell)]
        elsewhere = [cell for cell in strangers if name in names_of(cell.text)]
        if len(begun) > 1:
            repairs.append(f"there were {len(begun)} cells for {name}: the last one is graded")
        if not begun and elsewhere:
            repairs.append(f"the answer {name} was found in an added cell")
        if chosen := begun or elsewhere or own:
            answers[name] = chosen[-1]
    return answers


def _added(
    cells: Sequence[Cell], known: Mapping[int, str], taken: set[int]
) -> dict[str, list[Cell]]:
    """Code cells of the learner's own, by the id of the handed-out cell that they follow."""
    added: dict[str, list[Cell]] = {}
    anchor, seen = "", set()
    for cell in cells:
        identity = known.get(cell.number, "")
        second = identity in seen
        if identity and not second:
            anchor = identity
            seen.add(identity)
        elif cell.kind == "code" and cell.number not in taken and not is_untouched(cell):
            added.setdefault(anchor, []).append(cell)
    return added


def _steps(cells: Sequence[Cell]) -> list[Step]:
    return [Step("added", "", cell.text, cell.id or f"cell-{cell.number}") for cell in cells]


def _kept_imports(
    given: Cell, cells: Sequence[Cell], known: Mapping[int, str], repairs: list[str]
) -> list[Step]:
    """The imports that a learner wrote into a given or check cell, which is the instructor's."""
    steps = []
    for cell in cells:
        if known.get(cell.number) != given.id or _same_text(cell, given):
            continue
        repairs.append(f"the {given.role} cell {given.id} was changed: the first one is used")
        imports = [line for line in imports_of(cell.text) if line not in imports_of(given.text)]
        if imports:
            steps.append(Step("added", "", "\n".join(imports), f"{given.id}-imports"))
    return steps
