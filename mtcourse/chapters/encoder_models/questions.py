"""The questions of chapter 15."""

from __future__ import annotations

import math
from typing import Any

import torch

from mtcourse.chapters.encoder_models.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _inputs(reads: Any) -> str:
    """How many inputs position 3 reads."""
    return f"{int(reads[0, 3].sum())}"


def _nats(loss: Any) -> str:
    return f"ln {math.exp(float(loss)):.3g}"


_REAL = torch.tensor([[True] * 7 + [False] * 2])
_READS = _KNOWN["what_rows_read"]

_TOKENS, _RATE, _MASKED, _RANDOM = 400, 15, 80, 10  # the last three in percent
_CHOSEN = _TOKENS * _RATE // 100

_PROBABILITIES = (1 / 2, 1 / 8)
_POSITIONS = 4
_LOSSES = [-math.log(p) for p in _PROBABILITIES]

QUESTIONS = (
    Question(
        "labels on average",
        f"The texts of a batch have {_TOKENS} ordinary tokens. BERT chooses {_RATE}% of them and "
        "treats them in the shares 80/10/10. How many tokens count in the loss, on average?",
        f"{_CHOSEN}",
        "Every chosen token counts, whether it became <mask>, stayed as it was or became a random "
        "token.",
        (
            Mistake(
                f"{_CHOSEN * _MASKED // 100}",
                "You counted the tokens that become <mask>. Are these all of the chosen ones?",
                "expected_shares.labels_at_masks_only",
            ),
            Mistake(
                f"{_CHOSEN * (_MASKED + _RANDOM) // 100}",
                "You left out the chosen tokens that stay as they were. The model has to predict "
                "them, too.",
                "expected_shares.labels_at_changed_ones",
            ),
            Mistake(
                f"{_TOKENS}",
                "You counted a label at every position, as a decoder has it. What would the "
                "encoder do at a token that it can read?",
                "expected_shares.every_token_labelled",
            ),
        ),
    ),
    Question(
        "what a masked position reads",
        "An encoder reads nine inputs at the positions 0 to 8, and the last two are padding. "
        "Position 3 is `<mask>`. On how many inputs do its logits depend?",
        _inputs(_READS.oracle(_REAL, False)),
        "Position 3 reads both sides and itself. Only the padding is left out of attention.",
        (
            mistake_of(
                _READS,
                "always_causal",
                (_REAL, False),
                _inputs,
                "You let it read the left side and itself. Which mask does an encoder not have?",
            ),
            mistake_of(
                _READS,
                "padding_read",
                (_REAL, False),
                _inputs,
                "You counted the padding, too. An encoder has no causal mask, but it has another "
                "one.",
            ),
            mistake_of(
                _READS,
                "own_input_hidden_without_causal",
                (_REAL, False),
                _inputs,
                "You left out the position's own input. <mask> is an input like any other: its row "
                "begins as its embedding.",
            ),
        ),
    ),
    Question(
        "the loss of two blanks",
        f"A text has {_POSITIONS} positions, and two of them were chosen. There the encoder gives "
        "the original tokens the probabilities 1/2 and 1/8. What is the loss?",
        _nats(sum(_LOSSES) / 2),
        "The losses are ln 2 and ln 8. Their mean over the two chosen positions is half of ln 16.",
        (
            Mistake(
                _nats(sum(_LOSSES)),
                "You added the two losses. The loss is their mean.",
                "masked_loss.summed_only",
            ),
            Mistake(
                _nats(-math.log(sum(_PROBABILITIES) / 2)),
                "You took the mean of the probabilities first, and then its logarithm. The loss is "
                "the mean of two logarithms.",
                "masked_loss.log_of_the_mean",
            ),
            Mistake(
                _nats(sum(_LOSSES) / _POSITIONS),
                f"You divided by all {_POSITIONS} positions. How many of them have a label?",
                "masked_loss.over_all_positions",
            ),
        ),
    ),
    Question(
        "a second draw",
        f"A program draws twice. The first draw turns {_MASKED}% of the chosen tokens into "
        "`<mask>`. What share of the *remaining* chosen tokens must the second draw make random, "
        "so that the shares are 80/10/10?",
        f"{100 * _RANDOM // (100 - _MASKED)}%",
        "20% of the chosen tokens remain, and 10% of the chosen tokens should become random: half "
        "of the rest.",
        (
            Mistake(
                f"{_RANDOM}%",
                "Then 10% of the remaining 20% become random, and that is 2% of the chosen tokens.",
                "mask_tokens.a_tenth_of_the_rest",
            ),
            Mistake(
                f"{100 - _MASKED}%",
                "That is how many of the chosen tokens remain. Which share of *these* should "
                "become random?",
                "expected_shares.random_share_of_the_rest",
            ),
            Mistake(
                "100%",
                "Then no chosen token stays as it was. The last 10 in 80/10/10 are tokens that "
                "stay.",
                "mask_tokens.none_stays",
            ),
        ),
    ),
    Question(
        "a shift that was left in",
        "An encoder is trained with masks, but the decoder's shift was left in: row t − 1 has to "
        "predict token t. There is no causal mask. Then blanks are read at their own rows. "
        "What do you notice?",
        "The loss is as low as without the shift, but few blanks are filled right.",
        "Row t − 1 reads everything around the blank, just as row t does, and learns the answer. "
        "But you read the blank's own row.",
        (
            Mistake(
                "The loss stays higher, because row t − 1 cannot read what follows the blank.",
                "That would be so with a causal mask. Which inputs does row t − 1 read without it?",
                "masked_positions.reads_the_left_side",
            ),
            Mistake(
                "The loss falls to zero, because row t − 1 can copy token t from the input.",
                "Token t is hidden, so no row can copy it. That happens if nothing is hidden.",
                "mask_tokens.nothing_replaced",
            ),
            Mistake(
                "The loss is as low as without the shift, and as many blanks are filled right.",
                "The answers are learnt, but in which row do they stand, and which row do you "
                "read?",
                "fill_blanks.row_before",
            ),
        ),
    ),
    Question(
        "a mixture without tokens that stay",
        "An encoder is trained with 80/0/20: no chosen token stays as it was. What is the best "
        "prediction at a chosen position that shows a plain word?",
        "what the neighbours suggest, as if it were a mask",
        "The word was drawn at random from the vocabulary, so it tells nothing about the original.",
        (
            Mistake(
                "the word itself, because it can be read",
                "That is right where chosen tokens stay. Here every plain word at a chosen "
                "position is the result of a draw.",
                "plain_word.copies",
            ),
            Mistake(
                "the word itself in 20% of the cases",
                "20% of the chosen tokens become random. In how many of these is the word that is "
                "read the original?",
                "plain_word.mixed_by_the_shares",
            ),
            Mistake(
                "any word that fits, but never the word itself",
                "The draw may also hit the original by chance, and it hits every word equally "
                "often. So should the word itself be ruled out?",
                "plain_word.never_itself",
            ),
        ),
    ),
)
