"""The exercise ``mask_tokens``: what the encoder reads and is asked for (C26, C29; chapter 15)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case

_HAND = (
    [[21, 7, 9, 5, 8, 0], [21, 12, 1, 6, 0, 0]],
    [[0.02, 0.10, 0.60, 0.05, 0.14, 0.01], [0.50, 0.03, 0.07, 0.90, 0.11, 0.45]],
    [[0.30, 0.40, 0.10, 0.85, 0.95, 0.20], [0.60, 0.82, 0.50, 0.70, 0.93, 0.99]],
    [[11, 14, 6, 17, 4, 13], [18, 10, 16, 9, 5, 7]],
)
"""Mask is 20, <class> 21. The choice falls on every kind of token, and every fate is there."""

_STAYS = (
    [[31, 4, 5, 29, 28, 6, 3, 30], [31, 2, 27, 26, 8, 3, 0, 0]],
    [
        [0.9, 0.14, 0.01, 0.3, 0.12, 0.02, 0.01, 0.04],
        [0.04, 0.06, 0.13, 0.2, 0.02, 0.05, 0.03, 0.7],
    ],
    [[0.1, 0.97, 0.07, 0.6, 0.84, 0.72, 0.86, 0.95], [0.83, 0.3, 0.92, 0.85, 0.55, 0.94, 0.1, 0.2]],
    [[9, 8, 7, 6, 15, 4, 10, 17], [11, 12, 13, 14, 16, 25, 29, 5]],
)
"""Mask is 30. <bos>, <eos>, padding and a <mask> are among what the numbers would choose."""


def cases(draw: Draw) -> list[Case]:
    """Two small batches by hand, one sentence, nothing chosen, everything chosen, many tokens."""
    every = draw.ids(2, 5, lowest=4, highest=19)
    return [
        _written("two sentences", _HAND, 20, draw, by_hand=True),
        _written("special tokens in between", _STAYS, 30, draw),
        _written("one sentence", [[row[0]] for row in _HAND], 20, draw),
        Case("nothing is chosen", (every, *_numbers(draw, 2, 5, low=0.2), every.flip(-1), 20)),
        Case("everything is chosen", (every, draw.tensor(_LOW), *_fates(draw, every), 20)),
        Case("8 sentences of 40 tokens", _many(draw)),
    ]


_LOW = [[0.14, 0.01, 0.08, 0.12, 0.03], [0.05, 0.10, 0.02, 0.13, 0.07]]


def _written(name, numbers, mask, draw, by_hand=False):
    ids, choice, fate, drawn = numbers
    given = (torch.tensor(ids), draw.tensor(choice), draw.tensor(fate), torch.tensor(drawn), mask)
    return Case(name, given, by_hand)


def _numbers(draw, *shape, low=0.0):
    """Numbers between low and 1, for the choice and for the fate."""
    both = [torch.special.ndtr(draw.normal(*shape)) for _ in range(2)]
    return both[0] * (0.98 - low) + low, both[1]


def _fates(draw, ids):
    fate = draw.tensor([[0.2, 0.81, 0.93, 0.5, 0.88], [0.97, 0.33, 0.84, 0.91, 0.05]])
    return fate, draw.ids(*ids.shape, lowest=4, highest=19)


def _many(draw):
    """Sentences of different lengths, with <class> in front and <eos> at the end."""
    ids = draw.ids(8, 40, lowest=4, highest=99)
    ids[:, 0] = 101
    for row, length in enumerate((40, 33, 36, 22, 40, 29, 38, 12)):
        ids[row, length - 1] = 3
        ids[row, length:] = 0
    return ids, *_numbers(draw, 8, 40), draw.ids(8, 40, lowest=4, highest=99), 100


def _ordinary(ids, mask):
    return (ids > 3) & (ids < mask)


def _chosen(ids, choice, mask):
    return _ordinary(ids, mask) & (choice < 0.15)


def _replaced(ids, chosen, fate, drawn, mask, low=0.8, high=0.9):
    """<mask> below the first limit, a drawn token between the two, the token itself above."""
    inputs = torch.where(chosen & (fate < low), mask, ids)
    return torch.where(chosen & (fate >= low) & (fate < high), drawn, inputs)


def _of(ids, chosen, fate, drawn, mask):
    """Inputs and labels, given what is chosen."""
    return _replaced(ids, chosen, fate, drawn, mask), torch.where(chosen, ids, 0)


def correct(ids, choice, fate, drawn, mask):
    """15 % of the ordinary tokens; 80, 10 and 10 % of them."""
    return _of(ids, _chosen(ids, choice, mask), fate, drawn, mask)


def _labelled(ids, choice, fate, drawn, mask, labels):
    """The right inputs, with other labels."""
    return correct(ids, choice, fate, drawn, mask)[0], labels


def _varied(ids, choice, fate, drawn, mask, low, high):
    """The right labels, with other limits of the fate."""
    chosen = _chosen(ids, choice, mask)
    labels = torch.where(chosen, ids, 0)
    return _replaced(ids, chosen, fate, drawn, mask, low, high), labels


def are_ids(case: Case, found) -> bool:
    """Whether what is returned holds no numbers with a decimal point."""
    return not any(torch.is_tensor(one) and one.is_floating_point() for one in found)


class Wrong:
    """What learners write, the more particular before the more general."""

    def written_into_the_ids(ids, choice, fate, drawn, mask):
        """You write into `ids`, and take the labels from `ids` afterwards. They repeat what the
        model reads.

        `inputs = ids` makes no copy; `ids.clone()` does. Or use `torch.where`.
        """
        inputs, _ = correct(ids, choice, fate, drawn, mask)
        chosen = _chosen(ids, choice, mask)
        ids.copy_(inputs)
        return ids, torch.where(chosen, ids, 0)

    def labels_are_the_inputs(*given):
        """At the chosen positions, your labels are what the model reads there: at a <mask>, it is
        asked for <mask>.

        The labels are the *original* tokens.
        """
        ids, choice, _, _, mask = given
        inputs, _ = correct(*given)
        return inputs, torch.where(_chosen(ids, choice, mask), inputs, 0)

    def random_labels_are_drawn(*given):
        """Where a token is exchanged for a random one, your label is the random one.

        The model should find out which token stood there *before*.
        """
        ids, choice, fate, drawn, mask = given
        inputs, labels = correct(*given)
        random = _chosen(ids, choice, mask) & (fate >= 0.8) & (fate < 0.9)
        return inputs, torch.where(random, drawn, labels)

    def labels_everywhere(*given):
        """Your labels are the original tokens at *every* position, so the loss counts every
        position.

        What should stand in the labels where a token was not chosen?
        """
        return _labelled(*given, labels=given[0])

    def labels_at_ordinary_tokens(*given):
        """You give a label to every ordinary token, also where it was not chosen.

        What should stand in the labels where a token was not chosen?
        """
        ids, *_, mask = given
        return _labelled(*given, labels=torch.where(_ordinary(ids, mask), ids, 0))

    def labels_only_at_masks(*given):
        """Only tokens behind <mask> have a label. The loss counts *all* chosen tokens, also those
        that are exchanged or stay.

        Do the labels depend on `fate`?
        """
        inputs, labels = correct(*given)
        return inputs, torch.where(inputs == given[-1], labels, 0)

    def no_labels_for_those_that_stay(*given):
        """The tokens that stay have no label. They were chosen, so the model is asked for them,
        too.

        A token that stays looks like any other to the model. Do the labels depend on `fate`?
        """
        inputs, labels = correct(*given)
        return inputs, torch.where(inputs != given[0], labels, 0)

    def random_ones_have_no_label(*given):
        """The tokens that are exchanged have no label. They were chosen, so the model is asked for
        them, too.

        Do the labels depend on `fate`?
        """
        ids, choice, fate, _, mask = given
        inputs, labels = correct(*given)
        random = _chosen(ids, choice, mask) & (fate >= 0.8) & (fate < 0.9)
        return inputs, torch.where(random, 0, labels)

    def labels_of_unchosen(*given):
        """Your labels are the wrong way round: 0 at the chosen tokens, and the original token at
        all others.

        Where should the loss count?
        """
        ids, choice, _, _, mask = given
        return _labelled(*given, labels=torch.where(_chosen(ids, choice, mask), 0, ids))

    def minus_100(*given):
        """In your labels, −100 stands where nothing counts. In this course it is 0.

        −100 is what PyTorch's cross-entropy leaves out if you do not tell it another number.
        """
        inputs, labels = correct(*given)
        ids, choice, _, _, mask = given
        return inputs, torch.where(_chosen(ids, choice, mask), labels, -100)

    def ones_for_labels(*given):
        """Your labels say *that* a token is asked for. They should say which one.

        Put the id of the original token there.
        """
        inputs, labels = correct(*given)
        return inputs, (labels > 0).long()

    def labels_shifted(*given):
        """You shifted the labels to the left, as for a decoder: row t is asked for token t + 1.

        An encoder's row t is asked for token t itself (C28).
        """
        inputs, labels = correct(*given)
        return inputs, torch.cat([labels[:, 1:], torch.zeros_like(labels[:, :1])], 1)

    def everything_may_be_chosen(ids, choice, fate, drawn, mask):
        """You choose special tokens, too: <class>, <eos> and padding.

        Only ordinary tokens may be chosen. Which ids do they have?
        """
        return _of(ids, choice < 0.15, fate, drawn, mask)

    def only_padding_excluded(ids, choice, fate, drawn, mask):
        """You leave padding alone, but other special tokens may be chosen, such as <class>.

        Only ordinary tokens may be chosen. Which ids do they have?
        """
        return _of(ids, (choice < 0.15) & (ids != 0), fate, drawn, mask)

    def only_class_excluded(ids, choice, fate, drawn, mask):
        """You leave <class> alone, but the special tokens with small ids may be chosen, padding
        among them.

        Only ordinary tokens may be chosen. Which ids do they have?
        """
        return _of(ids, (choice < 0.15) & (ids < mask), fate, drawn, mask)

    def small_ids_excluded(ids, choice, fate, drawn, mask):
        """You leave the ids 0 to 3 alone, but <class> may be chosen.

        Is `mask + 1` an ordinary token?
        """
        return _of(ids, (choice < 0.15) & (ids > 3), fate, drawn, mask)

    def padding_and_class_excluded(ids, choice, fate, drawn, mask):
        """You leave padding and <class> alone, but <unk>, <bos> and <eos> may be chosen.

        The ids 0 to 3 are all special.
        """
        return _of(ids, (choice < 0.15) & (ids > 0) & (ids < mask), fate, drawn, mask)

    def special_tokens_replaced_without_a_label(*given):
        """In the inputs, you also replace special tokens.

        Work out which tokens are chosen once, and use that for the inputs and for the labels.
        """
        ids, choice, fate, drawn, mask = given
        return _replaced(ids, choice < 0.15, fate, drawn, mask), correct(*given)[1]

    def special_tokens_labelled(*given):
        """You give labels to special tokens.

        Work out which tokens are chosen once, and use that for the inputs and for the labels.
        """
        ids, choice, *_ = given
        return _labelled(*given, labels=torch.where(choice < 0.15, ids, 0))

    def first_ordinary_id_excluded(ids, choice, fate, drawn, mask):
        """You leave out the token with the id 4, which is an ordinary one.

        The last special token is 3.
        """
        return _of(ids, (choice < 0.15) & (ids > 4) & (ids < mask), fate, drawn, mask)

    def last_ordinary_id_excluded(ids, choice, fate, drawn, mask):
        """You leave out the token with the id `mask − 1`, which is an ordinary one.

        The first special token behind the ordinary ones is `mask`.
        """
        return _of(ids, _chosen(ids, choice, mask - 1), fate, drawn, mask)

    def eighty_five_percent(ids, choice, fate, drawn, mask):
        """You choose a token where its number in `choice` is *not* below 0.15: that is 85 % of
        them.

        With a uniform number between 0 and 1, which event has the probability 15 %?
        """
        return _of(ids, _ordinary(ids, mask) & (choice >= 0.15), fate, drawn, mask)

    def everything_ordinary_chosen(ids, choice, fate, drawn, mask):
        """You treat every ordinary token as chosen. `choice` has no influence.

        A token is chosen where its number in `choice` is below 0.15.
        """
        return _of(ids, _ordinary(ids, mask), fate, drawn, mask)

    def replaced_although_not_chosen(*given):
        """In the inputs, you also replace tokens that were not chosen.

        The fate of a token matters only if the token was chosen.
        """
        ids, _, fate, drawn, mask = given
        return _replaced(ids, _ordinary(ids, mask), fate, drawn, mask), correct(*given)[1]

    def replaced_by_the_fate_alone(*given):
        """In the inputs, `fate` alone decides what happens, at every position.

        The fate of a token matters only if the token was chosen, and is not special.
        """
        ids, _, fate, drawn, mask = given
        everything = torch.ones_like(ids, dtype=torch.bool)
        return _replaced(ids, everything, fate, drawn, mask), correct(*given)[1]

    def masked_although_not_chosen(*given):
        """You put <mask> at every ordinary token whose fate is below 0.8, chosen or not.

        In `a & b | c`, and in two separate steps, the condition "chosen" has to be there for each
        step.
        """
        ids, _, fate, _, mask = given
        inputs, labels = correct(*given)
        return torch.where(_ordinary(ids, mask) & (fate < 0.8), mask, inputs), labels

    def random_although_not_chosen(*given):
        """You exchange every ordinary token whose fate is between 0.8 and 0.9, chosen or not.

        The condition "chosen" has to be there for each step.
        """
        ids, _, fate, drawn, mask = given
        inputs, labels = correct(*given)
        random = _ordinary(ids, mask) & (fate >= 0.8) & (fate < 0.9)
        return torch.where(random, drawn, inputs), labels

    def all_masked(*given):
        """All chosen tokens become <mask>. `fate` has no influence.

        Do you compare `fate` with the limits, or `choice`? What is chosen has a choice below 0.15,
        and so below 0.8.
        """
        return _varied(*given, low=2.0, high=2.0)

    def nothing_replaced(*given):
        """Your inputs are the ids as they were: nothing is hidden, so every answer stands in the
        input.

        80 % of the chosen tokens become <mask>.
        """
        return given[0].clone(), correct(*given)[1]

    def none_random(*given):
        """No token is exchanged for a random one: above 0.8, all stay.

        Where do you use `drawn`?
        """
        return _varied(*given, low=0.8, high=0.8)

    def none_stays(*given):
        """No token stays: above 0.8, all are exchanged for random ones.

        From 0.9 on, a token stays as it is.
        """
        return _varied(*given, low=0.8, high=2.0)

    def random_written_over_the_masks(*given):
        """No <mask> is left: you exchange tokens wherever the fate is below 0.9, also those that
        you had masked.

        "Between 0.8 and 0.9" are two comparisons.
        """
        return _varied(*given, low=-1.0, high=0.9)

    def the_two_tenths_exchanged(*given):
        """Fates between 0.8 and 0.9 stay, and those above are exchanged. It is the other way round.

        Read the list of fates again.
        """
        ids, choice, fate, drawn, mask = given
        chosen = _chosen(ids, choice, mask)
        inputs = torch.where(chosen & (fate < 0.8), mask, ids)
        return torch.where(chosen & (fate >= 0.9), drawn, inputs), torch.where(chosen, ids, 0)

    def lowest_fates_random(*given):
        """Fates below 0.1 become random tokens. In the question, these are between 0.8 and 0.9.

        Do you compare `fate` with the shares or with the limits?
        """
        ids, choice, fate, drawn, mask = given
        chosen = _chosen(ids, choice, mask)
        inputs = torch.where(chosen & (fate < 0.8), mask, ids)
        return torch.where(chosen & (fate < 0.1), drawn, inputs), torch.where(chosen, ids, 0)

    def masked_and_random_exchanged(*given):
        """<mask> and random tokens are exchanged: 80 % of the chosen become random, and 10 % become
        <mask>.

        Which of the two do you write below 0.8?
        """
        ids, choice, fate, drawn, mask = given
        chosen = _chosen(ids, choice, mask)
        inputs = torch.where(chosen & (fate < 0.8), drawn, ids)
        masked = chosen & (fate >= 0.8) & (fate < 0.9)
        return torch.where(masked, mask, inputs), torch.where(chosen, ids, 0)

    def class_for_mask(*given):
        """You put <class> where <mask> belongs.

        `mask` is the id of <mask>, and `mask + 1` that of <class>.
        """
        ids, choice, fate, drawn, mask = given
        chosen = _chosen(ids, choice, mask)
        return _replaced(ids, chosen, fate, drawn, mask + 1), torch.where(chosen, ids, 0)

    def padding_for_mask(*given):
        """You put 0 where <mask> belongs. 0 is padding.

        The id of <mask> is `mask`.
        """
        ids, choice, fate, drawn, mask = given
        chosen = _chosen(ids, choice, mask)
        inputs = torch.where(chosen & (fate < 0.8), 0, ids)
        random = chosen & (fate >= 0.8) & (fate < 0.9)
        return torch.where(random, drawn, inputs), torch.where(chosen, ids, 0)

    def fates_of_all_tokens(ids, choice, fate, drawn, mask):
        """Your limits are 12, 13.5 and 15 % of *all* tokens, and you compare one number with them.

        `choice` says whether a token is chosen, `fate` what becomes of it.
        """
        chosen = _chosen(ids, choice, mask)
        return _replaced(ids, chosen, choice, drawn, mask, 0.12, 0.135), torch.where(chosen, ids, 0)

    def drawn_in_order(ids, choice, fate, drawn, mask):
        """For random tokens you take the numbers of `drawn` one after the other, from its start.

        `drawn` has a number for each position. Take the one of the position that you exchange.
        """
        chosen = _chosen(ids, choice, mask)
        random = chosen & (fate >= 0.8) & (fate < 0.9)
        inputs = torch.where(chosen & (fate < 0.8), mask, ids)
        inputs[random] = drawn.flatten()[: int(random.sum())]
        return inputs, torch.where(chosen, ids, 0)

    def a_fixed_share_of_each_sentence(ids, choice, fate, drawn, mask):
        """You choose 15 % of each sentence exactly, those with the smallest numbers.

        Here each token is chosen on its own, where its number is below 0.15, so the number of
        chosen tokens varies.
        """
        ordinary = _ordinary(ids, mask)
        rank = choice.masked_fill(~ordinary, 2.0).argsort(-1).argsort(-1)
        count = (0.15 * ordinary.sum(-1, keepdim=True)).round().clamp(min=1)
        return _of(ids, ordinary & (rank < count), fate, drawn, mask)

    def inputs_only(*given):
        """You return the inputs alone. The labels are missing.

        Return a pair: `(inputs, labels)`.
        """
        return correct(*given)[0]

    def labels_first(*given):
        """You return the labels first. The inputs come first.

        Return a pair: `(inputs, labels)`.
        """
        inputs, labels = correct(*given)
        return labels, inputs

    def chosen_third(*given):
        """You return three things. Only inputs and labels are asked for.

        Return a pair: `(inputs, labels)`.
        """
        ids, choice, _, _, mask = given
        return *correct(*given), _chosen(ids, choice, mask)

    def eos_may_be_chosen(ids, choice, fate, drawn, mask):
        """You let the token with the id 3 be chosen, which is <eos>.

        The ids 0 to 3 are all special.
        """
        return _of(ids, (choice < 0.15) & (ids >= 3) & (ids < mask), fate, drawn, mask)

    def mask_may_be_chosen(ids, choice, fate, drawn, mask):
        """You let a <mask> be chosen that stood in `ids` before.

        The ordinary ids end with `mask − 1`.
        """
        return _of(ids, (choice < 0.15) & (ids > 3) & (ids <= mask), fate, drawn, mask)

    def both_limits_one_too_wide(ids, choice, fate, drawn, mask):
        """Your ordinary ids go from 3 to `mask`. Both of these are special: <eos> and <mask>.

        Ordinary ids go from 4 to `mask − 1`.
        """
        return _of(ids, (choice < 0.15) & (ids >= 3) & (ids <= mask), fate, drawn, mask)

    def unk_and_bos_may_be_chosen(ids, choice, fate, drawn, mask):
        """You let <unk> and <bos> be chosen, the ids 1 and 2.

        The ids 0 to 3 are all special. One comparison covers them.
        """
        named = (ids == 0) | (ids == mask) | (ids == mask + 1)
        return _of(ids, (choice < 0.15) & ~named & (ids != 3), fate, drawn, mask)

    def class_and_padding_excluded(ids, choice, fate, drawn, mask):
        """You leave padding and <class> alone, but a <mask> in `ids` and the ids 1 to 3 may be
        chosen.

        Which ids are ordinary? Two comparisons cover all others.
        """
        chosen = (choice < 0.15) & (ids != 0) & (ids != mask + 1)
        return _of(ids, chosen, fate, drawn, mask)

    def a_tenth_of_the_rest(*given):
        """You exchange tokens whose fate is from 0.8 to 0.82: a tenth of the remaining 20 %.

        10 % of *all* chosen tokens are exchanged. What is the upper limit?
        """
        return _varied(*given, low=0.8, high=0.82)

    def minus_1(*given):
        """In your labels, −1 stands where nothing counts. In this course it is 0.

        0 is padding, and nobody is ever asked for padding.
        """
        inputs, labels = correct(*given)
        ids, choice, _, _, mask = given
        return inputs, torch.where(_chosen(ids, choice, mask), labels, -1)

    def mask_for_no_label(*given):
        """In your labels, <mask> stands where nothing counts. In this course it is 0.

        The loss leaves out the label 0.
        """
        inputs, labels = correct(*given)
        ids, choice, _, _, mask = given
        return inputs, torch.where(_chosen(ids, choice, mask), labels, mask)

    def labels_where_not_masked(*given):
        """Your labels are 0 behind <mask>, and the original token everywhere else.

        Where a token was not chosen, the label is 0. Where it was, the label is the original.
        """
        inputs, _ = correct(*given)
        return inputs, torch.where(inputs == given[-1], 0, given[0])

    def the_rest_masked(*given):
        """Fates from 0.9 on become <mask>, too. Such tokens stay as they are.

        There are three fates, the third of which changes nothing.
        """
        ids, choice, fate, drawn, mask = given
        chosen = _chosen(ids, choice, mask)
        inputs = torch.where(chosen, mask, ids)
        random = chosen & (fate >= 0.8) & (fate < 0.9)
        return torch.where(random, drawn, inputs), torch.where(chosen, ids, 0)

    def labels_wherever_a_mask_stands(*given):
        """You give a label wherever the inputs have <mask>: not to the tokens that are exchanged or
        stay, but to a <mask> that stood in `ids` before.

        The labels depend on what was chosen, and not on what the model reads.
        """
        inputs, _ = correct(*given)
        return inputs, torch.where(inputs == given[-1], given[0], 0)

    def booleans_for_labels(*given):
        """Your labels are True and False: they say *that* a token is asked for, and not which one.

        Put the id of the original token there.
        """
        inputs, labels = correct(*given)
        return inputs, labels > 0

    def random_everywhere(*given):
        """You exchange every token whose fate is between 0.8 and 0.9, chosen or not, special tokens
        included.

        The condition "chosen" has to be there for each step.
        """
        fate, drawn = given[2], given[3]
        inputs, labels = correct(*given)
        return torch.where((fate >= 0.8) & (fate < 0.9), drawn, inputs), labels

    def masked_everywhere(*given):
        """You put <mask> wherever the fate is below 0.8, chosen or not, special tokens included.

        The condition "chosen" has to be there for each step.
        """
        inputs, labels = correct(*given)
        return torch.where(given[2] < 0.8, given[-1], inputs), labels

    def highest_numbers_chosen(ids, choice, fate, drawn, mask):
        """You choose a token where its number in `choice` is above 0.85. That has the same
        probability, but the question chooses below 0.15.

        The check compares with the tokens that the question chooses.
        """
        return _of(ids, _ordinary(ids, mask) & (choice > 0.85), fate, drawn, mask)

    def half_of_the_rest_by_the_fate(*given):
        """You mask below 0.8, exchange below 0.95 and keep the rest. The upper limit is 0.9.

        80 % and 10 % add up to the limit.
        """
        return _varied(*given, low=0.8, high=0.95)

    def ten_percent_masked(*given):
        """You mask below 0.1 only, and exchange up to 0.9.

        80 % of the chosen tokens become <mask>, and 10 % are exchanged.
        """
        return _varied(*given, low=0.1, high=0.9)

    def labels_of_the_chosen_alone(*given):
        """Your labels are those of the chosen positions alone, in one dimension.

        `labels` has the shape of `ids`, with 0 where nothing was chosen.
        """
        ids, choice, _, _, mask = given
        return correct(*given)[0], ids[_chosen(ids, choice, mask)]

    def a_dictionary(*given):
        """You return a dictionary. A pair is asked for: `(inputs, labels)`.

        Return the two tensors, separated by a comma.
        """
        inputs, labels = correct(*given)
        return {"inputs": inputs, "labels": labels}

    def eos_padding_and_class_excluded(ids, choice, fate, drawn, mask):
        """You leave padding, <eos> and <class> alone, but <unk>, <bos> and a <mask> in `ids` may be
        chosen.

        Which ids are ordinary? Two comparisons cover all others.
        """
        chosen = (choice < 0.15) & (ids != 0) & (ids != 3) & (ids != mask + 1)
        return _of(ids, chosen, fate, drawn, mask)

    def inputs_of_the_chosen_alone(*given):
        """Your inputs are 0 wherever nothing was chosen, so the model has no context.

        Where nothing was chosen, the model reads the token itself.
        """
        inputs, labels = correct(*given)
        return torch.where(labels > 0, inputs, 0), labels

    def small_ids_and_mask_excluded(ids, choice, fate, drawn, mask):
        """You leave the ids 0 to 3 and <mask> alone, but <class> may be chosen.

        Is `mask + 1` an ordinary token? One comparison covers it and `mask`.
        """
        return _of(ids, (choice < 0.15) & (ids > 3) & (ids != mask), fate, drawn, mask)

    def all_else_becomes_padding(*given):
        """In your inputs, every token that is neither masked nor exchanged has become 0, which is
        padding.

        Where nothing is replaced, the model reads the token itself. From which tensor does your
        `torch.where` take it?
        """
        ids, choice, fate, drawn, mask = given
        chosen, random = _chosen(ids, choice, mask), (fate >= 0.8) & (fate < 0.9)
        inputs = torch.where(chosen & (fate < 0.8), mask, 0)
        return torch.where(chosen & random, drawn, inputs), correct(*given)[1]

    def masks_lost_in_the_second_step(*given):
        """Your inputs have the random tokens, but no <mask>: where one should stand, the original
        still does.

        The second step has to begin with what the first one made, and not with `ids` again.
        """
        ids, choice, fate, drawn, mask = given
        random = _chosen(ids, choice, mask) & (fate >= 0.8) & (fate < 0.9)
        return torch.where(random, drawn, ids), correct(*given)[1]

    def unk_for_mask(*given):
        """You put 1 where <mask> belongs. 1 is <unk>.

        The id of <mask> is `mask`.
        """
        ids, _, fate, drawn, _ = given
        _, labels = correct(*given)
        return _replaced(ids, labels > 0, fate, drawn, 1), labels

    def labels_taken_between_the_steps(*given):
        """Where a token has become <mask>, your label is <mask>, too.

        When you take the labels, the masks are written already. Take them from `ids`.
        """
        _, labels = correct(*given)
        return correct(*given)[0], torch.where((labels > 0) & (given[2] < 0.8), given[-1], labels)

    def first_position_excluded(ids, choice, fate, drawn, mask):
        """You leave out the first position, whatever stands there. And a <mask> in `ids` may be
        chosen.

        Which *ids* are ordinary? Two comparisons cover all others.
        """
        chosen = (choice < 0.15) & (ids > 3) & (torch.arange(ids.shape[1]) > 0)
        return _of(ids, chosen, fate, drawn, mask)

    def one_random_token_for_all(ids, choice, fate, drawn, mask):
        """You exchange every token for the same one, the first of `drawn`.

        `drawn` has a number for each position. Take the one of the position that you exchange.
        """
        chosen = _chosen(ids, choice, mask)
        return _of(ids, chosen, fate, drawn[0, 0].expand_as(ids), mask)

    def cut_as_for_a_decoder(*given):
        """You drop the last input and the first label, as for a decoder.

        An encoder's row t is asked for token t itself (C28): nothing is shifted, and both have the
        shape of `ids`.
        """
        inputs, labels = correct(*given)
        return inputs[:, :-1], labels[:, 1:]


class Right:
    """Right answers, written differently."""

    def token_by_token(ids, choice, fate, drawn, mask):
        """A loop over positions."""
        inputs, labels = ids.clone(), torch.zeros_like(ids)
        for i in range(ids.shape[0]):
            for t in range(ids.shape[1]):
                token = int(ids[i, t])
                if token < 4 or token >= mask or choice[i, t] >= 0.15:
                    continue
                labels[i, t] = token
                if fate[i, t] < 0.8:
                    inputs[i, t] = mask
                elif fate[i, t] < 0.9:
                    inputs[i, t] = drawn[i, t]
        return inputs, labels

    def written_into_copies(ids, choice, fate, drawn, mask):
        """Boolean indices."""
        chosen = (choice < 0.15) & (ids >= 4) & (ids <= mask - 1)
        inputs, labels = ids.clone(), ids.clone()
        labels[~chosen] = 0
        to_mask = chosen & (fate < 0.8)
        to_random = chosen & ~to_mask & (fate < 0.9)
        inputs[to_mask] = mask
        inputs[to_random] = drawn[to_random]
        return inputs, labels

    def by_arithmetic(ids, choice, fate, drawn, mask):
        """Products of zeros and ones."""
        chosen = ((choice < 0.15) * (ids > 3) * (ids < mask)).long()
        masked = chosen * (fate < 0.8).long()
        random = chosen * (fate < 0.9).long() - masked
        inputs = masked * mask + random * drawn + (1 - masked - random) * ids
        return inputs, chosen * ids

    def random_first(ids, choice, fate, drawn, mask):
        """Exchanges below 0.9, then masks below 0.8 over it."""
        special = torch.isin(ids, torch.tensor([0, 1, 2, 3, mask, mask + 1]))
        chosen = choice.lt(0.15) & ~special
        inputs = torch.where(chosen & fate.lt(0.9), drawn, ids)
        return inputs.masked_fill(chosen & fate.lt(0.8), mask), ids.masked_fill(~chosen, 0)

    def the_rest_last(ids, choice, fate, drawn, mask):
        """Booleans for each fate, in the order stays, random, mask."""
        is_chosen = (choice < 0.15).logical_and(ids > 3).logical_and(ids < mask)
        stays, not_masked = fate >= 0.9, fate >= 0.8
        inputs = torch.where(~is_chosen | stays, ids, torch.where(not_masked, drawn, mask))
        return inputs, is_chosen * ids

    def with_three_choices(ids, choice, fate, drawn, mask):
        """Picks one of three tensors at each position."""
        which = (fate >= 0.8).long() + (fate >= 0.9).long()
        stacked = torch.stack([torch.full_like(ids, mask), drawn, ids], -1)
        replaced = stacked.gather(-1, which[..., None])[..., 0]
        chosen = (choice < 0.15) & (ids > 3) & (ids < mask)
        return torch.where(chosen, replaced, ids), torch.where(chosen, ids, torch.tensor(0))


EXERCISE = Exercise(
    id="mask_tokens",
    oracle=correct,
    hint="First work out, as booleans, which tokens are ordinary, and which of them are chosen. "
    "The labels follow from that alone. Then go through the three fates of the chosen tokens.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("both tensors hold ids, which are whole numbers", are_ids),),
)
