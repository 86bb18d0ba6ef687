"""The exercise ``accumulation_lines``: which line of the training loop causes what (chapter 12)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "the model learns to predict padding": "C",
    "a token counts for more if its batch has few tokens": "D",
    "the norm is clipped before all batches of an update are in the gradient": "F",
    "the rate rises with every batch, not with every update": "none",
    "the gradient of an update still holds that of the update before": "none",
    "the first update has the rate 0": "none",
}

(_PADDING, _WEIGHT, _CLIP, _RATE, _LEFT, _ZERO) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but four small batches do not make the update of one
        large batch.

        Follow one batch with much padding and one with little through all lines.
        """
        return dict.fromkeys(_LINES, "none")

    def padding_from_the_divisor():
        """You blame the division for the padding. The number of target tokens is right; it leaves
        padding out. But what is the sum over?

        Which labels have a loss?
        """
        return {_PADDING: "D"}

    def padding_from_the_model():
        """You blame the call of the model for the padding. Its third argument hides the padding of
        the *source*, as it should.

        The labels are padded, too. Which line looks at labels?
        """
        return {_PADDING: "B"}

    def padding_is_not_learnt():
        """You say that padding is not learnt. Look at the labels of a short sentence in a batch.

        Which labels have a loss, and which ones should have none?
        """
        return {_PADDING: "none"}

    def padding_from_the_report():
        """You blame the report for the padding. It changes nothing in training.

        Which labels have a loss?
        """
        return {_PADDING: "K"}

    def padding_from_the_loop():
        """You blame the loop for the padding. Batches of unequal sentences have padding, and that
        is as it should be.

        Which labels have a loss?
        """
        return {_PADDING: "A"}

    def padding_from_backward():
        """You blame the call of `backward` for the padding. It computes the gradient of whatever
        loss it is given.

        Which labels have a loss?
        """
        return {_PADDING: "E"}

    def weight_from_the_sum():
        """You say that the losses give tokens unequal weights. With `reduction="none"`, each token
        has a loss of its own; nothing is divided yet.

        By which number is the loss of a token divided, if its batch is small?
        """
        return {_WEIGHT: "C"}

    def weight_from_backward():
        """You say that `backward` gives tokens unequal weights. It computes the gradient of
        whatever loss it is given, and adds it.

        By which number is the loss of a token divided, if its batch is small?
        """
        return {_WEIGHT: "E"}

    def weight_from_the_loop():
        """You say that the loop gives tokens unequal weights. It only takes the batches as they
        are, and they may have different numbers of tokens.

        By which number is the loss of a token divided, if its batch is small? Over how many
        batches should that number be counted?
        """
        return {_WEIGHT: "A"}

    def weight_is_right():
        """You say that all tokens of an update count the same. Take a batch of 10 tokens and one of
        100: by which numbers are their losses divided?

        The gradient of an update is that of the mean over *all* its tokens.
        """
        return {_WEIGHT: "none"}

    def weight_from_the_report():
        """You say that the report gives tokens unequal weights. It changes nothing in training.

        By which number is the loss of a token divided, if its batch is small?
        """
        return {_WEIGHT: "K"}

    def weight_from_the_condition():
        """You say that the condition gives tokens unequal weights. It only decides when an update
        is made.

        By which number is the loss of a token divided, if its batch is small?
        """
        return {_WEIGHT: "G"}

    def weight_from_the_clipping():
        """You say that the clipping gives tokens of small batches more weight. It shrinks the
        gradient as a whole, and knows of no number of tokens.

        By which number is the loss of a token divided, if its batch is small?
        """
        return {_WEIGHT: "F"}

    def clip_is_right():
        """You say that the norm is clipped when the gradient is whole. How often does that line
        run for each update?

        Compare the indentation of the clipping with that of `optimizer.step()`.
        """
        return {_CLIP: "none"}

    def clip_from_the_condition():
        """You blame the condition for the clipping. It is true once for each update, as it should
        be.

        Which line runs for each batch, although it belongs to the update?
        """
        return {_CLIP: "G"}

    def clip_from_backward():
        """You blame the call of `backward` for the clipping. It has to run for each batch.

        Which line runs for each batch, although it belongs to the update?
        """
        return {_CLIP: "E"}

    def clip_from_the_step():
        """You blame the optimizer's step for the clipping. It runs once for each update, as it
        should.

        Which line runs for each batch, although it belongs to the update?
        """
        return {_CLIP: "I"}

    def clip_from_the_zeroing():
        """You blame the zeroing for the clipping. It runs once for each update, after the step, as
        it should.

        Which line runs for each batch, although it belongs to the update?
        """
        return {_CLIP: "J"}

    def rate_from_its_line():
        """You say that the rate rises with every batch. What is `number // accumulate` at batches
        4 and 8?

        The line runs where the condition is true, and its argument is the number of the update.
        """
        return {_RATE: "H"}

    def rate_from_the_counter():
        """You say that the rate rises with every batch. `number` counts batches, but it is not
        what the schedule is given.

        What is `number // accumulate` at batches 4 and 8?
        """
        return {_RATE: "A"}

    def rate_from_the_condition():
        """You say that the rate rises with every batch. The condition is true once for each update.

        What is `number // accumulate` when the condition is true?
        """
        return {_RATE: "G"}

    def rate_from_the_step():
        """You say that the rate rises with every batch. The optimizer takes one step for each
        update, with the rate that it was given.

        What is `number // accumulate` at batches 4 and 8?
        """
        return {_RATE: "I"}

    def left_from_the_zeroing():
        """You say that old gradients are left over. The zeroing stands after the step, and it runs
        with each update.

        Which gradients are there when the first batch of an update is added?
        """
        return {_LEFT: "J"}

    def left_from_backward():
        """You say that old gradients are left over, because `backward` adds. It should add, within
        an update.

        Which gradients are there when the first batch of an update is added?
        """
        return {_LEFT: "E"}

    def left_from_the_condition():
        """You say that old gradients are left over. The zeroing runs with every step of the
        optimizer.

        Which gradients are there when the first batch of an update is added?
        """
        return {_LEFT: "G"}

    def left_from_the_step():
        """You say that old gradients are left over. The optimizer's step leaves them, but the line
        after it sets them to zero.

        Which gradients are there when the first batch of an update is added?
        """
        return {_LEFT: "I"}

    def zero_from_the_schedule():
        """You say that the first update has the rate 0. What is `number // accumulate` when the
        condition is true for the first time?

        `number` counts from 1, and the condition is true at batch 4 for the first time.
        """
        return {_ZERO: "H"}

    def zero_from_the_condition():
        """You say that the first update has the rate 0. The condition is true at batch 4 for the
        first time, so no update is made before.

        What is `number // accumulate` when the condition is true for the first time?
        """
        return {_ZERO: "G"}

    def zero_from_the_step():
        """You say that the first update has the rate 0. The optimizer takes its step after the rate
        has been set.

        What is `number // accumulate` when the condition is true for the first time?
        """
        return {_ZERO: "I"}

    def zero_from_the_counter():
        """You say that the first update has the rate 0, because of the counter. It counts from 1.

        What is `number // accumulate` when the condition is true for the first time?
        """
        return {_ZERO: "A"}


EXERCISE = which_line(
    "accumulation_lines",
    _LINES,
    Wrong,
    hint="Go through the loop with four batches, one of them with 10 target tokens and the others "
    "with 100. Write beside each line how often it runs in one update.",
)
