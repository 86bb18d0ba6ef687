"""The exercise ``masked_weights``: a softmax that sees no hidden key (A14, D03; chapter 5)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers.attention import attention_weights


def cases(draw: Draw) -> list[Case]:
    """Masks of each shape that a layer meets, rows without any key, and extreme scores."""
    hand = draw.tensor([[1.0, 1.0, 5.0], [2.0, 2.0, 2.0], [0.0, 3.0, 0.0]])
    hand_mask = _mask("110", "111", "000")
    causal = _mask("1000", "1100", "1110", "1111")
    padding = torch.stack([_mask("111111"), _mask("110000")])[:, None]
    with_empty = torch.stack([_mask("1101", "0111", "1110"), _mask("0000", "0010", "1011")])
    large = draw.normal(2, 4).masked_fill(~_mask("1101", "0110"), 2000.0)
    two_kinds = draw.tensor([[0.0, 1.0, 5.0, 2.0], [-20000.0, -3.0, -20001.0, -20002.0]])
    low = draw.tensor([[-20000.0, -1.0, -20100.0, -20300.0], [0.0, -20500.0, -20200.0, -20100.0]])
    return [
        Case("three queries and three keys", (hand, hand_mask), by_hand=True),
        Case("a causal mask", (draw.normal(4, 4), causal)),
        Case("one mask for 2 sentences with 2 heads", (draw.normal(2, 2, 4, 4), causal)),
        Case("2 padded sentences with 3 heads", (draw.normal(2, 3, 4, 6), padding)),
        Case("a mask for each of 2 sentences", (draw.normal(2, 2, 3, 4), with_empty[:, None])),
        Case("hidden scores of 2000", (large, _mask("1101", "0110"))),
        Case("a row around 0 and a row around -20000", (two_kinds, _mask("1101", "1011"))),
        Case("visible scores of -20000 and less", (low, _mask("1011", "0111"))),
    ]


def _mask(*rows: str) -> torch.Tensor:
    """Rows of 0 and 1 as booleans."""
    return torch.tensor([[sign == "1" for sign in row] for row in rows])


def hides(case: Case, weights) -> bool:
    """Whether every hidden key has the weight 0, exactly."""
    mask = case.arguments[1].expand(weights.shape)
    return bool((weights[~mask] == 0).all())


def sums(case: Case, weights) -> bool:
    """Whether each row sums to 1, or to 0 where no key is allowed."""
    wanted = case.arguments[1].expand(weights.shape).any(-1)
    return torch.allclose(weights.sum(-1), wanted.to(weights.dtype), atol=1e-5)


def _filled(scores, mask, value=-math.inf):
    """Scores with another number where they are hidden."""
    return scores.masked_fill(~mask, value)


def _zeroed(weights, mask):
    """Weights with 0 where they are hidden."""
    return weights.masked_fill(~mask, 0.0)


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_scores(scores, mask):
        """The weights are right, but the caller's scores now hold -inf.

        A method whose name ends in `_` writes into its tensor. The one without `_` makes a new one.
        """
        return torch.softmax(scores.masked_fill_(~mask, -math.inf), dim=-1).masked_fill(~mask, 0.0)

    def zeroed_after_softmax(scores, mask):
        """You set hidden weights to 0 after the softmax, and the others no longer sum to 1.

        The softmax divided a weight of 1 among all keys. Hide keys before the softmax.
        """
        return torch.softmax(scores, dim=-1) * mask

    def shared_out_again(scores, mask):
        """You set hidden weights to 0 after the softmax, and divided each row by the sum that was
        left.

        That can be 0/0: in a row without allowed keys, and where a hidden score is so large that
        all visible weights are rounded to 0. Hide keys before the softmax.
        """
        weights = torch.softmax(scores, dim=-1) * mask
        return weights / weights.sum(-1, keepdim=True)

    def shared_out_again_with_a_floor(scores, mask):
        """After hiding, you divide each row by its sum. But beside a large hidden score, the sum is
        0.

        The largest score decides how small the other weights are, and it may be hidden. Hide it
        first.
        """
        weights = torch.softmax(scores, dim=-1) * mask
        return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)

    def shared_out_again_without_nan(scores, mask):
        """You hid keys after taking exponentials, and replacing NaN by 0 also emptied rows that do
        see keys.

        A large hidden score leaves 0/0 or ∞ · 0. Hide it before you take exponentials.
        """
        weights = torch.softmax(scores, dim=-1) * mask
        return torch.nan_to_num(weights / weights.sum(-1, keepdim=True))

    def hidden_scores_are_0(scores, mask):
        """You set hidden scores to 0. A score of 0 does not mean no weight: e⁰ is 1.

        Which score has an exponential of 0?
        """
        return torch.softmax(scores.masked_fill(~mask, 0.0), dim=-1)

    def filled_with_minus_1e4(scores, mask):
        """You set hidden scores to a number such as -10000. Where the visible ones are even lower,
        the hidden key wins.

        No finite number is below every score. And what should a row give if it may see nothing?
        """
        return torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1)

    def filled_with_minus_1e9(scores, mask):
        """A row that may see nothing spreads its weight evenly over hidden keys.

        If all scores of a row are the same number, however low, the softmax gives equal weights.
        What should such a row give?
        """
        return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)

    def minus_1e9_added(scores, mask):
        """You subtract a large number from hidden scores. A row with only hidden keys attends to
        them.

        If you subtract the same number from all scores of a row, the softmax does not change.
        """
        return torch.softmax(scores - 1e9 * ~mask, dim=-1)

    def empty_rows_are_nan(scores, mask):
        """A row that may see nothing is NaN.

        The softmax of a row of -inf is 0/0. The value of such a row is a choice, and here it is 0.
        """
        return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)

    def minus_infinity_added(scores, mask):
        """A row that may see nothing is NaN: you added -inf to all of its scores.

        The softmax of a row of -inf is 0/0. Fix that row. Its gradient is NaN too, unless you
        *replace* hidden scores instead of adding to them.
        """
        return torch.softmax(scores + torch.where(mask, 0.0, -math.inf), dim=-1)

    def true_is_hidden(scores, mask):
        """You read the mask the other way round: the keys that should be visible are hidden.

        True means allowed. Which scores should become -inf?
        """
        return torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1)

    def booleans_added(scores, mask):
        """You added the booleans to the scores: True counts as 1, False as 0.

        That raises visible scores by 1 and hides nothing. The documents add 0 and -inf.
        """
        return torch.softmax(scores + mask.to(scores.dtype), dim=-1)

    def mask_turned(scores, mask):
        """You transposed the mask: queries and keys changed places.

        Row i of the mask belongs to query i, as row i of the scores does. Use it as it is.
        """
        return attention_weights(scores, mask.mT)

    def over_dimension_1(scores, mask):
        """The softmax runs over dimension 1. That is the keys for one sentence, the heads for a
        batch.

        Counted from the end, the keys are always dimension -1.
        """
        return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=1).masked_fill(~mask, 0.0)

    def mask_not_used(scores, mask):
        """This is the plain softmax; the mask is not used.

        Before the softmax, each hidden score has to become one whose exponential is 0.
        """
        return torch.softmax(scores, dim=-1)

    def indexed_with_the_mask(scores, mask):
        """Writing to `scores[~mask]` needs a mask of exactly the shape of the scores; this one
        may be smaller.

        It also writes into the caller's scores. Find a method that broadcasts and makes a new
        tensor.
        """
        scores[~mask] = -math.inf
        return torch.softmax(scores, dim=-1)

    def exponentials_overflow(scores, mask):
        """For a score of 2000, eˣ is infinite, and infinity times 0 is not a number.

        Hide first. Then subtract each row's maximum, or let `torch.softmax` do it.
        """
        shares = scores.exp() * mask
        return shares / shares.sum(-1, keepdim=True).clamp(min=1e-30)

    def gradient_is_nan(scores, mask):
        """The weights are right. But where a row may see nothing, its gradient is NaN.

        A single NaN ruins a training run. If you *add* to a score, the NaN of the softmax flows
        back to it. If you *replace* the score, it does not.
        """
        added = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -math.inf)
        return torch.nan_to_num(torch.softmax(scores + added, dim=-1))

    def no_gradient(scores, mask):
        """The weights are right. But no gradient flows back through them.

        Did you write into the softmax's own result? Autograd still needs it: make a new tensor. Or
        did `.detach()`, `.data`, `.item()` or a new `torch.tensor` cut the way back?
        """
        return attention_weights(scores.detach(), mask)

    def true_is_hidden_and_zeroed(scores, mask):
        """You read the mask the other way round: the keys that should be hidden share the weight,
        or a row is 0.

        True means allowed. Which scores should become -inf, and which weights 0?
        """
        return _zeroed(torch.softmax(_filled(scores, ~mask), dim=-1), ~mask)

    def true_is_hidden_then_zeroed(scores, mask):
        """You hide the visible keys before the softmax, and the hidden ones after it.

        `masked_fill` fills where the mask is True. Which scores should become -inf?
        """
        return _zeroed(torch.softmax(_filled(scores, ~mask), dim=-1), mask)

    def scores_and_weights_times_the_mask(scores, mask):
        """You set hidden scores to 0 before the softmax, and hidden weights to 0 after it. But a
        score of 0 takes its share.

        e⁰ is 1. Which score has an exponential of 0?
        """
        return torch.softmax(scores * mask, dim=-1) * mask

    def filled_with_minus_1e4_and_zeroed(scores, mask):
        """You lower hidden scores to about -10000, and set their weights to 0 afterwards. Where
        visible scores are lower, the hidden key takes their weight first.

        Which number is below every score?
        """
        return torch.softmax(_filled(scores, mask, -1e4), dim=-1) * mask

    def minus_1e4_added(scores, mask):
        """You add -10000 to hidden scores. Another score may be lower still.

        Visible scores may be as low as -20000. Replace hidden scores instead of adding to them.
        """
        return torch.softmax(scores - 1e4 * ~mask, dim=-1)

    def smallest_score_filled(scores, mask):
        """You fill hidden scores with a number just below the smallest score.

        Its exponential is not 0: hidden keys still take part in the sum.
        """
        filled = torch.where(mask, scores, scores.min() - 1)
        return _zeroed(torch.softmax(filled, dim=-1), mask)

    def smallest_score_of_all(scores, mask):
        """You fill hidden scores with the smallest score, so they weigh as much as that one.

        Which score has an exponential of 0?
        """
        return _zeroed(torch.softmax(torch.where(mask, scores, scores.min()), dim=-1), mask)

    def plus_infinity(scores, mask):
        """You fill hidden scores with +∞, and the result is not a number.

        Which score has an exponential of 0?
        """
        return _zeroed(torch.softmax(_filled(scores, mask, math.inf), dim=-1), mask)

    def infinity_times_the_mask(scores, mask):
        """You multiply the mask by -∞: at visible keys that is 0 · ∞, which is not a number.

        Fill the hidden entries instead of multiplying.
        """
        return torch.softmax(scores + ~mask * -math.inf, dim=-1)

    def infinity_times_the_mask_zeroed(scores, mask):
        """You multiply the mask by -∞, which is NaN at visible keys, and set hidden ones to 0.

        Fill the hidden entries instead of multiplying: 0 · ∞ is not a number.
        """
        return _zeroed(torch.softmax(scores + ~mask * -math.inf, dim=-1), mask)

    def infinity_times_the_mask_without_nan(scores, mask):
        """All your weights are 0, also those of visible keys.

        Did you multiply the mask by -∞, and replace NaN by 0? At visible keys 0 · ∞ is not a
        number. Fill the hidden entries instead of multiplying.
        """
        return torch.zeros_like(scores)

    def booleans_added_and_zeroed(scores, mask):
        """You add the booleans to the scores, and set hidden weights to 0 after the softmax.

        The hidden keys have taken part in the sum before. Sum a row of your weights.
        """
        return _zeroed(torch.softmax(scores + mask.to(scores.dtype), dim=-1), mask)

    def over_the_queries(scores, mask):
        """The softmax runs over the queries: each column sums to 1.

        Each query divides a weight of 1 among its visible keys. Along which dimension do they lie?
        """
        return _zeroed(torch.nan_to_num(torch.softmax(_filled(scores, mask), dim=-2)), mask)

    def over_the_queries_with_nan(scores, mask):
        """The softmax runs over the queries, and a key that nobody may see gives NaN.

        Each query divides a weight of 1 among its visible keys. Along which dimension do they lie?
        """
        return torch.softmax(_filled(scores, mask), dim=-2)

    def over_everything(scores, mask):
        """All weights together sum to 1, over all rows, heads and sentences.

        Each query divides a weight of 1 among its visible keys.
        """
        return torch.softmax(_filled(scores, mask).flatten(), dim=0).view_as(scores)

    def empty_rows_see_all(scores, mask):
        """A row that may see nothing attends to all keys, by their scores.

        In this course such a row gives 0.
        """
        allowed = mask | ~mask.any(dim=-1, keepdim=True)
        return torch.softmax(_filled(scores, allowed), dim=-1)

    def empty_rows_see_the_first(scores, mask):
        """A row that may see nothing attends to the first key.

        In this course such a row gives 0.
        """
        first = torch.arange(scores.shape[-1]) == 0
        allowed = mask | (~mask.any(dim=-1, keepdim=True) & first)
        return torch.softmax(_filled(scores, allowed), dim=-1)

    def one_empty_row_empties_all(scores, mask):
        """If one row may see nothing, all your weights are 0.

        Only that row should be 0. Look at each row, or each weight, by itself.
        """
        weights = torch.softmax(_filled(scores, mask), dim=-1)
        return torch.zeros_like(weights) if weights.isnan().any() else weights

    def mask_turned_where_square(scores, mask):
        """You transpose the mask where it is square.

        Row i of the mask belongs to query i, as row i of the scores does. Use it as it is.
        """
        square = scores.shape[-1] == scores.shape[-2]
        mask = mask.expand(scores.shape)
        return attention_weights(scores, mask.mT if square else mask)

    def exponentials_without_a_maximum(scores, mask):
        """In a row whose visible scores are far below 0, all exponentials are 0, and so are your
        weights.

        Subtract the largest *visible* score of each row first, or let `torch.softmax` do it.
        """
        shares = _zeroed(scores.exp(), mask)
        total = shares.sum(-1, keepdim=True)
        return shares / total.masked_fill(total == 0, 1.0)

    def one_maximum_for_everything(scores, mask):
        """You subtract the same maximum everywhere. In a row far below it everything becomes 0.

        Each row needs the maximum of its own visible scores.
        """
        shares = _zeroed((scores - _filled(scores, mask).max()).exp(), mask)
        total = shares.sum(-1, keepdim=True)
        return shares / total.masked_fill(total == 0, 1.0)

    def not_shared_out(scores, mask):
        """You return exponentials, 0 where hidden, that are not yet divided by their sum.

        The weights of the visible keys sum to 1.
        """
        return _zeroed((scores - scores.amax(-1, keepdim=True)).exp(), mask)

    def scores_returned(scores, mask):
        """You return the scores, with -∞ where they are hidden.

        One step is left: a softmax.
        """
        return _filled(scores, mask)

    def even_weights(scores, mask):
        """You spread the weight evenly over the visible keys.

        The scores say how much each visible key gets.
        """
        counts = mask.to(scores.dtype).expand(scores.shape)
        return counts / counts.sum(-1, keepdim=True).clamp(min=1)

    def best_visible_key(scores, mask):
        """You give all weight to the best visible key.

        Every visible key gets some weight, by its exponential.
        """
        best = _filled(scores, mask).argmax(-1, keepdim=True)
        return _zeroed(torch.zeros_like(scores).scatter(-1, best, 1.0), mask)

    def softmax_twice(scores, mask):
        """You take a softmax of the weights once more.

        One softmax makes weights of scores.
        """
        weights = attention_weights(scores, mask)
        return attention_weights(weights, mask)

    def scaled_once_more(scores, mask):
        """You divide the scores by the square root of their last size before the softmax.

        Scores come scaled already, and their last size is the number of keys.
        """
        return attention_weights(scores / math.sqrt(scores.shape[-1]), mask)

    def later_keys_hidden_too(scores, mask):
        """You hide later keys, too, whatever the mask says.

        The mask may be causal, and need not be. It is the only one here.
        """
        return attention_weights(scores, mask & torch.ones(scores.shape[-2:]).tril().bool())

    def first_mask_for_all(scores, mask):
        """You use the mask of the first sentence for all of them.

        A mask of shape (batch, 1, 1, n) has one for each.
        """
        return attention_weights(scores, mask[:1] if mask.dim() > 2 else mask)


class Right:
    """Right answers, written differently."""

    def nan_replaced(scores, mask):
        """The softmax of nothing is NaN; puts 0 there."""
        return torch.nan_to_num(torch.softmax(scores.masked_fill(~mask, float("-inf")), -1))

    def very_low_then_zeroed(scores, mask):
        """The lowest number there is, and 0 afterwards."""
        lowest = torch.finfo(scores.dtype).min
        return torch.softmax(torch.where(mask, scores, lowest), dim=-1) * mask

    def only_visible_keys(scores, mask):
        """A softmax over the visible keys of each row, one row after the other."""
        mask = mask.expand(scores.shape)
        flat, rows = scores.flatten(0, -2), mask.flatten(0, -2)
        weights = torch.zeros_like(flat)
        for i in range(len(flat)):
            weights[i, rows[i]] = torch.softmax(flat[i, rows[i]], dim=0)
        return weights.reshape(scores.shape)

    def from_exponentials(scores, mask):
        """Exponentials and sums, with the maximum of what is visible subtracted."""
        hidden = scores.masked_fill(~mask, -math.inf)
        top = hidden.amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min).detach()
        shares = torch.exp(hidden - top)
        return shares / shares.sum(-1, keepdim=True).clamp(min=0.5)

    def empty_first(scores, mask):
        """Lets a row without allowed keys see all keys, and removes its weights again."""
        empty = ~mask.any(-1, keepdim=True)
        hidden = scores.masked_fill(~(mask | empty), -math.inf)
        return torch.where(mask, hidden.softmax(-1), torch.zeros_like(scores))


EXERCISE = Exercise(
    id="masked_weights",
    oracle=attention_weights,
    hint="Hide keys before the softmax: the exponential of a hidden score must be 0. Then think of "
    "a row without any allowed key.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(
        Rule("a hidden key has the weight 0", hides),
        Rule("each row sums to 1, or to 0 where it may see nothing", sums),
    ),
    gradients=True,
)
