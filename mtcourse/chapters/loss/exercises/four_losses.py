"""The exercise ``four_losses``: one table of token losses, four divisors (A19, C05; chapter 8)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Sentences of one length and of several; what stands at padding is not 0."""
    hand = draw.tensor([[1.0, 2.0, 3.0], [6.0, 9.0, 9.0]]), torch.tensor([[5, 7, 3], [3, 0, 0]])
    sure = draw.tensor([[0.0, 2.0, 0.0, 4.0], [3.0, 0.0, 7.0, 7.0], [1.0, 5.0, 3.0, 8.0]])
    of_three = torch.tensor([[4, 5, 6, 3], [8, 3, 0, 0], [9, 5, 3, 0]])
    in_gaps = draw.tensor([[4.0, 6.0, 1.0, 2.0], [1.0, 8.0, 0.5, 5.0]])
    longest_last = draw.tensor([[2.0, 5.0, -1.0], [1.0, 3.0, 2.0]])
    drawn = draw.normal(5, 7).square()
    lengths = draw.ids(5, lowest=1, highest=6)
    lengths[0] = 6
    labels = torch.where(torch.arange(7) < lengths[:, None], draw.ids(5, 7, lowest=3, highest=9), 0)
    return [
        Case("a sentence of three tokens and one of a single token", hand, by_hand=True),
        Case("one sentence", (draw.normal(1, 4).square(), torch.tensor([[4, 5, 6, 3]]))),
        Case("3 sentences with tokens that cost nothing", (sure, of_three)),
        Case("5 sentences, each with padding", (drawn, labels)),
        Case("padding in front and between", (in_gaps, torch.tensor([[0, 0, 4, 3], [6, 0, 5, 3]]))),
        Case("the longest sentence last", (longest_last, torch.tensor([[3, 0, 0], [5, 4, 3]]))),
    ]


def correct(losses, labels):
    """Sum over tokens, then four divisors."""
    real = labels != 0
    of_sentence = torch.where(real, losses, 0.0).sum(-1)
    counts = real.sum(-1)
    return _answer(
        of_sentence.sum(),
        of_sentence.mean(),
        of_sentence.sum() / counts.sum(),
        (of_sentence / counts).mean(),
    )


def _answer(total, sentences, tokens, each):
    return {"sum": total, "sentences": sentences, "tokens": tokens, "each": each}


def _parts(losses, labels):
    """The right answer, and the sums and counts of the sentences, to make wrong ones from."""
    real = labels != 0
    return correct(losses, labels), torch.where(real, losses, 0.0).sum(-1), real.sum(-1)


def _of(losses, labels, **ways):
    """The right answer with some losses replaced, from the sums and counts of the sentences."""
    right, s, counts = _parts(losses, labels)
    return right | {name: way(s, counts) for name, way in ways.items()}


def _all_of(s, counts):
    """All four, from other sums and counts, without dividing a sentence by 0."""
    return _answer(s.sum(), s.mean(), s.sum() / counts.sum(), (s / counts.clamp(1)).mean())


def _exchanged(one, other):
    """The mistake of exchanging two of the four."""

    def mistake(losses, labels):
        right = correct(losses, labels)
        return right | {one: right[other], other: right[one]}

    mistake.__name__ = f"{one}_and_{other}_exchanged"
    mistake.__doc__ = f"""You exchanged `{one}` and `{other}`.

    Read the four formulas from left to right: `sum`, `sentences`, `tokens`, `each`. By what is each
    of them divided?
    """
    return mistake


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_the_losses(losses, labels):
        """Your function changes the table of losses that it is given.

        The caller may still need it. To set losses to 0 in a new table, use `torch.where` or
        `masked_fill`.
        """
        right = correct(losses, labels)
        losses[labels == 0] = 0
        return right

    def without_names(losses, labels):
        """The four numbers are right, but their names are missing.

        Return a dictionary with the names of the question.
        """
        return list(correct(losses, labels).values())

    def padding_counted_everywhere(losses, labels):
        """Padding is counted: its losses are in all four, and `tokens` and `each` count its
        positions as tokens.

        Where a label is 0 there was nothing to predict. Leave out its loss and do not count it.
        """
        return correct(losses, torch.ones_like(labels))

    def padding_summed(losses, labels):
        """The counts leave padding out, but the sums include the losses at padding.

        Set the losses at padding to 0 before you add.
        """
        _, _, counts = _parts(losses, labels)
        s = losses.sum(-1)
        return _answer(s.sum(), s.mean(), s.sum() / counts.sum(), (s / counts).mean())

    def padding_summed_and_places_counted(losses, labels):
        """The sums include the losses at padding, and `each` counts padding as tokens, too.

        Set the losses at padding to 0 before you add, and count the real tokens of each sentence.
        """
        s = losses.sum(-1)
        return _answer(s.sum(), s.mean(), s.sum() / (labels != 0).sum(), losses.mean())

    def mean_over_all_places(losses, labels):
        """Where you should divide by a number of tokens, you divide by a number of positions,
        padding included.

        How many tokens does each sentence have? Count the labels that are not 0.
        """
        right, s, _ = _parts(losses, labels)
        places = labels.shape[-1]
        return right | {"tokens": s.sum() / labels.numel(), "each": (s / places).mean()}

    def tokens_over_all_places(losses, labels):
        """`tokens` divides by all positions of the batch, padding included.

        Such a loss falls when a batch gets more padding. Count the labels that are not 0.
        """
        right, s, _ = _parts(losses, labels)
        return right | {"tokens": s.sum() / labels.numel()}

    def each_over_all_places(losses, labels):
        """In `each`, every sentence is divided by the padded length, the number of columns of
        `labels`.

        Divide each sentence by its own number of tokens.
        """
        right, s, _ = _parts(losses, labels)
        return right | {"each": (s / labels.shape[-1]).mean()}

    def free_tokens_not_counted(losses, labels):
        """You count a token only if its loss is above 0. But a token may cost nothing and still
        count.

        The labels tell you which positions are padding.
        """
        right, s, _ = _parts(losses, labels)
        counts = ((losses > 0) & (labels != 0)).sum(-1).clamp(min=1)
        return right | {"tokens": s.sum() / counts.sum(), "each": (s / counts).mean()}

    def tokens_as_each(losses, labels):
        """`tokens` is a mean of the sentences' means, so tokens of short sentences weigh more.

        Add all losses, count all tokens, divide once.
        """
        right, _, _ = _parts(losses, labels)
        return right | {"tokens": right["each"]}

    def each_as_tokens(losses, labels):
        """`each` is the mean over all tokens, so long sentences weigh more than short ones.

        Take the mean within each sentence first, then the mean of these means.
        """
        right, _, _ = _parts(losses, labels)
        return right | {"each": right["tokens"]}

    def each_summed(losses, labels):
        """`each` adds up the sentences' means. It should be their mean.

        Divide by the number of sentences.
        """
        right, s, counts = _parts(losses, labels)
        return right | {"each": (s / counts).sum()}

    def sentences_as_each(losses, labels):
        """`sentences` takes a mean within each sentence. Document A adds up the tokens there (A19).

        What comes after the 1/N in A19, a sum or a mean?
        """
        right, _, _ = _parts(losses, labels)
        return right | {"sentences": right["each"]}

    def sentences_as_tokens(losses, labels):
        """`sentences` divides by the number of tokens. In A19, N is the number of sentences.

        Toolkits divide by the number of tokens: that is `tokens`.
        """
        right, _, _ = _parts(losses, labels)
        return right | {"sentences": right["tokens"]}

    def sentences_and_each_exchanged(losses, labels):
        """You exchanged `sentences` and `each`.

        Document A adds up the tokens of a sentence, and divides only by N (A19).
        """
        right, _, _ = _parts(losses, labels)
        return right | {"sentences": right["each"], "each": right["sentences"]}

    def sentences_over_places(losses, labels):
        """`sentences` divides by m, the padded length. It should divide by the number of sentences.

        Which dimension of `losses` counts the sentences?
        """
        right, s, _ = _parts(losses, labels)
        return right | {"sentences": s.sum() / labels.shape[-1]}

    def each_not_averaged(losses, labels):
        """`each` holds one number for each sentence. It should be one number: their mean.

        The fourth formula begins with 1/N and a sum over sentences.
        """
        right, s, counts = _parts(losses, labels)
        return right | {"each": s / counts}

    def sum_is_a_mean(losses, labels):
        """`sum` is divided by the number of sentences. Document C divides by nothing (C05).

        There are two sums, over sequences and over tokens, with no factor in front.
        """
        right, _, _ = _parts(losses, labels)
        return right | {"sum": right["sentences"]}

    def sum_of_each_sentence(losses, labels):
        """`sum` holds one number for each sentence. It should be one number for all.

        Document C sums over the sequences, too (C05).
        """
        right, s, _ = _parts(losses, labels)
        return right | {"sum": s}

    def signs_turned(losses, labels):
        """All four have the wrong sign.

        The token losses already contain the minus sign of A19 and C05.
        """
        return {name: -value for name, value in correct(losses, labels).items()}

    def losses_for_labels(losses, labels):
        """You take each position with a loss above 0 for a token, and do not look at the labels.

        At padding, any number may stand. What tells you that it is padding?
        """
        real = losses > 0
        return _all_of((losses * real).sum(-1), real.sum(-1))

    def padding_turned_round(losses, labels):
        """You added up the losses at padding, and left out those of the tokens.

        Where does a label of 0 stand?
        """
        padding = labels == 0
        return _all_of((losses * padding).sum(-1), padding.sum(-1).clamp(1))

    def padding_turned_round_and_nothing_left(losses, labels):
        """You added up the losses at padding, and divided by 0 where a sentence has no padding.

        Where does a label of 0 stand?
        """
        padding = labels == 0
        s, counts = (losses * padding).sum(-1), padding.sum(-1)
        return _all_of(s, counts) | {"each": (s / counts).mean()}

    def positions_for_sentences(losses, labels):
        """You added along the wrong dimension: over the sentences, at each position.

        Rows are sentences. Along which dimension do the tokens of a sentence stand?
        """
        real = labels != 0
        return _all_of((losses * real).sum(0), real.sum(0))

    def positions_for_sentences_divided_by_0(losses, labels):
        """You added along the wrong dimension, over the sentences, and divided by 0 at a position
        where every sentence has padding.

        Rows are sentences. Along which dimension do the tokens of a sentence stand?
        """
        real = labels != 0
        s, counts = (losses * real).sum(0), real.sum(0)
        return _all_of(s, counts) | {"each": (s / counts).mean()}

    def last_token_not_counted(losses, labels):
        """You count one token too few in each sentence.

        The last token of a sentence has a label that is not 0, and a loss.
        """
        return _of(
            losses,
            labels,
            tokens=lambda s, c: s.sum() / (c - 1).sum().clamp(1),
            each=lambda s, c: (s / (c - 1).clamp(1)).mean(),
        )

    def last_token_left_out(losses, labels):
        """You left out the last token of each sentence, its loss as well as its count.

        The last token of a sentence has a label that is not 0, and a loss.
        """
        ends = (labels != 0).sum(-1, keepdim=True) - 1
        real = torch.arange(labels.shape[-1]) < ends
        return _all_of((losses * real).sum(-1), real.sum(-1))

    def one_token_too_many(losses, labels):
        """You count one token too many in each sentence.

        How many labels of a sentence are not 0?
        """
        return _of(
            losses,
            labels,
            tokens=lambda s, c: s.sum() / (c + 1).sum(),
            each=lambda s, c: (s / (c + 1)).mean(),
        )

    def longest_for_all(losses, labels):
        """You divide every sentence by the number of tokens of the longest.

        Count for each sentence by itself which labels are not 0.
        """
        return _of(
            losses,
            labels,
            tokens=lambda s, c: s.sum() / (len(c) * c.max()),
            each=lambda s, c: (s / c.max()).mean(),
        )

    def first_for_all(losses, labels):
        """You divide every sentence by the number of tokens of the first.

        Count for each sentence by itself which labels are not 0.
        """
        return _of(
            losses,
            labels,
            tokens=lambda s, c: s.sum() / (len(c) * c[0]),
            each=lambda s, c: (s / c[0]).mean(),
        )

    def sum_as_tokens(losses, labels):
        """`sum` is divided by the number of tokens. Document C divides by nothing (C05).

        There are two sums, over sequences and over tokens, with no factor in front.
        """
        return _of(losses, labels, sum=lambda s, c: s.sum() / c.sum())

    def sentences_not_divided(losses, labels):
        """`sentences` is not divided by anything. Document A has a 1/N in front (A19).

        What is N?
        """
        return _of(losses, labels, sentences=lambda s, c: s.sum())

    def sentences_not_averaged(losses, labels):
        """`sentences` holds one number for each sentence. It should be one number: their mean.

        What does 1/N in front of a sum over i do (A19)?
        """
        return _of(losses, labels, sentences=lambda s, c: s)

    def sentences_over_all_places(losses, labels):
        """`sentences` divides by the number of all positions. It should divide by the number of
        rows.

        In A19, N is the number of sentences.
        """
        return _of(losses, labels, sentences=lambda s, c: s.sum() / labels.numel())

    def tokens_over_sentences(losses, labels):
        """`tokens` divides by the number of sentences, as document A does (A19).

        By what does the third formula divide?
        """
        return _of(losses, labels, tokens=lambda s, c: s.sum() / len(c))

    def tokens_of_each_sentence(losses, labels):
        """`tokens` holds one number for each sentence. Add the losses of all sentences first.

        The third formula has one fraction in front of both sums.
        """
        return _of(losses, labels, tokens=lambda s, c: s / c)

    def tokens_divided_twice(losses, labels):
        """`tokens` is divided by the number of tokens, and then by the number of sentences, too.

        Add all losses, count all tokens, divide once.
        """
        return _of(losses, labels, tokens=lambda s, c: s.mean() / c.sum())

    def tokens_over_a_mean_length(losses, labels):
        """`tokens` divides the sum of all losses by the mean length of a sentence.

        Add all losses, count all tokens, divide once.
        """
        return _of(losses, labels, tokens=lambda s, c: s.sum() / c.double().mean())

    def each_over_a_mean_length(losses, labels):
        """`each` divides the sum of all losses by the mean length of a sentence.

        Divide each sentence by its own length first, then take the mean.
        """
        return _of(losses, labels, each=lambda s, c: s.sum() / c.double().mean())

    def each_divided_twice(losses, labels):
        """`each` is divided by the number of sentences twice.

        A mean over sentences divides by N already.
        """
        return _of(losses, labels, each=lambda s, c: (s / c).mean() / len(c))

    def each_over_all_tokens(losses, labels):
        """In `each`, every sentence is divided by the number of tokens of the whole batch.

        Divide each sentence by its own number of tokens.
        """
        return _of(losses, labels, each=lambda s, c: (s / c.sum()).mean())

    def each_as_sentences(losses, labels):
        """`each` is not divided by the sentences' lengths: it is document A's loss (A19).

        The fourth formula has a second fraction, inside the first sum.
        """
        return _of(losses, labels, each=lambda s, c: s.mean())

    def perplexities(losses, labels):
        """You took exponentials, so these are perplexities. The question asks for the losses.

        None of the four formulas has an exponential.
        """
        return {name: value.exp() for name, value in correct(losses, labels).items()}

    sum_and_sentences_exchanged = _exchanged("sum", "sentences")
    sum_and_tokens_exchanged = _exchanged("sum", "tokens")
    sum_and_each_exchanged = _exchanged("sum", "each")
    sentences_and_tokens_exchanged = _exchanged("sentences", "tokens")
    tokens_and_each_exchanged = _exchanged("tokens", "each")


class Right:
    """Right answers, written differently."""

    def with_lists(losses, labels):
        """Lists of the real losses of each sentence."""
        rows = [
            [float(loss) for loss, y in zip(*pair, strict=True) if y != 0]
            for pair in zip(losses.tolist(), labels.tolist(), strict=True)
        ]
        everything = [loss for row in rows for loss in row]
        return {
            "sum": sum(everything),
            "sentences": sum(everything) / len(rows),
            "tokens": sum(everything) / len(everything),
            "each": sum(sum(row) / len(row) for row in rows) / len(rows),
        }

    def with_a_mask_of_numbers(losses, labels):
        """Multiplies by 1 and 0."""
        m = (labels != 0).to(losses.dtype)
        total = (losses * m).sum()
        each = torch.einsum("ij,ij->i", losses, m) / m.sum(1)
        return _answer(total, total / len(losses), total / m.sum(), each.sum() / len(each))

    def by_selection(losses, labels):
        """Takes the real losses out of the table."""
        chosen = losses[labels > 0]
        means = torch.stack([row[y > 0].mean() for row, y in zip(losses, labels, strict=True)])
        return _answer(chosen.sum(), chosen.sum() / labels.size(0), chosen.mean(), means.mean())

    def as_weights(losses, labels):
        """Each loss is a weighting of the same table."""
        real = (labels != 0).to(losses.dtype)
        counts, N = real.sum(-1, keepdim=True), len(labels)
        weights = {"sum": real, "sentences": real / N, "tokens": real / real.sum()}
        weights["each"] = real / counts / N
        return {name: (w * losses).sum() for name, w in weights.items()}


EXERCISE = Exercise(
    id="four_losses",
    oracle=correct,
    hint="By hand: the first sentence costs 1 + 2 + 3 and the second 6, because the 9s are at "
    "padding. There are 2 sentences and 4 tokens.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
