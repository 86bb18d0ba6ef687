"""The exercise ``schedule``: warm-up, then an inverse square root, with a given peak (ch. 12)."""

from __future__ import annotations

import math

import numpy as np
import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Steps before, at and after the end of the warm-up; one step of warm-up; drawn ones."""
    warmup = draw.size(20, 60)
    return [
        Case("the first of 4 steps of warm-up", (1, 4, 2.0), by_hand=True),
        Case("the last of 4 steps of warm-up", (4, 4, 2.0), by_hand=True),
        Case("step 16 after 4 of warm-up", (16, 4, 2.0), by_hand=True),
        Case("step 2 of 4", (2, 4, 3.0)),
        Case("step 3 of 4", (3, 4, 0.5)),
        Case("step 5 after 4", (5, 4, 0.5)),
        Case("one step of warm-up", (1, 1, 1.5)),
        Case("step 9 after one", (9, 1, 1.5)),
        Case("in a longer warm-up", (draw.size(5, 15), warmup, 4.0)),
        Case("after a longer warm-up", (warmup + draw.size(30, 90), warmup, 4.0)),
        Case("step 1 of 400", (1, 400, 50.0)),
        Case("the last of 400 steps of warm-up", (400, 400, 5.0)),
        Case("step 40000 after 400", (40_000, 400, 5.0)),
    ]


def correct(step, warmup, peak):
    """The smaller of a rising line and a falling root, which meet at the end of the warm-up."""
    return peak * min(step / warmup, math.sqrt(warmup / step))


def _two_parts(step, warmup, peak, rise=None, fall=None):
    """A schedule with another rise or another fall, each a factor on the peak."""
    if step <= warmup:
        return peak * (step / warmup if rise is None else rise(step, warmup))
    return peak * (math.sqrt(warmup / step) if fall is None else fall(step, warmup))


def _half_a_cosine(step, warmup):
    return 0.5 + 0.5 * math.cos(math.pi * (step - warmup) / warmup)


def _three_halves(step, warmup):
    return (step / warmup) ** -1.5


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_rates(step, warmup, peak):
        """You return the rates of all steps up to this one. Return the rate of this step alone.

        The training loop asks for one rate at each step.
        """
        return [correct(one, warmup, peak) for one in range(1, step + 1)]

    def larger_of_both(step, warmup, peak):
        """You took the larger of the two parts: your rate is lowest at the end of the warm-up,
        where it should be highest.

        Sketch both parts over the steps. Which of them lies below in the warm-up, and which after?
        """
        return peak * max(step / warmup, math.sqrt(warmup / step))

    def paper_times_peak(step, warmup, peak):
        """Your rate has the paper's form, but its highest value is peak / √warmup.

        What is your result at `step == warmup`? By which number must you multiply it to get `peak`?
        """
        return peak * min(step**-0.5, step * warmup**-1.5)

    def paper_over_its_root_times_peak(step, warmup, peak):
        """You divided the paper's formula by the root of the warm-up. At the end of the warm-up,
        your rate is peak / warmup.

        What is the paper's rate at `step == warmup`, without the width? Divide by *that*.
        """
        return peak * warmup**-0.5 * min(step**-0.5, step * warmup**-1.5)

    def paper_times_the_warmup(step, warmup, peak):
        """You multiplied the paper's formula by the warm-up itself. At the end of the warm-up, your
        rate is peak · √warmup.

        What is the paper's rate at `step == warmup`, without the width? Divide by *that*.
        """
        return peak * warmup * min(step**-0.5, step * warmup**-1.5)

    def paper_with_a_width_times_peak(step, warmup, peak):
        """You multiplied the paper's formula, with a width of 512, by `peak`. So its highest value
        is not `peak`.

        What is your result at `step == warmup`? The width is not needed.
        """
        return peak * 512**-0.5 * min(step**-0.5, step * warmup**-1.5)

    def paper_without_peak(step, warmup, peak):
        """You used the paper's formula with a width of 512, and `peak` is not in it.

        In this exercise the highest rate is given: it is `peak`, whatever the width.
        """
        return 512**-0.5 * min(step**-0.5, step * warmup**-1.5)

    def without_width_and_peak(step, warmup, peak):
        """You used the paper's formula without the width, and `peak` is not in it.

        The highest rate is given: your result at `step == warmup` should be `peak`.
        """
        return min(step**-0.5, step * warmup**-1.5)

    def a_factor(step, warmup, peak):
        """You return the factor on the peak, which is 1 at most. Return the rate itself.

        What should your result be at `step == warmup`?
        """
        return correct(step, warmup, 1.0)

    def peak_taken_for_the_width(step, warmup, peak):
        """You took `peak` for the width in the paper's formula.

        `peak` is the highest rate: your result at `step == warmup`.
        """
        return peak**-0.5 * min(step**-0.5, step * warmup**-1.5)

    def constant_after_warmup(step, warmup, peak):
        """Your rate stays at its peak after the warm-up. It should fall.

        After the warm-up it falls as 1/√step, beginning with `peak`.
        """
        return _two_parts(step, warmup, peak, fall=lambda step, warmup: 1.0)

    def no_warmup(step, warmup, peak):
        """There is no warm-up: your rate begins with its peak.

        In the warm-up the rate rises along a straight line, which would be 0 at step 0.
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: 1.0)

    def root_from_the_start(step, warmup, peak):
        """You used the falling root in the warm-up too, so your rate begins above its peak.

        In the warm-up the rate rises along a straight line.
        """
        return peak * math.sqrt(warmup / step)

    def line_without_end(step, warmup, peak):
        """Your rate never stops rising.

        After the warm-up it falls as 1/√step.
        """
        return peak * step / warmup

    def steps_from_0(step, warmup, peak):
        """You counted steps from 0 in the warm-up, so the first update has the rate 0.

        Steps count from 1: the rate is `peak` at `step == warmup`.
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: (step - 1) / warmup)

    def steps_from_0_everywhere(step, warmup, peak):
        """Your rate comes one step too late, so the first update has the rate 0.

        Steps count from 1: the rate is `peak` at `step == warmup`.
        """
        return correct(step - 1, warmup, peak) if step > 1 else 0.0

    def steps_from_0_with_a_stop(step, warmup, peak):
        """Your function stops at step 1: it takes 1 off the step, and then divides by 0.

        Steps count from 1, so you can use `step` as it is.
        """
        return peak * min((step - 1) / warmup, math.sqrt(warmup / (step - 1)))

    def line_from_0_to_the_peak(step, warmup, peak):
        """Your line begins with 0 at step 1, so the first update has the rate 0.

        The line would be 0 at step 0, if there were one. What is its height at step 1?
        """
        first = (step - 1) / (warmup - 1) if warmup > 1 else 1.0
        return peak * first if step <= warmup else correct(step, warmup, peak)

    def line_from_0_even_to_step_1(step, warmup, peak):
        """Your line begins with 0 at step 1. Even with a warm-up of one step, the first update has
        the rate 0.

        The line would be 0 at step 0, if there were one. What is its height at step 1?
        """
        if step > warmup:
            return correct(step, warmup, peak)
        return peak * (step - 1) / max(warmup - 1, 1)

    def one_step_early(step, warmup, peak):
        """Your rate comes one step too early: it is highest at step warmup − 1.

        Steps count from 1 already. Is there a + 1 too many?
        """
        return correct(step + 1, warmup, peak)

    def one_step_early_in_warmup(step, warmup, peak):
        """In the warm-up your rate comes one step too early, and is above its peak at the end.

        Steps count from 1 already. Is there a + 1 too many?
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: (step + 1) / warmup)

    def warmup_plus_one(step, warmup, peak):
        """You divide by warmup + 1 in the warm-up, so that the line does not reach the peak.

        The rate is `peak` at `step == warmup`.
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: step / (warmup + 1))

    def fall_from_anew(step, warmup, peak):
        """After the warm-up you count steps from its end, so your rate falls too fast at first.

        The root is that of the step itself, counted from the beginning of the run.
        """
        return _two_parts(
            step, warmup, peak, fall=lambda step, warmup: 1 / math.sqrt(step - warmup)
        )

    def fall_from_anew_plus_one(step, warmup, peak):
        """After the warm-up you count steps from its end, and add 1. Your rate falls too fast.

        The root is that of the step itself, counted from the beginning of the run.
        """
        return _two_parts(
            step, warmup, peak, fall=lambda step, warmup: 1 / math.sqrt(step - warmup + 1)
        )

    def jump_after_warmup(step, warmup, peak):
        """Your rate jumps down after the warm-up: it is peak / √step there.

        Both parts should meet at `step == warmup`. What is missing under the root?
        """
        return _two_parts(step, warmup, peak, fall=lambda step, warmup: step**-0.5)

    def jump_at_the_end_of_warmup(step, warmup, peak):
        """Your rate jumps down at the end of the warm-up: from there on, it is peak / √step.

        Both parts should meet at `step == warmup`, in the peak. What is missing under the root?
        """
        return peak * step / warmup if step < warmup else peak * step**-0.5

    def fall_from_its_own_warmup(step, warmup, peak):
        """After the warm-up you count steps from its end, so your rate is above its peak at first.

        The root is that of the step itself, counted from the beginning of the run.
        """
        return _two_parts(
            step, warmup, peak, fall=lambda step, warmup: math.sqrt(warmup / (step - warmup))
        )

    def fall_divides_by_0(step, warmup, peak):
        """Your function divides by 0 at the end of the warm-up: it takes the warm-up off the step.

        The root is that of the step itself, counted from the beginning of the run.
        """
        if step < warmup:
            return peak * step / warmup
        return peak * math.sqrt(warmup / (step - warmup))

    def root_of_the_larger(step, warmup, peak):
        """In the warm-up your rate is constant. It is the peak over the root of the step or of the
        warm-up, whichever is larger.

        At `step == warmup` the rate is `peak`. Before that, it rises along a straight line.
        """
        return peak / math.sqrt(max(step, warmup))

    def rise_without_peak(step, warmup, peak):
        """In the warm-up `peak` is missing: there your rate is step / warmup.

        At `step == warmup` the rate is `peak`.
        """
        return step / warmup if step < warmup else correct(step, warmup, peak)

    def rise_without_peak_and_jump(step, warmup, peak):
        """In the warm-up `peak` is missing, and after it the root of the warm-up.

        Both parts should be `peak` at `step == warmup`.
        """
        return step / warmup if step < warmup else peak / math.sqrt(step)

    def falls_without_a_root(step, warmup, peak):
        """After the warm-up your rate falls as 1/step. It should fall as one over the *root*.

        At four times the warm-up, half of the peak is left.
        """
        return peak * min(step / warmup, warmup / step)

    def root_of_the_warmup_alone(step, warmup, peak):
        """From the end of the warm-up on, your rate is peak · √warmup / step: the root covers the
        warm-up, and not the step.

        At four times the warm-up, half of the peak is left.
        """
        return peak * step / warmup if step < warmup else peak * math.sqrt(warmup) / step

    def root_of_the_warmup_alone_in_the_minimum(step, warmup, peak):
        """Your falling part is peak · √warmup / step: the root covers the warm-up, and not the
        step. With 4 steps of warm-up, your rate never reaches `peak`.

        At `step == warmup` both parts should be `peak`.
        """
        return peak * min(step / warmup, math.sqrt(warmup) / step)

    def falls_as_the_square(step, warmup, peak):
        """After the warm-up your rate falls as 1/step². It should fall as 1/√step.

        At four times the warm-up, half of the peak is left.
        """
        return _two_parts(step, warmup, peak, fall=lambda step, warmup: (warmup / step) ** 2)

    def root_upside_down(step, warmup, peak):
        """After the warm-up your rate rises: the fraction under the root is upside down.

        At four times the warm-up, half of the peak is left.
        """
        return _two_parts(step, warmup, peak, fall=lambda step, warmup: math.sqrt(step / warmup))

    def both_parts_rise(step, warmup, peak):
        """Your rate goes on rising after the warm-up: both parts of your minimum rise.

        The second part falls as one over the root of the step. Which sign has its exponent?
        """
        return peak * min(math.sqrt(warmup * step), step / warmup)

    def both_parts_of_the_paper_rise(step, warmup, peak):
        """Your rate goes on rising after the warm-up: both parts of your minimum rise. And at
        `step == warmup` it is not `peak`.

        The second part falls as one over the root of the step. Which sign has its exponent?
        """
        return peak * min(math.sqrt(step), step * warmup**-1.5)

    def falls_to_0_at_twice(step, warmup, peak):
        """After the warm-up your rate falls along a line, and is soon 0.

        It should fall as 1/√step, which never reaches 0.
        """
        return _two_parts(step, warmup, peak, fall=lambda step, warmup: max(0, 2 - step / warmup))

    def falls_exponentially(step, warmup, peak):
        """After the warm-up your rate falls exponentially.

        It should fall as 1/√step: at four times the warm-up, half of the peak is left.
        """
        return _two_parts(
            step, warmup, peak, fall=lambda step, warmup: math.exp(-(step - warmup) / warmup)
        )

    def falls_as_half_a_cosine(step, warmup, peak):
        """After the warm-up your rate falls as a cosine, and is 0 at twice the warm-up.

        It should fall as 1/√step: at four times the warm-up, half of the peak is left.
        """
        return _two_parts(step, warmup, peak, fall=_half_a_cosine)

    def falls_with_the_lines_exponent(step, warmup, peak):
        """After the warm-up your rate falls with the power −3/2 of the step. It should fall as
        1/√step.

        In the paper's formula, which of the two parts falls, and with which exponent?
        """
        return _two_parts(step, warmup, peak, fall=_three_halves)

    def falls_as_a_logarithm(step, warmup, peak):
        """After the warm-up your rate falls with the logarithm of the step.

        It should fall as 1/√step: at four times the warm-up, half of the peak is left.
        """
        return _two_parts(
            step, warmup, peak, fall=lambda step, warmup: 1 / (1 + math.log(step / warmup))
        )

    def rises_as_a_root(step, warmup, peak):
        """In the warm-up your rate rises as a root. It should rise along a straight line.

        Half-way through the warm-up, the rate is half of the peak.
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: math.sqrt(step / warmup))

    def rises_as_a_square(step, warmup, peak):
        """In the warm-up your rate rises as a square. It should rise along a straight line.

        Half-way through the warm-up, the rate is half of the peak.
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: (step / warmup) ** 2)

    def warmup_divided_by_its_power(step, warmup, peak):
        """Your line does not meet the root: it rises with the power −3/2 of the warm-up, as in the
        paper, while the root has been rescaled.

        At `step == warmup` both parts should be `peak`.
        """
        return peak * min(step * warmup**-1.5, math.sqrt(warmup / step))

    def only_the_line_rescaled(step, warmup, peak):
        """Your root does not meet the line: it is 1/√step, while the line is step / warmup.

        At `step == warmup` both parts should be `peak`.
        """
        return peak * min(step / warmup, step**-0.5)

    def whole_numbers(step, warmup, peak):
        """Your rate is 0 until the last step of the warm-up. It should rise along a straight line.

        Do you divide with `//`? It cuts off what is behind the decimal point; `/` does not.
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: step // warmup)

    def whole_numbers_in_both_parts(step, warmup, peak):
        """Your rate is 0 except at the end of the warm-up.

        Do you divide with `//`? It cuts off what is behind the decimal point; `/` does not.
        """
        return peak * min(step // warmup, math.sqrt(warmup // step))

    def divided_by_peak(step, warmup, peak):
        """You divide by `peak`, where you should multiply by it.

        What should your result be at `step == warmup`?
        """
        return correct(step, warmup, 1.0) / peak

    def peak_added(step, warmup, peak):
        """You add the factor to `peak`. Multiply.

        What should your result be at `step == warmup`?
        """
        return peak + correct(step, warmup, 1.0)

    def product_of_both(step, warmup, peak):
        """You multiplied the rising part by one over the root of the step.

        At each step, only one of the two parts counts. What is your result at `step == warmup`?
        """
        return peak * min(1.0, step / warmup) / math.sqrt(step)

    def peak_as_a_ceiling(step, warmup, peak):
        """You cut the factor off at `peak`. Multiply the two.

        The rate is a share of the peak at each step.
        """
        return min(peak, step / warmup, math.sqrt(warmup / step))

    def begins_at_a_tenth(step, warmup, peak):
        """In the warm-up your line begins above 0. It should be 0 at step 0, if there were one.

        Which line through 0 is at the peak at `step == warmup`?
        """
        return _two_parts(step, warmup, peak, rise=lambda step, warmup: 0.1 + 0.9 * step / warmup)


class Right:
    """Right answers, written differently."""

    def in_two_parts(step, warmup, peak):
        """A line, then a root."""
        if step < warmup:
            return peak * step / warmup
        return peak * (warmup / step) ** 0.5

    def papers_formula_rescaled(step, warmup, peak):
        """The paper's formula over its own highest value."""
        rate = min(step**-0.5, step * warmup**-1.5)
        return peak * rate / warmup**-0.5

    def with_torch(step, warmup, peak):
        """As a tensor of one number."""
        share = torch.tensor(step / warmup, dtype=torch.float64)
        return peak * torch.minimum(share, share.rsqrt())

    def with_numpy(step, warmup, peak):
        """As one of NumPy's numbers."""
        return np.minimum(step / warmup, np.sqrt(warmup / step)) * peak

    def with_logarithms(step, warmup, peak):
        """Adds exponents."""
        log = math.log(step) - math.log(warmup)
        return peak * math.exp(log if log < 0 else -log / 2)

    def step_by_step(step, warmup, peak):
        """Adds up in the warm-up, and multiplies afterwards."""
        rate = 0.0
        for one in range(1, step + 1):
            rate = rate + peak / warmup if one <= warmup else rate * math.sqrt((one - 1) / one)
        return rate


EXERCISE = Exercise(
    id="schedule",
    oracle=correct,
    hint="Put in step = warmup: the result should be the peak. Then half of the warm-up, which "
    "gives half of the peak, and four times the warm-up, which gives half of it again.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
