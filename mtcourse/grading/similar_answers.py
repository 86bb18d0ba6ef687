"""Finds answers of a class that are the same, or nearly: for a person to read, not a verdict.

Two answers are the same if their syntax trees are, whatever their names, comments and layout. They
are nearly the same if they share most of their shingles: runs of some tokens, in which the names of
variables do not count. Shingles are the fingerprints of Broder, "On the resemblance and containment
of documents", 1997.

Code that everybody has proves nothing, so it does not count: the notebook that was handed out, its
solution, and the right and wrong answers that the exercise's check knows. What others in the class
have written as well counts less, and the more learners share an answer, the longer it has to be.
"""

from __future__ import annotations

import ast
import copy
import inspect
import io
import json
import textwrap
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from mtcourse.checks.banks import bank_of
from mtcourse.checks.exercise import Exercise
from mtcourse.grading.exercise_notebook import STUB_TEXT, make_exercise_notebook
from mtcourse.grading.merge import MergedNotebook, merge_submission
from mtcourse.grading.python_source import find_defined_names, parse_statements
from mtcourse.grading.solution_notebook import Cell, read_cells
from mtcourse.grading.submitted_notebook import Unreadable, parse_submitted_notebook

SHINGLE = 6
"""The number of tokens in a shingle."""
MIN_SHARED = 30.0
"""The shingles that two learners' answers must share to be shown; more if more learners do."""
CROWD = 3.0
"""How many times as many they must share if it is the answer of the whole class."""
MIN_SHARE = 0.75
"""The part of the longer answer that the shorter one must contain to be nearly the same."""
MIN_OTHERS = 10
"""The number of others below which it cannot be known how common something is."""
MAX_CHARACTERS = 20_000
"""The length of code that is parsed; longer code is compared as text."""
MAX_TOKENS = 4000
"""The tokens of an answer that are compared."""
ADDED_CELLS = "(added cells)"
"""Stands in the place of an exercise for the cells that learners have added."""
WORD_FOR_WORD, SAME, NEARLY = "word for word", "the same code", "nearly the same"
"""How answers are alike; the second is apart from names, comments and layout."""


@dataclass(frozen=True)
class Version:
    """One of the texts in a group of similar answers, and the learners who handed it in."""

    learners: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class SimilarAnswers:
    """Answers to one exercise that are the same, or nearly.

    Args:
        notebook: its name.
        exercise: the id of the exercise, or ``ADDED_CELLS``.
        how: ``WORD_FOR_WORD``, ``SAME`` or ``NEARLY``.
        versions: the distinct texts, the most frequent first.
        shared: the length of what they share, in shingles, weighed as described above.
        answered: the number of learners who have answered the exercise.
    """

    notebook: str
    exercise: str
    how: str
    versions: tuple[Version, ...]
    shared: int
    answered: int

    @property
    def learners(self) -> tuple[str, ...]:
        """All learners of the group, sorted."""
        return tuple(sorted(name for version in self.versions for name in version.learners))


@dataclass(eq=False)
class _Code:
    """Answers whose syntax trees are the same."""

    shingles: frozenset[tuple[str, ...]]
    learners: list[str] = field(default_factory=list)


def compare_class(
    contents: Mapping[tuple[str, str], bytes], solutions: Mapping[str, bytes]
) -> list[SimilarAnswers]:
    """Finds the groups of similar answers in a class, the largest and longest first.

    Args:
        contents: the bytes of each submission, by learner and notebook.
        solutions: the bytes of each solution, by notebook; others are not compared.
    """
    found = []
    for name, content in solutions.items():
        solution = json.loads(content)
        handed_out = read_cells(make_exercise_notebook(Path(f"{name}.ipynb"), solution))
        merged = {}
        for learner in sorted(learner for learner, notebook in contents if notebook == name):
            try:
                submission = parse_submitted_notebook(contents[learner, name])
                merged[learner] = merge_submission(handed_out, submission)
            except (Unreadable, KeyError):  # the results say so
                continue
        if len(merged) > 1:
            known = collect_known_code(name, read_cells(solution))
            found += find_similar_answers(name, collect_answers(merged), known)
    return sorted(found, key=_rank)


def find_similar_answers(
    notebook: str,
    answers: Mapping[str, Mapping[str, str]],
    known: Mapping[str, Iterable[str]],
) -> list[SimilarAnswers]:
    """Finds the groups of similar answers to a notebook, the largest and longest first.

    Args:
        notebook: its name.
        answers: the text of each answer, by exercise and learner.
        known: code that does not count, by exercise.
    """
    found = [
        group
        for exercise, given in answers.items()
        for group in _compare_answers(notebook, exercise, given, known.get(exercise, ()))
    ]
    return sorted(found, key=_rank)


def _rank(one: SimilarAnswers) -> tuple[object, ...]:
    return -len(one.learners), -one.shared, one.notebook, one.exercise, one.learners


def count_pairs(groups: Sequence[SimilarAnswers]) -> list[tuple[tuple[str, str], int]]:
    """Counts the groups that two learners share: those pairs with several, the most first."""
    shared = Counter(pair for group in groups for pair in combinations(group.learners, 2))
    several = [(pair, count) for pair, count in shared.items() if count > 1]
    return sorted(several, key=lambda one: (-one[1], one[0]))


def collect_answers(merged: Mapping[str, MergedNotebook]) -> dict[str, dict[str, str]]:
    """Returns the answers of merged notebooks by exercise and learner, without open ones.

    Args:
        merged: by learner.
    """
    answers: dict[str, dict[str, str]] = {}
    for learner, notebook in merged.items():
        added = []
        for cell in notebook.cells:
            if cell.role == "answer" and STUB_TEXT not in cell.source:
                answers.setdefault(cell.exercise, {})[learner] = cell.source
            elif cell.role == "added":
                added.append(cell.source)
        if added:
            answers.setdefault(ADDED_CELLS, {})[learner] = "\n\n".join(added)
    return answers


def collect_known_code(notebook: str, solution: Iterable[Cell]) -> dict[str, list[str]]:
    """Returns the code that does not count, by exercise.

    Args:
        notebook: its name, which leads to its checks.
        solution: the cells of the solution notebook.
    """
    cells = [cell for cell in solution if cell.kind == "code"]
    given = [cell.text for cell in cells if cell.role != "answer"]
    known = {cell.exercise: [cell.text, *given] for cell in cells if cell.role == "answer"}
    for exercise in bank_of(notebook):
        known.setdefault(exercise.id, []).extend(_read_known_answers(exercise))
    known[ADDED_CELLS] = [text for texts in known.values() for text in texts]
    return known


def _read_known_answers(exercise: Exercise) -> list[str]:
    """Returns the source of the answers that a check knows, where it can be had."""
    texts = []
    for function in (exercise.oracle, *exercise.right, *exercise.misconceptions):
        try:
            texts.append(textwrap.dedent(inspect.getsource(function)))
        except (OSError, TypeError):  # made at run time
            continue
    return texts


def _compare_answers(
    notebook: str, exercise: str, given: Mapping[str, str], known: Iterable[str]
) -> list[SimilarAnswers]:
    """Returns the groups of one exercise."""
    common = {one for text in known for one in make_shingles(text)}
    codes: dict[str, _Code] = {}
    for learner, text in sorted(given.items()):
        tree = normalize(text)
        if tree not in codes:
            codes[tree] = _Code(frozenset(make_shingles(text)) - common)
        codes[tree].learners.append(learner)
    links = [pair for pair in combinations(codes.values(), 2) if _are_similar(*pair)]
    return [
        _make_group(notebook, exercise, given, members, shared)
        for members in _join_linked(list(codes.values()), links)
        if (shared := _weigh_group(members, list(codes.values())))
    ]


def _are_similar(one: _Code, other: _Code) -> bool:
    """Whether two codes share so much that they are nearly the same."""
    longer = max(len(one.shingles), len(other.shingles))
    return len(one.shingles & other.shingles) >= max(MIN_SHARED, MIN_SHARE * longer)


def _join_linked(codes: Sequence[_Code], links: Sequence[tuple[_Code, _Code]]) -> list[list[_Code]]:
    """Joins codes that are linked, also by way of others."""
    groups = {id(code): number for number, code in enumerate(codes)}
    for one, other in links:
        old, new = groups[id(other)], groups[id(one)]
        groups = {code: new if group == old else group for code, group in groups.items()}
    joined: dict[int, list[_Code]] = {}
    for code in codes:
        joined.setdefault(groups[id(code)], []).append(code)
    return list(joined.values())


def _weigh_group(members: Sequence[_Code], codes: Sequence[_Code]) -> float:
    """Returns the length of what a group shares; 0 if that is no reason to show it.

    A shingle counts the less, the more learners outside the group have it as well.
    """
    others = [code for code in codes if code not in members]
    inside, outside = (sum(len(code.learners) for code in part) for part in (members, others))
    if inside < 2:
        return 0.0
    elsewhere: Counter[tuple[str, ...]] = Counter()
    for code in others:
        elsewhere.update(dict.fromkeys(code.shingles, len(code.learners)))
    pairs = combinations(members, 2) if len(members) > 1 else [(members[0], members[0])]
    shared = max(
        sum(1 - elsewhere[s] / max(MIN_OTHERS, outside) for s in one.shingles & other.shingles)
        for one, other in pairs
    )
    crowd = (inside - 2) / max(1, inside + outside - 2)
    return shared if shared >= MIN_SHARED * (1 + (CROWD - 1) * crowd) else 0.0


def _make_group(
    notebook: str, exercise: str, given: Mapping[str, str], codes: Sequence[_Code], shared: float
) -> SimilarAnswers:
    """Makes a group, with its distinct texts."""
    texts: dict[str, list[str]] = {}
    for code in codes:
        for learner in code.learners:
            texts.setdefault(given[learner].strip(), []).append(learner)
    versions = [Version(tuple(learners), text) for text, learners in texts.items()]
    versions.sort(key=lambda version: (-len(version.learners), version.learners))
    how = NEARLY if len(codes) > 1 else SAME if len(versions) > 1 else WORD_FOR_WORD
    return SimilarAnswers(notebook, exercise, how, tuple(versions), round(shared), len(given))


def normalize(code: str) -> str:
    """Returns code without comments and layout, in which its own names are numbers.

    Code that is not Python stays as it is, apart from its layout.

    >>> normalize("def f(a):\\n    '''Doubles.'''\\n    return 2*a  # a comment")
    'def f(n1):\\n    return 2 * n1'
    """
    return _unparse(code, numbered=True) or " ".join(code.split())


def make_shingles(code: str) -> set[tuple[str, ...]]:
    """Returns the shingles of code; all of its own names are one and the same."""
    tokens = _split_tokens(_unparse(code, numbered=False)) or code.split()
    tokens = tokens[:MAX_TOKENS]
    return {tuple(tokens[i : i + SHINGLE]) for i in range(len(tokens) - SHINGLE + 1)}


def _unparse(code: str, numbered: bool) -> str:
    """Writes code anew; nothing if that is not possible."""
    if len(code) > MAX_CHARACTERS:
        return ""
    try:
        tree = ast.Module(copy.deepcopy(parse_statements(code)), [])
        # What stands at the left margin keeps its name: the exercise has asked for it.
        namer = _Namer(_find_own_names(tree) - find_defined_names(code), numbered)
        return ast.unparse(ast.fix_missing_locations(namer.visit(tree)))
    except (RecursionError, ValueError, MemoryError):
        return ""


def _find_own_names(tree: ast.AST) -> set[str]:
    """Returns the arguments, variables and functions of some code."""
    own: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            own.add(node.name)
    return own


class _Namer(ast.NodeTransformer):
    """Takes names, docstrings, type hints and the names of errors out of a syntax tree."""

    def __init__(self, own: set[str], numbered: bool) -> None:
        self._own = own
        self._numbered = numbered
        self._numbers: dict[str, int] = {}

    def _name(self, name: str) -> str:
        if name not in self._own:
            return name
        number = self._numbers.setdefault(name, len(self._numbers) + 1)
        return f"n{number}" if self._numbered else "n"

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Renames a variable."""
        return ast.Name(self._name(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Renames an argument, and drops its type."""
        return ast.arg(self._name(node.arg))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Renames a function, and drops its docstring and its type."""
        node.name, node.returns = self._name(node.name), None
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            node.body = node.body[1:]
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Renames a class."""
        node.name = self._name(node.name)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Drops the type of a variable."""
        if node.value is None:
            return ast.Pass()
        return self.visit(ast.Assign([node.target], node.value))


def _split_tokens(code: str) -> list[str]:
    """Splits code into tokens, without its layout."""
    left_out = (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER)
    try:
        return [
            token.string if token.string.strip() else tokenize.tok_name[token.type]
            for token in tokenize.generate_tokens(io.StringIO(code).readline)
            if token.type not in left_out
        ]
    except (tokenize.TokenError, SyntaxError):
        return code.split()
