"""What LibreOffice's help says of its own words: labels that people wrote (chapter 16).

The pages mark the words of the interface, menu items, code and keys with spans, and a page's path
says which program it is about. So the help holds labels of single words and of whole sentences, in
every language into which it is translated, and nobody had to annotate anything.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from mtcourse.text.libreoffice import BLOCKS, LANGUAGES, SENTENCE_END
from mtcourse.text.pairs import WORD

WORD_LABELS = ("none", "interface", "menu", "code", "key")
"""The labels of words; "none" is what no span marks."""
_OF_SPAN: Mapping[str, str] = {
    "emph": "interface",
    "menuitem": "menu",
    "literal": "code",
    "input": "code",
    "keycode": "key",
}
MODULES = ("shared", "calc", "writer", "basic", "impress", "draw", "math", "base")
"""The programs that a page can be about, by the folders of the help."""
_OF_FOLDER: Mapping[str, str] = {
    "shared": "shared",
    "scalc": "calc",
    "swriter": "writer",
    "sbasic": "basic",
    "simpress": "impress",
    "sdraw": "draw",
    "smath": "math",
    "sdatabase": "base",
}


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """One sentence of the help with its labels.

    Args:
        text: the sentence.
        spans: where each of its words begins and ends in the text.
        labels: the label of each word, one of ``WORD_LABELS``.
        module: the program that the page is about, one of ``MODULES``.
        origin: the page and the paragraph.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    labels: tuple[str, ...]
    module: str
    origin: str

    @property
    def words(self) -> tuple[str, ...]:
        """Words and punctuation marks, as the text has them."""
        return tuple(self.text[start:end] for start, end in self.spans)

    @property
    def page(self) -> str:
        """The page that the sentence stands on."""
        return self.origin.split("#")[0]


class _MarkedParagraphs(HTMLParser):
    """Collects the characters of each paragraph that has an id, each with the label of its span."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: dict[str, list[tuple[str, str]]] = {}
        self._id: str | None = None
        self._parts: list[tuple[str, str]] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in BLOCKS:
            self._finish()
            self._id, self._parts, self._open = attributes.get("id"), [], []
        elif tag == "span":
            self._open.append((attributes.get("class") or "").split(" ")[0])
        elif tag == "br":
            self._parts.append((" ", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self._finish()
        elif tag == "span" and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._id is not None and "MAC" not in self._open:
            label = next((_OF_SPAN[name] for name in reversed(self._open) if name in _OF_SPAN), "")
            self._parts.append((data, label))

    def _finish(self) -> None:
        if self._id is not None and self._id not in self.paragraphs:
            self.paragraphs[self._id] = self._parts
        self._id = None


def marked_sentences(folder: Path, language: str) -> Iterator[MarkedSentence]:
    """Every sentence of all pages of one language, in the order of the pages.

    Args:
        folder: as ``help_folder`` finds it.
        language: "en", "nl", "fr" or "de".
    """
    base = folder / LANGUAGES[language]
    for page in sorted((base / "text").rglob("*.html")):
        name = page.relative_to(base)
        module = _OF_FOLDER.get(name.parts[1])
        if module is None:
            continue
        parser = _MarkedParagraphs()
        parser.feed(page.read_text(encoding="utf-8"))
        parser.close()
        for identifier, parts in parser.paragraphs.items():
            text, labels = _joined(parts)
            yield from _sentences(text, labels, module, f"{name.as_posix()}#{identifier}")


def _joined(parts: list[tuple[str, str]]) -> tuple[str, list[str]]:
    """One text with single spaces, and the label of each of its characters."""
    characters: list[str] = []
    labels: list[str] = []
    for data, label in parts:
        for character in unicodedata.normalize("NFKC", data.replace("~", "")):
            space = character.isspace()
            if space and (not characters or characters[-1] == " "):
                continue
            characters.append(" " if space else character)
            labels.append(label)
    while characters and characters[-1] == " ":
        characters.pop()
        labels.pop()
    return "".join(characters), labels


def _sentences(text: str, labels: list[str], module: str, origin: str) -> Iterator[MarkedSentence]:
    """The sentences of a paragraph, each with its words."""
    begin = 0
    for end, following in [
        *((m.start(), m.end()) for m in SENTENCE_END.finditer(text)),
        (len(text), len(text)),
    ]:
        spans = tuple(match.span() for match in WORD.finditer(text[begin:end]))
        if spans:
            yield MarkedSentence(
                text[begin:end],
                spans,
                tuple(labels[begin + start] or "none" for start, _ in spans),
                module,
                origin,
            )
        begin = following
