"""The archive holds the whole book, is the same each time, and refuses a book with a fault."""

from __future__ import annotations

import os
import zipfile

import pytest

from scripts import build_archive
from tests.course.test_site_links import SOUND, Site, site


def packed(html, to) -> bytes:
    assert build_archive.main(["--html", str(html), "--to", str(to)]) == 0
    return to.read_bytes()


def test_what_is_unpacked_is_the_book_and_is_whole(tmp_path, capsys):
    site(tmp_path / "html", **{".buildinfo": "x"})
    packed(tmp_path / "html", tmp_path / "book.zip")
    assert (tmp_path / "book.zip").as_uri() in capsys.readouterr().out
    zipfile.ZipFile(tmp_path / "book.zip").extractall(tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").iterdir()
    unpacked = Site(folder)
    assert unpacked.files == {*SOUND, "README.txt"}
    assert all((folder / name).read_text("utf-8") == text for name, text in SOUND.items())
    assert unpacked.faults() == []
    readme = (folder / "README.txt").read_bytes().decode("ascii")
    assert "Open index.html" in readme
    assert readme.count("\r\n") == readme.count("\n")


def test_the_same_book_is_the_same_file(tmp_path):
    site(tmp_path / "one")
    for name in sorted(SOUND, reverse=True):  # another order, other times, other permissions
        path = tmp_path / "two" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOUND[name], encoding="utf-8")
        os.utime(path, (1e9, 1e9))
        path.chmod(0o600)
    first, second = (packed(tmp_path / name, tmp_path / f"{name}.zip") for name in ("one", "two"))
    assert first == second


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("_static/one.png", None, "book/a.html: ../_static/one.png does not exist"),
        ("down/a.ipynb", None, "book/b c.html: ../down/a.ipynb does not exist"),
        (
            "_static/more.css",
            "a { background: url(https://example.org/a.png) }",
            "_static/more.css: loads https://example.org/a.png",
        ),
    ],
)
def test_a_book_with_a_fault_is_not_packed(tmp_path, name, text, told):
    site(tmp_path / "html", **{name: text})
    with pytest.raises(SystemExit, match="not whole") as ended:
        packed(tmp_path / "html", tmp_path / "book.zip")
    assert told in str(ended.value).splitlines()
    assert not (tmp_path / "book.zip").exists()


def test_without_a_book_there_is_no_archive(tmp_path):
    with pytest.raises(SystemExit, match="run make book"):
        packed(tmp_path, tmp_path / "book.zip")
