"""The exercise ``resumable_loop``: training that goes on as if it had not stopped (chapter 12)."""

from __future__ import annotations

import copy

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Interruptions in an epoch, at its end, in the warm-up and after it, once and often."""

    def run(rows, steps, *cuts):
        X, y = draw.normal(rows, 4), draw.normal(rows)
        return draw.normal(4), X, y, steps, list(cuts)

    return [
        Case("never interrupted", run(8, 7)),
        Case("interrupted within an epoch", run(8, 10, 6)),
        Case("interrupted at the end of an epoch", run(8, 9, 4)),
        Case("interrupted after the first step", run(8, 6, 1)),
        Case("interrupted twice in one epoch", run(10, 9, 6, 8)),
        Case("interrupted after every step", run(6, 6, 1, 2, 3, 4, 5)),
        Case("an odd number of rows", run(7, 11, 3, 7)),
    ]


def with_power_cuts(loop):
    """Runs a loop twice from the same weights: to its end at once, and with interruptions.

    What an interrupted loop has returned is all that the next call gets. In between, another run
    begins, and others draw random numbers.
    """

    def run(W, X, y, steps, cuts):
        ends = {}
        with torch.random.fork_rng(devices=[]):
            for name, stops in {"whole": [steps], "resumed": [*cuts, steps]}.items():
                saved = {"W": W.clone()}
                for stop in stops:
                    loop({"W": torch.zeros_like(W)}, X, y, 1)  # another run
                    torch.manual_seed(1000 + stop)
                    saved = loop(copy.deepcopy(saved), X, y, stop)
                    if not isinstance(saved, dict) or "W" not in saved:
                        raise ValueError('return a dictionary that has the weights under "W"')
                ends[name] = saved["W"]
        return ends

    return run


def _one_step(W, velocity, X, y, step, generator=None):
    """The step that the question shows; its dropout may be drawn from a generator."""
    kept = X * (torch.rand(len(W), generator=generator) < 0.8)
    errors = (kept * W).sum(-1) - y
    velocity = 0.8 * velocity + (errors[:, None] * kept).mean(0)
    return W - 0.1 * min(step / 4, (4 / step) ** 0.5) * velocity, velocity


def _advance(state, X, y, until, first=None):
    """The steps of the loop that the question shows, from a state."""
    W, velocity, order = state["W"], state["velocity"], list(state["order"])
    for step in range(state["step"] + 1 if first is None else first, until + 1):
        if len(order) == 0:
            order = torch.randperm(len(X)).tolist()
        batch, order = order[:2], order[2:]
        W, velocity = _one_step(W, velocity, X[batch], y[batch], step)
    return {
        "W": W,
        "velocity": velocity,
        "order": order,
        "step": until,
        "random": torch.get_rng_state(),
    }


def _begun(saved):
    """The state in which a run begins."""
    torch.manual_seed(1)
    return {"W": saved["W"], "velocity": torch.zeros_like(saved["W"]), "order": [], "step": 0}


def _taken_up(saved):
    """The state in which a run begins, or the one in which it was left."""
    if "step" not in saved:
        return _begun(saved)
    torch.set_rng_state(saved["random"])
    return saved


def _loop(saved, X, y, until):
    """Goes on with everything that the next step depends on."""
    return _advance(_taken_up(saved), X, y, until)


correct = with_power_cuts(_loop)


def _resuming(changed=None, random=True):
    """A loop that goes on from another state than the one it had.

    ``changed`` gives what is different when it goes on; ``random`` says whether it goes on with the
    random numbers where they were.
    """

    def loop(saved, X, y, until):
        if "step" not in saved:
            return _advance(_begun(saved), X, y, until)
        state = saved | (changed(saved, X) if changed else {})
        if random:
            torch.set_rng_state(saved["random"])
        return _advance(state, X, y, until)

    return with_power_cuts(loop)


def _stopping(one_early=False, until_more=False, says_until=False):
    """A loop that stops one step early, or after ``until`` more steps.

    ``says_until`` makes it save that step ``until`` was its last.
    """

    def loop(saved, X, y, until):
        state = _taken_up(saved)
        last = until - one_early + (state["step"] if until_more else 0)
        result = _advance(state, X, y, last)
        return result | {"step": until} if says_until else result

    return with_power_cuts(loop)


def _saving_as_before_the_last_step(name):
    """A loop that saves one thing as the last step found it, and the others as it left them."""

    def loop(saved, X, y, until):
        before = _advance(_taken_up(saved), X, y, until - 1)
        found = before if before["order"] else before | {"order": torch.randperm(len(X)).tolist()}
        return _advance(found, X, y, until) | {name: found[name]}

    return with_power_cuts(loop)


def _saving_the_whole_epoch(even_after_its_end):
    """A loop that saves the epoch's whole order, in place of what is left of it."""

    def loop(saved, X, y, until):
        state = {"epoch": []} | _taken_up(saved)
        for step in range(state["step"] + 1, until + 1):
            if len(state["order"]) == 0:
                order = torch.randperm(len(X)).tolist()
                state = state | {"order": order, "epoch": order}
            state = state | _advance(state, X, y, step)
        again = even_after_its_end or state["order"]
        return state | {"order": state["epoch"] if again else []}

    return with_power_cuts(loop)


def _no_velocity(saved, X):
    return {"velocity": torch.zeros_like(saved["W"])}


def _no_order(saved, X):
    return {"order": []}


def _neither_velocity_nor_order(saved, X):
    return _no_velocity(saved, X) | _no_order(saved, X)


def _steps_from_1(saved, X):
    return {"step": 0}


def _one_step_back(saved, X):
    return {"step": saved["step"] - 1}


def _one_step_on(saved, X):
    return {"step": saved["step"] + 1}


def _seeded_again(saved, X):
    torch.manual_seed(1)
    return {}


def _seeded_with_the_step(saved, X):
    torch.manual_seed(saved["step"])
    return {}


def _drawn_too_early(saved, X):
    return {"order": saved["order"] or torch.randperm(len(X)).tolist()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def weights_alone(*given):
        """Your loop goes on with the weights alone. Everything else starts again with each call:
        the steps, the velocity, the order of the rows and the random numbers.

        Go through the names that the loop changes. Which of them does the next step depend on?
        """

        def loop(saved, X, y, until):
            return {"W": _advance(_begun(saved), X, y, until)["W"]}

        return with_power_cuts(loop)(*given)

    def weights_and_velocity(*given):
        """Your loop goes on with the weights and the velocity. The steps, the order of the rows and
        the random numbers start again with each call.

        Go through the names that the loop changes. Which of them does the next step depend on?
        """

        def loop(saved, X, y, until):
            result = _advance(_begun(saved) | saved, X, y, until)
            return {"W": result["W"], "velocity": result["velocity"]}

        return with_power_cuts(loop)(*given)

    def weights_and_step(*given):
        """Your loop goes on with the weights and the number of the step. The velocity, the order of
        the rows and the random numbers start again.

        Go through the names that the loop changes. Which of them does the next step depend on?
        """

        def loop(saved, X, y, until):
            state = _begun(saved) | {"step": saved.get("step", 0)}
            return {"W": _advance(state, X, y, until)["W"], "step": until}

        return with_power_cuts(loop)(*given)

    def weights_step_and_velocity(*given):
        """Your loop goes on with the weights, the step and the velocity. The order of the rows and
        the random numbers start again, as at the beginning of a run.

        Which rows should the next step read, and which numbers should it drop?
        """

        def loop(saved, X, y, until):
            old = {"step": saved.get("step", 0), "velocity": saved.get("velocity")}
            state = _begun(saved) | {name: one for name, one in old.items() if one is not None}
            result = _advance(state, X, y, until)
            return {name: result[name] for name in ("W", "step", "velocity")}

        return with_power_cuts(loop)(*given)

    def velocity_lost(*given):
        """After an interruption, your velocity begins at 0 again. Everything else goes on.

        Here the velocity is what the optimizer remembers, as m and v are for Adam.
        """
        return _resuming(_no_velocity)(*given)

    def order_lost(*given):
        """After an interruption, your loop draws a new order of the rows in the middle of an epoch.
        Some rows are then read twice, and others not at all.

        What is left of the epoch's order when the loop stops?
        """
        return _resuming(_no_order)(*given)

    def random_numbers_lost(*given):
        """After an interruption, your loop draws other random numbers than it would have drawn.
        Everything else goes on.

        `torch.get_rng_state()` says where torch's random numbers are.
        """
        return _resuming(random=False)(*given)

    def seeded_again(*given):
        """After an interruption, your loop draws the random numbers of the run's beginning again.

        A seed belongs to the start of a run. Which state of the random numbers belongs to the step
        at which the loop stopped?
        """
        return _resuming(_seeded_again, random=False)(*given)

    def seeded_with_the_step(*given):
        """After an interruption, your loop goes on from a seed: the number of the last step. The
        random numbers of that seed are others than those of the whole run.

        A seed belongs to the start of a run. Which state of the random numbers belongs to the step
        at which the loop stopped?
        """
        return _resuming(_seeded_with_the_step, random=False)(*given)

    def velocity_and_random_numbers_lost(*given):
        """After an interruption, your velocity begins at 0 again, and the random numbers are other
        ones. The order of the rows goes on.

        Go through the names that the loop changes, and through the functions that draw.
        """
        return _resuming(_no_velocity, random=False)(*given)

    def new_order_before_the_state(*given):
        """After an interruption at the end of an epoch, your loop draws the new order before it
        goes on with the random numbers where they were.

        First set the state of the random numbers, then draw.
        """
        return _resuming(_drawn_too_early)(*given)

    def velocity_and_order_lost(*given):
        """After an interruption, your velocity begins at 0 again, and the order of the rows is
        drawn again. The random numbers go on.

        Go through the names that the loop changes. Which of them does the next step depend on?
        """
        return _resuming(_neither_velocity_nor_order)(*given)

    def order_and_random_numbers_lost(*given):
        """After an interruption, your loop draws a new order of the rows, and other random numbers.

        Which rows should the next step read, and which numbers should it drop?
        """
        return _resuming(_no_order, random=False)(*given)

    def all_but_weights_and_step_lost(*given):
        """After an interruption, only the weights and the number of the step go on. The velocity is
        0, the order is drawn again, and the random numbers are other ones.

        Go through the names that the loop changes, and through the functions that draw.
        """
        return _resuming(_neither_velocity_nor_order, random=False)(*given)

    def steps_from_1_again(*given):
        """After an interruption, your loop counts steps from 1 again, so it makes too many, and its
        rate warms up again.

        Which is the first step after the interruption?
        """
        return _resuming(_steps_from_1)(*given)

    def rate_warms_up_again(*given):
        """After an interruption, your rate begins its warm-up again, although the number of steps
        is right.

        The schedule should be given the step of the whole run.
        """

        def loop(saved, X, y, until):
            state = _taken_up(saved)
            return _advance(state, X, y, until - state["step"], first=1) | {"step": until}

        return with_power_cuts(loop)(*given)

    def last_step_again(*given):
        """After an interruption, your loop makes the last step a second time. It makes one step too
        many.

        If step 6 is done, which one is next?
        """
        return _resuming(_one_step_back)(*given)

    def one_step_left_out(*given):
        """After an interruption, your loop leaves one step out.

        If step 6 is done, which one is next?
        """
        return _resuming(_one_step_on)(*given)

    def until_more_steps(*given):
        """After an interruption, your loop makes `until` further steps. It should stop after step
        number `until`.

        `until` is the number of the last step, counted from the beginning of the run.
        """
        return _stopping(until_more=True, says_until=True)(*given)

    def until_more_steps_counted(*given):
        """With each call, your loop makes `until` further steps. It should stop after step number
        `until`.

        `until` is the number of the last step, counted from the beginning of the run.
        """
        return _stopping(until_more=True)(*given)

    def until_left_out(*given):
        """Your loop stops one step too early: step `until` is not done.

        `range` stops before its end.
        """
        return _stopping(one_early=True)(*given)

    def until_left_out_and_passed(*given):
        """Your loop stops one step too early, and goes on after the step that it has not done.

        `range` stops before its end.
        """
        return _stopping(one_early=True, says_until=True)(*given)

    def epoch_begun_again(*given):
        """After an interruption, your loop begins the epoch's order again, so the epoch's first
        rows are read twice.

        Save what is left of the order, or how many rows have been read.
        """
        return _saving_the_whole_epoch(even_after_its_end=False)(*given)

    def epoch_begun_again_after_its_end(*given):
        """After an interruption, your loop begins the last epoch's order again, even if all of its
        rows had been read.

        Save what is left of the order, or how many rows have been read.
        """
        return _saving_the_whole_epoch(even_after_its_end=True)(*given)

    def kept_outside(*given):
        """Your loop keeps what it needs outside of what it returns. In between, another run began,
        and wrote over it.

        Put everything that the next step depends on into the dictionary that you return.
        """
        kept = {}

        def loop(saved, X, y, until):
            if "step" in saved:
                saved = kept | saved
            result = _advance(_taken_up(saved), X, y, until)
            kept.update(result)
            return {"W": result["W"], "step": until}

        return with_power_cuts(loop)(*given)

    def all_kept_outside(*given):
        """Your loop goes on with the run that came last: its weights and everything else are kept
        outside of what the loop returns. In between, another run began, and wrote over them.

        Put everything that the next step depends on into the dictionary that you return, and take
        it from `saved`.
        """
        kept = {}

        def loop(saved, X, y, until):
            result = _advance(_taken_up(dict(kept) if "step" in saved else saved), X, y, until)
            kept.update(result)
            return {"W": result["W"], "step": until}

        return with_power_cuts(loop)(*given)

    def random_state_before_the_last_step(*given):
        """After an interruption, your loop draws the random numbers of the last step once more.

        Ask for the state of the random numbers after the last step.
        """
        return _saving_as_before_the_last_step("random")(*given)

    def weights_before_the_last_step(*given):
        """You save the weights of before the last step, and everything else of after it.

        Save once the step is done.
        """
        return _saving_as_before_the_last_step("W")(*given)

    def order_before_the_last_step(*given):
        """After an interruption, your loop reads the rows of the last step again.

        Take a batch out of the order before you save the order.
        """
        return _saving_as_before_the_last_step("order")(*given)

    def half_precision(*given):
        """After an interruption, your weights are less precise than before.

        Save them as they are, without another type and without rounding.
        """

        def loop(saved, X, y, until):
            result = _loop(saved, X, y, until)
            return result | {"W": result["W"].half().to(result["W"].dtype)}

        return with_power_cuts(loop)(*given)

    def seeded_with_each_step(*given):
        """Your run resumes, but it draws other random numbers than the loop of the question, which
        seeds once, at its start.

        Leave the loop as it is, and save the state of the random numbers.
        """

        def loop(saved, X, y, until):
            state = saved if "step" in saved else _begun(saved)
            for step in range(state["step"] + 1, until + 1):
                torch.manual_seed(step)
                state = _advance(state, X, y, step)
            return state

        return with_power_cuts(loop)(*given)

    def never_seeded(*given):
        """Your run does not begin with seed 1, so it is another one each time.

        `torch.manual_seed(1)` belongs to the first call of your loop.
        """

        def loop(saved, X, y, until):
            if "step" in saved:
                torch.set_rng_state(saved["random"])
                return _advance(saved, X, y, until)
            state = torch.get_rng_state()
            begun = _begun(saved)
            torch.set_rng_state(state)
            return _advance(begun, X, y, until)

        return with_power_cuts(loop)(*given)

    def generator_for_the_order_alone(*given):
        """Your run draws its dropout without a seed, and only the order of the rows is drawn from
        seed 1.

        Both functions that draw should take their numbers from the same place.
        """

        def loop(saved, X, y, until):
            generator, state = torch.Generator().manual_seed(1), saved
            if "step" in saved:
                generator.set_state(saved["generator"])
            else:
                state = saved | {"velocity": torch.zeros_like(saved["W"]), "order": [], "step": 0}
            for step in range(state["step"] + 1, until + 1):
                if len(state["order"]) == 0:
                    state = state | {"order": torch.randperm(len(X), generator=generator).tolist()}
                state = _advance(state, X, y, step)
            return state | {"generator": generator.get_state()}

        return with_power_cuts(loop)(*given)

    def without_the_decorator(*given):
        """Your function stops with a TypeError on every input. If that error speaks of the number
        of arguments: `@with_power_cuts` should stand above a function of `saved`, `X`, `y` and
        `until`.

        Otherwise: at the first call, `saved` holds the weights alone. Which of your names has no
        value yet?
        """
        raise TypeError("takes 4 positional arguments but 5 were given")

    def not_begun(*given):
        """Your function stops with a KeyError on every input. At the first call, `saved` holds the
        weights alone.

        Ask whether a name is there, as in `"velocity" in saved`. If it is not, begin as
        `whole_loop` does.
        """
        raise KeyError("velocity")

    def no_dictionary(*given):
        """Your loop does not return a dictionary that has the weights under "W".

        What it returns is all that the next call gets.
        """

        def loop(saved, X, y, until):
            return _loop(saved, X, y, until)["W"]

        return with_power_cuts(loop)(*given)


class Right:
    """Right answers, written differently."""

    def in_one_loop(*given):
        """Takes what was saved or a beginning, name by name."""

        def loop(saved, X, y, until):
            W = saved["W"]
            velocity = saved.get("velocity", torch.zeros_like(W))
            order, done = saved.get("order", []), saved.get("done", 0)
            if done == 0:
                torch.manual_seed(1)
            else:
                torch.set_rng_state(saved["rng"])
            while done < until:
                done += 1
                if not order:
                    order = torch.randperm(len(X)).tolist()
                batch, order = order[:2], order[2:]
                W, velocity = _one_step(W, velocity, X[batch], y[batch], done)
            rng = torch.get_rng_state()
            return {"W": W, "velocity": velocity, "order": order, "done": done, "rng": rng}

        return with_power_cuts(loop)(*given)

    def with_a_generator_of_its_own(*given):
        """Draws from its own generator, whose state it saves."""

        def loop(saved, X, y, until):
            generator = torch.Generator().manual_seed(1)
            if "state" in saved:
                generator.set_state(saved["state"])
            W, v = saved["W"].clone(), saved.get("v", 0.0)
            order, place = saved.get("order", torch.empty(0, dtype=torch.long)), saved.get("at", 0)
            for step in range(saved.get("step", 0) + 1, until + 1):
                if place >= len(order):
                    order, place = torch.randperm(len(X), generator=generator), 0
                batch = order[place : place + 2]
                place += 2
                W, v = _one_step(W, v, X[batch], y[batch], step, generator)
            state = generator.get_state()
            return {"W": W, "v": v, "order": order, "at": place, "step": until, "state": state}

        return with_power_cuts(loop)(*given)

    def everything_under_one_name(*given):
        """Saves all that it has beside the weights, under a single name."""

        def loop(saved, X, y, until):
            state = saved.get("rest") or _begun(saved)
            if "rest" in saved:
                torch.set_rng_state(state["random"])
            result = _advance(state, X, y, until)
            return {"W": result["W"], "rest": result}

        return with_power_cuts(loop)(*given)

    def step_by_step(*given):
        """Makes one step at a time, each from a state to a state."""

        def loop(saved, X, y, until):
            while saved.get("step", 0) < until:
                saved = _loop(saved, X, y, saved.get("step", 0) + 1)
            return saved

        return with_power_cuts(loop)(*given)

    def order_from_the_epochs_beginning(*given):
        """Saves the random numbers' state of the epoch's beginning, and draws the order again."""

        def loop(saved, X, y, until):
            state = saved if "step" in saved else _begun(saved) | {"at_epoch": None, "taken": 0}
            if state["step"]:
                torch.set_rng_state(state["at_epoch"])
                order = torch.randperm(len(X)).tolist()
                torch.set_rng_state(state["random"])
                state = state | {"order": order[state["taken"] :]}
            at_epoch, taken = state["at_epoch"], state["taken"]
            for step in range(state["step"] + 1, until + 1):
                if len(state["order"]) == 0:
                    at_epoch, taken = torch.get_rng_state(), 0
                state = _advance(state, X, y, step)
                taken += 2
            del state["order"]
            return state | {"at_epoch": at_epoch, "taken": taken, "order": None}

        return with_power_cuts(loop)(*given)


def _same_bits(case: Case, value: dict[str, torch.Tensor]) -> bool:
    return torch.equal(value["whole"], value["resumed"])


EXERCISE = Exercise(
    id="resumable_loop",
    oracle=correct,
    hint="List all names that the loop changes, and all functions that draw random numbers. For "
    "each, ask what the next step would be without it.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(
        Rule("the resumed run ends in the weights of the whole one, to the last bit", _same_bits),
    ),
)
