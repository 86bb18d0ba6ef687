"""Gets LibreOffice's help, the course's real corpus, without being root.

python scripts/get_real_data.py [nl fr de]

Downloads Debian's packages with apt-get and unpacks them into data/libreoffice-help, which is not
committed. Where there is no apt-get it says what to do by hand.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.text.corpora import libreoffice_corpus
from mtcourse.text.libreoffice import INSTALLED, LANGUAGES, UNPACKED, help_folder


def main(languages: list[str]) -> int:
    """Gets the pages of English and these languages, then counts the pairs."""
    known = [language for language in LANGUAGES if language != "en"]
    if unknown := sorted(set(languages) - set(known)):
        print(f"real data: {unknown[0]!r} is not one of {', '.join(known)}")
        return 2
    try:
        _get(languages)
        for language in languages:
            corpus = libreoffice_corpus(language)
            print(f"{corpus.name} {corpus.version}, English to {language}")
            print(corpus.report)
    except MtcourseError as error:
        print(f"real data: {error}")
        return 1
    return 0


def _get(languages: Sequence[str]) -> None:
    """Makes sure that the pages are there: what is unpacked already stays, all of one version."""
    try:
        help_folder(["en", *languages])
        return
    except MtcourseError:
        pages = UNPACKED / INSTALLED.relative_to("/")
        there = [language for language, code in LANGUAGES.items() if (pages / code).is_dir()]
    wanted = [language for language in LANGUAGES if language in {"en", *languages, *there}]
    packages = [f"libreoffice-help-{LANGUAGES[language].lower()}" for language in wanted]
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise MtcourseError(
            "this is not Debian or Ubuntu. Download the packages "
            f"{', '.join(packages)} from packages.debian.org, unpack each (a .deb is an ar archive "
            f"with a data.tar in it) into {UNPACKED}, and run this again. Everything else in the "
            "course works without them."
        )
    try:
        UNPACKED.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=UNPACKED.parent) as folder:
            _download(packages, Path(folder))
    except OSError as error:
        raise MtcourseError(f"the packages cannot be unpacked into {UNPACKED}: {error}") from error


def _download(packages: Sequence[str], folder: Path) -> None:
    """Fetches and unpacks packages in a folder, then moves the whole into its place."""
    hint = "If its package lists are missing or old, run: sudo apt-get update"
    _run(["apt-get", "download", "-q", *packages], folder, hint)
    for package in sorted(folder.glob("*.deb")):
        _run(["dpkg-deb", "-x", package.name, "unpacked"], folder, "Is the disk full?")
        print(f"unpacked {package.name}")
    if UNPACKED.exists():
        os.replace(UNPACKED, folder / "old")
    os.replace(folder / "unpacked", UNPACKED)


def _run(command: list[str], folder: Path, hint: str) -> None:
    """Runs a command in a folder; where it fails, its own words are the error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MtcourseError(f"`{' '.join(command)}` failed: {done.stderr.strip()}\n{hint}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["nl"]))
