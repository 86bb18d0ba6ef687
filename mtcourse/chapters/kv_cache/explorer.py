"""Explorer: a matrix that fills row by row, with and without a cache, and beams that swap."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from torch import Tensor

from mtcourse.chapters.kv_cache.counts import cache_bytes, generation_products, step_products
from mtcourse.chapters.kv_cache.famous_bugs import staying_state
from mtcourse.chapters.kv_cache.row_beams import Recorder, RowBeams, Watched, row_state, row_step
from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.figures.curves import curves
from mtcourse.figures.explorer import Explorer, rounded, shown_pieces
from mtcourse.figures.still import Still
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.encoder_decoder import use_attention
from mtcourse.models.generation_state import generation_state, generation_step
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.text.tokenizer import BOS, Tokenizer

SCRIPT = Path(__file__).with_suffix(".js")

PROMPTS = ("Wij geloven dat", "De verdrietige", "Zij")
BEAM_PROMPT = "De leraar"
BEAMS, STEPS = 3, 4
LONGEST = 24
"""Tokens that are shown, prompt included: a larger matrix fits on no screen."""


def kv_cache_explorer(
    language_model: LanguageModel | None = None,
    prompts: Sequence[str] = PROMPTS,
    beam_prompt: str = BEAM_PROMPT,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """Shows what each step of a generation computes, and what beams do to a cache.

    Args:
        language_model: who generates; None takes the Dutch one that comes with the package.
        prompts: beginnings of the sentences that it generates greedily.
        beam_prompt: the beginning that three beams continue.
        settings: what is chosen at first. Of the matrix: sentence (from 0), cached, prefill
            (whether the prompt is read in one pass), step (from 1), layer and head (from 0) and at
            (row and column of the chosen cell; row 0 is that of keys and values). Of the beams:
            beam_step (from 1) and way ("reorder", "forget" or "mask").

    Raises:
        MtcourseError: there is no prompt, one leaves no room, or the beams end too early.

    Source: C11. Chapter 14.
    """
    if not prompts:
        raise MtcourseError("an explorer of the cache needs at least one prompt: give it one")
    language_model = language_model or LanguageModel.load(device="cpu")
    tokenizer = language_model.tokenizer
    model = copy.deepcopy(language_model.model).cpu().double().requires_grad_(False)
    sizes = model.config
    return Explorer(
        SCRIPT,
        {
            "sizes": {
                "L": sizes.layers,
                "h": sizes.h,
                "d": sizes.d_model,
                "d_k": sizes.d_model // sizes.h,
                "d_ff": sizes.d_ff,
                "V": sizes.V,
                "longest": sizes.max_length,
            },
            "sentences": [_generated(model, tokenizer, prompt) for prompt in prompts],
            "beams": {
                "prompt": _pieces(tokenizer, _encoded(tokenizer, beam_prompt)[0]),
                "right": _searched(model, tokenizer, beam_prompt, row_state),
                "forgotten": _searched(model, tokenizer, beam_prompt, staying_state),
            },
        },
        {
            "sentence": 0,
            "cached": True,
            "prefill": False,
            "step": 6,
            "layer": 0,
            "head": 0,
            "at": [6, 2],
            "beam_step": 3,
            "way": "reorder",
        },
        settings or {},
        "This explorer needs JavaScript. It shows which rows of attention a language model "
        "computes at each step of a generation, with and without a cache, and how many "
        "multiplications and bytes that takes; and which keys and values three beams read when "
        "they change places and the cache is reordered, or is not.",
        still=lambda chosen: _still(sizes, chosen["step"]),
    )


def _still(sizes: TransformerConfig, step: int) -> Still:
    """What a step costs with a cache and without one."""
    size = torch.finfo(torch.float32).bits // 8
    held = cache_bytes(sizes.layers, sizes.h, sizes.d_model // sizes.h, step, 1, size)
    return Still(
        f"Step {step} of a generation that begins with one token.",
        ("counted", "without a cache", "with a cache"),
        [
            ("rows computed in each block", step, 1),
            (
                "multiplications of this step",
                *(step_products(sizes, step, cached) for cached in (False, True)),
            ),
            (
                "multiplications so far",
                *(generation_products(sizes, step, cached) for cached in (False, True)),
            ),
            ("bytes that the cache holds", 0, held),
        ],
        lambda: _products(sizes, step),
    )


def _products(sizes: TransformerConfig, step: int) -> Axes:
    """Draws the multiplications so far by the step, both with a cache and without one."""
    series = {
        name: [(t, generation_products(sizes, t, cached) / 1e6) for t in range(1, step + 1)]
        for name, cached in (("without a cache", False), ("with a cache", True))
    }
    return curves(series, "step", "multiplications so far (millions)")


def all_weights(model: DecoderModel, ids: Int[Tensor, " n"]) -> Float[Tensor, "L h n n"]:
    """softmax(Q K^T / sqrt(d_k)) of each layer and head under the causal mask (chapter 14).

    Args:
        model: in evaluation mode; it uses the readable attention from now on.
        ids: the tokens of one sequence.
    """
    found: list[Tensor] = []

    def keeping(
        Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None, causal: bool = False
    ) -> tuple[Tensor, Tensor]:
        A, weights = scaled_dot_product_attention(Q, K, V, mask, causal)
        found.append(weights[0])
        return A, weights

    use_attention(model, keeping)
    model.hidden(ids[None])
    use_attention(model, scaled_dot_product_attention)
    return torch.stack(found)


def _generated(model: DecoderModel, tokenizer: Tokenizer, prompt: str) -> dict[str, Any]:
    """What the model reads and predicts at each position, and all its attention weights."""
    given = _encoded(tokenizer, prompt)
    room = min(LONGEST, model.config.max_length) - given.shape[1]
    if room < 1:
        raise MtcourseError(
            f"the prompt {prompt[:40]!r} takes {given.shape[1]} tokens with <bos>, and at most "
            f"{LONGEST} are shown: shorten it"
        )
    state = generation_state(model, given)
    ((found,),) = greedy_search(generation_step(model), state, torch.tensor([room]))
    ids = torch.tensor([*given[0].tolist(), *found.ids])
    inputs, labels = ids[:-1], ids[1:]
    p = model(inputs[None])[0].softmax(-1).gather(1, labels[:, None])[:, 0]
    weights = rounded(all_weights(model, inputs))
    return {
        "text": tokenizer.decode(ids[1:].tolist()),
        "prompt": given.shape[1],
        "inputs": _pieces(tokenizer, inputs),
        "labels": _pieces(tokenizer, labels),
        "p": rounded(p),
        # Row i has i weights: the others are 0 under the causal mask.
        "weights": [
            [[row[: i + 1] for i, row in enumerate(head)] for head in layer] for layer in weights
        ],
    }


def _searched(model: DecoderModel, tokenizer: Tokenizer, prompt: str, begin: Any) -> dict[str, Any]:
    """The first steps of a beam search: parents, tokens and log p of the beams, and its result.

    Args:
        model: the language model.
        tokenizer: of the prompt.
        prompt: what the beams continue.
        begin: from model and prompt to the state before the first step.
    """
    given, recorder, fed = _encoded(tokenizer, prompt), Recorder(), []
    step = row_step(model)

    def recording(ids: Tensor, state: Watched) -> tuple[Tensor, Watched]:
        log_p, grown = step(ids, state.state)
        fed.append((ids[0], log_p[0]))
        return log_p, Watched(grown, state.recorder)

    start: RowBeams = begin(model, given)
    room = torch.tensor([LONGEST - given.shape[1]])
    search = partial(beam_search, beams=BEAMS)
    ((best,),) = search(recording, Watched(start, recorder), room)
    if len(fed) <= STEPS:
        raise MtcourseError(
            f"the beams that continue {prompt!r} end after {len(fed)} steps, and {STEPS} are "
            "shown: take a beginning that leaves more to write"
        )
    parents = [of[0] for of in recorder.parents[:STEPS]]
    tokens = [ids for ids, _ in fed[1 : STEPS + 1]]
    totals = [torch.zeros(1)]
    for parent, token, (_, log_p) in zip(parents, tokens, fed, strict=False):
        totals.append(totals[-1][parent] + log_p[parent, token])
    return {
        "parents": [of.tolist() for of in parents],
        "tokens": [_pieces(tokenizer, of) for of in tokens],
        "log_p": rounded(torch.stack(totals[1:])),
        "result": tokenizer.decode([*given[0, 1:].tolist(), *best.ids]),
    }


def _encoded(tokenizer: Tokenizer, prompt: str) -> Int[Tensor, "1 t"]:
    return torch.tensor([[BOS, *tokenizer.encode(prompt)]])


def _pieces(tokenizer: Tokenizer, ids: Int[Tensor, " n"]) -> list[str]:
    return shown_pieces(tokenizer.pieces(ids.tolist()))
