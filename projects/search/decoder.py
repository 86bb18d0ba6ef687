"""Your decoder. The task: book/project_search.md, "Project: from greedy to beam search".

Copy this file, for example to my_search/decoder.py, and work on the copy: the command

    mtcourse project-search my_search/decoder.py --greedy --split dev

compares the copy with this template. As it stands the file is right for one beam, and slow: it
translates sentence after sentence, and for each new token it computes the whole prefix again. When
your beam search is written, leave out --greedy.
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

BOS, EOS = 2, 3


def translate(model, sources: Sequence[list[int]], beams: int) -> list[list[int]]:
    """For each source sentence the best translation that a search with so many beams finds.

    Args:
        model: ``model.tensors`` has the trained weights by their names; ``model.h``,
            ``encoder_layers``, ``decoder_layers`` and ``max_length`` are what they do not show.
        sources: ids of English pieces, with <eos> at the end.
        beams: 1 is greedy search. Ended translations are compared by their mean log-probability
            per token, <eos> included.

    Returns:
        Ids of Dutch pieces, without <bos>, at most ``longest(source, model)`` of them; <eos> at
        the end, unless the longest length cut the translation off.
    """
    if beams != 1:
        raise NotImplementedError("beam search is not written yet: this file knows greedy search")
    return [greedy(model, source) for source in sources]


def longest(source: Sequence[int], model) -> int:
    """How many tokens a translation may have, <eos> included."""
    return min(2 * len(source) + 10, model.max_length)


def greedy(model, source: list[int]) -> list[int]:
    """Appends the most probable token until <eos>."""
    H_E = encode(model, torch.tensor(source))
    ids = [BOS]
    while len(ids) <= longest(source, model):
        logits = decode(model, torch.tensor(ids), H_E)
        ids.append(int(logits[-1].argmax()))
        if ids[-1] == EOS:
            break
    return ids[1:]


# --- the model, without a cache: a row for each token of one sentence ---------------------------


def encode(model, ids: Tensor) -> Tensor:
    """H_E, a row for each source piece."""
    x = embed(model, ids)
    for layer in range(model.encoder_layers):
        block = f"encoder.{layer}"
        row = norm(model, f"{block}.around_self_attention.layer_norm", x)
        Q, K, V = linear(model, f"{block}.self_attention.W_QKV", row).chunk(3, dim=-1)
        x = x + linear(model, f"{block}.self_attention.W_O", attention(Q, K, V, model.h))
        x = x + feed_forward(model, block, x)
    return norm(model, "encoder_norm", x)


def decode(model, ids: Tensor, H_E: Tensor) -> Tensor:
    """Logits for the token after each of the given ones."""
    x = embed(model, ids)
    causal = torch.ones(len(ids), len(ids), dtype=torch.bool).tril()
    for layer in range(model.decoder_layers):
        block = f"decoder.{layer}"
        row = norm(model, f"{block}.around_self_attention.layer_norm", x)
        Q, K, V = linear(model, f"{block}.self_attention.W_QKV", row).chunk(3, dim=-1)
        x = x + linear(model, f"{block}.self_attention.W_O", attention(Q, K, V, model.h, causal))
        row = norm(model, f"{block}.around_cross_attention.layer_norm", x)
        Q_C = linear(model, f"{block}.cross_attention.W_Q", row)
        K_C, V_C = linear(model, f"{block}.cross_attention.W_KV", H_E).chunk(2, dim=-1)
        x = x + linear(model, f"{block}.cross_attention.W_O", attention(Q_C, K_C, V_C, model.h))
        x = x + feed_forward(model, block, x)
    return norm(model, "decoder_norm", x) @ model.tensors["output_weight"].T


def embed(model, ids: Tensor, first: int = 0) -> Tensor:
    """sqrt(d_model) times the rows of the table, plus their positions, from ``first`` on."""
    E = model.tensors["output_weight"][ids]
    d_model = E.shape[-1]
    position = torch.arange(first, first + ids.shape[-1])[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    P = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
    return math.sqrt(d_model) * E + P


def attention(Q: Tensor, K: Tensor, V: Tensor, h: int, mask: Tensor | None = None) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) V in each of h heads, side by side."""
    Q, K, V = (X.unflatten(-1, (h, -1)).transpose(-3, -2) for X in (Q, K, V))
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return (scores.softmax(-1) @ V).transpose(-3, -2).flatten(-2)


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
