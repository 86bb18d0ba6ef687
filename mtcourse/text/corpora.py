"""Parallel corpora: one type, wherever the sentences come from (A01; chapters 1, 12, 20)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.text.cleaning import LONGEST, CleaningReport, Dropped, clean
from mtcourse.text.files import catalog_language, catalogs_below, language_code, lines, messages
from mtcourse.text.pairs import SentencePair
from mtcourse.text.splitting import draw_groups, split_pairs

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_](?:[A-Za-z]{2,8}|\d{3})){0,2}")

NAMED = 3
"""A corpus made of more catalogs than this is named after the first few alone."""
SHORT = 12
"""Pages of LibreOffice's help that are held out are drawn among those with sentences this short."""


@dataclass(frozen=True)
class ParallelCorpus:
    """Sentence pairs {(X^(i), Y^(i))} in splits that share nothing (A01).

    Args:
        name: what it is called.
        source_language: an ISO 639 code, such as "en".
        target_language: likewise.
        licence: what may be done with the sentences.
        splits: pairs by the name of their split; "train" and "dev" at least.
        version: of the texts, if they have one.
        report: what was left out, and why.
    """

    name: str
    source_language: str
    target_language: str
    licence: str
    splits: Mapping[str, tuple[SentencePair, ...]]
    version: str = ""
    report: CleaningReport = field(default_factory=lambda: CleaningReport(0))

    def __post_init__(self) -> None:
        _check_languages(self.source_language, self.target_language)


def builtin_corpus(train: int = 30_000, seed: int = 1) -> ParallelCorpus:
    """The grammar's English-Dutch sentences, each split made when it is first asked for.

    A process that asks for the same corpus again is given the sentences that it has already made.

    Args:
        train: how many pairs to train on; the size of the test sets does not depend on it.
        seed: the same seed makes the same corpus.
    """
    from mtcourse.text.grammar import DEV, TEST

    splits = _grammar_splits(train, seed)
    kept = train + DEV + 4 * TEST
    return ParallelCorpus(
        "built-in grammar", "en", "nl", "MIT", splits, f"seed {seed}", CleaningReport(kept)
    )


@functools.lru_cache(maxsize=4)
def _grammar_splits(train: int, seed: int) -> Mapping[str, tuple[SentencePair, ...]]:
    from mtcourse.text.grammar import grammar_splits

    return grammar_splits(train=train, seed=seed)


def tsv_corpus(
    path: Path | str, source_language: str, target_language: str, licence: str = "", seed: int = 1
) -> ParallelCorpus:
    """Pairs from a file with one pair a line: source, tab, target, and more references behind tabs.

    Raises:
        MtcourseError: the file is missing, empty, or not UTF-8; the message says where.
    """
    dropped = Dropped()
    pairs: list[SentencePair] = []
    for origin, line in lines(path):
        source, *targets = (part.strip() for part in line.split("\t"))
        pair = SentencePair(
            source, targets[0] if targets else "", tuple(targets[1:]), origin=origin
        )
        if targets:
            pairs.append(pair)
        else:
            dropped.add("no tab in the line", pair)
    return _corpus(Path(path).name, source_language, target_language, licence, pairs, dropped, seed)


def aligned_files_corpus(
    source_path: Path | str,
    target_path: Path | str,
    source_language: str,
    target_language: str,
    licence: str = "",
    seed: int = 1,
) -> ParallelCorpus:
    """Pairs from two files: line i of one translates line i of the other.

    Raises:
        MtcourseError: a file is missing, empty or not UTF-8, or the numbers of lines differ.
    """
    sides = [list(lines(path)) for path in (source_path, target_path)]
    if len(sides[0]) != len(sides[1]):
        raise MtcourseError(
            f"{source_path} has {len(sides[0])} lines, {target_path} has {len(sides[1])}: "
            "line i of one must translate line i of the other"
        )
    pairs = [
        SentencePair(source.strip(), target.strip(), origin=origin)
        for (origin, source), (_, target) in zip(*sides, strict=True)
    ]
    name = f"{Path(source_path).name}, {Path(target_path).name}"
    return _corpus(name, source_language, target_language, licence, pairs, Dropped(), seed)


def gettext_corpus(
    paths: Sequence[Path | str], target_language: str, licence: str = "", seed: int = 1
) -> ParallelCorpus:
    """Pairs from message catalogs (.po, .mo), whose messages are English.

    Fuzzy, untranslated and obsolete messages are left out and counted; keyboard marks are removed;
    of plural forms the first is taken.

    Raises:
        MtcourseError: a catalog is missing or cannot be read.
    """
    dropped = Dropped()
    pairs = [pair for path in paths for pair in messages(Path(path), dropped)]
    names = list(dict.fromkeys(Path(path).name for path in paths))
    name = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" * (len(names) > NAMED))
    return _corpus(name, "en", target_language, licence, pairs, dropped, seed)


def huggingface_corpus(
    name: str,
    source_language: str,
    target_language: str,
    configuration: str | None = None,
    licence: str = "",
    seed: int = 1,
) -> ParallelCorpus:
    """Pairs from a data set with a "translation" column, through Hugging Face ``datasets``.

    Args:
        name: such as "Helsinki-NLP/opus_books".
        source_language: a key of the column's entries.
        target_language: likewise.
        configuration: such as "en-nl".
        licence: what may be done with it: look it up on the data set's page.
        seed: decides the split.

    Raises:
        MtcourseError: ``datasets`` is not installed, or the data set cannot be loaded.
    """
    try:
        from datasets import load_dataset  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise MtcourseError(
            "Hugging Face's datasets is not installed: pip install 'mtcourse[online]'"
        ) from error
    try:
        rows = load_dataset(name, configuration, split="train")
    except Exception as error:  # whatever its many back ends raise: the network is the usual cause
        raise MtcourseError(f"the data set {name!r} cannot be loaded: {error}") from error
    try:
        pairs = [
            SentencePair(
                " ".join((row[source_language] or "").split()),
                " ".join((row[target_language] or "").split()),
                origin=f"{name}:{number}",
            )
            for number, row in enumerate(rows["translation"])
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise MtcourseError(
            f"the data set {name!r} has no translation column with sentences in "
            f"{source_language!r} and {target_language!r}: {error}"
        ) from error
    return _corpus(name, source_language, target_language, licence, pairs, Dropped(), seed)


def libreoffice_corpus(
    target_language: str = "nl",
    root: Path | str | None = None,
    max_words: int = LONGEST,
    seed: int = 1,
) -> ParallelCorpus:
    """English sentences of LibreOffice's help with their translation: the course's real corpus.

    Dev and test come from pages that training never sees, and have no near duplicate there. The
    same pages are held out for every ``max_words``: a model trained on short sentences may be
    scored on all.

    Args:
        target_language: "nl", "fr" or "de".
        root: where the unpacked packages are; None looks where ``make real-data`` and Debian put
            them.
        max_words: the longest sentence on either side, in words.
        seed: decides which pages are held out.

    Raises:
        MtcourseError: the pages are missing; the message says how to get them.
    """
    from mtcourse.text.libreoffice import extract, help_folder, version_of

    folder = help_folder(("en", target_language), root)
    pairs = extract(folder, "en", target_language)
    short = clean(pairs, Dropped(), SHORT)
    split_of = draw_groups(short, _page, len(short) // 29, seed)
    dropped = Dropped()
    cleaned = clean(pairs, dropped, max_words)
    splits = split_pairs(cleaned, _page, split_of, dropped)
    return ParallelCorpus(
        "LibreOffice help",
        "en",
        target_language,
        "MPL-2.0",
        splits,
        version_of(folder),
        dropped.report(sum(map(len, splits.values()))),
    )


def load_corpus(spec: str) -> ParallelCorpus:
    """The corpus that is named so, as on the command line.

    - ``builtin``: the course's own English and Dutch.
    - ``libreoffice``, ``libreoffice:fr`` or ``libreoffice:nl:12`` (sentences of at most 12 words).
    - ``pairs.en-nl.tsv`` or ``text.en,text.nl``: files, whose names give the languages.
    - ``nl.po`` or ``locale/nl/LC_MESSAGES/django.po``: a message catalog.
    - ``locale:nl``: all catalogs below a folder.

    Raises:
        MtcourseError: no corpus is named so; the message lists the names.
    """
    if spec == "builtin":
        return builtin_corpus()
    if spec.split(":")[0] == "libreoffice":
        return _libreoffice_of(spec)
    for pattern, read in _FILES.items():
        if match := re.fullmatch(pattern, spec):
            return read(match)
    folder, _, language = spec.rpartition(":")
    if Path(spec).is_dir():
        return _catalogs_corpus(Path(spec), None)
    if folder and language_code(language) and Path(folder).is_dir():
        return _catalogs_corpus(Path(folder), language)
    raise MtcourseError(
        f"{spec!r} names no corpus: say builtin, libreoffice[:language[:words]], "
        "NAME.en-nl.tsv, SOURCE.en,TARGET.nl, a message catalog such as nl.po, or a folder with "
        "catalogs and its language, FOLDER:nl"
    )


_CODE = r"(\w+(?:-[A-Z]{2})?)"
_FILES: dict[str, Callable[[re.Match[str]], ParallelCorpus]] = {
    rf".*?{_CODE}-{_CODE}\.tsv": lambda m: tsv_corpus(m[0], m[1], m[2]),
    rf"(.+\.{_CODE}),(.+\.{_CODE})": lambda m: aligned_files_corpus(m[1], m[3], m[2], m[4]),
    r".+\.[pm]o": lambda m: gettext_corpus([m[0]], catalog_language(Path(m[0]))),
}


def _catalogs_corpus(folder: Path, language: str | None) -> ParallelCorpus:
    """All catalogs of a tree in one language; it need not be said if there is only one."""
    found = catalogs_below(folder)
    if not found:
        raise MtcourseError(f"there is no message catalog (.po, .mo) below {folder}")
    known = ", ".join(sorted(found))
    if language is None and len(found) > 1:
        raise MtcourseError(
            f"{folder} has catalogs in {known}: say which, as in {folder}:{min(found)}"
        )
    code = language_code(language or min(found))
    if code not in found:
        raise MtcourseError(f"{folder} has no catalog in {language}; it has {known}")
    return gettext_corpus(found[code], code)


def _libreoffice_of(spec: str) -> ParallelCorpus:
    """Reads ``libreoffice[:language[:words]]``."""
    match = re.fullmatch(r"libreoffice(?::(\w+)(?::(\d+))?)?", spec)
    if match is None:
        raise MtcourseError(f"{spec!r} should be libreoffice, libreoffice:nl or libreoffice:nl:12")
    return libreoffice_corpus(match[1] or "nl", max_words=int(match[2] or LONGEST))


def _check_languages(*languages: str) -> None:
    """Codes look like ISO 639, with or without a region."""
    for language in languages:
        if not _LANGUAGE.fullmatch(language):
            raise MtcourseError(
                f"{language!r} is not a language code: use ISO 639, such as en, nl or pt-BR"
            )


def _page(pair: SentencePair) -> str:
    """The page that a pair of LibreOffice's help stands on."""
    return pair.origin.split("#")[0]


def _corpus(
    name: str,
    source_language: str,
    target_language: str,
    licence: str,
    pairs: Sequence[SentencePair],
    dropped: Dropped,
    seed: int,
) -> ParallelCorpus:
    """Cleans and splits: a twentieth of the pairs, at most 1000, for dev and as many for test."""
    _check_languages(source_language, target_language)
    cleaned = clean(pairs, dropped)
    if len(cleaned) < 3:
        raise MtcourseError(
            f"{name} has too few sentence pairs to learn from and to be tested on: "
            f"{dropped.report(len(cleaned))}"
        )
    held_out = min(1000, max(1, len(cleaned) // 20))
    place = attrgetter("origin")  # of each line or message its own
    splits = split_pairs(cleaned, place, draw_groups(cleaned, place, held_out, seed), dropped)
    report = dropped.report(sum(map(len, splits.values())))
    return ParallelCorpus(
        name, source_language, target_language, licence or "not stated", splits, report=report
    )
