"""Measures a decoder that a learner has written in one file: the project of greedy and beam search.

The file has one function, ``translate(model, sources, beams)``. It is given the weights of the
shipped translator as tensors, and searches with code of its own. Three things are measured: how
many times as many sentences it translates in a CPU-second as the template does, BLEU, and whether
its translations are as probable as those of the package's beam search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from mtcourse.decoding.search import beam_search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import Scores, score
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoding_state import cached_state, cached_step
from mtcourse.models.translator import Translator
from mtcourse.project.measure import cpu_seconds, references_of
from mtcourse.project.source import load_project
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import EOS

FUNCTIONS = {"translate": "translate(model, sources, beams)"}
"""What a file must define, and how it is called."""
BEAMS = 4
"""Of the search that is scored."""
FASTER = {1: 4.0, BEAMS: 1.2}
"""For each number of beams, how many times as fast as the template a file must be."""
BAR = 81.0
"""BLEU with ``BEAMS`` beams on the split that counts."""
SPLIT = "compositional"
"""The split that counts: its sentences are hard, so that a search with a fault finds others. On the
easy test split, beams whose cache is not reordered translate 998 of 1,000 sentences alike."""
WORSE = 0.002
"""Nats per token by which translations may be less probable than the package's."""
ROUNDS = 3
SLOW = 40
"""Sentences that the template translates in each round; it is given no more, because it is slow."""
ALONE = 12
"""Sentences that are also translated one by one."""


@dataclass(frozen=True)
class Weights:
    """A trained encoder-decoder as tensors, with the sizes that they do not show.

    Args:
        tensors: by the names that ``EncoderDecoder`` gives them; matrices lie as in ``nn.Linear``.
        h: heads of each attention.
        encoder_layers: blocks of the encoder.
        decoder_layers: blocks of the decoder.
        max_length: the most tokens of a sentence.
    """

    tensors: Mapping[str, Tensor]
    h: int
    encoder_layers: int
    decoder_layers: int
    max_length: int


@dataclass(frozen=True)
class MeasuredSearch:
    """What a file's search gave.

    Args:
        faster: for each number of beams, sentences a CPU-second over those of the template's greedy
            search, the median of three rounds.
        scores: of the translations with ``BEAMS`` beams.
        behind: by how much its translations are less probable than those of the package's search
            with as many beams, in nats per token; below 0 they are more probable.
    """

    faster: Mapping[int, float]
    scores: Scores
    behind: float

    @property
    def reached(self) -> bool:
        """Whether the file is fast enough, and its translations as good as they should be."""
        fast = all(self.faster[beams] >= bar for beams, bar in FASTER.items())
        return fast and self.behind <= WORSE and self.scores.bleu >= BAR

    def __str__(self) -> str:
        """The result as a report quotes it."""
        lines = [
            f"{beams} beam{'s' * (beams > 1)}: {self.faster[beams]:.1f} times as fast as the "
            f"template (asked for: {bar:g})"
            for beams, bar in FASTER.items()
        ]
        less = "less" if self.behind >= 0 else "more"
        lines.append(
            f"{BEAMS} beams: {abs(self.behind):.4f} nats per token {less} probable than the "
            f"package's translations (allowed: {WORSE:g} less)"
        )
        verdict = "reached" if self.reached else "not reached"
        return "\n".join([*lines, str(self.scores), f"these bars, and BLEU {BAR:g}: {verdict}"])


def weights_of(translator: Translator) -> Weights:
    """A translator's weights as the project gives them to a file."""
    config = translator.model.config
    tensors = {
        name: value.detach().clone() for name, value in translator.model.state_dict().items()
    }
    return Weights(
        tensors, config.h, config.encoder_layers, config.decoder_layers, config.max_length
    )


def measure_search(
    path: Path | str, template: Path | str, pairs: Sequence[SentencePair], rounds: int = ROUNDS
) -> MeasuredSearch:
    """Runs a file's search beside the template's, and scores what it finds.

    Args:
        path: the file.
        template: the file to compare its speed with.
        pairs: the sentence pairs on which it is scored; the file sees only ids of their sources.
        rounds: each times the template and the file, one after the other.

    Raises:
        MtcourseError: the file uses what the project asks to write, lacks its function, returns
            what is no translation, or one that depends on the other sentences of its batch.
    """
    module = load_project(path, FUNCTIONS)
    slow = load_project(template, FUNCTIONS)
    translator = Translator.load(device="cpu")
    model = weights_of(translator)
    sources = [
        [*ids, EOS] for ids in translator.tokenizers.source.encode_all(of.source for of in pairs)
    ]
    found = {beams: checked(module, path, model, sources, beams) for beams in FASTER}
    _check_alone(module, path, model, sources, found[BEAMS], BEAMS)
    mine = translator.tokenizers.target.decode_all(found[BEAMS])
    ids = [of_pair[0].ids for of_pair in _package(translator, sources)]
    behind = mean_score(translator, sources, ids) - mean_score(translator, sources, found[BEAMS])
    return MeasuredSearch(
        {beams: _times_as_fast(module, slow, model, sources, beams, rounds) for beams in FASTER},
        score(mine, references_of(pairs)),
        behind,
    )


def measure_greedy(
    path: Path | str, template: Path | str, pairs: Sequence[SentencePair], rounds: int = ROUNDS
) -> str:
    """Measures a file with one beam alone, while its beam search is still to be written.

    Args:
        path: the file.
        template: the file to compare its speed and its translations with.
        pairs: the sentence pairs that it translates.
        rounds: as for ``measure_search``.

    Raises:
        MtcourseError: as for ``measure_search``.
    """
    module, slow = (load_project(of, FUNCTIONS) for of in (path, template))
    translator = Translator.load(device="cpu")
    model = weights_of(translator)
    sources = [
        [*ids, EOS] for ids in translator.tokenizers.source.encode_all(of.source for of in pairs)
    ]
    found = checked(module, path, model, sources, 1)
    _check_alone(module, path, model, sources, found, 1)
    step = max(1, len(sources) // SLOW)
    expected = checked(slow, template, model, sources[::step][:SLOW], 1)
    equal = sum(a == b for a, b in zip(expected, found[::step][:SLOW], strict=True))
    faster = _times_as_fast(module, slow, model, sources, 1, rounds)
    return (
        f"1 beam: {faster:.1f} times as fast as the template (asked for: {FASTER[1]:g})\n"
        f"1 beam: {equal} of {len(expected)} translations are the template's"
    )


def checked(
    module: ModuleType, path: Path | str, model: Weights, sources: Sequence[list[int]], beams: int
) -> list[list[int]]:
    """What a file's ``translate`` returns, if it is a translation of each source.

    Raises:
        MtcourseError: it is not; or the function is not written yet, or changes the weights.
    """
    before = {name: tensor.clone() for name, tensor in model.tensors.items()}
    try:
        with torch.inference_mode():
            found = module.translate(model, [list(ids) for ids in sources], beams)
    except NotImplementedError as error:
        raise MtcourseError(f"{path}: {error or 'translate is not written yet'}") from error
    if any(not torch.equal(before[name], tensor) for name, tensor in model.tensors.items()):
        raise MtcourseError(f"{path}: translate changes the weights that it is given")
    if not isinstance(found, list) or len(found) != len(sources):
        kind = f"{len(found)} translations" if isinstance(found, list) else type(found).__name__
        raise MtcourseError(
            f"{path}: translate returned {kind} for {len(sources)} sentences: return a list of ids "
            "for each, in the same order"
        )
    V = model.tensors["output_weight"].shape[0]
    for number, (source, ids) in enumerate(zip(sources, found, strict=True), start=1):
        if fault := _fault_of(ids, V, min(2 * len(source) + 10, model.max_length)):
            raise MtcourseError(f"{path}, {beams} beams, translation {number}: {fault}")
    return found


def _fault_of(ids: Any, V: int, most: int) -> str:
    """What is wrong with a translation; empty if nothing is."""
    if not isinstance(ids, list) or not all(type(id) is int for id in ids):
        return "return a list of whole numbers, without tensors"
    if not all(0 <= id < V for id in ids):
        return f"ids go from 0 to {V - 1}, but it has {next(id for id in ids if not 0 <= id < V)}"
    if EOS in ids[:-1]:
        return "<eos> stands in the middle: what comes behind it was never part of the sentence"
    if len(ids) > most:
        return f"it has {len(ids)} tokens, and may have {most} at most"
    if len(ids) < most and ids[-1:] != [EOS]:
        return f"it ends without <eos> after {len(ids)} tokens, although it may have {most}"
    return ""


def _check_alone(
    module: ModuleType,
    path: Path | str,
    model: Weights,
    sources: Sequence[list[int]],
    together: Sequence[list[int]],
    beams: int,
) -> None:
    """A translation may not depend on the sentences beside it."""
    step = max(1, len(sources) // ALONE)
    for place in range(0, len(sources), step):
        (alone,) = checked(module, path, model, [sources[place]], beams)
        if alone != together[place]:
            raise MtcourseError(
                f"{path}: sentence {place + 1} is translated differently alone and in its batch: "
                "look at the mask for padding, at positions, and at what is cut off when"
            )


def mean_score(
    translator: Translator, sources: Sequence[Sequence[int]], translations: Sequence[Sequence[int]]
) -> float:
    """The mean over sentences of log p(ids | source) per token, by the package's model."""
    found: list[float] = []
    with torch.inference_mode():
        for at in range(0, len(sources), 64):
            source, labels = pad(sources[at : at + 64]), pad(translations[at : at + 64])
            real = labels != 0
            log_probs = translator.model(source, shift_right(labels)).log_softmax(-1)
            of_tokens = log_probs.gather(-1, labels[..., None])[..., 0].where(real, 0.0)
            found += (of_tokens.sum(-1) / real.sum(-1)).tolist()
    return sum(found) / len(found)


def _package(translator: Translator, sources: Sequence[list[int]]) -> list[list[Any]]:
    """What the package's own search finds with as many beams."""
    found: list[list[Any]] = []
    for at in range(0, len(sources), 64):
        batch = pad(sources[at : at + 64])
        most = torch.tensor(
            [
                min(2 * len(ids) + 10, translator.model.config.max_length)
                for ids in sources[at : at + 64]
            ]
        )
        state = cached_state(translator.model, batch, source_mask(batch))
        found += beam_search(cached_step(translator.model), state, most, beams=BEAMS)
    return found


def _times_as_fast(
    module: ModuleType,
    slow: ModuleType,
    model: Weights,
    sources: Sequence[list[int]],
    beams: int,
    rounds: int,
) -> float:
    """Sentences a CPU-second over those of the template, both timed in each round."""

    def seconds(translate: Any, some: Sequence[list[int]], beams: int) -> float:
        before = cpu_seconds()
        with torch.inference_mode():
            translate(model, [list(ids) for ids in some], beams)
        return (cpu_seconds() - before) / len(some)

    few = sources[:: max(1, len(sources) // SLOW)][:SLOW]
    ratios = [
        seconds(slow.translate, few, 1) / seconds(module.translate, sources, beams)
        for _ in range(rounds)
    ]
    return median(ratios)
