"""Links, bombs and paths that climb out are told, and cost nobody but who handed them in."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import stat
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.grading import submitted_files
from mtcourse.grading.submissions import Submission, find_submissions
from mtcourse.grading.submitted_notebook import MAX_FILE_BYTES, NOT_A_FILE, Unreadable
from tests.grading.test_submissions import KNOWN, NOTEBOOK, packed, put


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no links or pipes to make")
def test_links_and_pipes_are_told_and_never_opened(tmp_path):
    put(tmp_path, "secret/05_masks.ipynb", content=b"secret")
    put(tmp_path / "in", "alice/notes.txt", "bob/notes.txt", "dave/notes.txt")
    (tmp_path / "in/alice/04_attention.ipynb").symlink_to(tmp_path / "secret/05_masks.ipynb")
    (tmp_path / "in/bob/work").symlink_to(tmp_path / "secret")
    (tmp_path / "in/carol").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "in/dave/04_attention.ipynb")
    found = {one.learner: one for one in find_submissions(tmp_path / "in", KNOWN)}
    for learner in ("alice", "bob", "carol"):
        assert found[learner].reason == submitted_files.LINK
    with pytest.raises(Unreadable, match="it is not a file but"):
        found["dave"].read()


PATIENCE = 60.0
"""Seconds for what takes none, on a machine however busy."""


def found_in_time(place: Path) -> list[Submission] | MtcourseError:
    """What there is, if finding it ends at all."""
    found: list[list[Submission] | MtcourseError] = []

    def look() -> None:
        try:
            found.append(find_submissions(place, KNOWN))
        except MtcourseError as error:
            found.append(error)

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    looking.join(PATIENCE)
    assert found, "it waits for ever"
    return found[0]


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)  # the whole path may be too long


def make_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # zeros without end
    except PermissionError:
        pytest.skip("only root makes devices")


def make_link(path: Path) -> None:
    path.symlink_to("nowhere")


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


NO_FILES = {
    "pipe": (make_pipe, NOT_A_FILE),
    "socket": (make_socket, NOT_A_FILE),
    "device": (make_device, NOT_A_FILE),
    "link to nowhere": (make_link, submitted_files.LINK),
    "link to itself": (make_loop, submitted_files.LINK),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no links or pipes to make")
@pytest.mark.parametrize(
    "name",
    [
        *("bob.zip", "bob_05_masks.ipynb", "bob", "bob.ZIP"),
        *("bob/05_masks.ipynb", "bob/work.zip", "bob/work.tar", "bob/week/5/05_masks.ipynb"),
    ],
)
@pytest.mark.parametrize(("make", "says"), NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_file_is_told_and_not_waited_for(tmp_path, make, says, name):
    put(tmp_path / "in", "ada/05_masks.ipynb")
    (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
    make(tmp_path / "in" / name)
    found = found_in_time(tmp_path / "in")
    assert [(one.learner, one.reason) for one in found] == [("ada", ""), ("bob", says)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes to make")
@pytest.mark.parametrize("name", ["05_masks.zip", "submissions.zip", "bob_05_masks.ipynb"])
def test_a_pipe_that_is_named_or_alone_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    (alone,) = found_in_time(tmp_path)
    assert alone.reason == NOT_A_FILE
    named = found_in_time(tmp_path / name)
    if name.endswith(".zip"):
        assert str(named) == f"{tmp_path / name}: {NOT_A_FILE}"
    else:
        with pytest.raises(Unreadable, match=NOT_A_FILE):
            named[0].read()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes to make")
@pytest.mark.parametrize("make", [make_pipe, make_socket, make_device, make_link])
@pytest.mark.parametrize("name", ["bob/05_masks.ipynb", "bob/work.zip"])
def test_what_is_no_file_any_more_when_it_is_read_is_not_waited_for(tmp_path, make, name):
    put(tmp_path, name)
    if name.endswith(".zip"):
        packed(tmp_path / name, "05_masks.ipynb")
    (found,) = find_submissions(tmp_path, KNOWN)
    (tmp_path / name).unlink()
    make(tmp_path / name)
    says = "it is a link|it is not a file but|it cannot be opened"
    with pytest.raises(Unreadable, match=says):
        found.read()


def test_a_folder_is_a_folder_whatever_it_is_called(tmp_path):
    put(tmp_path / "in", "bob.zip/05_masks.ipynb", "ada/work.zip/05_masks.ipynb", "eve.ipynb/a.txt")
    (tmp_path / "in/carol.zip").mkdir()
    found = {one.learner: one.reason for one in find_submissions(tmp_path / "in", KNOWN)}
    assert (found["bob.zip"], found["ada"]) == ("", "")
    assert set(found) == {"bob.zip", "ada", "eve.ipynb"}


def member(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.create_system, made.external_attr = 3, mode << 16
    return made


OUTSIDE = ["../../alice_04_attention.ipynb", "/etc/04_attention.ipynb", "..\\04_attention.ipynb",
           "C:\\04_attention.ipynb", "a//04_attention.ipynb", "a/./04_attention.ipynb"]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_paths_out_of_an_archive_are_refused(tmp_path, name):
    path = packed(tmp_path / "in.zip", name, "carol/05_masks.ipynb")
    refused, fine = sorted(find_submissions(path, KNOWN), key=lambda one: one.notebook)
    assert refused.reason == "its path in the archive leads out of it"
    assert ".." not in refused.file
    assert (fine.learner, fine.reason) == ("carol", "")


NO_FILES_IN_ARCHIVES = {
    stat.S_IFLNK: submitted_files.LINK,
    stat.S_IFIFO: NOT_A_FILE,
    stat.S_IFSOCK: NOT_A_FILE,
    stat.S_IFCHR: NOT_A_FILE,
    stat.S_IFBLK: NOT_A_FILE,
}


@pytest.mark.parametrize(("kind", "says"), NO_FILES_IN_ARCHIVES.items())
def test_what_is_no_file_in_an_archive_is_refused(tmp_path, kind, says):
    for path, name in (("in.zip", "bob/05_masks.ipynb"), ("in/bob/work.zip", "05_masks.ipynb")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(tmp_path / path, "w") as archive:
            archive.writestr(member(name, kind | 0o777), NOTEBOOK)
            archive.writestr(member("bob/notes.txt"), "")
    for place in ("in.zip", "in"):
        (found,) = find_submissions(tmp_path / place, KNOWN)
        assert (found.learner, found.reason) == ("bob", says)


def test_other_archives_are_told_and_never_opened(tmp_path):
    """Pipes and devices in them are nobody's concern."""
    (tmp_path / "in/bob").mkdir(parents=True)
    with tarfile.open(tmp_path / "in/bob/work.tar", "w") as archive:
        for kind in (tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.REGTYPE):
            made = tarfile.TarInfo("05_masks.ipynb")
            made.type = kind
            archive.addfile(made, io.BytesIO())
    (found,) = find_submissions(tmp_path / "in", KNOWN)
    assert found.learner == "bob"
    assert found.reason == "there is no notebook, only bob/work.tar: hand in the .ipynb itself"


def patched(path: Path, offset_in_directory: int, value: bytes) -> Path:
    """An archive of one member, with a field of its directory overwritten."""
    content = bytearray(path.read_bytes())
    start = content.rindex(b"PK\x01\x02") + offset_in_directory
    content[start : start + len(value)] = value
    path.write_bytes(content)
    return path


def test_an_encrypted_file_is_refused_and_has_its_author(tmp_path):
    path = patched(packed(tmp_path / "in.zip", "alice/04_attention.ipynb"), 8, b"\x01\x00")
    (found,) = find_submissions(path, KNOWN)
    assert "without a password" in found.reason
    assert (found.learner, found.notebook) == ("alice", "04_attention")


def test_bombs_are_refused_by_the_size_they_state_and_by_the_one_they_have(tmp_path):
    bomb = b"\0" * (MAX_FILE_BYTES + 1)
    honest = packed(tmp_path / "honest.zip", "alice/04_attention.ipynb", content=bomb)
    (found,) = find_submissions(honest, KNOWN)
    assert found.reason == submitted_files.TOO_LARGE
    lying = patched(
        packed(tmp_path / "lying.zip", "alice/04_attention.ipynb", content=bomb),
        24,
        (1000).to_bytes(4, "little"),
    )
    (found,) = find_submissions(lying, KNOWN)
    with pytest.raises(Unreadable, match="damaged in its archive"):
        found.read()


def test_damage_in_an_archive_costs_only_the_file(tmp_path):
    path = packed(tmp_path / "in.zip", "alice/04_attention.ipynb", "bob/04_attention.ipynb")
    content = path.read_bytes()
    start = content.index(b"alice/04_attention.ipynb") + len("alice/04_attention.ipynb")
    path.write_bytes(content[:start] + b"\xff" * 8 + content[start + 8 :])
    alice, bob = find_submissions(path, KNOWN)
    with pytest.raises(Unreadable, match="damaged in its archive"):
        alice.read()
    assert bob.read() == NOTEBOOK


@pytest.mark.parametrize("name", ["05_masks.zip", "bob_05_masks.zip"])
def test_a_list_of_contents_that_does_not_fit_costs_only_what_it_lists(tmp_path, name):
    """One byte less in it, and a library looks for the first file in front of the beginning."""
    put(tmp_path / "in", "ada_05_masks.ipynb")
    content = packed(tmp_path / "in" / name, "bob/05_masks.ipynb").read_bytes()
    (tmp_path / "in" / name).write_bytes(content[:60] + content[61:])
    ada, bob = find_submissions(tmp_path / "in", KNOWN)
    assert ada.read() == NOTEBOOK
    with pytest.raises(Unreadable, match="damaged in its archive"):
        bob.read()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"no archive"])
def test_a_damaged_archive_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "in.zip"
    path.write_bytes(content)
    with pytest.raises(MtcourseError, match="in.zip: it is not a zip archive"):
        find_submissions(path, KNOWN)
