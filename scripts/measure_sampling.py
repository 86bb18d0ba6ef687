"""Measures sampling on the shipped translators (chapter 19).

make real-data && python scripts/measure_sampling.py [--only NAME] [--out FOLDER]

No training. On short held-out sentences of LibreOffice's help: greedy search, beams, samples and
minimum Bayes risk with four utilities, by BLEU, chrF, exact matches and length; quality against
diversity for temperature, top-k, top-p and min-p; the probability of tokens that people, beams and
samples choose. On both shipped translators: what one wrong token in the prefix does to the tokens
after it. On these two and the shipped Dutch language model: how probable the tail is, how often a
right token lies in it, and calibration. Intervals are from 1,000 resamples of the sentences.
Results go to ``mtcourse/measured/sampling.json``; with ``--only`` the other parts stay as they are.
About five minutes of one core.
"""

from __future__ import annotations

import functools
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from mtcourse.chapters.sampling.calibration import best_temperature, expected_calibration_error
from mtcourse.chapters.sampling.wrong_token import goes_on, nats_lost
from mtcourse.decoding.filters import Filter, min_p, temperature, top_k, top_p
from mtcourse.decoding.minimum_bayes_risk import minimum_bayes_risk
from mtcourse.decoding.sampling import ancestral_sampling, filtered_sampling
from mtcourse.decoding.search import EOS, Search, beam_search, greedy_search
from mtcourse.evaluation.sentence_scores import sentence_bleu, sentence_chrf
from mtcourse.evaluation.starts import MEASURED, load_measured, store_measured
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import LIBREOFFICE_HELP, Translator
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.corpora import builtin_corpus, libreoffice_corpus
from mtcourse.text.pairs import SentencePair

SENTENCES, SAMPLES, OF_EACH = 200, 32, 6
"""Test sentences; samples of each for minimum Bayes risk; samples of each for the frontier."""
COOL = 0.7
"""The temperature of the second set of samples for minimum Bayes risk."""
RESAMPLES = 1000
SETTINGS: dict[str, tuple[Callable[[float], Filter], tuple[float, ...]]] = {
    "temperature": (
        lambda T: functools.partial(temperature, T=T),
        (0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.2),
    ),
    "top-k": (lambda k: functools.partial(top_k, k=int(k)), (2, 3, 5, 10, 30, 100, 3000)),
    "top-p": (lambda p: functools.partial(top_p, p=p), (0.3, 0.5, 0.7, 0.85, 0.95, 0.99, 1.0)),
    "min-p": (
        lambda p: functools.partial(min_p, p=p),
        (0.7, 0.4, 0.2, 0.1, 0.03, 0.01, 0.003, 0.0),
    ),
}
AT_DIVERSITY = (20, 30, 40)
DISTANCES = 6
TAIL, BELIEVED = 0.001, 400
"""Tokens less probable than this are the tail; sentences on which shipped models are judged."""


def evenly(pairs: Sequence[SentencePair], count: int) -> list[SentencePair]:
    """So many of the pairs, at equal distances."""
    return [pairs[i * len(pairs) // count] for i in range(count)]


@functools.cache
def help_pairs() -> list[SentencePair]:
    """Held-out sentences of LibreOffice's help of four to twelve words."""
    test = libreoffice_corpus(max_words=12).splits["test"]
    return evenly([pair for pair in test if len(pair.source.split()) >= 4], SENTENCES)


@functools.cache
def resampled_counts(n: int) -> Any:
    """How often each sentence is in each resample."""
    return np.random.default_rng(1).multinomial(n, [1 / n] * n, RESAMPLES)


class Resampled:
    """A corpus score of translations, on all sentences and on each resample.

    Args:
        metric: of sacrebleu.
        texts: for each sentence its translations, one or more, which count together.
        references: for each sentence its reference.
    """

    def __init__(self, metric: Any, texts: Sequence[Sequence[str]], references: Sequence[str]):
        self._metric = metric
        rows = [
            np.array(metric._extract_corpus_statistics(list(of_one), [[right] * len(of_one)]))
            for of_one, right in zip(texts, references, strict=True)
        ]
        stats = np.array([of_one.sum(0) for of_one in rows], dtype=float)
        self.value = self._score(stats.sum(0))
        self.values = np.array([self._score(of) for of in resampled_counts(len(rows)) @ stats])

    def _score(self, totals: Any) -> float:
        return float(self._metric._compute_score_from_stats([int(x) for x in totals]).score)


def interval(values: Any) -> list[float]:
    """95% of the values."""
    return [round(float(x), 2) for x in np.quantile(values, (0.025, 0.975))]


def of_mean(values: Sequence[float]) -> tuple[float, Any]:
    """The mean, and the mean of each resample."""
    found = np.array(values, dtype=float)
    return float(found.mean()), resampled_counts(len(found)) @ found / len(found)


def with_interval(value: float, values: Any) -> list[float]:
    """A number and its interval."""
    return [round(value, 2), *interval(values)]


# --- translations -------------------------------------------------------------------------------


def samples_of(
    translator: Translator, sources: Sequence[str], count: int, search: Search
) -> list[list[str]]:
    """So many samples of each sentence."""
    repeated = [source for source in sources for _ in range(count)]
    texts = translator.translate(repeated, search)
    return [texts[i : i + count] for i in range(0, len(texts), count)]


def scored(texts: Sequence[str], references: Sequence[str], base: Any = None) -> dict[str, Any]:
    """BLEU, chrF, exact matches and length, with intervals, and changes from a base."""
    alone = [[text] for text in texts]
    found: dict[str, Any] = {}
    bleu, chrf = (Resampled(metric, alone, references) for metric in (BLEU(), CHRF()))
    exact = of_mean([100.0 * (a == b) for a, b in zip(texts, references, strict=True)])
    counts = resampled_counts(len(texts))
    ours = np.array([len(text.split()) for text in texts], dtype=float)
    theirs = np.array([len(text.split()) for text in references], dtype=float)
    ratio = 100 * ours.sum() / theirs.sum(), 100 * (counts @ ours) / (counts @ theirs)
    values = {
        "BLEU": (bleu.value, bleu.values),
        "chrF": (chrf.value, chrf.values),
        "exact": exact,
        "length": ratio,
    }
    for name, (value, of_resamples) in values.items():
        found[name] = with_interval(value, of_resamples)
        if base is not None:
            change = of_resamples - base[name][1]
            found[f"{name} change"] = with_interval(value - base[name][0], change)
    found["raw"] = values
    return found


def length_utility(text: str, other: str) -> float:
    """Minus the difference of lengths in words."""
    return -abs(len(text.split()) - len(other.split()))


def exact_utility(text: str, other: str) -> float:
    """1 if the texts are equal."""
    return float(text == other)


UTILITIES = {
    "chrF": functools.cache(sentence_chrf),
    "BLEU": functools.cache(sentence_bleu),
    "exact": exact_utility,
    "length": length_utility,
}


def measure_translations() -> dict[str, Any]:
    """Greedy search, beams, one sample, and minimum Bayes risk with each utility."""
    translator, pairs = Translator.load(LIBREOFFICE_HELP, device="cpu"), help_pairs()
    sources, references = [p.source for p in pairs], [p.target for p in pairs]
    generator = torch.Generator().manual_seed(1)
    samples = samples_of(
        translator, sources, SAMPLES, functools.partial(ancestral_sampling, generator=generator)
    )
    ways: dict[str, list[str]] = {
        "beam 4": translator.translate(sources, functools.partial(beam_search, beams=4)),
        "beam 4, no normalisation": translator.translate(
            sources, functools.partial(beam_search, beams=4, length_penalty=0.0)
        ),
        "greedy": translator.translate(sources, greedy_search),
        "sample": [of_one[0] for of_one in samples],
    }
    for name, utility in UTILITIES.items():
        ways[f"MBR {name}"] = [minimum_bayes_risk(one, one, utility) for one in samples]
        print(name, flush=True)
    for count in (2, 4, 8, 16):
        ways[f"MBR chrF, {count} samples"] = [
            minimum_bayes_risk(one[:count], one[:count], UTILITIES["chrF"]) for one in samples
        ]
    cooled = samples_of(
        translator,
        sources,
        SAMPLES,
        functools.partial(
            filtered_sampling,
            keep=functools.partial(temperature, T=COOL),
            generator=torch.Generator().manual_seed(2),
        ),
    )
    for name in ("chrF", "BLEU"):
        ways[f"MBR {name}, cool"] = [
            minimum_bayes_risk(one, one, UTILITIES[name]) for one in cooled
        ]
        print(name, flush=True)
    base, found = None, {}
    for name, texts in ways.items():
        found[name] = scored(texts, references, base)
        raw = found[name].pop("raw")
        base = raw if base is None else base
        print(name, found[name], flush=True)
    # All samples together, against the references' lengths.
    counts = resampled_counts(len(pairs))
    words = np.array([_words(of_one) / SAMPLES for of_one in samples])
    right = np.array([_words([text]) for text in references], dtype=float)
    ratios = [
        100 * sum(len(of_one[i].split()) for of_one in samples) / _words(references)
        for i in range(SAMPLES)
    ]
    lengths = {name: _lengths(ways[name]) for name in ("greedy", "beam 4, no normalisation")}
    lengths |= {
        "reference": _lengths(references),
        "sample": _lengths([one for of_one in samples for one in of_one]),
    }
    examples = [
        {
            "source": sources[i], "reference": references[i], "beam": ways["beam 4"][i],
            "samples": samples[i][:6],
        }
        for i in range(0, SENTENCES, 5)
    ]  # fmt: skip
    return {
        "sentences": len(pairs),
        "samples": SAMPLES,
        "ways": found,
        "length ratios of samples": [round(one, 2) for one in ratios],
        "length of all samples": with_interval(
            float(100 * words.sum() / right.sum()), 100 * (counts @ words) / (counts @ right)
        ),
        "different of 32": statistics.mean(len(set(of_one)) for of_one in samples),
        "lengths": lengths,
        "examples": examples,
    }


def _words(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)


def _lengths(texts: Sequence[str]) -> list[int]:
    """How many texts have 0, 1, 2, ... words; the last number counts longer ones as well."""
    counts = Counter(min(len(text.split()), 20) for text in texts)
    return [counts[n] for n in range(21)]


# --- the frontier -------------------------------------------------------------------------------


def measure_frontier() -> dict[str, Any]:
    """Quality and diversity of each setting, and differences at equal diversity."""
    translator, pairs = Translator.load(LIBREOFFICE_HELP, device="cpu"), help_pairs()
    sources, references = [p.source for p in pairs], [p.target for p in pairs]
    points: dict[str, Any] = {}
    raw: dict[str, list[tuple[Any, Any]]] = {}
    for family, (make, settings) in SETTINGS.items():
        points[family], raw[family] = {}, []
        for setting in settings:
            generator = torch.Generator().manual_seed(1)
            search = functools.partial(filtered_sampling, keep=make(setting), generator=generator)
            samples = samples_of(translator, sources, OF_EACH, search)
            quality = Resampled(CHRF(), samples, references)
            diverse, of_resamples = of_mean([_diversity(of_one) for of_one in samples])
            points[family][f"{setting:g}"] = {
                "chrF": with_interval(quality.value, quality.values),
                "diversity": with_interval(diverse, of_resamples),
            }
            raw[family].append((of_resamples, quality.values))
            print(family, setting, points[family][f"{setting:g}"], flush=True)
    fewer = [
        point
        for point, T in zip(raw["temperature"], SETTINGS["temperature"][1], strict=True)
        if T != 0.9
    ]
    return {
        "samples": OF_EACH,
        "sentences": len(pairs),
        "points": points,
        "chrF at equal diversity": _at_equal_diversity(raw),
        "without T = 0.9": _at_equal_diversity(raw | {"temperature": fewer}),
    }


def _diversity(samples: Sequence[str]) -> float:
    """100 minus the mean chrF of each sample against each other one."""
    utility = UTILITIES["chrF"]
    pairs = [(a, b) for i, a in enumerate(samples) for j, b in enumerate(samples) if i != j]
    return 100 - statistics.mean(utility(a, b) for a, b in pairs)


def _at_equal_diversity(raw: dict[str, list[tuple[Any, Any]]]) -> dict[str, Any]:
    """chrF where each family's line has a given diversity, minus that of temperature."""
    found: dict[str, Any] = {}
    for at in AT_DIVERSITY:
        of_family = {}
        for family, points in raw.items():
            x, y = (np.array([one[axis] for one in points]) for axis in (0, 1))
            if np.median(x.min(0)) > at:
                continue  # no setting of this family is so little diverse
            of_family[family] = np.array(
                [np.interp(at, x[:, r], y[:, r]) for r in range(RESAMPLES)]
            )
        found[str(at)] = {
            family: with_interval(
                float(np.median(values - of_family["temperature"])),
                values - of_family["temperature"],
            )
            for family, values in of_family.items()
            if family != "temperature"
        }
    return found


# --- probabilities of tokens --------------------------------------------------------------------


@torch.no_grad()
def token_log_probs(translator: Translator, source: str, text: str) -> list[float]:
    """log p of each token of a translation, <eos> last."""
    ids = [*translator.tokenizers.target.encode(text), EOS]
    logits = translator.model(pad(translator._encode([source])), shift_right(pad([ids])))[0]
    return logits.log_softmax(-1).gather(-1, torch.tensor(ids)[:, None])[:, 0].tolist()


def measure_probabilities() -> dict[str, Any]:
    """Mean probability of tokens by position, and where they lie among all tokens."""
    translator, pairs = Translator.load(LIBREOFFICE_HELP, device="cpu"), help_pairs()
    sources = [pair.source for pair in pairs]
    generator = torch.Generator().manual_seed(1)
    writers = {
        "person": [pair.target for pair in pairs],
        "beam": translator.translate(sources, functools.partial(beam_search, beams=4)),
        "sample": translator.translate(
            sources, functools.partial(ancestral_sampling, generator=generator)
        ),
    }
    found: dict[str, Any] = {}
    for writer, texts in writers.items():
        of_all = [token_log_probs(translator, s, t) for s, t in zip(sources, texts, strict=True)]
        log_p = [one for of_one in of_all for one in of_one]
        probabilities = sorted(float(np.exp(one)) for one in log_p)
        per_sentence = [statistics.mean(of_one) for of_one in of_all]
        found[writer] = {
            "tokens": len(log_p),
            "nats per token": with_interval(*(-x for x in of_mean(per_sentence))),
            "below 0.01": round(sum(p < 0.01 for p in probabilities) / len(log_p), 4),
            "above 0.9": round(sum(p > 0.9 for p in probabilities) / len(log_p), 4),
            "of one sentence": [round(float(np.exp(one)), 3) for one in of_all[SENTENCES // 2]],
            "text": texts[SENTENCES // 2],
        }
        print(writer, found[writer], flush=True)
    return found


# --- one wrong token in the prefix --------------------------------------------------------------


def common_in_order(a: Sequence[int], b: Sequence[int]) -> int:
    """The length of the longest common subsequence: (1, 7, 2, 3) and (1, 2, 3, 4) have 1, 2, 3."""
    longest = [0] * (len(b) + 1)
    for one in a:
        above = list(longest)
        for j, other in enumerate(b):
            longest[j + 1] = above[j] + 1 if one == other else max(above[j + 1], longest[j])
    return longest[-1]


def _shipped(name: str) -> tuple[Translator, Sequence[SentencePair]]:
    """A shipped translator with its test sentences."""
    if name == "grammar":
        return Translator.load(device="cpu"), builtin_corpus().splits["test"][:SENTENCES]
    return Translator.load(LIBREOFFICE_HELP, device="cpu"), help_pairs()


def _shares_kept(behind: Sequence[int], expected: Sequence[int]) -> dict[str, float]:
    """How many percent of the expected tokens are written in place, and in the same order."""
    in_place = sum(a == b for a, b in zip(behind, expected, strict=False))
    in_order = common_in_order(behind, expected)
    return {
        "in place": 100 * in_place / len(expected),
        "in order": 100 * in_order / len(expected),
    }


def _means(kept: dict[str, list[float]]) -> dict[str, list[float]]:
    return {f"kept {way}": with_interval(*of_mean(shares)) for way, shares in kept.items()}


def measure_exposure(name: str) -> dict[str, Any]:
    """The reference's tokens after one wrong token, and greedy search after one."""
    translator, pairs = _shipped(name)
    encode = translator.tokenizers.target.encode
    usual = [i for pair in pairs for i in encode(pair.target)]
    drawn = torch.Generator().manual_seed(1)
    excess: dict[str, list[list[float]]] = {"any": [], "second": []}
    kept: dict[str, dict[str, list[float]]] = {
        kind: {"in place": [], "in order": []} for kind in (*excess, "another sentence")
    }
    before: list[int] = []
    for pair in pairs:
        (source,) = translator._encode([pair.source])
        right = [*encode(pair.target), EOS]
        at = len(right) // 3
        if len(right) - at - 1 < DISTANCES:
            continue
        own = goes_on(translator, source, [])
        for kind in excess:
            wrong = _wrong(translator, source, right, at, kind, usual, drawn)
            behind = nats_lost(translator, source, right, at, wrong)[at + 1 :]
            excess[kind].append(behind[:DISTANCES].tolist())
        at = len(own) // 3
        if not 0 < at < len(own) - 3:
            continue
        expected = own[at + 1 : -1]
        behind_of = {}
        for kind in excess:
            wrong = _wrong(translator, source, own, at, kind, usual, drawn)
            behind_of[kind] = goes_on(translator, source, [*own[:at], wrong])
        if before:  # what two unrelated sentences have in common
            behind_of["another sentence"] = before
        before = own[at + 1 :]
        for kind, behind in behind_of.items():
            for way, share in _shares_kept(behind, expected).items():
                kept[kind][way].append(share)
    results: dict[str, Any] = {"sentences": len(excess["any"])}
    results["another sentence"] = _means(kept["another sentence"])
    for kind in excess:
        columns = list(zip(*excess[kind], strict=True))
        results[kind] = {
            "nats more, by distance": [with_interval(*of_mean(column)) for column in columns],
            **_means(kept[kind]),
        }
    print(name, results, flush=True)
    return results


@torch.no_grad()
def _wrong(
    translator: Translator, source: list[int], right: list[int], at: int, kind: str,
    usual: list[int], drawn: torch.Generator,
) -> int:  # fmt: skip
    """Another token for a place: any token of the references, or the model's next best."""
    if kind == "any":
        while True:
            token = usual[int(torch.randint(len(usual), (1,), generator=drawn))]
            if token != right[at]:
                return token
    logits = translator.model(pad([source]), shift_right(pad([right])))[0, at].clone()
    logits[[right[at], EOS]] = -torch.inf
    return int(logits.argmax())


# --- can the probabilities be believed? ----------------------------------------------------------

Predict = Callable[[SentencePair], tuple[torch.Tensor, list[int]]]
"""From a pair to the logits of all its target tokens, (n, V), and the n right tokens."""


@torch.no_grad()
def _of_translator(translator: Translator, pair: SentencePair) -> tuple[torch.Tensor, list[int]]:
    ids = [*translator.tokenizers.target.encode(pair.target), EOS]
    source = translator._encode([pair.source])
    return translator.model(pad(source), shift_right(pad([ids])))[0], ids


@torch.no_grad()
def _of_language_model(model: LanguageModel, pair: SentencePair) -> tuple[torch.Tensor, list[int]]:
    ids = [*model.tokenizer.encode(pair.target), EOS]
    return model.model(shift_right(pad([ids])))[0], ids


def measure_shipped() -> dict[str, Any]:
    """The tail of each shipped model, how often real tokens lie in it, and calibration."""
    grammar = builtin_corpus().splits
    real = libreoffice_corpus(max_words=12).splits
    translator = Translator.load(device="cpu")
    of_help = Translator.load(LIBREOFFICE_HELP, device="cpu")
    models: dict[str, tuple[Predict, Mapping[str, Sequence[SentencePair]]]] = {
        "language model": (
            functools.partial(_of_language_model, LanguageModel.load(device="cpu")),
            grammar,
        ),
        "grammar": (functools.partial(_of_translator, translator), grammar),
        "help": (functools.partial(_of_translator, of_help), real),
    }
    results = {}
    for name, (predict, splits) in models.items():
        chosen = [predict(pair) for pair in evenly(splits["dev"], BELIEVED)]
        T = best_temperature(
            torch.cat([logits for logits, _ in chosen]),
            torch.tensor([i for _, ids in chosen for i in ids]),
        )
        tested = [predict(pair) for pair in evenly(splits["test"], BELIEVED)]
        results[name] = {
            "sentences": len(tested),
            "temperature": round(T, 2),
            "as trained": _believed(tested, 1.0),
            "with temperature": _believed(tested, T),
        }
        print(name, results[name], flush=True)
    return results


def _believed(of_sentences: Sequence[tuple[torch.Tensor, list[int]]], T: float) -> dict[str, Any]:
    """The tail's probability, the share of right tokens in it, and the calibration error."""
    sums, confidences, hits = [], [], []
    for logits, ids in of_sentences:
        p, labels = (logits / T).softmax(-1), torch.tensor(ids)
        confidence, best = p.max(-1)
        right = best == labels
        of_right = p.gather(-1, labels[:, None])[:, 0]
        sums.append(
            [
                float(one.sum())
                for one in (p.where(p < TAIL, 0.0), of_right < TAIL, right, confidence)
            ]
        )
        confidences.append(confidence)
        hits.append(right)
    totals, n = np.array(sums), np.array([len(ids) for _, ids in of_sentences])
    counts = resampled_counts(len(n))
    names = ("tail", "right tokens in the tail", "right", "confidence")
    found = {
        name: with_interval(float(100 * of.sum() / n.sum()), 100 * (counts @ of) / (counts @ n))
        for name, of in zip(names, totals.T, strict=True)
    }
    error = expected_calibration_error(torch.cat(confidences), torch.cat(hits))
    return {"tokens": int(n.sum()), **found, "error": round(100 * error, 2)}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "exposure, grammar": functools.partial(measure_exposure, "grammar"),
    "exposure, help": functools.partial(measure_exposure, "help"),
    "shipped": measure_shipped,
    "probabilities": measure_probabilities,
    "translations": measure_translations,
    "frontier": measure_frontier,
}


def main(
    only: Annotated[str, typer.Option(help=f"One part: {', '.join(PARTS)}.")] = "",
    out: Annotated[Path, typer.Option(help="The folder where the results are written.")] = MEASURED,
) -> None:
    """Measures all parts, or one of them, and writes what was found."""
    torch.set_num_threads(1)
    for name in [only] if only else PARTS:
        found = PARTS[name]()
        stored = load_measured("sampling", out) if (out / "sampling.json").exists() else {}
        stored.pop("made", None)
        store_measured("sampling", "scripts/measure_sampling.py", {**stored, name: found}, out)


if __name__ == "__main__":
    typer.run(main)
