"""A Transformer that learns to translate, in one file: the sample solution of Part II's project.

Read it from top to bottom: attention, the parts around it, the whole model, training, translation.

Sources:
    Vaswani et al. (2017), Attention Is All You Need: the model, its positions, label smoothing.
    Xiong et al. (2020), On Layer Normalization in the Transformer Architecture: pre-norm.
    Press and Wolf (2017), Using the Output Embedding to Improve Language Models: one shared table.

Shapes: B sentences in a batch, n source tokens, m target tokens, d_model numbers in a row, h heads,
d_k = d_model / h, V pieces in the vocabulary.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mtcourse.text.batches import Batch, bucketed_batches, encode_pairs, pad
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, EOS, PAD, Tokenizer, TokenizerPair


@dataclass(frozen=True)
class Settings:
    """What was chosen before training."""

    V: int = 2000
    d_model: int = 128
    h: int = 4
    d_ff: int = 512
    layers: int = 2
    longest: int = 128
    smoothing: float = 0.1
    tokens_per_batch: int = 512
    peak_rate: float = 2e-3
    warmup: float = 0.03  # share of the budget
    spent: float = 0.98  # share of the budget that training may use: the rest is a reserve


SETTINGS = Settings()


# --- attention ------------------------------------------------------------------------------------


def attention(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> Tensor:
    """softmax(Q K^T / √d_k) V, where ``mask`` is True for the keys that a query may attend to."""
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1) @ V


def causal_mask(m: int) -> Tensor:
    """(m, m): position i may attend to positions 1 to i."""
    return torch.ones(m, m, dtype=torch.bool).tril()


def padding_mask(ids: Tensor) -> Tensor:
    """(B, 1, 1, n): nobody attends to padding."""
    return (ids != PAD)[:, None, None, :]


class MultiHeadAttention(nn.Module):
    """Concat(A_1, ..., A_h) W_O, where head j attends with its own d_k columns of Q, K and V."""

    def __init__(self, d_model: int, h: int) -> None:
        super().__init__()
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, X: Tensor, Z: Tensor, mask: Tensor) -> Tensor:
        """Queries from the rows of X, keys and values from those of Z."""
        Q, K, V = self.split(self.W_Q(X)), self.split(self.W_K(Z)), self.split(self.W_V(Z))
        A = attention(Q, K, V, mask)
        return self.W_O(A.transpose(1, 2).flatten(2))

    def split(self, rows: Tensor) -> Tensor:
        """(B, n, d_model) to (B, h, n, d_k)."""
        return rows.unflatten(-1, (self.h, -1)).transpose(1, 2)


# --- the parts around attention -------------------------------------------------------------------


class FeedForward(nn.Module):
    """ReLU(x W_1 + b_1) W_2 + b_2, the same for each row."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """(B, n, d_model) to the same shape."""
        return self.W_2(self.W_1(x).relu())


class Residual(nn.Module):
    """x + sublayer(LayerNorm(x)): pre-norm."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x + sublayer(self.norm(x))


class EncoderBlock(nn.Module):
    """Each source token looks at all source tokens; then the position-wise network."""

    def __init__(self, s: Settings) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(s.d_model, s.h)
        self.network = FeedForward(s.d_model, s.d_ff)
        self.around_attention = Residual(s.d_model)
        self.around_network = Residual(s.d_model)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """``real`` hides the source's padding."""
        x = self.around_attention(x, lambda X: self.attention(X, X, real))
        return self.around_network(x, self.network)


class DecoderBlock(nn.Module):
    """Each target token looks at those before it, then at the source; then the network."""

    def __init__(self, s: Settings) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(s.d_model, s.h)
        self.cross_attention = MultiHeadAttention(s.d_model, s.h)
        self.network = FeedForward(s.d_model, s.d_ff)
        self.around_attention = Residual(s.d_model)
        self.around_cross_attention = Residual(s.d_model)
        self.around_network = Residual(s.d_model)

    def forward(self, x: Tensor, H_E: Tensor, earlier: Tensor, real: Tensor) -> Tensor:
        """``earlier`` hides the target tokens that follow, ``real`` the source's padding."""
        x = self.around_attention(x, lambda X: self.attention(X, X, earlier))
        x = self.around_cross_attention(x, lambda X: self.cross_attention(X, H_E, real))
        return self.around_network(x, self.network)


def positions(length: int, d_model: int) -> Tensor:
    """(length, d_model): sines in the even columns, cosines in the odd ones."""
    speed = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    angle = torch.arange(length)[:, None] * speed
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


# --- the model ------------------------------------------------------------------------------------


class Transformer(nn.Module):
    """Reads a source sentence, then scores each next target token from those before it."""

    P: Tensor

    def __init__(self, s: Settings) -> None:
        super().__init__()
        self.table = nn.Embedding(s.V, s.d_model)  # source, target and output share it
        self.register_buffer("P", positions(s.longest, s.d_model), persistent=False)
        self.encoder = nn.ModuleList(EncoderBlock(s) for _ in range(s.layers))
        self.decoder = nn.ModuleList(DecoderBlock(s) for _ in range(s.layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(s.d_model), nn.LayerNorm(s.d_model)
        nn.init.normal_(self.table.weight, std=s.d_model**-0.5)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)

    def embed(self, ids: Tensor) -> Tensor:
        """√d_model times the row of each token, plus the row of its position."""
        rows = self.table(ids)
        return math.sqrt(rows.shape[-1]) * rows + self.P[: ids.shape[1]]

    def encode(self, source: Tensor) -> Tensor:
        """(B, n) to H_E, (B, n, d_model)."""
        x = self.embed(source)
        for block in self.encoder:
            x = block(x, padding_mask(source))
        return self.encoder_norm(x)

    def decode(self, decoder_input: Tensor, H_E: Tensor, source: Tensor) -> Tensor:
        """(B, m) to H_D, (B, m, d_model): row i has read the decoder's input up to i."""
        x, earlier = self.embed(decoder_input), causal_mask(decoder_input.shape[1])
        for block in self.decoder:
            x = block(x, H_E, earlier, padding_mask(source))
        return self.decoder_norm(x)

    def logits(self, H_D: Tensor) -> Tensor:
        """(B, m, d_model) to (B, m, V), with the embedding table as output weights."""
        return H_D @ self.table.weight.T

    def forward(self, source: Tensor, decoder_input: Tensor) -> Tensor:
        """(B, n) and (B, m) to logits, (B, m, V)."""
        return self.logits(self.decode(decoder_input, self.encode(source), source))


# --- training -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Translator:
    """What training makes, and translating needs."""

    model: Transformer
    tokenizer: Tokenizer


def train(
    pairs: Sequence[SentencePair], seconds: float, seed: int, s: Settings = SETTINGS
) -> Translator:
    """Trains on sentence pairs, for this many seconds of CPU time at most."""
    began = time.process_time()
    torch.manual_seed(seed)
    tokenizers = TokenizerPair.train(pairs, s.V)
    examples, _ = encode_pairs(pairs, tokenizers, s.longest)
    model = Transformer(s)
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), fused=True)
    for batch in endless(lambda epoch: bucketed_batches(examples, s.tokens_per_batch, seed, epoch)):
        progress = (time.process_time() - began) / (s.spent * seconds)
        if progress >= 1:
            break
        for group in adam.param_groups:
            group["lr"] = s.peak_rate * schedule(progress, s.warmup)
        update(model, adam, batch, s.smoothing)
    return Translator(model, tokenizers.target)


def update(
    model: Transformer, adam: torch.optim.Optimizer, batch: Batch, smoothing: float
) -> float:
    """One step of Adam on the mean loss of a batch's target tokens; returns that loss."""
    logits = model(batch.source, batch.decoder_input).flatten(0, 1)
    labels = batch.labels.flatten()
    loss = F.cross_entropy(logits, labels, ignore_index=PAD, label_smoothing=smoothing)
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adam.step()
    return loss.item()


def schedule(progress: float, warmup: float) -> float:
    """The share of the peak rate: a straight line up, then half a cosine down to 0."""
    if progress < warmup:
        return progress / warmup
    return (1 + math.cos(math.pi * (progress - warmup) / (1 - warmup))) / 2


def endless(batches: Callable[[int], Sequence[Batch]]) -> Iterator[Batch]:
    """The batches of epoch 0, of epoch 1, and so on."""
    epoch = 0
    while True:
        yield from batches(epoch)
        epoch += 1


# --- translation ----------------------------------------------------------------------------------


def translate(translator: Translator, sentences: Sequence[str]) -> list[str]:
    """Greedy translations, in the order of the sentences.

    A source is cut where the positions end, a translation at twice the length of its source and
    ten more, so that no sentence depends on those that it is translated with.
    """
    room = len(translator.model.P) - 1
    ids = [one[:room] for one in translator.tokenizer.encode_all(sentences)]
    written: list[list[int]] = [[]] * len(ids)
    by_length = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    for first in range(0, len(ids), 64):
        together = by_length[first : first + 64]
        source = pad([[*ids[i], EOS] for i in together])
        for i, found in zip(together, greedy(translator.model, source), strict=True):
            written[i] = found[: 2 * len(ids[i]) + 10]
    return translator.tokenizer.decode_all(written)


@torch.no_grad()
def greedy(model: Transformer, source: Tensor) -> list[list[int]]:
    """For each row of ``source`` the most probable next token, again and again, until <eos>."""
    H_E = model.encode(source)
    so_far = torch.full((len(source), 1), BOS)
    longest = min(len(model.P), 2 * source.shape[1] + 10)
    while so_far.shape[1] < longest and not (so_far == EOS).any(dim=1).all():
        H_D = model.decode(so_far, H_E, source)
        best = model.logits(H_D[:, -1]).argmax(dim=-1, keepdim=True)
        so_far = torch.cat([so_far, best], dim=1)
    return [ids[1 : ids.index(EOS)] if EOS in ids else ids[1:] for ids in so_far.tolist()]
