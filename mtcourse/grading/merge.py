"""Merges a submission with its exercise notebook: only the answers are the learner's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mtcourse.grading.exercise_notebook import is_untouched, without_address
from mtcourse.grading.python_source import find_defined_names, find_imports
from mtcourse.grading.solution_notebook import Cell
from mtcourse.grading.submitted_notebook import SubmittedNotebook

_FENCE = re.compile(r"^```\w*\n(.*?)\n```\s*$", re.DOTALL)


@dataclass(frozen=True)
class MergedCell:
    """One code cell of the merged notebook.

    Args:
        role: "given", "answer", "check" or "added".
        exercise: the id of the exercise that it answers or checks; otherwise empty.
        source: its code.
        id: its cell id, for error messages.
    """

    role: str
    exercise: str
    source: str
    id: str


@dataclass(frozen=True)
class MergedNotebook:
    """The notebook that is run to grade a submission.

    Args:
        cells: its code cells, in the order of the exercise notebook.
        missing: the exercises without an answer.
        repairs: what was corrected in the submission; the learner reads this.
        cell_numbers: for each answered exercise the number of its cell in the submission.
    """

    cells: tuple[MergedCell, ...]
    missing: tuple[str, ...]
    repairs: tuple[str, ...]
    cell_numbers: Mapping[str, int] = field(default_factory=dict)


def merge_submission(exercise: Sequence[Cell], submission: SubmittedNotebook) -> MergedNotebook:
    """Puts the answers and the added cells of a submission into the exercise notebook.

    Cells are matched by their mtcourse id, then by their cell id, then by their text and position.

    Args:
        exercise: the cells of the exercise notebook.
        submission: the notebook that the learner handed in.
    """
    repairs = list(submission.repairs)
    cells = list(_restore_code_cells(submission.cells, repairs))
    matched = _match_cells(exercise, cells)
    answers = _choose_answers(exercise, cells, matched, repairs)
    taken = {cell.number for cell in answers.values()}
    added = _find_added_cells(cells, matched, taken)
    merged_cells = [*_make_added_cells(added.get("", ()))]
    for cell in exercise:
        if cell.role == "answer" and cell.exercise in answers:
            merged_cells.append(
                MergedCell("answer", cell.exercise, answers[cell.exercise].text, cell.id)
            )
        elif cell.kind == "code" and cell.role != "answer":
            merged_cells.append(MergedCell(cell.role, cell.exercise, cell.text, cell.id))
            merged_cells += _keep_imports(cell, cells, matched, repairs)
        merged_cells += _make_added_cells(added.get(cell.id, ()))
    names = [cell.exercise for cell in exercise if cell.role == "answer"]
    missing = tuple(name for name in names if name not in answers)
    cell_numbers = {name: cell.number for name, cell in answers.items()}
    return MergedNotebook(tuple(merged_cells), missing, tuple(repairs), cell_numbers)


def _restore_code_cells(cells: Sequence[Cell], repairs: list[str]) -> Iterator[Cell]:
    """Yields the cells; an answer that was changed into a text cell becomes code again."""
    for cell in cells:
        if cell.role == "answer" and cell.kind != "code":
            repairs.append(f"the answer {cell.exercise} was a {cell.kind} cell: read as code")
            fenced = _FENCE.match(cell.text)
            yield replace(cell, kind="code", text=fenced[1] if fenced else cell.text)
        else:
            yield cell


def _match_cells(exercise: Sequence[Cell], cells: Sequence[Cell]) -> dict[int, str]:
    """Returns the id of the original cell for the number of each submitted one, if it has one."""
    by_role = {(cell.role, cell.exercise): cell.id for cell in exercise if _has_unique_role(cell)}
    by_id = {cell.id: cell for cell in exercise}
    matched: dict[int, str] = {}
    for cell in cells:
        if _has_unique_role(cell) and (cell.role, cell.exercise) in by_role:
            matched[cell.number] = by_role[cell.role, cell.exercise]
        elif not _has_unique_role(cell) and cell.id in by_id and cell.kind == by_id[cell.id].kind:
            matched.setdefault(cell.number, cell.id)
    unseen = [cell for cell in exercise if cell.id not in matched.values()]
    for cell in cells:
        if cell.number in matched:
            continue
        same = next((one for one in unseen if _same_text(one, cell)), None)
        if same:
            matched[cell.number] = same.id
            unseen.remove(same)
    matched |= _match_by_place(exercise, cells, matched)
    return matched


def _has_unique_role(cell: Cell) -> bool:
    """Whether role and exercise identify the cell: each exercise has one answer and one check."""
    return cell.role in ("answer", "check") and bool(cell.exercise)


def _same_text(one: Cell, other: Cell) -> bool:
    first, second = (without_address(cell.text).split() for cell in (one, other))
    return one.kind == other.kind and first == second


def _match_by_place(
    exercise: Sequence[Cell], cells: Sequence[Cell], matched: Mapping[int, str]
) -> dict[int, str]:
    """Matches answers that nothing identifies, by the matched cells before and after them."""
    found: dict[int, str] = {}
    numbers = {identity: number for number, identity in matched.items()}
    for place, cell in enumerate(exercise):
        if cell.role != "answer" or cell.id in numbers:
            continue
        before = [numbers[c.id] for c in exercise[:place] if c.id in numbers]
        after = [numbers[c.id] for c in exercise[place + 1 :] if c.id in numbers]
        first, last = max(before, default=0), min(after, default=len(cells) + 1)
        between = [
            c
            for c in cells
            if first < c.number < last and c.kind == "code" and c.number not in matched
        ]
        defining = [c for c in between if cell.exercise in find_defined_names(c.text)]
        if chosen := (defining or between):
            found[chosen[-1].number] = cell.id
    return found


def _choose_answers(
    exercise: Sequence[Cell], cells: Sequence[Cell], matched: Mapping[int, str], repairs: list[str]
) -> dict[str, Cell]:
    """Chooses the cell that answers each exercise: of several the last one that is not a stub."""
    answers: dict[str, Cell] = {}
    strangers = [cell for cell in cells if cell.number not in matched and cell.kind == "code"]
    for given in exercise:
        if given.role != "answer":
            continue
        name = given.exercise
        own = [cell for cell in cells if matched.get(cell.number) == given.id]
        begun = [cell for cell in own if not is_untouched(cell)]
        elsewhere = [cell for cell in strangers if name in find_defined_names(cell.text)]
        if len(begun) > 1:
            repairs.append(f"there were {len(begun)} cells for {name}: the last one is graded")
        if not begun and elsewhere:
            repairs.append(f"the answer {name} was found in an added cell")
        if chosen := begun or elsewhere or own:
            answers[name] = chosen[-1]
    return answers


def _find_added_cells(
    cells: Sequence[Cell], matched: Mapping[int, str], taken: set[int]
) -> dict[str, list[Cell]]:
    """Returns the learner's own code cells, by the id of the original cell before them."""
    added: dict[str, list[Cell]] = {}
    anchor, seen = "", set()
    for cell in cells:
        identity = matched.get(cell.number, "")
        second = identity in seen
        if identity and not second:
            anchor = identity
            seen.add(identity)
        elif cell.kind == "code" and cell.number not in taken and not is_untouched(cell):
            added.setdefault(anchor, []).append(cell)
    return added


def _make_added_cells(cells: Sequence[Cell]) -> list[MergedCell]:
    return [MergedCell("added", "", cell.text, cell.id or f"cell-{cell.number}") for cell in cells]


def _keep_imports(
    given: Cell, cells: Sequence[Cell], matched: Mapping[int, str], repairs: list[str]
) -> list[MergedCell]:
    """Returns the imports that a learner added to a given or check cell."""
    kept = []
    for cell in cells:
        if matched.get(cell.number) != given.id or _same_text(cell, given):
            continue
        repairs.append(f"the {given.role} cell {given.id} was changed: the first one is used")
        imports = [line for line in find_imports(cell.text) if line not in find_imports(given.text)]
        if imports:
            kept.append(MergedCell("added", "", "\n".join(imports), f"{given.id}-imports"))
    return kept
