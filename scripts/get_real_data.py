"""Gets LibreOffice's help, the course's real corpus, without being root.

python scripts/get_real_data.py [nl fr de]

Downloads Debian's packages with apt-get and unpacks them into data/libreoffice-help, which is not
committed. Where there is no apt-get it says what to do by hand.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.text.corpora import libreoffice_corpus
from mtcourse.text.libreoffice import LANGUAGES, UNPACKED, help_folder


def main(languages: list[str]) -> int:
    """Gets the pages of English and these languages, then counts the pairs."""
    if unknown := sorted(set(languages) - set(LANGUAGES)):
        print(f"real data: {unknown[0]!r} is not one of {', '.join(LANGUAGES)}")
        return 2
    try:
        help_folder(["en", *languages])
    except MtcourseError:
        if fault := _download(languages):
            print(f"real data: {fault}")
            return 1
    for language in languages:
        corpus = libreoffice_corpus(language)
        print(f"{corpus.name} {corpus.version}, English to {language}")
        print(corpus.report)
    return 0


def _download(languages: list[str]) -> str:
    """Fetches and unpacks the packages; returns what went wrong, or nothing."""
    packages = [f"libreoffice-help-{LANGUAGES[lang].lower()}" for lang in ("en", *languages)]
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return (
            "this is not Debian or Ubuntu. Download the packages "
            f"{', '.join(packages)} from packages.debian.org, unpack each (a .deb is an ar archive "
            f"with a data.tar in it) into {UNPACKED}, and run this again. Everything else in the "
            "course works without them."
        )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["apt-get", "download", "-q", *packages],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return (
                f"apt-get could not download {', '.join(packages)}: {done.stderr.strip()}\n"
                "If its package lists are missing or old, run: sudo apt-get update"
            )
        UNPACKED.mkdir(parents=True, exist_ok=True)
        for package in sorted(Path(folder).glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", str(package), str(UNPACKED)], check=True)
            print(f"unpacked {package.name}")
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["nl"]))
