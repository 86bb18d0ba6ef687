"""The exercise ``descent``: gradient descent on two matrices (A21; chapter 8)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """No step, one step, several; never as many words as rows."""
    X, W_1 = draw.tensor([[1.0, 0.0], [0.0, 1.0]]), draw.tensor([[1.0], [0.0]])
    hand = X, torch.tensor([1, 2]), W_1, draw.tensor([[0.0, math.log(2), 0.0]]), 1.0, 1
    return [
        Case("2 rows, 3 words, one step", hand, by_hand=True),
        Case("3 rows, two of them followed by word 0, two steps", _of_word_0(draw)),
        Case("no step at all", _drawn(draw, 4, 3, 2, 5, 0.5, 0)),
        Case("one row, two steps", _drawn(draw, 1, 3, 2, 4, 0.3, 2)),
        Case("6 rows, three steps", _drawn(draw, 6, 4, 3, 5, 1.0, 3)),
        Case("5 rows, everything else 4, eight steps", _drawn(draw, 5, 4, 4, 4, 0.7, 8)),
    ]


def _of_word_0(draw: Draw):
    """Rows whose right word is number 0."""
    X = draw.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    W_1, W_2 = (
        draw.tensor([[1.0, -1.0], [0.5, 1.0]]),
        draw.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, -1.0]]),
    )
    return X, torch.tensor([0, 2, 0]), W_1, W_2, 0.5, 2


def _drawn(draw: Draw, n, d, k, V, rate, steps):
    """X, labels, W_1, W_2, the learning rate and the number of steps."""
    labels = draw.ids(n, lowest=0, highest=V - 1)
    return draw.normal(n, d), labels, draw.normal(d, k), draw.normal(k, V), rate, steps


def correct(X, labels, W_1, W_2, rate, steps):
    """Forward, back, step."""
    return _run(X, labels, W_1, W_2, rate, steps)


def _loss_and_gradient(X, labels, W_1, W_2):
    """The mean loss, and its gradient at the logits."""
    log_p = (X @ W_1 @ W_2).log_softmax(-1)
    onehot = F.one_hot(labels, W_2.shape[1]).to(X.dtype)
    return -(onehot * log_p).sum() / len(X), (log_p.exp() - onehot) / len(X)


def _by_another(logit_gradient):
    """The loss, and another gradient at the logits, from the logits and one-hot rows."""

    def loss_of(X, labels, W_1, W_2):
        onehot = F.one_hot(labels, W_2.shape[1]).to(X.dtype)
        gradient = logit_gradient(X @ W_1 @ W_2, onehot)
        return _loss_and_gradient(X, labels, W_1, W_2)[0], gradient / len(X)

    return loss_of


def _without_word_0(X, labels, W_1, W_2):
    """The loss and its gradient, with the label 0 for padding."""
    real = (labels != 0).to(X.dtype)
    log_p = (X @ W_1 @ W_2).log_softmax(-1)
    onehot = F.one_hot(labels, W_2.shape[1]).to(X.dtype)
    loss = -((onehot * log_p).sum(-1) * real).sum() / real.sum().clamp(1)
    return loss, (log_p.exp() - onehot) * real[:, None] / real.sum().clamp(1)


def _stepped(way):
    """The loop, with steps by what `way` makes of the two gradients and the number of the step."""

    def run(X, labels, W_1, W_2, rate, steps):
        number = 0

        def move(A, B, A_bar, B_bar):
            nonlocal number
            number += 1
            A_bar, B_bar = way(A_bar, B_bar, number)
            return A - rate * A_bar, B - rate * B_bar

        return _run(X, labels, W_1, W_2, rate, steps, move)

    return run


def _told(losses_from, *arguments):
    """The right weights, with what `losses_from` makes of the losses."""
    W_1, W_2, losses = _run(*arguments)
    return W_1, W_2, losses_from(losses)


def _run(X, labels, W_1, W_2, rate, steps, move=None, loss_of=_loss_and_gradient):
    """The loop, with another step or another loss."""
    losses = [loss_of(X, labels, W_1, W_2)[0]]
    for _ in range(steps):
        _, U_bar = loss_of(X, labels, W_1, W_2)
        H = X @ W_1
        bars = X.T @ (U_bar @ W_2.T), H.T @ U_bar
        if move:
            W_1, W_2 = move(W_1, W_2, *bars)
        else:
            W_1, W_2 = W_1 - rate * bars[0], W_2 - rate * bars[1]
        losses.append(loss_of(X, labels, W_1, W_2)[0])
    return W_1, W_2, torch.stack(losses)


class Wrong:
    """What learners write, the more particular before the more general."""

    def uphill(X, labels, W_1, W_2, rate, steps):
        """You step *along* the gradient, so the loss grows.

        The gradient points to where the loss grows. Look at two signs: that of your step, and that
        of the gradient of the logits.
        """
        return _run(X, labels, W_1, W_2, -rate, steps)

    def one_after_the_other(X, labels, W_1, W_2, rate, steps):
        """You moved W_2 first, and computed the gradient of W_1 with the moved W_2.

        Gradient descent (A21) moves all weights at once: compute both gradients, then move.
        """
        losses = [_loss_and_gradient(X, labels, W_1, W_2)[0]]
        for _ in range(steps):
            _, U_bar = _loss_and_gradient(X, labels, W_1, W_2)
            W_2_bar = (X @ W_1).T @ U_bar
            W_2 = W_2 - rate * W_2_bar
            W_1 = W_1 - rate * (X.T @ (U_bar @ W_2.T))
            losses.append(_loss_and_gradient(X, labels, W_1, W_2)[0])
        return W_1, W_2, torch.stack(losses)

    def first_weight_first(X, labels, W_1, W_2, rate, steps):
        """You moved W_1 first, and computed the gradient of W_2 with the moved W_1.

        Gradient descent (A21) moves all weights at once: compute both gradients, then move.
        """
        losses = [_loss_and_gradient(X, labels, W_1, W_2)[0]]
        for _ in range(steps):
            _, U_bar = _loss_and_gradient(X, labels, W_1, W_2)
            W_1 = W_1 - rate * (X.T @ (U_bar @ W_2.T))
            W_2 = W_2 - rate * ((X @ W_1).T @ U_bar)
            losses.append(_loss_and_gradient(X, labels, W_1, W_2)[0])
        return W_1, W_2, torch.stack(losses)

    def in_turn_and_a_loss_short(X, labels, W_1, W_2, rate, steps):
        """Two mistakes: W_2 moves before the gradient of W_1 is taken; the last loss is missing.

        Compute both gradients before you move a weight. Record the loss once more at the end.
        """
        W_1, W_2, losses = Wrong.one_after_the_other(X, labels, W_1, W_2, rate, steps)
        return W_1, W_2, losses[:-1]

    def same_gradient_for_all_steps(X, labels, W_1, W_2, rate, steps):
        """All steps use the gradient at the start.

        After a step the weights are different, and so is the gradient. Compute it in each step.
        """
        _, U_bar = _loss_and_gradient(X, labels, W_1, W_2)
        bars = X.T @ (U_bar @ W_2.T), (X @ W_1).T @ U_bar

        def move(W_1, W_2, *_):
            return W_1 - rate * bars[0], W_2 - rate * bars[1]

        return _run(X, labels, W_1, W_2, rate, steps, move)

    def gradient_of_the_sum(X, labels, W_1, W_2, rate, steps):
        """The losses are means, but the steps follow the gradient of the sum, so they are too long.

        Divide the gradient by what the loss is divided by, the number of rows.
        """
        return _run(X, labels, W_1, W_2, rate * len(X), steps)

    def sum_for_mean(X, labels, W_1, W_2, rate, steps):
        """Loss and gradient are those of the sum over rows. The question asks for the mean.

        Divide both by the number of rows.
        """
        W_1, W_2, losses = _run(X, labels, W_1, W_2, rate * len(X), steps)
        return W_1, W_2, losses * len(X)

    def first_loss_missing(X, labels, W_1, W_2, rate, steps):
        """The loss at the start is missing: there should be one more loss than steps.

        Record the loss before the first step, and after each step.
        """
        W_1, W_2, losses = _run(X, labels, W_1, W_2, rate, steps)
        return W_1, W_2, losses[1:]

    def last_loss_missing(X, labels, W_1, W_2, rate, steps):
        """The loss after the last step is missing: there should be one more loss than steps.

        Record the loss before each step, and once more at the end.
        """
        W_1, W_2, losses = _run(X, labels, W_1, W_2, rate, steps)
        return W_1, W_2, losses[:-1]

    def one_step_too_many(X, labels, W_1, W_2, rate, steps):
        """The weights that you return have moved one time too many.

        There are steps + 1 losses but only `steps` steps. Stop before the last move.
        """
        _, _, losses = _run(X, labels, W_1, W_2, rate, steps)
        W_1, W_2, _ = _run(X, labels, W_1, W_2, rate, steps + 1)
        return W_1, W_2, losses

    def only_the_last_weight(X, labels, W_1, W_2, rate, steps):
        """W_1 never moves.

        The loss depends on W_1 as well as on W_2: go back through one more product.
        """
        return _run(X, labels, W_1, W_2, rate, steps, lambda A, B, _, B_bar: (A, B - rate * B_bar))

    def only_the_first_weight(X, labels, W_1, W_2, rate, steps):
        """W_2 never moves.

        Gradient descent (A21) moves every weight.
        """
        return _run(X, labels, W_1, W_2, rate, steps, lambda A, B, A_bar, _: (A - rate * A_bar, B))

    def moves_the_callers_weights(X, labels, W_1, W_2, rate, steps):
        """The result is right, but you changed the weights that you were given.

        `W -= x` writes into the tensor that was passed in; `W = W - x` makes a new one.
        """
        new_1, new_2, losses = _run(X, labels, W_1, W_2, rate, steps)
        W_1.copy_(new_1)
        W_2.copy_(new_2)
        return new_1, new_2, losses

    def no_softmax(X, labels, W_1, W_2, rate, steps):
        """You took U - Y as the gradient of the logits. It is softmax(U) - Y.

        The loss contains a softmax of the logits, and so does its gradient.
        """

        def loss_of(X, labels, W_1, W_2):
            U = X @ W_1 @ W_2
            onehot = F.one_hot(labels, W_2.shape[1]).to(X.dtype)
            return _loss_and_gradient(X, labels, W_1, W_2)[0], (U - onehot) / len(X)

        return _run(X, labels, W_1, W_2, rate, steps, loss_of=loss_of)

    def gradients_added_up(X, labels, W_1, W_2, rate, steps):
        """Each step follows the sum of all gradients so far.

        Does a step in A21 use earlier gradients, or only the one at the present weights?
        """
        so_far = [0, 0]

        def way(A_bar, B_bar, _):
            so_far[:] = so_far[0] + A_bar, so_far[1] + B_bar
            return so_far

        return _stepped(way)(X, labels, W_1, W_2, rate, steps)

    def in_alternation(X, labels, W_1, W_2, rate, steps):
        """You move W_1 in one step and W_2 in the next.

        Gradient descent (A21) moves all weights at once.
        """

        def way(A_bar, B_bar, number):
            return (A_bar, 0 * B_bar) if number % 2 else (0 * A_bar, B_bar)

        return _stepped(way)(X, labels, W_1, W_2, rate, steps)

    def in_alternation_from_the_second(X, labels, W_1, W_2, rate, steps):
        """You move W_2 in one step and W_1 in the next.

        Gradient descent (A21) moves all weights at once.
        """

        def way(A_bar, B_bar, number):
            return (0 * A_bar, B_bar) if number % 2 else (A_bar, 0 * B_bar)

        return _stepped(way)(X, labels, W_1, W_2, rate, steps)

    def rate_that_falls(X, labels, W_1, W_2, rate, steps):
        """You divide the rate by the number of the step.

        In A21, η is the same in every step.
        """
        way = _stepped(lambda A_bar, B_bar, number: (A_bar / number, B_bar / number))
        return way(X, labels, W_1, W_2, rate, steps)

    def rate_that_falls_by_the_root(X, labels, W_1, W_2, rate, steps):
        """You divide the rate by the root of the step's number.

        In A21, η is the same in every step.
        """
        way = _stepped(lambda A_bar, B_bar, number: (A_bar / number**0.5, B_bar / number**0.5))
        return way(X, labels, W_1, W_2, rate, steps)

    def rate_over_the_steps(X, labels, W_1, W_2, rate, steps):
        """You divide the rate by the number of steps.

        In A21, each step has the whole η.
        """
        return _run(X, labels, W_1, W_2, rate / max(steps, 1), steps)

    def rate_forgotten(X, labels, W_1, W_2, rate, steps):
        """You subtract the whole gradient: the rate is not used.

        What stands before the gradient in A21?
        """
        return _run(X, labels, W_1, W_2, 1.0, steps)

    def signs_of_the_gradient(X, labels, W_1, W_2, rate, steps):
        """You step by the gradient's sign only, the same distance in every direction.

        In A21, the larger the gradient, the longer the step.
        """
        way = _stepped(lambda A_bar, B_bar, _: (A_bar.sign(), B_bar.sign()))
        return way(X, labels, W_1, W_2, rate, steps)

    def gradients_of_length_1(X, labels, W_1, W_2, rate, steps):
        """You divide each gradient by its norm.

        In A21, the larger the gradient, the longer the step.
        """
        way = _stepped(lambda A_bar, B_bar, _: (A_bar / A_bar.norm(), B_bar / B_bar.norm()))
        return way(X, labels, W_1, W_2, rate, steps)

    def first_weight_uphill(X, labels, W_1, W_2, rate, steps):
        """W_1 moves along its gradient, and W_2 against it.

        Both should move against their gradients.
        """
        way = _stepped(lambda A_bar, B_bar, _: (-A_bar, B_bar))
        return way(X, labels, W_1, W_2, rate, steps)

    def second_weight_uphill(X, labels, W_1, W_2, rate, steps):
        """W_2 moves along its gradient, and W_1 against it.

        Both should move against their gradients.
        """
        way = _stepped(lambda A_bar, B_bar, _: (A_bar, -B_bar))
        return way(X, labels, W_1, W_2, rate, steps)

    def first_weight_by_the_sum(X, labels, W_1, W_2, rate, steps):
        """The step of W_1 follows the gradient of the sum over rows, but that of W_2 follows the
        gradient of the mean.

        Divide by the number of rows once, at the logits: it reaches both.
        """
        way = _stepped(lambda A_bar, B_bar, _: (A_bar * len(X), B_bar))
        return way(X, labels, W_1, W_2, rate, steps)

    def second_weight_by_the_sum(X, labels, W_1, W_2, rate, steps):
        """The step of W_2 follows the gradient of the sum over rows, but that of W_1 follows the
        gradient of the mean.

        Divide by the number of rows once, at the logits: it reaches both.
        """
        way = _stepped(lambda A_bar, B_bar, _: (A_bar, B_bar * len(X)))
        return way(X, labels, W_1, W_2, rate, steps)

    def divided_by_rows_twice(X, labels, W_1, W_2, rate, steps):
        """You divide the gradient by the number of rows twice.

        A mean divides once.
        """
        return _run(X, labels, W_1, W_2, rate / len(X), steps)

    def mean_over_every_entry(X, labels, W_1, W_2, rate, steps):
        """You divide the gradient by the number of entries of the logits, rows times words.

        The loss is a mean over rows only.
        """
        return _run(X, labels, W_1, W_2, rate / W_2.shape[1], steps)

    def word_0_as_padding(X, labels, W_1, W_2, rate, steps):
        """You leave out the rows whose label is 0. Here 0 is a word like any other.

        Which rows count in this exercise?
        """
        return _run(X, labels, W_1, W_2, rate, steps, loss_of=_without_word_0)

    def word_0_as_padding_in_the_gradient(X, labels, W_1, W_2, rate, steps):
        """Your losses count every row, but your gradient leaves out those whose label is 0.

        Here 0 is a word like any other.
        """

        def loss_of(*given):
            return _loss_and_gradient(*given)[0], _without_word_0(*given)[1]

        return _run(X, labels, W_1, W_2, rate, steps, loss_of=loss_of)

    def word_0_as_padding_in_the_losses(X, labels, W_1, W_2, rate, steps):
        """Your gradient counts every row, but your losses leave out those whose label is 0.

        Here 0 is a word like any other.
        """

        def loss_of(*given):
            return _without_word_0(*given)[0], _loss_and_gradient(*given)[1]

        return _run(X, labels, W_1, W_2, rate, steps, loss_of=loss_of)

    def softmax_over_rows(X, labels, W_1, W_2, rate, steps):
        """In the gradient, your softmax runs over the rows. Take it over the words of each row.

        Which dimension of the logits counts the words?
        """
        another = _by_another(lambda U, Y: U.softmax(0) - Y)
        return _run(X, labels, W_1, W_2, rate, steps, loss_of=another)

    def target_forgotten(X, labels, W_1, W_2, rate, steps):
        """You took softmax(U) as the gradient of the logits. The labels do not enter.

        Which term of the loss contains the label, and what is its derivative?
        """
        another = _by_another(lambda U, Y: U.softmax(-1))
        return _run(X, labels, W_1, W_2, rate, steps, loss_of=another)

    def gradient_only_at_the_label(X, labels, W_1, W_2, rate, steps):
        """You kept the gradient of the logits at the label only. The loss depends on every logit.

        What is the derivative of log Σ exp(u) with respect to another word's logit?
        """
        another = _by_another(lambda U, Y: (U.softmax(-1) - Y) * Y)
        return _run(X, labels, W_1, W_2, rate, steps, loss_of=another)

    def one_over_the_probability(X, labels, W_1, W_2, rate, steps):
        """You took -1/p at the label, the gradient of the *probabilities*, for that of the logits.

        Go back through the softmax as well.
        """
        another = _by_another(lambda U, Y: -Y / U.softmax(-1))
        return _run(X, labels, W_1, W_2, rate, steps, loss_of=another)

    def through_the_softmax_again(X, labels, W_1, W_2, rate, steps):
        """You multiplied softmax(U) - Y by the softmax's derivative. It is in there already.

        Differentiate log Σ exp(u) - u[y] with respect to a logit.
        """

        def gradient(U, Y):
            p = U.softmax(-1)
            return p * (p - Y - (p * (p - Y)).sum(-1, keepdim=True))

        return _run(X, labels, W_1, W_2, rate, steps, loss_of=_by_another(gradient))

    def relu_between(X, labels, W_1, W_2, rate, steps):
        """You put a ReLU between the two weights. This model has none: U = X W_1 W_2.

        Which functions stand in the formula of U?
        """
        losses = []
        for step in range(steps + 1):
            H = (X @ W_1).relu()
            one = torch.eye(H.shape[1], dtype=H.dtype)
            loss, U_bar = _loss_and_gradient(H, labels, one, W_2)
            losses.append(loss)
            if step < steps:
                F_bar = (U_bar @ W_2.T) * (H > 0)
                W_1, W_2 = W_1 - rate * X.T @ F_bar, W_2 - rate * H.T @ U_bar
        return W_1, W_2, torch.stack(losses)

    def one_row_after_the_other(X, labels, W_1, W_2, rate, steps):
        """In each step you move the weights once for every row. One step uses all rows at once.

        Add up the rows' gradients first, then move.
        """
        losses = [_loss_and_gradient(X, labels, W_1, W_2)[0]]
        for _ in range(steps):
            for x, y in zip(X[:, None], labels[:, None], strict=True):
                W_1, W_2, _ = _run(x, y, W_1, W_2, rate / len(X), 1)
            losses.append(_loss_and_gradient(X, labels, W_1, W_2)[0])
        return W_1, W_2, torch.stack(losses)

    def one_row_after_the_other_by_the_sum(X, labels, W_1, W_2, rate, steps):
        """In each step you move the weights once for every row, by that row's whole gradient.

        One step uses the mean over all rows, at the weights before it.
        """
        losses = [_loss_and_gradient(X, labels, W_1, W_2)[0]]
        for _ in range(steps):
            for x, y in zip(X[:, None], labels[:, None], strict=True):
                W_1, W_2, _ = _run(x, y, W_1, W_2, rate, 1)
            losses.append(_loss_and_gradient(X, labels, W_1, W_2)[0])
        return W_1, W_2, torch.stack(losses)

    def one_step(X, labels, W_1, W_2, rate, steps):
        """You stop after a single step.

        Is there a `return` inside the loop, or no loop at all?
        """
        return _run(X, labels, W_1, W_2, rate, min(steps, 1))

    def one_step_too_few(X, labels, W_1, W_2, rate, steps):
        """You take one step too few.

        With no step there is one loss, with one step there are two.
        """
        return _run(X, labels, W_1, W_2, rate, max(steps - 1, 0))

    def one_step_and_loss_too_many(X, labels, W_1, W_2, rate, steps):
        """You take one step too many, and record its loss.

        With no step there is one loss, with one step there are two.
        """
        return _run(X, labels, W_1, W_2, rate, steps + 1)

    def weights_before_the_last_step(X, labels, W_1, W_2, rate, steps):
        """The weights that you return are those before the last step.

        Return the weights to which the last loss belongs.
        """
        A, B, _ = _run(X, labels, W_1, W_2, rate, max(steps - 1, 0))
        return A, B, _run(X, labels, W_1, W_2, rate, steps)[2]

    def weights_of_the_start(X, labels, W_1, W_2, rate, steps):
        """You return the weights that you were given.

        Return the weights after the last step.
        """
        return W_1, W_2, _run(X, labels, W_1, W_2, rate, steps)[2]

    def losses_of_the_sum(*arguments):
        """The weights are right, but the losses are sums over rows.

        Record what is differentiated: the mean over rows.
        """
        return _told(lambda losses: losses * len(arguments[0]), *arguments)

    def losses_in_bits(*arguments):
        """The weights are right, but the losses are in bits, with a logarithm to the base 2.

        Use the natural logarithm: the course measures in nats.
        """
        return _told(lambda losses: losses / math.log(2), *arguments)

    def perplexities(*arguments):
        """The weights are right, but you recorded perplexities, the exponentials of the losses.

        Record the loss itself.
        """
        return _told(torch.exp, *arguments)

    def losses_with_the_wrong_sign(*arguments):
        """The weights are right, but the losses have the wrong sign: they are log-likelihoods.

        A loss falls as the model gets better.
        """
        return _told(torch.neg, *arguments)

    def last_loss_alone(*arguments):
        """The weights are right, but you returned only the last loss.

        Keep the loss before the first step and after each: steps + 1 numbers.
        """
        return _told(lambda losses: losses[-1], *arguments)

    def loss_of_the_start_for_all(*arguments):
        """The weights are right, but all losses are that of the start.

        Compute the loss again from the moved weights.
        """
        return _told(lambda losses: losses[:1].expand_as(losses), *arguments)

    def losses_in_a_column(*arguments):
        """The numbers are right, but each loss stands in a row of its own: the losses have two
        dimensions.

        Return a tensor with one dimension and steps + 1 numbers.
        """
        return _told(lambda losses: losses[:, None], *arguments)

    def losses_first(*arguments):
        """You return the losses before the weights.

        Return W_1, W_2, losses.
        """
        W_1, W_2, losses = _run(*arguments)
        return losses, W_1, W_2

    def weights_exchanged(*arguments):
        """You return W_2 before W_1.

        Return W_1, W_2, losses.
        """
        W_1, W_2, losses = _run(*arguments)
        return W_2, W_1, losses

    def without_losses(*arguments):
        """You return the weights only. The losses are missing.

        Return W_1, W_2, losses.
        """
        return _run(*arguments)[:2]


class Right:
    """Right answers, written differently."""

    def by_the_book(X, labels, W_1, W_2, rate, steps):
        """Two products back, both gradients before any step."""
        losses = []
        for step in range(steps + 1):
            H = X @ W_1
            log_p = torch.log_softmax(H @ W_2, -1)
            losses.append(-log_p[torch.arange(len(X)), labels].mean())
            if step == steps:
                break
            U_bar = log_p.exp()
            U_bar[torch.arange(len(X)), labels] -= 1
            U_bar /= len(X)
            W_1, W_2 = W_1 - rate * X.T @ U_bar @ W_2.T, W_2 - rate * H.T @ U_bar
        return W_1, W_2, torch.stack(losses)

    def with_copies(X, labels, W_1, W_2, rate, steps):
        """Moves copies in place; losses as a list of numbers."""
        W_1, W_2 = W_1.clone(), W_2.clone()
        loss, U_bar = _loss_and_gradient(X, labels, W_1, W_2)
        losses = [loss.item()]
        for _ in range(steps):
            bar_1, bar_2 = X.T @ (U_bar @ W_2.T), (X @ W_1).T @ U_bar
            W_1.sub_(rate * bar_1)
            W_2.sub_(rate * bar_2)
            loss, U_bar = _loss_and_gradient(X, labels, W_1, W_2)
            losses.append(loss.item())
        return W_1, W_2, torch.tensor(losses, dtype=X.dtype)

    def one_row_at_a_time(X, labels, W_1, W_2, rate, steps):
        """Outer products, added up over rows."""
        losses = X.new_zeros(steps + 1)
        for step in range(steps + 1):
            bar_1, bar_2 = torch.zeros_like(W_1), torch.zeros_like(W_2)
            for x, y in zip(X, labels.tolist(), strict=True):
                u = x @ W_1 @ W_2
                losses[step] += (torch.logsumexp(u, 0) - u[y]) / len(X)
                u_bar = u.softmax(0)
                u_bar[y] -= 1
                bar_1 += torch.outer(x, W_2 @ u_bar) / len(X)
                bar_2 += torch.outer(x @ W_1, u_bar) / len(X)
            if step < steps:
                W_1, W_2 = W_1 - rate * bar_1, W_2 - rate * bar_2
        return W_1, W_2, losses

    def by_recursion(X, labels, W_1, W_2, rate, steps):
        """The loss here, and then the same from the next weights."""
        loss, U_bar = _loss_and_gradient(X, labels, W_1, W_2)
        if steps == 0:
            return W_1, W_2, loss[None]
        step_1, step_2 = rate * (X.T @ U_bar) @ W_2.T, rate * (X @ W_1).T @ U_bar
        last_1, last_2, losses = Right.by_recursion(
            X, labels, W_1 - step_1, W_2 - step_2, rate, steps - 1
        )
        return last_1, last_2, torch.cat([loss[None], losses])


EXERCISE = Exercise(
    id="descent",
    oracle=correct,
    hint="In one step, compute the logits, then their gradient, then go back through two products, "
    "and only then move both weights. Record one loss before the first step and one after each, in "
    "a tensor. Every row counts: 0 is a word here.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=1e-4,
    forbids=("gradients",),
)
