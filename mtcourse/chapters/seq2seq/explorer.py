"""Explorer: a translator whose cross-attention is changed, and what becomes of each word."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from mtcourse.chapters.seq2seq.faithfulness import Forced
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.alignment import as_read
from mtcourse.figures.bars import bars
from mtcourse.figures.explorer import Explorer, refuse_unknown
from mtcourse.figures.still import Still
from mtcourse.models.changed_attention import (
    Change,
    changed_cross_attention,
    permuted_weights,
    uniform_weights,
    without_largest,
)
from mtcourse.models.translator import Translator
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.grammar_labels import MARKS
from mtcourse.text.pairs import SentencePair, words
from mtcourse.text.tokenizer import EOS

SCRIPT = Path(__file__).with_suffix(".js")

# From the test split of the built-in corpus, with the links of its grammar. The translator writes
# each of these translations.
PAIRS = (
    SentencePair(
        "Her daughter is not closing the restaurants.",
        "Haar dochter sluit de restaurants niet.",
        alignment=((0, 0), (1, 1), (2, 2), (3, 5), (4, 2), (5, 3), (6, 4), (7, 6)),
    ),
    SentencePair(
        "Lucas will fill the cups.",
        "Lucas zal de kopjes vullen.",
        alignment=((0, 0), (1, 1), (2, 4), (3, 2), (4, 3), (5, 5)),
    ),
    SentencePair(
        "You thanked the policeman who is working.",
        "Jij bedankte de agent die werkt.",
        alignment=((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 5), (7, 6)),
    ),
    SentencePair(
        "The writers did not drink water.",
        "De schrijvers dronken geen water.",
        alignment=((0, 0), (1, 1), (2, 2), (3, 3), (4, 2), (5, 4), (6, 5)),
    ),
    SentencePair(
        "She often takes off the beautiful cap.",
        "Zij trekt vaak de mooie pet uit.",
        alignment=(
            *((0, 0), (1, 2), (2, 1), (2, 6), (3, 1), (3, 6)),
            *((4, 3), (5, 4), (6, 5), (7, 7)),
        ),
    ),
    SentencePair(
        "The girl cannot study.",
        "Het meisje kan niet studeren.",
        alignment=((0, 0), (1, 1), (2, 2), (2, 3), (3, 4), (4, 5)),
    ),
)
DEFAULTS = {"sentence": 0, "change": "uniform", "layer": 0, "draw": 0, "source": 3, "word": 5}
DRAWS = 5
"""How many random orders of the weights the reader can draw."""
LONGEST = 24
"""Pieces after which a word that does not end is cut off."""


def seq2seq_explorer(
    translator: Translator | None = None,
    pairs: Sequence[SentencePair] = PAIRS,
    settings: Mapping[str, Any] | None = None,
) -> Explorer:
    """Changes the cross-attention of a translator, and shows which words survive.

    Everything is computed in float64, so that every processor finds the same per cents.

    Args:
        translator: whose cross-attention; None takes the one that comes with the package.
        pairs: sentences with the translations that it is forced to write, and their links.
        settings: what is chosen at first: sentence, change ("nothing", "uniform", "permuted",
            "largest" or "hidden"), layer (from 0; the number of layers stands for all), draw (of
            a permutation), source (the English word that is hidden), word (the Dutch word whose
            weights are shown); words are counted from 0.

    Source: C37; Moradi et al. (2019); Kobayashi et al. (2020). Chapter 17.

    Raises:
        MtcourseError: there is no pair, one has no links, or a setting has another name.
    """
    if not pairs:
        raise MtcourseError("an explorer of changed attention needs at least one sentence pair")
    refuse_unknown("seq2seq", DEFAULTS, settings or {})
    if unlinked := [pair.source for pair in pairs if not pair.alignment]:
        raise MtcourseError(
            f"{unlinked[0]!r} has no alignment to compare with: take pairs of the built-in corpus, "
            "or give them links"
        )
    translator = translator or Translator.load(device="cpu")
    model = copy.deepcopy(translator.model).cpu().double().requires_grad_(False)
    precise = Translator(model, translator.tokenizers)
    layers = len(model.decoder)
    data = {
        "layers": [
            *(f"layer {number + 1}" for number in range(layers)),
            "both layers" if layers == 2 else "all layers",
        ],
        "draws": DRAWS,
        "sentences": [_sentence(Forced(precise, pair)) for pair in pairs],
    }
    return Explorer(
        SCRIPT,
        data,
        DEFAULTS,
        settings or {},
        "This explorer needs JavaScript. It changes the cross-attention of the shipped translator: "
        "equal weights, weights in a random order, the largest weight taken away, or one English "
        "word hidden, in one decoder layer or in both. It shows the probability that is left to "
        "each Dutch word, the word that the translator would write instead, what it writes "
        "freely, and where each Dutch word looks, beside the links of the grammar.",
        still=partial(_still, data),
    )


def _still(data: Mapping[str, Any], chosen: Mapping[str, Any]) -> Still:
    """What a change of the cross-attention leaves of each word."""
    sentence, change = data["sentences"][chosen["sentence"]], chosen["change"]
    number = {"permuted": f" {chosen['draw']}", "hidden": f" {chosen['source']}"}.get(change, "")
    key = "nothing" if change == "nothing" else f"{change}{number} {chosen['layer']}"
    found, unchanged = sentence["changed"][key], sentence["changed"]["nothing"]
    series = {"unchanged": unchanged["p"], "changed": found["p"]}
    return Still(
        f"“{sentence['text']}”: the probability of each Dutch word in per cent, unchanged and "
        f"after a change of the weights ({change}, {data['layers'][chosen['layer']]}).",
        ("word", "unchanged", "changed", "written instead"),
        [
            (word, float(before), float(after), found["other"].get(str(place), ""))
            for place, (word, before, after) in enumerate(
                zip(sentence["target"], *series.values(), strict=True)
            )
        ],
        lambda: bars(sentence["target"], series, "probability (%)", text="%.0f"),
        0,
    )


def _sentence(forced: Forced) -> dict[str, Any]:
    """Words, links, rows of weights, and what each change does in each choice of layers."""
    layers = range(len(forced.translator.model.decoder))
    choices = [*((layer,) for layer in layers), tuple(layers)]
    changed = {"nothing": _result(forced, nullcontext)}
    for name, make in _changes(forced):
        for number, chosen in enumerate(choices):
            changed[f"{name} {number}"] = _result(forced, partial(_under, forced, make, chosen))
    return {
        "text": forced.pair.source,
        "source": [*words(forced.pair.source), "<eos>"],
        "target": words(forced.pair.target),
        "function": forced.is_function_word,
        "links": [list(link) for link in forced.pair.alignment],
        "maps": _maps(forced),
        "changed": changed,
    }


def _changes(forced: Forced) -> Iterator[tuple[str, Callable[[], Change]]]:
    """Names of changes, each with a function that makes it, at the beginning of its draws."""
    yield "uniform", lambda: uniform_weights
    yield "largest", lambda: without_largest
    for draw in range(DRAWS):
        yield f"permuted {draw}", partial(_permuted, draw)
    for number, pieces in enumerate(forced.source_words.T.bool()):
        yield f"hidden {number}", partial(_without, pieces)


def _permuted(seed: int) -> Change:
    return permuted_weights(torch.Generator().manual_seed(seed))


def _without(pieces: Bool[Tensor, " n"]) -> Change:
    """A change that takes the weights of some source pieces away, like a mask that hides them."""

    def change(weights: Tensor, mask: Tensor | None = None) -> Tensor:
        del mask  # what is masked has weight 0 already
        left = weights.masked_fill(pieces, 0.0)
        total = left.sum(-1, keepdim=True)
        return torch.where(total > 0, left / total, 0.0)

    return change


def _under(
    forced: Forced, make: Callable[[], Change], layers: Sequence[int]
) -> AbstractContextManager[None]:
    return changed_cross_attention(forced.translator.model, make(), layers)


def _result(forced: Forced, under: Callable[[], AbstractContextManager[None]]) -> dict[str, Any]:
    """What a change leaves of each word, what replaces it, and what is written freely."""
    with under():
        left, others = _words_left(forced)
    with under():  # random orders are drawn from the beginning again
        (free,) = forced.translator.translate([forced.pair.source])
    return {"p": left, "other": others, "free": free}


@torch.no_grad()
def _words_left(forced: Forced) -> tuple[list[int], dict[str, str]]:
    """The probability of each word in per cent; for words that are replaced, by which (by place).

    A word is replaced if one of its pieces is not the most probable one after the known pieces.
    """
    log_p = forced.piece_log_probabilities(forced.H_E)[0]
    target, best = forced.target[0], log_p.argmax(-1)
    of_words = forced.target_words[:, :-1]
    p = (log_p.gather(-1, target[:, None])[:, 0] @ of_words).exp()
    begun = dict[int, list[int]]()
    for word, pieces in enumerate(of_words.T.bool()):
        wrong = (pieces & (best != target)).nonzero()[:, 0].tolist()
        if wrong:
            begun[word] = [*target[: wrong[0]].tolist(), int(best[wrong[0]])]
    return _percent(p), _other_words(forced, begun)


def _other_words(forced: Forced, begun: Mapping[int, list[int]]) -> dict[str, str]:
    """For each replaced word, by its place, the word that the model goes on to write.

    Args:
        forced: what the model is forced to translate.
        begun: by place, the known pieces, and one that differs, last. If this one goes on with the
            word before, that longer word is returned.
    """
    tokenizer, known = forced.translator.tokenizers.target, words(forced.pair.target)
    _finish_words(forced, list(begun.values()))
    found = dict[str, str]()
    for place, text in zip(begun, tokenizer.decode_all(begun.values()), strict=True):
        shown = words(text)
        goes_on = shown[:place] != known[:place]
        at = min(place, len(shown)) - 1 if goes_on else place
        found[str(place)] = shown[at] if len(shown) > at else "<eos>"
    return found


def _finish_words(forced: Forced, begun: Sequence[list[int]]) -> None:
    """Appends the most probable pieces to each list, until its last word is whole."""
    model, tokenizer = forced.translator.model, forced.translator.tokenizers.target
    growing = [ids for ids in begun if ids[-1] != EOS and tokenizer.pieces(ids)[-1] not in MARKS]
    for _ in range(LONGEST):
        if not growing:
            break
        read = shift_right(pad([[*ids, EOS] for ids in growing]))
        H_D = model.decode(read, forced.H_E.expand(len(read), -1, -1))
        last = torch.tensor([len(ids) for ids in growing])  # <bos> stands before them
        pieces = model.logits(H_D[torch.arange(len(read)), last]).argmax(-1).tolist()
        spelled = tokenizer.pieces(pieces)
        for ids, piece in zip(growing, pieces, strict=True):
            ids.append(piece)
        growing = [
            ids
            for ids, piece, text in zip(growing, pieces, spelled, strict=True)
            if piece != EOS and text not in MARKS and not text.startswith("▁")
        ]


def _maps(forced: Forced) -> list[dict[str, Any]]:
    """Of each layer, the rows that write a word and those that read it, over the source words.

    Weights are means over the heads, weights times norms shares of the sum over the heads; both
    in per cent. Columns of a word's pieces are added, rows averaged.
    """
    weights, norms = forced.piece_maps["weights"], forced.piece_maps["norms"]
    return [
        {"weights": _rows(forced, of_heads.mean(0)), "norms": _rows(forced, lengths.sum(0))}
        for of_heads, lengths in zip(weights, norms, strict=True)
    ]


def _rows(forced: Forced, pieces: Float[Tensor, "m n"]) -> dict[str, Any]:
    """Shares of the source words, in per cent, in the rows that write and those that read."""
    shares = pieces / pieces.sum(-1, keepdim=True)
    rows = forced.target_words[:, :-1]
    rows = (rows / rows.sum(0)).T
    return {
        "writes": _percent(rows @ shares @ forced.source_words),
        "reads": _percent(rows @ as_read(shares) @ forced.source_words),
    }


def _percent(values: Tensor) -> Any:
    """Nested lists of whole per cents."""
    return torch.round(100 * values).int().tolist()
