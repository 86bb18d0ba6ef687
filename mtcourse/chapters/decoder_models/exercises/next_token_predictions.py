"""The exercise ``next_token_predictions``: what comes after each prompt of a batch (C03, C33)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Prompts of one and of several lengths, one that is <bos> alone."""

    def case(name, lengths, d=5, V=8, n=None):
        H = draw.normal(len(lengths), n or max(lengths), d)
        return Case(name, (H, draw.normal(V, d), torch.tensor(lengths)))

    ln2 = math.log(2)
    H = draw.tensor([[[0.0, ln2], [ln2, 0.0]], [[ln2, 0.0], [0.0, 0.0]]])
    W_E = draw.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    return [
        Case("2 prompts, the second padded", (H, W_E, torch.tensor([2, 1])), by_hand=True),
        case("one prompt", [4]),
        case("3 prompts of one length", [3, 3, 3]),
        case("4 prompts of different lengths", [5, 2, 4, 1]),
        case("all of them padded", [2, 3, 1], n=6),
        case("as wide as the vocabulary", [3, 1, 2], d=6, V=6),
        case("as many prompts as positions", [1, 3, 2], d=4, V=7, n=3),
    ]


def correct(H, W_E, lengths):
    """The softmax of the last real row times the table transposed."""
    return (_last(H, lengths) @ W_E.T).softmax(-1)


def _last(H, lengths, off=1):
    """The row at which each prompt ends."""
    at = (lengths - off).clamp(0, H.shape[1] - 1)
    return H[torch.arange(len(H)), at]


class Wrong:
    """What learners write, the more particular before the more general."""

    def last_column(H, W_E, lengths):
        """You take the last row of every prompt. In shorter prompts, padding stands there.

        `lengths` says how many rows of each prompt are real.
        """
        return (H[:, -1] @ W_E.T).softmax(-1)

    def length_as_an_index(H, W_E, lengths):
        """You take the row behind each prompt's end, or the last row where the prompt fills them
        all.

        Rows are counted from 0. A prompt of one token has only the row number 0.
        """
        return (_last(H, lengths, 0) @ W_E.T).softmax(-1)

    def row_behind_the_prompt(H, W_E, lengths):
        """You take the row number `lengths`: the one behind the prompt. The longest prompt has no
        such row, and your function stops there.

        Rows are counted from 0. A prompt of one token has only the row number 0.
        """
        return (H[torch.arange(len(H)), lengths] @ W_E.T).softmax(-1)

    def one_before_the_last(H, W_E, lengths):
        """You take the row before a prompt's last one. It predicts the last token, which is known.

        Which row has read the whole prompt?
        """
        return (H[torch.arange(len(H)), lengths - 2] @ W_E.T).softmax(-1)

    def first_row(H, W_E, lengths):
        """You take the first row of each prompt, which has read only <bos>.

        Which row has read the whole prompt?
        """
        return (H[:, 0] @ W_E.T).softmax(-1)

    def length_of_the_first(H, W_E, lengths):
        """You take the first prompt's length for all of them.

        Each prompt has its own length: index rows and prompts together.
        """
        return (H[:, lengths[0] - 1] @ W_E.T).softmax(-1)

    def shortest_length(H, W_E, lengths):
        """You take the same row for all prompts: the one at which the shortest ends.

        Each prompt has its own last row.
        """
        return (H[:, lengths.min() - 1] @ W_E.T).softmax(-1)

    def longest_length(H, W_E, lengths):
        """You take the same row for all prompts: the one at which the longest ends.

        Each prompt has its own last row.
        """
        return (H[:, lengths.max() - 1] @ W_E.T).softmax(-1)

    def mean_of_the_prompt(H, W_E, lengths):
        """You take the mean of a prompt's rows.

        The last of them has read the others already.
        """
        real = torch.arange(H.shape[1]) < lengths[:, None]
        mean = (H * real[..., None]).sum(1) / lengths[:, None].to(H)
        return (mean @ W_E.T).softmax(-1)

    def mean_of_all_rows(H, W_E, lengths):
        """You take the mean of all rows, padding included.

        One row has read the whole prompt. Which?
        """
        return (H.mean(1) @ W_E.T).softmax(-1)

    def mean_of_the_distributions(H, W_E, lengths):
        """You take the mean of the distributions at all positions of a prompt.

        Each position predicts another token. Which of them predicts the one after the prompt?
        """
        real = torch.arange(H.shape[1]) < lengths[:, None]
        Y = (H @ W_E.T).softmax(-1) * real[..., None]
        return Y.sum(1) / lengths[:, None].to(H)

    def sum_of_the_prompt(H, W_E, lengths):
        """You take the sum of a prompt's rows.

        The last of them has read the others already.
        """
        real = torch.arange(H.shape[1]) < lengths[:, None]
        return ((H * real[..., None]).sum(1) @ W_E.T).softmax(-1)

    def logits(H, W_E, lengths):
        """You return logits. A distribution is asked for: numbers above 0 that sum to 1.

        The softmax is missing (C03).
        """
        return _last(H, lengths) @ W_E.T

    def logits_of_the_last_column(H, W_E, lengths):
        """You return logits, and those of the last position, where shorter prompts have padding.

        `lengths` says how many rows are real; and the softmax is missing.
        """
        return H[:, -1] @ W_E.T

    def log_probabilities(H, W_E, lengths):
        """You return log-probabilities. The probabilities themselves are asked for.

        Which of the two sums to 1?
        """
        return (_last(H, lengths) @ W_E.T).log_softmax(-1)

    def probabilities_everywhere(H, W_E, lengths):
        """You return a distribution for every position. Only the one after the prompt is asked for:
        (batch, V).

        Take each prompt's last row first, or last.
        """
        return (H @ W_E.T).softmax(-1)

    def logits_everywhere(H, W_E, lengths):
        """You return logits for every position. One distribution for each prompt is asked for.

        Take each prompt's last row, and the softmax.
        """
        return H @ W_E.T

    def table_not_transposed(H, W_E, lengths):
        """You multiply by the table as it is, which only runs if it is square.

        The rows of W_E belong to tokens. A logit is the product of a hidden state with such a row.
        """
        return (_last(H, lengths) @ W_E).softmax(-1)

    def table_reshaped(H, W_E, lengths):
        """You reshaped the table into (d_model, V), which mixes the rows of tokens.

        A transposition exchanges rows and columns. A reshape cuts the same numbers at other
        places.
        """
        return (_last(H, lengths) @ W_E.reshape(W_E.shape[1], -1)).softmax(-1)

    def softmax_over_prompts(H, W_E, lengths):
        """Your softmax runs over the prompts. Each prompt has a distribution over the tokens.

        Which dimension of (batch, V) is the vocabulary?
        """
        return (_last(H, lengths) @ W_E.T).softmax(0)

    def one_distribution_for_all(H, W_E, lengths):
        """Your numbers sum to 1 over *all* prompts together.

        The sum of the exponentials is taken for each prompt by itself, along the vocabulary.
        """
        logits = _last(H, lengths) @ W_E.T
        return logits.flatten().softmax(-1).view_as(logits)

    def softmax_over_positions(H, W_E, lengths):
        """Your softmax runs over the positions. Each row is a distribution over the tokens.

        Which dimension is the vocabulary?
        """
        return _last((H @ W_E.T).softmax(1), lengths)

    def scaled(H, W_E, lengths):
        """You divide the logits by √d_model. The output layer has no such factor.

        The factor belongs to attention. Look at C03 again.
        """
        return (_last(H, lengths) @ W_E.T / math.sqrt(H.shape[-1])).softmax(-1)

    def scaled_up(H, W_E, lengths):
        """You multiply the logits by √d_model. The output layer has no such factor.

        The factor belongs to the embedding. Look at C03 again.
        """
        return (_last(H, lengths) @ W_E.T * math.sqrt(H.shape[-1])).softmax(-1)

    def softmax_twice(H, W_E, lengths):
        """You took two softmaxes: the second one of probabilities.

        One is enough to make rows that sum to 1.
        """
        return correct(H, W_E, lengths).softmax(-1)

    def softmax_before_the_table(H, W_E, lengths):
        """Your softmax runs over the features of the hidden state, before the table.

        A distribution is over the tokens: multiply by the table first.
        """
        return _last(H, lengths).softmax(-1) @ W_E.T

    def most_likely_tokens(H, W_E, lengths):
        """You return the most likely token of each prompt. Its whole distribution is asked for.

        Leave out the `argmax`.
        """
        return correct(H, W_E, lengths).argmax(-1)

    def one_hot(H, W_E, lengths):
        """You give the most likely token the probability 1 and all others 0.

        Leave out the `argmax`: the softmax itself is asked for.
        """
        Y = correct(H, W_E, lengths)
        return torch.nn.functional.one_hot(Y.argmax(-1), len(W_E)).to(Y)

    def largest_probabilities(H, W_E, lengths):
        """You return the largest probability of each prompt. The whole distribution is asked for.

        Leave out the maximum.
        """
        return correct(H, W_E, lengths).amax(-1)

    def sigmoid(H, W_E, lengths):
        """You took a sigmoid of each logit by itself, and the rows do not sum to 1.

        The tokens compete for one position: which function makes a distribution?
        """
        return torch.sigmoid(_last(H, lengths) @ W_E.T)

    def without_exponential(H, W_E, lengths):
        """You divided the logits by their sum. They can be negative.

        Which function makes all of them positive first?
        """
        logits = _last(H, lengths) @ W_E.T
        return logits / logits.sum(-1, keepdim=True)

    def cosines(H, W_E, lengths):
        """You compare directions: both rows are divided by their norms before the softmax.

        A logit is the plain product of a hidden state with a row of the table.
        """
        rows = torch.nn.functional.normalize(_last(H, lengths), dim=-1)
        return (rows @ torch.nn.functional.normalize(W_E, dim=-1).T).softmax(-1)

    def normed_again(H, W_E, lengths):
        """You normalise the hidden states once more. They have passed the final norm already.

        The question gives you the rows that the output layer multiplies.
        """
        rows = torch.nn.functional.layer_norm(_last(H, lengths), H.shape[-1:])
        return (rows @ W_E.T).softmax(-1)

    def real_rows_counted_from_the_end(H, W_E, lengths):
        """You count the rows from the end, as if padding stood in front.

        Padding stands behind the prompts. Which row is the last real one?
        """
        at = H.shape[1] - lengths
        return (H[torch.arange(len(H)), at] @ W_E.T).softmax(-1)

    def prompts_and_rows_crossed(H, W_E, lengths):
        """You return a distribution for every pair of a prompt and a length: (batch, batch, V).

        `H[:, lengths - 1]` takes all of these rows from each prompt. Index prompts and rows
        together.
        """
        return (H[:, lengths - 1] @ W_E.T).softmax(-1)


class Right:
    """Right answers, written differently."""

    def indexed(H, W_E, lengths):
        """Indexes prompts and rows together."""
        rows = H[torch.arange(H.shape[0]), lengths - 1]
        return torch.softmax(rows @ W_E.T, dim=-1)

    def in_a_loop(H, W_E, lengths):
        """One prompt after the other."""
        return torch.stack(
            [
                (W_E @ rows[length - 1]).softmax(-1)
                for rows, length in zip(H, lengths.tolist(), strict=True)
            ]
        )

    def chosen_at_the_end(H, W_E, lengths):
        """Computes all distributions, and chooses last."""
        Y = torch.softmax(H @ W_E.mT, dim=-1)
        at = (lengths - 1)[:, None, None].expand(-1, 1, Y.shape[-1])
        return Y.gather(1, at).squeeze(1)

    def with_a_one_hot_choice(H, W_E, lengths):
        """Multiplies by the row that is 1 at the last token."""
        is_last = torch.arange(H.shape[1]) == (lengths - 1)[:, None]
        rows = torch.einsum("bn,bnd->bd", is_last.to(H), H)
        return torch.einsum("bd,vd->bv", rows, W_E).softmax(-1)

    def by_hand(H, W_E, lengths):
        """Exponentials divided by their sum."""
        logits = torch.nn.functional.linear(_last(H, lengths), W_E)
        e = (logits - logits.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)


def _is_a_distribution(case: Case, value: torch.Tensor) -> bool:
    sums = value.sum(-1)
    return bool((value >= 0).all()) and torch.allclose(sums, torch.ones_like(sums), atol=1e-4)


EXERCISE = Exercise(
    id="next_token_predictions",
    oracle=correct,
    hint="A prompt of 3 tokens ends at row 2. Take that row of each prompt, multiply it by every "
    "row of the table, and make a distribution of the products.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("each prompt has numbers from 0 to 1 that sum to 1", _is_a_distribution),),
)
