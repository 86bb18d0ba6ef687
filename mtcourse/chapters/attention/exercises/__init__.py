"""The checks of the notebook ``04_attention``."""

from mtcourse.chapters.attention.exercises import (
    attention,
    possible_row,
    row_softmax,
    scaled_scores,
    score_variance,
    self_attention,
    softmax_jacobian,
)
from mtcourse.checks.checker import Checker

EXERCISES = (
    scaled_scores.EXERCISE,
    row_softmax.EXERCISE,
    attention.EXERCISE,
    score_variance.EXERCISE,
    softmax_jacobian.EXERCISE,
    self_attention.EXERCISE,
    possible_row.EXERCISE,
)
check = Checker(EXERCISES)
