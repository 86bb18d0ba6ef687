"""The checks of the notebook ``08_loss``."""

from mtcourse.checks.checker import Checker
from mtcourse.chapters.loss.exercises import (
    attention_gradients,
    descent,
    four_losses,
    logit_gradient,
    output_gradients,
    perplexities,
    smoothed_loss,
    token_losses,
)

EXERCISES = (
    token_losses.EXERCISE,
    four_losses.EXERCISE,
    perplexities.EXERCISE,
    logit_gradient.EXERCISE,
    output_gradients.EXERCISE,
    attention_gradients.EXERCISE,
    descent.EXERCISE,
    smoothed_loss.EXERCISE,
)
check = Checker(EXERCISES)
