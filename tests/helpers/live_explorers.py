"""Explorers with the translator behind them: in node, and on a page that has its files."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import random
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import (
    language_model_files,
    model_files,
    write_language_model,
    write_live_translator,
)
from mtcourse.text.corpora import builtin_corpus
from tests.helpers.browsing import ALONE, Visit, visit
from tests.helpers.javascript import evaluated, script_of

TRANSLATOR = Translator.load(device="cpu")
LANGUAGE_MODEL = LanguageModel.load(device="cpu")
ODD = ("The zebra sleeps.", "Zürich <b>costs</b> 5 €!", "dog", "the the the", "12,5 isn't 漢字.")
"""What no grammar writes."""


@functools.cache
def learnt() -> list[str]:
    """Sentences that the translator has learnt from; a part of them is enough here."""
    return [pair.source for pair in builtin_corpus(train=3000).splits["train"]]


@functools.cache
def dutch() -> list[str]:
    """Sentences that the language model has learnt from, likewise."""
    return [pair.target for pair in builtin_corpus(train=3000).splits["train"]]


@functools.cache
def _files() -> tempfile.TemporaryDirectory:
    """A folder with what a kernel sends and what a page loads; it goes when the tests end."""
    folder = tempfile.TemporaryDirectory()
    model, weights = model_files(TRANSLATOR, learnt())
    Path(folder.name, "model.json").write_text(json.dumps(model), encoding="utf-8")
    Path(folder.name, "weights.safetensors").write_bytes(weights)
    site = Path(folder.name, "_static", "translator")
    write_live_translator(TRANSLATOR, learnt(), ["A dog."], site)
    model, weights = language_model_files(LANGUAGE_MODEL, dutch())
    Path(folder.name, "language_model.json").write_text(json.dumps(model), encoding="utf-8")
    Path(folder.name, "language_model.safetensors").write_bytes(weights)
    beside = Path(folder.name, "_static", "language_model")
    write_language_model(LANGUAGE_MODEL, beside, dutch())
    return folder


def sentences(count: int, seed: int = 0) -> list[str]:
    """Sentences of the grammar's test split, and odd ones."""
    test = [pair.source for pair in builtin_corpus().splits["test"]]
    return [*random.Random(seed).sample(test, count), *ODD]


def with_translator(word: str, expression: str, **given: Any) -> Any:
    """The value of an expression in the scope of an explorer's module, with a ``translator``."""
    folder = _files().name
    return evaluated(
        script_of(word),
        f"""(() => {{
            const translator = assembled({{
                ...JSON.parse(readFileSync(folder + "/model.json", "utf8")),
                weights: readWeights(copyOf(readFileSync(folder + "/weights.safetensors"))),
            }});
            return {expression};
        }})()""",
        folder=folder,
        **given,
    )


def with_language_model(word: str, expression: str, **given: Any) -> Any:
    """The same with a ``languageModel``."""
    folder = _files().name
    return evaluated(
        script_of(word),
        f"""(() => {{
            const languageModel = assembledText({{
                ...JSON.parse(readFileSync(folder + "/language_model.json", "utf8")),
                weights: readWeights(copyOf(readFileSync(folder + "/language_model.safetensors"))),
            }});
            return {expression};
        }})()""",
        folder=folder,
        **given,
    )


def write_page(name: str, html: str, files: bool = True) -> Path:
    """A page with explorers in a folder of a site; without files it is the only one there.

    Args:
        name: of the page, which is another one for each.
        html: the explorers.
        files: whether the translator's files stand where the page looks for them.
    """
    folder = Path(_files().name, "book" if files else "alone/book")
    folder.mkdir(parents=True, exist_ok=True)
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    scheme = '<meta name="color-scheme" content="light dark">'
    page = folder / f"{name}.html"
    page.write_text(
        f"{ALONE}{viewport}{scheme}<main><h1>x</h1>{html}</main></html>", encoding="utf-8"
    )
    return page


@contextlib.contextmanager
def address_of(page: Path, scheme: str) -> Iterator[tuple[str, str]]:
    """Where a page is: a site's address, and the page's path there.

    Args:
        page: of ``write_page``, or another in a folder of a site.
        scheme: "file", or "http" for a server on a loopback address.
    """
    root = page.parent.parent
    path = f"/{page.parent.name}/{page.name}"
    if scheme == "file":
        yield root.as_uri(), path
        return
    handler = functools.partial(_Quiet, directory=str(root))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", path
    server.shutdown()
    server.server_close()
    thread.join()


@contextlib.contextmanager
def visited_page(browser: Any, page: Path, place: str, scheme: str) -> Iterator[Visit]:
    """Opens a page of ``write_page``; at the end nothing went wrong and nothing else was asked.

    Args:
        browser: the fixture.
        page: the file.
        place: "file" or "http".
        scheme: "light" or "dark".
    """
    with address_of(page, place) as (site, path):
        visited = visit(browser, site, path, scheme)
        yield visited
        assert visited.errors == []
        assert visited.foreign == []
        visited.page.context.close()


def reopen(page: Any, address: str) -> None:
    """Opens an address as a reader does who has been sent it, and not as a change of the hash."""
    page.goto(address)
    page.reload()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each on standard error; there is no favicon."""

    def log_message(self, *_: object) -> None:
        return

    def send_error(self, code: int, *rest: Any) -> None:
        if self.path != "/favicon.ico":
            super().send_error(code, *rest)
            return
        self.send_response(204)
        self.end_headers()
