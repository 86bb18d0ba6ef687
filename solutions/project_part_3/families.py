"""The sample solution of Part III's project: three kinds of questions, and three ways to score."""

import math
import random
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

from mtcourse.layers.masks import source_mask
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.models.translator import Translator
from mtcourse.project.families import run_project
from mtcourse.project.family_questions import Question
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import EOS, PAD

EACH = 200
"""Questions of each kind."""
NEAR = 20
"""How many words that are a little rarer, and a little more frequent, may replace a word."""


# --- the questions --------------------------------------------------------------------------------


def questions(
    train: Sequence[SentencePair], test: Sequence[SentencePair], seed: int
) -> list[Question]:
    """Three kinds: any other word in one place, a word that fits its neighbours, another order."""
    known = {pair.target for pair in train}
    vocabulary = Vocabulary(train)
    changes = {
        "any word": vocabulary.any_word,
        "fitting word": vocabulary.fitting,
        "order": swapped,
    }
    generator = random.Random(seed)
    found: list[Question] = []
    for kind, change in changes.items():
        of_kind: list[Question] = []
        for pair in generator.sample(list(test), len(test)):
            wrong = change(pair.target, generator)
            if wrong not in known and wrong not in (pair.target, *pair.references):
                of_kind.append(Question(kind, pair.source, pair.target, wrong))
        found += of_kind[:EACH]
    return found


class Vocabulary:
    """Which words may replace a word of a sentence: words of the training text, about as frequent.

    If the wrong word were often the rarer one, frequency alone would give the answer away.
    """

    def __init__(self, train: Sequence[SentencePair]) -> None:
        self.counts = Counter(word for pair in train for word in inner(pair.target))
        self.ordered = sorted((count, word) for word, count in self.counts.items())
        self.between: dict[tuple[str, str], Counter[str]] = {}
        for pair in train:
            words = pair.target.split()
            for before, word, behind in zip(words, words[1:], words[2:], strict=False):
                self.between.setdefault((before, behind), Counter())[word] += 1

    def any_word(self, sentence: str, generator: random.Random) -> str:
        """The sentence with any other word of about the same frequency in one place."""
        words = sentence.split()
        if len(words) < 3:
            return sentence
        i = generator.randrange(1, len(words) - 1)
        at = bisect_left(self.ordered, (self.counts[words[i]], words[i]))
        near = self.ordered[max(0, at - NEAR) : at + NEAR + 1]
        others = [word for _, word in near if word != words[i]]
        return " ".join([*words[:i], generator.choice(others), *words[i + 1 :]])

    def fitting(self, sentence: str, generator: random.Random) -> str:
        """The sentence with a word that training has seen between the same two neighbours.

        Of these words it takes the one whose frequency is nearest.
        """
        words = sentence.split()
        places = list(range(1, len(words) - 1))
        for i in generator.sample(places, len(places)):
            fits = self.between.get((words[i - 1], words[i + 1]), {})
            if others := sorted(word for word in fits if word != words[i]):
                here = self.counts[words[i]] or 1
                nearest = min(others, key=lambda word: abs(math.log(self.counts[word] / here)))
                return " ".join([*words[:i], nearest, *words[i + 1 :]])
        return sentence


def inner(sentence: str) -> list[str]:
    """The words that are neither first nor last: without capitals and full stops of a sentence."""
    return sentence.split()[1:-1]


def swapped(sentence: str, generator: random.Random) -> str:
    """The sentence with two neighbouring words exchanged, neither of them the first or the last."""
    words = sentence.split()
    if len(words) < 4:
        return sentence
    i = generator.randrange(1, len(words) - 2)
    words[i], words[i + 1] = words[i + 1], words[i]
    return " ".join(words)


# --- the scores -----------------------------------------------------------------------------------


@torch.inference_mode()
def decoder_scores(model: LanguageModel, sentences: Sequence[str]) -> list[float]:
    """log p(y): the sum of log p(y_t | y_<t), <eos> included."""
    return [sum(model.token_log_probabilities(sentence)[1]) for sentence in sentences]


@torch.inference_mode()
def encoder_scores(model: MaskedLanguageModel, sentences: Sequence[str]) -> list[float]:
    """The sum over t of log p(y_t | every other token): row t of a batch hides token t.

    It is no probability of the sentence: each token is predicted by both of its neighbours.
    """
    scores = []
    for sentence in sentences:
        ids = torch.tensor(model.encode(sentence), device=model.device)
        n = len(ids) - 1  # the first is <class>
        hidden = ids.repeat(n, 1)
        at = torch.arange(n, device=model.device)
        hidden[at, at + 1] = model.vocabulary.mask
        log_p = model.model(hidden)[at, at + 1].log_softmax(-1)
        scores.append(float(log_p[at, ids[1:]].sum()))
    return scores


@torch.inference_mode()
def translator_scores(
    model: Translator, sources: Sequence[str], sentences: Sequence[str]
) -> list[float]:
    """log p(y | x): the sum of log p(y_t | y_<t, x), <eos> included."""
    scores: list[float] = []
    for first in range(0, len(sentences), 64):
        chosen = slice(first, first + 64)
        source = with_end(model.tokenizers.source.encode_all(sources[chosen]))
        labels = with_end(model.tokenizers.target.encode_all(sentences[chosen]))
        log_p = model.model(source, shift_right(labels), source_mask(source)).log_softmax(-1)
        of_each = log_p.gather(-1, labels[..., None]).squeeze(-1)
        scores += of_each.masked_fill(labels == PAD, 0.0).sum(-1).tolist()
    return scores


def with_end(sequences: Sequence[Sequence[int]]) -> Tensor:
    """The ids with <eos> behind each sequence, padded."""
    return pad([[*ids, EOS] for ids in sequences])


if __name__ == "__main__":
    run_project(sys.modules[__name__])
