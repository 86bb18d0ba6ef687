"""From sentences to ids of subword pieces and back, by SentencePiece (chapter 1).

A unigram model with byte fallback: a character that has no piece of its own becomes the bytes of
its UTF-8 form, so that nothing is unknown and every sentence comes back from its ids:
``decode(encode(s)) == normalise(s)``.
"""

from __future__ import annotations

import io
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from mtcourse.errors import MtcourseError
from mtcourse.text.pairs import SentencePair
from mtcourse.whole_files import write_whole

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIAL_PIECES = ("<pad>", "<unk>", "<bos>", "<eos>")
BYTE_PIECES = 256

_WORD = re.compile(r"\w[\w'-]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOO_SMALL = re.compile(r"smaller than required_chars\. \d+ vs (\d+)")
_TOO_LARGE = re.compile(r"too high \(\d+\)\. Please set it to a value <= (\d+)")


def normalise(sentence: str) -> str:
    """Gives the form of a sentence that the tokenizer returns; a second time changes nothing.

    Composed characters (Unicode's NFC); one space between words and none at the ends; "_" for
    U+2581, which SentencePiece keeps for spaces; U+FFFD for half of a surrogate pair, which is not
    a character.

    >>> normalise("  een   mooi\\thuis ")
    'een mooi huis'
    """
    characters = _SURROGATE.sub("\ufffd", sentence).replace("\u2581", "_")
    return " ".join(unicodedata.normalize("NFC", characters).split())


@dataclass(frozen=True)
class Tokenizer:
    """Splits sentences into pieces of one vocabulary; two with the same model are equal.

    Args:
        model: a SentencePiece model, serialized, as ``Tokenizer.train`` makes it.

    Raises:
        MtcourseError: the bytes are not a SentencePiece model, or one with other special pieces.
    """

    model: bytes = field(repr=False)

    def __post_init__(self) -> None:
        expected = list(SPECIAL_PIECES)
        size = self.vocabulary_size
        found = self.pieces(range(min(len(expected), size)))
        bytes_follow = size >= EOS + 1 + BYTE_PIECES and self._processor.is_byte(EOS + BYTE_PIECES)
        if found != expected or not bytes_follow:
            raise MtcourseError(
                f"this SentencePiece model begins with {found}; mtcourse wants {expected} and then "
                f"{BYTE_PIECES} byte pieces: train one with Tokenizer.train"
            )

    @classmethod
    def train(cls, sentences: Iterable[str], vocabulary_size: int) -> Tokenizer:
        """Learns a unigram vocabulary (Kudo 2018); the same sentences give the same model.

        Args:
            sentences: the text to learn from; they may come from a generator.
            vocabulary_size: all pieces: 4 special ones, 256 bytes, the characters, the rest.

        Raises:
            MtcourseError: no text, or a vocabulary size that this text does not allow.
        """
        return cls(_train(_text_to_learn(sentences), vocabulary_size))

    @classmethod
    def train_nearest(cls, sentences: Iterable[str], vocabulary_size: int) -> Tokenizer:
        """Learns a vocabulary of this size, or of the nearest size that the text allows.

        A small text yields fewer pieces than a default asks for; a script of many characters, such
        as Chinese, may need more. SentencePiece says how many.

        Args:
            sentences: as for ``train``.
            vocabulary_size: the number of pieces to try first.

        Raises:
            MtcourseError: no text.
        """
        text = _text_to_learn(sentences)
        sizes = [vocabulary_size]
        while True:
            try:
                return cls(_train(text, sizes[-1]))
            except _WrongSizeError as wrong:
                if wrong.nearest in sizes:
                    raise
                sizes.append(wrong.nearest)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Reads a model that ``save`` wrote.

        Raises:
            MtcourseError: the file cannot be read or holds no such model.
        """
        try:
            return cls(Path(path).read_bytes())
        except OSError as error:
            raise MtcourseError(f"cannot read the tokenizer {path}: {error.strerror}") from error
        except MtcourseError as error:
            raise MtcourseError(f"{path}: {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, whole or not at all.

        Raises:
            MtcourseError: the file cannot be written.
        """
        try:
            write_whole(Path(path), self.model)
        except OSError as error:
            raise MtcourseError(f"cannot write the tokenizer {path}: {error.strerror}") from error

    @property
    def vocabulary_size(self) -> int:
        """The number of pieces, special ones and bytes included."""
        return self._processor.vocab_size()

    @property
    def scores(self) -> list[float]:
        """Each id's log-probability under the unigram model, in nats; 0 for special ones and bytes.

        Source: Kudo (2018), equation 1. Chapter 1.
        """
        return [self._processor.get_score(i) for i in range(self.vocabulary_size)]

    def encode(self, sentence: str) -> list[int]:
        """Gives the ids of a sentence, without <bos> and <eos>."""
        return self.encode_all([sentence])[0]

    def encode_all(self, sentences: Iterable[str]) -> list[list[int]]:
        """Gives the ids of many sentences, faster than one by one."""
        return self._processor.encode([normalise(sentence) for sentence in sentences])

    def encode_with_places(self, sentence: str) -> tuple[list[int], list[int]]:
        """Gives the ids of a sentence, and where in its normalised form the text of each begins.

        The mark of a space belongs to the piece behind it, but not to its text. A piece of a
        character's bytes begins where the character does.
        """
        text = normalise(sentence)
        found = self._processor.encode(text, return_type="offset_mapping")
        places = [
            begin + (end - begin > 1 and text[begin].isspace()) for begin, end in found["offsets"]
        ]
        return found["ids"], places

    def decode(self, ids: Sequence[int]) -> str:
        """Gives the sentence of these ids; special ones are left out.

        Raises:
            MtcourseError: an id that the vocabulary does not have.
        """
        return self.decode_all([ids])[0]

    def decode_all(self, sequences: Iterable[Sequence[int]]) -> list[str]:
        """Gives the sentences of many sequences of ids.

        Raises:
            MtcourseError: an id that the vocabulary does not have.
        """
        lists = [list(ids) for ids in sequences]
        for ids in lists:
            self._check(ids)
        if not lists:
            return []  # SentencePiece would take it for one sentence without ids
        return self._processor.decode([[i for i in ids if i > EOS] for ids in lists])

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """Gives each id's piece as the vocabulary spells it: "▁" begins a word, "<0x41>" is a byte.

        Raises:
            MtcourseError: an id that the vocabulary does not have.
        """
        self._check(ids)
        return self._processor.id_to_piece(list(ids))

    @cached_property
    def _processor(self) -> SentencePieceProcessor:
        """SentencePiece's reader of the model."""
        if not self.model:
            raise MtcourseError("the SentencePiece model is empty")
        try:
            return SentencePieceProcessor(model_proto=self.model)
        except RuntimeError as error:
            raise MtcourseError(
                "this is not a SentencePiece model, or one that was cut short"
            ) from error

    def _check(self, ids: Sequence[int]) -> None:
        """Refuses ids outside the vocabulary."""
        size = self.vocabulary_size
        if ids and not (min(ids) >= 0 and max(ids) < size):
            wrong = next(i for i in ids if not 0 <= i < size)
            raise MtcourseError(
                f"id {wrong} is outside this tokenizer's vocabulary of {size} pieces"
            )


@dataclass(frozen=True)
class TokenizerPair:
    """The tokenizers of both languages; a joint vocabulary is one tokenizer used twice.

    Args:
        source: splits source sentences.
        target: splits target sentences.
    """

    source: Tokenizer
    target: Tokenizer

    @classmethod
    def train(
        cls, pairs: Iterable[SentencePair], vocabulary_size: int, joint: bool = True
    ) -> TokenizerPair:
        """Learns one vocabulary from both sides, or one of this size from each.

        Raises:
            MtcourseError: no text, or a vocabulary size that this text does not allow.
        """
        return cls._trained(pairs, vocabulary_size, joint, Tokenizer.train)

    @classmethod
    def train_nearest(
        cls, pairs: Iterable[SentencePair], vocabulary_size: int, joint: bool = True
    ) -> TokenizerPair:
        """As ``train``, with the nearest size that the text allows.

        Raises:
            MtcourseError: no text.
        """
        return cls._trained(pairs, vocabulary_size, joint, Tokenizer.train_nearest)

    @classmethod
    def _trained(
        cls,
        pairs: Iterable[SentencePair],
        vocabulary_size: int,
        joint: bool,
        train: Callable[[Iterable[str], int], Tokenizer],
    ) -> TokenizerPair:
        """One tokenizer of both sides, or one of each."""
        pairs = list(pairs)
        sources = [pair.source for pair in pairs]
        targets = [pair.target for pair in pairs]
        if joint:
            both = train(sources + targets, vocabulary_size)
            return cls(both, both)
        return cls(train(sources, vocabulary_size), train(targets, vocabulary_size))

    @property
    def joint(self) -> bool:
        """Whether both languages share one vocabulary."""
        return self.source is self.target

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes ``tokenizer.model``, or ``source.model`` and ``target.model``, into a folder.

        Raises:
            MtcourseError: the folder cannot be made or written to.
        """
        joint, source, target = _model_files(folder)
        files = {joint: self.source} if self.joint else {source: self.source, target: self.target}
        for path, tokenizer in files.items():
            tokenizer.save(path)
        for stale in {joint, source, target} - set(files):
            stale.unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> TokenizerPair:
        """Reads what ``save`` wrote.

        Raises:
            MtcourseError: a file is missing, cannot be read or holds no such model.
        """
        joint, source, target = _model_files(folder)
        if source.exists() or target.exists():
            return cls(Tokenizer.load(source), Tokenizer.load(target))
        both = Tokenizer.load(joint)
        return cls(both, both)


def _model_files(folder: str | os.PathLike[str]) -> tuple[Path, Path, Path]:
    """The names of a joint, a source and a target model."""
    folder = Path(folder)
    return folder / "tokenizer.model", folder / "source.model", folder / "target.model"


class _WrongSizeError(MtcourseError):
    """A text does not allow a vocabulary size; ``nearest`` is the nearest one that it allows."""

    def __init__(self, said: str, nearest: int) -> None:
        super().__init__(said)
        self.nearest = nearest


def _text_to_learn(sentences: Iterable[str]) -> list[str]:
    """The sentences in their normal form, and what else SentencePiece has to see."""
    text = [line for sentence in sentences if (line := normalise(sentence))]
    if not text:
        raise MtcourseError("there is no text to train a tokenizer on: every sentence is empty")
    return [*text, *_words_at_an_end(text)]


def _words_at_an_end(text: Iterable[str]) -> list[str]:
    """Each word that occurs at least twice, once more before a full stop, as text to learn from.

    SentencePiece starts with substrings that several different characters follow, and no piece may
    end with a space. So a word that a space always follows, such as *did*, would never become a
    piece, however frequent it is.
    """
    counts = Counter(word for line in text for word in _WORD.findall(line))
    return [f"{word}." for word, count in sorted(counts.items()) if count > 1]


def _train(text: list[str], vocabulary_size: int) -> bytes:
    """SentencePiece's trainer, in memory and silent; errors about the size say what to do.

    A size that does not even hold the special pieces and bytes is raised to these, still too small
    by the characters, because SentencePiece then says how much the text needs.
    """
    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=iter(text),
            model_writer=model,
            model_type="unigram",
            vocab_size=max(vocabulary_size, len(SPECIAL_PIECES) + BYTE_PIECES),
            byte_fallback=True,
            character_coverage=1.0,  # else rare letters, capitals above all, would be bytes
            normalization_rule_name="identity",
            max_sentence_length=1 << 30,  # a longer one would be left out in silence
            num_threads=1,  # the number is written into the model and orders its sums
            minloglevel=2,
            pad_id=PAD,
            unk_id=UNK,
            bos_id=BOS,
            eos_id=EOS,
            pad_piece=SPECIAL_PIECES[PAD],
            unk_piece=SPECIAL_PIECES[UNK],
            bos_piece=SPECIAL_PIECES[BOS],
            eos_piece=SPECIAL_PIECES[EOS],
        )
    except RuntimeError as error:
        raise _size_complaint(str(error), vocabulary_size) from error
    return model.getvalue()


def _size_complaint(message: str, vocabulary_size: int) -> MtcourseError:
    """SentencePiece's message about an impossible size, in plain words."""
    if smallest := _TOO_SMALL.search(message):
        return _WrongSizeError(
            f"a vocabulary of {vocabulary_size} pieces is too small for this text: its characters, "
            f"the 4 special pieces and the 256 bytes need at least {smallest[1]}",
            int(smallest[1]),
        )
    if largest := _TOO_LARGE.search(message):
        return _WrongSizeError(
            f"a vocabulary of {vocabulary_size} pieces is too large for this text: "
            f"it yields at most {largest[1]}; ask for fewer or give more text",
            int(largest[1]),
        )
    return MtcourseError(
        f"SentencePiece could not train a vocabulary of {vocabulary_size} pieces: {message}"
    )
