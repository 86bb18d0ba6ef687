"""The exercise ``chunk_mask``: m new tokens behind a padded cache (C11; chapter 14)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A prompt, a step, and chunks; padding in front, in the middle, at the end, nowhere."""
    t = draw.size(7, 11)
    drawn = draw.booleans(3, t, share=0.7)
    return [
        Case("2 new of 4 positions, one is padding", (_real([[1, 0, 1, 1]]), 2), by_hand=True),
        Case("a prompt in one pass: 4 new of 4", (_real([[1, 1, 1, 1], [0, 0, 1, 1]]), 4)),
        Case("one new token", (_real([[1, 1, 1, 1, 1], [1, 1, 0, 0, 1]]), 1)),
        Case("3 new of 7, padded in front", (_real([[1] * 7, [0, 0, 1, 1, 1, 1, 1]]), 3)),
        Case(
            "2 new behind prompts of three lengths",
            (_real([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 1, 1], [1, 0, 0, 0, 1, 1]]), 2),
        ),
        Case("4 new of 6, without padding", (_real([[1] * 6]), 4)),
        Case(
            "as many new tokens as sentences",
            (_real([[1, 1, 1, 1, 1], [1, 0, 1, 1, 1], [0, 1, 1, 1, 1]]), 3),
        ),
        Case("padding among the new ones", (_real([[1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 1, 1]]), 3)),
        Case(f"padding anywhere, 5 new of {t}", (drawn, 5)),
    ]


def _real(rows):
    return torch.tensor(rows) == 1


def _triangle(real, m, diagonal=0):
    """The bottom m rows of a triangle with a row and a column for each position."""
    t = real.shape[1]
    return torch.ones(m, t, dtype=torch.bool).tril(t - m + diagonal)


def _keys(real):
    return real[:, None, None, :]


def correct(real, m):
    """The bottom of the triangle, without padding keys."""
    return _triangle(real, m) & _keys(real)


class Wrong:
    """What learners write, the more particular before the more general."""

    def top_left(real, m):
        """Your triangle begins at the top left, as if the new tokens stood at the first positions.

        The first new token stands at position t − m, counted from 0. How many keys may it see?
        """
        return torch.ones(m, real.shape[1], dtype=torch.bool).tril() & _keys(real)

    def top_left_without_padding(real, m):
        """Your triangle begins at the top left, and padding is not hidden.

        The first new token stands at position t − m, counted from 0. And where do you use `real`?
        """
        top_left = torch.ones(m, real.shape[1], dtype=torch.bool).tril()
        return top_left.expand(len(real), 1, -1, -1)

    def cut_to_the_new(real, m):
        """Your mask has a column for each *new* position only. The keys are all t positions.

        Which keys does a new token meet: those of its chunk, or those in the cache as well?
        """
        return correct(real[:, -m:], m)

    def cut_to_the_new_without_padding(real, m):
        """Your mask is a triangle of m rows and m columns. The keys are all t positions.

        Which keys does a new token meet: those of its chunk, or those in the cache as well?
        """
        return torch.ones(m, m, dtype=torch.bool).tril().expand(len(real), 1, -1, -1)

    def all_rows(real, m):
        """Your mask has a row for each of the t positions. Only the m new tokens have queries.

        Which rows of your mask belong to the new tokens?
        """
        return correct(real, real.shape[1])

    def last_columns_for_last_rows(real, m):
        """Your mask has t rows and m columns: you kept the last m columns of the whole triangle,
        and not its last m rows.

        Rows are queries. How many queries are there, and how many keys?
        """
        return correct(real, real.shape[1])[..., -m:]

    def future_of_the_chunk_seen(real, m):
        """Within the chunk, later tokens are not hidden: only padding is.

        A single new token may see everything. With several, the first must not see the second.
        """
        return _keys(real).expand(-1, 1, m, -1)

    def nothing_hidden(real, m):
        """Nothing is hidden in your mask.

        Hide two kinds of keys: later ones, and padding.
        """
        return torch.ones(len(real), 1, m, real.shape[1], dtype=torch.bool)

    def future_seen_where_cached(real, m):
        """You hide later tokens only where there is no cache, that is, where m = t.

        A second chunk of several tokens needs a triangle as well.
        """
        seen = correct if m == real.shape[1] else Wrong.future_of_the_chunk_seen
        return seen(real, m)

    def future_hidden_only_with_a_cache(real, m):
        """Where all positions are new, you hide no later token. A prompt that is read in one pass
        needs the triangle.

        What may the first token of a prompt see?
        """
        seen = correct if m < real.shape[1] else Wrong.future_of_the_chunk_seen
        return seen(real, m)

    def padding_seen(real, m):
        """Later tokens are hidden, but padding is not: your mask does not depend on `real`.

        A key must be real, too. Along which dimension of (batch, 1, m, t) do the keys lie?
        """
        return _triangle(real, m).expand(len(real), 1, -1, -1)

    def padding_seen_once_for_all(real, m):
        """You return one triangle for all sentences. Each sentence has its own padding.

        A key must be real, too. Along which dimension of (batch, 1, m, t) do the keys lie?
        """
        return _triangle(real, m)

    def cache_hidden(real, m):
        """You hide the cached positions: each new token sees only its own chunk.

        What is the cache for, if no new token may attend to it?
        """
        new = torch.arange(real.shape[1]) >= real.shape[1] - m
        return correct(real, m) & new

    def not_itself(real, m):
        """No new token sees itself: each row ends one key too early.

        On which diagonal of an m × t matrix does the last True of each row lie?
        """
        return _triangle(real, m, -1) & _keys(real)

    def one_ahead(real, m):
        """Each new token sees the next one as well: each row ends one key too late.

        On which diagonal of an m × t matrix does the last True of each row lie?
        """
        return _triangle(real, m, 1) & _keys(real)

    def diagonal_m(real, m):
        """The first new token sees m + 1 keys in yours, however many are cached.

        How many positions stand in front of it?
        """
        return torch.ones(m, real.shape[1], dtype=torch.bool).tril(m) & _keys(real)

    def upwards(real, m):
        """Your triangle points the other way: each new token sees itself and later ones.

        Row i belongs to new token i, and the last row should see the most.
        """
        t = real.shape[1]
        return torch.ones(m, t, dtype=torch.bool).triu(t - m) & _keys(real)

    def future_alone(real, m):
        """You allow later keys, and hide the new token itself and all that came before it.

        `triu` keeps what lies above a diagonal. Which part of the triangle may be seen?
        """
        return ~_triangle(real, m) & _keys(real)

    def m_too_early(real, m):
        """Each row ends m keys too early.

        New token i stands at position t − m + i, counted from 0.
        """
        return _triangle(real, m, -m) & _keys(real)

    def hidden_is_true(real, m):
        """Your mask is True where attention is hidden. It should be True where attention is
        allowed.

        In this course True always means allowed. One `~` over the whole mask inverts it.
        """
        return ~correct(real, m)

    def padding_allowed_instead(real, m):
        """You allow padding and hide real tokens.

        `real` is True where a token is real. Is there a `~` too many?
        """
        return _triangle(real, m) & ~_keys(real)

    def either_mask(real, m):
        """A pair is allowed in yours as soon as the key is not later *or* is real.

        A pair has to pass both masks. Which operator do you need?
        """
        return _triangle(real, m) | _keys(real)

    def padding_of_the_cache_alone(real, m):
        """You hide padding among the cached keys, but not among the new ones.

        `real` has all t positions, and the new ones can be padding, too.
        """
        new = torch.arange(real.shape[1]) >= real.shape[1] - m
        return _triangle(real, m) & _keys(real | new)

    def padding_of_the_new_alone(real, m):
        """You hide padding among the new keys, but not among the cached ones.

        `real` has all t positions, and the cached ones can be padding, too.
        """
        new = torch.arange(real.shape[1]) >= real.shape[1] - m
        return _triangle(real, m) & _keys(real | ~new)

    def padding_as_queries(real, m):
        """You hide padding as a *query*, not as a key: rows of padding are empty, and their columns
        are not.

        In (batch, 1, queries, keys), `real` belongs to the keys.
        """
        return _triangle(real, m) & real[:, None, -m:, None]

    def padding_queries_hidden_too(real, m):
        """Padding keys are hidden, but you emptied the rows of padding queries as well.

        The output of a padding query is never used. Hide only the padding keys.
        """
        return correct(real, m) & real[:, None, -m:, None]

    def itself_always(real, m):
        """Every new position sees itself in yours, even padding.

        A padding key is hidden from all queries, its own as well.
        """
        t = real.shape[1]
        itself = torch.arange(t) == torch.arange(t - m, t)[:, None]
        return correct(real, m) | itself

    def empty_rows_see_all(real, m):
        """A row in which nothing may be seen is True everywhere in yours.

        Such rows follow the same rule. The attention function deals with them.
        """
        allowed = correct(real, m)
        return allowed | ~allowed.any(-1, keepdim=True)

    def counted_by_real_tokens(real, m):
        """You count the real tokens, and let each sentence's triangle begin behind that many
        columns.

        Padding takes up columns, too. New token i stands in column t − m + i in every sentence.
        """
        t = real.shape[1]
        start = real[:, : t - m].sum(1)[:, None, None, None]
        query = start + torch.arange(m)[:, None]
        return (torch.arange(t) <= query) & _keys(real)

    def counted_by_all_real_tokens(real, m):
        """You count the real tokens of each sentence, and let its triangle end there.

        Padding takes up columns, too. New token i stands in column t − m + i in every sentence.
        """
        start = real.sum(1)[:, None, None, None] - m
        query = start + torch.arange(m)[:, None]
        return (torch.arange(real.shape[1]) <= query) & _keys(real)

    def padding_at_the_end_alone(real, m):
        """You count the real tokens and take that many columns from the front for them.

        Padding can stand in front or in the middle. Use `real` where it stands.
        """
        columns = torch.arange(real.shape[1]) < real.sum(1, keepdim=True)
        return _triangle(real, m) & _keys(columns)

    def first_sentence_for_all(real, m):
        """You give all sentences the padding of the first one.

        Each sentence has its own padding.
        """
        return correct(real[:1], m).expand(len(real), -1, -1, -1).clone()

    def padding_of_any_sentence(real, m):
        """You hide a position in all sentences if it is padding in one of them.

        Each sentence has its own padding.
        """
        return _triangle(real, m) & _keys(real.all(0).expand(real.shape))

    def without_heads(real, m):
        """The booleans are right, but the dimension of size 1 for the heads is missing.

        Scores are (batch, h, m, t). Broadcasting would align your batch with the heads.
        """
        return correct(real, m)[:, 0]

    def heads_in_front(real, m):
        """The dimension of size 1 stands in front of the batch.

        The batch comes first, in the mask as in the scores.
        """
        return correct(real, m).transpose(0, 1)

    def numbers(real, m):
        """The pairs are right, but they are the numbers 0 and 1 instead of False and True.

        `&` of two booleans is a boolean. What turned yours into numbers?
        """
        return correct(real, m).float()

    def additive(real, m):
        """This is the mask to be added to scores: 0 where allowed, −∞ where hidden.

        Return the boolean form, True where allowed.
        """
        allowed = correct(real, m)
        return torch.zeros(allowed.shape).masked_fill(~allowed, -math.inf)

    def turned(real, m):
        """The last two dimensions are exchanged: your rows are keys, and your columns queries.

        Scores are (batch, h, m, t): a row for each new token.
        """
        return correct(real, m).mT

    def first_new_row_for_all(real, m):
        """Every new token sees the cache and the first new token, and no more.

        Each new token sees one position more than the one before it.
        """
        return correct(real, m)[:, :, :1].expand(-1, -1, m, -1)

    def cache_and_itself(real, m):
        """Each new token sees the cache and itself, but not the new tokens between.

        The new tokens before it are part of its past, too.
        """
        t = real.shape[1]
        column = torch.arange(t)
        allowed = (column < t - m) | (column == torch.arange(t - m, t)[:, None])
        return allowed & _keys(real)

    def cache_alone(real, m):
        """Each new token sees the cache and no new token, not even itself.

        The new tokens up to itself are part of what it may see.
        """
        allowed = (torch.arange(real.shape[1]) < real.shape[1] - m).expand(m, -1)
        return allowed & _keys(real)

    def t_for_the_cache(real, m):
        """Your mask has t + m columns. Here t counts the new positions as well.

        How many of the t positions are cached?
        """
        new = torch.ones(m, m, dtype=torch.bool).tril().expand(len(real), 1, m, m)
        return torch.cat([_keys(real).expand(-1, 1, m, -1), new], -1)

    def shifted_the_wrong_way(real, m):
        """With a cache, your triangle is shifted to the wrong side: the first new token sees
        nothing.

        With t = 4 and m = 2, the first new token sees 3 keys. In which direction does `tril` shift
        for a positive number?
        """
        return torch.ones(m, real.shape[1], dtype=torch.bool).tril(m - real.shape[1]) & _keys(real)

    def heads_behind_the_queries(real, m):
        """The booleans are right, but the dimension of size 1 stands behind the queries.

        Scores are (batch, h, m, t). Where do the heads stand?
        """
        return correct(real, m).transpose(1, 2)

    def sentences_for_queries(real, m):
        """You combine row i of the triangle with row i of `real`, that is, with sentence i.

        Each sentence needs a triangle of its own. Which two dimensions of size 1 does `real` need
        before it meets (m, t)?
        """
        return _triangle(real, m) & real


class Right:
    """Right answers, written differently."""

    def by_counting_ones(real, m):
        """Row i of the triangle is row i − 1 with one more True."""
        batch, t = real.shape
        row = torch.arange(t) < t - m
        rows = []
        for column in range(t - m, t):
            row = row | (torch.arange(t) == column)
            rows.append(row & real)
        return torch.stack(rows, 1).view(batch, 1, m, t)

    def by_comparing(real, m):
        """Compares positions of keys with those of the new tokens."""
        t = real.shape[1]
        key, query = torch.arange(t), torch.arange(t - m, t)
        return (key[None, :] <= query[:, None]) & real[:, None, None, :]

    def bottom_of_the_whole(real, m):
        """The last m rows of the whole mask."""
        t = real.size(1)
        return (torch.ones(t, t).tril() > 0)[-m:] & real.view(-1, 1, 1, t)

    def by_the_diagonal(real, m):
        """Cuts the triangle from the padding mask."""
        t = real.shape[1]
        return real[:, None, None, :].expand(-1, 1, m, -1).tril(t - m)

    def one_pair_at_a_time(real, m):
        """Loops."""
        batch, t = real.shape
        mask = torch.zeros(batch, 1, m, t, dtype=torch.bool)
        for b in range(batch):
            for i in range(m):
                for j in range(t - m + i + 1):
                    mask[b, 0, i, j] = real[b, j]
        return mask

    def cache_beside_chunk(real, m):
        """All of the cache beside a triangle of m rows."""
        cached = torch.ones(m, real.shape[1] - m, dtype=torch.bool)
        chunk = ~torch.ones(m, m, dtype=torch.bool).triu(1)
        return torch.logical_and(torch.cat([cached, chunk], 1), real[:, None, None])


EXERCISE = Exercise(
    id="chunk_mask",
    oracle=correct,
    hint="Two conditions have to hold for a pair: the key is real, and it is not later than the "
    "query. New token i stands in column t − m + i. The shape is (batch, 1, m, t).",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
