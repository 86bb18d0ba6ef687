"""The questions of chapter 8."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from mtcourse.chapters.loss.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _row(values: Tensor, decimals: int = 1) -> str:
    """A row of numbers as it is written on paper."""
    numbers = (f"{value:.{decimals}f}" for value in values.flatten().tolist())
    return ", ".join(numbers).replace("-", "−")


_AT_LOGITS = _KNOWN["logit_gradient"]
_SURPRISED = (torch.tensor([[0.2, 0.5, 0.3]]).log(), torch.tensor([2]))

_PROBABILITIES = (1 / 2, 1 / 8)


def _perplexity() -> float:
    """One over the geometric mean of the probabilities."""
    return math.exp(-sum(map(math.log, _PROBABILITIES)) / len(_PROBABILITIES))


_BEFORE, _ARRIVED = torch.tensor([2.0, -3.0, 1.0]), torch.tensor([-1.0, 4.0, 2.0])


def _whole(values: Tensor) -> str:
    return _row(values + 0.0, 0)


_TOKENS = (torch.tensor([[6.0, 0.0, 0.0], [2.0, 2.0, 2.0]]), torch.tensor([[5, 0, 0], [7, 4, 3]]))
_FOUR = _KNOWN["four_losses"]


def _over_tokens(answer: dict) -> str:
    """The loss that a toolkit reports."""
    return f"{float(answer['tokens']):g}"


_EPSILON, _VOCABULARY = 0.2, 4

_GRADIENT, _RATE, _STEPS = 2.0, 0.1, 3


def _moved(steps: int = _STEPS) -> str:
    """How far a weight moves if each step adds its gradient to all before it."""
    return f"{_RATE * _GRADIENT * sum(range(1, steps + 1)):.1f}"


QUESTIONS = (
    Question(
        "gradient of three logits",
        "The model gives three words the probabilities 0.2, 0.5 and 0.3, and the third is the "
        "right one. What is the gradient of the loss of this token with respect to the logits?",
        _row(_AT_LOGITS.oracle(*_SURPRISED)),
        "It is the probability that each word got, less the one that it should have got: "
        "0, 0 and 1.",
        (
            mistake_of(
                _AT_LOGITS,
                "sign_turned",
                _SURPRISED,
                _row,
                "These are the signs of a step downhill. If the logit of the right word grows, "
                "the loss falls. Which sign does its gradient have?",
            ),
            mistake_of(
                _AT_LOGITS,
                "only_at_the_label",
                _SURPRISED,
                _row,
                "You have the gradient of the right word's logit alone. What becomes of the right "
                "word's probability if another logit grows?",
            ),
            mistake_of(
                _AT_LOGITS,
                "without_the_label",
                _SURPRISED,
                _row,
                "These are the probabilities alone. The loss also contains the logit of the right "
                "word, with a minus sign.",
            ),
        ),
    ),
    Question(
        "perplexity of two tokens",
        "A sentence has two tokens, and the model gave them the probabilities 1/2 and 1/8. What "
        "is the perplexity?",
        f"{_perplexity():g}",
        "The mean loss is (ln 2 + ln 8) / 2 = ln 4, and its exponential is 4.",
        (
            Mistake(
                f"{sum(1 / p for p in _PROBABILITIES) / len(_PROBABILITIES):g}",
                "You took the mean of 2 and 8. Average the losses, which are logarithms, and take "
                "the exponential last.",
                "perplexities.mean_of_perplexities",
            ),
            Mistake(
                f"{1 / math.prod(_PROBABILITIES):g}",
                "That is 1 over the probability of the whole sentence. A perplexity is per token.",
                "perplexities.not_per_token",
            ),
            Mistake(
                f"{1 / (sum(_PROBABILITIES) / len(_PROBABILITIES)):g}",
                "You took 1 over the mean of the probabilities. The mean that belongs here is the "
                "one that averages their logarithms.",
                "perplexities.one_over_the_mean_probability",
            ),
        ),
    ),
    Question(
        "back through a ReLU",
        "A ReLU got F = (2, −3, 1). On the way back, the gradient (−1, 4, 2) arrives at its "
        "output. What is the gradient at F?",
        _whole(_ARRIVED * (_BEFORE > 0)),
        "The gradient passes unchanged where F is positive, and is stopped where F is negative. "
        "Its own sign does not matter.",
        (
            Mistake(
                _whole(_ARRIVED.relu()),
                "You took a ReLU of the gradient. Whether it passes depends on the sign of F, not "
                "on its own.",
                "output_gradients.relu_of_the_gradient",
            ),
            Mistake(
                _whole(_ARRIVED),
                "You let everything pass. Where F is −3, does the output of the ReLU change if F "
                "changes a little?",
                "output_gradients.relu_forgotten",
            ),
            Mistake(
                _whole(_ARRIVED * _BEFORE.relu()),
                "You multiplied by the output of the ReLU. The chain rule multiplies by its "
                "derivative, which is 1 where F is positive.",
                "output_gradients.relu_for_its_derivative",
            ),
        ),
    ),
    Question(
        "mean over tokens",
        "A batch has a sentence of one token, which costs 6, and a sentence of three tokens, "
        "which cost 2 each. The first is padded to three positions. What is the mean loss over "
        "tokens?",
        _over_tokens(_FOUR.oracle(*_TOKENS)),
        "Four tokens cost 12 together. Padding is no token.",
        (
            mistake_of(
                _FOUR,
                "tokens_as_each",
                _TOKENS,
                _over_tokens,
                "You took the mean of each sentence first, 6 and 2, and then the mean of these. So "
                "the token of the short sentence counts three times as much as any other.",
            ),
            mistake_of(
                _FOUR,
                "tokens_over_all_places",
                _TOKENS,
                _over_tokens,
                "You divided by all positions. Such a loss falls when a batch gets more padding.",
            ),
            Mistake(
                f"{float(_FOUR.oracle(*_TOKENS)['sentences']):g}",
                "You divided by the number of sentences, as document A does. How many tokens are "
                "there?",
                "four_losses.sentences_as_tokens",
            ),
        ),
    ),
    Question(
        "best probability under smoothing",
        f"Labels are smoothed with ε = {_EPSILON:g}, as in the chapter, and the vocabulary has "
        f"{_VOCABULARY} words. Which probability of the right word makes the loss smallest?",
        f"{1 - _EPSILON + _EPSILON / _VOCABULARY:.2f}",
        "The gradient is 0 where the prediction equals the smoothed target. There the right word "
        "has 1 − ε and, like every word, its share ε/4.",
        (
            Mistake(
                f"{1 - _EPSILON:.2f}",
                "You shared ε among the three wrong words. In the chapter's equation every word "
                "gets a share.",
                "smoothed_loss.share_for_the_wrong_only",
            ),
            Mistake(
                "1.00",
                "That is the target without smoothing. Put the one-hot row and ε into the "
                "equation of the smoothed target.",
                "smoothed_loss.no_smoothing_at_all",
            ),
            Mistake(
                f"{1 - _EPSILON / _VOCABULARY:.2f}",
                "You took away only one word's share. How much of the one-hot row is left before "
                "the shares are added?",
                "smoothed_loss.nothing_taken_from_the_label",
            ),
        ),
    ),
    Question(
        "gradients that add up",
        f"The gradient of a weight is {_GRADIENT:g} at every step, and the rate is {_RATE:g}. You "
        f"forget to clear `.grad` between the steps. How far has the weight moved after "
        f"{_STEPS} steps?",
        _moved(),
        "Torch adds to the old gradient, so the three steps use 2, 4 and 6: 0.1 · 12.",
        (
            Mistake(
                f"{_RATE * _GRADIENT * _STEPS:.1f}",
                "That is right if the gradient is cleared. What stands in .grad at the second "
                "step if it is not?",
                "descent.same_gradient_for_all_steps",
            ),
            Mistake(
                _moved(_STEPS + 1),
                "You took one step too many. Write down what stands in .grad at each of the three "
                "steps.",
                "descent.one_step_too_many",
            ),
            Mistake(
                f"{_RATE * _GRADIENT:.1f}",
                "That is how far the first step goes. What do the other two add, and with which "
                "gradients?",
                "descent.rate_over_the_steps",
            ),
        ),
    ),
)
