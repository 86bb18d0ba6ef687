"""A file is written whole, or what was there before stays."""

from __future__ import annotations

import os
import stat
import sys

import pytest

from mtcourse.whole_files import write_whole


def test_text_and_bytes_are_written_as_they_are_and_folders_made(tmp_path):
    write_whole(tmp_path / "new" / "text", "één\r\nregel\n")
    write_whole(tmp_path / "bytes", b"\x00\xff")
    assert (tmp_path / "new" / "text").read_bytes() == "één\r\nregel\n".encode()
    assert (tmp_path / "bytes").read_bytes() == b"\x00\xff"


def test_what_was_there_stays_if_writing_fails_and_nothing_is_left_behind(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, "before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "after")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no modes of files")
def test_a_private_file_is_its_owners_alone(tmp_path):
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "open", "x")
        write_whole(tmp_path / "private", "x", private=True)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"open": 0o644, "private": 0o600}
