"""A page for a translator that a reader trained: a folder that runs anywhere, offline (chapter 20).

The folder holds ``index.html`` and, in ``translator``, the scripts that hold the model. It asks no
other host for anything, and opens from a disk too.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path

import torch

from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.models.model_card import machine_in_words, vocabularies_in_words
from mtcourse.models.translator import SHIPPED, Translator
from mtcourse.page.live_translator import live_translator_html, write_live_translator
from mtcourse.recipes.error_analysis import (
    Translated,
    by_length,
    failures,
    scores_of,
    translated,
)
from mtcourse.recipes.report import MAY_BE_DONE
from mtcourse.recipes.translator import RECIPE, Recipe, fitted_vocabulary, readable
from mtcourse.text.corpora import ParallelCorpus, builtin_corpus
from mtcourse.text.corpus_record import CorpusRecord
from mtcourse.text.known_words import unknown_words, words_of
from mtcourse.text.languages import direction, language_name, language_tag, writes_no_spaces
from mtcourse.text.pairs import SentencePair
from mtcourse.whole_files import write_whole

EXAMPLES = 200
"""Sentences of the test set among which the page's *Another sentence* draws."""
WORST = 5
FEWEST = 10
"""A group with fewer sentences is not scored: its score would say nothing."""
BEAMS = 4
MARK = '<meta name="generator" content="mtcourse page">'
"""By this a folder is known for a page that may be written again."""
_STYLES = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Written:
    """What was written.

    Args:
        folder: where the page is.
        files: how many there are.
        size: of all of them, in bytes.
        left_out: sentences of the test set that are longer than the model reads.
    """

    folder: Path
    files: int
    size: int
    left_out: int

    def __str__(self) -> str:
        """One line for the command line."""
        left = f"; left out {self.left_out} test sentences that are too long for the model"
        return (
            f"{self.folder / 'index.html'}: {self.files} files, {_megabytes(self.size)}"
            f"{left if self.left_out else ''}"
        )


@dataclass(frozen=True)
class _Facts:
    """All that the page says.

    Args:
        record: of the corpus.
        translator: as the page runs it, in half precision.
        run: the folder of the training run.
        greedy: the test set as the page translates it.
        beam: the same, searched with beams.
        left_out: test sentences that were too long.
        size: of the model's files, in bytes.
        answers: what the card says in its author's words, by its headings.
    """

    record: CorpusRecord
    translator: Translator
    run: Path
    greedy: list[Translated]
    beam: list[Translated]
    left_out: int
    size: int
    answers: Mapping[str, str]

    def source(self, text: str, tag: str = "p") -> str:
        """A sentence of the source language as HTML."""
        return _sentence(text, self.record.source_language, tag)

    def target(self, text: str, tag: str = "p") -> str:
        """A sentence of the target language as HTML."""
        return _sentence(text, self.record.target_language, tag)


def write_translator_page(
    run: Path | None,
    out: Path,
    corpus: ParallelCorpus | None = None,
    answers: Mapping[str, str] | None = None,
) -> Written:
    """Writes the page of a translator, whole or not at all.

    It is scored on the test set that its run has kept, as the page itself translates: with weights
    in half precision.

    Args:
        run: the folder of a training run; None takes the translator that comes with the package.
        out: the folder to write; made if needed, or else empty, or such a page already.
        corpus: for a run that has kept no record of its corpus.
        answers: what its author says on the model card, by heading, as ``answers_in`` reads them.

    Raises:
        MtcourseError: there is no translator in that folder, nobody knows its corpus, the corpus
            has no test set, or the folder holds something else.
    """
    _check_out(out)
    translator = Translator.load(run, device="cpu")
    record = _record(run, corpus)
    pairs, left_out = _test_set(translator, record, run or SHIPPED)
    with tempfile.TemporaryDirectory() as folder:
        translator.save(folder, torch.float16)
        translator = Translator.load(folder, device="cpu")
    sources = [pair.source for pair in pairs]
    greedy = translated(pairs, translator.translate(sources, greedy_search))
    beam = translated(pairs, translator.translate(sources, partial(beam_search, beams=BEAMS)))
    partly = out.absolute().with_name(f".{out.absolute().name}.{uuid.uuid4().hex[:8]}")
    try:
        write_live_translator(
            translator,
            record.known,
            sources[:EXAMPLES],
            partly / "translator",
        )
        size = _size(partly)[1]
        facts = _Facts(
            record, translator, run or SHIPPED, greedy, beam, left_out, size, answers or {}
        )
        write_whole(partly / "index.html", _html(facts))
        _take_place(partly, out)
    except OSError as error:
        raise MtcourseError(f"the page {out} cannot be written: {error}") from error
    finally:
        shutil.rmtree(partly, ignore_errors=True)
    return Written(out, *_size(out), left_out)


# --- what it is made of -------------------------------------------------------------------------


def _record(run: Path | None, corpus: ParallelCorpus | None) -> CorpusRecord:
    """What is known of the corpus: given, kept with the run, or the shipped translator's."""
    if corpus is None and run is None:
        corpus = builtin_corpus()
    if corpus is not None:
        return CorpusRecord.of(corpus)
    kept = CorpusRecord.load(run or SHIPPED)
    if kept is None:
        raise MtcourseError(
            f"{run} does not say what it was trained on: it lacks corpus.json, with the words that "
            "the translator knows and its test set, because an older version of mtcourse trained "
            "it. Name the corpus that it was trained on, with --corpus"
        )
    return kept


def _test_set(
    translator: Translator, record: CorpusRecord, run: Path
) -> tuple[list[SentencePair], int]:
    """The test sentences that the model can read, and how many are too long for it."""
    if not record.test:
        raise MtcourseError(
            f"there is no test set for {run}: the corpus {record.name} has nothing in its split "
            "'test'. A page without scores would promise too much: name a corpus that has one, "
            "with --corpus"
        )
    pairs = readable(translator, record.test)
    return pairs, len(record.test) - len(pairs)


def _check_out(out: Path) -> None:
    """Refuses a folder with anything else in it than such a page."""
    if out.exists() and not out.is_dir():
        raise MtcourseError(f"{out} is a file: a page is written to a folder")
    there = [path for path in sorted(out.rglob("*")) if path.is_file()] if out.is_dir() else []
    if not there:
        if out.is_dir() and any(out.iterdir()):
            raise MtcourseError(f"{out} holds other folders: name an empty or a new folder")
        return
    index = out / "index.html"
    if not index.is_file() or MARK not in index.read_text(encoding="utf-8", errors="replace"):
        raise MtcourseError(
            f"{out} holds {there[0].relative_to(out)}, and is no page of a translator: name an "
            "empty or a new folder"
        )
    for path in there:
        ours = path.parent == out / "translator" and path.suffix in (".js", ".css")
        if path != index and not ours:
            raise MtcourseError(
                f"{out} holds {path.relative_to(out)} beside the page, which writing it again "
                "would delete: move it away, or name another folder"
            )


def _take_place(partly: Path, out: Path) -> None:
    """Moves a whole folder to its place; an older page goes when the new one stands."""
    old = partly.with_name(f"{partly.name}.old")
    if out.exists():
        os.replace(out, old)
    try:
        os.replace(partly, out)
    except OSError:
        if old.exists():
            os.replace(old, out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _size(folder: Path) -> tuple[int, int]:
    """How many files a folder holds, and how large they are together."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _first(facts: _Facts) -> Translated:
    """What the page shows first: the first test sentence of 4 to 12 known words, if there is one.

    It is not picked by how good its translation is.
    """
    known = set(facts.record.known)
    for item in facts.greedy:
        of_one = words_of(item.pair.source)
        if 4 <= len(of_one) <= 12 and not unknown_words(item.pair.source, known):
            return item
    return facts.greedy[0]


# --- the page -----------------------------------------------------------------------------------


def _html(facts: _Facts) -> str:
    """The page."""
    record = facts.record
    source, target = map(language_name, (record.source_language, record.target_language))
    title = f"{source} to {target}"
    parameters = sum(parameter.numel() for parameter in facts.translator.model.parameters())
    first = _first(facts)
    live = live_translator_html(
        "translator",
        first.pair.source,
        first.translation,
        record.target_language,
        record.source_language,
    )
    description = f"A translator from {source} to {target} that runs in this page."
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>A translator with {parameters:,} parameters, trained on the corpus "
        f"{escape(record.name)}. It runs in this page: what you type stays on your computer. Its "
        f"files ({_megabytes(facts.size)}) are loaded when you translate the first sentence.</p>",
        live,
        *_scores(facts),
        *_faults(facts),
        *_card(facts),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<meta name="description" content="{escape(description)}">',
            MARK,
            '<link rel="icon" href="data:,">',
            f"<title>{escape(title)}: a translator in the page</title>",
            f"<style>\n{_STYLES}</style>",
            "</head>",
            "<body>",
            "<main>",
            *parts,
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _scores(facts: _Facts) -> list[str]:
    """How good it is: BLEU and chrF with intervals and signatures."""
    copied = translated([of.pair for of in facts.greedy], [of.pair.source for of in facts.greedy])
    named = {
        "as this page translates (greedy search)": scores_of(facts.greedy),
        f"with beam search, {BEAMS} beams": scores_of(facts.beam),
        "for comparison: the source, copied": scores_of(copied),
    }
    greedy = next(iter(named.values()))
    rows = [
        [
            escape(name),
            _with_interval(of.bleu, of.bleu_interval),
            _with_interval(of.chrf, of.chrf_interval),
            f"{100 * of.exact:.1f}%",
        ]
        for name, of in named.items()
    ]
    target = facts.record.target_language
    note = (
        f"<p>BLEU compares words between spaces. {escape(language_name(target))} writes no spaces, "
        "so read chrF2, which compares characters.</p>"
    )
    left = (
        f" {facts.left_out:,} more are longer than the model reads, and are left out."
        if facts.left_out
        else ""
    )
    return [
        "<h2>How good it is</h2>",
        f"<p>Measured on {greedy.sentences:,} sentences of its test set, which training has not "
        f"seen.{left} The higher, the closer to the reference translations, up to 100. In brackets "
        "the 95% interval from 1,000 bootstrap resamples.</p>",
        _table("Scores", ["", "BLEU", "chrF2", "equal to the reference"], rows),
        *([note] if writes_no_spaces(target) else []),
        f'<p class="quiet">BLEU: <code>{escape(greedy.bleu_signature)}</code><br>'
        f"chrF2: <code>{escape(greedy.chrf_signature)}</code></p>",
    ]


def _faults(facts: _Facts) -> list[str]:
    """What it gets wrong, as counted on the test set."""
    known = set(facts.record.known)
    new = [item for item in facts.greedy if unknown_words(item.pair.source, known)]
    old = [item for item in facts.greedy if not unknown_words(item.pair.source, known)]
    groups = [
        *((group.name, group.scores) for group in by_length(facts.greedy)),
        *(
            (name, scores_of(items))
            for name, items in (("known words alone", old), ("with a new word", new))
            if len(items) >= FEWEST
        ),
    ]
    rows = [
        [escape(name), f"{of.sentences:,}", _with_interval(of.chrf, of.chrf_interval)]
        for name, of in groups
    ]
    found = failures(facts.greedy)
    worst = sorted(facts.greedy, key=lambda item: (item.chrf, item.pair.source))[:WORST]
    count, source = len(facts.greedy), language_name(facts.record.source_language)
    return [
        "<h2>What it gets wrong</h2>",
        f"<p>It knows {len(known):,} words of {escape(source)}: the list is below the text box. "
        f"At any other word it guesses from the letters: {len(new):,} of the {count:,} test "
        "sentences have such a word.</p>",
        *(
            [_table("chrF2 by kind of sentence", ["source", "sentences", "chrF2"], rows)]
            * any(rows)
        ),
        *(
            [
                f"<p>Faults that a program can see, in {count:,} translations:</p>",
                "<ul>",
                *(f"<li>{escape(name)}: {len(those):,}</li>" for name, those in found.items()),
                "</ul>",
            ]
            if found
            else []
        ),
        f"<h3>The {len(worst)} translations with the lowest chrF2</h3>",
        *(_pair(facts, item) for item in worst),
    ]


def _pair(facts: _Facts, item: Translated) -> str:
    became = facts.target(item.translation, "q") if item.translation else "nothing"
    return (
        f'<div class="pair">{facts.source(item.pair.source)}'
        f"<p><span>became</span> {became}</p>"
        f"<p><span>should be, for example,</span> {facts.target(item.pair.target, 'q')}</p></div>"
    )


def _card(facts: _Facts) -> list[str]:
    """The model card: how it was made, and what may be done with it."""
    record, config = facts.record, facts.translator.model.config
    sizes = ", ".join(f"{name} {count:,}" for name, count in record.sizes.items())
    named = ", ".join(filter(None, (record.name, record.version)))
    entries = {
        "Corpus": f"{named}. Sentence pairs: {sizes}.",
        "Licence of the corpus": _licence(facts),
        "Model": f"encoder-decoder Transformer: d_model {config.d_model}, {config.h} heads, d_ff "
        f"{config.d_ff}, {config.encoder_layers} + {config.decoder_layers} layers, {config.norm}-"
        f"norm, {vocabularies_in_words(facts.translator)}, at most "
        f"{config.max_length} pieces a sentence.",
        **_training(facts),
        "Scored": f"on {machine_in_words()}, with the weights in half precision, as they are here.",
    }
    return [
        "<h2>Model card</h2>",
        *(f"<h3>{escape(heading)}</h3>\n{_prose(text)}" for heading, text in facts.answers.items()),
        *(["<h3>How it was made</h3>"] if facts.answers else []),
        "<dl>",
        *(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in entries.items()),
        "</dl>",
        '<p class="quiet">A small model that one person trained: nobody should rely on its '
        "translations without reading them. Written by <code>mtcourse page</code>.</p>",
    ]


def _licence(facts: _Facts) -> str:
    """The licence of the corpus, or what to do where no file states it."""
    if facts.record.licence != "not stated":
        return facts.record.licence
    if MAY_BE_DONE in facts.answers:
        return f"not stated in its files; see \u201c{MAY_BE_DONE}\u201d above."
    return "not stated. Ask whoever made the corpus before you publish this page."


def _prose(text: str) -> str:
    """Paragraphs and lists of an author's text, as HTML."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.splitlines()]
        if all(line.startswith(("- ", "* ")) for line in lines):
            items = "".join(f"<li>{escape(line[2:])}</li>" for line in lines)
            blocks.append(f"<ul>{items}</ul>")
        else:
            blocks.append(f"<p>{escape(' '.join(lines))}</p>")
    return "\n".join(blocks)


def _training(facts: _Facts) -> dict[str, str]:
    """What the files of the run say of its training; nothing where they are missing."""
    entries = {}
    if (facts.run / RECIPE).exists():
        how = Recipe.load(facts.run)
        entries["Training"] = (
            f"up to {how.training.steps:,} updates of {how.tokens_per_batch:,} tokens, peak "
            f"learning rate {how.training.learning_rate:g}, label smoothing {how.smoothing:g}, "
            f"dropout {how.model.dropout:g}, seed {how.training.seed}."
        )
        if note := fitted_vocabulary(how, facts.translator.tokenizers):
            entries["Vocabulary"] = f"{note}."
    if (facts.run / "losses.csv").exists():
        with (facts.run / "losses.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        dev = [(float(row["dev_loss"]), int(row["step"])) for row in rows if row["dev_loss"]]
        if dev:
            loss, step = min(dev)
            entries["Weights"] = (
                f"those of update {step:,} of {int(rows[-1]['step']):,}, which had the lowest dev "
                f"loss: {loss:.3f} nats per token."
            )
    return entries


# --- its small parts ----------------------------------------------------------------------------


def _sentence(text: str, language: str, tag: str) -> str:
    way = f'lang="{escape(language_tag(language))}" dir="{direction(language)}"'
    return f"<{tag} {way}>{escape(text)}</{tag}>"


def _with_interval(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.1f} ({interval[0]:.1f} to {interval[1]:.1f})"


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names its rows; it scrolls by itself on a narrow screen."""
    heads = "".join(
        f'<th scope="col">{escape(cell)}</th>' if cell else "<td></td>" for cell in head
    )
    body = "".join(
        f'<tr><th scope="row">{first}</th>'
        + "".join(f'<td class="number">{cell}</td>' for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{escape(title)}"><table>'
        f"<caption>{escape(title)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
        "</table></div>"
    )
