"""The exercise ``beam_lines``: which line of a beam search causes what (C15, C17; chapter 18)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line, with_every_line

_LINES = {
    "after an end, fewer prefixes go on than there are beams": "E",
    "after an end, a prefix goes on with the keys of another": "G",
    "the search stops although something better can still come": "L",
    "a finished sentence is continued": "none",
    "the first step has several equal beams": "none",
    "the score of a sentence leaves out its end": "none",
}
(_FEWER, _KEYS, _STOPS, _CONTINUED, _EQUAL, _END) = _LINES

_DOES = {
    "A": "begins with one empty prefix, with total 0 and no ended sentence",
    "B": "collects the last token of each prefix",
    "C": "asks the model for the next log-probabilities of each prefix",
    "D": "adds the total of each prefix to its row",
    "E": "takes the best candidates",
    "F": "finds the prefix and the token of each candidate",
    "G": "moves the keys and values of the prefixes",
    "H": "marks the candidates that end",
    "I": "puts finished sentences aside, with their scores",
    "J": "leaves finished candidates out",
    "K": "appends each token to its prefix",
    "L": "decides whether to stop",
}

_ASKS = {
    _FEWER: (
        "a beam that becomes narrower",
        "If one of the candidates ends, how many are left to go on?",
    ),
    _KEYS: (
        "keys of another prefix",
        "At which line are parents used that still include a candidate that has ended?",
    ),
    _STOPS: (
        "a search that stops too early",
        "Which two numbers are compared there, and are they of one kind?",
    ),
    _CONTINUED: (
        "a finished sentence that is continued",
        "Follow a candidate with the token EOS: is it still there after line J?",
    ),
    _EQUAL: (
        "equal beams at the first step",
        "How many rows has `grown` at the first step?",
    ),
    _END: (
        "a score without its end",
        "Which token is the last one whose log-probability is in `best[r]`?",
    ),
}


class _Known:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the tests below the code fail.

        Follow one candidate that ends through all lines.
        """
        return dict.fromkeys(_LINES, "none")

    def fewer_from_leaving_out():
        """You blame the line that leaves finished candidates out. They have to be left out: the
        fault is that no others take their place.

        If one of B candidates ends, how many are left to go on?
        """
        return {_FEWER: "J"}

    def fewer_is_right():
        """You say that the beam keeps its width. Count the prefixes after a step with one end.

        How many candidates does line E take?
        """
        return {_FEWER: "none"}

    def keys_from_the_model():
        """You blame the line that asks the model. It reads the state that it is given.

        Which line prepared that state, and from which parents?
        """
        return {_KEYS: "C"}

    def keys_from_the_prefixes():
        """You blame the line that appends tokens. Tokens and prefixes fit together there: the ends
        were left out before.

        Which line uses the parents *before* the ends are left out?
        """
        return {_KEYS: "K"}

    def keys_are_right():
        """You say that each prefix goes on with its own keys. Take three candidates, the first of
        which ends: which parents does line G use?

        Compare them with the parents after line J.
        """
        return {_KEYS: "none"}

    def stops_from_the_scores():
        """You blame the line that puts sentences aside, with their mean log-probability. Ranking by
        the mean is a choice, and the question says that it is wanted.

        Which line compares this mean with something else?
        """
        return {_STOPS: "I"}

    def stops_rightly():
        """You say that the search stops at the right time. After the first end it stops at once.

        Compare a sum over t tokens with a mean: which one is larger, nearly always?
        """
        return {_STOPS: "none"}

    def end_from_the_scores():
        """You blame the line that puts sentences aside for a missing end. `best[r]` is the total
        of the candidate, and its last token is EOS.

        Which token's log-probability was added last?
        """
        return {_END: "I"}

    def equal_from_the_start():
        """You blame the first line for equal beams. It begins with *one* prefix, so the candidates
        of the first step are all different.

        How many rows has `grown` at the first step?
        """
        return {_EQUAL: "A"}


EXERCISE = which_line(
    "beam_lines",
    _LINES,
    with_every_line(_Known, _LINES, _DOES, _ASKS),
    hint="Take B = 2 and three candidates, the first of which ends. Write parent, token and best "
    "after each line. For line L, ask which two numbers are compared.",
)
