"""The exercise ``post_norm_block``: as documents B and C print it (B11, B13, C38; chapter 10)."""

from __future__ import annotations

import torch

from mtcourse.chapters.blocks.exercises.encoder_block import (
    Half,
    cases,
    mistaken_halves,
    mistaken_norms,
    mistaken_wiring,
    mistakes_in_both,
    parts_of,
)
from mtcourse.checks.exercise import Exercise, functions_of


def correct(x, w):
    """Two residual connections, each sum normalised."""
    return _block(x, *parts_of(w))


def _block(x, attention, network, norm_1, norm_2):
    X_1 = norm_1(x + attention(x))
    return norm_2(X_1 + network(X_1))


def _without(x):
    """In the place of a norm that is left out."""
    return x


class Wrong:
    """What learners write, the more particular before the more general."""

    def pre_norm(x, w):
        """You wrote a pre-norm block: each norm stands before its sublayer.

        B11 and B13 normalise the sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + attention(norm_1(x))
        return y + network(norm_2(y))

    def pre_norm_around_attention(x, w):
        """Your network is as in B13, but around attention you wrote pre-norm: norm_1 stands before
        the sublayer.

        B11 normalises the sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + attention(norm_1(x))
        return norm_2(y + network(y))

    def pre_norm_around_the_network(x, w):
        """Your attention is as in B11, but around the network you wrote pre-norm: norm_2 stands
        before the sublayer.

        B13 normalises the sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        X_1 = norm_1(x + attention(x))
        return X_1 + network(norm_2(X_1))

    def norm_before_the_sum(x, w):
        """You normalised what each sublayer returns, and then added.

        Look at the brackets of B11 and B13: the sum is inside.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        X_1 = x + norm_1(attention(x))
        return X_1 + norm_2(network(X_1))

    def norm_before_the_first_sum(x, w):
        """You normalised what attention returns, and then added x.

        Look at the brackets of B11: the sum is inside.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        X_1 = x + norm_1(attention(x))
        return norm_2(X_1 + network(X_1))

    def norm_before_the_second_sum(x, w):
        """You normalised what the network returns, and then added X₁.

        Look at the brackets of B13: the sum is inside.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        X_1 = norm_1(x + attention(x))
        return X_1 + norm_2(network(X_1))

    def as_document_C(x, w):
        """You stopped at the network, as document C does (C38): nothing is added to its output, and
        nothing normalises it.

        What does B13 do with the output of the network?
        """
        attention, network, norm_1, _norm_2 = parts_of(w)
        return network(norm_1(x + attention(x)))

    def second_sum_not_normalised(x, w):
        """Your second sum is not normalised.

        What stands outside the brackets of B13?
        """
        attention, network, norm_1, _norm_2 = parts_of(w)
        return _block(x, attention, network, norm_1, _without)

    def first_sum_not_normalised(x, w):
        """Your first sum is not normalised.

        What stands outside the brackets of B11?
        """
        attention, network, _norm_1, norm_2 = parts_of(w)
        return _block(x, attention, network, _without, norm_2)

    def network_reads_the_sum_before_the_norm(x, w):
        """Your network reads the first sum before it is normalised.

        X₁ of B11 is normalised already. B13 uses it twice.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + attention(x)
        return norm_2(norm_1(y) + network(y))

    def residual_of_the_sum_before_the_norm(x, w):
        """Your second residual connection adds the first sum before it is normalised.

        X₁ of B11 is normalised already. B13 uses it twice.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + attention(x)
        return norm_2(y + network(norm_1(y)))

    def second_residual_of_the_input(x, w):
        """Your second residual connection adds the block's input x.

        What is added to the output of the network in B13?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_2(x + network(norm_1(x + attention(x))))

    def network_reads_the_input(x, w):
        """Your network reads the block's input x, not X₁.

        What does the network read in B13?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_2(norm_1(x + attention(x)) + network(x))

    def pre_norm_that_changes_x(x, w):
        """You wrote a pre-norm block: each norm stands before its sublayer. And it changes x.

        B11 and B13 normalise the sum. `x = x + …` makes a new tensor, `x += …` does not.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        x += attention(norm_1(x))
        x += network(norm_2(x))
        return x

    def halves_apart(x, w):
        """You computed both halves from the block's input, and added them.

        What does the network read in B13?
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_1(x + attention(x)) + norm_2(x + network(x))

    def pre_norm_side_by_side(x, w):
        """You wrote a pre-norm block, and both sublayers read the same rows, normalised by norm_1.

        B11 and B13 normalise the sum, and the network reads X₁.
        """
        attention, network, norm_1, _norm_2 = parts_of(w)
        z = norm_1(x)
        return x + attention(z) + network(z)

    def without_the_network(x, w):
        """You returned X₁. The network is missing.

        B13 is the second half of the block.
        """
        attention, _network, norm_1, _norm_2 = parts_of(w)
        return norm_1(x + attention(x))

    def without_attention(x, w):
        """Attention is missing.

        B11 is the first half of the block.
        """
        _attention, network, _norm_1, norm_2 = parts_of(w)
        return norm_2(x + network(x))

    def normalised_twice_at_the_end(x, w):
        """You normalised the result twice.

        Each norm is used once, after its sum.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_2(_block(x, attention, network, norm_1, norm_2))

    def terms_normalised_apart(x, w):
        """You normalised both terms of each sum, and then added them.

        The norm of a sum is not the sum of the norms. The sum is inside the brackets.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        X_1 = norm_1(x) + norm_1(attention(x))
        return norm_2(X_1) + norm_2(network(X_1))

    def input_added_once_more(x, w):
        """You added x once more at the end.

        Nothing comes after the norm of B13.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return x + _block(x, attention, network, norm_1, norm_2)

    def one_norm_at_the_end(x, w):
        """Your network reads attention's output alone, and you normalise one sum of everything.

        Each sublayer has its own sum and its own norm.
        """
        attention, network, _norm_1, norm_2 = parts_of(w)
        A = attention(x)
        return norm_2(x + A + network(A))

    def side_by_side(x, w):
        """You added the outputs of both sublayers to x, as if they worked side by side.

        The network reads X₁, which contains what attention has found.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_2(norm_1(x + attention(x) + network(x)))

    def network_reads_the_normalised_input(x, w):
        """Your network reads the block's input, normalised with norm_1. Attention's output is not
        in it.

        B13 uses X₁ twice: the network reads it, and it is added.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        return norm_2(norm_1(x + attention(x)) + network(norm_1(x)))

    def first_norm_at_the_end(x, w):
        """Your first sum is not normalised, and the second is normalised with norm_1.

        norm_1 belongs to B11, norm_2 to B13.
        """
        attention, network, norm_1, _norm_2 = parts_of(w)
        return _block(x, attention, network, _without, norm_1)

    def halves_added(x, w):
        """You added X₁ once more at the end, after norm_2.

        Nothing comes after the norm of B13.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        X_1 = norm_1(x + attention(x))
        return X_1 + norm_2(X_1 + network(X_1))

    def both_norms_at_the_end(x, w):
        """You used both norms at the end, one after the other. Your first sum is not normalised.

        norm_1 belongs to B11, around the sum with attention.
        """
        attention, network, norm_1, norm_2 = parts_of(w)
        y = x + attention(x)
        return norm_2(norm_1(y + network(y)))


class Right:
    """Right answers, written differently."""

    def with_names(x, w):
        """Every step by itself."""
        attention, network, norm_1, norm_2 = parts_of(w)
        attended = attention(x)
        X_1 = norm_1(torch.add(attended, x))
        computed = network(X_1)
        return norm_2(torch.add(computed, X_1))

    def in_one_name(x, w):
        """The name x stands for each result in turn."""
        attention, network, norm_1, norm_2 = parts_of(w)
        x = norm_1(x + attention(x))
        return norm_2(x + network(x))

    def as_a_loop(x, w):
        """Two sublayers of one form."""
        attention, network, norm_1, norm_2 = parts_of(w)
        for sublayer, norm in ((attention, norm_1), (network, norm_2)):
            x = norm(sublayer(x) + x)
        return x

    def as_a_function_around(x, w):
        """Wraps a sublayer."""
        attention, network, norm_1, norm_2 = parts_of(w)

        def add_and_norm(sublayer, norm):
            return lambda x: norm(x + sublayer(x))

        return add_and_norm(network, norm_2)(add_and_norm(attention, norm_1)(x))

    def with_stacked_sums(x, w):
        """Sums over a new dimension."""
        attention, network, norm_1, norm_2 = parts_of(w)
        X_1 = norm_1(torch.stack([x, attention(x)]).sum(0))
        return norm_2(torch.stack([X_1, network(X_1)]).sum(0))


_HINT = "In each half, work outwards from the inside of the brackets: sublayer, sum, norm."
_NAMED = [
    ("pre_norm", "pre_norm"),
    ("pre_norm", "post_norm"),
    ("post_norm", "pre_norm"),
    ("output_normalised", "output_normalised"),
    ("output_normalised", "post_norm"),
    ("post_norm", "output_normalised"),
    ("post_norm", "sublayer_alone"),
    ("post_norm", "without_norm"),
    ("without_norm", "post_norm"),
    ("without_norm", "without_norm"),
    ("without_residual_before_the_norm", "without_residual_before_the_norm"),
    ("without_residual_before_the_norm", "post_norm"),
    ("post_norm", "without_residual_before_the_norm"),
    ("normalised_on_both_sides", "normalised_on_both_sides"),
]

_WIRING = "What is X₁ in B11? B13 uses it twice: the network reads it, and it is added."
_NAMED_WIRING = [
    "post_reads_the_sum_adds_the_sum",
    "post_reads_the_sum_adds_the_input",
    "post_reads_the_input_adds_the_sum",
    "post_reads_the_input_adds_the_input",
    "post_reads_attention_alone_adds_attention_alone",
    "pre_reads_the_sum_adds_the_sum",
    "pre_reads_attention_alone_adds_attention_alone",
]

EXERCISE = Exercise(
    id="post_norm_block",
    oracle=correct,
    hint="Translate B11 and then B13, from the inside of the brackets to the outside: sublayer, "
    "sum, norm. Which tensor does B13 use twice?",
    misconceptions=(
        *mistakes_in_both(Half.post_norm),
        *functions_of(Wrong),
        *mistaken_halves(Half.post_norm, _HINT, _NAMED),
        *mistaken_wiring(False, _WIRING, _NAMED_WIRING),
        *mistaken_norms(Half.post_norm, _HINT),
    ),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
