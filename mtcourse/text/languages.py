"""What languages are called in English, and in which direction they are written."""

from __future__ import annotations

_NAMES = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian",
    "bg": "Bulgarian", "bn": "Bengali", "br": "Breton", "bs": "Bosnian", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "dsb": "Lower Sorbian",
    "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "fy": "West Frisian",
    "ga": "Irish", "gd": "Scottish Gaelic", "gl": "Galician", "gu": "Gujarati", "he": "Hebrew",
    "hi": "Hindi", "hr": "Croatian", "hsb": "Upper Sorbian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian",
    "kk": "Kazakh", "km": "Khmer", "kn": "Kannada", "ko": "Korean", "la": "Latin",
    "lb": "Luxembourgish", "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian",
    "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese",
    "my": "Burmese", "nb": "Norwegian Bokmål", "ne": "Nepali", "nl": "Dutch",
    "nn": "Norwegian Nynorsk", "no": "Norwegian", "oc": "Occitan", "pa": "Punjabi", "pl": "Polish",
    "ps": "Pashto", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala",
    "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish",
    "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tl": "Tagalog", "tr": "Turkish",
    "ug": "Uyghur", "uk": "Ukrainian", "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese",
    "yi": "Yiddish", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip
_RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "ug", "ur", "yi"}
_SPACELESS = {"ja", "km", "lo", "my", "th", "yue", "zh"}
_SCRIPTS = {"arab": "rtl", "hebr": "rtl", "thaa": "rtl", "latn": "ltr", "cyrl": "ltr"}


def language_tag(code: str) -> str:
    """A code as HTML's ``lang`` wants it: pt-BR for pt_BR."""
    return code.replace("_", "-")


def language_name(code: str) -> str:
    """What a language is called in English; its code, where this table has no name.

    >>> language_name("pt-BR"), language_name("tlh")
    ('Portuguese (BR)', 'tlh')
    """
    base, _, region = language_tag(code).partition("-")
    if base not in _NAMES:
        return code
    return f"{_NAMES[base]} ({region})" if region else _NAMES[base]


def sentence_in(code: str) -> str:
    """What to ask for: a sentence in a language.

    >>> sentence_in("en"), sentence_in("pt-BR"), sentence_in("uk"), sentence_in("tlh")
    ('An English sentence', 'A Portuguese sentence', 'A Ukrainian sentence', 'A sentence in tlh')
    """
    name = _NAMES.get(language_tag(code).partition("-")[0])
    if name is None:
        return f"A sentence in {code}"
    vowel = name[0] in "AEIOU" and not name.startswith(("Uk", "Uy"))
    return f"{'An' if vowel else 'A'} {name} sentence"


def writes_no_spaces(code: str) -> bool:
    """Whether a language is written without spaces between words, so that words cannot be counted.

    >>> writes_no_spaces("zh-TW"), writes_no_spaces("ko")
    (True, False)
    """
    return language_tag(code).partition("-")[0] in _SPACELESS


def direction(code: str) -> str:
    """ "rtl" for a language that is written from right to left, else "ltr".

    Where the code names a script, as az-Arab and ur-Latn do, the script decides.
    """
    base, *others = language_tag(code).lower().split("-")
    for part in others:
        if part in _SCRIPTS:
            return _SCRIPTS[part]
    return "rtl" if base in _RIGHT_TO_LEFT else "ltr"
