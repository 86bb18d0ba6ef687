"""What the files of a built book refer to: what is missing, what comes from outside, what is left.

A page loads pictures, scripts, style sheets and faces, and leads to other pages. A script names a
file in quotes or in its attribute ``data-scripts``, or its page names a model's folder in one of
the attributes ``MODEL_FOLDERS``. A file that nothing names, however many steps away from the first
page, is not needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote, urlsplit

FIRST = "index.html"
FOR_SERVERS = frozenset(
    {".buildinfo", ".nojekyll", "404.html", "objects.inv", "robots.txt", "sitemap.xml"}
    | {"_static/card.png"}
)
"""What servers, robots, services and other books ask for by name, and no page."""
LICENCES = re.compile(r".*-OFL\.txt")
"""The licences of faces, which must travel with them."""
MODEL_FOLDERS = ("data-translator", "data-language-model", "data-folder")
FINDER = "pagefind/pagefind.js"
"""The program of a search, which makes up the names of the index's files beside it."""
CARDS = "_static/previews/{}.js"
"""What a reader sees who points at a reference to a page (previews.js)."""
SETTINGS = ("explorer=", "translate=", ":~:")
"""What stands behind # in a link and is no place in a page: an explorer's settings, a quotation."""
LOADED = frozenset(
    {"img", "script", "source", "video", "audio", "track", "iframe", "embed", "object", "use"}
    | {"image", "input"}
)
LOADED_LINKS = frozenset({"stylesheet", "preload", "modulepreload", "prefetch", "icon", "manifest"})
ADDRESSES = ("href", "xlink:href", "src", "data", "poster", "action")
SCRIPTS = "data-scripts"
"""The attribute that names the files that a script loads (light_pages.py)."""
NOTED = frozenset(
    {*ADDRESSES, *MODEL_FOLDERS, SCRIPTS, "id", "name", "srcset", "style", "http-equiv"}
)
"""The attributes that tell something; most tags have none of them."""
IN_STYLE = re.compile(
    r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))\s*\)|@import\s+["']([^"']+)["']"""
)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
IN_SCRIPT = re.compile(
    r"""["'`]([\w./-]+\.(?:js|mjs|css|json|html|txt|png|svg|webp|woff2|wasm|bin))["'`]"""
)
FROM_OUTSIDE = re.compile(
    r"""(?:(?:\b(?:fetch|import|importScripts|Worker|EventSource|WebSocket)\s*\(|\bfrom\b|\bimport\b
    |\.(?:src|href)\s*=(?!=)|\.open\(\s*["'`]\w+["'`]\s*,)\s*)["'`]((?:(?:https?|wss?):)?//[^"'`\s]+)""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Reference:
    """One mention of an address.

    Args:
        file: that mentions it, from the book's folder.
        address: as it stands there.
        loaded: whether it is loaded at once, rather than when a reader asks for it.
    """

    file: str
    address: str
    loaded: bool

    @property
    def is_outside(self) -> bool:
        """Whether it leads out of the book."""
        parts = urlsplit(self.address)
        return parts.scheme in {"http", "https", "ws", "wss"} or bool(parts.netloc)

    @property
    def is_place(self) -> bool:
        """Whether it is an address of a file at all, not data, a mail or a program."""
        return not self.is_outside and not urlsplit(self.address).scheme

    @property
    def target(self) -> str:
        """The file in the book that it names, whether it exists or not."""
        path = unquote(urlsplit(self.address).path)
        if not path:
            return self.file
        whole = normpath((PurePosixPath(self.file).parent / path).as_posix())
        return f"{whole}/{FIRST}" if path.endswith("/") else whole

    @property
    def fragment(self) -> str:
        """The place in the page, if one is named."""
        found = unquote(urlsplit(self.address).fragment)
        return "" if found == "top" or found.startswith(SETTINGS) else found


class _Page(HTMLParser):
    """Collects what a page has and mentions."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.ids: set[str] = set()
        self.references: list[Reference] = []
        self.folders: set[str] = set()
        self.leads_on = False
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_program = tag == "script" and not str(dict(attrs).get("type")).endswith("json")
        self._inside = tag if tag == "style" or is_program else ""
        given = {key: value for key, value in attrs if value}
        if not given.keys() & NOTED:
            return
        self.ids |= {given[key] for key in ("id", "name") if key in given and tag != "meta"}
        self.folders |= {given[key] for key in MODEL_FOLDERS if key in given}
        loaded = tag in LOADED or bool(LOADED_LINKS & set(given.get("rel", "").split()))
        self._mention(loaded, *[given[key] for key in ADDRESSES if key in given])
        self._mention(True, *[part.split()[0] for part in _several(given.get("srcset", ""))])
        self._mention(True, *in_style(given.get("style", "")))
        self._mention(True, *given.get(SCRIPTS, "").split())
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.leads_on = True
            self._mention(False, *re.findall(r"(?i)url=['\"]?([^'\"]+)", given.get("content", "")))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self._mention(True, *in_style(data))
        elif self._inside == "script":
            self._mention(True, *FROM_OUTSIDE.findall(data))

    def _mention(self, loaded: bool, *addresses: str) -> None:
        self.references += [Reference(self.name, address.strip(), loaded) for address in addresses]


def _several(addresses: str) -> list[str]:
    """The parts of a list with commas that hold something."""
    return [part for part in addresses.split(",") if part.strip()]


def in_style(sheet: str) -> list[str]:
    """The addresses that a style sheet loads."""
    return ["".join(found) for found in IN_STYLE.findall(COMMENT.sub("", sheet))]


@dataclass
class Site:
    """A built book.

    Args:
        root: its folder.
    """

    root: Path
    texts: dict[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def files(self) -> frozenset[str]:
        """All its files."""
        found = (path for path in self.root.rglob("*") if path.is_file())
        return frozenset(path.relative_to(self.root).as_posix() for path in found)

    @cached_property
    def pages(self) -> dict[str, _Page]:
        """Its pages, without the one that servers show for addresses that lead nowhere."""
        pages = {}
        for name in sorted(self.files - FOR_SERVERS):
            if name.endswith(".html"):
                page = pages[name] = _Page(name)
                page.feed(self._text(name))
                page.close()
        return pages

    @cached_property
    def references(self) -> dict[str, list[Reference]]:
        """What each file mentions. Every one of these must be there, and none come from outside."""
        found = {name: list(page.references) for name, page in self.pages.items()}
        for name, page in self.pages.items():
            for folder in sorted(page.folders):
                found[name] += self._of_model(name, folder)
        for name in sorted(self.files):
            if name.endswith(".css"):
                found[name] = [Reference(name, it, True) for it in in_style(self._text(name))]
            elif name.endswith(".js"):
                outside = FROM_OUTSIDE.findall(self._text(name))
                found[name] = [Reference(name, address, True) for address in outside]
        return found

    def faults(self) -> list[str]:
        """What a reader without a network would miss, a line each."""
        found = {}
        for mentioned in self.references.values():
            for reference in mentioned:
                fault = self._fault(reference)
                if fault:
                    found[f"{reference.file}: {fault}"] = None
        return list(found)

    def unreferenced(self) -> list[str]:
        """The files that no way leads to from the first page, or from a page that leads on."""
        waiting = [FIRST, *(name for name, page in self.pages.items() if page.leads_on)]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self.files:
                continue
            seen.add(name)
            waiting += [it.target for it in self.references.get(name, []) if it.is_place]
            waiting += self._named_in_scripts(name)
        left = self.files - seen - FOR_SERVERS
        return sorted(name for name in left if not LICENCES.fullmatch(name))

    def _text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def _fault(self, reference: Reference) -> str:
        """What is wrong with one reference; nothing if all is well."""
        if reference.is_outside:
            return f"loads {reference.address}" if reference.loaded else ""
        if not reference.is_place:
            return ""
        target, address = reference.target, reference.address
        if address.startswith("/") or target.startswith("../"):
            return f"{address} leads out of the book's folder"
        if target not in self.files:
            return f"{address} does not exist"
        page, fragment = self.pages.get(target), reference.fragment
        if page is not None and fragment and fragment not in page.ids:
            return f"{address}: {target} has no #{fragment}"
        return ""

    def _of_model(self, page: str, folder: str) -> Iterator[Reference]:
        """The scripts that a model consists of, as its first one says."""
        first = Reference(page, f"{folder}/model.js", True)
        yield first
        if first.target in self.files:
            parts = re.search(r'"parts": ?(\d+)', self._text(first.target))
            for number in range(int(parts[1]) if parts else 1):
                yield Reference(page, f"{folder}/weights-{number}.js", True)

    def _named_in_scripts(self, name: str) -> Iterator[str]:
        """The files that a script names, from its own folder, its page's, or the book's."""
        if name in self.pages:
            yield CARDS.format(name.removesuffix(".html"))
        if name == FINDER:
            yield from (one for one in self.files if one.startswith(FINDER.split("/")[0] + "/"))
        if name.endswith((".html", ".js")):
            for address in IN_SCRIPT.findall(self._text(name)):
                yield normpath(address.lstrip("/"))
                yield Reference(name, address, True).target


def told(faults: Sequence[str], most: int = 20) -> str:
    """A list of faults for a terminal."""
    more = [f"… and {len(faults) - most} more"] if len(faults) > most else []
    return "\n".join([*faults[:most], *more])
