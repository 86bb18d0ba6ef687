"""Reads the tables of words and checks every entry.

One line of a table is one word; ``-`` stands for a form that the rules give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from mtcourse.errors import MtcourseError
from mtcourse.text.language import dutch_forms, english_forms
from mtcourse.text.language.lexicon import (
    Adjective,
    Adverb,
    Lexicon,
    Name,
    Noun,
    TimePhrase,
    Verb,
)

PREPOSITIONS = {"in": "in", "on": "op", "at": "op"}
_ASPECTS = ("action", "event", "feeling", "motion", "posture", "state")
TENSES = ("present", "progressive", "past", "future", "modal")


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a table, which complains with its file and line."""

    file: str
    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def error(self, fault: str, remedy: str) -> MtcourseError:
        return MtcourseError(f"{self.file}, line {self.line}: {fault}; {remedy}")

    def given(self, column: str, otherwise: Callable[[str], str], word: str) -> str:
        """The cell, or what the rule makes of the word where the cell is ``-``."""
        return otherwise(word) if self[column] == "-" else self[column]

    def names(self, column: str, known: frozenset[str], what: str) -> frozenset[str]:
        """The comma-separated names of a cell, each of them known."""
        names = frozenset(self[column].split(",")) if self[column] != "-" else frozenset[str]()
        for name in sorted(names - known):
            raise self.error(
                f"unknown {what} {name!r} in column {column!r}",
                f"correct it, or add it to its table; known: {', '.join(sorted(known)[:60])}",
            )
        return names

    def one_of(self, column: str, allowed: tuple[str, ...]) -> str:
        """The cell, which must be one of the allowed values."""
        if self[column] not in allowed:
            raise self.error(
                f"{self[column]!r} in column {column!r}", f"write one of {', '.join(allowed)}"
            )
        return self[column]


def _rows(folder: Traversable, file: str, key: tuple[str, ...]) -> Iterator[_Row]:
    """The lines of one table, complete and without duplicates."""
    try:
        text = (folder / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MtcourseError(f"{file}: cannot be read as UTF-8 text ({error})") from error
    header, *lines = text.splitlines()
    columns = header.split("\t")
    first_seen: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        row = _Row(file, number, dict(zip(columns, cells, strict=False)))
        if len(cells) != len(columns):
            fault = f"{len(cells)} columns instead of {len(columns)}"
            raise row.error(fault, f"separate by single tabs: {', '.join(columns)}")
        for column, cell in row.cells.items():
            if not cell or cell != cell.strip():
                raise row.error(f"column {column!r} is {cell!r}", "write '-' for an empty cell")
        identity = tuple(row[column] for column in key)
        if identity in first_seen:
            fault = f"{' '.join(identity)!r} stands already in line {first_seen[identity]}"
            raise row.error(fault, "delete one of the two")
        first_seen[identity] = number
        yield row


def _noun(row: _Row, classes: frozenset[str]) -> Noun:
    english, dutch = row["english"], row["dutch"]
    article = row.one_of("article", ("de", "het"))
    if (row["plural"] == "none") != (row["meervoud"] == "none"):
        raise row.error("'none' in one plural only", "a mass noun has 'none' in both")
    is_mass = row["plural"] == "none"
    place = None
    if row["place"] != "-":
        before, _, after = row["place"].partition("/")
        if PREPOSITIONS.get(before) != after:
            choices = ", ".join(f"{left}/{right}" for left, right in PREPOSITIONS.items())
            raise row.error(f"place {row['place']!r}", f"write '-' or one of {choices}")
        place = (before, after)
    own_classes = row.names("classes", classes, "class")
    if english in classes and english not in own_classes:
        remedy = f"put {english!r} into its own class, or rename the class"
        raise row.error(f"{english!r} is also the name of a class", remedy)
    small = row["diminutive"]
    return Noun(
        english=english,
        english_plural="" if is_mass else row.given("plural", english_forms.add_s, english),
        dutch=dutch,
        dutch_plural="" if is_mass else row.given("meervoud", dutch_forms.plural, dutch),
        article=article,
        diminutive={"+": dutch_forms.diminutive(dutch), "-": ""}.get(small, small),
        classes=own_classes,
        place=place,
    )


def _dutch_verb(row: _Row, infinitive: str) -> tuple[str, tuple[str, str, str]]:
    """The present stem, and past singular, past plural and participle without prefix."""
    forms = [] if row["forms"] == "-" else row["forms"].split(",")
    if len(forms) not in (0, 1, 3, 4):
        remedy = "write '-', the stem, 'past,past plural,participle', or the stem and these three"
        raise row.error(f"{len(forms)} Dutch forms", remedy)
    stem = forms.pop(0) if len(forms) in (1, 4) else dutch_forms.stem(infinitive)
    past, past_plural, participle = forms or dutch_forms.weak_past(infinitive, stem)
    return stem, (past, past_plural, participle)


def _verb(row: _Row, known: frozenset[str], manners: frozenset[str]) -> Verb:
    english, _, particle = row["english"].partition("+")
    first, _, rest = english.partition(" ")
    tail = f" {rest}" if rest else ""
    prefix, _, infinitive = row["dutch"].rpartition("+")
    if not infinitive.endswith("n"):
        raise row.error(f"{infinitive!r} is no Dutch infinitive", "it ends in -n")
    stem, (past, past_plural, participle) = _dutch_verb(row, infinitive)
    frame, preposition = row["frame"], ("", "")
    if "/" in frame:
        before, _, after = frame.partition("/")
        frame, preposition = "prepositional", (before.strip("-"), after)
    elif frame not in ("-", "object", "recipient", "place", "clause"):
        remedy = (
            "write -, object, recipient, place, clause, or the two prepositions as in 'to/naar'"
        )
        raise row.error(f"frame {frame!r}", remedy)
    if (row["object"] == "-") != (frame in ("-", "clause")):
        raise row.error("frame and object do not go together", "give both, or '-' for both")
    return Verb(
        english=english,
        english_particle=particle,
        third=("has" if first == "have" else english_forms.add_s(first)) + tail,
        past=row.given("past", english_forms.add_ed, first) + tail,
        participle=row.given("participle", english_forms.add_ed, first) + tail,
        ing=english_forms.add_ing(first) + tail,
        dutch=infinitive,
        prefix=prefix,
        stem=stem,
        dutch_third="heeft" if infinitive == "hebben" else dutch_forms.third_person(stem),
        dutch_past=past,
        dutch_past_plural=past_plural,
        dutch_participle=prefix + participle,
        auxiliary=row.one_of("auxiliary", ("hebben", "zijn")),
        frame=frame,
        preposition=preposition,
        subjects=row.names("subject", known, "class or noun"),
        objects=row.names("object", known, "class or noun"),
        aspect=row.one_of("aspect", _ASPECTS),
        manners=row.names("manner", manners, "kind of adverb"),
        places=row.names("place", known, "class or noun"),
    )


def _adjective(row: _Row, known: frozenset[str]) -> Adjective:
    english, dutch = row["english"], row["dutch"]
    comparative, _, superlative = row["vergrotend"].partition(",")
    if comparative == "-":
        comparative = dutch_forms.comparative(dutch)
    inflected = (
        "" if row["verbogen"] == "none" else row.given("verbogen", dutch_forms.inflected, dutch)
    )
    return Adjective(
        english=english,
        english_comparative=_degree(english, row["comparative"], "er"),
        english_superlative=_degree(english, row["superlative"], "est"),
        dutch=dutch,
        inflected=inflected,
        comparative=comparative,
        superlative=superlative or dutch_forms.superlative(dutch),
        classes=row.names("classes", known, "class or noun"),
        uses=row.names("use", frozenset(("graded", "size", "colour", "mood", "excess")), "use"),
    )


def _degree(english: str, cell: str, ending: str) -> tuple[str, ...]:
    """The words of a degree: ``bigger``, ``more expensive``."""
    if cell in ("more", "most"):
        return (cell, english)
    return (english_forms.compare(english, ending) if cell == "-" else cell,)


def read_lexicon(folder: Traversable) -> Lexicon:
    """Reads the tables of a folder, for instance after adding a word.

    Args:
        folder: holds classes.tsv, nouns.tsv, verbs.tsv, adjectives.tsv, adverbs.tsv, times.tsv
            and names.tsv.

    Raises:
        MtcourseError: if an entry is misspelt; the message names the file and the line.
    """
    classes = frozenset(row["class"] for row in _rows(folder, "classes.tsv", ("class",)))
    nouns = tuple(_noun(row, classes) for row in _rows(folder, "nouns.tsv", ("english",)))
    known = classes | {noun.english for noun in nouns}
    kinds = ("frequency", "perfect", "pace", "care", "volume", "well", "together")
    adverbs = tuple(
        Adverb(row["english"], row["dutch"], row.one_of("kind", kinds))
        for row in _rows(folder, "adverbs.tsv", ("english",))
    )
    manners = frozenset(kinds[2:])
    tenses = frozenset(TENSES)
    return Lexicon(
        nouns=nouns,
        verbs=tuple(
            _verb(row, known, manners)
            for row in _rows(folder, "verbs.tsv", ("english", "dutch", "frame"))
        ),
        adjectives=tuple(
            _adjective(row, known) for row in _rows(folder, "adjectives.tsv", ("english",))
        ),
        adverbs=adverbs,
        times=tuple(
            TimePhrase(
                tuple(row["english"].split()),
                tuple(row["dutch"].split()),
                row.names("tenses", tenses, "tense"),
            )
            for row in _rows(folder, "times.tsv", ("english",))
        ),
        names=tuple(
            Name(row["name"], row.one_of("pronoun", ("he", "she")))
            for row in _rows(folder, "names.tsv", ("name",))
        ),
    )


@lru_cache(maxsize=1)
def load_lexicon() -> Lexicon:
    """The words of the tables that come with the package."""
    return read_lexicon(files("mtcourse.text.language") / "tables")
