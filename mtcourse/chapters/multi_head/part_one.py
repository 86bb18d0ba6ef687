"""The framework model put together from a learner's own functions (the end of Part I)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from mtcourse.chapters.multi_head.learner_functions import Pieces
from mtcourse.evaluation.scores import Scores, score
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import WordPairs, load_framework
from mtcourse.text.batches import batches_in_order
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, PAD

Logits = Callable[[Mapping[str, Tensor], Tensor, Tensor], Tensor]
"""From the weights, source ids and what the decoder reads to logits, (batch, m, V_t)."""


@dataclass(frozen=True)
class PutTogether:
    """What a translator made of pieces is worth.

    Args:
        translations: one for each test sentence.
        scores: BLEU and chrF of them.
        loss: nats per target word, by the learner's own shift and loss.
    """

    translations: list[str]
    scores: Scores
    loss: float


def logits_of_pieces(of: Pieces) -> Logits:
    """Document A's model with both repairs, as a function made of pieces alone.

    Args:
        of: the pieces, a learner's or the course's.

    Source: A03 to A18 with C07 and C10; positions on both sides. Chapters 2 to 7.
    """

    def logits(W: Mapping[str, Tensor], source: Tensor, read: Tensor) -> Tensor:
        n, m, d = source.shape[-1], read.shape[-1], W["W_O"].shape[0]
        words = of.padding_mask(source, PAD)[:, 0]
        H = of.embed(source, W["W_E_X"]) + of.sinusoidal_positions(n, d)
        scores = of.scaled_scores(H @ W["W_Q_E"], H @ W["W_K_E"])
        A = of.masked_weights(scores, words) @ (H @ W["W_V_E"])
        H_E = of.feed_forward(A, W["W_1_E"], W["W_2_E"])

        G = of.embed(read, W["W_E_Y"]) + of.sinusoidal_positions(m, d)
        scores = of.scaled_scores(G @ W["W_Q_D"], G @ W["W_K_D"])
        A_D = of.masked_weights(scores, of.causal_mask(m)) @ (G @ W["W_V_D"])
        cross = W["W_Q_C"], W["W_K_C"], W["W_V_C"]
        A_C = of.cross_attention(A_D, H_E, *cross, words[:, 0])
        return of.feed_forward(A_C, W["W_1_D"], W["W_2_D"]) @ W["W_O"]

    return logits


def translator_of(logits: Logits) -> FrameworkTranslator:
    """Sentences in, sentences out: the trained weights of the course, run by a learner's function.

    Args:
        logits: the whole model as a function.
    """
    model, source, target = load_framework()
    W = {name: weight.detach() for name, weight in model.named_parameters()}
    # The function does everything, so "encoding" hands the source through, and padding tells it.
    return FrameworkTranslator(
        source,
        target,
        encode=lambda ids, mask: ids,
        decode=lambda read, ids, mask: logits(W, ids, read),
    )


def score_on_grammar(
    of: Pieces, test: Sequence[SentencePair], logits: Logits | None = None
) -> PutTogether:
    """Translates a test set with a translator made of pieces, and scores it.

    Args:
        of: the pieces.
        test: the sentence pairs.
        logits: the learner's own wiring; None takes ``logits_of_pieces``.
    """
    logits = logits or logits_of_pieces(of)
    translator = translator_of(logits)
    translations = translator.translate([pair.source for pair in test])
    references = [(pair.target, *pair.references) for pair in test]
    return PutTogether(translations, score(translations, references), _loss(of, logits, test))


@torch.no_grad()
def _loss(of: Pieces, logits: Logits, test: Sequence[SentencePair]) -> float:
    """Nats per target word."""
    model, source, target = load_framework()
    W = dict(model.named_parameters())
    pairs = WordPairs(source, target, ()).with_examples(test)
    total = torch.zeros(())
    count = 0
    for batch in batches_in_order(pairs.examples, 4096):
        read = of.decoder_input(batch.labels, BOS, PAD)
        total += of.token_losses(logits(W, batch.source, read), batch.labels).sum()
        count += batch.target_tokens
    return total.item() / count
