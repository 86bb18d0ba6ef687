"""Explorer: the triangle of predictions, what each row may see and what it learns from."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer, rounded, shown_pieces
from mtcourse.figures.still import Still
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.language_model import LanguageModel
from mtcourse.text.text_batches import next_token_batch
from mtcourse.text.tokenizer import Tokenizer

SCRIPT = Path(__file__).with_suffix(".js")

# From the test split of the built-in corpus.
SENTENCES = (
    "Heeft hij op de bank gelegen?",
    "Een kapper loste gisteren hun probleem op.",
    "Het meisje heeft naar hem geluisterd.",
    "De bakker is langer dan het kind.",
    "Bedanken Anna en Lucas jou?",
    "Waarom groet Eva het kind?",
)
SHOWN = 5
"""The most probable tokens that are listed for a row."""


def decoder_models_explorer(
    language_model: LanguageModel | None = None,
    sentences: Sequence[str] = SENTENCES,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """Shows each prediction of a decoder-only model: what it reads, gives and learns from.

    Args:
        language_model: whose predictions; None takes the Dutch one that comes with the package.
        sentences: what it predicts, token by token.
        settings: what is chosen at first: sentence (from 0), mask (whether there is a causal one),
            way ("pass": all rows in one pass; "prefixes": one prefix at a time) and at (row and
            input of the chosen cell, from 0).

    Raises:
        MtcourseError: there is no sentence, one is blank, or one is too long for the model.

    Source: C02, C06. Chapter 13.
    """
    if not sentences:
        raise MtcourseError("an explorer of predictions needs at least one sentence")
    language_model = language_model or LanguageModel.load(device="cpu")
    tokenizer = language_model.tokenizer
    model = copy.deepcopy(language_model.model).cpu().double().requires_grad_(False)
    data = {"sentences": [_sentence(model, tokenizer, sentence) for sentence in sentences]}
    return Explorer(
        SCRIPT,
        data,
        {"sentence": 0, "mask": True, "way": "pass", "at": [4, 3]},
        settings or {},
        "This explorer needs JavaScript. It shows, for each token of a Dutch sentence, what a "
        "decoder-only model predicts from the tokens before it, and how large the gradient is "
        "that this prediction sends to each input, with and without the causal mask.",
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """What is predicted after a prefix."""
    sentence, row = data["sentences"][chosen["sentence"]], chosen["at"][0]
    mask = "masked" if chosen["mask"] else "open"
    found = sentence[mask][chosen["way"]]
    kind = "with the causal mask" if chosen["mask"] else "without a causal mask"
    tokens, probabilities = found["best"][row], found["probabilities"][row]
    return Still(
        f"The most probable tokens after “{' '.join(sentence['inputs'][: row + 1])}”, {kind}; "
        f"“{sentence['answers'][row]}” is right.",
        ("token", "probability"),
        list(zip(tokens, probabilities, strict=True)),
        lambda: bars(tokens, {"probability": probabilities}, "probability", text="%.3f"),
        3,
    )


def one_pass(
    model: DecoderModel, inputs: Int[Tensor, " n"], labels: Int[Tensor, " n"], causal: bool
) -> tuple[Float[Tensor, "n V"], Float[Tensor, "n n"]]:
    """log p of each row of one run, and norm(dL_t / dx_j) in row t and column j (C06).

    L_t = -log p(label t) is the loss of row t, and x_j is input j's embedding with its position,
    which the first block reads.

    Args:
        model: in evaluation mode.
        inputs: <bos> and all tokens but the last.
        labels: the right token of each row.
        causal: whether a causal mask hides later positions.

    Chapter 13.
    """
    return _rows(model, inputs, labels, torch.arange(len(inputs)), causal)


def prefix_by_prefix(
    model: DecoderModel, inputs: Int[Tensor, " n"], labels: Int[Tensor, " n"], causal: bool
) -> tuple[Float[Tensor, "n V"], Float[Tensor, "n n"]]:
    """What ``one_pass`` returns, from n runs: run t reads t inputs and keeps its last row.

    Without a causal mask the inputs of a run see each other, but no run reads its answer.

    Args:
        model: in evaluation mode.
        inputs: <bos> and all tokens but the last.
        labels: the right token of each run.
        causal: whether a causal mask hides later positions.

    Chapter 13.
    """
    n = len(inputs)
    runs = [
        _rows(model, inputs[:length], labels[:length], torch.tensor([length - 1]), causal)
        for length in range(1, n + 1)
    ]
    log_p = torch.cat([found for found, _ in runs])
    return log_p, torch.cat([F.pad(norms, (0, n - norms.shape[1])) for _, norms in runs])


def _rows(
    model: DecoderModel,
    inputs: Int[Tensor, " n"],
    labels: Int[Tensor, " n"],
    rows: Int[Tensor, " chosen"],
    causal: bool,
) -> tuple[Float[Tensor, "chosen V"], Float[Tensor, "chosen n"]]:
    """log p of some rows of a run, and the norms of their gradients.

    Each chosen row gets a copy of the embedded inputs, so one backward pass keeps all their
    gradients apart.
    """
    copies = model.embed(inputs).expand(len(rows), -1, -1).clone().requires_grad_()
    logits = model.logits(model.run(copies, None, causal)[0][-1])
    log_p = logits[torch.arange(len(rows)), rows].log_softmax(-1)
    (gradients,) = torch.autograd.grad(F.nll_loss(log_p, labels[rows], reduction="sum"), copies)
    return log_p.detach(), gradients.norm(dim=-1)


def _sentence(model: DecoderModel, tokenizer: Tokenizer, sentence: str) -> dict[str, Any]:
    """A sentence, its tokens, and its predictions with and without mask in both ways."""
    ids = tokenizer.encode_all([sentence])[0]
    most = model.config.max_length - 1
    if not 0 < len(ids) <= most:
        raise MtcourseError(
            f"{sentence[:40]!r} has {len(ids)} tokens: take a sentence with 1 to {most}"
        )
    batch = next_token_batch([ids])
    inputs, labels = batch.inputs[0], batch.labels[0]
    ways = {"pass": one_pass, "prefixes": prefix_by_prefix}
    return {
        "text": sentence,
        "inputs": shown_pieces(tokenizer.pieces(inputs.tolist())),
        "answers": shown_pieces(tokenizer.pieces(labels.tolist())),
        **{
            mask: {
                way: _shown(tokenizer, labels, *of(model, inputs, labels, mask == "masked"))
                for way, of in ways.items()
            }
            for mask in ("masked", "open")
        },
    }


def _shown(
    tokenizer: Tokenizer,
    labels: Int[Tensor, " n"],
    log_p: Float[Tensor, "n V"],
    gradients: Float[Tensor, "n n"],
) -> dict[str, Any]:
    """Of each row the best tokens, the right one's rank, log p and probability; the gradients."""
    right = log_p.gather(1, labels[:, None])
    best = log_p.topk(SHOWN)
    return {
        "best": [shown_pieces(tokenizer.pieces(row)) for row in best.indices.tolist()],
        "probabilities": _significant(best.values.exp(), 4),
        "ranks": ((log_p > right).sum(1) + 1).tolist(),
        "log_p": rounded(right[:, 0], 4),
        "p": _significant(right[:, 0].exp(), 4),
        "gradients": _significant(gradients, 3),
    }


def _significant(values: Tensor, digits: int) -> Any:
    """Nested lists with so many significant digits: a small number stays apart from 0."""
    if values.dim() > 1:
        return [_significant(row, digits) for row in values]
    return [float(f"{value:.{digits}g}") for value in values.tolist()]
