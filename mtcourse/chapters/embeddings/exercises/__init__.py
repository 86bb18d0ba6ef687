"""The checks of the notebook ``02_embeddings``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.embeddings.exercises import (
    embed,
    embed_one_hot,
    nearest_rows,
    table_gradient,
    table_update,
    tied_parameters,
    which_transcription,
)

EXERCISES = (
    embed_one_hot.EXERCISE,
    embed.EXERCISE,
    table_gradient.EXERCISE,
    table_update.EXERCISE,
    tied_parameters.EXERCISE,
    nearest_rows.EXERCISE,
    which_transcription.EXERCISE,
)
check = Checker(EXERCISES)
