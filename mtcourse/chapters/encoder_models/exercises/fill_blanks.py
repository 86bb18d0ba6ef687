"""The exercise ``fill_blanks``: the best proposals for each blank (C26, C27; chapter 15)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case

_M = 10
"""The id of <mask> in the cases that are written down; <class> is 11."""


def cases(draw: Draw) -> list[Case]:
    """A blank by hand, two blanks, none, special tokens on top, as many proposals as words."""
    ln2 = math.log(2)
    hand = torch.full((3, 8), -9.0)
    hand[1] = torch.tensor([3.0, -1.0, 0.0, 2.0, ln2, 2 * ln2, 4.0, 1.0])
    two = torch.tensor([11, 5, _M, 7, _M, 9])
    ends = torch.tensor([_M, 6, 4, 8, _M])
    high = 2 * draw.normal(6, 12)
    high[:, [0, 3, _M, 11]] += 4.0
    square = torch.tensor([11, _M, 4, 6, _M, _M, 5, 8, 9, 7, 4, 5])
    return [
        Case("one blank, two words", (hand.to(draw.dtype), torch.tensor([7, 6, 5]), 6, 2), True),
        Case("two blanks", (2 * draw.normal(6, 12), two, _M, 3)),
        Case("special tokens on top", (high, two, _M, 2)),
        Case("blanks at both ends", (2 * draw.normal(5, 12), ends, _M, 3)),
        Case("all words", (draw.normal(6, 12), two, _M, 6)),
        Case("as many positions as words", (2 * draw.normal(12, 12), square, _M, 3)),
        Case("one proposal", (2 * draw.normal(6, 12), two, _M, 1)),
        Case("no blank", (draw.normal(4, 12), torch.tensor([11, 5, 6, 7]), _M, 2)),
    ]


def _log_p(logits, mask):
    """log p over ordinary words, minus infinity elsewhere."""
    kept = torch.full_like(logits, -math.inf)
    kept[..., 4:mask] = logits[..., 4:mask]
    return kept.log_softmax(-1)


def _best(p, k):
    shares, words = p.topk(k, dim=-1)
    return words, shares


def _at(inputs, mask):
    return (inputs == mask).nonzero().flatten()


def correct(logits, inputs, mask, k):
    """The softmax of ordinary words at each blank."""
    return _best(_log_p(logits[inputs == mask], mask).exp(), k)


def _rows(logits, rows, mask, k):
    return _best(_log_p(logits[rows], mask).exp(), k)


def has_ids(case: Case, found) -> bool:
    """Whether the first thing that is returned holds no numbers with a decimal point."""
    return not (torch.is_tensor(found[0]) and found[0].is_floating_point())


class Wrong:
    """What learners write, the more particular before the more general."""

    def special_tokens_proposed(logits, inputs, mask, k):
        """You let special tokens be proposals: the softmax runs over the whole vocabulary.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        return _best(logits[inputs == mask].softmax(-1), k)

    def special_tokens_dropped_later(logits, inputs, mask, k):
        """Your probabilities are those of a softmax over the whole vocabulary, special tokens
        included.

        Rule special tokens out *before* the softmax, so that the words share everything.
        """
        p = logits[inputs == mask].softmax(-1)
        words, _ = correct(logits, inputs, mask, k)
        return words, p.gather(-1, words)

    def ids_from_0(logits, inputs, mask, k):
        """Your ids are 4 too small: you count them from the first ordinary word.

        If you cut columns off the front, the ids change. Add what you cut off.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words - 4, shares

    def mask_and_class_proposed(logits, inputs, mask, k):
        """You rule out the ids 0 to 3, but <mask> and <class> may still be proposed.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        kept = logits[inputs == mask].clone()
        kept[:, :4] = -math.inf
        return _best(kept.softmax(-1), k)

    def class_proposed(logits, inputs, mask, k):
        """You rule out the ids 0 to 3 and <mask>, but <class> may still be proposed.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        kept = logits[inputs == mask].clone()
        kept[:, [0, 1, 2, 3, mask]] = -math.inf
        return _best(kept.softmax(-1), k)

    def mask_proposed(logits, inputs, mask, k):
        """You let <mask> itself be proposed. Your limit is one too high.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        return _best(_log_p(logits[inputs == mask], mask + 1).exp(), k)

    def only_mask_ruled_out(logits, inputs, mask, k):
        """You rule out <mask> alone. The other special tokens may still be proposed.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        kept = logits[inputs == mask].clone()
        kept[:, mask] = -math.inf
        return _best(kept.softmax(-1), k)

    def small_ids_proposed(logits, inputs, mask, k):
        """You rule out <mask> and <class>, but the special tokens 0 to 3 may still be proposed.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        kept = logits[inputs == mask].clone()
        kept[:, mask:] = -math.inf
        return _best(kept.softmax(-1), k)

    def padding_ruled_out(logits, inputs, mask, k):
        """You rule out padding, <mask> and <class>, but <unk>, <bos> and <eos> may still be
        proposed.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        kept = logits[inputs == mask].clone()
        kept[:, mask:] = -math.inf
        kept[:, 0] = -math.inf
        return _best(kept.softmax(-1), k)

    def eos_proposed(logits, inputs, mask, k):
        """You let id 3, <eos>, be proposed. Your limit is one too low.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        kept = torch.full_like(logits, -math.inf)
        kept[:, 3:mask] = logits[:, 3:mask]
        return _best(kept[inputs == mask].softmax(-1), k)

    def first_word_left_out(logits, inputs, mask, k):
        """You leave out the word with the id 4, the first ordinary one.

        Only the ids 4 to `mask − 1` may be an answer, both included.
        """
        kept = torch.full_like(logits, -math.inf)
        kept[:, 5:mask] = logits[:, 5:mask]
        return _best(kept[inputs == mask].softmax(-1), k)

    def last_word_left_out(logits, inputs, mask, k):
        """You leave out the word with the id `mask − 1`, the last ordinary one.

        A slice ends *before* its second number.
        """
        return _best(_log_p(logits[inputs == mask], mask - 1).exp(), k)

    def zero_for_special_logits(logits, inputs, mask, k):
        """You set the logits of special tokens to 0. The exponential of 0 is 1, so they still take
        a share.

        Which logit has the exponential 0?
        """
        kept = torch.zeros_like(logits)
        kept[:, 4:mask] = logits[:, 4:mask]
        return _best(kept[inputs == mask].softmax(-1), k)

    def logits_for_probabilities(logits, inputs, mask, k):
        """You return the logits of your words. Probabilities are asked for.

        A softmax makes probabilities of logits.
        """
        rows = logits[inputs == mask]
        words, _ = correct(logits, inputs, mask, k)
        return words, rows.gather(-1, words)

    def log_probabilities(logits, inputs, mask, k):
        """You return logarithms of the probabilities.

        Take the exponential, or `softmax` in place of `log_softmax`.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words, shares.log()

    def shared_among_the_best(logits, inputs, mask, k):
        """You let the k proposals share a probability of 1.

        The other words of the vocabulary keep their part: the softmax comes before the choice.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words, shares / shares.sum(-1, keepdim=True)

    def percentages(logits, inputs, mask, k):
        """You return percentages. Probabilities are shares of 1.

        Leave out the factor.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words, 100 * shares

    def row_before(logits, inputs, mask, k):
        """You read the row before each blank, as in a decoder.

        An encoder's row t is asked for token t itself (C28).
        """
        return _rows(logits, _at(inputs, mask) - 1, mask, k)

    def row_behind(logits, inputs, mask, k):
        """You read the row behind each blank.

        An encoder's row t is asked for token t itself (C28).
        """
        return _rows(logits, (_at(inputs, mask) + 1) % len(inputs), mask, k)

    def stops_without_a_blank(logits, inputs, mask, k):
        """Your function stops if there is no blank: `torch.stack` and `torch.cat` need at least one
        tensor.

        Work with all rows at once: `logits[inputs == mask]` may have no rows.
        """
        rows = [t for t, token in enumerate(inputs.tolist()) if token == mask]
        found = [_rows(logits, torch.tensor([t]), mask, k) for t in rows]
        return torch.cat([one[0] for one in found]), torch.cat([one[1] for one in found])

    def first_blank_flat(logits, inputs, mask, k):
        """You fill the first blank alone, without a dimension for blanks, and your function stops
        if there is none.

        Return a row for each blank: `(blanks, k)`.
        """
        words, shares = _rows(logits, _at(inputs, mask)[0], mask, k)
        return words, shares

    def first_blank_that_must_be(logits, inputs, mask, k):
        """You fill the first blank alone, and your function stops if there is none.

        Return a row for each blank. If there is none, there are no rows.
        """
        return _rows(logits, _at(inputs, mask)[0][None], mask, k)

    def first_blank_only(logits, inputs, mask, k):
        """You fill the first blank alone.

        Return a row for each blank.
        """
        return _rows(logits, _at(inputs, mask)[:1], mask, k)

    def last_blank_only(logits, inputs, mask, k):
        """You fill the last blank alone.

        Return a row for each blank. Do you overwrite what an earlier one gave?
        """
        return _rows(logits, _at(inputs, mask)[-1:], mask, k)

    def every_position(logits, inputs, mask, k):
        """You fill every position, also those with a visible word.

        Return a row for each blank.
        """
        return _rows(logits, torch.arange(len(inputs)), mask, k)

    def every_other_position(logits, inputs, mask, k):
        """You fill the positions that are *not* blank.

        Return a row for each blank.
        """
        return _best(_log_p(logits[inputs != mask], mask).exp(), k)

    def right_to_left(logits, inputs, mask, k):
        """You give the blanks from right to left.

        The leftmost blank comes first.
        """
        return _rows(logits, _at(inputs, mask).flip(0), mask, k)

    def least_probable_first(logits, inputs, mask, k):
        """The most probable of your proposals is last.

        `sort` sorts upwards unless told otherwise.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words.flip(-1), shares.flip(-1)

    def the_worst(logits, inputs, mask, k):
        """You return the *least* probable words.

        `sort` sorts upwards unless told otherwise, and `topk` has the setting `largest`.
        """
        p = _log_p(logits[inputs == mask], mask)[:, 4:mask].exp()
        shares, words = p.topk(k, dim=-1, largest=False)
        return words + 4, shares

    def sorted_by_id(logits, inputs, mask, k):
        """Your proposals stand in the order of their ids.

        The most probable one comes first.
        """
        words, shares = correct(logits, inputs, mask, k)
        words, order = words.sort(-1)
        return words, shares.gather(-1, order)

    def only_the_best(logits, inputs, mask, k):
        """You return one proposal for each blank, whatever `k` is.

        `argmax` knows one; `topk` and `sort` know several.
        """
        return correct(logits, inputs, mask, 1)

    def over_the_positions(logits, inputs, mask, k):
        """Your softmax runs over the positions. It should run over the words.

        Words are the last dimension.
        """
        p = logits.softmax(0)[inputs == mask].clone()
        p[:, :4] = p[:, mask:] = -1.0
        return _best(p, k)

    def over_the_blanks(logits, inputs, mask, k):
        """Your softmax runs over the blanks. It should run over the words.

        Words are the last dimension.
        """
        p = logits[inputs == mask].softmax(0).clone()
        p[:, :4] = p[:, mask:] = -1.0
        return _best(p, k)

    def transposed(logits, inputs, mask, k):
        """You return both tensors transposed, `(k, blanks)`.

        Return a row for each blank.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words.T, shares.T

    def shares_first(logits, inputs, mask, k):
        """You return the probabilities first. The ids come first.

        `topk` and `sort` return values and then indices.
        """
        words, shares = correct(logits, inputs, mask, k)
        return shares, words

    def ids_alone(logits, inputs, mask, k):
        """You return the ids alone.

        Return a pair: ids and probabilities.
        """
        return correct(logits, inputs, mask, k)[0]

    def flattened(logits, inputs, mask, k):
        """In your result all blanks stand in one dimension.

        Both tensors are `(blanks, k)`.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words.flatten(), shares.flatten()

    def one_more(logits, inputs, mask, k):
        """You return one proposal too many.

        Return k for each blank.
        """
        return correct(logits, inputs, mask, min(k + 1, mask - 4))

    def k_for_all_blanks(logits, inputs, mask, k):
        """You return the k best of all blanks together.

        Each blank has its own proposals.
        """
        p = _log_p(logits[inputs == mask], mask).exp()
        shares, at = p.flatten().topk(min(k, p.numel()))
        return at % p.shape[-1], shares

    def same_word_in_all_blanks(logits, inputs, mask, k):
        """You take the mean over the blanks, and propose the same words for all of them.

        Each blank has its own row of logits.
        """
        p = _log_p(logits[inputs == mask], mask).exp()
        words, shares = _best(p.mean(0, keepdim=True).expand(len(p), -1), k)
        return words, shares

    def special_tokens_share_with_the_best(logits, inputs, mask, k):
        """You let special tokens be proposals, and you let the k best share a probability of 1.

        Only the ids 4 to `mask − 1` may be an answer. The softmax comes before the choice.
        """
        best = logits[inputs == mask].topk(k)
        return best.indices, best.values.softmax(-1)

    def special_tokens_and_logits(logits, inputs, mask, k):
        """You let special tokens be proposals, and you return logits.

        Only the ids 4 to `mask − 1` may be an answer. A softmax makes probabilities.
        """
        best = logits[inputs == mask].topk(k)
        return best.indices, best.values

    def ids_from_0_and_logits(logits, inputs, mask, k):
        """Two mistakes: your ids are 4 too small, and you return logits.

        If you cut columns off the front, the ids change. A softmax makes probabilities.
        """
        best = logits[inputs == mask, 4:mask].topk(k)
        return best.indices, best.values

    def ids_from_0_of_everything(logits, inputs, mask, k):
        """Two mistakes: your ids are 4 too small, and your softmax includes special tokens.

        If you cut columns off the front, the ids change. Cut them off before the softmax.
        """
        best = logits[inputs == mask].softmax(-1)[:, 4:mask].topk(k)
        return best.indices, best.values

    def logarithms_of_everything(logits, inputs, mask, k):
        """You return logarithms, and of a softmax over the whole vocabulary.

        Rule special tokens out before the softmax, and leave out the logarithm.
        """
        p = logits[inputs == mask].log_softmax(-1)[:, 4:mask].topk(k)
        return p.indices + 4, p.values

    def a_pair_for_each_blank(logits, inputs, mask, k):
        """You return a list with a pair for each blank.

        Return one pair of two tensors, both `(blanks, k)`.
        """
        words, shares = correct(logits, inputs, mask, k)
        return list(zip(words, shares, strict=True))

    def two_lists(logits, inputs, mask, k):
        """You return two lists. Two tensors are asked for.

        Stay with tensors.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words.tolist(), shares.tolist()

    def stacked(logits, inputs, mask, k):
        """You return one tensor that holds both, with ids and probabilities side by side.

        Return a pair: ids and probabilities.
        """
        words, shares = correct(logits, inputs, mask, k)
        return torch.stack([words.to(shares.dtype), shares])

    def lists_of_rows(logits, inputs, mask, k):
        """You return two lists, each with a tensor for each blank. Two tensors are asked for.

        Work with all rows at once: `logits[inputs == mask]`. Or stack, if there is a blank.
        """
        words, shares = correct(logits, inputs, mask, k)
        return list(words), list(shares)

    def only_the_best_flat(logits, inputs, mask, k):
        """You return one proposal for each blank, without a dimension for proposals.

        `argmax` knows one; `topk` and `sort` know several.
        """
        words, shares = correct(logits, inputs, mask, 1)
        return words[:, 0], shares[:, 0]

    def lists_of_pairs(logits, inputs, mask, k):
        """You return a list of pairs for each blank. Two tensors are asked for.

        Return `(ids, probabilities)`, both `(blanks, k)`.
        """
        words, shares = (one.tolist() for one in correct(logits, inputs, mask, k))
        return [list(zip(*each, strict=True)) for each in zip(words, shares, strict=True)]

    def row_before_with_special_tokens(logits, inputs, mask, k):
        """You read the row before each blank, as in a decoder, and special tokens may be proposed.

        An encoder's row t is asked for token t itself (C28). Only the ids 4 to `mask − 1` may be an
        answer.
        """
        return _best(logits[_at(inputs, mask) - 1].softmax(-1), k)

    def ids_from_0_in_logarithms(logits, inputs, mask, k):
        """Two mistakes: your ids are 4 too small, and you return logarithms.

        If you cut columns off the front, the ids change. `softmax` makes probabilities.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words - 4, shares.log()

    def sigmoid_for_softmax(logits, inputs, mask, k):
        """You took a sigmoid of each logit. Your numbers need not sum to 1 over the words.

        A softmax makes words share a probability of 1.
        """
        best = logits[inputs == mask, 4:mask].topk(k)
        return best.indices + 4, best.values.sigmoid()

    def one_dimension_too_many(logits, inputs, mask, k):
        """Your results have a dimension of size 1 too many: `(blanks, 1, k)`.

        `nonzero` returns a row for each position that it finds. Flatten it, or use a boolean index.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words[:, None], shares[:, None]

    def result_of_topk(logits, inputs, mask, k):
        """You return what `topk` returns: the probabilities come first, and the ids are counted
        from the first ordinary word.

        Return the ids first. Add what you cut off the front.
        """
        words, shares = correct(logits, inputs, mask, k)
        return shares, words - 4

    def a_dictionary(logits, inputs, mask, k):
        """You return a dictionary. A pair is asked for: `(ids, probabilities)`.

        Return the two tensors, separated by a comma.
        """
        words, shares = correct(logits, inputs, mask, k)
        return {"ids": words, "probabilities": shares}

    def shares_of_other_words(logits, inputs, mask, k):
        """Your ids are right, but your probabilities are those of other words: of the ids that are
        4 smaller, in a softmax of everything.

        If you cut columns off the front, the numbers that `topk` gives belong to the cut rows.
        """
        words, _ = correct(logits, inputs, mask, k)
        return words, logits[inputs == mask].softmax(-1).gather(-1, words - 4)

    def only_padding_ruled_out(logits, inputs, mask, k):
        """You rule out padding alone. The other special tokens may still be proposed.

        Only the ids 4 to `mask − 1` may be an answer.
        """
        kept = logits[inputs == mask].clone()
        kept[:, 0] = -math.inf
        return _best(kept.softmax(-1), k)

    def row_behind_and_stops(logits, inputs, mask, k):
        """You read the row behind each blank, and your function stops at a blank in the last place.

        An encoder's row t is asked for token t itself (C28).
        """
        return _rows(logits, _at(inputs, mask) + 1, mask, k)

    def first_blank_or_position_0(logits, inputs, mask, k):
        """You fill the first blank alone, and position 0 where there is no blank.

        `argmax` finds one position only. Return a row for each blank.
        """
        return _rows(logits, (inputs == mask).int().argmax()[None], mask, k)

    def class_taken_for_a_blank(logits, inputs, mask, k):
        """You also fill the position of <class>.

        A blank is a position with the id `mask`; `mask + 1` is <class>.
        """
        return _best(_log_p(logits[inputs >= mask], mask).exp(), k)

    def best_blanks_for_each_word(logits, inputs, mask, k):
        """You take the k best over the blanks, not over the words, and your function stops where
        there are fewer than k blanks.

        Words are the last dimension.
        """
        best = logits[inputs == mask, 4:mask].softmax(-1).topk(k, dim=0)
        return best.indices + 4, best.values

    def ids_from_1(logits, inputs, mask, k):
        """Your ids are 1 too small.

        How many columns did you cut off the front? Add just as many.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words - 1, shares

    def sizes_of_1_removed(logits, inputs, mask, k):
        """The numbers are right, but with a single blank, or a single proposal, a dimension is
        missing.

        `squeeze()` removes every dimension of size 1. Both tensors are `(blanks, k)`.
        """
        words, shares = correct(logits, inputs, mask, k)
        return words.squeeze(), shares.squeeze()

    def stops_where_special_tokens_are_good(logits, inputs, mask, k):
        """Your function stops where a special token is among the k best of a blank: it is sorted
        out too late, and fewer than k are left.

        Rule special tokens out *before* you take the k best.
        """
        words, shares = [], []
        for row in logits[inputs == mask]:
            best = row.softmax(-1).topk(k)
            kept = (best.indices > 3) & (best.indices < mask)
            words.append(best.indices[kept])
            shares.append(best.values[kept])
        return torch.stack(words), torch.stack(shares)

    def stacks_no_tensors(logits, inputs, mask, k):
        """Your function stops if there is no blank: `torch.stack` needs at least one tensor.

        Work with all rows at once: `logits[inputs == mask]` may have no rows.
        """
        found = [_best(_log_p(row, mask).exp(), k) for row in logits[inputs == mask]]
        return torch.stack([one[0] for one in found]), torch.stack([one[1] for one in found])

    def shared_by_all_blanks(logits, inputs, mask, k):
        """You let all blanks of the sentence share a probability of 1.

        At each blank, the words share 1. Over which dimension do you sum?
        """
        words, shares = correct(logits, inputs, mask, k)
        rows = logits[inputs == mask, 4:mask]
        weight = rows.logsumexp(-1).softmax(-1) if len(rows) else rows.sum(-1)
        return words, shares * weight[:, None]

    def all_words_sorted(logits, inputs, mask, k):
        """You return all words, sorted, whatever `k` is.

        Keep the first k columns.
        """
        return correct(logits, inputs, mask, mask - 4)

    def first_word_left_out_and_stops(logits, inputs, mask, k):
        """You leave out the word with the id 4, the first ordinary one, and your function stops
        where all words are asked for.

        Only the ids 4 to `mask − 1` may be an answer, both included.
        """
        words, shares = _best(logits[inputs == mask, 5:mask].softmax(-1), k)
        return words + 5, shares

    def last_word_left_out_and_stops(logits, inputs, mask, k):
        """You leave out the word with the id `mask − 1`, the last ordinary one, and your function
        stops where all words are asked for.

        A slice ends *before* its second number.
        """
        words, shares = _best(logits[inputs == mask, 4 : mask - 1].softmax(-1), k)
        return words + 4, shares

    def first_word_never_proposed(logits, inputs, mask, k):
        """You leave out the word with the id 4, and return one proposal less where all are asked
        for.

        Only the ids 4 to `mask − 1` may be an answer, both included.
        """
        p = logits[inputs == mask, 5:mask].softmax(-1)
        words, shares = _best(p, min(k, mask - 5))
        return words + 5, shares

    def last_word_never_proposed(logits, inputs, mask, k):
        """You leave out the word with the id `mask − 1`, and return one proposal less where all are
        asked for.

        A slice ends *before* its second number.
        """
        p = logits[inputs == mask, 4 : mask - 1].softmax(-1)
        words, shares = _best(p, min(k, mask - 5))
        return words + 4, shares


class Right:
    """Right answers, written differently."""

    def cut_and_counted_back(logits, inputs, mask, k):
        """Cuts special columns off, and adds 4 to the ids."""
        p = logits[inputs == mask, 4:mask].softmax(-1)
        found = p.topk(k, dim=-1)
        return found.indices + 4, found.values

    def blank_by_blank(logits, inputs, mask, k):
        """A loop over positions, with sorting."""
        words = torch.zeros(0, k, dtype=torch.long)
        shares = torch.zeros(0, k, dtype=logits.dtype)
        for t, token in enumerate(inputs.tolist()):
            if token == mask:
                p = logits[t, 4:mask].softmax(0)
                p, order = p.sort(descending=True)
                words = torch.cat([words, order[None, :k] + 4])
                shares = torch.cat([shares, p[None, :k]])
        return words, shares

    def filled_with_minus_infinity(logits, inputs, mask, k):
        """Rules special tokens out in a copy."""
        ids = torch.arange(logits.shape[-1])
        special = (ids < 4) | (ids >= mask)
        rows = logits[(inputs == mask).nonzero()[:, 0]].masked_fill(special, -math.inf)
        found = torch.softmax(rows, dim=1).topk(k)
        return found[1], found[0]

    def divided_again(logits, inputs, mask, k):
        """A softmax of everything, zeros at special tokens, and a division by what is left."""
        p = logits[inputs == mask].softmax(-1)
        p[:, :4] = 0
        p[:, mask:] = 0
        p = p / p.sum(-1, keepdim=True)
        words = p.argsort(-1, descending=True)[:, :k]
        return words, p.gather(-1, words)

    def rows_collected(logits, inputs, mask, k):
        """Collects rows in lists, and sets special logits to the lowest number there is."""
        words, shares = [], []
        for row, token in zip(logits, inputs, strict=True):
            if int(token) != mask:
                continue
            row = row.clone()
            row[:4] = row[mask:] = torch.finfo(row.dtype).min
            best = row.softmax(0).topk(k)
            words.append(best.indices)
            shares.append(best.values)
        if not words:
            return torch.zeros(0, k, dtype=torch.long), logits.new_zeros(0, k)
        return torch.stack(words), torch.stack(shares)

    def by_exponentials(logits, inputs, mask, k):
        """Exponentials, with each row's largest logit taken off."""
        rows = logits[inputs == mask][:, 4:mask]
        e = (rows - rows.amax(-1, keepdim=True)).exp()
        shares, words = (e / e.sum(-1, keepdim=True)).topk(k, -1)
        return words.add(4), shares


EXERCISE = Exercise(
    id="fill_blanks",
    oracle=correct,
    hint="Take the rows where the input is <mask>. Of each, keep the columns of ordinary words, "
    "and take the softmax of these. Then the k largest, with their ids in the whole vocabulary.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("the ids are whole numbers", has_ids),),
)
