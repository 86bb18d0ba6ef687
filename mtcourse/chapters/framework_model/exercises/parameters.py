"""The exercise ``parameters``: how many numbers document A's model learns (A08, A13, A18)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import Exercise, functions_of

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


def _with(tables=_TABLES, attention=_ATTENTION, networks=_NETWORKS, output=_OUTPUT, all_=None):
    """The right answer but for some numbers, and their sum."""
    return _answer(tables, attention, networks, output, all_)


_SUM = _TABLES + _ATTENTION + _NETWORKS + _OUTPUT


def correct():
    """Two tables, three attentions of three matrices, two networks of two, one output matrix."""
    return _answer(_TABLES, _ATTENTION, _NETWORKS, _OUTPUT)


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The numbers are right, but their names are missing.

        The answer is a dictionary with the names of the question as keys.
        """
        return [_TABLES, _ATTENTION, _NETWORKS, _OUTPUT, _TABLES + _ATTENTION + _NETWORKS + _OUTPUT]

    def two_attentions():
        """You counted six matrices for the attentions: an attention is missing, or a matrix in
        each.

        Which attention connects the two sides? And what does each attention make with matrices?
        """
        return _answer(_TABLES, 6 * D**2, _NETWORKS, _OUTPUT)

    def one_attention():
        """You counted three matrices for the attentions: a single attention, or one matrix in each.

        In the chapter's figure of the model, how many boxes say attention? And how many matrices
        has each?
        """
        return _answer(_TABLES, 3 * D**2, _NETWORKS, _OUTPUT)

    def one_matrix_each():
        """You counted one matrix for all the attentions.

        In each attention, three different matrices make the queries, the keys and the values.
        """
        return _answer(_TABLES, D**2, _NETWORKS, _OUTPUT)

    def output_projections():
        """You counted twelve matrices for the attentions, as if each had a fourth one.

        A fourth matrix comes with several heads, in chapter 9. Document A's single head has none.
        """
        return _answer(_TABLES, 12 * D**2, _NETWORKS, _OUTPUT)

    def wide_middle():
        """Your networks are four times as wide in the middle. Those are document B's (B12).

        In A08 both matrices are d × d.
        """
        return _answer(_TABLES, _ATTENTION, 16 * D**2, _OUTPUT)

    def one_network():
        """You counted two matrices for the networks: a single network, or one matrix in each.

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

    def larger_vocabulary_twice():
        """Your two tables are equally long, as if both languages had the larger vocabulary.

        A table has a row of d numbers for each word of its language.
        """
        return _with(tables=2 * V_T * D)

    def smaller_vocabulary_twice():
        """Your two tables are equally long, as if both languages had the smaller vocabulary.

        A table has a row of d numbers for each word of its language.
        """
        return _with(tables=2 * V_S * D)

    def table_of_pairs():
        """Your table has a number for each pair of a source word and a target word.

        A table has a row of d numbers for each word of its language.
        """
        return _with(tables=V_S * V_T)

    def tables_of_pairs_of_words():
        """Your tables have a number for each pair of words of a language, like one-hot vectors.

        A table has a row of d numbers for each word of its language.
        """
        return _with(tables=V_S**2 + V_T**2)

    def words_counted():
        """You counted the words and not the numbers.

        A table has a row of d numbers for each word of its language.
        """
        return _with(tables=V_S + V_T)

    def tables_multiplied():
        """You multiplied the sizes of the two tables.

        Numbers of different matrices are added.
        """
        return _with(tables=V_S * D * V_T * D)

    def three_tables():
        """You counted the target's table twice, or W_O as one of the tables.

        The output has a name of its own among the parts.
        """
        return _with(tables=(V_S + 2 * V_T) * D)

    def learnt_positions():
        """You counted a table of positions among the tables.

        The question says how the positions are made.
        """
        return _with(tables=_TABLES + 64 * D)

    def tables_twice():
        """You counted every table twice.

        A table has a row of d numbers for each word of its language.
        """
        return _with(tables=2 * _TABLES)

    def width_squared():
        """Your tables are V × d × d.

        A table has a row of d numbers for each word of its language.
        """
        return _with(tables=_TABLES * D)

    def cross_attention_with_queries_only():
        """You counted a single matrix for the cross-attention.

        Its keys and values are computed from H_E, with matrices of its own.
        """
        return _with(attention=7 * D**2)

    def cross_attention_with_two():
        """You counted two matrices for the cross-attention, or eight in all.

        Queries, keys and values: which of them have matrices of their own?
        """
        return _with(attention=8 * D**2)

    def six_attentions():
        """You counted eighteen matrices for the attentions. There are fewer.

        How many attentions are there, and which matrices has each of them?
        """
        return _with(attention=18 * D**2)

    def three_matrices():
        """You counted d numbers for each matrix in the attentions.

        A matrix d × d has d² numbers.
        """
        return _with(attention=9 * D)

    def two_widths():
        """A matrix d × d has 2 d numbers in your sum.

        Count rows times columns.
        """
        return _with(attention=18 * D, networks=8 * D)

    def attention_biases():
        """You counted biases in the attentions. Document A has none.

        The question says so.
        """
        return _with(attention=_ATTENTION + 9 * D)

    def biases_everywhere():
        """You counted biases in every layer. Document A has none.

        The question says so.
        """
        return _with(attention=_ATTENTION + 9 * D, networks=_NETWORKS + 4 * D, output=_OUTPUT + V_T)

    def heads_of_eight():
        """Your matrices in the attentions are d × d/8, as if there were eight heads.

        The model has one head. How wide is it?
        """
        return _with(attention=9 * D * D // 8)

    def scores_counted():
        """You counted ten matrices for the attentions, as if one attention had a fourth.

        Scores are computed and not learnt, and a single head has no output matrix of its own.
        """
        return _with(attention=10 * D**2)

    def three_networks():
        """You counted six matrices for the networks: a network too many, or a matrix too many in
        each.

        The decoder has a single network, after its second attention. Each network has W₁ and W₂.
        """
        return _with(networks=6 * D**2)

    def four_networks():
        """Your networks have 8 d² numbers, as if there were four, or as if they were wider in the
        middle.

        There are two networks, and each has two matrices, d × d.
        """
        return _with(networks=8 * D**2)

    def one_matrix_of_a_network():
        """You counted a single matrix in all the networks.

        There are two networks, and each has two matrices, d × d.
        """
        return _with(networks=D**2)

    def networks_of_twice_the_width():
        """Your networks have 32 d² numbers. There are too many of them, or they are much too wide
        in the middle.

        There are two networks, and each has two matrices, d × d.
        """
        return _with(networks=32 * D**2)

    def output_of_both():
        """W_O scores the words of both languages in your count.

        W_O turns a row of d numbers into one number for each target word.
        """
        return _with(output=D * (V_S + V_T))

    def output_with_a_bias():
        """You counted a bias for each target word in the output.

        The question says that there is none.
        """
        return _with(output=_OUTPUT + V_T)

    def output_of_words():
        """You counted one number for each target word in the output.

        W_O turns a row of d numbers into one number for each target word.
        """
        return _with(output=V_T)

    def output_by_words():
        """Your output matrix is V_t × V_t.

        W_O turns a row of d numbers into one number for each target word.
        """
        return _with(output=V_T**2)

    def output_from_source_words():
        """Your output matrix goes from source words to target words.

        W_O turns a row of d numbers into one number for each target word.
        """
        return _with(output=V_S * V_T)

    def output_twice():
        """You counted two output matrices.

        W_O turns a row of d numbers into one number for each target word.
        """
        return _with(output=2 * _OUTPUT)

    def positions_in_the_sum():
        """The parts are right, but the sum also counts 64 learnt positions, or one d × d matrix too
        many.

        The question says how the positions are made. Add up the four parts, each once.
        """
        return _with(all_=_SUM + 64 * D)

    def sum_without_attention():
        """The parts are right, but the attentions are missing from the sum.

        Add up the four parts, each once.
        """
        return _with(all_=_SUM - _ATTENTION)

    def sum_without_networks():
        """The parts are right, but the networks are missing from the sum.

        Add up the four parts, each once.
        """
        return _with(all_=_SUM - _NETWORKS)

    def sum_of_square_matrices():
        """Your sum takes all sixteen matrices for square ones.

        Three of the sixteen are not d × d.
        """
        return _with(all_=16 * D**2)

    def sum_of_thirteen():
        """Your sum has only the square matrices.

        Add up the four parts, each once.
        """
        return _with(all_=13 * D**2)

    def sum_with_biases():
        """The parts are right, but the sum has biases.

        The question says that there are none.
        """
        return _with(all_=_SUM + 13 * D + V_T)

    def matrices_counted():
        """You counted matrices. The question asks for the numbers in them.

        How many numbers has a matrix d × d?
        """
        return _with(2, 9, 4, 1)

    def six_blocks():
        """You counted six layers on each side.

        The question says how many there are.
        """
        return _with(attention=54 * D**2, networks=24 * D**2)

    def two_layers():
        """You counted two layers on each side.

        The question says how many there are.
        """
        return _with(attention=18 * D**2, networks=8 * D**2, output=_OUTPUT + 0)

    def bytes():
        """You counted bytes, four for each number.

        The question asks how many numbers the model learns.
        """
        return _with(4 * _TABLES, 4 * _ATTENTION, 4 * _NETWORKS, 4 * _OUTPUT)

    def width_of_512():
        """You counted with a width of 512 instead of d.

        The question says which width it is.
        """
        return _with((V_S + V_T) * 512, 9 * 512**2, 4 * 512**2, 512 * V_T)

    def in_thousands():
        """You give the sum in thousands.

        Give the number itself.
        """
        return _with(all_=_SUM / 1000)


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
        return _answer(
            2200 * 64.0, 9 * 64.0**2, 4 * 64.0**2, 1200 * 64.0, 3400 * 64.0 + 13 * 64.0**2
        )

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
