"""All versions stand side by side, the newest at the site's address; pages offer the others."""

from __future__ import annotations

import http.server
import json
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mtcourse import __version__
from mtcourse.errors import MtcourseError
from scripts import arrange_versions, get_releases
from tests.course.test_book import BOOK, load_extension
from tests.helpers.browsing import served, visit

site_links = load_extension("site_links")

STATIC = BOOK / "_static"
PAGE = """<!doctype html><html lang="en" data-content_root="../"><meta charset="utf-8">
<title>x</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="../_static/versions.css">
<div class="bd-sidebar-primary"><a class="navbar-brand" href="a.html">Book</a></div>
<article><h1 id="top-of-page">{name}</h1></article>
<script defer src="../_static/versions.js"></script></html>"""
SHARED = ("versions.js", "versions.css")
FIRST = '<!doctype html><title>x</title><a href="book/a.html">begin</a>'


def book(folder: Path, name: str, *pages: str) -> Path:
    """A built book whose pages show their version and offer the others."""
    files = {f"book/{page}.html": PAGE.format(name=f"{page} of {name}") for page in pages}
    files |= {"index.html": FIRST}
    files |= {f"_static/{one}": (STATIC / one).read_text("utf-8") for one in SHARED}
    files["versions.json"] = json.dumps({"here": name, "up": "", "versions": []})
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def release(folder: Path, name: str, *pages: str) -> Path:
    """The archive of a book."""
    built = book(folder / "built" / name, name, *pages)
    archive = folder / "releases" / f"mtcourse-{name}.zip"
    archive.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(f"mtcourse-{name}/README.txt", "open index.html")
        for path in sorted(built.rglob("*.*")):
            packed.write(path, f"mtcourse-{name}/{path.relative_to(built).as_posix()}")
    return archive


@pytest.fixture(scope="module")
def arranged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases and what is built today."""
    folder = tmp_path_factory.mktemp("versions")
    release(folder, "0.9", "a", "b", "old")
    release(folder, "0.10", "a", "b")
    release(folder, "0.2", "a")
    book(folder / "today", "dev", "a", "b", "new")
    options = ["--releases", folder / "releases", "--unreleased", folder / "today"]
    assert arrange_versions.main([*map(str, options), "--to", str(folder / "site")]) == 0
    return folder / "site"


def listing(folder: Path) -> dict:
    return json.loads((folder / "versions.json").read_text("utf-8"))


def test_each_version_has_its_folder_and_the_newest_the_sites_address(arranged):
    for name in ("0.2", "0.9", "0.10", "dev"):
        assert f"a of {name}<" in (arranged / name / "book" / "a.html").read_text("utf-8")
    assert "a of 0.10<" in (arranged / "book" / "a.html").read_text("utf-8")
    assert not (arranged / "book" / "new.html").exists()
    assert not list(arranged.rglob("README.txt"))
    assert not [path for path in arranged.iterdir() if path.name.startswith("mtcourse")]


def test_each_folder_lists_all_versions_the_newest_first(arranged):
    at = {"": "0.10", "0.2/": "0.2", "0.9/": "0.9", "0.10/": "0.10", "dev/": "dev"}
    for folder, here in at.items():
        listed = listing(arranged / folder)
        assert listed["here"] == here
        assert [one["name"] for one in listed["versions"]] == ["0.10", "0.9", "0.2", "dev"]
        assert [one["name"] for one in listed["versions"] if one["newest"]] == ["0.10"]
        for one in listed["versions"]:
            there = arranged / folder / listed["up"] / one["folder"]
            assert f"a of {one['name']}<" in (there / "book" / "a.html").read_text("utf-8")
            assert all((there / page).exists() for page in one["pages"])
            assert "book/a.html" in one["pages"]


def test_all_that_is_arranged_is_whole(arranged):
    assert site_links.Site(arranged).faults() == []


def test_a_page_that_the_newest_version_lacks_is_named(tmp_path, capsys):
    release(tmp_path, "0.1", "a", "old")
    release(tmp_path, "0.2", "a")
    arrange_versions.arrange(sorted((tmp_path / "releases").iterdir()), None, tmp_path / "site")
    said = capsys.readouterr().out
    assert "0.1 has book/old.html, and 0.2 has not" in said
    assert "book/moved.toml" in said
    assert "a.html" not in said


def test_before_the_first_release_the_book_of_today_is_at_the_sites_address(tmp_path):
    today = book(tmp_path / "today", "dev", "a")
    arrange_versions.arrange([], today, tmp_path / "site")
    assert "a of dev" in (tmp_path / "site" / "book" / "a.html").read_text("utf-8")
    assert [one["name"] for one in listing(tmp_path / "site")["versions"]] == ["dev"]


def bad_archive(folder: Path, fault: str) -> Path:
    archive = release(folder, "0.1", "a")
    if fault == "no zip archive":
        archive.write_text("not found")
    elif fault == "another archive of version 0.1":
        archive.with_name("again.zip").write_bytes(archive.read_bytes())
    else:
        names = {"no index": ["mtcourse-0.1/book/a.html"], "empty": []}
        names |= {"outside": ["mtcourse-0.1/index.html", "mtcourse-0.1/../../x"]}
        names |= {"two folders": ["mtcourse-0.1/index.html", "x/index.html"]}
        names |= {"another program": ["mtcourse-0.1rc1/index.html"]}
        with zipfile.ZipFile(archive, "w") as packed:
            for name in names[fault]:
                packed.writestr(name, "")
    return folder / "releases"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("no zip archive", "is no zip archive"),
        ("another archive of version 0.1", "another archive of version 0.1"),
        *((fault, "not an archive that make site packed") for fault in
          ("no index", "empty", "outside", "two folders", "another program")),
    ],
)  # fmt: skip
def test_a_bad_archive_is_refused(tmp_path, capsys, fault, told):
    releases = bad_archive(tmp_path, fault)
    options = ["--releases", str(releases), "--to", str(tmp_path / "site")]
    assert arrange_versions.main(options) == 1
    assert told in capsys.readouterr().out
    assert not (tmp_path.parent / "x").exists()


def test_nothing_is_written_over(tmp_path):
    today = book(tmp_path / "today", "dev", "a")
    with pytest.raises(MtcourseError, match="not empty"):
        arrange_versions.arrange([], today, today)
    with pytest.raises(MtcourseError, match="no version to publish"):
        arrange_versions.arrange([], None, tmp_path / "site")
    with pytest.raises(MtcourseError, match="run make book"):
        arrange_versions.arrange([], tmp_path / "nowhere", tmp_path / "site")


# --- releases -----------------------------------------------------------------------------------


class _GitHub(http.server.BaseHTTPRequestHandler):
    """Two pages of releases, whose downloads lead on to another address, as GitHub's do."""

    releases: list[dict]
    asked: list[tuple[str, str | None, str | None]]

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.asked.append((parts.path, self.headers["Authorization"], self.headers["Accept"]))
        if parts.path.startswith("/assets/"):
            self.send_response(302)
            self.send_header("Location", parts.path.replace("/assets/", "/storage/"))
            self.end_headers()
            return
        content = b"archive " + parts.path.encode()
        if parts.path == "/repos/a-school/its-course/releases":
            number = int(parts.query.rpartition("page=")[2])
            content = json.dumps(self.releases[number * 100 - 100 : number * 100]).encode()
        self.send_response(200 if content else 404)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def github(monkeypatch) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _GitHub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"

    def listed(number: int, *names: str, draft: bool = False) -> dict:
        assets = [{"name": name, "url": f"{address}/assets/{name}"} for name in names]
        return {"tag_name": f"v0.{number}", "draft": draft, "assets": assets}

    archives = [listed(number, f"mtcourse-0.{number}.zip", "mtcourse.pdf") for number in range(101)]
    monkeypatch.setattr(_GitHub, "releases", [listed(500, draft=True), *archives], raising=False)
    monkeypatch.setattr(_GitHub, "asked", [], raising=False)
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    yield address
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_archives_of_all_releases_are_downloaded(github, tmp_path):
    assert get_releases.main(["a-school/its-course", "--to", str(tmp_path), "--api", github]) == 0
    there = {path.name: path.read_text() for path in tmp_path.iterdir()}
    names = [f"mtcourse-0.{number}.zip" for number in range(101)]
    assert there == {name: f"archive /storage/{name}" for name in names}
    for path, token, kind in _GitHub.asked:
        assert token == (None if path.startswith("/storage") else "Bearer secret")
        assert path.startswith("/storage") or ("octet-stream" in kind) == ("/assets/" in path)


def test_a_release_without_an_archive_is_told(github, tmp_path, capsys):
    _GitHub.releases[7]["assets"] = []
    assert get_releases.main(["a-school/its-course", "--to", str(tmp_path), "--api", github]) == 1
    assert "the release v0.6 has no archive of the book" in capsys.readouterr().out


def test_a_server_that_does_not_answer_is_told(tmp_path, capsys):
    options = ["a-school/its-course", "--to", str(tmp_path), "--api", "http://127.0.0.1:9"]
    assert get_releases.main(options) == 1
    assert "http://127.0.0.1:9/repos/a-school/its-course/releases" in capsys.readouterr().out


# --- in the page --------------------------------------------------------------------------------


@pytest.fixture
def address(arranged) -> Iterator[str]:
    with served(arranged) as found:
        yield found


@pytest.mark.browser
def test_a_page_offers_itself_in_the_other_versions(browser, address):
    opened = visit(browser, address, "0.9/book/b.html?q=1#top-of-page", "light")
    page = opened.page
    try:
        page.get_by_text("Version 0.9", exact=True).click()
        links = page.locator(".mt-versions a")
        assert links.all_text_contents() == ["0.10 (newest)", "0.9", "0.2", "dev"]
        found = [link.get_attribute("href").removeprefix(address) for link in links.all()]
        behind = "?q=1#top-of-page"
        assert found == [
            f"book/b.html{behind}",
            f"0.9/book/b.html{behind}",
            "0.2/index.html",  # it has no such page
            f"dev/book/b.html{behind}",
        ]
        assert page.locator(".mt-versions [aria-current]").all_text_contents() == ["0.9"]
        assert "an older version" in page.locator(".mt-not-newest").inner_text()
        page.locator(".mt-not-newest a").click()
        page.wait_for_url(f"{address}book/b.html{behind}")
        assert page.text_content("h1") == "b of 0.10"
        page.get_by_text("Version 0.10", exact=True).wait_for()
        assert page.locator(".mt-not-newest").count() == 0
        assert (opened.errors, opened.foreign) == ([], [])
    finally:
        page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("way", ["disk", "alone"])
def test_a_book_from_a_disk_or_alone_offers_nothing(browser, arranged, address, tmp_path, way):
    if way == "disk":
        address = arranged.as_uri() + "/"
    else:
        address = address
        book(arranged / "alone", __version__, "a")
    opened = visit(
        browser, address, "0.9/book/a.html" if way == "disk" else "alone/book/a.html", "light"
    )
    try:
        assert opened.page.locator(".mt-versions, .mt-not-newest").count() == 0
        assert opened.page.text_content("h1")
        assert (opened.errors, opened.foreign) == ([], [])
    finally:
        opened.page.context.close()
