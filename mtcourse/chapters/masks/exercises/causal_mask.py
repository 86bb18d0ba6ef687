"""The exercise ``causal_mask``: position i sees positions up to its own (A11, C09; chapter 5)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers import masks


def cases(draw: Draw) -> list[Case]:
    """A few sizes, and one that is drawn."""
    drawn = draw.size(8, 24)
    return [
        Case("3 positions", (3,), by_hand=True),
        Case("a single position", (1,)),
        Case("2 positions", (2,)),
        Case("7 positions", (7,)),
        Case(f"{drawn} positions", (drawn,)),
    ]


def correct(m):
    """The package's own, for as many keys as queries."""
    return masks.causal_mask(m)


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_itself(m):
        """No position sees itself here, so the first row has nothing to attend to at all.

        On the diagonal j = i. Does j ≤ i hold there?
        """
        return torch.ones(m, m, dtype=torch.bool).tril(-1)

    def hidden_is_true(m):
        """Your mask is True where attention is hidden. It should be True where attention is
        allowed.

        Both conventions exist, even within PyTorch. In this course True always means allowed.
        """
        return torch.ones(m, m, dtype=torch.bool).triu(1)

    def future_instead_of_past(m):
        """Each position sees itself and what comes after it; it should see what came before.

        Row i belongs to query i. Read the first row aloud: what may the first token see?
        """
        return torch.ones(m, m, dtype=torch.bool).triu()

    def one_ahead(m):
        """Each position also sees the next one, which is the very token that it has to predict.

        The diagonal is the position itself. How far beyond it do your True values reach?
        """
        return torch.ones(m, m, dtype=torch.bool).tril(1)

    def itself_and_the_one_before(m):
        """Each position sees itself and the one before it; those further back are hidden.

        j ≤ i sets no limit on how far back j may lie.
        """
        return torch.ones(m, m, dtype=torch.bool).tril().triu(-1)

    def only_itself(m):
        """Each position sees itself and nothing else.

        A position may also see everything before it.
        """
        return torch.eye(m, dtype=torch.bool)

    def mirrored(m):
        """The triangle is mirrored from left to right: the first row sees only the last position.

        Columns count from the left. In which corner is the pair of the first query and the first
        key?
        """
        return torch.ones(m, m, dtype=torch.bool).tril().flip(-1)

    def all_allowed(m):
        """Every position sees every other: nothing is hidden.

        Row i should hold i True values: one in the first row, two in the second.
        """
        return torch.ones(m, m, dtype=torch.bool)

    def all_hidden(m):
        """No position sees anything in your mask.

        A triangle cut from zeros is still zeros. Start from True everywhere, and take away the
        future.
        """
        return torch.zeros(m, m, dtype=torch.bool).tril()

    def numbers(m):
        """The triangle is right, but it holds the numbers 0 and 1 instead of False and True.

        `~` and `&` mean something else for numbers. Make the tensor one of booleans.
        """
        return torch.ones(m, m).tril()

    def numbers_where_hidden(m):
        """These are numbers, with 1 where attention is hidden.

        Make two changes: booleans instead of numbers, and True where attention is allowed.
        """
        return torch.ones(m, m).triu(1)

    def additive(m):
        """This is the mask to be added to scores: 0 where allowed, -inf where hidden.

        It is the same mask in additive form. Return the boolean form, True where allowed.
        """
        return torch.zeros(m, m).masked_fill(torch.ones(m, m, dtype=torch.bool).triu(1), -math.inf)

    def additive_by_product(m):
        """You multiplied -inf by a mask of 0 and 1, and 0 times infinity is not a number.

        Fill the hidden entries instead of multiplying. And return booleans, True where allowed.
        """
        return torch.ones(m, m).triu(1) * -math.inf

    def with_leading_dimensions(m):
        """The triangle is right, but it has an extra dimension of size 1 in front.

        One mask serves every sentence and head. Broadcasting adds the dimensions where they are
        needed.
        """
        return torch.ones(1, m, m, dtype=torch.bool).tril()

    def itself_only_at_the_beginning(m):
        """The first position sees itself, and the others see only earlier ones.

        On the diagonal j = i. Does j ≤ i hold there?
        """
        mask = torch.ones(m, m, dtype=torch.bool).tril(-1)
        mask[0, 0] = True
        return mask

    def two_leading_dimensions(m):
        """The triangle is right, but it has two extra dimensions of size 1 in front.

        One mask serves every sentence and head. Broadcasting adds the dimensions where they are
        needed.
        """
        return torch.ones(1, 1, m, m, dtype=torch.bool).tril()

    def last_row_alone(m):
        """You return one row, in which everything is allowed.

        Each query has a row of its own: how many are there?
        """
        return torch.ones(m, dtype=torch.bool)

    def of_four_positions(m):
        """You return the mask for four positions, whatever m is.

        The argument says how many positions there are.
        """
        return torch.ones(4, 4, dtype=torch.bool).tril()

    def one_position_fewer(m):
        """Your mask has one row and one column too few.

        m positions have m queries and m keys.
        """
        return torch.ones(m - 1, m - 1, dtype=torch.bool).tril()

    def one_position_more(m):
        """Your mask has one row and one column too many.

        m positions have m queries and m keys.
        """
        return torch.ones(m + 1, m + 1, dtype=torch.bool).tril()

    def in_lists(m):
        """The triangle is right, but you return lists.

        Make a tensor of them.
        """
        return [[j <= i for j in range(m)] for i in range(m)]

    def very_low_numbers(m):
        """This is a mask to be added to scores: 0 where allowed, a very low number where hidden.

        Return the boolean form, True where allowed.
        """
        return torch.zeros(m, m).masked_fill(torch.ones(m, m, dtype=torch.bool).triu(1), -1e9)

    def upside_down(m):
        """The rows stand in the opposite order: the first query sees all, the last only the first
        key.

        Row i belongs to query i. Read the first row aloud: what may the first token see?
        """
        return torch.ones(m, m, dtype=torch.bool).tril().flip(0)

    def last_one_alone(m):
        """Each position sees only the one before it.

        A position sees itself and *all* earlier ones.
        """
        return torch.ones(m, m, dtype=torch.bool).tril(-1).triu(-1)

    def itself_and_the_first(m):
        """Each position sees itself and the first one, and none in between.

        A position sees itself and *all* earlier ones.
        """
        mask = torch.eye(m, dtype=torch.bool)
        mask[:, 0] = True
        return mask

    def all_but_itself(m):
        """Each position sees every other, and not itself.

        The future should be hidden, and the diagonal not.
        """
        return ~torch.eye(m, dtype=torch.bool)

    def two_ahead(m):
        """Each position also sees the next two.

        The diagonal is the position itself. How far beyond it do your True values reach?
        """
        return torch.ones(m, m, dtype=torch.bool).tril(2)

    def first_key_alone(m):
        """Each position sees the first one, and no other.

        j ≤ i holds for all j up to i.
        """
        return (torch.arange(m) == 0).expand(m, m).clone()

    def itself_and_two_before(m):
        """Each position sees itself and the two before it; those further back are hidden.

        j ≤ i sets no limit on how far back j may lie.
        """
        return torch.ones(m, m, dtype=torch.bool).tril().triu(-2)

    def halves(m):
        """The first half of the positions sees the first half, and the second half sees all.

        Each row has one True more than the row above it.
        """
        half = torch.arange(m) >= (m + 1) // 2
        return half[:, None] | ~half

    def scores_for_mask(m):
        """You return numbers that sum to 1 in each row: weights, and not a mask.

        A mask says True or False.
        """
        mask = torch.ones(m, m).tril()
        return mask / mask.sum(-1, keepdim=True)


class Right:
    """Right answers, written differently."""

    def by_comparing(m):
        """Compares the positions of keys with those of queries."""
        position = torch.arange(m)
        return position[None, :] <= position[:, None]

    def one_pair_at_a_time(m):
        """Loops, as the definition has it."""
        mask = torch.zeros(m, m, dtype=torch.bool)
        for i in range(m):
            for j in range(i + 1):
                mask[i, j] = True
        return mask

    def without_the_future(m):
        """Everything except what lies above the diagonal."""
        return ~torch.triu(torch.ones(m, m), diagonal=1).bool()

    def from_lists(m):
        """Without any function for triangles."""
        return torch.tensor([[j <= i for j in range(m)] for i in range(m)])

    def by_summing_the_diagonal(m):
        """A one on the diagonal stays on in all rows below it."""
        return torch.eye(m).cumsum(0) > 0


EXERCISE = Exercise(
    id="causal_mask",
    oracle=correct,
    hint="Write the four rows for m = 4 on paper. Which keys j may query i see?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
