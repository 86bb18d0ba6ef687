"""The exercise ``table_gradient``: the derivative of a loss by the table (A04; chapter 2)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers.embeddings import embedding_gradient


def cases(draw: Draw) -> list[Case]:
    """Tokens that repeat, all the same, none twice; as many tokens as words; sentences."""
    twice = torch.tensor([2, 0, 2])
    whole = draw.tensor([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    batch = torch.tensor([[1, 4, 1, 0], [5, 1, 0, 0], [2, 2, 4, 3]])
    double = torch.tensor([[1.0, 0.5], [2.0, -1.0], [4.0, 3.0]], dtype=torch.float64)
    return [
        Case("ids 2, 0 and 2 of four words", (twice, whole, 4), by_hand=True),
        Case("a single token", (torch.tensor([3]), draw.normal(1, 3), 5)),
        Case("4 tokens, none twice", (torch.tensor([5, 1, 4, 2]), draw.normal(4, 3), 7)),
        Case("one token four times", (torch.tensor([1, 1, 1, 1]), draw.normal(4, 3), 3)),
        Case("as many tokens as words", (torch.tensor([2, 0, 3, 2]), draw.normal(4, 4), 4)),
        Case(
            "9 tokens of 6 words",
            (torch.tensor([0, 5, 1, 5, 0, 2, 5, 1, 0]), draw.normal(9, 4), 6),
        ),
        Case("3 sentences", (batch, draw.normal(3, 4, 5), 8)),
        Case("numbers in double precision", (torch.tensor([1, 3, 1]), double, 4)),
        Case("a batch of one sentence", (torch.tensor([[2, 1, 2]]), draw.normal(1, 3, 2), 4)),
        Case("the same sentence twice", (torch.tensor([[3, 1], [3, 1]]), draw.normal(2, 2, 3), 5)),
    ]


def precision_is_kept(case: Case, value) -> bool:
    """Single stays single, and double stays double."""
    return value.dtype == case.arguments[1].dtype


def _counts(ids, V):
    """How often each token occurs, in a column."""
    return torch.bincount(ids.flatten(), minlength=V)[:, None]


def unused_rows_are_0(case: Case, value) -> bool:
    """Rows of words that do not occur hold zeros."""
    unused = [k for k in range(case.arguments[2]) if k not in case.arguments[0]]
    return bool((value[unused] == 0).all())


def _rows(ids, H_bar):
    """All ids in one dimension, (n,), and what arrives at them, (n, d)."""
    return ids.flatten(), H_bar.reshape(-1, H_bar.shape[-1])


class Wrong:
    """What learners write, the more particular before the more general."""

    def rows_of_tokens(ids, H_bar, V):
        """This is `H_bar`, the derivative with respect to the rows of the *sentence*. Return the
        derivative with respect to the table.

        The result has a row for each of the V words of the vocabulary.
        """
        return H_bar.clone()

    def used_rows_only(ids, H_bar, V):
        """The sums are right, but only the words of the sentence have a row.

        The derivative has the shape of the table, (V, d), including the rows that were not used.
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(flat, rows, V)[flat.unique()]

    def transposed(ids, H_bar, V):
        """The numbers are right, but rows and columns are exchanged.

        The derivative has the shape of the table, (V, d).
        """
        return embedding_gradient(ids, H_bar, V).T

    def last_one_wins(ids, H_bar, V):
        """Where a token repeats, only its last position counts. The others were overwritten.

        `g[ids] = …` assigns, and so does `g[ids] += …`, which reads once and then assigns. Add one
        position after the other, or use a function that adds up.
        """
        flat, rows = _rows(ids, H_bar)
        g = rows.new_zeros(V, rows.shape[1])
        for k, row in zip(flat.tolist(), rows, strict=True):
            g[k] = row
        return g

    def first_one_wins(ids, H_bar, V):
        """Where a token repeats, you count only its first position.

        The row was used at each of these positions, and the loss changes through all of them.
        """
        flat, rows = _rows(ids, H_bar)
        return Wrong.last_one_wins(flat.flip(0), rows.flip(0), V)

    def averaged(ids, H_bar, V):
        """Where a token repeats, you average over its positions. They should be added up.

        If the row moves a little, H moves at *each* of the positions. By how much does the loss
        change?
        """
        counts = torch.bincount(ids.flatten(), minlength=V).clamp(min=1)
        return embedding_gradient(ids, H_bar, V) / counts[:, None]

    def divided_by_the_tokens(ids, H_bar, V):
        """You divided everything by the number of tokens.

        If the loss is a mean, this factor is in `H_bar` already. The chain rule adds no other.
        """
        return embedding_gradient(ids, H_bar, V) / ids.numel()

    def counted(ids, H_bar, V):
        """You counted how often each word occurs, and did not use what arrives at its positions.

        Row k is a sum of rows of `H_bar`. Which rows?
        """
        return embedding_gradient(ids, torch.ones_like(H_bar), V)

    def spread_over_all(ids, H_bar, V):
        """Every row gets the sum of everything that arrives.

        A row learns only from the positions of its own token. If there are none, it learns nothing.
        """
        _, rows = _rows(ids, H_bar)
        return rows.sum(0).expand(V, -1).clone()

    def counted_from_1(ids, H_bar, V):
        """Every sum stands one row too high: the sum for token k is in row k − 1.

        Ids count from 0, and so do rows.
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient((flat - 1) % V, rows, V)

    def row_0_left_out(ids, H_bar, V):
        """The row of token 0 got nothing, as if it were padding. The equation has no special ids.

        Row 0 is a row like any other here.
        """
        g = embedding_gradient(ids, H_bar, V)
        g[0] = 0
        return g

    def downhill(ids, H_bar, V):
        """Every number has the wrong sign: this is the direction of descent, not the derivative.

        The minus of gradient descent comes later.
        """
        return -embedding_gradient(ids, H_bar, V)

    def first_sentence_only(ids, H_bar, V):
        """You used only the first sentence.

        All sentences share the table, so it learns from the positions of all of them.
        """
        return embedding_gradient(*((ids[0], H_bar[0]) if ids.dim() > 1 else (ids, H_bar)), V)

    def a_sentence_at_a_time(ids, H_bar, V):
        """You take a sentence at a time, so a token that repeats within one is counted once.

        A loop over a batch gives whole sentences. Flatten the ids and the rows first, or use two
        loops.
        """
        g = H_bar.new_zeros(V, H_bar.shape[-1])
        for k, row in zip(ids, H_bar, strict=True):
            g[k] += row
        return g

    def ids_sorted_alone(ids, H_bar, V):
        """You sorted the ids, but not the rows of `H_bar`, so they no longer belong together.

        Each position has an id and a row. Treat both alike.
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(flat.sort().values, rows, V)

    def in_single_precision(ids, H_bar, V):
        """You make a tensor in single precision. Where `H_bar` is in double precision, torch stops.

        `H_bar.new_zeros(V, d)` has the precision of `H_bar`, and so has anything after
        `.to(H_bar.dtype)`.
        """
        flat, rows = _rows(ids, H_bar)
        return torch.zeros(V, rows.shape[1]).index_add(0, flat, rows)

    def each_token_once_in_a_sentence(ids, H_bar, V):
        """Where a token repeats within a sentence, only its last position counts. Several sentences
        are added up.

        The row was used at each of these positions. Flatten the batch before you add up.
        """
        n = ids.shape[-1]
        sentences = zip(ids.reshape(-1, n), H_bar.reshape(-1, n, H_bar.shape[-1]), strict=True)
        return sum(Wrong.last_one_wins(of_one, rows, V) for of_one, rows in sentences)

    def times_the_count(ids, H_bar, V):
        """You multiply the sum by how often the token occurs.

        The sum over its positions contains each of them already.
        """
        return embedding_gradient(ids, H_bar, V) * _counts(ids, V)

    def count_times_the_mean(ids, H_bar, V):
        """Each row gets the mean of everything that arrives, multiplied by how often its token
        occurs.

        What arrives differs from position to position. Which positions belong to row k?
        """
        rows = H_bar.reshape(-1, H_bar.shape[-1])
        return (_counts(ids, V) * rows.mean(0)).to(rows.dtype)

    def largest_of_each(ids, H_bar, V):
        """Where a token repeats, you take the largest of the numbers that arrive.

        The row was used at each of its positions. Add up what arrives there.
        """
        flat, rows = _rows(ids, H_bar)
        used = flat.unique()
        g = rows.new_zeros(V, rows.shape[1])
        for k in used.tolist():
            g[k] = rows[flat == k].amax(0)
        return g

    def as_many_rows_as_the_largest_id(ids, H_bar, V):
        """You made only as many rows as the largest id of this input needs.

        The table has V rows. What is V for?
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(flat, rows, int(flat.max()) + 1)

    def a_table_for_each_sentence(ids, H_bar, V):
        """You return a table for each sentence of the batch.

        All sentences share one table. Add up over the batch, too.
        """
        X = (torch.arange(V)[:, None] == ids[..., None, :]).to(H_bar.dtype)
        return X @ H_bar

    def last_sentence_only(ids, H_bar, V):
        """Of a batch, only the last sentence counts.

        All sentences share the table, so it learns from the positions of all of them. If you loop
        over them, make the zeros once, before the loop.
        """
        return embedding_gradient(*((ids[-1], H_bar[-1]) if ids.dim() > 1 else (ids, H_bar)), V)

    def mean_over_sentences(ids, H_bar, V):
        """You divided by the number of sentences.

        If the loss is a mean, this factor is in `H_bar` already. The chain rule adds no other.
        """
        return embedding_gradient(ids, H_bar, V) / (len(ids) if ids.dim() > 1 else 1)

    def divided_by_the_length(ids, H_bar, V):
        """You divided by the length of a sentence.

        If the loss is a mean, this factor is in `H_bar` already. The chain rule adds no other.
        """
        return embedding_gradient(ids, H_bar, V) / ids.shape[-1]

    def divided_by_V(ids, H_bar, V):
        """You divided by V.

        Row k is a plain sum of rows of `H_bar`.
        """
        return embedding_gradient(ids, H_bar, V) / V

    def ids_flattened_the_other_way(ids, H_bar, V):
        """In a batch, ids and rows no longer belong together: one of them is flattened along the
        columns.

        Flatten both in the same way.
        """
        flat = ids.mT.reshape(-1) if ids.dim() > 1 else ids
        return embedding_gradient(flat, H_bar.reshape(-1, H_bar.shape[-1]), V)

    def rows_reversed(ids, H_bar, V):
        """What arrived at the last position goes to the first token.

        Each position has an id and a row. Treat both alike.
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(flat, rows.flip(0), V)

    def one_row_too_low(ids, H_bar, V):
        """Every sum stands one row too low: the sum for token k is in row k + 1.

        Ids count from 0, and so do rows.
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient((flat + 1) % V, rows, V)

    def by_the_position(ids, H_bar, V):
        """Row j of the result is what arrives at position j, whatever token stands there.

        Which row of the table was used at position j?
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(torch.arange(len(flat)) % V, rows, V)

    def times_the_id(ids, H_bar, V):
        """You multiply what arrives by the id.

        An id says which row was used. It is no factor.
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(flat, rows * flat[:, None], V)

    def ones_where_used(ids, H_bar, V):
        """You put ones into the rows that were used, and zeros into the others.

        Row k is a sum of rows of `H_bar`. Which rows?
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(flat, torch.ones_like(rows), V).clamp(max=1)

    def numbers_of_a_row_added_up(ids, H_bar, V):
        """You add up the d numbers of a row.

        Each of the d columns of the table learns by itself.
        """
        flat, rows = _rows(ids, H_bar)
        return embedding_gradient(flat, rows.sum(-1, keepdim=True).expand_as(rows), V)

    def only_repeated_tokens(ids, H_bar, V):
        """Only tokens that repeat get anything.

        A token that occurs once learns from its one position.
        """
        return (embedding_gradient(ids, H_bar, V) * (_counts(ids, V) > 1)).to(H_bar.dtype)

    def only_tokens_that_occur_once(ids, H_bar, V):
        """Tokens that repeat get nothing.

        A row that was used twice gets the sum of what arrives at both positions.
        """
        return (embedding_gradient(ids, H_bar, V) * (_counts(ids, V) == 1)).to(H_bar.dtype)

    def descent_and_mean(ids, H_bar, V):
        """This is minus the mean over the positions of a token.

        The derivative is a sum, and has no minus.
        """
        return -embedding_gradient(ids, H_bar, V) / _counts(ids, V).clamp(min=1)

    def signs_only(ids, H_bar, V):
        """You return only the signs.

        Row k is a sum of rows of `H_bar`.
        """
        return embedding_gradient(ids, H_bar, V).sign()

    def made_as_long_as_1(ids, H_bar, V):
        """You divided each row by its norm.

        Row k is a plain sum of rows of `H_bar`.
        """
        g = embedding_gradient(ids, H_bar, V)
        return g / g.norm(dim=-1, keepdim=True).clamp(min=1e-9)

    def begins_with_ones(ids, H_bar, V):
        """Every number is 1 too large, as if you had started from ones, and not from zeros.

        What does a row get that no token uses?
        """
        return embedding_gradient(ids, H_bar, V) + 1

    def added_up_over_the_rows(ids, H_bar, V):
        """Each row also gets what the rows above it got.

        A row learns only from the positions of its own token.
        """
        return embedding_gradient(ids, H_bar, V).cumsum(0)

    def divided_by_the_root_of_the_count(ids, H_bar, V):
        """You divided by the root of how often a token occurs.

        Row k is a plain sum of rows of `H_bar`.
        """
        return embedding_gradient(ids, H_bar, V) / _counts(ids, V).clamp(min=1).sqrt().to(
            H_bar.dtype
        )

    def smallest_of_each(ids, H_bar, V):
        """Where a token repeats, you take the smallest of the numbers that arrive.

        The row was used at each of its positions. Add up what arrives there.
        """
        g = H_bar.new_zeros(V, H_bar.shape[-1])
        for k in ids.unique().tolist():
            g[k] = H_bar[ids == k].amin(0)
        return g

    def from_the_position_before(ids, H_bar, V):
        """Each token gets what arrived at the position *before* it.

        Row k was used at the positions of token k.
        """
        return embedding_gradient(ids, H_bar.roll(1, -2), V)

    def from_the_next_position(ids, H_bar, V):
        """Each token gets what arrived at the *next* position.

        Row k was used at the positions of token k.
        """
        return embedding_gradient(ids, H_bar.roll(-1, -2), V)

    def products_of_each(ids, H_bar, V):
        """Where a token repeats, you multiply what arrives.

        The row was used at each of its positions. Add up what arrives there.
        """
        g = H_bar.new_zeros(V, H_bar.shape[-1])
        for k in ids.unique().tolist():
            g[k] = H_bar[ids == k].prod(0)
        return g


class Right:
    """Right answers, written differently."""

    def by_product(ids, H_bar, V):
        """X H_bar."""
        flat, rows = _rows(ids, H_bar)
        X = (torch.arange(V)[:, None] == flat).to(rows.dtype)
        return X @ rows

    def a_place_at_a_time(ids, H_bar, V):
        """Adds one position after the other."""
        flat, rows = _rows(ids, H_bar)
        g = torch.zeros(V, rows.shape[1], dtype=rows.dtype)
        for j in range(len(flat)):
            g[flat[j]] += rows[j]
        return g

    def a_word_at_a_time(ids, H_bar, V):
        """The positions of each word."""
        return torch.stack([H_bar[ids == k].sum(0) for k in range(V)])

    def with_einsum(ids, H_bar, V):
        """Names the dimensions."""
        X = torch.nn.functional.one_hot(ids.flatten(), V).to(H_bar.dtype)
        return torch.einsum("nv,nd->vd", X, H_bar.reshape(-1, H_bar.shape[-1]))

    def by_scatter(ids, H_bar, V):
        """Entry by entry."""
        flat, rows = _rows(ids, H_bar)
        return rows.new_zeros(V, rows.shape[1]).scatter_add(0, flat[:, None].expand_as(rows), rows)


EXERCISE = Exercise(
    id="table_gradient",
    oracle=embedding_gradient,
    hint="Take one word and ask at which positions of the sentence its row was used. It learns "
    "from what arrives at these positions.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(
        Rule("a row that no token uses gets zeros", unused_rows_are_0),
        Rule("comes in the precision of H_bar", precision_is_kept),
    ),
    forbids=("gradients",),
)
