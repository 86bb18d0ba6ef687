"""What explorers show of word pieces."""

from __future__ import annotations

from mtcourse.figures.explorer import shown_pieces


def test_pieces_that_go_on_with_a_word_begin_with_a_dot():
    shown = shown_pieces(["▁The", "▁", "bak", "er", ".", "<eos>"])
    assert shown == ["The", "▁", "·bak", "·er", ".", "<eos>"]
