"""The exercise ``adam``: one update of AdamW, from state to state (chapter 12)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """First and later steps, with decay and without, with a small and with a large epsilon."""

    def after(step, *shape):
        """Weights, a gradient, and moments as they can be before a step."""
        W, gradient = draw.normal(*shape, scale=2.0), draw.normal(*shape, scale=1.5)
        m, v = draw.normal(*shape), draw.normal(*shape).square() + 0.3
        grown = 1 - 0.7 ** (step - 1)
        return W, gradient, grown * m, grown * v, step

    zero = draw.tensor([0.0, 0.0])
    one = (draw.tensor([1.0, -2.0]), draw.tensor([2.0, -4.0]), zero, zero, 1)
    second = (draw.tensor([1.0]), draw.tensor([3.0]), draw.tensor([1.0]), draw.tensor([3.0]), 2)
    return [
        Case("the first step, of 2 weights", (*one, 0.5, 0.5, 0.75, 0.0, 0.0), by_hand=True),
        Case("the second step, of a weight", (*second, 1.0, 0.5, 0.5, 0.0, 0.0), by_hand=True),
        Case("the first step of a matrix", (*after(1, 3, 4), 0.3, 0.9, 0.98, 1e-9, 0.0)),
        Case("step 2", (*after(2, 4), 0.2, 0.9, 0.98, 1e-9, 0.0)),
        Case("step 7", (*after(7, 2, 3), 0.2, 0.8, 0.95, 1e-9, 0.0)),
        Case("step 3 with a large epsilon", (*after(3, 5), 0.4, 0.8, 0.9, 0.5, 0.0)),
        Case("step 2 with an epsilon above the roots", (*after(2, 4), 0.5, 0.9, 0.9, 6.0, 0.0)),
        Case("step 2 with decay", (*after(2, 3, 2), 0.3, 0.9, 0.95, 1e-8, 0.4)),
        Case("step 5 with decay and a large epsilon", (*after(5, 4, 2), 0.2, 0.7, 0.9, 0.3, 0.5)),
        Case("step 40 with decay", (*after(40, 3), 0.5, 0.9, 0.99, 1e-6, 0.2)),
        Case("no gradient, with decay", (draw.normal(4), torch.zeros(4, dtype=draw.dtype),
             *after(4, 4)[2:], 0.3, 0.9, 0.95, 1e-8, 0.3)),
    ]  # fmt: skip


def correct(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
    """AdamW's equations, line by line."""
    return _adam(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay)


def _adam(
    W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay, *, moments=None, hats=None,
    move=None, decayed=None, states=None,
):  # fmt: skip
    """AdamW with another part.

    ``moments`` gives the new m and v; ``hats`` corrects them, given both, both betas and the step;
    ``move`` goes from the corrected moments and epsilon to the direction; ``decayed`` from the
    weights before and after the move to those that are returned; ``states`` to the moments that
    are returned.
    """
    if moments:
        m, v = moments(gradient, m, v, beta_1, beta_2)
    else:
        m = beta_1 * m + (1 - beta_1) * gradient
        v = beta_2 * v + (1 - beta_2) * gradient**2
    if hats:
        m_hat, v_hat = hats(m, v, beta_1, beta_2, step)
    else:
        m_hat, v_hat = m / (1 - beta_1**step), v / (1 - beta_2**step)
    direction = move(m_hat, v_hat, eps) if move else m_hat / (v_hat.sqrt() + eps)
    moved = W - rate * direction
    new = decayed(W, moved, rate, decay) if decayed else moved - rate * decay * W
    return (new, *(states(m, v, m_hat, v_hat) if states else (m, v)))


def _with_gradient_of_decay(given, factor=1.0):
    """Adds the decay to the gradient, and leaves it out afterwards."""
    W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay = given
    return _adam(W, gradient + factor * decay * W, m, v, step, rate, beta_1, beta_2, eps, 0.0)


def _no_decay(W, moved, rate, decay):
    return moved


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_the_weights(*given):
        """The results are right, but your function changes `W`.

        `-=` and methods that end in `_` write into a tensor that was given. Make new ones.
        """
        result = correct(*given)
        given[0].copy_(result[0])
        return result

    def changes_the_moments(*given):
        """The results are right, but your function changes `m` and `v`.

        `*=` and methods that end in `_` write into a tensor that was given. Make new ones.
        """
        result = correct(*given)
        given[2].copy_(result[1])
        given[3].copy_(result[2])
        return result

    def changes_weights_and_moments(*given):
        """The results are right, but your function changes `W`, `m` and `v`.

        `*=` and methods that end in `_` write into a tensor that was given. Make new ones.
        """
        result = correct(*given)
        for old, new in zip((given[0], given[2], given[3]), result, strict=True):
            old.copy_(new)
        return result

    def changes_the_gradient(*given):
        """The results are right, but your function changes `gradient`.

        Make a new tensor where you compute with it.
        """
        result = correct(*given)
        given[1].mul_(2)
        return result

    def moments_are_not_returned(*given):
        """You return the weights alone. The next step needs the moments as well.

        Return three tensors: the new W, m and v.
        """
        return correct(*given)[0]

    def change_for_weights(*given):
        """You return by how much the weights change. Return the new weights.

        The first of the three results is W after the step.
        """
        new, m, v = correct(*given)
        return new - given[0], m, v

    def change_to_subtract(*given):
        """You return what has to be subtracted from the weights. Return the new weights.

        The first of the three results is W after the step.
        """
        new, m, v = correct(*given)
        return given[0] - new, m, v

    def old_moments_returned(*given):
        """Your weights are right, but you return the moments of before the step.

        The next step needs the new m and v.
        """
        return correct(*given)[0], given[2].clone(), given[3].clone()

    def corrected_moments_returned(*given):
        """Your weights are right, but you return the corrected moments. They would be corrected
        again in each later step.

        The correction serves the step alone. Keep m and v as the first two equations give them.
        """
        return _adam(*given, states=lambda m, v, m_hat, v_hat: (m_hat, v_hat))

    def only_v_returned_corrected(*given):
        """Your weights and m are right, but you return the corrected v.

        The correction serves the step alone. Keep v as its first equation gives it.
        """
        return _adam(*given, states=lambda m, v, m_hat, v_hat: (m, v_hat))

    def moments_in_the_wrong_order(*given):
        """You return W, v and m. The question asks for W, m and v.

        m is the mean of gradients, v that of their squares.
        """
        new, m, v = correct(*given)
        return new, v, m

    def weights_returned_last(*given):
        """You return m, v and W. The question asks for W, m and v.

        The first of the three results is W after the step.
        """
        new, m, v = correct(*given)
        return m, v, new

    def root_returned(*given):
        """Your weights and m are right, but you return the root of v.

        v is a mean of squares. Its root serves the step alone.
        """
        return _adam(*given, states=lambda m, v, m_hat, v_hat: (m, v.sqrt()))

    def not_corrected(*given):
        """Your moments are right, but you use them uncorrected. They began at 0, so the first
        steps are wrong.

        Divide m by 1 − β₁ᵗ and v by 1 − β₂ᵗ, where t is the step.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m, v))

    def only_m_corrected(*given):
        """Your moments are right, but you use v uncorrected.

        Both began at 0, so both are too small in the first steps.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b1**t), v))

    def only_v_corrected(*given):
        """Your moments are right, but you use m uncorrected.

        Both began at 0, so both are too small in the first steps.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m, v / (1 - b2**t)))

    def corrected_with_the_step_before(*given):
        """You corrected the moments with the power t − 1, so the first step divides by 0.

        `step` counts from 1. In the first step, m is (1 − β₁) times the gradient.
        """
        return _adam(
            *given, hats=lambda m, v, b1, b2, t: (m / (1 - b1 ** (t - 1)), v / (1 - b2 ** (t - 1)))
        )

    def corrected_with_the_step_after(*given):
        """You corrected the moments with the power t + 1.

        `step` counts from 1. In the first step, m is (1 − β₁) times the gradient.
        """
        return _adam(
            *given, hats=lambda m, v, b1, b2, t: (m / (1 - b1 ** (t + 1)), v / (1 - b2 ** (t + 1)))
        )

    def corrected_without_a_power(*given):
        """You corrected the moments with 1 − β, without a power: right in the first step alone.

        How much of m's beginning at 0 is still left after t steps? β₁ᵗ.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b1), v / (1 - b2)))

    def corrected_with_a_product(*given):
        """You corrected the moments with 1 − β · t, a product. It is a power: βᵗ.

        In Python, `*` multiplies and `**` raises to a power.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b1 * t), v / (1 - b2 * t)))

    def corrected_by_the_power(*given):
        """You divided the moments by βᵗ. Divide by what is missing to 1.

        In the first step, m is (1 − β₁) times the gradient.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / b1**t, v / b2**t))

    def corrected_with_power_of_the_difference(*given):
        """You corrected the moments with (1 − β)ᵗ. The power belongs to β alone: 1 − βᵗ.

        In Python, a power binds more closely than a difference, unless there are brackets.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b1) ** t, v / (1 - b2) ** t))

    def multiplied_by_the_correction(*given):
        """You multiplied the moments by 1 − βᵗ, which makes them still smaller.

        They began at 0, so they are too small. The correction makes them larger.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m * (1 - b1**t), v * (1 - b2**t)))

    def both_corrected_with_beta_1(*given):
        """You corrected v with β₁. It is a mean with β₂.

        Each moment has its own β.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b1**t), v / (1 - b1**t)))

    def both_corrected_with_beta_2(*given):
        """You corrected m with β₂. It is a mean with β₁.

        Each moment has its own β.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b2**t), v / (1 - b2**t)))

    def corrections_exchanged(*given):
        """You exchanged the two corrections: you corrected m with β₂ and v with β₁.

        Each moment has its own β.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b2**t), v / (1 - b1**t)))

    def v_corrected_after_the_root(*given):
        """You divided the *root* of v by 1 − β₂ᵗ. The correction belongs to v, under the root.

        First correct v, then take the root.
        """
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b1**t), v / (1 - b2**t) ** 2))

    def eps_inside_the_root(*given):
        """You added epsilon inside the root. It is added to the root.

        Which bracket closes first, that of the root or that of the sum?
        """
        return _adam(*given, move=lambda m, v, eps: m / (v + eps).sqrt())

    def eps_squared_inside_the_root(*given):
        """You added the square of epsilon inside the root. Epsilon is added to the root.

        Which bracket closes first, that of the root or that of the sum?
        """
        return _adam(*given, move=lambda m, v, eps: m / (v + eps**2).sqrt())

    def eps_before_the_correction(*given):
        """You added epsilon to the root of the *uncorrected* v, and corrected both together.

        First correct v and take its root; then add epsilon.
        """
        W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay = given
        eps = eps / (1 - beta_2**step) ** 0.5
        return correct(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay)

    def eps_added_afterwards(*given):
        """You added epsilon to the quotient. It belongs to the denominator.

        Where is a division by 0 to be avoided?
        """
        return _adam(*given, move=lambda m, v, eps: m / v.sqrt() + eps)

    def eps_left_out(*given):
        """Your result does not depend on `eps`.

        It is added to the root in the denominator.
        """
        return _adam(*given, move=lambda m, v, eps: m / v.sqrt())

    def eps_as_a_floor(*given):
        """You used epsilon as the least value of the root. It is added.

        The denominator is a sum.
        """
        return _adam(*given, move=lambda m, v, eps: m / v.sqrt().clamp(min=eps))

    def root_of_a_number(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """Your function stops where there is more than one weight: `math.sqrt` takes one number.

        Tensors have a root of their own, entry by entry.
        """
        new, m, v = correct(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay)
        math.sqrt(v)
        return new, m, v

    def no_root(*given):
        """You divided by v itself. Divide by its root.

        v is a mean of *squares* of gradients, and m a mean of gradients.
        """
        return _adam(*given, move=lambda m, v, eps: m / (v + eps))

    def multiplied_by_the_root(*given):
        """You multiplied by the root of v. Divide by it.

        A weight with large gradients should not take larger steps.
        """
        return _adam(*given, move=lambda m, v, eps: m * (v.sqrt() + eps))

    def m_alone(*given):
        """You moved the weights by m alone, and never used v for it.

        The direction is the corrected m over the root of the corrected v.
        """
        return _adam(*given, move=lambda m, v, eps: m)

    def gradient_in_place_of_m(*given):
        """You divided the gradient by the root of v. Divide the corrected m.

        What do you keep m for?
        """
        gradient = given[1]
        return _adam(*given, move=lambda m, v, eps: gradient / (v.sqrt() + eps))

    def sign_of_m(*given):
        """You used the sign of m alone.

        The direction is the corrected m over the root of the corrected v.
        """
        return _adam(*given, move=lambda m, v, eps: m.sign())

    def upwards(*given):
        """You moved along the gradient, so the loss grows.

        Subtract the step from the weights.
        """
        return _adam(*given, move=lambda m, v, eps: -m / (v.sqrt() + eps))

    def square_is_missing(*given):
        """Your v is a mean of gradients, not of their squares. Where it is negative, the root
        is NaN.

        Which of the two equations has a square?
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g),
        )

    def doubled_in_place_of_the_square(*given):
        """Your v is a mean of twice the gradients, not of their squares. Where it is negative, the
        root is NaN.

        In Python, the square is `gradient ** 2`; `gradient * 2` is twice the gradient.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * 2),
        )

    def size_in_place_of_the_square(*given):
        """Your v is a mean of the gradients' sizes, not of their squares.

        Which of the two equations has a square?
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g.abs()),
        )

    def square_of_m(*given):
        """Your v is a mean of the squares of m. Take the squares of the gradient.

        Both moments are means over the gradients.
        """

        def moments(g, m, v, b1, b2):
            m = b1 * m + (1 - b1) * g
            return m, b2 * v + (1 - b2) * m**2

        return _adam(*given, moments=moments)

    def square_of_the_share(*given):
        """In v you squared the share 1 − β₂ together with the gradient.

        Only the gradient is squared.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (
                b1 * m + (1 - b1) * g,
                b2 * v + ((1 - b2) * g) ** 2,
            ),
        )

    def one_square_for_all(*given):
        """Your v has the same number for all weights. Each weight has its own.

        Square the gradient entry by entry, without a sum or a mean.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (
                b1 * m + (1 - b1) * g,
                b2 * v + (1 - b2) * (g**2).mean(),
            ),
        )

    def one_square_of_the_norm(*given):
        """Your v grows by the squared norm of the whole gradient. Each weight has its own square.

        Square the gradient entry by entry, without a sum or a mean.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (
                b1 * m + (1 - b1) * g,
                b2 * v + (1 - b2) * (g**2).sum(),
            ),
        )

    def betas_exchanged(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """You exchanged β₁ and β₂.

        β₁ belongs to m, the mean of gradients, and β₂ to v, the mean of squares.
        """
        return correct(W, gradient, m, v, step, rate, beta_2, beta_1, eps, decay)

    def betas_exchanged_in_the_moments(*given):
        """In the equations of m and v you exchanged β₁ and β₂.

        β₁ belongs to m, the mean of gradients, and β₂ to v, the mean of squares.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (b2 * m + (1 - b2) * g, b1 * v + (1 - b1) * g**2),
        )

    def beta_1_for_both(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """You used β₁ for v as well, in the mean and in the correction.

        β₁ belongs to m, the mean of gradients, and β₂ to v, the mean of squares.
        """
        return correct(W, gradient, m, v, step, rate, beta_1, beta_1, eps, decay)

    def beta_1_in_both_means(*given):
        """You used β₁ for the mean of squares as well.

        β₁ belongs to m, the mean of gradients, and β₂ to v, the mean of squares.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (b1 * m + (1 - b1) * g, b1 * v + (1 - b1) * g**2),
        )

    def beta_2_in_both_means(*given):
        """You used β₂ for the mean of gradients as well.

        β₁ belongs to m, the mean of gradients, and β₂ to v, the mean of squares.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: (b2 * m + (1 - b2) * g, b2 * v + (1 - b2) * g**2),
        )

    def shares_exchanged(*given):
        """You gave the old mean the share 1 − β and the new gradient the share β.

        With β₁ = 0.9, nine tenths of m stay as they were.
        """
        return _adam(
            *given,
            moments=lambda g, m, v, b1, b2: ((1 - b1) * m + b1 * g, (1 - b2) * v + b2 * g**2),
        )

    def added_in_full(*given):
        """You added the gradient and its square in full, without the shares 1 − β₁ and 1 − β₂.

        Each moment is a mean: the shares of old and new sum to 1.
        """
        return _adam(*given, moments=lambda g, m, v, b1, b2: (b1 * m + g, b2 * v + g**2))

    def m_added_in_full(*given):
        """In m you added the gradient in full, without the share 1 − β₁.

        m is a mean: the shares of old and new sum to 1.
        """
        return _adam(*given, moments=lambda g, m, v, b1, b2: (b1 * m + g, b2 * v + (1 - b2) * g**2))

    def v_added_in_full(*given):
        """In v you added the square in full, without the share 1 − β₂.

        v is a mean: the shares of old and new sum to 1.
        """
        return _adam(*given, moments=lambda g, m, v, b1, b2: (b1 * m + (1 - b1) * g, b2 * v + g**2))

    def old_kept_in_full(*given):
        """You kept the old moments in full, without the shares β₁ and β₂, so they only grow.

        Each moment is a mean: the shares of old and new sum to 1.
        """
        return _adam(
            *given, moments=lambda g, m, v, b1, b2: (m + (1 - b1) * g, v + (1 - b2) * g**2)
        )

    def nothing_kept(*given):
        """Your new moments do not depend on the old ones.

        The share β₁ of the old m, and the share β₂ of the old v, are kept.
        """
        return _adam(*given, moments=lambda g, m, v, b1, b2: ((1 - b1) * g, (1 - b2) * g**2))

    def moved_by_old_moments(*given):
        """Your new moments are right, but you moved the weights by the old ones.

        First bring m and v up to date, then correct them, then move.
        """
        old = given[2:4]
        return _adam(
            *given,
            hats=lambda m, v, b1, b2, t: (old[0] / (1 - b1**t), old[1] / (1 - b2**t)),
        )

    def moved_by_the_old_m(*given):
        """Your new moments are right, but you moved the weights by the old m, over the root of the
        new v.

        First bring m and v up to date, then correct them, then move.
        """
        old = given[2]
        return _adam(*given, hats=lambda m, v, b1, b2, t: (old / (1 - b1**t), v / (1 - b2**t)))

    def moved_by_the_old_v(*given):
        """Your new moments are right, but you divided by the root of the old v.

        First bring m and v up to date, then correct them, then move.
        """
        old = given[3]
        return _adam(*given, hats=lambda m, v, b1, b2, t: (m / (1 - b1**t), old / (1 - b2**t)))

    def largest_square_kept(*given):
        """Your v never falls: you keep the larger of the old and the new one, as in AMSGrad.

        v is a mean, which falls where gradients become smaller.
        """

        def moments(g, m, v, b1, b2):
            return b1 * m + (1 - b1) * g, torch.maximum(v, b2 * v + (1 - b2) * g**2)

        return _adam(*given, moments=moments)

    def rate_left_out(*given):
        """Your step does not depend on `rate`.

        The whole change is multiplied by the rate.
        """
        W, gradient, m, v, step, _rate, *rest = given
        return correct(W, gradient, m, v, step, 1.0, *rest)

    def decay_left_out(*given):
        """You are right where `decay` is 0. Elsewhere, the weights should also move towards 0.

        The decay takes away the share rate · decay of each weight.
        """
        return _adam(*given, decayed=_no_decay)

    def decay_in_the_gradient(*given):
        """You added the decay to the gradient, so it goes through the moments. That is Adam with
        an L2 penalty, not AdamW.

        AdamW's decay is decoupled: it takes its share from the weights directly.
        """
        return _with_gradient_of_decay(given)

    def twice_the_decay_in_the_gradient(*given):
        """You added 2 · decay · W to the gradient, the derivative of a penalty. AdamW's decay does
        not go through the moments.

        AdamW's decay is decoupled: it takes its share from the weights directly.
        """
        return _with_gradient_of_decay(given, 2.0)

    def decay_in_the_direction(*given):
        """You added the decay to m before the division by the root of v. It should not be divided.

        AdamW's decay is decoupled: it takes its share from the weights directly.
        """
        W, decay = given[0], given[-1]
        return _adam(
            *given, decayed=_no_decay, move=lambda m, v, eps: (m + decay * W) / (v.sqrt() + eps)
        )

    def decay_without_the_rate(*given):
        """You did not multiply the decay by the rate.

        In the question's last equation, the rate stands in front of both parts.
        """
        return _adam(*given, decayed=lambda W, moved, rate, decay: moved - decay * W)

    def decay_with_the_corrected_rate(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """You put the corrections into the rate, and multiplied the decay by this rate as well.

        The decay is multiplied by the rate that is given. The corrections belong to the moments.
        """
        m = beta_1 * m + (1 - beta_1) * gradient
        v = beta_2 * v + (1 - beta_2) * gradient**2
        corrected = rate * (1 - beta_2**step) ** 0.5 / (1 - beta_1**step)
        return W - corrected * (m / (v.sqrt() + eps) + decay * W), m, v

    def decay_outwards_without_the_rate(*given):
        """Your decay moves the weights away from 0, and is not multiplied by the rate.

        In the question's last equation, both parts stand in one bracket.
        """
        return _adam(*given, decayed=lambda W, moved, rate, decay: moved + decay * W)

    def decay_of_the_moved_weights(*given):
        """You took the decay from the weights that had moved already. Take it from W as it was.

        In the question's last equation, W on the right is W of before the step.
        """
        return _adam(*given, decayed=lambda W, moved, rate, decay: moved * (1 - rate * decay))

    def decay_outwards(*given):
        """Your decay moves the weights away from 0.

        Both parts of the change are subtracted.
        """
        return _adam(*given, decayed=lambda W, moved, rate, decay: moved + rate * decay * W)

    def decay_by_one_for_all(*given):
        """You subtracted rate · decay, the same from all weights. It is a share of each weight.

        Large weights lose more than small ones.
        """
        return _adam(*given, decayed=lambda W, moved, rate, decay: moved - rate * decay)

    def decay_keeps_its_share(*given):
        """You multiplied the weights by rate · decay. That is the share that they lose.

        Which share is left?
        """
        return _adam(*given, decayed=lambda W, moved, rate, decay: moved - W + rate * decay * W)


class Right:
    """Right answers, written differently."""

    def with_lerp(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """Means by interpolation; the decay first, as in torch."""
        m = torch.lerp(gradient, m, beta_1)
        v = torch.lerp(gradient * gradient, v, beta_2)
        W = W * (1 - rate * decay)
        denominator = (v / (1 - beta_2**step)).sqrt().add(eps)
        return W.addcdiv(m, denominator, value=-rate / (1 - beta_1**step)), m, v

    def in_copies(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """Writes into copies."""
        W, m, v = W.clone(), m.clone(), v.clone()
        m.mul_(beta_1).add_(gradient, alpha=1 - beta_1)
        v.mul_(beta_2).addcmul_(gradient, gradient, value=1 - beta_2)
        W.sub_(rate * decay * W)
        W -= rate * (m / (1 - beta_1**step)) / ((v / (1 - beta_2**step)) ** 0.5 + eps)
        return W, m, v

    def with_one_factor(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """The paper's faster order, with epsilon scaled to match."""
        m = m - (1 - beta_1) * (m - gradient)
        v = v - (1 - beta_2) * (v - gradient.pow(2))
        root = (1 - beta_2**step) ** 0.5
        step_size = rate * root / (1 - beta_1**step)
        return W - step_size * m / (v.sqrt() + eps * root) - rate * decay * W, m, v

    def number_by_number(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """A loop over all entries, in Python's numbers."""
        rows = []
        of_each = zip(*(x.flatten().tolist() for x in (W, gradient, m, v)), strict=True)
        for w, g, a, b in of_each:
            a, b = beta_1 * a + (1 - beta_1) * g, beta_2 * b + (1 - beta_2) * g * g
            change = a / (1 - beta_1**step) / ((b / (1 - beta_2**step)) ** 0.5 + eps)
            rows.append((w - rate * (change + decay * w), a, b))
        return tuple(
            torch.tensor(part, dtype=W.dtype).view(W.shape) for part in zip(*rows, strict=True)
        )

    def in_double_precision(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """Computes with more digits than it is given, and goes back at the end."""
        W_, g, m_, v_ = (x.double() for x in (W, gradient, m, v))
        m_, v_ = m_ + (1 - beta_1) * (g - m_), v_ + (1 - beta_2) * (g.square() - v_)
        hats = m_.div(1 - beta_1**step), v_.div(1 - beta_2**step)
        W_ = W_ - (rate * decay) * W_ - rate * hats[0] / (eps + torch.sqrt(hats[1]))
        return W_.to(W), m_.to(W), v_.to(W)

    def as_a_list(W, gradient, m, v, step, rate, beta_1, beta_2, eps, decay):
        """Returns a list; computes both moments in one line of tensors."""
        betas = torch.tensor([beta_1, beta_2], dtype=W.dtype).view(2, *[1] * W.dim())
        old, new = torch.stack([m, v]), torch.stack([gradient, gradient.square()])
        moments = betas * old + (1 - betas) * new
        first, second = moments / (1 - betas**step)
        return [W - rate * (first / (second.sqrt() + eps) + decay * W), *moments]


EXERCISE = Exercise(
    id="adam",
    oracle=correct,
    hint="Compute the first case by hand: with moments of 0 in the first step, the corrected m is "
    "the gradient, the corrected v its square, and each weight moves by the rate.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
