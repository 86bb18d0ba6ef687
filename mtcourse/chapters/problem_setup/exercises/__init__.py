"""The checks of the notebook ``01_problem_setup``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.problem_setup.exercises import (
    batch_shapes,
    cut,
    expected_padding,
    family,
    learn_joins,
    near_duplicates,
    one_hot,
    paired_lines,
)

EXERCISES = (
    paired_lines.EXERCISE,
    near_duplicates.EXERCISE,
    learn_joins.EXERCISE,
    cut.EXERCISE,
    one_hot.EXERCISE,
    batch_shapes.EXERCISE,
    expected_padding.EXERCISE,
    family.EXERCISE,
)
check = Checker(EXERCISES)
