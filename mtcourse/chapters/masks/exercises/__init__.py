"""The checks of the notebook ``05_masks``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.masks.exercises import (
    allowed_pairs,
    causal_mask,
    decoder_mask,
    hidden_weight,
    leaking_rows,
    masked_weights,
    padding_mask,
)

EXERCISES = (
    causal_mask.EXERCISE,
    padding_mask.EXERCISE,
    masked_weights.EXERCISE,
    allowed_pairs.EXERCISE,
    hidden_weight.EXERCISE,
    decoder_mask.EXERCISE,
    leaking_rows.EXERCISE,
)
check = Checker(EXERCISES)
