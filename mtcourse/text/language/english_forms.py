"""English word forms by rule; the tables hold the irregular forms."""

from __future__ import annotations

import re

_SIBILANT = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_DOUBLING = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$|[^aeiou]el$")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TEENS = ("thir", "four", "fif", "six", "seven", "eigh", "nine")
_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", *(stem + "teen" for stem in _TEENS)),
)


def add_s(word: str) -> str:
    """The plural of a noun and the third person of a verb.

    >>> [add_s(word) for word in ("book", "box", "city", "boy", "go")]
    ['books', 'boxes', 'cities', 'boys', 'goes']
    """
    if _SIBILANT.search(word) or word in ("go", "do"):
        return word + "es"
    return word[:-1] + "ies" if _CONSONANT_Y.search(word) else word + "s"


def add_ed(verb: str) -> str:
    """The regular past tense and participle.

    >>> [add_ed(verb) for verb in ("open", "close", "carry", "hug")]
    ['opened', 'closed', 'carried', 'hugged']
    """
    if verb.endswith("e"):
        return verb + "d"
    if _CONSONANT_Y.search(verb):
        return verb[:-1] + "ied"
    return (verb + verb[-1] if _DOUBLING.search(verb) else verb) + "ed"


def add_ing(verb: str) -> str:
    """The present participle.

    >>> [add_ing(verb) for verb in ("read", "write", "lie", "swim", "see")]
    ['reading', 'writing', 'lying', 'swimming', 'seeing']
    """
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return (verb + verb[-1] if _DOUBLING.search(verb) else verb) + "ing"


def compare(adjective: str, ending: str) -> str:
    """The comparative (``er``) or superlative (``est``) of a short adjective.

    >>> [compare(word, "er") for word in ("old", "big", "happy", "nice", "slow")]
    ['older', 'bigger', 'happier', 'nicer', 'slower']
    """
    if adjective.endswith("e"):
        return adjective + ending[1:]
    if _CONSONANT_Y.search(adjective):
        return adjective[:-1] + "i" + ending
    return (adjective + adjective[-1] if _DOUBLING.search(adjective) else adjective) + ending


def article(following: str) -> str:
    """``a`` or ``an``, by the sound that follows.

    >>> [article(word) for word in ("house", "apple", "honest", "uncle", "umbrella")]
    ['a', 'an', 'an', 'an', 'an']
    """
    if following.startswith(("honest", "hour")):
        return "an"
    return "an" if following[0] in "aeiou" and not following.startswith(("uni", "use")) else "a"


def number_name(number: int) -> str:
    """The name of a whole number from 0 to 99.

    >>> [number_name(n) for n in (7, 13, 40, 99)]
    ['seven', 'thirteen', 'forty', 'ninety-nine']
    """
    if number < 20:
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_UNITS[unit]}" if unit else "")
