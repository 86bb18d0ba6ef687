"""The exercise ``first_adam_step``: where Adam goes first (chapter 11)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Gradients of all sizes and both signs, a zero among them, with other settings each time."""
    w = draw.tensor([0.3, -0.1, 0.5, 0.8])
    return [
        Case("four weights", (w, draw.tensor([2.0, -0.5, 0.25, 1.0]), 0.1, 0.9, 0.99, 1e-8),
             by_hand=True),
        Case("gradients of all sizes", (w, draw.tensor([1e-3, -40.0, 0.02, 3.0]), 0.1, 0.9, 0.98,
                                        1e-8)),
        Case("a gradient of 0", (w, draw.tensor([0.0, 1.0, -1.0, 0.0]), 0.2, 0.8, 0.95, 1e-6)),
        Case("a large ε", (w, draw.tensor([0.05, -0.2, 0.01, 0.4]), 0.5, 0.9, 0.99, 0.1)),
        Case("another ε", (w, draw.tensor([0.5, -0.02, 0.1, 4.0]), 0.3, 0.7, 0.9, 0.01)),
        Case("a matrix", (draw.normal(3, 4), draw.normal(3, 4), 0.2, 0.9, 0.999, 1e-3)),
        Case("another matrix", (draw.normal(2, 5), draw.normal(2, 5, scale=0.01), 0.4, 0.6, 0.8,
                                0.002)),
        Case("a single weight", (draw.tensor([1.0]), draw.tensor([-0.3]), 0.1, 0.5, 0.75, 0.02)),
    ]  # fmt: skip


def correct(w, g, lr, beta_1, beta_2, eps):
    """m and v after one step, both corrected, then the update."""
    return _step(w, g, lr, beta_1, beta_2, eps)


def _step(w, g, lr, beta_1, beta_2, eps, m=None, v=None, first=None, second=None, under=None):
    """One step with another m, v, correction of either, or denominator."""
    m = (1 - beta_1) * g if m is None else m
    v = (1 - beta_2) * g**2 if v is None else v
    m_hat = m / (1 - beta_1 if first is None else first)
    v_hat = v / (1 - beta_2 if second is None else second)
    return w - lr * m_hat / (v_hat.sqrt() + eps if under is None else under(v_hat))


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_w(w, g, lr, beta_1, beta_2, eps):
        """The new weights are right, but your function changes `w` itself.

        `w -= …` writes into the argument; `w - …` makes a new tensor.
        """
        w -= w - correct(w, g, lr, beta_1, beta_2, eps)
        return w

    def no_correction(w, g, lr, beta_1, beta_2, eps):
        """You corrected neither m nor v for starting at 0.

        m is a mean that still contains a zero with the weight β₁. By what do you divide it? And v?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=1, second=1)

    def only_m_corrected(w, g, lr, beta_1, beta_2, eps):
        """Your numerator is g, as it should be, but v is not corrected for starting at 0.

        v still contains a zero with the weight β₂. By what do you divide it?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, second=1)

    def only_v_corrected(w, g, lr, beta_1, beta_2, eps):
        """You corrected v for starting at 0, but not m.

        m still contains a zero with the weight β₁. By what do you divide it?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=1)

    def corrections_exchanged(w, g, lr, beta_1, beta_2, eps):
        """You divided m by 1 − β₂ and v by 1 − β₁.

        Which β did you use to make m, and which to make v?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=1 - beta_2, second=1 - beta_1)

    def corrected_by_the_first(w, g, lr, beta_1, beta_2, eps):
        """You divided both m and v by 1 − β₁.

        Which β did you use to make v?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, second=1 - beta_1)

    def corrected_by_the_second(w, g, lr, beta_1, beta_2, eps):
        """You divided both m and v by 1 − β₂.

        Which β did you use to make m?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=1 - beta_2)

    def counts_to_two(w, g, lr, beta_1, beta_2, eps):
        """You corrected m and v with t = 2. This is the first step.

        In 1 − βᵗ, what is t?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=1 - beta_1**2, second=1 - beta_2**2)

    def counts_from_zero(w, g, lr, beta_1, beta_2, eps):
        """Your result is not finite: you corrected with t = 0, and 1 − β⁰ is 0.

        This is the first step. Is its number 0 or 1?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=0.0, second=0.0)

    def divided_by_beta(w, g, lr, beta_1, beta_2, eps):
        """You divided m by β₁ and v by β₂. The correction is one minus a power of β.

        m is (1 − β₁) g after the first step. By what must it be divided to give g?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=beta_1, second=beta_2)

    def multiplied_by_corrections(w, g, lr, beta_1, beta_2, eps):
        """You multiplied m and v by 1 − β instead of dividing.

        m is too small at first. Does the correction make it larger?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=1 / (1 - beta_1), second=1 / (1 - beta_2))

    def correction_after_the_root(w, g, lr, beta_1, beta_2, eps):
        """Your root of v is too large, by a factor of 1/√(1 − β₂): v has no weight 1 − β₂ in it, or
        you took the root before you corrected.

        First v, with its weight; then its correction; then the root.
        """
        root = ((1 - beta_2) * g**2).sqrt() / (1 - beta_2)
        return w - lr * g / (root + eps)

    def eps_before_correction(w, g, lr, beta_1, beta_2, eps):
        """You added ε to the root of v before v was corrected.

        First correct v, then take the root, then add ε.
        """
        root = ((1 - beta_2) * g**2).sqrt()
        return w - lr * g * (1 - beta_2) ** 0.5 / (root + eps)

    def eps_inside_the_root(w, g, lr, beta_1, beta_2, eps):
        """You added ε inside the root. In Adam it is added to the root.

        Layer normalisation has ε inside, Adam outside. Take the root first.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, under=lambda v: (v + eps).sqrt())

    def eps_inside_before_correction(w, g, lr, beta_1, beta_2, eps):
        """You added ε to v itself, inside the root and before the correction.

        First correct v, then take the root, then add ε.
        """
        v = ((1 - beta_2) * g**2 + eps) / (1 - beta_2)
        return w - lr * g / v.sqrt()

    def eps_squared_inside(w, g, lr, beta_1, beta_2, eps):
        """You added ε² inside the root. In Adam, ε is added to the root.

        √(v + ε²) is not √v + ε. Take the root first.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, under=lambda v: (v + eps**2).sqrt())

    def eps_on_both_sides(w, g, lr, beta_1, beta_2, eps):
        """You added ε twice: inside the root and outside.

        In Adam it is added once, to the root.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, under=lambda v: (v + eps).sqrt() + eps)

    def eps_as_a_floor(w, g, lr, beta_1, beta_2, eps):
        """You took ε for the smallest value of the root. It is added to every root.

        Leave out `max` or `clamp`.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, under=lambda v: v.sqrt().clamp(min=eps))

    def no_eps(w, g, lr, beta_1, beta_2, eps):
        """You left out ε, so a gradient of 0 gives 0/0.

        What is added to the root?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, under=lambda v: v.sqrt())

    def sign_of_the_gradient(w, g, lr, beta_1, beta_2, eps):
        """You moved every weight by the learning rate itself, as if ε were 0 or nearly so.

        `eps` may be any number. What does it change, above all for a small gradient?
        """
        return w - lr * g.sign()

    def no_root(w, g, lr, beta_1, beta_2, eps):
        """You divided by v, without its root: a larger gradient then gives a smaller step.

        v is a mean of squares. How does it become a size that fits m?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, under=lambda v: v + eps)

    def no_root_and_no_correction(w, g, lr, beta_1, beta_2, eps):
        """You divided by v without its root, and corrected neither m nor v.

        Write down the five lines of Adam in order: m, v, both corrections, the update.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, first=1, second=1, under=lambda v: v + eps)

    def multiplied_by_the_root(w, g, lr, beta_1, beta_2, eps):
        """You multiplied by the root of v. Adam divides by it.

        A weight with large gradients should not make larger steps than the others.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, under=lambda v: 1 / (v.sqrt() + eps))

    def uphill(w, g, lr, beta_1, beta_2, eps):
        """You added the step. The loss would grow.

        The gradient points uphill. Which way should the weights go?
        """
        return 2 * w - correct(w, g, lr, beta_1, beta_2, eps)

    def plain_descent(w, g, lr, beta_1, beta_2, eps):
        """This is plain gradient descent: w − lr · g.

        Adam divides by the root of v, so that all weights move about equally far.
        """
        return w - lr * g

    def momentum_alone(w, g, lr, beta_1, beta_2, eps):
        """You moved by lr · m, without v and without a correction.

        Adam divides by the root of v, so that all weights move about equally far.
        """
        return w - lr * (1 - beta_1) * g

    def new_weighs_beta(w, g, lr, beta_1, beta_2, eps):
        """In m and v you gave the new value the weight β, and the old value 1 − β.

        β is close to 1: m changes slowly. Which part is weighted by β?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, m=beta_1 * g, v=beta_2 * g**2)

    def new_weighs_beta_uncorrected(w, g, lr, beta_1, beta_2, eps):
        """In m and v you gave the new value the weight β, and you corrected neither.

        β is close to 1: m changes slowly. Which part is weighted by β? And what if both start at 0?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, beta_1 * g, beta_2 * g**2, 1, 1)

    def betas_exchanged_uncorrected(w, g, lr, beta_1, beta_2, eps):
        """You made m with β₂ and v with β₁, and corrected neither.

        β₁ belongs to the mean of gradients, β₂ to that of their squares. And what if both start at
        0?
        """
        return _step(w, g, lr, beta_1, beta_2, eps, (1 - beta_2) * g, (1 - beta_1) * g**2, 1, 1)

    def betas_exchanged(w, g, lr, beta_1, beta_2, eps):
        """You made m with β₂ and v with β₁, but corrected them the right way round.

        β₁ belongs to the mean of gradients, β₂ to that of their squares.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, (1 - beta_2) * g, (1 - beta_1) * g**2)

    def started_at_the_gradient(w, g, lr, beta_1, beta_2, eps):
        """You started m and v at the first gradient and its square, and then still corrected them.

        Adam starts both at 0. The correction makes up for just that.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, m=g, v=g**2)

    def m_unweighted(w, g, lr, beta_1, beta_2, eps):
        """You corrected m, but in m the gradient has no weight 1 − β₁.

        m is a moving *mean* of gradients.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, m=g)

    def not_squared(w, g, lr, beta_1, beta_2, eps):
        """In v you did not square the gradient, but took its absolute value.

        v is the mean of the *squares*; its root is then as large as a gradient.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, v=(1 - beta_2) * g.abs())

    def not_squared_at_all(w, g, lr, beta_1, beta_2, eps):
        """In v you did not square the gradient, so a negative gradient gives NaN.

        v is the mean of the *squares*.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, v=(1 - beta_2) * g)

    def v_from_m(w, g, lr, beta_1, beta_2, eps):
        """You squared m for v. Square the gradient.

        m has been made small by 1 − β₁.
        """
        return _step(w, g, lr, beta_1, beta_2, eps, v=(1 - beta_2) * ((1 - beta_1) * g) ** 2)

    def one_v_for_all(w, g, lr, beta_1, beta_2, eps):
        """You used one v for all weights, the mean of the squares of all gradients.

        Every weight has its own m and its own v.
        """
        v = ((1 - beta_2) * g**2).mean()
        return _step(w, g, lr, beta_1, beta_2, eps, v=v)

    def divided_by_the_norm(w, g, lr, beta_1, beta_2, eps):
        """You divided by the norm of the whole gradient.

        Every weight is divided by the root of its own v.
        """
        return w - lr * g / (g.norm() + eps)

    def learning_rate_forgotten(w, g, lr, beta_1, beta_2, eps):
        """You forgot the learning rate.

        What is the quotient multiplied by before it is subtracted?
        """
        return correct(w, g, 1.0, beta_1, beta_2, eps)

    def weight_decay(w, g, lr, beta_1, beta_2, eps):
        """Besides the step you shrink the weights, as AdamW does with a weight decay of 0.01.

        `torch.optim.AdamW` does so unless it is told otherwise. This is Adam.
        """
        return correct(w, g, lr, beta_1, beta_2, eps) - 0.01 * lr * w

    def only_the_change(w, g, lr, beta_1, beta_2, eps):
        """You return the change of the weights. Return the new weights.

        What is the change added to?
        """
        return correct(w, g, lr, beta_1, beta_2, eps) - w

    def only_the_step(w, g, lr, beta_1, beta_2, eps):
        """You return the step that is to be subtracted. Return the new weights.

        What is the step subtracted from?
        """
        return w - correct(w, g, lr, beta_1, beta_2, eps)

    def weight_for_gradient(w, g, lr, beta_1, beta_2, eps):
        """You computed m and v from the weights. They come from the gradients.

        Which argument is the gradient?
        """
        return _step(w, w, lr, beta_1, beta_2, eps)

    def eps_subtracted(w, g, lr, beta_1, beta_2, eps):
        """You subtracted ε from the root.

        It is added, so that the denominator cannot be 0.
        """
        return correct(w, g, lr, beta_1, beta_2, -eps)

    def eps_outside_the_quotient(w, g, lr, beta_1, beta_2, eps):
        """You divided by the root alone and added ε to the quotient.

        Mind the brackets: ε belongs to the denominator.
        """
        return w - lr * (g / g.abs() + eps)

    def eps_added_to_the_weights(w, g, lr, beta_1, beta_2, eps):
        """You divided by the root alone and added ε at the end.

        Mind the brackets: ε belongs to the denominator.
        """
        return w - lr * g / g.abs() + eps

    def eps_added_to_m(w, g, lr, beta_1, beta_2, eps):
        """You added ε to numerator and denominator.

        ε only keeps the denominator from being 0.
        """
        return w - lr * (g + eps) / (g.abs() + eps)

    def squares_g_in_place(w, g, lr, beta_1, beta_2, eps):
        """You squared `g` in place: from then on it holds its squares, in your step as well, and
        the argument is changed.

        `g **= 2` and `g.pow_(2)` write into `g`; `g**2` makes a new tensor.
        """
        g **= 2
        return w - lr * g / (g.sqrt() + eps)

    def zero_where_the_gradient_is(w, g, lr, beta_1, beta_2, eps):
        """Weights whose gradient is 0 become 0 in your result. They should stay where they are.

        Did 0/0 give NaN, and did you replace that by 0? With ε in the denominator there is no NaN.
        """
        return torch.nan_to_num(w - lr * g / g.abs(), nan=0.0)

    def the_same_for_all(w, g, lr, beta_1, beta_2, eps):
        """You subtracted the learning rate from every weight, whatever its gradient.

        Which way does a weight go whose gradient is negative? And one whose gradient is 0?
        """
        return w - lr

    def sign_lost(w, g, lr, beta_1, beta_2, eps):
        """In your step every weight gets smaller: the sign of the gradient is lost.

        Of v only the root is left, and it is positive. What does m have that carries the sign?
        """
        return w - lr * g.abs() / (g.abs() + eps)

    def two_steps(w, g, lr, beta_1, beta_2, eps):
        """Your weights move exactly twice as far as they should.

        How many steps does your loop make?
        """
        return w - 2 * (w - correct(w, g, lr, beta_1, beta_2, eps))

    def with_both_means(w, g, lr, beta_1, beta_2, eps):
        """You return m and v as well. Only the new weights are asked for.

        The next step would need them. Here, leave them out of the `return`.
        """
        new = correct(w, g, lr, beta_1, beta_2, eps)
        return new, (1 - beta_1) * g, (1 - beta_2) * g**2

    def with_both_corrected_means(w, g, lr, beta_1, beta_2, eps):
        """You return both corrected means as well. Only the new weights are asked for.

        Leave them out of the `return`.
        """
        return correct(w, g, lr, beta_1, beta_2, eps), g.clone(), g**2

    def root_with_the_sign(w, g, lr, beta_1, beta_2, eps):
        """You took g for the root of g². A root is never negative, so negative gradients move their
        weights the wrong way.

        What is √(g²) for g = −0.5?
        """
        return w - lr * g / (g + eps)


class Right:
    """Right answers, written differently."""

    def five_lines(w, g, lr, beta_1, beta_2, eps):
        """The five lines of Adam with t = 1."""
        m = beta_1 * torch.zeros_like(w) + (1 - beta_1) * g
        v = beta_2 * torch.zeros_like(w) + (1 - beta_2) * g * g
        m_hat = m / (1 - beta_1**1)
        v_hat = v / (1 - beta_2**1)
        return w - lr * m_hat / (torch.sqrt(v_hat) + eps)

    def in_closed_form(w, g, lr, beta_1, beta_2, eps):
        """Both corrections cancel: g / (|g| + ε)."""
        return w - lr * g / (g.abs() + eps)

    def as_sign_times_size(w, g, lr, beta_1, beta_2, eps):
        """The sign of the gradient, a little shortened."""
        size = g.abs()
        return w - lr * g.sign() * size / (size + eps)

    def one_weight_at_a_time(w, g, lr, beta_1, beta_2, eps):
        """Python's numbers in a loop."""
        new = [
            x - lr * d / ((d * d) ** 0.5 + eps)
            for x, d in zip(w.flatten().tolist(), g.flatten().tolist(), strict=True)
        ]
        return torch.tensor(new, dtype=w.dtype).reshape(w.shape)

    def as_pytorch_does(w, g, lr, beta_1, beta_2, eps):
        """With the corrections taken into the step size and the denominator."""
        m, v = torch.zeros_like(g).lerp(g, 1 - beta_1), (1 - beta_2) * g.square()
        denominator = v.sqrt() / (1 - beta_2) ** 0.5 + eps
        return w.addcdiv(m, denominator, value=-lr / (1 - beta_1))


EXERCISE = Exercise(
    id="first_adam_step",
    oracle=correct,
    hint="m = (1 − β₁) g and v = (1 − β₂) g², because both start at 0. Correct both, divide m by "
    "the root of v plus ε, and subtract lr times that from w.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    forbids=("an optimiser",),
)
