"""The questions of chapter 19."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from mtcourse.chapters.sampling.exercises import EXERCISES
from mtcourse.decoding.filters import in_order, min_p, temperature
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}
_TEMPERED, _NUCLEUS = _KNOWN["tempered"], _KNOWN["nucleus"]

_TIMES, _NEXT = 200, {"kok": 0.4, "man": 0.35, "vrouw": 0.25}
_ABOUT = round(_TIMES * _NEXT["kok"])

_TAIL, _LENGTH = 0.1, 3
_AVOIDED = (1 - _TAIL) ** _LENGTH

_NINEFOLD = (torch.tensor([math.log(9), 0.0]), 2.0)

_FIVE = torch.tensor([0.5, 0.3, 0.1, 0.06, 0.04]).log()

_SQUARES = torch.tensor([0.64, 0.25, 0.09, 0.01, 0.01]).log()
_WARM, _MIN = partial(temperature, T=2), partial(min_p, p=0.35)

_COUNTS = {"A": 4, "B": 3, "C": 3}
_ALIKE = {"A": (1, 0.1, 0.3), "B": (0.1, 1, 0.8), "C": (0.3, 0.8, 1)}


def _times(p: Tensor) -> str:
    """How many times as probable the first of two tokens is."""
    return f"{p[0] / p[1]:.3g} times"


def _stay(logits: Tensor) -> int:
    return int((logits > -math.inf).sum())


def _three_by(keeps: Callable[..., Tensor]) -> str:
    """The p that keeps three of the five tokens, by the rule of a function."""
    (p,) = (p for p in (0.15, 0.75, 0.85, 0.95) if _stay(keeps(_FIVE, p)) == 3)
    return f"p = {p}"


def _first_and_last(first: int, last: int) -> str:
    return f"{first} if it comes first, {last} if it comes last"


def _agrees(candidate: str) -> float:
    """The mean utility of a candidate over all samples."""
    of_samples = zip(_ALIKE[candidate], _COUNTS.values(), strict=True)
    return sum(u * count for u, count in of_samples) / sum(_COUNTS.values())


def _rule(name: str) -> Callable[..., Tensor]:
    return next(wrong for wrong in _NUCLEUS.misconceptions if wrong.__name__ == name)


_HOT, _COOL = (_stay(in_order(*of)(_SQUARES)) for of in ((_WARM, _MIN), (_MIN, _WARM)))
_CHOSEN = max(_ALIKE, key=_agrees)
_FREQUENT = max(_COUNTS, key=_COUNTS.__getitem__)

QUESTIONS = (
    Question(
        "always the same noun",
        "The next token is *kok* with probability 0.4, *man* with 0.35 and *vrouw* with 0.25. You "
        f"continue the text {_TIMES} times with greedy search and {_TIMES} times with ancestral "
        "sampling. How often do you expect *kok* as the next token?",
        f"{_TIMES} times with greedy search, about {_ABOUT} times with sampling",
        "Greedy search takes the most probable token every time. Sampling takes each token as often"
        f" as the model says, and 0.4 · {_TIMES} = {_ABOUT}.",
        (
            Mistake(
                f"{_TIMES} times with greedy search, {_TIMES} times with sampling",
                "You let both take the most probable token. What does sampling do with the "
                "probabilities of the other two?",
                "draw_token.most_probable",
            ),
            Mistake(
                f"{_TIMES} times with greedy search, about {round(_TIMES / len(_NEXT))} times "
                "with sampling",
                "You draw all three tokens equally often. Which number says how often each of them "
                "comes up?",
                "draw_token.share_of_the_vocabulary",
            ),
            Mistake(
                f"About {_ABOUT} times with greedy search, about {_ABOUT} times with sampling",
                "You let greedy search draw, too. Nothing about greedy search is random: which "
                "token does it take?",
                "tempered.zero_unchanged",
            ),
        ),
    ),
    Question(
        "once in the tail",
        f"At every position, whatever stands before it, the tail has probability {_TAIL}. You draw "
        "a text of three tokens. How probable is it that at least one of them comes from the tail?",
        f"{1 - _AVOIDED:.1%}",
        f"All three avoid the tail with probability 0.9 · 0.9 · 0.9 = {_AVOIDED:.3f}. The rest is "
        "the probability that at least one does not.",
        (
            Mistake(
                f"{_AVOIDED:.1%}",
                "That is how probable it is that no token comes from the tail. The question asks "
                "for the opposite.",
                "distinct_n.repeated_share",
            ),
            Mistake(
                f"{_LENGTH * _TAIL:.1%}",
                "You add up the three positions, so a text with two tokens from the tail counts "
                "twice. First ask how probable it is that all three avoid the tail.",
                "nucleus.added_over_rows",
            ),
            Mistake(
                f"{_TAIL:.1%}",
                "That is the probability at a single position. The text has three chances to fall "
                "into the tail.",
                "distinct_n.single_tokens",
            ),
        ),
    ),
    Question(
        "a ratio at temperature 2",
        "At T = 1, one token is 9 times as probable as another. How many times as probable is it "
        "at T = 2?",
        _times(_TEMPERED.oracle(*_NINEFOLD)),
        "The difference of the logits is ln 9 and is halved to ln 3. So the ratio becomes its "
        "square root.",
        (
            mistake_of(
                _TEMPERED,
                "multiplied",
                _NINEFOLD,
                _times,
                "You multiply the logits by T, which squares the ratio. Does a high temperature "
                "sharpen a distribution, or flatten it?",
            ),
            Mistake(
                f"{9 / 2:g} times",
                "You divide the ratio itself by T. What is divided by T is the logits: what does "
                "halving their difference do to the ratio?",
                "temperature_for.relative_to_one",
            ),
            mistake_of(
                _TEMPERED,
                "temperature_ignored",
                _NINEFOLD,
                _times,
                "That would be so if the probabilities were divided by T and made to sum to 1 "
                "again. But the logits are divided, inside the exponential.",
            ),
        ),
    ),
    Question(
        "three tokens stay",
        "Five tokens have the probabilities 0.5, 0.3, 0.1, 0.06 and 0.04. With which p does top-p "
        "keep exactly three of them?",
        _three_by(_NUCLEUS.oracle),
        "Two tokens have 0.8 together, which is not enough, and three have 0.9, which is. The "
        "token that crosses p stays.",
        (
            Mistake(
                _three_by(_rule("crossing_token_dropped")),
                "You drop the token that crosses p. The nucleus has to reach p: do three tokens "
                "with 0.9 together reach it?",
                "nucleus.crossing_token_dropped",
            ),
            Mistake(
                _three_by(_rule("one_too_many")),
                "You keep one token more than is needed. What do the first two have together?",
                "nucleus.one_too_many",
            ),
            Mistake(
                _three_by(_rule("min_p")),
                "You compare each token with the most probable one, which is min-p. Top-p adds up "
                "the probabilities, beginning with the largest.",
                "nucleus.min_p",
            ),
        ),
    ),
    Question(
        "the place of the temperature",
        "Five tokens have the probabilities 0.64, 0.25, 0.09, 0.01 and 0.01. A sampler uses min-p "
        "0.35 and a temperature of 2. How many tokens stay if the temperature comes before min-p, "
        "and how many if it comes after it?",
        _first_and_last(_HOT, _COOL),
        "The third token decides. As it is, it has 0.09 / 0.64 = 0.14 of the largest probability. "
        "T = 2 takes the root of this ratio, 0.3 / 0.8 = 0.375, which is above 0.35.",
        (
            Mistake(
                _first_and_last(_COOL, _COOL),
                "You leave the temperature out. If it comes first, it changes the ratios that "
                "min-p compares: what does T = 2 do to a ratio?",
                "what_stays.heat_is_ignored_by_min_p",
            ),
            Mistake(
                _first_and_last(_COOL, _HOT),
                "If min-p comes first, no temperature can bring back what it has excluded. "
                "In which order does the temperature change what min-p compares?",
                "what_stays.heat_brings_tokens_back",
            ),
            Mistake(
                _first_and_last(_HOT, _HOT),
                "You flatten the distribution before min-p both times. If min-p comes first, it "
                "sees the probabilities as they are.",
                "what_stays.order_does_not_matter_to_top_p",
            ),
        ),
    ),
    Question(
        "chosen among ten samples",
        "Of ten samples, four are text A, three are B and three are C. The utility of a text is 1 "
        "with itself, 0.8 between B and C, 0.3 between A and C, and 0.1 between A and B. Which text"
        " does minimum Bayes risk choose, and with which mean utility?",
        f"{_CHOSEN}, with {_agrees(_CHOSEN):.2f}",
        "C has 0.4 · 0.3 + 0.3 · 0.8 + 0.3 · 1. That is more than A's "
        f"{_agrees('A'):.2f} and B's {_agrees('B'):.2f}.",
        (
            Mistake(
                f"{_FREQUENT}, with {_agrees(_FREQUENT):.2f}",
                "You choose the most frequent sample. It agrees little with the other six: compute "
                "the mean utility of the other texts, too.",
                "mbr_choice.most_frequent_sample",
            ),
            Mistake(
                f"{_CHOSEN}, with {sum(_ALIKE[_CHOSEN]) / len(_COUNTS):.2f}",
                "You count each different text once. The mean runs over all ten samples: how often "
                "does each text occur among them?",
                "mbr_choice.counts_ignored",
            ),
            Mistake(
                f"{_CHOSEN}, with {_agrees(_CHOSEN) - _COUNTS[_CHOSEN] / 10:.2f}",
                "You leave out the samples that are equal to the candidate. The mean runs over all "
                "ten.",
                "mbr_choice.itself_left_out",
            ),
        ),
    ),
)
