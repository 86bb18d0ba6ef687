"""Getting the real corpus: whole or not at all, and what to do where it cannot be had."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mtcourse.text import libreoffice
from mtcourse.text.libreoffice import UNPACKED
from scripts import get_real_data

PAGE = "<p>LibreOffice 7.4 Help</p>" + "".join(
    f"<p id='{number}'>{{text}} {word} {{text}}</p>"
    for number, word in enumerate(["one", "two", "three", "four"])
)

NOWHERE = Path("/not/installed/help")
"""Where packages would be unpacked; real ones may be installed on the machine of the tests."""

APT_GET = """#!/bin/sh
[ "$1" = download ] || exit 9
shift 2
echo "$@" > asked
for package in "$@"; do echo "$package" > "$package.deb"; done
"""
DPKG_DEB = """#!/bin/sh
case $2 in *-nl.deb) [ -z "$BROKEN" ] || { echo "no space left" >&2; exit 2; } ;; esac
code=$(sed -e s/libreoffice-help-// -e s/en-us/en-US/ "$2")
mkdir -p "$3/not/installed/help/$code/text"
cp "$PAGES/$code.html" "$3/not/installed/help/$code/text/a.html"
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine whose apt-get and dpkg-deb are small scripts, and which has no pages yet."""
    for name, script in {"apt-get": APT_GET, "dpkg-deb": DPKG_DEB}.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
    for code, text in {"en-US": "The dog", "nl": "De hond", "fr": "Le chien"}.items():
        (tmp_path / f"{code}.html").write_text(PAGE.format(text=text))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PAGES", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(libreoffice.VARIABLE, raising=False)
    for module in (libreoffice, get_real_data):
        monkeypatch.setattr(module, "INSTALLED", NOWHERE)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def test_the_packages_are_unpacked_and_counted(machine, capsys):
    assert get_real_data.main(["nl"]) == 0
    said = capsys.readouterr().out
    assert "LibreOffice help 7.4, English to nl" in said
    assert "kept " in said
    assert [path.name for path in Path("data").iterdir()] == [UNPACKED.name]
    assert get_real_data.main(["nl"]) == 0
    assert "unpacked" not in capsys.readouterr().out, "what is there is not fetched again"


def test_another_language_keeps_those_that_are_there(machine):
    get_real_data.main(["nl"])
    assert get_real_data.main(["fr"]) == 0
    pages = UNPACKED / "not" / "installed" / "help"
    assert sorted(path.name for path in pages.iterdir()) == ["en-US", "fr", "nl"]


def test_a_failure_half_way_leaves_nothing_behind(machine, monkeypatch, capsys):
    monkeypatch.setenv("BROKEN", "1")
    assert get_real_data.main(["nl"]) == 1
    assert "no space left" in capsys.readouterr().out
    assert list(Path("data").iterdir()) == []


def test_a_package_that_cannot_be_had_is_said(machine, capsys):
    (machine / "bin" / "apt-get").write_text(
        "#!/bin/sh\necho 'E: Unable to locate' >&2; exit 100\n"
    )
    assert get_real_data.main(["nl"]) == 1
    said = capsys.readouterr().out
    assert "E: Unable to locate" in said
    assert "apt-get update" in said


def test_where_there_is_no_apt_it_says_what_to_do(machine, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert get_real_data.main(["nl"]) == 1
    said = capsys.readouterr().out
    assert "libreoffice-help-en-us, libreoffice-help-nl" in said
    assert str(UNPACKED) in said


def test_a_folder_that_cannot_be_made_is_said(machine, capsys):
    Path("data").write_text("a file")
    assert get_real_data.main(["nl"]) == 1
    assert "cannot be unpacked into" in capsys.readouterr().out


@pytest.mark.parametrize("language", ["en", "tlh"])
def test_languages_that_cannot_be_had_are_said(machine, capsys, language):
    assert get_real_data.main([language]) == 2
    assert f"{language!r} is not one of nl, fr, de" in capsys.readouterr().out
