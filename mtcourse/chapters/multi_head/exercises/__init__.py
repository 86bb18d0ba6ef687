"""The checks of the notebook ``09_multi_head``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.multi_head.exercises import (
    cost,
    equal_layouts,
    full_width_heads,
    multi_head_attention,
    padded_heads,
    pruning_intervals,
    read_heads,
    split_heads,
    your_translator,
)

EXERCISES = (
    split_heads.EXERCISE,
    multi_head_attention.EXERCISE,
    full_width_heads.EXERCISE,
    cost.EXERCISE,
    equal_layouts.EXERCISE,
    padded_heads.EXERCISE,
    pruning_intervals.EXERCISE,
    read_heads.EXERCISE,
    your_translator.EXERCISE,
)
check = Checker(EXERCISES)
