"""The checks of the notebook ``07_framework_model``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.framework_model.exercises import (
    as_printed,
    decoder,
    decoder_input,
    feed_forward,
    parameters,
    reads,
    same_prediction,
    write,
)

EXERCISES = (
    feed_forward.EXERCISE,
    decoder.EXERCISE,
    decoder_input.EXERCISE,
    parameters.EXERCISE,
    same_prediction.EXERCISE,
    write.EXERCISE,
    reads.EXERCISE,
    as_printed.EXERCISE,
)
check = Checker(EXERCISES)
