"""The exercise ``sequence_log_probability``: log p of each text, from logits (C02, C33)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

_BOS, _EOS, _PAD = 2, 3, 0


def cases(draw: Draw) -> list[Case]:
    """Texts of one and of several lengths, an empty one, and logits by hand."""

    def case(name, *lengths, V=9, far=2.0):
        texts = [draw.ids(length, lowest=4, highest=V - 1).tolist() for length in lengths]
        ids = _rows(texts)
        return Case(name, (draw.normal(*ids.shape, V, scale=far), ids))

    ln2, ln3 = math.log(2), math.log(3)
    hand = draw.tensor([[0, 0, 0, 0, ln3, 0], [0, ln2, 0, ln2, 0, 0], [0, 0, ln2, 0, 0, ln3]])
    return [
        Case("<bos>, one token, <eos>", (hand[None], torch.tensor([[2, 4, 3]])), by_hand=True),
        case("one text of 4 tokens", 4),
        case("2 texts of one length", 3, 3),
        case("3 texts, two of them padded", 5, 2, 1, V=12),
        case("a batch with an empty text", 0, 4),
        case("as many texts as tokens in the vocabulary", 3, 6, 2, 1, 5, 4, V=6),
        case("logits that are far apart", 4, 7, 2, far=40.0),
    ]


def _rows(texts):
    """<bos>, a text and <eos> in each row, padded with 0."""
    longest = max(map(len, texts)) + 2
    return torch.tensor(
        [[_BOS, *text, _EOS] + [_PAD] * (longest - 2 - len(text)) for text in texts]
    )


def correct(logits, ids):
    """The row before each token has its probability; padding has none."""
    return _hidden(_of_labels(logits.log_softmax(-1), ids), ids)


def _picked(log_p, ids):
    """Where the rows have these tokens."""
    return log_p.gather(-1, ids[..., None]).squeeze(-1)


def _of_labels(log_p, ids):
    """log p of each token after the first, from the row before it."""
    return _picked(log_p[:, :-1], ids[:, 1:])


def _hidden(of_tokens, ids):
    """The sum of each text, without padding."""
    return of_tokens.masked_fill(ids[:, 1:] == _PAD, 0).sum(-1)


def _predicted(ids):
    """How many tokens of each text are predicted."""
    return (ids[:, 1:] != _PAD).sum(-1)


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_shifted(logits, ids):
        """You read the probability of each token from the row of that same token, <bos> included.

        Row t has read token t. Which token does it predict?
        """
        return _picked(logits.log_softmax(-1), ids).masked_fill(ids == _PAD, 0).sum(-1)

    def not_shifted_and_padding_counted(logits, ids):
        """You read the probability of each token from the row of that same token, that of <bos> and
        of padding included.

        Row t has read token t. Which token does it predict? And which tokens are not predicted?
        """
        return _picked(logits.log_softmax(-1), ids).sum(-1)

    def not_shifted_without_bos(logits, ids):
        """You left out <bos>, but each other token has its probability from its own row, which has
        read it already.

        Row t has read token t. Which token does it predict?
        """
        return _hidden(_picked(logits.log_softmax(-1)[:, 1:], ids[:, 1:]), ids)

    def not_shifted_without_eos(logits, ids):
        """Each token has its probability from its own row, and <eos> has none.

        Row t has read token t. Which token does it predict?
        """
        of_tokens = _picked(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill((ids == _PAD) | (ids == _EOS), 0).sum(-1)

    def shifted_twice(logits, ids):
        """You shifted twice: each token has its probability from the row two before it, and the
        first token after <bos> has none.

        The row directly before a token predicts it.
        """
        of_tokens = _picked(logits.log_softmax(-1)[:, :-2], ids[:, 2:])
        return of_tokens.masked_fill(ids[:, 2:] == _PAD, 0).sum(-1)

    def shifted_the_other_way(logits, ids):
        """You shifted the wrong way: row t gives the probability of token t − 1, which it has read
        long before.

        Row t predicts the token *after* token t.
        """
        of_tokens = _picked(logits.log_softmax(-1)[:, 1:], ids[:, :-1])
        return of_tokens.masked_fill(ids[:, 1:] == _PAD, 0).sum(-1)

    def shifted_the_other_way_into_padding(logits, ids):
        """You shifted the wrong way: row t gives the probability of token t − 1. In shorter texts
        you also use a row of padding.

        Row t predicts the token *after* token t.
        """
        of_tokens = _picked(logits.log_softmax(-1)[:, 1:], ids[:, :-1])
        return of_tokens.masked_fill(ids[:, :-1] == _PAD, 0).sum(-1)

    def rolled(logits, ids):
        """You added something for <bos>: the probability that the *last* row gives it.

        <bos> is given and never predicted. A roll puts the last row in front.
        """
        of_tokens = _picked(logits.log_softmax(-1).roll(1, 1), ids)
        return of_tokens.masked_fill(ids == _PAD, 0).sum(-1)

    def padding_counted(logits, ids):
        """You counted padding: the shorter texts get a factor for each padding token.

        Behind <eos> nothing is predicted. Where is the token to be predicted padding?
        """
        return _of_labels(logits.log_softmax(-1), ids).sum(-1)

    def mask_of_what_is_read(logits, ids):
        """Texts with padding get one factor too many: what <eos> predicts.

        A prediction counts if the token that is *predicted* is real, not if the token that is read
        is.
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill(ids[:, :-1] == _PAD, 0).sum(-1)

    def all_but_what_eos_predicts(logits, ids):
        """You left out what <eos> predicts, but not what padding predicts.

        In a row with much padding, which predictions count?
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill(ids[:, :-1] == _EOS, 0).sum(-1)

    def eos_not_counted(logits, ids):
        """You left out <eos>. A text is also the decision to end.

        The product runs to N, and token N is <eos>.
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill((ids[:, 1:] == _PAD) | (ids[:, 1:] == _EOS), 0).sum(-1)

    def eos_not_counted_but_padding(logits, ids):
        """You counted padding and left out <eos>. It should be the other way round.

        <eos> is predicted like any other token; padding is not.
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill(ids[:, 1:] == _EOS, 0).sum(-1)

    def last_column_left_out(logits, ids):
        """The longest texts lack their <eos>; the others are right.

        Did you cut off the last column and then shift? Which token stands in the last column?
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)[:, :-1]
        return of_tokens.masked_fill(ids[:, 1:-1] == _PAD, 0).sum(-1)

    def last_column_left_out_with_padding(logits, ids):
        """You leave out the last column, and count the padding in the others.

        Which token stands in the last column of the longest text?
        """
        return _of_labels(logits.log_softmax(-1), ids)[:, :-1].sum(-1)

    def first_token_left_out(logits, ids):
        """You left out the first token after <bos>.

        It is predicted, too, by the row that has read nothing but <bos>.
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)[:, 1:]
        return of_tokens.masked_fill(ids[:, 2:] == _PAD, 0).sum(-1)

    def without_softmax(logits, ids):
        """You added up logits. They are not log-probabilities yet.

        Which function turns a row of logits into logarithms of probabilities?
        """
        return _hidden(_of_labels(logits, ids), ids)

    def without_softmax_or_mask(logits, ids):
        """You added up logits, those of padding included. They are not log-probabilities yet.

        Which function turns a row of logits into logarithms of probabilities?
        """
        return _of_labels(logits, ids).sum(-1)

    def logarithm_of_logits(logits, ids):
        """You took logarithms of the logits themselves. A negative logit has none: NaN.

        A softmax comes before the logarithm.
        """
        return _hidden(_of_labels(logits.log(), ids), ids)

    def probabilities_multiplied(logits, ids):
        """You returned probabilities. Their logarithms are asked for.

        For long texts the product is so small that a float holds it as 0. The sum of logarithms
        has no such limit.
        """
        return correct(logits, ids).exp()

    def probabilities_added(logits, ids):
        """You added probabilities. The chain rule multiplies them.

        What becomes of a product if you take logarithms?
        """
        return _hidden(_of_labels(logits.softmax(-1), ids), ids)

    def logarithm_of_the_sum(logits, ids):
        """You added the probabilities and then took the logarithm.

        The chain rule multiplies: take the logarithm of each probability first.
        """
        return _hidden(_of_labels(logits.softmax(-1), ids), ids).log()

    def padding_multiplied_by_zero(logits, ids):
        """You gave padding the probability 0: a padded text gets log 0 = −∞.

        In a product, padding should be a factor of 1. Which number is that in a sum?
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill(ids[:, 1:] == _PAD, -math.inf).sum(-1)

    def padding_multiplied_by_zero_and_rounded(logits, ids):
        """Your padding has the probability 0, and so have tokens that are far behind: log 0 = −∞.

        Take logarithms first, by a function that does it together with the softmax. In a sum of
        logarithms, padding is 0.
        """
        p = _of_labels(logits.softmax(-1), ids)
        return p.masked_fill(ids[:, 1:] == _PAD, 0).log().sum(-1)

    def mean_per_token(logits, ids):
        """You returned the mean per token. The log-probability of a text is the sum.

        Leave out the division.
        """
        return correct(logits, ids) / _predicted(ids)

    def mean_per_position(logits, ids):
        """You divided the sum by the number of predictions in a row of the batch, padding included.

        The log-probability of a text is a sum. Nothing is divided.
        """
        return correct(logits, ids) / (ids.shape[1] - 1)

    def mean_with_padding(logits, ids):
        """You returned a mean over all predictions of a row, those of padding included.

        The log-probability of a text is a sum, and padding does not belong to the text.
        """
        return _of_labels(logits.log_softmax(-1), ids).mean(-1)

    def loss(logits, ids):
        """You returned the loss: log p with the opposite sign.

        The logarithm of a probability is 0 at most.
        """
        return -correct(logits, ids)

    def loss_per_token(logits, ids):
        """You returned the mean loss per token of each text.

        log p of a text is a sum, and has the sign of a logarithm of a number below 1.
        """
        return -correct(logits, ids) / _predicted(ids)

    def mean_of_the_batch(logits, ids):
        """You returned one number: the mean log-probability of a token in the whole batch.

        What `cross_entropy` returns without further arguments is a mean, with the opposite sign.
        Each text has a log-probability of its own, which is a sum.
        """
        return correct(logits, ids).sum() / _predicted(ids).sum()

    def loss_of_the_batch(logits, ids):
        """You returned one number: the mean loss per token of the whole batch.

        What `cross_entropy` returns without further arguments is such a mean. Each text has a
        log-probability of its own.
        """
        return -correct(logits, ids).sum() / _predicted(ids).sum()

    def loss_of_the_batch_with_padding(logits, ids):
        """You returned one number: the mean loss of all positions, padding included.

        What `cross_entropy` returns without further arguments is such a mean. Each text has a
        log-probability of its own.
        """
        return -_of_labels(logits.log_softmax(-1), ids).mean()

    def not_shifted_and_averaged(logits, ids):
        """You left out <bos>, but each other token has its probability from its own row, which has
        read it already. And you took a mean over the row, padding included.

        Row t has read token t. Which token does it predict? And the chain rule is a product: what
        does that become if you take logarithms?
        """
        of_tokens = _picked(logits.log_softmax(-1)[:, 1:], ids[:, 1:])
        return of_tokens.masked_fill(ids[:, 1:] == _PAD, 0).mean(-1)

    def perplexity(logits, ids):
        """You returned the perplexity of each text.

        The log-probability is asked for: no exponential, no division.
        """
        return (-correct(logits, ids) / _predicted(ids)).exp()

    def whole_batch(logits, ids):
        """You returned one number: log p of all texts together.

        Each text has its own: sum over its tokens only.
        """
        return correct(logits, ids).sum()

    def per_token(logits, ids):
        """You returned log p of each token. The log-probability of the text is their sum.

        One number for each text is left.
        """
        return _of_labels(logits.log_softmax(-1), ids).masked_fill(ids[:, 1:] == _PAD, 0)

    def summed_over_texts(logits, ids):
        """You summed over the texts, and left the positions.

        Over which dimension does a text extend?
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill(ids[:, 1:] == _PAD, 0).sum(0)

    def in_bits(logits, ids):
        """Your logarithms have base 2. Those of the question are natural ones.

        A natural logarithm is 0.69 times the one to base 2.
        """
        return correct(logits, ids) / math.log(2)

    def to_base_ten(logits, ids):
        """Your logarithms have base 10. Those of the question are natural ones.

        In torch, `log` is the natural one.
        """
        return correct(logits, ids) / math.log(10)

    def softmax_over_positions(logits, ids):
        """Your softmax runs over positions. A row of logits is over the tokens.

        Which dimension of (batch, n, V) is the vocabulary?
        """
        return _hidden(_of_labels(logits.log_softmax(1), ids), ids)

    def softmax_over_positions_that_predict(logits, ids):
        """You left out the last row, which is right, but your softmax runs over positions. A row of
        logits is over the tokens.

        Which dimension of (batch, n − 1, V) is the vocabulary?
        """
        return _hidden(_picked(logits[:, :-1].log_softmax(1), ids[:, 1:]), ids)

    def softmax_over_texts(logits, ids):
        """Your softmax runs over the texts of the batch.

        Which dimension of (batch, n, V) is the vocabulary?
        """
        return _hidden(_of_labels(logits.log_softmax(0), ids), ids)

    def softmax_twice(logits, ids):
        """You took two softmaxes: the second one of probabilities.

        `log_softmax` and `cross_entropy` take logits.
        """
        return _hidden(_of_labels(logits.softmax(-1).log_softmax(-1), ids), ids)

    def most_likely_tokens(logits, ids):
        """You added the largest log-probability of each row, whichever token has it.

        The text is given. Which token does it have at that position?
        """
        log_p = logits.log_softmax(-1)[:, :-1].amax(-1)
        return _hidden(log_p, ids)

    def padding_of_the_first_text(logits, ids):
        """You use the first text's padding for all of them.

        Each row of ids has its own padding.
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill(ids[:1, 1:] == _PAD, 0).sum(-1)

    def last_prediction_alone(logits, ids):
        """You returned log p of <eos> alone.

        The chain rule has a factor for every token.
        """
        of_tokens = _of_labels(logits.log_softmax(-1), ids)
        return of_tokens.masked_fill(ids[:, 1:] != _EOS, 0).sum(-1)

    def column_before_the_last(logits, ids):
        """You returned log p of the last column of the batch alone.

        The chain rule has a factor for every token.
        """
        return _of_labels(logits.log_softmax(-1), ids)[:, -1]

    def entropies(logits, ids):
        """You multiplied each log-probability by its probability.

        The factors of the chain rule are the probabilities of the tokens that stand there, and
        nothing weights their logarithms.
        """
        log_p = _of_labels(logits.log_softmax(-1), ids)
        return _hidden(log_p * log_p.exp(), ids)

    def softmax_of_the_batch(logits, ids):
        """Your softmax runs over everything: texts, positions and tokens together.

        Each row of logits is a distribution by itself.
        """
        log_p = logits.flatten().log_softmax(-1).view_as(logits)
        return _hidden(_of_labels(log_p, ids), ids)

    def at_least_one_in_a_billion(logits, ids):
        """None of your tokens costs more than 20.7 nats: you raise small probabilities to 10⁻⁹.

        The addition or the `clamp` hides that the softmax was rounded to 0. Is there a function
        that takes softmax and logarithm at once, without rounding?
        """
        return _hidden(_of_labels((logits.softmax(-1) + 1e-9).log(), ids), ids)

    def at_least_one_in_a_trillion(logits, ids):
        """None of your tokens costs more than 27.6 nats: you raise small probabilities to 10⁻¹².

        The addition or the `clamp` hides that the softmax was rounded to 0. Is there a function
        that takes softmax and logarithm at once, without rounding?
        """
        return _hidden(_of_labels((logits.softmax(-1) + 1e-12).log(), ids), ids)

    def at_least_one_in_a_hundred_million(logits, ids):
        """None of your tokens costs more than 18.4 nats: you raise small probabilities to 10⁻⁸.

        The addition or the `clamp` hides that the softmax was rounded to 0. Is there a function
        that takes softmax and logarithm at once, without rounding?
        """
        return _hidden(_of_labels((logits.softmax(-1) + 1e-8).log(), ids), ids)

    def rounded_probabilities(logits, ids):
        """Some of your texts get −∞, although no token has the probability 0.

        The softmax of a token that is far behind is rounded to 0, and its logarithm is −∞. Is
        there a function that does both steps at once?
        """
        return _hidden(_of_labels(logits.softmax(-1).log(), ids), ids)


class Right:
    """Right answers, written differently."""

    def with_gather(logits, ids):
        """Takes the log-softmax of all rows but the last."""
        log_p = torch.log_softmax(logits[:, :-1], dim=-1)
        labels = ids[:, 1:]
        of_tokens = torch.gather(log_p, 2, labels.unsqueeze(2)).squeeze(2)
        return (of_tokens * (labels != 0)).sum(1)

    def in_a_loop(logits, ids):
        """Goes through each text until <eos>."""
        sums = []
        for rows, text in zip(logits, ids, strict=True):
            total = torch.zeros((), dtype=logits.dtype)
            for t in range(1, len(text)):
                if text[t] == 0:
                    break
                total = total + rows[t - 1, text[t]] - rows[t - 1].logsumexp(-1)
            sums.append(total)
        return torch.stack(sums)

    def with_cross_entropy(logits, ids):
        """Minus the loss, which leaves out padding by itself."""
        losses = F.cross_entropy(
            logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=0, reduction="none"
        )
        return -losses.sum(-1)

    def one_hot(logits, ids):
        """Multiplies by one-hot rows, of which those of padding are 0."""
        labels = F.one_hot(ids[:, 1:], logits.shape[-1]).to(logits)
        labels[..., 0] = 0
        return (labels * logits[:, :-1].log_softmax(-1)).sum((1, 2))

    def padded_labels(logits, ids):
        """Shifts the ids, and gives the last row the label 0."""
        labels = torch.cat([ids[:, 1:], torch.zeros_like(ids[:, :1])], 1)
        batch, n = ids.shape
        rows, columns = torch.arange(batch)[:, None], torch.arange(n)
        log_p = logits.log_softmax(-1)[rows, columns, labels]
        return torch.where(labels != 0, log_p, 0).sum(-1)

    def normalised_twice(logits, ids):
        """A log-softmax of log-probabilities changes nothing."""
        return correct(logits.log_softmax(-1), ids)


EXERCISE = Exercise(
    id="sequence_log_probability",
    oracle=correct,
    hint="Row t has read the tokens up to t and predicts token t + 1: take the log-softmax of each "
    "row, and from it the number of the *next* token. Leave out what is padding, and add up.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
