"""The words of the built-in language, each with its forms in English and Dutch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun in both languages; a mass noun has no plural forms."""

    english: str
    english_plural: str
    dutch: str
    dutch_plural: str
    article: str
    diminutive: str
    classes: frozenset[str]
    place: tuple[str, str] | None

    @property
    def is_mass(self) -> bool:
        """True for what is not counted: water, bread."""
        return not self.dutch_plural


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb sense: its forms in both languages and what it can be said of."""

    english: str
    english_particle: str
    third: str
    past: str
    participle: str
    ing: str
    dutch: str
    prefix: str
    stem: str
    dutch_third: str
    dutch_past: str
    dutch_past_plural: str
    dutch_participle: str
    auxiliary: str
    frame: str
    preposition: tuple[str, str]
    subjects: frozenset[str]
    objects: frozenset[str]
    aspect: str
    manners: frozenset[str]
    places: frozenset[str]

    @property
    def name(self) -> str:
        """Both infinitives: one English verb may have several Dutch ones."""
        particle = f"_{self.english_particle}" if self.english_particle else ""
        return f"{self.english.replace(' ', '_')}{particle}/{self.prefix}{self.dutch}"


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective in both languages with its degrees."""

    english: str
    english_comparative: tuple[str, ...]
    english_superlative: tuple[str, ...]
    dutch: str
    inflected: str
    comparative: str
    superlative: str
    classes: frozenset[str]
    uses: frozenset[str]

    def goes_with(self, noun: Noun) -> bool:
        """True where the adjective makes sense with the noun."""
        return bool(self.classes & noun.classes) or noun.english in self.classes


@dataclass(frozen=True, slots=True, eq=False)
class Adverb:
    """An adverb of frequency or manner."""

    english: str
    dutch: str
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class TimePhrase:
    """A time phrase and the tenses that it goes with."""

    english: tuple[str, ...]
    dutch: tuple[str, ...]
    tenses: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A first name and the pronoun that stands for it."""

    english: str
    pronoun: str


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Every word of the built-in language."""

    nouns: tuple[Noun, ...]
    verbs: tuple[Verb, ...]
    adjectives: tuple[Adjective, ...]
    adverbs: tuple[Adverb, ...]
    times: tuple[TimePhrase, ...]
    names: tuple[Name, ...]
