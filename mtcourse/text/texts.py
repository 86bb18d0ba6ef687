"""Text in one language or two, for models that are not given pairs (chapters 13 and 15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.text.cleaning import Dropped
from mtcourse.text.corpora import ParallelCorpus, load_corpus
from mtcourse.text.files import lines
from mtcourse.text.pairs import SentencePair
from mtcourse.text.splitting import draw_groups, split_pairs

BOTH = "both"


@dataclass(frozen=True)
class TextCorpus:
    """Sentences in splits that share none.

    Args:
        name: what it is called.
        languages: ISO 639 codes, or nothing where they are not known.
        licence: what may be done with the text.
        splits: sentences by the name of their split; "train" and "dev" at least.
        version: of the texts, if they have one.
    """

    name: str
    languages: tuple[str, ...]
    licence: str
    splits: Mapping[str, tuple[str, ...]]
    version: str = ""


def text_of(corpus: ParallelCorpus, languages: Sequence[str] | None = None) -> TextCorpus:
    """The sentences of a parallel corpus, in one of its languages or in both.

    Where both are taken, the sentences of a pair stand one behind the other, so that a translation
    is always in the split of its original.

    Args:
        corpus: the pairs.
        languages: of the sentences; None takes both.

    Raises:
        MtcourseError: the corpus has no such language.
    """
    sides = {corpus.source_language: "source", corpus.target_language: "target"}
    taken = tuple(languages or sides)
    if unknown := [language for language in taken if language not in sides]:
        raise MtcourseError(
            f"the corpus {corpus.name} has no text in {unknown[0]!r}; it has {', '.join(sides)}"
        )
    splits = {
        name: tuple(
            dict.fromkeys(
                chain.from_iterable([getattr(pair, sides[one]) for one in taken] for pair in pairs)
            )
        )
        for name, pairs in corpus.splits.items()
    }
    return TextCorpus(corpus.name, taken, corpus.licence, splits, corpus.version)


def text_file(path: Path | str, licence: str = "", seed: int = 1) -> TextCorpus:
    """The lines of a text file: a twentieth (at most 1000) for dev, and as many for test.

    Lines that occur twice are taken once, and held-out lines that have a near duplicate among the
    lines to learn from are left out.

    Raises:
        MtcourseError: the file is missing, empty, not UTF-8, or has too few lines.
    """
    known = dict.fromkeys(line.strip() for _, line in lines(path))
    sentences = [line for line in known if line]
    if len(sentences) < 3:
        raise MtcourseError(
            f"{path} has {len(sentences)} different lines: it needs one to learn from, one to "
            "choose the weights by, and one to be tested on"
        )
    numbered = [
        SentencePair(line, line, origin=f"{path}:{number}")
        for number, line in enumerate(sentences, start=1)
    ]
    place = attrgetter("origin")
    drawn = draw_groups(numbered, place, min(1000, max(1, len(numbered) // 20)), seed)
    splits = split_pairs(numbered, place, drawn, Dropped())
    return TextCorpus(
        Path(path).name,
        (),
        licence or "not stated",
        {name: tuple(pair.target for pair in pairs) for name, pairs in splits.items()},
    )


def load_text(spec: str, language: str = BOTH) -> TextCorpus:
    """The text that is named so, as on the command line: a .txt file, or a corpus of pairs.

    Args:
        spec: NAME.txt, or whatever ``load_corpus`` takes.
        language: of a corpus of pairs, one of its two, or "both".

    Raises:
        MtcourseError: the word names no text, or the corpus has no such language.
    """
    if spec.endswith(".txt"):
        return text_file(spec)
    return text_of(load_corpus(spec), None if language == BOTH else [language])
