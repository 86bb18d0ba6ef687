"""The book has the translator's files where one of its pages loads them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from mtcourse.figures.explorer import FOLDER, LANGUAGE_MODEL_FOLDER, Explorer
from mtcourse.page.live_translator import live_translator_html
from tests.course.test_book import load_extension
from tests.helpers.javascript import script_of

write_files = load_extension("live_translator").write_files


def explorer(files) -> str:
    return Explorer(script_of("masks"), {}, {}, {}, "", files).html()


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("<p>A page without any.</p>", False),
        (explorer(None), False),
        (explorer(lambda: ({}, b"")), True),
        (live_translator_html(FOLDER, "A dog.", "Een hond."), True),
    ],
    ids=["none", "explorer", "explorer with a translator", "translator"],
)
def test_files_are_written_if_a_page_loads_them(tmp_path: Path, page, wanted):
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "page.html").write_text(page, encoding="utf-8")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    write_files(app, None)
    assert (folder / FOLDER / "model.js").exists() == wanted
    assert (folder / FOLDER / "weights-0.js").exists() == wanted


def test_the_language_model_is_written_if_a_page_loads_it(tmp_path: Path):
    folder = tmp_path / "book"
    folder.mkdir()
    page = Explorer(script_of("masks"), {}, {}, {}, "", None, lambda: ({}, b"")).html()
    (folder / "page.html").write_text(page, encoding="utf-8")
    write_files(SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path), None)
    model = (folder / LANGUAGE_MODEL_FOLDER / "model.js").read_text(encoding="utf-8")
    assert model.startswith("globalThis.mtcourseLanguageModel = ")
    assert (folder / LANGUAGE_MODEL_FOLDER / "weights-0.js").exists()
    assert not (folder / FOLDER).exists()
