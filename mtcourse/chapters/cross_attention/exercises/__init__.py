"""The checks of the notebook ``06_cross_attention``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.cross_attention.exercises import (
    alignment_error_rate,
    cross_attention,
    cross_shapes,
    decoder_step,
    printed_divisors,
    value_gradient,
    which_row,
    word_alignment,
)

EXERCISES = (
    cross_attention.EXERCISE,
    cross_shapes.EXERCISE,
    value_gradient.EXERCISE,
    decoder_step.EXERCISE,
    word_alignment.EXERCISE,
    alignment_error_rate.EXERCISE,
    which_row.EXERCISE,
    printed_divisors.EXERCISE,
)
check = Checker(EXERCISES)
