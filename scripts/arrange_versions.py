"""Puts all versions of the book into one folder to be published, side by side.

python scripts/arrange_versions.py --releases FOLDER --unreleased _build/html --to site

Each release is the archive that ``make site`` packed, mtcourse-0.1.0.zip, and gets a folder,
/0.1.0/. The newest stands at the site's address as well, where all pages' canonical addresses lead.
What is built from the repository today gets /dev/, and the site's address while nothing is
released. In each folder versions.json tells the pages which others there are.

Nothing is kept from the last time: the same releases give the same site.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError

UNRELEASED = "dev"
LISTING = "versions.json"
RELEASE = re.compile(r"mtcourse-(\d+(?:\.\d+)*)")
"""The only folder in an archive."""


@dataclass(frozen=True)
class Version:
    """A version of the book, in its folder.

    Args:
        name: such as 0.1.0, or dev.
        folder: where it stands.
    """

    name: str
    folder: Path

    @property
    def order(self) -> tuple[int, ...]:
        """Newer releases are larger: 0.10 than 0.9."""
        return tuple(map(int, self.name.split(".")))

    @property
    def pages(self) -> list[str]:
        """Its pages' paths."""
        found = [path.relative_to(self.folder) for path in self.folder.rglob("*.html")]
        return sorted(path.as_posix() for path in found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Arranges the folder, and says what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=Path, required=True, help="a folder of archives")
    parser.add_argument("--unreleased", type=Path, help="a built book")
    parser.add_argument("--to", type=Path, required=True, help="a new folder")
    options = parser.parse_args(arguments)
    try:
        arrange(sorted(options.releases.glob("*.zip")), options.unreleased, options.to)
    except MtcourseError as error:
        print(error)
        return 1
    return 0


def arrange(archives: Sequence[Path], unreleased: Path | None, site: Path) -> None:
    """Fills the site's folder.

    Args:
        archives: of the releases.
        unreleased: the book as it is built now.
        site: the folder, which is made.

    Raises:
        MtcourseError: there is nothing to publish, an archive is none, or the folder is not empty.
    """
    if site.exists() and any(site.iterdir()):
        raise MtcourseError(f"{site} is not empty: remove it, or name a new folder")
    releases = [unpack(archive, site) for archive in archives]
    releases.sort(key=lambda version: version.order, reverse=True)
    versions = list(releases)
    if unreleased is not None:
        if not (unreleased / "index.html").exists():
            raise MtcourseError(f"there is no book in {unreleased}: run make book")
        shutil.copytree(unreleased, site / UNRELEASED)
        versions.append(Version(UNRELEASED, site / UNRELEASED))
    if not versions:
        raise MtcourseError("there is no version to publish: no release, and no --unreleased")
    newest = versions[0]
    shutil.copytree(newest.folder, site, dirs_exist_ok=True)
    listed = [listed_as(version, newest) for version in versions]
    write_listing(site, newest.name, "", listed)
    for version in versions:
        write_listing(version.folder, version.name, "../", listed)
    print(f"{', '.join(version.name for version in versions)}; at the site's address {newest.name}")
    for version in releases[1:]:
        for page in sorted(set(version.pages) - set(newest.pages)):
            print(
                f"{version.name} has {page}, and {newest.name} has not: let it lead on in "
                "book/moved.toml"
            )


def unpack(archive: Path, site: Path) -> Version:
    """Unpacks a release into the folder with its name.

    Raises:
        MtcourseError: it is not an archive of the book, or there are two of one version.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
            found = RELEASE.fullmatch(names[0].split("/")[0] if names else "")
            top = f"{found[0]}/" if found else ""
            inside = [name for name in names if name.startswith(top) and ".." not in name]
            if found is None or f"{top}index.html" not in names or len(inside) < len(names):
                raise MtcourseError(f"{archive} is not an archive that make site packed")
            target = site / found[1]
            if target.exists():
                raise MtcourseError(f"{archive}: there is another archive of version {found[1]}")
            opened.extractall(site)
    except zipfile.BadZipFile:
        raise MtcourseError(f"{archive} is no zip archive: download it again") from None
    (site / found[0]).rename(target)
    (target / "README.txt").unlink(missing_ok=True)  # for those who unpack it by hand
    return Version(found[1], target)


def listed_as(version: Version, newest: Version) -> dict[str, Any]:
    """What the pages are told of a version."""
    is_newest = version == newest
    return {
        "name": version.name,
        "folder": "" if is_newest else f"{version.name}/",
        "newest": is_newest,
        "pages": version.pages,
    }


def write_listing(folder: Path, here: str, up: str, versions: Sequence[Mapping[str, Any]]) -> None:
    """Tells the pages of one folder which version they are, and which others there are."""
    text = json.dumps({"here": here, "up": up, "versions": versions}, separators=(",", ":"))
    (folder / LISTING).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
