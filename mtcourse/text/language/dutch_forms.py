"""Dutch word forms by rule; the tables hold the irregular forms.

Long vowels are written double in a closed syllable and single in an open one (maan, manen); a
consonant after a short vowel is doubled before an ending (man, mannen); v and z become f and s
at the end of a syllable (huizen, huis).
"""

from __future__ import annotations

import re

_CLOSED_LONG = re.compile(r"(aa|ee|oo|uu)([bcdfgklmnprstvwz])$")
_CLOSED_SHORT = re.compile(r"(^|[^aeiou])([aeiou])([bdfgklmnprstz])$")
_OPEN_LONG = re.compile(r"(^|[^aeiou])[aeou][bdfgklmnprstvz]$")
_UNSTRESSED = re.compile(r"[aeiouy].*[^aeiou]e[lmnr]$")
_VOICELESS = re.compile(r"(t|k|f|s|ch|p|x)$")
_NO_GE = re.compile(r"^(be|ver|ont|her|er|ge)[^aeiou]*[aeiou]")
_TENS = ("twintig", "dertig", "veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig")
_TEENS = ("der", "veer", "vijf", "zes", "zeven", "acht", "negen")
_UNITS = (
    *("nul", "een", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien"),
    *("elf", "twaalf", *(stem + "tien" for stem in _TEENS)),
)


def open_syllable(word: str) -> str:
    """The stem as it is written before an ending that begins with a vowel.

    >>> [open_syllable(word) for word in ("groot", "wit", "huis", "lief", "open", "hard")]
    ['grot', 'witt', 'huiz', 'liev', 'open', 'hard']
    """
    if word.endswith(("s", "f")) and re.search(r"([aeiou]{2}|ij)[sf]$", word):
        word = word[:-1] + {"s": "z", "f": "v"}[word[-1]]
    if _CLOSED_LONG.search(word):
        return word[:-2] + word[-1]
    if _CLOSED_SHORT.search(word) and not _UNSTRESSED.search(word) and not word.endswith("ig"):
        return word + word[-1]
    return word


def plural(noun: str) -> str:
    """The regular plural.

    >>> [plural(noun) for noun in ("huis", "bal", "tafel", "auto", "tante", "boom", "huisje")]
    ['huizen', 'ballen', 'tafels', "auto's", 'tantes', 'bomen', 'huisjes']
    """
    if _UNSTRESSED.search(noun) or re.search(r"[^aeiou]e$|é$|ie$", noun):
        return noun + "s"
    if re.search(r"([^aeiou][aiouy]|io)$", noun):
        return noun + "'s"
    return open_syllable(noun) + "en"


def diminutive(noun: str) -> str:
    """The regular diminutive: -je, -tje, -pje or -etje.

    >>> [diminutive(noun) for noun in ("huis", "tafel", "boom", "bal", "auto", "ei")]
    ['huisje', 'tafeltje', 'boompje', 'balletje', 'autootje', 'eitje']
    """
    if re.search(r"[^aeiou][aou]$", noun):
        return noun + noun[-1] + "tje"
    if _UNSTRESSED.search(noun) and not noun.endswith("m"):
        return noun + "tje"
    if re.search(r"(^|[^aeiou])[aeiou][lmnr]$", noun) and not _UNSTRESSED.search(noun):
        return noun + noun[-1] + "etje"
    if noun.endswith("m"):
        return noun + "pje"
    return noun + ("tje" if re.search(r"([aeiou][aeiou]|ij)[lnr]?$|[aeiou]w$", noun) else "je")


def inflected(adjective: str) -> str:
    """The adjective with -e.

    >>> [inflected(word) for word in ("mooi", "groot", "wit", "boos", "lui")]
    ['mooie', 'grote', 'witte', 'boze', 'luie']
    """
    return open_syllable(adjective) + "e"


def comparative(adjective: str) -> str:
    """The comparative: -er, and -der after r.

    >>> [comparative(word) for word in ("groot", "duur", "dik")]
    ['groter', 'duurder', 'dikker']
    """
    return adjective + "der" if adjective.endswith("r") else open_syllable(adjective) + "er"


def superlative(adjective: str) -> str:
    """The superlative: -st, and -t after s."""
    return adjective + ("t" if adjective.endswith("s") else "st")


def stem(infinitive: str) -> str:
    """The first person singular of the present.

    >>> [stem(verb) for verb in ("maken", "pakken", "leven", "openen", "gaan", "zien", "doen")]
    ['maak', 'pak', 'leef', 'open', 'ga', 'zie', 'doe']
    """
    if infinitive.endswith("aan"):
        return infinitive[:-2]
    if re.search(r"^[^aeiou]*(ie|oe)n$", infinitive):
        return infinitive[:-1]
    bare = infinitive[:-2]
    if bare[-1] == bare[-2]:
        return bare[:-1]
    if _OPEN_LONG.search(bare) and not _UNSTRESSED.search(bare):
        bare = bare[:-1] + bare[-2:]
    return re.sub(r"z$", "s", re.sub(r"v$", "f", bare))


def third_person(stem_form: str) -> str:
    """The second and third person singular of the present: -t.

    >>> [third_person(form) for form in ("werk", "zit", "ga")]
    ['werkt', 'zit', 'gaat']
    """
    if re.search(r"[^a]a$", stem_form):
        return stem_form + "at"
    return stem_form if stem_form.endswith("t") else stem_form + "t"


def weak_past(infinitive: str, stem_form: str) -> tuple[str, str, str]:
    """Past singular, past plural and participle of a weak verb: -te after a voiceless consonant.

    >>> weak_past("werken", "werk"), weak_past("reizen", "reis")
    (('werkte', 'werkten', 'gewerkt'), ('reisde', 'reisden', 'gereisd'))
    """
    dental = "t" if _VOICELESS.search(infinitive.removesuffix("en")) else "d"
    participle = stem_form if stem_form.endswith(dental) else stem_form + dental
    if not _NO_GE.match(stem_form):
        participle = "ge" + participle
    return stem_form + dental + "e", stem_form + dental + "en", participle


def number_name(number: int) -> str:
    """The name of a whole number from 0 to 99.

    >>> [number_name(n) for n in (7, 14, 22, 35)]
    ['zeven', 'veertien', 'tweeëntwintig', 'vijfendertig']
    """
    if number == 1:
        return "één"
    if number < 20:
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    if not unit:
        return _TENS[tens - 2]
    joint = "ën" if _UNITS[unit].endswith("e") else "en"
    return _UNITS[unit] + joint + _TENS[tens - 2]
