"""What a training run keeps of its corpus, so that nobody needs the corpus afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.known_words import known_words
from mtcourse.text.pairs import SentencePair
from mtcourse.whole_files import write_whole

RECORD = "corpus.json"
FORMAT = 1


@dataclass(frozen=True)
class CorpusRecord:
    """The facts of a corpus, the words that it teaches, and its test set.

    Args:
        name: what the corpus is called.
        version: of its texts, if they have one.
        source_language: an ISO 639 code.
        target_language: likewise.
        licence: of its sentences.
        sizes: pairs in each split.
        known: the words of the training split's source side, in small letters.
        test: the split "test"; nothing if the corpus has none.
    """

    name: str
    version: str
    source_language: str
    target_language: str
    licence: str
    sizes: Mapping[str, int]
    known: tuple[str, ...]
    test: tuple[SentencePair, ...] = ()

    @classmethod
    def of(cls, corpus: ParallelCorpus) -> CorpusRecord:
        """The record of a corpus."""
        return cls(
            corpus.name,
            corpus.version,
            corpus.source_language,
            corpus.target_language,
            corpus.licence,
            {name: len(pairs) for name, pairs in corpus.splits.items()},
            tuple(known_words(pair.source for pair in corpus.splits["train"])),
            tuple(
                SentencePair(pair.source, pair.target, pair.references)
                for pair in corpus.splits.get("test", ())
            ),
        )

    def without_test(self) -> CorpusRecord:
        """The same without the sentences of the test set."""
        return replace(self, test=())

    def save(self, folder: Path | str) -> None:
        """Writes ``corpus.json`` into the folder of a run, whole or not at all."""
        values = asdict(self) | {
            "format": FORMAT,
            "test": [[pair.source, pair.target, *pair.references] for pair in self.test],
        }
        text = json.dumps(values, ensure_ascii=False, indent=1)
        write_whole(Path(folder) / RECORD, text + "\n")

    @classmethod
    def load(cls, folder: Path | str) -> CorpusRecord | None:
        """The record of the run in a folder; None where an older version of mtcourse trained it.

        Raises:
            MtcourseError: the record cannot be read.
        """
        path = Path(folder) / RECORD
        if not path.exists():
            return None
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls(**_checked(values))
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise MtcourseError(
                f"{path} is not what a training run keeps of its corpus: {error!r}"
            ) from error


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record as JSON holds them."""
    if (found := values.pop("format")) != FORMAT:
        raise ValueError(f"format {found!r}, this version of mtcourse reads {FORMAT}")
    pairs = [SentencePair(source, target, tuple(more)) for source, target, *more in values["test"]]
    return values | {"known": tuple(values["known"]), "test": tuple(pairs)}
