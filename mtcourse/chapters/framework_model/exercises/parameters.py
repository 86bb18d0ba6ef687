"""The exercise ``parameters``: how many numbers document A's model learns (A08, A13, A18)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import functions_of, Exercise

V_S, V_T, D = 1000, 1200, 64


def _answer(tables, attention, networks, output, all_=None):
    total = tables + attention + networks + output if all_ is None else all_
    return {
        "tables": tables,
        "attention": attention,
        "networks": networks,
        "output": output,
        "all": total,
    }


_TABLES, _ATTENTION, _NETWORKS, _OUTPUT = (V_S + V_T) * D, 9 * D**2, 4 * D**2, D * V_T


def correct():
    """Two tables, three attentions of three matrices, two networks of two, one output matrix."""
    return _answer(_TABLES, _ATTENTION, _NETWORKS, _OUTPUT)


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The numbers may be right, but their names are missing.

        The answer is a dictionary with the names of the question as keys.
        """
        return [_TABLES, _ATTENTION, _NETWORKS, _OUTPUT, _TABLES + _ATTENTION + _NETWORKS + _OUTPUT]

    def two_attentions():
        """You counted two attentions. The source has one, the target has one, and there is a third.

        Which attention connects the two sides? It has matrices of its own.
        """
        return _answer(_TABLES, 6 * D**2, _NETWORKS, _OUTPUT)

    def one_attention():
        """You counted the matrices of a single attention, W_Q, W_K and W_V.

        Look at the picture of the model: in how many boxes does it say attention?
        """
        return _answer(_TABLES, 3 * D**2, _NETWORKS, _OUTPUT)

    def one_matrix_each():
        """You counted one matrix for all the attentions.

        In each attention, three different matrices make the queries, the keys and the values.
        """
        return _answer(_TABLES, D**2, _NETWORKS, _OUTPUT)

    def output_projections():
        """You gave each attention a fourth matrix. Document A's single head has none.

        It comes with several heads, in chapter 9.
        """
        return _answer(_TABLES, 12 * D**2, _NETWORKS, _OUTPUT)

    def wide_middle():
        """Your networks are four times as wide in the middle. Those are document B's (B12).

        In A08 both matrices are d × d.
        """
        return _answer(_TABLES, _ATTENTION, 16 * D**2, _OUTPUT)

    def one_network():
        """You counted one network. Encoder and decoder each have their own.

        A08 has W₁ᴱ and W₂ᴱ. And A17?
        """
        return _answer(_TABLES, _ATTENTION, 2 * D**2, _OUTPUT)

    def with_biases():
        """You counted biases in the networks. Document A has none.

        A08 and A17 have matrices and a ReLU, and nothing else.
        """
        return _answer(_TABLES, _ATTENTION, _NETWORKS + 4 * D, _OUTPUT)

    def one_table():
        """You counted the target's table only. The source has one, too.

        W_E^X has V_s rows, W_E^Y has V_t.
        """
        return _answer(V_T * D, _ATTENTION, _NETWORKS, _OUTPUT)

    def source_table_only():
        """You counted the source's table only. The target has one, too.

        W_E^X has V_s rows, W_E^Y has V_t.
        """
        return _answer(V_S * D, _ATTENTION, _NETWORKS, _OUTPUT)

    def tied():
        """You counted no output matrix, as if it were the target's table. Here nothing is shared.

        W_O is a matrix of its own, d × V_t.
        """
        return _answer(_TABLES, _ATTENTION, _NETWORKS, 0)

    def output_for_the_source():
        """Your output matrix scores the source words. It must score the target words.

        How many probabilities does a row of Ŷ have?
        """
        return _answer(_TABLES, _ATTENTION, _NETWORKS, D * V_S)

    def square_output():
        """Your output matrix is d × d, so each row of logits would have d numbers.

        A row of logits needs one number for each of the V_t words.
        """
        return _answer(_TABLES, _ATTENTION, _NETWORKS, D * D)

    def sum_without_output():
        """The parts are right, but W_O is missing from the sum.

        Add all four.
        """
        return _answer(_TABLES, _ATTENTION, _NETWORKS, _OUTPUT, _TABLES + _ATTENTION + _NETWORKS)

    def sum_without_tables():
        """The parts are right, but the tables are missing from the sum. They are learnt like the
        rest.

        Add all four.
        """
        return _answer(_TABLES, _ATTENTION, _NETWORKS, _OUTPUT, _ATTENTION + _NETWORKS + _OUTPUT)


class Right:
    """Right answers, written differently."""

    def in_whole_numbers():
        """Written out."""
        return {
            "tables": 140_800,
            "attention": 36_864,
            "networks": 16_384,
            "output": 76_800,
            "all": 270_848,
        }

    def by_the_formula():
        """The sum as (V_s + 2 V_t) d + 13 d^2, with floats."""
        return _answer(2200 * 64.0, 9 * 64.0**2, 4 * 64.0**2, 1200 * 64.0, 3400 * 64.0 + 13 * 64.0**2)

    def counted():
        """Counts the entries of matrices of these shapes."""
        tables = torch.empty(V_S, D).numel() + torch.empty(V_T, D).numel()
        square = torch.empty(D, D).numel()
        return _answer(tables, 9 * square, 4 * square, torch.empty(D, V_T).numel())

    def in_another_order():
        """With the names in another order."""
        return dict(reversed(correct().items()))


EXERCISE = Exercise(
    id="parameters",
    oracle=correct,
    hint="List the sixteen matrices with their shapes: two tables, three for each attention, two "
    "for each network, one at the end.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
