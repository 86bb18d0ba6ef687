"""The checks of the notebook ``04_attention``."""

from mtcourse.checks.attention import scaled_scores
from mtcourse.checks.checker import Checker

EXERCISES = (scaled_scores.EXERCISE,)
check = Checker(EXERCISES)
