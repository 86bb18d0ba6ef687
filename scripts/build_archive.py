"""Packs the built book into one file for a school without a network: mtcourse-0.1.0.zip.

python scripts/build_archive.py [--html FOLDER] [--to FILE] [--tag v0.1.0]

Whoever unpacks it opens index.html, without a server. Nothing is packed unless the book is whole:
each link, picture, script, style sheet and face is in it, and nothing is loaded from outside. The
same book gives the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from mtcourse import __version__

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book" / "_ext"))
from site_links import FIRST, Site, told

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = frozenset({".buildinfo", ".nojekyll"})
"""What the next build reads, and what a server does."""
BEGINNING = (1980, 1, 1, 0, 0, 0)
"""When all files were written, says the archive; it has no earlier time."""
README = """\
{title}
Version {version}

This folder is the whole book. It needs no network and no server.

1. Unpack the archive, if you have not: a browser cannot follow links inside it.
2. Open index.html with a browser (double-click it).

The explorers and the translators work as they do online. Search finds the same words, and names the
pages without showing the place. Notebooks are downloaded from the page of their chapter; to run
them you need Python and the package, which the page "Set up" installs.

To share the book in a local network, put this folder on any web server, or run in it:

    python -m http.server
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Packs the book, and says where the archive is; or says what is missing in the book."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--to", type=Path, default=ROOT / "_build" / f"mtcourse-{__version__}.zip")
    parser.add_argument("--tag", help="refuse if the release is another one than the package says")
    options = parser.parse_args(arguments)
    if options.tag not in {None, f"v{__version__}"}:
        sys.exit(
            f"the tag is {options.tag}, and the version {__version__}: put it into pyproject.toml, "
            "mtcourse/__init__.py and CITATION.cff, and tag that commit"
        )
    if not (options.html / FIRST).exists():
        sys.exit(f"there is no book in {options.html}: run make book")
    site = Site(options.html.resolve())
    faults = site.faults()
    if faults:
        sys.exit(f"The book is not whole, and was not packed. Its faults:\n{told(faults)}")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    pack(site, options.to, config["title"], __version__)
    size = options.to.stat().st_size / 1e6
    print(f"The archive, {size:.1f} MB: {options.to.resolve().as_uri()}")
    return 0


def pack(site: Site, target: Path, title: str, version: str) -> None:
    """Writes the archive, which has one folder.

    Args:
        site: the built book.
        target: the file.
        title: of the book.
        version: of the book; the folder is named after it.
    """
    folder = f"mtcourse-{version}"
    readme = README.format(title=title, version=version).replace("\n", "\r\n")
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        _add(archive, f"{folder}/README.txt", readme.encode())
        for name in sorted(site.files - LEFT_OUT):
            _add(archive, f"{folder}/{name}", (site.root / name).read_bytes())


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, BEGINNING)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # as on Unix, wherever it is packed
    entry.external_attr = 0o100644 << 16
    archive.writestr(entry, content)


if __name__ == "__main__":
    sys.exit(main())
