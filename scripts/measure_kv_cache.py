"""Times generation with and without a cache, and two ways to grow one (chapter 14).

python scripts/measure_kv_cache.py [--rounds N] [--sentences N] [--out FOLDER]

A decoder-only model with random weights computes one more position after prefixes of different
lengths: with a cache, and with the whole prefix again. Keys and values of one layer are appended
column by column, into spare room and by concatenation. All times are the shortest of some rounds,
in which the ways take turns, and are stored as ratios. With and without a cache, in three
precisions, the shipped translator translates long sentences, and the shipped decoder continues the
beginnings of their translations; stored is how many results differ, and the BLEU of the
translations. Results go to ``mtcourse/measured/kv_cache.json``. About three minutes of one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import Tensor

from mtcourse.decoding.search import greedy_search
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import MEASURED, store_measured
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoding_state import (
    Decode,
    cached_state,
    cached_step,
    prefix_state,
    prefix_step,
)
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.generation_state import (
    generation_state,
    generation_step,
    whole_prefix_state,
    whole_prefix_step,
)
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.models.translator import Translator
from mtcourse.text.batches import pad
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, EOS

SIZES = TransformerConfig(1000, d_model=128, h=4, d_ff=512, layers=4, dropout=0.0, max_length=1024)
LENGTHS = (16, 64, 128, 256, 384, 512, 640, 768, 896, 1024)
COLUMNS = (64, 128, 256, 512, 1024, 2048)
SENTENCE = (
    "My mother says that the old teacher does not want to open the window, because the boy is "
    "reading a book in the garden."
)
PRECISIONS = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}


def main(
    rounds: Annotated[int, typer.Option(help="Rounds of each timing.")] = 12,
    sentences: Annotated[int, typer.Option(help="Sentences of each comparison.")] = 300,
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Takes all times, translates, and writes the ratios and the differences."""
    torch.set_num_threads(1)
    results: dict[str, Any] = {
        "sizes": SIZES.to_dict(),
        "lengths": LENGTHS,
        "seconds of a step": steps(rounds),
        "columns": COLUMNS,
        "seconds of growing": growing(rounds),
        "sentences": sentences,
        "drift": {name: drift(dtype) for name, dtype in PRECISIONS.items()},
        "translations": {name: translations(name, sentences) for name in PRECISIONS},
        "continuations changed": {name: continuations(name, sentences) for name in PRECISIONS},
    }
    store_measured("kv_cache", "scripts/measure_kv_cache.py", results, out)
    print(results)


def shortest(ways: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The seconds of each way, the shortest of some rounds in which they take turns."""
    seconds = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, run in ways.items():
            began = time.process_time()
            run()
            seconds[name] = min(seconds[name], time.process_time() - began)
    return seconds


@torch.inference_mode()
def steps(rounds: int) -> dict[str, list[float]]:
    """The seconds of one step at each length, as multiples of the shortest step with a cache."""
    model = DecoderModel(SIZES).eval()
    ids = torch.randint(4, SIZES.V, (1, SIZES.max_length))
    ways = {"without cache": {}, "with cache": {}}
    for _ in range(rounds):
        caches = tuple(
            KeyValueCache.empty(
                1, SIZES.h, SIZES.d_model // SIZES.h, SIZES.max_length, model.output_weight
            )
            for _ in range(SIZES.layers)
        )
        for t in range(1, SIZES.max_length + 1):
            began = time.process_time()
            H, caches = model.extend(ids[:, t - 1 : t], caches, t - 1)
            model.logits(H)
            note(ways["with cache"], t, began)
            if t in LENGTHS:
                began = time.process_time()
                whole_prefix(model, ids[:, :t])
                note(ways["without cache"], t, began)
    unit = ways["with cache"][LENGTHS[0]]
    return {way: [round(of[t] / unit, 3) for t in LENGTHS] for way, of in ways.items()}


def note(seconds: dict[int, float], t: int, began: float) -> None:
    """Keeps the shortest time of step t."""
    seconds[t] = min(seconds.get(t, float("inf")), time.process_time() - began)


def whole_prefix(model: DecoderModel, ids: Tensor) -> Tensor:
    """The same logits from the whole prefix; only the last row goes through the output layer."""
    return model.logits(model.hidden(ids)[:, -1:])


@torch.inference_mode()
def growing(rounds: int) -> dict[str, list[float]]:
    """The seconds of appending so many columns, as multiples of 64 columns into spare room."""
    K, V = torch.randn(2, 1, 4, 1, 32)
    seconds = [
        shortest({"spare room": partial(append, K, V, T), "concatenated": partial(cat, K, V, T)}, 5)
        for T in COLUMNS
    ]
    unit = seconds[0]["spare room"]
    return {way: [round(of[way] / unit, 3) for of in seconds] for way in seconds[0]}


def append(K: Tensor, V: Tensor, T: int) -> KeyValueCache:
    """T columns, one after the other, into room that was made before."""
    cache = KeyValueCache.empty(1, 4, 32, T, like=K)
    for _ in range(T):
        cache = cache.append(K, V)
    return cache


def cat(K: Tensor, V: Tensor, T: int) -> tuple[Tensor, Tensor]:
    """T columns, each concatenated to all before it."""
    keys, values = K, V
    for _ in range(T - 1):
        keys, values = torch.cat([keys, K], dim=2), torch.cat([values, V], dim=2)
    return keys, values


@torch.inference_mode()
def drift(dtype: torch.dtype) -> list[float]:
    """The largest difference of log-probabilities with and without a cache, at each step.

    Both ways are fed the translation of ``SENTENCE`` that the float64 model finds.
    """
    translator = Translator.load(device="cpu")
    model = translator.model.double()
    source = torch.tensor([[*translator.tokenizers.source.encode(SENTENCE), EOS]])
    longest = torch.tensor([60])
    ((best,),) = greedy_search(cached_step(model), cached_state(model, source), longest)
    model = model.to(dtype)
    step, state = cached_step(model), cached_state(model, source)
    plain_step, plain_state = prefix_step(decode_with(model)), prefix_state(model.encode(source))
    found = []
    for token in (BOS, *best.ids[:-1]):
        ids = torch.tensor([[token]])
        log_p, state = step(ids, state)
        expected, plain_state = plain_step(ids, plain_state)
        found.append(float(f"{(log_p - expected).abs().max():.2g}"))
    return found


def decode_with(model: EncoderDecoder) -> Decode:
    """The decoder's logits at every position of a prefix."""
    return lambda ids, H_E, mask: model.logits(model.decode(ids, H_E, mask))


@torch.inference_mode()
def translations(precision: str, sentences: int) -> dict[str, Any]:
    """How many translations differ with and without a cache, and the BLEU of both."""
    translator = Translator.load(device="cpu")
    model = translator.model.to(PRECISIONS[precision])
    pairs = sorted(long_pairs(sentences), key=lambda pair: len(pair.source))
    found: dict[str, list[tuple[int, ...]]] = {"with cache": [], "without cache": []}
    for at in range(0, len(pairs), 50):
        encoded = translator.tokenizers.source.encode_all([p.source for p in pairs[at : at + 50]])
        source = pad([[*ids, EOS] for ids in encoded])
        mask, longest = source_mask(source), torch.tensor([2 * len(ids) + 10 for ids in encoded])
        decode = decode_with(model)
        runs = {
            "with cache": (cached_step(model), cached_state(model, source, mask, 64)),
            "without cache": (prefix_step(decode), prefix_state(model.encode(source, mask), mask)),
        }
        for way, (step, state) in runs.items():
            found[way] += [of_one[0].ids for of_one in greedy_search(step, state, longest)]
    references = [(pair.target, *pair.references) for pair in pairs]
    written = {
        way: [translator.tokenizers.target.decode(ids) for ids in of_all]
        for way, of_all in found.items()
    }
    changed = sum(one != other for one, other in zip(*found.values(), strict=True))
    bleu = {way: round(score(of_all, references).bleu, 2) for way, of_all in written.items()}
    return {"changed": changed, "bleu": bleu}


def long_pairs(sentences: int) -> Sequence[SentencePair]:
    """Sentences that are longer than those of training: their translations are less certain."""
    return builtin_corpus().splits["length"][:sentences]


@torch.inference_mode()
def continuations(precision: str, sentences: int) -> int:
    """How many greedy continuations of eight Dutch words differ with and without a cache."""
    language_model = LanguageModel.load(device="cpu")
    model = language_model.model.to(PRECISIONS[precision])
    changed = 0
    for pair in long_pairs(sentences):
        beginning = " ".join(pair.target.split()[:8])
        prompt = torch.tensor([[BOS, *language_model.tokenizer.encode(beginning)]])
        longest = torch.tensor([40])
        ((cached,),) = greedy_search(
            generation_step(model), generation_state(model, prompt), longest
        )
        ((plain,),) = greedy_search(whole_prefix_step(model), whole_prefix_state(prompt), longest)
        changed += cached.ids != plain.ids
    return changed


if __name__ == "__main__":
    typer.run(main)
