"""Sentences survive the way into ids and back; impossible requests are refused in plain words."""

from __future__ import annotations

import os
import pickle
import random
import re
import sys
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import BOS, EOS, PAD, UNK, Tokenizer, TokenizerPair, normalise

ENGLISH = "the old baker opened a shop yesterday because she had bought bread for her sister"
DUTCH = "de oude bakker opende gisteren een winkel omdat zij brood voor haar zus gekocht had"


def sentences(vocabulary: str, count: int, seed: int) -> list[str]:
    """Sentences of eight random words."""
    generator = random.Random(seed)
    return [" ".join(generator.choices(vocabulary.split(), k=8)) + "." for _ in range(count)]


TEXT = sentences(ENGLISH, 200, seed=1) + sentences(DUTCH, 200, seed=2)
TOKENIZER = Tokenizer.train(TEXT, 310)
PAIRS = [
    SentencePair(source, target)
    for source, target in zip(
        sentences(ENGLISH, 200, seed=3), sentences(DUTCH, 200, seed=4), strict=True
    )
]

any_string = st.text(st.characters(exclude_categories=()))  # halves of surrogate pairs too


@given(any_string)
@settings(deadline=None, max_examples=300)
@example("  two  spaces\tand\u00a0kinds\u2003of them\n")
@example("\u2581the\u2581old \u2581 _")
@example("<pad> <unk> <bos> <eos> <s> </s> <0x41> ⁇")
@example("e\u0301 versus \u00e9")
@example("\x00 \ufeff\ufffd \ud83d alone, \U0001f600 whole")
@example("")
def test_any_string_comes_back_up_to_normalisation(s: str) -> None:
    ids = TOKENIZER.encode(s)
    assert TOKENIZER.decode(ids) == normalise(s)
    assert all(i > EOS for i in ids), "text never becomes a special id"


def test_every_unicode_character_comes_back() -> None:
    """All 1,114,112 code points, each between two letters so that white space is not at an end."""
    lines = [
        "".join(f"a{chr(c)}" for c in range(start, start + 4096)) + "a"
        for start in range(0, sys.maxunicode + 1, 4096)
    ]
    assert TOKENIZER.decode_all(TOKENIZER.encode_all(lines)) == [normalise(line) for line in lines]


@given(any_string)
@settings(deadline=None)
def test_normalisation_is_idempotent_and_keeps_the_words(s: str) -> None:
    once = normalise(s)
    assert normalise(once) == once
    assert len(once.split()) == len(s.replace("\u2581", "_").split())


def test_ordinary_text_is_not_changed() -> None:
    for sentence in [*TEXT, "Zij zei: 'Één café, 12,50 euro – ja!'", "naïeve coördinatie"]:
        assert normalise(sentence) == sentence


@given(st.lists(any_string, max_size=5))
@settings(deadline=None, max_examples=50)
def test_many_at_once_equal_one_by_one(batch: list[str]) -> None:
    encoded = TOKENIZER.encode_all(batch)
    assert encoded == [TOKENIZER.encode(s) for s in batch]
    assert TOKENIZER.decode_all(encoded) == [TOKENIZER.decode(ids) for ids in encoded]


def test_pieces_spell_the_sentence() -> None:
    pieces = TOKENIZER.pieces(TOKENIZER.encode("the old baker"))
    assert "".join(pieces) == "▁the▁old▁baker"


def test_special_ids_are_fixed_and_leave_no_trace_in_the_text() -> None:
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)
    assert TOKENIZER.pieces([PAD, UNK, BOS, EOS, 4]) == [
        "<pad>",
        "<unk>",
        "<bos>",
        "<eos>",
        "<0x00>",
    ]
    ids = TOKENIZER.encode("the old baker")
    assert TOKENIZER.decode([BOS, *ids[:1], UNK, *ids[1:], EOS, PAD, PAD]) == "the old baker"


def test_bytes_that_make_no_character_are_shown_and_do_not_fail() -> None:
    _, first_byte, _ = TOKENIZER.encode("é")  # after the piece that begins a word
    assert "\ufffd" in TOKENIZER.decode([first_byte])


@pytest.mark.parametrize("ids", [[310], [-1], [5, 100_000], [1 << 40]])
def test_ids_outside_the_vocabulary_are_refused(ids: list[int]) -> None:
    with pytest.raises(MtcourseError, match=f"id {ids[-1]} is outside .* 310 pieces"):
        TOKENIZER.decode(ids)
    with pytest.raises(MtcourseError, match="outside"):
        TOKENIZER.pieces(ids)


def test_training_is_deterministic_silent_and_takes_a_generator(
    capfd: pytest.CaptureFixture[str],
) -> None:
    again = Tokenizer.train((sentence for sentence in TEXT), 310)
    assert again == TOKENIZER
    assert again.vocabulary_size == 310
    assert capfd.readouterr() == ("", "")


def test_a_size_that_is_too_large_names_the_largest_which_works() -> None:
    with pytest.raises(MtcourseError, match="5000 pieces is too large") as refusal:
        Tokenizer.train(TEXT, 5000)
    largest = int(re.findall(r"at most (\d+)", str(refusal.value))[0])
    assert Tokenizer.train(TEXT, largest).vocabulary_size == largest
    with pytest.raises(MtcourseError, match="too large"):
        Tokenizer.train(TEXT, largest + 1)


@pytest.mark.parametrize("size", [-5, 0, 1, 100, 262])
def test_a_size_that_is_too_small_names_the_smallest_which_works(size: int) -> None:
    with pytest.raises(MtcourseError, match=f"{size} pieces is too small") as refusal:
        Tokenizer.train(TEXT, size)
    smallest = int(re.findall(r"at least (\d+)", str(refusal.value))[0])
    assert Tokenizer.train(TEXT, smallest).vocabulary_size == smallest


LETTERS = {
    "few": "abcdefghij ",
    "many": "".join(chr(0x4E00 + 7 * i) for i in range(2400)),
}


@pytest.mark.parametrize("count", [2, 5, 20, 100])
@pytest.mark.parametrize("script", LETTERS)
@given(data=st.data())
@settings(deadline=None, max_examples=6)
def test_a_size_that_does_not_fit_becomes_the_nearest(count, script, data) -> None:
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    text = ["".join(rng.choices(LETTERS[script], k=30)) + "a" for _ in range(count)]
    for asked in (1, 260, 300, 2000):
        tokenizer = Tokenizer.train_nearest(text, asked)
        found = tokenizer.vocabulary_size
        assert tokenizer.decode_all(tokenizer.encode_all(text)) == list(map(normalise, text))
        if found == asked:
            continue
        with pytest.raises(MtcourseError, match="too large" if found < asked else "too small"):
            Tokenizer.train(text, asked)
        # No size between the two works.
        with pytest.raises(MtcourseError, match="too"):
            Tokenizer.train(text, found + (1 if found < asked else -1))


def test_a_joint_and_two_separate_vocabularies_fit() -> None:
    pairs = [SentencePair("the dog", "de hond"), SentencePair("the cat", "de kat")]
    joint = TokenizerPair.train_nearest(pairs, 2000)
    separate = TokenizerPair.train_nearest(pairs, 2000, joint=False)
    assert joint.joint
    assert not separate.joint
    assert 260 < separate.source.vocabulary_size <= joint.source.vocabulary_size < 2000


@pytest.mark.parametrize("nothing", [[], ["", "  \n"]])
def test_no_text_is_refused(nothing: list[str]) -> None:
    with pytest.raises(MtcourseError, match="no text"):
        Tokenizer.train(nothing, 300)


def test_a_saved_tokenizer_is_the_same_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path / "new" / "t.model")
    assert Tokenizer.load(tmp_path / "new" / "t.model") == TOKENIZER
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["t.model"]
    assert pickle.loads(pickle.dumps(TOKENIZER)).encode("the old") == TOKENIZER.encode("the old")


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.model"
    path.write_bytes(b"old")

    def full_disk(source: object, destination: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(MtcourseError, match="No space left"):
        TOKENIZER.save(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "content", [b"", b"no model", bytes(20), TOKENIZER.model[:100], TOKENIZER.model[:-10]]
)
def test_a_file_that_is_no_model_is_refused_by_name(
    tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.model"
    path.write_bytes(content)
    with pytest.raises(MtcourseError, match=r"broken\.model: .*SentencePiece model"):
        Tokenizer.load(path)
    assert capfd.readouterr() == ("", "")


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(MtcourseError, match=r"missing\.model: No such file"):
        Tokenizer.load(tmp_path / "missing.model")
    with pytest.raises(MtcourseError, match="directory"):
        Tokenizer.load(tmp_path)


@pytest.mark.parametrize("options", [{}, {"byte_fallback": True}])
def test_a_model_with_other_special_pieces_is_refused(tmp_path: Path, options: dict) -> None:
    foreign = tmp_path / "foreign.model"
    with foreign.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXT),
            model_writer=file,
            vocab_size=310 if options else 40,
            minloglevel=2,
            **options,
        )
    with pytest.raises(MtcourseError, match=r"foreign\.model: .* begins with \['<unk>'"):
        Tokenizer.load(foreign)


def test_a_joint_vocabulary_is_one_tokenizer(tmp_path: Path) -> None:
    pair = TokenizerPair.train(iter(PAIRS), 310)
    assert pair.joint
    assert pair.source is pair.target
    pair.save(tmp_path)
    loaded = TokenizerPair.load(tmp_path)
    assert loaded == pair
    assert loaded.joint


def test_separate_vocabularies_know_their_own_language(tmp_path: Path) -> None:
    pair = TokenizerPair.train(PAIRS, 295, joint=False)
    assert not pair.joint
    assert pair.source.vocabulary_size == pair.target.vocabulary_size == 295
    dutch = PAIRS[0].target
    assert len(pair.target.encode(dutch)) < len(pair.source.encode(dutch))
    pair.save(tmp_path)
    loaded = TokenizerPair.load(tmp_path)
    assert loaded == pair
    assert not loaded.joint


def test_the_pair_saved_last_is_the_pair_loaded(tmp_path: Path) -> None:
    joint = TokenizerPair(TOKENIZER, TOKENIZER)
    separate = TokenizerPair.train(PAIRS, 295, joint=False)
    for pair in (joint, separate, joint):
        pair.save(tmp_path)
        assert TokenizerPair.load(tmp_path) == pair


def test_half_a_pair_is_refused_by_the_missing_name(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path / "source.model")
    with pytest.raises(MtcourseError, match=r"target\.model"):
        TokenizerPair.load(tmp_path)


@pytest.fixture(scope="module")
def grammatical() -> list[str]:
    """Sentences in which "did" and "not" are frequent, and always followed by a space."""
    sentences = [pair.source for pair in sample_pairs(3000, seed=1)]
    assert not any("not." in sentence or "did." in sentence for sentence in sentences)
    return sentences


def test_a_frequent_word_that_a_space_always_follows_is_one_piece(grammatical):
    # SentencePiece by itself would not even consider it.
    tokenizer = Tokenizer.train(grammatical, 800)
    assert tokenizer.pieces(tokenizer.encode("They did not open it."))[1:3] == ["▁did", "▁not"]


def test_a_rare_letter_is_a_piece_and_no_bytes(grammatical):
    tokenizer = Tokenizer.train([*grammatical, "Zoë waits."], 800)
    assert not any(piece.startswith("<0x") for piece in tokenizer.pieces(tokenizer.encode("Zoë")))


def test_places_are_found_without_protobuf(monkeypatch):
    """SentencePiece asks for it in some of its ways; the package does not install it."""
    for name in [*sys.modules]:
        if name.startswith("google"):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    tokenizer = Tokenizer.train([pair.source for pair in PAIRS], 290)
    ids, places = tokenizer.encode_with_places("The dog")
    assert len(ids) == len(places) > 1
