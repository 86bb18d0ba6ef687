"""The report on a translator: all that can be measured, and what its author still has to say.

Chapter 20 shows one, and says how to read it.
"""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mtcourse.decoding.search import Search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import Interval, Scores
from mtcourse.models.model_card import machine_in_words, table_cell, vocabularies_in_words
from mtcourse.models.translator import Translator
from mtcourse.recipes.error_analysis import (
    Group,
    Translated,
    by_frequency,
    by_length,
    by_phenomenon,
    failures,
    known_to,
    scores_of,
    spread_out,
    translated,
    unknown,
)
from mtcourse.recipes.memory import TranslationMemory
from mtcourse.recipes.translator import Recipe, readable
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.languages import language_name, writes_no_spaces
from mtcourse.whole_files import write_whole

EXAMPLES = 9
JUDGED = 50
"""Translations on the sheet that people judge."""
MAY_BE_DONE = "What may be done with it"
YOURS = (
    ("What it is for", "Who is to use it, for which texts? What must nobody use it for?"),
    (
        "What people found",
        "Who read how many translations, beside the source and without the reference? How many "
        "would they print as they are, after a correction, not at all?",
    ),
    ("What it gets wrong", "Which faults above matter to your readers, and which do not?"),
    (
        MAY_BE_DONE,
        "The licence of the translator. It may not allow more than that of the corpus.",
    ),
)
"""What nobody can measure: headings and questions."""


def write_report(
    translator: Translator,
    corpus: ParallelCorpus,
    split: str,
    search: Search,
    out: Path,
    *,
    search_name: str,
    run: Path | None = None,
    sheet: Path | None = None,
) -> Scores:
    """Translates a test set, counts what went wrong, and writes a report in Markdown.

    Args:
        translator: what is reported on.
        corpus: what it was trained on, with the test set: its training split says which words the
            translator can know.
        split: the test set.
        search: the search that writes the translations.
        out: the file to write.
        search_name: what the report calls the search.
        run: the folder of the training run, for what it says of training.
        sheet: a second file to write: translations for people to judge, as ``judging_sheet``.

    Returns:
        The scores on the test set.

    Raises:
        MtcourseError: the corpus has no such split, or it is the one that was trained on.
    """
    if split not in corpus.splits or split == "train":
        raise MtcourseError(
            f"a report needs a test set that training has not seen, not {split!r}: take one of "
            f"{', '.join(name for name in corpus.splits if name != 'train')}"
        )
    pairs = readable(translator, corpus.splits[split])
    left_out = len(corpus.splits[split]) - len(pairs)
    items = translated(pairs, translator.translate([pair.source for pair in pairs], search))
    sources = [pair.source for pair in pairs]
    remembered = TranslationMemory(corpus.splits["train"]).translate(sources)
    scores = scores_of(items)
    baselines = {
        "the nearest training sentence": scores_of(translated(pairs, remembered)),
        "the source, copied": scores_of(translated(pairs, sources)),
    }
    known = known_to([pair.source for pair in corpus.splits["train"]])
    training = [pair.target for pair in corpus.splits["train"]]
    target = corpus.target_language
    named = f"{corpus.source_language} → {corpus.target_language}"
    parts = [
        [f"# Report on a translator, {named}: {corpus.name}"],
        _made(translator, corpus, run),
        _scores(scores, baselines, split, search_name, target, left_out),
        _groups("By length of the source", "words", by_length(items), "BLEU"),
        _groups("By what is hard", "sentences", by_phenomenon(items, known), "kept"),
        _words(items, training, known, target),
        _failures(items),
        _examples(items),
        *([f"## {heading}", "", f"*{question}*", ""] for heading, question in YOURS),
    ]
    write_whole(out, "\n".join(line for part in parts for line in [*part, ""]).rstrip() + "\n")
    if sheet:
        write_whole(sheet, judging_sheet(items))
    return scores


def judging_sheet(items: Sequence[Translated], count: int = JUDGED) -> str:
    """Sentences drawn at random with their translations, and room for a mark, as CSV.

    The references are left out: who sees one looks for its words. Sentences keep the numbers that
    they have among those that were scored, where the first is 1. The same test set
    gives the same sentences, so two runs can be judged on them, and each judge fills in a copy.

    Args:
        items: the test set.
        count: of sentences; all of them, where there are fewer.
    """
    drawn = random.Random(1).sample(range(len(items)), min(count, len(items)))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "source", "translation", "mark", "note"])
    for place in drawn:
        of = items[place]
        writer.writerow([place + 1, *map(_no_formula, (of.pair.source, of.translation)), "", ""])
    return "\ufeff" + text.getvalue()  # by this mark spreadsheets know UTF-8


def answers_in(report: Path) -> dict[str, str]:
    """What an author has written below the questions of a report, by heading.

    A question without an answer is left out.

    Args:
        report: the file that ``write_report`` wrote, filled in.

    Raises:
        MtcourseError: it cannot be read, or is no such report.
    """
    try:
        text = report.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MtcourseError(f"the report {report} cannot be read: {error}") from error
    answers = {}
    for heading, question in YOURS:
        found = re.search(rf"^## {re.escape(heading)}\s*$(.*?)(?=^## |\Z)", text, re.M | re.S)
        if found is None:
            raise MtcourseError(
                f"{report} has no heading \u201c## {heading}\u201d: name a report that mtcourse "
                "report wrote, with your answers below its last four headings"
            )
        if answer := found[1].replace(f"*{question}*", "").strip():
            answers[heading] = answer
    return answers


# --- its parts ----------------------------------------------------------------------------------


def _made(translator: Translator, corpus: ParallelCorpus, run: Path | None) -> list[str]:
    config = translator.model.config
    parameters = sum(parameter.numel() for parameter in translator.model.parameters())
    lines = [
        "## How it was made",
        "",
        f"- Corpus: {corpus.name} {corpus.version}".rstrip()
        + f", licence: {corpus.licence}. "
        + ", ".join(f"{name} {len(pairs):,}" for name, pairs in corpus.splits.items())
        + " sentence pairs; the splits share no sentence.",
        *(f"- {line.strip()}" for line in str(corpus.report).splitlines()[:1]),
        *(
            f"  - {count:,}: {reason}"
            for reason, count in sorted(corpus.report.dropped.items(), key=lambda of: -of[1])
        ),
        f"- Model: encoder-decoder Transformer, {parameters:,} parameters, "
        f"{config.encoder_layers} + "
        f"{config.decoder_layers} layers of width {config.d_model} with {config.h} heads, "
        f"{vocabularies_in_words(translator)}.",
    ]
    return lines + _training(run) + [f"- Scored on {machine_in_words()}."]


def _training(run: Path | None) -> list[str]:
    """What the files of a run say of its training; nothing where they are missing."""
    lines = []
    if run is not None and (run / "recipe.json").exists():
        how = Recipe.load(run)
        lines.append(
            f"- Training: up to {how.training.steps:,} updates of {how.tokens_per_batch:,} tokens, "
            f"peak learning rate {how.training.learning_rate:g}, label smoothing "
            f"{how.smoothing:g}, "
            f"dropout {how.model.dropout:g}, seed {how.training.seed}."
        )
    if run is not None and (run / "losses.csv").exists():
        with (run / "losses.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        dev = [(float(row["dev_loss"]), int(row["step"])) for row in rows if row["dev_loss"]]
        if dev:
            loss, step = min(dev)
            lines.append(
                f"- Of {int(rows[-1]['step']):,} updates, the weights of update {step:,} were "
                "kept: "
                f"dev loss {loss:.3f} nats per token."
            )
    return lines


def _scores(
    scores: Scores,
    baselines: Mapping[str, Scores],
    split: str,
    search_name: str,
    target: str,
    left_out: int,
) -> list[str]:
    left = f" {left_out:,} more are longer than the model reads, and are left out."
    spaceless = [
        "",
        f"BLEU compares words between spaces. {language_name(target)} writes no spaces, so read "
        "chrF2, which compares characters.",
    ]
    return [
        "## Scores",
        "",
        f"On the split *{split}*, {scores.sentences:,} sentences, with the search {search_name}."
        f"{left if left_out else ''} "
        "95% intervals from 1,000 bootstrap resamples: they cover other sentences of the same "
        "kind, and no other training run. Two baselines translate nothing: one writes the "
        "translation of the most similar training sentence, the other copies the source, which "
        "shows what the scores give away for names and numbers.",
        "",
        *_table(
            ["", "BLEU", "chrF2", "exact"],
            [
                [
                    name,
                    _with_interval(of.bleu, of.bleu_interval),
                    _with_interval(of.chrf, of.chrf_interval),
                    f"{100 * of.exact:.1f}%",
                ]
                for name, of in {"this translator": scores, **baselines}.items()
            ],
        ),
        *(spaceless if writes_no_spaces(target) else []),
        "",
        f"- BLEU: `{scores.bleu_signature}`",
        f"- chrF2: `{scores.chrf_signature}`",
    ]


def _groups(title: str, first: str, groups: Sequence[Group], last: str) -> list[str]:
    def cells(group: Group) -> list[str]:
        of = group.scores
        kept = "" if group.kept is None else f"{100 * group.kept:.0f}%"
        end = _with_interval(of.bleu, of.bleu_interval) if last == "BLEU" else kept
        return [group.name, f"{of.sentences:,}", _with_interval(of.chrf, of.chrf_interval), end]

    head = [first, "sentences" if first != "sentences" else "count", "chrF2", last]
    says = (
        "*Kept* is the share of sentences in which the translation has everything of this kind "
        "that source and reference have in common; for questions, the question mark."
    )
    return [
        f"## {title}",
        "",
        *_table(head, map(cells, groups)),
        *(["", says] if last == "kept" else []),
    ]


def _words(
    items: Sequence[Translated], training: Sequence[str], known: frozenset[str], target: str
) -> list[str]:
    new = sorted({word for item in items for word in unknown(item.pair.source, known)})
    shown = ", ".join(new[:30]) + (f" and {len(new) - 30:,} more" if len(new) > 30 else "")
    never = (
        f"Source words that training never showed: {table_cell(shown)}."
        if new
        else "Training showed every source word of the test set."
    )
    if writes_no_spaces(target):
        why = f"{language_name(target)} writes no spaces, so this report counts no words of it."
        return ["## By frequency of the words", "", why, "", never]
    return [
        "## By frequency of the words",
        "",
        "How many of the references' words stand in the translations, by how often the "
        "training text shows them.",
        "",
        *_table(
            ["in training", "words", "found"],
            [
                [of.name, f"{of.count:,}", f"{100 * of.found:.0f}%"]
                for of in by_frequency(items, training)
            ],
        ),
        "",
        never,
    ]


def _failures(items: Sequence[Translated]) -> list[str]:
    found = failures(items)
    if not found:
        return ["## Translations that failed", "", "None of the faults that a program can see."]
    rows = [
        [
            name,
            f"{len(those):,}",
            table_cell(those[0].pair.source),
            table_cell(those[0].translation),
        ]
        for name, those in found.items()
    ]
    return [
        "## Translations that failed",
        "",
        *_table(["fault", "count", "for example", "became"], rows),
    ]


def _examples(items: Sequence[Translated]) -> list[str]:
    rows = [
        [f"{of.chrf:.0f}", *map(table_cell, (of.pair.source, of.translation, of.pair.target))]
        for of in spread_out(items, EXAMPLES)
    ]
    return [
        "## Examples",
        "",
        "From the worst chrF2 to the best, at equal distances; nobody picked them.",
        "",
        *_table(["chrF2", "source", "translation", "reference"], rows),
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _no_formula(text: str) -> str:
    """A cell that no spreadsheet computes: help pages are full of sentences such as =SUM(A1)."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def _with_interval(value: float, interval: Interval) -> str:
    return f"{value:.1f} ({interval[0]:.1f} to {interval[1]:.1f})"
