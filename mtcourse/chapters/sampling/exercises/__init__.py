"""The checks of the notebook ``19_sampling``."""

from mtcourse.checks.banks import exercises_in
from mtcourse.checks.checker import Checker

EXERCISES = exercises_in(__name__, __path__)
check = Checker(EXERCISES)
