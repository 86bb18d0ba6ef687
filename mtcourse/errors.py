"""The one exception that a user of mtcourse is meant to read."""


class MtcourseError(Exception):
    """Says what was wrong, where, and what to do; the command line prints no traceback."""
