"""The checks of the notebook ``03_positions``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.positions.exercises import (
    decoder_rows,
    misprints,
    most_right,
    position_similarity,
    same_bag,
    shift_rotation,
    sinusoidal_positions,
)

EXERCISES = (
    same_bag.EXERCISE,
    sinusoidal_positions.EXERCISE,
    misprints.EXERCISE,
    shift_rotation.EXERCISE,
    position_similarity.EXERCISE,
    decoder_rows.EXERCISE,
    most_right.EXERCISE,
)
check = Checker(EXERCISES)
