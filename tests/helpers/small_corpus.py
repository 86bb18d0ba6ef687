"""A handful of sentence pairs for tests that need text and no particular one."""

from __future__ import annotations

from functools import cache

from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import Tokenizer

PAIRS = tuple(
    SentencePair(source, target)
    for source, target in [
        ("The old dog sleeps.", "De oude hond slaapt."),
        ("The small cat sees a house.", "De kleine kat ziet een huis."),
        ("Do you see the man?", "Zie jij de man?"),
        ("The man does not see the dog.", "De man ziet de hond niet."),
        ("A woman reads a new book.", "Een vrouw leest een nieuw boek."),
        ("The new house is small.", "Het nieuwe huis is klein."),
        ("The child gives the dog an apple.", "Het kind geeft de hond een appel."),
        ("We have read the old book.", "Wij hebben het oude boek gelezen."),
        ("The cat sleeps because it is old.", "De kat slaapt omdat zij oud is."),
        ("Yesterday the woman bought a bicycle.", "Gisteren kocht de vrouw een fiets."),
        ("I do not eat bread.", "Ik eet geen brood."),
        ("They will open the door tomorrow.", "Zij zullen de deur morgen openen."),
    ]
)


@cache
def small_tokenizer() -> Tokenizer:
    """A tokenizer of their Dutch and English."""
    return Tokenizer.train([side for pair in PAIRS for side in (pair.source, pair.target)], 360)
