"""What a tiny encoder has learnt: its blanks, its plain words, its features (chapter 15)."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from torch import Tensor, nn

from mtcourse.chapters.encoder_models.tiny import Task
from mtcourse.layers.masks import source_mask
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.text.grammar_labels import PARTS, ROLES, LabelledSentence
from mtcourse.text.masking import blanked

KINDS = {"parts": PARTS, "roles": ROLES}
"""The two sets of labels, by the attribute of ``LabelledSentence`` that holds them."""

UPDATES, SENTENCES, RATE = 120, 32, 2e-3


def judge(model: EncoderModel, task: Task, seed: int) -> dict[str, float]:
    """All that is measured of a trained encoder.

    Args:
        model: trained, or not.
        task: with the sentences.
        seed: of the order in which fine-tuning reads the labelled sentences.
    """
    heads = {f"frozen {kind}": frozen(model, task, kind) for kind in KINDS}
    tuned = {f"fine-tuned {kind}": share for kind, share in fine_tuned(model, task, seed).items()}
    return blanks(model, task) | heads | tuned


@torch.no_grad()
def blanks(model: EncoderModel, task: Task) -> dict[str, float]:
    """How it fills one blank in each test sentence, twice, and what it makes of plain words.

    Returns:
        ``blanks``: the share of blanks filled as in the original, read at the blank.
        ``row before``: the same, read one row before it.
        ``own word``: the share of plain words that the model predicts at their own rows.
        ``distance``: the distance between a word's row behind <mask> and its plain row, divided by
        that between two words' plain rows (root mean squares).
    """
    ids = task.inputs(task.test).repeat(2, 1)
    generator = torch.Generator().manual_seed(0)
    draws = torch.rand(ids.shape, generator=generator) * ordinary(ids, task)
    where = F.one_hot(draws.argmax(-1), ids.shape[1]).bool()
    batch = blanked(ids, where, task.vocabulary)
    plain, masked = (model.hidden(x, source_mask(x)) for x in (ids, batch.inputs))
    right, before = ids[where], where.roll(-1, dims=1)
    words = plain[ordinary(ids, task)]
    apart = (masked[where] - plain[where]).square().sum(-1).mean()
    spread = 2 * (words - words.mean(0)).square().sum(-1).mean()
    own = model.logits(words).argmax(-1) == ids[ordinary(ids, task)]
    return {
        "blanks": _share(model.logits(masked[where]).argmax(-1) == right),
        "row before": _share(model.logits(masked[before]).argmax(-1) == right),
        "own word": _share(own),
        "distance": round(float((apart / spread).sqrt()), 3),
    }


def frozen(model: EncoderModel, task: Task, kind: str) -> float:
    """Test accuracy of a linear head on the rows of the last layer, which stay as they are.

    Args:
        model: the encoder.
        task: with the sentences.
        kind: "parts" or "roles".
    """
    with torch.no_grad():
        X, test = (
            model.hidden(ids, source_mask(ids))[ordinary(ids, task)]
            for ids in (task.inputs(task.labelled), task.inputs(task.test))
        )
    mean, size = X.mean(0), X.std(0)
    y, right = labels(task.labelled, kind), labels(task.test, kind)
    head = nn.Linear(X.shape[1], len(KINDS[kind]))
    nn.init.zeros_(head.weight)
    nn.init.zeros_(head.bias)
    optimizer = torch.optim.LBFGS(head.parameters(), max_iter=80, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = F.cross_entropy(head((X - mean) / size), y) + 1e-4 * head.weight.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    with torch.no_grad():
        return _share(head((test - mean) / size).argmax(-1) == right)


def fine_tuned(model: EncoderModel, task: Task, seed: int) -> dict[str, float]:
    """Test accuracy of two heads, one for each kind, after all weights were trained with them.

    Args:
        model: the encoder; it stays as it is.
        task: with the sentences.
        seed: of the order of the labelled sentences.
    """
    model = copy.deepcopy(model)
    width, generator = model.config.d_model, torch.Generator().manual_seed(seed)
    heads = {kind: nn.Linear(width, len(known)) for kind, known in KINDS.items()}
    for head in heads.values():
        nn.init.zeros_(head.weight)
        nn.init.zeros_(head.bias)
    weights = [
        *model.parameters(),
        *(weight for head in heads.values() for weight in head.parameters()),
    ]
    optimizer = torch.optim.Adam(weights, lr=RATE, fused=True)
    ids = task.inputs(task.labelled)
    real = ordinary(ids, task)
    y = {
        kind: torch.zeros_like(ids).masked_scatter(real, labels(task.labelled, kind))
        for kind in KINDS
    }
    for _ in range(UPDATES):
        rows = torch.randperm(len(ids), generator=generator)[:SENTENCES]
        x, real = ids[rows], ordinary(ids[rows], task)
        H = model.hidden(x, source_mask(x))[real]
        losses = [F.cross_entropy(head(H), y[kind][rows][real]) for kind, head in heads.items()]
        loss = torch.stack(losses).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        ids = task.inputs(task.test)
        H = model.hidden(ids, source_mask(ids))[ordinary(ids, task)]
        return {
            kind: _share(head(H).argmax(-1) == labels(task.test, kind))
            for kind, head in heads.items()
        }


def ordinary(ids: Int[Tensor, "batch n"], task: Task) -> Bool[Tensor, "batch n"]:
    """True at words, False at <class> and padding."""
    return (ids != 0) & (ids < task.vocabulary.mask)


def labels(sentences: Sequence[LabelledSentence], kind: str) -> Int[Tensor, " words"]:
    """The number of each word's label, one sentence behind the other."""
    known = KINDS[kind]
    return torch.tensor(
        [known.index(one) for sentence in sentences for one in getattr(sentence, kind)]
    )


def _share(right: Bool[Tensor, " words"]) -> float:
    return round(float(right.float().mean()), 4)
