"""The sample solution: beam search over a whole batch, with a key/value cache.

Sentences of similar length go through together. Beams are rows of the batch: after each step the
rows of the cache are put in the order of the beams that go on. Greedy search is beam search with
one beam.
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

PAD, BOS, EOS = 0, 2, 3
TOGETHER = 64
"""Sentences of a batch."""


def translate(model, sources: Sequence[list[int]], beams: int) -> list[list[int]]:
    """For each source sentence the best translation that a search with so many beams finds."""
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    found: list[list[int]] = [[] for _ in sources]
    for at in range(0, len(order), TOGETHER):
        places = order[at : at + TOGETHER]
        for place, ids in zip(
            places, search(model, [sources[p] for p in places], beams), strict=True
        ):
            found[place] = ids
    return found


def longest(source: Sequence[int], model) -> int:
    """How many tokens a translation may have, <eos> included."""
    return min(2 * len(source) + 10, model.max_length)


# --- search -------------------------------------------------------------------------------------


def search(model, sources: Sequence[list[int]], beams: int) -> list[list[int]]:
    """Beam search over sentences that go through together; rows are sentence x beam."""
    most = torch.tensor([longest(source, model) for source in sources])
    n, horizon, B = len(sources), int(most.max()), beams
    cache = Cache(model, sources, B, horizon)
    ids = torch.full((n, B, horizon), EOS)
    # At first all beams are the same: only the first may go on.
    total = torch.full((n, B), -math.inf)
    total[:, 0] = 0
    best: list[tuple[float, list[int]]] = [(-math.inf, []) for _ in sources]
    newest = torch.full((n * B,), BOS)
    searching = torch.ones(n, dtype=torch.bool)
    for t in range(horizon):
        log_probs = step(model, newest, t, cache).log_softmax(-1).unflatten(0, (n, B))
        V = log_probs.shape[-1]
        # A beam ends once at most, so 2B candidates hold at least B that go on.
        scores, places = (total[..., None] + log_probs).flatten(1).topk(2 * B)
        parents, tokens = places // V, places % V
        ends = (tokens == EOS) & scores.isfinite()
        for s, rank in ends[:, :B].nonzero().tolist():
            if searching[s] and t < most[s]:
                score = float(scores[s, rank]) / (t + 1)
                if score > best[s][0]:
                    best[s] = (score, [*ids[s, parents[s, rank], :t].tolist(), EOS])
        total, chosen = scores.masked_fill(tokens == EOS, -math.inf).topk(B)
        parents, tokens = parents.gather(1, chosen), tokens.gather(1, chosen)
        ids = ids.gather(1, parents[..., None].expand(-1, -1, horizon))
        ids[:, :, t] = tokens
        for s in (searching & (most == t + 1)).nonzero().flatten().tolist():
            if not best[s][1]:  # cut off: the best prefix as it stands
                best[s] = (0.0, ids[s, 0, : t + 1].tolist())
        # A log-probability only falls: divided by the longest length, it bounds what can come.
        bound = total[:, 0] / most
        settled = torch.tensor([score for score, _ in best]) >= bound
        searching = searching & ~settled & (most > t + 1)
        if not searching.any():
            break
        cache.reorder(parents)
        newest = tokens.flatten()
    return [ids for _, ids in best]


# --- the model, one token at a time -------------------------------------------------------------


class Cache:
    """What the decoder keeps: keys and values of the source, and of each prefix, by layer.

    Args:
        model: the weights.
        sources: ids of the sentences of a batch.
        beams: rows for each of them.
        horizon: the most tokens of a translation.
    """

    def __init__(self, model, sources: Sequence[list[int]], beams: int, horizon: int) -> None:
        ids = torch.full((len(sources), max(map(len, sources))), PAD)
        for row, source in zip(ids, sources, strict=True):
            row[: len(source)] = torch.tensor(source)
        real = (ids != PAD)[:, None, None]
        H_E = encode(model, ids, real)
        self.source = []
        for layer in range(model.decoder_layers):
            K, V = linear(model, f"decoder.{layer}.cross_attention.W_KV", H_E).chunk(2, dim=-1)
            self.source.append((heads(K, model.h), heads(V, model.h)))
        self.real, self.beams = real, beams
        shape = len(sources) * beams, model.h, horizon, H_E.shape[-1] // model.h
        self.own = [(torch.empty(shape), torch.empty(shape)) for _ in self.source]
        self.length = 0

    def append(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Keeps a key and a value of each row, and returns all of this layer's."""
        K, V = self.own[layer]
        K[:, :, self.length], V[:, :, self.length] = k[:, :, 0], v[:, :, 0]
        return K[:, :, : self.length + 1], V[:, :, : self.length + 1]

    def reorder(self, parents: Tensor) -> None:
        """Row b of each sentence goes on with what was row parents[sentence, b]."""
        if self.beams == 1:
            return
        n = len(parents)
        rows = (parents + self.beams * torch.arange(n)[:, None]).flatten()
        for K, V in self.own:
            for kept in (K, V):
                kept[:, :, : self.length] = kept[rows, :, : self.length]


def step(model, newest: Tensor, position: int, cache: Cache) -> Tensor:
    """Logits for the token after the newest one of each row; keeps its keys and values."""
    x = embed(model, newest[:, None], position)
    for layer in range(model.decoder_layers):
        block = f"decoder.{layer}"
        row = norm(model, f"{block}.around_self_attention.layer_norm", x)
        q, k, v = (
            heads(X, model.h)
            for X in linear(model, f"{block}.self_attention.W_QKV", row).chunk(3, -1)
        )
        K, V = cache.append(layer, k, v)
        x = x + linear(model, f"{block}.self_attention.W_O", joined(attend(q, K, V)))
        row = norm(model, f"{block}.around_cross_attention.layer_norm", x)
        # The beams of a sentence are queries of the same keys.
        q = linear(model, f"{block}.cross_attention.W_Q", row).view(
            len(cache.real), cache.beams, -1
        )
        A = joined(attend(heads(q, model.h), *cache.source[layer], cache.real))
        x = x + linear(model, f"{block}.cross_attention.W_O", A).view(x.shape)
        x = x + feed_forward(model, block, x)
    cache.length += 1
    return norm(model, "decoder_norm", x)[:, 0] @ model.tensors["output_weight"].T


def encode(model, ids: Tensor, real: Tensor) -> Tensor:
    """H_E of a padded batch; nobody looks at padding."""
    x = embed(model, ids)
    for layer in range(model.encoder_layers):
        block = f"encoder.{layer}"
        row = norm(model, f"{block}.around_self_attention.layer_norm", x)
        Q, K, V = (
            heads(X, model.h)
            for X in linear(model, f"{block}.self_attention.W_QKV", row).chunk(3, -1)
        )
        x = x + linear(model, f"{block}.self_attention.W_O", joined(attend(Q, K, V, real)))
        x = x + feed_forward(model, block, x)
    return norm(model, "encoder_norm", x)


def embed(model, ids: Tensor, first: int = 0) -> Tensor:
    """sqrt(d_model) times the rows of the table, plus their positions, from ``first`` on."""
    E = model.tensors["output_weight"][ids]
    d_model = E.shape[-1]
    position = torch.arange(first, first + ids.shape[-1])[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    P = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
    return math.sqrt(d_model) * E + P


def attend(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) V in each head."""
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)


def heads(X: Tensor, h: int) -> Tensor:
    """From rows side by side to a matrix for each head."""
    return X.unflatten(-1, (h, -1)).transpose(-3, -2)


def joined(A: Tensor) -> Tensor:
    """The reverse of ``heads``."""
    return A.transpose(-3, -2).flatten(-2)


def feed_forward(model, block: str, x: Tensor) -> Tensor:
    """relu(x W_1 + b_1) W_2 + b_2, of the normalised rows."""
    row = norm(model, f"{block}.around_feed_forward.layer_norm", x)
    return linear(
        model, f"{block}.feed_forward.W_2", linear(model, f"{block}.feed_forward.W_1", row).relu()
    )


def linear(model, name: str, x: Tensor) -> Tensor:
    """x W + b."""
    return F.linear(x, model.tensors[f"{name}.weight"], model.tensors[f"{name}.bias"])


def norm(model, name: str, x: Tensor) -> Tensor:
    """Layer normalisation of each row."""
    weight = model.tensors[f"{name}.weight"]
    return F.layer_norm(x, weight.shape, weight, model.tensors[f"{name}.bias"])
