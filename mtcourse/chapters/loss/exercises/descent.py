"""The exercise ``descent``: gradient descent on two matrices (A21; chapter 08)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """No step, one step, several; never as many words as rows."""
    X, W_1 = draw.tensor([[1.0, 0.0], [0.0, 1.0]]), draw.tensor([[1.0], [0.0]])
    hand = X, torch.tensor([1, 2]), W_1, draw.tensor([[0.0, math.log(2), 0.0]]), 1.0, 1
    return [
        Case("2 rows, 3 words, one step", hand, by_hand=True),
        Case("no step at all", _drawn(draw, 4, 3, 2, 5, 0.5, 0)),
        Case("one row, two steps", _drawn(draw, 1, 3, 2, 4, 0.3, 2)),
        Case("6 rows, three steps", _drawn(draw, 6, 4, 3, 5, 1.0, 3)),
        Case("5 rows, everything else 4, eight steps", _drawn(draw, 5, 4, 4, 4, 0.7, 8)),
    ]


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

        The gradient points to where the loss grows. Which sign takes you down?
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
        """The losses are right, but the weights moved one time too many.

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
        last_1, last_2, losses = Right.by_recursion(X, labels, W_1 - step_1, W_2 - step_2, rate, steps - 1)
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
    forbids=("backward", "grad", "jacobian", "jacrev", "vjp"),
)
