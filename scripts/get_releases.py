"""Downloads the archives of all releases of a repository on GitHub, for arrange_versions.py.

python scripts/get_releases.py OWNER/NAME --to releases
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from mtcourse.errors import MtcourseError

ARCHIVE = re.compile(r"mtcourse-[\d.]+\.zip")
ON_A_PAGE = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Downloads what is there, and says what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--api", default=os.environ.get("GITHUB_API_URL", "https://api.github.com"))
    options = parser.parse_args(arguments)
    try:
        options.to.mkdir(parents=True, exist_ok=True)
        for name, address in archives(options.api, options.repository):
            (options.to / name).write_bytes(get(address, "application/octet-stream"))
            print(name)
    except MtcourseError as error:
        print(error)
        return 1
    return 0


def archives(api: str, repository: str) -> Iterator[tuple[str, str]]:
    """The name and the address of each archive; drafts are not published.

    Raises:
        MtcourseError: a release has none, or GitHub does not answer.
    """
    for page in range(1, 1000):
        address = f"{api}/repos/{repository}/releases?per_page={ON_A_PAGE}&page={page}"
        releases = json.loads(get(address, "application/vnd.github+json"))
        for release in releases:
            assets = [one for one in release["assets"] if ARCHIVE.fullmatch(one["name"])]
            if not release["draft"] and not assets:
                raise MtcourseError(
                    f"the release {release['tag_name']} has no archive of the book: run make site "
                    "on its tag, and add _build/mtcourse-*.zip to the release"
                )
            yield from ((one["name"], one["url"]) for one in assets if not release["draft"])
        if len(releases) < ON_A_PAGE:
            return


def get(address: str, kind: str) -> bytes:
    """What an address of GitHub's API answers."""
    headers = {"Accept": kind, "X-GitHub-Api-Version": "2022-11-28"}
    if token := os.environ.get("GITHUB_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(address)
    for name, value in headers.items():
        # To the API alone: a download leads on to a storage that refuses them.
        request.add_unredirected_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.read()
    except (urllib.error.URLError, TimeoutError) as error:
        raise MtcourseError(f"{address} does not answer: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
